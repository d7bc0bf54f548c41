// What is sold: an amount that was typed, an order document of a shop, or a booked order.

import { $, make } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { discountOn } from "./sell-discount.js";
import { say } from "./words.js";

const LARGEST_FILE = 4_000_000;

/** The document that was pasted or chosen; null without one. Throws a SyntaxError if it is no JSON object. */
export function orderDocument() {
  const text = $("document").value.trim();
  if (!text) return null;
  // A comma before a closing bracket, which some exports contain, is dropped; everything else stays as written.
  const clean = text.replace(/^\uFEFF/, "")
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part[0] === '"' ? part : ""));
  const parsed = JSON.parse(clean);
  if (!parsed || typeof parsed !== "object") throw new SyntaxError("It is no object.");
  return { clean, order: parsed.total === undefined && parsed.data ? parsed.data : parsed };
}

/** What the metadata of an order say that a typed sale became. */
export const KEYPAD = "keypad";

/** Whether an order, or a payment of one, is a typed sale that is paid in parts. */
export const isOfKeypad = (one) => one.metadata?.origin === KEYPAD;

/** The booked order in the form; null without one. @type {any} */
let chosen = null;

/** The booked order in the form; null without one. */
export const chosenOrder = () => chosen;

/** Whether somebody has typed a sale; the amount that an order or an open payment proposes is none. */
export const isTyped = () => Boolean($("document").value.trim())
  || Boolean($("amount").value.trim()) && !("proposed" in $("amount").dataset);

/** Takes a booked order out of the form. */
export function forgetOrder() {
  chosen = null;
  $("chosen").hidden = true;
  $("number-field").hidden = $("document-box").hidden = false;
  $("currency").disabled = false;
  document.dispatchEvent(new Event("till:order-changed"));
}

/** Puts a booked order into the form, with all that is open of it. */
export function chooseOrder(order) {
  document.dispatchEvent(new Event("till:order-chosen"));
  chosen = order;
  const currency = $("currency");
  if (![...currency.options].some((one) => one.value === order.currency)) {
    currency.append(make("option", order.currency, { value: order.currency }));
  }
  currency.value = order.currency;
  currency.disabled = true;
  $("amount").value = decimal(order.payment.open, order.currency);
  $("number-field").hidden = $("document-box").hidden = true;
  const name = order.customer?.name;
  $("chosen-words").textContent = say(name ? "order.chosenFor" : "order.chosen", {
    number: order.number, name, sum: money(order.payment.open, order.currency),
  });
  $("chosen").hidden = false;
  document.dispatchEvent(new Event("till:order-changed"));
  propose();
  $("sale-title").focus();
}

/** Has the next digit of the keypad begin another amount, and everything follow the amount in the form. */
export function propose() {
  $("amount").dataset.proposed = "";
  $("amount").dispatchEvent(new Event("input"));
}

/** What a request for a payment asks for, in one text: the same text is the same sale. */
export const saleName = (path, body) => (path === "/v1/payments" ? body : `${path} ${body}`);

/** The request for a payment of a booked order, or the first field that is wrong. */
function orderSale(capture) {
  const { currency } = chosen;
  const amount = minorUnits($("amount").value, currency);
  if (amount.fault) return { field: "amount", fault: amount.fault };
  const path = `/v1/orders/${encodeURIComponent(chosen.id)}/payments`;
  const sent = JSON.stringify({ amount: amount.value, capture });
  return { body: saleName(path, sent), path, sent, minor: amount.value, currency };
}

/**
 * What is sold: `body` names it, `path` and `sent` are the request for its payment where that is not `/v1/payments`
 * with that body; or the first field that is wrong.
 */
export function saleBody() {
  const capture = $("manual").checked ? "manual" : "automatic";
  if (chosen) return orderSale(capture);
  try {
    const read = orderDocument();
    if (read) return { body: `{"order":${read.clean},"capture":"${capture}"}` };
  } catch {
    return { field: "document", fault: say("order.notJSON") };
  }
  const currency = $("currency").value;
  const amount = minorUnits($("amount").value, currency);
  if (amount.fault) return { field: "amount", fault: amount.fault };
  const order = $("order").value.trim();
  if (!/^[\x21-\x7e]*$/.test(order)) {
    return { field: "order", fault: say("order.characters") };
  }
  const { discount, fault } = discountOn(Number(amount.value), currency);
  if (fault) return { field: "amount", fault };
  const minor = Number(amount.value) - (discount?.amount ?? 0);
  const body = JSON.stringify({
    ...(order && { order_id: order }), amount: minor, currency, capture, ...(discount && { discount }),
  });
  return { body, minor, currency };
}

/** The currency and the sum of a sale; of an order document, what it says itself. */
export function sumOf(sale) {
  if (sale.currency) return sale;
  const { order } = orderDocument();
  // The till takes its code in any case; the places of an amount go by it.
  const currency = String(order.currency ?? "").toUpperCase();
  return { currency, minor: minorUnits(String(order.total ?? ""), currency).value };
}

$("document").addEventListener("input", () => {
  let note = "";
  try {
    const read = orderDocument();
    if (read) {
      note = say("order.documentSum", { sum: `${read.order.total ?? "?"} ${read.order.currency ?? ""}` });
    }
  } catch {
    note = say("order.notYet");
  }
  $("document-note").textContent = note;
  const isUsed = Boolean($("document").value.trim());
  $("amount").disabled = $("currency").disabled = $("order").disabled = isUsed;
});
$("chosen-none").addEventListener("click", () => {
  forgetOrder();
  $("amount").value = "";
  $("amount").dispatchEvent(new Event("input"));
  $("sale-title").focus();
});
$("file").addEventListener("change", async () => {
  const file = $("file").files[0];
  if (!file) return;
  if (file.size > LARGEST_FILE) {
    $("document-note").textContent = say("order.tooLarge");
    return;
  }
  $("document").value = await file.text();
  $("document").dispatchEvent(new Event("input"));
});
