// Payments as rows of a table: what was taken of each, not what was ordered; days apart from each other.

import { badge } from "./badges.js";
import { clock } from "./clock.js";
import { dateOf } from "./day-clock.js";
import { make } from "./dom.js";
import { isMadeUp, method, orderName } from "./payment.js";
import { sum } from "./sums.js";
import { say } from "./words.js";

const timeOf = clock({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayName = clock({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

const cell = (className) => {
  const element = make("td", "", { className });
  element.setAttribute("role", "cell");
  return element;
};
const under = (text) => make("span", text, { className: "under clip" });
const amount = (text) => make("bdi", text);

/** What of a payment is not simply taken, below what was. */
function beside(payment) {
  const of = (minor) => sum(minor, payment.currency);
  const ordered = payment.amount + (payment.tip ?? 0);
  if (payment.held > 0) return say("list.held", { sum: of(payment.held) });
  if (payment.refunded > 0) return say("list.refunded", { sum: of(payment.refunded) });
  if (payment.status === "stored") return say("list.atRisk", { sum: of(ordered) });
  return payment.captured === ordered ? "" : say("latest.of", { sum: of(ordered) });
}

/** @param {any} payment */
export function row(payment) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  element.dataset.id = payment.id;
  const when = cell("when");
  const made = new Date(payment.created_at);
  when.append(make("time", timeOf(made), { dateTime: payment.created_at }));
  const what = cell("what");
  const link = make("a", "", { className: "row", href: "/payments/" + payment.id });
  link.append(make("b", orderName(payment)));
  what.append(link);
  const name = payment.order_number && payment.order_number !== payment.order_id ? payment.order_id : "";
  if (name && !isMadeUp(name)) what.append(under(name));
  const how = cell("how");
  how.append(method(payment) ?? "–");
  const by = cell("by");
  by.append(payment.provider ?? "–");
  const is = cell("is");
  is.append(badge(payment));
  const taken = cell("num sum");
  if (payment.unreadable) taken.append("?");
  else {
    const isKnown = payment.money_moved !== "unknown" || payment.captured > 0;
    taken.append(isKnown ? amount(sum(payment.captured, payment.currency)) : say("list.unknown"));
    const more = beside(payment);
    if (more) taken.append(make("span", more, { className: "under" }));
  }
  element.append(when, what, how, by, is, taken);
  return element;
}

/** The heading of the day of a payment. */
function heading(payment) {
  const element = make("tr", "", { className: "group" });
  element.setAttribute("role", "row");
  const head = make("th", dayName(new Date(payment.created_at)), { scope: "rowgroup", colSpan: 6 });
  head.setAttribute("role", "rowheader");
  element.append(head);
  return element;
}

/** The shop's date of a payment. */
const dayOf = (payment) => dateOf(new Date(payment.created_at));

/**
 * Rows of payments, newest first, each of the shop's days under its heading.
 * @param {any[]} payments @param {any} [above]
 */
export function rows(payments, above) {
  let day = above ? dayOf(above) : null;
  return payments.flatMap((payment) => {
    const isSame = dayOf(payment) === day;
    day = dayOf(payment);
    return isSame ? [row(payment)] : [heading(payment), row(payment)];
  });
}

/** Sums of payments by what became of the money, one for each currency. @returns {[string, string][]} */
export function totals(payments) {
  const found = [];
  for (const [name, member] of [
    [say("list.captured"), "captured"], [say("pay.refunded"), "refunded"], [say("pay.heldTitle"), "held"],
  ]) {
    const sums = new Map();
    for (const one of payments) {
      if (!one.unreadable) sums.set(one.currency, (sums.get(one.currency) ?? 0n) + BigInt(one[member] ?? 0));
    }
    const shown = [...sums].filter(([, minor]) => minor > 0n || member === "captured")
      .map(([currency, minor]) => sum(Number(minor), currency));
    if (shown.length > 0) found.push([name, shown.join(", ")]);
  }
  return found;
}
