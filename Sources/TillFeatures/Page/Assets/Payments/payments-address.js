// What is looked for, as it stands in the page's address and in the filters: a link, a bookmark and the way back show
// the same payments.

import { beginning, dateOf, DAY_MS } from "./day-clock.js";
import { $, make } from "./dom.js";
import { minorUnits } from "./money.js";
import { sought } from "./sought.js";

const NAMES = ["q", "period", "first", "last", "status", "tender", "staff", "shop", "least", "most"];
/** What is chosen from a list that the till fills. */
const OFFERED = ["staff", "shop"];
const USUAL_DAYS = "30";
/** Days of the choices beside today, yesterday and any time. */
const PERIODS = [7, 30, 365];

/** @returns {Record<string, string>} What is not the usual. */
export function stateOf(/** @type {string} */ search) {
  const query = new URLSearchParams(search);
  /** @type {Record<string, string>} */
  const state = {};
  for (const name of NAMES) {
    const text = query.get(name) ?? "";
    const value = name === "q" ? sought(text) : text;
    if (["first", "last"].includes(name) && query.get("period") !== "own") continue;
    if (value && !(name === "period" && value === USUAL_DAYS)) state[name] = value;
  }
  return state;
}

/** @param {Record<string, string>} state */
export function addressOf(state) {
  const query = new URLSearchParams(state).toString();
  return location.pathname + (query && "?" + query);
}

/** A whole number of a card, pasted or read by a scanner, is looked for by its end and stands in no address. */
const withoutCard = (text) => (/^(?:\d[ -]?){12,18}\d$/.test(text) ? text.replace(/\D/g, "").slice(-4) : text);

/** What is chosen in the filters. */
export function chosen() {
  const values = NAMES.map((name) => [name, withoutCard($(name).value.trim())]);
  return stateOf(new URLSearchParams(values).toString());
}

/**
 * Offers people or shops to choose from; without any there is no choice.
 * @param {string} id @param {{id: string, name: string}[]} offered
 */
export function offer(id, offered) {
  const control = $(id);
  for (const { id: value, name } of offered) {
    const known = [...control.options].find((one) => one.value === value);
    if (known) known.textContent = name;
    else control.append(make("option", name, { value }));
  }
  control.closest(".chip").hidden = control.options.length < 2;
}

/** Shows in the filters what is looked for. @param {Record<string, string>} state */
export function choose(state) {
  for (const name of NAMES) {
    const control = $(name);
    const value = state[name] ?? (name === "period" ? USUAL_DAYS : "");
    // One who is not in the list, such as somebody who has left, is still looked for.
    if (value && OFFERED.includes(name) && ![...control.options].some((one) => one.value === value)) {
      offer(name, [{ id: value, name: value }]);
    }
    // A space at the end is somebody who is typing the next word.
    if (control.value.trim() !== value) control.value = value;
    // A value that the list does not have, as from an edited address, is none.
    if (control.value === "" && name === "period") control.value = USUAL_DAYS;
    control.closest(".chip")?.classList.toggle("set", Boolean(state[name]));
  }
  const isOwn = $("period").value === "own";
  $("first-chip").hidden = $("last-chip").hidden = !isOwn;
}

/**
 * The beginning of a day of the shop's calendar.
 * @param {string} text A date as the browser's control gives it. @param {number} [days] So many days later.
 */
function day(text, days = 0) {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match ? beginning(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + days)) : null;
}

/** @returns {[Date | null, Date | null]} From and until, by the shop's clock. */
function span(state) {
  const today = dateOf(new Date());
  switch (state.period ?? USUAL_DAYS) {
    case "all": return [null, null];
    case "0": return [beginning(today), null];
    case "1": return [beginning(today - DAY_MS), beginning(today)];
    case "own": return [day(state.first ?? ""), day(state.last ?? "", 1)];
    default: {
      const days = Number(state.period ?? USUAL_DAYS);
      // Today is one of them.
      return [beginning(today - ((PERIODS.includes(days) ? days : Number(USUAL_DAYS)) - 1) * DAY_MS), null];
    }
  }
}

/** As the till reads it, to which a plus is a plus. @param {URLSearchParams} query */
export const textOf = (query) => query.toString().replaceAll("+", "%20");

/**
 * The query of the interface for what is looked for.
 * @param {Record<string, string>} state
 * @param {string} currency That amounts are typed in; empty: any, with two decimal places.
 * @returns {{query: URLSearchParams, faults: Record<string, string>}}
 */
export function queryOf(state, currency) {
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const faults = {};
  for (const name of ["q", "status", "tender", ...OFFERED]) if (state[name]) query.set(name, state[name]);
  const [from, until] = span(state);
  if (from) query.set("from", from.toISOString());
  if (until) query.set("until", until.toISOString());
  for (const [name, member] of [["least", "amount_from"], ["most", "amount_until"]]) {
    if (!state[name]) continue;
    const amount = minorUnits(state[name], currency || "EUR");
    if (amount.fault) faults[name] = amount.fault;
    else query.set(member, String(amount.value));
    if (currency) query.set("currency", currency);
  }
  return { query, faults };
}
