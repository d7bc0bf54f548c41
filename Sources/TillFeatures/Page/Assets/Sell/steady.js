// Lists whose rows stay where they are while somebody has them in hand: what is there is brought up to date in its
// place; what comes, goes or moves waits until nobody is about to tap, or until somebody asks for it.

/** After a touch of a list, a swipe or a turn of the wheel somebody is still about to tap. */
const HAND_MS = 2_000;
/** How often it is looked whether a list that waits was let go. */
const SETTLE_MS = 300;

/** @type {{box: HTMLElement, settle: () => void}[]} */
const lists = [];
/** The lists that a pointer is over. @type {Set<HTMLElement>} */
const under = new Set();
let touchedAt = -Infinity;
let due = 0;

const touched = () => { touchedAt = performance.now(); };
for (const sign of ["touchmove", "wheel"]) addEventListener(sign, touched, { capture: true, passive: true });

/** One list that grows moves those below it: in hand is one for all. */
const isInHand = () => performance.now() - touchedAt < HAND_MS
  || lists.some(({ box }) => under.has(box) && box.getClientRects().length > 0
    || box.querySelector(":focus-visible") !== null);

/** Waits until nothing is in hand. */
function watch() {
  clearTimeout(due);
  due = setTimeout(() => {
    if (isInHand()) return watch();
    for (const { settle } of lists) settle();
  }, SETTLE_MS);
}

/**
 * Makes a list steady.
 * @param {object} parts
 * @param {HTMLElement} parts.box In which a pointer, a finger or the focus has the list in hand.
 * @param {HTMLElement} parts.rows What the rows are in.
 * @param {HTMLElement} parts.news The button that shows what waits.
 * @param {(count: number) => string} parts.words What it says.
 * @param {(item: any) => HTMLElement} parts.make A row.
 * @param {(row: HTMLElement, item: any) => void} parts.fill Brings a row up to date; what is tapped in it stays.
 * @param {(row: HTMLElement) => void} [parts.retire] Shuts a row whose item is gone.
 * @param {(items: any[]) => void} [parts.placed] Told which items have been put in place.
 * @returns {(items: any[]) => void} Shows items, each with an `id`, in their order.
 */
export function steady({ box, rows, news, words, make, fill, retire = () => {}, placed = () => {} }) {
  /** @type {Map<string, HTMLElement>} */
  let shown = new Map();
  /** @type {any[]} */
  let wanted = [];
  let isWaiting = false;
  let isFirst = true;

  /** Puts in place what waits; a row that stays is not touched. */
  function settle() {
    if (!isWaiting) return;
    isWaiting = false;
    news.hidden = true;
    const next = new Map(wanted.map((item) => [item.id, shown.get(item.id) ?? make(item)]));
    for (const [id, row] of shown) if (!next.has(id)) row.remove();
    let place = rows.firstElementChild;
    for (const row of next.values()) {
      if (row === place) place = place.nextElementSibling;
      else rows.insertBefore(row, place);
    }
    shown = next;
    placed(wanted);
  }

  box.addEventListener("pointerenter", () => under.add(box));
  box.addEventListener("pointerleave", () => under.delete(box));
  box.addEventListener("touchstart", touched, { passive: true });
  news.addEventListener("click", () => {
    settle();
    // The button is gone: a key goes on in the list.
    /** @type {HTMLElement | null} */
    const first = rows.querySelector("a, button");
    first?.focus({ preventScroll: true });
  });
  lists.push({ box, settle });

  return (items) => {
    wanted = items;
    const names = items.map((item) => item.id);
    for (const item of items) {
      const row = shown.get(item.id);
      if (row) fill(row, item);
    }
    for (const [id, row] of shown) if (!names.includes(id)) retire(row);
    isWaiting = isFirst || names.join() !== [...shown.keys()].join();
    if (!isWaiting) news.hidden = true;
    else if (isFirst || !isInHand()) settle();
    else {
      const count = names.filter((id) => !shown.has(id)).length;
      news.textContent = words(count);
      news.hidden = count === 0;
      watch();
    }
    isFirst = false;
  };
}
