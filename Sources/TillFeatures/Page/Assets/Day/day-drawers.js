// The cash drawer of this device: the account's first one, or another. Whatever is done here is of it.

import { ask } from "./calls.js";
import { day, perform, says } from "./day-state.js";
import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { drawerKept, FIRST, keepDrawer, NAME } from "./drawer.js";
import { say } from "./words.js";

/** No name of a drawer: what is chosen to enter one. */
const NEW = "+";

let chosen = drawerKept() || FIRST;
/** The drawers that were ever opened, with the state of each. @type {{drawer: string, state: string}[]} */
let all = [];
let isKnown = false;
const nameAsked = questions($("new-drawer"));

/** How a drawer is called on the page. @param {string} name */
export const shown = (name) => (name === FIRST ? say("day.firstDrawer") : name);

/** The name of the drawer that the page is about, which is this device's. */
export const drawerHere = () => (day.session ? day.session.drawer ?? FIRST : chosen);

/** Whether it was asked which drawer this device is at. */
export const isDrawerKnown = () => isKnown;

/** The names of the drawers, the account's first one before the others. */
export const drawerNames = () => [...new Set([FIRST, ...all.map(({ drawer }) => drawer)])];

/** Whether a drawer had a day that is not closed when that was last read. @param {string} name */
export const isDayOf = (name) => all.some(({ drawer, state }) => drawer === name && state !== "closed");

/** @param {{device: string | null, drawers: {drawer: string, state: string}[]}} found */
function show({ device, drawers }) {
  chosen = device ?? (drawerKept() || FIRST);
  all = drawers;
  const names = [...new Set([...drawerNames(), chosen])];
  $("drawer").replaceChildren(
    ...names.map((name) => make("option", shown(name), { value: name })),
    make("option", say("day.newDrawer"), { value: NEW }));
  $("drawer").value = chosen;
}

/** Sets the drawer of this device. @param {string} name @returns {Promise<any>} Null if it was not set. */
async function choose(name) {
  const found = await perform(async () => {
    const set = await ask("POST", "/v1/day/drawer", JSON.stringify({ drawer: name }));
    // How the day of this drawer stands is read next.
    keepDrawer(name);
    return set;
  });
  if (!found) return null;
  says("done", say("day.drawerChosen", { name: shown(name) }));
  return found;
}

/**
 * Reads which drawers there are, and which one is this device's: in a new session the one that it was at before. Also
 * one that the till does not know is shown, since cash of this device names it.
 */
export async function readDrawers() {
  try {
    const found = await ask("GET", "/v1/day/drawers");
    const before = drawerKept();
    if (found.device) keepDrawer(found.device);
    const isLost = found.device === null && before !== FIRST && found.drawers.some(({ drawer }) => drawer === before);
    show((isLost && day.may("drawer") && await choose(before)) || found);
  } catch {
    // what is asked next says why
  }
  isKnown = true;
  day.draw();
}

/** @param {string} fault */
function mark(fault) {
  $("drawer-name-fault").textContent = fault;
  if (fault) $("drawer-name").setAttribute("aria-invalid", "true");
  else $("drawer-name").removeAttribute("aria-invalid");
}

/** The name of another drawer; empty if none is entered. */
async function typedName() {
  $("drawer-name").value = "";
  mark("");
  const answer = nameAsked.begin();
  $("drawer-name").focus();
  return await answer === "use" ? $("drawer-name").value.trim() : "";
}

$("drawer").addEventListener("change", async () => {
  const picked = $("drawer").value;
  const name = picked === NEW ? await typedName() : picked;
  if (!name || name === chosen) {
    $("drawer").value = chosen;
    return;
  }
  const found = await choose(name);
  if (!found) {
    $("drawer").value = chosen;
    return;
  }
  show(found);
  day.draw();
  $("drawer").focus();
});
// Another tab of this device has chosen another one.
addEventListener("storage", () => {
  if (isKnown && (drawerKept() || FIRST) !== chosen) readDrawers();
});
$("drawer-cancel").addEventListener("click", () => nameAsked.end(""));
$("drawer-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const isName = NAME.test($("drawer-name").value.trim());
  mark(isName ? "" : say("day.drawerForm"));
  if (isName) nameAsked.end("use");
  else $("drawer-name").focus();
});
