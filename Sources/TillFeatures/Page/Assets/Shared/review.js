// The question before something that cannot be undone. The key that asked never answers: the focus is on "Back", and
// the button that sends names the amount.

import { questions } from "./dialog.js";
import { $, descriptions } from "./dom.js";
import { parts } from "./words.js";

/** The second half of a double click falls into this time and sends nothing. */
const SETTLE_MS = 400;
const asked = questions($("review"));
let settling = 0;

/**
 * @param {{title: string, words: string, facts: [string, any][], send: string}} question
 * @returns {Promise<boolean>} The clerk wants it.
 */
export async function review({ title, words, facts, send }) {
  $("review-title").textContent = title;
  $("review-words").replaceChildren(...parts(words));
  $("review-facts").replaceChildren(...descriptions(facts));
  $("review-send").textContent = send;
  $("review-send").disabled = true;
  clearTimeout(settling);
  settling = setTimeout(() => { $("review-send").disabled = false; }, SETTLE_MS);
  const answer = asked.begin();
  $("review-back").focus();
  return await answer === "send";
}

$("review-back").addEventListener("click", () => asked.end(""));
$("review-send").addEventListener("click", () => asked.end("send"));
