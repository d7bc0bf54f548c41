// X and Z: what was sold and what the drawer held. As tables, and as the strip of paper that is printed.

import { tenderOf } from "./badges.js";
import { clock, zoneShown } from "./clock.js";
import { offsetOf } from "./day-clock.js";
import { make } from "./dom.js";
import { amount, cell, isBlind, ledger, personOf, signed, tenderShown } from "./day-session.js";
import { blocks, folded, line, netOf, table } from "./day-tables.js";
import { addressOfReport } from "./day-where.js";
import { FIRST } from "./drawer.js";
import { decimal } from "./money.js";
import { sum } from "./sums.js";
import { say } from "./words.js";

/** @type {Intl.DateTimeFormatOptions} */
const TO_THE_SECOND = {
  weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  second: "2-digit",
};
const moment = clock(TO_THE_SECOND);
// The strip is English in every language of the page; what the till draws and prints is in the language of receipts.
const printedAt = clock(TO_THE_SECOND, "en");
const date = clock({ day: "2-digit", month: "short", year: "numeric" }, "en");
const clockTime = clock({ hour: "2-digit", minute: "2-digit", second: "2-digit" }, "en");
const NUMBER = new Intl.NumberFormat(document.documentElement.lang || undefined);
/** Characters in a line of the strip. */
const WIDTH = 32;
/** Digits of the head of the chain that are shown beside the strip, which has all of them. */
const SHOWN_DIGITS = 16;

/**
 * A number of a Z as it stands on it. After a restore numbers come again, which the journal's epoch tells apart.
 * @param {number} number @param {number} [epoch]
 */
export const numberOf = (number, epoch = 1) => String(number).padStart(4, "0") + (epoch > 1 ? `/${epoch}` : "");

/** When a report was made: a closed one at its close, which is later than the count that it goes up to. */
const madeAt = (report) => new Date(report.closed_at ?? report.until ?? Date.now());

/** How a report is called, and when it was made by whom. @param {any} report @returns {[string, string]} */
export function titleOf(report) {
  const time = moment(madeAt(report));
  const drawer = report.drawer ? ` · ${report.drawer}` : "";
  if (report.number === null) return [say("day.xReport") + drawer, say("day.readAt", { time })];
  const name = personOf(report.closed_by);
  return [
    say("day.zReport", { name: numberOf(report.number, report.epoch) }) + drawer,
    name ? say("day.closedBy", { time, name }) : say("day.closedAt", { time }),
  ];
}

/** The figures that are looked for first. @param {any} report */
export function tiles(report) {
  const of = (minor) => signed(minor, report.currency, false);
  const { session, sales } = report;
  const shown = [
    [say("day.netSales"), of(sales.net)], [say("find.payments"), NUMBER.format(sales.count)],
    [say("day.refunds"), of(-sales.refunds)],
  ];
  if (report.number === null) {
    if (session && !isBlind(session)) shown.push([say("day.expectedCash"), of(session.expected)]);
  } else if (typeof session?.difference === "number") {
    shown.push([say("day.cashDifference"), of(session.difference)]);
  }
  if (session?.opening_difference) shown.push([say("day.openingDifference"), of(session.opening_difference)]);
  return shown.map(([name, text]) => {
    const tile = make("div", "", { className: "tile" });
    const figure = make("b", "");
    figure.append(amount(text));
    tile.append(make("span", name), figure);
    return tile;
  });
}

const added = (list, member) => list.reduce((all, one) => all + (one[member] ?? 0), 0);

/** What a table of sums is divided by. @type {Record<string, {head: string, nameOf: (one: any) => string}>} */
const DIVISIONS = {
  tender: { head: say("day.tender"), nameOf: (one) => tenderShown(one.tender) },
  provider: { head: say("day.provider"), nameOf: (one) => one.provider || say("day.none") },
  drawer: {
    head: say("day.drawer"), nameOf: (one) => (one.drawer === FIRST ? say("day.firstDrawer") : one.drawer),
  },
};

function by(title, member, list, currency) {
  const hasDisputes = list.some((one) => one.disputed);
  const { head, nameOf } = DIVISIONS[member];
  const texts = ({ count = 0, captured = 0, refunded = 0, disputed = 0 }) =>
    [NUMBER.format(count), sum(captured, currency), signed(-refunded, currency, false),
      ...(hasDisputes ? [signed(-disputed, currency, false)] : []),
      signed(captured - refunded - disputed, currency, false)];
  const [count, captured, refunded, disputed] =
    ["count", "captured", "refunded", "disputed"].map((name) => added(list, name));
  return table(title, [
    head, say("day.number"), say("day.sales"),
    say("day.refunds"), ...(hasDisputes ? [say("badge.disputed")] : []), say("day.net"),
  ], list.map((one) => line(nameOf(one), texts(one))),
  line(say("day.sum"), texts({ count, captured, refunded, disputed })));
}

/** The drawer of the day: from the float to what was counted and what stays. */
function drawer(report) {
  const { session, currency } = report;
  const list = make("dl", "", { className: "ledger" });
  const add = (name, text, className = "", isAmount = true) => {
    const pair = make("div", "", { className });
    const value = make("dd", "");
    value.append(isAmount ? amount(text) : text);
    pair.append(make("dt", name), value);
    list.append(pair);
  };
  if (session.opening_difference) add(say("day.openingDifference"), signed(session.opening_difference, currency));
  if (session.opening_reason) add(say("day.openingWhy"), session.opening_reason, "", false);
  if (!isBlind(session)) list.append(...ledger(session, report.number !== null));
  if (typeof session.difference === "number") add(say("day.difference"), signed(session.difference, currency), "line2");
  if (report.reason) add(say("refunding.why"), report.reason, "", false);
  if (typeof report.left === "number") add(say("day.leftThere"), sum(report.left, currency));
  const pane = make("section", "", { className: "pane" });
  pane.setAttribute("aria-labelledby", "report-drawer");
  const header = make("header", "");
  header.append(make("h3", say("day.drawer"), { id: "report-drawer" }));
  const body = make("div", "", { className: "body" });
  body.append(list);
  pane.append(header, body);
  return pane;
}

/** The number of the last event of a Z, and the head of the journal's chain after it. @param {any} report */
const headOf = (report) => String(report.journal_head).split(":");

/** What a Z is compared with its journal by: the digest in short, which is whole on the strip. @param {any} report */
function chain(report) {
  const [sequence, digest] = headOf(report);
  const list = make("dl", "", { className: "ledger" });
  const pair = make("div", "");
  const value = make("dd", "");
  value.append(make("bdi", `${digest.slice(0, SHOWN_DIGITS)}…`, { title: report.journal_head }));
  pair.append(make("dt", say("day.headAfter", { number: Number(sequence) })), value);
  list.append(pair);
  const pane = make("section", "", { className: "pane" });
  pane.setAttribute("aria-labelledby", "report-journal");
  const header = make("header", "");
  header.append(make("h3", say("day.journal"), { id: "report-journal" }));
  const body = make("div", "", { className: "body" });
  body.append(list, make("p", say("day.compareHead"), { className: "small soft" }));
  pane.append(header, body);
  return pane;
}

/** The tables of a report. @param {any} report */
export function tables(report) {
  const { currency } = report;
  const found = [by(say("day.byTender"), "tender", report.tenders ?? [], currency)];
  if (report.drawers) found.push(by(say("day.byDrawer"), "drawer", report.drawers, currency));
  if (report.providers?.length > 0) found.push(by(say("day.byProvider"), "provider", report.providers, currency));
  if (report.others?.length > 0) {
    const titles = [say("day.inCurrency"), say("day.sales"), say("day.refunds")];
    found.push(table(say("day.inOthers"), titles, report.others.map((one) =>
      line(one.currency, [sum(one.gross, one.currency), signed(-one.refunds, one.currency, false)]))));
  }
  if (report.session) found.push(drawer(report));
  if (report.journal_head) found.push(chain(report));
  return [...found, ...folded(report)];
}

// ---- The strip

/** A sum without its currency, as a column of a strip has it. */
function figure(minor, currency) {
  const [whole, fraction] = decimal(Math.abs(minor), currency).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return (minor < 0 ? "-" : "") + (fraction ? `${grouped}.${fraction}` : grouped);
}

/** @param {string} name @param {string} value @param {boolean} [isAmount] @returns {(string | Node)[]} */
function printed(name, value, isAmount = false) {
  // A long name has its value on the line below.
  const room = WIDTH - value.length;
  const before = name.length < room ? name.padEnd(room) : `${name}\n${" ".repeat(Math.max(0, room))}`;
  return [before, isAmount ? amount(value) : value, "\n"];
}

const UNREAD = "Their money is in none of these sums.";
const ABSENT = "The numbers of receipts are not in this report.";
const UNDIVIDED = "By card network, tax, staff, shop and hour: not kept for this report.";

const RULE = "-".repeat(WIDTH) + "\n";
const middle = (text) => " ".repeat(Math.max(0, Math.floor((WIDTH - text.length) / 2))) + text + "\n";
/** A text in lines of the strip. */
const wrapped = (text) =>
  (text.match(new RegExp(`\\S.{0,${WIDTH - 1}}(?=\\s|$)|.{1,${WIDTH}}`, "gu")) ?? []).join("\n") + "\n";

/** A name that fits into a line. */
const shortened = (name) => (name.length > WIDTH ? `${name.slice(0, WIDTH - 1)}…` : name);

/** The report as it is printed. @param {any} report @returns {(string | Node)[]} */
export function strip(report) {
  const { currency, sales, session, totals } = report;
  const isX = report.number === null;
  const of = (name, minor) => (Number.isSafeInteger(minor) ? printed(name, figure(minor, currency), true) : []);
  const made = madeAt(report);
  const at = (name, time) => (time ? printed(name, printedAt(new Date(time)).replace(/^\S+ /, "")) : []);
  const parts = [
    isX ? printed("X REPORT", "changes nothing") : printed("Z REPORT", `No. ${numberOf(report.number, report.epoch)}`),
    report.drawer ? printed("Drawer", report.drawer) : [],
    printed(date(made), clockTime(made)), printed("Times in", offsetOf(made)), printed("Shop's zone", zoneShown()),
    at("Since", report.from), isX ? [] : at("Until", report.until),
    personOf(report.closed_by) ? printed("Closed by", personOf(report.closed_by)) : [],
    printed("Currency", currency), [RULE],
    report.unreadable?.length > 0
      ? [...printed("UNREADABLE PAYMENTS", String(report.unreadable.length)), wrapped(UNREAD), RULE] : [],
    of("Gross sales", sales.gross), of("Refunds", -sales.refunds),
    sales.disputed ? of("Disputed", -sales.disputed) : [], of("NET SALES", sales.net), of("Tips", sales.tips),
    sales.discount_count ? of(`Discounts: ${sales.discount_count}`, sales.discounts) : [],
    printed("Payments", String(sales.count)), printed("Refunds made", String(sales.refund_count)), [RULE],
    ...(report.tenders ?? []).map((one) => of(tenderOf(one.tender), netOf(one))),
    ...(report.drawers ?? []).map((one) => of(`Cash in ${one.drawer}`, netOf(one))), [RULE],
  ];
  for (const one of report.others ?? []) {
    parts.push(printed(`Sales ${one.currency}`, figure(one.gross, one.currency), true),
      printed(`Refunds ${one.currency}`, figure(-one.refunds, one.currency), true),
      one.disputed ? printed(`Disputed ${one.currency}`, figure(-one.disputed, one.currency), true) : []);
  }
  if (report.others?.length > 0) parts.push([RULE]);
  for (const { title, rows, currency: its } of blocks(report)) {
    parts.push([wrapped(title)], ...rows.map(([name, minor]) => printed(shortened(name), figure(minor, its), true)),
      [RULE]);
  }
  if (report.breakdowns === null && !report.drawer) parts.push([wrapped(UNDIVIDED), RULE]);
  if (session) {
    parts.push(of("Float", session.float), of("Opening difference", session.opening_difference),
      session.opening_reason ? [wrapped(session.opening_reason)] : []);
    if (!isBlind(session)) {
      parts.push(of("Cash sales", session.cash_sales), of("Cash refunds", -session.cash_refunds),
        of("Paid in", session.paid_in), of("Paid out", -session.paid_out), of("Bank drops", -session.bank_drops),
        session.refunds_paid ? of("Other refunds in cash", -session.refunds_paid) : [],
        of("Expected", session.expected));
    }
    if (!isX) {
      parts.push(of("Counted", session.counted), of("DIFFERENCE", session.difference),
        report.reason ? [wrapped(report.reason)] : [], of("Stays in the drawer", report.left));
    }
    parts.push([RULE]);
  }
  // The first event of it is the one after the last of the report before.
  const first = report.first_sequence + 1;
  const events = first > report.last_sequence ? "no event" : `${first} to ${report.last_sequence}`;
  parts.push(printed("Journal", events));
  if (report.journal_head) {
    const [sequence, digest] = headOf(report);
    parts.push(printed("Head after event", sequence), [wrapped(digest)]);
  }
  parts.push([RULE]);
  if (totals) {
    parts.push(["Grand totals since start\n"], of("Sales", totals.gross), of("Refunds", -totals.refunds),
      totals.disputed ? of("Disputed", -totals.disputed) : [], of("Net", totals.net));
    for (const one of report.all_totals ?? []) {
      if (one.currency !== currency) parts.push(printed(`Net ${one.currency}`, figure(one.net, one.currency), true));
    }
    parts.push([RULE]);
  }
  if (!isX) {
    parts.push(printed("Previous Z", report.previous === null ? "none" : numberOf(report.previous)), [RULE]);
  }
  parts.push([wrapped(ABSENT), RULE], [middle(isX ? "END OF X" : "END OF Z")]);
  return parts.flat();
}

/** A Z as a row of the list of earlier ones. @param {any} report */
export function reportRow(report) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  const link = make("a", "", { className: "row", href: addressOfReport(report.number, report.drawer ?? FIRST) });
  link.append(make("b", `Z ${numberOf(report.number, report.epoch)}`));
  const when = cell("when");
  when.append(make("time", moment(madeAt(report)), { dateTime: report.closed_at ?? report.until }));
  const by = report.session?.difference;
  const difference = cell("num off");
  const before = report.session?.opening_difference;
  const isOff = Boolean(before);
  if (typeof by === "number") {
    difference.append(amount(
      by !== 0 ? signed(by, report.currency) : isOff ? say("day.closeMatches") : say("day.countMatches")));
  }
  if (isOff) {
    const words = say("day.openingWas", { sum: signed(before, report.currency) });
    difference.append(make("span", words, { className: "under" }));
  }
  element.append(cell("what", link), when, cell("by", personOf(report.closed_by)), difference,
    cell("num sum", amount(signed(report.sales.net, report.currency, false))));
  return element;
}
