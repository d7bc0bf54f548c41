// "Attention": what waits for a person. Payments and incidents stand in the list, what does not match a statement below
// it; one that is opened takes the list's place. The filter and the open entry stand in the address. What must be
// mended of the counter's setup stands in the list, too; it ends with its cause, and leads to the counter's health.

import { closeEntry, finishResolutions, openEntry } from "./attention-entry.js";
import { age, entryTitle, hasDeadline, incidentTitle } from "./attention-words.js";
import { time } from "./clock.js";
import { $, make } from "./dom.js";
import { linked } from "./notice.js";
import { ask, Refusal } from "./requests.js";
import { may } from "./session.js";
import { showStatements, TITLES } from "./statements.js";
import { sum } from "./sums.js";
import { isReview, reviewAddress, reviewState } from "./views.js";
import { foreign, locale, parts, say } from "./words.js";

const SHOWN_MS = 10_000;
const HIDDEN_MS = 60_000;
/** Payments that one answer lists at most. */
const MOST = 500;
let timer = 0;
/** Rows that a list has at most; the oldest stand first. */
const MOST_ROWS = 60;
/** What the list shows, so that nothing moves under a finger while nothing has changed. */
let drawn = "";
/** @type {{entries: any[], incidents: any[], setup: any[], statements: any, isMore: boolean} | null} */
let known = null;

const FILTERS = {
  all: { name: say("attention.all"), has: () => true },
  payments: { name: say("find.payments"), has: (task) => task.entry },
  deadlines: { name: say("attention.deadlines"), has: (task) => task.entry && hasDeadline(task.entry) },
  incidents: { name: say("attention.incidents"), has: (task) => task.incident },
};
/** A count for a sentence; English has it without separators. @param {number} count */
const counted = (count) => (locale ? count : String(count));
const filterName = () => {
  const name = reviewState().get("show") ?? "";
  return Object.hasOwn(FILTERS, name) ? name : "all";
};

/** All that stands in the list, oldest first. @returns {any[]} */
const tasks = ({ entries, incidents, setup }) =>
  [...entries.map((entry) => ({ entry, since: entry.since })),
    ...incidents.map((incident) => ({ incident, since: incident.since })),
    ...setup.map((notice) => ({ notice, since: notice.since ?? "" }))]
    .sort((one, other) => (one.since < other.since ? -1 : one.since > other.since ? 1 : 0));

const show = () => (filterName() === "all" ? "" : filterName());

/** @param {string} href Empty for no link. @param {(Node | string)[][]} words */
function line(name, href, words, sum, since, seconds, assignee = null) {
  const element = make("li", "", { className: "task" });
  const about = make("div", "", { className: "about" });
  const head = make("h3", "");
  const title = href ? make("a", "", { href }) : head;
  title.append(...parts(name));
  if (title !== head) head.append(title);
  about.append(head);
  for (const sentence of words) {
    const text = make("p", "");
    text.append(...sentence);
    about.append(text);
  }
  if (assignee) {
    about.append(make("p", say("attention.assigned", { name: assignee.name }), { className: "assignee" }));
  }
  element.append(about);
  if (sum) element.append(make("p", sum, { className: "stake" }));
  if (!since) return element;
  const old = make("p", "", { className: "due" });
  old.append(make("time", age(seconds), { dateTime: since, title: time(since) }));
  element.append(old);
  return element;
}

function row({ entry, incident, notice }) {
  if (notice) {
    const words = [notice.reason, notice.next].map((text) => parts(foreign(text)));
    const href = may("settings") ? "/settings/health" : "";
    return line(say("attention.setup", { name: notice.subject }), href, words, "", notice.since, notice.age_seconds);
  }
  if (entry) {
    const href = reviewAddress({ show: show(), entry: `${entry.payment_id}.${entry.number}` });
    const words = [entry.reason, entry.next].map((text) => linked(foreign(text)));
    return line(entryTitle(entry), href, words, sum(entry.amount, entry.currency), entry.since, entry.age_seconds,
      entry.assignee);
  }
  const href = reviewAddress({ show: show(), incident: incident.id });
  const reason = parts(foreign(incident.reason));
  return line(incidentTitle(incident), href, [reason], "", incident.since, incident.age_seconds, incident.assignee);
}

function breakRow(one) {
  const seconds = Math.max(0, (Date.now() - Date.parse(one.at)) / 1000);
  const href = reviewAddress({ show: show(), incident: one.id });
  const name = say("attention.breakTitle", { provider: TITLES[one.provider] ?? one.provider });
  return line(name, href, [linked(foreign(one.what))], "", one.at, seconds);
}

function chips(all) {
  const now = filterName();
  $("queue-filter").replaceChildren(...Object.entries(FILTERS).map(([name, { name: words, has }]) => {
    const count = all.filter(has).length;
    const chip = make("a", say("attention.chip", { name: words, count: counted(count) }), {
      className: "chip", href: reviewAddress({ show: name === "all" ? "" : name }),
    });
    if (name === now) chip.setAttribute("aria-current", "true");
    return chip;
  }));
}

/** Fills a list, and says how many stand behind its last row. */
function fill(name, list, all, make) {
  $(list).replaceChildren(...all.slice(0, MOST_ROWS).map(make));
  $(`${name}-more`).hidden = all.length <= MOST_ROWS;
  $(`${name}-more`).textContent =
    say("attention.oldest", { shown: MOST_ROWS, all: counted(all.length) });
}

/** What a row shows, but for its age. */
const keyOf = ({ entry, incident, notice }) => (notice ? `${notice.code} ${notice.subject} ${notice.reason}`
  : `${incident?.id ?? `${entry.payment_id}.${entry.number}`} ${(entry ?? incident).assignee?.name ?? ""}`);

function draw() {
  if (!known) return;
  const all = tasks(known);
  const { breaks } = known.statements;
  const count = all.length + breaks.length;
  const text = known.isMore ? `${count}+` : String(count);
  $("to-review-count").replaceChildren(text, make("span", ` ${say("attention.open")}`, { className: "only-sr" }));
  $("to-review-count").hidden = count === 0;
  const keys = [...all.map(keyOf), ...breaks.map(({ id }) => id), filterName()].join(" ");
  if (keys === drawn) return;
  const focused = document.activeElement?.getAttribute("href");
  const isInside = $("attention-view").contains(document.activeElement);
  drawn = keys;
  chips(all);
  const shown = all.filter(FILTERS[filterName()].has);
  fill("queue", "queue-list", shown, row);
  $("queue-empty").textContent = say(all.length ? "attention.noneSuch" : "attention.none");
  $("queue-empty").hidden = shown.length > 0;
  $("queue-filter").hidden = all.length === 0;
  fill("breaks", "breaks", breaks, breakRow);
  $("breaks-empty").hidden = breaks.length > 0;
  if (isInside && focused) {
    /** @type {HTMLElement | null} */
    (document.querySelector(`#attention-view a[href="${CSS.escape(focused)}"]`))?.focus();
  }
}

/** Asks for what is open. What it shows stays while the till does not answer, and it says so. */
async function load() {
  clearTimeout(timer);
  if (!may("review")) {
    timer = setTimeout(load, HIDDEN_MS);
    return;
  }
  try {
    const [queue, statements] = await Promise.all([
      ask("GET", `/v1/attention?limit=${MOST}`), ask("GET", "/v1/reconciliation"),
    ]);
    // What does not match a statement stands in its own half.
    const incidents = queue.incidents.filter(({ kind }) => kind !== "statement");
    const isMore = queue.incidents_open > queue.incidents.length || queue.attention.length >= MOST;
    known = { entries: queue.attention, incidents, setup: queue.setup ?? [], statements, isMore };
    if ($("queue-state").dataset.tone === "bad") tell("", "");
    showStatements(statements);
    draw();
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 401)) {
      tell("bad", say("attention.stale"));
    }
  }
  clearTimeout(timer);
  timer = setTimeout(load, isReview() && !document.hidden ? SHOWN_MS : HIDDEN_MS);
}

/** @param {string} tone @param {string} text */
function tell(tone, text) {
  $("queue-state").dataset.tone = tone;
  $("queue-state").replaceChildren(...parts(text));
}

/** Shows what the address names: the list with its filter, or an entry. */
function showAddress() {
  if (!isReview()) return;
  const state = reviewState();
  const back = reviewAddress({ show: show() });
  const [payment, number] = (state.get("entry") ?? "").split(".");
  const incident = state.get("incident");
  const isEntry = Boolean(number || incident);
  const wasEntry = !$("entry").hidden;
  $("entry").hidden = !isEntry;
  $("queue").hidden = $("statements").hidden = isEntry;
  $("entry-back").href = back;
  if (isEntry) {
    tell("", "");
    openEntry(incident ? { incident } : { payment, number: Number(number) });
  } else {
    closeEntry();
    if (wasEntry) $("queue-title").focus();
  }
  draw();
}

document.addEventListener("till:reviewed", (event) => {
  const { text } = /** @type {CustomEvent} */ (event).detail;
  if (text) tell("good", text);
  load();
});
document.addEventListener("till:imported", load);
document.addEventListener("till:zone", () => {
  drawn = "";
  draw();
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
window.addEventListener("hashchange", () => {
  showAddress();
  if (isReview()) load();
});

/** Begins: what was asked for and never answered comes first, then what is open. */
export async function showAttention() {
  showAddress();
  await finishResolutions();
  await load();
}
