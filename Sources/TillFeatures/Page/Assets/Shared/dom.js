// The few words in which the page's scripts speak to the document.

/** @param {string} id @returns {any} The element of that id, which the page has. */
export const $ = (id) => document.getElementById(id);

/**
 * A new element with a text and properties.
 * @param {string} tag @param {string} text @param {object} [properties] @returns {any}
 */
export function make(tag, text, properties = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  return Object.assign(element, properties);
}

/** A control under its label. @param {string} label @param {HTMLElement} control */
export function field(label, control) {
  const box = make("div", "", { className: "field" });
  box.append(make("label", label, { htmlFor: control.id }), control);
  return box;
}

/** Names and values for a list of descriptions; a pair without a value is left out. @param {[string, any][]} pairs */
export const descriptions = (pairs) =>
  pairs.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", name), make("dd", value)]);

/** Gives a choice new options and keeps what was chosen, if it is still there. */
export function offer(choice, options) {
  const before = choice.value;
  choice.replaceChildren(...options);
  if (options.some((option) => option.value === before)) choice.value = before;
}
