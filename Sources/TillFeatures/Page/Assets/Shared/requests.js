// Requests of the counter's page: what their answers do to it, and the words for those that say no.

import { reactions, Refusal, sentencesOf } from "./calls.js";
import { $ } from "./dom.js";
import { lockGate, openGate, shutGate } from "./gate.js";
import { alertWith, ground, mark, show } from "./notice.js";
import "./unfinished.js";
import { foreign, say } from "./words.js";

export {
  admit, ask, isKept, keptRequests, newKey, operate, Refusal, resume, sentencesOf, settle,
} from "./calls.js";

// What answers late opens a till that was locked meanwhile for nobody: who is there is asked for first.
reactions.open = () => {
  if (!$("person").hidden) document.dispatchEvent(new Event("till:answered"));
  else openGate();
};
reactions.lock = lockGate;
reactions.shut = () => shutGate();
reactions.unanswered = () => {
  show("wait", say("stage.checking"), say("stage.noAnswer"), true);
  ground("unsure");
};
reactions.earlier = () => alertWith(say("stage.earlier"));

// The member of a request that is wrong, and the field in which it was typed.
const FIELDS = {
  amount: "amount", currency: "amount", order_id: "order", order: "document", number: "number", expiry: "expires",
  cvc: "code", tendered: "tendered", tip: "cash-tip", tip_on: "tip-on", name: "holder", line1: "line1", city: "city",
  region: "region", postal_code: "postal", country: "country",
};

/** Says what went wrong, above the form and beside the fields. */
export function fail(error) {
  // What has no words is not the till's answer.
  if (!(error instanceof Refusal) || (error.status >= 500 && !error.problem.code)) {
    alertWith(say("stage.unreached"));
    return;
  }
  if (error.status === 401) return;
  let first = null;
  for (const one of Array.isArray(error.problem.errors) ? error.problem.errors : []) {
    const id = FIELDS[String(one.field ?? "").split(".").pop()];
    if (id && mark(id, foreign(String(one.message ?? "")))) first ??= id;
  }
  alertWith(sentencesOf(error).join(" "));
  if (first) $(first).focus();
}
