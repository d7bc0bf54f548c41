// The counter's page: it begins, also after a reload in the middle; what is shown of a payment is captured, given back
// and canceled. A sale is in sale.js, what is shown in shown.js.

import { admitted } from "./sign-in.js"; // first, since nothing is asked before it
import { showAccount } from "./account.js";
import { withApproval } from "./approval.js";
import { showAttention } from "./attention.js";
import { isResolution } from "./attention-entry.js";
import { $, make } from "./dom.js";
import { handedOut, ofKeptDrawer } from "./drawer.js";
import { openGate } from "./gate.js";
import { list } from "./latest.js";
import { CURRENCIES, minorUnits, money } from "./money.js";
import { alertWith, clearFaults, ground, mark, show } from "./notice.js";
import { chooseOrder, isTyped } from "./order.js";
import { method, orderName, standing } from "./payment.js";
import { refundReader } from "./readers.js";
import { ask, fail, keptRequests, operate, Refusal, resume } from "./requests.js";
import { review } from "./review.js";
import { adopt, release, remember } from "./sale.js";
import { session } from "./session.js";
import { busy, close, open, pathOf, refresh } from "./shown.js";
import "./language.js";
import "./office.js";
import "./sell-book.js";
import "./sell-cash.js";
import { showDrawer } from "./sell-drawer.js";
import "./sell-find.js";
import "./sell-keys.js";
import { goLive } from "./sell-live.js";
import "./sell-offline.js";
import "./sell-parked.js";
import "./sell-scan.js";
import "./sell-split.js";
import "./stored.js";
import { known } from "./staff.js";
import { namesAccount, namesReview, showView } from "./views.js";
import { say } from "./words.js";

// ---- Captures, refunds and cancellations

/** What is asked before money goes back; it is never sent by the key or click that asked for it. */
function refundQuestion(payment, minor) {
  const of = (sum) => money(sum, payment.currency);
  const kept = payment.captured - payment.refunded - (payment.disputed ?? 0);
  const isCash = payment.tender?.type === "cash";
  const how = method(payment);
  return {
    title: isCash ? say("refunding.inCash", { sum: of(minor) })
      : say(how ? "refunding.to" : "refunding.toCustomer", { sum: of(minor), method: how }),
    words: isCash ? handedOut() : say("refunding.final"),
    facts: [
      [say("fact.order"), orderName(payment)], [say("latest.charged"), of(payment.captured)],
      [say("refunding.soFar"), payment.refunded > 0 && of(payment.refunded)],
      [say("refunding.kept"), minor <= kept && of(kept - minor)],
      [say("refunding.why"), $("refund-reason").value.trim()],
    ],
    send: say("refunding.sendSum", { sum: of(minor) }),
  };
}

/** What is asked before a hold is captured, and the rest of it is given up. */
function captureQuestion(payment, minor) {
  const rest = payment.held - minor;
  const of = (sum) => money(sum, payment.currency);
  const sums = { sum: of(minor), rest: of(rest) };
  const facts = [[say("fact.order"), orderName(payment)], [say("pay.heldTitle"), of(payment.held)]];
  if (rest <= 0) {
    return {
      title: say("capturing.all", sums), words: say("capturing.charged"), facts, send: say("capturing.sendAll", sums),
    };
  }
  return {
    title: say("capturing.question", sums),
    words: say("capturing.warning", { rest: sums.rest }),
    facts,
    send: say("capturing.sendBoth", sums),
  };
}

/** What is asked before all that is held is given up. */
function releaseQuestion(payment) {
  const sum = money(payment.held, payment.currency);
  const captured = payment.captured > 0 && money(payment.captured, payment.currency);
  /** @type {[string, any][]} */
  const facts = [[say("fact.order"), orderName(payment)], [say("capturing.soFar"), captured]];
  return {
    title: say("capturing.giveUp", { sum }), words: say("capturing.never"), facts,
    send: say("capturing.sendRelease", { sum }),
  };
}

/**
 * Whether a payment stands as it did when something was agreed to: another till may have had it meanwhile. If it does
 * not, it is shown as it stands now, and nothing may be sent. @param {string} id @param {string} seen
 */
async function isAsSeen(id, seen) {
  let now;
  try {
    now = await ask("GET", pathOf(id));
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 401)) alertWith(say("pay.notRead"));
    return false;
  }
  if (standing(now) === seen) return true;
  open(now);
  alertWith(say("pay.elsewhere"));
  return false;
}

function moneyForm(form, id, verb, question, more = (_) => ({}), begun = () => ({})) {
  $(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    const payment = session.payment;
    if (!payment || session.busy) return;
    clearFaults();
    const amount = minorUnits($(id).value, payment.currency);
    if (amount.fault) {
      mark(id, amount.fault);
      $(id).focus();
      return;
    }
    // What is sent is what was asked about, wherever another tab has this device meanwhile.
    const asked = { amount: amount.value, ...more(payment) };
    const seen = standing(payment);
    if (!(await review(question(payment, amount.value)))) return;
    if (session.payment?.id !== payment.id) return;
    busy(async () => {
      const body = { ...asked, ...begun() };
      // Before each try: the PIN of somebody who approves takes its time, too.
      const done = await withApproval(async (approval) => await isAsSeen(payment.id, seen)
        && operate(pathOf(payment.id, verb), JSON.stringify({ ...body, ...approval })));
      if (!done) return;
      open(done);
      $("refund-reason").value = "";
    });
  });
}
moneyForm("capture-form", "capture-amount", "capture", captureQuestion);
moneyForm("refund-form", "refund-amount", "refunds", refundQuestion, (payment) => {
  const reason = $("refund-reason").value.trim();
  const isCash = payment.tender?.type === "cash";
  return { ...(reason && { reason }), ...(isCash && ofKeptDrawer()) };
}, refundReader);

/** Says beside the field what becomes of the rest of the hold. */
$("capture-amount").addEventListener("input", () => {
  const payment = session.payment;
  const minor = payment && minorUnits($("capture-amount").value, payment.currency).value;
  const rest = minor ? payment.held - minor : 0;
  $("capture-note").textContent =
    rest > 0 ? say("capturing.note", { sum: money(rest, payment.currency) }) : "";
});

for (const id of ["cancel", "drop"]) {
  $(id).addEventListener("click", async () => {
    const payment = session.payment;
    if (!payment || session.busy) return;
    clearFaults();
    const seen = standing(payment);
    if (payment.held > 0 && !(await review(releaseQuestion(payment)))) return;
    if (session.payment?.id !== payment.id) return;
    busy(async () => {
      if (await isAsSeen(payment.id, seen)) open(await operate(pathOf(payment.id, "cancel"), "{}"));
    });
  });
}

// ---- The beginning, also after a reload in the middle

/** An entry of the drawer is finished by the page of the day. */
const isOfDay = (path) => path.startsWith("/v1/day/");

/** What was said of a missing answer is over with it. */
function calm() {
  if (session.payment) return;
  show("", say("stage.nothing"), say("stage.begin"));
  ground("idle");
}

/** @returns {Promise<boolean>} Something of it came to nothing, which the alert says. */
async function finishKept() {
  let isSaid = false;
  /** A typed sale that was to be paid in parts. @type {any} */
  let booked = null;
  for (const kept of keptRequests()) {
    const { path, body } = kept;
    if (isResolution(path) || isOfDay(path)) continue;
    try {
      const payment = await resume(kept);
      if (!payment) continue;
      if (path === "/v1/orders") {
        booked = payment;
        calm();
        continue;
      }
      if (path === "/v1/payments" || path.startsWith("/v1/orders/")) remember(payment, path, body);
      open(payment);
    } catch (error) {
      fail(error);
      if (error instanceof Refusal && !error.isUnsettled) calm();
      isSaid = true;
    }
  }
  if (booked?.payment?.open > 0 && !session.payment && !isTyped()) chooseOrder(booked);
  return isSaid;
}

/** Brings the payment that somebody asked for into view, wherever its link stands. */
function bringIntoView() {
  $("now").scrollIntoView({ block: "start" });
  $("now-title").focus({ preventScroll: true });
}

/**
 * @param {boolean} [keepsAlert] What the alert says is news still.
 * @param {boolean} [isAsked] Somebody has followed a link to it.
 */
async function showAddress(keepsAlert = false, isAsked = false) {
  if (showView()) return showAccount();
  const id = namesReview() || namesAccount() ? "" : decodeURIComponent(location.hash.slice(1));
  if (!id) {
    if (session.payment && !session.busy) close();
    release();
    return;
  }
  try {
    if (id === session.payment?.id) {
      await refresh();
    } else {
      const payment = await ask("GET", pathOf(id));
      if (!keepsAlert) alertWith("");
      release();
      open(payment);
    }
    if (!session.busy && session.payment) adopt(session.payment);
    if (isAsked && session.payment?.id === id) bringIntoView();
  } catch (error) {
    fail(error);
  }
}

async function start() {
  showView();
  showAttention();
  showDrawer();
  await showAddress(await finishKept());
  await list();
}

$("currency").replaceChildren(...CURRENCIES.map((code) => make("option", code, { value: code })));
const kept = localStorage.getItem("till.currency");
if (kept && CURRENCIES.includes(kept)) $("currency").value = kept;
window.addEventListener("hashchange", () => showAddress(false, true));
// A link to what the address names already changes nothing there.
$("rows").addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("a");
  if (link && link.hash === location.hash && session.payment) bringIntoView();
});
// The payment that is shown stays the counter's address while somebody is elsewhere.
$("to-counter").addEventListener("click", () => {
  $("to-counter").href = "#" + (session.payment?.id ?? "");
});
/**
 * Another page of the till has sent somebody here to sign in, and is shown again, unless something that was asked for
 * has no answer yet. @returns {boolean} Whether this page is left.
 */
function goBack() {
  const back = sessionStorage.getItem("till.back");
  sessionStorage.removeItem("till.back");
  // Only the till's own pages.
  if (!back || !/^\/(payments|day|insights|settings)([/?]|$)/.test(back)) return false;
  if (keptRequests().some(({ path }) => !isOfDay(path))) return false;
  location.replace(back);
  return true;
}
document.addEventListener("till:signed-in", () => {
  if (!goBack()) start();
});
const refused = await admitted;
await known;
await start();
if ($("session").hidden && $("person").hidden) {
  // Without an answer the page says so where it says everything.
  openGate();
  if (refused) alertWith(refused);
  goBack();
}
goLive();
