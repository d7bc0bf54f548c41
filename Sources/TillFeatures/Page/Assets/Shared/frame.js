// What the pages of the back office share: whoever is not signed in is sent to do so and comes back, who it is stands
// at the top beside the way out, F2 leads to the search, and the till's events come in as they happen.

import { actAs, ask, isKept, reactions, Refusal, sentencesOf } from "./calls.js";
import { keepZone } from "./clock.js";
import { $, make } from "./dom.js";
import { putLinked } from "./links.js";
import { sought } from "./sought.js";
import { follow as followStream } from "./streams.js";
import "./unfinished.js";
import { say } from "./words.js";

const BACK = "till.back";
const NEWS_MS = 1_000;
const COUNT_MS = 60_000;
/** Payments that one answer lists at most. */
const MOST_LISTED = 500;

/** Without a session nothing of the till is seen; somebody signs in elsewhere and comes back here. */
function leave() {
  document.body.hidden = true;
  sessionStorage.setItem(BACK, location.pathname + location.search);
  location.replace("/");
}
reactions.shut = reactions.lock = leave;

/** What an error tells whoever reads the page. @param {unknown} error */
export function wordsOf(error) {
  if (!(error instanceof Refusal)) return say("top.outOfDate");
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
    const words = error instanceof Refusal ? sentencesOf(error).join(" ") : say("session.stillIn");
    putLinked($("alert"), words);
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
  $("way-out").textContent = isShared ? say("top.lock") : say("top.signOut");
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
    const [{ attention, incidents, incidents_open: all, setup = [] }, { breaks }] = await Promise.all([
      ask("GET", `/v1/attention?limit=${MOST_LISTED}`), ask("GET", "/v1/reconciliation"),
    ]);
    // What does not match a statement is an incident, too, and counted once.
    const open = attention.length + incidents.filter(({ kind }) => kind !== "statement").length + breaks.length
      + setup.length;
    const isMore = all > incidents.length || attention.length >= MOST_LISTED;
    const text = isMore ? `${open}+` : String(open);
    $("attention-count").replaceChildren(text, make("span", ` ${say("top.open")}`, { className: "only-sr" }));
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
    keepZone(answer.zone);
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
  location.assign(`/payments?q=${encodeURIComponent(sought($("q").value))}&period=all`);
});

/**
 * Brings what is in a box up to date in its place: what is the same stays, with the focus and the selection in it.
 * @param {Element} box @param {Node[]} wanted
 * @param {(node: any, index: number) => string} [keyOf] What stays the same wherever it stands; else its place is.
 */
export function refill(box, wanted, keyOf = (_, index) => String(index)) {
  const keys = wanted.map(keyOf);
  /** @type {Map<string, ChildNode>} */
  const there = new Map();
  for (const [index, node] of [...box.childNodes].entries()) {
    const key = keyOf(node, index);
    if (keys.includes(key) && !there.has(key)) there.set(key, node);
    else node.remove();
  }
  let place = box.firstChild;
  for (const [index, fresh] of wanted.entries()) {
    const kept = there.get(keys[index]);
    there.delete(keys[index]);
    const isInPlace = kept !== undefined && kept === place;
    if (isInPlace) place = kept.nextSibling;
    else box.insertBefore(kept ?? fresh, place);
    if (kept) update(kept, fresh);
  }
}

/** Makes of a node another one, and touches nothing of it that is the same. @param {any} node @param {any} fresh */
export function update(node, fresh) {
  if (node.isEqualNode(fresh)) return;
  if (node.nodeName !== fresh.nodeName) node.replaceWith(fresh);
  else if (!(node instanceof Element)) node.data = fresh.data;
  else {
    for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
    for (const { name, value } of fresh.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    refill(node, [...fresh.childNodes]);
  }
}

/** Says whether the till can be reached. @param {boolean} isLive */
export function showLive(isLive) {
  const dot = make("span", "", { className: `dot ${isLive ? "paid" : "stop"}` });
  $("live").className = isLive ? "live" : "live off";
  $("live").replaceChildren(dot, say(isLive ? "top.live" : "top.offline"));
}

const EVENTS = ["payment", "attempt", "capture", "refund", "void", "operation", "dispute", "renewal", "continuation"];

/**
 * Follows the till's events.
 * @param {(changed: Map<string, boolean>) => void} follow Told which payments changed, and whether each is new.
 * @param {() => void} missed Told when events may have been missed.
 * @param {{live?: (isLive: boolean) => void, begun?: () => void}} more Told when the line is there, and when it is
 *   lost; and when it is there at first, so that what was read before may be older.
 */
export function listen(follow, missed, { live = showLive, begun }) {
  /** @type {Map<string, boolean>} */
  let changed = new Map();
  setInterval(() => {
    if (changed.size === 0) return;
    const now = changed;
    changed = new Map();
    follow(now);
  }, NEWS_MS);
  followStream("/v1/events", {
    each({ event, data }) {
      if (!EVENTS.includes(event.split(".")[0])) return;
      const id = JSON.parse(data ?? "{}").payment;
      if (id) changed.set(id, changed.get(id) || event === "payment.created");
    },
    missed,
    begun,
    live,
    shut: leave,
  });
}
