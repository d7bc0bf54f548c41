// The settings: sections with addresses of their own, each of which is read and shown alone, so that one that cannot be
// read leaves the others. Without a section all of them stand beside each other, what needs somebody first.

import { Refusal, sentencesOf } from "./calls.js";
import { $, make } from "./dom.js";
import { listen, showPerson, wordsOf } from "./frame.js";
import "./language.js";
import { putLinked } from "./links.js";
import { section as audit } from "./settings-audit.js";
import { section as backups } from "./settings-backups.js";
import { section as health } from "./settings-health.js";
import { section as keys } from "./settings-keys.js";
import { banner, button, card, cards, needingFirst, needsSomebody, spoken, standing } from "./settings-parts.js";
import { section as printers } from "./settings-printers.js";
import { section as providers } from "./settings-providers.js";
import { section as readers } from "./settings-readers.js";
import { section as receipts } from "./settings-receipts.js";
import { section as shops } from "./settings-shops.js";
import { section as staff } from "./settings-staff.js";
import { section as webhooks } from "./settings-webhooks.js";
import { say } from "./words.js";

/**
 * What a section does on the page: reads itself anew, says that no answer has come yet, works once at a time, keeps
 * what is shown once, and knows what whoever is signed in may do.
 * @typedef {{refresh: () => Promise<void>, unanswered: () => void, may: (permission: string) => boolean,
 *   act: (work: () => Promise<string | void>) => Promise<void>, keep: (element: HTMLElement) => void}} Page
 * @typedef {{tone: import("./settings-parts.js").Tone, word: string, words: string}} Standing
 * @typedef {{id: string, title: string, shape: string, permission: string, load: () => Promise<any>,
 *   standing: (data: any) => Standing, draw: (data: any, page: Page) => Node[]}} Section
 */

/** @type {Section[]} */
const SECTIONS = [readers, printers, receipts, staff, keys, shops, webhooks, providers, audit, backups, health];
const MEET_MS = 3_000;
/** How often what is shown is read again while somebody sees it: a reader or a printer goes away without an event. */
const AGAIN_MS = 10_000;

let may = (/** @type {string} */ _) => false;
/** Counts what is shown, so that a late answer is not shown in another section. */
let shown = 0;
let isBusy = false;
/** What is drawn, by section; what is read again and is the same is not drawn again. @type {Map<string, string>} */
const drawn = new Map();

const chosen = () => SECTIONS.find(({ id }) => location.pathname === "/settings/" + id);
const lacking = (/** @type {Section} */ { permission }) =>
  say("settings.lacking", { permission });

function says(id, words) {
  putLinked($(id), words);
  $(id).hidden = !words;
}

/** Nothing was said yet. @type {string | null} */
let about = null;
/** Says how all of it stands; the same again is not read out again. @param {string} words @param {string} [look] */
function tell(words, look = "soft") {
  $("about").className = look;
  if (about === words) return;
  about = words;
  says("about", words);
}

/** What an answer says that was no answer. @param {unknown} error */
const failure = (error) => (error instanceof Refusal && error.status === 403 ? sentencesOf(error).join(" ")
  : wordsOf(error));

/** What is shown of a section that could not be read. @param {unknown} error @param {() => void} again */
function unread(error, again) {
  const why = make("span", "");
  putLinked(why, failure(error));
  const box = banner("stop", why,
    button(say("settings.again"), again, { kind: "dense pushed" }));
  box.setAttribute("role", "alert");
  return box;
}

// ---- One section

/** @param {Section} section @returns {Page} */
function pageOf(section) {
  const mine = shown;
  return {
    refresh: () => (mine === shown ? read(section, mine) : Promise.resolve()),
    unanswered: () => says("alert", say("settings.notYet")),
    async act(work) {
      if (isBusy) return;
      isBusy = true;
      says("alert", "");
      says("done", "");
      try {
        const words = await work();
        if (mine !== shown) return;
        says("alert", "");
        await read(section, mine);
        says("done", words ?? "");
      } catch (error) {
        if (mine !== shown) return;
        // What is typed stays where the request, or a field of it, was refused as it was; otherwise what stands is
        // shown.
        const isKept = error instanceof Refusal && error.status < 500
          && (error.problem.errors?.length > 0 || ![404, 409].includes(error.status));
        if (!isKept) await read(section, mine);
        says("alert", error instanceof Refusal ? failure(error) : say("settings.unanswered"));
      } finally {
        isBusy = false;
        // The button that was pressed may be gone.
        if (document.activeElement === document.body) $("title").focus({ preventScroll: true });
      }
    },
    keep: (element) => $("kept").replaceChildren(element),
    may: (permission) => may(permission),
  };
}

/** Draws a section, and says how it stands. @param {Section} section @param {any} data */
function paint(section, data) {
  const { tone, words } = section.standing(data);
  tell(words, needsSomebody(tone) ? `banner ${tone}` : "soft");
  const now = JSON.stringify(data);
  if (drawn.get(section.id) === now) return;
  // What is typed or about to be agreed to stays; it is drawn when that is done.
  if (drawn.has(section.id) && isInHand()) return;
  const place = placeIn($("body"));
  $("body").replaceChildren(...section.draw(data, pageOf(section)));
  drawn.set(section.id, now);
  place();
}

/** @param {Section} section @param {number} mine */
async function read(section, mine) {
  drawn.clear();
  try {
    const data = await section.load();
    if (mine === shown) paint(section, data);
  } catch (error) {
    if (mine !== shown) return;
    tell("");
    $("body").replaceChildren(unread(error, () => show()));
  }
}

// ---- All of them

/** @param {Section} section @returns {Promise<{card: HTMLElement, tone: import("./settings-parts.js").Tone}>} */
async function summary(section) {
  const { title, shape, id } = section;
  const link = make("a", say("settings.open"), { className: "button dense", href: "/settings/" + id });
  link.setAttribute("aria-label", say("settings.openOne", { name: title }));
  /** @param {Standing} one */
  const made = ({ tone, word, words }) => ({
    card: card({ shape, title, badge: standing(tone, word), more: [spoken("p", words, { className: "small wide" })],
      buttons: [link] }),
    tone,
  });
  if (!may(section.permission)) return made({ tone: "", word: say("settings.noAccess"), words: lacking(section) });
  try {
    return made(section.standing(await section.load()));
  } catch (error) {
    return made({ tone: "stop", word: say("settings.notLoaded"), words: failure(error) });
  }
}

/** Shows all of them, each once it is read, in the place of how it stood before. @param {number} mine */
async function showAll(mine) {
  const before = $("body").querySelector("[data-all]");
  const list = before ?? cards([]);
  list.dataset.all = "";
  if (!before) $("body").replaceChildren(list);
  // Another reading of all may have put a card in the place of one from here.
  const inList = (/** @type {Section} */ { id }) => list.querySelector(`[data-section="${id}"]`);
  const found = await Promise.all(SECTIONS.map(async (section) => {
    const { card: made, tone } = await summary(section);
    made.dataset.section = section.id;
    const old = inList(section);
    if (mine !== shown || old?.isEqualNode(made)) return { section, tone };
    if (old) {
      const place = placeIn(old);
      old.replaceWith(made);
      place(made);
    } else list.append(made);
    return { section, tone };
  }));
  if (mine !== shown) return;
  const needing = found.filter(({ tone }) => needsSomebody(tone)).length;
  tell(needing ? say("settings.needing", { count: needing }) : say("settings.nothingNeeds"));
  // Once all are there; nothing moves that has the focus, and later nothing under a hand.
  const order = needingFirst(found, ({ tone }) => tone).map(({ section }) => inList(section));
  const isSame = order.every((one, index) => one === list.children[index]);
  if (!isSame && !list.matches(before ? ":hover, :focus-within" : ":focus-within")) list.append(...order);
}

// ---- What is shown is read again

/** Whether somebody types, has opened a form, has marked a text, or is asked something. */
function isInHand() {
  const focused = document.activeElement;
  return document.querySelector("dialog[open]") !== null || $("body").querySelector("details.adding[open]") !== null
    || $("body").contains(focused) && focused.matches("input, select, textarea")
    || getSelection()?.isCollapsed === false;
}

const CONTROLS = "a, button, summary";
const nameOf = (/** @type {any} */ control) => control.getAttribute("aria-label") ?? control.textContent;

/**
 * Remembers what has the focus in a box and what is unfolded there; what is returned puts it back once the box, or
 * another one in its place, is drawn anew.
 * @param {HTMLElement} box @returns {(now?: HTMLElement) => void}
 */
function placeIn(box) {
  const named = (/** @type {HTMLElement} */ where, /** @type {string} */ name) =>
    [...where.querySelectorAll(CONTROLS)].filter((one) => nameOf(one) === name);
  const focused = document.activeElement?.matches(CONTROLS) && box.contains(document.activeElement)
    ? document.activeElement : null;
  const name = focused && nameOf(focused);
  const index = focused ? named(box, name).indexOf(focused) : 0;
  const open = [...box.querySelectorAll("details[open]:not(.adding) > summary")].map(nameOf);
  return (now = box) => {
    for (const summary of now.querySelectorAll("details > summary")) {
      if (open.includes(nameOf(summary))) summary.parentElement?.setAttribute("open", "");
    }
    if (!focused) return;
    const found = named(now, name);
    /** @type {any} */
    const next = found[index] ?? $("title");
    next.focus({ preventScroll: true });
  };
}

/** Reads what is shown again; what could not be read is said, and what was read before stays. */
async function readAgain() {
  const [section, mine] = [chosen(), shown];
  if (document.hidden || isBusy || !whoIs || section && !may(section.permission)) return;
  if (!section) return await showAll(mine);
  try {
    const data = await section.load();
    if (mine === shown && !isBusy) paint(section, data);
  } catch (error) {
    // Whoever is signed in may do something else now: what they may no longer see goes.
    if (error instanceof Refusal && error.status === 403) await meet();
    if (mine === shown && !isBusy && drawn.has(section.id)) tell(failure(error), "banner unsure");
  }
}

/** Does so for as long as the page is there. */
async function keepReading() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    await readAgain();
  }
}

/** Shows what the address names. @param {boolean} [isMoved] The focus goes to the heading. */
async function show(isMoved = false) {
  shown += 1;
  const section = chosen();
  document.title = `${section?.title ?? say("settings.settings")} – Till`;
  $("title").textContent = section?.title ?? say("settings.allTitle");
  for (const id of ["alert", "done"]) says(id, "");
  $("kept").replaceChildren();
  for (const link of $("side").querySelectorAll("a")) {
    if (link.getAttribute("href") === location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  $("side").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  drawn.clear();
  if (isMoved) $("title").focus();
  if (section && !may(section.permission)) {
    tell("");
    $("body").replaceChildren(banner("unsure", lacking(section)));
    return;
  }
  tell(say("settings.reading"));
  $("body").replaceChildren();
  await (section ? read(section, shown) : showAll(shown));
}

// ---- The beginning

document.addEventListener("click", (event) => {
  const link = /** @type {any} */ (event.target)?.closest?.("main a[href^='/settings']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  if (link.getAttribute("href") !== location.pathname) history.pushState(null, "", link.getAttribute("href"));
  show(true);
});
addEventListener("popstate", () => show());

let whoIs = "";
/** Asks who is signed in until that is known: what is shown depends on it. */
async function meet() {
  for (;;) {
    let isMet = false;
    await showPerson((allowed, answer) => {
      isMet = true;
      may = allowed;
      const now = JSON.stringify(answer.person);
      if (now === whoIs) return;
      whoIs = now;
      show();
    });
    if (isMet) return;
    tell(say("settings.unreached"));
    await new Promise((resolve) => setTimeout(resolve, MEET_MS));
  }
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  meet();
  readAgain();
});
meet();
keepReading();
listen(() => {}, readAgain, { begun: readAgain });
