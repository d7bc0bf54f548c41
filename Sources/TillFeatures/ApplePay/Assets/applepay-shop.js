// What a shop's own page does: make a basket, hand its number to the element, and listen.

/** @returns {any} The page's first such element. */
const $ = (selector) => document.querySelector(selector);
const element = $("till-apple-pay");
const message = $("#message");
const say = (text) => { message.textContent = text; };

function line(label, amount) {
  const item = document.createElement("li");
  for (const textContent of [label, `${amount} GBP`]) {
    item.append(Object.assign(document.createElement("span"), { textContent }));
  }
  return item;
}

/** How often a basket was begun: the answer to an earlier request may be the later one to arrive. */
let begun = 0;

async function fill() {
  // No button until the basket is the right one.
  element.removeAttribute("basket");
  const turn = ++begun;
  const service = $("input[name=service]:checked").value;
  const response = await fetch("/shop/baskets", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ service }),
  });
  const answer = response.ok ? await response.json() : null;
  if (turn !== begun) return;
  if (!answer) return say("The shop could not create a basket. Nothing was charged.");
  const { basket, lines, total } = answer;
  $("#lines").replaceChildren(
    ...lines.map((item) => line(item.label, item.amount)), Object.assign(line("Total", total), { id: "total" }));
  sessionStorage.setItem("basket", basket);
  element.setAttribute("basket", basket);
}

/** Asks the shop; a fault is shown, and nothing was charged by it. */
async function session(method, json) {
  const body = json && JSON.stringify(json);
  const headers = body ? { "Content-Type": "application/json" } : {};
  const response = await fetch("/shop/session", { method, body, headers });
  return response.ok ? response.json() : { account: null };
}

const signIn = $("#sign-in");
function show({ account }) {
  $("#customer").textContent = account ? `Signed in as ${account}.` : "You order as a guest.";
  signIn.textContent = account ? "Sign out" : "Sign in as Ada";
  signIn.dataset.account = account ?? "";
}
signIn.addEventListener("click", async () => {
  element.removeAttribute("basket");
  begun++;
  show(signIn.dataset.account ? await session("DELETE") : await session("POST", { demo: true }));
  await fill();
});

/** Locked while nobody knows what became of a payment: another basket would be another payment. */
function lock(isLocked) {
  for (const control of document.querySelectorAll("input[name=service], #sign-in")) {
    /** @type {HTMLInputElement} */ (control).disabled = isLocked;
  }
}

async function confirm(result) {
  sessionStorage.removeItem("basket");
  lock(false);
  $("#checkout").hidden = true;
  $("#confirmation").hidden = false;
  $("#order").textContent = result.orderId;
  $("#paid").textContent = `paid ${result.amount} ${result.currency}`;
  const guest = $("#guest");
  if (result.account) guest.textContent = `It is in your account ${result.account}.`;
  else if (result.guestAccount) guest.textContent = `A guest account was made for you: ${result.guestAccount}.`;
  // A guest is signed in to the account that the order made.
  if (result.guestToken) show(await session("POST", { token: result.guestToken }));
  say("");
}

element.addEventListener("authorised", (event) => confirm(event.detail));
element.addEventListener("failed", (event) => {
  lock(false);
  const words = (event.detail.errors ?? []).map((error) => error.message).join(" ");
  const what = words || event.detail.what || "The payment did not go through.";
  say(what.includes("Nothing was charged.") ? what : `${what} Nothing was charged.`);
});
element.addEventListener("cancelled", () => say("You closed the sheet. Nothing was charged."));
element.addEventListener("pending", () => {
  lock(true);
  say("We are checking your payment. Please do not pay again.");
});
element.addEventListener("unknown", () => {
  lock(true);
  say("We do not know yet whether you have paid. Please do not pay again. Reload this page to ask once more; your "
    + `order is ${sessionStorage.getItem("basket")}.`);
});
element.addEventListener("error", (event) => say(`${event.detail.what} Nothing was charged.`));
for (const radio of document.querySelectorAll("input[name=service]")) radio.addEventListener("change", fill);

/** After a reload in the middle of a payment: how does it stand? The basket stays until that is known. */
async function resume() {
  const basket = sessionStorage.getItem("basket");
  if (!basket) return fill();
  const { status } = await element.resume(basket);
  if (status !== "placed" && status !== "unknown") await fill();
}

session("GET").then(show);
resume();
