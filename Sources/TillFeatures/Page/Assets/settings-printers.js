// Printers: their states as they report them, and a page to test each.

import { ask, Refusal } from "./calls.js";
import { button, card, cards, commands, empty, needingFirst, standing } from "./settings-parts.js";

const pathOf = (name) => `/v1/printers/${encodeURIComponent(name)}`;

/** @param {any} state @returns {[import("./settings-parts.js").Tone, string]} */
function badgeOf(state) {
  if (state.needs_help) return ["stop", "Needs help"];
  if (state.state === "processing") return ["wait", "Printing"];
  return state.state === "idle" ? ["paid", "Ready"] : ["", "Does not report"];
}

/** Asks one printer; that it cannot be asked is its state. */
async function stateOf(printer) {
  try {
    return { ...printer, ...await ask("GET", pathOf(printer.name)) };
  } catch (error) {
    const message = error instanceof Refusal ? error.message : "The till did not answer about it.";
    return { ...printer, state: "unknown", needs_help: true, message };
  }
}

/** @param {any} printer @param {import("./settings.js").Page} page */
function one(printer, page) {
  const test = button("Print a test page", () => page.act(async () => {
    const { message } = await ask("POST", pathOf(printer.name) + "/test", "{}");
    return `${printer.name}: ${message}`;
  }), { label: `Print a test page on ${printer.name}` });
  return card({
    shape: "print", title: printer.name, under: `${printer.address} · ${printer.profile}`,
    badge: standing(...badgeOf(printer)),
    facts: [["State", printer.message], ["Drawer", printer.has_drawer && "A cash drawer can be on its plug."]],
    buttons: [test],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "printers", title: "Printers", shape: "print", permission: "readers",
  async load() {
    const { printers } = await ask("GET", "/v1/printers");
    return Promise.all(printers.map(stateOf));
  },
  standing(printers) {
    const bad = printers.filter((printer) => printer.needs_help);
    if (bad.length > 0) {
      return { tone: "stop", word: "Needs help", words: `Check: ${bad.map(({ name }) => name).join(", ")}.` };
    }
    if (printers.length === 0) {
      return { tone: "", word: "None", words: "There are no printers. Receipts are shown, and can be mailed." };
    }
    return { tone: "paid", word: "Ready", words: "No printer needs help." };
  },
  draw(printers, page) {
    const list = needingFirst(printers, (printer) => badgeOf(printer)[0]).map((printer) => one(printer, page));
    return [
      list.length ? cards(list) : empty("No printers yet", "A printer is given a name on the counter's machine."),
      commands("To find printers, and to give one a name:", "till printers discover", "till printers add NAME ADDRESS"),
    ];
  },
};
