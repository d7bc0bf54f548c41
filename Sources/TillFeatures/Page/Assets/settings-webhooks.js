// Webhooks: the endpoints that are told of payments, what was sent to each, and sending it once more.

import { ask, newKey, settle } from "./calls.js";
import { field, make, time } from "./dom.js";
import { review } from "./review.js";
import {
  banner, button, buttons, choices, commands, empty, form, named, needingFirst, pane, shownOnce, standing, table, tick,
  ticked,
} from "./settings-parts.js";

const AT = "/v1/webhook_endpoints";
const REASONS = {
  by_owner: "Paused by a person.", failing: "Paused: a message failed at its last attempt.",
  gone: "Paused: it answered that it is gone.", deleting: "It is being deleted; delete it again to finish that.",
};
const STATES = {
  pending: ["wait", "Waiting", "dots"], delivered: ["", "Delivered", "check"], failed: ["stop", "Failed", "x-octagon"],
};
/** The endpoint whose deliveries are shown. */
let opened = "";

/** @param {any} endpoint @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(endpoint) {
  if (!endpoint.enabled) return endpoint.disabled_reason === "by_owner" ? ["", "Paused"] : ["stop", "Paused by Till"];
  return endpoint.pending > 0 ? ["wait", "Sending"] : ["", "Delivered"];
}

const pathOf = (endpoint) => `${AT}/${encodeURIComponent(endpoint.id)}`;

/** @param {any} endpoint @param {import("./settings.js").Page} page */
function actions(endpoint, page) {
  const { url } = endpoint;
  const set = (enabled) => page.act(async () => {
    await ask("PATCH", pathOf(endpoint), JSON.stringify({ enabled }));
    return enabled ? `${url} goes on where it stopped.` : `${url} is paused: its messages wait.`;
  });
  const rotate = () => page.act(async () => {
    if (!await review({
      title: "Make another signing secret?",
      words: "Messages have signatures of both secrets for 24 hours, then of the new one alone. A program that has "
        + "only the old one takes no message after that.",
      facts: [["Endpoint", url]], send: "Make another secret",
    })) return;
    const { secret } = await ask("POST", pathOf(endpoint) + "/rotate", "{}");
    page.keep(shownOnce("Copy this secret now. It is shown once.", secret));
  });
  const remove = () => page.act(async () => {
    if (!await review({
      title: "Delete this endpoint?",
      words: "It is told of nothing any more, and its queued messages are deleted. It cannot be undone.",
      facts: [["Endpoint", url], ["Queued messages", String(endpoint.pending)]], send: "Delete the endpoint",
    })) return;
    await ask("DELETE", pathOf(endpoint));
    if (opened === endpoint.id) opened = "";
    return `${url} is deleted.`;
  });
  const show = () => {
    opened = opened === endpoint.id ? "" : endpoint.id;
    page.refresh();
  };
  const deliveries = button("Deliveries", show, { label: `Deliveries to ${url}` });
  deliveries.setAttribute("aria-expanded", String(opened === endpoint.id));
  return buttons(
    deliveries,
    button("Send test", () => page.act(async () => {
      await ask("POST", pathOf(endpoint) + "/test", "{}");
      opened = endpoint.id;
      return "A test message is sent soon. Its outcome is under its deliveries.";
    }), { label: `Send a test to ${url}` }),
    button(endpoint.enabled ? "Pause" : "Enable", () => set(!endpoint.enabled), {
      label: `${endpoint.enabled ? "Pause" : "Enable"} ${url}` }),
    button("New secret", rotate, { label: `New secret for ${url}` }),
    button("Delete", remove, { label: `Delete ${url}`, kind: "dense danger" }));
}

/** @param {any} endpoint @param {import("./settings.js").Page} page */
function one(endpoint, page) {
  const element = make("li", "", { className: "pane endpoint" });
  const words = make("div", "");
  const about = [
    endpoint.types.includes("*") ? "every type of event" : endpoint.types.join(", "),
    endpoint.pending > 0 && `${endpoint.pending} wait, in order`, REASONS[endpoint.disabled_reason],
  ].filter(Boolean);
  words.append(make("h3", endpoint.url, { className: "id" }),
    make("p", about.join(" · "), { className: "muted small" }));
  element.append(words, standing(...stateOf(endpoint)), actions(endpoint, page));
  return element;
}

/** @param {any} endpoint @param {any} found @param {import("./settings.js").Page} page */
function deliveries(endpoint, found, page) {
  if (found.error) return banner("stop", "The deliveries could not be read. Open them again.");
  if (found.deliveries.length === 0) {
    return pane("Deliveries", make("p", `Nothing was sent to ${endpoint.url} yet.`, { className: "soft" }));
  }
  const rows = found.deliveries.map((one) => {
    const [tone, word, shape] = STATES[one.state] ?? ["", one.state, "dots"];
    const next = one.next_attempt_at ? `next ${time(one.next_attempt_at)}` : "";
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
      what, one.attempted_at ? time(one.attempted_at) : "not yet",
      named(one.status ? String(one.status) : "none", one.note.slice(0, 120)), String(one.attempts), state,
      button("Resend", () => page.act(async () => {
        await ask("POST", `${pathOf(endpoint)}/deliveries/${encodeURIComponent(one.id)}/resend`, "{}");
        return "It is sent once more, soon.";
      }), { label: `Resend ${one.type}, ${one.id}` }),
    ] };
  });
  const heads = ["Event", "Sent", "Response", "Attempts", "State", ""];
  return table(`Deliveries to ${endpoint.url}`, heads, rows, "deliveries");
}

/** @param {import("./settings.js").Page} page */
function adding(page) {
  const url = make("input", "", {
    id: "hook-url", className: "input", type: "url", maxLength: 2048, autocomplete: "off", placeholder: "https://",
  });
  const types = choices("Events", [
    tick("type", "payment.*", "Payments", "", true), tick("type", "dispute.*", "Disputes", "", true),
  ]);
  const inside = choices("Network", [
    tick("inside", "yes", "Allow private addresses", "also without TLS; never a cloud metadata address"),
  ]);
  return form("Add an endpoint", [field("Address", url), types, inside], "Add", () => page.act(async () => {
    const body = {
      url: url.value.trim(), types: ticked(types, "type"),
      ...(ticked(inside, "inside").length && { allow_private: true }),
    };
    const made = await settle(AT, JSON.stringify(body), newKey(), page.unanswered);
    page.keep(shownOnce("Copy this signing secret now. It is shown once.", made.secret));
  }));
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "webhooks", title: "Webhooks", shape: "bolt", permission: "settings",
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
      return { tone: "stop", word: "Paused", words: `Not receiving: ${bad.map(({ url }) => url).join(", ")}.` };
    }
    if (endpoints.length === 0) return { tone: "", word: "None", words: "No endpoints." };
    return waiting > 0 ? { tone: "wait", word: "Sending", words: `Queued messages: ${waiting}.` }
      : { tone: "paid", word: "Delivered", words: "Nothing waits to be sent." };
  },
  draw({ endpoints, shown, found }, page) {
    const list = make("ul", "", { className: "endpoints" });
    list.append(...needingFirst(endpoints, (endpoint) => stateOf(endpoint)[0]).map((endpoint) => one(endpoint, page)));
    return [
      adding(page), endpoints.length ? list
        : empty("No endpoints yet", "A program of yours can be told of each payment, with a signed message."),
      ...(shown ? [deliveries(shown, found, page)] : []),
      commands("A signed sample for a program under test:",
        "till trigger payment.captured --url http://127.0.0.1:8000/ --secret-env SECRET"),
    ];
  },
};
