// What a shop's own page does: make a basket, hand its number to the element, and listen.

const element = document.querySelector("till-apple-pay");
const message = document.querySelector("#message");
const say = (text) => { message.textContent = text; };

async function fill() {
  const service = document.querySelector("input[name=service]:checked").value;
  const response = await fetch("/shop/baskets", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ service }),
  });
  if (!response.ok) return say("The shop could not make a basket. Nothing was charged.");
  const { basket, total } = await response.json();
  document.querySelector("#total span:last-child").textContent = `${total} GBP`;
  sessionStorage.setItem("basket", basket);
  element.setAttribute("basket", basket);
}

function confirm(result) {
  sessionStorage.removeItem("basket");
  document.querySelector("#checkout").hidden = true;
  document.querySelector("#confirmation").hidden = false;
  document.querySelector("#order").textContent = result.orderId;
  document.querySelector("#paid").textContent = `paid ${result.amount} ${result.currency}`;
  document.querySelector("#guest").textContent = result.guestAccount && !document.querySelector("#signed-in").checked
    ? `A guest account was made for you: ${result.guestAccount}.` : "";
  say("");
}

element.addEventListener("authorised", (event) => confirm(event.detail));
element.addEventListener("failed", (event) => {
  const words = (event.detail.errors ?? []).map((error) => error.message).join(" ");
  say(`${words || event.detail.what || "The payment did not go through."} Nothing was charged.`);
});
element.addEventListener("cancelled", () => say("You closed the sheet. Nothing was charged."));
element.addEventListener("pending", () => say("We are finding out what became of your payment. Please do not pay again."));
element.addEventListener("error", (event) => say(`${event.detail.what} Nothing was charged.`));
for (const radio of document.querySelectorAll("input[name=service]")) radio.addEventListener("change", fill);

/** After a reload in the middle of a payment: how does it stand? */
async function resume() {
  const basket = sessionStorage.getItem("basket");
  if (!basket) return fill();
  for (let count = 0; count < 30; count += 1) {
    const response = await fetch(`/applepay/payment/${encodeURIComponent(basket)}`).catch(() => null);
    const body = response?.ok ? await response.json() : { status: "open" };
    if (body.status === "placed") return confirm(body);
    if (body.status !== "pending") break;
    say("We are finding out what became of your payment. Please do not pay again.");
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return fill();
}

resume();
