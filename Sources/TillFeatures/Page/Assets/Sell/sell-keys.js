// The keypad, and the keys of the page: digits make the amount, cents first, unless a field has the focus; letters
// choose how the customer pays; F9 charges. Once cash was chosen they make what the customer has handed over.

import { $, make } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { savedOf } from "./sell-discount.js";
import { digitValue } from "./typed-digits.js";
import { say } from "./words.js";

/** Digits of the largest amount of the keypad, as of 9999999.99; a larger one is typed into the field. */
const MOST_DIGITS = 9;
/** More characters of an amount are shown smaller. */
const LONG = 8;

const currency = () => $("currency").value;
const minorIn = (field) => minorUnits(field.value, currency()).value ?? 0;
const minorNow = () => minorIn($("amount"));
/** Of cash: what was handed over, and what the customer leaves of it. */
const isOfCash = (field) => field === $("tendered") || field === $("cash-tip");
/** Where digits go: to what was handed over or left while the focus is there, otherwise to the amount. */
const target = () => /** @type {any} */ (isOfCash(document.activeElement) ? document.activeElement : $("amount"));
/** What the next key replaces as a whole. */
const isReplaced = (field) => "proposed" in field.dataset
  || isOfCash(field) && field.selectionEnd - field.selectionStart === field.value.length;

/** Says on the button what it charges. */
function nameCharge() {
  const price = $("amount").disabled ? 0 : minorNow();
  const due = price - savedOf(price);
  const isCash = document.querySelector("input[name=tender][value=cash]:checked") !== null;
  const minor = due > 0 && isCash ? due + minorIn($("cash-tip")) : due;
  $("amount").classList.toggle("many", $("amount").value.length > LONG);
  $("charge-words").textContent = minor > 0
    ? say("take.chargeSum", { sum: money(minor, currency()) }) : say("take.charge");
}

function put(field, minor) {
  field.value = minor > 0 ? decimal(minor, currency()) : "";
  field.dispatchEvent(new Event("input"));
  $("amount-said").textContent = minor > 0 ? money(minor, currency()) : say("sale.noAmount");
}

/** Adds digits to the sum, the last ones in its smallest unit. @param {string} digits */
function typeDigits(digits) {
  const field = target();
  if (field.disabled) return;
  // The amount of an order is a proposal: the first digit begins another one.
  let minor = isReplaced(field) ? 0 : minorIn(field);
  delete field.dataset.proposed;
  for (const digit of digits) {
    const next = minor * 10 + Number(digit);
    if (String(next).length > MOST_DIGITS) break;
    minor = next;
  }
  put(field, minor);
}

function deleteDigit() {
  const field = target();
  if (field.disabled) return;
  const minor = isOfCash(field) && isReplaced(field) ? 0 : minorIn(field);
  delete field.dataset.proposed;
  put(field, (minor - (minor % 10)) / 10);
}

/** A field in which keys are text. @param {EventTarget | null} target */
export const isField = (target) => target instanceof Element && target.closest(
  "input:not([type=radio], [type=checkbox], [type=file]), textarea, select, iframe") !== null;

/** The stripe of a card, as a scanner types it; it is looked for nowhere. @param {string} text */
export const isStripe = (text) => /^[%;]/.test(text);

/** The sale is what the page shows, and no question stands before it. */
export const isSelling = () => !$("till").hidden && !$("counter-view").hidden && !$("sale").hidden
  && !document.querySelector("dialog[open]");

function charge() {
  if (!$("charge").disabled) $("sale").requestSubmit();
}

const TENDERS = { r: "reader", t: "tap", k: "card", c: "cash" };

function chooseTender(value) {
  const radio = /** @type {HTMLInputElement} */ (document.querySelector(`input[name=tender][value=${value}]`));
  if (radio.closest("label")?.hidden || radio.checked) return;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Asks what the customer has handed over, once there is something to pay. */
function askTendered() {
  const field = $("tendered");
  if (minorNow() <= 0 || $("tender-cash").hidden) return;
  field.focus();
  field.select();
  field.scrollIntoView({ block: "center" });
}

/** A button that can be pressed now. @param {string} id */
const pressable = (id) => {
  const button = $(id);
  return button && !button.disabled && button.checkVisibility() ? button : null;
};

/** Cancels at a reader that waits, or goes on to the next sale; nothing that is not decided is left so. */
function goBack() {
  const off = pressable("reader-off") ?? pressable("tap-off");
  if (off) return off.click();
  // Whoever works on the payment that is shown, as on its refund, has not asked for the next sale.
  if ($("details").contains(document.activeElement)) return;
  if (["paid", "held", ""].includes($("now").dataset.ground)) pressable("another")?.click();
}

const LETTERS = {
  p: () => pressable("print-form")?.requestSubmit(), m: () => pressable("send-to")?.focus(),
  s: () => {
    const open = pressable("split-open");
    if (open) open.click();
    else pressable("split-equal")?.querySelector("button")?.focus();
  },
};
for (const [letter, value] of Object.entries(TENDERS)) LETTERS[letter] = () => chooseTender(value);
LETTERS.c = () => {
  chooseTender("cash");
  askTendered();
};

/** After a shorter time a key is one of a scanner's burst. */
const SETTLE_MS = 60;
let due = 0;
let lastAt = -Infinity;

function onKey(event) {
  const isQuick = event.timeStamp - lastAt < SETTLE_MS;
  // A burst is made of characters; Escape and the function keys are a person's.
  if (event.key.length === 1) lastAt = event.timeStamp;
  clearTimeout(due);
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "F2" && !$("top-bar").hidden) {
    event.preventDefault();
    $("q").focus();
    return $("q").select();
  }
  if (!isSelling()) return;
  if (event.key === "F9") {
    event.preventDefault();
    if (!event.repeat) charge();
  } else if (event.key === "F8") {
    event.preventDefault();
    if (!event.repeat) pressable("discount-open")?.click();
  } else if (event.key === "Escape" && isField(event.target)) {
    event.target.blur();
  } else if (event.key === "Escape") {
    goBack();
  } else if (isOfCash(event.target)) {
    onCashKey(event);
  } else if (!isField(event.target)) {
    onPageKey(event, isQuick);
  }
}

const digitOf = (event) => (event.key.length <= 2 ? digitValue(event.key) : -1);

/** A key in a field of cash: its digits make a sum as those of the page do, without a point. */
function onCashKey(event) {
  const digit = digitOf(event);
  if (digit >= 0) typeDigits(String(digit));
  else if (event.key === "Backspace") deleteDigit();
  else if (![".", ","].includes(event.key)) return;
  event.preventDefault();
}

/** Shows the sale whose amount is typed out of sight, as below the outcome of the last one. */
function seeAmount() {
  const { top, bottom } = $("amount").getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) $("sale-title").scrollIntoView({ block: "start" });
}

/** A key that no field takes. */
function onPageKey(event, isQuick) {
  const digit = digitOf(event);
  const letter = LETTERS[event.key.toLowerCase()];
  if (digit >= 0) {
    typeDigits(String(digit));
    seeAmount();
  } else if (event.key === "Backspace") {
    deleteDigit();
  } else if (event.key === "Enter") {
    const isElsewhere = event.target instanceof Element
      && event.target.closest("a, button, summary, input, #now-title");
    if (!isElsewhere && !event.repeat && $("amount").value.trim()) charge();
  } else if (letter && !isQuick && !event.repeat) {
    due = setTimeout(letter, SETTLE_MS);
  }
}

const key = (text, label, act) => {
  // Whoever has a keyboard types the digits.
  const button = make("button", text, { type: "button", className: "key", tabIndex: -1 });
  button.setAttribute("aria-label", label);
  button.addEventListener("click", act);
  return button;
};
$("keypad").append(
  ...["1", "2", "3", "4", "5", "6", "7", "8", "9", "00", "0"].map((text) => key(text, text, () => typeDigits(text))),
  key("⌫", say("sale.deleteDigit"), deleteDigit),
);
// The keypad goes on with what was handed over: its buttons leave the focus there.
$("keypad").addEventListener("mousedown", (event) => {
  if (isOfCash(target())) event.preventDefault();
});
// The arrows that walk over the tenders leave the focus with them; a click and a tap have a place. Whoever chooses cash
// before there is something to pay types the amount next.
document.querySelector("input[name=tender][value=cash]").addEventListener("click", (event) => {
  if (/** @type {MouseEvent} */ (event).detail > 0 && minorNow() > 0) setTimeout(askTendered);
});
// What is typed once the sale was sent is the next one.
$("sale").addEventListener("submit", () => {
  if (isOfCash(target())) target().blur();
}, { capture: true });
addEventListener("keydown", onKey);
$("amount").addEventListener("input", (event) => {
  if (event.isTrusted) delete $("amount").dataset.proposed;
  nameCharge();
});
for (const id of ["document", "cash-tip"]) $(id).addEventListener("input", nameCharge);
$("currency").addEventListener("change", nameCharge);
for (const radio of document.querySelectorAll("input[name=tender]")) radio.addEventListener("change", nameCharge);
// The address names the payment that is shown, so the skip link moves the focus by itself.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus();
});
nameCharge();
