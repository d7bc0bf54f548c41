// Signing in, with the code of a start address or with a key, and signing out.

import { $ } from "./dom.js";
import { explainGate, openGate, shutGate } from "./gate.js";
import { alertWith } from "./notice.js";
import { admit, ask, isKept, Refusal, sentencesOf } from "./requests.js";
import { say } from "./words.js";

const START = "start=";
const SPENT = say("session.spent");
const SIGNED_IN = say("session.already");
const UNREACHED = say("session.unreached");

/** Why somebody was not signed in. @param {unknown} error @param {string} [refused] What a refusal means here. */
export function reason(error, refused) {
  if (!(error instanceof Refusal)) return UNREACHED;
  return error.status === 401 && refused ? refused : sentencesOf(error).join(" ");
}

/**
 * Signs in with the code in the address, if there is one. The code leaves the address first, so that it is in no
 * bookmark and is not sent again by a reload.
 */
async function useStartCode() {
  const hash = location.hash.slice(1);
  if (!hash.startsWith(START)) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await ask("POST", "/session", JSON.stringify({ start_code: hash.slice(START.length) }));
  } catch (error) {
    const words = reason(error, SPENT);
    // Whoever has a session already continues with it.
    if (!$("session").hidden) shutGate(words);
    else if (!$("till").hidden) alertWith(`${words} ${SIGNED_IN}`);
    else explainGate(words);
    return `${words} ${SIGNED_IN}`;
  }
}

/** Done when the page's start code was used; what was said against it. */
export const admitted = useStartCode();
admit(admitted);

$("session-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const key = $("key").value;
  if (!key) return;
  try {
    await ask("POST", "/session", JSON.stringify({ key }));
    $("key").value = "";
    openGate();
  } catch (error) {
    shutGate(reason(error, say("session.keyRefused")));
    $("key").focus();
  }
});

$("sign-out").addEventListener("click", async () => {
  try {
    await ask("DELETE", "/session");
  } catch (error) {
    alertWith(error instanceof Refusal ? sentencesOf(error).join(" ")
      : say("session.stillIn"));
    return;
  }
  // What was asked for and never answered is shown to whoever signs in next; nothing else stays.
  for (const name of Object.keys(sessionStorage)) if (!isKept(name)) sessionStorage.removeItem(name);
  location.replace("/");
});
window.addEventListener("hashchange", async () => {
  if (!location.hash.startsWith("#" + START) || await useStartCode()) return;
  // What another session showed is not this one's; what was typed before one ended is.
  if ($("till").hidden) openGate();
  else location.reload();
});
