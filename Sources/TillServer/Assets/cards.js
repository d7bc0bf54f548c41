"use strict";
// Card entry: groups as they are printed on the card, the network's name, and the caret where it was. A hint for the
// eye only: no card is refused here for its network, and nothing leaves the page.
(() => {
  const MOST = 40; // digits that are taken from one field
  // Name, lengths, name and length of the code, ranges of first digits. The earlier network wins where ranges tie.
  const NETWORKS = [
    ["Visa", [13, 16, 18, 19], "CVV", 3, "4"],
    ["Mastercard", [16], "CVC", 3, "51-55 2221-2720"],
    ["American Express", [15], "CID", 4, "34 37"],
    ["Diners Club", [14, 16, 19], "CVV", 3, "300-305 36 38 39"],
    ["JCB", [15, 16, 17, 18, 19], "CVV", 3, "3528-3589 1800 2131"],
    ["UnionPay", [14, 15, 16, 17, 18, 19], "CVN", 3, "620 810 6270 6272 6276 6291 6292 62100-62182 62184-62197 62200-62205 622010-622999 62207-62209 623-626 627700-627779 627781-627799 6282-6289 8110-8171"],
    ["Discover", [16, 19], "CID", 3, "6011 644-649 65 622126-622925"],
    ["Elo", [16], "CVE", 3, "401178 401179 431274 438935 451416 457393 457631 457632 504175 627780 636297 636368 506699-506778 509000-509999 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727 650901-650978 651652-651679 655000-655019 655021-655058"],
    ["Mir", [16, 17, 18, 19], "CVP2", 3, "2200-2204"],
    ["Hiper", [16], "CVC", 3, "637095 63737423 63743358 637568 637599 637609 637612"],
    ["Hipercard", [16], "CVC", 3, "606282"],
    ["Troy", [16], "CVV", 3, "9792"],
    ["Verve", [16, 18, 19], "CVV", 3, "506129 506166 506168 506170 506173 506184 506191 506195 506197 507900 507941 506099-506127 506133-506150 506158-506163 506176-506180 506187-506188 507865-507866 507868-507877 507880-507888"],
    ["Naranja", [16], "CVV", 3, "589562 402918 527572"],
    ["Dankort", [16], "CVV", 3, "5019 4571"],
    ["Maestro", [12, 13, 14, 15, 16, 17, 18, 19], "CVC", 3, "493698 63 67 6 500000-504174 504176-506698 506779-508999 56-59"],
    ["RuPay", [16], "CVV", 3, "60 65 81 82 508"],
  ].map(([name, lengths, code, codeLength, ranges]) => ({
    name, lengths, code, codeLength,
    ranges: ranges.split(" ").map((range) => { const [low, high = low] = range.split("-"); return [low, high]; }),
  }));

  // A decimal digit of any script as 0...9. Digits stand in runs of ten in Unicode.
  function digitValue(character) {
    const point = character.codePointAt(0);
    if (point < 128) return point >= 48 && point <= 57 ? point - 48 : -1;
    if (!/\p{Nd}/u.test(character)) return -1;
    let first = point;
    while (first > 0 && /\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
    return (point - first) % 10;
  }

  const digitsOf = (text) => Array.from(text.slice(0, 512)).map(digitValue).filter((value) => value >= 0).slice(0, MOST).join("");

  // The network with the longest whole range, or none yet.
  function network(digits) {
    let best = null, length = 0;
    for (const candidate of NETWORKS) {
      for (const [low, high] of candidate.ranges) {
        const typed = digits.slice(0, low.length);
        if (typed.length === low.length && typed >= low && typed <= high && low.length > length) { best = candidate; length = low.length; }
      }
    }
    return best;
  }

  function groups(name, count) {
    if (name === "American Express" && count <= 15) return [4, 6, 5];
    if (name === "Diners Club" && count <= 14) return [4, 6, 4];
    return Array(10).fill(4);
  }

  function formatNumber(text, caret) {
    const digits = digitsOf(text), before = Math.min(digitsOf(text.slice(0, caret)).length, digits.length);
    const sizes = groups(network(digits)?.name, digits.length);
    let shown = "", place = 0, group = 0, inGroup = 0;
    for (let index = 0; index < digits.length; index++) {
      if (group < sizes.length && inGroup === sizes[group]) { shown += " "; group++; inGroup = 0; }
      shown += digits[index];
      inGroup++;
      if (index + 1 === before) place = shown.length;
    }
    return { text: shown, caret: place };
  }

  function formatExpiry(text, caret) {
    let digits = digitsOf(text).slice(0, 6), before = Math.min(digitsOf(text.slice(0, caret)).length, digits.length);
    const month = Number(digits.slice(-2));
    if (digits.length === 6 && /^2[01]/.test(digits) && month >= 1 && month <= 12) {
      digits = digits.slice(-2) + digits.slice(0, 4); // pasted as 2030-12
      before = digits.length;
    } else if (/^[2-9]/.test(digits) || /^\D*1[/\uFF0F]/.test(text)) {
      digits = ("0" + digits).slice(0, 6);
      if (before) before = Math.min(before + 1, digits.length);
    }
    if (digits.length <= 2) return { text: digits, caret: before };
    return { text: `${digits.slice(0, 2)} / ${digits.slice(2)}`, caret: before <= 2 ? before : before + 3 };
  }

  function follow(field, format, then) {
    if (!field) return;
    field.addEventListener("beforeinput", (event) => {
      // A gap never stands in the way of deleting.
      if (event.inputType !== "deleteContentBackward" || field.selectionStart !== field.selectionEnd) return;
      let caret = field.selectionStart;
      while (caret > 0 && digitValue(field.value[caret - 1]) < 0) caret--;
      if (caret > 0) field.setSelectionRange(caret, caret);
    });
    field.addEventListener("input", (event) => {
      if (event.isComposing) return;
      const result = format(field.value, field.selectionStart ?? field.value.length);
      if (field.value !== result.text) field.value = result.text;
      if (document.activeElement === field) field.setSelectionRange(result.caret, result.caret);
      then?.(result.text);
    });
  }

  // The name and the billing address as the till takes them, or what is wrong with them.
  globalThis.tillCardholder = () => {
    const typed = (id) => document.getElementById(id)?.value.trim() ?? "";
    const name = typed("holder"), country = typed("country").toUpperCase();
    const parts = { line1: typed("line1"), city: typed("city"), region: typed("region"), postal_code: typed("postal") };
    const address = Object.fromEntries(Object.entries(parts).filter(([, value]) => value));
    if (!country && Object.keys(address).length) return { field: "country", fault: "The country, as DE." };
    if (country && !/^([A-Z]{2}|C2)$/.test(country)) return { field: "country", fault: "Two letters, as DE." };
    return { ...(name && { name }), ...(country && { billing_address: { ...address, country } }) };
  };

  document.addEventListener("DOMContentLoaded", () => {
    const brand = document.getElementById("brand"), code = document.getElementById("code");
    follow(document.getElementById("number"), formatNumber, (text) => {
      const found = network(digitsOf(text));
      if (brand) brand.textContent = found ? found.name : "";
      if (code) code.placeholder = found ? `${found.code}, ${found.codeLength} digits` : "";
    });
    follow(document.getElementById("expires"), formatExpiry);
    follow(code, (text, caret) => ({ text: digitsOf(text).slice(0, 4), caret: digitsOf(text.slice(0, caret)).length }));
  });
})();
