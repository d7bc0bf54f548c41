// What the page's scripts share: the payment that is shown, whether a request about it is under way, and whether what
// is shown of it may be out of date, because a request about it had no answer.

/** @type {{payment: any, busy: boolean, isStale: boolean}} */
export const session = { payment: null, busy: false, isStale: false };
