// What the card fields say, in the languages of the receipts. Each table has every text. `{name}` is filled in.

import { ARABIC, HEBREW, JAPANESE } from "./words-scripts.js";
import { FRENCH, ITALIAN, POLISH, SPANISH } from "./words-latin.js";

const ENGLISH = {
  title: "Card",
  number: "Card number",
  expires: "Expires",
  code: "Security code",
  dateShape: "MM/YY",
  codeDigits: "{count} digits",
  orOther: "{least} or {most}",
  pay: "Pay",
  order: "Order {order}",
  bankTitle: "Your bank",
  bankAsks: "Your bank asks you to confirm the payment.",
  bankLink: "Open the bank's page in a window of its own",
  numberMissing: "Enter the whole card number.",
  numberCharacters: "The card number has a character that is no digit.",
  numberShort: "The card number is too short: cards have at least {least} digits.",
  numberLong: "The card number is too long: cards have at most {most} digits.",
  numberCheckDigit: "Check the card number for a typing mistake: its check digit does not match.",
  numberRefused: "Check the card number: it is not accepted.",
  date: "Month and year, such as 12/30.",
  dateRefused: "Check the expiry date on the card.",
  expired: "The card has expired.",
  codeMissing: "Enter the security code.",
  codeCharacters: "The security code has a character that is no digit.",
  codeLength: "The security code must have {count} digits.",
  codeRefused: "Check the security code: it is not accepted.",
  paying: "Paying… Do not close this page.",
  bankResult: "One moment: the shop asks your bank for the result.",
  confirming: "Your payment is being confirmed.",
  paid: "Thank you. Your payment is confirmed.",
  declined: "The card was declined. Nothing was charged.",
  closed: "This payment is closed. Nothing was charged.",
  refunded: "This payment was given back in full.",
  unknown: "It is not known yet whether you have paid. Do not pay again: the shop will tell you.",
  unreachable: "The shop cannot be reached, so it cannot be said how this payment stands.",
  nothingCharged: "Nothing was charged.",
  notReady: "The card fields are not loaded.",
  removed: "The card fields were removed while they paid.",
  codes: {
    insufficient_funds: "The card was declined: not enough funds. Nothing was charged.",
    expired_card: "The card was declined: it has expired. Nothing was charged.",
    incorrect_cvc: "The security code was not accepted. Nothing was charged.",
    incorrect_number: "The card number was not accepted. Nothing was charged.",
    card_not_supported: "This card cannot be used here. Nothing was charged. Use another card.",
    invalid_amount: "The payment could not be made. Nothing was charged.",
    disputed: "The payment could not be made now. Do not pay again before the shop has checked it.",
    generic_decline: "The card was declined. Nothing was charged. Use another way to pay.",
    invalid_card: "The card was not accepted. Nothing was charged.",
    card_not_sent: "The card could not be charged at the moment. Nothing was charged. Try again.",
    card_session_over: "The time for typing the card is over. Nothing was charged for this card.",
    card_session_used_up: "Too many cards were tried here. Nothing was charged for this one.",
    payment_over: "No card can pay this any more.",
    card_fields_not_loaded: "The card fields could not be loaded. Nothing was charged. Please try again.",
    card_fields_unavailable: "The card fields cannot be shown at the moment. Nothing was charged.",
    card_fields_failed: "The card could not be read. Nothing was charged. Please try again.",
    challenge_canceled: "Your bank's question was not answered. Nothing is charged unless you confirm it there. "
      + "To pay with another card, try again here.",
  },
};

const GERMAN = {
  title: "Karte",
  number: "Kartennummer",
  expires: "Gültig bis",
  code: "Sicherheitscode",
  dateShape: "MM/JJ",
  codeDigits: "{count} Ziffern",
  orOther: "{least} oder {most}",
  pay: "Bezahlen",
  order: "Bestellung {order}",
  bankTitle: "Ihre Bank",
  bankAsks: "Ihre Bank bittet Sie, die Zahlung zu bestätigen.",
  bankLink: "Seite der Bank in einem eigenen Fenster öffnen",
  numberMissing: "Geben Sie die ganze Kartennummer ein.",
  numberCharacters: "Die Kartennummer enthält ein Zeichen, das keine Ziffer ist.",
  numberShort: "Die Kartennummer ist zu kurz: Karten haben mindestens {least} Ziffern.",
  numberLong: "Die Kartennummer ist zu lang: Karten haben höchstens {most} Ziffern.",
  numberCheckDigit: "Prüfen Sie die Kartennummer auf einen Tippfehler: Die Kontrollziffer stimmt nicht.",
  numberRefused: "Prüfen Sie die Kartennummer: Sie wird nicht angenommen.",
  date: "Monat und Jahr, zum Beispiel 12/30.",
  dateRefused: "Prüfen Sie das Ablaufdatum auf der Karte.",
  expired: "Die Karte ist abgelaufen.",
  codeMissing: "Geben Sie den Sicherheitscode ein.",
  codeCharacters: "Der Sicherheitscode enthält ein Zeichen, das keine Ziffer ist.",
  codeLength: "Der Sicherheitscode muss {count} Ziffern haben.",
  codeRefused: "Prüfen Sie den Sicherheitscode: Er wird nicht angenommen.",
  paying: "Die Zahlung läuft … Schließen Sie diese Seite nicht.",
  bankResult: "Einen Moment: Das Geschäft fragt Ihre Bank nach dem Ergebnis.",
  confirming: "Ihre Zahlung wird bestätigt.",
  paid: "Vielen Dank. Ihre Zahlung ist bestätigt.",
  declined: "Die Karte wurde abgelehnt. Es wurde nichts berechnet.",
  closed: "Diese Zahlung ist beendet. Es wurde nichts berechnet.",
  refunded: "Diese Zahlung wurde vollständig erstattet.",
  unknown: "Es steht noch nicht fest, ob Sie bezahlt haben. Bezahlen Sie nicht noch einmal: Das Geschäft sagt Ihnen "
    + "Bescheid.",
  unreachable: "Das Geschäft ist nicht erreichbar. Wie es um diese Zahlung steht, ist daher nicht bekannt.",
  nothingCharged: "Es wurde nichts berechnet.",
  notReady: "Die Kartenfelder sind nicht geladen.",
  removed: "Die Kartenfelder wurden während der Zahlung entfernt.",
  codes: {
    insufficient_funds: "Die Karte wurde abgelehnt: Die Deckung reicht nicht aus. Es wurde nichts berechnet.",
    expired_card: "Die Karte wurde abgelehnt: Sie ist abgelaufen. Es wurde nichts berechnet.",
    incorrect_cvc: "Der Sicherheitscode wurde nicht angenommen. Es wurde nichts berechnet.",
    incorrect_number: "Die Kartennummer wurde nicht angenommen. Es wurde nichts berechnet.",
    card_not_supported: "Diese Karte gilt hier nicht. Es wurde nichts berechnet. Nehmen Sie eine andere Karte.",
    invalid_amount: "Die Zahlung war nicht möglich. Es wurde nichts berechnet.",
    disputed: "Die Zahlung ist jetzt nicht möglich. Bezahlen Sie nicht noch einmal, bevor das Geschäft sie geprüft "
      + "hat.",
    generic_decline: "Die Karte wurde abgelehnt. Es wurde nichts berechnet. Bezahlen Sie auf andere Weise.",
    invalid_card: "Die Karte wurde nicht angenommen. Es wurde nichts berechnet.",
    card_not_sent: "Die Karte kann gerade nicht belastet werden. Es wurde nichts berechnet. Versuchen Sie es noch "
      + "einmal.",
    card_session_over: "Die Zeit für die Eingabe ist abgelaufen. Für diese Karte wurde nichts berechnet.",
    card_session_used_up: "Hier wurden zu viele Karten versucht. Für diese wurde nichts berechnet.",
    payment_over: "Dies kann mit keiner Karte mehr bezahlt werden.",
    card_fields_not_loaded: "Die Kartenfelder konnten nicht geladen werden. Es wurde nichts berechnet. Versuchen "
      + "Sie es noch einmal.",
    card_fields_unavailable: "Die Kartenfelder können gerade nicht angezeigt werden. Es wurde nichts berechnet.",
    card_fields_failed: "Die Karte konnte nicht gelesen werden. Es wurde nichts berechnet. Versuchen Sie es noch "
      + "einmal.",
    challenge_canceled: "Die Frage Ihrer Bank wurde nicht beantwortet. Berechnet wird nur, was Sie dort bestätigen. Um "
      + "mit einer anderen Karte zu bezahlen, versuchen Sie es hier noch einmal.",
  },
};

/** The tables by language, English first. */
export const TABLES = {
  en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, it: ITALIAN, pl: POLISH, ja: JAPANESE, ar: ARABIC, he: HEBREW,
};
/** Reasons for which a table has the words of another one. */
const SAME = {
  invalid_request: "invalid_amount", already_captured: "disputed", already_refunded: "disputed",
  nothing_left: "disputed", not_enabled: "invalid_amount",
};

/** The tag that the counter chose for this frame, such as `fr-CA`, and its language. */
export const tag = globalThis.document?.documentElement.lang || "en";
export const language = tag.split("-")[0];
const words = TABLES[language] ?? ENGLISH;

/** A text. @param {string} name @param {Record<string, string | number>} [values] What is filled in. */
export function text(name, values = {}) {
  const found = words[name] ?? ENGLISH[name];
  return found.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

/** The sentence for a code of the counter's or of the fields; null if there is none. @param {unknown} code */
export function sentence(code) {
  const known = SAME[code] ?? code;
  if (!Object.hasOwn(ENGLISH.codes, known)) return null;
  return words.codes[known] ?? ENGLISH.codes[known];
}

/**
 * An amount as the language writes it. The counter knows how many decimals its currency has, and Intl may not.
 * @param {{amount_text: string, currency: string}} payment
 */
export function amount({ amount_text: counted, currency }) {
  const [, number, decimals = ""] = counted.match(/^(-?\d+(?:\.(\d+))?) /) ?? [];
  if (!number) return counted;
  try {
    return new Intl.NumberFormat(tag, {
      style: "currency", currency, minimumFractionDigits: decimals.length, maximumFractionDigits: decimals.length,
    }).format(Number(number));
  } catch {
    return counted;
  }
}

/** A part of a line that is written in its own direction. @param {string} part */
export const isolated = (part) => `\u2068${part}\u2069`;
