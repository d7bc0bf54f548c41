// The counter's page: a sale is entered, paid, and its payment is shown until it has ended.

import { cardTender, forgetCard } from "./cards.js";
import { $, descriptions, make } from "./dom.js";
import { CURRENCIES, decimal, minorUnits, money } from "./money.js";
import { alertWith, clearFaults, mark, show } from "./notice.js";
import { saleBody } from "./order.js";
import {
  blocksSale, facts, isOpen, isRetryable, notes, orderName, refundable, STATUS, STEPS, words,
} from "./payment.js";
import { readerTender, refundReader, showRefundReader } from "./readers.js";
import { showReceipt } from "./receipts.js";
import { ask, fail, keptRequests, newKey, operate, Refusal, settle } from "./requests.js";
import { session } from "./session.js";
import "./stored.js";
import { tapTender } from "./tap.js";

const REFRESH_MS = 2_000;
const REFRESH_AFTER_FAULT_MS = 3_000;
const MOST_STEPS = 30;
/** @type {EventSource | null} */
let source = null;
let poll = 0;

const pathOf = (id, verb = "") => `/v1/payments/${encodeURIComponent(id)}${verb && "/" + verb}`;

// ---- What is shown of the payment

// What was typed stays when it came to nothing: nobody gives back the whole sum by pressing the button again.
function prefill(id, minor, payment) {
  if (session.busy) return;
  const stamp = `${payment.id}:${minor}`;
  if ($(id).dataset.stamp !== stamp) $(id).value = decimal(minor, payment.currency);
  $(id).dataset.stamp = stamp;
}

const PARTS = ["facts", "attention", "capture-form", "refund-form", "drop", "receipt-box", "change", "challenge"];

function render() {
  const payment = session.payment;
  const isBlocked = blocksSale(payment);
  $("charge").disabled = session.busy || isBlocked;
  for (const button of document.querySelectorAll("#capture-form button, #refund-form button, #drop")) {
    /** @type {HTMLButtonElement} */ (button).disabled = session.busy;
  }
  $("blocked").hidden = session.busy || !isBlocked;
  $("blocked").textContent =
    "The last sale is still being checked. For another customer, press “Start another sale”.";
  $("another").hidden = !payment || session.busy;
  for (const id of PARTS) $(id).hidden = true;
  if (payment) renderPayment(payment);
}

function renderPayment(payment) {
  const [tone, headline, detail, isUnderWay] = words(payment);
  show(tone, headline, detail, isUnderWay);
  const action = payment.attempts?.at(-1)?.action?.url;
  if (payment.status === "requires_action" && /^https?:\/\//.test(action ?? "")) {
    $("challenge").firstElementChild.href = action;
    $("challenge").hidden = false;
  }
  const attention = notes(payment);
  $("attention").replaceChildren(...attention.map((note) => make("li", note)));
  $("attention").hidden = !attention.length;
  if (session.change !== null && payment.status === "succeeded") {
    $("change").textContent = `Change: ${money(session.change, payment.currency)}`;
    $("change").hidden = false;
  }
  $("facts").replaceChildren(...descriptions(facts(payment)));
  $("facts").hidden = false;
  renderOperations(payment);
  if (payment.status !== "requires_payment_method" && !isOpen(payment)) {
    $("receipt-box").hidden = false;
    showReceipt(payment);
  }
}

const CAPTURABLE = ["requires_capture", "partially_captured", "partially_refunded"];

function renderOperations(payment) {
  const isHeld = payment.held > 0;
  const canCapture = isHeld && CAPTURABLE.includes(payment.status);
  // What gave all back has left its order: what is still held can only be released.
  $("capture-form").hidden = !(canCapture || (payment.status === "refunded" && isHeld));
  for (const part of document.querySelectorAll("#capture-form .field, #capture-form [type=submit]")) {
    /** @type {HTMLElement} */ (part).hidden = !canCapture;
  }
  $("cancel").textContent = payment.captured > 0 ? "Release the rest" : "Cancel the hold";
  if (canCapture) prefill("capture-amount", payment.held, payment);
  const left = refundable(payment);
  $("refund-form").hidden = left <= 0;
  showRefundReader(payment);
  if (left > 0) prefill("refund-amount", left, payment);
  $("drop").hidden = !isRetryable(payment);
}

function step(text) {
  const steps = $("steps");
  if (!text || steps.lastElementChild?.textContent === text) return;
  steps.append(make("li", text));
  while (steps.children.length > MOST_STEPS) steps.firstElementChild.remove();
  $("steps-box").hidden = false;
}

// ---- The payment that is shown: its id stands in the address, so that a reload finds it again.

function open(payment) {
  if (session.payment?.id !== payment.id) {
    session.payment = payment;
    $("steps").replaceChildren();
    $("steps-box").hidden = true;
    if (location.hash !== "#" + payment.id) history.replaceState(null, "", "#" + payment.id);
    watch(payment.id);
  }
  // An answer that was overtaken by a newer one is old news.
  if (!(payment.updated_at < session.payment.updated_at)) session.payment = payment;
  render();
  clearTimeout(poll);
  if (isOpen(session.payment)) poll = setTimeout(refresh, REFRESH_MS);
}

function close() {
  source?.close();
  source = null;
  clearTimeout(poll);
  session.payment = session.change = null;
  history.replaceState(null, "", location.pathname);
  $("steps-box").hidden = true;
  show("", "Nothing to do", "Enter a sale and press Charge, or open one of the latest payments below.");
  alertWith("");
  render();
}

async function refresh() {
  const id = session.payment?.id;
  if (!id) return;
  try {
    const payment = await ask("GET", pathOf(id));
    if (session.payment?.id !== id) return;
    open(payment);
    if (!isOpen(payment)) list();
  } catch (error) {
    if (error instanceof Refusal) return fail(error);
    clearTimeout(poll);
    poll = setTimeout(refresh, REFRESH_AFTER_FAULT_MS);
  }
}

/** Follows a payment's events. @param {string} id */
function watch(id) {
  source?.close();
  const mine = source = new EventSource(`/v1/events?payment=${encodeURIComponent(id)}`);
  let due = 0;
  for (const [type, sentence] of Object.entries(STEPS)) {
    mine.addEventListener(type, () => {
      step(sentence);
      clearTimeout(due);
      due = setTimeout(() => {
        if (source === mine) refresh();
      }, 30);
    });
  }
  mine.addEventListener("reader", (event) => {
    let news;
    try {
      news = JSON.parse(event.data);
    } catch {
      return; // a line without words
    }
    const sentence = String(news.message);
    step("Reader: " + sentence);
    // What the customer must do now stands where the clerk looks.
    if (session.busy && source === mine) {
      const sum = money(session.payment.amount, session.payment.currency);
      show("wait", "Working", `${sum} at the card reader: ${sentence}`, true);
    }
    document.dispatchEvent(new CustomEvent("till:reader", { detail: news }));
  });
}

function row(payment) {
  const element = document.createElement("tr");
  const head = make("th", "", { scope: "row" });
  head.append(make("a", orderName(payment), { href: "#" + payment.id }));
  element.append(
    head, make("td", new Date(payment.created_at).toLocaleString(), { className: "wide-only" }),
    make("td", STATUS[payment.status] ?? payment.status),
    make("td", money(payment.amount, payment.currency), { className: "n" }));
  return element;
}

async function list() {
  try {
    const { payments } = await ask("GET", "/v1/payments?limit=12");
    $("rows").replaceChildren(...payments.map(row));
    $("empty").hidden = payments.length > 0;
  } catch (error) {
    if (error instanceof Refusal) fail(error);
  }
}

// ---- The sale

const tenderKind = () =>
  /** @type {HTMLInputElement} */ (document.querySelector("input[name=tender]:checked")).value;

function cashTender(sale) {
  if (!$("tendered").value.trim() || !sale.currency) return { tender: { type: "cash" } };
  const tendered = minorUnits($("tendered").value, sale.currency);
  if (tendered.fault) return { field: "tendered", fault: tendered.fault };
  if (tendered.value < sale.minor) return { field: "tendered", fault: "That is less than the amount." };
  return { tender: { type: "cash", tendered: tendered.value }, change: tendered.value - sale.minor };
}

/** How the customer pays, or the first field that is wrong. */
function tenderOf(sale) {
  switch (tenderKind()) {
    case "tap": return { tender: tapTender() };
    case "reader": return readerTender(sale);
    case "card": return cardTender();
    default: return cashTender(sale);
  }
}

async function busy(work) {
  if (session.busy) return;
  session.busy = true;
  render();
  try {
    await work();
  } catch (error) {
    fail(error);
    await refresh();
  }
  session.busy = false;
  render();
  list();
}

const SALE = "till.sale:";

// The payment to charge: the shown one if it is open and for the same sale, otherwise a new one.
async function paymentFor(body) {
  const payment = session.payment;
  if (payment && isRetryable(payment)) {
    if (sessionStorage.getItem(SALE + payment.id) === body) return payment;
    await operate(pathOf(payment.id, "cancel"), JSON.stringify({ reason: "replaced by another sale" }));
  }
  const fresh = await operate("/v1/payments", body);
  sessionStorage.setItem(SALE + fresh.id, body);
  return fresh;
}

async function charge(body, pay) {
  show("wait", "Working", "The sale is being written down. Don't pay again.", true);
  const payment = await paymentFor(body);
  open(payment);
  session.change = pay.change ?? null;
  const how = pay.tender.type === "reader" ? "the card reader is waking up." : "the payment is being taken.";
  show("wait", "Working", `${money(payment.amount, payment.currency)}: ${how} Don't pay again.`, true);
  $("now").scrollIntoView({ block: "nearest" });
  // One key for this press of the button; it is in memory only, as the card is. After a reload the till itself
  // refuses a second attempt while the first is not decided.
  const answer = await settle(pathOf(payment.id, "confirm"), JSON.stringify({ tender: pay.tender }), newKey());
  forgetCard();
  $("tendered").value = "";
  open(answer);
  if (isRetryable(answer)) return;
  sessionStorage.removeItem(SALE + answer.id);
  for (const id of ["amount", "order", "document", "file", "tip-on"]) $(id).value = "";
  $("document").dispatchEvent(new Event("input"));
}

$("sale").addEventListener("submit", (event) => {
  event.preventDefault();
  if (session.busy || $("charge").disabled) return;
  clearFaults();
  /** @type {any} */
  const sale = saleBody();
  const pay = sale.fault ? sale : tenderOf(sale);
  if (!pay.fault) {
    busy(() => charge(sale.body, pay));
    return;
  }
  if (!mark(pay.field, pay.fault)) alertWith(pay.fault);
  if (pay.field === "document") {
    $("document-note").textContent = pay.fault;
    $("document-box").open = true;
  }
  $(pay.field).focus();
});

// ---- Captures, refunds and cancellations

function moneyForm(form, id, verb, more) {
  $(form).addEventListener("submit", (event) => {
    event.preventDefault();
    const payment = session.payment;
    if (!payment || session.busy) return;
    clearFaults();
    const amount = minorUnits($(id).value, payment.currency);
    if (amount.fault) {
      mark(id, amount.fault);
      $(id).focus();
      return;
    }
    const body = JSON.stringify({ amount: amount.value, ...more() });
    busy(async () => open(await operate(pathOf(payment.id, verb), body)));
  });
}
moneyForm("capture-form", "capture-amount", "capture", () => ({}));
moneyForm("refund-form", "refund-amount", "refunds", () => {
  const reason = $("refund-reason").value.trim();
  return { ...(reason && { reason }), ...refundReader() };
});
for (const id of ["cancel", "drop"]) {
  $(id).addEventListener("click", () => {
    const payment = session.payment;
    if (!payment) return;
    clearFaults();
    busy(async () => open(await operate(pathOf(payment.id, "cancel"), "{}")));
  });
}
$("another").addEventListener("click", () => {
  close();
  $("amount").focus();
});

// ---- Fields

function showTender() {
  for (const kind of ["reader", "tap", "card", "cash"]) $("tender-" + kind).hidden = tenderKind() !== kind;
}
for (const radio of document.querySelectorAll("input[name=tender]")) radio.addEventListener("change", showTender);
$("currency").addEventListener("change", () => localStorage.setItem("till.currency", $("currency").value));

$("session").addEventListener("submit", async (event) => {
  event.preventDefault();
  clearFaults();
  try {
    await ask("POST", "/session", JSON.stringify({ key: $("key").value }));
    $("key").value = "";
    $("session").hidden = true;
    await start();
    document.dispatchEvent(new Event("till:signed-in"));
  } catch (error) {
    alertWith(error instanceof Refusal ? "That key was not accepted." : "The till cannot be reached.");
  }
});

// ---- The beginning, also after a reload in the middle

async function finishKept() {
  for (const { path, body } of keptRequests()) {
    try {
      const payment = await operate(path, body);
      if (path === "/v1/payments") sessionStorage.setItem(SALE + payment.id, body);
      open(payment);
    } catch (error) {
      fail(error);
    }
  }
}

async function showAddress() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) {
    if (session.payment && !session.busy) close();
    return;
  }
  if (id === session.payment?.id) return refresh();
  try {
    const payment = await ask("GET", pathOf(id));
    alertWith("");
    session.change = null;
    open(payment);
  } catch (error) {
    fail(error);
  }
}

async function start() {
  await finishKept();
  await showAddress();
  await list();
}

$("currency").replaceChildren(...CURRENCIES.map((code) => make("option", code, { value: code })));
const kept = localStorage.getItem("till.currency");
if (kept && CURRENCIES.includes(kept)) $("currency").value = kept;
window.addEventListener("hashchange", showAddress);
showTender();
start();
