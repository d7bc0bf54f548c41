// An order that is paid in parts: what is left to pay is the amount; beneath it stand the parts so far, and equal ones.

import { badge } from "./badges.js";
import { $, make } from "./dom.js";
import { decimal, money } from "./money.js";
import { draw } from "./money-bar.js";
import { chosenOrder, propose } from "./order.js";

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

function partButton(order, parts) {
  const text = parts === 1 ? "Rest" : `${parts} × ${money(share(order.payment.open, parts), order.currency)}`;
  const button = make("button", text, { type: "button" });
  button.dataset.parts = String(parts);
  button.setAttribute("aria-pressed", String(parts === 1));
  button.addEventListener("click", () => choosePart(order, parts));
  return button;
}

function partRow(payment, currency) {
  const item = make("li", "", { className: "partrow" });
  const sum = payment.captured > 0 ? payment.captured : payment.amount;
  item.append(make("a", `Payment ${payment.id.slice(-5)}`, { href: "#" + payment.id }), badge(payment),
    make("b", money(sum, currency), { className: "n" }));
  return item;
}

function show() {
  const order = chosenOrder();
  $("split").hidden = !order;
  const { paid = 0, reserved = 0, open = 0 } = order?.payment ?? {};
  const isPart = paid > 0 || reserved > 0;
  $("sale-title").textContent = !order ? "New sale"
    : isPart ? `Left to pay on ${order.number}` : `Order ${order.number}`;
  if (!order) return;
  const all = paid + reserved + open;
  $("split-paid").hidden = $("split-bar").toggleAttribute("hidden", !isPart);
  $("split-paid").textContent = `${money(paid, order.currency)} of ${money(all, order.currency)} paid`;
  draw($("split-bar"), { kept: paid, refunded: 0, disputed: 0, held: reserved, free: open, all });
  const parts = (order.payments ?? []).filter((one) => !["canceled", "expired"].includes(one.status));
  $("split-parts").replaceChildren(...parts.slice(0, MOST_PARTS).map((one) => partRow(one, order.currency)));
  $("split-equal").replaceChildren(...GUESTS.map((number) => partButton(order, number)));
}

document.addEventListener("till:order-changed", show);
