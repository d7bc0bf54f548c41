// Statements of providers: a file is chosen or dropped, sent as it is, and what came of it stands below. Nothing of it
// needs a key: the same file again changes nothing.

import { $, descriptions, make, offer } from "./dom.js";
import { clearFaults, mark } from "./notice.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { locale, parts, say } from "./words.js";

/** Providers by the till's word for them. */
export const TITLES = { stripe: "Stripe", paypal: "PayPal", braintree: "Braintree", adyen: "Adyen" };
let mostBytes = Infinity;
let isBusy = false;
/** The file that was dropped, which the field cannot take everywhere. @type {File | null} */
let dropped = null;

/** What the till takes. @param {{formats: {provider: string, format: string}[], maximum_bytes: number}} statements */
export function showStatements({ formats, maximum_bytes: most }) {
  mostBytes = most;
  if (!dropped) {
    $("statement-file-note").textContent = say("statement.choose", { size: most >> 20 });
  }
  const providers = [...new Set(formats.map(({ provider }) => provider))];
  if ($("statement-provider").options.length === providers.length + 1) return;
  offer($("statement-provider"), [
    make("option", say("statement.asFile"), { value: "" }),
    ...providers.map((name) => make("option", TITLES[name] ?? name, { value: name })),
  ]);
}

/** A count as the language writes it; English has it without separators. @param {number} count */
const counted = (count) => (locale ? count.toLocaleString(locale) : String(count));
/** What has plural forms, with its count. @param {string} key @param {number} count @param {object} [values] */
const several = (key, count, values) => say(key, { ...values, count: locale ? count : String(count) });

/** What came of it. @returns {[string, string, [string, any][]]} Tone, sentence, numbers. */
function words(found) {
  const isAgain = found.imported === 0 && found.known === found.lines;
  const wrong = found.differs + found.unknown + found.missing + found.remainders;
  const matched = say("statement.matched");
  const rows = [
    [matched, found.matched], [say("statement.posted"), found.posted], [say("statement.differs"), found.differs],
    [say("statement.unknown"), found.unknown], [say("statement.expected"), found.expected],
    [say("statement.missing"), found.missing], [say("statement.remainders"), found.remainders],
    [say("statement.known"), found.known],
  ];
  // What is nothing is not said, but that nothing matched is.
  const facts = /** @type {[string, any][]} */ (
    rows.filter(([name, count]) => count || name === matched).map(([name, count]) => [name, counted(count)]));
  const name = TITLES[found.provider] ?? found.provider;
  if (isAgain) {
    const open = found.open ? " " + several("statement.open", found.open) : "";
    return ["", say("statement.again", { name }) + open, facts];
  }
  const sentence = several("statement.imported", found.imported, { name });
  return wrong ? ["wait", `${sentence} ${several("statement.wrong", wrong)}`, facts]
    : ["good", `${sentence} ${say("statement.good")}`, facts];
}

function tell(tone, sentence, facts = []) {
  const result = $("statement-result");
  result.dataset.tone = tone;
  const list = make("dl", "");
  list.append(...descriptions(facts));
  const said = make("p", "");
  said.append(...parts(sentence));
  result.replaceChildren(said, ...(facts.length ? [list] : []));
  result.hidden = false;
}

const file = () => dropped ?? $("statement-file").files[0] ?? null;

function take(one) {
  dropped = one;
  $("statement-file").value = "";
  $("statement-file-note").textContent = say("statement.dropped", { name: one.name });
  mark("statement-file", "");
}

$("statement-file").addEventListener("change", () => {
  dropped = null;
  mark("statement-file", "");
});
const place = $("statement-drop");
for (const name of ["dragenter", "dragover"]) {
  place.addEventListener(name, (event) => {
    event.preventDefault();
    place.dataset.over = "";
  });
}
for (const name of ["dragleave", "drop"]) place.addEventListener(name, () => { delete place.dataset.over; });
place.addEventListener("drop", (event) => {
  event.preventDefault();
  const one = event.dataTransfer?.files[0];
  if (one) take(one);
});

function fault(id, text) {
  mark(id, text);
  $(id).focus();
}

async function send(one) {
  const query = new URLSearchParams();
  if ($("statement-provider").value) query.set("provider", $("statement-provider").value);
  const account = $("statement-account").value.trim();
  if (account) query.set("provider_account", account);
  const text = query.toString();
  tell("wait", say("statement.reading"));
  try {
    const found = await ask("POST", `/v1/reconciliation/statements${text && "?" + text}`, one);
    tell(...words(found));
    dropped = null;
    $("statement-file").value = "";
    document.dispatchEvent(new Event("till:imported"));
  } catch (error) {
    if (error instanceof Refusal && error.problem.code) {
      tell("bad", sentencesOf(error).join(" "));
      if (error.problem.code === "several_accounts") fault("statement-account", say("statement.which"));
      return;
    }
    tell("bad", `${say("statement.noAnswer")} ${say("pay.noMoney")}`);
  }
}

$("statement-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isBusy) return;
  clearFaults();
  const one = file();
  if (!one) return fault("statement-file", say("statement.noFile"));
  if (one.size === 0) return fault("statement-file", say("statement.empty"));
  if (one.size > mostBytes) return fault("statement-file", say("statement.tooLarge", { size: mostBytes >> 20 }));
  const account = $("statement-account").value.trim();
  if (!/^[\x21-\x7e]*$/.test(account)) {
    return fault("statement-account", say("order.characters"));
  }
  isBusy = true;
  $("statement-send").disabled = true;
  await send(one);
  isBusy = false;
  $("statement-send").disabled = false;
});
