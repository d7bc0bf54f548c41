// One payment: where its money is, what happened to it and by whom, and what can still be done. Nothing that moves
// money is sent by the key that asked for it: it is reviewed first, and the button that sends names the amount.

import { badge, icon } from "./badges.js";
import { ask, keptRequests, newKey, operate, reactions, Refusal, resume } from "./calls.js";
import { clock, zoneShown } from "./clock.js";
import { questions } from "./dialog.js";
import { $, descriptions, make } from "./dom.js";
import { handedOut, ofKeptDrawer } from "./drawer.js";
import { listen, refill, showLive, showPerson, wordsOf } from "./frame.js";
import "./language.js";
import { putLinked } from "./links.js";
import { draw, partsOf } from "./money-bar.js";
import { decimal, minorUnits } from "./money.js";
import { isOpen, method, notes, orderName, refundable, standing } from "./payment.js";
import { may, setPerson } from "./session.js";
import { sum } from "./sums.js";
import { foreign, parts, plain, say } from "./words.js";

/** The second half of a double click falls into this time and sends nothing. */
const SETTLE_MS = 400;
const REFRESH_MS = 2_000;
/** How often the till is asked for the payment while it cannot be reached. */
const OFFLINE_MS = 4_000;

const id = decodeURIComponent(location.pathname.split("/").pop() ?? "");
const path = (verb = "") => `/v1/payments/${encodeURIComponent(id)}${verb && "/" + verb}`;
/** @type {any} */
let payment = null;
/** @type {any} */
let signedIn = { person: null, people: [] };
let isBusy = false;
/** The till cannot be reached: nothing that moves money is begun, and nothing waits to be sent. */
let isOffline = false;
let poll = 0;
let trying = 0;
/** Counts the questions for the payment, so that a late answer is no news. */
let asked = 0;
/** The payment before what is done here, until it is said what became of it. @type {any} */
let begun = null;
/** @type {typeof import("./receipts.js") | null} */
let receipts = null;
/** The button that had the focus when it could not be used any more. @type {HTMLButtonElement | null} */
let lost = null;

const of = (minor) => sum(minor, payment.currency);
const LANGUAGE = document.documentElement.lang || undefined;
const whenOf = clock({ dateStyle: "medium", timeStyle: "medium" });
const LIST = new Intl.ListFormat(LANGUAGE, { style: "short", type: "unit" });

const UNANSWERED = say("one.unanswered");

/** Puts a text into a banner of the page; an empty one hides it. @param {string} id @param {string} text */
function says(id, text) {
  putLinked($(id), text);
  $(id).hidden = !text;
}

/** Says what became of what was done; only what is done next takes it away. @param {string} text */
const alertWith = (text) => says("alert", text);

/** Says what was done, also to whoever hears the page. @param {string} text */
function tell(text) {
  if ($("done").textContent !== plain(text)) $("done").replaceChildren(...parts(text));
}

/** Says how the money stands since what was done here, or what it waits for. */
function tellOutcome() {
  if (!begun || isBusy || payment.unreadable) return;
  const by = (/** @type {string} */ member) => payment[member] - begun[member];
  /** @type {[string, number]} */
  const [words, minor] = by("refunded") > 0 ? ["one.refundDone", by("refunded")]
    : by("captured") > 0 ? ["one.captureDone", by("captured")] : ["one.releaseDone", -by("held")];
  tell(minor > 0 ? say(words, { sum: of(minor), kept: of(keptOf(payment)) }) : notes(payment).join(" "));
  if (!isOpen(payment)) begun = null;
}

/** Gives the focus back to the button that lost it; if that is gone, to what was said of its end. */
function land() {
  const at = document.activeElement;
  if (!lost) return;
  if (at && at !== document.body && at !== lost) lost = null;
  else if (!lost.hidden && !lost.disabled) {
    lost.focus();
    lost = null;
  } else if (!isBusy && (lost.hidden || $("done").textContent)) {
    lost = null;
    ($("done").textContent ? $("done") : $("alert").hidden ? $("main") : $("alert")).focus();
  }
}

/** That there was no answer is over once there is one. */
function answered() {
  if ($("alert").textContent === UNANSWERED) alertWith("");
}

/** What an action that came to nothing tells. @param {unknown} error */
const whyNot = (error) => (error instanceof Refusal ? wordsOf(error) : say("one.notKnown"));

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

/** What happened, by the type of its event: what the page of a sale calls it, in the language of this page. */
const STEPS = {
  "payment.created": say("one.paymentCreated"), "attempt.started": say("one.attemptStarted"),
  "attempt.bound": say("one.attemptBound"), "attempt.prepared": say("one.attemptPrepared"),
  "attempt.authorized": say("one.attemptAuthorized"), "attempt.action_required": say("one.attemptActionRequired"),
  "continuation.started": say("one.continuationStarted"), "renewal.started": say("one.renewalStarted"),
  "renewal.succeeded": say("one.renewalSucceeded"), "attempt.declined": say("one.attemptDeclined"),
  "attempt.stored": say("one.attemptStored"), "attempt.not_sent": say("one.attemptNotSent"),
  "attempt.expired": say("one.attemptExpired"), "void.started": say("one.voidStarted"),
  "void.succeeded": say("one.voidSucceeded"), "capture.started": say("one.captureStarted"),
  "capture.succeeded": say("one.captureSucceeded"), "refund.started": say("one.refundStarted"),
  "refund.succeeded": say("one.refundSucceeded"), "operation.refused": say("one.operationRefused"),
  "operation.deferred": say("one.operationDeferred"), "operation.unknown": say("one.operationUnknown"),
  "payment.cancel_requested": say("one.paymentCancelRequested"), "payment.canceled": say("one.paymentCanceled"),
  "payment.attention_required": say("one.paymentAttentionRequired"),
  "payment.attention_closed": say("one.paymentAttentionClosed"), "refund.failed": say("one.refundFailed"),
  "refund.reported": say("one.refundReported"), "capture.failed": say("one.captureFailed"),
  "capture.restored": say("one.captureRestored"), "capture.reported": say("one.captureReported"),
  "dispute.opened": say("one.disputeOpened"), "dispute.updated": say("one.disputeUpdated"),
  "dispute.funds_withdrawn": say("one.disputeFundsWithdrawn"),
  "dispute.funds_reinstated": say("one.disputeFundsReinstated"), "dispute.closed": say("one.disputeClosed"),
};

/** What an event did to the money: a sum with its sign, and how it stands since. @returns {[string, string]} */
function change(event, before) {
  const by = (member) => (event[member] ?? 0) - (before?.[member] ?? 0);
  const kept = (event.captured ?? 0) - (event.refunded ?? 0) - (event.disputed ?? 0);
  if (event.type === "payment.created") {
    const { discount } = payment;
    return [of(payment.amount), discount ? say("one.orderedLess", { sum: of(discount.amount) }) : say("one.ordered")];
  }
  const moved = by("captured") - by("refunded") - by("disputed");
  if (moved !== 0) return [(moved > 0 ? "+" : "−") + of(Math.abs(moved)), say("one.keptSum", { sum: of(kept) })];
  if (by("held") > 0) return [of(event.held), say("one.held")];
  if (by("held") < 0) return ["", say("one.heldSum", { sum: of(event.held ?? 0) })];
  return ["", ""];
}

/** A step of the timeline. @param {string[]} look Its tone and icon. @param {HTMLElement} title @param {any} what */
function step([tone, name], title, { at, by }) {
  const item = make("li", "");
  const mark = make("span", "", { className: `mark ${tone}`.trim() });
  mark.append(icon(name, "small"));
  const words = make("div", "");
  words.append(
    title, marked(make("p", [whenOf(new Date(at)), foreign(by?.text ?? "")].filter(Boolean).join(" · "),
      { className: "tiny muted" })));
  const money = make("div", "", { className: "money" });
  item.append(mark, words, money);
  return { at, item, words, money };
}

/** What the provider answered at a step, folded. @param {any} event @param {boolean} isOpen */
function answerOf({ answer }, isOpen) {
  if (!answer) return [];
  const box = make("details", "", { className: "more", open: isOpen });
  const head = make("summary", "");
  head.append(icon("right", "small turn"), say("one.answer"));
  const facts = make("dl", "", { className: "facts" });
  facts.append(...descriptions([
    [say("one.why"), foreign(answer.reason ?? "")], [say("one.code"), answer.code],
    [say("one.message"), foreign(answer.message ?? "")], [say("one.reference"), answer.reference],
    [say("one.request"), answer.request_id],
  ]).map(marked));
  box.append(head, facts);
  return [box];
}

/** What happened and what was noted, the newest first. */
function timeline() {
  // What somebody has unfolded stays so.
  const open = new Set([...$("timeline").querySelectorAll("details[open]")]
    .map((one) => one.closest("li")?.dataset.event));
  const events = payment.events ?? [];
  const steps = events.map((event, index) => {
    const made = step(MARKS[event.type] ?? ["", "dots"], make("b", STEPS[event.type] ?? event.type), event);
    const [moved, since] = change(event, events[index - 1]);
    if (moved) made.money.append(make("b", moved));
    if (since) made.money.append(make("small", since));
    made.item.dataset.event = String(index);
    made.words.append(...answerOf(event, open.has(String(index))));
    return made;
  });
  for (const note of payment.notes ?? []) {
    const made = step(["", "note"], make("b", say("one.note")), note);
    made.item.dataset.note = note.id;
    made.words.insertBefore(make("p", note.text, { className: "said", dir: "auto" }), made.words.lastChild);
    // After what had happened by then; what happened out of turn, by another clock, stays in the order of the journal.
    const place = steps.findIndex(({ at }) => at > note.at);
    steps.splice(place < 0 ? steps.length : place, 0, made);
  }
  return steps.map(({ item }) => item).reverse();
}

function whereList() {
  const money = partsOf(payment);
  const shown = [
    ["taken", say("one.kept"), money.kept], ["back", say("pay.refunded"), money.refunded],
    ["back", say("badge.disputed"), money.disputed], ["heldpart", say("badge.authorized"), money.held],
    ["free", say(payment.captured > 0 ? "one.freed" : "pay.notCharged"), money.free],
  ].filter(([, , minor]) => Number(minor) > 0);
  const pairs = shown.map(([look, name, minor]) => {
    const pair = make("div", "");
    const term = make("dt", "");
    term.append(make("span", "", { className: `sw ${look}` }), String(name));
    pair.append(term, make("dd", of(minor)));
    return pair;
  });
  const all = make("div", "", { className: "sumup" });
  all.append(make("dt", say("fact.ordered")), make("dd", of(payment.amount + (payment.tip ?? 0))));
  return [...pairs, all];
}

/** @returns {[string, any][]} */
function details() {
  const attempt = payment.attempts?.at(-1);
  const decline = attempt?.decline;
  return [
    [say("fact.order"), orderName(payment)], [say("fact.method"), method(payment)],
    [say("fact.tip"), payment.tip > 0 && of(payment.tip)],
    [say("sale.discountName"), payment.discount && `${of(payment.discount.amount)}, ${payment.discount.reason}`],
    [say("fact.tendered"), payment.tender?.tendered > 0 && of(payment.tender.tendered)],
    [say("fact.change"), payment.tender?.change > 0 && of(payment.tender.change)],
    [say("pay.declined"), decline && foreign([decline.reason, decline.code].filter(Boolean).join(", "))],
    [say("fact.owed"), payment.refund_due > 0 && of(payment.refund_due)],
    [say("fact.approvedBy"), [...new Set((payment.approvals ?? []).map((one) => one.approved_by))].join(", ")],
    [say("one.provider"), payment.provider], [say("one.account"), attempt?.provider_account],
    [say("one.reference"), attempt?.reference], [say("one.request"), decline?.request_id],
    [say("one.created"), whenOf(new Date(payment.created_at))], [say("one.zone"), zoneShown()],
    [say("latest.payment"), payment.id],
  ];
}

const keptOf = (one) => one.captured - one.refunded - (one.disputed ?? 0);

/** What tells a step of the timeline from the others. @param {HTMLElement} item */
const stepKey = ({ dataset }) => dataset.note ?? dataset.event ?? "";

const OPERATIONS = ["refund", "capture", "release"];

/** Shows of an element's text what is English as such. @param {HTMLElement} element */
function marked(element) {
  element.replaceChildren(...parts(element.textContent ?? ""));
  return element;
}

/** Facts of the payment, each with its name as its key. @param {[string, any][]} pairs */
const factsOf = (pairs) => descriptions(pairs).map((node, index, all) => {
  node.dataset.fact = index % 2 ? `= ${all[index - 1].dataset.fact}` : node.textContent;
  return marked(node);
});
const factKey = ({ dataset }) => dataset.fact ?? "";

function render() {
  const isRead = payment && !payment.unreadable;
  for (const part of ["where", "parts"]) $(part).hidden = !isRead;
  if (!isRead) for (const part of [...OPERATIONS, "show-receipt", "at-counter"]) $(part).hidden = true;
  if (!payment) return;
  document.title = `${orderName(payment)} – Till`;
  const order = make("span", say("split.order", { number: orderName(payment) }));
  if (!isRead) {
    refill($("meta"), [badge(payment), order]);
    $("figure").textContent = "?";
    $("rest").replaceChildren(...parts(payment.message ? foreign(payment.message) : say("one.unreadable")));
    return;
  }
  const kept = keptOf(payment);
  const ordered = payment.amount + (payment.tip ?? 0);
  const isUnknown = payment.money_moved === "unknown" && payment.captured === 0;
  // What is the same stays, with what somebody has selected or has the focus on.
  const text = (/** @type {string} */ words) => [document.createTextNode(words)];
  refill($("figure"), text(isUnknown ? say("one.unknown") : of(kept)));
  refill($("rest"), text(say(kept === ordered ? "one.isKept" : "one.keptOf", { sum: of(ordered) })));
  const how = method(payment);
  const made = whenOf(new Date(payment.created_at));
  refill($("meta"), [badge(payment), order, ...[how, made].filter(Boolean).map((one) => make("span", String(one)))]);
  refill($("notes"), notes(payment).map((one) => marked(make("p", one, { className: "banner unsure" }))));
  draw($("bar"), partsOf(payment));
  refill($("where-list"), whereList());
  refill($("timeline"), timeline(), stepKey);
  refill($("details"), factsOf(details()), factKey);
  $("show-receipt").hidden = payment.captured <= 0 && !(payment.attempts ?? []).length;
  if (!$("receipt-box").hidden) receipts?.showReceipt(payment);
  $("at-counter").href = "/#" + payment.id;
  $("at-counter").hidden = $("note-form").hidden = !may("sell");
  const isStill = !isBusy && !isOffline && !isOpen(payment);
  $("refund").hidden = !may("refund") || refundable(payment) <= 0;
  $("capture").hidden = !may("hold") || payment.held <= 0;
  $("release").hidden = !may("void") || payment.held <= 0;
  for (const id of OPERATIONS) {
    const button = $(id);
    if (document.activeElement === button && (button.hidden || !isStill)) lost = button;
    button.disabled = !isStill;
  }
}

async function refresh() {
  clearTimeout(poll);
  const mine = asked += 1;
  try {
    const found = await ask("GET", path());
    if (mine !== asked) return;
    payment = found;
    tellOutcome();
    says("unread", "");
  } catch (error) {
    if (mine !== asked) return;
    if (!payment) $("rest").textContent = "";
    says("unread", wordsOf(error));
  }
  render();
  land();
  if (payment && isOpen(payment)) poll = setTimeout(refresh, REFRESH_MS);
}

// ---- The receipt, as the page of a sale has it; its script is read once somebody asks for it

$("show-receipt").addEventListener("click", async () => {
  try {
    receipts ??= await import("./receipts.js");
  } catch (error) {
    alertWith(wordsOf(error));
    return;
  }
  $("receipt-box").hidden = false;
  render();
  $("receipt-title").scrollIntoView({ block: "nearest" });
  $("receipt-title").focus({ preventScroll: true });
});

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
  const words = fault ?? (Number(value) > most ? say("one.most", { sum: of(most) }) : "");
  $("amount-fault").textContent = words;
  if (words) {
    $("amount").setAttribute("aria-invalid", "true");
    $("amount").focus();
    return;
  }
  $("amount").removeAttribute("aria-invalid");
  amountAsked.end("review");
});

const partsInWords = ({ kept, refunded, disputed, held }) => LIST.format(/** @type {string[]} */ ([
  say("one.nowKept", { sum: of(kept) }), refunded > 0 && say("one.nowRefunded", { sum: of(refunded) }),
  disputed > 0 && say("one.nowDisputed", { sum: of(disputed) }), held > 0 && say("one.heldSum", { sum: of(held) }),
].filter(Boolean)));

const CHANGED = say("pay.elsewhere");
const NOT_READ = say("pay.notRead");
let settling = 0;

/** @typedef {{title: string, words: string, after: ReturnType<typeof partsOf>, send: string}} Question */

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
      land();
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
    land();
  }
}

$("review-back").addEventListener("click", () => reviewed.end(""));
$("review-send").addEventListener("click", () => reviewed.end("send"));

/** @type {any} */
let wanted = null;

/** Asks for somebody's PIN. @returns {Promise<string>} The approval's identifier; empty if there is none. */
function askApproval(approval) {
  wanted = { ...approval, key: newKey() };
  const name = signedIn.person?.name;
  $("approval-words").textContent =
    say(name ? "approval.words" : "approval.you", { name, sum: sum(approval.amount, approval.currency) });
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
    $("approval-why").textContent = say("approval.missing");
    return;
  }
  try {
    const body = JSON.stringify({ action, payment: which, amount, staff, pin });
    const made = await ask("POST", "/v1/approvals", body, key);
    if (wanted === mine) approved.end(made.id);
  } catch (error) {
    putLinked($("approval-why"), error instanceof Refusal ? wordsOf(error) : say("approval.unreached"));
    $("approval-pin").focus();
  }
});

/**
 * Does one thing at a time, and shows what became of it.
 * @param {string} verb @param {object} body @returns {Promise<boolean>} It was done.
 */
async function perform(verb, body) {
  const seen = standing(payment);
  let isDone = true;
  isBusy = true;
  asked += 1;
  begun = verb === "notes" ? null : payment;
  tell("");
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
      if (!now || standing(now) !== seen) {
        alertWith(now ? CHANGED : NOT_READ);
        begun = null;
        isDone = false;
      } else await send({ approval });
    }
    answered();
  } catch (error) {
    alertWith(whyNot(error));
    // Without an answer it may have been done: then that is said once it is known.
    if (error instanceof Refusal) begun = null;
    isDone = false;
  }
  isBusy = false;
  await refresh();
  return isDone;
}

$("note-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("note").value.trim();
  if (!text || isBusy || !payment) return;
  // One of before that was never answered has its end first: then this one stays, to be added after it.
  const isNext = !keptRequests().some((kept) => kept.path === path("notes") && kept.body !== JSON.stringify({ text }));
  if (!await perform("notes", { text }) || !isNext) return;
  tell(say("one.noteDone"));
  if ($("note").value.trim() === text) $("note").value = "";
});

$("refund").addEventListener("click", async () => {
  const isCash = payment.tender?.type === "cash";
  const how = method(payment);
  /** @type {[string, string]} */
  const [title, question] = isCash ? ["one.refundCash", "refunding.inCash"]
    : how ? ["one.refundTo", "refunding.to"] : ["one.refundCustomer", "refunding.toCustomer"];
  for (let next = "back"; next === "back";) {
    const most = refundable(payment);
    if (most <= 0) return alertWith(CHANGED);
    const chosen = await askAmount({
      title: say(title, { method: how }), most, hint: say("one.refundable", { sum: of(most) }), hasReason: true,
    });
    if (!chosen) return;
    const { reason } = chosen;
    // What is sent is what is asked about, wherever another tab has this device meanwhile.
    const body = { amount: chosen.minor, ...(reason && { reason }), ...(isCash && ofKeptDrawer()) };
    const words = isCash ? handedOut() : say("one.final");
    next = await agreed(() => chosen.minor > refundable(payment) ? null : {
      title: say(question, { sum: of(chosen.minor), method: how }), after: partsOf(payment, chosen.minor), words,
      send: say("refunding.sendSum", { sum: of(chosen.minor) }),
    });
    if (next === "send") await perform("refunds", body);
  }
});

$("capture").addEventListener("click", async () => {
  for (let next = "back"; next === "back";) {
    if (payment.held <= 0) return alertWith(CHANGED);
    const chosen = await askAmount({
      title: say("one.captureTitle"), most: payment.held, hint: say("one.capturable", { sum: of(payment.held) }),
      hasReason: false,
    });
    if (!chosen) return;
    next = await agreed(() => {
      const rest = payment.held - chosen.minor;
      const sums = { sum: of(chosen.minor), rest: of(rest) };
      return rest < 0 ? null : {
        title: say(rest > 0 ? "capturing.question" : "capturing.all", sums), after: partsOf(payment, 0, chosen.minor),
        words: rest > 0 ? say("one.never", sums) : "",
        send: say(rest > 0 ? "capturing.sendBoth" : "capturing.sendAll", sums),
      };
    });
    if (next === "send") await perform("capture", { amount: chosen.minor });
  }
});

$("release").addEventListener("click", async () => {
  const next = await agreed(() => {
    if (payment.held <= 0) return null;
    const money = partsOf(payment);
    const held = { sum: of(payment.held) };
    return {
      title: say("capturing.giveUp", held), after: { ...money, held: 0, free: money.free + money.held },
      words: say(payment.captured > 0 ? "one.restFree" : "one.customerFree"), send: say("capturing.sendRelease", held),
    };
  });
  if (next === "send") await perform("cancel", {});
});

reactions.unanswered = () => alertWith(UNANSWERED);
reactions.earlier = () => alertWith(say("stage.earlier"));

// ---- Without the till

/** Asks for the payment unless that is done anyway: whether the till answers is known by asking. */
function askNow() {
  if (!isBusy) refresh();
}

reactions.unreached = () => {
  clearTimeout(trying);
  trying = setTimeout(askNow, OFFLINE_MS);
  if (isOffline) return;
  isOffline = true;
  showLive(false);
  render();
};
reactions.reached = () => {
  if (!isOffline) return;
  isOffline = false;
  clearTimeout(trying);
  showLive(true);
  render();
};
// What the device says of its network is a reason to ask, no more: the till may run on this machine.
for (const sign of ["offline", "online"]) addEventListener(sign, askNow);

// ---- The beginning, also after a reload in the middle

async function finishKept() {
  const unanswered = keptRequests().filter((kept) => kept.path.startsWith(path() + "/"));
  if (unanswered.length === 0) return;
  isBusy = true;
  render();
  for (const kept of unanswered) {
    try {
      if (!await resume(kept)) continue;
      answered();
      if (kept.path !== path("notes")) reactions.earlier();
    } catch (error) {
      alertWith(whyNot(error));
    }
  }
  isBusy = false;
  await refresh();
}

// Who it is decides whether what has no answer yet is theirs.
await showPerson((_, answer) => {
  setPerson(answer.person);
  signedIn = answer;
  render();
});
await refresh();
addEventListener("pageshow", (event) => {
  if (event.persisted) refresh();
});
listen((changed) => {
  if (changed.has(id) && !isBusy) refresh();
}, refresh, {
  begun: refresh,
  live(isLive) {
    if (isLive && !isOffline) showLive(true);
    else askNow();
    if (!isLive) showLive(false);
  },
});
await finishKept();
