// What a card number and its security code are worth, by the till's own table of networks: the page judges a card as
// the till does. Nothing leaves the page here.

import { NETWORKS } from "./card-networks.js";
import { digitsOf, strictDigits } from "./typed-digits.js";

/** @typedef {import("./card-networks.js").Network} Network */
/** @typedef {{network: Network, matched: number, isCertain: boolean}} Candidate */
/** @typedef {"incomplete" | "valid" | "invalid"} State */
/** @typedef {"characters" | "missing" | "short" | "long" | "checkDigit" | null} NumberFault */

export const FEWEST = 12;
export const MOST = 19;

/** The networks that a number which begins with these digits may belong to, the likeliest first. */
function candidates(digits) {
  /** @type {Candidate[]} */
  const found = [];
  for (const network of NETWORKS.filter((one) => one.ranges.length)) {
    let whole = 0;
    let partial = 0;
    for (const [low, high] of network.ranges) {
      const count = Math.min(digits.length, low.length);
      const typed = digits.slice(0, count);
      if (typed < low.slice(0, count) || typed > high.slice(0, count)) continue;
      if (count === low.length) whole = Math.max(whole, count);
      else partial = Math.max(partial, count);
    }
    if (whole) found.push({ network, matched: whole, isCertain: true });
    else if (partial || !digits) found.push({ network, matched: partial, isCertain: false });
  }
  // The order of the table settles ties: sorting is stable.
  const rank = (one) => (one.isCertain ? one.matched : 0);
  return found.sort((a, b) => rank(b) - rank(a));
}

/** The likeliest network with a whole range typed. @returns {Network | undefined} */
export const networkOf = (text) => candidates(digitsOf(text)).find((one) => one.isCertain)?.network;

function hasCheckDigit(digits) {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    sum += index % 2 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** The kind of what is wrong with a number that is submitted like this; null if it is taken. @returns {NumberFault} */
function faultOf(digits, found) {
  if (digits === null) return "characters";
  if (!digits) return "missing";
  if (digits.length < FEWEST) return "short";
  if (digits.length > MOST) return "long";
  if (hasCheckDigit(digits) || found.some((one) => one.isCertain && one.network.toleratesWrongCheckDigit)) return null;
  return "checkDigit";
}

/** What is wrong with a number of so many digits, in English. @param {NumberFault} kind @param {number} count */
function faultText(kind, count) {
  switch (kind) {
    case null: return null;
    case "characters": return "The card number has a character that is no digit.";
    case "missing": return "Enter the card number.";
    case "short": return `The card number has ${count} digits; cards have at least ${FEWEST}.`;
    case "long": return `The card number has ${count} digits; cards have at most ${MOST}.`;
    case "checkDigit": return "Check the card number for a typing mistake: its check digit does not match.";
  }
}

/**
 * A number as it stands in its field.
 * @param {string} text
 * @returns {{
 *   state: State, kind: NumberFault, fault: string | null, warning: string | null, network: Network | undefined,
 * }} How the field stands while it is typed in; the kind of what is wrong with it once it is left, and that in English;
 *   what should be double-checked in a number that is accepted; its likeliest network.
 */
export function judgeNumber(text) {
  const digits = strictDigits(text);
  const found = digits === null ? [] : candidates(digits);
  const count = digits?.length ?? 0;
  const lengths = found.flatMap((one) => one.network.lengths);
  const isLength = found.length ? lengths.includes(count) : count >= FEWEST && count <= MOST;
  const mayContinue = digits !== null && count < (found.length ? Math.max(...lengths) : MOST);
  const network = found.find((one) => one.isCertain)?.network;
  const kind = faultOf(digits, found);
  if (kind) {
    const canGrow = digits !== null && count <= MOST && (count < FEWEST || mayContinue);
    return { state: canGrow ? "incomplete" : "invalid", kind, fault: faultText(kind, count), warning: null, network };
  }
  const warning = !isLength ? "This network's cards have another length."
    : !hasCheckDigit(digits) ? "The check digit does not match; this network has such cards." : null;
  return { state: isLength || !mayContinue ? "valid" : "incomplete", kind, fault: null, warning, network };
}

/**
 * What is wrong with a security code of a card of this number; null if it is taken.
 * @returns {{kind: "characters" | "missing" | "length", least: number, most: number} | null} The kind, and how many
 *   digits such a code has.
 */
export function judgeCode(text, number) {
  const digits = strictDigits(text);
  const certain = candidates(digitsOf(number)).filter((one) => one.isCertain).map((one) => one.network.codeLength);
  const [least, most] = certain.length ? [Math.min(...certain), Math.max(...certain)] : [3, 4];
  if (digits === null) return { kind: "characters", least, most };
  if (!digits) return { kind: "missing", least, most };
  return digits.length >= least && digits.length <= most ? null : { kind: "length", least, most };
}

/** What is wrong with a security code of a card of this number, in English; null if it is taken. */
export function codeFault(text, number) {
  const wrong = judgeCode(text, number);
  switch (wrong?.kind) {
    case undefined: return null;
    case "characters": return "The security code has a character that is no digit.";
    case "missing": return "Enter the security code.";
    case "length": {
      const { least, most } = wrong;
      return `The security code must have ${least === most ? least : `${least} or ${most}`} digits.`;
    }
  }
}

const FOURS = Array(10).fill(4);

/**
 * Writes a number in the groups that are printed on the card and keeps the caret behind its digit.
 * @param {string} text @param {number} caret
 */
export function formatNumber(text, caret) {
  const digits = digitsOf(text);
  const before = Math.min(digitsOf(text.slice(0, caret)).length, digits.length);
  const printed = networkOf(digits)?.printedGroups ?? [];
  const sizes = digits.length <= printed.reduce((sum, size) => sum + size, 0) ? printed : FOURS;
  let shown = "";
  let place = 0;
  let group = 0;
  let inGroup = 0;
  for (let index = 0; index < digits.length; index++) {
    if (group < sizes.length && inGroup === sizes[group]) {
      shown += " ";
      group++;
      inGroup = 0;
    }
    shown += digits[index];
    inGroup++;
    if (index + 1 === before) place = shown.length;
  }
  return { text: shown, caret: place };
}

/** Writes an expiry as `MM / YY` and keeps the caret. @param {string} text @param {number} caret */
export function formatExpiry(text, caret) {
  let digits = digitsOf(text).slice(0, 6);
  let before = Math.min(digitsOf(text.slice(0, caret)).length, digits.length);
  const month = Number(digits.slice(-2));
  if (digits.length === 6 && /^2[01]/.test(digits) && month >= 1 && month <= 12) {
    digits = digits.slice(-2) + digits.slice(0, 4); // pasted as 2030-12
    before = digits.length;
  } else if (/^[2-9]/.test(digits) || /^\D*1[/\uFF0F]/.test(text)) {
    digits = ("0" + digits).slice(0, 6);
    if (before) before = Math.min(before + 1, digits.length);
  }
  if (digits.length <= 2) return { text: digits, caret: before };
  return { text: `${digits.slice(0, 2)} / ${digits.slice(2)}`, caret: before <= 2 ? before : before + 3 };
}
