// Charts: SVG in percent across and pixels down, so that text keeps its size. Only classes and attributes. Every mark
// says its figure to a screen reader and takes the focus by arrow keys; a table beside it has the same numbers.

import { make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const PLOT = 176;
const TOP = 20;
const BELOW = 36;
const ROW = 44;
const CELL = 40;
/** The most labels below columns; on phones half as many. */
const LABELS = 16;
const LEVELS = 4;
/** The part of a map's width for names of up to so many letters, and for each one more. */
const NAMES = .083;
const SHORT_NAME = 3;
const LETTER = .02;
let patterns = 0;

/** @param {string} name @param {Record<string, string | number>} [attributes] @param {(Node | string)[]} inside */
export function shape(name, attributes = {}, ...inside) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...inside);
  return element;
}

const percent = (part) => `${Math.round(part * 100_000) / 1_000}%`;

/**
 * A pattern of stripes that tells parts apart without their colour, and what fills a shape with it.
 * @returns {[any, string]}
 */
function stripes() {
  const id = `stripes-${patterns += 1}`;
  const pattern = shape("pattern", {
    id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
  }, shape("path", { class: "stripe", d: "M0 0v7" }));
  return [shape("defs", {}, pattern), `url(#${id})`];
}

/** The next larger step of 1, 2, 2.5 or 5 times a power of ten. @param {number} most */
function step(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  return [1, 2, 2.5, 5, 10].map((each) => Math.ceil(each * power)).find((each) => each * 4 >= most) ?? most;
}

/**
 * One of the marks is in the order of Tab, and arrow keys, Home and End go to the others.
 * @param {any} svg @param {any[]} marks @param {number} across How many marks a row has. @param {any} reading Where the
 * figure of the mark with the focus, or under the pointer, is read.
 */
function focusable(svg, marks, across, reading) {
  const says = (mark) => reading.replaceChildren(mark.getAttribute("aria-label") ?? "");
  marks.forEach((mark, index) => {
    mark.setAttribute("tabindex", index === 0 ? "0" : "-1");
    mark.setAttribute("role", "img");
    mark.addEventListener("focus", () => says(mark));
    mark.addEventListener("pointerenter", () => says(mark));
  });
  svg.addEventListener("keydown", (event) => {
    const at = marks.indexOf(document.activeElement);
    if (at < 0) return;
    const to = {
      ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: across < marks.length ? at + across : at,
      ArrowUp: across < marks.length ? at - across : at, Home: 0, End: marks.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = marks[Math.min(marks.length - 1, Math.max(0, to))];
    marks[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/**
 * Columns with a line for what was before.
 * @param {{label: string, under: string, value: number, was: number | null, words: string,
 *   isStrong: boolean}[]} columns
 * @param {(value: number) => string} text A figure of the axis. @param {string} name What the chart is of.
 */
export function columnChart(columns, text, name) {
  const values = columns.flatMap(({ value, was }) => [value, was ?? 0]);
  const [most, least] = [Math.max(0, ...values), Math.min(0, ...values)];
  const unit = step(Math.max(most, -least));
  const [above, below] = [Math.max(1, Math.ceil(most / unit)), Math.ceil(-least / unit)];
  const y = (value) => Math.round((TOP + PLOT * (above - value / unit) / (above + below)) * 100) / 100;
  const height = TOP + PLOT + BELOW;
  const axis = shape("svg", { class: "ylab", height, "aria-hidden": "true" });
  const svg = shape("svg", { height, role: "group", "aria-label": name });
  for (let line = -below; line <= above; line += 1) {
    const at = y(line * unit);
    if (line !== 0) svg.append(shape("line", { class: "axis", x1: 0, x2: "100%", y1: at, y2: at }));
    axis.append(shape("text", { x: 0, y: at + 4 }, text(line * unit)));
  }
  const width = 1 / Math.max(1, columns.length);
  const each = Math.max(1, Math.ceil(columns.length / LABELS));
  const marks = columns.map(({ label, under, value, was, words, isStrong }, index) => {
    const from = index * width;
    const mark = shape("g", { class: "mark", "aria-label": words, "data-value": value });
    mark.append(shape("rect", { class: "hit", x: percent(from), width: percent(width), y: 0, height: TOP + PLOT }));
    if (value !== 0) {
      mark.append(shape("rect", {
        class: "bar", x: percent(from + width * .2), width: percent(width * .6), y: Math.min(y(0), y(value)),
        height: Math.max(1, Math.abs(y(value) - y(0))), rx: 2,
      }));
    }
    if (was !== null) {
      mark.append(shape("line", {
        class: "tick", x1: percent(from + width * .12), x2: percent(from + width * .88), y1: y(was), y2: y(was),
      }));
    }
    if (index % each === 0) {
      const rare = index % (each * 2) === 0 ? "" : " rare";
      const middle = { x: percent(from + width / 2), "text-anchor": "middle" };
      mark.append(
        shape("text", { ...middle, class: `${isStrong ? "strong" : ""}${rare}`.trim(), y: TOP + PLOT + 17 }, label),
        shape("text", { ...middle, class: "wd" + rare, y: TOP + PLOT + 32 }, under));
    }
    return mark;
  });
  svg.append(...marks, shape("line", { class: "base", x1: 0, x2: "100%", y1: y(0), y2: y(0) }));
  const plot = make("div", "", { className: "plot" });
  plot.append(axis, svg);
  const reading = make("p", "", { className: "reading small soft" });
  focusable(svg, marks, columns.length, reading);
  return [plot, reading];
}

/**
 * A map of hours: the darker, and the taller the mark in it, the more.
 * @param {{name: string, cells: {hour: string, value: number, words: string}[]}[]} rows One for each weekday.
 * @param {string} name What the chart is of.
 */
export function heatMap(rows, name) {
  const most = Math.max(1, ...rows.flatMap(({ cells }) => cells.map(({ value }) => value)));
  const across = rows[0]?.cells.length ?? 0;
  const svg = shape("svg", { height: rows.length * ROW + 22, role: "group", "aria-label": name });
  const longest = Math.max(...rows.map((row) => row.name.length));
  const left = NAMES + Math.max(0, longest - SHORT_NAME) * LETTER;
  const width = (1 - left) / Math.max(1, across);
  const marks = [];
  rows.forEach((row, line) => {
    const y = line * ROW + 2;
    svg.append(shape("text", { x: 0, y: y + 24, "aria-hidden": "true" }, row.name));
    row.cells.forEach(({ value, words }, index) => {
      const level = value === 0 ? 0 : Math.max(1, Math.ceil(value * LEVELS / most));
      const place = { x: percent(left + index * width), width: percent(width * .93) };
      const mark = shape("g", { class: "mark", "aria-label": words, "data-value": value },
        shape("rect", { ...place, class: `heat-${level}`, y, height: CELL, rx: 4 }));
      if (value > 0) {
        const tall = Math.max(2, Math.round(value * (CELL - 12) / most));
        mark.append(shape("rect", {
          class: "level", x: percent(left + (index + .38) * width), width: percent(width * .17),
          y: y + CELL - 6 - tall, height: tall,
        }));
      }
      marks.push(mark);
    });
  });
  svg.append(...marks);
  rows[0]?.cells.forEach(({ hour }, index) => svg.append(shape("text", {
    x: percent(left + (index + .465) * width), y: rows.length * ROW + 16, "text-anchor": "middle",
    class: index % 2 ? "rare" : "", "aria-hidden": "true",
  }, hour)));
  const reading = make("p", "", { className: "reading small soft" });
  focusable(svg, marks, across, reading);
  return [svg, reading];
}

/** A bar in a table; the cells beside it say the figure. @param {number} part 0 to 1. @param {boolean} [isStriped] */
export function barOf(part, isStriped = false) {
  const svg = shape("svg", { class: "hbar", "aria-hidden": "true" });
  const place = { width: percent(Math.min(1, Math.max(0, part))), height: "100%", rx: 3 };
  svg.append(shape("rect", { ...place, class: isStriped ? "bar stop" : "bar" }));
  if (isStriped) {
    const [defs, fill] = stripes();
    svg.append(defs, shape("rect", { ...place, fill }));
  }
  return svg;
}
