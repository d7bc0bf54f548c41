// One entry of "Attention": what happened, its evidence, and how a person closes it. What is sent has its key stored
// before, as everything that the page asks for, so that a reload in the middle finishes it.

import {
  closingFacts, entryTitle, happened, incidentTitle, OUTCOMES, RESOLUTIONS, SUSPENSE, title,
} from "./attention-words.js";
import { time } from "./clock.js";
import { $, descriptions, make } from "./dom.js";
import { decimal, minorUnits } from "./money.js";
import { clearFaults, linked, mark } from "./notice.js";
import { STATUS } from "./payment.js";
import { ask, keptRequests, operate, Refusal, sentencesOf } from "./requests.js";
import { review } from "./review.js";
import { whoIs } from "./session.js";
import { pathOf } from "./shown.js";
import { sum as money } from "./sums.js";
import { foreign, parts, plain, say } from "./words.js";

/** The name of who closes things, for as long as this page is open. */
const NAME = "till.name";
const MOST_TEXT = 2_000;
const MOST_NAME = 128;
const UNSEEN = say("attention.unseen");
/** What is open: its address at the till, the words for it, and what may be said. @type {any} */
let shown = null;
let isBusy = false;
let latest = 0;

/** The path of a request that closes an entry or an incident. @param {string} path */
export const isResolution = (path) => /^\/v1\/(?:incidents\/|payments\/[^/]+\/attention\/)/.test(path);

function tell(tone, text) {
  $("entry-state").dataset.tone = tone;
  $("entry-state").replaceChildren(...parts(text));
}

/** Who closes things: whoever is signed in, or where there is no staff the name that was typed last. */
const nameOf = () => whoIs()?.name ?? sessionStorage.getItem(NAME) ?? "";

const NAMES = ["assign-name", "entry-name"];
// Whoever signs in next closes nothing under the name of whoever was here.
document.addEventListener("till:locked", () => {
  sessionStorage.removeItem(NAME);
  for (const id of NAMES) $(id).value = "";
});
document.addEventListener("till:signed-in", () => {
  for (const id of NAMES) $(id).value ||= nameOf();
});

/** Tells the list that something was closed, and what it says of that. @param {string} text */
const reviewed = (text) => document.dispatchEvent(new CustomEvent("till:reviewed", { detail: { text } }));

// ---- What is open

/**
 * What is to be shown of an entry; null if there is none of that number.
 * @param {any} name
 */
async function readEntry({ payment, number }) {
  const [queue, whole] = await Promise.all([ask("GET", pathOf(payment, "attention")), ask("GET", pathOf(payment))]);
  const entry = queue.attention.find((one) => one.number === number);
  if (!entry) return null;
  const of = (minor) => minor > 0 && money(minor, whole.currency);
  return {
    path: pathOf(payment, `attention/${number}/resolve`), assign: pathOf(payment, `attention/${number}/assign`),
    assignee: entry.assignee, title: entryTitle(entry), state: entry.state,
    reason: entry.reason, next: entry.next, stake: money(entry.amount, entry.currency), currency: whole.currency,
    order: entry.order_number || entry.order_id, payment, closing: entry.closing,
    choices: entry.resolutions.map((one) => ({ ...one, value: one.resolution, words: RESOLUTIONS[one.resolution] })),
    facts: [
      [say("find.amount"), money(entry.amount, entry.currency)],
      [say("fact.order"), entry.order_number || entry.order_id],
      [say("latest.status"), STATUS[entry.status] ?? entry.status], [say("latest.charged"), of(whole.captured)],
      [say("pay.refunded"), of(whole.refunded)], [say("badge.disputed"), of(whole.disputed)],
      [say("fact.owed"), of(whole.refund_due)], [say("attention.provider"), whole.provider],
      [say("attention.reference"), whole.attempts?.at(-1)?.reference], [say("attention.since"), time(entry.since)],
      [say("attention.code"), entry.code],
    ],
    events: whole.events ?? [], document: "",
  };
}

/** @param {any} name */
async function readIncident({ incident }) {
  const found = await ask("GET", `/v1/incidents/${encodeURIComponent(incident)}`);
  const isUnknown = found.kind === "unknown_payment" || found.kind === "unknown_charge";
  const isStatement = found.kind === "statement";
  return {
    path: `/v1/incidents/${encodeURIComponent(incident)}/resolve`,
    assign: `/v1/incidents/${encodeURIComponent(incident)}/assign`, assignee: found.assignee,
    title: incidentTitle(found), state: found.state,
    reason: found.reason, next: "", stake: "", currency: "", order: found.order_id,
    // One that is not known here cannot be opened here.
    payment: isUnknown ? "" : found.payment_id, isUnknown,
    closing: found.resolution && { resolution: null, ...found.resolution }, isIncident: true,
    needsOrder: found.needs_outcome && !found.order_id,
    choices: Object.entries(found.needs_outcome ? OUTCOMES : isStatement ? SUSPENSE : {})
      .map(([value, words]) => ({ value, words, amount: null, maximum: null })),
    // Without a choice the money stays where it is.
    preset: isStatement ? "explained" : null,
    legend: say(isStatement ? "attention.becomes" : "attention.means"),
    facts: [
      [say("attention.kind"), title(found.kind)], [say("attention.provider"), found.provider],
      [say("fact.order"), found.order_id], [say("latest.payment"), isUnknown && found.payment_id],
      [say("attention.reported"), found.event], [say("attention.since"), time(found.since)],
      [say("attention.incident"), found.id],
    ],
    events: [], document: found.document,
  };
}

/**
 * Opens an entry of a payment, or an incident.
 * @param {{payment?: string, number?: number, incident?: string}} name
 */
export async function openEntry(name) {
  const mine = ++latest;
  if (shown?.name !== JSON.stringify(name)) {
    shown = null;
    $("entry-title").textContent = "…";
    $("entry-body").hidden = true;
    tell("", "");
  }
  try {
    const read = await (name.incident ? readIncident(name) : readEntry(name));
    if (mine !== latest) return;
    if (!read) return refuseToShow(say("attention.noEntry"));
    const isSame = shown?.name === JSON.stringify(name);
    shown = { ...read, name: JSON.stringify(name) };
    render(isSame);
    if (!isSame) $("entry-title").focus();
  } catch (error) {
    if (mine !== latest) return;
    refuseToShow(error instanceof Refusal ? sentencesOf(error)[0] : say("attention.noAnswer"));
  }
}

/** @param {string} why */
function refuseToShow(why) {
  $("entry-title").textContent = say("attention.notShown");
  tell("bad", why);
}

/** Nothing is open any more. */
export function closeEntry() {
  latest += 1;
  shown = null;
}

function render(isSame) {
  $("entry-title").replaceChildren(...parts(shown.title));
  const reason = foreign(shown.reason);
  $("entry-reason").replaceChildren(...(shown.isUnknown ? parts(reason) : linked(reason)));
  $("entry-next").replaceChildren(...linked(foreign(shown.next)));
  $("entry-next").hidden = !shown.next || shown.state !== "open";
  $("entry-facts").replaceChildren(...descriptions(shown.facts));
  if (shown.payment) {
    const value = make("dd", "");
    value.append(...linked(shown.payment));
    $("entry-facts").append(make("dt", say("latest.payment")), value);
  }
  $("entry-closed").hidden = !shown.closing;
  if (shown.closing) $("entry-closing").replaceChildren(...descriptions(closingFacts(shown.closing, shown.currency)));
  if (shown.state === "overtaken") tell("good", say("attention.overtaken"));
  $("entry-events").replaceChildren(...shown.events.map((event) => make("li", happened(event))));
  $("entry-document").textContent = shown.document;
  $("entry-document").hidden = !shown.document;
  $("entry-evidence").hidden = !shown.document && !shown.events.length;
  $("entry-form").hidden = shown.state !== "open";
  $("assign").hidden = shown.state !== "open";
  $("assign-now").textContent = shown.assignee
    ? say("attention.assignedSince", { name: shown.assignee.name, time: time(shown.assignee.at) })
    : say("attention.unassigned");
  $("assign-give-up").hidden = !shown.assignee;
  if (!isSame) $("assign-name").value = nameOf();
  if (!isSame || !$("entry-form").hidden) renderChoices(isSame);
  $("entry-body").hidden = false;
}

// ---- What a person says

function chosen() {
  const checked = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=entry-choice]:checked"));
  return shown?.choices.find(({ value }) => value === checked?.value);
}

function renderChoices(isSame) {
  const before = (isSame && chosen()?.value) || shown.preset;
  $("entry-choices").replaceChildren(...shown.choices.map(({ value, words, amount }) => {
    const label = make("label", "", { className: "choice" });
    const text = make("span", words.name);
    const sum = amount === null ? "" : money(amount, shown.currency);
    text.append(make("small", words.what(sum)));
    label.append(make("input", "", { type: "radio", name: "entry-choice", value, checked: value === before }), text);
    return label;
  }));
  $("entry-choices").parentElement.hidden = !shown.choices.length;
  $("entry-legend").textContent = shown.legend ?? say("attention.legend");
  if (!isSame) {
    $("entry-text").value = "";
    $("entry-order").value = "";
    $("entry-amount").value = "";
    $("entry-name").value = nameOf();
    $("entry-evidence").open = false;
    clearFaults();
  }
  showFields();
}

function showFields() {
  const choice = chosen();
  const takesAmount = choice?.maximum != null;
  $("entry-amount-field").hidden = !takesAmount;
  $("entry-amount").value = takesAmount ? decimal(choice.amount, shown.currency) : "";
  $("entry-amount-note").textContent = takesAmount
    ? say("attention.atMost", { sum: money(choice.maximum, shown.currency) }) : "";
  $("entry-order-field").hidden = !shown?.needsOrder || choice?.value !== "paid";
}
$("entry-choices").addEventListener("change", () => {
  $("entry-choice-fault").textContent = "";
  showFields();
});

/** Says who sees to what is open. @param {string | null} assignee */
async function assign(assignee) {
  const now = shown;
  if (!now) return;
  $("assign-fault").textContent = "";
  try {
    await ask("POST", now.assign, JSON.stringify({ assignee }));
  } catch (error) {
    $("assign-fault").replaceChildren(...parts(
      error instanceof Refusal ? sentencesOf(error).join(" ") : say("attention.noAnswer")));
  }
  if (shown === now) await openEntry(JSON.parse(now.name));
  reviewed("");
}

$("assign").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("assign-name").value.trim();
  if (!name || bytes(name) > MOST_NAME) {
    $("assign-fault").textContent = name ? tooLong(MOST_NAME) : say("attention.enterName");
    return;
  }
  sessionStorage.setItem(NAME, name);
  assign(name);
});
$("assign-give-up").addEventListener("click", () => assign(null));

const bytes = (text) => new TextEncoder().encode(text).length;
const tooLong = (most) => say("attention.tooLong", { count: String(most) });

/** What was typed, or the first field that is wrong. */
function typed() {
  const choice = chosen();
  if (shown.choices.length && !choice) return { field: "choice", fault: say("attention.choose") };
  const body = shown.isIncident ? {} : { resolution: choice.value };
  let sum = "";
  if (choice?.maximum != null) {
    const amount = minorUnits($("entry-amount").value, shown.currency);
    if (amount.fault) return { field: "entry-amount", fault: amount.fault };
    if (amount.value > choice.maximum) {
      return { field: "entry-amount", fault: say("attention.notMore", { sum: money(choice.maximum, shown.currency) }) };
    }
    Object.assign(body, { amount: amount.value });
    sum = money(amount.value, shown.currency);
  }
  if (shown.isIncident && choice && choice.value !== shown.preset) Object.assign(body, { outcome: choice.value });
  if (!$("entry-order-field").hidden) {
    const order = $("entry-order").value.trim();
    if (!/^[\x21-\x7e]+$/.test(order)) {
      return { field: "entry-order", fault: say("attention.nameOrder") };
    }
    Object.assign(body, { order_id: order });
  }
  const evidence = $("entry-text").value.trim();
  if (!evidence) return { field: "entry-text", fault: say("attention.stateHow") };
  if (bytes(evidence) > MOST_TEXT) return { field: "entry-text", fault: tooLong(MOST_TEXT) };
  const actor = $("entry-name").value.trim();
  if (!actor) return { field: "entry-name", fault: say("stage.enterName") };
  if (bytes(actor) > MOST_NAME) return { field: "entry-name", fault: tooLong(MOST_NAME) };
  return { body: { ...body, evidence, actor }, choice, sum };
}

function question({ body, choice, sum }) {
  const words = choice?.words;
  /** @type {[string, any][]} */
  const facts = [
    [say("attention.entry"), plain(shown.title)], [say("find.amount"), sum],
    [say("fact.order"), body.order_id ?? shown.order], [say("attention.how"), body.evidence],
    [say("stage.yourName"), body.actor],
  ];
  return {
    title: words?.ask(sum, shown.stake) ?? say("attention.closeAsk"),
    words: `${words?.what(sum) ?? say("attention.closeWhat")} ${say("attention.final")}`,
    facts,
    send: words?.send(sum, shown.stake) ?? say("attention.closeSend"),
  };
}

function refuse({ field, fault }) {
  if (field === "choice") {
    $("entry-choice-fault").textContent = fault;
    /** @type {HTMLElement} */ (document.querySelector("input[name=entry-choice]")).focus();
    return;
  }
  mark(field, fault);
  $(field).focus();
}

// The till's word for what is wrong, and the field in which it was typed.
const FIELDS = { amount: "entry-amount", evidence: "entry-text", actor: "entry-name", order_id: "entry-order" };
const CODES = {
  invalid_amount: "entry-amount", refund_exceeds_captured: "entry-amount",
  capture_exceeds_authorization: "entry-amount", order_missing: "entry-order",
};

function fail(error) {
  if (!(error instanceof Refusal) || error.isUnsettled) {
    $("entry-fault").textContent = UNSEEN;
    return;
  }
  $("entry-fault").replaceChildren(...parts(sentencesOf(error).join(" ")));
  const field = FIELDS[error.problem.errors?.[0]?.field] ?? CODES[error.problem.code];
  if (field && mark(field, foreign(error.message))) $(field).focus();
}

function setBusy(value) {
  isBusy = value;
  $("entry-send").disabled = value;
}

$("entry-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isBusy || !shown) return;
  clearFaults();
  const now = shown;
  const said = /** @type {any} */ (typed());
  if (said.fault) return refuse(said);
  setBusy(true);
  try {
    if (!(await review(question(said)))) return;
    if (shown !== now) return;
    sessionStorage.setItem(NAME, said.body.actor);
    tell("wait", say("attention.recording"));
    await operate(now.path, JSON.stringify(said.body), () => tell("wait", UNSEEN));
    tell("", "");
    reviewed(say("attention.nowClosed", { title: now.title }));
    // The list, with its filter; somebody may have gone elsewhere meanwhile.
    if (shown === now) location.hash = $("entry-back").hash;
  } catch (error) {
    tell("", "");
    fail(error);
    // Another tab may have closed it: what is so now stands beside the sentence.
    if (shown === now && error instanceof Refusal && error.status === 409) {
      tell("bad", sentencesOf(error).join(" "));
      await openEntry(JSON.parse(now.name));
      $("entry-state").scrollIntoView({ block: "nearest" });
      reviewed("");
    }
  } finally {
    setBusy(false);
  }
});

/** Finishes what was asked for and never answered, as after a reload in the middle. */
export async function finishResolutions() {
  for (const { path, body } of keptRequests().filter((kept) => isResolution(kept.path))) {
    try {
      await operate(path, body, () => tell("wait", UNSEEN));
      reviewed(say("attention.finished"));
      if (shown?.path === path) await openEntry(JSON.parse(shown.name));
    } catch (error) {
      if (error instanceof Refusal && error.status !== 401) reviewed(sentencesOf(error).join(" "));
    }
  }
}
