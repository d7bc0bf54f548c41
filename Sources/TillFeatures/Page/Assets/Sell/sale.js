// The sale: what was entered becomes a payment, and the customer pays it. An open payment that is shown is finished by
// the same form.

import { withApproval } from "./approval.js";
import { cardTender, forgetCard } from "./cards.js";
import { $, make } from "./dom.js";
import { ofKeptDrawer } from "./drawer.js";
import { decimal, minorUnits, money } from "./money.js";
import { alertWith, clearFaults, mark, show } from "./notice.js";
import { forgetOrder, propose, saleBody, saleName, sumOf } from "./order.js";
import { isMadeUp, isOpen, isRetryable } from "./payment.js";
import { readerTender } from "./readers.js";
import { newKey, operate, Refusal, sentencesOf, settle } from "./requests.js";
import { review } from "./review.js";
import { giveDiscount } from "./sell-discount.js";
import { session } from "./session.js";
import { busy, close, open, pathOf, render } from "./shown.js";
import { tapTender } from "./tap.js";
import { foreign, say } from "./words.js";

/** What this page asked for when it made a payment, by the payment's id. */
const SALE = "till.sale:";
/** The open payment that stands in the form, and the form as it was then. @type {{id: string, body: string} | null} */
let adopted = null;

/** Keeps what a payment was made for. @param {string} path @param {string} body The request that made it. */
export const remember = (payment, path, body) => sessionStorage.setItem(SALE + payment.id, saleName(path, body));

const FIELDS = ["amount", "order", "document", "file", "tip-on", "tendered", "cash-tip"];

/** Takes the sale and what was chosen for it out of the form: the next customer begins with nothing of it. */
export function blank() {
  adopted = null;
  forgetOrder();
  giveDiscount(null);
  for (const id of FIELDS) $(id).value = "";
  $("manual").checked = false;
  forgetCard();
  delete $("amount").dataset.proposed;
  for (const id of ["amount", "document", "cash-tip"]) $(id).dispatchEvent(new Event("input"));
}

/** Takes an open payment out of the form, if it still stands there as it was put. */
export function release() {
  if (!adopted) return;
  if (/** @type {any} */ (saleBody()).body === adopted.body) blank();
  adopted = null;
}

/** Puts an open payment into the form, so that Charge finishes it. */
export function adopt(payment) {
  if (!isRetryable(payment) || adopted?.id === payment.id) return;
  blank();
  const currency = $("currency");
  if (![...currency.options].some((one) => one.value === payment.currency)) {
    currency.append(make("option", payment.currency, { value: payment.currency }));
  }
  currency.value = payment.currency;
  const { discount } = payment;
  $("amount").value = decimal(payment.amount + (discount?.amount ?? 0), payment.currency);
  if (discount) giveDiscount({ minor: discount.amount, reason: discount.reason }, { adopted: true });
  $("order").value = isMadeUp(payment.order_id) ? "" : payment.order_id;
  $("manual").checked = payment.capture === "manual";
  propose();
  adopted = { id: payment.id, body: /** @type {any} */ (saleBody()).body };
}

const tenderKind = () =>
  /** @type {HTMLInputElement} */ (document.querySelector("input[name=tender]:checked")).value;

/** What was typed of cash; neither a value nor a fault if nothing was. @returns {{value?: number, fault?: string}} */
const cashIn = (id, currency) => ($(id).value.trim() ? minorUnits($(id).value, currency) : {});

function cashTender(sale) {
  const { currency } = sumOf(sale);
  const [tendered, tip] = [cashIn("tendered", currency), cashIn("cash-tip", currency)];
  if (tip.fault) return { field: "cash-tip", fault: tip.fault };
  const tender = { type: "cash", ...(tip.value && { tip: tip.value }), ...ofKeptDrawer() };
  if (!$("tendered").value.trim()) return { tender };
  if (tendered.fault) return { field: "tendered", fault: tendered.fault };
  // What a document is of, the till checks.
  const due = sale.currency ? sale.minor : 0;
  if (tendered.value < due) return { field: "tendered", fault: say("cash.less") };
  if (tendered.value < due + (tip.value ?? 0)) return { field: "cash-tip", fault: say("cash.tipMore") };
  return { tender: { ...tender, tendered: tendered.value } };
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

/** The sale in the form is what a payment was made for. @param {string | undefined} body */
const wasMadeFor = (payment, body) => Boolean(body)
  && (adopted?.id === payment.id && adopted.body === body || sessionStorage.getItem(SALE + payment.id) === body);

/** The shown payment is of the sale in the form, and can still be paid. */
const isOfSale = (payment, body) => isRetryable(payment) && wasMadeFor(payment, body);

/** The open payment that is shown, if the form has its sale. */
export const paymentInForm = () =>
  session.payment && isOfSale(session.payment, /** @type {any} */ (saleBody()).body) ? session.payment : null;

/** The shown payment, if this page made it and it is not paid: another sale takes its place. */
export const replaceable = () => {
  const { payment } = session;
  return payment && isRetryable(payment) && sessionStorage.getItem(SALE + payment.id) ? payment : null;
};

// The payment to charge: the shown one if it is open and for the same sale, otherwise a new one. One that this page
// made and that is replaced ends; one that somebody else made stays open.
async function paymentFor({ body, path, minor }, asked) {
  const payment = session.payment;
  if (payment && isOfSale(payment, body)) return payment;
  if (replaceable()) {
    await operate(pathOf(payment.id, "cancel"), JSON.stringify({ reason: "replaced by another sale" }));
  }
  // From here on nothing of an earlier customer is on the screen.
  if (payment) close();
  show("wait", say("pay.processing"), say("pay.recording"), true);
  let fresh = await withApproval(({ approval }) => operate(
    path ?? "/v1/payments", approval ? `${asked.slice(0, -1)},"approval":${JSON.stringify(approval)}}` : asked));
  if (path && fresh.amount !== minor) {
    // An earlier request for a part of this order had no answer, and was finished first. It is not what was asked for.
    await operate(pathOf(fresh.id, "cancel"), JSON.stringify({ reason: "replaced by another sale" }));
    fresh = await operate(path, asked);
  }
  sessionStorage.setItem(SALE + fresh.id, body);
  return fresh;
}

async function charge(sale, tender, asked = sale.sent ?? sale.body) {
  session.settled = null;
  show("wait", say("pay.processing"), say("pay.recording"), true);
  const payment = await paymentFor(sale, asked);
  const how = tender.type === "reader" ? "pay.readerWakes" : "pay.underWay";
  session.confirming = { id: payment.id, how };
  open(payment);
  $("now").scrollIntoView({ block: "nearest" });
  // One key for this press of the button; it is in memory only, as the card is. After a reload the till itself
  // refuses a second attempt while the first is not decided.
  let answer;
  try {
    answer = await settle(pathOf(payment.id, "confirm"), JSON.stringify({ tender }), newKey());
  } catch (error) {
    // The security code does not outlive the attempt, however that ends.
    forgetCard();
    throw error;
  } finally {
    session.confirming = null;
  }
  forgetCard();
  for (const id of ["tendered", "cash-tip"]) {
    $(id).value = "";
    $(id).dispatchEvent(new Event("input"));
  }
  open(answer);
  if (isRetryable(answer)) return;
  sessionStorage.removeItem(SALE + answer.id);
  // The stream of events may have shown the end before: then somebody may be typing the next customer's sale.
  if (/** @type {any} */ (saleBody()).body === sale.body) blank();
}

// An attempt without an answer may turn out well long after the button was pressed: its sale leaves the form then,
// since with it in place Enter would charge the same customer once more.
document.addEventListener("till:shown", () => {
  const payment = session.payment;
  if (!payment || session.isStale || session.confirming?.id === payment.id) return;
  if (isOpen(payment) || isRetryable(payment)) return;
  const isItsSale = wasMadeFor(payment, /** @type {any} */ (saleBody()).body);
  // The next customer may want the same: that is not this payment's sale any more.
  sessionStorage.removeItem(SALE + payment.id);
  if (adopted?.id === payment.id) adopted = null;
  if (isItsSale) blank();
});

/** Says what became of a sale that has no payment: nobody was asked for money. */
function unsold(error) {
  $("now").scrollIntoView({ block: "nearest" });
  if (!(error instanceof Refusal) || error.status >= 500) {
    show("bad", say("pay.notCharged"), say("pay.notRecorded"));
  } else if (error.status === 401) {
    show("bad", say("pay.notCharged"), say("pay.signIn"));
  } else {
    show("bad", say("pay.notCharged"), sentencesOf(error).join(" "));
    if (error.problem.code === SETTLED) offerAgain(foreign(error.message));
  }
}

// ---- An order that the shop's own document calls settled

const SETTLED = "order_settled_in_shop";

/** Offers to charge it anyway, as a step of its own. @param {string} words What the shop says. */
function offerAgain(words) {
  session.settled = { body: /** @type {any} */ (saleBody()).body, words };
  $("override-name").value = "";
}

$("override-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const settled = session.settled;
  if (session.busy || !settled) return;
  clearFaults();
  /** @type {any} */
  const sale = saleBody();
  if (sale.body !== settled.body) {
    session.settled = null;
    render();
    alertWith(say("pay.changed"));
    return;
  }
  /** @type {any} */
  const pay = tenderOf(sale);
  if (pay.fault) return refuse(pay);
  const name = $("override-name").value.trim();
  if (!name) {
    mark("override-name", say("stage.enterName"));
    $("override-name").focus();
    return;
  }
  const sum = sumOf(sale);
  const amount = sum.minor ? money(sum.minor, sum.currency) : "";
  const isWanted = await review({
    title: say(amount ? "pay.anyway" : "pay.anywayIt", { sum: amount }),
    words: `${settled.words} ${say("pay.twice")}`, facts: [[say("stage.yourName"), name]],
    send: say(amount ? "pay.sendAnyway" : "pay.sendItAnyway", { sum: amount }),
  });
  if (!isWanted || session.settled !== settled) return;
  const sent = sale.sent ?? sale.body;
  const asked = `${sent.slice(0, -1)},"accept_paid_order":true,"accepted_by":${JSON.stringify(name)}}`;
  busy(() => charge(sale, pay.tender, asked), unsold);
});

function refuse({ field, fault }) {
  // What is on the screen of an earlier customer is no answer to this one.
  if (session.payment && !isRetryable(session.payment)) close();
  if (!session.payment) show("bad", say("pay.notCharged"), `${fault} ${say("pay.noMoney")}`);
  if (!mark(field, fault)) alertWith(fault);
  if (field === "document") {
    $("document-note").textContent = fault;
    $("document-box").open = true;
  }
  $(field).focus();
}

$("sale").addEventListener("submit", (event) => {
  event.preventDefault();
  if (session.busy || $("charge").disabled) return;
  clearFaults();
  session.settled = null;
  render();
  /** @type {any} */
  const sale = saleBody();
  const pay = sale.fault ? sale : tenderOf(sale);
  if (pay.fault) refuse(pay);
  else busy(() => charge(sale, pay.tender), unsold);
});

// Whatever stood in the form, and of an earlier customer on the screen, goes.
document.addEventListener("till:order-chosen", () => {
  session.settled = null;
  if (session.payment && !isRetryable(session.payment)) close();
  blank();
});

$("another").addEventListener("click", () => {
  session.settled = null;
  close();
  blank();
  $("sale-title").focus();
});

function showTender() {
  for (const kind of ["reader", "tap", "card", "cash"]) $("tender-" + kind).hidden = tenderKind() !== kind;
}
for (const radio of document.querySelectorAll("input[name=tender]")) radio.addEventListener("change", showTender);
$("currency").addEventListener("change", () => localStorage.setItem("till.currency", $("currency").value));
showTender();
