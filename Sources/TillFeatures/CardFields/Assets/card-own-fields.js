// The counter's own card fields: the number goes from here to the counter, which charges it.

import { FEWEST, MOST, formatExpiry, formatNumber, judgeCode, judgeNumber } from "/card-number.js";
import { isolated, text as said } from "/card/words.js";
import { digitsOf } from "/typed-digits.js";
import { follow } from "/typed-fields.js";

const $ = (id) => document.getElementById(id);
const ids = ["number", "expires", "code"];

/** The date as typed, in ASCII digits and without gaps. */
const expiry = () => formatExpiry($("expires").value, 0).text.replace(/\s/g, "");

const expiryFault = () =>
  /^(0[1-9]|1[0-2])[/-]?(\d{2}|\d{4})$/.test(expiry()) ? "" : said("date");

function numberFault() {
  switch (judgeNumber($("number").value).kind) {
    case "missing": return said("numberMissing");
    case "characters": return said("numberCharacters");
    case "short": return said("numberShort", { least: FEWEST });
    case "long": return said("numberLong", { most: MOST });
    case "checkDigit": return said("numberCheckDigit");
    default: return "";
  }
}

function codeFault() {
  const wrong = judgeCode($("code").value, $("number").value);
  switch (wrong?.kind) {
    case "missing": return said("codeMissing");
    case "characters": return said("codeCharacters");
    case "length": {
      const { least, most } = wrong;
      return said("codeLength", { count: least === most ? least : said("orOther", { least, most }) });
    }
    default: return "";
  }
}

/** What is wrong with each field, "" where nothing is. */
const faults = () => ({
  number: numberFault(), expires: expiryFault(), code: codeFault(),
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
  $("expires").placeholder = said("dateShape");
  function changed() {
    const { network } = judgeNumber($("number").value);
    tell("change", { complete: Object.values(faults()).every((fault) => !fault), brand: network?.name ?? null });
  }

  follow($("number"), formatNumber, (text) => {
    const { network, state } = judgeNumber(text);
    $("brand").textContent = network?.name ?? "";
    $("code").placeholder = network ? isolated(said("codeDigits", { count: network.codeLength })) : "";
    mark("number", state === "invalid" ? numberFault() : "");
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
