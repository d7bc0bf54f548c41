// Cards that were read without a network. Stored is not paid, and the page says so.

import { time } from "./clock.js";
import { descriptions, make } from "./dom.js";
import { money } from "./money.js";
import { ask } from "./requests.js";

const ASK_EVERY_MS = 10_000;
const stored = make("section", "", { id: "stored", className: "card", lang: "en", dir: "ltr" });
stored.setAttribute("aria-labelledby", "stored-title");
const facts = make("dl", "", { id: "stored-facts" });
const why = make("ul", "", { id: "stored-why", className: "attention", hidden: true });
stored.append(make("h2", "Stored, not paid", { id: "stored-title" }),
  make("p",
    "These cards were read offline and are not authorized yet; the till forwards them when it can.",
    { className: "note" }),
  facts, why);

function age(since) {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 60_000));
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return `${minutes} minute${minutes === 1 ? "" : "s"}`;
  return `${Math.floor(minutes / 60)} hours`;
}

async function refresh() {
  let now;
  try {
    now = await ask("GET", "/v1/offline");
  } catch {
    return stored.remove();
  }
  const aside = now.quarantined?.length ?? 0;
  if (!now.count && !aside) return stored.remove();
  if (!stored.isConnected) document.querySelector(".columns").after(stored);
  const sums = now.sums.map(({ amount, currency }) => money(amount, currency)).join(", ");
  facts.replaceChildren(...descriptions([
    ["Payments", String(now.count)], ["Sum", sums],
    ["Oldest", now.oldest_at && `${age(now.oldest_at)} old`],
    ["To be sent until", now.expires_at && time(now.expires_at)],
    ["More may be stored until", now.accepts_until && time(now.accepts_until)],
    ["Put aside", aside ? String(aside) : ""],
  ]));
  const reasons = (now.reasons_against ?? []).map((reason) => make("li", reason.what));
  why.replaceChildren(...reasons);
  why.hidden = !reasons.length;
}
setInterval(refresh, ASK_EVERY_MS);
refresh();
