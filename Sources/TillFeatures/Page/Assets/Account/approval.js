// What somebody may not do alone is approved on the spot: another person enters a PIN here, for this and nothing else.

import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { money } from "./money.js";
import { ask, newKey, Refusal, sentencesOf } from "./requests.js";
import { whoIs } from "./session.js";
import { colleagues } from "./staff.js";
import { parts, say } from "./words.js";

const asked = questions($("approval"));
/** @type {any} */
let wanted = null;

/** Asks for somebody's PIN. @returns {Promise<string>} The approval's identifier; empty if there is none. */
function askFor(approval) {
  wanted = { ...approval, key: newKey() };
  const name = whoIs()?.name;
  const isDiscount = approval.action === "discount";
  const minor = isDiscount ? approval.discount.amount : approval.amount;
  const values = { name, sum: money(minor, approval.currency), reason: approval.discount?.reason };
  $("approval-of-refund").hidden = isDiscount;
  $("approval-of-discount").hidden = !isDiscount;
  $("approval-words").textContent = isDiscount
    ? say(name ? "sale.approvalWords" : "sale.approvalYou", values)
    : say(name ? "approval.words" : "approval.you", values);
  $("approval-why").textContent = "";
  $("approval-pin").value = "";
  $("approver").replaceChildren(...colleagues().filter(({ id }) => id !== whoIs()?.id)
    .map(({ id, name }) => make("option", name, { value: id })));
  const answer = asked.begin();
  $("approver").focus();
  return answer;
}

/** The request for an approval, without the person and the PIN. */
const askedOf = ({ action, payment, amount, currency, discount }) =>
  (action === "discount" ? { action, amount, currency, discount } : { action, payment, amount });

$("approval-back").addEventListener("click", () => asked.end(""));
$("approval-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const mine = wanted;
  const [staff, pin] = [$("approver").value, $("approval-pin").value];
  $("approval-pin").value = "";
  if (!staff || !pin) {
    $("approval-why").textContent = say("approval.missing");
    return;
  }
  try {
    const body = JSON.stringify({ ...askedOf(mine), staff, pin });
    const made = await ask("POST", "/v1/approvals", body, mine.key);
    if (wanted === mine) asked.end(made.id);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return;
    $("approval-why").replaceChildren(
      ...parts(error instanceof Refusal ? sentencesOf(error).join(" ") : say("approval.unreached")));
    $("approval-pin").focus();
  }
});

/**
 * Does something, and again with an approval if it needs one.
 * @param {(approval: {approval?: string}) => Promise<any>} work @returns {Promise<any>}
 */
export async function withApproval(work) {
  try {
    return await work({});
  } catch (error) {
    if (!(error instanceof Refusal) || error.problem.code !== "approval_required") throw error;
    const approval = await askFor(error.problem.approval);
    if (!approval) throw error;
    return work({ approval });
  }
}
