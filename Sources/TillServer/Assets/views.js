// The page's two views, and which of them the address names: the counter, whose address is the shown payment, and what
// a person must review, whose address has its filter and the entry that is open.

import { $ } from "./dom.js";
import { may } from "./session.js";

const REVIEW = "#attention";

/** Whether the address is that of what is to be reviewed. */
export const namesReview = () => location.hash === REVIEW || location.hash.startsWith(REVIEW + "?");

export const isReview = () => may("review") && namesReview();

/** What stands in the address of the view, such as its filter. @returns {URLSearchParams} */
export const reviewState = () => new URLSearchParams(isReview() ? location.hash.slice(REVIEW.length + 1) : "");

/** The address of the view. @param {Record<string, string>} state What is empty is left out. */
export function reviewAddress(state) {
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value)).toString();
  return REVIEW + (query && "?" + query);
}

/** Puts the shown payment into the address, unless somebody is in the other view meanwhile. @param {string} hash */
export function keepAddress(hash) {
  if (!isReview() && location.hash !== hash) history.replaceState(null, "", location.pathname + hash);
}

/** Shows the view that the address names. @returns {boolean} It is the one for what is to be reviewed. */
export function showView() {
  const isOpen = isReview();
  $("attention-view").hidden = !isOpen;
  $("counter-view").hidden = isOpen;
  const [here, there] = isOpen ? ["to-review", "to-counter"] : ["to-counter", "to-review"];
  $(here).setAttribute("aria-current", "page");
  $(there).removeAttribute("aria-current");
  return isOpen;
}
