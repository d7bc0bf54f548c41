// What was asked for at this till and has no answer, by somebody else or before: it is shown to whoever is signed in by
// now, and is sent again, under its key, only if they want it.

import { ask, reactions, Refusal } from "./calls.js";
import { questions } from "./dialog.js";
import { $, descriptions, make } from "./dom.js";
import { decimal } from "./money.js";
import { orderName } from "./payment.js";
import { say } from "./words.js";

/** What each operation of a payment is called. */
const VERBS = { refunds: "refunding.title", capture: "capturing.send", cancel: "kept.cancel" };
/** And each entry of the drawer, which only the page of the day finishes and has words for. */
const ENTRIES = {
  paid_in: "day.paidIn", paid_out: "day.paidOut", bank_drop: "day.bankDrop", refund: "day.cashRefund",
};

function build() {
  const dialog = make("dialog", "", { id: "unfinished", className: "dialog" });
  dialog.setAttribute("aria-labelledby", "unfinished-title");
  dialog.setAttribute("aria-describedby", "unfinished-words");
  const buttons = make("div", "", { className: "buttons" });
  const button = (id, text, look) => make("button", text, { id, type: "button", className: look });
  buttons.append(
    button("unfinished-back", say("kept.back"), "button tall"),
    button("unfinished-drop", say("kept.drop"), "button tall"),
    button("unfinished-send", say("kept.send"), "button tall primary"));
  dialog.append(
    make("h2", "", { id: "unfinished-title" }),
    make("p", "", { id: "unfinished-words" }), make("dl", "", { id: "unfinished-facts", className: "facts" }), buttons);
  document.body.append(dialog);
  return questions(dialog);
}

const asked = build();
$("unfinished-back").addEventListener("click", () => asked.end(""));
$("unfinished-drop").addEventListener("click", () => asked.end("drop"));
$("unfinished-send").addEventListener("click", () => asked.end("send"));

/** What the request is about, as far as whoever is signed in may read it. @param {string} path */
async function subjectOf(path) {
  try {
    return await ask("GET", path);
  } catch (error) {
    if (error instanceof Refusal && error.status !== 401) return null;
    throw error;
  }
}

/** @param {import("./calls.js").Kept} kept @returns {Promise<[string, any][]>} */
async function factsOf({ path, body }) {
  const said = JSON.parse(body);
  const of = (minor, currency) => minor > 0 && currency && `${decimal(minor, currency)} ${currency}`;
  const [, payment, verb = ""] = /^(\/v1\/payments\/[^/]+)\/(\w+)$/.exec(path) ?? [];
  if (payment) {
    const subject = await subjectOf(payment);
    return [
      [say("kept.askedFor"), say(VERBS[verb] ?? verb)], [say("sale.amount"), of(said.amount, subject?.currency)],
      [say("fact.order"), subject?.order_id && orderName(subject)], [say("refunding.why"), said.reason],
      [say("latest.payment"), decodeURIComponent(payment.split("/").pop() ?? "")],
    ];
  }
  if (path.startsWith("/v1/day/")) {
    const day = said.drawer ? `/v1/day?drawer=${encodeURIComponent(said.drawer)}` : "/v1/day";
    const currency = (await subjectOf(day))?.session?.currency;
    return [[say("kept.askedFor"), say(ENTRIES[said.kind] ?? said.kind)],
      [say("sale.amount"), of(said.amount, currency)], [say("refunding.why"), said.reason]];
  }
  const isSale = path === "/v1/payments" || /^\/v1\/orders(\/|$)/.test(path);
  const what = path === "/v1/orders" ? "kept.parts" : isSale ? "parked.sale" : "kept.reviewed";
  return [
    [say("kept.askedFor"), say(what)], [say("sale.amount"), of(said.amount, said.currency)],
    [say("fact.order"), said.number ?? said.order_id], [say("attention.how"), said.evidence],
    [say("attention.entry"), !isSale && path.replace("/v1/", "")],
  ];
}

reactions.another = async (kept, people, isOwn) => {
  const facts = await factsOf(kept);
  const name = people.find(({ id }) => id === kept.person)?.name ?? say("kept.somebody");
  $("unfinished-title").textContent = say(isOwn ? "unfinished.own" : "kept.title");
  $("unfinished-words").textContent = isOwn ? say("unfinished.unrecorded") : say("kept.words", { name });
  $("unfinished-facts").replaceChildren(...descriptions(facts));
  const answer = asked.begin();
  $("unfinished-back").focus();
  return answer;
};
