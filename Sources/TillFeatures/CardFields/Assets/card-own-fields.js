// The counter's own card fields: the number goes from here to the counter, which charges it.

import { codeFault, formatExpiry, formatNumber, judgeNumber } from "/card-number.js";
import { digitsOf } from "/typed-digits.js";
import { follow } from "/typed-fields.js";

const $ = (id) => document.getElementById(id);
const ids = ["number", "expires", "code"];

/** The date as typed, in ASCII digits and without gaps. */
const expiry = () => formatExpiry($("expires").value, 0).text.replace(/\s/g, "");

const expiryFault = () =>
  /^(0[1-9]|1[0-2])[/-]?(\d{2}|\d{4})$/.test(expiry()) ? "" : "Month and year, such as 12/30.";

/** What is wrong with each field, "" where nothing is. */
const faults = () => ({
  number: judgeNumber($("number").value).fault ?? "",
  expires: expiryFault(),
  code: codeFault($("code").value, $("number").value) ?? "",
});

function mark(id, fault) {
  $(`${id}-fault`).textContent = fault;
  if (fault) $(id).setAttribute("aria-invalid", "true");
  else $(id).removeAttribute("aria-invalid");
}

/**
 * The fields as the frame uses them; the provider's own have the same members (`provider-fields.js`).
 * @param {(type: string, detail?: object) => void} tell Tells the page around.
 */
export function ownFields(tell) {
  function changed() {
    const { network } = judgeNumber($("number").value);
    tell("change", { complete: Object.values(faults()).every((fault) => !fault), brand: network?.name ?? null });
  }

  follow($("number"), formatNumber, (text) => {
    const { network, state, fault } = judgeNumber(text);
    $("brand").textContent = network?.name ?? "";
    $("code").placeholder = network ? `${network.codeLength} digits` : "";
    mark("number", state === "invalid" ? fault ?? "" : "");
    changed();
  });
  follow($("expires"), formatExpiry, () => {
    mark("expires", "");
    changed();
  });
  follow($("code"), (text, caret) => ({
    text: digitsOf(text).slice(0, 4), caret: digitsOf(text.slice(0, caret)).length,
  }), () => {
    mark("code", "");
    changed();
  });
  for (const id of ids) {
    $(id).addEventListener("blur", () => { if ($(id).value.trim()) mark(id, faults()[id]); });
  }

  return {
    takesOrder: false,
    /** Attaches nothing: the card itself goes to the counter. */
    async attach(_prepare) {},
    /** Resolves when the fields can be typed in. */
    show: async () => {},
    /** Marks what is wrong, and returns the first field of it; null if nothing is. */
    fault() {
      const wrong = faults();
      for (const [id, fault] of Object.entries(wrong)) mark(id, fault);
      return ids.find((id) => wrong[id]) ?? null;
    },
    /** What the counter charges. */
    tender: async () => ({
      type: "card", number: digitsOf($("number").value), expiry: expiry(), cvc: digitsOf($("code").value),
    }),
    lock(isLocked) {
      for (const control of $("card").elements) control.disabled = isLocked;
    },
    clear() {
      for (const id of ids) $(id).value = "";
    },
    focus: (id) => $(id).focus(),
    mark,
  };
}
