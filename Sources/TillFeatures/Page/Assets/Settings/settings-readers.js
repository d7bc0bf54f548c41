// Card readers: which there are, whether their providers hear of them, and what they do; a new one, its name, the one
// that the counter uses by default, and removing one, in two steps.

import { ask } from "./calls.js";
import { field, make } from "./dom.js";
import { review } from "./review.js";
import { atFields, button, card, cards, empty, form, listed, needingFirst, standing } from "./settings-parts.js";
import { say } from "./words.js";

const AT = "/v1/terminal/readers";
/** Changing what the counter takes cards with takes more than the permission to use it. */
const CHANGING = "settings";

const pathOf = (reader) => `${AT}/${encodeURIComponent(reader.id)}`;

/** @param {any} reader @returns {[import("./settings-parts.js").Tone, string, string]} */
function stateOf(reader) {
  if (reader.busy) return ["wait", say("settings.inUse"), "dots"];
  if (reader.status === "offline") return ["stop", say("top.offline"), "wifi-off"];
  return reader.status === "online" ? ["paid", say("settings.ready"), "check-circle"]
    : ["", say("settings.notSeen"), "dots"];
}

/** @param {string} id @param {object} [more] */
const line = (id, more = {}) =>
  make("input", "", { id, className: "input", maxLength: 128, autocomplete: "off", spellcheck: false, ...more });

/** @param {any} reader @param {import("./settings.js").Page} page */
function renaming(reader, page) {
  const label = line(`reader-name-${reader.id}`, { defaultValue: reader.label });
  const box = form(say("settings.renameOne", { name: reader.label }), [field(say("settings.name"), label)],
    say("settings.rename"), () => page.act(() => atFields({ label }, async () => {
      const now = await ask("PATCH", pathOf(reader), JSON.stringify({ label: label.value.trim() }));
      return say("settings.isRenamed", { name: now.label });
    })));
  box.classList.add("wide");
  return box;
}

/** What can be done with a reader by whoever may change them. @param {any} reader @param {any} page */
function changes(reader, page) {
  const { label: name, preferred } = reader;
  const choose = button(say(preferred ? "settings.leaveDefault" : "settings.useDefault"), () => page.act(async () => {
    await ask("PATCH", pathOf(reader), JSON.stringify({ preferred: !preferred }));
    return say(preferred ? "settings.isNoDefault" : "settings.isDefault", { name });
  }), { label: say(preferred ? "settings.leaveDefaultLabel" : "settings.useDefaultLabel", { name }) });
  const remove = button(say("settings.remove"), () => page.act(async () => {
    if (!await review({
      title: say("settings.removeReader"), words: say("settings.removeReaderWords"),
      facts: [[say("reader.reader"), name]], send: say("settings.removeReaderSend"),
    })) return;
    await ask("DELETE", pathOf(reader));
    return say("settings.isRemoved", { name });
  }), { label: say("settings.removeLabel", { name }), kind: "dense danger" });
  return [choose, ...(reader.managed && !reader.busy ? [remove] : [])];
}

/** @param {string[]} registers The providers that take another reader. @param {import("./settings.js").Page} page */
function adding(registers, page) {
  const [code, label, location] = ["code", "label", "location"].map((name) => line("reader-" + name));
  const provider = make("select", "", { id: "reader-provider", className: "select" });
  provider.append(...registers.map((name) => make("option", name, { value: name })));
  return form(say("settings.addReader"), [
    field(say("settings.registrationCode"), code), field(say("settings.name"), label),
    field(say("settings.readerPlace"), location),
    ...(registers.length > 1 ? [field(say("settings.readerProvider"), provider)] : []),
  ], say("settings.add"), () => page.act(() => atFields({ code, label, location, provider }, async () => {
    const [name, place] = [label.value.trim(), location.value.trim()];
    const body = {
      code: code.value.trim(), provider: provider.value,
      ...(name && { label: name }), ...(place && { location: place }),
    };
    const added = await ask("POST", AT, JSON.stringify(body));
    return say("settings.isAdded", { name: added.label });
  })));
}

/** @param {any} reader @param {import("./settings.js").Page} page */
function one(reader, page) {
  const mayChange = page.may(CHANGING);
  const [tone, word, shape] = stateOf(reader);
  return card({
    shape: "reader", title: reader.label, under: `${reader.device_type} · ${reader.id}`,
    badge: standing(tone, word, shape),
    facts: [
      [say("settings.place"), reader.location],
      [say("settings.byDefault"), reader.preferred && say("settings.defaultReader")],
      [say("settings.asks"), listed([
        reader.asks_tip && say("settings.asksTip"), reader.asks_questions && say("settings.asksQuestions"),
      ].filter(Boolean))],
      [say("settings.simulated"), reader.simulated && say("settings.takesNoCard")],
      [say("settings.whatNow"), reader.status === "offline" && !reader.busy && say("settings.checkReader")],
      [say("settings.current"), !reader.managed && say("settings.fixedReader")],
    ],
    more: mayChange && reader.managed ? [renaming(reader, page)] : [],
    buttons: [...(reader.busy ? [button(say("reader.cancel"), () => page.act(async () => {
      if (!await review({
        title: say("settings.cancelAt", { name: reader.label }), words: say("settings.cancelWords"),
        facts: [[say("reader.reader"), reader.label]], send: say("settings.cancelThere"),
      })) return;
      await ask("POST", pathOf(reader) + "/cancel", "{}");
      return say("settings.canceledAt", { name: reader.label });
    }), { label: say("settings.cancelAtOne", { name: reader.label }) })] : []),
    ...(mayChange ? changes(reader, page) : [])],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "readers", title: say("settings.readers"), shape: "reader", permission: "readers",
  load: () => ask("GET", AT),
  standing({ readers, complete }) {
    const off = readers.filter(({ status }) => status === "offline");
    if (!complete) {
      return { tone: "unsure", word: say("settings.incomplete"), words: say("settings.missingReaders") };
    }
    if (off.length > 0) {
      const words = say("settings.notRecent", { names: listed(off.map(({ label }) => label)) });
      return { tone: "stop", word: say("top.offline"), words };
    }
    if (readers.length === 0) {
      return { tone: "", word: say("settings.none"), words: say("settings.noReaders") };
    }
    const names = listed(readers.filter((reader) => stateOf(reader)[0] === "").map(({ label }) => label));
    if (names) return { tone: "", word: say("settings.notSeen"), words: say("settings.silent", { names }) };
    const words = say("settings.readersReady", { count: readers.length });
    return { tone: "paid", word: say("settings.ready"), words };
  },
  draw({ readers, registers }, page) {
    const list = needingFirst(readers, (reader) => stateOf(reader)[0]).map((reader) => one(reader, page));
    const how = say(registers.length ? "settings.registerReader" : "settings.readersFixed");
    return [
      ...(registers.length && page.may(CHANGING) ? [adding(registers, page)] : []),
      list.length ? cards(list) : empty(say("settings.noReadersYet"), how),
    ];
  },
};
