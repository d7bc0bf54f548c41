// The shop's calendar, for the day's page and the list of payments: its dates, where they begin, and how far its clock
// is from UTC.

import { zoneShown } from "./clock.js";

/** One day of the calendar, in milliseconds. */
export const DAY_MS = 86_400_000;

/** What the shop's clock shows at a moment, in milliseconds as if it were UTC. @param {number} at */
function shown(at) {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zoneShown(), hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric",
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
  const format = new Intl.DateTimeFormat("en", { timeZone: zoneShown(), timeZoneName: "longOffset" });
  const parts = format.formatToParts(date);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return `UTC${name.replace("GMT", "") || "+00:00"}`;
}
