// The fields of a typed card: groups as they are printed on the card, the network's name, the caret where it was, and
// what is wrong with a field once it is left.

import { FEWEST, formatExpiry, formatNumber, judgeCode, judgeNumber, MOST } from "./card-number.js";
import { $ } from "./dom.js";
import { mark } from "./notice.js";
import { digitsOf } from "./typed-digits.js";
import { follow } from "./typed-fields.js";
import { foreign, say } from "./words.js";

const NUMBER_FAULTS = {
  characters: "card.characters", missing: "card.missing", short: "card.short", long: "card.long",
  checkDigit: "card.checkDigit",
};

/** What is wrong with a number of that kind of fault. @param {string} kind */
const numberWords = (kind) =>
  say(NUMBER_FAULTS[kind], { digits: digitsOf($("number").value).length, least: FEWEST, most: MOST });

/** What is wrong with the number as it stands, or should be double-checked; "" if nothing is. */
function numberFault() {
  const { kind, warning } = judgeNumber($("number").value);
  return kind ? numberWords(kind) : foreign(warning ? `${warning} Check the number.` : "");
}

/** What is wrong with the security code; "" if nothing is. */
function codeFault() {
  const wrong = judgeCode($("code").value, $("number").value);
  if (!wrong) return "";
  const { kind, least, most } = wrong;
  if (kind === "characters") return say("card.codeCharacters");
  if (kind === "missing") return say("card.codeMissing");
  return say(least === most ? "card.codeLength" : "card.codeLengths", { digits: least, least, most });
}

follow($("number"), formatNumber, (text) => {
  const { network, state } = judgeNumber(text);
  $("brand").textContent = network?.name ?? "";
  $("code").placeholder = network
    ? say("card.codeShape", { name: network.codeName, digits: network.codeLength }) : "";
  // What was wrong is taken back as soon as it is not; a new fault waits until the field is left.
  mark("number", state === "invalid" ? numberFault() : "");
});
follow($("expires"), formatExpiry);
follow($("code"), (text, caret) => ({
  text: digitsOf(text).slice(0, 4), caret: digitsOf(text.slice(0, caret)).length,
}), () => mark("code", ""));
$("number").addEventListener("blur", () => mark("number", $("number").value.trim() ? numberFault() : ""));
$("code").addEventListener("blur", () => {
  mark("code", $("code").value.trim() ? codeFault() : "");
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
  const { kind } = judgeNumber(number);
  if (kind) return { field: "number", fault: numberWords(kind) };
  if (!/^(0[1-9]|1[0-2])[/-]?(\d{2}|\d{4})$/.test(expiry)) {
    return { field: "expires", fault: say("card.date") };
  }
  const wrong = codeFault();
  if (wrong) return { field: "code", fault: wrong };
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
