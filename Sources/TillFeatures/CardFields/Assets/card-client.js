// Card fields for a shop's page: one script tag and one element. The fields are in a frame of the counter's own origin,
// so that neither the page nor its scripts can read what is typed.
//
//   <script type="module" src="https://till.example/card/client.js"></script>
//   <till-card session="…"></till-card>
//
// The fields speak the language of the element's `lang`, else of the page's, else of the browser.
// The session comes from the shop's server (POST /v1/payments/{id}/card_session). The page's own button calls the
// element's `pay()`. The element sends "ready", "change" (`complete`, `brand`), "submit" (Enter in a field), "paid",
// "declined", "action", "pending", "unknown", "error" and "canceled", each with a `detail`; `pay()` resolves with the
// one that ends it. Before the page offers another way to pay it calls `cancel()`.
// After "declined" and "error" nothing was charged for that card. "action": the bank asks the customer, in the frame.
// After "unknown" nobody knows: the page offers no other payment, and the shop's server looks at the payment. A shop
// delivers by what its server reads of the payment, never by an event of a page.

const base = new URL("/", import.meta.url);
const SESSION = /^(cf-[a-z]{4,60})_[0-9a-f]{16,128}$/;
const MOST_PIXELS = 800;
/** The characters of a language tag that are passed on. */
const MOST_OF_LANGUAGE = 35;
/** What ends a payment. */
const ENDS = new Set(["paid", "declined", "unknown", "error", "canceled"]);

class TillCard extends HTMLElement {
  static observedAttributes = ["session", "lang"];
  /** @type {HTMLIFrameElement | null} */
  #frame = null;
  #session = "";
  #language = "";
  /** What the element says by itself; the frame sends it in its language. */
  #words = {
    title: "Card", notReady: "The card fields are not loaded.",
    removed: "The card fields were removed while they paid.",
  };
  #nonce = "";
  /** @type {((detail: object) => void)[]} */
  #waiting = [];
  /** Who waits for an order to be ended. @type {((detail: object) => void)[]} */
  #leaving = [];
  #isReady = false;
  /** The frame runs, with or without its fields. */
  #isHere = false;
  /** What a payment ended with, after which there is no other. @type {object | null} */
  #over = null;
  #heard = (event) => this.#hear(event);

  connectedCallback() {
    window.addEventListener("message", this.#heard);
    this.#load();
  }

  disconnectedCallback() {
    window.removeEventListener("message", this.#heard);
    this.#close();
  }

  attributeChangedCallback(name) {
    // A payment that is under way, or over, keeps its language.
    if (name === "lang" && (this.#waiting.length > 0 || this.#over)) return;
    if (this.isConnected) this.#load();
  }

  /** Takes the frame away. Who waits is told that nobody knows. */
  #close() {
    this.#frame?.remove();
    this.#frame = null;
    this.#isReady = false;
    this.#isHere = false;
    this.#left({ type: "unknown", code: "fields_removed", message: this.#words.removed });
    this.#end({ type: "unknown", code: "fields_removed", message: this.#words.removed });
  }

  #end(detail) {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done(detail);
  }

  #left(detail) {
    const leaving = this.#leaving;
    this.#leaving = [];
    for (const done of leaving) done(detail);
  }

  #load() {
    const session = this.getAttribute("session") ?? "";
    const language = this.closest("[lang]:not([lang=''])")?.getAttribute("lang") ?? "";
    if (this.#frame && session === this.#session && language === this.#language) return;
    this.#close();
    this.#session = session;
    this.#language = language;
    this.#over = null;
    const parts = session.match(SESSION);
    if (!parts) return;
    this.#nonce = crypto.randomUUID();
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("label") ?? this.#words.title;
    frame.setAttribute("referrerpolicy", "no-referrer");
    Object.assign(frame.style, { border: "0", display: "block", width: "100%", height: "12rem" });
    const open = new URL(`card/frame/${parts[1]}`, base);
    if (language) open.searchParams.set("lang", language.slice(0, MOST_OF_LANGUAGE));
    // The fragment does not leave the browser; the frame removes it.
    open.hash = new URLSearchParams({ session, nonce: this.#nonce }).toString();
    frame.src = open.href;
    let loads = 0;
    frame.addEventListener("load", () => {
      loads += 1;
      // Reloaded by itself it has lost the session.
      if (loads > 1 && frame === this.#frame) {
        this.#close();
        this.#load();
      }
    });
    this.append(frame);
    this.#frame = frame;
  }

  /** @param {MessageEvent} event */
  #hear(event) {
    const said = event.data;
    if (!this.#frame || event.source !== this.#frame.contentWindow || event.origin !== base.origin) return;
    if (said?.till !== "card" || said.nonce !== this.#nonce) return;
    if (said.type === "resize") {
      this.#frame.style.height = `${Math.min(Math.max(Number(said.height) || 0, 40), MOST_PIXELS)}px`;
      return;
    }
    this.#isHere = true;
    if (said.type === "left") {
      const { isStale, ...detail } = said.detail ?? {};
      this.#left(detail);
      if (isStale) this.reload();
      return;
    }
    if (said.type === "words") {
      this.#words = { ...this.#words, ...said.detail };
      this.#frame.title = this.getAttribute("label") ?? this.#words.title;
      return;
    }
    if (said.type === "ready") this.#isReady = true;
    const { isOver, ...detail } = said.detail ?? {};
    if (said.type === "paid" || said.type === "unknown" || isOver) this.#over = { type: said.type, ...detail };
    this.dispatchEvent(new CustomEvent(said.type, { detail }));
    if (ENDS.has(said.type)) this.#end({ type: said.type, ...detail });
  }

  /** Loads the fields again, after an "error" with which they could not be shown. Not while a payment is under way. */
  reload() {
    if (this.#waiting.length > 0 || this.#over) return;
    this.#close();
    this.#load();
  }

  /**
   * Pays with the typed card. Another call while one is under way waits for the same end; after the end of the payment
   * it has that end again.
   * @returns {Promise<{type: string, code?: string, message?: string}>}
   */
  pay() {
    if (this.#over) return Promise.resolve(this.#over);
    if (!this.#isReady) {
      return Promise.resolve({ type: "error", code: "not_ready", message: this.#words.notReady });
    }
    const end = new Promise((done) => this.#waiting.push(done));
    if (this.#waiting.length === 1) {
      this.#frame?.contentWindow?.postMessage({ till: "card", nonce: this.#nonce, type: "pay" }, base.origin);
    }
    return end;
  }

  /**
   * Ends what a press has begun and nobody has approved, so that the customer can pay in another way. "canceled":
   * nothing was charged, and nothing will be. With any other `type` it was not ended: "paid" has paid, and after
   * "unknown" the page offers no other payment.
   * @returns {Promise<{type: string, code?: string, message?: string}>}
   */
  cancel() {
    if (this.#over) return Promise.resolve(this.#over);
    if (!this.#isHere) {
      return Promise.resolve({ type: "error", code: "not_ready", message: this.#words.notReady });
    }
    const end = new Promise((done) => this.#leaving.push(done));
    if (this.#leaving.length === 1) {
      this.#frame?.contentWindow?.postMessage({ till: "card", nonce: this.#nonce, type: "cancel" }, base.origin);
    }
    return end;
  }
}

if (!customElements.get("till-card")) customElements.define("till-card", TillCard);
