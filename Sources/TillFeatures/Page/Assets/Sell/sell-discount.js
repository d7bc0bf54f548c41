// A discount on the amount in the form: a percentage or an amount, with its reason. What is charged is the amount less
// the discount. A booked order and an order document have prices of their own, and take none.

import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { digitValue } from "./typed-digits.js";
import { say } from "./words.js";

/** The percentages that have a button. */
const OFFERED = [5, 10, 20];
const MOST_PERCENT = 99;
const MOST_CHARACTERS = 200;

/**
 * A percentage of whatever amount is entered, or an amount in minor units.
 * @typedef {{percent?: number, minor?: number, reason: string}} Discount
 */

/** The discount on the sale in the form; null without one. @type {Discount | null} */
let given = null;
/** It came with an open payment: another amount is another sale, which has nothing of it. */
let isAdopted = false;
const dialog = questions($("discount"));

/** A percentage of an amount, half up in the smallest unit. @param {number} minor @param {number} percent */
const percentOf = (minor, percent) => Number((BigInt(minor) * BigInt(percent) + 50n) / 100n);

/** @param {Discount} one @param {number} minor */
const savedBy = (one, minor) => (one.percent ? percentOf(minor, one.percent) : one.minor ?? 0);

/** The discount on the sale in the form, to be parked with it. */
export const givenDiscount = () => given;

/** What the customer saves of an amount in the form; 0 without a discount. @param {number} minor */
export const savedOf = (minor) => (given ? savedBy(given, minor) : 0);

/**
 * What a request for a payment says of a discount, or why there can be none of that amount.
 * @param {number} minor The price before it. @param {string} currency
 * @returns {{fault?: string, discount?: {amount: number, reason: string}}}
 */
export function discountOn(minor, currency) {
  if (!given) return {};
  const amount = savedOf(minor);
  const fault = faultOf(amount, minor, currency);
  return fault ? { fault } : { discount: { amount, reason: given.reason } };
}

/** @param {number} amount @param {number} minor @param {string} currency */
function faultOf(amount, minor, currency) {
  if (amount <= 0) return say("sale.discountNone", { sum: money(minor, currency) });
  return amount < minor ? "" : say("sale.discountTooMuch", { sum: money(minor, currency) });
}

/** Whether something that was stored is a discount. @param {any} one */
export const isDiscount = (one) => typeof one?.reason === "string" && one.reason.length <= MOST_CHARACTERS
  && (isPercent(one.percent) || Number.isSafeInteger(one.minor) && one.minor > 0);

/** @param {unknown} number */
const isPercent = (number) => Number.isInteger(number) && Number(number) > 0 && Number(number) <= MOST_PERCENT;

/** Puts a discount into the form, or takes it out. @param {Discount | null} one */
export function giveDiscount(one, { adopted = false } = {}) {
  given = one;
  isAdopted = Boolean(one) && adopted;
  nameDiscount();
}

const currency = () => $("currency").value;
const minorNow = () => minorUnits($("amount").value, currency()).value ?? 0;

/** Says what is saved of which price, and what is charged; and whether this sale can have a discount at all. */
function nameDiscount() {
  const isPriced = $("amount").disabled || !$("chosen").hidden;
  $("discount-open").hidden = isPriced;
  const minor = minorNow();
  $("discount-words").textContent = !given || isPriced || minor <= 0 ? ""
    : `${wordsOf(given, minor)} · ${given.reason}`;
  $("discount-words").hidden = !$("discount-words").textContent;
}

/** @param {Discount} one @param {number} minor */
function wordsOf(one, minor) {
  const saved = savedBy(one, minor);
  const fault = faultOf(saved, minor, currency());
  if (fault) return fault;
  const sums = {
    saved: money(saved, currency()), price: money(minor, currency()), sum: money(minor - saved, currency()),
    percent: one.percent,
  };
  return say(one.percent ? "sale.discountPercentGiven" : "sale.discountGiven", sums);
}

// ---- The question

/** A whole percentage in the digits of any script; 0 for anything else. @param {string} text */
function percentIn(text) {
  const digits = Array.from(text.trim().replace(/[%٪％]$/u, "").trim(), (one) => digitValue(one));
  const number = digits.every((one) => one >= 0) ? Number(digits.join("")) : 0;
  return digits.length > 0 && isPercent(number) ? number : 0;
}

/** What is entered, or the first field that is wrong. @returns {{one?: Discount, field?: string, fault?: string}} */
function entered() {
  const reason = $("discount-reason").value.trim();
  /** @type {Discount} */
  const one = { reason };
  if ($("discount-percent").value.trim()) {
    one.percent = percentIn($("discount-percent").value);
    if (!one.percent) return { field: "discount-percent", fault: say("sale.discountHowMuch") };
  } else if ($("discount-amount").value.trim()) {
    const { value, fault } = minorUnits($("discount-amount").value, currency());
    if (fault) return { field: "discount-amount", fault };
    one.minor = value;
  } else {
    return { field: "discount-percent", fault: say("sale.discountHowMuch") };
  }
  const fault = faultOf(savedBy(one, minorNow()), minorNow(), currency());
  if (fault) return { field: one.percent ? "discount-percent" : "discount-amount", fault };
  return reason ? { one } : { field: "discount-reason", fault: say("sale.discountWhy"), one };
}

/** Says what comes of it while it is entered. */
function preview() {
  const { one } = entered();
  $("discount-sum").textContent = one ? wordsOf(one, minorNow()) : "";
  $("discount-fault").textContent = "";
  for (const id of ["discount-percent", "discount-amount", "discount-reason"]) $(id).removeAttribute("aria-invalid");
  const percent = percentIn($("discount-percent").value);
  for (const button of $("discount-offered").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.percent) === percent));
  }
}

async function openQuestion() {
  if (minorNow() <= 0) {
    $("amount-fault").textContent = say("sale.discountFirst");
    $("amount").focus();
    return;
  }
  $("discount-percent").value = given?.percent ? String(given.percent) : "";
  $("discount-amount").value = given?.minor ? decimal(given.minor, currency()) : "";
  $("discount-reason").value = given?.reason ?? "";
  $("discount-off").hidden = !given;
  preview();
  const answer = dialog.begin();
  $("discount-percent").focus();
  const said = await answer;
  if (!said) return;
  giveDiscount(said === "give" ? entered().one ?? null : null);
  $("amount").dispatchEvent(new Event("input"));
  $("discount-open").focus();
}

$("discount-offered").append(...OFFERED.map((percent) => {
  const button = make("button", `${percent}%`, { type: "button" });
  button.dataset.percent = String(percent);
  button.addEventListener("click", () => {
    $("discount-percent").value = String(percent);
    $("discount-amount").value = "";
    preview();
    $("discount-reason").focus();
  });
  return button;
}));
for (const [id, other] of [["discount-percent", "discount-amount"], ["discount-amount", "discount-percent"]]) {
  $(id).addEventListener("input", () => {
    if ($(id).value.trim()) $(other).value = "";
    preview();
  });
}
$("discount-reason").addEventListener("input", preview);
$("discount-back").addEventListener("click", () => dialog.end(""));
$("discount-off").addEventListener("click", () => dialog.end("off"));
$("discount-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { field, fault } = entered();
  if (!field) return dialog.end("give");
  $("discount-fault").textContent = fault ?? "";
  $(field).setAttribute("aria-invalid", "true");
  $(field).focus();
});
$("discount-open").addEventListener("click", openQuestion);
$("amount").addEventListener("input", (event) => {
  const isOther = event.isTrusted || !("proposed" in $("amount").dataset);
  // It goes with its amount.
  if (given && (!$("amount").value.trim() || isAdopted && isOther)) giveDiscount(null);
  else nameDiscount();
});
$("currency").addEventListener("change", () => {
  // An amount is one of its currency; a percentage is one of any.
  if (given?.minor) giveDiscount(null);
  else nameDiscount();
});
$("document").addEventListener("input", () => {
  if ($("document").value.trim() && given) giveDiscount(null);
  else nameDiscount();
});
document.addEventListener("till:order-changed", nameDiscount);
