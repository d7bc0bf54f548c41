// Questions at a card reader: what to ask is chosen here, the customer answers at the reader, the answers are shown and
// kept nowhere.
"use strict";

(() => {
  // Each kind with its name and the question that stands there until somebody writes another one.
  const KINDS = { email: ["E-mail address", "Where to send the receipt?"], phone: ["Phone number", "Your phone number?"],
    signature: ["Signature", "Please sign"], text: ["Text", "Your name?"], numeric: ["Number", "Your customer number?"],
    selection: ["A choice", "Would you like a bag?"] };
  const FAILURES = { terminal_reader_timeout: "Nobody answered in time.", customer_canceled: "The customer called it off." };
  const MOST = 5, MOST_CHOICES = 20, LONGEST = 200;
  let asking = null, number = 0, looks = 0;

  const section = make("section", "", { id: "questions", className: "card", hidden: true });
  section.setAttribute("aria-labelledby", "questions-title");
  const form = make("form", "", { id: "questions-form", noValidate: true });
  const choice = make("select", "", { id: "questions-reader" });
  const list = make("div", "", { id: "questions-list" });
  const more = make("button", "Add a question", { type: "button", id: "questions-more" });
  const submit = make("button", "Ask the customer", { type: "submit", className: "primary" });
  const fault = make("p", "", { id: "questions-fault", className: "fault", role: "alert" });
  const state_ = make("p", "", { id: "questions-state", className: "note", role: "status" });
  const desk = make("div", "", { id: "questions-desk", className: "buttons", hidden: true });
  const off = make("button", "Call off the questions", { type: "button" });
  const customer = make("select", "", { id: "questions-customer" });
  customer.setAttribute("aria-label", "What the customer does");
  customer.append(make("option", "Answers", { value: "answers" }), make("option", "Skips what may be skipped", { value: "skips" }),
    make("option", "Goes away", { value: "leaves" }));
  const pretend = make("button", "Be the customer", { type: "button" });
  const answers = make("dl", "", { id: "questions-answers", hidden: true });

  function field(label, control) {
    const box = make("div", "", { className: "field" });
    box.append(make("label", label, { htmlFor: control.id }), control);
    return box;
  }

  // One question: its kind, its words, what can be chosen, and whether it may be skipped.
  function question() {
    const id = `question-${++number}`;
    const box = make("fieldset", "", { className: "question" });
    const legend = make("legend", "");
    const kind = make("select", "", { id: `${id}-kind` });
    kind.append(...Object.entries(KINDS).map(([value, [name]]) => make("option", name, { value })));
    const title = make("input", "", { id: `${id}-title`, value: KINDS.email[1], maxLength: LONGEST, autocomplete: "off" });
    const choices = make("textarea", "", { id: `${id}-choices`, rows: 3, value: "Yes\nNo", spellcheck: false });
    const choicesBox = field("Answers to choose from, one in a line", choices);
    choicesBox.hidden = true;
    const required = make("input", "", { type: "checkbox", id: `${id}-required` });
    const requiredBox = make("label", "", { className: "choice" });
    requiredBox.append(required, make("span", "It cannot be skipped"));
    const remove = make("button", "Remove this question", { type: "button", className: "remove" });
    const foot = make("div", "", { className: "buttons" });
    foot.append(requiredBox, remove);
    const pair = make("div", "", { className: "pair" });
    pair.append(field("Question", title), field("Answer", kind));
    box.append(legend, pair, choicesBox, foot);
    kind.addEventListener("change", () => {
      if (Object.values(KINDS).some((words) => words[1] === title.value.trim()) || !title.value.trim()) title.value = KINDS[kind.value][1];
      choicesBox.hidden = kind.value !== "selection";
    });
    remove.addEventListener("click", () => {
      box.remove();
      count();
      more.focus();
    });
    box.read = () => {
      const words = title.value.trim();
      if (!words) return { fault: "Write what the customer is asked.", control: title };
      const asked = { type: kind.value, title: words, required: required.checked };
      if (kind.value === "selection") {
        asked.choices = choices.value.split("\n").map((line) => line.trim()).filter(Boolean);
        if (!asked.choices.length || asked.choices.length > MOST_CHOICES) {
          return { fault: `Give 1 to ${MOST_CHOICES} answers, one in a line.`, control: choices };
        }
      }
      return { asked };
    };
    list.append(box);
    count();
    return title;
  }

  function count() {
    const boxes = [...list.children];
    boxes.forEach((box, index) => {
      box.querySelector("legend").textContent = `Question ${index + 1}`;
      box.querySelector(".remove").hidden = boxes.length === 1;
    });
    more.hidden = boxes.length >= MOST;
  }

  const buttons = make("div", "", { className: "buttons" });
  buttons.append(submit, more);
  form.append(field("Ask at", choice), list, fault, buttons);
  desk.append(off, customer, pretend);
  // Closed until it is wanted: most customers are asked nothing.
  const box = make("details", "", { id: "questions-box" });
  const summary = make("summary", "");
  summary.append(make("h2", "Ask the customer", { id: "questions-title" }));
  box.append(summary, form, state_, desk, answers);
  section.append(box);
  document.querySelector(".columns").after(section);
  more.addEventListener("click", () => question().focus());
  question();

  const path = (id, verb) => `/v1/terminal/readers/${encodeURIComponent(id)}/${verb}`;
  const said = (answer) => answer.skipped ? "Skipped" : answer.text ?? (answer.value === null ? "No answer"
    : answer.type === "signature" ? `Signed (${answer.value})` : answer.value);

  // What the reader says about its questions. A command that belongs to something else ends them.
  function told(reader, now) {
    const isOpen = now.status === "in_progress";
    if (!isOpen && !asking) return;
    const hadFocus = desk.contains(document.activeElement);
    asking = isOpen ? { id: reader, isSimulated: isSimulated(reader) } : null;
    desk.hidden = !isOpen;
    if (isOpen) box.open = true;
    customer.hidden = pretend.hidden = !asking?.isSimulated;
    submit.disabled = isOpen;
    if (hadFocus && !isOpen) submit.focus();
    let words = `The customer is being asked at ${now.label}.`, tone = "wait";
    if (now.status === "succeeded") [words, tone] = ["Answered. The answers are kept nowhere: use them now.", "good"];
    else if (!isOpen) [words, tone] = [now.status === "failed" ? FAILURES[now.failure_code] ?? "The questions came to nothing." : "The questions were called off.", "bad"];
    if (state_.textContent !== words) state_.textContent = words;
    state_.dataset.tone = tone;
    const done = now.status === "succeeded" ? now.answers : [];
    answers.replaceChildren(...done.flatMap((answer) => [make("dt", answer.title ?? KINDS[answer.type]?.[0] ?? answer.type), make("dd", said(answer))]));
    answers.hidden = !done.length;
  }
  const isSimulated = (id) => [...choice.options].some((option) => option.value === id && option.dataset.simulated === "yes");

  function refuse(error) {
    fault.textContent = !(error instanceof Refusal) ? "The till cannot be reached. Nothing was asked."
      : [error.message, error.problem.next].filter(Boolean).join(" ");
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (submit.disabled) return;
    fault.textContent = state_.textContent = "";
    answers.hidden = true;
    answers.replaceChildren();
    const read = [...list.children].map((box) => box.read());
    const wrong = read.find((one) => one.fault);
    if (wrong) {
      fault.textContent = wrong.fault;
      return wrong.control.focus();
    }
    submit.disabled = true;
    const reader = choice.value;
    try {
      told(reader, await ask("POST", path(reader, "inputs"), JSON.stringify({ inputs: read.map((one) => one.asked) })));
      off.focus();
    } catch (error) {
      refuse(error);
      submit.disabled = false;
    }
  });

  async function act(verb, body) {
    if (!asking) return;
    const { id } = asking;
    fault.textContent = "";
    try {
      const now = await ask("POST", path(id, verb), JSON.stringify(body));
      told(id, verb === "cancel" ? { label: now.label, status: "none", answers: [] } : now);
    } catch (error) { refuse(error); }
  }
  off.addEventListener("click", () => act("cancel", {}));
  pretend.addEventListener("click", () => act("answers", { customer: customer.value }));

  // The readers of the account, told by readers.js; one that is asking already, as after a reload, is followed.
  globalThis.tillQuestions = async (readers) => {
    const before = choice.value;
    choice.replaceChildren(...readers.map((reader) => {
      const option = make("option", reader.label, { value: reader.id });
      option.dataset.simulated = reader.simulated ? "yes" : "no";
      option.defaultSelected = reader.preferred;
      return option;
    }));
    if ([...choice.options].some((option) => option.value === before)) choice.value = before;
    section.hidden = readers.length === 0;
    if (asking) return;
    for (const reader of readers.filter((one) => one.busy)) {
      try {
        const now = await ask("GET", path(reader.id, "inputs"));
        if (now.status === "in_progress" && !asking) told(reader.id, now);
      } catch { /* it is looked at again when something is asked */ }
    }
  };

  setInterval(async () => {
    if (!asking || looks++ % 2) return;
    const { id } = asking;
    try {
      const now = await ask("GET", path(id, "inputs"));
      if (asking?.id === id) told(id, now);
    } catch { /* the next look follows */ }
  }, 400);
})();
