// The settings: sections with addresses of their own, each of which is read and shown alone, so that one that cannot be
// read leaves the others. Without a section all of them stand beside each other, what needs somebody first.

import { Refusal, sentencesOf } from "./calls.js";
import { $, make } from "./dom.js";
import { listen, showPerson, wordsOf } from "./frame.js";
import "./language.js";
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
import { parts, say } from "./words.js";

/**
 * What a section does on the page: reads itself anew, says that no answer has come yet, works once at a time, and keeps
 * what is shown once.
 * @typedef {{refresh: () => Promise<void>, unanswered: () => void,
 *   act: (work: () => Promise<string | void>) => Promise<void>, keep: (element: HTMLElement) => void}} Page
 * @typedef {{tone: import("./settings-parts.js").Tone, word: string, words: string}} Standing
 * @typedef {{id: string, title: string, shape: string, permission: string, load: () => Promise<any>,
 *   standing: (data: any) => Standing, draw: (data: any, page: Page) => Node[]}} Section
 */

/** @type {Section[]} */
const SECTIONS = [readers, printers, receipts, staff, keys, shops, webhooks, providers, backups, health];
const MEET_MS = 3_000;

let may = (/** @type {string} */ _) => false;
/** Counts what is shown, so that a late answer is not shown in another section. */
let shown = 0;
let isBusy = false;

const chosen = () => SECTIONS.find(({ id }) => location.pathname === "/settings/" + id);
const lacking = (/** @type {Section} */ { permission }) =>
  say("settings.lacking", { permission });

function says(id, words) {
  $(id).replaceChildren(...parts(words));
  $(id).hidden = !words;
}

/** What an answer says that was no answer. @param {unknown} error */
const failure = (error) => (error instanceof Refusal && error.status === 403 ? sentencesOf(error).join(" ")
  : wordsOf(error));

/** What is shown of a section that could not be read. @param {unknown} error @param {() => void} again */
function unread(error, again) {
  const box = banner("stop", spoken("span", failure(error)),
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
        // What is typed stays where the request was refused as it was; otherwise what stands is shown.
        const isKept = error instanceof Refusal && error.status < 500 && ![404, 409].includes(error.status);
        if (!isKept) await read(section, mine);
        says("alert", error instanceof Refusal ? failure(error) : say("settings.unanswered"));
      } finally {
        isBusy = false;
        // The button that was pressed may be gone.
        if (document.activeElement === document.body) $("title").focus({ preventScroll: true });
      }
    },
    keep: (element) => $("kept").replaceChildren(element),
  };
}

/** @param {Section} section @param {number} mine */
async function read(section, mine) {
  try {
    const data = await section.load();
    if (mine !== shown) return;
    const { tone, words } = section.standing(data);
    says("about", words);
    $("about").className = needsSomebody(tone) ? `banner ${tone}` : "soft";
    $("body").replaceChildren(...section.draw(data, pageOf(section)));
  } catch (error) {
    if (mine !== shown) return;
    says("about", "");
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

async function showAll(mine) {
  const list = cards([]);
  $("body").replaceChildren(list);
  /** @type {Awaited<ReturnType<typeof summary>>[]} */
  const found = [];
  await Promise.all(SECTIONS.map(async (section) => {
    const made = await summary(section);
    if (mine !== shown) return;
    found.push(made);
    list.append(made.card);
  }));
  if (mine !== shown) return;
  const needing = found.filter(({ tone }) => needsSomebody(tone)).length;
  says("about", needing ? say("settings.needing", { count: needing }) : say("settings.nothingNeeds"));
  // Once, when all are there.
  const order = SECTIONS.map(({ title }) => title);
  const place = (one) => order.indexOf(one.card.querySelector("h3").textContent);
  list.append(...needingFirst(found.sort((one, other) => place(one) - place(other)), ({ tone }) => tone)
    .map((one) => one.card));
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
  $("about").className = "soft";
  if (isMoved) $("title").focus();
  if (section && !may(section.permission)) {
    says("about", "");
    $("body").replaceChildren(banner("unsure", lacking(section)));
    return;
  }
  says("about", say("settings.reading"));
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
    says("about", say("settings.unreached"));
    await new Promise((resolve) => setTimeout(resolve, MEET_MS));
  }
}
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) meet();
});
meet();
listen(() => {}, () => {});
