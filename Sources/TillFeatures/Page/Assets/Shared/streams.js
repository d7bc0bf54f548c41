// The till's streams of events, read as they come: every kind of them, which an EventSource would have to be told by
// name. A browser opens at most six connections to one host, so its tabs share a stream: the tab that holds its lock
// reads it and passes on what comes. When that tab goes, one that waits for the lock goes on after the last event.
// Where a browser has no locks, as on an address without TLS, the tabs agree on whose turn it is (turns.js); where it
// has no channels between tabs either, each reads for itself.

import { isAlone } from "./calls.js";
import { takeTurn } from "./turns.js";

const NAME = "till.stream:";
const RECONNECT_MS = 3_000;
/** The till says something every 15 s at least: a line that says nothing for so long is lost. */
const BROKEN_MS = 45_000;
/** So does the tab that reads: one that says nothing for so long was put to sleep with its lock. */
const ASLEEP_MS = 60_000;
const CHECK_MS = 5_000;
/** Whoever got the lock later than this was not the first to read. */
const PROMPT_MS = 1_000;
/** The most characters of an event that has not ended yet. */
const MOST_PENDING = 8_000_000;

const canShare = "BroadcastChannel" in globalThis;
/** @type {<T>(name: string, options: {signal?: AbortSignal, steal?: boolean}, work: () => Promise<T>) => Promise<T>} */
const whenItsTurn = "locks" in navigator
  ? (name, options, work) => navigator.locks.request(name, options, work) : takeTurn;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * What a page does about a stream.
 * @typedef {object} Follower
 * @property {(fields: Record<string, string>) => void} each Told of each event: `event`, `data` and `id`.
 * @property {() => void} missed Told when events may have been missed.
 * @property {() => void} [begun] Told when the first event would be heard: what the page has read may be older.
 * @property {(isLive: boolean) => void} [live] Told when the line is there, and when it is lost.
 * @property {() => unknown} [shut] Told that there is no session.
 * @property {() => Promise<unknown>} [ready] Done when there is a session, as far as the page knows.
 */

/**
 * What the tab that reads tells the others; empty for a sign of life. A tab that has just come says `isNew`.
 * @typedef {{fields?: Record<string, string>, isLive?: boolean, isMissed?: boolean, last?: string,
 *   isNew?: boolean}} Message
 */

/**
 * Follows a stream for as long as the page is there.
 * @param {string} path @param {Follower} follower
 */
export async function follow(
  path, { each, missed, begun = () => {}, live = () => {}, shut = () => {}, ready = async () => {} }
) {
  let tabs = canShare ? new BroadcastChannel(NAME + path) : null;
  let last = "";
  let wasLost = false;
  let wasLive = false;
  let isReading = false;
  /** When the tab that reads has said something. */
  let heardAt = 0;

  /** @param {Message} message */
  function take(message) {
    if (message.last) last ||= message.last;
    if (message.fields?.id) last = message.fields.id;
    if (message.fields) each(message.fields);
    if (message.isLive !== undefined) live(message.isLive);
    if (message.isLive && !wasLive) {
      wasLive = true;
      begun();
    }
    if (message.isMissed) missed();
  }

  /** Takes what this tab has read, and passes it on. @param {Message} message */
  function tell(message) {
    tabs?.postMessage(message);
    take(message);
  }

  /** @param {AbortController} line @returns {Promise<boolean>} Whether there is a session. */
  async function lead(line) {
    try {
      return await read(path, last, line, {
        begun() {
          isReading = true;
          tell({ isLive: true });
          // A stream that goes on after no event begins with what happens now.
          if (wasLost && !last) tell({ isMissed: true });
        },
        each(fields) { tell({ fields }); },
        heard() { tabs?.postMessage({}); },
      });
    } finally {
      isReading = false;
    }
  }

  /**
   * Reads when it is this tab's turn, which it also is when the one that reads is asleep.
   * @returns {Promise<"lost" | "shut" | "taken">} What ended it: another tab may have taken this one for asleep.
   */
  async function inTurn() {
    const [line, patience] = [new AbortController(), new AbortController()];
    let state = "waiting";
    const since = heardAt = performance.now();
    const watch = setInterval(() => {
      if (!document.hidden && performance.now() - heardAt > ASLEEP_MS) patience.abort();
    }, CHECK_MS);
    async function begin() {
      clearInterval(watch);
      state = "reading";
      wasLost ||= performance.now() - since > PROMPT_MS;
      try {
        return await lead(line) ? "lost" : "shut";
      } catch {
        return "lost";
      } finally {
        state = "over";
      }
    }
    try {
      if (!tabs) return await begin();
      return await whenItsTurn(NAME + path, { signal: patience.signal }, begin);
    } catch {
      if (state !== "waiting") return "taken";
      if (patience.signal.aborted) return await whenItsTurn(NAME + path, { steal: true }, begin);
      // The browser gives this page no locks.
      tabs.close();
      tabs = null;
      return await begin();
    } finally {
      clearInterval(watch);
      line.abort();
    }
  }

  tabs?.addEventListener("message", ({ data }) => {
    if (!data.isNew) {
      heardAt = performance.now();
      take(data);
    } else if (isReading) {
      tabs.postMessage({ isLive: true, last });
    }
  });
  tabs?.postMessage({ isNew: true });
  for (;;) {
    await ready();
    // A lock that was taken by force may be taken again.
    const end = await inTurn().catch(() => "taken");
    if (end !== "taken") {
      wasLost = true;
      tell({ isLive: false, isMissed: !last });
    }
    if (end === "shut") await shut();
    await pause(RECONNECT_MS);
  }
}

/** @param {string} block The lines of an event. @returns {Record<string, string>} */
const fieldsOf = (block) => Object.fromEntries(block.split("\n").map((line) => {
  const at = line.indexOf(":");
  return [line.slice(0, at), line.slice(at + 1).trim()];
}));

/**
 * Reads a stream to its end.
 * @param {string} path @param {string} last The last event that was read; empty for none.
 * @param {AbortController} line What ends it from here.
 * @param {{begun: () => void, each: (fields: Record<string, string>) => void, heard: () => void}} told
 * @returns {Promise<boolean>} Whether there is a session.
 */
async function read(path, last, line, { begun, each, heard }) {
  /** @type {Record<string, string>} */
  const headers = { "X-Till-Page": "1", Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
  if (isAlone()) headers["X-Till-Alone"] = "1";
  let heardAt = performance.now();
  const watch = setInterval(() => {
    if (performance.now() - heardAt > BROKEN_MS) line.abort();
  }, CHECK_MS);
  try {
    const answer = await fetch(path, { headers, credentials: "same-origin", cache: "no-store", signal: line.signal });
    if (answer.status === 401) return false;
    if (!answer.ok || !answer.body) throw new Error(String(answer.status));
    begun();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return true;
      heardAt = performance.now();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      if (rest.length > MOST_PENDING) throw new Error("The event is too long.");
      const events = blocks.map(fieldsOf).filter((fields) => fields.event);
      events.forEach(each);
      if (events.length === 0) heard();
    }
  } finally {
    clearInterval(watch);
    // Whatever ended it, the connection is given back.
    line.abort();
  }
}
