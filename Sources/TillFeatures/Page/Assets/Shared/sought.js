// What somebody means by what was typed, pasted or scanned into a search.

/**
 * What the code on a receipt leads to: of the payment, with an end and a signature that are nobody's to see. They may
 * come behind a payment that was found before the scanner had typed all of it.
 */
const RECEIPT = /(?:^|\/r\/)(pay_[0-9a-z]{26})(?![0-9a-z])/;
/** Marks of direction, as a name has them that was copied from a page. */
const MARKS = /[\u200e\u200f\u061c\u2066-\u2069]/g;

/** A text as the till looks for it: for the address of a receipt its payment. @param {string} text */
export function sought(text) {
  const plain = text.replace(MARKS, "").trim();
  return RECEIPT.exec(plain)?.[1] ?? plain;
}
