// A sale that was typed and is paid in parts: it is booked as an order of one line, and goes on as every order that is
// split. Whoever gives one up reads what was taken of it.

import { $ } from "./dom.js";
import { money } from "./money.js";
import { alertWith, clearFaults, mark, show } from "./notice.js";
import { chooseOrder, chosenOrder, isOfKeypad, KEYPAD, saleBody } from "./order.js";
import { isOpen, isRetryable } from "./payment.js";
import { ask, fail, keptRequests, operate, Refusal, sentencesOf } from "./requests.js";
import { paymentInForm, replaceable } from "./sale.js";
import { givenDiscount } from "./sell-discount.js";
import { may, session } from "./session.js";
import { busy, close, pathOf } from "./shown.js";
import { foreign, say } from "./words.js";

const ORDERS = "/v1/orders";
/** Letters alone: a run of digits could be taken for a card's number. */
const NAMING = "abcdefghijklmnop";
const NAME_LENGTH = 24;
/** Without the letters that are read as a digit. */
const NUMBERING = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const NUMBER_LENGTH = 6;

const pathOfOrder = (id, verb = "") => `${ORDERS}/${encodeURIComponent(id)}${verb && "/" + verb}`;

/** @param {string} letters A power of two of them. @param {number} length */
const some = (letters, length) =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % letters.length]).join("");

/**
 * The request that books a sale. One without an answer is the same request again, so that nothing is booked twice.
 * @param {{order_id?: string, amount: number, currency: string}} sale
 */
function bookingOf({ order_id: typed, amount, currency }) {
  const kept = keptRequests().find(({ path }) => path === ORDERS)?.body;
  const was = kept && JSON.parse(kept);
  const isSame = was && was.amount === amount && was.currency === currency
    && (typed ? was.order_id === typed : was.number !== undefined);
  if (isSame) return kept;
  return JSON.stringify({
    order_id: typed ?? "sale-" + some(NAMING, NAME_LENGTH),
    ...(!typed && { number: "S-" + some(NUMBERING, NUMBER_LENGTH) }),
    currency, amount, lines: [{ name: say("parked.sale"), amount }], metadata: { origin: KEYPAD },
  });
}

/** Says that there is no answer yet. */
const unanswered = () => show("wait", say("pay.processing"), say("stage.noAnswer"), true);

/** The order that an open payment is of, if it was booked before. */
async function orderOf(payment) {
  try {
    return await ask("GET", pathOfOrder(payment.part?.order_id ?? payment.order_id));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

/** Books the sale in the form, and puts it back as an order. */
async function book(sale) {
  const isHold = $("manual").checked;
  const payment = paymentInForm();
  const replaced = payment ?? replaceable();
  if (replaced) {
    // Its customer pays in parts after all. It is not taken back if it was paid meanwhile.
    const body = { reason: "replaced by another sale", only_if_unpaid: true };
    await operate(pathOf(replaced.id, "cancel"), JSON.stringify(body));
  }
  // From here on nothing of an earlier customer is on the screen.
  if (session.payment) close();
  show("wait", say("pay.processing"), say("split.booking"), true);
  const known = payment && await orderOf(payment);
  const order = known ?? await operate(ORDERS, bookingOf(sale), unanswered);
  close();
  if (!(order.payment?.open > 0)) {
    return alertWith(foreign(order.payment?.message ?? "") || say("split.nothing", { number: order.number }));
  }
  chooseOrder(order);
  $("manual").checked = isHold;
}

/** Says that the sale was not booked: nobody was asked for money. */
function unbooked(error) {
  const isAnswer = error instanceof Refusal && error.status < 500 && error.status !== 401;
  show("bad", say("pay.notCharged"), isAnswer ? sentencesOf(error).join(" ") : say("split.notBooked"));
}

$("split-open").addEventListener("click", () => {
  if (session.busy || chosenOrder()) return;
  clearFaults();
  /** @type {any} */
  const sale = saleBody();
  if (sale.fault) {
    if (!mark(sale.field, sale.fault)) alertWith(sale.fault);
    return $(sale.field).focus();
  }
  // An order has the price that it has: a discount on it would pass by whoever must approve one.
  if (givenDiscount()) return alertWith(say("split.discount"));
  busy(() => book(JSON.parse(sale.body)), unbooked);
});

/** A sale of an amount alone is split. */
function offer() {
  $("split-open").hidden = Boolean(chosenOrder()) || $("amount").disabled;
}
document.addEventListener("till:order-changed", offer);
$("document").addEventListener("input", offer);

// ---- An order that is given up

/** Payments with nothing of an order any more. */
const OVER = ["canceled", "expired", "refunded"];
const isTaken = (payment) => !OVER.includes(payment.status) && !isRetryable(payment);
const sumOf = (payment) => (payment.captured > 0 ? payment.captured - (payment.refunded ?? 0) : payment.amount);

/** Ends a sale of which nothing was taken, with its payments that are not paid. */
async function drop(order) {
  for (const { id } of (order.payments ?? []).filter(isRetryable)) {
    await operate(pathOf(id, "cancel"), JSON.stringify({ reason: "sale given up", only_if_unpaid: true }));
    if (session.payment?.id === id) close();
  }
  if (!may("void")) return alertWith(say("split.stays", { number: order.number }));
  await ask("POST", pathOfOrder(order.id, "cancel"), "{}");
}

/** @param {any} known The order as it was when it was chosen. */
async function giveUp(known) {
  let order = known;
  try {
    order = await ask("GET", pathOfOrder(known.id));
  } catch {
    // What is known of it is said.
  }
  if (chosenOrder()?.id === order.id) return;
  const taken = (order.payments ?? []).filter(isTaken);
  const of = (minor) => money(minor, order.currency);
  if (taken.length > 0) {
    const words = say("split.givenUp", {
      number: order.number, sum: of(taken.reduce((sum, one) => sum + sumOf(one), 0)),
      rest: of(order.payment?.open ?? 0), payments: taken.map(({ id }) => id).join(", "),
    });
    return alertWith(taken.some(isOpen) ? `${words} ${say("pay.moneyUnknown")}` : words);
  }
  if (!isOfKeypad(order)) return;
  try {
    await drop(order);
  } catch (error) {
    fail(error);
  }
}

// Before the form is emptied.
$("chosen-none").addEventListener("click", () => {
  const order = chosenOrder();
  if (order && !session.busy) giveUp(order);
}, { capture: true });
