// The audit log: who did what, when and to what, the newest first, in pages. It is only ever read, and all of it is
// shown as text: names and reasons in it are of anybody.

import { ask } from "./calls.js";
import { time } from "./clock.js";
import { $, field, make } from "./dom.js";
import { linked } from "./links.js";
import { button, buttons, commands, counted, empty, facts, named, standing, table } from "./settings-parts.js";
import { foreign, say } from "./words.js";

const AT = "/settings/audit";
/** Behind the last entry that there can be: before it are the newest. */
const END = Number.MAX_SAFE_INTEGER;
const PAGE = 50;
const FIELD = "audit-actor";
/** Seals are for `till journal verify`. */
const SEALS = ["record", "staff_records"];
/** More changes than these are folded. */
const MOST_UNFOLDED = 3;

/**
 * A page of the log: of whom, before which entry, and where the log ended when it was read. `isBehind` says that there
 * are newer entries, which wait until nobody reads in what is shown.
 * @typedef {{actor: string, before: number, entries: any[], next: number | null, head: string,
 *   isBehind?: boolean}} Found
 */

/** Whose entries are shown; empty for all. */
let actor = "";
let before = END;
/** What was read last. @type {Found | null} */
let found = null;
/** What is drawn. @type {Found | null} */
let seen = null;
/** Up to this entry it is known what there is. */
let known = 0;

const placeOf = (/** @type {string} */ head) => Number(head.split(":")[0]);
const isOf = (/** @type {Found | null} */ page) => page !== null && page.actor === actor && page.before === before;
const newestOf = (/** @type {Found | null} */ page) => page?.entries[0]?.sequence ?? 0;

/** @param {string} place Where to begin, as the till takes it. @param {number} limit @param {string} whose */
const entriesAt = (place, limit, whose) =>
  ask("GET", `/v1/audit?${place}&limit=${limit}${whose && "&actor=" + encodeURIComponent(whose)}`);

/** @returns {Promise<Found>} */
async function readPage() {
  const [whose, place] = [actor, before];
  const { entries: readable, unreadable, next, head } = await entriesAt(`before=${place}`, PAGE, whose);
  // Something else was chosen meanwhile.
  if (whose !== actor || place !== before) return await readPage();
  const entries = [
    ...readable.map(({ entry }) => entry),
    ...unreadable.map(({ sequence }) => ({ sequence, isUnreadable: true })),
  ].sort((one, other) => other.sequence - one.sequence);
  known = Math.max(placeOf(head), entries[0]?.sequence ?? 0);
  found = { actor, before, entries, next, head };
  return found;
}

/** Whether somebody reads in it: then nothing in it moves. */
const isRead = () => scrollY > 0 || document.querySelector(".audit:hover, .audit:focus-within") !== null;

/** @returns {Promise<any>} */
async function load() {
  // Among all sections it is only seen whether it can be read.
  if (location.pathname !== AT) return await entriesAt(`before=${END}`, 1, "");
  // Whoever comes to the section begins at the newest of all.
  if (!$(FIELD)) [actor, before, found, seen] = ["", END, null, null];
  if (found === null || !isOf(found)) await readPage();
  else {
    // A page of older entries stays as it is; what comes is at the end of the log.
    const { entries, unreadable, head } = await entriesAt(`after=${known}`, 1, actor);
    if (entries.length + unreadable.length > 0 && before === END) await readPage();
    else known = Math.max(known, placeOf(head));
  }
  if (found === null || !isOf(found)) return await load();
  const isHeld = seen !== null && isOf(seen) && newestOf(seen) !== newestOf(found) && isRead();
  return isHeld ? { ...seen, isBehind: true } : found;
}

// ---- An entry

/** What somebody is called: by name, else by identifier, else by their kind. @param {any} who */
const nameOf = ({ kind, id, name }) => name ?? id ?? kind;

/** @param {any} by */
function who(by) {
  const { kind, id, name, address, drawer, approved_by: approver } = by;
  const more = [
    (name || id) && foreign(kind), name && id, address, drawer && `${say("settings.drawer")} ${drawer}`,
    approver && `${say("fact.approvedBy")} ${nameOf(approver)}`,
  ];
  return named(nameOf(by), more.filter(Boolean).join(" · "));
}

/** What an entry names: an order leads to its payments, and a payment to its page. @param {string} tag */
function toWhat(tag, text, isOrder = false, className = "") {
  const element = make(tag, "", { className, dir: "auto" });
  const href = `/payments?q=${encodeURIComponent(text)}&period=all`;
  element.append(...(isOrder ? [make("a", text, { href })] : linked(text, "/payments/")));
  return element;
}

/** @param {any} change */
const changeWords = ({ before: was, after: is }) =>
  (was === null || was === undefined ? is ?? "–" : say("settings.auditChange", { before: was, after: is ?? "–" }));

/** What was changed; much of it is folded. @param {any} entry @returns {HTMLElement[]} */
function changesOf({ sequence, changes = [], changes_left_out: left = 0 }) {
  const all = changes.filter(({ name }) => !SEALS.includes(name));
  if (all.length === 0) return [];
  const list = make("dl", "", { className: "facts" });
  list.append(...all.flatMap((change) => [
    make("dt", change.name, { dir: "auto" }),
    toWhat("dd", changeWords(change), change.name === "order" && changeWords(change) === change.after),
  ]));
  if (left > 0) list.append(make("dt", "…"), make("dd", say("settings.auditLeftOut", { count: left })));
  if (all.length <= MOST_UNFOLDED) return [list];
  const folded = make("details", "", { className: "more" });
  const summary = make("summary", say("settings.auditChanges", { count: all.length }));
  summary.setAttribute("aria-label", say("settings.auditChangesOf", { count: all.length, number: sequence }));
  folded.append(summary, list);
  return [folded];
}

/** The number of an entry. @param {number} sequence */
const numbered = (sequence) => make("span", `#${sequence}`, { className: "under id", dir: "ltr" });

/** @param {any} entry */
function row(entry) {
  if (entry.isUnreadable) {
    const place = make("span", "");
    place.append(numbered(entry.sequence));
    const mark = standing("stop", say("settings.auditUnreadable"));
    return { cells: [place, "–", mark, say("settings.auditUnreadableWords")] };
  }
  const { sequence, at, action, outcome, by, subject, reason, count = 1 } = entry;
  const when = make("span", "");
  when.append(make("time", time(at), { dateTime: at, title: at }), numbered(sequence));
  const what = make("span", "");
  what.append(make("span", action, { className: "id", dir: "ltr" }),
    ...(count > 1 ? [` ×${counted(count)}`] : []),
    ...(outcome === "refused" ? [" ", standing("unsure", say("settings.auditRefused"), "slash")] : []));
  const object = make("div", "");
  const isOrder = action.startsWith("order.");
  object.append(subject ? toWhat("span", subject, isOrder) : "–",
    ...(reason ? [toWhat("span", reason, false, "under")] : []), ...changesOf(entry));
  return { cells: [when, who(by), what, object] };
}

// ---- The page

/** Whose entries are shown. @param {Found} data @param {import("./settings.js").Page} page */
function filter({ actor: whose, entries, isBehind }, page) {
  const names = make("datalist", "", { id: "audit-names" });
  const actors = new Set(entries.filter(({ by }) => by).map(({ by }) => nameOf(by)));
  names.append(...[...actors].map((value) => make("option", "", { value })));
  const input = make("input", "", {
    id: FIELD, className: "input", maxLength: 128, autocomplete: "off", spellcheck: false, dir: "auto",
    defaultValue: whose,
  });
  input.setAttribute("list", names.id);
  const choose = (/** @type {string} */ name) => page.act(async () => { [actor, before] = [name, END]; });
  const newer = button(say("settings.auditNewer"), () => {
    seen = null;
    return page.act(async () => {});
  }, { kind: "dense pushed" });
  // It has its place, so that nothing moves when it comes.
  newer.classList.toggle("unseen", !isBehind);
  const element = make("form", "", { className: "audit-filter", noValidate: true });
  element.append(field(say("settings.auditOnly"), input), names,
    make("button", say("settings.auditShow"), { className: "button" }),
    ...(whose ? [button(say("settings.auditAll"), () => choose(""), { kind: "plain" })] : []), newer);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    choose(input.value.trim());
  });
  return element;
}

/** The ways to older entries and back. @param {Found} data @param {import("./settings.js").Page} page */
function ways({ before: place, next }, page) {
  async function go(/** @type {number} */ to) {
    await page.act(async () => { before = to; });
    $("title").focus();
  }
  return buttons(
    ...(next === null ? [] : [button(say("settings.auditOlder"), () => go(next))]),
    ...(place === END ? [] : [button(say("settings.auditNewest"), () => go(END))]));
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "audit", title: say("settings.audit"), shape: "history", permission: "review", load,
  standing: () => ({ tone: "", word: say("settings.auditKept"), words: say("settings.auditAbout") }),
  draw(data, page) {
    if (!data.isBehind) seen = data;
    const { entries, next, head } = data;
    const heads = [
      say("settings.auditWhen"), say("settings.auditBy"), say("settings.auditAction"), say("settings.auditTo"),
    ];
    const chain = commands(say("settings.auditChain"), "till journal verify", "till audit export");
    chain.querySelector(".body")?.append(facts([[say("settings.head"), head]]));
    return [
      filter(data, page),
      entries.length ? table(say("settings.audit"), heads, entries.map(row), "audit")
        : empty(say("settings.auditNone"), say(next === null ? "settings.auditNoneWords" : "settings.auditFurther")),
      ways(data, page), chain,
    ];
  },
};
