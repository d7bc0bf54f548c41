// The language of a page, and what is said in it. It is the one that somebody chose on this device, else the first of
// the browser's that there is, else English. Only a page whose root has `data-languages` is translated; the modules
// that others share with it speak English there. The words of the language, and of no other, are loaded before anything
// of the page is shown: each page names this file before its own script, so that they are under way while that one is
// read. What the page itself says stands there in English. What only one page says is in files of its own:
// `data-languages` names them, as `day` does words-day-en.js and its translations.

/** The languages by their own names. */
export const LANGUAGES = {
  en: "English", de: "Deutsch", fr: "Français", es: "Español", it: "Italiano", pl: "Polski", ja: "日本語",
  ar: "العربية", he: "עברית",
};
const RIGHT_TO_LEFT = ["ar", "he"];
const SLOT = "till.language";
const MOST_TAGS = 20;
const root = document.documentElement;

const languageOf = (tag) => tag.split("-")[0].toLowerCase();

/** What somebody chose on this device; empty if nobody did. */
function stored() {
  try {
    return localStorage.getItem(SLOT) ?? "";
  } catch {
    return "";
  }
}

/** The tag of the language, such as `de-CH`: its region has a say in how sums and dates are written. */
function choose() {
  if (!root.hasAttribute("data-languages")) return "en";
  const tags = navigator.languages.slice(0, MOST_TAGS);
  const chosen = stored();
  if (Object.hasOwn(LANGUAGES, chosen)) return tags.find((tag) => languageOf(tag) === chosen) ?? chosen;
  return tags.find((tag) => Object.hasOwn(LANGUAGES, languageOf(tag))) ?? "en";
}

const own = root.dataset.languages;
/** The words of all pages, and those of this page alone. @param {string} language */
async function load(language) {
  const files = [`./words-${language}.js`, ...(own ? [`./words-${own}-${language}.js`] : [])];
  return Object.assign({}, ...(await Promise.all(files.map((file) => import(file)))).map((file) => file.WORDS));
}

let tag = choose();
/** @type {Record<string, any>} */
let table;
try {
  table = await load(languageOf(tag));
} catch {
  tag = "en"; // the page in English is better than none
  table = await load(tag);
}

/** The language of this page. */
export const language = languageOf(tag);
const isEnglish = language === "en";
/** For Intl: English pages write dates as the browser does. @type {string | undefined} */
export const locale = isEnglish ? undefined : tag;
const isRightToLeft = RIGHT_TO_LEFT.includes(language);
const plurals = new Intl.PluralRules(tag);
const numbers = new Intl.NumberFormat(tag);

/** What is filled into a sentence; where that runs from right to left, a part with a direction of its own. */
function filled(value) {
  const text = typeof value === "number" ? numbers.format(value) : String(value ?? "");
  return isRightToLeft ? `\u2068${text}\u2069` : text;
}

/**
 * A text in the language of the page. One that has plural forms takes the form of the number `count`.
 * @param {string} key @param {Record<string, any>} [values] What is filled in for `{name}`.
 * @returns {string}
 */
export function say(key, values = {}) {
  const found = table[key] ?? key;
  const text = typeof found === "string" ? found : found[plurals.select(Number(values.count))] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => filled(values[name]));
}

/**
 * A sum as the language writes it; null for English, which has the form of the requests.
 * @param {string} decimal Such as `-12.50`. @param {string} currency @param {number} places
 */
export function sum(decimal, currency, places) {
  if (isEnglish) return null;
  try {
    return new Intl.NumberFormat(tag, {
      style: "currency", currency, minimumFractionDigits: places, maximumFractionDigits: places,
    }).format(Number(decimal));
  } catch {
    return null; // no currency's code
  }
}

/** Marks a sentence of the till's own, which is English in every language of the page. @param {string} text */
export const foreign = (text) =>
  (isEnglish || !text ? text : `\u2066${text.replace(/[\u2066-\u2069]/g, "")}\u2069`);

const MARKED = /\u2066([^\u2066\u2069]*)\u2069/;

/**
 * A text for the document: what is marked as English has its language and direction.
 * @param {string} text @returns {(HTMLElement | string)[]}
 */
export const parts = (text) => text.split(MARKED).map((part, index) => {
  if (index % 2 === 0) return part;
  const element = document.createElement("bdi");
  element.lang = "en";
  element.textContent = part;
  return element;
});

/** The text that `parts` shows. @param {string} text */
export const plain = (text) => text.replace(new RegExp(MARKED, "gu"), "$1");

/** Chooses a language for this device; the page begins anew in it. @param {string} chosen */
export function speak(chosen) {
  try {
    localStorage.setItem(SLOT, chosen);
  } catch {
    return; // this browser keeps nothing
  }
  location.reload();
}

/** Puts the language into the page's own words. */
function translate() {
  root.lang = tag;
  root.dir = isRightToLeft ? "rtl" : "ltr";
  /** @type {NodeListOf<HTMLElement>} */
  const elements = document.querySelectorAll("[data-say], [data-say-label], [data-say-placeholder]");
  for (const element of elements) {
    const { say: text, sayLabel: label, sayPlaceholder: placeholder } = element.dataset;
    if (text) element.textContent = say(text);
    if (label) element.setAttribute("aria-label", say(label));
    if (placeholder) element.setAttribute("placeholder", say(placeholder));
  }
}
if (!isEnglish) translate();
