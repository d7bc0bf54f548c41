// The tables of X and Z: the same money divided by one thing each. Folded below the report, and as blocks of its strip.

import { tenderOf } from "./badges.js";
import { amount, cell, signed, tenderShown } from "./day-session.js";
import { make } from "./dom.js";
import { sum } from "./sums.js";
import { say } from "./words.js";

const NUMBER = new Intl.NumberFormat(document.documentElement.lang || undefined);

/** How each table is called on the page, what it divides by, and how it is called on the strip, which is English. */
const TABLES = {
  network: { title: say("day.byNetwork"), by: say("day.network"), printed: "By card network" },
  tax: { title: say("day.byTax"), by: say("day.tax"), printed: "By tax" },
  tip: { title: say("day.byTips"), by: say("day.tender"), printed: "Tips by tender" },
  refund: { title: say("day.byReason"), by: say("day.reason"), printed: "Refunds by reason" },
  staff: { title: say("day.byStaff"), by: say("day.person"), printed: "By staff" },
  shop: { title: say("day.byShop"), by: say("day.shop"), printed: "By shop" },
  hour: { title: "", by: say("day.hour"), printed: "By hour" },
};
const KINDS = {
  no_card: { shown: say("day.noCard"), printed: "No card" },
  net: { shown: say("day.netOfTax"), printed: "Price without tax" },
  tips: { shown: say("day.tips"), printed: "Tips" },
  other: { shown: say("day.otherTender"), printed: "Other" },
  not_known: { shown: say("day.notKnown"), printed: "Not known" },
};

function head(titles) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  element.append(...titles.map((title, index) => {
    const one = make("th", title, { scope: "col", className: index ? "num" : "" });
    one.setAttribute("role", "columnheader");
    return one;
  }));
  return group("thead", [element]);
}

/** A row of a table. @param {string | Node} name @param {string[]} texts */
export function line(name, texts) {
  const element = make("tr", "");
  element.setAttribute("role", "row");
  const first = make("th", "", { scope: "row" });
  first.setAttribute("role", "rowheader");
  first.append(name);
  element.append(first, ...texts.map((text) => cell("num", amount(text))));
  return element;
}

function group(tag, lines) {
  const element = make(tag, "");
  element.setAttribute("role", "rowgroup");
  element.append(...lines);
  return element;
}

/**
 * A table that scrolls by itself where it is too wide.
 * @param {string} title @param {string[]} titles @param {Node[]} lines @param {Node} [last]
 * @param {boolean} [isNamed] Its title stands on it.
 */
export function table(title, titles, lines, last, isNamed = true) {
  const element = make("table", "", { className: "table tight" });
  element.setAttribute("role", "table");
  if (isNamed) element.append(make("caption", title, { className: "cap" }));
  element.append(head(titles), group("tbody", lines));
  if (last) element.append(group("tfoot", [last]));
  const pane = make("div", "", { className: "pane scroll", tabIndex: 0 });
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", title);
  pane.append(element);
  return pane;
}

/** What is left of a line's money. */
export const netOf = (one) => one.captured - one.refunded - (one.disputed ?? 0);

/** What a table divides: tips or refunds alone, or what is left of the sales. */
const shareOf = (by, one) => (by === "tip" ? one.tips : by === "refund" ? one.refunded : netOf(one));

/** The name of a row on the page. */
function named(by, { kind, name }) {
  if (kind !== "named") return KINDS[kind]?.shown ?? kind;
  return by === "tip" ? tenderShown(name) : make("bdi", by === "hour" ? `${name}:00` : name);
}

/** The columns of a table: each a title, and its text of a row. */
function columns(by, rows, currency) {
  const of = (minor) => signed(minor, currency, false);
  if (by === "tip") return [{ title: say("day.tips"), text: (one) => of(one.tips) }];
  const count = { title: say("day.number"), text: (one) => NUMBER.format(one.count) };
  const refundCount = { title: say("day.number"), text: (one) => NUMBER.format(one.refund_count) };
  const refunds = { title: say("day.refunds"), text: (one) => of(-one.refunded) };
  if (by === "refund") return [refundCount, refunds];
  const has = (member) => rows.some((one) => one[member]);
  return [
    // A payment is in several taxes, and is no number in one.
    ...(by === "tax" ? [] : [count]), { title: say("day.sales"), text: (one) => sum(one.captured, currency) }, refunds,
    ...(has("disputed") ? [{ title: say("badge.disputed"), text: (one) => of(-one.disputed) }] : []),
    { title: say("day.net"), text: (one) => of(netOf(one)) },
    ...(has("tips") ? [{ title: say("day.tips"), text: (one) => of(one.tips) }] : []),
    ...(has("discounts") ? [{ title: say("day.discounts"), text: (one) => of(one.discounts) }] : []),
  ];
}

function whole(rows) {
  const all = { count: 0, captured: 0, refund_count: 0, refunded: 0, disputed: 0, tips: 0, discounts: 0 };
  for (const row of rows) for (const member of Object.keys(all)) all[member] += row[member];
  return all;
}

/** @param {any} report The tables with money, each folded; a sentence for a report of before they were kept. */
export function folded(report) {
  if (report.breakdowns === null) {
    const words = report.drawer ? say("day.accountHasTables") : say("day.noTables");
    return [make("p", words, { className: "small soft" })];
  }
  return (report.breakdowns ?? []).filter(({ rows }) => rows.length > 0).map(({ by, currency, rows }) => {
    const known = TABLES[by] ?? { title: by, by };
    const name = by === "hour" ? say("day.byHour", { zone: report.zone ?? "" }) : known.title;
    const title = currency === report.currency ? name : `${name}, ${currency}`;
    const shown = columns(by, rows, currency);
    const texts = (one) => shown.map(({ text }) => text(one));
    const box = make("details", "", { className: "folded" });
    box.dataset.by = by;
    box.append(make("summary", title), table(
      title, [known.by, ...shown.map((one) => one.title)], rows.map((one) => line(named(by, one), texts(one))),
      line(say("day.sum"), texts(whole(rows))), false));
    return box;
  });
}

/**
 * The same as short blocks of the strip: the name of each row, and what is left of its money.
 * @param {any} report @returns {{title: string, currency: string, rows: [string, number][]}[]}
 */
export function blocks(report) {
  return (report.breakdowns ?? []).filter(({ rows }) => rows.length > 0).map(({ by, currency, rows }) => {
    const name = TABLES[by]?.printed ?? by;
    const word = ({ kind, name: its }) => (kind !== "named" ? KINDS[kind]?.printed ?? kind
      : by === "tip" ? tenderOf(its) : by === "hour" ? `${its}:00` : its);
    return {
      title: currency === report.currency ? name : `${name}, ${currency}`, currency,
      rows: rows.map((one) => [word(one), shareOf(by, one)]),
    };
  });
}
