// The parts of which the sections of the settings are made.

import { icon } from "./badges.js";
import { Refusal } from "./calls.js";
import { make } from "./dom.js";
import { foreign, language, locale, parts, say } from "./words.js";

/**
 * How a thing stands: `stop` and `unsure` need somebody, `wait` is under way, `paid` is fine, nothing is quiet.
 * @typedef {"" | "paid" | "wait" | "unsure" | "stop"} Tone
 */

const SHAPES = { "": "check", paid: "check-circle", wait: "dots", unsure: "diamond", stop: "x-octagon" };

/** Whether something with this tone needs somebody. @param {Tone} tone */
export const needsSomebody = (tone) => tone === "stop" || tone === "unsure";

/** In which order things are shown: first what needs somebody. */
const ORDER = ["stop", "unsure", "wait", "", "paid"];

/** What needs somebody first; otherwise the order stays. @template T @param {T[]} all @param {(one: T) => Tone} tone */
export const needingFirst = (all, tone) =>
  [...all].sort((one, other) => ORDER.indexOf(tone(one)) - ORDER.indexOf(tone(other)));

/** An element with a text in which the till's own words are marked as English. */
export function spoken(tag, text, properties = {}) {
  const element = make(tag, "", properties);
  element.append(...parts(String(text)));
  return element;
}

/** A name whose direction is its own. @param {string} tag @param {string} text */
function proper(tag, text, properties = {}) {
  const element = make(tag, "", properties);
  element.append(make("bdi", text));
  return element;
}

/** @type {Record<string, string>} */
const COMMAS = { ar: "، ", ja: "、" };
/** @type {Record<string, string>} */
const COLONS = { fr: " : ", ja: "：" };

/** Names beside each other in a sentence. @param {string[]} names */
export const listed = (names) => names.join(COMMAS[language] ?? ", ");

/** A count as the language writes it. @param {number} count */
export const counted = (count) => new Intl.NumberFormat(locale).format(count);

/** A word with a shape and a colour. @param {Tone} tone @param {string} word @param {string} [shape] */
export function standing(tone, word, shape = SHAPES[tone]) {
  const element = make("span", "", { className: `badge ${tone}`.trim() });
  element.append(icon(shape), word);
  return element;
}

/**
 * A button with a text and, where several have the same, with a label of its own as well.
 * @param {string} words @param {() => unknown} work @param {{label?: string, kind?: string, shape?: string}} [how]
 */
export function button(words, work, how = {}) {
  const { label = "", kind = "dense", shape = "" } = how;
  const element = make("button", "", { type: "button", className: `button ${kind}` });
  element.append(...(shape ? [icon(shape, "small")] : []), words);
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", work);
  return element;
}

/** Buttons beside each other. @param {...HTMLElement} all */
export function buttons(...all) {
  const box = make("div", "", { className: "buttons" });
  box.append(...all);
  return box;
}

/** Names and values. @param {[string, any][]} pairs A pair without a value is left out. */
export function facts(pairs) {
  const list = make("dl", "", { className: "facts" });
  list.append(...pairs.filter(([, value]) => value)
    .flatMap(([name, value]) => [make("dt", name), spoken("dd", value)]));
  return list;
}

/**
 * A thing with its state, what is known of it, and what can be done.
 * @param {{shape: string, title: string, under?: string, badge?: HTMLElement, facts?: [string, any][],
 *   more?: HTMLElement[], buttons?: HTMLElement[]}} parts
 */
export function card({ shape, title, under = "", badge, facts: pairs = [], more = [], buttons: all = [] }) {
  const element = make("li", "", { className: "pane thing" });
  const picture = make("span", "", { className: "pic" });
  picture.append(icon(shape));
  const words = make("div", "");
  words.append(proper("h3", title), ...(under ? [proper("p", under, { className: "muted small" })] : []));
  const known = facts(pairs);
  element.append(picture, words, ...(badge ? [badge] : []), ...(known.childElementCount ? [known] : []), ...more);
  if (all.length) element.append(buttons(...all));
  return element;
}

/** Cards beside each other. @param {HTMLElement[]} all */
export function cards(all) {
  const list = make("ul", "", { className: "things" });
  list.append(...all);
  return list;
}

/** A box with a heading. @param {string} title @param {...(Node | string)} content */
export function pane(title, ...content) {
  const element = make("section", "", { className: "pane" });
  const head = make("header", "");
  head.append(make("h3", title));
  const body = make("div", "", { className: "body stack" });
  body.append(...content);
  element.append(head, body);
  return element;
}

/** A sentence and the command that does it on the counter's machine. @param {string} words @param {string[]} lines */
export function commands(words, ...lines) {
  return pane(say("settings.machine"), make("p", words),
    ...lines.map((line) => make("code", line, { className: "command", dir: "ltr" })));
}

/** What is shown where there is nothing. @param {string} title @param {string} words */
export function empty(title, words) {
  const box = make("div", "", { className: "pane empty" });
  box.append(make("h3", title), make("p", words));
  return box;
}

/** A sentence that needs to be seen. @param {Tone} tone @param {...(Node | string)} words */
export function banner(tone, ...words) {
  const box = make("p", "", { className: `banner ${tone}`.trim() });
  box.append(...words.flatMap((one) => (typeof one === "string" ? parts(one) : [one])));
  return box;
}

/**
 * Sentences of the till's, each with a mark whether something is to be done.
 * @param {{ok: boolean, text: string}[]} all
 */
export function findings(all) {
  const list = make("ul", "", { className: "findings" });
  list.append(...all.map(({ ok, text }) => {
    const line = make("li", "");
    const word = say(ok ? "settings.fine" : "settings.toDo");
    line.append(standing(ok ? "" : "unsure", word), spoken("span", foreign(text)));
    return line;
  }));
  return list;
}

/**
 * A table that becomes cards on a phone. @param {string} label @param {string[]} heads
 * @param {{cells: (string | Node)[]}[]} rows @param {string} kind
 */
export function table(label, heads, rows, kind) {
  const element = make("table", "", { className: `table cards ${kind}` });
  element.setAttribute("role", "table");
  element.setAttribute("aria-label", label);
  const part = (tag, role, className = "") => {
    const made = make(tag, "", { className });
    made.setAttribute("role", role);
    return made;
  };
  const [head, body, first] = [part("thead", "rowgroup"), part("tbody", "rowgroup"), part("tr", "row")];
  first.append(...heads.map((words) => {
    const cell = part("th", "columnheader");
    cell.scope = "col";
    cell.append(words || make("span", say("settings.actions"), { className: "only-sr" }));
    return cell;
  }));
  head.append(first);
  body.append(...rows.map(({ cells }) => {
    const row = part("tr", "row");
    row.append(...cells.map((content, index) => {
      const cell = part("td", "cell", heads[index] ? "" : "end");
      if (index > 0 && heads[index]) cell.dataset.label = heads[index] + (COLONS[language] ?? ": ");
      cell.append(content);
      return cell;
    }));
    return row;
  }));
  element.append(head, body);
  const box = make("div", "", { className: "pane" });
  box.append(element);
  return box;
}

/** A name with a line below it. @param {string} title @param {string} under */
export function named(title, under) {
  const box = make("span", "");
  box.append(proper("b", title), ...(under ? [spoken("span", under, { className: "under" })] : []));
  return box;
}

/**
 * A secret that is shown once. It is in no store of the page, and gone with the section.
 * @param {string} words @param {string} secret
 */
export function shownOnce(words, secret) {
  const box = make("div", "", { className: "banner strong once" });
  const text = make("div", "");
  const told = make("span", "", { className: "small" });
  told.setAttribute("role", "status");
  text.append(make("strong", words), make("p", secret, { className: "id", dir: "ltr" }), told);
  const copy = button(say("settings.copyIt"), async () => {
    try {
      await navigator.clipboard.writeText(secret);
      told.textContent = say("settings.copied");
    } catch {
      told.textContent = say("settings.notCopied");
    }
  }, { kind: "pushed", shape: "copy" });
  box.append(icon("key"), text, copy);
  return box;
}

/** A tick box in a row of them. @param {string} name @param {string} value @param {string} words */
export function tick(name, value, words, under = "", isChecked = false) {
  const label = make("label", "", { className: "choice" });
  const text = make("span", "");
  text.append(make("b", words), ...(under ? [make("small", under)] : []));
  label.append(make("input", "", { type: "checkbox", name, value, defaultChecked: isChecked }), text);
  return label;
}

/** The values of the ticked boxes of a name. @param {HTMLElement} form @param {string} name @returns {string[]} */
export const ticked = (form, name) =>
  [...form.querySelectorAll(`input[name=${name}]:checked`)].map((box) => /** @type {HTMLInputElement} */ (box).value);

/** Boxes to tick, under a name. @param {string} legend @param {HTMLElement[]} all */
export function choices(legend, all) {
  const box = make("fieldset", "", { className: "ticks" });
  box.append(make("legend", legend, { className: "label" }), ...all);
  return box;
}

/**
 * Does what a form asks for. The field that a refusal names is marked, and has the focus.
 * @template T @param {Record<string, HTMLElement>} fields By the name that the request has for each.
 * @param {() => Promise<T>} work
 */
export async function atFields(fields, work) {
  const mark = (/** @type {HTMLElement} */ control, /** @type {boolean} */ isWrong) => {
    control.closest(".field")?.classList.toggle("wrong", isWrong);
    if (isWrong) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  for (const control of Object.values(fields)) mark(control, false);
  try {
    return await work();
  } catch (error) {
    const control = error instanceof Refusal && fields[error.problem.errors?.[0]?.field];
    if (control) {
      mark(control, true);
      control.focus();
    }
    throw error;
  }
}

/**
 * A form below a button that opens it. @param {string} title @param {HTMLElement[]} fields @param {string} send
 * @param {() => Promise<unknown>} work
 */
export function form(title, fields, send, work) {
  const element = make("form", "", { className: "stack", noValidate: true });
  const button = make("button", send, { className: "button primary" });
  element.append(...fields, buttons(button));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await work();
    } finally {
      button.disabled = false;
    }
  });
  const box = make("details", "", { className: "pane more adding" });
  box.append(make("summary", title), element);
  return box;
}
