// The counter. One rule runs through it: a request that moves money has its Idempotency-Key stored before it leaves,
// and is repeated with that key until it is answered. Card data is never stored.
"use strict";

const $ = (id) => document.getElementById(id);
const CURRENCIES = ["EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "CAD", "AUD", "NZD", "JPY", "KWD", "BHD", "SGD", "HKD", "INR", "BRL", "MXN", "ZAR"];
// Decimal places by ISO 4217, where they are not two.
const PLACES = { BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0,
  VUV: 0, XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 };
const OPEN = ["processing", "stored", "unknown", "requires_action"];
const RETRYABLE = ["requires_payment_method", "declined"];
const STATUS = { requires_payment_method: "Open", declined: "Declined", requires_action: "Waiting", processing: "Working",
  stored: "Stored", unknown: "Checking", requires_capture: "Held", partially_captured: "Partly taken", succeeded: "Paid",
  partially_refunded: "Partly refunded", refunded: "Refunded", canceled: "Canceled", expired: "Hold ended" };
const STEPS = { "payment.created": "The payment was written down.", "attempt.started": "The provider is being asked.",
  "attempt.prepared": "The provider has prepared it.", "attempt.authorized": "The provider said yes.",
  "attempt.action_required": "The customer must do something.",
  "continuation.started": "The customer has done it; the money is being asked for.",
  "renewal.started": "The hold is being renewed.", "renewal.succeeded": "The hold was renewed.", "attempt.declined": "The provider said no.",
  "attempt.stored": "The card was stored offline: not paid yet.",
  "attempt.not_sent": "The provider could not be reached; nothing was sent.", "attempt.expired": "The hold ended by time.",
  "void.started": "The hold is being let go.", "void.succeeded": "The hold was let go.",
  "capture.started": "The money is being taken.", "capture.succeeded": "The money was taken.",
  "refund.started": "The money is being given back.", "refund.succeeded": "The money went back.",
  "operation.refused": "The provider refused it.", "operation.deferred": "It will be sent again.",
  "operation.unknown": "No clear answer; it is being checked.", "payment.cancel_requested": "The shop wants no money any more.",
  "payment.canceled": "The payment is over.", "payment.attention_required": "A person must look at it." };

const BRANDS = { visa: "Visa", mastercard: "Mastercard", amex: "American Express", discover: "Discover", interac: "Interac",
  eftpos: "eftpos", jcb: "JCB", unionpay: "UnionPay" };
// What people call an order; a plain sale, whose name was made up, goes by the end of its payment.
const orderName = (payment) => {
  const name = payment.order_number || payment.order_id;
  return name.startsWith("sale-") ? `Sale ${payment.id.slice(-5)}` : name;
};

const state = { payment: null, busy: false, source: null, poll: 0, change: null, generation: 0 };

// ---- Money: text to minor units and back, without ever computing with fractions.
const places = (currency) => PLACES[currency] ?? 2;

function minorUnits(text, currency) {
  const match = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim());
  if (!match) return { fault: "Write digits with at most one point, such as 12.50." };
  const fraction = match[2] ?? "", digits = places(currency);
  if (fraction.length > digits) {
    return { fault: digits ? `${currency} has ${digits} decimal places.` : `${currency} has no decimal places.` };
  }
  const value = Number(match[1] + fraction.padEnd(digits, "0"));
  if (!Number.isSafeInteger(value)) return { fault: "That is too much." };
  return value > 0 ? { value } : { fault: "It must be more than zero." };
}

function decimal(minor, currency) {
  const digits = places(currency), text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
  return (minor < 0 ? "-" : "") + whole;
}
const money = (minor, currency) => `${decimal(minor, currency)} ${currency}`;

// ---- Requests
class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const newKey = () => "page-" + Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

async function ask(method, path, body, key) {
  const headers = { "X-Till-Page": "1", Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const answer = await fetch(path, { method, headers, body, credentials: "same-origin", cache: "no-store" });
  const text = await answer.text();
  let json = null;
  try { json = text ? JSON.parse(text) : {}; } catch { /* judged below */ }
  if (answer.status === 401) needKey();
  if (answer.ok) {
    if (json === null) throw new TypeError("The answer was cut short.");
    return json;
  }
  const refusal = new Refusal(answer.status, json ?? {});
  const wait = Number(answer.headers.get("Retry-After"));
  refusal.retryAfter = answer.headers.has("Retry-After") ? (wait > 0 ? Math.min(wait, 10) : 1) : 0;
  throw refusal;
}

// Repeats one request under one key until it is answered for certain. No answer is not a "no".
async function settle(path, body, key) {
  for (let round = 0; ; round++) {
    try {
      return await ask("POST", path, body, key);
    } catch (error) {
      const again = !(error instanceof Refusal) || error.status >= 500 || ((error.status === 409 || error.status === 429) && error.retryAfter);
      if (!again || round >= (error instanceof Refusal && !error.retryAfter ? 3 : 30)) throw error;
      if (!(error instanceof Refusal)) show("wait", "We are checking — don't pay again", "The till does not answer. It is asked again by itself; the same sale is never charged twice.", true);
      await pause(error.retryAfter ? error.retryAfter * 1000 : Math.min(5000, 250 * 2 ** round));
    }
  }
}

// A request without secrets is kept whole until it is answered, so that a reload can finish it.
async function operate(path, body) {
  const slot = "till.request:" + path;
  const kept = JSON.parse(sessionStorage.getItem(slot) ?? "null");
  if (kept && kept.body !== body) {
    // Something else was asked for before and never answered: its end comes first, and the clerk looks at it.
    const earlier = await operate(path, kept.body);
    if (path !== "/v1/payments") {
      alertWith("An earlier request of this page was finished first. Look at the result before you try again.");
      return earlier;
    }
  }
  const request = kept?.body === body ? kept : { path, body, key: newKey() };
  sessionStorage.setItem(slot, JSON.stringify(request));
  try {
    const answer = await settle(path, request.body, request.key);
    sessionStorage.removeItem(slot);
    return answer;
  } catch (error) {
    if (error instanceof Refusal && error.status < 500 && error.status !== 401) sessionStorage.removeItem(slot);
    throw error;
  }
}

async function finishKept() {
  for (const slot of Object.keys(sessionStorage).filter((name) => name.startsWith("till.request:"))) {
    const { path, body } = JSON.parse(sessionStorage.getItem(slot));
    try {
      const payment = await operate(path, body);
      if (path === "/v1/payments") sessionStorage.setItem("till.sale:" + payment.id, body);
      open(payment);
    } catch (error) { fail(error); }
  }
}

// ---- What is shown
function show(tone, headline, detail, busy) {
  const result = $("result");
  result.dataset.tone = tone;
  if (busy) result.dataset.busy = ""; else delete result.dataset.busy;
  for (const [id, text] of [["headline", headline], ["detail", detail]]) if ($(id).textContent !== text) $(id).textContent = text;
}

function alertWith(text) {
  $("alert").textContent = text;
  $("alert").hidden = !text;
}

const FIELDS = { amount: "amount", currency: "amount", order_id: "order", order: "document", number: "number", expiry: "expires", cvc: "code", tendered: "tendered", tip_on: "tip-on", name: "holder", line1: "line1", city: "city", region: "region", postal_code: "postal", country: "country" };

function fail(error) {
  if (!(error instanceof Refusal)) {
    alertWith("The till cannot be reached. If a payment was under way, don't pay again: it is looked up when the till answers.");
    return;
  }
  if (error.status === 401) return;
  const { problem } = error;
  const moved = { no: "No money moved.", yes: "Money moved.", unknown: "It is not known yet whether money moved — don't pay again." }[problem.money_moved];
  const say = [error.message.replace(/^tender\.[\w.]+: /, "")];
  for (const sentence of [moved, problem.next]) if (sentence && !error.message.includes(sentence)) say.push(sentence);
  let first = null;
  for (const one of Array.isArray(problem.errors) ? problem.errors : []) {
    const name = String(one.field ?? one.pointer ?? one.path ?? "").split(/[./]/).pop();
    if (FIELDS[name] && mark(FIELDS[name], String(one.message ?? one.detail ?? ""))) first ??= FIELDS[name];
  }
  alertWith(say.join(" "));
  if (first) $(first).focus();
}

function mark(id, fault) {
  const field = $(id), place = $(field.getAttribute("aria-describedby").split(" ")[0]);
  if (!place || field.closest("[hidden]")) return false;
  place.textContent = fault;
  if (fault) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
  return Boolean(fault);
}

function stillHeld(payment) {
  return payment.held > 0 ? ` Another ${money(payment.held, payment.currency)} is still held.` : "";
}

function words(payment) {
  const sum = money(payment.amount, payment.currency), taken = money(payment.captured, payment.currency);
  const back = money(payment.refunded, payment.currency), held = money(payment.authorized, payment.currency);
  switch (payment.status) {
    case "succeeded": return ["good", "Paid", `${taken} was taken.` + (payment.released > 0 ? ` The other ${money(payment.released, payment.currency)} was let go.` : "")];
    case "partially_captured": return ["good", "Partly taken", `${taken} of ${held} was taken; the rest is still held.`];
    case "partially_refunded": return ["good", "Partly refunded", `${back} of ${taken} went back to the customer.` + stillHeld(payment)];
    case "refunded": return ["good", "Refunded", `${back} went back to the customer.` + stillHeld(payment)];
    case "requires_capture": return ["wait", "Held", `${held} is reserved and not taken yet. No money moved.`];
    case "processing": return ["wait", "Working", `${sum}: the provider is being asked. Don't pay again.`, true];
    case "unknown": return ["wait", "We are checking — don't pay again", `It is not known yet whether ${sum} was taken. This page shows the answer by itself.`, true];
    case "stored": return ["wait", "Stored, not paid", `${sum}: the card was read offline and nothing is authorized. Don't pay again.`, true];
    case "requires_action": return ["wait", "The customer must do something", "Don't pay again until this has ended.", true];
    case "declined": return ["bad", "Declined", payment.message || "Nothing was charged."];
    case "canceled":
    case "expired":
      return payment.money_moved === "unknown"
        ? ["wait", "We are checking — don't pay again", `It is not known yet whether ${sum} was taken.`, true]
        : ["bad", payment.status === "canceled" ? "Canceled" : "The hold ended", "No money moved."];
    case "requires_payment_method": {
      const last = payment.attempts?.at(-1)?.status;
      const why = last === "not_sent" ? "The provider could not be reached; nothing was sent. " : "";
      return ["", `To charge: ${sum}`, `${why}No money moved. Choose how the customer pays and press Charge.`];
    }
    default: return ["wait", payment.status, payment.message || ""];
  }
}

const isDecided = (status) => ["succeeded", "refused", "failed", "declined"].includes(status);
const openRefunds = (payment) => (payment.refunds ?? []).filter((refund) => !isDecided(refund.status));
const isOpen = (payment) => OPEN.includes(payment.status) || (payment.money_moved === "unknown") || openRefunds(payment).length > 0
  || (payment.captures ?? []).some((capture) => !isDecided(capture.status));
const blocksSale = (payment) => Boolean(payment) && (OPEN.includes(payment.status) || payment.money_moved === "unknown");

// What was typed stays when it came to nothing: nobody gives back the whole sum by pressing the button again.
function prefill(id, name, minor, payment) {
  if (state.busy) return;
  const stamp = `${payment.id}:${minor}`;
  if ($(id).dataset.stamp !== stamp) $(id).value = decimal(minor, payment.currency);
  $(id).dataset.stamp = stamp;
}

function render() {
  const payment = state.payment;
  $("charge").disabled = state.busy || blocksSale(payment);
  for (const button of document.querySelectorAll("#capture-form button, #refund-form button, #drop")) button.disabled = state.busy;
  $("blocked").hidden = state.busy || !blocksSale(payment);
  $("blocked").textContent = "The last sale is still being checked. For another customer, press “Start another sale”.";
  $("another").hidden = !payment || state.busy;
  for (const id of ["facts", "attention", "capture-form", "refund-form", "drop", "receipt-box", "change", "challenge"]) $(id).hidden = true;
  if (!payment) return;
  show(...words(payment));
  const action = payment.attempts?.at(-1)?.action?.url;
  if (payment.status === "requires_action" && /^https?:\/\//.test(action ?? "")) {
    $("challenge").firstElementChild.href = action;
    $("challenge").hidden = false;
  }

  const left = payment.captured - payment.refunded - openRefunds(payment).reduce((sum, refund) => sum + refund.amount, 0);
  const pending = openRefunds(payment);
  const notes = [...(payment.needs_attention ?? [])];
  for (const refund of pending) notes.push(`${money(refund.amount, payment.currency)} is on its way back and not confirmed yet. Don't give it back again.`);
  const failed = (payment.refunds ?? []).at(-1);
  if (failed && ["refused", "failed", "declined"].includes(failed.status)) notes.push(`${money(failed.amount, payment.currency)} could not be given back. That money is still with the shop. ${failed.message ?? ""}`.trim());
  $("attention").replaceChildren(...notes.map((note) => make("li", note)));
  $("attention").hidden = !notes.length;
  if (state.change !== null && payment.status === "succeeded") {
    $("change").textContent = `Change: ${money(state.change, payment.currency)}`;
    $("change").hidden = false;
  }

  const card = payment.tender;
  const how = card ? [({ card: "Typed card", reader: card.reader === "tap" ? "Tap to Pay" : "Card reader", cash: "Cash" })[card.type] ?? card.type, BRANDS[card.brand] ?? card.brand, card.last_four && "•••• " + card.last_four].filter(Boolean).join(" ") : null;
  const facts = [["Amount", money(payment.amount, payment.currency)], ["Tip", payment.tip > 0 && money(payment.tip, payment.currency)], ["Order", orderName(payment)], ["Method", how], ["Payment", payment.id]];
  $("facts").replaceChildren(...facts.filter((fact) => fact[1]).flatMap(([name, value]) => [make("dt", name), make("dd", value)]));
  $("facts").hidden = false;

  const canCapture = ["requires_capture", "partially_captured", "partially_refunded"].includes(payment.status) && payment.held > 0;
  // What gave all back has left its order: what is still held can only be let go.
  $("capture-form").hidden = !(canCapture || (payment.status === "refunded" && payment.held > 0));
  for (const part of document.querySelectorAll("#capture-form .field, #capture-form [type=submit]")) part.hidden = !canCapture;
  $("cancel").textContent = payment.captured > 0 ? "Let the rest go" : "Cancel the hold";
  if (canCapture) prefill("capture-amount", "capture", payment.held, payment);
  $("refund-form").hidden = left <= 0;
  globalThis.tillRefund?.(payment);
  if (left > 0) prefill("refund-amount", "refund", left, payment);
  $("drop").hidden = !RETRYABLE.includes(payment.status);

  if (payment.status !== "requires_payment_method" && !isOpen(payment)) {
    $("receipt-box").hidden = false;
    globalThis.tillReceipt?.(payment);
  }
}

function make(tag, text, more = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  return Object.assign(element, more);
}

function step(text) {
  const steps = $("steps");
  if (!text || steps.lastElementChild?.textContent === text) return;
  steps.append(make("li", text));
  while (steps.children.length > 30) steps.firstElementChild.remove();
  $("steps-box").hidden = false;
}

// ---- The payment that is shown: its id stands in the address, so that a reload finds it again.
function open(payment) {
  if (state.payment?.id !== payment.id) {
    state.payment = payment;
    $("steps").replaceChildren();
    $("steps-box").hidden = true;
    if (location.hash !== "#" + payment.id) history.replaceState(null, "", "#" + payment.id);
    watch(payment.id);
  }
  // An answer that was overtaken by a newer one is old news.
  if (!(payment.updated_at < state.payment.updated_at)) state.payment = payment;
  render();
  clearTimeout(state.poll);
  if (isOpen(state.payment)) state.poll = setTimeout(refresh, 2000);
}

function close() {
  state.source?.close();
  clearTimeout(state.poll);
  Object.assign(state, { payment: null, source: null, change: null });
  state.generation++;
  history.replaceState(null, "", location.pathname);
  $("steps-box").hidden = true;
  show("", "Nothing to do", "Enter a sale and press Charge, or open one of the latest payments below.");
  alertWith("");
  render();
}

async function refresh() {
  const id = state.payment?.id;
  if (!id) return;
  try {
    const payment = await ask("GET", `/v1/payments/${encodeURIComponent(id)}`);
    if (state.payment?.id === id) { open(payment); if (!isOpen(payment)) list(); }
  } catch (error) {
    if (error instanceof Refusal) return fail(error);
    clearTimeout(state.poll);
    state.poll = setTimeout(refresh, 3000);
  }
}

function watch(id) {
  state.source?.close();
  const source = state.source = new EventSource(`/v1/events?payment=${encodeURIComponent(id)}`);
  let due = 0;
  for (const [type, sentence] of Object.entries(STEPS)) source.addEventListener(type, () => {
    step(sentence);
    clearTimeout(due);
    due = setTimeout(() => { if (state.source === source) refresh(); }, 30);
  });
  source.addEventListener("reader", (event) => {
    try {
      const told = JSON.parse(event.data);
      const said = String(told.message);
      step("Reader: " + said);
      // What the customer must do now stands where the clerk looks.
      if (state.busy && state.source === source) show("wait", "Working", `${money(state.payment.amount, state.payment.currency)} at the card reader: ${said}`, true);
      document.dispatchEvent(new CustomEvent("till:reader", { detail: told }));
    } catch { /* a line without words */ }
  });
}

async function list() {
  try {
    const { payments } = await ask("GET", "/v1/payments?limit=12");
    $("rows").replaceChildren(...payments.map((payment) => {
      const row = document.createElement("tr"), head = make("th", "", { scope: "row" });
      head.append(make("a", orderName(payment), { href: "#" + payment.id }));
      const when = make("td", new Date(payment.created_at).toLocaleString(), { className: "wide-only" });
      row.append(head, when, make("td", STATUS[payment.status] ?? payment.status), make("td", money(payment.amount, payment.currency), { className: "n" }));
      return row;
    }));
    $("empty").hidden = payments.length > 0;
  } catch (error) { if (error instanceof Refusal) fail(error); }
}

// ---- The sale
const tenderKind = () => document.querySelector("input[name=tender]:checked").value;

function orderText() {
  const text = $("document").value.trim();
  if (!text) return null;
  // A comma before a closing bracket, which some exports contain, is dropped; everything else stays as written.
  const clean = text.replace(/^\uFEFF/, "").replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part[0] === '"' ? part : ""));
  const parsed = JSON.parse(clean);
  if (!parsed || typeof parsed !== "object") throw new SyntaxError("It is no object.");
  return { clean, order: parsed.total === undefined && parsed.data ? parsed.data : parsed };
}

function saleBody() {
  const capture = $("manual").checked ? "manual" : "automatic";
  if ($("document").value.trim()) {
    try {
      return { body: `{"order":${orderText().clean},"capture":"${capture}"}` };
    } catch { return { field: "document", fault: "This is no JSON document." }; }
  }
  const currency = $("currency").value, amount = minorUnits($("amount").value, currency);
  if (amount.fault) return { field: "amount", fault: amount.fault };
  const order = $("order").value.trim();
  if (!/^[\x21-\x7e]*$/.test(order)) return { field: "order", fault: "Letters, digits and signs without spaces, please." };
  return { body: JSON.stringify({ ...(order && { order_id: order }), amount: amount.value, currency, capture }), minor: amount.value, currency };
}

function tenderBody(sale) {
  switch (tenderKind()) {
    case "tap": return { tender: globalThis.tillTap() };
    case "reader": {
      const chosen = globalThis.tillReader?.(sale) ?? { type: "reader", reader: "simulated", card: $("simulated").value };
      return chosen.fault ? chosen : { tender: chosen };
    }
    case "card": {
      const number = $("number").value.replace(/[\s-]/g, ""), expiry = $("expires").value.replace(/\s/g, ""), cvc = $("code").value.trim();
      if (!/^\d{12,19}$/.test(number)) return { field: "number", fault: "The card number has 12 to 19 digits." };
      if (!/^(0[1-9]|1[0-2])[/-]?(\d{2}|\d{4})$/.test(expiry)) return { field: "expires", fault: "Month and year, as 12/30." };
      if (!/^\d{3,4}$/.test(cvc)) return { field: "code", fault: "3 or 4 digits." };
      const holder = globalThis.tillCardholder?.() ?? {};
      return holder.fault ? holder : { tender: { type: "card", number, expiry, cvc, ...holder } };
    }
    default: {
      if (!$("tendered").value.trim() || !sale.currency) return { tender: { type: "cash" } };
      const tendered = minorUnits($("tendered").value, sale.currency);
      if (tendered.fault) return { field: "tendered", fault: tendered.fault };
      if (tendered.value < sale.minor) return { field: "tendered", fault: "That is less than the amount." };
      return { tender: { type: "cash", tendered: tendered.value }, change: tendered.value - sale.minor };
    }
  }
}

function clearFaults() {
  alertWith("");
  for (const field of document.querySelectorAll("[aria-invalid]")) mark(field.id, "");
  for (const place of document.querySelectorAll(".fault")) place.textContent = "";
}

async function busy(work) {
  if (state.busy) return;
  state.busy = true;
  render();
  try { await work(); } catch (error) { fail(error); await refresh(); }
  state.busy = false;
  render();
  list();
}

// The payment to charge: the shown one if it is open and for the same sale, otherwise a new one.
async function paymentFor(body) {
  const payment = state.payment;
  if (payment && RETRYABLE.includes(payment.status)) {
    if (sessionStorage.getItem("till.sale:" + payment.id) === body) return payment;
    await operate(`/v1/payments/${encodeURIComponent(payment.id)}/cancel`, JSON.stringify({ reason: "replaced by another sale" }));
  }
  const fresh = await operate("/v1/payments", body);
  sessionStorage.setItem("till.sale:" + fresh.id, body);
  return fresh;
}

$("sale").addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.busy || $("charge").disabled) return;
  clearFaults();
  const sale = saleBody();
  const pay = sale.fault ? sale : tenderBody(sale);
  if (pay.fault) {
    mark(pay.field, pay.fault) || alertWith(pay.fault);
    if (pay.field === "document") { $("document-note").textContent = pay.fault; $("document-box").open = true; }
    $(pay.field).focus();
    return;
  }
  busy(async () => {
    show("wait", "Working", "The sale is being written down. Don't pay again.", true);
    const payment = await paymentFor(sale.body);
    open(payment);
    state.change = pay.change ?? null;
    show("wait", "Working", `${money(payment.amount, payment.currency)}: ${pay.tender.type === "reader" ? "the card reader is waking up." : "the payment is being taken."} Don't pay again.`, true);
    $("now").scrollIntoView({ block: "nearest" });
    // One key for this press of the button; it is in memory only, as the card is. After a reload the till itself
    // refuses a second attempt while the first is not decided.
    const answer = await settle(`/v1/payments/${encodeURIComponent(payment.id)}/confirm`, JSON.stringify({ tender: pay.tender }), newKey());
    for (const id of ["number", "expires", "code", "tendered", "holder", "line1", "city", "region", "postal", "country"]) $(id).value = "";
    $("number").dispatchEvent(new Event("input"));
    open(answer);
    if (!RETRYABLE.includes(answer.status)) {
      sessionStorage.removeItem("till.sale:" + answer.id);
      for (const id of ["amount", "order", "document", "file", "tip-on"]) $(id).value = "";
      $("document").dispatchEvent(new Event("input"));
    }
  });
});

function moneyForm(form, field, verb, more) {
  $(form).addEventListener("submit", (event) => {
    event.preventDefault();
    const payment = state.payment;
    if (!payment || state.busy) return;
    clearFaults();
    const amount = minorUnits($(field).value, payment.currency);
    if (amount.fault) { mark(field, amount.fault); $(field).focus(); return; }
    busy(async () => open(await operate(`/v1/payments/${encodeURIComponent(payment.id)}/${verb}`, JSON.stringify({ amount: amount.value, ...more() }))));
  });
}
moneyForm("capture-form", "capture-amount", "capture", () => ({}));
moneyForm("refund-form", "refund-amount", "refunds", () => {
  const reason = $("refund-reason").value.trim();
  return { ...(reason && { reason }), ...globalThis.tillRefundReader?.() };
});
for (const id of ["cancel", "drop"]) $(id).addEventListener("click", () => {
  const payment = state.payment;
  if (!payment) return;
  clearFaults();
  busy(async () => open(await operate(`/v1/payments/${encodeURIComponent(payment.id)}/cancel`, "{}")));
});
$("another").addEventListener("click", () => { close(); $("amount").focus(); });

// ---- Fields
function showTender() {
  for (const kind of ["reader", "tap", "card", "cash"]) $("tender-" + kind).hidden = tenderKind() !== kind;
}
for (const radio of document.querySelectorAll("input[name=tender]")) radio.addEventListener("change", showTender);
$("document").addEventListener("input", () => {
  let note = "";
  try {
    const read = orderText();
    if (read) note = `To charge: ${read.order.total ?? "?"} ${read.order.currency ?? ""}. The amount above is not used.`;
  } catch { note = "This is no JSON document yet."; }
  $("document-note").textContent = note;
  const used = Boolean($("document").value.trim());
  $("amount").disabled = $("currency").disabled = $("order").disabled = used;
});
$("file").addEventListener("change", async () => {
  const file = $("file").files[0];
  if (!file) return;
  if (file.size > 4_000_000) { $("document-note").textContent = "The file is too large."; return; }
  $("document").value = await file.text();
  $("document").dispatchEvent(new Event("input"));
});
$("currency").addEventListener("change", () => localStorage.setItem("till.currency", $("currency").value));

function needKey() {
  if (!$("session").hidden) return;
  $("session").hidden = false;
  $("key").focus();
}
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
async function show_address() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) { if (state.payment && !state.busy) close(); return; }
  if (id === state.payment?.id) return refresh();
  try {
    const payment = await ask("GET", `/v1/payments/${encodeURIComponent(id)}`);
    alertWith("");
    state.change = null;
    open(payment);
  } catch (error) { fail(error); }
}

async function start() {
  await finishKept();
  await show_address();
  await list();
}

$("currency").replaceChildren(...CURRENCIES.map((code) => make("option", code, { value: code })));
const kept = localStorage.getItem("till.currency");
if (CURRENCIES.includes(kept)) $("currency").value = kept;
window.addEventListener("hashchange", show_address);
showTender();
start();
