// The page's views, and which of them the address names: the counter, whose address is the shown payment; what a person
// must review, whose address has its filter and the entry that is open; and the account of whoever is signed in.

import { $ } from "./dom.js";
import { may, whoIs } from "./session.js";

const REVIEW = "#attention";
const ACCOUNT = "#account";

/** Whether the address is that of what is to be reviewed. */
export const namesReview = () => location.hash === REVIEW || location.hash.startsWith(REVIEW + "?");

/** Whether it is that of somebody's own account. */
export const namesAccount = () => location.hash === ACCOUNT;

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
  const isElsewhere = isReview() || namesAccount();
  if (!isElsewhere && location.hash !== hash) history.replaceState(null, "", location.pathname + hash);
}

const VIEWS = { review: "attention-view", account: "account-view", counter: "counter-view" };

/** Shows the view that the address names. @returns {boolean} It is not the counter. */
export function showView() {
  const open = isReview() ? "review" : namesAccount() && whoIs() ? "account" : "counter";
  for (const [name, id] of Object.entries(VIEWS)) {
    $(id).hidden = name !== open;
    if (name === open) $("to-" + name).setAttribute("aria-current", "page");
    else $("to-" + name).removeAttribute("aria-current");
  }
  return open !== "counter";
}
