// The day of the drawer: opened with a count, paid into and out of, counted, and closed with a Z.

import { ask, keptRequests, operate, reactions } from "./calls.js";
import { amountOf, countOf, faultOfSum, firstField, forgetCount } from "./day-count.js";
import { numberOf } from "./day-report.js";
import { KINDS, lastCount, phrase } from "./day-session.js";
import { addressOf, currencyCounted, go, render, renderCount, salesLater } from "./day-shown.js";
import { day, keepReading, news, of, perform, refresh, says } from "./day-state.js";
import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { listen, showPerson } from "./frame.js";
import { CURRENCIES, minorUnits } from "./money.js";

/** The second half of a double click falls into this time and closes nothing. */
const SETTLE_MS = 400;
const MEET_MS = 3_000;
const CASH = "/v1/day/cash";

const post = (verb, body) => () => ask("POST", "/v1/day/" + verb, JSON.stringify(body));

/** What is shown of the day. It is done to no other one, nor after another count. */
const seen = () => ({ session: day.session?.id, number_of_counts: day.session?.counts?.length ?? 0 });

/**
 * Puts a fault beside a field; an empty one removes it.
 * @param {string} id @param {string | (string | Node)[]} fault
 */
function mark(id, fault) {
  $(id + "-fault").replaceChildren(...(typeof fault === "string" ? [fault] : fault).filter(Boolean));
  if (fault.length > 0) $(id).setAttribute("aria-invalid", "true");
  else $(id).removeAttribute("aria-invalid");
}

// ---- Opening and counting

async function open(count) {
  const currency = currencyCounted();
  const float = count.counts ? { counts: count.counts } : { float: count.total };
  const reason = $("opening-field").hidden ? "" : $("opening-reason").value.trim();
  if (!await perform(post("open", { currency, ...float, ...(reason && { reason }) }), () => Boolean(day.session))) {
    if (!day.session && !$("opening-field").hidden) $("opening-reason").focus();
    return;
  }
  forgetCount();
  $("opening-reason").value = "";
  localStorage.setItem("till.currency", currency);
  go("/day", true);
  if (day.session) says("done", phrase`The day is open with ${of(day.session.float)} in the drawer.`);
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
const EARLIER = "An earlier entry, which had no answer, was recorded first. Check the drawer before you try again.";
/** What an entry is done with, and what its reason should say. @type {Record<string, [string, string]>} */
const ENTRIES = {
  paid_in: ["Pay in", "Where it comes from, such as coins from the safe."],
  paid_out: ["Pay out", "For what and to whom, with the number of the slip."],
  bank_drop: ["Drop", "The number of the bag, for example."],
  refund: [
    "Pay refund", "Only if the provider could not refund. A refund made on the payment's page is already counted.",
  ],
};

/** The entry as it is typed. @param {boolean} isTold What is wrong with it is said. */
function typedCash(isTold) {
  const { value, fault } = minorUnits($("cash-amount").value, day.session?.currency ?? "EUR");
  const reason = $("cash-reason").value.trim();
  const [verb] = ENTRIES[kind];
  says("cash-send", value === undefined ? verb : [verb + " ", ...phrase`${of(value)}`]);
  /** @type {[string, string][]} */
  const faults = [["cash-amount", fault ?? ""], ["cash-reason", reason ? "" : "Say what it is for."]];
  const payment = kind === "refund" ? $("cash-payment").value.trim() : "";
  if (kind === "refund") faults.push(["cash-payment", payment ? "" : "Enter the ID of the payment."]);
  for (const [id, words] of faults) if (isTold || !words) mark(id, words);
  const wrong = faults.find(([, words]) => words);
  if (wrong && isTold) $(wrong[0]).focus();
  // An entry that has no answer before the day ends is none of the next day's.
  return wrong ? null : { kind, amount: value, reason, ...(payment && { payment }), session: day.session?.id ?? null };
}

async function askCash(button) {
  kind = button.dataset.kind;
  $("cash-title").textContent = KINDS[kind].word;
  $("cash-hint").textContent = ENTRIES[kind][1];
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
  const words = [`${KINDS[kind].word}: `, ...phrase`${of(Number(body.amount))}.`];
  isEarlier = false;
  const isDone = await perform(() => operate(CASH, JSON.stringify(body)));
  if (isDone) says(isEarlier ? "alert" : "done", isEarlier ? EARLIER : words);
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
const CHANGED = "The drawer was changed on another device meanwhile. Nothing was closed here; look at it again.";
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
  const words = fault ?? (Number(value) > total ? phrase`At most ${of(total)}.` : "");
  mark("left", words);
  if (words.length === 0) return Number(value);
  $("left").focus();
  return null;
}

let settling = 0;

/** Asks whether it is meant. @returns {Promise<boolean>} */
async function isSure(left, total) {
  says("sure-words", [
    ...phrase`${of(left)} stays in the drawer. `, ...(total > left ? phrase`Take ${of(total - left)} out of it. ` : []),
    "Closing makes the Z report, which nobody can change or undo.",
  ]);
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
  const { total } = lastCount(day.session);
  mark("left", "");
  const left = typedLeft(total);
  if (left === null || !await isSure(left, total)) return;
  await refresh();
  // What was agreed to is the difference of that count, and no other.
  if (JSON.stringify(day.session) !== shown) return says("alert", CHANGED);
  const reason = reasonGiven();
  const body = { left, ...(reason && { reason }), ...seen() };
  const z = await perform(post("close", body), () => day.session?.id !== id);
  if (!z) {
    if (!$("view-close").hidden) $($("reasons").hidden ? "left" : "note").focus();
    return;
  }
  const number = z.number ?? day.last?.number;
  go(number && day.may("totals") ? `/day?report=${number}` : "/day", true);
  const name = number ? numberOf(number, z.epoch ?? day.last?.epoch) : "";
  says("done", name ? `The day is closed. Its Z report is ${name}.` : "The day is closed.");
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
reactions.unanswered = () =>
  says("alert", "The till does not answer. This page tries again by itself; nothing is recorded twice.");
reactions.earlier = () => { isEarlier = true; };
day.draw = render;

/** An entry that was not answered before a reload is recorded once, and said to be of before. */
async function finishKept() {
  for (const { path, body } of keptRequests()) {
    if (path !== CASH || !await perform(() => operate(path, body))) continue;
    const entry = JSON.parse(body);
    says("done", [`Recorded from before: ${KINDS[entry.kind]?.word}, `, ...phrase`${of(entry.amount)}.`]);
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
meet();
// Somebody else may be at the till by now.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  askWho();
  news();
});
await refresh();
if (day.last && !day.session && day.last.currency !== $("currency").value) {
  chooseCurrency(day.last.currency);
  render();
}
await finishKept();
keepReading();
listen(() => {
  news();
  salesLater();
}, news);
