// Money: text to minor units and back, without ever computing with fractions.

import { digitValue } from "./typed-digits.js";
import { say, sum } from "./words.js";

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

/** The decimal point of Arabic digits, and that of full width. */
const POINTS = ["\u066B", "\uFF0E"];

/** A number in the digits of any script as one in ASCII. @param {string} text */
const ascii = (text) => Array.from(text, (character) => {
  const value = digitValue(character);
  return value >= 0 ? String(value) : POINTS.includes(character) ? "." : character;
}).join("");

/**
 * @param {string} text @param {string} currency
 * @returns {{value?: number, fault?: string}} Minor units, or what is wrong with the text.
 */
export function minorUnits(text, currency) {
  const match = /^(\d{1,12})(?:[.,](\d+))?$/.exec(ascii(text.trim()));
  if (!match) return { fault: say("fault.digits") };
  const fraction = match[2] ?? "";
  const digits = places(currency);
  if (fraction.length > digits) {
    return { fault: say(digits ? "fault.places" : "fault.noPlaces", { currency, count: digits }) };
  }
  const value = Number(match[1] + fraction.padEnd(digits, "0"));
  if (!Number.isSafeInteger(value)) return { fault: say("fault.tooMuch") };
  return value > 0 ? { value } : { fault: say("fault.zero") };
}

/** @param {number} minor @param {string} currency */
export function decimal(minor, currency) {
  const digits = places(currency);
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
  return (minor < 0 ? "-" : "") + whole;
}

/** A sum to be read, in the language of the page. @param {number} minor @param {string} currency */
export const money = (minor, currency) =>
  sum(decimal(minor, currency), currency, places(currency)) ?? `${decimal(minor, currency)} ${currency}`;
