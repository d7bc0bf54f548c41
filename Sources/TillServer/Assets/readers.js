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
  const tick = make("input", "", { id: "ask-tip", type: "checkbox" });
  const tickBox = make("label", "", { className: "choice", hidden: true });
  tickBox.append(tick, make("span", "Ask the customer for a tip"));
  const part = make("input", "", { id: "tip-on", inputMode: "decimal", autocomplete: "off" });
  part.setAttribute("aria-describedby", "tip-on-fault tip-on-note");
  const partBox = field("The tip counts from (optional)", part);
  partBox.append(make("p", "", { id: "tip-on-fault", className: "fault" }),
    make("p", "Without it the reader counts the tip from the whole amount.", { id: "tip-on-note", className: "note" }));
  partBox.hidden = true;
  $("tender-reader").prepend(chosen, tickBox, partBox);

  const desk = make("div", "", { id: "reader-desk", className: "buttons", hidden: true });
  const off = make("button", "Call off at the reader", { type: "button", id: "reader-off" });
  const card = make("select", "", { id: "reader-card" });
  card.setAttribute("aria-label", "Test card");
  card.append(...CARDS.map(([value, text]) => make("option", text, { value })));
  const tip = make("input", "", { id: "reader-tip", inputMode: "decimal", autocomplete: "off", placeholder: "Tip, 0.00" });
  tip.setAttribute("aria-label", "Tip that the customer gives");
  const present = make("button", "Present the test card", { type: "button", id: "reader-present" });
  desk.append(off, card, tip, present);
  $("result").after(desk);

  // Some schemes, as Interac, give money back only to the card that is presented again.
  const back = make("select", "", { id: "refund-reader" });
  const backBox = field("Reader for the card", back);
  backBox.hidden = true;
  $("refund-form").querySelector("button").before(backBox);
  globalThis.tillRefund = (payment) => { backBox.hidden = payment.tender?.brand !== "interac" || !back.options.length; };
  globalThis.tillRefundReader = () => {
    if (backBox.hidden) return {};
    active = { id: back.value, isSimulated: back.selectedOptions[0].dataset.simulated === "yes", asksTip: false };
    return { reader: back.value };
  };

  const selected = () => choice.selectedOptions[0];
  const isListed = () => !chosen.hidden && choice.value !== "simulated";
  function showChoice() {
    simulated.hidden = isListed();
    tickBox.hidden = !isListed() || selected()?.dataset.asksTip !== "yes";
    if (tickBox.hidden) tick.checked = false;
    partBox.hidden = !isListed() || !tick.checked;
  }
  choice.addEventListener("change", showChoice);
  tick.addEventListener("change", showChoice);

  // The currency and the sum of what is being sold; of an order document, what it says itself.
  function sum(sale) {
    if (sale.currency) return sale;
    const { order } = orderText();
    return { currency: String(order.currency ?? ""), minor: minorUnits(String(order.total ?? ""), String(order.currency ?? "")).value };
  }

  // The tender that a sale begins with: one of the providers' readers, or null for the simulated one.
  globalThis.tillReader = (sale) => {
    if (!isListed()) return null;
    const tender = { type: "reader", reader: choice.value };
    if (tick.checked) {
      tender.ask_tip = true;
      if (part.value.trim()) {
        const { currency, minor } = sum(sale), from = minorUnits(part.value, currency);
        if (from.fault) return { field: "tip-on", fault: from.fault };
        if (from.value > minor) return { field: "tip-on", fault: "That is more than the sale." };
        tender.tip_on = from.value;
      }
    }
    active = { id: choice.value, isSimulated: selected().dataset.simulated === "yes", asksTip: tick.checked };
    tip.value = "";
    return tender;
  };

  async function load() {
    let answer;
    try { answer = await ask("GET", "/v1/terminal/readers"); } catch { return; }
    const before = choice.value;
    const options = () => answer.readers.map((reader) => {
      const option = make("option", reader.label + (reader.status === "offline" ? " (not heard of lately)" : ""), { value: reader.id });
      option.dataset.simulated = reader.simulated ? "yes" : "no";
      option.dataset.asksTip = reader.asks_tip ? "yes" : "no";
      option.defaultSelected = reader.preferred;
      return option;
    });
    choice.replaceChildren(...options(), make("option", "Simulated reader", { value: "simulated" }));
    const beforeBack = back.value;
    back.replaceChildren(...options());
    if ([...back.options].some((option) => option.value === beforeBack)) back.value = beforeBack;
    if ([...choice.options].some((option) => option.value === before)) choice.value = before;
    chosen.hidden = answer.readers.length === 0;
    showChoice();
    globalThis.tillQuestions?.(answer.readers.filter((reader) => reader.asks_questions));
  }

  async function tell(verb, body) {
    if (!active) return;
    try { await ask("POST", `/v1/terminal/readers/${encodeURIComponent(active.id)}/${verb}`, JSON.stringify(body)); } catch (error) { fail(error); }
  }
  off.addEventListener("click", () => tell("cancel", {}));
  present.addEventListener("click", () => {
    alertWith("");
    const given = !tip.hidden && tip.value.trim() && state.payment ? minorUnits(tip.value, state.payment.currency) : {};
    if (given.fault) {
      alertWith("The tip: " + given.fault);
      return tip.focus();
    }
    tell("card", { card: card.value, ...(given.value && { tip: given.value }) });
  });

  function paint() {
    if (!active?.last || !state.busy) return;
    const { type, message } = active.last;
    desk.hidden = type !== "waiting_for_input";
    card.hidden = present.hidden = !active.isSimulated;
    tip.hidden = !active.isSimulated || !active.asksTip;
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
  document.addEventListener("till:signed-in", load);
  load();
})();
