// Connected shops: whether each is in sync with the counter, which orders are not, and disconnecting, in two steps.

import { ask } from "./calls.js";
import { make, time } from "./dom.js";
import { review } from "./review.js";
import { button, card, cards, commands, empty, needingFirst, standing } from "./settings-parts.js";

/** @param {any} shop @returns {[import("./settings-parts.js").Tone, string]} */
function stateOf(shop) {
  if (shop.trouble) return ["stop", "Not reached"];
  const behind = shop.order_troubles.length;
  return behind > 0 ? ["unsure", behind === 1 ? "1 order behind" : `${behind} orders behind`] : ["paid", "In sync"];
}

/** @param {any} shop @param {import("./settings.js").Page} page */
function disconnect(shop, page) {
  return page.act(async () => {
    if (!await review({
      title: `Disconnect ${shop.url}?`,
      words: "New and changed orders of the shop do not come here any more, and the shop hears no more of payments and "
        + "refunds made here. Its orders so far stay. Connecting it again needs its key, on the counter's machine.",
      facts: [["Orders followed", String(shop.orders)], ["Not in sync", String(shop.order_troubles.length)]],
      send: "Disconnect the shop",
    })) return;
    await ask("DELETE", `/v1/shops/${encodeURIComponent(shop.id)}`);
    return `${shop.url} is disconnected.`;
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
    words.append(link, ` since ${time(trouble.since)}: ${trouble.sentence}`);
    line.append(words);
    return line;
  }));
  return list;
}

/** @param {any} shop @param {import("./settings.js").Page} page */
function one(shop, page) {
  return card({
    shape: "building", title: shop.url, under: `key ${shop.key}${shop.scope ? ` · orders as ${shop.scope}/…` : ""}`,
    badge: standing(...stateOf(shop)),
    facts: [
      ["Trouble", shop.trouble && `since ${time(shop.trouble.since)}: ${shop.trouble.sentence}`],
      ["Orders followed", String(shop.orders)],
      ["Read until", shop.seen_until ? time(shop.seen_until) : "Not read yet"], ["Connected", time(shop.created_at)],
    ],
    more: shop.order_troubles.length ? [troubles(shop)] : [],
    buttons: [button("Disconnect", () => disconnect(shop, page), {
      label: `Disconnect ${shop.url}`, kind: "dense danger" })],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "shops", title: "Shops", shape: "building", permission: "settings",
  load: () => ask("GET", "/v1/shops"),
  standing({ shops }) {
    const behind = shops.reduce((count, shop) => count + shop.order_troubles.length, 0);
    const lost = shops.filter(({ trouble }) => trouble).map(({ url }) => url);
    if (lost.length > 0) return { tone: "stop", word: "Not reached", words: `Not reached: ${lost.join(", ")}.` };
    if (behind > 0) {
      return { tone: "unsure", word: "Behind", words: `Orders that are not in sync with their shop: ${behind}.` };
    }
    return shops.length === 0 ? { tone: "", word: "None", words: "No shop is connected." }
      : { tone: "paid", word: "In sync", words: "Every connected shop is in sync." };
  },
  draw({ shops }, page) {
    const list = needingFirst(shops, (shop) => stateOf(shop)[0]).map((shop) => one(shop, page));
    return [
      list.length ? cards(list)
        : empty("No shop is connected", "The open orders of a connected shop are sold here, and it hears of payments."),
      commands("A shop is connected there, since its secret stays on that machine:",
        "till shop connect https://shop.example --key ck_… --secret cs_…"),
    ];
  },
};
