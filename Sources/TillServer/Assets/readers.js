// Card readers on the counter's page: which one to use, what a person sees at it, and calling it off.
"use strict";

(() => {
  // What the clerk reads in large letters while the reader works.
  const HEADLINES = { waiting_for_input: "Waiting for the card", card_inserted: "Card inserted", processing: "Card inserted",
    remove_card: "Remove the card", approved: "Approved", declined: "Declined", canceled: "Called off" };
  const CARDS = [["visa", "Visa"], ["mastercard", "Mastercard"], ["amex", "American Express"], ["interac", "Interac (CAD only)"],
    ["declined:insufficient_funds", "The bank says no: not enough funds"], ["declined:lost_card", "The bank says no"]];
  let active = null;

  function field(label, control) {
    const box = make("div", "", { className: "field" });
    box.append(make("label", label, { htmlFor: control.id }), control);
    return box;
  }

  const choice = make("select", "", { id: "reader" });
  const chosen = field("Reader", choice);
  chosen.hidden = true;
  const simulated = $("simulated").closest(".field");
  $("tender-reader").prepend(chosen);

  const desk = make("div", "", { id: "reader-desk", className: "buttons", hidden: true });
  const off = make("button", "Call off at the reader", { type: "button", id: "reader-off" });
  const card = make("select", "", { id: "reader-card" });
  card.setAttribute("aria-label", "Test card");
  card.append(...CARDS.map(([value, text]) => make("option", text, { value })));
  const present = make("button", "Present the test card", { type: "button", id: "reader-present" });
  desk.append(off, card, present);
  $("result").after(desk);

  const selected = () => choice.selectedOptions[0];
  function showChoice() { simulated.hidden = choice.value !== "simulated"; }
  choice.addEventListener("change", showChoice);

  // The tender that a sale begins with: one of Stripe's readers, or null for the simulated one.
  globalThis.tillReader = () => {
    if (chosen.hidden || choice.value === "simulated") return null;
    active = { id: choice.value, isSimulated: selected().dataset.simulated === "yes" };
    return { type: "reader", reader: choice.value };
  };

  async function load() {
    let answer;
    try { answer = await ask("GET", "/v1/terminal/readers"); } catch { return; }
    const before = choice.value;
    choice.replaceChildren(...answer.readers.map((reader) => {
      const option = make("option", reader.label + (reader.status === "offline" ? " (not heard of lately)" : ""), { value: reader.id });
      option.dataset.simulated = reader.simulated ? "yes" : "no";
      option.defaultSelected = reader.preferred;
      return option;
    }), make("option", "Simulated reader", { value: "simulated" }));
    if ([...choice.options].some((option) => option.value === before)) choice.value = before;
    chosen.hidden = answer.readers.length === 0;
    showChoice();
  }

  async function tell(verb, body) {
    if (!active) return;
    try { await ask("POST", `/v1/terminal/readers/${encodeURIComponent(active.id)}/${verb}`, JSON.stringify(body)); } catch (error) { fail(error); }
  }
  off.addEventListener("click", () => tell("cancel", {}));
  present.addEventListener("click", () => tell("card", { card: card.value }));

  function paint() {
    if (!active?.last || !state.busy) return;
    const { type, message } = active.last;
    desk.hidden = type !== "waiting_for_input";
    card.hidden = present.hidden = !active.isSimulated;
    if (!HEADLINES[type]) return;
    const tone = type === "approved" ? "good" : type === "declined" || type === "canceled" ? "bad" : "wait";
    show(tone, HEADLINES[type], String(message), tone === "wait");
  }
  function happened(told) {
    if (!active) return;
    active.last = told;
    paint();
  }
  document.addEventListener("till:reader", (event) => happened(event.detail));

  // What a reader said before this page listened is not told again, so the page looks for itself; and the payment's own
  // state must not paint over what a person sees at the reader. Without a sale there is nothing to call off.
  let looks = 0;
  setInterval(async () => {
    if (!state.busy) {
      desk.hidden = true;
      active = null;
      return;
    }
    paint();
    const mine = active;
    if (!mine || mine.last || looks++ % 3) return;
    try {
      const { readers } = await ask("GET", "/v1/terminal/readers");
      if (active === mine && !mine.last && readers.some((reader) => reader.id === mine.id && reader.busy)) {
        happened({ type: "waiting_for_input", message: "Insert or tap the card." });
      }
    } catch { /* the next look follows */ }
  }, 250);

  document.querySelector("input[name=tender][value=reader]").addEventListener("change", load);
  load();
})();
