// The cash drawer of this device, as this browser keeps it. A session of the page ends in the night, and what the till
// knows of the device ends with it: cash and what is read of the day name the drawer therefore.

import { say } from "./words.js";

/** The name of the account's first drawer. */
export const FIRST = "main";
/** The form of a drawer's name. */
export const NAME = /^[a-z][a-z0-9-]{0,23}$/;
const SLOT = "till.drawer";

/** The name of the drawer that this device is at; empty if none was ever chosen, and for what is no name. */
export function drawerKept() {
  const name = localStorage.getItem(SLOT) ?? "";
  return NAME.test(name) ? name : "";
}

/** Keeps which drawer this device is at. @param {string} name */
export const keepDrawer = (name) => localStorage.setItem(SLOT, name);

/** What cash of this device names in its request: the drawer, or nothing if none was ever chosen. */
export function ofKeptDrawer() {
  const drawer = drawerKept();
  return drawer ? { drawer } : {};
}

/** What is said before cash goes back: out of which drawer it is handed. */
export function handedOut() {
  const name = drawerKept() || FIRST;
  return name === FIRST ? say("refunding.drawer") : say("refunding.fromDrawer", { name });
}
