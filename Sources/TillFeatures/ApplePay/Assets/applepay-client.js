// Apple Pay for a shop's page: one script tag and one element.
//
//   <script type="module" src="https://till.example/applepay/client.js"></script>
//   <till-apple-pay basket="…"></till-apple-pay>
//
// The element shows nothing until the browser, the domain and the basket can be paid with. It sends the events
// "authorised", "failed", "cancelled", "pending", "unknown" and "error"; each has a `detail`. After "failed" nothing
// was charged. With the code "basket_changed" in its detail the basket was changed since its sheet was opened: the
// sheet is gone, the element loads the basket anew, and the page shows the new price. With "shipping_not_chosen" the
// sheet showed another shipping method than the one that would have been charged: it is gone, and the next sheet shows
// that one. "pending" is being looked up; "unknown" is what nobody has said in the time for that: the element stays
// locked, since the customer may have paid, and its `resume(basket)` checks again.

import { base, call, isAsked, outcome, pay } from "./outcome.js";

/**
 * @typedef {{status: string, code?: string, orderId?: string, paymentId?: string, statusURL?: string,
 *   errors?: SheetError[]}} Result
 */
/** @typedef {{code: string, contactField?: string, message: string}} SheetError */
/**
 * @typedef {{id: string, version: number, applePayVersion: number, proof: string, request: object,
 *   basket: {shippingMethod?: string}}} Sheet
 */
/** @typedef {"idle" | "ready" | "open" | "authorizing" | "closed"} State */

/** How long Apple's own script is waited for; without it Safari's Apple Pay works anyway. */
const SCRIPT_MS = 5_000;
/** The code of a refusal because the basket is not the one that the sheet shows. */
const CHANGED = "basket_changed";
/** The refusal of this page itself: the sheet shows another shipping method than the basket has. */
const NOT_CHOSEN = {
  status: "refused", code: "shipping_not_chosen", moneyMoved: "no",
  errors: [{
    code: "unknown",
    message: "The shop did not get your choice of delivery. Nothing was charged. Please pay again and choose it anew.",
  }],
};

/** The members of a request that ask for more than this payment; a sheet without the basket's asks for less. */
const AGREEMENTS = ["recurringPaymentRequest", "deferredPaymentRequest", "automaticReloadPaymentRequest"];
/** Members whose values are dates for the browser; the till sends them as text. */
const DATES = [
  "recurringPaymentStartDate", "recurringPaymentEndDate", "deferredPaymentDate", "freeCancellationDate",
];

/** @returns {boolean} The browser has Apple Pay, or a stand-in for it was loaded. */
export function isSupportedByDevice() {
  try {
    return Boolean(window.ApplePaySession?.canMakePayments());
  } catch {
    return false; // a page without TLS, or in a frame without permission
  }
}

/**
 * Whether this page can be paid with: browser, domain and basket.
 * @param {{basket?: string}} page
 * @returns {Promise<boolean>}
 */
export async function isSupportedForCheckout({ basket } = {}) {
  if (!basket) return false;
  const metadata = await loadMetadata();
  if (!metadata.enabled) return false;
  await Promise.all([loadStandIn(metadata), loadAppleScript(metadata)]);
  if (!isSupportedByDevice()) return false;
  if (!ApplePaySession.applePayCapabilities) return true;
  try {
    const { paymentCredentialStatus: status } = await ApplePaySession.applePayCapabilities(metadata.merchantIdentifier);
    // "Unknown" is what browsers without Wallet say: their customer pays with a phone beside them.
    return status !== "applePayUnsupported";
  } catch {
    return true;
  }
}

let metadata;
/** What the domain may do; asked once. A fault is "off", so that a page never breaks over it. */
function loadMetadata() {
  metadata ??= call("applepay/metadata?visitor=" + visitor()).then(
    ({ ok, body }) => (ok ? body : { enabled: false }),
    () => ({ enabled: false }),
  );
  return metadata;
}

/** A number that stays with the visitor, so that a share of visitors is always the same share. */
function visitor() {
  try {
    let name = localStorage.getItem("till-visitor");
    if (!name) localStorage.setItem("till-visitor", (name = crypto.randomUUID()));
    return name;
  } catch {
    return "none";
  }
}

let standIn;
function loadStandIn(metadata) {
  if (window.ApplePaySession || !metadata.simulator) return Promise.resolve();
  standIn ??= import(new URL(metadata.simulator, base).href);
  return standIn;
}

let appleScript;
/** Apple's own script brings its button, and Apple Pay to browsers without Wallet: their customer scans a code. */
function loadAppleScript({ appleScript: address }) {
  if (!address || customElements.get("apple-pay-button")) return Promise.resolve();
  appleScript ??= new Promise((resolve) => {
    const script = document.createElement("script");
    Object.assign(script, { src: address, async: true, crossOrigin: "anonymous", onload: resolve, onerror: resolve });
    setTimeout(resolve, SCRIPT_MS);
    document.head.append(script);
  });
  return appleScript;
}

/** Style and icons are loaded only where they are used. Icons must be in the page before a session is made. */
function decorate(metadata) {
  if (document.querySelector("link[data-till-apple-pay]")) return;
  const add = (attributes) => {
    const link = document.createElement("link");
    link.dataset.tillApplePay = "";
    Object.assign(link, attributes);
    document.head.append(link);
  };
  add({ rel: "stylesheet", href: new URL(metadata.stylesheet, base).href });
  for (const icon of metadata.touchIcons ?? []) {
    const link = document.createElement("link");
    link.rel = "apple-touch-icon";
    link.setAttribute("sizes", icon.sizes);
    link.href = new URL(icon.href, base).href;
    document.head.append(link);
  }
}

/** A copy of a part of a request, with dates in place of their text. */
function withDates(part) {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => {
    if (DATES.includes(name)) return [name, new Date(value)];
    return [name, typeof value === "object" && value && !Array.isArray(value) ? withDates(value) : value];
  }));
}

/**
 * The request as the browser takes it. Browsers skip members that they do not know, and no version number tells of
 * deferred payments: whether the agreement was read is seen by its being read.
 * @returns {{request: object, agreement?: string, isRead: () => boolean}}
 */
function browserRequest(asked) {
  const agreement = AGREEMENTS.find((name) => asked[name]);
  if (!agreement) return { request: asked, isRead: () => true };
  let isRead = false;
  const terms = withDates(asked[agreement]);
  const request = { ...asked };
  Object.defineProperty(request, agreement, { enumerable: true, get: () => { isRead = true; return terms; } });
  return { request, agreement, isRead: () => isRead };
}

/** What is told where the browser would leave the agreement out of the sheet. */
const unsupported = (agreement) => ({
  code: "agreement_unsupported", what: `This browser's Apple Pay does not know ${agreement}.`,
});

/**
 * One basket's way through the sheet. A state machine: a session is made inside the customer's gesture with nothing
 * awaited before it, each of the sheet's questions is answered once, and what comes too late is dropped.
 */
export class ApplePayController {
  /** @type {State} */
  state = "idle";
  /** @type {Sheet} */
  sheet;
  #session = null;
  #version = 0;
  /** The shipping method that the sheet shows, and the one that the counter has and charges. */
  #shownMethod;
  #storedMethod;

  /**
   * @param {string} basket
   * @param {{onauthorised?: (r: Result) => void, onfailed?: (r: Result) => void,
   *   oncancelled?: (r: object) => void, onpending?: (r: Result) => void, onunknown?: (r: Result) => void,
   *   onerror?: (r: {code: string, what: string}) => void}} [callbacks]
   */
  constructor(basket, callbacks = {}) {
    this.basket = basket;
    this.callbacks = callbacks;
  }

  /** Loads everything that a session needs, so that the gesture needs nothing. @returns {Promise<boolean>} */
  async prepare() {
    if (!(await isSupportedForCheckout({ basket: this.basket }))) return false;
    decorate(await loadMetadata());
    return this.#load();
  }

  async #load() {
    const { ok, body } = await call(`applepay/basket/${encodeURIComponent(this.basket)}`);
    if (!ok) return false;
    if (!ApplePaySession.supportsVersion(body.applePayVersion)) {
      const agreement = AGREEMENTS.find((name) => body.request[name]);
      if (agreement) this.#tell("onerror", unsupported(agreement));
      return false;
    }
    this.sheet = body;
    this.#version = body.version;
    // The sheet shows the first of the list that it is opened with, which is the one that is charged.
    this.#shownMethod = this.#storedMethod = body.basket.shippingMethod;
    if (this.state === "idle" || this.state === "closed") this.state = "ready";
    return true;
  }

  /** Opens the sheet. Called from a gesture's handler and does nothing else before the session is made. */
  begin() {
    if (this.state !== "ready") return false;
    const { request, agreement, isRead } = browserRequest(this.sheet.request);
    let session;
    try {
      session = new ApplePaySession(this.sheet.applePayVersion, request);
    } catch (error) {
      this.#tell("onerror", { code: "session_refused", what: String(error?.message ?? error) });
      return false;
    }
    if (!isRead()) {
      // Not begun, so nothing is shown: the customer would pay without having agreed.
      this.#tell("onerror", unsupported(agreement));
      return false;
    }
    this.state = "open";
    this.#session = session;
    this.#listen(session);
    session.begin();
    return true;
  }

  /** @param {ApplePaySession} session */
  #listen(session) {
    const isCurrent = () => this.#session === session && this.state !== "closed";
    /** Answers one question of the sheet, once, and only while the sheet is there. */
    const answering = (ask, complete, refuse) => async (event) => {
      let answer;
      try {
        answer = await ask(event);
      } catch (error) {
        answer = undefined;
        if (isCurrent()) refuse(error);
        return;
      }
      if (isCurrent()) complete(answer);
    };
    /** Ends a sheet that shows what nobody can pay any more, and tells the page. A payment's own answer does both. */
    const leave = (error) => {
      if (this.state === "authorizing") return;
      this.#close();
      session.abort();
      this.#tell("onfailed", error.answer);
    };
    const total = () => ({ newTotal: this.sheet.request.total, newLineItems: this.sheet.request.lineItems });
    const update = (body, check) => async (event) => {
      const { ok, body: answer } = await call(`applepay/basket/${encodeURIComponent(this.basket)}/update`, {
        json: body(event), proof: this.sheet.proof,
      });
      if (!ok) throw refusal(answer, "The basket could not be changed.");
      check?.(event, answer);
      const errors = sheetErrors(answer.update.errors);
      // Answers may arrive in another order than they were given: the price of an earlier one is not shown any more.
      if (answer.version < this.#version) return { ...total(), errors };
      this.#version = answer.version;
      this.#storedMethod = answer.basket.shippingMethod;
      const { newTotal, newLineItems, newShippingMethods } = answer.update;
      // The wallet selects the first of a new list, which is the one that is charged.
      if (newShippingMethods) this.#shownMethod = this.#storedMethod;
      this.sheet.request = { ...this.sheet.request, total: newTotal, lineItems: newLineItems };
      return { ...answer.update, errors };
    };
    const fallback = (complete) => (error) => {
      if (error.code === CHANGED) return leave(error);
      complete({ ...total(), errors: sheetErrors([{ code: "unknown", message: "Please try again." }]) });
    };
    /**
     * Ends a sheet whose choice of shipping was refused or had no answer: Apple's update for a method has no place for
     * errors, so the sheet would go on showing a method that is not the one charged.
     */
    const unchosen = async (error) => {
      if (error.code === CHANGED) return leave(error);
      if ((error.answer?.money_moved ?? "no") === "no") return leave({ answer: NOT_CHOSEN });
      if (this.state === "authorizing") return;
      // Another sheet of this basket has paid it, or is about to: its outcome is this one's, too.
      this.#close();
      session.abort();
      this.#tell("onpending", { status: "pending" });
      this.#end(await outcome(this.basket, this.sheet.proof));
    };

    session.onvalidatemerchant = answering(
      async (event) => {
        const { ok, body } = await call("applepay/validate", {
          json: { validationURL: event.validationURL, basket: this.basket }, proof: this.sheet.proof,
        });
        if (!ok) throw refusal(body, "Apple did not answer.");
        return body;
      },
      (merchantSession) => session.completeMerchantValidation(merchantSession),
      (error) => {
        if (error.code === CHANGED) return leave(error);
        this.#close();
        session.abort();
        this.#tell("onerror", { code: error.code ?? "validation_failed", what: error.message });
      },
    );
    // Apple's updates for a method have no place for errors.
    const method = ({ newTotal, newLineItems }) =>
      session.completePaymentMethodSelection({ newTotal, newLineItems });
    session.onpaymentmethodselected = answering(
      update((event) => ({ event: "paymentmethod", paymentMethod: { type: event.paymentMethod?.type ?? "" } })),
      method, fallback(method),
    );
    const shipping = ({ newTotal, newLineItems }) =>
      session.completeShippingMethodSelection({ newTotal, newLineItems });
    const choose = update(
      (event) => ({ event: "shippingmethod", identifier: event.shippingMethod.identifier }),
      (event, answer) => {
        if (answer.basket.shippingMethod !== event.shippingMethod.identifier) {
          throw refusal({}, "This delivery method is not offered.");
        }
      },
    );
    session.onshippingmethodselected = answering(
      (event) => {
        this.#shownMethod = event.shippingMethod.identifier;
        return choose(event);
      },
      shipping, unchosen,
    );
    const contact = (answer) => session.completeShippingContactSelection(answer);
    session.onshippingcontactselected = answering(
      update((event) => ({ event: "shippingcontact", shippingContact: event.shippingContact })),
      contact, fallback(contact),
    );
    if (this.sheet.request.supportsCouponCode) {
      const coupon = (answer) => session.completeCouponCodeChange(answer);
      session.oncouponcodechanged = answering(
        update((event) => ({ event: "couponcode", couponCode: event.couponCode })),
        coupon, fallback(coupon),
      );
    }
    session.onpaymentauthorized = (event) => this.#authorize(session, event, isCurrent);
    session.oncancel = (event) => {
      if (!isCurrent()) return;
      // While the payment is on its way a closed sheet is no canceled payment: its answer still comes.
      if (this.state === "authorizing") {
        this.#session = null;
        this.#tell("onpending", { status: "pending" });
        return;
      }
      this.#close();
      this.#tell("oncancelled", event.sessionError ?? {});
    };
  }

  async #authorize(session, event, isCurrent) {
    if (!isCurrent() || this.state === "authorizing") return;
    this.state = "authorizing";
    // Asked for nothing while the sheet shows another shipping method than the one that would be charged.
    let result = this.#shownMethod !== this.#storedMethod ? NOT_CHOSEN : await pay(this.basket, {
      basket: this.basket,
      version: this.#version,
      // What the customer has authorized. Till cannot read it in a token that only the provider opens.
      total: this.sheet.request.total.amount,
      currency: this.sheet.request.currencyCode,
      token: event.payment.token,
      shippingContact: event.payment.shippingContact,
      billingContact: event.payment.billingContact,
    }, this.sheet.proof);
    const isDone = result.status === "placed" || result.status === "pending";
    // Without errors the sheet goes: it shows another basket than the present one, so there is nothing to correct.
    const isOver = isDone || result.code === CHANGED || result.code === NOT_CHOSEN.code;
    if (this.#session === session) {
      const status = isDone ? ApplePaySession.STATUS_SUCCESS : ApplePaySession.STATUS_FAILURE;
      session.completePayment({ status, errors: isOver ? [] : sheetErrors(result.errors) });
    }
    const canRetry = !isOver && this.#session === session && (result.errors ?? []).length > 0;
    if (canRetry) {
      // The sheet stays for another try; the basket is free.
      this.state = "open";
      this.#tell("onfailed", result);
      return;
    }
    this.#close();
    if (result.status === "pending") {
      this.#tell("onpending", result);
      result = await outcome(this.basket, this.sheet.proof);
    }
    this.#end(result);
  }

  /** Looks the basket's payment up again: after a reload, or when it was not known in time. */
  async resume() {
    if (!isAsked(this.basket) || this.state === "authorizing") return { status: "open" };
    this.#tell("onpending", { status: "pending" });
    const { body } = await call(`applepay/basket/${encodeURIComponent(this.basket)}`).catch(() => ({ body: {} }));
    const result = await outcome(this.basket, this.sheet?.proof ?? body.proof);
    this.#end(result);
    return result;
  }

  #end(result) {
    if (result.status === "placed") this.#tell("onauthorised", result);
    else this.#tell(result.status === "unknown" ? "onunknown" : "onfailed", result);
  }

  #close() {
    this.state = "closed";
    this.#session = null;
  }

  #tell(name, detail) {
    this.callbacks[name]?.(detail);
  }

  /** Makes a closed controller ready for another sheet with the basket as it is now. */
  reset() {
    return this.#load();
  }
}

/** What the till refused, as an error with its code and the whole answer. */
function refusal(answer, what) {
  return Object.assign(new Error(answer.detail ?? what), { code: answer.code, answer });
}

/** @param {SheetError[]} [errors] */
function sheetErrors(errors = []) {
  return errors.map((error) =>
    window.ApplePayError ? new ApplePayError(error.code, error.contactField, error.message) : error);
}

/** The element: a button that is hidden until it works. */
class TillApplePay extends HTMLElement {
  static observedAttributes = ["basket"];
  #controller = null;

  connectedCallback() {
    this.#prepare();
  }

  /**
   * After a reload: looks up what became of a payment that this page asked for, and sends its event.
   * @param {string} basket @returns {Promise<{status: string}>} `open` where it asked for none.
   */
  resume(basket) {
    return this.#make(basket).resume();
  }

  attributeChangedCallback(_, before, after) {
    if (this.isConnected && before !== after) this.#prepare();
  }

  async #prepare() {
    const basket = this.getAttribute("basket");
    this.inert = false;
    this.replaceChildren();
    if (!basket) return;
    const controller = this.#make(basket);
    this.#controller = controller;
    if (!(await controller.prepare().catch(() => false)) || this.#controller !== controller) return;
    this.append(this.#button(() => controller.begin()));
  }

  #make(basket) {
    const tell = (name) => (detail) => {
      // Locked until the server has said what became of the payment: the button of a paid basket pays twice.
      this.inert = name === "pending" || name === "unknown" || name === "authorised";
      if (!this.inert) this.#renew(controller);
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
    };
    const controller = new ApplePayController(basket, {
      onauthorised: tell("authorised"), onfailed: tell("failed"), oncancelled: tell("cancelled"),
      onpending: tell("pending"), onunknown: tell("unknown"), onerror: tell("error"),
    });
    return controller;
  }

  #renew(controller) {
    if (this.#controller === controller && controller.state === "closed") controller.reset().catch(() => {});
  }

  /** Apple's own element where the browser has it, otherwise a button of the same appearance. */
  #button(begin) {
    const style = this.getAttribute("buttonstyle") ?? "black";
    const type = this.getAttribute("type") ?? "buy";
    let button;
    if (customElements.get("apple-pay-button")) {
      button = document.createElement("apple-pay-button");
      button.setAttribute("buttonstyle", style);
      button.setAttribute("type", type);
      button.setAttribute("locale", this.getAttribute("locale") ?? document.documentElement.lang ?? "en");
    } else {
      button = document.createElement("button");
      button.type = "button";
      button.className = `till-apple-pay till-apple-pay-${style} till-apple-pay-type-${type}`;
      const words = {
        plain: "", buy: "Buy with", "check-out": "Check out with", order: "Order with", donate: "Donate with",
      };
      button.textContent = `${words[type] ?? "Pay with"} Apple Pay`.trim();
    }
    button.addEventListener("click", begin);
    return button;
  }
}

if (!customElements.get("till-apple-pay")) customElements.define("till-apple-pay", TillApplePay);
