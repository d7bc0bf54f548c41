// Booked orders that wait for money, those of connected shops among them. One is put into the form, and charged as a
// whole or in parts.

import { $, make } from "./dom.js";
import { money } from "./money.js";
import { chooseOrder } from "./order.js";
import { ask, fail, Refusal } from "./requests.js";

const SHOWN = 12;

function row(order) {
  const { open, status } = order.payment;
  const name = make("p", "");
  name.append(make("strong", order.number), order.customer?.name ? ` ${order.customer.name}` : "");
  if (status === "partly_paid") {
    name.append(make("span", `of ${money(order.amount, order.currency)}`, { className: "of" }));
  }
  const charge = make("button", `Charge ${money(open, order.currency)}`, { type: "button" });
  charge.setAttribute("aria-label", `Charge ${money(open, order.currency)} of order ${order.number}`);
  charge.addEventListener("click", () => chooseOrder(order));
  const item = document.createElement("li");
  item.append(name, charge);
  return item;
}

/** Asks for the orders with something to pay and shows them, newest first. */
export async function listOpenOrders() {
  try {
    const pages = await Promise.all(
      ["ready", "open"].map((state) => ask("GET", `/v1/orders?state=${state}&paid=false&limit=${SHOWN}`)));
    const payable = pages.flatMap(({ orders }) => orders).filter((order) => order.payment?.open > 0);
    $("open-orders-list").replaceChildren(...payable.slice(0, SHOWN).map(row));
    $("open-orders-more").hidden = payable.length <= SHOWN && pages.every(({ orders }) => orders.length < SHOWN);
    $("open-orders").hidden = payable.length === 0;
  } catch (error) {
    if (error instanceof Refusal) fail(error);
  }
}
