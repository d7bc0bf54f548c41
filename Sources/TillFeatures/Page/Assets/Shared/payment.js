// A payment in words: what its status means to the clerk, and what may be done with it.

import { STATUSES } from "./badges.js";
import { NETWORKS } from "./card-networks.js";
import { money } from "./money.js";
import { foreign, say } from "./words.js";

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

/** How the money of a payment stands, to compare with later. */
export const standing = (one) =>
  JSON.stringify([one.captured, one.refunded, one.held, one.disputed ?? 0, refundable(one), one.status]);

const MADE_UP = /^sale-(?:[\da-f*]{24}|[a-p]{24}|[\da-hjkmnp-tv-z*]{26})(?:~\d+)?$/;

/** Whether the till made up the name of an order, also of a part of one; a shop's own, such as sale-1001, is none. */
export const isMadeUp = (name) => MADE_UP.test(name);

/** What people call an order; a plain sale, whose name was made up, goes by the end of its payment. */
export function orderName(payment) {
  const name = payment.order_number || payment.order_id;
  return isMadeUp(name) ? say("pay.sale", { name: payment.id.slice(-5) }) : name;
}

const joined = (...sentences) => sentences.filter(Boolean).join(" ");

/** Tone, headline, sentence, and whether it is under way. @returns {[string, string, string, boolean?]} */
export function words(payment) {
  const of = (minor) => money(minor, payment.currency);
  const stillHeld = payment.held > 0 && say("pay.stillHeld", { sum: of(payment.held) });
  const gone = payment.disputed > 0 && say("pay.disputed", { sum: of(payment.disputed) });
  const [sum, taken, back] = [of(payment.amount), of(payment.captured), of(payment.refunded)];
  const checking = say("stage.checking");
  switch (payment.status) {
    case "succeeded": {
      const given = payment.authorized - payment.captured;
      const rest = payment.released > 0 ? say("pay.otherReleased", { sum: of(payment.released) })
        : given > 0 && say("pay.otherHeldReleased", { sum: of(given) });
      return ["good", say("pay.paid"), joined(say("pay.charged", { sum: taken }), rest, gone)];
    }
    case "partially_captured":
      return ["good", say("pay.partlyCaptured"), say("pay.partCaptured", { sum: taken, all: of(payment.authorized) })];
    case "partially_refunded":
      return ["good", say("pay.partlyRefunded"),
        joined(say("pay.partRefunded", { sum: back, all: taken }), stillHeld, gone)];
    case "refunded": return ["good", say("pay.refunded"), joined(say("pay.allRefunded", { sum: back }), stillHeld)];
    case "requires_capture": return ["wait", say("pay.heldTitle"), say("pay.held", { sum: of(payment.authorized) })];
    case "processing": return ["wait", say("pay.processing"), say("pay.asking", { sum }), true];
    case "unknown": return ["wait", checking, say("pay.notKnown", { sum }), true];
    case "stored": return ["wait", say("pay.storedTitle"), say("pay.stored", { sum }), true];
    case "requires_action": return ["wait", say("pay.waitingTitle"), say("pay.waiting"), true];
    case "declined": return ["bad", say("pay.declined"), foreign(payment.message) || say("pay.nothingCharged")];
    case "canceled":
    case "expired":
      return payment.money_moved === "unknown" ? ["wait", checking, say("pay.notKnownYet", { sum }), true]
        : ["bad", say(payment.status === "canceled" ? "pay.canceled" : "pay.expired"), say("pay.noMoney")];
    case "capture_failed":
      return ["bad", say("pay.captureFailed"), foreign(payment.message) || say("pay.shopHasNot")];
    case "requires_payment_method": {
      const isUnsent = payment.attempts?.at(-1)?.status === "not_sent";
      return ["", say("pay.toCharge", { sum }), joined(isUnsent && say("pay.notSent"), say("pay.choose"))];
    }
    default: return ["wait", payment.status, foreign(payment.message) || ""];
  }
}

/** What a person must know beside the result. @returns {string[]} */
export function notes(payment) {
  const all = (payment.needs_attention ?? []).map(foreign);
  for (const refund of openRefunds(payment)) {
    all.push(say("pay.refundPending", { sum: money(refund.amount, payment.currency) }));
  }
  const last = (payment.refunds ?? []).at(-1);
  if (last && isDecided(last) && last.status !== "succeeded") {
    all.push(joined(say("pay.refundFailed", { sum: money(last.amount, payment.currency) }), foreign(last.message)));
  }
  return all;
}

// Brands of chip cards whose numbers nobody types.
const CHIP_BRANDS = { interac: "Interac", eftpos: "eftpos" };

/** How it was paid, as "Keyed card Visa •••• 4242"; null before anybody tried. */
export function method(payment) {
  const tender = payment.tender;
  if (!tender) return null;
  const reader = say(tender.reader === "tap" ? "take.tap" : "take.reader");
  const kind = { card: say("take.card"), reader, cash: say("take.cash") }[tender.type] ?? tender.type;
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
    [say(isPart ? "fact.ordered" : "sale.amount"), money(payment.amount, payment.currency)],
    [say("latest.charged"), isPart && of(payment.captured)],
    [say("sale.discountName"), payment.discount
      && `${money(payment.discount.amount, payment.currency)}, ${payment.discount.reason}`],
    [say("fact.tip"), of(payment.tip)],
    [say("fact.released"), of(payment.released)],
    [say("fact.givenBack"), of(payment.refunded)],
    [say("fact.approvedBy"), [...new Set((payment.approvals ?? []).map((one) => one.approved_by))].join(", ")],
    [say("badge.disputed"), of(payment.disputed)],
    [say("fact.owed"), of(payment.refund_due)],
    [say("fact.tendered"), of(payment.tender?.tendered)],
    [say("fact.change"), of(changeDue(payment))],
    [say("fact.order"), orderName(payment)], [say("fact.method"), method(payment)], [say("latest.payment"), payment.id],
  ];
}
