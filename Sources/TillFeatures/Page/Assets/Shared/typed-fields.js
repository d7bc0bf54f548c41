// A field that is formatted while it is typed in, with the caret where it was.

import { digitValue } from "./typed-digits.js";

/** Formats a field after each edit. A gap never stands in the way of deleting. */
export function follow(control, format, then = (_) => {}) {
  control.addEventListener("beforeinput", (event) => {
    if (event.inputType !== "deleteContentBackward" || control.selectionStart !== control.selectionEnd) return;
    let caret = control.selectionStart;
    while (caret > 0 && digitValue(control.value[caret - 1]) < 0) caret--;
    if (caret > 0) control.setSelectionRange(caret, caret);
  });
  control.addEventListener("input", (event) => {
    if (event.isComposing) return;
    const result = format(control.value, control.selectionStart ?? control.value.length);
    if (control.value !== result.text) control.value = result.text;
    if (document.activeElement === control) control.setSelectionRange(result.caret, result.caret);
    then(result.text);
  });
}
