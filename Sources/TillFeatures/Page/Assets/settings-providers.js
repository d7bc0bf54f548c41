// Payment service providers: which are configured, and what is found about each.

import { ask } from "./calls.js";
import { make } from "./dom.js";
import { card, cards, commands, findings, needingFirst, pane, standing } from "./settings-parts.js";

/** @param {any} provider @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(provider) {
  if (!provider.configured) return ["", "Not configured"];
  return provider.findings.some(({ ok }) => !ok) ? ["unsure", "To do"] : ["paid", "Configured"];
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "providers", title: "Providers", shape: "plug", permission: "settings",
  load: () => ask("GET", "/v1/settings/providers"),
  standing({ takes_payments: isUsable, default: name, mode, providers, findings: all }) {
    if (!isUsable) return { tone: "stop", word: "Not set", words: `The chosen provider ${name} is not configured.` };
    const odd = providers.filter((provider) => stateOf(provider)[0] === "unsure").map(({ title }) => title);
    if (odd.length > 0 || all.length > 0) {
      const words = odd.length ? `Something is to be done: ${odd.join(", ")}.` : all[0].text;
      return { tone: "unsure", word: "To do", words };
    }
    const money = mode === "live" ? "Real money moves." : "No real money moves.";
    return { tone: "paid", word: "Ready", words: `Payments go to ${name} by default. ${money}` };
  },
  draw({ providers, findings: all }) {
    const list = needingFirst(providers, (provider) => stateOf(provider)[0]).map((provider) => card({
      shape: "plug", title: provider.title, under: provider.default ? "Payments go there by default" : "",
      badge: standing(...stateOf(provider)),
      more: provider.configured ? [findings(provider.findings)]
        : provider.findings.map(({ text }) => make("p", text, { className: "small wide" })),
    }));
    return [
      ...(all.length ? [pane("Of all", findings(all))] : []), cards(list),
      commands("Providers are set there, since their keys stay on that machine:", "till providers", "till doctor"),
    ];
  },
};
