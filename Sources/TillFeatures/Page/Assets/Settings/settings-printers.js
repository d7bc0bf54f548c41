// Printers: their states as they report them, a page to test each, a new one, and removing one, in two steps.

import { ask, Refusal } from "./calls.js";
import { field, make } from "./dom.js";
import { review } from "./review.js";
import {
  atFields, button, card, cards, choices, commands, empty, form, listed, needingFirst, standing, tick, ticked,
} from "./settings-parts.js";
import { foreign, say } from "./words.js";

const AT = "/v1/printers";
const PROFILES = [
  ["80", say("settings.paper80")], ["58", say("settings.paper58")], ["tm-t88v", "Epson TM-T88V"],
  ["plain", say("settings.plainPrinter")],
];
/** Adding one has the counter reach an address, so it takes more than the permission to use them. */
const CHANGING = "settings";

const pathOf = (name) => `${AT}/${encodeURIComponent(name)}`;

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
      [say("settings.trusted"), printer.sha256 ?? (printer.trust_first && say("settings.firstShown"))],
    ],
    buttons: [test, ...(page.may(CHANGING) ? [removing(printer, page)] : [])],
  });
}

/** @param {any} printer @param {import("./settings.js").Page} page */
function removing({ name, address }, page) {
  return button(say("settings.remove"), () => page.act(async () => {
    if (!await review({
      title: say("settings.removePrinter"), words: say("settings.removeWords"),
      facts: [[say("settings.name"), name], [say("settings.address"), address]], send: say("settings.removeSend"),
    })) return;
    await ask("DELETE", pathOf(name));
    return say("settings.isRemoved", { name });
  }), { label: say("settings.removeLabel", { name }), kind: "dense danger" });
}

/** @param {import("./settings.js").Page} page */
function adding(page) {
  const text = (/** @type {string} */ id, /** @type {number} */ maxLength, more = {}) =>
    make("input", "", { id, className: "input", maxLength, autocomplete: "off", spellcheck: false, ...more });
  const name = text("printer-name", 40);
  const address = text("printer-address", 1_000, { dir: "ltr", placeholder: "socket://192.168.1.30:9100" });
  const profile = make("select", "", { id: "printer-profile", className: "select" });
  profile.append(...PROFILES.map(([value, words]) => make("option", words, { value })));
  const trust = choices(say("settings.certificate"), [
    tick("trust", "first", say("settings.trustFirst"), say("settings.trustUnder")),
  ]);
  const sha256 = text("printer-sha256", 200, { dir: "ltr" });
  return form(say("settings.addPrinter"), [
    field(say("settings.name"), name), field(say("settings.address"), address), field(say("settings.paper"), profile),
    trust, field(say("settings.fingerprint"), sha256),
  ], say("settings.add"), () => page.act(() => atFields({ name, address, profile, sha256 }, async () => {
    const read = sha256.value.trim();
    const body = {
      name: name.value.trim(), address: address.value.trim(), profile: profile.value,
      trust_first: ticked(trust, "trust").length > 0, ...(read && { sha256: read }),
    };
    const added = await ask("POST", AT, JSON.stringify(body));
    return say("settings.isAdded", { name: added.name });
  })));
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "printers", title: say("settings.printers"), shape: "print", permission: "readers",
  async load() {
    const { printers } = await ask("GET", AT);
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
      ...(page.may(CHANGING) ? [adding(page)] : []),
      list.length ? cards(list) : empty(say("settings.noPrintersYet"), say("settings.namePrinter")),
      commands(say("settings.findPrinters"), "till printers discover",
        "till printers add NAME ADDRESS --user USER --password-file FILE"),
    ];
  },
};
