// What happened in a span of days, as charts, tables and lists. A figure has one currency.

import { icon, tenderOf } from "./badges.js";
import { $, make } from "./dom.js";
import { barOf, columnChart, heatMap } from "./insights-chart.js";
import { sum } from "./sums.js";

const LANGUAGE = document.documentElement.lang || undefined;
const format = (options) => new Intl.DateTimeFormat(LANGUAGE, { timeZone: "UTC", ...options });
const DAY = format({ weekday: "short", day: "numeric", month: "short" });
const LONG = format({ day: "numeric", month: "short", year: "numeric" });
const [NUMBER, WEEKDAY] = [format({ day: "numeric" }), format({ weekday: "short" })];
const MONTH = format({ month: "short" });
const NONE = { captures: 0, captured: 0, refunds: 0, refunded: 0, net: 0 };
/** Minutes of a usual day. */
const DAY_MINUTES = 1_440;
const DAY_MS = 86_400_000;
/** The hours that are shown at least. */
const USUAL_HOURS = [9, 17];
const PAYOUTS = {
  matched: ["Matched", "paid", "check-circle"], open: ["Remainder open", "unsure", "diamond"],
  no_rows: ["Rows not imported", "wait", "dots"], returned: ["Returned", "stop", "x-octagon"],
  unread: ["Not read", "unsure", "diamond"],
};
const DISPUTES = {
  open: ["Open", "unsure", "flag"], won: ["Won", "paid", "check-circle"], lost: ["Lost", "stop", "x-octagon"],
  closed: ["Closed", "", "dots"],
};

const at = (date) => new Date(date + "T00:00:00Z");
/** A word of a program as a phrase. @param {string} word */
const phrase = (word) => (word.charAt(0).toUpperCase() + word.slice(1)).replaceAll("_", " ");

export const rangeOf = (from, until) => LONG.formatRange(at(from), at(until));

/** By how much more or less; a dash where nothing was before. */
export function change(now, before) {
  if (before === 0) return "–";
  const thousandths = Math.round((now - before) * 1000 / Math.abs(before));
  const sign = thousandths > 0 ? "+" : thousandths < 0 ? "−" : "";
  return `${sign}${(Math.abs(thousandths) / 10).toFixed(1)}%`;
}

const rate = (perMille) => (perMille === null ? "–" : `${(perMille / 10).toFixed(1)}%`);
const part = (of, all) => (all > 0 ? `${Math.round(of * 100 / all)}%` : "–");

function tile(name, figure, below) {
  const element = make("div", "", { className: "tile" });
  const value = make("b", "");
  value.append(make("bdi", figure));
  element.append(make("span", name), value, make("small", below));
  return element;
}

const counted = (/** @type {number} */ number, /** @type {string} */ name) =>
  `${number} ${number === 1 ? name : name + "s"}`;

function tiles(answer, money, currency) {
  const { now, before } = money;
  const attempts = answer.attempts.now;
  const decided = attempts.approved + attempts.declined;
  const stored = answer.offline;
  const risk = stored?.sums?.find((one) => one.currency === currency)?.amount ?? 0;
  const atRisk = stored ? sum(risk, currency) : "–";
  const days = answer.days.length === 1 ? "day" : counted(answer.days.length, "day");
  const beforeWords = before.captured ? `${change(now.captured, before.captured)} vs. previous ${days}`
    : `No sales in the previous ${days}`;
  const rateBefore = answer.attempts.before.approved_per_mille;
  const payments = counted(money.payments, "payment");
  $("tiles").replaceChildren(
    tile("Captured", sum(now.captured, currency), beforeWords),
    tile("Net of refunds", sum(now.net, currency),
      before.net ? `${change(now.net, before.net)}, ${payments}` : payments),
    tile("Approval rate", rate(attempts.approved_per_mille),
      `${attempts.approved} of ${decided} attempts${rateBefore === null ? "" : `; before ${rate(rateBefore)}`}`),
    tile("Refunded", sum(now.refunded, currency),
      `${part(now.refunded, now.captured)} of captured, ${counted(now.refunds, "refund")}`),
    tile("Offline at risk", stored?.fault ? "Not known" : atRisk,
      stored?.fault ?? (stored ? `${stored.count} stored in all currencies` : "No stored cards to see")));
}

function table(caption, heads, lines, foot) {
  const element = make("table", "", { className: "table tight" });
  const head = make("tr", "");
  head.append(...heads.map((text, index) => make("th", text, { scope: "col", className: index ? "num" : "" })));
  const top = make("thead", "");
  top.append(head);
  const row = (cells, value) => {
    const tr = make("tr", "");
    if (value !== undefined) tr.dataset.value = String(value);
    tr.append(...cells.map((text, index) =>
      (index ? make("td", text, { className: "num" }) : make("th", text, { scope: "row" }))));
    return tr;
  };
  const body = make("tbody", "");
  body.append(...lines.map(({ cells, value }) => row(cells, value)));
  element.append(make("caption", caption, { className: "only-sr" }), top, body);
  if (foot) {
    const end = make("tfoot", "");
    end.append(row(foot));
    element.append(end);
  }
  const box = make("div", "", { className: "scroll", tabIndex: 0 });
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `${caption}, as a table`);
  box.append(element);
  return box;
}

/** The figures of days or weeks as columns, and as a table. */
function overTime(answer, money, currency, isByWeek) {
  const of = (minor) => sum(minor, currency);
  const days = new Map(money.days.map((one) => [one.date, one]));
  const weeks = new Map(money.weeks.map((one) => [one.monday, one]));
  /** @type {{date: string, name: string, now: any, before: any}[]} */
  const spans = [];
  for (const { date, weekday, minutes } of answer.days) {
    if (!isByWeek) {
      const odd = minutes === DAY_MINUTES ? "" : ` (${minutes / 60} hours)`;
      const { now, before } = days.get(date) ?? { now: NONE, before: NONE };
      spans.push({ date, name: DAY.format(at(date)) + odd, now, before });
      continue;
    }
    const monday = new Date(at(date).getTime() - (weekday - 1) * DAY_MS).toISOString().slice(0, 10);
    if (spans.at(-1)?.date === monday) continue;
    const name = `Week of ${DAY.format(at(monday))}`;
    spans.push({ date: monday, name, now: weeks.get(monday) ?? NONE, before: null });
  }
  const name = `Captured by ${isByWeek ? "week" : "day"}`;
  const last = answer.days.at(-1)?.date;
  const columns = spans.map(({ date, name: span, now, before }) => ({
    label: NUMBER.format(at(date)), under: isByWeek ? MONTH.format(at(date)) : WEEKDAY.format(at(date)),
    value: now.captured, was: before ? before.captured : null, isStrong: date === last,
    words: `${span}: ${of(now.captured)}${before ? `, before ${of(before.captured)}` : ""}`,
  }));
  $("over-time-title").textContent = name;
  $("legend-before").hidden = isByWeek;
  $("over-time").replaceChildren(...columnChart(columns, of, `${name} in ${currency}`));
  const heads = [isByWeek ? "Week" : "Day", "Captured", "Refunded", "Net", ...(isByWeek ? [] : ["Before", "Change"])];
  const cells = (span, now, before) => [
    span, of(now.captured), of(now.refunded), of(now.net),
    ...(before ? [of(before.captured), change(now.captured, before.captured)] : []),
  ];
  $("over-time-table").replaceChildren(table(
    name, heads, spans.map(({ name: span, now, before }) => ({ cells: cells(span, now, before), value: now.captured })),
    cells("Sum", money.now, isByWeek ? null : money.before)));
  for (const [id, isOn] of [["by-day", !isByWeek], ["by-week", isByWeek]]) {
    $(id).setAttribute("aria-pressed", String(isOn));
  }
}

function hours(money) {
  const found = new Map(money.hours.map((one) => [`${one.weekday} ${one.hour}`, one]));
  const used = money.hours.map(({ hour }) => hour);
  // At least the usual hours, so that one hour is not a row as wide as the page.
  const [first, last] = [Math.min(USUAL_HOURS[0], ...used), Math.max(USUAL_HOURS[1], ...used)];
  // 2024-01-01 was a Monday.
  const rows = [1, 2, 3, 4, 5, 6, 7].map((weekday) => {
    const name = WEEKDAY.format(new Date(Date.UTC(2024, 0, weekday)));
    const cells = [];
    for (let hour = first; hour <= last; hour += 1) {
      const value = found.get(`${weekday} ${hour}`)?.captures ?? 0;
      cells.push({ hour, value, words: `${name}, ${hour} to ${hour + 1}: ${value} captures` });
    }
    return { name, cells };
  });
  const name = "Captures by weekday and hour";
  $("hours").replaceChildren(...heatMap(rows, name));
  const most = Math.max(0, ...rows.flatMap(({ cells }) => cells.map(({ value }) => value)));
  $("hours-most").textContent = `up to ${most}`;
  $("hours-table").replaceChildren(table(
    name, ["Day", ...(rows[0]?.cells.map(({ hour }) => String(hour)) ?? [])],
    rows.map((row) => ({ cells: [row.name, ...row.cells.map(({ value }) => String(value))] }))));
}

/** @param {string} id @param {{name: string, below?: string, value: number, cells: string[]}[]} lines */
function bars(id, lines, isStriped = false) {
  const most = Math.max(1, ...lines.map(({ value }) => Math.abs(value)));
  $(id).replaceChildren(...lines.map(({ name, below, value, cells }) => {
    const row = make("tr", "");
    row.dataset.value = String(value);
    const head = make("th", name, { scope: "row" });
    if (below) head.append(make("span", below, { className: "under" }));
    const drawn = make("td", "", { className: "bar" });
    drawn.append(barOf(Math.max(0, value) / most, isStriped));
    row.append(head, drawn, ...cells.map((text, index) =>
      make("td", text, { className: index < cells.length - 1 ? "pct" : "" })));
    return row;
  }));
  $(id).closest("table").hidden = lines.length === 0;
  $(id + "-none").hidden = lines.length > 0;
}

function entry(name, below, [word, tone, shape], figure, href = "") {
  const element = make("li", "");
  const words = make("span", "");
  const title = make("b", "");
  title.append(href ? make("a", name, { href }) : name);
  words.append(title, make("small", below));
  const badge = make("span", "", { className: `badge ${tone}`.trim() });
  badge.append(icon(shape), word);
  const amount = make("b", "", { className: "n" });
  amount.append(make("bdi", figure));
  element.append(words, badge, amount);
  return element;
}

/** @param {string | null} time @param {any} now */
function deadline(time, now) {
  if (!time) return "No deadline is known";
  const left = Math.ceil((new Date(time).getTime() - new Date(now).getTime()) / DAY_MS);
  return `Answer by ${new Date(time).toLocaleString(LANGUAGE)}: ${left > 0 ? `${left} days left` : "passed"}`;
}

function lists(answer) {
  const { payouts, disputes } = answer;
  $("payouts").replaceChildren(...(payouts?.payouts ?? []).map((one) => {
    const of = (minor) => sum(minor, one.currency);
    const open = [
      ...(one.remainder ? [`${of(one.remainder)} not explained`] : []),
      ...(one.open_rows ? [`${one.open_rows} rows open`] : []),
    ];
    const below = [`${one.rows} rows, fees ${of(one.fees)}`, ...open, `${one.provider} ${one.id}`].join(", ");
    return entry(LONG.format(new Date(one.at)), below, PAYOUTS[one.state] ?? [phrase(one.state), "", "dots"],
      of(one.amount));
  }));
  $("payouts-none").hidden = (payouts?.payouts.length ?? 0) > 0;
  $("payouts-none").textContent = payouts ? "No statement has a payout in these days."
    : "Payouts are for whoever reviews the statements of the shop's own account.";
  $("breaks").textContent = payouts?.open_breaks ? `${payouts.open_breaks} differences open` : "";
  $("breaks").hidden = !payouts?.open_breaks;
  $("payouts-part").hidden = payouts?.complete !== false;
  $("disputes").replaceChildren(...disputes.map((one) => {
    const below = one.state === "open" ? deadline(one.respond_by, answer.at) : `${phrase(one.stage)}, ${one.provider}`;
    return entry(`#${one.order_number}, ${phrase(one.reason).toLowerCase()}`, below,
      DISPUTES[one.state] ?? [phrase(one.state), "", "dots"], sum(one.amount, one.currency),
      "/payments/" + one.payment_id);
  }));
  $("disputes-none").hidden = disputes.length > 0;
  $("disputes-more").hidden = !answer.further_disputes;
  $("disputes-more").textContent = `${answer.further_disputes} more are not listed.`;
}

/** What the figures leave out, which is never silent. */
function omissions(answer) {
  const words = answer.read.omission ?? "";
  $("omission").hidden = !words;
  $("omission").textContent = words;
  const { count } = answer.unreadable;
  $("unreadable").hidden = count === 0;
  $("unreadable").textContent = count === 0 ? ""
    : `${count} payments cannot be read; their money is not included in any total. Tell whoever runs the till.`;
}

/** @param {any} answer @param {string} currency @param {boolean} isByWeek */
export function render(answer, currency, isByWeek) {
  const { now, before } = answer.attempts;
  const money = answer.currencies.find((one) => one.currency === currency)
    ?? { currency, payments: 0, now: NONE, before: NONE, days: [], weeks: [], tenders: [], hours: [],
      refund_reasons: [] };
  $("about").textContent = `${rangeOf(answer.from, answer.until)}, ${answer.zone}`;
  omissions(answer);
  $("attention").hidden = !answer.attention;
  const { open, has_more: hasMore, incidents } = answer.attention ?? { open: 0, has_more: false, incidents: 0 };
  $("attention").textContent = `${hasMore ? "At least " : ""}${open + incidents} need attention`;
  const attempts = now.approved + now.declined + before.approved + before.declined;
  const isEmpty = answer.currencies.length === 0 && attempts === 0 && answer.disputes.length === 0
    && !answer.payouts?.payouts.length;
  $("empty").hidden = !isEmpty;
  $("figures").hidden = isEmpty;
  if (isEmpty) return;
  tiles(answer, money, currency);
  overTime(answer, money, currency, isByWeek);
  hours(money);
  const tenders = [...money.tenders].sort((left, right) => right.now.captured - left.now.captured);
  bars("tenders", tenders.map((one) => ({
    name: tenderOf(one.tender), value: one.now.captured,
    cells: [part(one.now.captured, money.now.captured), change(one.now.captured, one.before.captured),
      sum(one.now.captured, currency)],
  })));
  bars("declines", answer.attempts.declines.map((one) => ({
    name: phrase(one.reason), below: [one.provider, one.code].filter(Boolean).join(": "), value: one.count,
    cells: [String(one.count)],
  })), true);
  bars("reasons", [...money.refund_reasons].sort((left, right) => right.refunded - left.refunded).map((one) => ({
    name: one.reason || "No reason given", value: one.refunded,
    cells: [`${one.refunds}`, sum(one.refunded, currency)],
  })));
  lists(answer);
}
