// Who of the staff is at the till: signed in with a PIN, shown at the top, and locked again. Where there is no staff
// nobody is asked.

import { keepZone } from "./clock.js";
import { $, make } from "./dom.js";
import { lockGate, openGate, shutGate } from "./gate.js";
import { alertWith } from "./notice.js";
import { admit, ask, Refusal, sentencesOf } from "./requests.js";
import { setPerson, whoIs } from "./session.js";
import { admitted } from "./sign-in.js";
import { parts, say } from "./words.js";

const PERSON = "/session/person";
const CHECK_EVERY_MS = 15_000;
const MOST_DIGITS = 12;
const UNREACHED = say("session.unreached");
/** @type {{id: string, name: string}[]} */
let people = [];

/** Who can sign in at this device. */
export const colleagues = () => people;

const wordsOf = (error) => (error instanceof Refusal ? sentencesOf(error).join(" ") : UNREACHED);

function explain(why) {
  $("person-why").replaceChildren(...parts(why));
  $("person-why").hidden = !why;
}

function apply(answer) {
  people = answer.people;
  setPerson(answer.person);
  keepZone(answer.zone);
  const person = answer.person;
  $("who").textContent = person ? `${person.name}, ${person.role.name}` : "";
  $("who").hidden = $("to-account").hidden = !person;
  // Nobody else uses a session that belongs to one person.
  $("lock").hidden = !person || answer.personal;
  const allowed = (permission) => !person || person.role.permissions.includes(permission);
  $("to-review").hidden = !allowed("review");
  $("manual-choice").hidden = !allowed("hold");
  if (!allowed("hold")) $("manual").checked = false;
  $("sale").hidden = !allowed("sell");
}

function offerPeople() {
  const before = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=person]:checked"))?.value;
  $("person-names").replaceChildren(...people.map(({ id, name }, index) => {
    const box = make("label", "", { className: "choice" });
    box.append(make("input", "", {
      type: "radio", name: "person", value: id, checked: before ? id === before : index === 0 && people.length === 1,
    }), make("span", name));
    return box;
  }));
}

/** Counts the questions who is there, so that a late answer neither opens a locked till nor locks an open one. */
let asked = 0;

async function load() {
  const mine = asked += 1;
  let answer;
  try {
    answer = await ask("GET", PERSON);
  } catch (error) {
    // Without a session the page asks for one elsewhere.
    if (error instanceof Refusal && error.status === 401 && whoIs()) shutGate();
    return;
  }
  if (mine !== asked) return;
  apply(answer);
  if (answer.has_staff && !answer.person) lockGate();
  else if (!$("person").hidden) openGate();
}

/** Done when it is known who is at the till; everything else waits for it. */
export const known = admitted.then(load);
admit(known);

document.addEventListener("till:locked", async () => {
  $("pin").value = "";
  explain("");
  await load();
  offerPeople();
  const first = document.querySelector("input[name=person]:checked") ? $("pin")
    : document.querySelector("input[name=person]");
  if (!$("person").hidden) (first ?? $("pin")).focus();
});
// A PIN may have been entered in another tab.
document.addEventListener("till:answered", load);
document.addEventListener("till:signed-in", () => {
  if (!whoIs()) load();
});

const key = (text, label, act) => {
  const button = make("button", text, { type: "button" });
  button.setAttribute("aria-label", label);
  button.addEventListener("click", act);
  return button;
};
const type = (digit) => () => {
  if ($("pin").value.length < MOST_DIGITS) $("pin").value += digit;
};
$("pad").append(
  ...["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((digit) => key(digit, digit, type(digit))),
  key(say("person.clear"), say("person.clearPIN"), () => { $("pin").value = ""; }),
  key("0", "0", type("0")),
  key("⌫", say("person.back"), () => { $("pin").value = $("pin").value.slice(0, -1); }),
);

$("person-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const chosen = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=person]:checked"));
  const pin = $("pin").value;
  $("pin").value = "";
  if (!chosen) return explain(say("person.choose"));
  if (!pin) return explain(say("person.enterPIN"));
  explain("");
  try {
    const answer = await ask("POST", PERSON, JSON.stringify({ staff: chosen.value, pin }));
    asked += 1;
    apply(answer);
    openGate();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return shutGate(wordsOf(error));
    explain(wordsOf(error));
    $("pin").focus();
  }
});

$("lock").addEventListener("click", async () => {
  try {
    await ask("DELETE", PERSON);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return shutGate();
    return alertWith(say("person.notLocked"));
  }
  setPerson(null);
  lockGate();
});
$("device-out").addEventListener("click", () => $("sign-out").click());

// A device that nobody uses is locked by the till; the page shows it without being asked.
setInterval(() => {
  if (whoIs()) load();
}, CHECK_EVERY_MS);
