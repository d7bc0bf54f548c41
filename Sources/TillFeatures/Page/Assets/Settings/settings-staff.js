// The staff: who works here with which role, how they sign in, what a role may do, and everybody's open sessions. One's
// own account is at the counter.

import { ask, newKey } from "./calls.js";
import { time } from "./clock.js";
import { field, make } from "./dom.js";
import { review } from "./review.js";
import {
  button, buttons, commands, empty, form, listed, named, pane, shownOnce, standing, table,
} from "./settings-parts.js";
import { sum } from "./sums.js";
import { say } from "./words.js";

const MAY = {
  sell: say("settings.maySell"), hold: say("settings.mayHold"), void: say("settings.mayVoid"),
  refund: say("settings.mayRefund"), refund_freely: say("settings.mayRefundFreely"),
  discount: say("settings.mayDiscount"),
  discount_freely: say("settings.mayDiscountFreely"), drawer: say("settings.mayDrawer"),
  totals: say("settings.mayTotals"), readers: say("settings.mayReaders"), review: say("settings.mayReview"),
  staff: say("settings.mayStaff"), settings: say("settings.maySettings"),
};
/** How somebody signs in to the back office; nothing for whoever was never invited. */
const OFFICE = { invited: say("settings.invited"), enrolled: say("settings.enrolled") };
const KINDS = {
  device: say("settings.deviceKind"), password: say("settings.passwordKind"), passkey: say("settings.passkeyKind"),
};
/** Stands in a sentence where a link goes. */
const LINK = "\uFFFC";

/** @param {any} role */
function limits(role) {
  const may = (/** @type {string} */ word) => role?.permissions.includes(word) ?? false;
  const refunds = !may("refund") ? say("settings.noRefunds")
    : may("refund_freely") ? say("settings.refundsFree")
      : upTo(role.refund_limits, "settings.refundsUpTo", "settings.refundsApproved");
  if (!may("sell")) return refunds;
  const discounts = may("discount_freely") ? say("settings.discountsFree")
    : upTo(may("discount") ? role.discount_limits : {}, "settings.discountsUpTo", "settings.discountsApproved");
  return listed([refunds, discounts]);
}

/** @param {Record<string, number>} most @param {string} some The words for limits. @param {string} none */
function upTo(most, some, none) {
  const sums = Object.entries(most ?? {}).map(([currency, minor]) => sum(minor, currency));
  return sums.length ? say(some, { sums: listed(sums) }) : say(none);
}

/** @param {any} person @returns {[string, any]} */
const whoIs = (person) => [say("settings.who"), listed([person.name, person.role])];

/** @param {any} person @param {import("./settings.js").Page} page */
function invite(person, page) {
  return page.act(async () => {
    if (person.office === "enrolled" && !await review({
      title: say("settings.inviteAgain", { name: person.name }), words: say("settings.inviteAgainWords"),
      facts: [whoIs(person)], send: say("settings.inviteAgainSend"),
    })) return;
    const made = await ask("POST", `/v1/staff/${person.id}/invitation`);
    page.keep(shownOnce(say("settings.linkFor", { name: person.name }), made.url));
  });
}

/** @param {any} person @param {import("./settings.js").Page} page */
function change(person, page) {
  return page.act(async () => {
    const isDisabled = Boolean(person.disabled_at);
    const { name } = person;
    if (!isDisabled && !await review({
      title: say("settings.disableOne", { name }), words: say("settings.disableWords"),
      facts: [whoIs(person)], send: say("settings.disableLabel", { name }),
    })) return;
    await ask("PATCH", `/v1/staff/${person.id}`, JSON.stringify({ disabled: !isDisabled }));
    return say(isDisabled ? "settings.canAgain" : "settings.isDisabled", { name });
  });
}

/** @param {any} data @param {import("./settings.js").Page} page */
function people({ staff, roles }, page) {
  const rows = staff.map((person) => {
    const { name } = person;
    const role = roles.find((one) => one.name === person.role);
    const means = listed([person.has_pin && say("settings.pin"), OFFICE[person.office]].filter(Boolean))
      || say("settings.nothingYet");
    const isDisabled = Boolean(person.disabled_at);
    return { cells: [
      named(name, limits(role)), person.role, means,
      isDisabled ? standing("", say("settings.disabled"), "slash") : say("settings.personActive"),
      buttons(
        ...(isDisabled ? [] : [button(say("settings.invite"), () => invite(person, page), {
          label: say("settings.inviteOne", { name }) })]),
        button(say(isDisabled ? "settings.enable" : "settings.disable"), () => change(person, page), {
          label: say(isDisabled ? "settings.enableLabel" : "settings.disableLabel", { name }),
          kind: isDisabled ? "dense" : "dense danger" })),
    ] };
  });
  const heads = [say("settings.person"), say("settings.role"), say("settings.signsIn"), say("settings.state"), ""];
  return table(say("settings.staffTable"), heads, rows, "people");
}

/** @param {any[]} roles */
function permissions(roles) {
  const scroll = make("div", "", { className: "scroll", tabIndex: 0 });
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", say("settings.permByRole"));
  const grid = make("table", "", { className: "table tight perms" });
  const [head, body, first] = [make("thead", ""), make("tbody", ""), make("tr", "")];
  const heads = [say("settings.permission"), ...roles.map(({ name }) => name)];
  first.append(...heads.map((words) => make("th", words, { scope: "col" })));
  head.append(first);
  body.append(...Object.entries(MAY).map(([permission, words]) => {
    const row = make("tr", "");
    const has = (role) => say(role.permissions.includes(permission) ? "settings.yes" : "settings.no");
    row.append(make("th", words, { scope: "row" }), ...roles.map((role) => make("td", has(role))));
    return row;
  }));
  grid.append(head, body);
  scroll.append(grid);
  return pane(say("settings.roleMay"), scroll);
}

/**
 * @param {any[]} roles @param {boolean} isFirst Whoever comes first can let the others in.
 * @param {import("./settings.js").Page} page
 */
function adding(roles, isFirst, page) {
  const name = make("input", "", { id: "person-name", className: "input", maxLength: 64, autocomplete: "off" });
  const role = make("select", "", { id: "person-role", className: "select" });
  role.append(...roles.map((one) => make("option", one.name, { value: one.name })));
  if (isFirst) role.value = "owner";
  const pin = make("input", "", {
    id: "person-pin", className: "input", type: "password", inputMode: "numeric", maxLength: 12,
    autocomplete: "new-password",
  });
  return form(say("settings.addPerson"), [
    field(say("settings.name"), name), field(say("settings.role"), role), field(say("settings.pinOptional"), pin),
  ], say("settings.add"), () => page.act(async () => {
      const body = { name: name.value.trim(), role: role.value, ...(pin.value && { pin: pin.value }) };
      pin.value = "";
      await ask("POST", "/v1/staff", JSON.stringify(body), newKey());
      return say("settings.wasAdded", { name: body.name });
    }));
}

/** @param {any} session */
const sessionWords = (session) => say("settings.sessionLine", {
  name: session.name ?? say("settings.nobody"), kind: KINDS[session.kind] ?? session.kind,
  address: session.address ?? say("settings.unknownAddress"),
  began: time(session.began_at), seen: time(session.seen_at),
});

/** @param {any[]} all @param {import("./settings.js").Page} page */
function sessions(all, page) {
  const title = say("settings.sessions");
  if (all.length === 0) return pane(title, make("p", say("settings.nobodyIn"), { className: "soft" }));
  const list = make("ul", "", { className: "rows" });
  list.append(...all.map((one) => {
    const line = make("li", "");
    const session = sessionWords(one);
    line.append(make("p", one.current ? say("settings.sessionHere", { session }) : session));
    if (!one.current) {
      line.append(button(say("settings.end"), () => page.act(async () => {
        await ask("DELETE", `/v1/sessions/${one.id}`);
        return say("settings.sessionEnded");
      }), { label: say("settings.endSince", { time: time(one.began_at) }) }));
    }
    return line;
  }));
  return pane(title, list);
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "staff", title: say("settings.staff"), shape: "users", permission: "staff",
  async load() {
    const [{ staff }, { roles }, { sessions: open }] = await Promise.all(
      ["/v1/staff", "/v1/roles", "/v1/sessions"].map((path) => ask("GET", path)));
    return { staff, roles, open };
  },
  standing({ staff }) {
    const active = staff.filter((person) => !person.disabled_at);
    const stuck = active.filter((person) => !person.has_pin && person.office !== "enrolled");
    if (active.length === 0) {
      return { tone: "", word: say("settings.none"), words: say("settings.noStaff") };
    }
    if (stuck.length > 0) {
      const words = say("settings.cannotSignIn", { names: listed(stuck.map(({ name }) => name)) });
      return { tone: "unsure", word: say("settings.toInvite"), words };
    }
    const words = say("settings.canSignIn", { count: active.length, all: staff.length });
    return { tone: "paid", word: say("settings.inOrder"), words };
  },
  draw({ staff, roles, open }, page) {
    const own = make("p", "", { className: "soft" });
    const [before, after] = say("settings.ownAccount", { account: LINK }).split(LINK);
    own.append(before, make("a", say("settings.yourAccount"), { href: "/#account" }), after);
    return [
      own, staff.length ? people({ staff, roles }, page)
        : empty(say("settings.noStaffYet"), say("settings.addOwner")),
      adding(roles, staff.length === 0, page), permissions(roles), sessions(open, page),
      commands(say("settings.rolesOwn"),
        "till roles set NAME --permissions sell,refund --refund-limit EUR=5000", "till staff set-pin NAME"),
    ];
  },
};
