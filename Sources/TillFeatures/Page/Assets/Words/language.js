// The choice of the page's language, where the page offers it.

import { make } from "./dom.js";
import { session } from "./session.js";
import { language, LANGUAGES, speak } from "./words.js";

/** @type {NodeListOf<HTMLSelectElement>} */
const choices = document.querySelectorAll("select.language");
for (const choice of choices) {
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([value, text]) =>
    make("option", text, { value, lang: value })));
  choice.value = language;
  choice.addEventListener("change", () => {
    // The page begins anew in the language: not while a payment is under way.
    if (session.busy) choice.value = language;
    else speak(choice.value);
  });
}
