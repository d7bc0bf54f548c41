// What the pages of the back office share: whoever is not signed in is sent to do so and comes back, who it is stands
// at the top beside the way out, F2 leads to the search, and the till's events come in as they happen.

import { actAs, ask, isAlone, isKept, reactions, Refusal, sentencesOf } from "./calls.js";
import { $, make } from "./dom.js";
import "./unfinished.js";
import { say } from "./words.js";

const BACK = "till.back";
const NEWS_MS = 1_000;
const RECONNECT_MS = 3_000;
const COUNT_MS = 60_000;
/** Payments that one answer lists at most. */
const MOST_LISTED = 500;
const STILL_IN = "The till cannot be reached. You are still signed in.";
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

// ---- Who is signed in, the way out, and what waits for them

/** The staff shares this device, so that it is locked and not signed out. */
let isShared = false;

async function goOut() {
  try {
    await ask("DELETE", isShared ? "/session/person" : "/session");
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return leave();
    $("alert").textContent = error instanceof Refusal ? sentencesOf(error).join(" ") : STILL_IN;
    $("alert").hidden = false;
    return;
  }
  if (isShared) return leave();
  // What was asked for and never answered is shown to whoever signs in next; nothing else stays.
  for (const name of Object.keys(sessionStorage)) if (!isKept(name)) sessionStorage.removeItem(name);
  document.body.hidden = true;
  location.replace("/");
}

function offerWayOut({ person, personal }) {
  isShared = Boolean(person) && !personal;
  if (!$("way-out")) {
    const button = make("button", "", { id: "way-out", type: "button", className: "button plain dense" });
    button.addEventListener("click", goOut);
    $("who").after(button);
  }
  $("way-out").textContent = isShared ? "Lock or switch" : "Sign out";
}

let mayReview = false;
let counting = 0;

/** Says at the link to "Attention" how much is open. */
async function count() {
  clearTimeout(counting);
  counting = setTimeout(count, COUNT_MS);
  const link = document.querySelector(".rail a[href='/#attention']");
  if (!link) return;
  if (!$("attention-count")) {
    link.append(make("span", "", { id: "attention-count", className: "count due", hidden: true }));
  }
  if (!mayReview) {
    $("attention-count").hidden = true;
    return;
  }
  try {
    const [{ attention, incidents, incidents_open: all }, { breaks }] = await Promise.all([
      ask("GET", `/v1/attention?limit=${MOST_LISTED}`), ask("GET", "/v1/reconciliation"),
    ]);
    // What does not match a statement is an incident, too, and counted once.
    const open = attention.length + incidents.filter(({ kind }) => kind !== "statement").length + breaks.length;
    const isMore = all > incidents.length || attention.length >= MOST_LISTED;
    const text = isMore ? `${open}+` : String(open);
    $("attention-count").replaceChildren(text, make("span", " open", { className: "only-sr" }));
    $("attention-count").hidden = open === 0;
  } catch {
    return; // it is asked again
  }
}

/** Shows who is signed in. @param {(may: (permission: string) => boolean, answer: any) => void} [known] */
export async function showPerson(known) {
  try {
    const answer = await ask("GET", "/session/person");
    const { person } = answer;
    actAs(person?.id);
    $("who").textContent = person ? `${person.name}, ${person.role.name}` : "";
    $("who").hidden = !person;
    const may = (permission) => !person || person.role.permissions.includes(permission);
    offerWayOut(answer);
    if (mayReview !== may("review") || !counting) {
      mayReview = may("review");
      count();
    }
    known?.(may, answer);
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
  $("live").replaceChildren(dot, say(isLive ? "top.live" : "top.offline"));
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
  let wasLost = false;
  for (;;) {
    try {
      await read((fields) => {
        if (fields.id) last = fields.id;
        if (!EVENTS.includes(String(fields.event ?? "").split(".")[0])) return;
        const id = JSON.parse(fields.data ?? "{}").payment;
        if (id) changed.set(id, changed.get(id) || fields.event === "payment.created");
      }, last, () => {
        // A stream that goes on after no event begins with what happens now.
        if (wasLost && !last) missed();
      });
    } catch {
      // said below
    }
    wasLost = true;
    live(false);
    if (!last) missed();
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

/**
 * @param {(fields: Record<string, string>) => void} each @param {string} last The last event that was read.
 * @param {() => void} begun Told when the stream is there.
 */
async function read(each, last, begun) {
  /** @type {Record<string, string>} */
  const headers = { "X-Till-Page": "1", Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
  if (isAlone()) headers["X-Till-Alone"] = "1";
  const answer = await fetch("/v1/events", { headers, credentials: "same-origin", cache: "no-store" });
  if (answer.status === 401) leave();
  if (!answer.ok || !answer.body) throw new Error(String(answer.status));
  live(true);
  begun();
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
