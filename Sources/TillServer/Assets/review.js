// The question before something that cannot be undone. The key that asked never answers: the focus is on "Back", and
// the button that sends names the amount.

import { $, descriptions } from "./dom.js";

/** The second half of a double click falls into this time and sends nothing. */
const SETTLE_MS = 400;

/**
 * @param {{title: string, words: string, facts: [string, any][], send: string}} question
 * @returns {Promise<boolean>} The clerk wants it.
 */
export function review({ title, words, facts, send }) {
  const dialog = $("review");
  $("review-title").textContent = title;
  $("review-words").textContent = words;
  $("review-facts").replaceChildren(...descriptions(facts));
  $("review-send").textContent = send;
  $("review-send").disabled = true;
  setTimeout(() => { $("review-send").disabled = false; }, SETTLE_MS);
  dialog.returnValue = "";
  dialog.showModal();
  $("review-back").focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "send"), { once: true });
  });
}

$("review-back").addEventListener("click", () => $("review").close(""));
$("review-send").addEventListener("click", () => $("review").close("send"));
