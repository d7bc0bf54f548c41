// What happened in a span of days, as charts, tables and lists. A figure has one currency.

import { icon, tenderOf } from "./badges.js";
import { elsewhere, keepZone, time } from "./clock.js";
import { $, make } from "./dom.js";
import { barOf, columnChart, heatMap } from "./insights-chart.js";
import { sum } from "./sums.js";
import { foreign, locale, parts, say } from "./words.js";

const LANGUAGE = document.documentElement.lang || undefined;
const format = (options) => new Intl.DateTimeFormat(LANGUAGE, { timeZone: "UTC", ...options });
const DAY = format({ weekday: "short", day: "numeric", month: "short" });
const LONG = format({ day: "numeric", month: "short", year: "numeric" });
const [NUMBER, WEEKDAY] = [format({ day: "numeric" }), format({ weekday: "short" })];
const MONTH = format({ month: "short" });
const plainly = (/** @type {Intl.NumberFormatOptions} */ options) =>
  new Intl.NumberFormat(LANGUAGE, { useGrouping: false, ...options });
const FIGURE = plainly({});
const WHOLE = plainly({ style: "percent" });
const TENTHS = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const RATE = plainly({ style: "percent", ...TENTHS });
const CHANGE = plainly({ style: "percent", signDisplay: "exceptZero", ...TENTHS });
const NONE = { captures: 0, captured: 0, refunds: 0, refunded: 0, net: 0 };
/** Minutes of a usual day. */
const DAY_MINUTES = 1_440;
const DAY_MS = 86_400_000;
/** The hours that are shown at least. */
const USUAL_HOURS = [9, 17];
const PAYOUTS = {
  matched: [say("insights.matched"), "paid", "check-circle"], open: [say("insights.remainder"), "unsure", "diamond"],
  no_rows: [say("insights.noRows"), "wait", "dots"], returned: [say("insights.returned"), "stop", "x-octagon"],
  unread: [say("insights.unread"), "unsure", "diamond"],
};
const DISPUTES = {
  open: [say("insights.open"), "unsure", "flag"], won: [say("insights.won"), "paid", "check-circle"],
  lost: [say("insights.lost"), "stop", "x-octagon"], closed: [say("insights.closed"), "", "dots"],
};
/** Tenders that have a word in the language of the page. @type {Record<string, string>} */
const TENDERS = {
  card: say("take.card"), reader: say("take.reader"), cash: say("take.cash"), wallet: say("insights.wallet"),
  elsewhere: say("insights.elsewhere"), other: say("insights.other"), "": say("insights.noTender"),
};

const at = (date) => new Date(date + "T00:00:00Z");
/** A word of a program as a phrase, which is English. @param {string} word */
const phrase = (word) => foreign((word.charAt(0).toUpperCase() + word.slice(1)).replaceAll("_", " "));
/** A count for a sentence; English has it without separators. @param {number} count */
const counted = (count) => (locale ? count : String(count));
/** Texts one after the other. @param {string[]} texts */
const listed = (texts) => texts.reduce((one, other) => say("insights.pair", { one, other }));

export const rangeOf = (from, until) => LONG.formatRange(at(from), at(until));

/** By how much more or less; a dash where nothing was before. */
export function change(now, before) {
  if (before === 0) return "–";
  const thousandths = Math.round((now - before) * 1000 / Math.abs(before)) || 0;
  return CHANGE.formatToParts(thousandths / 1000)
    .map(({ type, value }) => (type === "minusSign" ? value.replace("-", "−") : value)).join("");
}

const rate = (perMille) => (perMille === null ? "–" : RATE.format(perMille / 1000));
const part = (of, all) => (all > 0 ? WHOLE.format(Math.round(of * 100 / all) / 100) : "–");

function tile(name, figure, below) {
  const element = make("div", "", { className: "tile" });
  const value = make("b", "");
  value.append(make("bdi", figure));
  const small = make("small", "");
  small.append(...parts(below));
  element.append(make("span", name), value, small);
  return element;
}

function tiles(answer, money, currency) {
  const { now, before } = money;
  const attempts = answer.attempts.now;
  const decided = attempts.approved + attempts.declined;
  const stored = answer.offline;
  const risk = stored?.sums?.find((one) => one.currency === currency)?.amount ?? 0;
  const atRisk = stored ? sum(risk, currency) : "–";
  const days = { count: counted(answer.days.length) };
  const beforeWords = before.captured
    ? say("insights.versus", { change: change(now.captured, before.captured), ...days })
    : say("insights.noneBefore", days);
  const rateBefore = answer.attempts.before.approved_per_mille;
  const payments = say("insights.payments", { count: counted(money.payments) });
  const tried = say("insights.attempts", { approved: counted(attempts.approved), count: counted(decided) });
  $("tiles").replaceChildren(
    tile(say("insights.captured"), sum(now.captured, currency), beforeWords),
    tile(say("insights.netOfRefunds"), sum(now.net, currency),
      before.net ? listed([change(now.net, before.net), payments]) : payments),
    tile(say("insights.approval"), rate(attempts.approved_per_mille),
      rateBefore === null ? tried : say("insights.rateBefore", { attempts: tried, rate: rate(rateBefore) })),
    tile(say("insights.refunded"), sum(now.refunded, currency), listed([
      say("insights.ofCaptured", { share: part(now.refunded, now.captured) }),
      say("insights.refunds", { count: counted(now.refunds) }),
    ])),
    tile(say("insights.atRisk"), stored?.fault ? say("insights.notKnown") : atRisk,
      stored?.fault ? foreign(stored.fault)
        : stored ? say("insights.stored", { count: counted(stored.count) }) : say("insights.noStored")));
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
  box.setAttribute("aria-label", say("insights.asTable", { name: caption }));
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
      const usual = DAY.format(at(date));
      const name = minutes === DAY_MINUTES ? usual : say("insights.oddDay", { day: usual, count: minutes / 60 });
      const { now, before } = days.get(date) ?? { now: NONE, before: NONE };
      spans.push({ date, name, now, before });
      continue;
    }
    const monday = new Date(at(date).getTime() - (weekday - 1) * DAY_MS).toISOString().slice(0, 10);
    if (spans.at(-1)?.date === monday) continue;
    const name = say("insights.weekOf", { day: DAY.format(at(monday)) });
    spans.push({ date: monday, name, now: weeks.get(monday) ?? NONE, before: null });
  }
  const name = say(isByWeek ? "insights.byWeek" : "insights.byDay");
  const last = answer.days.at(-1)?.date;
  const columns = spans.map(({ date, name: span, now, before }) => ({
    label: NUMBER.format(at(date)), under: isByWeek ? MONTH.format(at(date)) : WEEKDAY.format(at(date)),
    value: now.captured, was: before ? before.captured : null, isStrong: date === last,
    words: say(before ? "insights.columnBefore" : "insights.column",
      { span, sum: of(now.captured), before: before && of(before.captured) }),
  }));
  $("over-time-title").textContent = name;
  $("legend-before").hidden = isByWeek;
  $("over-time").replaceChildren(...columnChart(columns, of, say("insights.inCurrency", { name, currency })));
  const heads = [
    say(isByWeek ? "insights.week" : "insights.day"), say("insights.captured"), say("insights.refunded"),
    say("insights.net"), ...(isByWeek ? [] : [say("insights.before"), say("insights.change")]),
  ];
  const cells = (span, now, before) => [
    span, of(now.captured), of(now.refunded), of(now.net),
    ...(before ? [of(before.captured), change(now.captured, before.captured)] : []),
  ];
  $("over-time-table").replaceChildren(table(
    name, heads, spans.map(({ name: span, now, before }) => ({ cells: cells(span, now, before), value: now.captured })),
    cells(say("insights.sum"), money.now, isByWeek ? null : money.before)));
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
      const words = say("insights.hour", { day: name, from: hour, until: hour + 1, count: counted(value) });
      cells.push({ hour: FIGURE.format(hour), value, words });
    }
    return { name, cells };
  });
  const name = say("insights.byHour");
  $("hours").replaceChildren(...heatMap(rows, name));
  const most = Math.max(0, ...rows.flatMap(({ cells }) => cells.map(({ value }) => value)));
  $("hours-most").textContent = say("insights.upTo", { count: counted(most) });
  $("hours-table").replaceChildren(table(
    name, [say("insights.day"), ...(rows[0]?.cells.map(({ hour }) => hour) ?? [])],
    rows.map((row) => ({ cells: [row.name, ...row.cells.map(({ value }) => FIGURE.format(value))] }))));
}

/** @param {string} id @param {{name: string, below?: string, value: number, cells: string[]}[]} lines */
function bars(id, lines, isStriped = false) {
  const most = Math.max(1, ...lines.map(({ value }) => Math.abs(value)));
  $(id).replaceChildren(...lines.map(({ name, below, value, cells }) => {
    const row = make("tr", "");
    row.dataset.value = String(value);
    const head = make("th", "", { scope: "row" });
    const text = make("bdi", "");
    text.append(...parts(name));
    head.append(text);
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
  const holder = href ? make("a", "", { href }) : title;
  holder.append(...parts(name));
  if (href) title.append(holder);
  const small = make("small", "");
  small.append(...parts(below));
  words.append(title, small);
  const badge = make("span", "", { className: `badge ${tone}`.trim() });
  badge.append(icon(shape), ...parts(word));
  const amount = make("b", "", { className: "n" });
  amount.append(make("bdi", figure));
  element.append(words, badge, amount);
  return element;
}

/** @param {string | null} moment @param {any} now */
function deadline(moment, now) {
  if (!moment) return say("insights.noDeadline");
  const left = Math.ceil((new Date(moment).getTime() - new Date(now).getTime()) / DAY_MS);
  const until = { time: time(moment) };
  return left > 0 ? say("insights.daysLeft", { ...until, count: left }) : say("insights.passed", until);
}

function lists(answer) {
  const { payouts, disputes } = answer;
  $("payouts").replaceChildren(...(payouts?.payouts ?? []).map((one) => {
    const of = (minor) => sum(minor, one.currency);
    const open = [
      ...(one.remainder ? [say("insights.notExplained", { sum: of(one.remainder) })] : []),
      ...(one.open_rows ? [say("insights.openRows", { count: counted(one.open_rows) })] : []),
    ];
    const below = listed([
      say("insights.rows", { count: counted(one.rows) }), say("insights.fees", { sum: of(one.fees) }), ...open,
      `${one.provider} ${one.id}`,
    ]);
    return entry(LONG.format(new Date(one.at)), below, PAYOUTS[one.state] ?? [phrase(one.state), "", "dots"],
      of(one.amount));
  }));
  $("payouts-none").hidden = (payouts?.payouts.length ?? 0) > 0;
  $("payouts-none").textContent = say(payouts ? "insights.noPayouts" : "insights.payoutsHidden");
  $("breaks").textContent = payouts?.open_breaks ? say("insights.breaks", { count: counted(payouts.open_breaks) }) : "";
  $("breaks").hidden = !payouts?.open_breaks;
  $("payouts-part").hidden = payouts?.complete !== false;
  $("disputes").replaceChildren(...disputes.map((one) => {
    const below = one.state === "open" ? deadline(one.respond_by, answer.at)
      : listed([phrase(one.stage), one.provider]);
    return entry(listed([`#${one.order_number}`, phrase(one.reason).toLowerCase()]), below,
      DISPUTES[one.state] ?? [phrase(one.state), "", "dots"], sum(one.amount, one.currency),
      "/payments/" + one.payment_id);
  }));
  $("disputes-none").hidden = disputes.length > 0;
  $("disputes-more").hidden = !answer.further_disputes;
  $("disputes-more").textContent = say("insights.moreDisputes", { count: counted(answer.further_disputes) });
}

/** What the figures leave out, which is never silent. */
function omissions(answer) {
  const words = answer.read.omission ?? "";
  $("omission").hidden = !words;
  $("omission").replaceChildren(...parts(foreign(words)));
  const { count } = answer.unreadable;
  $("unreadable").hidden = count === 0;
  $("unreadable").textContent = count === 0 ? "" : say("insights.unreadable", { count: counted(count) });
}

/** @param {any} answer @param {string} currency @param {boolean} isByWeek */
export function render(answer, currency, isByWeek) {
  const { now, before } = answer.attempts;
  const money = answer.currencies.find((one) => one.currency === currency)
    ?? { currency, payments: 0, now: NONE, before: NONE, days: [], weeks: [], tenders: [], hours: [],
      refund_reasons: [] };
  keepZone(answer.zone);
  $("about").textContent = listed([rangeOf(answer.from, answer.until), elsewhere() || answer.zone]);
  omissions(answer);
  $("attention").hidden = !answer.attention;
  const { open, has_more: hasMore, incidents } = answer.attention ?? { open: 0, has_more: false, incidents: 0 };
  $("attention").textContent =
    say(hasMore ? "insights.attentionMore" : "insights.attention", { count: counted(open + incidents) });
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
    name: TENDERS[one.tender] ?? tenderOf(one.tender), value: one.now.captured,
    cells: [part(one.now.captured, money.now.captured), change(one.now.captured, one.before.captured),
      sum(one.now.captured, currency)],
  })));
  bars("declines", answer.attempts.declines.map((one) => ({
    name: phrase(one.reason), below: [one.provider, one.code].filter(Boolean).join(": "), value: one.count,
    cells: [FIGURE.format(one.count)],
  })), true);
  bars("reasons", [...money.refund_reasons].sort((left, right) => right.refunded - left.refunded).map((one) => ({
    name: one.reason || say("insights.noReason"), value: one.refunded,
    cells: [FIGURE.format(one.refunds), sum(one.refunded, currency)],
  })));
  lists(answer);
}
