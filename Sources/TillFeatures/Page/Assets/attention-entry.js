// One entry of "Attention": what happened, its evidence, and how a person closes it. What is sent has its key stored
// before, as everything that the page asks for, so that a reload in the middle finishes it.

import {
  closingFacts, entryTitle, happened, incidentTitle, local, OUTCOMES, RESOLUTIONS, SUSPENSE, title,
} from "./attention-words.js";
import { $, descriptions, make } from "./dom.js";
import { decimal, minorUnits } from "./money.js";
import { clearFaults, linked, mark } from "./notice.js";
import { STATUS } from "./payment.js";
import { ask, keptRequests, operate, Refusal, sentencesOf } from "./requests.js";
import { review } from "./review.js";
import { whoIs } from "./session.js";
import { pathOf } from "./shown.js";
import { sum as money } from "./sums.js";

/** The name of who closes things, for as long as this page is open. */
const NAME = "till.name";
const MOST_TEXT = 2_000;
const MOST_NAME = 128;
const UNSEEN = "It is not known yet whether this was recorded. The page asks again by itself.";
/** What is open: its address at the till, the words for it, and what may be said. @type {any} */
let shown = null;
let isBusy = false;
let latest = 0;

/** The path of a request that closes an entry or an incident. @param {string} path */
export const isResolution = (path) => /^\/v1\/(?:incidents\/|payments\/[^/]+\/attention\/)/.test(path);

function say(tone, text) {
  $("entry-state").dataset.tone = tone;
  $("entry-state").textContent = text;
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

/** @param {any} name */
async function readEntry({ payment, number }) {
  const [queue, whole] = await Promise.all([ask("GET", pathOf(payment, "attention")), ask("GET", pathOf(payment))]);
  const entry = queue.attention.find((one) => one.number === number);
  if (!entry) throw new Refusal(404, { detail: "There is no such entry." });
  const of = (minor) => minor > 0 && money(minor, whole.currency);
  return {
    path: pathOf(payment, `attention/${number}/resolve`), assign: pathOf(payment, `attention/${number}/assign`),
    assignee: entry.assignee, title: entryTitle(entry), state: entry.state,
    reason: entry.reason, next: entry.next, stake: money(entry.amount, entry.currency), currency: whole.currency,
    order: entry.order_number || entry.order_id, payment, closing: entry.closing,
    choices: entry.resolutions.map((one) => ({ ...one, value: one.resolution, words: RESOLUTIONS[one.resolution] })),
    facts: [
      ["Amount", money(entry.amount, entry.currency)], ["Order", entry.order_number || entry.order_id],
      ["Status", STATUS[entry.status] ?? entry.status], ["Charged", of(whole.captured)],
      ["Refunded", of(whole.refunded)], ["Disputed", of(whole.disputed)],
      ["Owed to the customer", of(whole.refund_due)], ["Provider", whole.provider],
      ["Reference there", whole.attempts?.at(-1)?.reference], ["Since", local(entry.since)], ["Code", entry.code],
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
    legend: isStatement ? "What becomes of the money" : "What it means for the order",
    facts: [
      ["Kind", title(found.kind)], ["Provider", found.provider], ["Order", found.order_id],
      ["Payment", isUnknown && found.payment_id],
      ["Reported as", found.event], ["Since", local(found.since)], ["Incident", found.id],
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
    say("", "");
  }
  try {
    const read = await (name.incident ? readIncident(name) : readEntry(name));
    if (mine !== latest) return;
    const isSame = shown?.name === JSON.stringify(name);
    shown = { ...read, name: JSON.stringify(name) };
    render(isSame);
    if (!isSame) $("entry-title").focus();
  } catch (error) {
    if (mine !== latest) return;
    $("entry-title").textContent = "It cannot be shown";
    say("bad", error instanceof Refusal ? sentencesOf(error)[0] : "The till does not answer. Try again.");
  }
}

/** Nothing is open any more. */
export function closeEntry() {
  latest += 1;
  shown = null;
}

function render(isSame) {
  $("entry-title").textContent = shown.title;
  $("entry-reason").replaceChildren(...(shown.isUnknown ? [shown.reason] : linked(shown.reason)));
  $("entry-next").replaceChildren(...linked(shown.next));
  $("entry-next").hidden = !shown.next || shown.state !== "open";
  $("entry-facts").replaceChildren(...descriptions(shown.facts));
  if (shown.payment) {
    const value = make("dd", "");
    value.append(...linked(shown.payment));
    $("entry-facts").append(make("dt", "Payment"), value);
  }
  $("entry-closed").hidden = !shown.closing;
  if (shown.closing) $("entry-closing").replaceChildren(...descriptions(closingFacts(shown.closing, shown.currency)));
  if (shown.state === "overtaken") say("good", "What happened since has settled it. There is nothing left to do.");
  $("entry-events").replaceChildren(...shown.events.map((event) => make("li", happened(event))));
  $("entry-document").textContent = shown.document;
  $("entry-document").hidden = !shown.document;
  $("entry-evidence").hidden = !shown.document && !shown.events.length;
  $("entry-form").hidden = shown.state !== "open";
  $("assign").hidden = shown.state !== "open";
  $("assign-now").textContent = shown.assignee
    ? `Assigned to ${shown.assignee.name} since ${local(shown.assignee.at)}.` : "Unassigned";
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
  $("entry-legend").textContent = shown.legend ?? "What you know";
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
  $("entry-amount-note").textContent = takesAmount ? `At most ${money(choice.maximum, shown.currency)}.` : "";
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
    $("assign-fault").textContent =
      error instanceof Refusal ? sentencesOf(error).join(" ") : "The till does not answer. Try again.";
  }
  if (shown === now) await openEntry(JSON.parse(now.name));
  reviewed("");
}

$("assign").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("assign-name").value.trim();
  if (!name || bytes(name) > MOST_NAME) {
    $("assign-fault").textContent = name ? `At most ${MOST_NAME} bytes, please.` : "Enter a name.";
    return;
  }
  sessionStorage.setItem(NAME, name);
  assign(name);
});
$("assign-give-up").addEventListener("click", () => assign(null));

const bytes = (text) => new TextEncoder().encode(text).length;

/** What was typed, or the first field that is wrong. */
function typed() {
  const choice = chosen();
  if (shown.choices.length && !choice) return { field: "choice", fault: "Choose what you know." };
  const body = shown.isIncident ? {} : { resolution: choice.value };
  let sum = "";
  if (choice?.maximum != null) {
    const amount = minorUnits($("entry-amount").value, shown.currency);
    if (amount.fault) return { field: "entry-amount", fault: amount.fault };
    if (amount.value > choice.maximum) {
      return { field: "entry-amount", fault: `At most ${money(choice.maximum, shown.currency)} is possible.` };
    }
    Object.assign(body, { amount: amount.value });
    sum = money(amount.value, shown.currency);
  }
  if (shown.isIncident && choice && choice.value !== shown.preset) Object.assign(body, { outcome: choice.value });
  if (!$("entry-order-field").hidden) {
    const order = $("entry-order").value.trim();
    if (!/^[\x21-\x7e]+$/.test(order)) {
      return { field: "entry-order", fault: "Name the order: letters, digits and signs without spaces." };
    }
    Object.assign(body, { order_id: order });
  }
  const evidence = $("entry-text").value.trim();
  if (!evidence) return { field: "entry-text", fault: "State how you know it." };
  if (bytes(evidence) > MOST_TEXT) return { field: "entry-text", fault: `At most ${MOST_TEXT} bytes, please.` };
  const actor = $("entry-name").value.trim();
  if (!actor) return { field: "entry-name", fault: "Enter your name." };
  if (bytes(actor) > MOST_NAME) return { field: "entry-name", fault: `At most ${MOST_NAME} bytes, please.` };
  return { body: { ...body, evidence, actor }, choice, sum };
}

function question({ body, choice, sum }) {
  const words = choice?.words;
  /** @type {[string, any][]} */
  const facts = [
    ["Entry", shown.title], ["Amount", sum], ["Order", body.order_id ?? shown.order], ["How", body.evidence],
    ["Your name", body.actor],
  ];
  return {
    title: words?.ask(sum, shown.stake) ?? "Close this incident?",
    words: `${words?.what(sum) ?? "It leaves the list. No amount changes."} This cannot be undone.`,
    facts,
    send: words?.send(sum, shown.stake) ?? "Close it",
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
  $("entry-fault").textContent = sentencesOf(error).join(" ");
  const field = FIELDS[error.problem.errors?.[0]?.field] ?? CODES[error.problem.code];
  if (field && mark(field, error.message)) $(field).focus();
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
    if (!(await review({ ...question(said), isEnglish: true }))) return;
    if (shown !== now) return;
    sessionStorage.setItem(NAME, said.body.actor);
    say("wait", "It is being recorded.");
    await operate(now.path, JSON.stringify(said.body), () => say("wait", UNSEEN));
    say("", "");
    reviewed(`Closed: ${now.title}`);
    // The list, with its filter; somebody may have gone elsewhere meanwhile.
    if (shown === now) location.hash = $("entry-back").hash;
  } catch (error) {
    say("", "");
    fail(error);
    // Another tab may have closed it: what is so now stands beside the sentence.
    if (shown === now && error instanceof Refusal && error.status === 409) {
      say("bad", sentencesOf(error).join(" "));
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
      await operate(path, body, () => say("wait", UNSEEN));
      reviewed("What was sent before the page was loaded again is recorded.");
      if (shown?.path === path) await openEntry(JSON.parse(shown.name));
    } catch (error) {
      if (error instanceof Refusal && error.status !== 401) reviewed(sentencesOf(error).join(" "));
    }
  }
}
