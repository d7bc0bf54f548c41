// What the pages of the back office share: whoever is not signed in is sent to do so and comes back, who it is stands
// at the top, F2 leads to the search, and the till's events come in as they happen.

import { actAs, ask, isAlone, reactions, Refusal, sentencesOf } from "./calls.js";
import { $, make } from "./dom.js";
import "./unfinished.js";

const BACK = "till.back";
const NEWS_MS = 1_000;
const RECONNECT_MS = 3_000;
const UNREACHED = "The till cannot be reached. What is shown may be out of date.";

/** Without a session nothing of the till is seen; somebody signs in elsewhere and comes back here. */
function leave() {
  document.body.hidden = true;
  sessionStorage.setItem(BACK, location.pathname + location.search);
  location.replace("/");
}
reactions.shut = reactions.lock = leave;

/** What an error tells whoever reads the page. @param {unknown} error */
export function wordsOf(error) {
  if (!(error instanceof Refusal)) return UNREACHED;
  return error.status === 401 ? "" : sentencesOf(error).join(" ");
}

/** Shows who is signed in. @param {(may: (permission: string) => boolean, answer: any) => void} [known] */
export async function showPerson(known) {
  try {
    const answer = await ask("GET", "/session/person");
    const { person } = answer;
    actAs(person?.id);
    $("who").textContent = person ? `${person.name}, ${person.role.name}` : "";
    $("who").hidden = !person;
    known?.((permission) => !person || person.role.permissions.includes(permission), answer);
  } catch {
    return; // what is asked next says why
  }
}

addEventListener("keydown", (event) => {
  if (event.key !== "F2" || event.defaultPrevented) return;
  event.preventDefault();
  $("q").focus();
  $("q").select();
});
// The pages' policy lets no form go anywhere by itself; the list of payments searches where it is.
addEventListener("submit", (event) => {
  if (event.target !== $("find") || event.defaultPrevented) return;
  event.preventDefault();
  location.assign(`/payments?q=${encodeURIComponent($("q").value.trim())}&period=all`);
});

function live(isLive) {
  const dot = make("span", "", { className: `dot ${isLive ? "paid" : "stop"}` });
  $("live").className = isLive ? "live" : "live off";
  $("live").replaceChildren(dot, isLive ? "Live" : "Offline");
}

const EVENTS = ["payment", "attempt", "capture", "refund", "void", "operation", "dispute", "renewal", "continuation"];

/**
 * Reads the till's events as they come; every kind of them, which an EventSource would have to be told by name.
 * @param {(changed: Map<string, boolean>) => void} follow Told which payments changed, and whether each is new.
 * @param {() => void} missed Told when events may have been missed.
 */
export async function listen(follow, missed) {
  /** @type {Map<string, boolean>} */
  let changed = new Map();
  setInterval(() => {
    if (changed.size === 0) return;
    const now = changed;
    changed = new Map();
    follow(now);
  }, NEWS_MS);
  let last = "";
  for (;;) {
    try {
      await read((fields) => {
        if (fields.id) last = fields.id;
        if (!EVENTS.includes(String(fields.event ?? "").split(".")[0])) return;
        const id = JSON.parse(fields.data ?? "{}").payment;
        if (id) changed.set(id, changed.get(id) || fields.event === "payment.created");
      }, last);
    } catch {
      // said below
    }
    live(false);
    if (!last) missed();
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

/** @param {(fields: Record<string, string>) => void} each @param {string} last The last event that was read. */
async function read(each, last) {
  /** @type {Record<string, string>} */
  const headers = { "X-Till-Page": "1", Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
  if (isAlone()) headers["X-Till-Alone"] = "1";
  const answer = await fetch("/v1/events", { headers, credentials: "same-origin", cache: "no-store" });
  if (answer.status === 401) leave();
  if (!answer.ok || !answer.body) throw new Error(String(answer.status));
  live(true);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      each(Object.fromEntries(block.split("\n").map((line) => {
        const at = line.indexOf(":");
        return [line.slice(0, at), line.slice(at + 1).trim()];
      })));
    }
  }
}
