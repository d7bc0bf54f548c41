// The shop's clock: the times of the day's page and of the list of payments are by it, as the reports are, whatever the
// clock of the device says.

import { ZONE } from "./dom.js";
import { say } from "./words.js";

const LANGUAGE = document.documentElement.lang || undefined;
/** The shop's time zone by its name; the device's own until the till has said which it is. */
let zone = ZONE;

/**
 * Takes the shop's zone as the till names it. One that the device does not know leaves its own, which is said then.
 * @param {any} name
 */
export function keepZone(name) {
  if (typeof name !== "string" || name === zone) return;
  try {
    new Intl.DateTimeFormat(LANGUAGE, { timeZone: name });
  } catch {
    return;
  }
  zone = name;
}

/**
 * Writes moments by the shop's clock.
 * @param {Intl.DateTimeFormatOptions} options @param {string} [language] The page's by default.
 * @returns {(date: Date) => string}
 */
export function clock(options, language = LANGUAGE) {
  const make = () => new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
  let [its, format] = [zone, make()];
  return (date) => {
    if (its !== zone) [its, format] = [zone, make()];
    return format.format(date);
  };
}

const dayOf = clock({ year: "numeric", month: "2-digit", day: "2-digit" });

/** Whether it is the shop's day of now. @param {Date} date */
export const isToday = (date) => dayOf(date) === dayOf(new Date());

/** One day of the calendar, in milliseconds. */
export const DAY_MS = 86_400_000;

/** What the shop's clock shows at a moment, in milliseconds as if it were UTC. @param {number} at */
function shown(at) {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric",
    minute: "numeric", second: "numeric",
  }).formatToParts(new Date(at));
  const of = (name) => Number(parts.find(({ type }) => type === name)?.value ?? 0);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}

/** The shop's date at a moment: its midnight in milliseconds as if it were UTC. @param {Date} date */
export const dateOf = (date) => Math.floor(shown(date.getTime()) / DAY_MS) * DAY_MS;

/**
 * The moment at which a date begins by the shop's clock: at midnight, or at the change of clocks that leaves it out.
 * @param {number} date As {@link dateOf} has it.
 */
export function beginning(date) {
  const [before, after] = [date - DAY_MS, date + DAY_MS].map((at) => date - (shown(at) - at));
  return new Date(shown(before) !== date && shown(after) === date ? after : before);
}

/** How far the shop's clock is from UTC at a moment. @param {Date} date */
export function offsetOf(date) {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(date);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return `UTC${name.replace("GMT", "") || "+00:00"}`;
}

/** The name of the zone in which times are shown. */
export const zoneShown = () => zone;

/** Whose clock the times are by; said in full on a device that has another one. */
export const whoseTimes = () =>
  (zone === ZONE ? say("day.zone", { zone }) : say("day.zoneElsewhere", { zone, own: ZONE }));
