// Turns among the tabs of one browser, where it has no locks: it gives them to secure contexts only, and the address of
// a till on the shop's network without TLS is none. The tab that has the turn answers whoever asks for it; who hears no
// answer takes it. A tab says when it leaves, and one that was put to sleep or has crashed answers no more. Who has it
// is written down, so that the first tab does not wait and misses nothing meanwhile; that may be out of date, and is
// not relied on.
//
// Hidden tabs that give up what they do would be simpler, but windows beside each other are all visible, and the sixth
// connection of them would hang as before. So one tab acts for all, whichever it is. What it costs is that a tab that
// vanished without a word is missed after ASK_MS and the wait for an answer, and at once when somebody comes to a tab.

/** Nobody who is awake takes longer to answer. No less than streams.js has for whoever is not the first to read. */
const QUIET_MS = 1_000;
/** Tabs that wait for the same thing do not all act at once. */
const SPREAD_MS = 500;
/** How long whoever waits for the turn relies on the last answer. */
const ASK_MS = 5_000;

/** Whether a tab has written down that it has a turn, which it may have lost since. @param {string} slot */
function isWritten(slot) {
  try {
    return localStorage.getItem(slot) !== null;
  } catch {
    return true; // nobody knows
  }
}

/** Writes down who has a turn, or nobody after one that had it. @param {string} slot @param {string} id */
function write(slot, id, isOver = false) {
  try {
    if (!isOver) localStorage.setItem(slot, id);
    else if (localStorage.getItem(slot) === id) localStorage.removeItem(slot);
  } catch {
    return; // the next tab waits for an answer
  }
}

/** @typedef {"asks" | "has" | "takes" | "leaves"} Word What a tab does with the turn; it takes it by force. */

/**
 * Does something once it is this tab's turn: what `navigator.locks.request` does, as far as streams need it.
 * @template T
 * @param {string} name
 * @param {{signal?: AbortSignal, steal?: boolean}} options Ends the wait; takes the turn without a wait.
 * @param {() => Promise<T>} work What it does; the turn ends with it.
 * @returns {Promise<T>} Rejected when the wait was ended, and when another tab has the turn or this one sleeps, in
 *   which case the work must end.
 */
export function takeTurn(name, { signal, steal = false }, work) {
  return new Promise((resolve, reject) => {
    const slot = `${name}:turn`;
    const tabs = new BroadcastChannel(slot);
    // Two that have the turn settle it by their numbers.
    const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
    const over = new AbortController();
    const untilOver = { signal: over.signal };
    let hasTurn = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;

    /** @param {Word} word */
    function say(word) { tabs.postMessage({ word, from: id }); }

    /** @param {() => void} next @param {number} ms */
    function wait(next, ms) {
      clearTimeout(timer);
      timer = setTimeout(next, ms + Math.random() * SPREAD_MS);
    }

    function end() {
      clearTimeout(timer);
      over.abort();
      if (hasTurn) {
        write(slot, id, true);
        say("leaves");
      }
      hasTurn = false;
      tabs.close();
    }

    function refuse() {
      end();
      reject(new DOMException("The turn is another tab's.", "AbortError"));
    }

    function take() {
      hasTurn = true;
      write(slot, id);
      say(steal ? "takes" : "has");
      work().then(resolve, reject).finally(() => { if (!over.signal.aborted) end(); });
    }

    function ask() {
      say("asks");
      wait(take, QUIET_MS);
    }

    tabs.addEventListener("message", ({ data: { word, from } }) => {
      if (word === "asks") {
        if (hasTurn) say("has");
      } else if (word === "leaves") {
        if (!hasTurn) wait(take, 0);
      } else if (!hasTurn) {
        wait(ask, ASK_MS);
      } else if (word === "takes" || from < id) {
        // It is the other one's: nobody is told that it is free.
        hasTurn = false;
        refuse();
      } else {
        say("has");
      }
    });
    // Who sleeps lets another one act.
    function sleep() { if (hasTurn) refuse(); }
    addEventListener("pagehide", sleep, untilOver);
    document.addEventListener("freeze", sleep, untilOver);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // Two that have it find out.
      if (hasTurn) say("has");
      else ask();
    }, untilOver);
    signal?.addEventListener("abort", () => { if (!hasTurn) refuse(); }, untilOver);

    if (steal || !isWritten(slot)) take();
    else ask();
  });
}
