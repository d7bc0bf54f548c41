// How a payment stands: a shape, a word and a colour, of which the word alone is enough. And the words for tenders.

import { make } from "./dom.js";
import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** Word, colour and shape of a status. @type {Record<string, [string, string, string]>} */
const BADGES = {
  requires_payment_method: [say("badge.notPaid"), "", "dots"], declined: [say("pay.declined"), "stop", "x-octagon"],
  requires_action: [say("badge.waiting"), "wait", "dots"], processing: [say("pay.processing"), "wait", "dots"],
  stored: [say("badge.stored"), "unsure", "cloud-off"], unknown: [say("badge.unknown"), "unsure", "diamond"],
  requires_capture: [say("badge.authorized"), "held", "pause"],
  partially_captured: [say("pay.partlyCaptured"), "held", "pause"],
  succeeded: [say("pay.paid"), "paid", "check-circle"],
  partially_refunded: [say("pay.partlyRefunded"), "", "undo"], refunded: [say("pay.refunded"), "", "undo"],
  canceled: [say("pay.canceled"), "", "x-octagon"], expired: [say("badge.expired"), "", "x-octagon"],
  capture_failed: [say("pay.captureFailed"), "stop", "x-octagon"],
};

export const STATUSES = Object.entries(BADGES).map(([status, [word]]) => ({ status, word }));

/** @type {Record<string, string>} */
const TENDERS = {
  card: "Keyed card", reader: "Card reader", wallet: "Wallet", paypal: "PayPal", cash: "Cash", apple_pay: "Apple Pay",
  elsewhere: "Outside the provider", other: "Other",
};

/** How was paid, as in every report; of a tender without a word here its name. @param {string} tender */
export const tenderOf = (tender) =>
  TENDERS[tender] ?? (tender ? tender.charAt(0).toUpperCase() + tender.slice(1).replaceAll("_", " ") : "None");

/** @param {string} name @param {string} [size] */
export function icon(name, size = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `i ${size}`.trim());
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", "#i-" + name);
  svg.append(use);
  return svg;
}

/** How a payment stands, as shape, word and colour. @param {any} payment */
export function badge(payment) {
  const disputed = payment.disputed > 0;
  const [word, tone, shape] = disputed ? [say("badge.disputed"), "unsure", "flag"]
    : payment.unreadable ? [say("badge.unreadable"), "stop", "x-octagon"]
      : BADGES[payment.status] ?? [payment.status, "", "dots"];
  const element = make("span", "", { className: `badge ${tone}`.trim() });
  element.append(icon(shape), word);
  return element;
}
