// What a person must review, in words: what happened, how old it is, and what each resolution does to the money.

import { clock, time } from "./clock.js";
import { orderName, STEPS } from "./payment.js";
import { sum } from "./sums.js";
import { foreign, say } from "./words.js";

/** @type {Record<string, string>} */
const TITLES = {
  wrong_amount: say("attention.wrongAmount"), wrong_currency: say("attention.wrongCurrency"),
  partial_approval: say("attention.partialApproval"), voided_after_capture: say("attention.voidedAfterCapture"),
  refused: say("attention.refused"), refund_failed: say("attention.refundFailed"),
  refund_reversed: say("attention.refundReversed"), capture_reversed: say("attention.captureReversed"),
  still_unknown: say("badge.unknown"), hold_ends: say("attention.holdEnds"),
  honor_period_ends: say("attention.honorPeriodEnds"), tap_overdue: say("attention.tapOverdue"),
  dispute_opened: say("badge.disputed"), dispute_lost: say("attention.disputeLost"),
  unwanted_capture: say("attention.unwantedCapture"), refunded_twice: say("attention.refundedTwice"),
  approved_late: say("attention.approvedLate"), shop_differs: say("attention.shopDiffers"),
  refunded_more_than_once: say("attention.refundedMoreThanOnce"), order_paid_again: say("attention.orderPaidAgain"),
  key_rejected: say("attention.keyRejected"), note: say("attention.note"),
  unknown_payment: say("attention.unknownPayment"), unknown_charge: say("attention.unknownCharge"),
  unreadable_payment: say("attention.unreadablePayment"), absent_provider: say("attention.absentProvider"),
  statement: say("attention.statement"),
};
/** As many of a device's digits tell it from the shop's others. */
const DEVICE_DIGITS = 8;
/** What has a date by which it must be done. */
const DEADLINES = new Set(["dispute_opened", "hold_ends", "honor_period_ends", "tap_overdue"]);

/** A code of the till's as words; those of one without a name here are English. @param {string} code */
export const title = (code) =>
  TITLES[code] ?? foreign(code.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()));

/** What an incident is called. @param {{kind: string, order_id: string | null}} incident */
export const incidentTitle = (incident) => (incident.order_id
  ? say("attention.titleOrder", { title: title(incident.kind), order: incident.order_id }) : title(incident.kind));

/** What an entry of a payment is called. @param {any} entry */
export const entryTitle = (entry) => {
  const name = orderName({ id: entry.payment_id, order_id: entry.order_id, order_number: entry.order_number });
  return say("attention.title", { title: title(entry.code), name });
};

/** @param {any} entry @returns {boolean} Somebody must act by a certain time. */
export const hasDeadline = (entry) => DEADLINES.has(entry.code);

/** @param {number} seconds */
export function age(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return say("attention.justNow");
  if (minutes < 60) return say("attention.minutes", { count: minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? say("attention.hours", { count: hours })
    : say("attention.days", { count: Math.floor(hours / 24) });
}

const toTheSecond = clock({ dateStyle: "medium", timeStyle: "medium" });

/** An event in words, which are English: when, what, and who caused it. */
export const happened = (event) => {
  const by = event.by ? `By: ${event.by.text}.${place(event.by)}` : "";
  return `${toTheSecond(new Date(event.at))}: ${STEPS[event.type] ?? event.type} ${by}`;
};

/** At which device something was done on the page, as the list of sessions names it. @param {{device?: string}} by */
const place = (by) => (by.device ? ` At device ${by.device.slice(0, DEVICE_DIGITS)}.` : "");

/**
 * What may be said of an entry: the choice, what it does to the money, the question before it is sent, and the button
 * that sends it. Each takes the sum as text; "" while it is not known.
 */
export const RESOLUTIONS = {
  handled: {
    name: say("attention.handled"), what: () => say("attention.handledWhat"),
    ask: () => say("attention.handledAsk"), send: () => say("attention.handledSend"),
  },
  not_refunded: {
    name: say("attention.notRefunded"), what: () => say("attention.notRefundedWhat"),
    ask: () => say("attention.notRefundedAsk"), send: () => say("attention.notRefundedSend"),
  },
  refunded_elsewhere: {
    name: say("attention.refundedElsewhere"),
    what: (sum) => say(sum ? "attention.refundedElsewhereSum" : "attention.refundedElsewhereWhat", { sum }),
    ask: (sum) => say("attention.refundedElsewhereAsk", { sum }),
    send: (sum) => say("attention.refundedElsewhereSend", { sum }),
  },
  captured_elsewhere: {
    name: say("attention.paidElsewhere"),
    what: (sum) => say(sum ? "attention.paidElsewhereSum" : "attention.paidElsewhereWhat", { sum }),
    ask: (sum) => say("attention.paidElsewhereAsk", { sum }),
    send: (sum) => say("attention.paidElsewhereSend", { sum }),
  },
  written_off: {
    name: say("attention.writtenOff"), what: () => say("attention.writtenOffWhat"),
    ask: (_, stake) => say("attention.writtenOffAsk", { sum: stake }),
    send: (_, stake) => say("attention.writtenOffSend", { sum: stake }),
  },
};

/** What may be said of an incident that holds an order. */
export const OUTCOMES = {
  paid: {
    name: say("attention.paid"), what: () => say("attention.paidWhat"),
    ask: () => say("attention.paidAsk"), send: () => say("attention.paidSend"),
  },
  not_paid: {
    name: say("attention.notPaid"), what: () => say("attention.notPaidWhat"),
    ask: () => say("attention.notPaidAsk"), send: () => say("attention.notPaidSend"),
  },
};

/** What becomes of what a statement has put into suspense; the first says nothing of it. */
export const SUSPENSE = {
  explained: {
    name: say("attention.explained"), what: () => say("attention.explainedWhat"),
    ask: () => say("attention.closeAsk"), send: () => say("attention.closeSend"),
  },
  written_off: {
    name: say("attention.writtenOff"), what: () => say("attention.suspenseWhat"),
    ask: () => say("attention.suspenseAsk"), send: () => say("attention.suspenseSend"),
  },
};

const SAID = { ...OUTCOMES, ...SUSPENSE, recovered: { name: say("attention.recovered") } };

/** How an entry or an incident was closed, as names and values. @param {any} closing @param {string} currency */
export const closingFacts = (closing, currency) => [
  [say("attention.known"), RESOLUTIONS[closing.resolution]?.name ?? SAID[closing.outcome]?.name],
  [say("find.amount"), closing.amount && currency ? sum(closing.amount, currency) : null],
  [say("fact.order"), closing.order_id], [say("attention.how"), closing.evidence],
  [say("attention.by"), closing.actor], [say("attention.at"), closing.at && time(closing.at)],
];
