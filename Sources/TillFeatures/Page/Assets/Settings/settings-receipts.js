// Receipts: what is set for them, and a sample as it would print, in each of their languages.

import { ask } from "./calls.js";
import { field, make } from "./dom.js";
import { banner, commands, facts, listed, pane, standing, table } from "./settings-parts.js";
import { foreign, language as own, say } from "./words.js";

const AT = "/v1/settings/receipts";
const PAPERS = [
  ["screen", say("settings.paperPage")], ["80", say("settings.paper80")], ["58", say("settings.paper58")], ["A4", "A4"],
];
const COPIES = [["customer", say("settings.copyCustomer")], ["merchant", say("settings.copyShop")]];
const names = new Intl.DisplayNames(own, { type: "language" });

/** @type {Record<string, string>} */
const DETAILS = {
  store_name: say("settings.shop"), store_address: say("settings.address"), phone: say("settings.phone"),
  tax_id: say("settings.taxNumber"),
};

/** What card receipts have to show of the shop and is not set. @param {string[]} missing */
const lacking = (missing) =>
  say("settings.receiptsLack", { fields: listed(missing.map((name) => DETAILS[name] ?? foreign(name))) });

/** A language as that of the page calls it. @param {string} code */
const nameOf = (code) => names.of(code) ?? code;

/** @param {string} id @param {string[][]} options @param {string} [value] */
function choice(id, options, value) {
  const select = make("select", "", { id, className: "select" });
  select.append(...options.map(([code, words]) => make("option", words, { value: code })));
  if (value) select.value = value;
  return select;
}

/** A sample that changes with what is chosen. @param {any} set */
function preview(set) {
  const language = choice("receipt-language", set.languages.map(({ language: code }) => [code, nameOf(code)]),
    set.language);
  const paper = choice("receipt-paper", PAPERS);
  const copy = choice("receipt-copy", COPIES);
  const frame = make("iframe", "", { id: "receipt-page", className: "sheet", title: say("settings.sampleAsPage") });
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
    picture.alt = say("settings.sampleAlt", { language: name, paper: paper.selectedOptions[0].text });
    picture.src = `${AT}/preview?format=png&width=${paper.value}&${query}`;
  }
  picture.addEventListener("error", () => {
    picture.hidden = true;
    why.textContent = say("settings.notPrinted", { language: language.selectedOptions[0].text });
    why.hidden = false;
  });
  for (const one of [language, paper, copy]) one.addEventListener("change", draw);
  const row = make("div", "", { className: "fields" });
  row.append(
    field(say("settings.language"), language), field(say("settings.paper"), paper),
    field(say("settings.copyOf"), copy));
  draw();
  return pane(say("settings.sample"), row, why, frame, picture);
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "receipts", title: say("settings.receipts"), shape: "payments", permission: "settings",
  load: () => ask("GET", AT),
  standing({ languages, language, mode, missing: details }) {
    const missing = languages.filter(({ drawn }) => !drawn).map(({ language: code }) => code);
    const name = nameOf(language);
    if (missing.includes(language)) {
      const words = say("settings.receiptsStop", { language: name });
      return { tone: "stop", word: say("settings.fontsMissing"), words };
    }
    if (missing.length > 0) {
      const words = say("settings.receiptsUnsure", { languages: listed(missing.map(nameOf)) });
      return { tone: "unsure", word: say("settings.fontsMissing"), words };
    }
    if (mode === "live" && details.length > 0) {
      return { tone: "unsure", word: say("settings.detailsMissing"), words: lacking(details) };
    }
    return { tone: "paid", word: say("settings.inOrder"), words: say("settings.receiptsReady", { language: name }) };
  },
  draw(set) {
    const lines = (all) => all.join(", ");
    const packages = [...new Set(set.languages.flatMap((one) => (one.drawn ? [] : one.packages)))].sort();
    const heads = [say("settings.language"), say("settings.printingHead")];
    return [
      ...(set.missing.length && lacking(set.missing) !== section.standing(set).words
        ? [banner("", lacking(set.missing))] : []),
      preview(set),
      pane(say("settings.current"), facts([
        [say("settings.shop"), set.store], [say("settings.address"), lines(set.address)],
        [say("settings.phone"), set.phone], [say("settings.taxNumber"), set.tax_id],
        [say("settings.country"), set.country], [say("settings.timeZone"), set.time_zone],
        [say("settings.locale"), set.locale], [say("settings.atFoot"), lines(set.closing)],
        [say("settings.online"), set.online_at ?? say("settings.noQR")],
        [say("settings.byMail"), set.mailed_from ? say("settings.mailFrom", { address: set.mailed_from })
          : say("settings.noMail")],
      ])),
      table(say("settings.languages"), heads, set.languages.map(({ language, drawn }) => ({
        cells: [
          nameOf(language),
          drawn ? standing("", say("settings.canPrint")) : standing("unsure", say("settings.fontsMissing")),
        ],
      })), "languages"),
      ...(packages.length
        ? [banner("unsure", say("settings.install", { packages: packages.join(" ") }))] : []),
      commands(say("settings.receiptsThere"),
        "till serve --store NAME --address LINES --locale de_DE --time-zone Europe/Berlin --closing LINES",
        "till doctor"),
    ];
  },
};
