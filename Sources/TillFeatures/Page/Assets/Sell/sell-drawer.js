// The cash drawer beside Cash: where an account has several, whoever sells sees which one the money belongs in.

import { $ } from "./dom.js";
import { drawerKept, FIRST } from "./drawer.js";
import { ask } from "./requests.js";
import { say } from "./words.js";

/** What the till has last said of the drawers. @type {{device: string | null, drawers: {drawer: string}[]}} */
let found = { device: null, drawers: [] };

function show() {
  const name = drawerKept() || found.device || FIRST;
  const isAlone = name === FIRST && found.drawers.every(({ drawer }) => drawer === FIRST);
  const words = isAlone ? "" : name === FIRST ? say("cash.intoFirst") : say("cash.intoDrawer", { name });
  // The same again would be read aloud again.
  if ($("cash-drawer").textContent !== words) $("cash-drawer").textContent = words;
  $("cash-drawer").hidden = isAlone;
}

/** Shows which drawer cash goes into, and reads whether there are others. */
export async function showDrawer() {
  show();
  try {
    found = await ask("GET", "/v1/day/drawers");
  } catch {
    return; // what is asked next says why; cash names its drawer all the same
  }
  show();
}

// Another tab of this device may have chosen another one meanwhile.
addEventListener("storage", show);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !$("till").hidden) showDrawer();
});
