// Connected shops: whether each is in sync with the counter, which orders are not, a new one, and disconnecting, in two
// steps.

import { ask } from "./calls.js";
import { time } from "./clock.js";
import { field, make } from "./dom.js";
import { review } from "./review.js";
import {
  atFields, button, card, cards, choices, commands, counted, empty, form, listed, needingFirst, standing, tick, ticked,
} from "./settings-parts.js";
import { foreign, parts, say } from "./words.js";

const AT = "/v1/shops";
const NOTHING = { url: "", key: "", scope: "" };
/**
 * What is typed, also when the section is drawn anew after a request without an answer; never the secret.
 * @type {Record<string, string>}
 */
const typed = { ...NOTHING };

/** @param {any} shop @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(shop) {
  if (shop.trouble) return ["stop", say("settings.notReached")];
  const behind = shop.order_troubles.length;
  return behind > 0 ? ["unsure", say("settings.ordersBehind", { count: behind })]
    : ["paid", say("settings.inSync")];
}

/** Since when something is wrong, and what. @param {any} trouble */
const troubled = (trouble) =>
  say("settings.since", { time: time(trouble.since), sentence: foreign(trouble.sentence) });

/** @param {any} shop @param {import("./settings.js").Page} page */
function disconnect(shop, page) {
  return page.act(async () => {
    if (!await review({
      title: say("settings.disconnectOne", { name: shop.url }), words: say("settings.disconnectWords"),
      facts: [
        [say("settings.ordersFollowed"), counted(shop.orders)],
        [say("settings.notInSync"), counted(shop.order_troubles.length)],
      ],
      send: say("settings.disconnectShop"),
    })) return;
    await ask("DELETE", `${AT}/${encodeURIComponent(shop.id)}`);
    return say("settings.disconnected", { name: shop.url });
  });
}

/** @param {any} shop */
function troubles(shop) {
  const list = make("ul", "", { className: "rows wide" });
  list.append(...shop.order_troubles.map(({ order_id: order, trouble }) => {
    const line = make("li", "");
    const link = make("a", "", { href: `/payments?q=${encodeURIComponent(order)}&period=all` });
    link.append(make("bdi", order));
    const words = make("p", "");
    words.append(link, " ", ...parts(troubled(trouble)));
    line.append(words);
    return line;
  }));
  return list;
}

/** @param {any} shop @param {import("./settings.js").Page} page */
function one(shop, page) {
  const known = [
    say("settings.shopKey", { key: shop.key }),
    ...(shop.scope ? [say("settings.ordersAs", { scope: shop.scope })] : []),
  ];
  return card({
    shape: "building", title: shop.url, under: known.join(" · "),
    badge: standing(...stateOf(shop)),
    facts: [
      [say("settings.trouble"), shop.trouble && troubled(shop.trouble)],
      [say("settings.ordersFollowed"), counted(shop.orders)],
      [say("settings.readUntil"), shop.seen_until ? time(shop.seen_until) : say("settings.notReadYet")],
      [say("settings.connected"), time(shop.created_at)],
    ],
    more: shop.order_troubles.length ? [troubles(shop)] : [],
    buttons: [button(say("settings.disconnect"), () => disconnect(shop, page), {
      label: say("settings.disconnectLabel", { name: shop.url }), kind: "dense danger" })],
  });
}

/** @param {import("./settings.js").Page} page */
function connecting(page) {
  const text = (/** @type {string} */ id, /** @type {number} */ maxLength, more = {}) =>
    make("input", "", {
      id, className: "input", maxLength, autocomplete: "off", spellcheck: false, dir: "ltr", ...more });
  const url = text("shop-url", 500, { inputMode: "url", placeholder: "https://shop.example" });
  const key = text("shop-key", 128, { type: "password", placeholder: "ck_…" });
  const secret = text("shop-secret", 128, { type: "password", placeholder: "cs_…" });
  const scope = text("shop-scope", 32);
  for (const [name, control] of Object.entries({ url, key, scope })) {
    control.value = typed[name];
    control.addEventListener("input", () => { typed[name] = control.value; });
  }
  const kind = choices(say("settings.shopKind"), [
    tick("test", "test", say("settings.testShop"), say("settings.testShopUnder")),
  ]);
  const told = make("p", "", { className: "small muted" });
  told.setAttribute("role", "status");
  const fields = { url, key, secret, scope, test_shop: kind.querySelector("input") };
  const box = form(say("settings.connectNew"), [
    make("p", say("settings.keyMadeThere"), { className: "small muted" }),
    field(say("settings.shopAddress"), url), field(say("settings.consumerKey"), key),
    field(say("settings.consumerSecret"), secret), field(say("settings.orderScope"), scope), kind, told,
  ], say("settings.connectSend"), () => page.act(() => atFields(fields, async () => {
    told.textContent = say("settings.askingShop");
    const name = scope.value.trim();
    const body = JSON.stringify({
      url: url.value.trim(), key: key.value.trim(), secret: secret.value.trim(), ...(name && { scope: name }),
      test_shop: ticked(kind, "test").length > 0,
    });
    secret.value = "";
    try {
      const made = await ask("POST", AT, body);
      Object.assign(typed, NOTHING);
      return say("settings.isConnected", { name: made.url });
    } finally {
      told.textContent = "";
    }
  })));
  box.querySelector("form").autocomplete = "off";
  box.open = Object.values(typed).some(Boolean);
  return box;
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "shops", title: say("settings.shops"), shape: "building", permission: "settings",
  load: () => ask("GET", AT),
  standing({ shops }) {
    const behind = shops.reduce((count, shop) => count + shop.order_troubles.length, 0);
    const lost = shops.filter(({ trouble }) => trouble).map(({ url }) => url);
    if (lost.length > 0) {
      const words = say("settings.shopsNotReached", { names: listed(lost) });
      return { tone: "stop", word: say("settings.notReached"), words };
    }
    if (behind > 0) {
      const words = say("settings.ordersNotInSync", { count: behind });
      return { tone: "unsure", word: say("settings.shopsBehind"), words };
    }
    return shops.length === 0 ? { tone: "", word: say("settings.none"), words: say("settings.noShop") }
      : { tone: "paid", word: say("settings.inSync"), words: say("settings.allInSync") };
  },
  draw({ shops }, page) {
    const list = needingFirst(shops, (shop) => stateOf(shop)[0]).map((shop) => one(shop, page));
    return [
      connecting(page),
      list.length ? cards(list)
        : empty(say("settings.noShopTitle"), say("settings.shopSells")),
      commands(say("settings.connectShop"),
        "till shop connect https://shop.example --key ck_… --secret cs_…"),
    ];
  },
};
