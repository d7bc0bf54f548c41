// Printers: their states as they report them, and a page to test each.

import { ask, Refusal } from "./calls.js";
import { button, card, cards, commands, empty, listed, needingFirst, standing } from "./settings-parts.js";
import { foreign, say } from "./words.js";

const pathOf = (name) => `/v1/printers/${encodeURIComponent(name)}`;

/** @param {any} state @returns {[import("./settings-parts.js").Tone, string]} */
function badgeOf(state) {
  if (state.needs_help) return ["stop", say("settings.needsHelp")];
  if (state.state === "processing") return ["wait", say("settings.printing")];
  return state.state === "idle" ? ["paid", say("settings.ready")] : ["", say("settings.noReport")];
}

/** Asks one printer; that it cannot be asked is its state. */
async function stateOf(printer) {
  try {
    const answer = await ask("GET", pathOf(printer.name));
    return { ...printer, ...answer, message: foreign(answer.message) };
  } catch (error) {
    const message = error instanceof Refusal ? foreign(error.message) : say("settings.printerSilent");
    return { ...printer, state: "unknown", needs_help: true, message };
  }
}

/** @param {any} printer @param {import("./settings.js").Page} page */
function one(printer, page) {
  const test = button(say("settings.testPage"), () => page.act(async () => {
    const { message } = await ask("POST", pathOf(printer.name) + "/test", "{}");
    return `${printer.name}: ${foreign(message)}`;
  }), { label: say("settings.testPageOn", { name: printer.name }) });
  return card({
    shape: "print", title: printer.name, under: `${printer.address} · ${printer.profile}`,
    badge: standing(...badgeOf(printer)),
    facts: [
      [say("settings.state"), printer.message],
      [say("settings.drawer"), printer.has_drawer && say("settings.drawerPlug")],
    ],
    buttons: [test],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "printers", title: say("settings.printers"), shape: "print", permission: "readers",
  async load() {
    const { printers } = await ask("GET", "/v1/printers");
    return Promise.all(printers.map(stateOf));
  },
  standing(printers) {
    const bad = printers.filter((printer) => printer.needs_help);
    if (bad.length > 0) {
      const words = say("settings.check", { names: listed(bad.map(({ name }) => name)) });
      return { tone: "stop", word: say("settings.needsHelp"), words };
    }
    if (printers.length === 0) {
      return { tone: "", word: say("settings.none"), words: say("settings.noPrinters") };
    }
    return { tone: "paid", word: say("settings.ready"), words: say("settings.printersReady") };
  },
  draw(printers, page) {
    const list = needingFirst(printers, (printer) => badgeOf(printer)[0]).map((printer) => one(printer, page));
    return [
      list.length ? cards(list) : empty(say("settings.noPrintersYet"), say("settings.namePrinter")),
      commands(say("settings.findPrinters"), "till printers discover", "till printers add NAME ADDRESS"),
    ];
  },
};
