// Sums as people read them in their language.

import { decimal } from "./money.js";

const LANGUAGE = document.documentElement.lang || undefined;
const DIGITS = new Intl.NumberFormat(LANGUAGE);

/** Digits in the script of the language. @param {string} text */
const written = (text) => Array.from(text, (digit) => DIGITS.format(Number(digit))).join("");

/**
 * A sum as people read it; the digits are those of the minor units, never a fraction's.
 * @param {number} minor @param {string} currency
 * @param {"auto" | "exceptZero"} [signDisplay] Whether more than nothing has a sign as well.
 */
export function sum(minor, currency, signDisplay = "auto") {
  const [whole, fraction = ""] = decimal(Math.abs(minor), currency).split(".");
  const digits = { minimumFractionDigits: fraction.length, maximumFractionDigits: fraction.length };
  const parts = new Intl.NumberFormat(LANGUAGE, { style: "currency", currency, signDisplay, ...digits })
    .formatToParts(minor < 0 ? -1 : minor > 0 ? 1 : 0);
  const grouped = new Intl.NumberFormat(LANGUAGE).format(BigInt(whole));
  let isWritten = false;
  return parts.map(({ type, value }) => {
    if (type === "integer" && !isWritten) {
      isWritten = true;
      return grouped;
    }
    if (type === "integer" || type === "group") return "";
    if (type === "decimal") return fraction && value;
    return type === "fraction" ? written(fraction) : value;
  }).join("");
}
