// Sales that wait for a customer who comes back: what was entered, in this device's storage, never anything of a card.

import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { minorUnits, money } from "./money.js";
import { alertWith } from "./notice.js";
import { chooseOrder, chosenOrder, propose } from "./order.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { blank, paymentInForm } from "./sale.js";
import { isSelling } from "./sell-keys.js";
import { session } from "./session.js";
import { close } from "./shown.js";

const SLOT = "till.parked";
/** More are forgotten anyway; each is one line in the storage. */
const MOST = 20;
const MOST_CHARACTERS = 200;
const FULL = `${MOST} sales are parked. Resume or delete one first.`;
const dialog = questions($("parked"));

/**
 * One parked sale: when, and the form as it was. `order` is a booked order, `payment` one that is open.
 * @typedef {{at: number, amount: string, currency: string, number: string, order?: string, payment?: string}} Parked
 */

const isText = (value) => typeof value === "string" && value.length <= MOST_CHARACTERS;

/** @returns {Parked[]} What is parked; what cannot be read is none. */
function parked() {
  try {
    const kept = JSON.parse(localStorage.getItem(SLOT) ?? "[]");
    return kept.filter((one) => Number.isFinite(one?.at) && [one.amount, one.currency, one.number].every(isText)
      && [one.order ?? "", one.payment ?? ""].every(isText)).slice(0, MOST);
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
  if (session.busy) return "The sale is under way.";
  if ($("document").value.trim()) return "An order document is not parked. Charge it or take it out.";
  const all = parked();
  if (all.length >= MOST) return FULL;
  const order = chosenOrder();
  const one = {
    at: Date.now(), amount: $("amount").value.trim(), currency: $("currency").value,
    number: order ? order.number : $("order").value.trim(), ...(order && { order: order.id }),
    ...(payment && { payment: payment.id }),
  };
  if (![one.amount, one.number].every(isText)) return "The amount or the number is too long.";
  if (!keep([one, ...all])) return "This browser keeps nothing for the page.";
  if (payment) close();
  blank();
  count();
  $("sale-title").focus();
  return "";
}

const why = (text) => {
  $("parked-why").textContent = text;
  $("parked-why").hidden = !text;
};

function drop(one) {
  keep(parked().filter((other) => other.at !== one.at));
  count();
}

async function resume(one) {
  if (session.busy || session.isOffline) return why("Not now: the till cannot be reached, or a sale is under way.");
  if (isEntered() || $("document").value.trim()) return why("Park or charge the sale at the counter first.");
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
        return why(`Order ${order.number} has nothing left to pay. It is parked no more.`);
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
    }
    propose();
  } catch (error) {
    const words = error instanceof Refusal ? sentencesOf(error).join(" ") : "The till cannot be reached.";
    return why(`${words} The sale stays parked.`);
  }
  drop(one);
  dialog.end("");
  $("sale-title").focus();
}

function row(one) {
  const item = make("li", "");
  const minor = minorUnits(one.amount, one.currency).value;
  const sum = minor ? money(minor, one.currency) : "No amount";
  const words = make("span", "");
  words.append(make("b", one.number || "Sale"), make("small", `Parked ${new Date(one.at).toLocaleString()}`));
  const again = make("button", "Resume", { type: "button", className: "button" });
  again.setAttribute("aria-label", `Resume ${one.number || "the sale"}, ${sum}`);
  again.addEventListener("click", () => resume(one));
  const off = make("button", "Delete", { type: "button", className: "button plain" });
  off.setAttribute("aria-label", `Delete ${one.number || "the sale"}, ${sum}`);
  off.addEventListener("click", () => {
    drop(one);
    list();
    $("parked-close").focus();
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
