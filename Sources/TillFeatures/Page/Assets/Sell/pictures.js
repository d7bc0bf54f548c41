// Small pictures of what is to be done at the card reader, drawn in the colour of the text beside them. The words say
// the same, so nothing reads the pictures out.

const SVG = "http://www.w3.org/2000/svg";

const READER = "M18 5h28a4 4 0 0 1 4 4v27H14V9a4 4 0 0 1 4-4z M22 12h20v9H22z";
const CARD_BELOW = "M21 36v19a3 3 0 0 0 3 3h16a3 3 0 0 0 3-3V36";

/** Lines in a square of 64; what is filled comes second. @type {Record<string, [string, string?]>} */
const LINES = {
  insert: [`${READER} ${CARD_BELOW} M32 53V42 M27 47l5-5 5 5`],
  remove: [`${READER} ${CARD_BELOW} M32 41v11 M27 47l5 5 5-5`],
  leave: [`${READER} M21 36v11a3 3 0 0 0 3 3h16a3 3 0 0 0 3-3V36`, "M25 40h14v4H25z"],
  tap: [
    "M9 20h24a4 4 0 0 1 4 4v18a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V24a4 4 0 0 1 4-4z M11 38h8 "
    + "M43 26a12 12 0 0 1 0 14 M49 20a21 21 0 0 1 0 26 M55 14a31 31 0 0 1 0 38",
    "M11 26h7v6h-7z",
  ],
  swipe: [
    "M9 12h46a4 4 0 0 1 4 4v24a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V16a4 4 0 0 1 4-4z M14 54h34 M43 49l5 5-5 5",
    "M5 19h54v8H5z",
  ],
  retry: [
    "M22 26h20a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3H22a3 3 0 0 1-3-3V29a3 3 0 0 1 3-3z M19 32h26 "
    + "M53 17a25 25 0 1 0 4 22 M55 6v12H43",
  ],
  phone: [
    "M22 4h20a4 4 0 0 1 4 4v48a4 4 0 0 1-4 4H22a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z M28 53h8 M32 18v15",
    "M29.5 38h5v5h-5z",
  ],
  updating: [
    "M18 5h28a4 4 0 0 1 4 4v46a4 4 0 0 1-4 4H18a4 4 0 0 1-4-4V9a4 4 0 0 1 4-4z M32 14v20 M24 27l8 8 8-8 M22 47h20",
  ],
  battery: [
    "M9 19h40a4 4 0 0 1 4 4v18a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V23a4 4 0 0 1 4-4z M59 28v8", "M10 24h8v16h-8z",
  ],
  reconnecting: [
    "M25 14h14a3 3 0 0 1 3 3v30a3 3 0 0 1-3 3H25a3 3 0 0 1-3-3V17a3 3 0 0 1 3-3z M27 20h10v6H27z "
    + "M14 24a14 14 0 0 0 0 16 M50 24a14 14 0 0 1 0 16 M7 18a25 25 0 0 0 0 28 M57 18a25 25 0 0 1 0 28",
  ],
  disconnected: [
    "M25 14h14a3 3 0 0 1 3 3v30a3 3 0 0 1-3 3H25a3 3 0 0 1-3-3V17a3 3 0 0 1 3-3z M27 20h10v6H27z M8 8l48 48",
  ],
};

/** A picture by its name. @param {string} name */
export function picture(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 64 64");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "picture");
  svg.setAttribute("data-picture", name);
  LINES[name].forEach((d, index) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d ?? "");
    path.setAttribute("class", index ? "filled" : "line");
    svg.append(path);
  });
  return svg;
}
