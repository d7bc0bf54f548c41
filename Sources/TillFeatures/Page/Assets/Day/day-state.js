// How the day stands, as the till says: read anew after each action, with each payment, and every few seconds for what
// other devices do.

import { ask, Refusal } from "./calls.js";
import { keepZone } from "./clock.js";
import { $ } from "./dom.js";
import { drawerKept } from "./drawer.js";
import { wordsOf } from "./frame.js";
import { putLinked } from "./links.js";
import { session as shared } from "./session.js";
import { sum } from "./sums.js";
import { say } from "./words.js";

const POLL_MS = 5_000;

/**
 * `session` is the one that is not closed, `last` the last Z; `isRead` whether the till has said so. `may` says what
 * whoever is signed in may do; `isMet` whether that is known.
 * @type {{isRead: boolean, isMet: boolean, session: any, last: any, may: (permission: string) => boolean,
 *   draw: () => void}}
 */
export const day = { isRead: false, isMet: false, session: null, last: null, may: () => false, draw() {} };

/** The answer that is shown, so that nothing is drawn anew while nothing changes. */
let known = "";
let isBusy = false;
/** Questions that have no answer yet. */
let pending = 0;
/** Counts the questions for the day, so that a late answer is no news. */
let asked = 0;

/** An amount in the drawer's currency. @param {number} minor */
export const of = (minor, currency = day.session?.currency ?? day.last?.currency ?? "EUR") => sum(minor, currency);

/** Puts a text into an element of the page; an empty one hides it. @param {string} id @param {string} words */
export function says(id, words) {
  putLinked($(id), words);
  $(id).hidden = !words;
}

/** Reads how the day stands, and shows it if it has changed. */
export async function refresh() {
  const mine = asked += 1;
  pending += 1;
  try {
    const drawer = drawerKept();
    const found = await ask("GET", drawer ? `/v1/day?drawer=${drawer}` : "/v1/day");
    if (mine !== asked) return;
    says("offline", "");
    const text = JSON.stringify(found);
    if (text === known) return;
    known = text;
    const { isRead, session } = day;
    keepZone(found.zone);
    Object.assign(day, { isRead: true, session: found.session, last: found.last });
    if (isRead && !isBusy && session?.id !== found.session?.id) {
      says("done", session ? say("day.closedElsewhere") : say("day.openedElsewhere"));
    }
    day.draw();
  } catch (error) {
    if (mine !== asked) return;
    if (!day.isRead) $("about").textContent = "";
    says("offline", wordsOf(error));
  } finally {
    pending -= 1;
  }
}

/** Reads it anew, unless that is about to be done. */
export function news() {
  if (!isBusy) refresh();
}

/** Keeps on reading while the page can be seen. */
export function keepReading() {
  setInterval(() => {
    if (!document.hidden && !isBusy && pending === 0) refresh();
  }, POLL_MS);
  for (const sign of ["online", "offline", "pageshow"]) addEventListener(sign, news);
}

/**
 * Does one thing at a time, and shows how the day stands then.
 * @param {() => Promise<any>} send @param {() => boolean} [isDone] Whether an action without an answer was done.
 * @returns {Promise<any>} What the till answered; null if nothing was done as far as is known.
 */
export async function perform(send, isDone = () => false) {
  if (isBusy) return null;
  isBusy = shared.busy = true;
  // What was asked for before says nothing about what is done now.
  asked += 1;
  says("alert", "");
  says("done", "");
  try {
    const answer = await send();
    says("alert", "");
    await refresh();
    return answer;
  } catch (error) {
    await refresh();
    if (!(error instanceof Refusal) && isDone()) return {};
    says("alert", error instanceof Refusal ? wordsOf(error) : say("day.notAnswered"));
    return null;
  } finally {
    isBusy = shared.busy = false;
  }
}
