// The stage of a payment: the colour of its outcome, its amount in large figures, and the change with its coins.

import { cashPicture, denominations, nameOf } from "./day-coins.js";
import { $, make } from "./dom.js";
import { money } from "./money.js";
import { ground } from "./notice.js";
import { changeDue } from "./payment.js";
import { say } from "./words.js";

/** The colour of a status; amber where it is not known whether money moved, none where nothing is to be done. */
const GROUNDS = {
  succeeded: "paid", requires_capture: "held", partially_captured: "held", processing: "wait", requires_action: "wait",
  unknown: "unsure", stored: "unsure", declined: "stop", capture_failed: "stop",
};
/** Ended without a payment, unless it is not known yet whether money moved. */
const ENDED = ["canceled", "expired"];
/** Kinds of coins and notes that are drawn; a change of more kinds has its sum alone. */
const MOST_KINDS = 8;

/** The fewest coins and notes of a sum, largest first; null where they do not make it. */
function coins(minor, currency) {
  const found = [];
  let left = minor;
  for (const one of denominations(currency)) {
    const count = (left - (left % one.value)) / one.value;
    if (count > 0) found.push({ one, count });
    left -= count * one.value;
  }
  return left === 0 && found.length <= MOST_KINDS ? found : null;
}

/** Says the change in the status, which is announced, too. @param {string} text Empty for none. */
export function sayChange(text) {
  if ($("change-said").textContent !== text) $("change-said").textContent = text;
}

function showChange(payment) {
  const minor = payment.status === "succeeded" ? changeDue(payment) : 0;
  sayChange(minor > 0 ? `${say("stage.change")} ${money(minor, payment.currency)}` : "");
  if (minor <= 0) return;
  $("change").replaceChildren(make("span", `${say("stage.change")} `), make("bdi", money(minor, payment.currency)));
  $("change").hidden = false;
  const hand = coins(minor, payment.currency) ?? [];
  $("change-coins").replaceChildren(...hand.map(({ one, count }) => {
    const item = make("li", "");
    item.append(cashPicture(one, payment.currency), `${count} × ${nameOf(one.value, payment.currency)}`);
    return item;
  }));
  $("change-coins").hidden = hand.length === 0;
}

/**
 * Shows how the payment stands for somebody who looks from one metre.
 * @param {any} payment
 * @param {{isStale: boolean, isAsked: boolean}} now Whether a request about it had no answer, or one is under way.
 */
export function showStage(payment, { isStale, isAsked }) {
  const isUnsure = isStale || ENDED.includes(payment.status) && payment.money_moved === "unknown";
  const name = isUnsure ? "unsure" : isAsked ? "wait" : GROUNDS[payment.status] ?? "";
  ground(name);
  const sum = name === "paid" ? payment.captured : payment.amount + (payment.tip ?? 0);
  $("stage-sum").replaceChildren(make("bdi", money(sum, payment.currency)));
  $("stage-sum").hidden = false;
  if (isStale) sayChange("");
  else showChange(payment);
}
