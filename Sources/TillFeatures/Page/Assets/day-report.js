// X and Z: what was sold and what the drawer held. As tables, and as the strip of paper that is printed.

import { tenderOf } from "./badges.js";
import { make } from "./dom.js";
import { amount, cell, isBlind, ledger, personOf, signed } from "./day-session.js";
import { decimal } from "./money.js";
import { sum } from "./sums.js";

const LANGUAGE = document.documentElement.lang || undefined;
const WHEN = new Intl.DateTimeFormat(LANGUAGE, {
  weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  second: "2-digit",
});
const DATE = new Intl.DateTimeFormat(LANGUAGE, { day: "2-digit", month: "short", year: "numeric" });
const TIME = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
/** Characters in a line of the strip. */
const WIDTH = 32;

/**
 * A number of a Z as it stands on it. After a restore numbers come again, which the journal's epoch tells apart.
 * @param {number} number @param {number} [epoch]
 */
export const numberOf = (number, epoch = 1) => String(number).padStart(4, "0") + (epoch > 1 ? `/${epoch}` : "");

/** When a report was made: a closed one at its close, which is later than the count that it goes up to. */
const madeAt = (report) => new Date(report.closed_at ?? report.until ?? Date.now());

/** How a report is called, and when it was made by whom. @param {any} report @returns {[string, string]} */
export function titleOf(report) {
  const when = WHEN.format(madeAt(report));
  if (report.number === null) return ["X report", `Read ${when}. Changes nothing.`];
  const by = personOf(report.closed_by);
  return [`Z report ${numberOf(report.number, report.epoch)}`, `Closed ${when}${by && ` by ${by}`}`];
}

/** The figures that are looked for first. @param {any} report */
export function tiles(report) {
  const of = (minor) => signed(minor, report.currency, false);
  const { session, sales } = report;
  const shown = [["Net sales", of(sales.net)], ["Payments", String(sales.count)], ["Refunds", of(-sales.refunds)]];
  if (report.number === null) {
    if (session && !isBlind(session)) shown.push(["Expected cash", of(session.expected)]);
  } else if (typeof session?.difference === "number") {
    shown.push(["Cash difference", of(session.difference)]);
  }
  if (session?.opening_difference) shown.push(["Opening difference", of(session.opening_difference)]);
  return shown.map(([name, text]) => {
    const tile = make("div", "", { className: "tile" });
    const figure = make("b", "");
    figure.append(amount(text));
    tile.append(make("span", name), figure);
    return tile;
  });
}

function head(titles) {
  const group = make("thead", "");
  group.setAttribute("role", "rowgroup");
  const line = make("tr", "");
  line.setAttribute("role", "row");
  line.append(...titles.map((title, index) => {
    const element = make("th", title, { scope: "col", className: index ? "num" : "" });
    element.setAttribute("role", "columnheader");
    return element;
  }));
  group.append(line);
  return group;
}

function line(name, texts) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  const first = make("th", name, { scope: "row" });
  first.setAttribute("role", "rowheader");
  element.append(first, ...texts.map((text) => cell("num", amount(text))));
  return element;
}

function group(tag, lines) {
  const element = make(tag, "");
  element.setAttribute("role", "rowgroup");
  element.append(...lines);
  return element;
}

/** A table that scrolls by itself where it is too wide. */
function table(title, titles, lines, last) {
  const element = make("table", "", { className: "table tight" });
  element.setAttribute("role", "table");
  element.append(make("caption", title, { className: "cap" }), head(titles), group("tbody", lines));
  if (last) element.append(group("tfoot", [last]));
  const pane = make("div", "", { className: "pane scroll", tabIndex: 0 });
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", title);
  pane.append(element);
  return pane;
}

/** What is left of a line's money. */
export const netOf = (one) => one.captured - one.refunded - (one.disputed ?? 0);
const added = (list, member) => list.reduce((all, one) => all + (one[member] ?? 0), 0);

function by(title, member, list, currency) {
  const hasDisputes = list.some((one) => one.disputed);
  const nameOf = (one) => (member === "tender" ? tenderOf(one.tender) : one.provider || "None");
  const texts = ({ count = 0, captured = 0, refunded = 0, disputed = 0 }) =>
    [String(count), sum(captured, currency), signed(-refunded, currency, false),
      ...(hasDisputes ? [signed(-disputed, currency, false)] : []),
      signed(captured - refunded - disputed, currency, false)];
  const [count, captured, refunded, disputed] =
    ["count", "captured", "refunded", "disputed"].map((name) => added(list, name));
  return table(title, [member === "tender" ? "Tender" : "Provider", "Count", "Sales", "Refunds",
    ...(hasDisputes ? ["Disputed"] : []), "Net"],
  list.map((one) => line(nameOf(one), texts(one))), line("Sum", texts({ count, captured, refunded, disputed })));
}

/** The drawer of the day: from the float to what was counted and what stays. */
function drawer(report) {
  const { session, currency } = report;
  const list = make("dl", "", { className: "ledger" });
  const add = (name, text, className = "") => {
    const pair = make("div", "", { className });
    const value = make("dd", "");
    value.append(name.endsWith("eason") ? text : amount(text));
    pair.append(make("dt", name), value);
    list.append(pair);
  };
  if (session.opening_difference) add("Opening difference", signed(session.opening_difference, currency));
  if (session.opening_reason) add("Opening reason", session.opening_reason);
  if (!isBlind(session)) list.append(...ledger(session, report.number !== null));
  if (typeof session.difference === "number") add("Difference", signed(session.difference, currency), "line2");
  if (report.reason) add("Reason", report.reason);
  if (typeof report.left === "number") add("Stays in the drawer", sum(report.left, currency));
  const pane = make("section", "", { className: "pane" });
  pane.setAttribute("aria-labelledby", "report-drawer");
  const header = make("header", "");
  header.append(make("h3", "Drawer", { id: "report-drawer" }));
  const body = make("div", "", { className: "body" });
  body.append(list);
  pane.append(header, body);
  return pane;
}

/** The tables of a report. @param {any} report */
export function tables(report) {
  const { currency } = report;
  const found = [by("By tender", "tender", report.tenders ?? [], currency)];
  if (report.providers?.length > 0) found.push(by("By provider", "provider", report.providers, currency));
  if (report.others?.length > 0) {
    found.push(table("In other currencies", ["Currency", "Sales", "Refunds"], report.others.map((one) =>
      line(one.currency, [sum(one.gross, one.currency), signed(-one.refunds, one.currency, false)]))));
  }
  if (report.session) found.push(drawer(report));
  return found;
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
const ABSENT = "Tax, discounts and the numbers of receipts are not in this report.";

/** How far the clock of a printed time is from UTC. @param {Date} date */
function zoneOf(date) {
  const minutes = -date.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

const RULE = "-".repeat(WIDTH) + "\n";
const middle = (text) => " ".repeat(Math.max(0, Math.floor((WIDTH - text.length) / 2))) + text + "\n";
/** A text in lines of the strip. */
const wrapped = (text) =>
  (text.match(new RegExp(`\\S.{0,${WIDTH - 1}}(?=\\s|$)|.{1,${WIDTH}}`, "gu")) ?? []).join("\n") + "\n";

/** The report as it is printed. @param {any} report @returns {(string | Node)[]} */
export function strip(report) {
  const { currency, sales, session, totals } = report;
  const isX = report.number === null;
  const of = (name, minor) => (Number.isSafeInteger(minor) ? printed(name, figure(minor, currency), true) : []);
  const made = madeAt(report);
  const at = (name, time) => (time ? printed(name, WHEN.format(new Date(time)).replace(/^\S+ /, "")) : []);
  const parts = [
    isX ? printed("X REPORT", "changes nothing") : printed("Z REPORT", `No. ${numberOf(report.number, report.epoch)}`),
    printed(DATE.format(made), TIME.format(made)), printed("Times in", zoneOf(made)),
    at("Since", report.from), isX ? [] : at("Until", report.until),
    personOf(report.closed_by) ? printed("Closed by", personOf(report.closed_by)) : [],
    printed("Currency", currency), [RULE],
    report.unreadable?.length > 0
      ? [...printed("UNREADABLE PAYMENTS", String(report.unreadable.length)), wrapped(UNREAD), RULE] : [],
    of("Gross sales", sales.gross), of("Refunds", -sales.refunds),
    sales.disputed ? of("Disputed", -sales.disputed) : [], of("NET SALES", sales.net), of("Tips", sales.tips),
    printed("Payments", String(sales.count)), printed("Refunds made", String(sales.refund_count)), [RULE],
    ...(report.tenders ?? []).map((one) => of(tenderOf(one.tender), netOf(one))), [RULE],
  ];
  for (const one of report.others ?? []) {
    parts.push(printed(`Sales ${one.currency}`, figure(one.gross, one.currency), true),
      printed(`Refunds ${one.currency}`, figure(-one.refunds, one.currency), true),
      one.disputed ? printed(`Disputed ${one.currency}`, figure(-one.disputed, one.currency), true) : []);
  }
  if (report.others?.length > 0) parts.push([RULE]);
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
  parts.push(printed("Journal", events), [RULE]);
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
  const link = make("a", "", { className: "row", href: `/day?report=${report.number}` });
  link.append(make("b", `Z ${numberOf(report.number, report.epoch)}`));
  const when = cell("when");
  when.append(make("time", WHEN.format(madeAt(report)), { dateTime: report.closed_at ?? report.until }));
  const by = report.session?.difference;
  const difference = cell("num off");
  const before = report.session?.opening_difference;
  const isOff = Boolean(before);
  if (typeof by === "number") {
    difference.append(amount(by !== 0 ? signed(by, report.currency) : isOff ? "closed: matches" : "matches"));
  }
  if (isOff) {
    const under = make("span", "opened: ", { className: "under" });
    under.append(amount(signed(before, report.currency)));
    difference.append(under);
  }
  element.append(cell("what", link), when, cell("by", personOf(report.closed_by)), difference,
    cell("num sum", amount(signed(report.sales.net, report.currency, false))));
  return element;
}
