// The receipt of the payment that a page shows: as it prints, on which printer, and to whom it is sent. The page has a
// box for it, and a place in the box that is filled here.

import { ask } from "./calls.js";
import { $, field, make, offer } from "./dom.js";
import { may } from "./session.js";
import { foreign, parts, say } from "./words.js";

const ASK_PRINTER_EVERY_MS = 15_000;
const MAIL = {
  sending: "receipt.beingSent", sent: "receipt.sent", failed: "receipt.notSent",
  may_have_been_sent: "receipt.maybeSent",
};
/** The payment whose receipt is shown. @type {any} */
let shown = null;
let listed = "";
let timer = 0;

const base = () => `/v1/payments/${encodeURIComponent(shown.id)}/receipt`;

// ---- What it is made of

/** @param {string} id @param {string} label @param {[string, string][]} options Values and words. */
function choice(id, label, options) {
  const select = make("select", "", { id, className: "select" });
  select.append(...options.map(([value, text]) => make("option", text, { value })));
  return field(label, select);
}

/** What became of something; it is read out. @param {string} id */
function told(id) {
  const note = make("p", "", { id, className: "note" });
  note.setAttribute("role", "status");
  return note;
}

/** A form that is shown once what it is for is known to be there. @param {string} id @param {...Node} inside */
function form(id, ...inside) {
  const made = make("form", "", { id, noValidate: true, hidden: true });
  made.append(...inside);
  return made;
}

/** @param {string} className @param {...Node} inside */
function group(className, ...inside) {
  const box = make("div", "", { className });
  box.append(...inside);
  return box;
}

function picturePlace() {
  const sheet = make("div", "", { id: "receipt-sheet", tabIndex: 0, hidden: true });
  sheet.setAttribute("role", "group");
  sheet.setAttribute("aria-label", say("receipt.prints"));
  sheet.append(make("img", "", { id: "receipt-picture", alt: "" }));
  return sheet;
}

function pagePlace() {
  const frame = make("iframe", "", { id: "receipt", title: say("receipt.title"), hidden: true });
  // What is shown there runs nothing and reaches nothing.
  frame.setAttribute("sandbox", "");
  frame.setAttribute("referrerpolicy", "no-referrer");
  return frame;
}

function linkPlace() {
  const line = make("p", "");
  line.append(make("a", say("receipt.open"), { id: "receipt-link", target: "_blank", rel: "noopener" }));
  return line;
}

const printButton = make("button", say("receipt.print"), { type: "submit", className: "button" });
const sendButton = make("button", say("receipt.send"), { type: "submit", className: "button" });

function printing() {
  const printer = choice("printer", say("receipt.printer"), []);
  printer.append(told("printer-state"));
  const drawer = make("button", say("receipt.drawer"), {
    id: "drawer", type: "button", className: "button", hidden: true,
  });
  return form("print-form", printer, group("buttons", printButton, drawer), told("print-note"));
}

function printerMissing() {
  const line = make("p", say("receipt.noPrinter") + " ", { id: "no-printer", className: "note", hidden: true });
  line.append(make("code", "till printers add NAME ADDRESS", { dir: "ltr" }));
  return line;
}

function sending() {
  const to = make("input", "", {
    id: "send-to", type: "email", className: "input", required: true, maxLength: 254, autocomplete: "off",
    spellcheck: false,
  });
  return form("send-form", field(say("receipt.mail"), to), sendButton, told("send-note"));
}

$("receipt-parts").append(
  group(
    "pair",
    choice("receipt-paper", say("receipt.show"), [
      ["80", say("receipt.roll80")], ["58", say("receipt.roll58")], ["A4", say("receipt.sheet")],
      ["screen", say("receipt.page")],
    ]),
    choice("receipt-copy", say("receipt.copy"), [
      ["customer", say("receipt.customer")], ["merchant", say("receipt.shop")],
    ])),
  picturePlace(), pagePlace(), linkPlace(), printing(), printerMissing(), sending(),
  make("ul", "", { id: "mails", className: "note" }));

// ---- As it prints
function preview() {
  const paper = $("receipt-paper").value;
  const copy = $("receipt-copy").value;
  const version = [shown.id, shown.updated_at, paper, copy].join(" ");
  if ($("receipt-box").dataset.version === version) return;
  $("receipt-box").dataset.version = version;
  const page = `${base()}?format=html&copy=${copy}`;
  $("receipt-link").href = page;
  const isOnScreen = paper === "screen";
  $("receipt").hidden = !isOnScreen;
  $("receipt-sheet").hidden = isOnScreen;
  if (isOnScreen) {
    $("receipt").src = page;
    return;
  }
  const picture = $("receipt-picture");
  picture.dataset.paper = paper;
  const name = $("receipt-paper").selectedOptions[0].text;
  picture.alt = say("receipt.alt", { name });
  // What is below keeps its place under a finger while the next picture comes.
  const sheet = $("receipt-sheet");
  sheet.style.setProperty("min-height", `${sheet.offsetHeight}px`);
  picture.onload = () => sheet.style.removeProperty("min-height");
  // The previous receipt is not shown beside the current state; nor one that the browser keeps under the same address.
  picture.removeAttribute("src");
  drawn(`${base()}?format=png&width=${paper}&copy=${copy}`).then(
    (data) => {
      if ($("receipt-box").dataset.version === version) picture.src = data;
    },
    () => {
      // Without the drawing library there is no picture; the page is the same receipt.
      if ($("receipt-box").dataset.version !== version) return;
      $("receipt-paper").value = "screen";
      preview();
    });
}

async function drawn(address) {
  const answer = await fetch(address, { credentials: "same-origin", cache: "no-store" });
  if (!answer.ok) throw new TypeError("There is no picture.");
  const blob = await answer.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

for (const id of ["receipt-paper", "receipt-copy"]) $(id).addEventListener("change", preview);

// ---- Printers
function printerOption(one) {
  const option = make("option", one.name, { value: one.name });
  option.dataset.hasDrawer = one.has_drawer ? "yes" : "no";
  return option;
}

function showDrawer() {
  $("drawer").hidden = !may("drawer") || $("printer").selectedOptions[0]?.dataset.hasDrawer !== "yes";
}

async function loadPrinters() {
  $("print-form").hidden = $("no-printer").hidden = true;
  if (!may("sell") || !may("readers")) return;
  let answer;
  try {
    answer = await ask("GET", "/v1/printers");
  } catch {
    return;
  }
  const isFirst = !$("printer").value;
  offer($("printer"), answer.printers.map((one) => printerOption(one)));
  const kept = localStorage.getItem("till.printer");
  if (isFirst && answer.printers.some((one) => one.name === kept)) $("printer").value = kept;
  showDrawer();
  $("print-form").hidden = answer.printers.length === 0;
  $("no-printer").hidden = answer.printers.length > 0;
  await refreshPrinter();
}

async function refreshPrinter() {
  clearTimeout(timer);
  const name = $("printer").value;
  if (!name || $("receipt-box").hidden) return;
  if (!document.hidden) {
    try {
      const now = await ask("GET", `/v1/printers/${encodeURIComponent(name)}`);
      if ($("printer").value !== name) return;
      $("printer-state").replaceChildren(...parts(foreign(String(now.message))));
      $("printer-state").dataset.tone = now.needs_help ? "bad" : now.state === "unknown" ? "wait" : "good";
    } catch (error) {
      $("printer-state").replaceChildren(...parts(foreign(error.message)));
    }
  }
  timer = setTimeout(refreshPrinter, ASK_PRINTER_EVERY_MS);
}

$("printer").addEventListener("change", () => {
  localStorage.setItem("till.printer", $("printer").value);
  $("printer-state").textContent = "";
  showDrawer();
  refreshPrinter();
});
$("drawer").addEventListener("click", () => {
  during($("drawer"), "print-note", say("receipt.opening"), async () => {
    const path = `/v1/printers/${encodeURIComponent($("printer").value)}/drawer`;
    return (await ask("POST", path, "{}")).message;
  });
});
$("print-form").addEventListener("submit", (event) => {
  event.preventDefault();
  during(printButton, "print-note", say("receipt.printing"), async () => {
    const body = { printer: $("printer").value, copy: $("receipt-copy").value };
    const job = await ask("POST", `${base()}/print`, JSON.stringify(body));
    await refreshPrinter();
    return job.message;
  });
});

// ---- By e-mail. The address leaves the page with the request and comes back masked.
async function loadMails() {
  let answer;
  try {
    answer = await ask("GET", `${base()}/mails`);
  } catch {
    return;
  }
  $("send-form").hidden = !answer.can_send || !may("sell");
  const line = (mail) => make("li", `${mail.to}: ${MAIL[mail.state] ? say(MAIL[mail.state]) : mail.state}`);
  $("mails").replaceChildren(...answer.mails.map(line));
}

$("send-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!$("send-to").reportValidity()) return;
  during(sendButton, "send-note", say("receipt.sending"), async () => {
    const body = { to: $("send-to").value.trim(), copy: $("receipt-copy").value };
    const job = await ask("POST", `${base()}/send`, JSON.stringify(body));
    if (job.state === "sent") $("send-to").value = "";
    await loadMails();
    return job.message;
  });
});

/**
 * Does one thing, once at a time, and tells what came of it.
 * @param {HTMLButtonElement} button @param {string} note @param {string} words What is said meanwhile.
 * @param {() => Promise<any>} work @returns {Promise<void>}
 */
async function during(button, note, words, work) {
  if (button.disabled) return;
  button.disabled = true;
  $(note).textContent = words;
  try {
    $(note).replaceChildren(...parts(foreign(String(await work()))));
  } catch (error) {
    $(note).replaceChildren(
      ...parts(foreign([error.message, error.problem?.next].filter(Boolean).join(" "))));
  }
  button.disabled = false;
}

/** Called whenever a payment is shown that has a receipt. */
export function showReceipt(payment) {
  const isOther = shown?.id !== payment.id;
  shown = payment;
  preview();
  if (!isOther && listed === payment.id) return;
  listed = payment.id;
  for (const id of ["print-note", "send-note"]) $(id).textContent = "";
  $("mails").replaceChildren();
  $("send-to").value = "";
  loadPrinters();
  loadMails();
}
