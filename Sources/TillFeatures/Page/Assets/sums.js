// Sums as people read them in their language.

import { decimal } from "./money.js";

const LANGUAGE = document.documentElement.lang || undefined;

/** A sum as people read it; the digits are those of the minor units, never a fraction's. */
export function sum(minor, currency) {
  const [whole, fraction = ""] = decimal(Math.abs(minor), currency).split(".");
  const digits = { minimumFractionDigits: fraction.length, maximumFractionDigits: fraction.length };
  const parts = new Intl.NumberFormat(LANGUAGE, { style: "currency", currency, ...digits })
    .formatToParts(minor < 0 ? -1 : 1);
  const grouped = new Intl.NumberFormat(LANGUAGE).format(BigInt(whole));
  let isWritten = false;
  return parts.map(({ type, value }) => {
    if (type === "integer" && !isWritten) {
      isWritten = true;
      return grouped;
    }
    if (type === "integer" || type === "group") return "";
    if (type === "decimal") return fraction && value;
    return type === "fraction" ? fraction : value;
  }).join("");
}
