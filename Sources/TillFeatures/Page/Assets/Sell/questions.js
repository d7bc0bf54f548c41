// Questions at a card reader: what to ask is chosen here, the customer answers at the reader, the answers are shown and
// kept nowhere.

import { descriptions, field, make, offer } from "./dom.js";
import { ask, Refusal } from "./requests.js";

// Each kind with its name and the question that stands there until somebody writes another one.
const KINDS = {
  email: ["E-mail address", "Where to send the receipt?"], phone: ["Phone number", "Your phone number?"],
  signature: ["Signature", "Please sign"], text: ["Text", "Your name?"], numeric: ["Number", "Your customer number?"],
  selection: ["A choice", "Would you like a bag?"],
};
const FAILURES = {
  terminal_reader_timeout: "Nobody answered in time.", customer_canceled: "The customer canceled.",
};
const MOST = 5;
const MOST_CHOICES = 20;
const LONGEST = 200;
/** The reader whose customer is being asked. @type {{id: string, isSimulated: boolean} | null} */
let asking = null;
let number = 0;
let ticks = 0;

const section = make("section", "", { id: "questions", className: "card", hidden: true, lang: "en", dir: "ltr" });
section.setAttribute("aria-labelledby", "questions-title");
const form = make("form", "", { id: "questions-form", noValidate: true });
const choice = make("select", "", { id: "questions-reader" });
const list = make("div", "", { id: "questions-list" });
const more = make("button", "Add a question", { type: "button", id: "questions-more" });
const submit = make("button", "Ask the customer", { type: "submit", className: "primary" });
const fault = make("p", "", { id: "questions-fault", className: "fault", role: "alert" });
const progress = make("p", "", { id: "questions-state", className: "note", role: "status" });
const panel = make("div", "", { id: "questions-panel", className: "buttons", hidden: true, lang: "en" });
const off = make("button", "Cancel the questions", { type: "button" });
const customer = make("select", "", { id: "questions-customer" });
customer.setAttribute("aria-label", "What the customer does");
customer.append(
  make("option", "Answers", { value: "answers" }), make("option", "Skips what may be skipped", { value: "skips" }),
  make("option", "Walks away", { value: "leaves" }));
const pretend = make("button", "Act as the customer", { type: "button" });
const answers = make("dl", "", { id: "questions-answers", hidden: true });

// One question: its kind, its words, what can be chosen, and whether it may be skipped.
function question() {
  const id = `question-${++number}`;
  const box = make("fieldset", "", { className: "question" });
  const legend = make("legend", "");
  const kind = make("select", "", { id: `${id}-kind` });
  kind.append(...Object.entries(KINDS).map(([value, [name]]) => make("option", name, { value })));
  const title = make("input", "", {
    id: `${id}-title`, value: KINDS.email[1], maxLength: LONGEST, autocomplete: "off",
  });
  const choices = make("textarea", "", { id: `${id}-choices`, rows: 3, value: "Yes\nNo", spellcheck: false });
  const choicesBox = field("Answers to choose from, one per line", choices);
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
    const isOurs = Object.values(KINDS).some((words) => words[1] === title.value.trim());
    if (isOurs || !title.value.trim()) title.value = KINDS[kind.value][1];
    choicesBox.hidden = kind.value !== "selection";
  });
  remove.addEventListener("click", () => {
    box.remove();
    count();
    more.focus();
  });
  box.read = () => {
    const words = title.value.trim();
    if (!words) return { fault: "Enter what the customer is asked.", control: title };
    /** @type {{type: string, title: string, required: boolean, choices?: string[]}} */
    const asked = { type: kind.value, title: words, required: required.checked };
    if (kind.value === "selection") {
      asked.choices = choices.value.split("\n").map((line) => line.trim()).filter(Boolean);
      if (!asked.choices.length || asked.choices.length > MOST_CHOICES) {
        return { fault: `Give 1 to ${MOST_CHOICES} answers, one per line.`, control: choices };
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
panel.append(off, customer, pretend);
// Closed until it is wanted: most customers are asked nothing.
const box = make("details", "", { id: "questions-box", lang: "en", dir: "ltr" });
const summary = make("summary", "");
summary.append(make("h2", "Ask the customer", { id: "questions-title" }));
box.append(summary, form, progress, panel, answers);
section.append(box);
document.querySelector(".columns").after(section);
more.addEventListener("click", () => question().focus());
question();

const path = (id, verb) => `/v1/terminal/readers/${encodeURIComponent(id)}/${verb}`;
function answerText(answer) {
  if (answer.skipped) return "Skipped";
  if (answer.text !== undefined && answer.text !== null) return answer.text;
  if (answer.value === null || answer.value === "") return "No answer";
  return answer.type === "signature" ? `Signed (${answer.value})` : answer.value;
}

/** What became of the questions, in words and their tone. */
function outcome(now) {
  switch (now.status) {
    case "in_progress": return [`The customer is being asked at ${now.label}.`, "wait"];
    case "succeeded": return ["Answered. The answers are not stored: use them now.", "good"];
    case "failed": return [FAILURES[now.failure_code] ?? "The questions failed.", "bad"];
    default: return ["The questions were canceled.", "bad"];
  }
}

/** Shows what the reader says about its questions. A command that belongs to something else ends them. */
function follow(reader, now) {
  const isOpen = now.status === "in_progress";
  if (!isOpen && !asking) return;
  const hadFocus = panel.contains(document.activeElement);
  asking = isOpen ? { id: reader, isSimulated: isSimulated(reader) } : null;
  panel.hidden = !isOpen;
  if (isOpen) box.open = true;
  customer.hidden = pretend.hidden = !asking?.isSimulated;
  submit.disabled = isOpen;
  if (hadFocus && !isOpen) submit.focus();
  const [words, tone] = outcome(now);
  if (progress.textContent !== words) progress.textContent = words;
  progress.dataset.tone = tone;
  const done = now.status === "succeeded" ? now.answers : [];
  const titleOf = (answer) => answer.title ?? KINDS[answer.type]?.[0] ?? answer.type;
  answers.replaceChildren(...descriptions(done.map((answer) => [titleOf(answer), answerText(answer)])));
  answers.hidden = !done.length;
}
const isSimulated = (id) =>
  [...choice.options].some((option) => option.value === id && option.dataset.simulated === "yes");

function refuse(error) {
  fault.textContent = !(error instanceof Refusal) ? "The till cannot be reached. Nothing was asked."
    : [error.message, error.problem.next].filter(Boolean).join(" ");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (submit.disabled) return;
  fault.textContent = progress.textContent = "";
  answers.hidden = true;
  answers.replaceChildren();
  const read = [...list.children].map((one) => one.read());
  const wrong = read.find((one) => one.fault);
  if (wrong) {
    fault.textContent = wrong.fault;
    return wrong.control.focus();
  }
  submit.disabled = true;
  const reader = choice.value;
  try {
    const body = JSON.stringify({ inputs: read.map((one) => one.asked) });
    follow(reader, await ask("POST", path(reader, "inputs"), body));
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
    follow(id, verb === "cancel" ? { label: now.label, status: "none", answers: [] } : now);
  } catch (error) {
    refuse(error);
  }
}
off.addEventListener("click", () => act("cancel", {}));
pretend.addEventListener("click", () => act("answers", { customer: customer.value }));

/** Takes the readers of the account; one that is asking already, as after a reload, is followed. */
export async function offerReaders(readers) {
  offer(choice, readers.map((reader) => {
    const option = make("option", reader.label, { value: reader.id });
    option.dataset.simulated = reader.simulated ? "yes" : "no";
    option.defaultSelected = reader.preferred;
    return option;
  }));
  section.hidden = readers.length === 0;
  if (asking) return;
  for (const reader of readers.filter((one) => one.busy)) {
    try {
      const now = await ask("GET", path(reader.id, "inputs"));
      if (now.status === "in_progress" && !asking) follow(reader.id, now);
    } catch { /* asked again with the next question */ }
  }
}

setInterval(async () => {
  if (!asking || ticks++ % 2) return;
  const { id } = asking;
  try {
    const now = await ask("GET", path(id, "inputs"));
    if (asking?.id === id) follow(id, now);
  } catch { /* asked again */ }
}, 400);
