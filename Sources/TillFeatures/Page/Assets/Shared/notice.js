// What the clerk reads: the large result, the alert above the form, and the fault beside a field. A payment that is
// named in it can be opened from it.

import { $ } from "./dom.js";
import { linked as linkedAt } from "./links.js";
import { picture } from "./pictures.js";
import { parts, plain } from "./words.js";

/** A text with a link to each payment that it names, on this page. @param {string} text */
export const linked = (text) => linkedAt(text, "#");

// Green, red and violet are the outcome of a payment, once the till says so: what is only said has none of them.
const GROUNDS = { good: "wait", wait: "wait" };

/**
 * Gives the whole stage the colour of an outcome: `paid`, `wait`, `unsure`, `stop`, `held`, empty for none, or `idle`
 * to show no stage. @param {string} name
 */
export function ground(name) {
  $("now").dataset.ground = name;
}

/**
 * @param {string} tone @param {string} headline @param {string} detail @param {boolean} [isBusy]
 * @param {string[]} [pictures] The names of the pictures beside it.
 */
export function show(tone, headline, detail, isBusy, pictures = []) {
  const result = $("result");
  ground(GROUNDS[tone] ?? "");
  result.dataset.tone = tone;
  if (isBusy) result.dataset.busy = "";
  else delete result.dataset.busy;
  if ($("headline").textContent !== headline) $("headline").textContent = headline;
  if ($("detail").textContent !== plain(detail)) $("detail").replaceChildren(...linked(detail));
  const beside = $("pictures");
  if (beside.dataset.names === pictures.join(" ")) return;
  beside.dataset.names = pictures.join(" ");
  beside.replaceChildren(...pictures.map(picture));
}

/** @param {string} text Empty to take the alert away. */
export function alertWith(text) {
  $("alert").replaceChildren(...linked(text));
  $("alert").hidden = !text;
}

/** Puts a fault beside a field; an empty one removes it. @returns {boolean} The clerk can see it. */
export function mark(id, fault) {
  const control = $(id);
  const place = $(control.getAttribute("aria-describedby").split(" ")[0]);
  if (!place || control.closest("[hidden]")) return false;
  place.replaceChildren(...parts(fault));
  if (fault) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
  return Boolean(fault);
}

export function clearFaults() {
  alertWith("");
  for (const control of document.querySelectorAll("[aria-invalid]")) mark(control.id, "");
  for (const place of document.querySelectorAll(".fault")) place.textContent = "";
}
