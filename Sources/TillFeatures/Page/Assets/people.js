// What is said in English of people and their sessions in the account at the counter; the settings say it in their
// language.

import { time } from "./dom.js";

const KINDS = {
  device: "Device at the till", password: "Back office, with password", passkey: "Back office, with a passkey",
};

/** How somebody signs in to the back office; nothing for whoever was never invited. */
export const OFFICE = { invited: "invited to the back office", enrolled: "signs in to the back office" };

/** What is said of a session. @param {any} session @param {boolean} isOwn Whose it is goes without saying. */
export function sessionWords(session, isOwn) {
  const who = isOwn ? "" : `${session.name ?? "Nobody"}: `;
  return `${who}${KINDS[session.kind] ?? session.kind}, from ${session.address ?? "an unknown address"}, since `
    + `${time(session.began_at)}, last used ${time(session.seen_at)}`;
}

/** What is asked before somebody who signs in already is invited again. @param {any} person */
export const invitingAnew = (person) => ({
  title: `Invite ${person.name} again?`,
  words: "Their password, codes and passkeys end at once, and their sessions too.",
  facts: /** @type {[string, any][]} */ ([["Who", `${person.name}, ${person.role}`]]), send: "Invite again",
});

/** What is said before the link of an invitation. @param {any} person */
export const linkWords = (person) => `Give this link to ${person.name} alone; it is good once, within a day:`;
