// The fields of a typed card: groups as they are printed on the card, the network's name, the caret where it was, and
// what is wrong with a field once it is left.

import { codeFault, formatExpiry, formatNumber, judgeNumber } from "./card-number.js";
import { $ } from "./dom.js";
import { mark } from "./notice.js";
import { digitsOf } from "./typed-digits.js";
import { follow } from "./typed-fields.js";
import { foreign, say } from "./words.js";

/** What is wrong with the number as it stands, or should be double-checked; "" if nothing is. */
function numberFault() {
  const { fault, warning } = judgeNumber($("number").value);
  return foreign(fault ?? (warning ? `${warning} Check the number.` : ""));
}

follow($("number"), formatNumber, (text) => {
  const { network, state } = judgeNumber(text);
  $("brand").textContent = network?.name ?? "";
  $("code").placeholder = network ? `${network.codeName}, ${network.codeLength} digits` : "";
  // What was wrong is taken back as soon as it is not; a new fault waits until the field is left.
  mark("number", state === "invalid" ? numberFault() : "");
});
follow($("expires"), formatExpiry);
follow($("code"), (text, caret) => ({
  text: digitsOf(text).slice(0, 4), caret: digitsOf(text.slice(0, caret)).length,
}), () => mark("code", ""));
$("number").addEventListener("blur", () => mark("number", $("number").value.trim() ? numberFault() : ""));
$("code").addEventListener("blur", () => {
  mark("code", $("code").value.trim() ? foreign(codeFault($("code").value, $("number").value) ?? "") : "");
});

/** The name and the billing address as the till takes them, or what is wrong with them. */
function cardholder() {
  const typed = (id) => $(id).value.trim();
  const name = typed("holder");
  const country = typed("country").toUpperCase();
  const parts = { line1: typed("line1"), city: typed("city"), region: typed("region"), postal_code: typed("postal") };
  const address = Object.fromEntries(Object.entries(parts).filter(([, value]) => value));
  if (!country && Object.keys(address).length) return { field: "country", fault: say("card.countryMissing") };
  if (country && !/^([A-Z]{2}|C2)$/.test(country)) return { field: "country", fault: say("card.countryLetters") };
  return { ...(name && { name }), ...(country && { billing_address: { ...address, country } }) };
}

/** The typed card as a request's tender, or the first field that is wrong. */
export function cardTender() {
  const number = $("number").value;
  const expiry = $("expires").value.replace(/\s/g, "");
  const code = $("code").value;
  const { fault } = judgeNumber(number);
  if (fault) return { field: "number", fault: foreign(fault) };
  if (!/^(0[1-9]|1[0-2])[/-]?(\d{2}|\d{4})$/.test(expiry)) {
    return { field: "expires", fault: say("card.date") };
  }
  const wrong = codeFault(code, number);
  if (wrong) return { field: "code", fault: foreign(wrong) };
  const holder = cardholder();
  if (holder.fault) return holder;
  return { tender: { type: "card", number: digitsOf(number), expiry, cvc: digitsOf(code), ...holder } };
}

const FIELDS = ["number", "expires", "code", "holder", "line1", "city", "region", "postal", "country"];

/** Takes everything of the card out of the page. */
export function forgetCard() {
  for (const id of FIELDS) $(id).value = "";
  $("number").dispatchEvent(new Event("input"));
}
