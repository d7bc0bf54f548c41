// The payment that is shown: its id stands in the address, so that a reload finds it again, and it is followed until it
// has ended.

import { happened } from "./attention-words.js";
import { $, descriptions, make } from "./dom.js";
import { list } from "./latest.js";
import { decimal, money } from "./money.js";
import { alertWith, ground, linked, show } from "./notice.js";
import {
  blocksSale, facts, isOpen, isRetryable, notes, refundable, STEPS, words,
} from "./payment.js";
import { showRefundReader } from "./readers.js";
import { showReceipt } from "./receipts.js";
import { ask, fail, Refusal } from "./requests.js";
import { sayChange, showStage } from "./sell-stage.js";
import { may, session } from "./session.js";
import { keepAddress } from "./views.js";
import { foreign, say } from "./words.js";

const REFRESH_MS = 2_000;
const REFRESH_AFTER_FAULT_MS = 3_000;
/** Events that come together have a payment asked for once. */
const EVENTS_MS = 30;
const MOST_STEPS = 30;
let poll = 0;
let due = 0;

export const pathOf = (id, verb = "") => `/v1/payments/${encodeURIComponent(id)}${verb && "/" + verb}`;

// What was typed stays when it came to nothing: nobody gives back the whole sum by pressing the button again.
function prefill(id, minor, payment) {
  if (session.busy) return;
  const stamp = `${payment.id}:${minor}`;
  if ($(id).dataset.stamp === stamp) return;
  $(id).value = decimal(minor, payment.currency);
  $(id).dataset.stamp = stamp;
  $(id).dispatchEvent(new Event("input"));
}

const PARTS = [
  "history-box", "facts", "attention", "capture-form", "refund-form", "drop", "receipt-box", "change", "change-coins",
  "challenge",
];
/** @type {[string, string, string, boolean]} */
const STALE = [
  "wait", say("stage.checking"), say("stage.stale"), true,
];

/** Beside Charge: what moves money or gives it up. */
const MONEY_BUTTONS = "#capture-form button, #refund-form button, #drop, #override-form button";

export function render() {
  const payment = session.payment;
  const isBlocked = Boolean(payment) && (session.isStale || blocksSale(payment));
  $("charge").disabled = session.busy || isBlocked || session.isOffline;
  $("split-open").disabled = $("charge").disabled;
  for (const button of document.querySelectorAll(MONEY_BUTTONS)) {
    /** @type {HTMLButtonElement} */ (button).disabled = session.busy || session.isOffline;
  }
  $("blocked").hidden = session.busy || !(isBlocked || session.isOffline);
  $("blocked").textContent = say(session.isOffline ? "take.off" : "take.blocked");
  $("another").hidden = !payment || session.busy;
  $("details").hidden = !payment;
  $("override-form").hidden = !session.settled || Boolean(payment) || session.busy;
  for (const id of PARTS) $(id).hidden = true;
  if (payment) renderPayment(payment);
  else sayChange("");
}

/**
 * What is said while the confirmation of an open payment is under way.
 * @returns {[string, string, string, boolean] | null}
 */
function confirming(payment) {
  const asked = session.confirming;
  if (asked?.id !== payment.id || !isRetryable(payment)) return null;
  const sum = money(payment.amount, payment.currency);
  return ["wait", say("pay.processing"), say(asked.how, { sum }), true];
}

function renderPayment(payment) {
  const asked = confirming(payment);
  const [tone, headline, detail, isUnderWay] = session.isStale ? STALE : asked ?? words(payment);
  show(tone, headline, detail, isUnderWay);
  showStage(payment, { isStale: session.isStale, isAsked: Boolean(asked) });
  $("facts").replaceChildren(...descriptions(facts(payment)));
  $("facts").hidden = false;
  if (session.isStale) return;
  const action = payment.attempts?.at(-1)?.action?.url;
  if (payment.status === "requires_action" && /^https?:\/\//.test(action ?? "")) {
    $("challenge").firstElementChild.href = action;
    $("challenge").hidden = false;
  }
  const attention = notes(payment);
  $("attention").replaceChildren(...attention.map((note) => {
    const line = make("li", "");
    line.append(...linked(note));
    return line;
  }));
  $("attention").hidden = !attention.length;
  renderHistory(payment);
  renderOperations(payment);
  if (payment.status !== "requires_payment_method" && !isOpen(payment)) {
    $("receipt-box").hidden = false;
    showReceipt(payment);
  }
}

/** Who caused what; only a payment that was asked for has it, so until then the one before stays. */
function renderHistory(payment) {
  const isSame = $("history").dataset.payment === payment.id;
  if (payment.events) {
    $("history").dataset.payment = payment.id;
    $("history").replaceChildren(...payment.events.map((event) => make("li", happened(event))));
  }
  $("history-box").hidden = !payment.events && !isSame;
}

const CAPTURABLE = ["requires_capture", "partially_captured", "partially_refunded"];

function renderOperations(payment) {
  const isHeld = payment.held > 0;
  const canCapture = may("hold") && isHeld && CAPTURABLE.includes(payment.status);
  // What gave all back has left its order: what is still held can only be released.
  const canVoid = may("void")
    && (isHeld && [...CAPTURABLE, "refunded"].includes(payment.status) || payment.status === "capture_failed");
  $("capture-form").hidden = !(canCapture || canVoid);
  document.querySelector("#capture-form h3").toggleAttribute("hidden", !isHeld);
  $("cancel").hidden = !canVoid;
  for (const part of document.querySelectorAll("#capture-form .field, #capture-form [type=submit]")) {
    /** @type {HTMLElement} */ (part).hidden = !canCapture;
  }
  $("cancel").textContent = say(payment.captured > 0 ? "capturing.release"
    : isHeld ? "capturing.void" : "capturing.cancel");
  if (canCapture) prefill("capture-amount", payment.held, payment);
  const left = refundable(payment);
  $("refund-form").hidden = left <= 0 || !may("refund");
  showRefundReader(payment);
  if (left > 0) prefill("refund-amount", left, payment);
  $("drop").hidden = !isRetryable(payment) || !may("sell");
}

function step(text) {
  const steps = $("steps");
  if (!text || steps.lastElementChild?.textContent === text) return;
  steps.append(make("li", text));
  while (steps.children.length > MOST_STEPS) steps.firstElementChild.remove();
  $("steps-box").hidden = false;
}

/** Shows a payment as the till has just returned it. */
export function open(payment) {
  if (session.payment?.id !== payment.id) {
    session.payment = payment;
    $("steps").replaceChildren();
    $("steps-box").hidden = true;
    // What was said of one payment is not sent with the next.
    $("refund-reason").value = "";
    session.settled = null;
    keepAddress("#" + payment.id);
  }
  // What the alert said of the missing answer is over with it.
  if (session.isStale) alertWith("");
  session.isStale = false;
  // An answer that was overtaken by a newer one is old news.
  if (!(payment.updated_at < session.payment.updated_at)) session.payment = payment;
  render();
  clearTimeout(poll);
  if (isOpen(session.payment)) poll = setTimeout(refresh, REFRESH_MS);
  document.dispatchEvent(new Event("till:shown"));
}

/** Shows no payment. */
export function close() {
  clearTimeout(poll);
  session.payment = null;
  session.isStale = false;
  keepAddress("");
  $("steps-box").hidden = true;
  $("refund-reason").value = "";
  show("", say("stage.nothing"), say("stage.begin"));
  ground("idle");
  $("stage-sum").hidden = true;
  alertWith("");
  render();
}

/** Asks how the shown payment stands. Without an answer it is asked again. */
export async function refresh() {
  const id = session.payment?.id;
  if (!id) return;
  clearTimeout(poll);
  try {
    const payment = await ask("GET", pathOf(id));
    if (session.payment?.id !== id) return;
    open(payment);
    if (!isOpen(payment)) list();
  } catch (error) {
    if (session.payment?.id !== id) return;
    if (error instanceof Refusal && error.status === 404) {
      close();
      return fail(error);
    }
    // Without a key nobody is asked again; signing in does.
    if (error instanceof Refusal && error.status === 401) return;
    clearTimeout(poll);
    poll = setTimeout(refresh, REFRESH_AFTER_FAULT_MS);
  }
}

/**
 * Takes an event of the till's: those of the shown payment are its steps, and have it asked for.
 * @param {string} type @param {any} news
 */
export function hear(type, news) {
  const id = session.payment?.id;
  if (!id || news.payment !== id) return;
  if (type === "reader") return hearReader(news);
  step(STEPS[type]);
  clearTimeout(due);
  due = setTimeout(() => {
    if (session.payment?.id === id) refresh();
  }, EVENTS_MS);
}

/** What the customer must do now is shown where the clerk sees it. */
function hearReader(news) {
  const sentence = String(news.message);
  step("Reader: " + sentence);
  if (session.busy) {
    const sum = money(session.payment.amount, session.payment.currency);
    show("wait", say("pay.processing"), say("reader.at", { sum, sentence: foreign(sentence) }), true);
  }
  document.dispatchEvent(new CustomEvent("till:reader", { detail: news }));
}

/**
 * Does one thing at a time. What became of the shown payment is asked for when it came to nothing; what had no answer
 * is not known until then, whatever was shown before.
 * @param {() => Promise<void>} work @param {(error: unknown) => void} [unsold] Says what a sale came to of which there
 * is no payment.
 */
export async function busy(work, unsold = () => {}) {
  if (session.busy) return;
  session.busy = true;
  render();
  try {
    await work();
  } catch (error) {
    fail(error);
    if (session.payment) {
      session.isStale = !(error instanceof Refusal) || error.isUnsettled;
      await refresh();
    } else {
      unsold(error);
    }
  }
  session.busy = false;
  render();
  list();
}
