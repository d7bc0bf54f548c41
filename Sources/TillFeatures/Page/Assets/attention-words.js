// What a person must review, in words: what happened, how old it is, and what each resolution does to the money.

import { orderName, STEPS } from "./payment.js";
import { sum } from "./sums.js";

const TITLES = {
  wrong_amount: "Another amount was authorized", wrong_currency: "Another currency was authorized",
  partial_approval: "Only a part was approved", voided_after_capture: "Voided after it was captured",
  refused: "Refused by the provider", refund_failed: "Refund failed", refund_reversed: "Refund failed later",
  capture_reversed: "Capture failed later", still_unknown: "Outcome unknown", hold_ends: "Hold ends soon",
  honor_period_ends: "Honor period ends", tap_overdue: "Stored card overdue", dispute_opened: "Disputed",
  dispute_lost: "Dispute lost", unwanted_capture: "Unwanted capture", refunded_twice: "Refunded too much",
  approved_late: "Approved late", shop_differs: "Differs in the shop",
  refunded_more_than_once: "Refunded more than once", order_paid_again: "Order paid twice",
  key_rejected: "The provider rejects our key", note: "To review",
  unknown_payment: "Report about an unknown payment", unknown_charge: "Charge of an unknown payment",
  unreadable_payment: "Payment that cannot be read", absent_provider: "Provider is not configured",
  statement: "Statement does not match",
};
/** As many of a device's digits tell it from the shop's others. */
const DEVICE_DIGITS = 8;
/** What has a date by which it must be done. */
const DEADLINES = new Set(["dispute_opened", "hold_ends", "honor_period_ends", "tap_overdue"]);

/** A code of the till's as words. @param {string} code */
export const title = (code) => TITLES[code] ?? code.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

/** What an incident is called. @param {{kind: string, order_id: string | null}} incident */
export const incidentTitle = (incident) =>
  incident.order_id ? `${title(incident.kind)}: order ${incident.order_id}` : title(incident.kind);

/** What an entry of a payment is called. @param {any} entry */
export const entryTitle = (entry) => {
  const name = orderName({ id: entry.payment_id, order_id: entry.order_id, order_number: entry.order_number });
  return `${title(entry.code)}: ${name}`;
};

/** @param {any} entry @returns {boolean} Somebody must act by a certain time. */
export const hasDeadline = (entry) => DEADLINES.has(entry.code);

/** @param {number} seconds */
export function age(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** A time as it is read here. @param {string} moment */
export const local = (moment) => new Date(moment).toLocaleString();

/** An event in words: when, what, and who caused it. */
export const happened = (event) =>
  `${local(event.at)}: ${STEPS[event.type] ?? event.type} ${event.by ? `By: ${event.by.text}.${place(event.by)}` : ""}`;

/** At which device something was done on the page, as the list of sessions names it. @param {{device?: string}} by */
const place = (by) => (by.device ? ` At device ${by.device.slice(0, DEVICE_DIGITS)}.` : "");

/**
 * What may be said of an entry: the choice, what it does to the money, the question before it is sent, and the button
 * that sends it. Each takes the sum as text; "" while it is not known.
 */
export const RESOLUTIONS = {
  handled: {
    name: "Handled", what: () => "What was asked for was done. No amount changes.",
    ask: () => "Close it as handled?", send: () => "Close as handled",
  },
  not_refunded: {
    name: "Not refunded",
    what: () => "The refund was certainly not made. The money counts as still with the shop and can be refunded again.",
    ask: () => "Record that nothing was refunded?", send: () => "Record as not refunded",
  },
  refunded_elsewhere: {
    name: "Refunded another way",
    what: (sum) => `The customer has the money back without the provider. ${sum || "It"} counts as refunded from now `
      + "on. Nothing is sent to the provider.",
    ask: (sum) => `Record ${sum} as refunded another way?`, send: (sum) => `Record ${sum} as refunded`,
  },
  captured_elsewhere: {
    name: "Paid another way",
    what: (sum) => `The customer has paid without the provider. ${sum || "It"} counts as captured from now on. `
      + "Nothing is sent to the provider.",
    ask: (sum) => `Record ${sum} as paid another way?`, send: (sum) => `Record ${sum} as paid`,
  },
  written_off: {
    name: "Written off",
    what: () => "The money is written off and no longer claimed. Nothing is sent to the provider.",
    ask: (_, stake) => `Write off ${stake}?`, send: (_, stake) => `Write off ${stake}`,
  },
};

/** What may be said of an incident that holds an order. */
export const OUTCOMES = {
  paid: {
    name: "It paid its order", what: () => "The order counts as paid outside this till and is not sold again.",
    ask: () => "Record that the order is paid?", send: () => "Record the order as paid",
  },
  not_paid: {
    name: "It did not pay, or was refunded", what: () => "The order may be sold again.",
    ask: () => "Free the order for sale?", send: () => "Free the order",
  },
};

/** What becomes of what a statement has put into suspense; the first says nothing of it. */
export const SUSPENSE = {
  explained: {
    name: "Only this", what: () => "What is in suspense stays there.",
    ask: () => "Close this incident?", send: () => "Close it",
  },
  written_off: {
    name: "Written off", what: () => "What is in suspense is posted to the write-offs.",
    ask: () => "Write it off?", send: () => "Write it off",
  },
};

const SAID = { ...OUTCOMES, ...SUSPENSE, recovered: { name: "Found again" } };

/** How an entry or an incident was closed, as names and values. @param {any} closing @param {string} currency */
export const closingFacts = (closing, currency) => [
  ["What is known", RESOLUTIONS[closing.resolution]?.name ?? SAID[closing.outcome]?.name],
  ["Amount", closing.amount && currency ? sum(closing.amount, currency) : null],
  ["Order", closing.order_id], ["How", closing.evidence], ["By", closing.actor],
  ["When", closing.at && local(closing.at)],
];
