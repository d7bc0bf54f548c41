// The search field above the sale: open orders, payments, and an amount as a new sale.

import { badge } from "./badges.js";
import { $, make } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { chooseOrder, propose } from "./order.js";
import { method, orderName } from "./payment.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { isStripe } from "./sell-keys.js";
import { may } from "./session.js";

const SHOWN = 5;
const PAUSE_MS = 250;
/** Counts the searches, so that a late answer of an earlier one is dropped. */
let search = 0;
let due = 0;

/** A whole number of a card is looked for by its end; the codes of goods have at most 13 digits. */
const withoutCard = (text) => (/^(?:\d[ -]?){13,18}\d$/.test(text) ? text.replace(/\D/g, "").slice(-4) : text);

function hide() {
  clearTimeout(due);
  search += 1;
  $("results").hidden = true;
  $("results").replaceChildren();
  $("find-said").textContent = "";
}

/** Leaves the search with what it led to. */
function done() {
  $("q").value = "";
  hide();
}

function hit(element, name, under, ...more) {
  const words = make("span", "");
  words.append(make("b", name), make("small", under));
  element.className = "hit";
  element.append(words, ...more);
  return element;
}

function orderHit(order) {
  const sum = make("b", money(order.payment.open, order.currency), { className: "n" });
  const button = hit(make("button", "", { type: "button" }), order.number, order.customer?.name ?? "Open order", sum);
  button.addEventListener("click", () => {
    done();
    chooseOrder(order);
  });
  return button;
}

function paymentHit(payment) {
  const when = new Date(payment.created_at).toLocaleString();
  const how = payment.unreadable ? "" : method(payment) ?? "";
  const sum = make("b", payment.unreadable ? "?" : money(payment.captured, payment.currency), { className: "n" });
  const link = make("a", "", { href: "/payments/" + encodeURIComponent(payment.id) });
  return hit(link, payment.unreadable ? payment.id : orderName(payment), [how, when].filter(Boolean).join(", "),
    badge(payment), sum);
}

function amountHit(minor, currency) {
  const button = hit(make("button", "", { type: "button" }), `New sale of ${money(minor, currency)}`,
    "Without an order");
  button.addEventListener("click", () => {
    done();
    document.dispatchEvent(new Event("till:order-chosen"));
    $("amount").value = decimal(minor, currency);
    propose();
    $("sale-title").focus();
  });
  return button;
}

const part = (title, hits) => (hits.length ? [make("h2", title), ...hits] : []);

const answered = (result, member) => (result.status === "fulfilled" ? result.value[member] : []);

/** What is said where nothing was found, or not asked. */
function wordsOf(count, refused) {
  if (refused && !(refused.reason instanceof Refusal)) return "The till cannot be reached. Nothing was searched.";
  if (refused && count === 0) return sentencesOf(refused.reason).join(" ");
  return count === 0 ? "Nothing was found." : `${count} found.`;
}

async function find() {
  clearTimeout(due);
  const text = withoutCard($("q").value.trim());
  search += 1;
  const mine = search;
  if (!text) return hide();
  if (isStripe(text)) return done();
  const q = encodeURIComponent(text);
  const results = await Promise.allSettled([
    ask("GET", `/v1/orders?q=${q}&limit=${SHOWN * 2}`), ask("GET", `/v1/payments?q=${q}&limit=${SHOWN}`)]);
  if (mine !== search) return;
  const orders = may("sell") ? answered(results[0], "orders").filter((one) => one.payment?.open > 0) : [];
  const payments = answered(results[1], "payments");
  const currency = $("currency").value;
  const amount = may("sell") ? minorUnits(text, currency).value ?? 0 : 0;
  const words = make("p", wordsOf(orders.length + payments.length, results.find((one) => one.status === "rejected")),
    { className: "muted small" });
  $("results").replaceChildren(
    ...part("Orders", orders.slice(0, SHOWN).map(orderHit)), ...part("Payments", payments.map(paymentHit)),
    ...part("Amount", amount > 0 ? [amountHit(amount, currency)] : []), words);
  $("results").hidden = false;
  $("find-said").textContent = words.textContent;
}

$("q").addEventListener("input", () => {
  clearTimeout(due);
  due = setTimeout(find, PAUSE_MS);
});
$("find").addEventListener("submit", async (event) => {
  event.preventDefault();
  await find();
  $("results").querySelector(".hit")?.focus();
});
document.addEventListener("till:find", find);
document.addEventListener("till:locked", done);
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || ($("results").hidden && event.target !== $("q"))) return;
  event.preventDefault();
  done();
  $("sale-title").focus();
}, { capture: true });
addEventListener("pointerdown", (event) => {
  const isInside = event.target instanceof Element && event.target.closest("#results, #find");
  if (!isInside && !$("results").hidden) hide();
});
