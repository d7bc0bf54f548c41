// Payments as rows of a table: what was taken of each, not what was ordered; days apart from each other.

import { make } from "./dom.js";
import { decimal } from "./money.js";
import { method, orderName } from "./payment.js";

const SVG = "http://www.w3.org/2000/svg";

/** Word, colour and shape of a status. @type {Record<string, [string, string, string]>} */
const BADGES = {
  requires_payment_method: ["Not paid", "", "dots"], declined: ["Declined", "stop", "x-octagon"],
  requires_action: ["Waiting for customer", "wait", "dots"], processing: ["Processing", "wait", "dots"],
  stored: ["Stored offline", "unsure", "cloud-off"], unknown: ["Outcome unknown", "unsure", "diamond"],
  requires_capture: ["Authorized", "held", "pause"], partially_captured: ["Partly captured", "held", "pause"],
  succeeded: ["Paid", "paid", "check-circle"], partially_refunded: ["Partly refunded", "", "undo"],
  refunded: ["Refunded", "", "undo"], canceled: ["Canceled", "", "x-octagon"],
  expired: ["Authorization expired", "", "x-octagon"], capture_failed: ["Capture failed", "stop", "x-octagon"],
};

export const STATUSES = Object.entries(BADGES).map(([status, [word]]) => ({ status, word }));

/** @param {string} name */
function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", "#i-" + name);
  svg.append(use);
  return svg;
}

function badge(payment) {
  const disputed = payment.disputed > 0;
  const [word, tone, shape] = disputed ? ["Disputed", "unsure", "flag"]
    : payment.unreadable ? ["Cannot be read", "stop", "x-octagon"]
      : BADGES[payment.status] ?? [payment.status, "", "dots"];
  const element = make("span", "", { className: `badge ${tone}`.trim() });
  element.append(icon(shape), word);
  return element;
}

const LANGUAGE = document.documentElement.lang || undefined;
const TIME = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat(LANGUAGE, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** A sum as people read it; the digits are those of the minor units, never a fraction's. */
export function sum(minor, currency) {
  const [whole, fraction = ""] = decimal(Math.abs(minor), currency).split(".");
  const digits = { minimumFractionDigits: fraction.length, maximumFractionDigits: fraction.length };
  const parts = new Intl.NumberFormat(LANGUAGE, { style: "currency", currency, ...digits })
    .formatToParts(minor < 0 ? -1 : 1);
  const grouped = new Intl.NumberFormat(LANGUAGE).format(BigInt(whole));
  let isWritten = false;
  return parts.map(({ type, value }) => {
    if (type === "integer" && !isWritten) {
      isWritten = true;
      return grouped;
    }
    if (type === "integer" || type === "group") return "";
    if (type === "decimal") return fraction && value;
    return type === "fraction" ? fraction : value;
  }).join("");
}

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
  if (payment.held > 0) return `${of(payment.held)} held`;
  if (payment.refunded > 0) return `${of(payment.refunded)} refunded`;
  if (payment.status === "stored") return `${of(ordered)} at risk`;
  return payment.captured === ordered ? "" : `of ${of(ordered)}`;
}

/** @param {any} payment */
export function row(payment) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  element.dataset.id = payment.id;
  const when = cell("when");
  const made = new Date(payment.created_at);
  when.append(make("time", TIME.format(made), { dateTime: payment.created_at }));
  const what = cell("what");
  const link = make("a", "", { className: "row", href: "/#" + payment.id });
  link.append(make("b", orderName(payment)));
  what.append(link);
  const name = payment.order_number && payment.order_number !== payment.order_id ? payment.order_id : "";
  if (name && !name.startsWith("sale-")) what.append(under(name));
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
    taken.append(isKnown ? amount(sum(payment.captured, payment.currency)) : "not known");
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
  const head = make("th", DAY.format(new Date(payment.created_at)), { scope: "rowgroup", colSpan: 6 });
  head.setAttribute("role", "rowheader");
  element.append(head);
  return element;
}

const dayOf = (payment) => new Date(payment.created_at).toDateString();

/** Rows of payments, newest first, each day under its heading. @param {any[]} payments @param {any} [above] */
export function rows(payments, above) {
  let day = above ? dayOf(above) : "";
  return payments.flatMap((payment) => {
    const isSame = dayOf(payment) === day;
    day = dayOf(payment);
    return isSame ? [row(payment)] : [heading(payment), row(payment)];
  });
}

/** Sums of payments by what became of the money, one for each currency. @returns {[string, string][]} */
export function totals(payments) {
  const found = [];
  for (const [name, member] of [["Captured", "captured"], ["Refunded", "refunded"], ["Held", "held"]]) {
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
