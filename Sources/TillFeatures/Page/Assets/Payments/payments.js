// The page that finds payments: by text, time, status, tender and amount, as the address says. More come from the till
// when somebody asks for older ones; new ones wait behind a button, so that no row jumps under a finger.

import { STATUSES } from "./badges.js";
import { ask } from "./calls.js";
import { elsewhere, zoneShown } from "./clock.js";
import { $, make } from "./dom.js";
import { listen, showPerson, update, wordsOf } from "./frame.js";
import "./language.js";
import { putLinked } from "./links.js";
import { addressOf, choose, chosen, offer, queryOf, stateOf, textOf } from "./payments-address.js";
import { row, rows, totals } from "./payments-rows.js";
import { locale, say } from "./words.js";

const PAGE = 50;
/** The most rows in the page; older ones are reached by a narrower search. */
const MOST_ROWS = 1_000;
/** The most pages that are asked for by themselves until something is found. */
const MOST_EMPTY_PAGES = 500;
const TYPING_MS = 250;
const VIEWS = "till.views";
const MOST_VIEWS = 12;

/** @type {any[]} */
let shown = [];
/** Where the next page begins; empty if there is none. */
let next = "";
/** Counts the searches, so that a late answer of an earlier one is dropped. */
let search = 0;
let state = stateOf(location.search);
/** New payments that are not shown. @type {Set<string>} */
const unseen = new Set();
/** Events may have been missed: what is shown may be out of date. */
let isBehind = false;

function alertWith(text) {
  putLinked($("alert"), text);
  $("alert").hidden = !text;
}

// ---- What was found

/** What the clerk last sold in at this device; empty if nothing is known. */
const currency = () => localStorage.getItem("till.currency") ?? "";

/** A count as the language writes it; English has it without separators. @param {number} count */
const counted = (count) => (locale ? count : String(count));

function showSums(isMore) {
  $("count").textContent = say(isMore ? "list.countMore" : "list.count", { count: counted(shown.length) });
  $("sums").replaceChildren(...totals(shown).map(([name, text]) => {
    const pair = make("div", "");
    const value = make("dd", "");
    value.append(make("bdi", text));
    // Sums of what is in the page are not those of the search while there is more of it.
    pair.append(make("dt", isMore ? say("list.shown", { name }) : name), value);
    return pair;
  }));
}

function showEnd(examinedTo) {
  const isFull = shown.length >= MOST_ROWS;
  $("older").hidden = !next || isFull;
  const day = examinedTo && new Date(examinedTo).toLocaleDateString(locale, { timeZone: zoneShown() });
  $("examined").textContent = isFull ? say("list.full", { count: counted(MOST_ROWS) })
    : next && day ? say("list.back", { day }) : "";
  const isEmpty = shown.length === 0 && !next;
  $("empty").hidden = !isEmpty;
  $("table").hidden = isEmpty;
  if (isEmpty) {
    const isAllTime = $("period").value === "all";
    $("any-time").hidden = isAllTime;
    $("empty-why").textContent = say(isAllTime ? "list.noMatch" : "list.noneThen");
  }
}

/** Adds payments behind those that are shown; one that is shown already stays where it is. */
function add(payments) {
  const known = new Set(shown.map((one) => one.id));
  const fresh = payments.filter((one) => !known.has(one.id));
  $("rows").append(...rows(fresh, shown.at(-1)));
  shown.push(...fresh);
  for (const { id } of fresh) unseen.delete(id);
  showNews();
}

/** Asks for the next page, and for further ones until something is found. */
async function more() {
  const mine = search;
  const { query } = queryOf(state, currency());
  query.set("limit", String(PAGE));
  $("found").setAttribute("aria-busy", "true");
  $("older").disabled = true;
  try {
    for (let page = 0; page < MOST_EMPTY_PAGES; page++) {
      if (next) query.set("before", next);
      const found = await ask("GET", "/v1/payments?" + textOf(query));
      if (mine !== search) return;
      next = found.next ?? "";
      // What bears the very name comes first, from whatever time.
      if (found.exact) add(found.exact);
      add(found.payments);
      showSums(Boolean(next));
      showEnd(found.examined_to);
      if (!next || found.payments.length > 0 || found.exact) break;
    }
    alertWith("");
  } catch (error) {
    if (mine !== search) return;
    alertWith(wordsOf(error));
    if (shown.length === 0) $("count").textContent = say("list.noAnswer");
  }
  if (mine !== search) return;
  $("older").disabled = false;
  $("found").removeAttribute("aria-busy");
}

/** Looks for what the state says, from the newest on. */
async function find() {
  search += 1;
  [shown, next, isBehind] = [[], "", false];
  unseen.clear();
  showNews();
  $("rows").replaceChildren();
  $("sums").replaceChildren();
  $("examined").textContent = "";
  $("empty").hidden = $("older").hidden = true;
  $("table").hidden = false;
  const { query, faults } = queryOf(state, currency());
  for (const id of ["least", "most"]) {
    if (faults[id]) $(id).setAttribute("aria-invalid", "true");
    else $(id).removeAttribute("aria-invalid");
  }
  const fault = Object.values(faults)[0];
  if (fault) {
    $("export").removeAttribute("href");
    $("count").textContent = "";
    $("found").removeAttribute("aria-busy");
    alertWith(fault);
    return;
  }
  $("export").href = "/v1/payments.csv?" + textOf(query);
  $("count").textContent = say("list.searching");
  await more();
}

// ---- Filters, the search field and saved views

/** @param {Record<string, string>} wanted @param {boolean} [isStep] Somebody can go back to what is shown now. */
function go(wanted, isStep = true) {
  clearTimeout(typing);
  state = wanted;
  const address = addressOf(state);
  if (isStep && address !== location.pathname + location.search) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  choose(state);
  showViews();
  $("clear").hidden = Object.keys(state).length === 0;
  find();
}

let typing = 0;
$("q").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => go(chosen(), false), TYPING_MS);
});
$("find").addEventListener("submit", (event) => {
  event.preventDefault();
  go(chosen());
});
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("change", () => go(chosen()));
for (const id of ["clear", "clear-all"]) $(id).addEventListener("click", () => go({}));
$("any-time").addEventListener("click", () => go({ ...chosen(), period: "all" }));
$("older").addEventListener("click", more);
addEventListener("popstate", () => {
  const wanted = stateOf(location.search);
  // Not by the link to the content, which stays here.
  if (!same(wanted, state)) go(wanted, false);
});
// Back from a payment, the page may be as it was left: it is older than what was done there.
addEventListener("pageshow", (event) => {
  if (event.persisted) find();
});
/** @type {{name: string, state: Record<string, string>}[]} */
const USUAL_VIEWS = [
  { name: say("list.all"), state: {} }, { name: say("list.today"), state: { period: "0" } },
  { name: say("list.unsettled"), state: { status: "unknown,processing,requires_action,stored", period: "all" } },
  { name: say("badge.authorized"), state: { status: "requires_capture,partially_captured", period: "all" } },
  { name: say("list.declined"), state: { status: "declined", period: "7" } },
  { name: say("list.refunds"), state: { status: "refunded,partially_refunded" } },
];

/** @returns {typeof USUAL_VIEWS} */
function savedViews() {
  try {
    const kept = JSON.parse(localStorage.getItem(VIEWS) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.name === "string").slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

const same = (a, b) => addressOf(a) === addressOf(b);

function showViews() {
  const own = savedViews();
  const tabs = [...USUAL_VIEWS, ...own].map((view) => {
    const wanted = stateOf(new URLSearchParams(view.state).toString());
    const tab = make("a", view.name, { href: addressOf(wanted) });
    if (same(wanted, state)) tab.setAttribute("aria-current", "page");
    tab.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(wanted);
    });
    return tab;
  });
  const current = own.find((view) => same(stateOf(new URLSearchParams(view.state).toString()), state));
  const button = make(
    "button", current ? say("list.forget", { name: current.name }) : say("list.saveView"), { type: "button" });
  button.addEventListener("click", () => {
    if (!current) return $("save").showModal();
    localStorage.setItem(VIEWS, JSON.stringify(own.filter((view) => view !== current)));
    showViews();
  });
  const isNew = !tabs.some((tab) => tab.hasAttribute("aria-current"));
  $("views").replaceChildren(...tabs, ...(current || (isNew && own.length < MOST_VIEWS) ? [button] : []));
}

$("save").addEventListener("close", () => {
  const name = $("save-name").value.trim();
  if ($("save").returnValue !== "save" || !name) return;
  $("save-name").value = $("save").returnValue = "";
  localStorage.setItem(VIEWS, JSON.stringify([...savedViews(), { name, state }]));
  showViews();
});

// ---- What happens meanwhile

function showNews() {
  const count = unseen.size;
  $("news").hidden = count === 0 && !isBehind;
  $("news").textContent = count ? say("list.new", { count: counted(count) }) : say("list.refresh");
}
$("news").addEventListener("click", find);

/**
 * Shows what became of payments that are in the list; new ones are counted.
 * @param {Map<string, boolean>} changed Whether a payment is new, by its identifier.
 */
async function follow(changed) {
  const mine = search;
  for (const [id, isNew] of changed) {
    if (isNew && !shown.some((one) => one.id === id)) unseen.add(id);
  }
  showNews();
  for (const id of changed.keys()) {
    if (!shown.some((one) => one.id === id)) continue;
    try {
      const payment = await ask("GET", "/v1/payments/" + encodeURIComponent(id));
      if (mine !== search) return;
      const index = shown.findIndex((one) => one.id === id);
      // A late answer is no news.
      if (payment.updated_at < shown[index].updated_at) continue;
      shown[index] = payment;
      // The link in it may have the focus.
      const there = document.querySelector(`tr[data-id="${CSS.escape(id)}"]`);
      if (there) update(there, row(payment));
      showSums(Boolean(next));
    } catch {
      continue; // the next event, or the next search, shows it
    }
  }
}

// ---- The beginning

async function offerShops() {
  try {
    const { shops } = await ask("GET", "/v1/shops");
    offer("shop", shops.map(({ id, url }) => ({ id, name: new URL(url).host })));
  } catch {
    return; // without them the list can be searched as before
  }
}

$("status").append(...STATUSES.map(({ status, word }) => make("option", word, { value: status })));
for (const { name, state: { status } } of USUAL_VIEWS) {
  if (status?.includes(",")) $("status").append(make("option", name, { value: status }));
}
choose(state);
showViews();
$("clear").hidden = Object.keys(state).length === 0;
$("least").placeholder = $("most").placeholder = currency() || say("list.amount");
$("count").textContent = say("list.searching");
// Which days are looked for is a question for the shop's clock; without an answer it is the device's, which is said.
showPerson((may, { people = [] }) => {
  $("export").hidden = !may("totals");
  offer("staff", people);
  if (may("settings")) offerShops();
}).finally(() => {
  $("zone").textContent = elsewhere() || say("list.zone", { zone: zoneShown() });
  find();
});
listen(follow, () => {
  // Nobody can say what happened meanwhile.
  isBehind = true;
  showNews();
}, {});
