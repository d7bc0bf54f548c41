// The latest payments: what was taken of each, not what was ordered.

import { $, make } from "./dom.js";
import { money } from "./money.js";
import { listOpenOrders } from "./open-orders.js";
import { orderName, STATUS } from "./payment.js";
import { ask, fail, Refusal } from "./requests.js";
import { locale, say } from "./words.js";

/** What was captured; beside it what was ordered, tip included, where that is another sum. */
function sums(payment) {
  const cell = make("td", money(payment.captured, payment.currency), { className: "n" });
  const ordered = payment.amount + (payment.tip ?? 0);
  if (payment.captured !== ordered) {
    cell.append(make("span", say("latest.of", { sum: money(ordered, payment.currency) }), { className: "of" }));
  }
  return cell;
}

/** Its sum as it was ordered, if that can be read: what was taken of it cannot. */
function unreadable(payment) {
  const status = make("td", say("badge.unreadable"));
  status.title = payment.message;
  const sum = payment.currency ? money(payment.amount, payment.currency) : "";
  return [status, make("td", sum, { className: "n" })];
}

function row(payment) {
  const element = document.createElement("tr");
  const head = make("th", "", { scope: "row" });
  head.append(make("a", orderName(payment), { href: "#" + payment.id }));
  const standing = payment.unreadable
    ? unreadable(payment) : [make("td", STATUS[payment.status] ?? payment.status), sums(payment)];
  element.append(
    head, make("td", new Date(payment.created_at).toLocaleString(locale), { className: "wide-only" }), ...standing);
  return element;
}

/** Asks for the latest payments and the open orders, and shows them. */
export async function list() {
  listOpenOrders();
  try {
    const { payments } = await ask("GET", "/v1/payments?limit=12");
    $("rows").replaceChildren(...payments.map(row));
    $("empty").hidden = payments.length > 0;
  } catch (error) {
    if (error instanceof Refusal) fail(error);
  }
}
