// Tap to Pay on the counter's page: a virtual card is chosen and held to the reader, and what it says is shown.
"use strict";

(() => {
  const PROGRESS = { updateProgress: 5, readyForTap: 10, cardDetected: 50, readRetry: 10, removeCard: 90, readCompleted: 100 };
  const HEADLINES = { waiting_for_input: "Hold the card or phone to the reader", card_inserted: "Reading the card", remove_card: "Remove the card",
    card_details_collected: "Card read", canceled: "Called off" };
  let isActive = false, last = null, looked = null;

  const desk = make("div", "", { id: "tap-desk", className: "tap", hidden: true });
  const bar = make("progress", "", { id: "tap-progress", max: 100, value: 0 });
  bar.setAttribute("aria-label", "Progress of the tap");
  const choice = make("select", "", { id: "tap-card" });
  const field = make("div", "", { className: "field" });
  field.append(make("label", "Virtual card", { htmlFor: "tap-card" }), choice);
  const buttons = make("div", "", { className: "buttons" });
  const tap = make("button", "Tap", { type: "button", id: "tap-present", className: "primary", disabled: true });
  const off = make("button", "Call off", { type: "button", id: "tap-off" });
  buttons.append(tap, off);
  desk.append(bar, field, buttons);
  const loyalty = make("p", "", { id: "tap-loyalty", className: "note", role: "status" });
  $("result").after(desk, loyalty);

  globalThis.tillTap = () => {
    isActive = true;
    last = looked = null;
    bar.value = 0;
    loyalty.textContent = "";
    return { type: "reader", reader: "tap" };
  };

  async function load() {
    let answer;
    try { answer = await ask("GET", "/v1/tap"); } catch { return; }
    $("tap-choice").hidden = !answer.available;
    const before = choice.value;
    choice.replaceChildren(...answer.cards.map((card) => make("option", card.label, { value: card.name })));
    if ([...choice.options].some((option) => option.value === before)) choice.value = before;
  }

  async function tell(verb, more) {
    if (!state.payment) return;
    try { await ask("POST", `/v1/tap/${verb}`, JSON.stringify({ payment: state.payment.id, ...more })); } catch (error) { fail(error); }
  }
  tap.addEventListener("click", () => {
    tap.disabled = true;
    tell("card", { card: choice.value });
  });
  choice.addEventListener("keydown", (event) => { if (event.key === "Enter" && !tap.disabled) { event.preventDefault(); tap.click(); } });
  off.addEventListener("click", () => tell("cancel", {}));

  function waiting(isWaiting) {
    const began = isWaiting && tap.disabled;
    tap.disabled = !isWaiting;
    // The clerk's hand is at the keyboard: what comes next is under it, unless a card is being chosen.
    if (began && document.activeElement !== choice) tap.focus({ preventScroll: true });
  }

  function paint() {
    if (!isActive || !state.busy) return;
    desk.hidden = !state.payment;
    if (!last || !HEADLINES[last.type]) return;
    show(last.type === "canceled" ? "bad" : "wait", HEADLINES[last.type], String(last.message), last.type !== "canceled");
  }

  document.addEventListener("till:reader", (event) => {
    if (!isActive) return;
    last = event.detail;
    waiting(last.type === "waiting_for_input");
    bar.value = { waiting_for_input: 10, card_inserted: 50, remove_card: 90, card_details_collected: 100 }[last.type] ?? bar.value;
    paint();
  });

  async function tellLoyalty(id) {
    try {
      const { loyalty: passes } = await ask("GET", `/v1/tap/story?payment=${encodeURIComponent(id)}`);
      if (state.payment?.id !== id) return;
      loyalty.textContent = passes.map((pass) => `Loyalty: ${pass.message}`).join(" ");
    } catch { loyalty.textContent = ""; }
  }

  // What the reader said before this page listened is not told again, so the page looks for itself.
  let looks = 0;
  setInterval(async () => {
    if (!state.busy) {
      const id = state.payment?.id ?? null;
      if (isActive && id) tellLoyalty(id);
      isActive = false;
      desk.hidden = true;
      if (!id) loyalty.textContent = "";
      return;
    }
    paint();
    if (!isActive || last || !state.payment || looks++ % 2) return;
    const id = state.payment.id;
    try {
      const story = await ask("GET", `/v1/tap/story?payment=${encodeURIComponent(id)}`);
      if (!isActive || last || state.payment?.id !== id) return;
      bar.value = Math.max(bar.value, ...story.steps.map((step) => PROGRESS[step] ?? 0));
      if (story.waiting) {
        last = { type: "waiting_for_input", message: "Ready. Hold the card or phone near the reader." };
        waiting(true);
        paint();
      }
    } catch { /* the next look follows */ }
  }, 250);

  // ---- What is stored while there is no network. Stored is not paid, and the page says so.
  const stored = make("section", "", { id: "stored", className: "card" });
  stored.setAttribute("aria-labelledby", "stored-title");
  const facts = make("dl", "", { id: "stored-facts" });
  const why = make("ul", "", { id: "stored-why", className: "attention", hidden: true });
  stored.append(make("h2", "Stored, not paid", { id: "stored-title" }),
    make("p", "These cards were read without a network. Nobody has asked the banks yet; the till sends them when it can.", { className: "note" }), facts, why);

  function age(since) {
    const minutes = Math.max(0, Math.floor((Date.now() - new Date(since)) / 60000));
    if (minutes < 1) return "less than a minute";
    if (minutes < 120) return `${minutes} minute${minutes === 1 ? "" : "s"}`;
    return `${Math.floor(minutes / 60)} hours`;
  }
  const when = (text) => new Date(text).toLocaleString();

  async function look() {
    let told;
    try { told = await ask("GET", "/v1/offline"); } catch { return stored.remove(); }
    const aside = told.quarantined?.length ?? 0;
    if (!told.count && !aside) return stored.remove();
    if (!stored.isConnected) document.querySelector(".columns").after(stored);
    const sums = told.sums.map(({ amount, currency }) => money(amount, currency)).join(", ");
    const rows = [["Payments", String(told.count)], ["Sum", sums], ["Oldest", told.oldest_at && `${age(told.oldest_at)} old`],
      ["To be sent until", told.expires_at && when(told.expires_at)], ["More may be stored until", told.accepts_until && when(told.accepts_until)],
      ["Put aside", aside ? String(aside) : ""]];
    facts.replaceChildren(...rows.filter((row) => row[1]).flatMap(([name, value]) => [make("dt", name), make("dd", value)]));
    const reasons = (told.reasons_against ?? []).map((reason) => make("li", reason.what));
    why.replaceChildren(...reasons);
    why.hidden = !reasons.length;
  }
  setInterval(look, 10_000);
  look();

  document.addEventListener("till:signed-in", load);
  load();
})();
