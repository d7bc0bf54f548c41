// The cash drawer of this device: the account's first one, or another. Whatever is done here is of it.

import { ask } from "./calls.js";
import { day, perform, says } from "./day-state.js";
import { questions } from "./dialog.js";
import { $, make } from "./dom.js";
import { say } from "./words.js";

/** The name of the account's first drawer. */
const FIRST = "main";
/** No name of a drawer: what is chosen to enter one. */
const NEW = "+";
const NAME = /^[a-z][a-z0-9-]{0,23}$/;
/** Where the drawer is kept that this device was at: its next session begins at the account's first one. */
const SLOT = "till.drawer";

let chosen = FIRST;
const nameAsked = questions($("new-drawer"));

/** How a drawer is called on the page. @param {string} name */
const shown = (name) => (name === FIRST ? say("day.firstDrawer") : name);

/** The name of the drawer that the page is about; empty for the account's first. */
export function drawerHere() {
  const name = day.session ? day.session.drawer ?? FIRST : chosen;
  return name === FIRST ? "" : name;
}

/** @param {{device: string | null, drawers: {drawer: string}[]}} found */
function show({ device, drawers }) {
  chosen = device ?? FIRST;
  const names = [...new Set([FIRST, ...drawers.map(({ drawer }) => drawer), chosen])];
  $("drawer").replaceChildren(
    ...names.map((name) => make("option", shown(name), { value: name })),
    make("option", say("day.newDrawer"), { value: NEW }));
  $("drawer").value = chosen;
}

/** Sets the drawer of this device. @param {string} name @returns {Promise<any>} Null if it was not set. */
async function choose(name) {
  const found = await perform(() => ask("POST", "/v1/day/drawer", JSON.stringify({ drawer: name })));
  if (!found) return null;
  localStorage.setItem(SLOT, name);
  says("done", say("day.drawerChosen", { name: shown(name) }));
  return found;
}

/** Reads which drawers there are, and which one is this device's: after a new session the one that it was at before. */
export async function readDrawers() {
  try {
    const found = await ask("GET", "/v1/day/drawers");
    const before = localStorage.getItem(SLOT) ?? FIRST;
    const isLost = found.device === null && before !== FIRST && found.drawers.some(({ drawer }) => drawer === before);
    show((isLost && day.may("drawer") && await choose(before)) || found);
    day.draw();
  } catch {
    // what is asked next says why
  }
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
$("drawer-cancel").addEventListener("click", () => nameAsked.end(""));
$("drawer-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const isName = NAME.test($("drawer-name").value.trim());
  mark(isName ? "" : say("day.drawerForm"));
  if (isName) nameAsked.end("use");
  else $("drawer-name").focus();
});
