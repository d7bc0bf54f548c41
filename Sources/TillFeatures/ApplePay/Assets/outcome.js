// What became of an Apple Pay payment, as far as the server has said. What a proxy, a broken connection or a server
// without its journal says in its place is no answer: such a payment's outcome is unknown, and is polled.

export const base = new URL("/", import.meta.url);
/** Apple gives a handler 30 s; an answer that takes longer than this is not waited for. */
const ANSWER_MS = 25_000;
const POLL_MS = 2_000;
/** How often a payment is polled, so for a minute; then the page says that its outcome is unknown. */
const POLLS = 30;
/**
 * How often the server must say that nobody asked it for the payment: a request that a proxy gave up may still be on
 * its way to it.
 */
const MOST_OPEN = 3;
const ASKED = "till-apple-pay:";

/** @typedef {{status: string, [member: string]: any}} Outcome */

/** @param {string} path @param {{json?: unknown, proof?: string}} [request] */
export async function call(path, request = {}) {
  const { json, proof } = request;
  /** @type {Record<string, string>} */
  const headers = {};
  if (json !== undefined) headers["Content-Type"] = "application/json";
  if (proof) headers["X-Till-Basket-Proof"] = proof;
  const response = await fetch(new URL(path, base), {
    method: json === undefined ? "GET" : "POST",
    body: json === undefined ? undefined : JSON.stringify(json),
    headers,
    credentials: "omit",
    signal: /** @type {any} */ (AbortSignal).timeout(ANSWER_MS),
  });
  const body = (await response.json().catch(() => null)) ?? {};
  return { ok: response.ok, status: response.status, body };
}

/**
 * What an answer says of the payment. "No" is only what the server itself says, with the words that no money moved.
 * @param {{status: number, body: any}} answer @returns {Outcome | null} Nothing: it is not known.
 */
function said({ status, body }) {
  if (status >= 500) return null;
  switch (body.status) {
    case "placed":
    case "pending": return body;
    case "declined":
    case "refused":
    case "closed":
    case "open": return body.moneyMoved === "no" ? body : null;
    default:
      return typeof body.code === "string" && body.money_moved === "no"
        ? { status: "refused", code: body.code, what: body.detail, errors: [] } : null;
  }
}

function mark(basket, isAsked) {
  try {
    if (isAsked) sessionStorage.setItem(ASKED + basket, "yes");
    else sessionStorage.removeItem(ASKED + basket);
  } catch { /* a page without storage looks up what it asked for itself, until it is closed */ }
}

/** This page asked for the payment of a basket, and nobody has said yet what became of it. @param {string} basket */
export function isAsked(basket) {
  try {
    return sessionStorage.getItem(ASKED + basket) !== null;
  } catch {
    return false;
  }
}

const settled = (basket, outcome) => {
  mark(basket, false);
  return outcome;
};

/**
 * Asks for the payment of a basket. That it was asked for is stored first, so that a reload can query it.
 * @param {string} basket @param {object} json @param {string} proof @returns {Promise<Outcome>} `pending` where it is
 * not known.
 */
export async function pay(basket, json, proof) {
  mark(basket, true);
  const outcome = await call("applepay/payment", { json, proof }).then(said, () => null);
  if (!outcome || outcome.status === "pending") {
    return { status: "pending", statusURL: `applepay/payment/${encodeURIComponent(basket)}` };
  }
  return settled(basket, outcome);
}

/**
 * Polls the payment of a basket until its outcome is known, or for a minute.
 * @param {string} basket @param {string} [proof] @returns {Promise<Outcome>} `unknown` where nobody has said it in that
 * time; `refused` where the server was never asked for money.
 */
export async function outcome(basket, proof) {
  let open = 0;
  for (let count = 0; count < POLLS; count += 1) {
    if (count > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const path = `applepay/payment/${encodeURIComponent(basket)}`;
    const found = await call(path, { proof }).then(({ ok, ...answer }) => (ok ? said(answer) : null), () => null);
    open = found?.status === "open" ? open + 1 : 0;
    if (open >= MOST_OPEN) return settled(basket, { ...found, status: "refused" });
    if (found && found.status !== "open" && found.status !== "pending") return settled(basket, found);
  }
  return { status: "unknown" };
}
