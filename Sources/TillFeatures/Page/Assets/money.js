// Money: text to minor units and back, without ever computing with fractions.

// Decimal places by ISO 4217, where they are not two.
const PLACES = {
  BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0, VUV: 0,
  XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4,
};

export const CURRENCIES = [
  "EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "CAD", "AUD", "NZD", "JPY", "KWD", "BHD", "SGD", "HKD",
  "INR", "BRL", "MXN", "ZAR",
];

const places = (currency) => PLACES[currency] ?? 2;

/**
 * @param {string} text @param {string} currency
 * @returns {{value?: number, fault?: string}} Minor units, or what is wrong with the text.
 */
export function minorUnits(text, currency) {
  const match = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim());
  if (!match) return { fault: "Write digits with at most one point, such as 12.50." };
  const fraction = match[2] ?? "";
  const digits = places(currency);
  if (fraction.length > digits) {
    return { fault: digits ? `${currency} has ${digits} decimal places.` : `${currency} has no decimal places.` };
  }
  const value = Number(match[1] + fraction.padEnd(digits, "0"));
  if (!Number.isSafeInteger(value)) return { fault: "That is too much." };
  return value > 0 ? { value } : { fault: "It must be more than zero." };
}

/** @param {number} minor @param {string} currency */
export function decimal(minor, currency) {
  const digits = places(currency);
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
  return (minor < 0 ? "-" : "") + whole;
}

/** @param {number} minor @param {string} currency */
export const money = (minor, currency) => `${decimal(minor, currency)} ${currency}`;
