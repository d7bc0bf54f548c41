// What happened in the drawer since it was opened, and how what is expected in it comes about.

import { make } from "./dom.js";
import { sum } from "./sums.js";

const LANGUAGE = document.documentElement.lang || undefined;
const TIME = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit" });
const DAY_TIME = new Intl.DateTimeFormat(LANGUAGE, {
  day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
});

export const KINDS = {
  paid_in: { word: "Paid in", sign: 1 }, paid_out: { word: "Paid out", sign: -1 },
  bank_drop: { word: "Bank drop", sign: -1 }, refund: { word: "Cash for a failed refund", sign: -1 },
};

/** A sum with its sign; a plus only where it says which way money went. */
export function signed(minor, currency, hasPlus = true) {
  const sign = minor < 0 ? "−" : minor > 0 && hasPlus ? "+" : "";
  return sign + sum(Math.abs(minor), currency);
}

/** An amount, or words in its place. */
export const amount = (text) => make("bdi", text);

/** A sentence in which each amount stands by itself, whichever way its language is written. */
export const phrase = (words, ...amounts) =>
  words.flatMap((word, index) => (index < amounts.length ? [word, amount(amounts[index])] : [word]));

/** Who did something, however the till names them. @param {any} by */
export const personOf = (by) => (typeof by === "string" ? by : by?.name ?? by?.text ?? "");

/** The time of a day; with its day if that is not today. @param {string} at */
export function timeOf(at) {
  const date = new Date(at);
  return (date.toDateString() === new Date().toDateString() ? TIME : DAY_TIME).format(date);
}

/** Whether sums of cash are kept from whoever counts. @param {any} session */
export const isBlind = (session) => typeof session.expected !== "number";

/** The last count; null before the first. @param {any} session */
export const lastCount = (session) => session.counts?.at(-1) ?? null;

/** A cell with its role, which cards on narrow screens would take away. */
export function cell(className, ...content) {
  const element = make("td", "", { className });
  element.setAttribute("role", "cell");
  element.append(...content);
  return element;
}

function row({ at, what, under, by, text, isMuted }) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  const when = cell("when");
  if (at) when.append(make("time", timeOf(at), { dateTime: at }));
  const whatCell = cell("what", what);
  if (under?.length > 0) {
    const below = make("span", "", { className: "under" });
    below.append(...under);
    whatCell.append(below);
  }
  element.append(when, whatCell, cell("by", personOf(by)),
    cell(isMuted ? "num sum muted" : "num sum", isMuted ? text : amount(text)));
  return element;
}

/** What the float says about the last close. @param {any} session @param {boolean} hasLast */
function opening(session, hasLast) {
  const by = session.opening_difference;
  const reason = session.opening_reason;
  if (!hasLast || typeof by !== "number") return reason ? [reason] : [];
  if (by === 0) return ["Same as left at the last close"];
  const text = sum(Math.abs(by), session.currency);
  return [
    ...(by > 0 ? phrase`${text} more than left at the last close` : phrase`${text} less than left at the last close`),
    ...(reason ? [`: ${reason}`] : []),
  ];
}

/** Rows of what happened, newest first. @param {any} session @param {boolean} hasLast There was a day before. */
export function drawerRows(session, hasLast) {
  const of = (minor, hasPlus = true) => signed(minor, session.currency, hasPlus);
  const events = [
    { at: session.opened_at, what: "Float counted", under: opening(session, hasLast), by: session.opened_by,
      text: of(session.float, false) },
    ...(session.cash ?? []).map(({ kind, amount: minor, reason, payment, at, by }) => ({
      at, by, what: [KINDS[kind]?.word ?? kind, reason].filter(Boolean).join(": "), under: payment ? [payment] : [],
      text: of((KINDS[kind]?.sign ?? 1) * minor),
    })),
    ...(session.counts ?? []).map(({ total, at, by }, index) => ({
      at, by, what: index ? "Drawer counted again" : "Drawer counted", text: of(total, false),
    })),
  ];
  // Some of one second stay in the order in which they are known.
  events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const hidden = { isMuted: true, text: "after the count" };
  const shown = isBlind(session);
  const sales = [{ what: "Cash sales so far", ...(shown ? hidden : { text: of(session.cash_sales) }) }];
  if (!shown && session.cash_refunds > 0) {
    sales.unshift({ what: "Cash refunds so far", text: of(-session.cash_refunds) });
  }
  return [...sales, ...events.reverse()].map((one) => row(/** @type {any} */ (one)));
}

function pair(name, text, className = "") {
  const element = make("div", "", { className });
  const value = make("dd", "");
  value.append(amount(text));
  element.append(make("dt", name), value);
  return element;
}

const countOf = (session, kind) => (session.cash ?? []).filter((one) => one.kind === kind).length;

/**
 * How what is expected comes about.
 * @param {any} session @param {boolean} hasCount What was counted last stands below it. @returns {HTMLElement[]}
 */
export function ledger(session, hasCount) {
  const of = (minor) => signed(minor ?? 0, session.currency);
  const count = lastCount(session);
  const lines = [
    pair(`Float counted at ${timeOf(session.opened_at)}`, sum(session.float, session.currency)),
    pair("Cash sales", of(session.cash_sales)),
    pair("Cash refunds", of(-(session.cash_refunds ?? 0))),
    pair(`Paid in, ${countOf(session, "paid_in")}`, of(session.paid_in)),
    pair(`Paid out, ${countOf(session, "paid_out")}`, of(-(session.paid_out ?? 0))),
    pair(`Bank drops, ${countOf(session, "bank_drop")}`, of(-(session.bank_drops ?? 0))),
    ...(session.refunds_paid
      ? [pair(`Refunds in cash, ${countOf(session, "refund")}`, of(-session.refunds_paid))] : []),
    pair("Expected", signed(session.expected, session.currency, false), "line2"),
  ];
  if (count && hasCount) {
    const by = [personOf(count.by), timeOf(count.at)].filter(Boolean).join(", ");
    lines.push(pair(`Counted by ${by}`, sum(count.total, session.currency)));
  }
  return lines;
}
