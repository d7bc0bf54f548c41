// What happens elsewhere is shown as it happens: sales of other tills, orders that come in or are paid, and what
// becomes of the payment that is shown.

import { $ } from "./dom.js";
import { list, listLatest } from "./latest.js";
import { listOpenOrders } from "./open-orders.js";
import { hear, refresh } from "./shown.js";
import { follow } from "./streams.js";

const NEWS_MS = 1_000;
const AGAIN_MS = 5_000;

/**
 * Does once, and soon, what many events want; a tab that nobody sees does it once it is seen.
 * @param {() => Promise<boolean>} work Says whether it was done; what was not is done again.
 * @returns {() => void}
 */
function soon(work) {
  let due = 0;
  let isOwed = false;
  async function now() {
    due = 0;
    isOwed = document.hidden;
    // Whoever signs in sees everything anew.
    if (isOwed || $("till").hidden) return;
    if (!(await work())) due = due || setTimeout(now, AGAIN_MS);
  }
  document.addEventListener("visibilitychange", () => {
    if (isOwed && !document.hidden) now();
  });
  return () => { due = due || setTimeout(now, NEWS_MS); };
}

/** Done once the till is shown to somebody. @returns {Promise<void>} */
const shown = () => new Promise((resolve) => {
  if (!$("till").hidden) resolve();
  else document.addEventListener("till:signed-in", () => resolve(), { once: true });
});

function readAll() {
  list();
  refresh();
}

/** Begins to follow the till. */
export function goLive() {
  const latest = soon(() => listLatest(true));
  const orders = soon(() => listOpenOrders(true));
  follow("/v1/events", {
    ready: shown,
    each({ event, data }) {
      const news = JSON.parse(data ?? "{}");
      hear(event, news);
      // What a reader says changes no payment.
      if (event !== "reader") latest();
    },
    missed: readAll,
    begun: latest,
    // Whether the till is there at all is known by asking.
    live(isLive) { if (!isLive) latest(); },
    shut: list,
  });
  follow("/v1/orders/events", { ready: shown, each: orders, missed: orders, begun: orders, shut: list });
}
