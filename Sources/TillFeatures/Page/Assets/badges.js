// How a payment stands: a shape, a word and a colour, of which the word alone is enough.

import { make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** Word, colour and shape of a status. @type {Record<string, [string, string, string]>} */
const BADGES = {
  requires_payment_method: ["Not paid", "", "dots"], declined: ["Declined", "stop", "x-octagon"],
  requires_action: ["Waiting for customer", "wait", "dots"], processing: ["Processing", "wait", "dots"],
  stored: ["Stored offline", "unsure", "cloud-off"], unknown: ["Outcome unknown", "unsure", "diamond"],
  requires_capture: ["Authorized", "held", "pause"], partially_captured: ["Partly captured", "held", "pause"],
  succeeded: ["Paid", "paid", "check-circle"], partially_refunded: ["Partly refunded", "", "undo"],
  refunded: ["Refunded", "", "undo"], canceled: ["Canceled", "", "x-octagon"],
  expired: ["Authorization expired", "", "x-octagon"], capture_failed: ["Capture failed", "stop", "x-octagon"],
};

export const STATUSES = Object.entries(BADGES).map(([status, [word]]) => ({ status, word }));

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
  const [word, tone, shape] = disputed ? ["Disputed", "unsure", "flag"]
    : payment.unreadable ? ["Cannot be read", "stop", "x-octagon"]
      : BADGES[payment.status] ?? [payment.status, "", "dots"];
  const element = make("span", "", { className: `badge ${tone}`.trim() });
  element.append(icon(shape), word);
  return element;
}
