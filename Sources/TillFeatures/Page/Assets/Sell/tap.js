// Tap to Pay on the counter's page: a virtual card is chosen and held to the reader, and what it says is shown.

import { $, field, make, offer } from "./dom.js";
import { show } from "./notice.js";
import { offerTender } from "./readers.js";
import { ask, fail } from "./requests.js";
import { may, session } from "./session.js";
import { known } from "./staff.js";

// How far a tap has come, in percent: by the steps of its story, and by what the reader says.
const PROGRESS = {
  updateProgress: 5, readyForTap: 10, cardDetected: 50, readRetry: 10, removeCard: 90, readCompleted: 100,
};
const NEWS = { waiting_for_input: 10, card_inserted: 50, remove_card: 90, card_details_collected: 100 };
const HEADLINES = {
  waiting_for_input: "Hold the card or phone to the reader", card_inserted: "Reading the card",
  remove_card: "Remove the card", card_details_collected: "Card read", canceled: "Canceled",
};
let isActive = false;
/** What the reader said last. @type {{type: string, message: string} | null} */
let last = null;

const panel = make("div", "", { id: "tap-panel", className: "tap", hidden: true, lang: "en", dir: "ltr" });
const bar = make("progress", "", { id: "tap-progress", max: 100, value: 0 });
bar.setAttribute("aria-label", "Progress of the tap");
const choice = make("select", "", { id: "tap-card" });
const buttons = make("div", "", { className: "buttons" });
const tap = make("button", "Tap", { type: "button", id: "tap-present", className: "primary", disabled: true });
const off = make("button", "Cancel the tap", { type: "button", id: "tap-off" });
buttons.append(tap, off);
panel.append(bar, field("Virtual card", choice), buttons);
const loyalty = make("p", "", { id: "tap-loyalty", className: "note", role: "status" });
$("result").after(panel, loyalty);

/** Begins a tap; gives the request's tender. */
export function tapTender() {
  isActive = true;
  last = null;
  bar.value = 0;
  loyalty.textContent = "";
  return { type: "reader", reader: "tap" };
}

async function load() {
  await known;
  if (!may("readers")) return offerTender("tap", false);
  let answer;
  try {
    answer = await ask("GET", "/v1/tap");
  } catch {
    return;
  }
  offerTender("tap", answer.available);
  offer(choice, answer.cards.map((card) => make("option", card.label, { value: card.name })));
}

async function command(verb, more) {
  if (!session.payment) return;
  try {
    await ask("POST", `/v1/tap/${verb}`, JSON.stringify({ payment: session.payment.id, ...more }));
  } catch (error) {
    fail(error);
  }
}
tap.addEventListener("click", () => {
  tap.disabled = true;
  command("card", { card: choice.value });
});
choice.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || tap.disabled) return;
  event.preventDefault();
  tap.click();
});
off.addEventListener("click", () => command("cancel", {}));

function waiting(isWaiting) {
  const began = isWaiting && tap.disabled;
  tap.disabled = !isWaiting;
  // The clerk's hand is at the keyboard: what comes next is under it, unless a card is being chosen.
  if (began && document.activeElement !== choice) tap.focus({ preventScroll: true });
}

function paint() {
  if (!isActive || !session.busy) return;
  panel.hidden = !session.payment;
  if (!last || !HEADLINES[last.type]) return;
  const isOver = last.type === "canceled";
  show(isOver ? "bad" : "wait", HEADLINES[last.type], String(last.message), !isOver);
}

document.addEventListener("till:reader", (event) => {
  if (!isActive) return;
  last = /** @type {CustomEvent} */ (event).detail;
  waiting(last.type === "waiting_for_input");
  bar.value = NEWS[last.type] ?? bar.value;
  paint();
});

async function showLoyalty(id) {
  try {
    const { loyalty: passes } = await ask("GET", `/v1/tap/story?payment=${encodeURIComponent(id)}`);
    if (session.payment?.id !== id) return;
    loyalty.textContent = passes.map((pass) => `Loyalty: ${pass.message}`).join(" ");
  } catch {
    loyalty.textContent = "";
  }
}

// What the reader said before this page listened is not repeated, so the page asks for itself.
let ticks = 0;
setInterval(async () => {
  if (!session.busy) {
    const id = session.payment?.id ?? null;
    if (isActive && id) showLoyalty(id);
    isActive = false;
    panel.hidden = true;
    if (!id) loyalty.textContent = "";
    return;
  }
  paint();
  if (!isActive || last || !session.payment || ticks++ % 2) return;
  const id = session.payment.id;
  try {
    const story = await ask("GET", `/v1/tap/story?payment=${encodeURIComponent(id)}`);
    if (!isActive || last || session.payment?.id !== id) return;
    bar.value = Math.max(bar.value, ...story.steps.map((step) => PROGRESS[step] ?? 0));
    if (story.waiting) {
      last = { type: "waiting_for_input", message: "Ready. Hold the card or phone near the reader." };
      waiting(true);
      paint();
    }
  } catch { /* asked again */ }
}, 250);

document.addEventListener("till:signed-in", load);
load();
