// Card readers on the counter's page: which one to use, what a person sees at it, and canceling at it.

import { $, field, make, offer } from "./dom.js";
import { minorUnits } from "./money.js";
import { alertWith, ground, show } from "./notice.js";
import { sumOf } from "./order.js";
import { picture } from "./pictures.js";
import { offerReaders } from "./questions.js";
import { ask, fail } from "./requests.js";
import { may, session } from "./session.js";
import { known } from "./staff.js";
import { foreign, parts, say } from "./words.js";

// What the clerk reads in large letters while the reader works.
const HEADLINES = {
  waiting_for_input: "reader.waiting", card_inserted: "reader.inserted", processing: "reader.inserted",
  remove_card: "reader.remove", approved: "reader.approved", declined: "pay.declined", canceled: "pay.canceled",
  read_retry: "reader.retry", check_phone: "reader.phone", display_message: "reader.message",
  updating: "reader.updating", reconnecting: "reader.reconnecting", reconnected: "reader.reconnected",
  disconnected: "reader.disconnected",
};
const READ = ["card_inserted", "processing"];
const BAD = ["declined", "canceled", "disconnected"];
const PICTURES = {
  card_inserted: ["leave"], remove_card: ["remove"], read_retry: ["retry"], check_phone: ["phone"],
  updating: ["updating"], reconnecting: ["reconnecting"], disconnected: ["disconnected"],
};

/** The pictures beside what the reader said. @param {{type: string, input?: string[]}} news @returns {string[]} */
function picturesOf({ type, input }) {
  if (type === "waiting_for_input") return input ?? ["insert", "tap"];
  return active?.isTapped && READ.includes(type) ? [] : PICTURES[type] ?? [];
}
const CARDS = [
  ["visa", "Visa"], ["mastercard", "Mastercard"], ["amex", "American Express"], ["interac", "Interac (CAD only)"],
  ["declined:insufficient_funds", "Declined: insufficient funds"], ["declined:lost_card", "Declined"],
];
/**
 * The reader that is at work; one that is not listed is simulated here, and does what was chosen with it.
 * @type {{id: string, isListed: boolean, isSimulated: boolean, asksTip: boolean, isTapped?: boolean,
 *   last?: any} | null}
 */
let active = null;

/** The page says above everything that no real money moves; only there a reader is simulated. */
const isTest = document.querySelector(".test-mode") !== null;
/** Whether whoever moves the money takes a card that is typed here. */
const takesCards = document.body.dataset.cards !== "none";
/** How often, and after how long, it is asked again for readers that a provider did not tell of, and how they are. */
const MOST_TRIES = 30;
const AGAIN_MS = 10_000;
let tries = 0;
let retry = 0;
/** What the till last said of the readers. */
let heard = "";

const choice = make("select", "", { id: "reader" });
const chosen = field(say("reader.reader"), choice);
const gone = make("p", "", { id: "reader-gone", className: "fault" });
gone.setAttribute("role", "status");
choice.setAttribute("aria-describedby", gone.id);
chosen.append(gone);
chosen.hidden = true;
const simulated = $("simulated").closest(".field");
const tick = make("input", "", { id: "ask-tip", type: "checkbox" });
const tickBox = make("label", "", { className: "choice", hidden: true });
tickBox.append(tick, make("span", say("reader.askTip")));
const part = make("input", "", { id: "tip-on", inputMode: "decimal", autocomplete: "off" });
part.setAttribute("aria-describedby", "tip-on-fault tip-on-note");
const partBox = field(say("reader.tipOn"), part);
partBox.append(make("p", "", { id: "tip-on-fault", className: "fault" }),
  make("p", say("reader.tipNote"), { id: "tip-on-note", className: "note" }));
partBox.hidden = true;
$("tender-reader").prepend(chosen, tickBox, partBox);

const panel = make("div", "", { id: "reader-panel", className: "buttons", hidden: true });
const off = make("button", say("reader.cancel"), { type: "button", id: "reader-off" });
const card = make("select", "", { id: "reader-card", lang: "en" });
card.setAttribute("aria-label", "Test card");
card.append(...CARDS.map(([value, text]) => make("option", text, { value })));
const tip = make("input", "", {
  id: "reader-tip", inputMode: "decimal", autocomplete: "off", placeholder: "Tip, 0.00", lang: "en",
});
tip.setAttribute("aria-label", "Tip that the customer gives");
const present = make("button", "Present the test card", { type: "button", id: "reader-present", lang: "en" });
panel.append(off, card, tip, present);
const battery = make("p", "", { id: "reader-battery", className: "reader-note", hidden: true });
battery.setAttribute("role", "status");
const batteryText = make("span", "");
battery.append(picture("battery"), batteryText);
$("result").after(panel, battery);

// Some schemes, such as Interac, refund only to the card that is presented again.
const back = make("select", "", { id: "refund-reader" });
const backBox = field(say("refunding.reader"), back);
backBox.hidden = true;
$("refund-form").querySelector("button").before(backBox);
export function showRefundReader(payment) {
  backBox.hidden = !may("readers") || payment.tender?.brand !== "interac" || !back.options.length;
}

/** The reader of a refund, as its request wants it. */
export function refundReader() {
  if (backBox.hidden) return {};
  const isSimulated = back.selectedOptions[0].dataset.simulated === "yes";
  active = { id: back.value, isListed: true, isSimulated, asksTip: false };
  return { reader: back.value };
}

const selected = () => choice.selectedOptions[0];
const isListed = () => !chosen.hidden && choice.value !== "simulated";
function showChoice() {
  simulated.hidden = isListed();
  tickBox.hidden = !isListed() || selected()?.dataset.asksTip !== "yes";
  if (tickBox.hidden) tick.checked = false;
  partBox.hidden = !isListed() || !tick.checked;
  const words = isListed() && selected()?.dataset.status === "offline" ? say("reader.disconnected") : "";
  if (gone.textContent !== words) gone.textContent = words;
}
choice.addEventListener("change", showChoice);
tick.addEventListener("change", showChoice);

/** The chosen reader as a request's tender, or the field that is wrong. */
export function readerTender(sale) {
  battery.hidden = true;
  if (!isListed()) {
    active = { id: "simulated", isListed: false, isSimulated: true, asksTip: false };
    return { tender: { type: "reader", reader: "simulated", card: $("simulated").value } };
  }
  /** @type {{type: string, reader: string, ask_tip?: boolean, tip_on?: number}} */
  const tender = { type: "reader", reader: choice.value };
  if (tick.checked) {
    tender.ask_tip = true;
    if (part.value.trim()) {
      const { currency, minor } = sumOf(sale);
      const from = minorUnits(part.value, currency);
      if (from.fault) return { field: "tip-on", fault: from.fault };
      if (from.value > minor) return { field: "tip-on", fault: say("reader.moreThanSale") };
      tender.tip_on = from.value;
    }
  }
  const isSimulated = selected().dataset.simulated === "yes";
  active = { id: choice.value, isListed: true, isSimulated, asksTip: tick.checked };
  tip.value = "";
  return { tender };
}

/** @param {string} value @returns {HTMLInputElement} */
const way = (value) => document.querySelector(`input[name=tender][value=${value}]`);

/** Somebody has chosen how the customer pays, or begun to enter it. */
let isChosen = false;
let isOurs = false;
for (const id of ["tender-card", "tender-cash"]) $(id).addEventListener("input", () => { isChosen = true; });
for (const radio of document.querySelectorAll("input[name=tender]")) {
  radio.addEventListener("change", () => { isChosen ||= !isOurs; });
}

/** Chooses a way of paying for nobody in particular. @param {HTMLInputElement} radio */
function preselect(radio) {
  radio.checked = true;
  isOurs = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  isOurs = false;
}

/**
 * Offers a way of paying or takes it away; whoever had chosen what is taken away types the card instead, or takes cash
 * where nobody takes typed cards.
 * @param {string} value @param {boolean} isOffered
 */
export function offerTender(value, isOffered) {
  const radio = way(value);
  radio.closest("label").hidden = !isOffered;
  if (isOffered || !radio.checked) return;
  preselect(["card", "cash"].map(way).find((other) => !other.closest("label").hidden));
}

/** @param {boolean} isThere There is a reader that can take the money. */
function offerReader(isThere) {
  const isNew = way("reader").closest("label").hidden;
  offerTender("reader", isThere && may("readers"));
  // Where money is real it is the first choice once it is known of.
  if (!isTest && isNew && isThere && may("readers") && !isChosen && !session.busy) preselect(way("reader"));
}

/** Asks once more for the readers that real money needs. */
function askAgain() {
  if (isTest || tries >= MOST_TRIES) return;
  tries += 1;
  clearTimeout(retry);
  retry = setTimeout(load, AGAIN_MS);
}

/** @param {boolean} [isNews] Nobody here has asked for it. */
async function load(isNews = false) {
  await known;
  offerReader(isTest || choice.options.length > 0);
  if (!may("readers")) {
    chosen.hidden = true;
    showChoice();
    return offerReaders([]);
  }
  let answer;
  try {
    answer = await ask("GET", "/v1/terminal/readers");
  } catch {
    return isNews ? undefined : askAgain();
  }
  const now = JSON.stringify(answer.readers);
  if (isNews && (!answer.complete || now === heard || session.busy)) return;
  heard = now;
  if (!answer.complete) askAgain();
  const readers = answer.readers.filter((reader) => isTest || !reader.simulated);
  const options = () => readers.map((reader) => {
    const label = reader.status === "offline" ? say("reader.notSeen", { name: reader.label }) : reader.label;
    const option = make("option", label, { value: reader.id });
    option.dataset.simulated = reader.simulated ? "yes" : "no";
    option.dataset.asksTip = reader.asks_tip ? "yes" : "no";
    option.dataset.status = reader.status;
    option.defaultSelected = reader.preferred;
    return option;
  });
  offer(choice, [...options(), ...(isTest ? [make("option", say("reader.simulated"), { value: "simulated" })] : [])]);
  offer(back, options());
  chosen.hidden = readers.length === 0;
  offerReader(isTest || readers.length > 0);
  showChoice();
  offerReaders(readers.filter((reader) => reader.asks_questions));
}

async function command(verb, body) {
  if (!active) return;
  try {
    await ask("POST", `/v1/terminal/readers/${encodeURIComponent(active.id)}/${verb}`, JSON.stringify(body));
  } catch (error) {
    fail(error);
  }
}
off.addEventListener("click", () => command("cancel", {}));
present.addEventListener("click", () => {
  alertWith("");
  /** @type {{value?: number, fault?: string}} */
  const given = tip.hidden || !tip.value.trim() || !session.payment ? {}
    : minorUnits(tip.value, session.payment.currency);
  if (given.fault) {
    alertWith("The tip: " + given.fault);
    return tip.focus();
  }
  command("card", { card: card.value, ...(given.value && { tip: given.value }) });
});

function paint() {
  if (!active?.last || !session.busy) return;
  const { type, percent } = active.last;
  const message = active.last.isOwn ? say("reader.insertOrTap") : foreign(String(active.last.message));
  panel.hidden = type !== "waiting_for_input" || !active.isListed;
  card.hidden = present.hidden = !active.isSimulated;
  tip.hidden = !active.isSimulated || !active.asksTip;
  if (!HEADLINES[type]) return;
  const tone = type === "approved" ? "good" : BAD.includes(type) ? "bad" : "wait";
  const words = say(active.isTapped && READ.includes(type) ? "reader.read" : HEADLINES[type]);
  const headline = words + (Number.isInteger(percent) ? `: ${percent} %` : "");
  show(tone, headline, message, tone === "wait", picturesOf(active.last));
  ground("wait");
}
function happened(news) {
  if (!active) return;
  if (news.type === "low_battery" || news.type === "low_battery_resolved") {
    // It is said beside what the customer does; that goes on.
    battery.hidden = news.type !== "low_battery";
    batteryText.replaceChildren(...parts(foreign(String(news.message))));
  } else {
    active.last = news;
    if (news.type === "card_inserted") active.isTapped = Boolean(news.input) && !news.input.includes("insert");
  }
  paint();
}
document.addEventListener("till:reader", (event) => happened(/** @type {CustomEvent} */ (event).detail));

// What a reader said before this page listened is not repeated, so the page asks for itself; and the payment's own
// state must not paint over what a person sees at the reader. Without a sale there is nothing to cancel.
let ticks = 0;
setInterval(async () => {
  if (!session.busy) {
    panel.hidden = true;
    active = null;
    return;
  }
  paint();
  const mine = active;
  if (!mine?.isListed || mine.last || ticks++ % 3) return;
  try {
    const { readers } = await ask("GET", "/v1/terminal/readers");
    if (active === mine && !mine.last && readers.some((reader) => reader.id === mine.id && reader.busy)) {
      happened({ type: "waiting_for_input", isOwn: true });
    }
  } catch { /* asked again */ }
}, 250);

// A reader that goes away is seen before Charge.
setInterval(() => {
  if (way("reader").checked && !session.busy && !document.hidden && !$("till").hidden) load(true);
}, AGAIN_MS);

way("reader").addEventListener("change", () => {
  if (!isOurs) load();
});
document.addEventListener("till:signed-in", () => load());
offerTender("card", takesCards);
if (!isTest) {
  offerTender("reader", false);
  simulated.remove();
}
load();
