// Requests to the till. One rule runs through it: a request that moves money has its Idempotency-Key stored before it
// leaves, and is repeated with that key until it is answered; what gives money back or takes a hold, later only if the
// till has it already, or a person says so. Card data is never stored.

import { foreign, say } from "./words.js";

/**
 * A request that is kept until it is answered, and who asked for it: nobody where there is no staff, and null if the
 * page did not know who it was.
 * @typedef {{path: string, body: string, key: string, person: string | null}} Kept
 */

/**
 * What a page does about the session and about answers that do not come; each page puts its own here. `another` shows a
 * request that has no answer, of somebody else or of before, and says what whoever is signed in wants of it: to `send`
 * it, to `drop` it, or neither.
 * @type {{open: () => void, lock: () => void, shut: () => void, unanswered: () => void, earlier: () => void,
 *   reached: () => void, unreached: () => void,
 *   another: (kept: Kept, people: {id: string, name: string}[], isOwn: boolean) => Promise<string>}}
 */
export const reactions = {
  open() {}, lock() {}, shut() {}, unanswered() {}, earlier() {}, reached() {}, unreached() {},
  another: async () => "",
};

/** Who is signed in: empty where there is no staff, null while that is not known. @type {string | null} */
let actor = null;

/** Says who is signed in. @param {string | undefined} id */
export function actAs(id) {
  actor = id ?? "";
}

/** An answer that says no, with the problem's document (RFC 9457). */
export class Refusal extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
    /** Seconds; 0 if the till does not ask for another try. */
    this.retryAfter = 0;
    /** The tries under the same key before this answer. */
    this.tries = 0;
  }

  /** What was asked for may have been done, if not by this request then by the one before it. */
  get isUnsettled() {
    return this.status >= 500 || this.status === 401 || this.problem.money_moved === "unknown";
  }

  /** The request itself has its end; a first try that was not admitted has done nothing. @param {boolean} isFirst */
  isEndOf(isFirst) {
    if (this.status === 401) return isFirst && this.tries === 0;
    return this.status < 500 && !STILL_OPEN.includes(this.problem.code);
  }
}

/** Answers after which the same request may be under way still, or waits for the one who asked for it. */
const STILL_OPEN = ["request_in_progress", "asked_before"];
const BEFORE = {
  code: "asked_before",
  detail: "This was asked for before and there was no answer. It was not sent again.",
  money_moved: "unknown",
};
const DROPPED = {
  code: "request_dropped",
  detail: "The earlier request was forgotten and nothing was sent. Check the result before you try again.",
};
/** What is asked for anew once the end of an earlier request is known: each is about something of its own. */
const FRESH = ["/v1/payments", "/v1/orders"];
/** Where somebody signs in and out: what is answered below it says nothing about the session that there is. */
const SESSION = "/session";
/** What gives money back, captures a hold or gives it up. */
const MOVES = /^(\/v1\/payments\/[^/]+)\/(?:refunds|capture|cancel)$/;
/** For so long whoever asked for that is taken to watch. */
const WATCHED_MS = 15_000;
/** Every five seconds: an hour. */
const MOST_LOOKS = 720;
/** Not for whoever asks, or a till of another version. */
const UNSAID = [400, 403, 404];
const MOST_ROUNDS = 30;
const MOST_ROUNDS_OF_REFUSALS = 3;
const LONGEST_PAUSE_MS = 5_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Letters only: the till refuses a key that reads as a card number, as one in 6,700 of 32 hexadecimal digits does. */
const KEY_LETTERS = "abcdefghijklmnop";
const KEY_LENGTH = 32;

export const newKey = () => "page-" + Array.from(
  crypto.getRandomValues(new Uint8Array(KEY_LENGTH)), (byte) => KEY_LETTERS[byte % KEY_LETTERS.length]).join("");

/**
 * After how long without a key or a touch nobody is taken to be here. What the page asks by itself then is no use of
 * the session, so that one that is left open ends as well.
 */
const ALONE_MS = 60_000;
let touched = performance.now();
for (const sign of ["pointerdown", "keydown"]) {
  addEventListener(sign, () => { touched = performance.now(); }, { capture: true, passive: true });
}

/** Whether nobody has touched the page for a while. */
export const isAlone = () => performance.now() - touched > ALONE_MS;

let admission = Promise.resolve();

/** Has everything but signing in wait for somebody to be let in. @param {Promise<unknown>} attempt */
export function admit(attempt) {
  admission = attempt.then(() => {}, () => {});
}

/** When the till was last not there: an answer to what was asked before says nothing of now. */
let lostAt = -Infinity;

function lost() {
  lostAt = performance.now();
  reactions.unreached();
}

async function send(method, path, body, key) {
  /** @type {Record<string, string>} */
  const headers = { "X-Till-Page": "1", Accept: "application/json" };
  const type = body instanceof Blob ? "application/octet-stream" : "application/json";
  if (body !== undefined) headers["Content-Type"] = type;
  if (key) headers["Idempotency-Key"] = key;
  if (isAlone()) headers["X-Till-Alone"] = "1";
  try {
    return await fetch(path, { method, headers, body, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    lost();
    throw error;
  }
}

async function answerTo(method, path, body, key) {
  const since = performance.now();
  const answer = await send(method, path, body, key);
  const text = await answer.text();
  /** @type {any} */
  let json = null;
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    // It is no answer of the till's.
  }
  // Something between says that the till is not there: what it says has no code.
  if (answer.status >= 500 && !json?.code) lost();
  else if (since >= lostAt) reactions.reached();
  return { answer, json };
}

/**
 * Whether a request was refused only because a PIN was entered meanwhile, which gives the session another cookie.
 * Nothing was done then, so it may be sent again; what somebody asked for, only if they are still who is signed in.
 * @param {{answer: Response, json: any}} got @param {string} [key]
 */
async function wasOvertaken({ answer, json }, key) {
  if (answer.status !== 401 || json?.code !== "unauthorized") return false;
  const who = await answerTo("GET", SESSION + "/person");
  return who.answer.ok && (!key || (who.json?.person?.id ?? "") === actor);
}

/**
 * Asks once. Without a session the page asks to sign in; with one it shows the till.
 * @param {string} method @param {string} path @param {string | Blob} [body] @param {string} [key]
 * @returns {Promise<any>}
 */
export async function ask(method, path, body, key) {
  if (!path.startsWith(SESSION)) await admission;
  let got = await answerTo(method, path, body, key);
  if (!path.startsWith(SESSION) && await wasOvertaken(got, key)) got = await answerTo(method, path, body, key);
  const { answer, json } = got;
  if (!path.startsWith(SESSION)) {
    if (answer.status === 401 && json?.code === "person_required") reactions.lock();
    else if (answer.status === 401) reactions.shut();
    else reactions.open();
  }
  if (answer.ok) {
    if (json === null) throw new TypeError("The answer was cut short.");
    return json;
  }
  const refusal = new Refusal(answer.status, json ?? {});
  const wait = Number(answer.headers.get("Retry-After"));
  if (answer.headers.has("Retry-After")) refusal.retryAfter = wait > 0 ? Math.min(wait, 10) : 1;
  throw refusal;
}

const isWorthAnotherTry = (error) =>
  !(error instanceof Refusal) || error.status >= 500 || ([409, 429].includes(error.status) && error.retryAfter > 0);

/**
 * Asks until there is an answer for certain. No answer is not a "no".
 * @param {() => Promise<any>} once @param {() => void} unanswered @param {number} rounds @returns {Promise<any>}
 */
async function repeat(once, unanswered, rounds) {
  for (let round = 0; ; round++) {
    try {
      return await once();
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (isRefusal) error.tries = round;
      const most = isRefusal && !error.retryAfter ? MOST_ROUNDS_OF_REFUSALS : rounds;
      if (!isWorthAnotherTry(error) || round >= most) throw error;
      if (!isRefusal) unanswered();
      const asked = isRefusal ? error.retryAfter * 1000 : 0;
      await pause(asked || Math.min(LONGEST_PAUSE_MS, 250 * 2 ** round));
    }
  }
}

/**
 * Repeats one request under one key until it is answered for certain. It is never repeated after somebody else has
 * signed in.
 * @param {string} path @param {string} body @param {string} key
 * @param {() => void} [unanswered] Says that there is no answer yet.
 * @param {() => Promise<unknown>} [before] Done before each try; the request is not sent if it fails.
 * @returns {Promise<any>}
 */
export async function settle(path, body, key, unanswered = reactions.unanswered, before = async () => {}) {
  const mine = actor;
  function stay() {
    if (actor && mine !== null && actor !== mine) throw new Refusal(409, BEFORE);
  }
  return await repeat(async () => {
    stay();
    await before();
    stay();
    return await ask("POST", path, body, key);
  }, unanswered, MOST_ROUNDS);
}

const SLOT = "till.request:";

/** Whether a request was kept and has had no end yet. @param {Kept} kept */
const isOpen = ({ path, key }) => JSON.parse(sessionStorage.getItem(SLOT + path) ?? "{}").key === key;

let asking = Promise.resolve("");

/**
 * Whether the till has a request: then the same again only reads its answer.
 * @param {Kept} kept @param {() => void} unanswered
 */
async function isRecorded({ path, key }, unanswered) {
  const at = `${MOVES.exec(path)?.[1]}?request=${encodeURIComponent(key)}`;
  try {
    const { request } = await repeat(async () => {
      const found = await ask("GET", at);
      if (found.request !== "working") return found;
      throw Object.assign(new Refusal(409, { code: STILL_OPEN[0] }), { retryAfter: 1 });
    }, unanswered, MOST_LOOKS);
    return request === "recorded";
  } catch (error) {
    if (error instanceof Refusal && UNSAID.includes(error.status)) return false;
    throw error instanceof Refusal && error.isUnsettled ? error : new Refusal(409, BEFORE);
  }
}

/**
 * Lets a request that was kept go out again: one of somebody else, or of before, only if whoever is signed in has seen
 * it and wants it. Who that is, the till says, since a PIN may have been entered elsewhere.
 * @param {Kept} kept @param {boolean} isWanted It was asked for just now. @param {() => void} [unanswered]
 */
async function agree(kept, isWanted, unanswered = reactions.unanswered) {
  const isLate = !isWanted && MOVES.test(kept.path);
  if (isLate && await isRecorded(kept, unanswered)) return;
  /** @type {{id: string, name: string}[]} */
  let people = [];
  try {
    const answer = await ask("GET", SESSION + "/person");
    actAs(answer.person?.id);
    people = answer.people;
    if (answer.has_staff && !answer.person) throw new Refusal(401, { code: "person_required" });
  } catch (error) {
    const isOut = error instanceof Refusal && error.status === 401;
    if (isOut && error.problem.code === "person_required") reactions.lock();
    else if (isOut) reactions.shut();
    if (isOut) throw error;
    // What is said of somebody else is no end of the request.
    if (actor === null) throw new Refusal(409, BEFORE);
  }
  const isOwn = kept.person === actor;
  if (isOwn && !isLate) return;
  // One question at a time, and none about what has had its end meanwhile.
  asking = asking.catch(() => "")
    .then(() => (isOpen(kept) ? reactions.another(kept, people, isOwn) : ""));
  const choice = await asking;
  if (choice === "drop") sessionStorage.removeItem(SLOT + kept.path);
  if (choice !== "send") throw new Refusal(409, choice === "drop" ? DROPPED : BEFORE);
}

/**
 * Asks for an operation. Its request, which has no secrets, is kept until it is answered: a reload can finish it.
 * @param {string} path @param {string} body @param {() => void} [unanswered]
 * @param {boolean} [isWanted] It was asked for just now. @returns {Promise<any>}
 */
export async function operate(path, body, unanswered, isWanted = true) {
  const slot = SLOT + path;
  /** @type {Kept | null} */
  const kept = JSON.parse(sessionStorage.getItem(slot) ?? "null");
  if (kept && kept.body !== body) {
    // Something else was asked for before and never answered: its end comes first, and the clerk sees it.
    const earlier = await operate(path, kept.body, unanswered, false);
    if (!FRESH.includes(path)) {
      reactions.earlier();
      return earlier;
    }
  }
  const again = kept?.body === body ? kept : null;
  if (again) await agree(again, isWanted, unanswered);
  // It is under the same key, and not done twice, whoever asks for it by now.
  const request = { path, body, key: again?.key ?? newKey(), person: actor };
  sessionStorage.setItem(slot, JSON.stringify(request));
  // By the clock: a device may sleep.
  let since = Date.now();
  async function watched() {
    if (!MOVES.test(path) || Date.now() - since < WATCHED_MS) return;
    await agree(request, false, unanswered);
    since = Date.now();
  }
  try {
    const answer = await settle(path, request.body, request.key, unanswered, watched);
    sessionStorage.removeItem(slot);
    return answer;
  } catch (error) {
    // Where there is no staff, a sale that is to be recorded waits for whoever signs in: no money moves by that.
    const waits = !request.person && path === "/v1/payments" && error instanceof Refusal && error.status === 401;
    if (error instanceof Refusal && error.isEndOf(!again) && !waits) sessionStorage.removeItem(slot);
    throw error;
  }
}

/**
 * Finishes a request of before. One that has had its end meanwhile, asked for anew, would be done twice.
 * @param {Kept} kept @returns {Promise<any>} Nothing of such a one.
 */
export const resume = async (kept) =>
  (isOpen(kept) ? await operate(kept.path, kept.body, undefined, false) : null);

/** Whether a name in the page's store is that of a request without an answer. @param {string} name */
export const isKept = (name) => name.startsWith(SLOT);

/** The operations that were asked for and never answered. @returns {Kept[]} */
export const keptRequests = () =>
  Object.keys(sessionStorage).filter(isKept)
    .map((name) => JSON.parse(sessionStorage.getItem(name)));

const MONEY_MOVED = {
  no: say("pay.noMoney"), yes: say("pay.moneyMoved"), unknown: say("pay.moneyUnknown"),
};

/**
 * What to do on the page, where the till's own words are for programs and the command line; a page adds its own.
 * @type {Record<string, string>}
 */
export const NEXT = {
  order_settled_in_shop: "next.orderSettled",
  order_held: "next.orderHeld",
  order_exists: "next.orderExists",
  unknown_statement: "next.whichProvider",
  statement_unreadable: "next.exportAgain",
  statement_too_large: "next.tooLarge",
  several_accounts: "next.account",
  incident_resolved: "next.unchanged",
  attention_closed: "next.closed",
  outcome_missing: "next.outcome",
  order_missing: "next.order",
  nothing_in_suspense: "next.findingOnly",
  unknown_drawer: "cash.noDrawer",
};

/** The field of a request that a sentence begins with, which is none of the page's. */
const PLACE = /^(?:tender\.[\w.]+|drawer|code|label|location|name|address|role|pin|permissions|\w+_limits): /;

/** What an answer that says no tells the clerk. @param {Refusal} refusal @returns {string[]} */
export function sentencesOf(refusal) {
  const { code, money_moved: moved, next: told } = refusal.problem;
  const sentences = [foreign(refusal.message.replace(PLACE, ""))];
  const next = NEXT[code] ? say(NEXT[code]) : told && foreign(String(told));
  for (const sentence of [MONEY_MOVED[moved], next]) {
    if (sentence && !refusal.message.includes(sentence)) sentences.push(sentence);
  }
  return sentences;
}
