// The till's streams of events, read as they come: every kind of them, which an EventSource would have to be told by
// name. A line that was lost is taken up again after the last event.

import { isAlone } from "./calls.js";

const RECONNECT_MS = 3_000;
/** The till says something every 15 s at least: a line that says nothing for so long is lost. */
const BROKEN_MS = 45_000;
const CHECK_MS = 5_000;
/** The most characters of an event that has not ended yet. */
const MOST_PENDING = 8_000_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * What a page does about a stream.
 * @typedef {object} Follower
 * @property {(fields: Record<string, string>) => void} each Told of each event: `event`, `data` and `id`.
 * @property {() => void} missed Told when events may have been missed.
 * @property {(isLive: boolean) => void} [live] Told when the line is there, and when it is lost.
 * @property {() => unknown} [shut] Told that there is no session.
 * @property {() => Promise<unknown>} [ready] Done when there is a session, as far as the page knows.
 */

/**
 * Follows a stream for as long as the page is there.
 * @param {string} path @param {Follower} follower
 */
export async function follow(path, { each, missed, live = () => {}, shut = () => {}, ready = async () => {} }) {
  let last = "";
  let wasLost = false;
  for (;;) {
    await ready();
    let isShut = false;
    try {
      isShut = !(await read(path, last, new AbortController(), {
        begun() {
          live(true);
          // A stream that goes on after no event begins with what happens now.
          if (wasLost && !last) missed();
        },
        each(fields) {
          if (fields.id) last = fields.id;
          each(fields);
        },
      }));
    } catch {
      // said below
    }
    wasLost = true;
    if (isShut) await shut();
    live(false);
    if (!last) missed();
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
 * @param {{begun: () => void, each: (fields: Record<string, string>) => void}} told
 * @returns {Promise<boolean>} Whether there is a session.
 */
async function read(path, last, line, { begun, each }) {
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
      for (const fields of blocks.map(fieldsOf)) if (fields.event) each(fields);
    }
  } finally {
    clearInterval(watch);
    // Whatever ended it, the connection is given back.
    line.abort();
  }
}
