// Health: whether the counter takes payments as it should, in the sentences of the doctor.

import { ask } from "./calls.js";
import { commands, findings, pane } from "./settings-parts.js";

/** @type {import("./settings.js").Section} */
export const section = {
  id: "health", title: "Health", shape: "heart", permission: "settings",
  load: () => ask("GET", "/v1/settings/health"),
  standing({ ready, findings: all }) {
    const odd = all.filter(({ ok }) => !ok);
    if (!ready) return { tone: "stop", word: "Not ready", words: odd[0]?.text ?? "The counter is not ready." };
    if (odd.length > 0) return { tone: "unsure", word: "To do", words: odd[0].text };
    return { tone: "paid", word: "Healthy", words: "The counter is healthy." };
  },
  draw: ({ findings: all }) => [
    pane("Findings", findings(all)),
    commands("All that is set, and where from:", "till doctor"),
  ],
};
