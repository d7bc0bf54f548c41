// The card fields in their frame. The page around it is told what state they are in, and never what is typed.

import { ownFields } from "/card/own-fields.js";
import { FieldsFailure, FieldsUnclear, providerFields } from "/card/provider-fields.js";
import { amount, isolated, sentence, text } from "/card/words.js";

const ANSWER_MS = 90_000;
const LOOK_MS = 1_000;
/** How long an outcome is looked up for after an answer was lost. */
const SETTLE_MS = 60_000;
/** How long a refusal of the provider's fields is compared with what the counter says. */
const REFUSED_MS = 5_000;
/** How often the order is looked at while the provider's fields attach the card. */
const WATCH_MS = 2_000;
/** How long the bank's page may take. */
const BANK_MS = 25 * 60_000;
/** How long the counter may take to ask the provider for a key. */
const KEY_MS = 15_000;
/** How long the provider's script has to show a bank's question by itself, before the frame shows the bank's page. */
const LATE_BANK_MS = 5_000;
/** How long it is tried to end an order that awaits its card. */
const CANCEL_MS = 10_000;
/** How long the first look is repeated for. */
const FIRST_MS = 10_000;

const $ = (id) => document.getElementById(id);
const around = document.documentElement.dataset.origin;
const given = new URLSearchParams(location.hash.slice(1));
const session = given.get("session") ?? "";
const nonce = given.get("nonce") ?? "";
history.replaceState(null, "", location.pathname);

let isPaying = false;
/** The number of presses and of orders that were ended: a press that is not the newest one says nothing any more. */
let turn = 0;
/** The order that a press is asking the counter for. @type {Promise<unknown>} */
let preparing = Promise.resolve();

function tell(type, detail = {}) {
  parent.postMessage({ till: "card", nonce, type, detail }, around);
}

function resize() {
  parent.postMessage({ till: "card", nonce, type: "resize", height: document.body.scrollHeight + 4 }, around);
}

// MARK: Language

document.title = text("title");
$("bank-page").title = text("bankTitle");
for (const element of document.querySelectorAll("[data-word]")) element.textContent = text(element.dataset.word);
// What the page around says by itself.
tell("words", { title: text("title"), notReady: text("notReady"), removed: text("removed") });

// MARK: Fields

const { provider } = document.documentElement.dataset;
/** Whose fields: the provider's where the counter says so, else its own. */
const fields = provider ? providerFields(provider, askKey, tell) : ownFields(tell);

$("card").addEventListener("submit", (event) => {
  event.preventDefault();
  tell("submit");
});

/** Asks the counter for the key of the provider's fields in this session. */
async function askKey() {
  const { ok, body } = await ask("/card/fields", {}, KEY_MS);
  if (ok) return body;
  const code = body.code ?? "card_fields_unavailable";
  throw new FieldsFailure(code, sentence(code) ?? body.detail ?? "");
}

/** Shows the fields; false, and said so, if they cannot be shown. */
async function show() {
  hideBank();
  $("card").hidden = false;
  try {
    await fields.show();
    return true;
  } catch (failure) {
    end("error", failure.message, { code: failure.code });
    return false;
  }
}

// MARK: Paying

async function ask(path, body, milliseconds) {
  const answer = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ session, ...body }),
    credentials: "omit", redirect: "error", signal: AbortSignal.timeout(milliseconds),
  });
  return { ok: answer.ok, body: await answer.json() };
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** The payment as it stands; null where nobody says. */
async function look() {
  try {
    const { ok, body } = await ask("/card/status", {}, 10_000);
    return ok ? body : null;
  } catch {
    return null;
  }
}

/**
 * Looks until the payment has an end, or the time for it is over.
 * @param {object | null} first What was answered; null where the answer was lost.
 * @param {number} before The attempts that were known when the card was sent. Without a newer one the payment stands as
 *   it did, and the request may still be on its way.
 */
async function settled(first, before) {
  let now = first;
  let end = performance.now() + SETTLE_MS;
  const late = performance.now() + LATE_BANK_MS;
  let isAtBank = false;
  for (;;) {
    switch (now?.status) {
      case "paid": case "refunded": case "closed": return now;
      case "declined":
        if (now.attempts > before) return now;
        break;
      case "action":
        // The card of the provider's fields is attached, and the counter is asking for the money. A bank that wants to
        // be asked after all is asked on its page, which the provider's script does not show any more.
        if (now.order_id && !isAtBank && !(now.action_url && performance.now() >= late)) break;
        if (!isAtBank) {
          if (!showBank(now.action_url)) return null;
          isAtBank = true;
          end = performance.now() + BANK_MS;
        }
        break;
      default:
        // The bank has an answer, and the counter is asking for it.
        if (isAtBank && now) {
          $("bank-page").hidden = true;
          say(text("bankResult"));
        }
        break;
    }
    if (performance.now() >= end) return null;
    await wait(LOOK_MS);
    now = await look();
  }
}

/** A bank's page: over TLS, or in the sandbox on this machine. */
function bankAddress(given) {
  const url = URL.canParse(given ?? "") ? new URL(given) : null;
  if (url?.protocol === "https:") return url.href;
  return url?.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname) ? url.href : null;
}

/** Shows the bank's page; false if there is none that can be shown. */
function showBank(given) {
  const address = bankAddress(given);
  if (!address) return false;
  tell("action");
  $("card").hidden = true;
  $("bank").hidden = false;
  $("bank-page").hidden = false;
  $("bank-page").src = address;
  $("bank-link").href = address;
  say("");
  $("bank").focus();
  resize();
  return true;
}

function hideBank() {
  $("bank").hidden = true;
  $("bank-page").removeAttribute("src");
}

function say(words) {
  $("said").textContent = words;
}

/** The end of the payment, if it has one: there is no other card after it. */
let over = null;

function end(type, message, detail = {}) {
  isPaying = false;
  hideBank();
  const told = { message, ...detail };
  if (type === "paid" || type === "unknown" || detail.isOver) {
    over = { type, told };
    fields.clear();
  }
  $("card").hidden = over !== null;
  fields.lock(over !== null);
  say(message);
  if (type === "declined") fields.focus("number");
  tell(type, told);
  resize();
}

/** Ends with what the counter says of the payment; false for a state that is no end. */
function ended(now) {
  switch (now?.status) {
    case "paid": end("paid", text("paid"), { order: now.order_number }); return true;
    case "declined":
      end("declined", sentence(now.decline_reason) ?? now.message ?? text("declined"));
      return true;
    case "refunded": case "closed":
      end("error", now.status === "closed" ? text("closed") : text("refunded"), { code: "payment_over", isOver: true });
      return true;
    default: return false;
  }
}

/** What the counter found wrong with a field. */
function faultOf(field, code) {
  if (field === "number") return text("numberRefused");
  if (field === "code") return text("codeRefused");
  return code === "card_expired" ? text("expired") : text("dateRefused");
}

/** Ends with the refusal of a card that was not charged. */
function refused({ code, detail, errors }) {
  const field = { "tender.number": "number", "tender.expiry": "expires", "tender.cvc": "code" }[errors?.[0]?.field];
  end("error", field ? "" : sentence(code) ?? detail ?? text("nothingCharged"), { code });
  if (!field) return;
  fields.mark(field, faultOf(field, code));
  fields.focus(field);
  resize();
}

/** Ends with what the fields could not do: nothing was charged. */
function failed({ code, message, field }) {
  end("error", message, field ? { code, field } : { code });
  if (field) fields.focus(field);
}

async function pay() {
  if (isPaying) return;
  if (isLeaving) return failed({ code: "not_ready", message: text("notReady"), field: null });
  if (over) return tell(over.type, over.told);
  const wrong = fields.fault();
  if (wrong) return failed({ code: "invalid_card", message: "", field: wrong });
  isPaying = true;
  fields.lock(true);
  say(text("paying"));
  tell("pending");
  resize();
  if (fields.takesOrder) return payOrder();
  let tender = null;
  try {
    tender = await fields.tender();
  } catch (failure) {
    return failed(failure);
  }
  // Another window of the session may have tried cards, too.
  let now = await look();
  const before = (attempts = now?.attempts ?? attempts);
  now = null;
  try {
    const { ok, body } = await ask("/card/pay", { tender }, ANSWER_MS);
    if (!ok && body.money_moved === "no") return refused(body);
    now = ok ? body : null;
  } catch {
    // It may have arrived: the payment says what came of it.
  }
  now = await settled(now, before);
  attempts = now?.attempts ?? attempts;
  if (!ended(now)) end("unknown", text("unknown"));
}

/** Whether an order still awaits its card. */
const awaitsCard = (now) => now?.status === "action" && Boolean(now.order_id);

/** Waits while the provider's script shows the bank's question over the fields: the frame makes room for it. */
function watchForBank() {
  let isAsking = false;
  const observer = new MutationObserver((changes) => {
    if (isAsking || !changes.some(({ addedNodes }) => addedNodes.length > 0)) return;
    isAsking = true;
    document.body.classList.add("asking");
    tell("action");
  });
  observer.observe(document.body, { childList: true });
  return () => {
    observer.disconnect();
    document.body.classList.remove("asking");
  };
}

/**
 * Pays where the provider's fields attach the card to an order: the counter prepares it, the fields attach the card,
 * and the counter reads the order and asks for the money. An order that still awaits its card takes the next one, too.
 */
async function payOrder() {
  const mine = (turn += 1);
  let asked = null;
  let refusal = null;
  async function prepare() {
    const answer = ask("/card/pay", { tender: { type: "paypal_card" } }, ANSWER_MS);
    preparing = answer.catch(() => undefined);
    const { ok, body } = await answer;
    if (ok) asked = body;
    else refusal = body;
    // An order that is ended meanwhile gets no card.
    if (!awaitsCard(asked) || mine !== turn || isLeaving) throw new Error("there is no order for a card");
    return asked.order_id;
  }
  const unwatched = watchForBank();
  // While the card is attached the counter looks at the order: a bank's question that it has seen must be answered.
  const looking = setInterval(() => { if (asked) look(); }, WATCH_MS);
  let failure = null;
  try {
    await fields.attach(prepare);
  } catch (error) {
    failure = error;
  }
  clearInterval(looking);
  unwatched();
  if (mine !== turn) return;
  if (refusal?.money_moved === "no") return refused(refusal);
  // The attempt of the order is the newest one; without an order no card was attached.
  const before = asked ? asked.attempts - 1 : attempts;
  let now = asked;
  if (!awaitsCard(asked) && !refusal) {
    if (!asked) return failed(failure);
  } else if (failure && !(failure instanceof FieldsUnclear)) {
    const until = performance.now() + REFUSED_MS;
    while (performance.now() < until && (!now || awaitsCard(now))) {
      await wait(LOOK_MS);
      now = await look();
    }
    if (mine !== turn) return;
    if (!now || awaitsCard(now)) return failed(failure);
  }
  now = await settled(now, before);
  if (mine !== turn) return;
  attempts = now?.attempts ?? attempts;
  if (!ended(now)) end("unknown", text("unknown"));
}

// MARK: Leaving

let isLeaving = false;

/**
 * Has the counter end the order, and says how the payment stands after it. Nothing where nobody knows.
 * @returns {Promise<{ now?: any, refusal?: any }>}
 */
async function endOrder() {
  // An order that is on its way must be there before it can be ended.
  await preparing;
  const until = performance.now() + CANCEL_MS;
  for (;;) {
    try {
      const { ok, body } = await ask("/card/cancel", {}, ANSWER_MS);
      if (!ok && body.money_moved === "no") return { refusal: body };
      if (ok && body.status !== "action" && body.status !== "pending") return { now: body };
    } catch {
      // It may have arrived: it is asked again.
    }
    if (performance.now() >= until) return {};
    await wait(LOOK_MS);
  }
}

/**
 * Ends an order that still awaits its card, so that the customer can pay in another way, and answers with "left". Only
 * what the counter knows to be unpaid is ended; a card that is attached later is not charged.
 */
async function leave() {
  if (isLeaving) return;
  if (over) return tell("left", { type: over.type, ...over.told });
  // A card that is being charged has an outcome of its own, which the press tells.
  if (isPaying && !fields.takesOrder) {
    return tell("left", { type: "unknown", code: "payment_in_progress", message: text("confirming") });
  }
  isLeaving = true;
  const { now = null, refusal = null } = await endOrder();
  isLeaving = false;
  if (over) return tell("left", { type: over.type, ...over.told });
  if (refusal) {
    const message = sentence(refusal.code) ?? refusal.detail ?? text("nothingCharged");
    return tell("left", { type: "error", code: refusal.code, message });
  }
  if (!now) return tell("left", { type: "unknown", code: "not_ended", message: text("unknown") });
  attempts = now.attempts;
  turn += 1;
  if (now.status !== "open" && now.status !== "declined") {
    ended(now);
    return tell("left", { type: over.type, ...over.told });
  }
  // The provider's script may still show the bank's question of a press: these fields are drawn anew.
  const isStale = isPaying;
  const message = text("nothingCharged");
  end("canceled", message);
  return tell("left", { type: "canceled", message, isStale });
}

addEventListener("message", (event) => {
  if (event.source !== parent || event.origin !== around) return;
  if (event.data?.till !== "card" || event.data.nonce !== nonce) return;
  if (event.data.type === "pay") pay();
  if (event.data.type === "cancel") leave();
});
new ResizeObserver(resize).observe(document.body);

/** The number of attempts that the payment had when it was last seen. */
let attempts = 0;

/** Begins with the payment as it stands: after a reload it may be under way, or made. */
async function begin() {
  // On the counter's own origin the page around could read everything.
  if (around === location.origin || !session) return;
  let at = await look();
  for (const until = performance.now() + FIRST_MS; !at && performance.now() < until; at = await look()) {
    await wait(LOOK_MS);
  }
  // The first look had the provider asked: the card may be attached.
  for (let looks = 0; looks < 2 && fields.takesOrder && awaitsCard(at); looks += 1) {
    await wait(LOOK_MS);
    at = (await look()) ?? at;
  }
  const isPrepared = fields.takesOrder && awaitsCard(at);
  if (!at) return end("unknown", text("unreachable"));
  attempts = at.attempts;
  $("due").textContent = `${isolated(amount(at))} · ${text("order", { order: isolated(at.order_number) })}`;
  // A payment that is under way, or over, needs no fields at first.
  if ((at.status === "open" || at.status === "declined" || isPrepared) && !(await show())) return;
  tell("ready");
  if (isPrepared) {
    resize();
  } else if (at.status === "action" || at.status === "pending") {
    isPaying = true;
    fields.lock(true);
    say(text("confirming"));
    const mine = turn;
    const now = await settled(at, attempts - 1);
    if (mine !== turn) return;
    attempts = now?.attempts ?? attempts;
    // For another card the fields are needed after all.
    if (now?.status === "declined" && !(await show())) return;
    if (!ended(now)) end("unknown", text("unknown"));
  } else if (at.status !== "open" && at.status !== "declined") {
    ended(at);
  }
  resize();
}
begin();
