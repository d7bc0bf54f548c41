// What the page's scripts share: the payment that is shown, whether a request about it is under way, and whether what
// is shown of it may be out of date, because a request about it had no answer.

import { actAs } from "./calls.js";

/**
 * `confirming` is the payment whose confirmation is under way, and the name of the sentence for how the
 * customer pays: the events of
 * a payment that nobody has asked the provider about yet do not hide that.
 * While `isOffline` nothing can be charged.
 * `settled` is the sale that was refused because the shop's document says that it is settled, with what it says.
 * @type {{payment: any, busy: boolean, isStale: boolean,
 *   confirming: {id: string, how: string} | null, settled: {body: string, words: string} | null,
 *   isOffline: boolean}}
 */
export const session = {
  payment: null, busy: false, isStale: false, confirming: null, settled: null, isOffline: false,
};

/**
 * Who of the staff is signed in; null where there is no staff.
 * @type {{id: string, name: string, role: {name: string, permissions: string[]}} | null}
 */
let person = null;

/** @param {typeof person} who */
export function setPerson(who) {
  person = who;
  actAs(who?.id);
}

export const whoIs = () => person;

/** Whether whoever is signed in may do something. The till asks again; this only says what is shown. */
export const may = (permission) => !person || person.role.permissions.includes(permission);
