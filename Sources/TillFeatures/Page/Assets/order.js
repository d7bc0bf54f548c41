// What is sold: an amount that was typed, or an order document of a shop.

import { $ } from "./dom.js";
import { minorUnits } from "./money.js";

const LARGEST_FILE = 4_000_000;

/** The document that was pasted or chosen; null without one. Throws a SyntaxError if it is no JSON object. */
export function orderDocument() {
  const text = $("document").value.trim();
  if (!text) return null;
  // A comma before a closing bracket, which some exports contain, is dropped; everything else stays as written.
  const clean = text.replace(/^\uFEFF/, "")
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part[0] === '"' ? part : ""));
  const parsed = JSON.parse(clean);
  if (!parsed || typeof parsed !== "object") throw new SyntaxError("It is no object.");
  return { clean, order: parsed.total === undefined && parsed.data ? parsed.data : parsed };
}

/** The body of the request for a payment with the amount and the currency, or the first field that is wrong. */
export function saleBody() {
  const capture = $("manual").checked ? "manual" : "automatic";
  try {
    const read = orderDocument();
    if (read) return { body: `{"order":${read.clean},"capture":"${capture}"}` };
  } catch {
    return { field: "document", fault: "This is no JSON document." };
  }
  const currency = $("currency").value;
  const amount = minorUnits($("amount").value, currency);
  if (amount.fault) return { field: "amount", fault: amount.fault };
  const order = $("order").value.trim();
  if (!/^[\x21-\x7e]*$/.test(order)) {
    return { field: "order", fault: "Letters, digits and signs without spaces, please." };
  }
  const body = JSON.stringify({ ...(order && { order_id: order }), amount: amount.value, currency, capture });
  return { body, minor: amount.value, currency };
}

/** The currency and the sum of a sale; of an order document, what it says itself. */
export function sumOf(sale) {
  if (sale.currency) return sale;
  const { order } = orderDocument();
  const currency = String(order.currency ?? "");
  return { currency, minor: minorUnits(String(order.total ?? ""), currency).value };
}

$("document").addEventListener("input", () => {
  let note = "";
  try {
    const read = orderDocument();
    if (read) {
      note = `To charge: ${read.order.total ?? "?"} ${read.order.currency ?? ""}. The amount above is not used.`;
    }
  } catch {
    note = "This is no JSON document yet.";
  }
  $("document-note").textContent = note;
  const isUsed = Boolean($("document").value.trim());
  $("amount").disabled = $("currency").disabled = $("order").disabled = isUsed;
});
$("file").addEventListener("change", async () => {
  const file = $("file").files[0];
  if (!file) return;
  if (file.size > LARGEST_FILE) {
    $("document-note").textContent = "The file is too large.";
    return;
  }
  $("document").value = await file.text();
  $("document").dispatchEvent(new Event("input"));
});
