// Where somebody is on the page of the day, as its address says. The address of what is read names the drawer, so that
// it shows the same report on each device, whichever drawer that is at.

import { drawerHere } from "./day-drawers.js";

const VIEWS = ["session", "count", "close", "x", "reports"];
/** The views of what is only read, of any drawer. The others are of this device's. */
const READ = ["x", "reports", "report"];

/** Whether a view is of what is only read. @param {string} view */
export const isReading = (view) => READ.includes(view);

/** What the address asks for. @returns {{view: string, number: number, drawer: string}} */
export function wanted() {
  const query = new URLSearchParams(location.search);
  const drawer = query.get("drawer") ?? "";
  const number = Number(query.get("report"));
  if (Number.isSafeInteger(number) && number > 0) return { view: "report", number, drawer };
  const view = query.get("view") ?? "";
  return { view: VIEWS.includes(view) ? view : "session", number: 0, drawer };
}

/** The name of the drawer of which is read: the one in the address, else this device's. */
export const drawerRead = () => wanted().drawer || drawerHere();

/** What a request names its drawer by. @param {string} drawer */
export const named = (drawer) => `drawer=${encodeURIComponent(drawer)}`;

/** The address of a view. @param {string} view @param {string} [drawer] That is read; by default this device's. */
export function addressOf(view, drawer = drawerHere()) {
  if (view === "session") return "/day";
  return isReading(view) ? `/day?${named(drawer)}&view=${view}` : `/day?view=${view}`;
}

/** The address of a Z. @param {number} number @param {string} drawer */
export const addressOfReport = (number, drawer) => `/day?${named(drawer)}&report=${number}`;
