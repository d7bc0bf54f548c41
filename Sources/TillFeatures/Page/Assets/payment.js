// A payment in words: what its status means to the clerk, and what may be done with it.

import { STATUSES } from "./badges.js";
import { NETWORKS } from "./card-networks.js";
import { money } from "./money.js";

const OPEN = ["processing", "stored", "unknown", "requires_action"];
const RETRYABLE = ["requires_payment_method", "declined"];
const DECIDED = ["succeeded", "refused", "failed", "declined"];

/** The word for a status, which is that of its badge. @type {Record<string, string>} */
export const STATUS = Object.fromEntries(STATUSES.map(({ status, word }) => [status, word]));

/** What happened, by the type of its event. */
export const STEPS = {
  "payment.created": "Payment recorded.",
  "attempt.started": "Sent to the provider.",
  "attempt.bound": "Provider account identified.",
  "attempt.prepared": "Prepared at the provider.",
  "attempt.authorized": "Authorized.",
  "attempt.action_required": "Customer action required.",
  "continuation.started": "Customer action completed; authorizing.",
  "renewal.started": "Renewing the hold.",
  "renewal.succeeded": "Hold renewed.",
  "attempt.declined": "Declined.",
  "attempt.stored": "Card stored offline: not paid yet.",
  "attempt.not_sent": "The provider could not be reached; nothing was sent.",
  "attempt.expired": "Hold expired.",
  "void.started": "Releasing the hold.",
  "void.succeeded": "Hold released.",
  "capture.started": "Capturing.",
  "capture.succeeded": "Captured.",
  "refund.started": "Refunding.",
  "refund.succeeded": "Refunded.",
  "operation.refused": "Refused by the provider.",
  "operation.deferred": "Will be sent again.",
  "operation.unknown": "Outcome unknown; checking with the provider.",
  "payment.cancel_requested": "Cancellation requested.",
  "payment.canceled": "Payment canceled.",
  "payment.attention_required": "Needs review.",
  "payment.attention_closed": "Review closed.",
  "refund.failed": "Refund failed later; the shop has the money.",
  "refund.reported": "Refund reported by the provider or a person.",
  "capture.failed": "Capture failed later; the shop does not have the money.",
  "capture.restored": "Capture restored.",
  "capture.reported": "Capture reported by the provider or a person.",
  "dispute.opened": "Dispute opened.",
  "dispute.updated": "Dispute updated.",
  "dispute.funds_withdrawn": "Disputed funds withdrawn.",
  "dispute.funds_reinstated": "Disputed funds reinstated.",
  "dispute.closed": "Dispute closed.",
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
        : given > 0 ? ` The other ${of(given)} of the hold was released.` : "";
      return ["good", "Paid", `${taken} charged.${rest}${gone}`];
    }
    case "partially_captured":
      return ["good", "Partly captured", `${taken} of ${of(payment.authorized)} captured; the rest is still held.`];
    case "partially_refunded":
      return ["good", "Partly refunded", `${back} of ${taken} refunded to the customer.${stillHeld}${gone}`];
    case "refunded": return ["good", "Refunded", `${back} refunded to the customer.${stillHeld}`];
    case "requires_capture":
      return ["wait", "Held", `${of(payment.authorized)} is authorized and not captured yet. No money moved.`];
    case "processing": return ["wait", "Processing", `${sum}: the provider is being asked. Don't pay again.`, true];
    case "unknown": {
      const what = `It is not known yet whether ${sum} was charged. This page updates by itself.`;
      return ["wait", CHECKING, what, true];
    }
    case "stored": {
      const what = `${sum}: the card was read offline and nothing is authorized. Don't pay again.`;
      return ["wait", "Stored, not paid", what, true];
    }
    case "requires_action":
      return ["wait", "Waiting for the customer", "Don't pay again until this has ended.", true];
    case "declined": return ["bad", "Declined", payment.message || "Nothing was charged."];
    case "canceled":
    case "expired":
      return payment.money_moved === "unknown"
        ? ["wait", CHECKING, `It is not known yet whether ${sum} was charged.`, true]
        : ["bad", payment.status === "canceled" ? "Canceled" : "Hold expired", "No money moved."];
    case "capture_failed":
      return ["bad", "Capture failed", payment.message || "The shop does not have the money."];
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
    all.push(`A refund of ${amount} is pending. Don't refund it again.`);
  }
  const last = (payment.refunds ?? []).at(-1);
  if (last && isDecided(last) && last.status !== "succeeded") {
    const amount = money(last.amount, payment.currency);
    all.push(`The refund of ${amount} failed. The shop still has the money. ${last.message ?? ""}`.trim());
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
    ["Charged", isPart && of(payment.captured)],
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
