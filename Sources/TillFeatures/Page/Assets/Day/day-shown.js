// What is shown of the day: the drawer, its count, the difference, X and Z, as the page's address says.

import { ask } from "./calls.js";
import { clock, elsewhere, zoneShown } from "./clock.js";
import { beginCount, counted } from "./day-count.js";
import { drawerHere, drawerNames, isDayOf, isDrawerKnown, shown } from "./day-drawers.js";
import { reportRow, strip, tables, tiles, titleOf } from "./day-report.js";
import { drawerRows, isBlind, lastCount, ledger, personOf, signed, tenderShown, timeOf } from "./day-session.js";
import { day, of, says } from "./day-state.js";
import { netOf } from "./day-tables.js";
import { addressOf, addressOfReport, drawerRead, isReading, named, wanted } from "./day-where.js";
import { $, make } from "./dom.js";
import { FIRST } from "./drawer.js";
import { wordsOf } from "./frame.js";
import { decimal } from "./money.js";
import { sum } from "./sums.js";
import { foreign, parts, say } from "./words.js";

/** A count that takes the place of another, as the day goes on elsewhere, is not submitted by a click for that one. */
const SETTLE_MS = 400;
const SALES_MS = 15_000;
const PAGE = 50;
const date = clock({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** Counts the reports that were asked for, so that a late one is not shown in place of another. */
let turn = 0;
/** What is shown of reports, so that it is read once. */
let loaded = "";

// ---- Where somebody is

/** What can be shown of it. Whether another drawer than this device's has a day, the till says. */
function possible({ view, number }) {
  const { session } = day;
  const isHere = view !== "x" || drawerRead() === drawerHere();
  if (["count", "close", "x"].includes(view) && !session && isHere) return { view: "session", number };
  if (view === "close" && (session.state !== "ended" || !lastCount(session))) return { view: "count", number };
  return { view, number };
}

/** @param {string} address @param {boolean} [isForFocus] What had the focus is hidden now. */
export function go(address, isForFocus = false) {
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  else loaded = "";
  says("alert", "");
  says("done", "");
  render();
  if (isForFocus) $("main").focus();
}

// ---- The drawer

/** Whether there is an X of a drawer. @param {string} name */
const hasDay = (name) => (name === drawerHere() ? Boolean(day.session) : isDayOf(name));

/** @param {string} view */
function showButtons(view) {
  const { session, may } = day;
  const can = may("drawer");
  const isOpen = session?.state === "open";
  const isHere = view === "session" && Boolean(session);
  for (const id of ["to-count", "tab-count"]) $(id).setAttribute("href", addressOf(isOpen ? "count" : "close"));
  $("tab-count").hidden = !session || !can;
  $("to-count").hidden = !isHere || !can;
  $("to-count").textContent = isOpen ? say("day.countAndClose") : say("day.closeDay");
  // What is read goes on being of the drawer of which it is read.
  const drawer = isReading(view) ? drawerRead() : drawerHere();
  const isThere = view === "reports" && drawer !== drawerHere() && hasDay(drawer);
  $("to-x").hidden = !(isHere || isThere) || !may("totals");
  $("to-x").setAttribute("href", addressOf("x", drawer));
  $("tab-reports").hidden = !may("totals");
  $("tab-reports").setAttribute("href", addressOf("reports", drawer));
  $("resume").hidden = session?.state !== "ended" || !can || !["session", "close"].includes(view);
  $("drawer-buttons").hidden = !isOpen || !can;
}

export const currencyCounted = () => day.session?.currency ?? $("currency").value;

let settledAt = 0;

function showCounted() {
  const total = counted();
  const isSettled = performance.now() >= settledAt;
  const text = total === null ? "…" : sum(total, currencyCounted());
  $("submit-count").textContent = day.session ? say("day.submit") : say("day.openWith", { sum: text });
  $("submit-count").disabled = total === null || !isSettled || !day.may("drawer");
}

/** What whoever counts has to know. */
function wordsOfCount() {
  const { session, may } = day;
  if (!may("drawer")) return say("day.mayNot");
  if (!session) return say("day.openingNote");
  return isBlind(session) ? say("day.recounts") : say("day.expectedAfter");
}

export function renderCount() {
  const { session } = day;
  $("count-title").textContent = session ? say("day.countDrawer") : say("day.countFloat");
  $("currency-field").hidden = Boolean(session);
  $("opening-field").hidden = Boolean(session) || !day.last;
  $("count-words").textContent = wordsOfCount();
  if (beginCount(currencyCounted(), session?.id ?? `opening-${day.last?.number ?? 0}`, showCounted)) {
    settledAt = performance.now() + SETTLE_MS;
    setTimeout(showCounted, SETTLE_MS + 1);
  }
  showCounted();
}

function renderSession() {
  const { session, last } = day;
  $("rows").replaceChildren(...drawerRows(session, Boolean(last)));
  $("open-since").textContent =
    [say("day.openSince", { time: timeOf(session.opened_at) }), personOf(session.opened_by)].filter(Boolean).join(", ");
  const isHidden = isBlind(session);
  $("expected").hidden = isHidden;
  $("blind").hidden = !isHidden;
  if (isHidden) return;
  $("expected-sum").textContent = signed(session.expected, session.currency, false);
  $("expected-list").replaceChildren(...ledger(session, false));
}

function wordsOfDifference(by) {
  if (typeof by !== "number") return say("day.notShown");
  if (by === 0) return say("day.asExpected");
  const values = { sum: of(Math.abs(by)) };
  return by < 0 ? say("day.lessThanExpected", values) : say("day.moreThanExpected", values);
}

function renderClose() {
  const { session } = day;
  const { total } = lastCount(session);
  const by = session.difference;
  const isKnown = typeof by === "number";
  $("difference-title").textContent = isKnown ? say("day.difference") : say("day.counted");
  $("difference").textContent = isKnown ? signed(by, session.currency) : of(total);
  says("difference-words", wordsOfDifference(by));
  $("standing").className = by === 0 ? "badge paid" : "badge unsure";
  says("standing", !isKnown ? "" : by === 0 ? say("day.matches") : say("day.differs"));
  $("ledger").replaceChildren(...(isKnown ? ledger(session, true) : []));
  const unread = session.unreadable ?? 0;
  says("close-unread", unread ? say("day.unreadClose", { count: unread }) : "");
  $("reasons").hidden = by === 0 && unread === 0;
  $("why").textContent = by === 0 ? say("day.whyClosed") : say("day.whyDifference");
  const isOff = isKnown && by !== 0;
  says("close", isOff ? say("day.closeWith", { sum: signed(by, session.currency) }) : say("day.closeDay"));
  $("left").placeholder = decimal(total, session.currency);
  says("left-hint", say("day.allOf", { sum: of(total) }));
}

// ---- What was sold, which is read seldom: it is made of all payments of the day

let salesAt = -SALES_MS;
let salesTimer = 0;
let salesOf = "";

/** Reads what was sold, at most once in a while. */
export function salesLater() {
  if (salesTimer) return;
  salesTimer = setTimeout(readSales, Math.max(0, salesAt + SALES_MS - performance.now()));
}

async function readSales() {
  const { session, may } = day;
  if (session && may("totals") && !$("view-session").hidden) {
    salesAt = performance.now();
    try {
      const { tenders, sales, currency } = await ask("GET", `/v1/day/report?${named(session.drawer ?? FIRST)}`);
      $("sales-list").replaceChildren(
        ...tenders.flatMap((one) => salesPair(tenderShown(one.tender), netOf(one), currency)),
        ...salesPair(say("day.net"), sales.net, currency, "all"));
      salesOf = session.id;
      $("sales").hidden = day.session?.id !== salesOf;
    } catch {
      // what is asked next says why
    }
  }
  salesTimer = 0;
}

function salesPair(name, minor, currency, className = "") {
  const value = make("dd", "", { className });
  value.append(make("bdi", signed(minor, currency, false)));
  return [make("dt", name, { className }), value];
}

// ---- All of it

/** Offers the other drawers to read of, which leaves this device at its own. @param {string} view */
function showDrawers(view) {
  const drawer = drawerRead();
  const names = [...new Set([...drawerNames(), drawer])].filter((name) =>
    view === "reports" || name === drawer || hasDay(name));
  const isOffered = ["x", "reports"].includes(view) && day.may("totals") && names.length > 1;
  $("of-read").hidden = !isOffered;
  if (!isOffered) return;
  const list = $("read-drawer");
  // A list that somebody has open stays as it is.
  if ([...list.options].map(({ value }) => value).join() !== names.join()) {
    list.replaceChildren(...names.map((name) => make("option", shown(name), { value: name })));
  }
  list.value = drawer;
}

$("read-drawer").addEventListener("change", () => go(addressOf(possible(wanted()).view, $("read-drawer").value)));

/** Shows the day as it stands, where the page's address says. */
export function render() {
  if (!day.isRead || !day.isMet) return;
  const { session } = day;
  const { view, number } = possible(wanted());
  const isOpening = view === "session" && !session;
  $("view-session").hidden = view !== "session" || isOpening;
  $("view-count").hidden = view !== "count" && !isOpening;
  $("view-close").hidden = view !== "close";
  $("view-reports").hidden = view !== "reports";
  $("view-report").hidden = view !== "report" && view !== "x";
  for (const tab of document.querySelectorAll("#tabs a")) {
    if ((tab.getAttribute("data-views") ?? "").split(" ").includes(view)) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  const standing = !session ? say("day.notOpen")
    : session.state === "ended" ? say("day.beingCounted") : say("day.isOpen");
  const here = drawerHere();
  const whose = elsewhere() || say("day.zone", { zone: zoneShown() });
  $("about").textContent =
    [date(new Date()), here === FIRST ? "" : here, standing, whose].filter(Boolean).join(" · ");
  $("no-zone").hidden = zoneShown() !== "GMT" || !elsewhere() || !day.may("settings");
  $("of-device").hidden = view !== "session" || !day.may("drawer") || !$("drawer").options.length;
  if (!$("view-count").hidden) renderCount();
  if (!$("view-session").hidden) renderSession();
  if (!$("view-close").hidden) renderClose();
  showButtons(view);
  showDrawers(view);
  $("sales").hidden = session?.id !== salesOf || !day.may("totals");
  if (!$("view-session").hidden) salesLater();
  if (isReading(view) && !wanted().drawer) {
    // It is this device's, which is not known yet, or is named from here on.
    if (!isDrawerKnown()) return;
    history.replaceState(null, "", view === "report" ? addressOfReport(number, here) : addressOf(view));
  }
  const drawer = drawerRead();
  const about = isReading(view) ? `${drawer} ${view === "report" ? number : view}` : "";
  if (about === loaded) return;
  loaded = about;
  turn += 1;
  if (about) load(view, number, drawer);
}

// ---- Reports

async function load(view, number, drawer) {
  const mine = turn;
  const path = view === "x" ? `/v1/day/report?${named(drawer)}`
    : view === "report" ? `/v1/day/reports/${number}?${named(drawer)}`
    : `/v1/day/reports?limit=${PAGE}&${named(drawer)}`;
  for (const id of ["sheet", "older", "no-reports"]) $(id).hidden = true;
  $("reports").replaceChildren();
  try {
    const found = await ask("GET", path);
    if (mine !== turn) return;
    if (view === "reports") showReports(found);
    else showReport(found);
  } catch (error) {
    if (mine !== turn) return;
    loaded = "";
    says("alert", wordsOf(error));
  }
}

function showReport(report) {
  const [title, words] = titleOf(report);
  $("report-title").textContent = title;
  $("report-words").textContent = words;
  const unread = report.unreadable?.length ?? 0;
  says("unread", unread ? say("day.unread", { count: unread }) : "");
  $("tiles").replaceChildren(...tiles(report));
  $("tables").replaceChildren(...tables(report));
  $("paper").replaceChildren(...strip(report));
  const file = report.number === null ? "report" : `reports/${report.number}`;
  for (const kind of ["csv", "pdf"]) {
    $(kind).setAttribute("href", `/v1/day/${file}.${kind}?${named(report.drawer ?? FIRST)}`);
  }
  $("sheet").hidden = false;
  offerPrinter(report);
}

/** Offers to print a Z where receipts are printed: on the printer chosen at this device, else on the first. */
async function offerPrinter({ number, drawer = FIRST }) {
  const [mine, button] = [turn, $("print-on")];
  button.hidden = true;
  if (number === null || !day.may("readers") || !day.may("sell")) return;
  let names;
  try {
    names = (await ask("GET", "/v1/printers")).printers.map(({ name }) => name);
  } catch {
    return; // this account has no printers
  }
  const kept = localStorage.getItem("till.printer") ?? "";
  const printer = names.includes(kept) ? kept : names[0];
  if (mine !== turn || !printer) return;
  Object.assign(button.dataset, { printer, drawer, number: String(number) });
  button.replaceChildren(...parts(say("day.printOn", { name: printer })));
  button.hidden = false;
}

$("print-on").addEventListener("click", async () => {
  const button = $("print-on");
  const { printer, drawer, number } = button.dataset;
  button.disabled = true;
  says("alert", "");
  says("done", say("receipt.printing"));
  try {
    const body = JSON.stringify({ printer, drawer });
    const { state, message } = await ask("POST", `/v1/day/reports/${number}/print`, body);
    const isDone = state === "printed" || state === "sent";
    says("done", isDone ? foreign(String(message)) : "");
    says("alert", isDone ? "" : foreign(String(message)));
  } catch (error) {
    says("done", "");
    says("alert", wordsOf(error));
  }
  button.disabled = false;
});

function showReports({ reports, has_more: hasMore }) {
  $("reports").append(...reports.map(reportRow));
  $("no-reports").hidden = $("reports").childElementCount > 0;
  $("older").hidden = !hasMore;
  $("older").dataset.before = String(reports.at(-1)?.number ?? "");
}

$("older").addEventListener("click", async () => {
  const mine = turn;
  $("older").hidden = true;
  try {
    const { before } = $("older").dataset;
    const found = await ask("GET", `/v1/day/reports?limit=${PAGE}&before=${before}&${named(drawerRead())}`);
    if (mine === turn) showReports(found);
  } catch (error) {
    $("older").hidden = false;
    says("alert", wordsOf(error));
  }
});
$("print").addEventListener("click", () => print());
