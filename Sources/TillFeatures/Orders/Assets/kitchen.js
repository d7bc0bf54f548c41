// The orders to prepare, as they come. The page asks for what there is, then follows the stream from that position on;
// after an interruption it asks again, also for each order that it knows and the list no longer has, so nothing is
// missed (a cancellation least of all) and nothing is shown twice.

/** From when on an order is late, without a time that it is wanted for. */
const LATE_AFTER_MS = 15 * 60_000;
const RETRY_MS = 3_000;
const MOST_PAGES = 10;
const PAGE = 100;
const HANDOVER = { none: "", collection: "Collection", delivery: "Delivery" };

const $ = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {Map<string, any>} */
const orders = new Map();
/** Orders whose last request failed, with the sentence. @type {Map<string, string>} */
const faults = new Map();
/** @type {Set<string>} */
const busy = new Set();
/** Canceled orders that were being prepared: shown until somebody has seen them. @type {Set<string>} */
const unseen = new Set();
/** Orders that cannot be read, with the sentence. @type {Map<string, string>} */
const unreadable = new Map();
/** @type {EventSource | null} */
let source = null;
let isComplete = false;
/** The shop's time zone; the device's while the till has said none. @type {string | undefined} */
let zone;
/** There are more orders than the page asks for. */
let isCut = false;

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function request(method, path, body) {
  const headers = { "X-Till-Page": "1", "X-Till-Alone": "1", Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return fetch(path, {
    method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin",
    cache: "no-store",
  });
}

/** @param {string} text @param {boolean} isLost */
function say(text, isLost = false) {
  $("state").textContent = text;
  $("state").classList.toggle("lost", isLost);
}

function signInFirst() {
  source?.close();
  source = null;
  say("", true);
  const link = element("a", "Sign in at the counter's page");
  link.setAttribute("href", "/");
  $("state").append(link, " on this device, then load this page again.");
}

const OPENED = Date.now();

/** What a clock shows in each season: the page stays open, and orders are for other days. @param {string} [timeZone] */
const seasons = (timeZone) =>
  [0, 91, 182, 273].map((day) => new Date(OPENED + day * 86_400_000).toLocaleString("en", { timeZone })).join();

/** Asks for the shop's zone. One that nobody has set is GMT: then times are the device's, as without an answer. */
async function readZone() {
  try {
    const answer = await request("GET", "/session/person");
    const name = answer.ok ? (await answer.json()).zone : "";
    if (typeof name !== "string" || !name) return;
    const isElsewhere = name !== "GMT" && seasons(name) !== seasons();
    zone = name === "GMT" ? undefined : name;
    $("zone").textContent = `Times in ${name}`;
    $("zone").hidden = !isElsewhere;
  } catch {
    return; // no answer, or a zone that this device does not know
  }
}

/** @param {any} order */
function take(order) {
  // A sale that was typed at the counter and is paid in parts: there is nothing to prepare.
  if (order.metadata?.origin === "keypad") return;
  const known = orders.get(order.id);
  if (known && known.version > order.version) return;
  if (order.state === "canceled" && known && known.state !== "canceled") unseen.add(order.id);
  if (order.state !== "canceled") unseen.delete(order.id);
  if (isComplete && !known && order.state === "open") $("spoken").textContent = `New order ${order.number}.`;
  unreadable.delete(order.id);
  if (order.state === "open" || order.state === "ready" || unseen.has(order.id)) orders.set(order.id, order);
  else orders.delete(order.id);
}

/** @param {{id: string | null, message: string}} damage */
function takeUnreadable(damage) { unreadable.set(damage.id ?? damage.message, damage.message); }

/** Asks for an order that the list did not bring: it is over, or behind what is asked for. @param {string} id */
async function readAgain(id) {
  const answer = await request("GET", `/v1/orders/${encodeURIComponent(id)}`);
  if (answer.ok) return take(await answer.json());
  if (answer.status === 404) {
    orders.delete(id);
    unseen.delete(id);
    return;
  }
  throw new Error(`status ${answer.status}`);
}

async function load() {
  const found = new Map();
  let cursor = "";
  let isMore = false;
  unreadable.clear();
  const isZoneRead = readZone();
  for (const state of ["open", "ready"]) {
    let before = "";
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const query = `state=${state}&limit=${PAGE}${before && "&before=" + encodeURIComponent(before)}`;
      const answer = await request("GET", `/v1/orders?${query}`);
      if (answer.status === 401) return signInFirst();
      if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail || `status ${answer.status}`);
      const list = await answer.json();
      // What changes after the first answer comes in the stream.
      cursor ||= list.cursor;
      for (const order of list.orders) found.set(order.id, order);
      for (const damage of list.unreadable ?? []) takeUnreadable(damage);
      before = list.next;
      if (!before) break;
    }
    isMore ||= Boolean(before);
  }
  for (const order of found.values()) take(order);
  for (const id of [...orders.keys()]) if (!found.has(id) && !unreadable.has(id)) await readAgain(id);
  isCut = isMore;
  await isZoneRead;
  isComplete = true;
  draw();
  follow(cursor);
}

/** @param {string} cursor */
function follow(cursor) {
  source?.close();
  const mine = source = new EventSource(`/v1/orders/events?after=${encodeURIComponent(cursor)}`);
  mine.addEventListener("open", () => { if (source === mine) say("Up to date"); });
  mine.addEventListener("order", (event) => {
    take(JSON.parse(event.data));
    draw();
  });
  mine.addEventListener("unreadable", (event) => {
    takeUnreadable(JSON.parse(event.data));
    draw();
  });
  mine.addEventListener("error", () => {
    if (source !== mine) return;
    say("No connection: new orders are not shown. Trying again…", true);
    mine.close();
    source = null;
    setTimeout(start, RETRY_MS);
  });
}

function start() {
  load().catch(() => {
    say("No connection: new orders are not shown. Trying again…", true);
    setTimeout(start, RETRY_MS);
  });
}

async function move(order, verb, body = {}) {
  if (busy.has(order.id)) return;
  busy.add(order.id);
  faults.delete(order.id);
  draw();
  try {
    const answer = await request("POST", `/v1/orders/${encodeURIComponent(order.id)}/${verb}`, body);
    const result = await answer.json().catch(() => ({}));
    if (answer.status === 401) signInFirst();
    else if (answer.ok) take(result);
    else {
      order.asksUnpaid = result.code === "order_unpaid";
      const next = order.asksUnpaid ? "Have the rest paid at the counter, or hand it over unpaid." : result.next;
      faults.set(order.id, `${result.detail || "The till could not do this."} ${next || ""}`.trim());
    }
  } catch {
    faults.set(order.id, "There was no answer. Press again: nothing is done twice.");
  }
  busy.delete(order.id);
  draw();
}

const minutes = (ms) => Math.max(0, Math.floor(ms / 60_000));
const wantedAt = (order) => order.wanted_at ? Date.parse(order.wanted_at) : null;

/**
 * The time that an order is wanted for by the shop's clock, with its day unless it is today there.
 * @param {number} wanted @param {number} now
 */
function wantedText(wanted, now) {
  const [date, today] = [new Date(wanted), new Date(now)];
  const [its, ours] = [date, today].map((one) => one.toLocaleDateString("en", { timeZone: zone }));
  const time = date.toLocaleTimeString([], { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  if (its === ours) return `for ${time}`;
  const isThisYear = its.split("/")[2] === ours.split("/")[2];
  const day = date.toLocaleDateString([], {
    timeZone: zone, weekday: "short", day: "numeric", month: "short", year: isThisYear ? undefined : "numeric",
  });
  return `for ${day}, ${time}`;
}

function money(minor, currency) {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const plain = digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
  return `${plain} ${currency}`;
}

/** @returns {[string, string]} The words for what is paid, and their class. */
function paidMark(order) {
  const state = order.payment;
  if (state.status === "unreadable") return [state.message, "stop"];
  if (state.excess > 0) return [`Paid ${money(state.excess, order.currency)} too much`, "stop"];
  if (state.status === "paid") return ["Paid", ""];
  if (state.status === "refunded") return ["Refunded", "unpaid"];
  const open = state.open + state.reserved;
  if (state.status === "partly_paid") return [`${money(open, order.currency)} still to pay`, "unpaid"];
  return [`Not paid: ${money(open, order.currency)}`, "unpaid"];
}

function button(order, words, verb, body, isPlain = false) {
  const made = /** @type {HTMLButtonElement} */ (element("button", words, isPlain ? "plain" : ""));
  made.type = "button";
  made.dataset.verb = verb + (body ? "!" : "");
  made.setAttribute("aria-label", `${words}: order ${order.number}`);
  made.disabled = busy.has(order.id);
  made.addEventListener("click", () => { move(order, verb, body); });
  return made;
}

function card(order) {
  const now = Date.now();
  const made = element("article");
  made.dataset.order = order.id;
  const wanted = wantedAt(order);
  const age = now - Date.parse(order.created_at);
  const isCanceled = order.state === "canceled";
  made.classList.toggle("canceled", isCanceled);
  const isLate = wanted === null ? age > LATE_AFTER_MS : now > wanted;
  made.classList.toggle("late", order.state === "open" && isLate);
  const head = element("div", "", "head");
  head.append(element("h2", order.number, "number"));
  const time = wanted === null ? `${minutes(age)} min` : wantedText(wanted, now);
  head.append(element("p", order.state === "open" && isLate ? `${time}, late` : time, "age"));
  const marks = element("p", "", "marks");
  if (isCanceled) marks.append(element("span", "Canceled: stop", "stop"));
  else marks.append(element("span", ...paidMark(order)));
  if (order.shop_says) marks.append(element("span", `The shop says: ${order.shop_says}`, "unpaid"));
  if (HANDOVER[order.handover]) marks.append(element("span", HANDOVER[order.handover]));
  if (order.customer?.name) marks.append(element("span", order.customer.name));
  made.append(head, marks);
  const list = element("ul");
  for (const line of order.lines) {
    const item = element("li");
    const what = element("span", line.name);
    for (const [name, value] of Object.entries(line.options ?? {})) what.append(element("small", `${name}: ${value}`));
    item.append(element("b", `${line.quantity} ×`), what);
    list.append(item);
  }
  if (order.lines.length) made.append(list);
  if (order.note) made.append(element("p", order.note, "note"));
  const address = order.handover === "delivery" ? order.customer?.address : null;
  const where = [...(address?.lines ?? []), address?.postal_code, address?.city, order.customer?.phone];
  if (order.state === "ready" && where.some(Boolean)) {
    made.append(element("p", where.filter(Boolean).join(", "), "where"));
  }
  if (faults.has(order.id)) {
    const fault = element("p", faults.get(order.id), "fault");
    fault.setAttribute("role", "alert");
    made.append(fault);
  }
  if (isCanceled) {
    const seen = element("button", "Seen");
    seen.setAttribute("aria-label", `Seen: order ${order.number} is canceled`);
    seen.addEventListener("click", () => {
      unseen.delete(order.id);
      orders.delete(order.id);
      draw();
    });
    made.append(seen);
  } else if (order.state === "open") {
    made.append(button(order, "Ready", "ready"));
  } else {
    made.append(button(order, "Handed over", "fulfil"));
    if (order.asksUnpaid) made.append(button(order, "Hand over unpaid", "fulfil", { accept_unpaid: true }, true));
    made.append(button(order, "Not ready yet", "reopen", undefined, true));
  }
  return made;
}

/** What is wanted first comes first. */
const rank = (order) => wantedAt(order) ?? Date.parse(order.created_at);

function draw() {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const at = focused?.closest("article")?.getAttribute("data-order");
  const verb = focused?.dataset?.verb;
  const all = [...orders.values()].sort((a, b) => rank(a) - rank(b));
  const open = all.filter((order) => order.state !== "ready");
  const ready = all.filter((order) => order.state === "ready");
  $("open").replaceChildren(...open.map(card));
  $("ready").replaceChildren(...ready.map(card));
  $("open-count").textContent = String(open.filter((order) => order.state === "open").length);
  $("ready-count").textContent = String(ready.length);
  $("ready-part").hidden = ready.length === 0;
  $("none").hidden = !isComplete || all.length > 0 || unreadable.size > 0;
  const warnings = [...unreadable.values()];
  if (isCut) {
    const most = (MOST_PAGES * PAGE).toLocaleString();
    warnings.unshift(`There are more orders than fit here: only the newest ${most} to prepare and the newest ${most} `
      + "that are ready are shown. Close those that were handed over.");
  }
  const shown = warnings.join("\n");
  if ($("warnings").textContent !== shown) {
    $("warnings").textContent = shown;
  }
  $("warnings").hidden = warnings.length === 0;
  if (at) {
    const again = [...document.querySelectorAll("article")].find((made) => made.dataset.order === at);
    const same = again?.querySelector(`button[data-verb="${verb ?? ""}"]`) ?? again?.querySelector("button");
    /** @type {HTMLElement | null | undefined} */ (same)?.focus();
  }
}

setInterval(draw, 30_000);
start();
