// What the page's scripts share: the payment that is shown, and whether a request about it is under way.

/** @type {{payment: any, busy: boolean, change: number | null}} */
export const session = { payment: null, busy: false, change: null };
