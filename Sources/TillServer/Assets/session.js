// What the page's scripts share: the payment that is shown, whether a request about it is under way, and whether what
// is shown of it may be out of date, because a request about it had no answer.

/**
 * `settled` is the sale that was refused because the shop's document says that it is settled, with what it says.
 * @type {{payment: any, busy: boolean, isStale: boolean, settled: {body: string, words: string} | null}}
 */
export const session = { payment: null, busy: false, isStale: false, settled: null };
