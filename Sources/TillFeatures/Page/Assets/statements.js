// Statements of providers: a file is chosen or dropped, sent as it is, and what came of it stands below. Nothing of it
// needs a key: the same file again changes nothing.

import { $, descriptions, make, offer } from "./dom.js";
import { clearFaults, mark } from "./notice.js";
import { ask, Refusal, sentencesOf } from "./requests.js";

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
    $("statement-file-note").textContent = `Choose it or drop it here: CSV or JSON, at most ${most >> 20} MB.`;
  }
  const providers = [...new Set(formats.map(({ provider }) => provider))];
  if ($("statement-provider").options.length === providers.length + 1) return;
  offer($("statement-provider"), [
    make("option", "As the file says", { value: "" }),
    ...providers.map((name) => make("option", TITLES[name] ?? name, { value: name })),
  ]);
}

const lines = (count) => (count === 1 ? "1 line" : `${count} lines`);

/** What came of it. @returns {[string, string, [string, any][]]} Tone, sentence, numbers. */
function words(found) {
  const isAgain = found.imported === 0 && found.known === found.lines;
  const wrong = found.differs + found.unknown + found.missing + found.remainders;
  const rows = [
    ["Matched", found.matched], ["Fees and payouts", found.posted], ["Different amount", found.differs],
    ["Unknown here", found.unknown], ["Expected in a later statement", found.expected],
    ["Missing at the provider", found.missing], ["Payouts with a remainder", found.remainders],
    ["Known before", found.known],
  ];
  // What is nothing is not said, but that nothing matched is.
  const facts = /** @type {[string, any][]} */ (
    rows.filter(([name, count]) => count || name === "Matched").map(([name, count]) => [name, String(count)]));
  const name = TITLES[found.provider] ?? found.provider;
  if (isAgain) {
    const open = found.open ? ` ${found.open} of it is still open below.` : "";
    return ["", `${name}: this statement was imported before. Nothing was changed.${open}`, facts];
  }
  const sentence = `${name}: ${lines(found.imported)} imported.`;
  return wrong
    ? ["wait", `${sentence} ${wrong === 1 ? "One thing does" : `${wrong} things do`} not match.`, facts]
    : ["good", `${sentence} Everything matches.`, facts];
}

function tell(tone, sentence, facts = []) {
  const result = $("statement-result");
  result.dataset.tone = tone;
  const list = make("dl", "");
  list.append(...descriptions(facts));
  result.replaceChildren(make("p", sentence), ...(facts.length ? [list] : []));
  result.hidden = false;
}

const file = () => dropped ?? $("statement-file").files[0] ?? null;

function take(one) {
  dropped = one;
  $("statement-file").value = "";
  $("statement-file-note").textContent = `Dropped: ${one.name}`;
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
  tell("wait", "The statement is being read…");
  try {
    const found = await ask("POST", `/v1/reconciliation/statements${text && "?" + text}`, one);
    tell(...words(found));
    dropped = null;
    $("statement-file").value = "";
    document.dispatchEvent(new Event("till:imported"));
  } catch (error) {
    if (error instanceof Refusal && error.problem.code) {
      tell("bad", sentencesOf(error).join(" "));
      if (error.problem.code === "several_accounts") fault("statement-account", "Which account is it of?");
      return;
    }
    tell("bad", "The till did not answer. A part may be imported: send the same file again, nothing is duplicated. "
      + "No money moved.");
  }
}

$("statement-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isBusy) return;
  clearFaults();
  const one = file();
  if (!one) return fault("statement-file", "Choose a file.");
  if (one.size === 0) return fault("statement-file", "The file is empty.");
  if (one.size > mostBytes) return fault("statement-file", `The file has more than ${mostBytes >> 20} MB.`);
  const account = $("statement-account").value.trim();
  if (!/^[\x21-\x7e]*$/.test(account)) {
    return fault("statement-account", "Use letters, digits and symbols, without spaces.");
  }
  isBusy = true;
  $("statement-send").disabled = true;
  await send(one);
  isBusy = false;
  $("statement-send").disabled = false;
});
