// What happened in the drawer since it was opened, and how what is expected in it comes about.

import { tenderOf } from "./badges.js";
import { clock, isToday } from "./clock.js";
import { make } from "./dom.js";
import { sum } from "./sums.js";
import { language, say } from "./words.js";

const time = clock({ hour: "2-digit", minute: "2-digit" });
const dayTime = clock({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export const KINDS = {
  paid_in: { word: say("day.paidIn"), sign: 1 }, paid_out: { word: say("day.paidOut"), sign: -1 },
  bank_drop: { word: say("day.bankDrop"), sign: -1 }, refund: { word: say("day.cashRefund"), sign: -1 },
};

/** @type {Record<string, string>} */
const TENDERS = {
  card: say("take.card"), reader: say("take.reader"), cash: say("take.cash"), wallet: say("day.wallet"),
  elsewhere: say("day.elsewhere"), other: say("day.otherTender"), "": say("day.none"),
};

/** How was paid, in the language of the page. @param {string} tender */
export const tenderShown = (tender) => TENDERS[tender ?? ""] ?? tenderOf(tender);

/** A sum with its sign; a plus only where it says which way money went. */
export function signed(minor, currency, hasPlus = true) {
  if (language !== "en") return sum(minor, currency, hasPlus ? "exceptZero" : "auto");
  const sign = minor < 0 ? "−" : minor > 0 && hasPlus ? "+" : "";
  return sign + sum(Math.abs(minor), currency);
}

/** An amount, or words in its place. */
export const amount = (text) => make("bdi", text);

/** Who did something, however the till names them. @param {any} by */
export const personOf = (by) => (typeof by === "string" ? by : by?.name ?? by?.text ?? "");

/** The time of a day; with its day if that is not today. @param {string} at */
export function timeOf(at) {
  const date = new Date(at);
  return (isToday(date) ? time : dayTime)(date);
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
  if (by === 0) return [say("day.sameAsLast")];
  const values = { sum: sum(Math.abs(by), session.currency) };
  const words = by > 0 ? say("day.moreThanLast", values) : say("day.lessThanLast", values);
  return [reason ? `${words}: ${reason}` : words];
}

/** Rows of what happened, newest first. @param {any} session @param {boolean} hasLast There was a day before. */
export function drawerRows(session, hasLast) {
  const of = (minor, hasPlus = true) => signed(minor, session.currency, hasPlus);
  const events = [
    { at: session.opened_at, what: say("day.floatCounted"), under: opening(session, hasLast), by: session.opened_by,
      text: of(session.float, false) },
    ...(session.cash ?? []).map(({ kind, amount: minor, reason, payment, at, by }) => ({
      at, by, what: [KINDS[kind]?.word ?? kind, reason].filter(Boolean).join(": "), under: payment ? [payment] : [],
      text: of((KINDS[kind]?.sign ?? 1) * minor),
    })),
    ...(session.counts ?? []).map(({ total, at, by }, index) => ({
      at, by, what: index ? say("day.drawerRecounted") : say("day.drawerCounted"), text: of(total, false),
    })),
  ];
  // Some of one second stay in the order in which they are known.
  events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const hidden = { isMuted: true, text: say("day.afterCount") };
  const shown = isBlind(session);
  const sales = [{ what: say("day.cashSalesSoFar"), ...(shown ? hidden : { text: of(session.cash_sales) }) }];
  if (!shown && session.cash_refunds > 0) {
    sales.unshift({ what: say("day.cashRefundsSoFar"), text: of(-session.cash_refunds) });
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
    pair(say("day.floatAt", { time: timeOf(session.opened_at) }), sum(session.float, session.currency)),
    pair(say("day.cashSales"), of(session.cash_sales)),
    pair(say("day.cashRefunds"), of(-(session.cash_refunds ?? 0))),
    pair(say("day.paidInCount", { number: countOf(session, "paid_in") }), of(session.paid_in)),
    pair(say("day.paidOutCount", { number: countOf(session, "paid_out") }), of(-(session.paid_out ?? 0))),
    pair(say("day.bankDropsCount", { number: countOf(session, "bank_drop") }), of(-(session.bank_drops ?? 0))),
    ...(session.refunds_paid
      ? [pair(say("day.cashRefundsCount", { number: countOf(session, "refund") }), of(-session.refunds_paid))] : []),
    pair(say("day.expected"), signed(session.expected, session.currency, false), "line2"),
  ];
  if (count && hasCount) {
    const name = [personOf(count.by), timeOf(count.at)].filter(Boolean).join(", ");
    lines.push(pair(say("day.countedBy", { name }), sum(count.total, session.currency)));
  }
  return lines;
}
