// Cash before it is charged: what the customer gets back of what was handed over, and the tip that they leave of it.

import { $ } from "./dom.js";
import { decimal, minorUnits, money } from "./money.js";
import { savedOf } from "./sell-discount.js";
import { say } from "./words.js";

const currency = () => $("currency").value;
const minorIn = (id) => minorUnits($(id).value, currency()).value ?? 0;

/** What is due without a tip, in minor units; 0 while it is not known, as of an order document. */
function due() {
  const price = $("amount").disabled ? 0 : minorIn("amount");
  return price - savedOf(price);
}

/** What is left of the cash that was handed over, without what stands there as a tip. */
const left = () => minorIn("tendered") - due();

/** Says what is given back, and offers to keep it. */
function showChange() {
  const isTipped = $("cash-tip").value.trim() !== "";
  const back = due() > 0 && minorIn("tendered") > 0 ? left() - minorIn("cash-tip") : 0;
  $("cash-change").textContent = back > 0 ? `${say("stage.change")} ${money(back, currency())}` : "";
  $("cash-change").hidden = back <= 0;
  $("keep-change").hidden = back <= 0 || isTipped;
  $("keep-change").textContent = back > 0 ? say("cash.keep", { sum: money(back, currency()) }) : "";
}

$("keep-change").addEventListener("click", () => {
  $("cash-tip").value = decimal(left(), currency());
  $("cash-tip").dispatchEvent(new Event("input"));
  // The button is gone by now; Enter and F9 charge from here.
  $("cash-tip").focus();
});
for (const id of ["amount", "tendered", "cash-tip", "document"]) $(id).addEventListener("input", showChange);
$("currency").addEventListener("change", showChange);
