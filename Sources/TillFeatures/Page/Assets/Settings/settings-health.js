// Health: whether the counter takes payments as it should, in the sentences of the doctor.

import { ask } from "./calls.js";
import { commands, findings, pane } from "./settings-parts.js";
import { foreign, say } from "./words.js";

/** @type {import("./settings.js").Section} */
export const section = {
  id: "health", title: say("settings.health"), shape: "heart", permission: "settings",
  load: () => ask("GET", "/v1/settings/health"),
  standing({ ready, findings: all }) {
    const odd = all.filter(({ ok }) => !ok);
    const first = foreign(odd[0]?.text ?? "");
    if (!ready) {
      return { tone: "stop", word: say("settings.notReady"), words: first || say("settings.counterNotReady") };
    }
    if (first) return { tone: "unsure", word: say("settings.toDo"), words: first };
    return { tone: "paid", word: say("settings.healthy"), words: say("settings.counterHealthy") };
  },
  draw: ({ findings: all }) => [
    pane(say("settings.findings"), findings(all)),
    commands(say("settings.doctor"), "till doctor"),
  ],
};
