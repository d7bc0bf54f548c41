// Requests to the till. One rule runs through it: a request that moves money has its Idempotency-Key stored before it
// leaves, and is repeated with that key until it is answered. Card data is never stored.

import { foreign, say } from "./words.js";

/**
 * A request that is kept until it is answered, and who asked for it: nobody where there is no staff, and null if the
 * page did not know who it was.
 * @typedef {{path: string, body: string, key: string, person: string | null}} Kept
 */

/**
 * What a page does about the session and about answers that do not come; each page puts its own here. `another` shows a
 * request of somebody else that has no answer, and says what whoever is signed in wants of it: to `send` it, to `drop`
 * it, or neither.
 * @type {{open: () => void, lock: () => void, shut: () => void, unanswered: () => void, earlier: () => void,
 *   reached: () => void, unreached: () => void,
 *   another: (kept: Kept, people: {id: string, name: string}[]) => Promise<string>}}
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
const STILL_OPEN = ["request_in_progress", "asked_by_another"];
const ANOTHERS = {
  code: "asked_by_another",
  detail: "Somebody else asked for this before and there was no answer. It was not sent again.",
  money_moved: "unknown",
};
const DROPPED = {
  code: "request_dropped",
  detail: "The earlier request was forgotten and nothing was sent. Check the result before you try again.",
};
/** Where somebody signs in and out: what is answered below it says nothing about the session that there is. */
const SESSION = "/session";
const MOST_ROUNDS = 30;
const MOST_ROUNDS_OF_REFUSALS = 3;
const LONGEST_PAUSE_MS = 5_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const newKey = () =>
  "page-" + Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

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
    reactions.unreached();
    throw error;
  }
}

async function answerTo(method, path, body, key) {
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
  if (answer.status >= 500 && !json?.code) reactions.unreached();
  else reactions.reached();
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
 * Repeats one request under one key until it is answered for certain. No answer is not a "no". It is never repeated
 * after somebody else has signed in.
 * @param {string} path @param {string} body @param {string} key
 * @param {() => void} [unanswered] Says that there is no answer yet.
 * @returns {Promise<any>}
 */
export async function settle(path, body, key, unanswered = reactions.unanswered) {
  const mine = actor;
  for (let round = 0; ; round++) {
    if (actor && mine !== null && actor !== mine) throw new Refusal(409, ANOTHERS);
    try {
      return await ask("POST", path, body, key);
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (isRefusal) error.tries = round;
      const most = isRefusal && !error.retryAfter ? MOST_ROUNDS_OF_REFUSALS : MOST_ROUNDS;
      if (!isWorthAnotherTry(error) || round >= most) throw error;
      if (!isRefusal) unanswered();
      const asked = isRefusal ? error.retryAfter * 1000 : 0;
      await pause(asked || Math.min(LONGEST_PAUSE_MS, 250 * 2 ** round));
    }
  }
}

const SLOT = "till.request:";

let asking = Promise.resolve("");

/**
 * Lets a request that was kept go out again: one of somebody else only if whoever is signed in has seen it and wants
 * it. Who that is, the till says, since a PIN may have been entered elsewhere.
 * @param {Kept} kept
 */
async function agree(kept) {
  const slot = SLOT + kept.path;
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
    if (isOut || actor === null) throw error;
  }
  if (kept.person === actor) return;
  // One question at a time, and none about what has had its end meanwhile.
  asking = asking.catch(() => "").then(() => (sessionStorage.getItem(slot) ? reactions.another(kept, people) : ""));
  const choice = await asking;
  if (choice === "drop") sessionStorage.removeItem(slot);
  if (choice !== "send") throw new Refusal(409, choice === "drop" ? DROPPED : ANOTHERS);
}

/**
 * Asks for an operation. Its request, which has no secrets, is kept until it is answered: a reload can finish it.
 * @param {string} path @param {string} body @param {() => void} [unanswered] @returns {Promise<any>}
 */
export async function operate(path, body, unanswered) {
  const slot = SLOT + path;
  /** @type {Kept | null} */
  const kept = JSON.parse(sessionStorage.getItem(slot) ?? "null");
  if (kept && kept.body !== body) {
    // Something else was asked for before and never answered: its end comes first, and the clerk sees it.
    const earlier = await operate(path, kept.body, unanswered);
    if (path !== "/v1/payments") {
      reactions.earlier();
      return earlier;
    }
  }
  const again = kept?.body === body ? kept : null;
  if (again) await agree(again);
  // It is under the same key, and not done twice, whoever asks for it by now.
  const request = { path, body, key: again?.key ?? newKey(), person: actor };
  sessionStorage.setItem(slot, JSON.stringify(request));
  try {
    const answer = await settle(path, request.body, request.key, unanswered);
    sessionStorage.removeItem(slot);
    return answer;
  } catch (error) {
    // Where there is no staff, a sale that is to be recorded waits for whoever signs in: no money moves by that.
    const waits = !request.person && path === "/v1/payments" && error instanceof Refusal && error.status === 401;
    if (error instanceof Refusal && error.isEndOf(!again) && !waits) sessionStorage.removeItem(slot);
    throw error;
  }
}

/** Whether a name in the page's store is that of a request without an answer. @param {string} name */
export const isKept = (name) => name.startsWith(SLOT);

/** The operations that were asked for and never answered. @returns {Kept[]} */
export const keptRequests = () =>
  Object.keys(sessionStorage).filter(isKept)
    .map((name) => JSON.parse(sessionStorage.getItem(name)));

const MONEY_MOVED = {
  no: say("pay.noMoney"), yes: say("pay.moneyMoved"), unknown: say("pay.moneyUnknown"),
};

// What to do on this page, where the till's own words are for programs and the command line.
const NEXT = {
  order_settled_in_shop: "Check the order in the shop.",
  order_held: "Open it under Attention.",
  unknown_statement: "Choose its provider, or export the report again.",
  statement_unreadable: "Export the report again and give the file as it came.",
  statement_too_large: "Split it by day: export the report for a shorter time.",
  several_accounts: "Enter the account's name there.",
  incident_resolved: "Nothing was changed.",
  attention_closed: "Nothing was changed: how it was closed is shown below.",
  outcome_missing: "Say whether it paid its order.",
  order_missing: "Name the order that it paid.",
  nothing_in_suspense: "Close it with the finding only.",
  day_open: "How it stands is shown below.",
  day_not_open: "Count what is in it to open it.",
  day_ended: "Close the day, or reopen it.",
  day_not_ended: "Count the drawer first.",
  day_not_counted: "Count the drawer first.",
  unreadable_need_reason: "Give a reason to close it, and tell whoever runs the till.",
  day_too_long: "Tell whoever runs the till.",
  journal_damaged: "Tell whoever runs the till.",
  difference_needs_reason: "Count again, or give a reason.",
  too_many_movements: "Count the drawer and close the day.",
  report_not_found: "Choose it from the list of Z reports.",
  key_not_found: "How the keys stand is shown below.",
};

/** What an answer that says no tells the clerk. @param {Refusal} refusal @returns {string[]} */
export function sentencesOf(refusal) {
  const sentences = [foreign(refusal.message.replace(/^tender\.[\w.]+: /, ""))];
  const next = NEXT[refusal.problem.code] ?? refusal.problem.next;
  for (const sentence of [MONEY_MOVED[refusal.problem.money_moved], next && foreign(String(next))]) {
    if (sentence && !refusal.message.includes(sentence)) sentences.push(sentence);
  }
  return sentences;
}
