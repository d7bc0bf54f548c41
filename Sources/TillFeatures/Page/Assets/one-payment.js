// One payment: where its money is, what happened to it and by whom, and what can still be done. Nothing that moves
// money is sent by the key that asked for it: it is reviewed first, and the button that sends names the amount.

import { badge, icon } from "./badges.js";
import { ask, keptRequests, newKey, operate, reactions, Refusal } from "./calls.js";
import { questions } from "./dialog.js";
import { $, descriptions, make, ZONE } from "./dom.js";
import { listen, showPerson, wordsOf } from "./frame.js";
import { draw, partsOf } from "./money-bar.js";
import { decimal, minorUnits } from "./money.js";
import { isOpen, method, notes, orderName, refundable, STEPS } from "./payment.js";
import { sum } from "./sums.js";

/** The second half of a double click falls into this time and sends nothing. */
const SETTLE_MS = 400;
const REFRESH_MS = 2_000;

const id = decodeURIComponent(location.pathname.split("/").pop() ?? "");
const path = (verb = "") => `/v1/payments/${encodeURIComponent(id)}${verb && "/" + verb}`;
/** @type {any} */
let payment = null;
let may = (/** @type {string} */ _) => true;
/** @type {any} */
let signedIn = { person: null, people: [] };
let isBusy = false;
let poll = 0;
/** Counts the questions for the payment, so that a late answer is no news. */
let asked = 0;

const of = (minor) => sum(minor, payment.currency);
const LANGUAGE = document.documentElement.lang || undefined;
const WHEN = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "medium" });

const UNANSWERED = "The till does not answer. This page tries again by itself; nothing is done twice.";
const NOT_KNOWN =
  "The till did not answer. Whether money moved is not known yet; this page asks again. Don't do it twice.";

/** Puts a text into a banner of the page; an empty one hides it. @param {string} id @param {string} text */
function says(id, text) {
  $(id).textContent = text;
  $(id).hidden = !text;
}

/** Says what became of what was done; only what is done next takes it away. @param {string} text */
const alertWith = (text) => says("alert", text);

/** That there was no answer is over once there is one. */
function answered() {
  if ($("alert").textContent === UNANSWERED) alertWith("");
}

/** What an action that came to nothing tells. @param {unknown} error */
const whyNot = (error) => (error instanceof Refusal ? wordsOf(error) : NOT_KNOWN);

// ---- What is shown

const MARKS = {
  "attempt.authorized": ["held", "pause"],
  "capture.succeeded": ["paid", "check"], "capture.reported": ["paid", "check"],
  "capture.restored": ["paid", "check"], "attempt.declined": ["stop", "x"], "capture.failed": ["stop", "x"],
  "operation.refused": ["stop", "x"], "refund.failed": ["stop", "x"], "refund.started": ["", "note"],
  "refund.succeeded": ["", "undo"], "refund.reported": ["", "undo"], "operation.unknown": ["unsure", "diamond"],
  "payment.attention_required": ["unsure", "flag"], "dispute.opened": ["unsure", "flag"],
  "payment.created": ["", "doc"],
};

/** What an event did to the money: a sum with its sign, and how it stands since. @returns {[string, string]} */
function change(event, before) {
  const by = (member) => (event[member] ?? 0) - (before?.[member] ?? 0);
  const kept = (event.captured ?? 0) - (event.refunded ?? 0) - (event.disputed ?? 0);
  if (event.type === "payment.created") return [of(payment.amount), "ordered"];
  const moved = by("captured") - by("refunded") - by("disputed");
  if (moved !== 0) return [(moved > 0 ? "+" : "−") + of(Math.abs(moved)), `kept ${of(kept)}`];
  if (by("held") > 0) return [of(event.held), "held"];
  if (by("held") < 0) return ["", `held ${of(event.held ?? 0)}`];
  return ["", ""];
}

function timeline() {
  const events = payment.events ?? [];
  return events.map((event, index) => {
    const item = make("li", "");
    const [tone, name] = MARKS[event.type] ?? ["", "dots"];
    const mark = make("span", "", { className: `mark ${tone}`.trim() });
    mark.append(icon(name, "small"));
    const words = make("div", "");
    words.append(
      make("b", STEPS[event.type] ?? event.type),
      make("p", [WHEN.format(new Date(event.at)), event.by?.text].filter(Boolean).join(" · "),
        { className: "tiny muted" }));
    const money = make("div", "", { className: "money" });
    const [moved, since] = change(event, events[index - 1]);
    if (moved) money.append(make("b", moved));
    if (since) money.append(make("small", since));
    item.append(mark, words, money);
    return item;
  }).reverse();
}

function whereList() {
  const parts = partsOf(payment);
  const shown = [
    ["taken", "Kept", parts.kept], ["back", "Refunded", parts.refunded], ["back", "Disputed", parts.disputed],
    ["heldpart", "Authorized", parts.held], ["free", payment.captured > 0 ? "Released, never charged" : "Not charged",
      parts.free],
  ].filter(([, , minor]) => Number(minor) > 0);
  const pairs = shown.map(([look, name, minor]) => {
    const pair = make("div", "");
    const term = make("dt", "");
    term.append(make("span", "", { className: `sw ${look}` }), String(name));
    pair.append(term, make("dd", of(minor)));
    return pair;
  });
  const all = make("div", "", { className: "sumup" });
  all.append(make("dt", "Ordered"), make("dd", of(payment.amount + (payment.tip ?? 0))));
  return [...pairs, all];
}

/** @returns {[string, any][]} */
function details() {
  const attempt = payment.attempts?.at(-1);
  const decline = attempt?.decline;
  return [
    ["Order", orderName(payment)], ["Method", method(payment)], ["Tip", payment.tip > 0 && of(payment.tip)],
    ["Cash received", payment.tender?.tendered > 0 && of(payment.tender.tendered)],
    ["Change", payment.tender?.change > 0 && of(payment.tender.change)],
    ["Declined", decline && [decline.reason, decline.code].filter(Boolean).join(", ")],
    ["Owed to the customer", payment.refund_due > 0 && of(payment.refund_due)],
    ["Approved by", [...new Set((payment.approvals ?? []).map((one) => one.approved_by))].join(", ")],
    ["Provider", payment.provider], ["Provider's account", attempt?.provider_account],
    ["Provider's reference", attempt?.reference], ["Request", decline?.request_id],
    ["Created", WHEN.format(new Date(payment.created_at))], ["Times in", ZONE], ["Payment", payment.id],
  ];
}

function render() {
  const isRead = payment && !payment.unreadable;
  for (const part of ["where", "parts"]) $(part).hidden = !isRead;
  for (const button of ["refund", "capture", "release", "receipt", "at-counter"]) $(button).hidden = true;
  if (!payment) return;
  document.title = `${orderName(payment)} – Till`;
  $("meta").replaceChildren(badge(payment), make("span", `Order ${orderName(payment)}`));
  if (!isRead) {
    $("figure").textContent = "?";
    $("rest").textContent = payment.message ?? "It cannot be read.";
    return;
  }
  const kept = payment.captured - payment.refunded - (payment.disputed ?? 0);
  const ordered = payment.amount + (payment.tip ?? 0);
  const isUnknown = payment.money_moved === "unknown" && payment.captured === 0;
  $("figure").textContent = isUnknown ? "Not known" : of(kept);
  $("rest").textContent = kept === ordered ? "kept" : `kept of ${of(ordered)}`;
  const how = method(payment);
  const made = WHEN.format(new Date(payment.created_at));
  $("meta").append(...[how, made].filter(Boolean).map((text) => make("span", text)));
  $("notes").replaceChildren(...notes(payment).map((text) => make("p", text, { className: "banner unsure" })));
  draw($("bar"), partsOf(payment));
  $("where-list").replaceChildren(...whereList());
  $("timeline").replaceChildren(...timeline());
  $("details").replaceChildren(...descriptions(details()));
  $("receipt").href = `${path("receipt")}?format=html&copy=customer`;
  $("receipt").hidden = payment.captured <= 0 && !(payment.attempts ?? []).length;
  $("at-counter").href = "/#" + payment.id;
  $("at-counter").hidden = !may("sell");
  const isStill = !isBusy && !isOpen(payment);
  $("refund").hidden = !may("refund") || refundable(payment) <= 0;
  $("capture").hidden = !may("hold") || payment.held <= 0;
  $("release").hidden = !may("void") || payment.held <= 0;
  for (const button of ["refund", "capture", "release"]) $(button).disabled = !isStill;
}

async function refresh() {
  clearTimeout(poll);
  const mine = asked += 1;
  try {
    const found = await ask("GET", path());
    if (mine !== asked) return;
    payment = found;
    says("unread", "");
  } catch (error) {
    if (mine !== asked) return;
    if (!payment) $("rest").textContent = "";
    says("unread", wordsOf(error));
  }
  render();
  if (payment && isOpen(payment)) poll = setTimeout(refresh, REFRESH_MS);
}

// ---- What is done, always in two steps

const amountAsked = questions($("ask"));
const reviewed = questions($("review"));
const approved = questions($("approval"));

/** Asks how much. @returns {Promise<{minor: number, reason: string} | null>} */
async function askAmount({ title, most, hint, hasReason }) {
  $("ask-title").textContent = title;
  $("amount").value = decimal(most, payment.currency);
  $("amount-fault").textContent = "";
  $("amount-hint").textContent = hint;
  $("reasons").hidden = !hasReason;
  $("reason").value = "";
  const answer = amountAsked.begin();
  $("amount").focus();
  $("amount").select();
  if (await answer !== "review") return null;
  const { value } = minorUnits($("amount").value, payment.currency);
  return value === undefined ? null : { minor: value, reason: hasReason ? $("reason").value.trim() : "" };
}

$("ask-cancel").addEventListener("click", () => amountAsked.end(""));
$("ask-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { value, fault } = minorUnits($("amount").value, payment.currency);
  const most = $("reasons").hidden ? payment.held : refundable(payment);
  const words = fault ?? (Number(value) > most ? `At most ${of(most)}.` : "");
  $("amount-fault").textContent = words;
  if (words) {
    $("amount").setAttribute("aria-invalid", "true");
    $("amount").focus();
    return;
  }
  $("amount").removeAttribute("aria-invalid");
  amountAsked.end("review");
});

const partsInWords = (parts) => [
  `Kept ${of(parts.kept)}`, parts.refunded > 0 && `refunded ${of(parts.refunded)}`,
  parts.disputed > 0 && `disputed ${of(parts.disputed)}`, parts.held > 0 && `held ${of(parts.held)}`,
].filter(Boolean).join(", ");

const CHANGED = "The payment was changed elsewhere meanwhile. Nothing was sent; look at it again.";
const NOT_READ = "The till could not say how the payment stands now. Nothing was sent.";
let settling = 0;

/** @typedef {{title: string, words: string, after: ReturnType<typeof partsOf>, send: string}} Question */

/** How the money of a payment stands, to compare with later. */
const standing = (one) =>
  JSON.stringify([one.captured, one.refunded, one.held, one.disputed ?? 0, refundable(one), one.status]);

/** @param {Question} question @param {boolean} isChanged It is asked again, since something else is so by now. */
async function review({ title, words, after, send }, isChanged) {
  const before = partsOf(payment);
  $("review-title").textContent = title;
  $("review-words").textContent = words;
  says("review-changed", isChanged ? CHANGED : "");
  draw($("bar-now"), before);
  draw($("bar-after"), after);
  $("now-words").textContent = partsInWords(before);
  $("after-words").textContent = partsInWords(after);
  $("review-send").textContent = send;
  $("review-send").disabled = true;
  clearTimeout(settling);
  settling = setTimeout(() => { $("review-send").disabled = false; }, SETTLE_MS);
  const answer = reviewed.begin();
  $("review-back").focus();
  return await answer === "send";
}

/**
 * Reviews something until the till says that what was agreed to is still how the payment stands.
 * @param {() => Question | null} drawn The question about the payment as it stands; null if it cannot be done any more.
 * @returns {Promise<string>} "send", "back", or "stop", which the alert explains.
 */
async function agreed(drawn) {
  for (let isChanged = false; ; isChanged = true) {
    const question = payment.unreadable ? null : drawn();
    if (!question) {
      alertWith(CHANGED);
      return "stop";
    }
    const seen = standing(payment);
    if (!await review(question, isChanged)) return "back";
    const now = await read();
    if (!now) return "stop";
    if (standing(now) === seen) return "send";
    asked += 1;
    payment = now;
    render();
  }
}

/** Asks how the payment stands while nothing else may be done. @returns {Promise<any>} Null if nobody says. */
async function read() {
  isBusy = true;
  render();
  try {
    return await ask("GET", path());
  } catch (error) {
    alertWith(error instanceof Refusal && error.status === 401 ? "" : NOT_READ);
    return null;
  } finally {
    isBusy = false;
    render();
  }
}

$("review-back").addEventListener("click", () => reviewed.end(""));
$("review-send").addEventListener("click", () => reviewed.end("send"));

/** @type {any} */
let wanted = null;

/** Asks for somebody's PIN. @returns {Promise<string>} The approval's identifier; empty if there is none. */
function askApproval(approval) {
  wanted = { ...approval, key: newKey() };
  $("approval-words").textContent =
    `${signedIn.person?.name ?? "You"} may not refund ${sum(approval.amount, approval.currency)} without approval. `
    + "The PIN approves this refund and no other.";
  $("approval-why").textContent = "";
  $("approval-pin").value = "";
  $("approver").replaceChildren(...signedIn.people.filter((one) => one.id !== signedIn.person?.id)
    .map((one) => make("option", one.name, { value: one.id })));
  const answer = approved.begin();
  $("approver").focus();
  return answer;
}
$("approval-back").addEventListener("click", () => approved.end(""));
$("approval-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const mine = wanted;
  const { action, payment: which, amount, key } = mine;
  const [staff, pin] = [$("approver").value, $("approval-pin").value];
  $("approval-pin").value = "";
  if (!staff || !pin) {
    $("approval-why").textContent = "Choose who approves, and have them enter their PIN.";
    return;
  }
  try {
    const body = JSON.stringify({ action, payment: which, amount, staff, pin });
    const made = await ask("POST", "/v1/approvals", body, key);
    if (wanted === mine) approved.end(made.id);
  } catch (error) {
    $("approval-why").textContent =
      error instanceof Refusal ? wordsOf(error) : "The till cannot be reached. Nothing was approved.";
    $("approval-pin").focus();
  }
});

/** Does one thing at a time, and shows what became of it. @param {string} verb @param {object} body */
async function perform(verb, body) {
  const seen = standing(payment);
  isBusy = true;
  asked += 1;
  alertWith("");
  render();
  try {
    const send = (more) => operate(path(verb), JSON.stringify({ ...body, ...more }));
    try {
      await send({});
    } catch (error) {
      if (!(error instanceof Refusal) || error.problem.code !== "approval_required") throw error;
      const approval = await askApproval(error.problem.approval);
      if (!approval) throw error;
      // A PIN takes its time.
      const now = await ask("GET", path()).catch(() => null);
      if (!now || standing(now) !== seen) throw new Refusal(409, { detail: now ? CHANGED : NOT_READ });
      await send({ approval });
    }
    answered();
  } catch (error) {
    alertWith(whyNot(error));
  }
  isBusy = false;
  await refresh();
}

$("refund").addEventListener("click", async () => {
  const isCash = payment.tender?.type === "cash";
  const where = isCash ? "in cash" : `to ${method(payment) ?? "the customer"}`;
  for (let next = "back"; next === "back";) {
    const most = refundable(payment);
    if (most <= 0) return alertWith(CHANGED);
    const chosen = await askAmount({
      title: `Refund ${where}`, most, hint: `${of(most)} can still be refunded.`, hasReason: true,
    });
    if (!chosen) return;
    next = await agreed(() => chosen.minor > refundable(payment) ? null : {
      title: `Refund ${of(chosen.minor)} ${where}?`, after: partsOf(payment, chosen.minor),
      words: isCash ? "Hand the money out of the drawer."
        : "A refund that was sent cannot be recalled. If it fails later, this page and Attention say so.",
      send: `Refund ${of(chosen.minor)}`,
    });
    const body = { amount: chosen.minor, ...(chosen.reason && { reason: chosen.reason }) };
    if (next === "send") await perform("refunds", body);
  }
});

$("capture").addEventListener("click", async () => {
  for (let next = "back"; next === "back";) {
    if (payment.held <= 0) return alertWith(CHANGED);
    const chosen = await askAmount({
      title: "Capture", most: payment.held,
      hint: `Up to ${of(payment.held)} can be captured. What you do not capture is released.`,
      hasReason: false,
    });
    if (!chosen) return;
    next = await agreed(() => {
      const rest = payment.held - chosen.minor;
      return rest < 0 ? null : {
        title: rest > 0 ? `Capture ${of(chosen.minor)} and release ${of(rest)}?` : `Capture ${of(chosen.minor)}?`,
        after: partsOf(payment, 0, chosen.minor),
        words: rest > 0 ? `The other ${of(rest)} cannot be captured later.` : "",
        send: rest > 0 ? `Capture ${of(chosen.minor)}, release ${of(rest)}` : `Capture ${of(chosen.minor)}`,
      };
    });
    if (next === "send") await perform("capture", { amount: chosen.minor });
  }
});

$("release").addEventListener("click", async () => {
  const next = await agreed(() => {
    if (payment.held <= 0) return null;
    const parts = partsOf(payment);
    const what = payment.captured > 0 ? "The rest" : "The customer";
    return {
      title: `Release ${of(payment.held)}?`, after: { ...parts, held: 0, free: parts.free + parts.held },
      words: `${what} is not charged. It cannot be captured later.`, send: `Release ${of(payment.held)}`,
    };
  });
  if (next === "send") await perform("cancel", {});
});

reactions.unanswered = () => alertWith(UNANSWERED);
reactions.earlier = () =>
  alertWith("An earlier request of this page was finished first. Check the result before you try again.");

// ---- The beginning, also after a reload in the middle

async function finishKept() {
  for (const { path: kept, body } of keptRequests()) {
    if (!kept.startsWith(path() + "/")) continue;
    try {
      await operate(kept, body);
      answered();
    } catch (error) {
      alertWith(whyNot(error));
    }
  }
}

// Who it is decides whether what has no answer yet is theirs.
await showPerson((can, answer) => {
  may = can;
  signedIn = answer;
  render();
});
await finishKept();
await refresh();
addEventListener("pageshow", (event) => {
  if (event.persisted) refresh();
});
listen((changed) => {
  if (changed.has(id) && !isBusy) refresh();
}, refresh);
