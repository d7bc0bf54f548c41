// A payment in words: what its status means to the clerk, and what may be done with it.

import { NETWORKS } from "./card-networks.js";
import { money } from "./money.js";

const OPEN = ["processing", "stored", "unknown", "requires_action"];
const RETRYABLE = ["requires_payment_method", "declined"];
const DECIDED = ["succeeded", "refused", "failed", "declined"];

export const STATUS = {
  requires_payment_method: "Open", declined: "Declined", requires_action: "Waiting", processing: "Working",
  stored: "Stored", unknown: "Checking", requires_capture: "Held", partially_captured: "Partly taken",
  succeeded: "Paid", partially_refunded: "Partly refunded", refunded: "Refunded", canceled: "Canceled",
  expired: "Hold ended",
};

/** What happened, by the type of its event. */
export const STEPS = {
  "payment.created": "The payment was written down.",
  "attempt.started": "The provider is being asked.",
  "attempt.bound": "Its account at the provider is known.",
  "attempt.prepared": "The provider has prepared it.",
  "attempt.authorized": "The provider said yes.",
  "attempt.action_required": "The customer must do something.",
  "continuation.started": "The customer has done it; the money is being asked for.",
  "renewal.started": "The hold is being renewed.",
  "renewal.succeeded": "The hold was renewed.",
  "attempt.declined": "The provider said no.",
  "attempt.stored": "The card was stored offline: not paid yet.",
  "attempt.not_sent": "The provider could not be reached; nothing was sent.",
  "attempt.expired": "The hold ended by time.",
  "void.started": "The hold is being released.",
  "void.succeeded": "The hold was released.",
  "capture.started": "The money is being taken.",
  "capture.succeeded": "The money was taken.",
  "refund.started": "The money is being given back.",
  "refund.succeeded": "The money went back.",
  "operation.refused": "The provider refused it.",
  "operation.deferred": "It will be sent again.",
  "operation.unknown": "No clear answer; it is being checked.",
  "payment.cancel_requested": "The shop wants no money any more.",
  "payment.canceled": "The payment is over.",
  "payment.attention_required": "A person must check it.",
  "payment.attention_closed": "A person has closed what was to be reviewed.",
  "refund.failed": "The refund failed after all; the money is with the shop.",
  "refund.reported": "The provider or a person says that money went back.",
  "capture.failed": "The capture failed after all; the money is not with the shop.",
  "capture.restored": "The capture is whole again.",
  "capture.reported": "The provider or a person says that money was taken.",
  "dispute.opened": "It is disputed.",
  "dispute.updated": "There is news of the dispute.",
  "dispute.funds_withdrawn": "The disputed money was taken back.",
  "dispute.funds_reinstated": "The disputed money was returned.",
  "dispute.closed": "The dispute has ended.",
};

const isDecided = (operation) => DECIDED.includes(operation.status);
const openRefunds = (payment) => (payment.refunds ?? []).filter((refund) => !isDecided(refund));
/** The till is still finding out how it ends. */
const isUncertain = (payment) => OPEN.includes(payment.status) || payment.money_moved === "unknown";

/** Another payment method may be tried. */
export const isRetryable = (payment) => RETRYABLE.includes(payment.status);
/** It changes by itself: something about it is under way. */
export const isOpen = (payment) =>
  isUncertain(payment) || openRefunds(payment).length > 0 || (payment.captures ?? []).some((one) => !isDecided(one));
/** Nothing else is sold before this one is decided. */
export const blocksSale = (payment) => Boolean(payment) && isUncertain(payment);
/** What can still be given back, in minor units. */
export const refundable = (payment) =>
  payment.captured -
  payment.refunded -
  (payment.disputed ?? 0) -
  openRefunds(payment).reduce((sum, refund) => sum + refund.amount, 0);

/** What people call an order; a plain sale, whose name was made up, goes by the end of its payment. */
export function orderName(payment) {
  const name = payment.order_number || payment.order_id;
  return name.startsWith("sale-") ? `Sale ${payment.id.slice(-5)}` : name;
}

const CHECKING = "We are checking — don't pay again";

/** Tone, headline, sentence, and whether it is under way. @returns {[string, string, string, boolean?]} */
export function words(payment) {
  const of = (minor) => money(minor, payment.currency);
  const stillHeld = payment.held > 0 ? ` Another ${of(payment.held)} is still held.` : "";
  const gone = payment.disputed > 0
    ? ` ${of(payment.disputed)} of it is disputed: the customer's bank or the provider has taken it back.` : "";
  const [sum, taken, back] = [of(payment.amount), of(payment.captured), of(payment.refunded)];
  switch (payment.status) {
    case "succeeded": {
      const given = payment.authorized - payment.captured;
      const rest = payment.released > 0 ? ` The other ${of(payment.released)} was released.`
        : given > 0 ? ` The other ${of(given)} of the hold was given up.` : "";
      return ["good", "Paid", `${taken} was taken.${rest}${gone}`];
    }
    case "partially_captured":
      return ["good", "Partly taken", `${taken} of ${of(payment.authorized)} was taken; the rest is still held.`];
    case "partially_refunded":
      return ["good", "Partly refunded", `${back} of ${taken} went back to the customer.${stillHeld}${gone}`];
    case "refunded": return ["good", "Refunded", `${back} went back to the customer.${stillHeld}`];
    case "requires_capture":
      return ["wait", "Held", `${of(payment.authorized)} is reserved and not taken yet. No money moved.`];
    case "processing": return ["wait", "Working", `${sum}: the provider is being asked. Don't pay again.`, true];
    case "unknown": {
      const what = `It is not known yet whether ${sum} was taken. This page shows the answer by itself.`;
      return ["wait", CHECKING, what, true];
    }
    case "stored": {
      const what = `${sum}: the card was read offline and nothing is authorized. Don't pay again.`;
      return ["wait", "Stored, not paid", what, true];
    }
    case "requires_action":
      return ["wait", "The customer must do something", "Don't pay again until this has ended.", true];
    case "declined": return ["bad", "Declined", payment.message || "Nothing was charged."];
    case "canceled":
    case "expired":
      return payment.money_moved === "unknown"
        ? ["wait", CHECKING, `It is not known yet whether ${sum} was taken.`, true]
        : ["bad", payment.status === "canceled" ? "Canceled" : "The hold ended", "No money moved."];
    case "requires_payment_method": {
      const isUnsent = payment.attempts?.at(-1)?.status === "not_sent";
      const why = isUnsent ? "The provider could not be reached; nothing was sent. " : "";
      return ["", `To charge: ${sum}`, `${why}No money moved. Choose how the customer pays and press Charge.`];
    }
    default: return ["wait", payment.status, payment.message || ""];
  }
}

/** What a person must know beside the result. @returns {string[]} */
export function notes(payment) {
  const all = [...(payment.needs_attention ?? [])];
  for (const refund of openRefunds(payment)) {
    const amount = money(refund.amount, payment.currency);
    all.push(`${amount} is on its way back and not confirmed yet. Don't give it back again.`);
  }
  const last = (payment.refunds ?? []).at(-1);
  if (last && isDecided(last) && last.status !== "succeeded") {
    const amount = money(last.amount, payment.currency);
    all.push(`${amount} could not be given back. That money is still with the shop. ${last.message ?? ""}`.trim());
  }
  return all;
}

// Brands of chip cards whose numbers nobody types.
const CHIP_BRANDS = { interac: "Interac", eftpos: "eftpos" };

/** How it was paid, as "Typed card Visa •••• 4242"; null before anybody tried. */
export function method(payment) {
  const tender = payment.tender;
  if (!tender) return null;
  const reader = tender.reader === "tap" ? "Tap to Pay" : "Card reader";
  const kind = { card: "Typed card", reader, cash: "Cash" }[tender.type] ?? tender.type;
  const network = NETWORKS.find((one) => one.brand === tender.brand);
  const brand = network?.name ?? CHIP_BRANDS[tender.brand] ?? tender.brand;
  return [kind, brand, tender.last_four && `•••• ${tender.last_four}`].filter(Boolean).join(" ");
}

/** What the customer gets back of the cash that was handed over, in minor units. */
export const changeDue = (payment) => payment.tender?.change ?? 0;

/** Names and values; what is not known has none. @returns {[string, any][]} */
export function facts(payment) {
  const of = (minor) => minor > 0 && money(minor, payment.currency);
  const isPart = payment.captured > 0 && payment.captured !== payment.amount + (payment.tip ?? 0);
  return [
    [isPart ? "Ordered" : "Amount", money(payment.amount, payment.currency)],
    ["Taken", isPart && of(payment.captured)],
    ["Tip", of(payment.tip)],
    ["Released", of(payment.released)],
    ["Given back", of(payment.refunded)],
    ["Approved by", [...new Set((payment.approvals ?? []).map((one) => one.approved_by))].join(", ")],
    ["Disputed", of(payment.disputed)],
    ["Owed to the customer", of(payment.refund_due)],
    ["Cash handed over", of(payment.tender?.tendered)],
    ["Change", of(changeDue(payment))],
    ["Order", orderName(payment)], ["Method", method(payment)], ["Payment", payment.id],
  ];
}
