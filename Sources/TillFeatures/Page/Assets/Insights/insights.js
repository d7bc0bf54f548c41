// What happened in a span of days. The range, the currency and the grouping stand in the address.

import { ask } from "./calls.js";
import { $, make } from "./dom.js";
import { listen, showPerson, wordsOf } from "./frame.js";
import { rangeOf, render } from "./insights-shown.js";
import "./language.js";
import { putLinked } from "./links.js";
import { say } from "./words.js";

const USUAL_DAYS = 14;
const RANGES = [1, 7, 14, 90];
/** Above so many days weeks are drawn, unless days are asked for. */
const MOST_COLUMNS = 62;
/** The till refuses more. */
const MOST_DAYS = 400;
const DAY_MS = 86_400_000;
const NEWS = say("insights.changed");
const MISSED = say("insights.missed");

/** @type {any} */
let answer = null;
/** Counts the questions, so that a late answer is not shown. */
let asked = 0;

const state = () => Object.fromEntries(new URLSearchParams(location.search));

/** Goes on with other choices; empty ones leave the address. @param {Record<string, string>} choices */
function go(choices, isRead = true) {
  const query = new URLSearchParams(state());
  for (const [name, value] of Object.entries(choices)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  history.pushState(null, "", location.pathname + (text && "?" + text));
  if (isRead) refresh();
  else draw();
}

const daysBack = (date, days) => new Date(new Date(date + "T00:00:00Z").getTime() - days * DAY_MS)
  .toISOString().slice(0, 10);

/** The day that it is in the shop. */
function today() {
  const found = new Intl.DateTimeFormat("en", {
    timeZone: answer.zone, year: "numeric", month: "2-digit", day: "2-digit",
  }).formatToParts(new Date(answer.at));
  const of = (name) => found.find(({ type }) => type === name)?.value ?? "";
  return `${of("year")}-${of("month")}-${of("day")}`;
}

/** The question for what the address says; for its last days the till must have told its zone before. */
function question() {
  const { days, from, until } = state();
  const query = new URLSearchParams();
  if (from) query.set("from", from);
  if (until) query.set("until", until);
  const count = Math.min(MOST_DAYS, Math.max(1, Math.trunc(Number(days)) || USUAL_DAYS));
  if (!from && !until && days && answer) query.set("from", daysBack(today(), count - 1));
  const text = query.toString();
  return text && "?" + text;
}

async function refresh() {
  const mine = asked += 1;
  $("main").setAttribute("aria-busy", "true");
  try {
    const { days, from, until } = state();
    let found = await ask("GET", "/v1/insights" + question());
    if (mine !== asked) return;
    const isFirst = answer === null;
    answer = found;
    if (isFirst && days && Number(days) !== USUAL_DAYS && !from && !until) {
      found = await ask("GET", "/v1/insights" + question());
      if (mine !== asked) return;
      answer = found;
    }
    $("alert").hidden = $("news").hidden = true;
    draw();
  } catch (error) {
    if (mine !== asked) return;
    if (!answer) $("about").textContent = "";
    const words = wordsOf(error);
    putLinked($("alert"), words);
    $("alert").hidden = !words;
  } finally {
    if (mine === asked) $("main").removeAttribute("aria-busy");
  }
}

/** The currency of the address, or the one with the most captures. */
function currencyShown() {
  const { currency } = state();
  if (answer.currencies.some((one) => one.currency === currency)) return currency;
  const most = [...answer.currencies].sort((left, right) => right.now.captures - left.now.captures)[0];
  return most?.currency ?? "EUR";
}

function draw() {
  if (!answer) return;
  const { days, from, until, by } = state();
  const currency = currencyShown();
  const chosen = from || until ? 0 : Number(days ?? USUAL_DAYS);
  for (const each of RANGES) $(`range-${each}`).setAttribute("aria-pressed", String(each === chosen));
  $("from").value = answer.from;
  $("until").value = answer.until;
  $("legend-before-words").textContent = rangeOf(answer.before.from, answer.before.until);
  $("currencies").hidden = answer.currencies.length < 2;
  $("currencies").replaceChildren(...answer.currencies.map((one) => {
    const button = make("button", one.currency, { type: "button" });
    button.setAttribute("aria-pressed", String(one.currency === currency));
    button.addEventListener("click", () => {
      go({ currency: one.currency }, false);
      /** @type {any} */ ($("currencies").querySelector("[aria-pressed=true]"))?.focus();
    });
    return button;
  }));
  const query = new URLSearchParams({ from: answer.from, until: answer.until });
  $("export").href = "/v1/insights.csv?" + query.toString();
  render(answer, currency, by ? by === "week" : answer.days.length > MOST_COLUMNS);
}

for (const each of RANGES) {
  $(`range-${each}`).addEventListener("click", () => {
    go({ days: each === USUAL_DAYS ? "" : String(each), from: "", until: "" });
  });
}
$("range").addEventListener("submit", (event) => {
  event.preventDefault();
  go({ from: $("from").value, until: $("until").value, days: "" });
});
for (const by of ["day", "week"]) $(`by-${by}`).addEventListener("click", () => go({ by }, false));
$("again").addEventListener("click", refresh);
addEventListener("popstate", refresh);

// Figures never move while somebody reads them: what is new waits behind a button.
function news(words) {
  $("news-words").textContent = words + " ";
  $("news").hidden = !answer;
}

showPerson();
refresh();
listen(() => news(NEWS), () => news(MISSED), {});
