// Digits as people type them, in any script. The same rules as the till's own TypedDigits.

const MOST_DIGITS = 40;
const MOST_CHARACTERS = 512;

/** A decimal digit of any script as 0…9, -1 for anything else. Digits stand in runs of ten in Unicode. */
export function digitValue(character) {
  const point = character.codePointAt(0);
  if (point < 128) return point >= 48 && point <= 57 ? point - 48 : -1;
  if (!/\p{Nd}/u.test(character)) return -1;
  let first = point;
  while (first > 0 && /\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return (point - first) % 10;
}

/** The digits of a text as ASCII digits; everything else is left out. @param {string} text */
export const digitsOf = (text) =>
  Array.from(text).slice(0, MOST_CHARACTERS).map(digitValue).filter((value) => value >= 0)
    .slice(0, MOST_DIGITS).join("");

const isSeparator = (character) =>
  character.codePointAt(0) < 128 ? " -.\t".includes(character) : /[\p{White_Space}\p{Dash}\u00B7]/u.test(character);

/** The digits of a text that holds nothing but digits and what people put between them; null for others. */
export function strictDigits(text) {
  let digits = "";
  for (const character of Array.from(text).slice(0, MOST_CHARACTERS + 1)) {
    const value = digitValue(character);
    if (value >= 0) digits += value;
    else if (!isSeparator(character)) return null;
  }
  return digits;
}
