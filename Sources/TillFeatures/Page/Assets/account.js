// The account of whoever is signed in: where else they are, what they sign in with; and for whoever manages the staff
// who works here, whom to invite, and everybody's open sessions.

import { $, make, time } from "./dom.js";
import { addPasskey, canUsePasskeys, whyNoPasskey } from "./passkeys.js";
import { invitingAnew, linkWords, OFFICE, sessionWords } from "./people.js";
import { ask, Refusal, sentencesOf } from "./requests.js";
import { review } from "./review.js";
import { may, whoIs } from "./session.js";
import { namesAccount } from "./views.js";

const UNREACHED = "The till cannot be reached. Nothing was changed.";

function explain(id, why) {
  $(id).textContent = why;
  $(id).hidden = !why;
}

const wordsOf = (error) =>
  whyNoPasskey(error) ?? (error instanceof Refusal ? sentencesOf(error).join(" ") : UNREACHED);

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
  const words = sessionWords(session, isOwn);
  if (session.current) return row(words + ". This session.", "");
  return row(words, "End", `End the session since ${time(session.began_at)}`, () =>
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
    `${one.name}, since ${time(one.created_at)}, ${one.used_at ? "last used " + time(one.used_at) : "never used"}`,
    "Remove", `Remove ${one.name}`, () => act("means-why", () => ask("DELETE", `/session/passkeys/${one.id}`)))));
  $("passkey-form").hidden = !canUsePasskeys() || passkeys.length >= most;
  $("password-form").hidden = !hasPassword;
  $("no-password").hidden = hasPassword;
}

async function invite(person) {
  const isAsked = person.office === "enrolled";
  if (isAsked && !(await review({ ...invitingAnew(person), isEnglish: true }))) return;
  const made = await ask("POST", `/v1/staff/${person.id}/invitation`);
  $("invitation").hidden = false;
  $("invitation").replaceChildren(
    make("span", linkWords(person)), make("code", made.url));
}

async function showStaff() {
  $("all-staff").hidden = !may("staff");
  if (!may("staff")) return;
  const [{ staff }, { sessions }] = [await ask("GET", "/v1/staff"), await ask("GET", "/v1/sessions")];
  $("all-people").replaceChildren(...staff.map((person) => row(
    [person.name, person.role, OFFICE[person.office], person.disabled_at && "disabled"].filter(Boolean).join(", "),
    person.disabled_at || person.id === whoIs()?.id ? "" : "Invite", `Invite ${person.name} to the back office`,
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
  if (!name) return explain("means-why", "Give the passkey a name.");
  act("means-why", async () => {
    await addPasskey(name);
    $("passkey-name").value = "";
  });
});

$("password-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [before, after, code] = ["password-before", "password-after", "password-code"].map((id) => $(id).value);
  if (!before || !after || !code) return explain("means-why", "Enter both passwords and a code.");
  act("means-why", async () => {
    const body = { password: before, new_password: after, code: code.replace(/\s/g, "") };
    await ask("POST", "/session/password", JSON.stringify(body));
    for (const id of ["password-before", "password-after", "password-code"]) $(id).value = "";
  });
});
