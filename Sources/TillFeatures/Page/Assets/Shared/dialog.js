// A dialog that asks one question at a time.

import { $ } from "./dom.js";

/** Whether the page asks who is there: nothing stands above that. */
const isShut = () => ["session", "person"].some((id) => $(id)?.hidden === false);

/**
 * The answers of a dialog, each to the question that was open when it was given. The browser reports the end of a
 * dialog later, and may do so when the next question is open already: that report answers nothing.
 * @param {HTMLDialogElement} dialog
 */
export function questions(dialog) {
  let tell = (_) => {};
  /** Ends the question that is open. @param {string} answer Empty for a no. */
  function end(answer) {
    const told = tell;
    tell = (_) => {};
    if (dialog.open) dialog.close();
    told(answer);
  }
  // Escape, or the page asks to sign in.
  dialog.addEventListener("close", () => { if (!dialog.open) end(""); });
  return {
    end,
    /**
     * Opens the dialog; a question that is open still is answered with no, and so is one that comes once the page asks
     * to sign in.
     * @returns {Promise<string>}
     */
    begin() {
      end("");
      if (isShut()) return Promise.resolve("");
      dialog.showModal();
      return new Promise((resolve) => { tell = resolve; });
    },
  };
}
