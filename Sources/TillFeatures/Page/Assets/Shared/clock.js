// The shop's clock: the pages' times are by it, as the reports are, whatever the clock of the device says.

import { locale, say } from "./words.js";

/** English pages write times as an English browser does; another browser's months stand in none of them. */
const LANGUAGE = locale ?? (/^en\b/i.test(navigator.language) ? undefined : "en");
/** The device's time zone by its name: clocks that were changed have one all year. */
const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The shop's zone; the device's until the till has said it. */
let zone = OWN;
let isElsewhere = false;
const NOW = Date.now();

/** What a clock shows on each day of a year: GMT is UTC by another name. @param {string} [timeZone] */
function shows(timeZone) {
  const format = new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" });
  return Array.from({ length: 366 }, (_, day) => format.format(NOW - day * 86_400_000)).join();
}

/**
 * Takes the shop's zone and says it where the page has a place for that; lists that were shown before hear of it. One
 * that the device does not know changes nothing. @param {any} name
 */
export function keepZone(name) {
  if (typeof name !== "string" || name === zone) return;
  try {
    isElsewhere = name !== OWN && shows(name) !== shows();
  } catch {
    return;
  }
  zone = name;
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-zone]"))) {
    place.textContent = elsewhere();
    place.hidden = !isElsewhere;
  }
  document.dispatchEvent(new Event("till:zone"));
}

/**
 * Writes moments by the shop's clock.
 * @param {Intl.DateTimeFormatOptions} options @param {string} [language] @returns {(date: Date) => string}
 */
export function clock(options, language = LANGUAGE) {
  const make = () => new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
  let [its, format] = [zone, make()];
  return (date) => {
    if (its !== zone) [its, format] = [zone, make()];
    return format.format(date);
  };
}

/** A moment as people read it in their language. @param {string | number} at */
export const time = (at) =>
  new Date(at).toLocaleString(LANGUAGE, { dateStyle: "medium", timeStyle: "short", timeZone: zone });

const dayOf = clock({ dateStyle: "short" });

/** Whether it is the shop's day of now. @param {Date} date */
export const isToday = (date) => dayOf(date) === dayOf(new Date());

export const zoneShown = () => zone;

/** Whose clock it is, on a device that has another one. */
export const elsewhere = () => (isElsewhere ? say("top.zoneElsewhere", { zone, own: OWN }) : "");
