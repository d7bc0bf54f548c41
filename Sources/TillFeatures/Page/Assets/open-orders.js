// Booked orders that wait for money, those of connected shops among them. One is put into the form, and charged as a
// whole or in parts.

import { $, make } from "./dom.js";
import { money } from "./money.js";
import { alertWith } from "./notice.js";
import { chooseOrder, isTyped } from "./order.js";
import { ask, fail, Refusal } from "./requests.js";
import { say } from "./words.js";

const SHOWN = 12;

function row(order) {
  const { open, status } = order.payment;
  const name = make("p", "");
  name.append(make("strong", order.number), order.customer?.name ? ` ${order.customer.name}` : "");
  if (status === "partly_paid") {
    name.append(make("span", say("latest.of", { sum: money(order.amount, order.currency) }), { className: "of" }));
  }
  const sum = money(open, order.currency);
  const select = make("button", say("orders.select"), { type: "button" });
  select.setAttribute("aria-label", say("orders.selectOne", { number: order.number, sum }));
  select.addEventListener("click", () => choose(order));
  const act = make("span", "", { className: "act" });
  act.append(make("b", sum, { className: "n" }), select);
  const item = document.createElement("li");
  item.append(name, act);
  return item;
}

/** Puts an order into the form, unless what somebody has typed there would go by it. */
function choose(order) {
  if (!isTyped()) return chooseOrder(order);
  alertWith(say("parked.first"));
  $("alert").scrollIntoView({ block: "nearest" });
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
