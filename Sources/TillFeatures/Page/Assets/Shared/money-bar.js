// Where the money of a payment is, as a bar: pattern and words say it, the colour helps.

const SVG = "http://www.w3.org/2000/svg";
let patterns = 0;

/** @param {string} name @param {Record<string, string>} attributes */
function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/**
 * The parts of a payment's money, of what was ordered or held, whichever is more.
 * @param {any} payment @param {number} [refund] What is to be given back beside. @param {number} [capture] What is to
 * be captured of the hold, and the rest of it released.
 */
export function partsOf(payment, refund = 0, capture = 0) {
  const disputed = payment.disputed ?? 0;
  const refunded = payment.refunded + refund;
  const kept = payment.captured + capture - refunded - disputed;
  const held = capture > 0 ? 0 : payment.held;
  const ordered = payment.amount + (payment.tip ?? 0);
  const all = Math.max(ordered, kept + refunded + disputed + held);
  return { kept: Math.max(0, kept), refunded, disputed, held, free: Math.max(0, all - Math.max(0, kept) - refunded
    - disputed - held), all };
}

/** Draws the parts. @param {any} svg @param {ReturnType<typeof partsOf>} parts */
export function draw(svg, parts) {
  const id = `hatch-${patterns += 1}`;
  const pattern = shape("pattern", {
    id, width: "7", height: "7", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
  });
  pattern.append(shape("path", { class: "hatch", d: "M0 0v7" }));
  const defs = shape("defs", {});
  defs.append(pattern);
  const drawn = [defs];
  let from = 0;
  /** @param {number} minor @param {Record<string, string>[]} fills */
  const add = (minor, ...fills) => {
    if (minor <= 0 || parts.all <= 0) return;
    const width = (minor * 100) / parts.all;
    for (const fill of fills) {
      drawn.push(shape("rect", { x: `${from}%`, width: `${width}%`, height: "100%", ...fill }));
    }
    from += width;
  };
  add(parts.kept, { class: "taken" });
  add(parts.refunded, { class: "back" }, { fill: `url(#${id})` });
  add(parts.disputed, { class: "back" }, { fill: `url(#${id})` });
  add(parts.held, { class: "heldpart" });
  add(parts.free, { class: "free" });
  drawn.push(shape("rect", { class: "rim", width: "100%", height: "100%" }));
  svg.replaceChildren(...drawn);
}
