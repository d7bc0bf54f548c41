// Payment service providers: which are configured, and what is found about each.

import { ask } from "./calls.js";
import { card, cards, commands, findings, listed, needingFirst, pane, spoken, standing } from "./settings-parts.js";
import { foreign, say } from "./words.js";

/** @param {any} provider @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(provider) {
  if (!provider.configured) return ["", say("settings.notConfigured")];
  return provider.findings.some(({ ok }) => !ok) ? ["unsure", say("settings.toDo")]
    : ["paid", say("settings.configured")];
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "providers", title: say("settings.providers"), shape: "plug", permission: "settings",
  load: () => ask("GET", "/v1/settings/providers"),
  standing({ takes_payments: isUsable, default: name, mode, providers, findings: all }) {
    if (!isUsable) {
      return { tone: "stop", word: say("settings.notSet"), words: say("settings.chosenProvider", { name }) };
    }
    const odd = providers.filter((provider) => stateOf(provider)[0] === "unsure").map(({ title }) => title);
    if (odd.length > 0 || all.length > 0) {
      const words = odd.length ? say("settings.somethingToDo", { names: listed(odd) }) : foreign(all[0].text);
      return { tone: "unsure", word: say("settings.toDo"), words };
    }
    const words = say(mode === "live" ? "settings.liveAt" : "settings.testAt", { name });
    return { tone: "paid", word: say("settings.inOrder"), words };
  },
  draw({ providers, findings: all }) {
    const list = needingFirst(providers, (provider) => stateOf(provider)[0]).map((provider) => card({
      shape: "plug", title: provider.title, under: provider.default ? say("settings.payDefault") : "",
      badge: standing(...stateOf(provider)),
      more: provider.configured ? [findings(provider.findings)]
        : provider.findings.map(({ text }) => spoken("p", foreign(text), { className: "small wide" })),
    }));
    return [
      ...(all.length ? [pane(say("settings.ofAll"), findings(all))] : []), cards(list),
      commands(say("settings.providersThere"), "till providers", "till doctor"),
    ];
  },
};
