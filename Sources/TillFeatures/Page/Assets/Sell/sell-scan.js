// A scanner types like a keyboard, but faster than anybody: its burst goes to the search, and its Enter charges
// nothing.

import { $ } from "./dom.js";
import { isField, isSelling, isStripe } from "./sell-keys.js";

/** The longest time between two characters of a burst, which no person keeps to. */
const GAP_MS = 35;
/** Fewer characters are no code: of a field, in which a short text may be pasted or typed in haste, and of the page. */
const LEAST_IN_FIELD = 6;
const LEAST = 3;
const MOST = 128;
/** After the last character; a scanner's Enter comes before. */
const END_MS = 120;

/** `place` is where its characters have gone, and `before` what stood there. */
const NONE = { text: "", at: -Infinity, place: null, before: "", isInField: false, isProposed: false };
/**
 * @type {{text: string, at: number, place: any, before: string, isInField: boolean, isProposed: boolean}}
 */
let burst = NONE;
let due = 0;

const isBurst = () => burst.text.length >= (burst.isInField ? LEAST_IN_FIELD : LEAST);
/** Whether the burst is kept from the page, and waits for its end. */
let isTaken = false;
const forget = () => {
  burst = NONE;
  isTaken = false;
};

/** Undoes what the burst has typed and looks for it instead. */
function deliver() {
  clearTimeout(due);
  const { text, place, before, isProposed } = burst;
  forget();
  if (!place || place.autocomplete?.startsWith("cc-")) return;
  place.value = before;
  if (isProposed) place.dataset.proposed = "";
  place.dispatchEvent(new Event("input"));
  if (isStripe(text)) return;
  $("q").value = text;
  document.dispatchEvent(new Event("till:find"));
}

/** Another key ends a burst. */
const end = () => (isTaken ? deliver() : forget());

/** Stops a key before anything else sees it. */
function take(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function onEnter(event) {
  const isScan = isBurst() && event.timeStamp - burst.at <= END_MS;
  if (!isScan) return forget();
  // The search field and a question have an Enter of their own.
  if (!burst.place.closest("#sale")) return forget();
  take(event);
  deliver();
}

addEventListener("keydown", (event) => {
  if (!isSelling() || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return end();
  if (event.key === "Enter") return onEnter(event);
  if (event.key.length !== 1) {
    if (event.key !== "Shift") end();
    return;
  }
  const isInField = isField(event.target);
  const place = isInField ? event.target : $("amount");
  const goesOn = event.timeStamp - burst.at <= (isTaken ? END_MS : GAP_MS) && burst.place === place;
  if (!goesOn) {
    end();
    burst = {
      text: "", at: 0, place, before: place.value, isInField, isProposed: "proposed" in place.dataset,
    };
  }
  burst.text = (burst.text + event.key).slice(0, MOST);
  burst.at = event.timeStamp;
  // In a field the Enter decides; elsewhere the burst is taken as soon as it is one.
  if (isInField || !isBurst()) return;
  take(event);
  isTaken = true;
  clearTimeout(due);
  due = setTimeout(deliver, END_MS);
}, { capture: true });
