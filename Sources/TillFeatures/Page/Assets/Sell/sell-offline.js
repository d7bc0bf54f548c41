// Whether the till can be reached. While it cannot, nothing is charged and nothing is queued: the sale stays in the
// form, and the page asks until there is an answer, then shows what happened meanwhile.

import { reactions } from "./calls.js";
import { clock } from "./clock.js";
import { $, make } from "./dom.js";
import { list } from "./latest.js";
import { ask } from "./requests.js";
import { session } from "./session.js";
import { refresh, render } from "./shown.js";
import { say } from "./words.js";

const ASK_EVERY_MS = 4_000;
/** An answer that comes sooner after none was on its way already, and says nothing of now. */
const SETTLE_MS = 1_000;
const timeOf = clock({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
let timer = 0;
let lostAt = -Infinity;

function show() {
  const dot = make("span", "", { className: `dot ${session.isOffline ? "stop" : "paid"}` });
  $("live").className = session.isOffline ? "live off" : "live";
  $("live").replaceChildren(dot, say(session.isOffline ? "top.offline" : "top.live"));
  $("offline").hidden = !session.isOffline;
  render();
}

/** Asks for what shows at once whether the till answers. */
async function tryAgain() {
  try {
    await ask("GET", "/v1/payments?limit=1");
  } catch {
    // An answer that says no is one; without any it is asked again.
  }
  if (session.isOffline) timer = setTimeout(tryAgain, ASK_EVERY_MS);
}

function lose() {
  lostAt = performance.now();
  if (session.isOffline) return;
  session.isOffline = true;
  $("offline-words").textContent = say("top.offlineSince", { time: timeOf(new Date()) });
  show();
  clearTimeout(timer);
  timer = setTimeout(tryAgain, ASK_EVERY_MS);
}

function regain() {
  if (!session.isOffline || performance.now() - lostAt < SETTLE_MS) return;
  session.isOffline = false;
  clearTimeout(timer);
  show();
  if ($("till").hidden) return;
  list();
  if (!session.busy) refresh();
}

reactions.unreached = lose;
reactions.reached = regain;
// What the device says of its network is a reason to ask, no more: the till may run on this machine.
for (const sign of ["offline", "online"]) {
  addEventListener(sign, () => {
    clearTimeout(timer);
    tryAgain();
  });
}
