// The day of the drawer: opened with a count, paid into and out of, counted, and closed with a Z.

import { ask, keptRequests, NEXT, operate, reactions } from "./calls.js";
import { amountOf, countOf, faultOfSum, firstField, forgetCount } from "./day-count.js";
import { drawerHere, readDrawers } from "./day-drawers.js";
import { numberOf } from "./day-report.js";
import { KINDS, lastCount } from "./day-session.js";
import { currencyCounted, go, render, renderCount, salesLater } from "./day-shown.js";
import { day, keepReading, news, of, perform, refresh, says } from "./day-state.js";
import { addressOf, addressOfReport } from "./day-where.js";
import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { listen, showPerson } from "./frame.js";
import "./language.js";
import { CURRENCIES, minorUnits } from "./money.js";
import { say } from "./words.js";

/** The second half of a double click falls into this time and closes nothing. */
const SETTLE_MS = 400;
const MEET_MS = 3_000;
const CASH = "/v1/day/cash";

Object.assign(NEXT, {
  day_open: "day.nextOpen",
  day_not_open: "day.nextNotOpen",
  day_ended: "day.nextEnded",
  day_not_ended: "day.nextCount",
  day_not_counted: "day.nextCount",
  unreadable_need_reason: "day.nextReason",
  day_too_long: "day.nextTell",
  journal_damaged: "day.nextTell",
  difference_needs_reason: "day.nextDifference",
  too_many_movements: "day.nextMovements",
  report_not_found: "day.nextReport",
});

const post = (verb, body) => () => ask("POST", "/v1/day/" + verb, JSON.stringify(body));

/** The drawer that is shown: the device may be at another one by now, also when an entry is sent again. */
const ofDrawer = () => ({ drawer: drawerHere() });

/** What is shown of the day. It is done to no other one, nor after another count. */
const seen = () => ({ session: day.session?.id, number_of_counts: day.session?.counts?.length ?? 0, ...ofDrawer() });

/** Puts a fault beside a field; an empty one removes it. @param {string} id @param {string} fault */
function mark(id, fault) {
  $(id + "-fault").textContent = fault;
  if (fault) $(id).setAttribute("aria-invalid", "true");
  else $(id).removeAttribute("aria-invalid");
}

// ---- Opening and counting

async function open(count) {
  const currency = currencyCounted();
  const float = count.counts ? { counts: count.counts } : { float: count.total };
  const reason = $("opening-field").hidden ? "" : $("opening-reason").value.trim();
  const body = { currency, ...float, ...(reason && { reason }), ...ofDrawer() };
  if (!await perform(post("open", body), () => Boolean(day.session))) {
    if (!day.session && !$("opening-field").hidden) $("opening-reason").focus();
    return;
  }
  forgetCount();
  $("opening-reason").value = "";
  localStorage.setItem("till.currency", currency);
  go("/day", true);
  if (day.session) says("done", say("day.opened", { sum: of(day.session.float) }));
}

async function submitCount(count) {
  const before = day.session.counts?.length ?? 0;
  if (!await perform(post("count", { ...count, ...seen() }), () => (day.session?.counts?.length ?? 0) > before)) return;
  forgetCount();
  for (const id of ["note", "left"]) $(id).value = "";
  for (const radio of document.querySelectorAll("#reasons input")) /** @type {any} */ (radio).checked = false;
  for (const id of ["note", "left"]) mark(id, "");
  go(addressOf("close"), true);
}

$("view-count").addEventListener("submit", (event) => {
  event.preventDefault();
  const { fault, ...count } = countOf();
  if (fault) faultOfSum(fault);
  else if (day.session) submitCount(count);
  else open(count);
});
$("currency").addEventListener("change", renderCount);
// As in the fields of the count, Enter records nothing.
$("opening-reason").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  $("submit-count").focus();
});

$("resume").addEventListener("click", async () => {
  if (await perform(post("resume", seen()), () => day.session?.state === "open")) go("/day", true);
});

// ---- Paid in, paid out, brought to the bank

const cashAsked = questions($("cash"));
let kind = "paid_in";
/** Another entry that had no answer was finished in place of the one that was asked for. */
let isEarlier = false;
/**
 * What an entry is done with, what its reason should say, and what is said when it is done.
 * @type {Record<string, {verb: string, hint: string, ask: (sum: string) => string, told: (sum: string) => string}>}
 */
const ENTRIES = {
  paid_in: {
    verb: say("day.payIn"), hint: say("day.hintIn"),
    ask: (sum) => say("day.payInSum", { sum }), told: (sum) => say("day.paidInSum", { sum }),
  },
  paid_out: {
    verb: say("day.payOut"), hint: say("day.hintOut"),
    ask: (sum) => say("day.payOutSum", { sum }), told: (sum) => say("day.paidOutSum", { sum }),
  },
  bank_drop: {
    verb: say("day.drop"), hint: say("day.hintDrop"),
    ask: (sum) => say("day.dropSum", { sum }), told: (sum) => say("day.bankDropSum", { sum }),
  },
  refund: {
    verb: say("day.payRefund"), hint: say("day.hintRefund"),
    ask: (sum) => say("day.payRefundSum", { sum }), told: (sum) => say("day.cashRefundSum", { sum }),
  },
};

/** The entry as it is typed. @param {boolean} isTold What is wrong with it is said. */
function typedCash(isTold) {
  const { value, fault } = minorUnits($("cash-amount").value, day.session?.currency ?? "EUR");
  const reason = $("cash-reason").value.trim();
  const { verb, ask: verbOf } = ENTRIES[kind];
  says("cash-send", value === undefined ? verb : verbOf(of(value)));
  /** @type {[string, string][]} */
  const faults = [["cash-amount", fault ?? ""], ["cash-reason", reason ? "" : say("day.reasonMissing")]];
  const payment = kind === "refund" ? $("cash-payment").value.trim() : "";
  if (kind === "refund") faults.push(["cash-payment", payment ? "" : say("day.paymentMissing")]);
  for (const [id, words] of faults) if (isTold || !words) mark(id, words);
  const wrong = faults.find(([, words]) => words);
  if (wrong && isTold) $(wrong[0]).focus();
  // An entry that has no answer before the day ends is none of the next day's.
  if (wrong) return null;
  return { kind, amount: value, reason, ...(payment && { payment }), session: day.session?.id ?? null, ...ofDrawer() };
}

async function askCash(button) {
  kind = button.dataset.kind;
  $("cash-title").textContent = KINDS[kind].word;
  $("cash-hint").textContent = ENTRIES[kind].hint;
  $("cash-payment-field").hidden = kind !== "refund";
  for (const id of ["cash-amount", "cash-reason", "cash-payment"]) {
    $(id).value = "";
    mark(id, "");
  }
  typedCash(false);
  const answer = cashAsked.begin();
  $("cash-amount").focus();
  const body = await answer === "send" ? typedCash(false) : null;
  if (!body) return;
  const words = ENTRIES[kind].told(of(Number(body.amount)));
  isEarlier = false;
  const isDone = await perform(() => operate(CASH, JSON.stringify(body)));
  if (isDone) says(isEarlier ? "alert" : "done", isEarlier ? say("day.earlier") : words);
  button.focus();
}

for (const button of document.querySelectorAll("#drawer-buttons button")) {
  button.addEventListener("click", () => askCash(button));
}
$("cash-form").addEventListener("input", () => typedCash(false));
$("cash-cancel").addEventListener("click", () => cashAsked.end(""));
$("cash-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (typedCash(true)) cashAsked.end("send");
});

// ---- Closing, in two steps

const closeAsked = questions($("sure"));
$("sure-back").addEventListener("click", () => closeAsked.end(""));
$("really-close").addEventListener("click", () => closeAsked.end("close"));

/** The reason as it is chosen and noted; empty if there is none. */
function reasonGiven() {
  if ($("reasons").hidden) return "";
  const chosen = /** @type {any} */ (document.querySelector("#reasons input:checked"))?.value;
  return [chosen, $("note").value.trim()].filter(Boolean).join(": ");
}

/** What is to stay in the drawer; null if what is typed is wrong, which is said. */
function typedLeft(total) {
  const typed = $("left").value.trim();
  if (!typed) return total;
  const { value, fault } = amountOf(typed, day.session.currency);
  const words = fault ?? (Number(value) > total ? say("day.atMost", { sum: of(total) }) : "");
  mark("left", words);
  if (!words) return Number(value);
  $("left").focus();
  return null;
}

let settling = 0;

/** Asks whether it is meant. @returns {Promise<boolean>} */
async function isSure(left, total) {
  says("sure-words", [
    say("day.stays", { sum: of(left) }), ...(total > left ? [say("day.takeOut", { sum: of(total - left) })] : []),
    say("day.final"),
  ].join(" "));
  $("really-close").replaceChildren(...$("close").cloneNode(true).childNodes);
  $("really-close").disabled = true;
  clearTimeout(settling);
  settling = setTimeout(() => { $("really-close").disabled = false; }, SETTLE_MS);
  const answer = closeAsked.begin();
  $("sure-back").focus();
  return await answer === "close";
}

$("close-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const shown = JSON.stringify(day.session);
  const { id } = day.session;
  const { drawer } = ofDrawer();
  const { total } = lastCount(day.session);
  mark("left", "");
  const left = typedLeft(total);
  if (left === null || !await isSure(left, total)) return;
  await refresh();
  // What was agreed to is the difference of that count, and no other.
  if (JSON.stringify(day.session) !== shown) return says("alert", say("day.changed"));
  const reason = reasonGiven();
  const body = { left, ...(reason && { reason }), ...seen() };
  const z = await perform(post("close", body), () => day.session?.id !== id);
  if (!z) {
    if (!$("view-close").hidden) $($("reasons").hidden ? "left" : "note").focus();
    return;
  }
  const number = z.number ?? day.last?.number;
  go(number && day.may("totals") ? addressOfReport(number, drawer) : "/day", true);
  const name = number ? numberOf(number, z.epoch ?? day.last?.epoch) : "";
  says("done", name ? say("day.closedAs", { name }) : say("day.isClosed"));
});

// ---- The beginning

document.addEventListener("click", (event) => {
  const link = /** @type {any} */ (event.target)?.closest?.("main a[href^='/day']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  // Tabs stay where they are, and keep the focus.
  const isTab = Boolean(link.closest("#tabs"));
  go(link.getAttribute("href"), !isTab);
  if (!isTab && day.session && !$("view-count").hidden) firstField()?.focus();
});
addEventListener("popstate", render);
reactions.unanswered = () => says("alert", say("day.unanswered"));
reactions.earlier = () => { isEarlier = true; };
day.draw = render;

/** An entry that was not answered before a reload is recorded once, and said to be of before. */
async function finishKept() {
  for (const { path, body } of keptRequests()) {
    if (path !== CASH) continue;
    const recorded = await perform(() => operate(path, body));
    if (!recorded) continue;
    const entry = JSON.parse(body);
    // It may be of another drawer than the one that is shown, in its own currency.
    const text = of(entry.amount, recorded.currency);
    says("done", say("day.recorded", { what: KINDS[entry.kind]?.word ?? entry.kind, sum: text }));
  }
}

$("currency").append(...CURRENCIES.map((code) => make("option", code, { value: code })));
/** The currency in which was sold or counted here before. */
function chooseCurrency(code) {
  if (CURRENCIES.includes(code)) $("currency").value = code;
}
chooseCurrency(localStorage.getItem("till.currency") ?? "");
const askWho = () => showPerson((may) => {
  Object.assign(day, { may, isMet: true });
  render();
});

/** Asks who is signed in until that is known: nothing is shown before, since it depends on it. */
async function meet() {
  for (;;) {
    await askWho();
    if (day.isMet) return;
    await new Promise((resolve) => setTimeout(resolve, MEET_MS));
  }
}
const met = meet();
// Somebody else may be at the till by now.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  askWho();
  news();
  if (day.isMet) readDrawers();
});
await refresh();
if (day.last && !day.session && day.last.currency !== $("currency").value) {
  chooseCurrency(day.last.currency);
  render();
}
await finishKept();
met.then(readDrawers);
keepReading();
listen(() => {
  news();
  salesLater();
}, news, { begun: news });
