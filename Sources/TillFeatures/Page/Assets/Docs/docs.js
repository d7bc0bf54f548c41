// The page of the counter's interface: /openapi.yaml, each operation with its parameters, bodies, answers and errors.
// Everything from the description becomes text, never markup.

import { parse } from "./docs-yaml.js";

const METHODS = ["get", "put", "post", "patch", "delete"];
/** How deep the members of a body are shown; a deeper one is behind its name. */
const DEPTH = 4;

const $ = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {any} */
let described = {};

/** @param {string} name @param {string} text @param {string} className @returns {HTMLElement} */
function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A part with other parts in it. @param {string} name @param {...(Node | string | null)} parts */
function holding(name, ...parts) {
  const made = element(name);
  made.append(...parts.filter((part) => part !== null));
  return made;
}

/** A text with `code`, **bold** and links. @param {string} text @returns {Array<Node | string>} */
function words(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https:[^)\s]+|#[\w-]+)\)/g)) {
    parts.push(text.slice(at, found.index));
    if (found[1]) parts.push(element("code", found[1]));
    else if (found[2]) parts.push(element("strong", found[2]));
    else {
      const link = element("a", found[3]);
      link.setAttribute("href", found[4]);
      parts.push(link);
    }
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

/** @param {string[]} lines of a table */
function table(lines) {
  const cells = lines.map((line) => line.replace(/^\s*\||\|\s*$/g, "").split("|").map((cell) => cell.trim()));
  const row = (kind, texts) => holding("tr", ...texts.map((text) => holding(kind, ...words(text))));
  const head = row("th", cells[0]);
  for (const cell of head.children) cell.setAttribute("scope", "col");
  return holding("table", holding("thead", head), holding("tbody", ...cells.slice(2).map((texts) => row("td", texts))));
}

/** The paragraphs and tables of a description. @param {string | undefined} text */
function prose(text) {
  const parts = document.createDocumentFragment();
  for (const block of (text ?? "").trim().split(/\n\s*\n/)) {
    const lines = block.split("\n");
    const first = lines.findIndex((line) => line.trim().startsWith("|"));
    const before = first < 0 ? lines : lines.slice(0, first);
    if (before.join("").trim()) parts.append(holding("p", ...words(before.join(" "))));
    if (first >= 0) parts.append(table(lines.slice(first)));
  }
  return parts;
}

/** @param {string} reference such as `#/components/schemas/Payment` */
const nameOf = (reference) => reference.split("/").at(-1) ?? "";

/** What a reference leads to, with what is said beside it. @param {any} value @returns {any} */
function resolved(value) {
  let found = value ?? {};
  for (let steps = 0; found.$ref && steps < 8; steps += 1) {
    const { $ref, ...beside } = found;
    const target = $ref.slice(2).split("/").reduce((part, key) => part?.[key.replaceAll("~1", "/")], described);
    found = { ...target, ...beside };
  }
  return found;
}

/** @param {string} name of a schema */
function schemaLink(name) {
  const link = element("a", name);
  link.setAttribute("href", `#schema-${name}`);
  return link;
}

const shown = (value) => typeof value === "string" ? value : JSON.stringify(value);

/** What a schema is, in a few words. @param {any} schema @returns {Array<Node | string>} */
function kind(schema) {
  if (!schema || schema === true) return ["anything"];
  if (schema.$ref) return [schemaLink(nameOf(schema.$ref))];
  if (schema.const !== undefined) return [element("code", shown(schema.const))];
  if (schema.enum) return schema.enum.flatMap((value, at) => [at ? " or " : "", element("code", shown(value))]);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.flatMap((choice, at) => [at ? " or " : "", ...kind(choice)]);
  if (schema.allOf) return schema.allOf.flatMap((part, at) => [at ? " with " : "", ...kind(part)]);
  const types = [schema.type ?? (schema.properties ? "object" : "anything")].flat();
  if (types.includes("array")) return [`${types.join(" or ")} of `, ...kind(schema.items)];
  return [types.join(" or ") + (schema.format ? ` (${schema.format})` : "")];
}

/** The limits of a value. @param {any} schema */
function limits(schema) {
  const said = [];
  if (schema.minimum !== undefined || schema.maximum !== undefined) {
    said.push(`${schema.minimum ?? "…"} to ${schema.maximum ?? "…"}`);
  }
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    said.push(`${schema.minLength ?? 0} to ${schema.maxLength ?? "…"} characters`);
  }
  if (schema.maxItems !== undefined) said.push(`at most ${schema.maxItems}`);
  if (schema.pattern) said.push(`as ${schema.pattern}`);
  if (schema.default !== undefined) said.push(`without it ${shown(schema.default)}`);
  return said.length ? `, ${said.join(", ")}` : "";
}

/** A parameter or member. @param {string} name @param {any} schema @param {boolean} isNeeded @param {string} where
    @param {string | undefined} description @param {Node | null} inner */
function member(name, schema, isNeeded, where, description, inner) {
  const what = holding("span", ...kind(schema), limits(schema ?? {}));
  what.className = "of";
  const made = holding("li", element("code", name, "name"), " ", what);
  if (where) made.append(` in the ${where}`);
  if (isNeeded) made.append(" ", element("strong", "required", "needed"));
  if (description) made.append(prose(description));
  if (inner) made.append(inner);
  return made;
}

/** The members of a schema; `null` if it has none. @param {any} schema @param {number} depth @returns {Node | null} */
function members(schema, depth = 0) {
  if (!schema || depth > DEPTH) return null;
  if (schema.$ref) return null;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) {
    const parts = choices.map((choice) => {
      const inner = members(choice, depth + 1);
      return inner ? holding("li", element("strong", choice.title ?? "One of them"), inner) : null;
    }).filter(Boolean);
    if (!parts.length) return null;
    const list = holding("ul", ...parts);
    list.className = "members";
    return list;
  }
  if (schema.allOf) return together(schema.allOf.map((part) => members(part, depth)));
  if (schema.items) return members(schema.items, depth + 1);
  if (!schema.properties) return null;
  const needed = schema.required ?? [];
  const list = holding("ul", ...Object.entries(schema.properties).map(([name, of]) =>
    member(name, of, needed.includes(name), "", of.description, members(of, depth + 1))));
  list.className = "members";
  return list;
}

/** @param {Array<Node | null>} parts */
function together(parts) {
  const there = /** @type {Node[]} */ (parts.filter(Boolean));
  if (!there.length) return null;
  const made = document.createDocumentFragment();
  made.append(...there);
  return made;
}

/** The examples of a body or an answer. @param {any} content */
function examples(content) {
  const named = Object.values(content.examples ?? {}).map(resolved);
  if (content.example !== undefined) named.unshift({ value: content.example });
  return together(named.map((example) => {
    const text = typeof example.value === "string" ? example.value : JSON.stringify(example.value, null, 2);
    return together([holding("p", example.summary ?? "Example"), element("pre", text)]);
  }));
}

/** What is sent or comes, in each of its types. @param {any} contents @param {boolean} isWhole to show what a name
    leads to as well */
function body(contents, isWhole = false) {
  return together(Object.entries(contents ?? {}).map(([type, content]) => together([
    holding("p", element("code", type), ": ", ...kind(content.schema)),
    members(isWhole ? resolved(content.schema) : content.schema), examples(content),
  ])));
}

/** @param {any} responses @param {(code: string) => boolean} isMeant */
function answers(responses, isMeant) {
  const list = element("dl", "", "answers");
  for (const [code, given] of Object.entries(responses ?? {}).sort()) {
    if (!isMeant(code)) continue;
    const response = resolved(given);
    const about = element("dd");
    about.append(prose(response.description));
    const headers = Object.entries(response.headers ?? {}).map(([name, of]) => {
      const header = resolved(of);
      return member(name, header.schema, false, "head", header.description, null);
    });
    if (headers.length) {
      const heads = holding("ul", ...headers);
      heads.className = "members";
      about.append(heads);
    }
    const inner = body(response.content);
    if (inner) about.append(inner);
    list.append(element("dt", code), about);
  }
  return list.children.length ? list : null;
}

/** @param {string} path @param {string} method @param {any} item @param {any} operation */
function article(path, method, item, operation) {
  const made = element("article");
  made.id = operation.operationId;
  const title = holding("h3", element("span", method.toUpperCase(), `method ${method}`), " ", element("code", path));
  const scope = operation["x-till-scope"];
  const needs = [
    scope ? `Scope ${scope}` : "No key",
    operation["x-till-permission"] && `permission ${operation["x-till-permission"]}`,
    operation["x-till-audience"] && `for a ${operation["x-till-audience"]}`,
  ].filter(Boolean).join(", ");
  made.append(title, element("p", operation.summary ?? "", "summary"), element("p", needs, "needs"));
  made.append(prose(operation.description));
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolved);
  if (parameters.length) {
    const list = holding("ul", ...parameters.map((one) =>
      member(one.name, one.schema, one.required === true, one.in, one.description, null)));
    list.className = "members";
    made.append(element("h4", "Parameters"), list);
  }
  const request = resolved(operation.requestBody);
  const sent = body(request.content, true);
  if (sent) made.append(element("h4", request.required ? "Body" : "Body, which can be left out"), sent);
  const good = answers(operation.responses, (code) => /^[123]/.test(code));
  if (good) made.append(element("h4", "Answers"), good);
  const bad = answers(operation.responses, (code) => !/^[123]/.test(code));
  if (bad) {
    const errors = holding("details", element("summary", "Errors"), bad);
    made.append(errors);
  }
  return made;
}

/** @param {string} name @param {any} schema */
function schemaArticle(name, schema) {
  const made = element("article");
  made.id = `schema-${name}`;
  const what = holding("p", ...kind(schema), limits(schema));
  what.className = "of";
  made.append(holding("h3", element("code", name)), what, prose(schema.description));
  const inner = members(schema);
  if (inner) made.append(inner);
  return made;
}

/** A part of the page and of the menu. @param {string} title @param {HTMLElement[]} articles @param {Node} intro */
function section(title, articles, intro = document.createDocumentFragment()) {
  const made = holding("section", element("h2", title), intro, ...articles);
  $("operations").append(made);
  const entries = articles.map((one) => {
    const link = holding("a", ...[.../** @type {Element} */ (one.querySelector("h3")).childNodes].map((part) =>
      part.cloneNode(true)));
    link.setAttribute("href", `#${one.id}`);
    return holding("li", link);
  });
  $("list").append(holding("section", element("h2", title), holding("ul", ...entries)));
}

function draw() {
  document.title = $("title").textContent = `${described.info.title}: the counter's interface`;
  $("operations").append(holding("section", element("h2", "How it works"), prose(described.info.description)));
  const byTag = new Map(described.tags.map((tag) => [tag.name, /** @type {HTMLElement[]} */ ([])]));
  for (const [path, item] of Object.entries(described.paths)) {
    for (const method of METHODS) {
      if (item[method]) byTag.get(item[method].tags[0])?.push(article(path, method, item, item[method]));
    }
  }
  for (const tag of described.tags) section(tag.name, byTag.get(tag.name) ?? [], prose(tag.description));
  section("Schemas", Object.entries(described.components.schemas).map(([name, schema]) => schemaArticle(name, schema)));
}

function filter() {
  const wanted = /** @type {HTMLInputElement} */ ($("filter")).value.trim().toLowerCase();
  let count = 0;
  for (const one of $("operations").querySelectorAll("article")) {
    const isFound = !wanted || (one.textContent ?? "").toLowerCase().includes(wanted);
    one.hidden = !isFound;
    if (isFound && one.querySelector(".method")) count += 1;
  }
  for (const part of $("operations").querySelectorAll("section")) {
    const all = [...part.querySelectorAll("article")];
    part.hidden = wanted !== "" && !all.some((one) => !one.hidden);
  }
  for (const item of $("list").querySelectorAll("li")) {
    const link = /** @type {HTMLAnchorElement} */ (item.querySelector("a"));
    item.hidden = $(link.hash.slice(1)).hidden;
  }
  for (const part of $("list").querySelectorAll("section")) part.hidden = !part.querySelector("li:not([hidden])");
  $("found").textContent = wanted ? `${count} ${count === 1 ? "operation" : "operations"}` : "";
}

/** The part of an address after its sign can name something that a filter hides. */
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.hidden) {
    /** @type {HTMLInputElement} */ ($("filter")).value = "";
    filter();
  }
  target.scrollIntoView();
}

async function start() {
  try {
    const answer = await fetch("/openapi.yaml", { cache: "no-cache" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    described = parse(await answer.text());
    draw();
    $("state").textContent = "";
    const raw = element("a", "/openapi.yaml");
    raw.setAttribute("href", "/openapi.yaml");
    $("state").append(`${described.info.summary} Made from `, raw, ".");
    /** @type {HTMLDetailsElement} */ ($("menu")).open = window.matchMedia("(min-width: 48.01rem)").matches;
    $("filter").addEventListener("input", filter);
    window.addEventListener("hashchange", reveal);
    reveal();
  } catch (error) {
    $("state").textContent = `The description cannot be shown: ${error instanceof Error ? error.message : error}.`;
    $("state").classList.add("lost");
  }
}

start();
