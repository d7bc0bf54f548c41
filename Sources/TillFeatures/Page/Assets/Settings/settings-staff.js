// The staff: who works here with which role, how they sign in, what a role may do, the shop's own roles, and the open
// sessions of all. What may be changed by whom, the till decides. One's own account is at the counter.

import { ask, newKey, NEXT, Refusal } from "./calls.js";
import { time } from "./clock.js";
import { field, make } from "./dom.js";
import { decimal, minorUnits } from "./money.js";
import { review } from "./review.js";
import {
  atFields, button, buttons, card, cards, choices, empty, form, listed, named, pane, shownOnce, standing, table, tick,
  ticked,
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
const ROLES = "/v1/roles";
Object.assign(NEXT, {
  staff_not_found: "settings.listNow", unknown_role: "settings.listNow", role_in_use: "settings.otherRoleFirst",
  invalid_limit: "settings.limitForm", role_changed: "settings.roleIsOther",
});

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

/** @param {any} person @param {import("./settings.js").Page} page */
function remove(person, page) {
  return page.act(async () => {
    const { name } = person;
    if (!await review({
      title: say("settings.removePerson", { name }), words: say("settings.removePersonWords"),
      facts: [whoIs(person)], send: say("settings.takeOutLabel", { name }),
    })) return;
    await ask("DELETE", `/v1/staff/${person.id}`);
    return say("settings.isTakenOut", { name });
  });
}

/** @param {string} id */
const pinField = (id) => make("input", "", {
  id, className: "input", type: "password", inputMode: "numeric", maxLength: 12, autocomplete: "new-password",
});

/** @param {string} id @param {any[]} roles */
function roleField(id, roles) {
  const role = make("select", "", { id, className: "select" });
  role.append(...roles.map((one) => make("option", one.name, { value: one.name })));
  return role;
}

/**
 * A form for another role or another PIN of one of them, and what opens it for somebody.
 * @param {any} data @param {import("./settings.js").Page} page
 */
function changing({ staff, roles }, page) {
  const person = make("select", "", { id: "change-person", className: "select" });
  person.append(...staff.map(({ id, name }) => make("option", name, { value: id })));
  const [role, pin] = [roleField("change-role", roles), pinField("change-pin")];
  const chosen = () => staff.find(({ id }) => id === person.value);
  const follow = () => {
    role.value = chosen().role;
    pin.value = "";
  };
  person.addEventListener("change", follow);
  follow();
  const box = form(say("settings.changePerson"), [
    field(say("settings.person"), person), field(say("settings.role"), role), field(say("settings.newPIN"), pin),
  ], say("settings.change"), () => page.act(() => atFields({ role, pin }, async () => {
    const { id, name, role: before } = chosen();
    const body = { ...(role.value !== before && { role: role.value }), ...(pin.value && { pin: pin.value }) };
    pin.value = "";
    await ask("PATCH", `/v1/staff/${id}`, JSON.stringify(body));
    return say("settings.isChanged", { name });
  })));
  const open = (/** @type {any} */ one) => {
    person.value = one.id;
    follow();
    box.open = true;
    role.focus();
  };
  return { box, open };
}

/** @param {any} data @param {import("./settings.js").Page} page @param {(person: any) => void} open */
function people({ staff, roles }, page, open) {
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
        button(say("settings.change"), () => open(person), { label: say("settings.changeOne", { name }) }),
        ...(isDisabled ? [] : [button(say("settings.invite"), () => invite(person, page), {
          label: say("settings.inviteOne", { name }) })]),
        button(say(isDisabled ? "settings.enable" : "settings.disable"), () => change(person, page), {
          label: say(isDisabled ? "settings.enableLabel" : "settings.disableLabel", { name }),
          kind: isDisabled ? "dense" : "dense danger" }),
        button(say("settings.takeOut"), () => remove(person, page), {
          label: say("settings.takeOutLabel", { name }), kind: "dense danger" })),
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
  const [role, pin] = [roleField("person-role", roles), pinField("person-pin")];
  if (isFirst) role.value = "owner";
  return form(say("settings.addPerson"), [
    field(say("settings.name"), name), field(say("settings.role"), role), field(say("settings.pinOptional"), pin),
  ], say("settings.add"), () => page.act(() => atFields({ name, role, pin }, async () => {
    const body = { name: name.value.trim(), role: role.value, ...(pin.value && { pin: pin.value }) };
    pin.value = "";
    await ask("POST", "/v1/staff", JSON.stringify(body), newKey());
    return say("settings.wasAdded", { name: body.name });
  })));
}

// ---- Roles of the shop's own

/** Limits as somebody types them, such as `EUR 50.00; GBP 40.00`. @param {Record<string, number>} [limits] */
const typed = (limits = {}) =>
  Object.entries(limits).map(([currency, minor]) => `${currency} ${decimal(minor, currency)}`).join("; ");

/** What was typed, by currency in minor units; what is no sum is left as it is, for the till to refuse. */
const limitsIn = (/** @type {string} */ text) => Object.fromEntries(
  text.split(";").map((part) => part.trim()).filter(Boolean).map((part) => {
    const found = /^([a-z]{3})\s*(\S+)$/i.exec(part);
    const currency = (found?.[1] ?? "").toUpperCase();
    const { value } = minorUnits(found?.[2] ?? "", currency);
    return value ? [currency, value] : [part, 0];
  }));

/** The fields of a role besides its name, and what they say. @param {string} id @param {any} [role] */
function rights(id, role) {
  const may = choices(say("settings.roleMay"), Object.entries(MAY).map(([permission, words]) =>
    tick("permission", permission, words, "", role?.permissions.includes(permission))));
  const [refunds, discounts] = ["refund", "discount"].map((kind) => make("input", "", {
    id: `${id}-${kind}`, className: "input", maxLength: 400, autocomplete: "off", spellcheck: false, dir: "ltr",
    placeholder: "EUR 50.00; GBP 40.00", defaultValue: typed(role?.[kind + "_limits"]),
  }));
  return {
    fields: [may, field(say("settings.refundLimit"), refunds), field(say("settings.discountLimit"), discounts)],
    named: { permissions: may.querySelector("input"), refund_limits: refunds, discount_limits: discounts },
    said: () => ({
      permissions: ticked(may, "permission"), refund_limits: limitsIn(refunds.value),
      discount_limits: limitsIn(discounts.value),
    }),
  };
}

/** @param {import("./settings.js").Page} page */
function addingRole(page) {
  const name = make("input", "", {
    id: "role-name", className: "input", maxLength: 32, autocomplete: "off", spellcheck: false,
    placeholder: "shift-lead",
  });
  const { fields, named: known, said } = rights("role");
  return form(say("settings.addRole"), [field(say("settings.name"), name), ...fields], say("settings.add"),
    () => page.act(() => atFields({ name, ...known }, async () => {
      const made = await ask("POST", ROLES, JSON.stringify({ name: name.value.trim(), ...said() }));
      return say("settings.wasAdded", { name: made.name });
    })));
}

/** @param {any} role @param {any[]} staff @param {import("./settings.js").Page} page */
function ownRole(role, staff, page) {
  const { name } = role;
  let { tag } = role;
  const holders = listed(staff.filter((person) => person.role === name).map((person) => person.name));
  const path = `${ROLES}/${encodeURIComponent(name)}`;
  const { fields, named: known, said } = rights(`role-${name}`, role);
  const box = form(say("settings.changeOne", { name }), fields, say("settings.change"),
    () => page.act(() => atFields(known, async () => {
      try {
        await ask("PUT", path, JSON.stringify({ ...said(), tag }));
      } catch (error) {
        const isOther = error instanceof Refusal && error.problem.code === "role_changed";
        if (isOther) await showNow().catch(() => {});
        throw error;
      }
      return say("settings.isChanged", { name });
    })));
  box.classList.add("wide");
  const remover = button(say("settings.takeOut"), () => page.act(async () => {
    if (!await review({
      title: say("settings.removeRole", { name }), words: say("settings.removeRoleWords"),
      facts: [[say("settings.role"), name], [say("settings.who"), holders]],
      send: say("settings.takeOutLabel", { name }),
    })) return;
    await ask("DELETE", path);
    return say("settings.isTakenOut", { name });
  }), { label: say("settings.takeOutLabel", { name }), kind: "dense danger" });
  const drawn = (/** @type {any} */ one) => card({
    shape: "users", title: name, under: limits(one),
    facts: [
      [say("settings.roleMay"), listed(one.permissions.map((permission) => MAY[permission] ?? permission))],
      [say("settings.who"), holders],
    ],
    more: [box], buttons: [remover],
  });
  let element = drawn(role);
  /** Shows the role as somebody else has made it, above the form with what was typed, which may then replace it. */
  async function showNow() {
    const { roles } = await ask("GET", ROLES);
    const now = roles.find((one) => one.name === name);
    if (!now) return;
    ({ tag } = now);
    const before = element;
    element = drawn(now);
    before.replaceWith(element);
  }
  return element;
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
    const account = make("p", "", { className: "soft" });
    const [before, after] = say("settings.ownAccount", { account: LINK }).split(LINK);
    account.append(before, make("a", say("settings.yourAccount"), { href: "/#account" }), after);
    const isFirst = staff.length === 0;
    const other = isFirst ? null : changing({ staff, roles }, page);
    const own = roles.filter((role) => !role.built_in);
    return [
      account, other ? people({ staff, roles }, page, other.open)
        : empty(say("settings.noStaffYet"), say("settings.addOwner")),
      ...(other ? [other.box] : []), adding(roles, isFirst, page), permissions(roles), addingRole(page),
      ...(own.length ? [cards(own.map((role) => ownRole(role, staff, page)))] : []), sessions(open, page),
    ];
  },
};
