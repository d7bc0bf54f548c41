// What is said of a payment leads to it: wherever a text names one by its identifier, the identifier is a link.

import { make } from "./dom.js";
import { parts } from "./words.js";

const PAYMENT = /(pay_[0-9a-z]{26})(?![0-9a-z-])/;

/** @param {string} text @param {string} at */
const links = (text, at) =>
  text.split(PAYMENT).map((part, index) => (index % 2 ? make("a", part, { href: at + part }) : part));

/**
 * A text for the document, with a link to each payment that it names.
 * @param {string} text @param {string} at What stands before the identifier in the address of a payment.
 * @returns {(Node | string)[]}
 */
export const linked = (text, at) => parts(text).flatMap((part) => {
  if (typeof part === "string") return links(part, at);
  part.replaceChildren(...links(part.textContent ?? "", at));
  return part;
});

/**
 * Puts a text into an element, with a link to the page of each payment that it names. It is one part of the element,
 * whatever is marked and linked in it: the parts of a banner stand side by side.
 * @param {HTMLElement} element @param {string} text Empty to take away what is there.
 */
export function putLinked(element, text) {
  const line = make("span", "");
  line.append(...linked(text, "/payments/"));
  element.replaceChildren(...(text ? [line] : []));
}
