// Webhooks: the endpoints that are told of payments, what was sent to each, and sending it once more.

import { ask, newKey, settle } from "./calls.js";
import { time } from "./clock.js";
import { field, make } from "./dom.js";
import { review } from "./review.js";
import {
  banner, button, buttons, choices, commands, counted, empty, form, listed, named, needingFirst, pane, shownOnce,
  standing, table, tick, ticked,
} from "./settings-parts.js";
import { foreign, say } from "./words.js";

const AT = "/v1/webhook_endpoints";
const REASONS = {
  by_owner: say("settings.pausedByPerson"), failing: say("settings.pausedFailing"), gone: say("settings.pausedGone"),
  deleting: say("settings.deleting"),
};
const STATES = {
  pending: ["wait", say("settings.waiting"), "dots"], delivered: ["", say("settings.delivered"), "check"],
  failed: ["stop", say("settings.failed"), "x-octagon"],
};
/** The endpoint whose deliveries are shown. */
let opened = "";

/** @param {any} endpoint @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(endpoint) {
  if (!endpoint.enabled) {
    return endpoint.disabled_reason === "by_owner" ? ["", say("settings.paused")]
      : ["stop", say("settings.pausedByTill")];
  }
  return endpoint.pending > 0 ? ["wait", say("settings.sending")] : ["", say("settings.delivered")];
}

const pathOf = (endpoint) => `${AT}/${encodeURIComponent(endpoint.id)}`;

/** @param {any} endpoint @param {import("./settings.js").Page} page */
function actions(endpoint, page) {
  const { url } = endpoint;
  const set = (enabled) => page.act(async () => {
    await ask("PATCH", pathOf(endpoint), JSON.stringify({ enabled }));
    return say(enabled ? "settings.goesOn" : "settings.isPaused", { name: url });
  });
  const rotate = () => page.act(async () => {
    if (!await review({
      title: say("settings.secretAgain"), words: say("settings.secretWords"), facts: [[say("settings.endpoint"), url]],
      send: say("settings.secretSend"),
    })) return;
    const { secret } = await ask("POST", pathOf(endpoint) + "/rotate", "{}");
    page.keep(shownOnce(say("settings.copySecret"), secret));
  });
  const remove = () => page.act(async () => {
    if (!await review({
      title: say("settings.deleteEndpoint"), words: say("settings.deleteWords"),
      facts: [[say("settings.endpoint"), url], [say("settings.queued"), counted(endpoint.pending)]],
      send: say("settings.deleteSend"),
    })) return;
    await ask("DELETE", pathOf(endpoint));
    if (opened === endpoint.id) opened = "";
    return say("settings.isDeleted", { name: url });
  });
  const show = () => {
    opened = opened === endpoint.id ? "" : endpoint.id;
    page.refresh();
  };
  const deliveries = button(say("settings.deliveries"), show, { label: say("settings.deliveriesTo", { name: url }) });
  deliveries.setAttribute("aria-expanded", String(opened === endpoint.id));
  return buttons(
    deliveries,
    button(say("settings.sendTest"), () => page.act(async () => {
      await ask("POST", pathOf(endpoint) + "/test", "{}");
      opened = endpoint.id;
      return say("settings.testSoon");
    }), { label: say("settings.sendTestTo", { name: url }) }),
    button(say(endpoint.enabled ? "settings.pause" : "settings.resume"), () => set(!endpoint.enabled), {
      label: say(endpoint.enabled ? "settings.pauseLabel" : "settings.resumeLabel", { name: url }) }),
    button(say("settings.newSecret"), rotate, { label: say("settings.newSecretFor", { name: url }) }),
    button(say("settings.delete"), remove, {
      label: say("settings.deleteLabel", { name: url }), kind: "dense danger" }));
}

/** @param {any} endpoint @param {import("./settings.js").Page} page */
function one(endpoint, page) {
  const element = make("li", "", { className: "pane endpoint" });
  const words = make("div", "");
  const about = [
    endpoint.types.includes("*") ? say("settings.everyEvent") : listed(endpoint.types),
    endpoint.pending > 0 && say("settings.waitInOrder", { count: endpoint.pending }), REASONS[endpoint.disabled_reason],
  ].filter(Boolean);
  words.append(make("h3", endpoint.url, { className: "id", dir: "ltr" }),
    make("p", about.join(" · "), { className: "muted small" }));
  element.append(words, standing(...stateOf(endpoint)), actions(endpoint, page));
  return element;
}

/** @param {any} endpoint @param {any} found @param {import("./settings.js").Page} page */
function deliveries(endpoint, found, page) {
  if (found.error) return banner("stop", say("settings.notRead"));
  if (found.deliveries.length === 0) {
    const words = say("settings.nothingSent", { name: endpoint.url });
    return pane(say("settings.deliveries"), make("p", words, { className: "soft" }));
  }
  const rows = found.deliveries.map((one) => {
    const [tone, word, shape] = STATES[one.state] ?? ["", one.state, "dots"];
    const next = one.next_attempt_at ? say("settings.nextAt", { time: time(one.next_attempt_at) }) : "";
    const what = make("span", "");
    what.append(make("span", one.type, { className: "id" }));
    if (one.payment_id) {
      const under = make("span", "", { className: "under" });
      under.append(make("a", one.payment_id, { href: "/payments/" + encodeURIComponent(one.payment_id) }));
      what.append(under);
    }
    const state = make("span", "");
    state.append(standing(tone, word, shape), ...(next ? [make("span", next, { className: "under" })] : []));
    return { cells: [
      what, one.attempted_at ? time(one.attempted_at) : say("settings.notYetSent"),
      named(one.status ? String(one.status) : say("settings.noResponse"), foreign(one.note.slice(0, 120))),
      counted(one.attempts), state,
      button(say("settings.resend"), () => page.act(async () => {
        await ask("POST", `${pathOf(endpoint)}/deliveries/${encodeURIComponent(one.id)}/resend`, "{}");
        return say("settings.resent");
      }), { label: say("settings.resendOne", { type: one.type, id: one.id }) }),
    ] };
  });
  const heads = [
    say("settings.event"), say("settings.sent"), say("settings.response"), say("settings.attempts"),
    say("settings.state"), "",
  ];
  return table(say("settings.deliveriesTo", { name: endpoint.url }), heads, rows, "deliveries");
}

/** @param {import("./settings.js").Page} page */
function adding(page) {
  const url = make("input", "", {
    id: "hook-url", className: "input", type: "url", maxLength: 2048, autocomplete: "off", placeholder: "https://",
    dir: "ltr",
  });
  const types = choices(say("settings.events"), [
    tick("type", "payment.*", say("settings.payments"), "", true),
    tick("type", "dispute.*", say("settings.disputes"), "", true),
  ]);
  const inside = choices(say("settings.network"), [
    tick("inside", "yes", say("settings.allowPrivate"), say("settings.privateUnder")),
  ]);
  return form(say("settings.addEndpoint"), [
    field(say("settings.address"), url), types, inside,
  ], say("settings.add"), () => page.act(async () => {
    const body = {
      url: url.value.trim(), types: ticked(types, "type"),
      ...(ticked(inside, "inside").length && { allow_private: true }),
    };
    const made = await settle(AT, JSON.stringify(body), newKey(), page.unanswered);
    page.keep(shownOnce(say("settings.copySigning"), made.secret));
  }));
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "webhooks", title: say("settings.webhooks"), shape: "bolt", permission: "settings",
  async load() {
    const { webhook_endpoints: endpoints } = await ask("GET", AT);
    const shown = endpoints.find(({ id }) => id === opened);
    const found = shown && await ask("GET", `${pathOf(shown)}/deliveries?limit=50`)
      .catch(() => ({ error: true, deliveries: [] }));
    return { endpoints, shown, found };
  },
  standing({ endpoints }) {
    const bad = endpoints.filter((endpoint) => stateOf(endpoint)[0] === "stop");
    const waiting = endpoints.reduce((count, { pending }) => count + pending, 0);
    if (bad.length > 0) {
      const words = say("settings.notReceiving", { names: listed(bad.map(({ url }) => url)) });
      return { tone: "stop", word: say("settings.paused"), words };
    }
    if (endpoints.length === 0) return { tone: "", word: say("settings.none"), words: say("settings.noEndpoints") };
    return waiting > 0
      ? { tone: "wait", word: say("settings.sending"), words: say("settings.queuedCount", { count: waiting }) }
      : { tone: "paid", word: say("settings.delivered"), words: say("settings.nothingWaits") };
  },
  draw({ endpoints, shown, found }, page) {
    const list = make("ul", "", { className: "endpoints" });
    list.append(...needingFirst(endpoints, (endpoint) => stateOf(endpoint)[0]).map((endpoint) => one(endpoint, page)));
    return [
      adding(page), endpoints.length ? list
        : empty(say("settings.noEndpointsYet"), say("settings.endpointFor")),
      ...(shown ? [deliveries(shown, found, page)] : []),
      commands(say("settings.sampleFor"),
        "till trigger payment.captured --url http://127.0.0.1:8000/ --secret-env SECRET"),
    ];
  },
};
