// Whether the page shows the till, or asks to sign in. Without a session nothing of the till is seen: what stands there
// may be somebody else's, or out of date. It stays in the page, with what was typed, for when somebody signs in again.

import { $ } from "./dom.js";
import { parts, say } from "./words.js";

const ENDED = say("session.ended");
let wasOpen = false;
/** Somebody is choosing how they sign in; until that is done the page shows nothing else. */
let isInvited = false;

/** Shows the till. Those who wait for a session are notified. */
export function openGate() {
  if (isInvited) return;
  wasOpen = true;
  const wasShut = !$("session").hidden || !$("person").hidden;
  $("session").hidden = $("person").hidden = true;
  $("till").hidden = $("main-nav").hidden = $("top-bar").hidden = false;
  if (wasShut) document.dispatchEvent(new Event("till:signed-in"));
}

/** What is said when the page asks to sign in, if it does. @param {string} why */
export function explainGate(why) {
  $("session-why").replaceChildren(...parts(why));
}

/** Asks for somebody's PIN in place of the till: the device itself is signed in. */
export function lockGate() {
  if (isInvited) return;
  const wasLocked = !$("person").hidden;
  hideTill();
  $("session").hidden = true;
  $("person").hidden = false;
  if (!wasLocked) document.dispatchEvent(new Event("till:locked"));
}

function hideTill() {
  // Whichever it is: a question would stay above what asks to sign in, which nobody could use then.
  for (const dialog of document.querySelectorAll("dialog")) if (dialog.open) dialog.close("");
  $("till").hidden = $("main-nav").hidden = $("top-bar").hidden = $("results").hidden = true;
}

/** Shows what to do to sign in, in place of the till. @param {string} [why] */
export function shutGate(why) {
  if (isInvited) return;
  const wasShut = !$("session").hidden;
  hideTill();
  $("person").hidden = true;
  $("session").hidden = false;
  if (why) explainGate(why);
  else if (!wasShut && wasOpen) explainGate(ENDED);
  $("session-why").hidden = !$("session-why").textContent;
  if (!wasShut) $("office-name").focus();
}

/** Has somebody choose how they sign in, in place of everything else. */
export function inviteGate() {
  isInvited = true;
  hideTill();
  $("session").hidden = $("person").hidden = true;
  $("invited").hidden = false;
}
