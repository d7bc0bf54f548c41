// The account of whoever is signed in: where else they are, what they sign in with; and for whoever manages the staff
// who works here, whom to invite, and everybody's open sessions.

import { time } from "./clock.js";
import { $, make } from "./dom.js";
import { addPasskey, canUsePasskeys, whyNoPasskey } from "./passkeys.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { review } from "./review.js";
import { may, whoIs } from "./session.js";
import { namesAccount } from "./views.js";
import { parts, say } from "./words.js";

const KINDS = { device: "account.device", password: "account.office", passkey: "account.passkey" };
/** How somebody signs in to the back office; nothing for whoever was never invited. */
const OFFICE = { invited: say("account.invited"), enrolled: say("account.enrolled") };

function explain(id, why) {
  $(id).replaceChildren(...parts(why));
  $(id).hidden = !why;
}

const wordsOf = (error) =>
  whyNoPasskey(error) ?? (error instanceof Refusal ? sentencesOf(error).join(" ") : say("account.unreached"));

/** Does something, says beside it what went wrong, and shows everything anew. */
async function act(place, work) {
  explain(place, "");
  try {
    await work();
  } catch (error) {
    explain(place, wordsOf(error));
    return;
  }
  await showAccount();
}

/** A line with what can be done about it. */
function row(words, verb, label, work) {
  const line = make("li", "");
  line.append(make("p", words));
  if (verb) {
    const button = make("button", verb, { type: "button" });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", work);
    line.append(button);
  }
  return line;
}

function sessionRow(session, place, path, isOwn) {
  const words = say("account.session", {
    name: (isOwn ? whoIs()?.name : null) ?? session.name ?? say("account.nobody"),
    kind: say(KINDS[session.kind] ?? session.kind), address: session.address ?? say("account.unknownAddress"),
    began: time(session.began_at), seen: time(session.seen_at),
  });
  if (session.current) return row(say("account.here", { session: words }), "");
  return row(words, say("account.end"), say("account.endSince", { time: time(session.began_at) }), () =>
    act(place, () => ask("DELETE", `${path}/${session.id}`)));
}

async function showOwn() {
  const { sessions } = await ask("GET", "/session/own");
  $("own-sessions").replaceChildren(...sessions.map((one) => sessionRow(one, "own-why", "/session/own", true)));
  $("end-others").hidden = sessions.length < 2;
  const isPersonal = sessions.some((one) => one.current && one.kind !== "device");
  $("sign-in-means").hidden = !isPersonal;
  if (!isPersonal) return;
  const { passkeys, most, has_password: hasPassword } = await ask("GET", "/session/passkeys");
  $("passkeys").replaceChildren(...passkeys.map((one) => row(
    say(one.used_at ? "account.passkeyUsed" : "account.passkeyUnused",
      { name: one.name, time: time(one.created_at), used: one.used_at && time(one.used_at) }),
    say("account.remove"), say("account.removeOne", { name: one.name }),
    () => act("means-why", () => ask("DELETE", `/session/passkeys/${one.id}`)))));
  $("passkey-form").hidden = !canUsePasskeys() || passkeys.length >= most;
  $("password-form").hidden = !hasPassword;
  $("no-password").hidden = hasPassword;
}

async function invite(person) {
  const { name } = person;
  if (person.office === "enrolled" && !(await review({
    title: say("account.inviteAgain", { name }), words: say("account.inviteAgainWords"),
    facts: [[say("account.who"), `${name}, ${person.role}`]], send: say("account.inviteAgainSend"),
  }))) return;
  const made = await ask("POST", `/v1/staff/${person.id}/invitation`);
  $("invitation").hidden = false;
  $("invitation").replaceChildren(
    make("span", say("account.link", { name })), make("code", made.url, { dir: "ltr" }));
}

async function showStaff() {
  $("all-staff").hidden = !may("staff");
  if (!may("staff")) return;
  const [{ staff }, { sessions }] = [await ask("GET", "/v1/staff"), await ask("GET", "/v1/sessions")];
  $("all-people").replaceChildren(...staff.map((person) => row(
    [person.name, person.role, OFFICE[person.office], person.disabled_at && say("account.disabled")]
      .filter(Boolean).join(", "),
    person.disabled_at || person.id === whoIs()?.id ? "" : say("account.invite"),
    say("account.inviteOne", { name: person.name }),
    () => act("all-why", () => invite(person)))));
  $("all-sessions").replaceChildren(...sessions.map((one) => sessionRow(one, "all-why", "/v1/sessions", false)));
}

/** Shows it, if the address names it. */
export async function showAccount() {
  if (!namesAccount()) return;
  try {
    await showOwn();
    await showStaff();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) explain("own-why", wordsOf(error));
  }
}

$("end-others").addEventListener("click", () => act("own-why", () => ask("DELETE", "/session/own")));

$("passkey-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("passkey-name").value.trim();
  if (!name) return explain("means-why", say("invited.nameMissing"));
  act("means-why", async () => {
    await addPasskey(name);
    $("passkey-name").value = "";
  });
});

$("password-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [before, after, code] = ["password-before", "password-after", "password-code"].map((id) => $(id).value);
  if (!before || !after || !code) return explain("means-why", say("account.missing"));
  act("means-why", async () => {
    const body = { password: before, new_password: after, code: code.replace(/\s/g, "") };
    await ask("POST", "/session/password", JSON.stringify(body));
    for (const id of ["password-before", "password-after", "password-code"]) $(id).value = "";
  });
});
