// The staff: who works here with which role, how they sign in, what a role may do, and everybody's open sessions. One's
// own account is at the counter.

import { ask, newKey } from "./calls.js";
import { field, make, time } from "./dom.js";
import { invitingAnew, linkWords, OFFICE, sessionWords } from "./people.js";
import { review } from "./review.js";
import { button, buttons, commands, empty, form, named, pane, shownOnce, standing, table } from "./settings-parts.js";
import { sum } from "./sums.js";

const MAY = {
  sell: "Sell, issue receipts", hold: "Authorize now, capture later", void: "Release an authorization",
  refund: "Refund", refund_freely: "Refund without a limit", drawer: "Open and count the drawer",
  totals: "See totals and expected cash", readers: "Readers and printers", review: "Decide what needs a person",
  staff: "Manage the staff", settings: "Settings, keys, webhooks",
};

/** @param {any} role */
function limits(role) {
  if (!role?.permissions.includes("refund")) return "No refunds";
  if (role.permissions.includes("refund_freely")) return "Refunds without a limit";
  const sums = Object.entries(role.refund_limits).map(([currency, minor]) => sum(minor, currency));
  return sums.length ? `Refunds up to ${sums.join(", ")}` : "Refunds with approval";
}

/** @param {any} person @param {import("./settings.js").Page} page */
function invite(person, page) {
  return page.act(async () => {
    if (person.office === "enrolled" && !await review(invitingAnew(person))) return;
    const made = await ask("POST", `/v1/staff/${person.id}/invitation`);
    page.keep(shownOnce(linkWords(person), made.url));
  });
}

/** @param {any} person @param {import("./settings.js").Page} page */
function change(person, page) {
  return page.act(async () => {
    const isDisabled = Boolean(person.disabled_at);
    if (!isDisabled && !await review({
      title: `Disable ${person.name}?`,
      words: "Their sessions end within a second, and they sign in no more, neither with a PIN nor at the back office. "
        + "Payments in progress go on.",
      facts: [["Who", `${person.name}, ${person.role}`]], send: `Disable ${person.name}`,
    })) return;
    await ask("PATCH", `/v1/staff/${person.id}`, JSON.stringify({ disabled: !isDisabled }));
    return `${person.name} ${isDisabled ? "can sign in again." : "is disabled."}`;
  });
}

/** @param {any} data @param {import("./settings.js").Page} page */
function people({ staff, roles }, page) {
  const rows = staff.map((person) => {
    const role = roles.find(({ name }) => name === person.role);
    const means = [person.has_pin && "PIN", OFFICE[person.office]].filter(Boolean).join(", ") || "nothing yet";
    const isDisabled = Boolean(person.disabled_at);
    return { cells: [
      named(person.name, limits(role)), person.role, means,
      isDisabled ? standing("", "Disabled", "slash") : "Active",
      buttons(
        ...(isDisabled ? [] : [button("Invite", () => invite(person, page), {
          label: `Invite ${person.name} to the back office` })]),
        button(isDisabled ? "Enable" : "Disable", () => change(person, page), {
          label: `${isDisabled ? "Enable" : "Disable"} ${person.name}`, kind: isDisabled ? "dense" : "dense danger" })),
    ] };
  });
  return table("Staff", ["Person", "Role", "Signs in with", "State", ""], rows, "people");
}

/** @param {any[]} roles */
function permissions(roles) {
  const scroll = make("div", "", { className: "scroll", tabIndex: 0 });
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Permissions by role");
  const grid = make("table", "", { className: "table tight perms" });
  const [head, body, first] = [make("thead", ""), make("tbody", ""), make("tr", "")];
  first.append(...["Permission", ...roles.map(({ name }) => name)].map((words) => make("th", words, { scope: "col" })));
  head.append(first);
  body.append(...Object.entries(MAY).map(([permission, words]) => {
    const row = make("tr", "");
    const has = (role) => (role.permissions.includes(permission) ? "Yes" : "No");
    row.append(make("th", words, { scope: "row" }), ...roles.map((role) => make("td", has(role))));
    return row;
  }));
  grid.append(head, body);
  scroll.append(grid);
  return pane("What a role may do", scroll);
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
  return form("Add a person", [field("Name", name), field("Role", role), field("PIN (optional)", pin)], "Add",
    () => page.act(async () => {
      const body = { name: name.value.trim(), role: role.value, ...(pin.value && { pin: pin.value }) };
      pin.value = "";
      await ask("POST", "/v1/staff", JSON.stringify(body), newKey());
      return `${body.name} was added.`;
    }));
}

/** @param {any[]} all @param {import("./settings.js").Page} page */
function sessions(all, page) {
  if (all.length === 0) return pane("Open sessions", make("p", "Nobody is signed in.", { className: "soft" }));
  const list = make("ul", "", { className: "rows" });
  list.append(...all.map((one) => {
    const line = make("li", "");
    line.append(make("p", sessionWords(one, false) + (one.current ? ". This session." : "")));
    if (!one.current) {
      line.append(button("End", () => page.act(async () => {
        await ask("DELETE", `/v1/sessions/${one.id}`);
        return "The session has ended.";
      }), { label: `End the session since ${time(one.began_at)}` }));
    }
    return line;
  }));
  return pane("Open sessions", list);
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "staff", title: "Staff and roles", shape: "users", permission: "staff",
  async load() {
    const [{ staff }, { roles }, { sessions: open }] = await Promise.all(
      ["/v1/staff", "/v1/roles", "/v1/sessions"].map((path) => ask("GET", path)));
    return { staff, roles, open };
  },
  standing({ staff }) {
    const active = staff.filter((person) => !person.disabled_at);
    const stuck = active.filter((person) => !person.has_pin && person.office !== "enrolled");
    if (active.length === 0) {
      return { tone: "", word: "None", words: "No staff yet. Once you add the first person, everyone signs in." };
    }
    if (stuck.length > 0) {
      const names = stuck.map(({ name }) => name).join(", ");
      return { tone: "unsure", word: "To invite", words: `Cannot sign in yet: ${names}. Give a PIN, or invite them.` };
    }
    return { tone: "paid", word: "Ready", words: `${active.length} of ${staff.length} can sign in.` };
  },
  draw({ staff, roles, open }, page) {
    const own = make("p", "", { className: "soft" });
    own.append("How you sign in yourself is under ", make("a", "your account", { href: "/#account" }), ".");
    return [
      own, staff.length ? people({ staff, roles }, page)
        : empty("No staff yet", "Add the owner first. From then on, everyone signs in."),
      adding(roles, staff.length === 0, page), permissions(roles), sessions(open, page),
      commands("Roles of your own, and another PIN:",
        "till roles set NAME --permissions sell,refund --refund-limit EUR=5000", "till staff set-pin NAME"),
    ];
  },
};
