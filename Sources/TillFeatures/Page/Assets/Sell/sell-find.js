// The search field above the sale: open orders, payments, and an amount as a new sale.

import { badge } from "./badges.js";
import { elsewhere, time } from "./clock.js";
import { $, make } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { chooseOrder, propose } from "./order.js";
import { method, orderName } from "./payment.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { isStripe } from "./sell-keys.js";
import { may } from "./session.js";
import { sought } from "./sought.js";
import { plain, say } from "./words.js";

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
  const whose = order.customer?.name ?? say("find.order");
  const button = hit(make("button", "", { type: "button" }), order.number, whose, sum);
  button.addEventListener("click", () => {
    done();
    chooseOrder(order);
  });
  return button;
}

function paymentHit(payment) {
  const how = payment.unreadable ? "" : method(payment) ?? "";
  const sum = make("b", payment.unreadable ? "?" : money(payment.captured, payment.currency), { className: "n" });
  const link = make("a", "", { href: "/payments/" + encodeURIComponent(payment.id) });
  const under = [how, time(payment.created_at)].filter(Boolean).join(", ");
  return hit(link, payment.unreadable ? payment.id : orderName(payment), under, badge(payment), sum);
}

function amountHit(minor, currency) {
  const button = hit(make("button", "", { type: "button" }), say("find.newSale", { sum: money(minor, currency) }),
    say("find.without"));
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

const answered = (result, member) => (result.status === "fulfilled" ? result.value[member] ?? [] : []);

/** The payments of an answer: first those that bear the very name, which may come again among the others. */
function paymentsOf(result) {
  const all = [...answered(result, "exact"), ...answered(result, "payments")];
  return all.filter((one, at) => all.findIndex(({ id }) => id === one.id) === at);
}

/** What is said where nothing was found, or not asked, or where there is more. */
function wordsOf(count, refused, isMore) {
  if (refused && !(refused.reason instanceof Refusal)) return say("find.unreached");
  if (refused && count === 0) return plain(sentencesOf(refused.reason).join(" "));
  if (isMore) return count === 0 ? say("find.nothingNewest") : say("find.shown", { count });
  return count === 0 ? say("find.nothing") : say("find.count", { count });
}

async function find() {
  clearTimeout(due);
  const text = withoutCard(sought($("q").value));
  search += 1;
  const mine = search;
  if (!text) return hide();
  if (isStripe(text)) return done();
  const q = encodeURIComponent(text);
  const results = await Promise.allSettled([
    ask("GET", `/v1/orders?q=${q}&limit=${SHOWN * 2}`), ask("GET", `/v1/payments?q=${q}&limit=${SHOWN}`)]);
  if (mine !== search) return;
  const orders = may("sell") ? answered(results[0], "orders").filter((one) => one.payment?.open > 0) : [];
  const found = paymentsOf(results[1]);
  const payments = found.slice(0, SHOWN);
  const isMore = found.length > SHOWN || results[1].status === "fulfilled" && Boolean(results[1].value.next);
  const shownOrders = orders.slice(0, SHOWN);
  const currency = $("currency").value;
  const amount = may("sell") ? minorUnits(text, currency).value ?? 0 : 0;
  const refused = results.find((one) => one.status === "rejected");
  const words = make("p", wordsOf(shownOrders.length + payments.length, refused, isMore), { className: "muted small" });
  if (isMore) words.append(" ", make("a", say("find.all"), { href: `/payments?q=${q}&period=all` }));
  $("results").replaceChildren(
    ...part(say("find.orders"), shownOrders.map(orderHit)),
    ...part(say("find.payments"), payments.map(paymentHit)),
    ...part(say("find.amount"), amount > 0 ? [amountHit(amount, currency)] : []), words,
    make("p", elsewhere(), { className: "muted small", hidden: !elsewhere() }));
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
