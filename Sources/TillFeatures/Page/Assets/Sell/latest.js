// The latest payments: what was taken of each, not what was ordered.

import { clock, isToday, time } from "./clock.js";
import { $, make } from "./dom.js";
import { money } from "./money.js";
import { isFinal, listOpenOrders } from "./open-orders.js";
import { method, orderName, STATUS } from "./payment.js";
import { ask, fail, Refusal } from "./requests.js";
import { steady } from "./steady.js";
import { say } from "./words.js";

const timeOf = clock({ timeStyle: "short" });
const dayAndTimeOf = clock({ dateStyle: "short", timeStyle: "short" });

/** @param {string} className @param {string} [text] */
function cell(className, text = "") {
  const element = make("td", text, { className });
  element.setAttribute("role", "cell");
  return element;
}

/** When it was made: today by the clock alone. */
function when(payment) {
  const made = new Date(payment.created_at);
  const element = cell("when");
  element.append(make("time", (isToday(made) ? timeOf : dayAndTimeOf)(made), {
    dateTime: payment.created_at, title: time(payment.created_at),
  }));
  return element;
}

/** What was captured; beside it what was ordered, tip included, where that is another sum. */
function sums(payment) {
  const element = cell("n sum", money(payment.captured, payment.currency));
  const ordered = payment.amount + (payment.tip ?? 0);
  if (payment.captured !== ordered) {
    element.append(make("span", say("latest.of", { sum: money(ordered, payment.currency) }), { className: "of" }));
  }
  return element;
}

/** Its sum as it was ordered, if that can be read: what was taken of it cannot. */
function unreadable(payment) {
  const status = cell("is", say("badge.unreadable"));
  status.title = payment.message;
  return [status, cell("how", "–"), cell("n sum", payment.currency ? money(payment.amount, payment.currency) : "")];
}

/** What stands beside the name of a payment. */
function cells(payment) {
  const standing = payment.unreadable ? unreadable(payment)
    : [cell("is", STATUS[payment.status] ?? payment.status), cell("how", method(payment) ?? "–"), sums(payment)];
  return [when(payment), ...standing];
}

function row(payment) {
  const element = document.createElement("tr");
  element.setAttribute("role", "row");
  const head = make("th", "", { scope: "row", className: "what" });
  head.setAttribute("role", "rowheader");
  head.append(make("a", orderName(payment), { href: "#" + payment.id }));
  element.append(head, ...cells(payment));
  return element;
}

const textOf = (some) => some.map((cell) => cell.textContent).join("\n");

/** @param {HTMLElement} element @param {any} payment */
function fill(element, payment) {
  const before = [...element.children].slice(1);
  const now = cells(payment);
  if (textOf(before) === textOf(now)) return;
  for (const cell of before) cell.remove();
  element.append(...now);
}

const show = steady({
  box: $("latest-box"), rows: $("rows"), news: $("latest-news"), make: row, fill,
  words: (count) => say("latest.new", { count }),
  placed: (payments) => { $("empty").hidden = payments.length > 0; },
});

/** @type {any[]} */
let latest = [];
document.addEventListener("till:zone", () => {
  if (answered) show(latest);
});

/** Counts the questions, so that a late answer does not take the place of a newer one. */
let asked = 0;
let answered = 0;

/**
 * Asks for the latest payments and shows them.
 * @param {boolean} [isNews] Nobody here has asked for it: what comes to nothing is not said.
 * @returns {Promise<boolean>} Whether that is done; if not, it is worth another try.
 */
export async function listLatest(isNews = false) {
  const mine = ++asked;
  try {
    const { payments } = await ask("GET", "/v1/payments?limit=12");
    if (mine < answered) return true;
    answered = mine;
    latest = payments;
    show(payments);
  } catch (error) {
    if (isNews) return isFinal(error);
    if (error instanceof Refusal) fail(error);
  }
  return true;
}

/** Asks for the latest payments and the open orders, and shows them. */
export async function list() {
  listOpenOrders();
  await listLatest();
}
