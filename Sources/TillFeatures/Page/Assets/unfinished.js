// What somebody else asked for at this till and that has no answer: it is shown to whoever is signed in by now, and is
// sent again, under its key, only if they want it.

import { ask, reactions, Refusal } from "./calls.js";
import { questions } from "./dialog.js";
import { $, descriptions, make } from "./dom.js";
import { decimal } from "./money.js";
import { orderName } from "./payment.js";

/** What each operation of a payment is called. */
const VERBS = { refunds: "Refund", capture: "Capture", cancel: "Cancel or release" };
const ENTRIES = {
  paid_in: "Paid in", paid_out: "Paid out", bank_drop: "Bank drop", refund: "Cash for a failed refund",
};

function build() {
  const dialog = make("dialog", "", { id: "unfinished", className: "dialog", lang: "en", dir: "ltr" });
  dialog.setAttribute("aria-labelledby", "unfinished-title");
  dialog.setAttribute("aria-describedby", "unfinished-words");
  const buttons = make("div", "", { className: "buttons" });
  const button = (id, text, look) => make("button", text, { id, type: "button", className: look });
  buttons.append(
    button("unfinished-back", "Not now", "button tall"), button("unfinished-drop", "Discard", "button tall"),
    button("unfinished-send", "Send it again", "button tall primary"));
  dialog.append(
    make("h2", "Finish a request started by someone else?", { id: "unfinished-title" }),
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
      ["Asked for", VERBS[verb] ?? verb], ["Amount", of(said.amount, subject?.currency)],
      ["Order", subject?.order_id && orderName(subject)], ["Reason", said.reason],
      ["Payment", decodeURIComponent(payment.split("/").pop() ?? "")],
    ];
  }
  if (path.startsWith("/v1/day/")) {
    const currency = (await subjectOf("/v1/day"))?.session?.currency;
    return [["Asked for", ENTRIES[said.kind] ?? said.kind], ["Amount", of(said.amount, currency)],
      ["Reason", said.reason]];
  }
  const isSale = path === "/v1/payments" || path.startsWith("/v1/orders/");
  return [
    ["Asked for", isSale ? "A sale" : "What was reviewed"], ["Amount", of(said.amount, said.currency)],
    ["Order", said.order_id], ["Finding", said.evidence], ["For", !isSale && path.replace("/v1/", "")],
  ];
}

reactions.another = async (kept, people) => {
  const facts = await factsOf(kept);
  const name = people.find(({ id }) => id === kept.person)?.name ?? "Somebody else";
  $("unfinished-words").textContent = `${name} asked for this, and there was no answer. It may have been done already. `
    + "Sending it again cannot do it twice. It will be recorded under your name.";
  $("unfinished-facts").replaceChildren(...descriptions(facts));
  const answer = asked.begin();
  $("unfinished-back").focus();
  return answer;
};
