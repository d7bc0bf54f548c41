// Receipts: what is set for them, and a sample as it would print, in each of their languages.

import { ask } from "./calls.js";
import { field, make } from "./dom.js";
import { banner, commands, facts, pane, standing, table } from "./settings-parts.js";

const AT = "/v1/settings/receipts";
const NAMES = {
  en: "English", de: "German", fr: "French", es: "Spanish", it: "Italian", pl: "Polish", ja: "Japanese", ar: "Arabic",
  he: "Hebrew",
};
const PAPERS = [["screen", "As a page"], ["80", "Roll, 80 mm"], ["58", "Roll, 58 mm"], ["A4", "A4"]];
const COPIES = [["customer", "The customer's"], ["merchant", "The shop's"]];

/** @param {string} id @param {string[][]} options @param {string} [value] */
function choice(id, options, value) {
  const select = make("select", "", { id, className: "select" });
  select.append(...options.map(([code, words]) => make("option", words, { value: code })));
  if (value) select.value = value;
  return select;
}

/** A sample that changes with what is chosen. @param {any} set */
function preview(set) {
  const language = choice("receipt-language", set.languages.map(({ language: code }) => [code, NAMES[code] ?? code]),
    set.language);
  const paper = choice("receipt-paper", PAPERS);
  const copy = choice("receipt-copy", COPIES);
  const frame = make("iframe", "", { id: "receipt-page", className: "sheet", title: "The sample as a page" });
  // What is shown there runs nothing and reaches nothing.
  frame.setAttribute("sandbox", "");
  frame.setAttribute("referrerpolicy", "no-referrer");
  const picture = make("img", "", { id: "receipt-picture", className: "sheet" });
  const why = make("p", "", { className: "banner unsure", hidden: true });
  why.setAttribute("role", "status");

  function draw() {
    const name = language.selectedOptions[0].text;
    const query = new URLSearchParams({ language: language.value, copy: copy.value });
    const isPage = paper.value === "screen";
    why.hidden = true;
    [frame.hidden, picture.hidden] = [!isPage, isPage];
    if (isPage) {
      frame.src = `${AT}/preview?format=html&${query}`;
      return;
    }
    picture.alt =
      `The sample in ${name} as it prints: ${paper.selectedOptions[0].text}. Choose “As a page” to read it.`;
    picture.src = `${AT}/preview?format=png&width=${paper.value}&${query}`;
  }
  picture.addEventListener("error", () => {
    picture.hidden = true;
    why.textContent = `A receipt in ${language.selectedOptions[0].text} cannot be printed on this machine. `
      + "As a page it can be shown.";
    why.hidden = false;
  });
  for (const one of [language, paper, copy]) one.addEventListener("change", draw);
  const row = make("div", "", { className: "fields" });
  row.append(field("Language", language), field("Paper", paper), field("Copy", copy));
  draw();
  return pane("A sample", row, why, frame, picture);
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "receipts", title: "Receipts", shape: "payments", permission: "settings",
  load: () => ask("GET", AT),
  standing({ languages, language }) {
    const missing = languages.filter(({ drawn }) => !drawn).map(({ language: code }) => NAMES[code] ?? code);
    const own = NAMES[language] ?? language;
    if (missing.includes(own)) {
      return { tone: "stop", word: "Fonts missing", words: `Receipts in ${own} cannot be printed: fonts are missing.` };
    }
    if (missing.length > 0) {
      return { tone: "unsure", word: "Fonts missing", words: `Receipts cannot be printed in ${missing.join(", ")}.` };
    }
    return { tone: "paid", word: "Ready", words: `Receipts are in ${own}, and can be printed in every language.` };
  },
  draw(set) {
    const lines = (all) => all.join(", ");
    const packages = [...new Set(set.languages.flatMap((one) => (one.drawn ? [] : one.packages)))].sort();
    return [
      preview(set),
      pane("Current settings", facts([
        ["Shop", set.store], ["Address", lines(set.address)], ["Phone", set.phone], ["Tax number", set.tax_id],
        ["Country", set.country], ["Time zone", set.time_zone], ["Locale", set.locale],
        ["At the foot", lines(set.closing)],
        ["Online", set.online_at ?? "Receipts carry no QR code."],
        ["By e-mail", set.mailed_from ? `from ${set.mailed_from}` : "None are sent: no mail server is set."],
      ])),
      table("Languages", ["Language", "Printing"], set.languages.map(({ language, drawn }) => ({
        cells: [
          NAMES[language] ?? language, drawn ? standing("", "Can be printed") : standing("unsure", "Fonts missing"),
        ],
      })), "languages"),
      ...(packages.length
        ? [banner("unsure", `Install on the counter's machine (Debian): ${packages.join(" ")}.`)] : []),
      commands("Receipt contents are configured there and take effect after a restart:",
        "till serve --store NAME --address LINES --locale de_DE --closing LINES", "till doctor"),
    ];
  },
};
