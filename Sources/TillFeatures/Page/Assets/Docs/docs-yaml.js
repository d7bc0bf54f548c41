// Reads the part of YAML 1.2 that /openapi.yaml is written in: maps and lists in blocks and in brackets, texts plain,
// in quotes and in blocks, anchors and their repetitions. What is anything else is an error with its line, not a guess.

/** @typedef {{indent: number, text: string, number: number}} Line */

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[\]{},#&*!|>%@`][^#]*?):(?:\s+(.*))?$/;
const ESCAPES = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "/": "/", 0: "\0" };

/** @param {string} text */
function plain(text) {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null" || text === "~" || text === "") return null;
  if (/^-?\d+$/.test(text)) return Number(text);
  if (/^-?\d+\.\d+$/.test(text)) return Number(text);
  return text;
}

/** A text without a comment at its end. @param {string} text */
const bare = (text) => text.replace(/\s+#.*$/, "").trim();

/** A text in quotes. @param {string} text */
function quoted(text) {
  const inner = text.slice(1, -1);
  if (text[0] === "'") return inner.replaceAll("''", "'");
  return inner.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code) => code[0] === "u"
    ? String.fromCharCode(parseInt(code.slice(1), 16)) : ESCAPES[code] ?? code);
}

/** The end of a text in quotes that begins at a place; -1 without one. @param {string} text @param {number} from */
function endOfQuote(text, from) {
  const mark = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (mark === '"' && text[at] === "\\") at += 1;
    else if (text[at] === mark && mark === "'" && text[at + 1] === "'") at += 1;
    else if (text[at] === mark) return at;
  }
  return -1;
}

/** A value in brackets. */
class Flow {
  /** @param {string} text @param {number} number of its line */
  constructor(text, number) {
    this.text = text;
    this.number = number;
    this.at = 0;
  }

  fail() { throw new Error(`line ${this.number}: “${this.text.slice(this.at, this.at + 20)}” cannot be read`); }

  skip() { while (/\s/.test(this.text[this.at] ?? "")) this.at += 1; }

  /** Reads a mark, if it is there. @param {string} mark */
  take(mark) {
    this.skip();
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }

  scalar() {
    this.skip();
    const first = this.text[this.at] ?? "";
    if (first === '"' || first === "'") {
      const end = endOfQuote(this.text, this.at);
      if (end < 0) this.fail();
      const found = quoted(this.text.slice(this.at, end + 1));
      this.at = end + 1;
      return found;
    }
    const start = this.at;
    while (this.at < this.text.length && !/[,[\]{}]/.test(this.text[this.at])
      && !(this.text[this.at] === ":" && /[\s,[\]{}]|^$/.test(this.text[this.at + 1] ?? ""))) this.at += 1;
    if (this.at === start) this.fail();
    return this.text.slice(start, this.at).trim().replace(/\s+/g, " ");
  }

  value() {
    if (this.take("[")) {
      const list = [];
      while (!this.take("]")) {
        list.push(this.value());
        if (!this.take(",") && this.text[this.at] !== "]") this.fail();
      }
      return list;
    }
    if (this.take("{")) {
      const map = {};
      while (!this.take("}")) {
        const key = String(this.scalar());
        map[key] = this.take(":") ? this.value() : null;
        if (!this.take(",") && this.text[this.at] !== "}") this.fail();
      }
      return map;
    }
    this.skip();
    const isQuoted = /["']/.test(this.text[this.at] ?? "");
    const text = this.scalar();
    return isQuoted ? text : plain(text);
  }
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.raw = text.split("\n");
    this.anchors = new Map();
    this.at = 0;
    /** The rest of a line that was begun: what follows the dash of a list. @type {Line | null} */
    this.begun = null;
  }

  /** @param {string} why */
  fail(why) { throw new Error(`line ${this.at + 1}: ${why}`); }

  /** The next line with content, which stays the next one. @returns {Line | null} */
  peek() {
    if (this.begun) return this.begun;
    while (this.at < this.raw.length && /^\s*(#.*)?$/.test(this.raw[this.at])) this.at += 1;
    if (this.at >= this.raw.length) return null;
    const line = this.raw[this.at];
    const indent = line.length - line.trimStart().length;
    return { indent, text: line.trim(), number: this.at + 1 };
  }

  next() {
    this.begun = null;
    this.at += 1;
  }

  /** @param {Line} line */
  isItem(line) { return line.text === "-" || line.text.startsWith("- "); }

  /** The value that begins with the next line. @returns {any} */
  node() {
    const line = this.peek();
    if (!line) return null;
    if (this.isItem(line)) return this.list(line.indent);
    if (KEY.test(line.text)) return this.map(line.indent);
    this.next();
    return this.inline(line.text, line.indent - 1);
  }

  /** @param {number} indent */
  list(indent) {
    const list = [];
    for (let line = this.peek(); line && line.indent === indent && this.isItem(line); line = this.peek()) {
      const rest = line.text.slice(1).trimStart();
      if (rest) {
        const inner = indent + line.text.length - rest.length;
        this.begun = { indent: inner, text: rest, number: line.number };
        list.push(this.node());
      } else {
        this.next();
        list.push(this.below(indent));
      }
    }
    return list;
  }

  /** @param {number} indent */
  map(indent) {
    const map = {};
    for (let line = this.peek(); line && line.indent === indent; line = this.peek()) {
      const found = KEY.exec(line.text);
      if (!found || this.isItem(line)) this.fail("a key is missing");
      const key = /^["']/.test(found[1]) ? quoted(found[1]) : found[1];
      if (Object.hasOwn(map, key)) this.fail(`${key} is there twice`);
      this.next();
      map[key] = this.inline(found[2] ?? "", indent);
    }
    const after = this.peek();
    if (after && after.indent > indent) this.fail("the indentation is wrong");
    return map;
  }

  /** What stands below a key or a dash. @param {number} indent */
  below(indent) {
    const line = this.peek();
    if (!line || line.indent < indent || (line.indent === indent && !this.isItem(line))) return null;
    return this.node();
  }

  /** A value that begins behind its key. @param {string} text @param {number} indent of the key @returns {any} */
  inline(text, indent) {
    const anchor = /^&(\S+)\s*/.exec(text);
    if (anchor) {
      const value = this.inline(text.slice(anchor[0].length), indent);
      this.anchors.set(anchor[1], value);
      return value;
    }
    const alias = /^\*(\S+)$/.exec(bare(text));
    if (alias) {
      if (!this.anchors.has(alias[1])) this.fail(`there is no ${alias[1]}`);
      return this.anchors.get(alias[1]);
    }
    if (bare(text) === "" || text[0] === "#") return this.below(indent);
    const block = /^([|>])([+-]?)$/.exec(bare(text));
    if (block) return this.block(block[1] === ">", block[2], indent);
    if (/^[[{]/.test(text)) return this.brackets(text);
    if (/^["']/.test(text)) {
      let whole = text;
      while (endOfQuote(whole, 0) < 0) whole += " " + this.continued(indent);
      const end = endOfQuote(whole, 0);
      if (bare(whole.slice(end + 1))) this.fail("a text goes on after its quotes");
      return quoted(whole.slice(0, end + 1));
    }
    if (/^[!%@`|>]/.test(text)) this.fail("this is not read");
    const words = [bare(text)];
    for (let line = this.peek(); line && line.indent > indent && !this.begun; line = this.peek()) {
      words.push(bare(line.text));
      this.next();
    }
    return words.length > 1 ? words.join(" ") : plain(words[0]);
  }

  /** The next line of a value that is not at its end. @param {number} indent */
  continued(indent) {
    const line = this.peek();
    if (!line || line.indent <= indent) this.fail("a value has no end");
    this.next();
    return line.text;
  }

  /** @param {string} text */
  brackets(text) {
    const number = this.at;
    let whole = text;
    for (let depth = this.depth(whole); depth > 0; depth = this.depth(whole)) whole += " " + this.continued(-1);
    const flow = new Flow(whole, number);
    const value = flow.value();
    if (bare(" " + whole.slice(flow.at))) flow.fail();
    return value;
  }

  /** How many brackets are open at the end. @param {string} text */
  depth(text) {
    let depth = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (/["']/.test(text[at]) && /[\s,:[{]/.test(text[at - 1] ?? " ")) {
        const end = endOfQuote(text, at);
        if (end < 0) return depth + 1;
        at = end;
      } else if (/[[{]/.test(text[at])) depth += 1;
      else if (/[\]}]/.test(text[at])) depth -= 1;
    }
    return depth;
  }

  /** A text in a block. @param {boolean} isFolded @param {string} chomp @param {number} indent of its key */
  block(isFolded, chomp, indent) {
    const lines = [];
    let inner = 0;
    for (; this.at < this.raw.length; this.at += 1) {
      const line = this.raw[this.at];
      const depth = line.length - line.trimStart().length;
      if (line.trim() && depth <= indent) break;
      if (line.trim() && !inner) inner = depth;
      lines.push(line.slice(inner));
    }
    while (lines.length && !lines.at(-1)?.trim()) lines.pop();
    const end = chomp === "-" || !lines.length ? "" : "\n";
    if (!isFolded) return lines.join("\n") + end;
    return lines.join("\n").replace(/(\S)\n(?=\S)/g, "$1 ").replace(/\n\n/g, "\n") + end;
  }
}

/** Reads a document. @param {string} text @returns {any} @throws {Error} with the line of what cannot be read. */
export function parse(text) {
  const reader = new Reader(text);
  const found = reader.node();
  if (reader.peek()) reader.fail("this is not read");
  return found;
}
