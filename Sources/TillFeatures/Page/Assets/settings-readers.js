// Card readers: which there are, whether their providers hear of them, and what they do.

import { ask } from "./calls.js";
import { review } from "./review.js";
import { button, card, cards, commands, empty, needingFirst, standing } from "./settings-parts.js";

const REGISTER = "till readers register CODE --label NAME";
const AT = "/v1/terminal/readers";

/** @param {any} reader @returns {[import("./settings-parts.js").Tone, string, string]} */
function stateOf(reader) {
  if (reader.busy) return ["wait", "In use", "dots"];
  if (reader.status === "offline") return ["stop", "Offline", "wifi-off"];
  return reader.status === "online" ? ["paid", "Ready", "check-circle"] : ["", "Not seen yet", "dots"];
}

/** @param {any} reader @param {import("./settings.js").Page} page */
function one(reader, page) {
  const [tone, word, shape] = stateOf(reader);
  return card({
    shape: "reader", title: reader.label, under: `${reader.device_type} · ${reader.id}`,
    badge: standing(tone, word, shape),
    facts: [
      ["Place", reader.location], ["By default", reader.preferred && "This counter uses it unless another is chosen."],
      ["Asks", [reader.asks_tip && "for a tip", reader.asks_questions && "questions"].filter(Boolean).join(", ")],
      ["Simulated", reader.simulated && "It takes no real card."],
      ["What now", reader.status === "offline" && !reader.busy
        && "Check that it is on and in the network. A payment is tried all the same."],
    ],
    buttons: reader.busy ? [button("Cancel at the reader", () => page.act(async () => {
      if (!await review({
        title: `Cancel at ${reader.label}?`,
        words: "What it waits for ends there, such as a customer's card. A card that is being charged is not stopped.",
        facts: [["Reader", reader.label]], send: "Cancel it there",
      })) return;
      await ask("POST", `${AT}/${encodeURIComponent(reader.id)}/cancel`, "{}");
      return `${reader.label} was canceled.`;
    }), { label: `Cancel at ${reader.label}` })] : [],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "readers", title: "Readers", shape: "reader", permission: "readers",
  load: () => ask("GET", AT),
  standing({ readers, complete }) {
    const off = readers.filter(({ status }) => status === "offline");
    if (!complete) {
      const words = "A provider did not answer, so readers may be missing here.";
      return { tone: "unsure", word: "Incomplete", words };
    }
    if (off.length > 0) {
      const names = off.map(({ label }) => label).join(", ");
      return { tone: "stop", word: "Offline", words: `Not seen recently: ${names}.` };
    }
    if (readers.length === 0) {
      return { tone: "", word: "None", words: "There are no smart readers. Cards can be typed, or simulated." };
    }
    const silent = readers.filter((reader) => stateOf(reader)[0] === "").map(({ label }) => label).join(", ");
    if (silent) return { tone: "", word: "Not seen yet", words: `Not seen yet: ${silent}.` };
    const words = readers.length === 1 ? "The reader is ready." : `All ${readers.length} readers are ready.`;
    return { tone: "paid", word: "Ready", words };
  },
  draw({ readers }, page) {
    const list = needingFirst(readers, (reader) => stateOf(reader)[0]).map((reader) => one(reader, page));
    const where = list.length ? cards(list)
      : empty("No readers yet", "To register a reader, enter the code it shows.");
    return [where, commands("To add a reader, to rename it, or to choose the one that is used by default:",
      REGISTER, "till readers connect NAME")];
  },
};
