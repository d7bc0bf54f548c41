// An order that is paid in parts: what is left to pay is the amount; beneath it stand the parts so far, and equal ones.

import { badge } from "./badges.js";
import { $, make } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { draw } from "./money-bar.js";
import { chooseOrder, chosenOrder, isOfKeypad, propose } from "./order.js";
import { isOpen, isRetryable } from "./payment.js";
import { ask } from "./requests.js";
import { may, session } from "./session.js";
import { locale, say } from "./words.js";

/** Payments of one order that are shown; an order has few. */
const MOST_PARTS = 20;
const GUESTS = [1, 2, 3, 4];

/** One of equal parts, rounded up: the last guest pays less, not more. */
const share = (minor, parts) => (minor - (minor % parts)) / parts + (minor % parts > 0 ? 1 : 0);

function choosePart(order, parts) {
  $("amount").value = decimal(share(order.payment.open, parts), order.currency);
  propose();
  for (const button of $("split-equal").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.parts) === parts));
  }
}

/** What the last of equal parts comes to, in minor units. */
const lastOf = (minor, parts) => minor - share(minor, parts) * (parts - 1);

/** What equal parts come to, so that they add up. */
function partsText({ currency, payment: { open } }, parts) {
  if (parts === 1) return say("split.rest");
  const [each, last] = [share(open, parts), lastOf(open, parts)];
  if (each === last) return `${parts} × ${money(each, currency)}`;
  const one = (locale ? money : decimal)(each, currency);
  const others = parts === 2 ? one : `${parts - 1} × ${one}`;
  return say("split.uneven", { parts, others, last: money(last, currency) });
}

function partButton(order, parts) {
  const button = make("button", partsText(order, parts), { type: "button" });
  button.dataset.parts = String(parts);
  button.setAttribute("aria-pressed", String(parts === 1));
  button.addEventListener("click", () => choosePart(order, parts));
  return button;
}

function partRow(payment, currency) {
  const item = make("li", "", { className: "partrow" });
  const sum = payment.captured > 0 ? payment.captured : payment.amount;
  const name = say("split.payment", { name: payment.id.slice(-5) });
  item.append(make("a", name, { href: "#" + payment.id }), badge(payment),
    make("b", money(sum, currency), { className: "n" }));
  return item;
}

/** Says what the amount is of; a part of an order is not all that is left of it. */
function nameSale() {
  const order = chosenOrder();
  const { paid = 0, reserved = 0, open = 0 } = order?.payment ?? {};
  const amount = order ? minorUnits($("amount").value, order.currency).value ?? open : open;
  $("sale-title").textContent = !order ? say("sale.new")
    : amount !== open ? say("split.partOf", { number: order.number, sum: money(open, order.currency) })
      : say(paid > 0 || reserved > 0 ? "split.left" : "split.order", { number: order.number });
}

function show() {
  const order = chosenOrder();
  $("split").hidden = !order;
  nameSale();
  if (!order) return;
  const { paid = 0, reserved = 0, open = 0 } = order.payment;
  const isPart = paid > 0 || reserved > 0;
  const all = paid + reserved + open;
  $("split-paid").hidden = $("split-bar").toggleAttribute("hidden", !isPart);
  $("split-paid").textContent = say("split.paid", {
    paid: money(paid, order.currency), all: money(all, order.currency),
  });
  draw($("split-bar"), { kept: paid, refunded: 0, disputed: 0, held: reserved, free: open, all });
  const parts = (order.payments ?? []).filter((one) => !["canceled", "expired"].includes(one.status));
  $("split-parts").replaceChildren(...parts.slice(0, MOST_PARTS).map((one) => partRow(one, order.currency)));
  $("split-equal").replaceChildren(...GUESTS.filter((number) => lastOf(open, number) > 0)
    .map((number) => partButton(order, number)));
}

// ---- The next guest

/** The payment that is shown, and its order once something is known to be left of it. */
const nothing = (id = "") => ({ id, isAsked: false, /** @type {any} */ order: null });
let next = nothing();

function nameNext() {
  const { order } = next;
  $("another").textContent = order ? say("split.next", { number: order.number }) : say("stage.another");
  $("split-left").textContent = order ? say("split.toPay", {
    number: order.number, sum: money(order.payment.open, order.currency),
  }) : "";
  $("split-left").hidden = !order;
}

/** The order of which a payment is a part, or which it paid at once after it was typed. */
const orderOf = (payment) => payment.part?.order_id ?? (isOfKeypad(payment) ? payment.order_id : "");

/** Marks a typed sale as handed over once all of it is paid: nobody prepares it. */
async function finish(order) {
  if (!isOfKeypad(order) || order.payment?.status !== "paid" || !["open", "ready"].includes(order.state)) return;
  await ask("POST", `/v1/orders/${encodeURIComponent(order.id)}/fulfil`, "{}");
}

/** Offers what is left of an order when a part of it has ended. */
async function offerNext() {
  const payment = session.payment;
  if (!payment) return;
  if (payment.id !== next.id) next = nothing(payment.id);
  nameNext();
  const mine = next;
  const id = orderOf(payment);
  if (mine.isAsked || !id || !may("sell") || isOpen(payment) || isRetryable(payment)) return;
  mine.isAsked = true;
  try {
    const order = await ask("GET", `/v1/orders/${encodeURIComponent(id)}`);
    if (order.payment?.open > 0) mine.order = order;
    else await finish(order);
  } catch {
    // The order can be selected from the list.
  }
  if (mine === next) nameNext();
}

document.addEventListener("till:shown", offerNext);
// The sale before has left the form by then: sale.js comes first.
$("another").addEventListener("click", () => {
  const { order } = next;
  next = nothing();
  nameNext();
  if (order) chooseOrder(order);
});
document.addEventListener("till:order-changed", show);
$("amount").addEventListener("input", nameSale);
