// The receipt on the counter's page: as it prints, on which printer, and to whom it is sent.

import { $, make, offer } from "./dom.js";
import { ask } from "./requests.js";
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
  if (!may("readers")) return;
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
  during(event.submitter, "print-note", say("receipt.printing"), async () => {
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
  $("send-form").hidden = !answer.can_send;
  const line = (mail) => make("li", `${mail.to}: ${MAIL[mail.state] ? say(MAIL[mail.state]) : mail.state}`);
  $("mails").replaceChildren(...answer.mails.map(line));
}

$("send-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!$("send-to").reportValidity()) return;
  during(event.submitter, "send-note", say("receipt.sending"), async () => {
    const body = { to: $("send-to").value.trim(), copy: $("receipt-copy").value };
    const job = await ask("POST", `${base()}/send`, JSON.stringify(body));
    if (job.state === "sent") $("send-to").value = "";
    await loadMails();
    return job.message;
  });
});

async function during(button, note, words, work) {
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
