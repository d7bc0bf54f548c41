// Card readers: which there are, whether their providers hear of them, and what they do.

import { ask } from "./calls.js";
import { review } from "./review.js";
import { button, card, cards, commands, empty, listed, needingFirst, standing } from "./settings-parts.js";
import { say } from "./words.js";

const REGISTER = "till readers register CODE --label NAME";
const AT = "/v1/terminal/readers";

/** @param {any} reader @returns {[import("./settings-parts.js").Tone, string, string]} */
function stateOf(reader) {
  if (reader.busy) return ["wait", say("settings.inUse"), "dots"];
  if (reader.status === "offline") return ["stop", say("top.offline"), "wifi-off"];
  return reader.status === "online" ? ["paid", say("settings.ready"), "check-circle"]
    : ["", say("settings.notSeen"), "dots"];
}

/** @param {any} reader @param {import("./settings.js").Page} page */
function one(reader, page) {
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
    ],
    buttons: reader.busy ? [button(say("reader.cancel"), () => page.act(async () => {
      if (!await review({
        title: say("settings.cancelAt", { name: reader.label }), words: say("settings.cancelWords"),
        facts: [[say("reader.reader"), reader.label]], send: say("settings.cancelThere"),
      })) return;
      await ask("POST", `${AT}/${encodeURIComponent(reader.id)}/cancel`, "{}");
      return say("settings.canceledAt", { name: reader.label });
    }), { label: say("settings.cancelAtOne", { name: reader.label }) })] : [],
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
  draw({ readers }, page) {
    const list = needingFirst(readers, (reader) => stateOf(reader)[0]).map((reader) => one(reader, page));
    const where = list.length ? cards(list)
      : empty(say("settings.noReadersYet"), say("settings.registerReader"));
    return [where, commands(say("settings.addReader"), REGISTER, "till readers connect NAME")];
  },
};
