// API keys: which there are and when each was used, a new one that is shown once, and revoking, in two steps.

import { ask, newKey, NEXT, settle } from "./calls.js";
import { time } from "./clock.js";
import { field, make } from "./dom.js";
import { review } from "./review.js";
import {
  button, choices, commands, empty, form, listed, named, needingFirst, shownOnce, standing, table, tick, ticked,
} from "./settings-parts.js";
import { say } from "./words.js";

const DAY_MS = 86_400_000;
/** A key that nobody used for so long is one to be asked about. */
const UNUSED_DAYS = 90;
/** A key that ends so soon is to be replaced. */
const ENDING_DAYS = 14;
const SCOPES = {
  read: [say("settings.scopeRead"), say("settings.readUnder")],
  sell: [say("settings.scopeSell"), say("settings.sellUnder")],
  refund: [say("settings.scopeRefund"), say("settings.refundUnder")],
  readers: [say("settings.scopeReaders"), say("settings.readersUnder")],
  offline: [say("settings.scopeOffline"), say("settings.offlineUnder")],
  admin: [say("settings.scopeAdmin"), say("settings.adminUnder")],
  staff: [say("settings.scopeStaff"), say("settings.staffUnder")],
};
const LIVES = [
  ["90", say("settings.days", { count: 90 })], ["30", say("settings.days", { count: 30 })],
  ["365", say("settings.year")], ["", say("settings.untilRevoked")],
];
const DEFAULT = ["read", "sell"];
NEXT.key_not_found = "settings.nextKeys";

const daysSince = (moment) => (Date.now() - Date.parse(moment)) / DAY_MS;
const may = (key) => listed(key.scopes.map((scope) => SCOPES[scope]?.[0] ?? scope)) || say("settings.nothing");
const used = (key) => (key.last_used_at ? time(key.last_used_at) : say("settings.never"));

/** @param {any} key @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(key) {
  if (key.state === "revoked") return ["", say("settings.revoked")];
  if (key.state === "expired") return ["", say("settings.expired")];
  // The session of a device always ends soon, and its device renews it.
  if (key.expires_at && !key.renewable_until && -daysSince(key.expires_at) < ENDING_DAYS) {
    return ["unsure", say("settings.endsSoon")];
  }
  return daysSince(key.last_used_at ?? key.created_at) > UNUSED_DAYS ? ["unsure", say("settings.notUsed")]
    : ["", say("settings.keyActive")];
}

/** @param {any} key @param {import("./settings.js").Page} page */
function revoke(key, page) {
  return page.act(async () => {
    const name = key.label;
    if (!await review({
      title: say("settings.revokeOne", { name }),
      words: say(key.current ? "settings.revokeOwn" : "settings.revokeWords"),
      facts: [
        [say("settings.key"), key.id], [say("settings.scopes"), may(key)], [say("settings.lastUsed"), used(key)],
      ],
      send: say("settings.revokeLabel", { name }),
    })) return;
    await ask("POST", `/v1/keys/${encodeURIComponent(key.id)}/revoke`, "{}");
    return say("settings.isRevoked", { name });
  });
}

/** @param {import("./settings.js").Page} page */
function making(page) {
  const label = make("input", "", { id: "key-label", className: "input", maxLength: 128, autocomplete: "off" });
  const life = make("select", "", { id: "key-life", className: "select" });
  life.append(...LIVES.map(([value, words]) => make("option", words, { value })));
  const scopes = choices(say("settings.scopes"), Object.entries(SCOPES).map(([scope, [words, under]]) =>
    tick("scope", scope, words, under, DEFAULT.includes(scope))));
  return form(say("settings.newKey"), [
    field(say("settings.keyFor"), label), scopes, field(say("settings.validFor"), life),
  ], say("settings.createKey"), () => page.act(async () => {
      const body = {
        label: label.value.trim(), scopes: ticked(scopes, "scope"),
        ...(life.value && { valid_days: Number(life.value) }),
      };
      // Repeated under one key until it is answered: no second key is made by it.
      const made = await settle("/v1/keys", JSON.stringify(body), newKey(), page.unanswered);
      page.keep(shownOnce(say("settings.copyKey"), made.key));
      label.value = "";
    }));
}

/** @param {any[]} keys @param {import("./settings.js").Page} page @param {string} title */
function list(keys, page, title) {
  const heads = [
    say("settings.name"), say("settings.key"), say("settings.scopes"), say("settings.lastUsed"), say("settings.state"),
  ];
  return table(title, [...heads, ""], keys.map((key) => {
    const [tone, word] = stateOf(key);
    const made = say("settings.madeBy", {
      name: key.created_by ?? say("settings.somebody"), time: time(key.created_at) });
    const end = key.revoked_at ? say("settings.revokedAt", { time: time(key.revoked_at) })
      : key.expires_at ? say("settings.until", { time: time(key.expires_at) }) : "";
    const state = make("span", "");
    state.append(tone ? standing(tone, word) : word, ...(end ? [make("span", end, { className: "under" })] : []));
    return { cells: [
      named(key.label, key.current ? say("settings.thisSessions", { made }) : made),
      make("span", key.id, { className: "id", dir: "ltr" }), may(key), used(key), state,
      key.state === "in_force" ? button(say("settings.revoke"), () => revoke(key, page), {
        label: say("settings.revokeLabel", { name: key.label }), kind: "dense danger" }) : "",
    ] };
  }), "keys");
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "keys", title: say("settings.keys"), shape: "key", permission: "settings",
  load: () => ask("GET", "/v1/keys"),
  standing({ keys }) {
    const own = keys.filter(({ state }) => state === "in_force");
    const odd = own.filter((key) => stateOf(key)[0] === "unsure");
    if (odd.length > 0) {
      const words = say("settings.keysOdd", { names: listed(odd.map(({ label }) => label)) });
      return { tone: "unsure", word: say("settings.keysCheck"), words };
    }
    return own.length
      ? { tone: "", word: say("settings.keyActive"), words: say("settings.keysActive", { count: own.length }) }
      : { tone: "", word: say("settings.none"), words: say("settings.keysNone") };
  },
  draw({ keys, has_more: hasMore }, page) {
    const own = needingFirst(keys.filter(({ state }) => state === "in_force"), (key) => stateOf(key)[0]);
    const ended = keys.filter(({ state }) => state !== "in_force");
    const old = make("details", "", { className: "more" });
    old.append(make("summary", say(hasMore ? "settings.endedMore" : "settings.endedCount", { count: ended.length })));
    if (ended.length) old.append(list(ended, page, say("settings.endedKeys")));
    return [
      making(page), own.length ? list(own, page, say("settings.keys"))
        : empty(say("settings.noKeysYet"), say("settings.keyNeeded")),
      ...(ended.length ? [old] : []),
      commands(say("settings.rotateKey"), "till keys rotate key_… --grace 1h"),
    ];
  },
};
