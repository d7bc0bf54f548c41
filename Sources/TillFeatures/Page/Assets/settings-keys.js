// API keys: which there are and when each was used, a new one that is shown once, and revoking, in two steps.

import { ask, newKey, settle } from "./calls.js";
import { field, make, time } from "./dom.js";
import { review } from "./review.js";
import {
  button, choices, commands, empty, form, named, needingFirst, shownOnce, standing, table, tick, ticked,
} from "./settings-parts.js";

const DAY_MS = 86_400_000;
/** A key that nobody used for so long is one to be asked about. */
const UNUSED_DAYS = 90;
/** A key that ends so soon is to be replaced. */
const ENDING_DAYS = 14;
const SCOPES = {
  read: ["Read", "payments, receipts, the ledger"], sell: ["Sell", "take payments, issue receipts"],
  refund: ["Refund", "refund payments"], readers: ["Readers", "card readers, taps, printers"],
  offline: ["Offline", "payments stored without a connection"],
  admin: ["Admin", "decide what needs a person, settings, keys, webhooks"], staff: ["Staff", "who works here"],
};
const LIVES = [["90", "90 days"], ["30", "30 days"], ["365", "A year"], ["", "Until it is revoked"]];
const DEFAULT = ["read", "sell"];

const daysSince = (moment) => (Date.now() - Date.parse(moment)) / DAY_MS;
const may = (key) => key.scopes.map((scope) => SCOPES[scope]?.[0] ?? scope).join(", ") || "Nothing";

/** @param {any} key @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(key) {
  if (key.state === "revoked") return ["", "Revoked"];
  if (key.state === "expired") return ["", "Expired"];
  if (key.expires_at && -daysSince(key.expires_at) < ENDING_DAYS) return ["unsure", "Ends soon"];
  return daysSince(key.last_used_at ?? key.created_at) > UNUSED_DAYS ? ["unsure", "Not used"] : ["", "Active"];
}

/** @param {any} key @param {import("./settings.js").Page} page */
function revoke(key, page) {
  return page.act(async () => {
    const isOwn = key.current ? " You are signed in with it: this page signs out." : "";
    if (!await review({
      title: `Revoke ${key.label}?`,
      words: "Programs with this key are refused within a second. Sessions of the page and streams of events that were "
        + `begun with it end. It cannot be undone.${isOwn}`,
      facts: [
        ["Key", key.id], ["Scopes", may(key)], ["Last used", key.last_used_at ? time(key.last_used_at) : "Never"],
      ],
      send: `Revoke ${key.label}`,
    })) return;
    await ask("POST", `/v1/keys/${encodeURIComponent(key.id)}/revoke`, "{}");
    return `${key.label} is revoked.`;
  });
}

/** @param {import("./settings.js").Page} page */
function making(page) {
  const label = make("input", "", { id: "key-label", className: "input", maxLength: 128, autocomplete: "off" });
  const life = make("select", "", { id: "key-life", className: "select" });
  life.append(...LIVES.map(([value, words]) => make("option", words, { value })));
  const scopes = choices("Scopes", Object.entries(SCOPES).map(([scope, [words, under]]) =>
    tick("scope", scope, words, under, DEFAULT.includes(scope))));
  return form("New key", [field("What it is for", label), scopes, field("Valid for", life)], "Create key",
    () => page.act(async () => {
      const body = {
        label: label.value.trim(), scopes: ticked(scopes, "scope"),
        ...(life.value && { valid_days: Number(life.value) }),
      };
      // Repeated under one key until it is answered: no second key is made by it.
      const made = await settle("/v1/keys", JSON.stringify(body), newKey(), page.unanswered);
      page.keep(shownOnce("Copy this key now. It is shown once.", made.key));
      label.value = "";
    }));
}

/** @param {any[]} keys @param {import("./settings.js").Page} page @param {string} title */
function list(keys, page, title) {
  return table(title, ["Name", "Key", "Scopes", "Last used", "State", ""], keys.map((key) => {
    const [tone, word] = stateOf(key);
    const made = `by ${key.created_by ?? "somebody"}, ${time(key.created_at)}`;
    const end = key.revoked_at ? `revoked ${time(key.revoked_at)}`
      : key.expires_at ? `until ${time(key.expires_at)}` : "";
    const state = make("span", "");
    state.append(tone ? standing(tone, word) : word, ...(end ? [make("span", end, { className: "under" })] : []));
    return { cells: [
      named(key.label, made + (key.current ? ". This session's" : "")), make("span", key.id, { className: "id" }),
      may(key), key.last_used_at ? time(key.last_used_at) : "Never", state,
      key.state === "in_force" ? button("Revoke", () => revoke(key, page), {
        label: `Revoke ${key.label}`, kind: "dense danger" }) : "",
    ] };
  }), "keys");
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "keys", title: "Keys", shape: "key", permission: "settings",
  load: () => ask("GET", "/v1/keys"),
  standing({ keys }) {
    const own = keys.filter(({ state }) => state === "in_force");
    const odd = own.filter((key) => stateOf(key)[0] === "unsure");
    if (odd.length > 0) {
      const names = odd.map(({ label }) => label).join(", ");
      return { tone: "unsure", word: "Check", words: `Not used for long, or ending soon: ${names}.` };
    }
    return { tone: "", word: own.length ? "Active" : "None", words: own.length === 1 ? "One key is active."
      : `${own.length || "No"} keys are active.` };
  },
  draw({ keys, has_more: hasMore }, page) {
    const own = needingFirst(keys.filter(({ state }) => state === "in_force"), (key) => stateOf(key)[0]);
    const ended = keys.filter(({ state }) => state !== "in_force");
    const old = make("details", "", { className: "more" });
    old.append(make("summary", `Ended keys: ${ended.length}${hasMore ? " and more" : ""}`));
    if (ended.length) old.append(list(ended, page, "Ended keys"));
    return [
      making(page), own.length ? list(own, page, "Keys")
        : empty("No keys yet",
          "A program that sells through this counter needs one. The key set in TILL_API_KEY is not listed."),
      ...(ended.length ? [old] : []),
      commands("To replace a key while the old one still works for a while:", "till keys rotate key_… --grace 1h"),
    ];
  },
};
