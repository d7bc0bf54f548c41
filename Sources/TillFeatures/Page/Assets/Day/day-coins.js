// Coins and notes that a drawer is counted in, and pictures of them in their sizes.

import { decimal } from "./money.js";
import { sum } from "./sums.js";

const SVG = "http://www.w3.org/2000/svg";
const LANGUAGE = document.documentElement.lang || undefined;
const NOTE_PX_BY_MM = 0.34;
const COIN_PX_BY_MM = 1.25;

/**
 * Notes as value in minor units, width and height; coins as value and diameter; lengths in millimetres. Another
 * currency is counted as a sum.
 * @type {Record<string, {small: string, notes: [number, number, number][], coins: [number, number][]}>}
 */
const CASH = {
  EUR: {
    small: "c",
    notes: [
      [50000, 160, 82], [20000, 153, 82], [10000, 147, 82], [5000, 140, 77], [2000, 133, 72], [1000, 127, 67],
      [500, 120, 62],
    ],
    coins: [[200, 25.75], [100, 23.25], [50, 24.25], [20, 22.25], [10, 19.75], [5, 21.25], [2, 18.75], [1, 16.25]],
  },
  USD: {
    small: "¢",
    notes: [[10000, 156, 66], [5000, 156, 66], [2000, 156, 66], [1000, 156, 66], [500, 156, 66], [100, 156, 66]],
    coins: [[50, 30.61], [25, 24.26], [10, 17.91], [5, 21.21], [1, 19.05]],
  },
  GBP: {
    small: "p",
    notes: [[5000, 146, 77], [2000, 139, 73], [1000, 132, 69], [500, 125, 65]],
    coins: [[200, 28.4], [100, 23.43], [50, 27.3], [20, 21.4], [10, 24.5], [5, 18], [2, 25.9], [1, 20.3]],
  },
  CHF: {
    small: "Rp.",
    notes: [
      [100000, 158, 70], [20000, 151, 70], [10000, 144, 70], [5000, 137, 70], [2000, 130, 70], [1000, 123, 70],
    ],
    coins: [[500, 31.45], [200, 27.4], [100, 23.2], [50, 18.2], [20, 21.05], [10, 19.15], [5, 17.15]],
  },
  SEK: {
    small: "öre",
    notes: [
      [100000, 154, 66], [50000, 147, 66], [20000, 140, 66], [10000, 133, 66], [5000, 126, 66], [2000, 120, 66],
    ],
    coins: [[1000, 20.5], [500, 23.75], [200, 22.5], [100, 19.5]],
  },
  JPY: {
    small: "",
    notes: [[10000, 160, 76], [5000, 156, 76], [2000, 154, 76], [1000, 150, 76]],
    coins: [[500, 26.5], [100, 22.6], [50, 21], [10, 23.5], [5, 22], [1, 20]],
  },
};

/** Minor units in one whole of a currency. */
const unitOf = (currency) => 10 ** (decimal(1, currency).split(".")[1]?.length ?? 0);

/** @param {string} currency @returns {{value: number, isNote: boolean, width: number, height: number}[]} */
export function denominations(currency) {
  const { notes, coins } = CASH[currency] ?? { notes: [], coins: [] };
  return [
    ...notes.map(([value, width, height]) => ({ value, isNote: true, width, height })),
    ...coins.map(([value, width]) => ({ value, isNote: false, width, height: width })),
  ];
}

/** What a coin or note is called. @param {number} value @param {string} currency */
export function nameOf(value, currency) {
  const unit = unitOf(currency);
  if (value < unit) return `${value} ${CASH[currency]?.small || currency}`;
  if (value % unit !== 0) return sum(value, currency);
  const whole = { style: "currency", currency, minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return new Intl.NumberFormat(LANGUAGE, /** @type {any} */ (whole)).format(value / unit);
}

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** A note with a frame, or a coin with a ring if it is worth a whole or more. */
export function cashPicture({ value, isNote, width, height }, currency) {
  const unit = unitOf(currency);
  const scale = isNote ? NOTE_PX_BY_MM : COIN_PX_BY_MM;
  const svg = shape("svg", {
    class: "money", width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}`,
    "aria-hidden": "true",
  });
  const [x, y] = [width / 2, height / 2];
  if (isNote) {
    svg.append(
      shape("rect", { class: "face", x: 1.5, y: 1.5, width: width - 3, height: height - 3, rx: 6 }),
      shape("rect", { class: "inner", x: 10, y: 10, width: width - 20, height: height - 20, rx: 3 }));
  } else {
    svg.append(shape("circle", { class: "face", cx: x, cy: y, r: x - 0.45 }));
    if (value >= unit) svg.append(shape("circle", { class: "inner", cx: x, cy: y, r: x * 0.7 }));
  }
  const text = shape("text", {
    x, y, dy: ".36em", "text-anchor": "middle", "font-size": isNote ? 34 : value >= unit ? 10 : 9,
  });
  text.textContent = String(value >= unit ? value / unit : value);
  svg.append(text);
  return svg;
}
