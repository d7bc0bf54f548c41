// What is said of people and their sessions in the account at the counter; the settings have words of their own.

import { time } from "./dom.js";
import { say } from "./words.js";

const KINDS = {
  device: "account.device", password: "account.office", passkey: "account.passkey",
};

/** How somebody signs in to the back office; nothing for whoever was never invited. */
export const OFFICE = { invited: say("account.invited"), enrolled: say("account.enrolled") };

/** What is said of a session. @param {any} session @param {string} [name] Whose it is. */
export const sessionWords = (session, name = session.name) => say("account.session", {
  name: name ?? say("account.nobody"), kind: say(KINDS[session.kind] ?? session.kind),
  address: session.address ?? say("account.unknownAddress"), began: time(session.began_at), seen: time(session.seen_at),
});

/** What is asked before somebody who signs in already is invited again. @param {any} person */
export const invitingAnew = (person) => ({
  title: say("account.inviteAgain", { name: person.name }), words: say("account.inviteAgainWords"),
  facts: /** @type {[string, any][]} */ ([[say("account.who"), `${person.name}, ${person.role}`]]),
  send: say("account.inviteAgainSend"),
});

/** What is said before the link of an invitation. @param {any} person */
export const linkWords = ({ name }) => say("account.link", { name });
