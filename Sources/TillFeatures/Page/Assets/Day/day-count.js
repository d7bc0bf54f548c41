// The count of a drawer: how many of each coin and note, or the sum alone. A reload does not lose it.

import { icon } from "./badges.js";
import { cashPicture, denominations, nameOf } from "./day-coins.js";
import { $, make } from "./dom.js";
import { minorUnits } from "./money.js";
import { sum } from "./sums.js";
import { digitsOf } from "./typed-digits.js";
import { say } from "./words.js";

const MOST_PIECES = 99_999;
/** What gives a text its direction, and takes no room. */
const UNSEEN = /[\u200E\u200F\u061C]/g;
const DRAFT = "till.day.count";

let currency = "";
/** What is counted: a session's identifier, or that of the opening. */
let subject = "";
/** @type {Map<number, number>} Pieces by value in minor units. */
let pieces = new Map();
let heard = () => {};

/** @param {string} text @returns {{value?: number, fault?: string}} Minor units, which may be none. */
export const amountOf = (text, of) => (/^0+(?:[.,]0*)?$/.test(text.trim()) ? { value: 0 } : minorUnits(text, of));

function readDraft() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
    return kept?.subject === subject && kept.currency === currency ? kept : null;
  } catch {
    return null;
  }
}

function keepDraft() {
  const kept = { subject, currency, isSum: $("sum-only").checked, sum: $("typed-sum").value, pieces: [...pieces] };
  sessionStorage.setItem(DRAFT, JSON.stringify(kept));
}

/** Forgets what was counted, as it is recorded. */
export function forgetCount() {
  sessionStorage.removeItem(DRAFT);
  subject = "";
}

const isSum = () => $("sum-only").checked;
const inputs = () => [...$("denoms").querySelectorAll("input")];
const sumOf = (wanted) =>
  denominations(currency).filter(({ isNote }) => wanted === undefined || isNote === wanted)
    .reduce((all, { value }) => all + value * (pieces.get(value) ?? 0), 0);

/** The sum that is counted in minor units; null if what is typed is no sum. */
export const counted = () => (isSum() ? amountOf($("typed-sum").value, currency).value ?? null : sumOf());

/**
 * What is counted, as the till takes it.
 * @returns {{counts?: Record<string, number>, total?: number, fault?: string}}
 */
export function countOf() {
  if (isSum()) {
    const { value, fault } = amountOf($("typed-sum").value, currency);
    return value === undefined ? { fault } : { total: value };
  }
  const counts = Object.fromEntries([...pieces].filter(([, count]) => count > 0));
  return Object.keys(counts).length > 0 ? { counts } : { total: 0 };
}

function showCounted() {
  const total = counted();
  $("counted").textContent = total === null ? "–" : sum(total, currency);
  $("of-notes").textContent = sum(sumOf(true), currency);
  $("of-coins").textContent = sum(sumOf(false), currency);
  $("parts-counted").hidden = isSum();
  heard();
}

function put(input, count) {
  const value = Number(input.dataset.value);
  pieces.set(value, count);
  input.setAttribute("aria-valuenow", String(count));
  input.closest(".denom").querySelector("output bdi").textContent = sum(value * count, currency);
}

function step(input, by) {
  const count = Math.min(MOST_PIECES, Math.max(0, (pieces.get(Number(input.dataset.value)) ?? 0) + by));
  input.value = String(count);
  put(input, count);
  keepDraft();
  showCounted();
}

/** A row for one coin or note: its picture, its name, how many there are and what they are worth. */
function row(kind) {
  const name = nameOf(kind.value, currency);
  const count = Math.min(MOST_PIECES, Number(pieces.get(kind.value)) || 0);
  const input = make("input", "", {
    id: `pieces-${kind.value}`, inputMode: "numeric", value: String(count), maxLength: 5, autocomplete: "off",
  });
  input.dataset.value = String(kind.value);
  for (const [key, value] of Object.entries({ role: "spinbutton", "aria-valuemin": 0, "aria-valuemax": MOST_PIECES })) {
    input.setAttribute(key, String(value));
  }
  const stepper = make("span", "", { className: "stepper" });
  // The arrow keys do in the field what the buttons do for fingers.
  const [less, more] = [
    [say("day.oneLess", { name }), "minus", -1], [say("day.oneMore", { name }), "plus", 1],
  ].map(([words, picture, by]) => {
    const button = make("button", "", { type: "button", tabIndex: -1 });
    button.setAttribute("aria-label", String(words));
    button.append(icon(String(picture), "small"));
    button.addEventListener("click", () => step(input, Number(by)));
    return button;
  });
  stepper.append(less, input, more);
  const picture = make("span", "", { className: "pic" });
  picture.append(cashPicture(kind, currency));
  const worth = make("output", "");
  worth.append(make("bdi", ""));
  const label = make("label", "", { htmlFor: input.id });
  label.append(make("bdi", name));
  const element = make("div", "", { className: name.replace(UNSEEN, "").length > 5 ? "denom long" : "denom" });
  element.append(picture, label, stepper, worth);
  put(input, count);
  return element;
}

function showHow() {
  $("denoms").hidden = isSum();
  $("sum-field").hidden = !isSum();
}

/**
 * Begins to count, or goes on with what was counted of the same drawer.
 * @param {string} of The currency. @param {string} what What is counted. @param {() => void} changed
 * @returns {boolean} Whether it begins.
 */
export function beginCount(of, what, changed) {
  heard = changed;
  if (of === currency && what === subject) return false;
  [currency, subject] = [of, what];
  const kinds = denominations(currency);
  const draft = readDraft();
  pieces = new Map(Array.isArray(draft?.pieces) ? draft.pieces : []);
  $("typed-sum").value = typeof draft?.sum === "string" ? draft.sum : "";
  $("sum-only").checked = kinds.length === 0 || draft?.isSum === true;
  $("sum-only").disabled = kinds.length === 0;
  $("sum-fault").textContent = "";
  $("typed-sum").removeAttribute("aria-invalid");
  $("denoms").style.setProperty("--rows", String(Math.ceil(kinds.length / 2)));
  $("denoms").replaceChildren(...kinds.map(row));
  showHow();
  showCounted();
  return true;
}

/** Says beside the sum what is wrong with it. @param {string} fault */
export function faultOfSum(fault) {
  $("sum-fault").textContent = fault;
  if (!fault) return $("typed-sum").removeAttribute("aria-invalid");
  $("typed-sum").setAttribute("aria-invalid", "true");
  $("typed-sum").focus();
}

/** The first field of the count. */
export const firstField = () => (isSum() ? $("typed-sum") : inputs()[0]);

$("denoms").addEventListener("focusin", ({ target }) => { if (target.matches("input")) target.select(); });
$("denoms").addEventListener("focusout", ({ target }) => {
  if (target.matches("input") && target.value === "") target.value = "0";
});
$("denoms").addEventListener("input", ({ target }) => {
  const digits = digitsOf(target.value).slice(0, 5);
  if (target.value !== digits) target.value = digits;
  put(target, Number(digits));
  keepDraft();
  showCounted();
});
$("denoms").addEventListener("keydown", (event) => {
  const { target } = event;
  if (!target.matches("input")) return;
  const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (by) {
    event.preventDefault();
    step(target, by);
    target.select();
  }
  if (event.key !== "Enter") return;
  // Enter counts on and records nothing.
  event.preventDefault();
  const all = inputs();
  (all[all.indexOf(target) + 1] ?? $("submit-count")).focus();
});
$("typed-sum").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  $("submit-count").focus();
});
$("typed-sum").addEventListener("input", () => {
  faultOfSum("");
  keepDraft();
  showCounted();
});
$("sum-only").addEventListener("change", () => {
  showHow();
  keepDraft();
  showCounted();
  firstField().focus();
});
