// Booked orders that wait for money, those of connected shops among them. One is put into the form, and charged as a
// whole or in parts.

import { $, make } from "./dom.js";
import { money } from "./money.js";
import { alertWith } from "./notice.js";
import { chooseOrder, isTyped } from "./order.js";
import { ask, fail, Refusal } from "./requests.js";
import { steady } from "./steady.js";
import { say } from "./words.js";

const SHOWN = 12;

/** What each row stands for, as the till said last. @type {WeakMap<HTMLElement, any>} */
const orders = new WeakMap();

/** @param {any} order @returns {HTMLElement} */
function row(order) {
  const item = document.createElement("li");
  const select = make("button", say("orders.select"), { type: "button" });
  select.addEventListener("click", () => choose(orders.get(item)));
  const act = make("span", "", { className: "act" });
  act.append(make("b", "", { className: "n" }), select);
  item.append(make("p", ""), act);
  fill(item, order);
  return item;
}

/** @param {HTMLElement} item @param {any} order */
function fill(item, order) {
  orders.set(item, order);
  const { open, status } = order.payment;
  const sum = money(open, order.currency);
  const select = item.querySelector("button");
  const name = [make("strong", order.number), order.customer?.name ? ` ${order.customer.name}` : ""];
  if (status === "partly_paid") {
    name.push(make("span", say("latest.of", { sum: money(order.amount, order.currency) }), { className: "of" }));
  }
  item.querySelector("p").replaceChildren(...name);
  item.querySelector("b").textContent = sum;
  select.setAttribute("aria-label", say("orders.selectOne", { number: order.number, sum }));
  select.disabled = false;
}

/** @type {(items: any[]) => void} */
const show = steady({
  box: $("open-orders"), rows: $("open-orders-list"), news: $("open-orders-news"), make: row, fill,
  words: (count) => say("orders.new", { count }),
  // What has nothing to pay any more is not chosen while it still stands there.
  retire: (item) => { item.querySelector("button").disabled = true; },
  placed: (items) => { $("open-orders").hidden = items.length === 0; },
});

/** Puts an order into the form, unless what somebody has typed there would go by it. */
function choose(order) {
  if (!isTyped()) return chooseOrder(order);
  alertWith(say("parked.first"));
  $("alert").scrollIntoView({ block: "nearest" });
}

/** Whether asking again would come to nothing, too. @param {unknown} error */
export const isFinal = (error) => error instanceof Refusal && error.status < 429;

/** Counts the questions, so that a late answer does not take the place of a newer one. */
let asked = 0;
let answered = 0;

/**
 * Asks for the orders with something to pay and shows them, newest first.
 * @param {boolean} [isNews] Nobody here has asked for it: what comes to nothing is not said.
 * @returns {Promise<boolean>} Whether that is done; if not, it is worth another try.
 */
export async function listOpenOrders(isNews = false) {
  const mine = ++asked;
  try {
    const pages = await Promise.all(
      ["ready", "open"].map((state) => ask("GET", `/v1/orders?state=${state}&paid=false&limit=${SHOWN}`)));
    if (mine < answered) return true;
    answered = mine;
    const payable = pages.flatMap((page) => page.orders).filter((order) => order.payment?.open > 0);
    $("open-orders-more").hidden = payable.length <= SHOWN && pages.every((page) => page.orders.length < SHOWN);
    show(payable.slice(0, SHOWN));
  } catch (error) {
    if (isNews) return isFinal(error);
    if (error instanceof Refusal) fail(error);
  }
  return true;
}
