// Sales that wait for a customer who comes back: what was entered, in this device's storage, never anything of a card.

import { time } from "./clock.js";
import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { minorUnits, money } from "./money.js";
import { alertWith } from "./notice.js";
import { chooseOrder, chosenOrder, propose } from "./order.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { blank, paymentInForm } from "./sale.js";
import { giveDiscount, givenDiscount, isDiscount } from "./sell-discount.js";
import { isSelling } from "./sell-keys.js";
import { session } from "./session.js";
import { close } from "./shown.js";
import { parts, say } from "./words.js";

const SLOT = "till.parked";
/** More are forgotten anyway; each is one line in the storage. */
const MOST = 20;
const MOST_CHARACTERS = 200;
const dialog = questions($("parked"));

/**
 * One parked sale: when, and the form as it was. `order` is a booked order, `payment` one that is open; `manual` is set
 * if it was to be authorized only.
 * @typedef {{at: number, amount: string, currency: string, number: string, order?: string, payment?: string,
 *   manual?: boolean, discount?: import("./sell-discount.js").Discount}} Parked
 */

const isText = (value) => typeof value === "string" && value.length <= MOST_CHARACTERS;

/** @returns {Parked[]} What is parked; what cannot be read is none. */
function parked() {
  try {
    const kept = JSON.parse(localStorage.getItem(SLOT) ?? "[]");
    return kept.filter((one) => Number.isFinite(one?.at) && [one.amount, one.currency, one.number].every(isText)
      && [one.order ?? "", one.payment ?? ""].every(isText)
      && (one.discount === undefined || isDiscount(one.discount))).slice(0, MOST);
  } catch {
    return [];
  }
}

/** @param {Parked[]} all @returns {boolean} They are kept. */
function keep(all) {
  try {
    localStorage.setItem(SLOT, JSON.stringify(all));
  } catch {
    return false;
  }
  return true;
}

function count() {
  const number = parked().length;
  $("parked-count").textContent = String(number);
  $("parked-open").hidden = number === 0;
}

/** Whether the form has something of a sale. */
const isEntered = () => Boolean(chosenOrder() || $("amount").value.trim() || $("order").value.trim());

/** Puts the sale of the form aside. @returns {string} Why it was not; empty if it was. */
function park() {
  const payment = paymentInForm();
  if (session.busy) return say("parked.underWay");
  if ($("document").value.trim()) return say("parked.document");
  const all = parked();
  if (all.length >= MOST) return say("parked.full", { count: MOST });
  const order = chosenOrder();
  const discount = givenDiscount();
  const one = {
    at: Date.now(), amount: $("amount").value.trim(), currency: $("currency").value,
    number: order ? order.number : $("order").value.trim(), ...(order && { order: order.id }),
    ...(payment && { payment: payment.id }), ...($("manual").checked && { manual: true }),
    ...(discount && { discount }),
  };
  if (![one.amount, one.number].every(isText)) return say("parked.tooLong");
  if (!keep([one, ...all])) return say("parked.noStore");
  if (payment) close();
  blank();
  count();
  $("sale-title").focus();
  return "";
}

const why = (text) => {
  $("parked-why").replaceChildren(...parts(text));
  $("parked-why").hidden = !text;
};

function drop(one) {
  keep(parked().filter((other) => other.at !== one.at));
  count();
}

async function resume(one) {
  if (session.busy || session.isOffline) return why(say("parked.notNow"));
  if (isEntered() || $("document").value.trim()) return why(say("parked.first"));
  if (one.payment) {
    drop(one);
    dialog.end("");
    location.hash = one.payment;
    return;
  }
  try {
    if (one.order) {
      const order = await ask("GET", `/v1/orders/${encodeURIComponent(one.order)}`);
      if (!(order.payment?.open > 0)) {
        drop(one);
        list();
        return why(say("parked.paid", { number: order.number }));
      }
      chooseOrder(order);
      const open = order.payment.open;
      const part = minorUnits(one.amount, order.currency).value ?? open;
      if (part < open) $("amount").value = one.amount;
    } else {
      document.dispatchEvent(new Event("till:order-chosen"));
      if ([...$("currency").options].some((option) => option.value === one.currency)) {
        $("currency").value = one.currency;
      }
      $("amount").value = one.amount;
      $("order").value = one.number;
      giveDiscount(one.discount ?? null);
    }
    $("manual").checked = one.manual === true;
    propose();
  } catch (error) {
    const words = error instanceof Refusal ? sentencesOf(error).join(" ") : say("parked.unreached");
    return why(`${words} ${say("parked.stays")}`);
  }
  drop(one);
  dialog.end("");
  $("sale-title").focus();
}

function row(one) {
  const item = make("li", "");
  const minor = minorUnits(one.amount, one.currency).value;
  const sum = minor ? money(minor, one.currency) : say("sale.noAmount");
  const named = { name: one.number || say("parked.theSale"), sum };
  const words = make("span", "");
  words.append(make("b", one.number || say("parked.sale")),
    make("small", say("parked.at", { time: time(one.at) })));
  if (one.manual === true) words.append(make("small", say("parked.hold")));
  const again = make("button", say("parked.resume"), { type: "button", className: "button" });
  again.setAttribute("aria-label", say("parked.resumeOne", named));
  again.addEventListener("click", () => resume(one));
  const off = make("button", say("parked.delete"), { type: "button", className: "button plain" });
  off.setAttribute("aria-label", say("parked.deleteOne", named));
  let isAsked = false;
  off.addEventListener("click", (event) => {
    // The second half of a double click is no answer.
    if (isAsked && event.detail > 1) return;
    if (!isAsked) {
      isAsked = true;
      off.textContent = minor ? say("parked.deleteSum", { sum }) : say("parked.deleteIt");
      off.removeAttribute("aria-label");
      return;
    }
    drop(one);
    list();
    $("parked-close").focus();
  });
  // Whoever goes on to something else has not answered.
  off.addEventListener("blur", () => {
    isAsked = false;
    off.textContent = say("parked.delete");
    off.setAttribute("aria-label", say("parked.deleteOne", named));
  });
  item.append(words, make("b", sum, { className: "n" }), again, off);
  return item;
}

const list = () => $("parked-list").replaceChildren(...parked().map(row));

function open() {
  why("");
  list();
  dialog.begin();
}

function press() {
  if (!isEntered() && !$("document").value.trim()) return open();
  alertWith(park());
}

$("park").addEventListener("click", press);
$("parked-open").addEventListener("click", open);
$("parked-close").addEventListener("click", () => dialog.end(""));
addEventListener("storage", count);
addEventListener("keydown", (event) => {
  if (event.key !== "F4" || event.altKey || event.ctrlKey || event.metaKey || event.repeat || !isSelling()) return;
  event.preventDefault();
  press();
});
count();
