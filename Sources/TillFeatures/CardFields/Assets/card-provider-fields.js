// The provider's own card fields: its script draws them in frames of its own origin, which this frame cannot read, and
// makes a reference to the card, or attaches the card to an order that the counter has prepared. Neither this frame nor
// the counter gets the number.

import { language, sentence, text } from "/card/words.js";

/** How long the provider's script and its fields may take to load. */
const SHOW_MS = 20_000;
/** How long the provider may take to make a reference. No money moves in it. */
const REFERENCE_MS = 30_000;
/** How long the bank's question may take that the provider's script asks. */
const ATTACH_MS = 25 * 60_000;
/** Versions of Braintree's script do not change. */
const BRAINTREE = "https://js.braintreegateway.com/web/3.136.0/js";

const $ = (id) => document.getElementById(id);
const ids = ["number", "expires", "code"];
const NAMES = {
  visa: "Visa", mastercard: "Mastercard", amex: "American Express", discover: "Discover", diners: "Diners Club",
  jcb: "JCB", unionpay: "UnionPay",
};
const MISSING = { number: text("numberMissing"), expires: text("date"), code: text("codeMissing") };

/** What the fields cannot do, with the `code` of the event. Nothing was charged. */
export class FieldsFailure extends Error {
  constructor(code, message = sentence(code) ?? "", field = null) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/** Nobody knows what became of a card: it may have been attached to the order. */
export class FieldsUnclear extends Error {}

const notLoaded = () => new FieldsFailure("card_fields_not_loaded");

/** The end of a promise, or a failure after a time. */
function within(milliseconds, promise, failure) {
  let timer = 0;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(failure()), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Loads a script of the provider's. */
function load(address, signal) {
  return new Promise((done, fail) => {
    const script = document.createElement("script");
    const { nonce } = document.documentElement.dataset;
    // PayPal's script marks with it what it writes into this frame.
    if (nonce) script.dataset.cspNonce = nonce;
    const failed = () => {
      script.remove();
      fail(notLoaded());
    };
    script.src = address;
    script.async = true;
    script.addEventListener("load", () => done(undefined));
    script.addEventListener("error", failed);
    signal.addEventListener("abort", failed);
    document.head.append(script);
  });
}

const ink = () => getComputedStyle(document.body).color;

// MARK: Stripe

async function stripeFields(key, heard) {
  const stripe = globalThis.Stripe(key.publishable_key);
  const elements = stripe.elements({ locale: language });
  const made = {};
  const kinds = { number: "cardNumber", expires: "cardExpiry", code: "cardCvc" };
  await Promise.all(ids.map((id) => new Promise((done) => {
    const element = elements.create(kinds[id], { style: { base: { color: ink(), fontSize: "16px" } } });
    made[id] = element;
    element.on("ready", () => done(undefined));
    element.on("change", ({ complete, error, brand }) => {
      heard(id, complete, error?.message ?? "");
      if (id === "number") heard.brand(brand === "unknown" ? null : NAMES[brand] ?? brand ?? null);
    });
    element.mount(`#${id}`);
  })));
  return {
    async reference() {
      const { paymentMethod, error } = await stripe.createPaymentMethod({ type: "card", card: made.number });
      if (!error) return paymentMethod.id;
      const isOfCard = error.type === "validation_error" || error.type === "card_error";
      throw new FieldsFailure(isOfCard ? "invalid_card" : "card_fields_failed", error.message);
    },
    clear() {
      for (const id of ids) made[id].clear();
    },
    focus: (id) => made[id].focus(),
  };
}

// MARK: Braintree

/**
 * What has the customer's bank asked about each card. Its frame is put into this frame's own layer.
 * @param {object} client
 * @param {{ amount: string }} asked What the counter charges, in major units.
 */
async function braintreeVerification(client, asked, heard, signal) {
  await load(`${BRAINTREE}/three-d-secure.min.js`, signal);
  const { threeDSecure } = globalThis.braintree;
  if (!threeDSecure) throw notLoaded();
  const verification = await threeDSecure.create({ client, version: "2-inline-iframe" });
  verification.on("lookup-complete", (_data, next) => next());
  verification.on("authentication-iframe-available", ({ element }, next) => {
    heard.bank(element);
    next();
  });
  /** The nonce with the bank's answer, which the counter reads from Braintree. The first one is consumed. */
  return async ({ nonce, details }) => {
    try {
      return (await verification.verifyCard({ amount: asked.amount, nonce, bin: details.bin })).nonce;
    } catch (error) {
      throw new FieldsFailure(error?.type === "CUSTOMER" ? "challenge_canceled" : "card_fields_failed");
    } finally {
      heard.bank(null);
    }
  };
}

async function braintreeFields(key, heard, signal) {
  const own = { number: "number", expirationDate: "expires", cvv: "code" };
  const { braintree } = globalThis;
  const client = await braintree.client.create({ authorization: key.client_token });
  const verified = key.three_d_secure ? await braintreeVerification(client, key.three_d_secure, heard, signal) : null;
  const fields = await braintree.hostedFields.create({
    client, styles: { input: { color: ink(), "font-size": "16px" } },
    fields: {
      number: { container: "#number" }, expirationDate: { container: "#expires", placeholder: text("dateShape") },
      cvv: { container: "#code" },
    },
  });
  fields.on("validityChange", ({ emittedBy, fields: states }) => {
    const { isValid, isPotentiallyValid } = states[emittedBy];
    heard(own[emittedBy], isValid, isPotentiallyValid ? "" : MISSING[own[emittedBy]]);
  });
  fields.on("cardTypeChange", ({ cards }) => heard.brand(cards.length === 1 ? cards[0].niceType : null));
  fields.on("inputSubmitRequest", () => heard.submit());
  return {
    asksBank: verified !== null,
    async reference() {
      let made = null;
      try {
        made = await fields.tokenize();
      } catch (error) {
        if (error?.type !== "CUSTOMER") throw error;
        throw new FieldsFailure("invalid_card", undefined, own[error.details?.invalidFieldKeys?.[0]] ?? null);
      }
      return verified ? await verified(made) : made.nonce;
    },
    clear() {
      for (const name of Object.keys(own)) fields.clear(name);
    },
    focus: (id) => fields.focus(Object.keys(own).find((name) => own[name] === id)),
  };
}

// MARK: PayPal

/** The language as PayPal names it, with the country that it is most spoken in: `de_DE`. */
const payPalLocale = () => `${language}_${new Intl.Locale(language).maximize().region}`;

/** What the client id, the currency and the intent of the payment make of the script's address. */
const payPalScripts = ({ client_id, currency, intent }) => [
  `https://www.paypal.com/sdk/js?${new URLSearchParams({
    "client-id": client_id, components: "card-fields", currency, intent, locale: payPalLocale(),
  })}`,
];

/** An answer of PayPal's to the card, or of its fields: the card is attached to nothing. */
const PAYPAL_REFUSALS = /UNPROCESSABLE_ENTITY|INVALID_REQUEST|INVALID_(NAME|NUMBER|EXPIRY|CVV)/;

async function payPalFields(_key, heard) {
  const own = { cardNumberField: "number", cardExpiryField: "expires", cardCvvField: "code" };
  /** What the press under way waits for. */
  let press = null;
  const card = globalThis.paypal.CardFields({
    createOrder: () => press.order(),
    onApprove: () => press?.done(undefined),
    onCancel: () => press?.fail(new FieldsFailure("challenge_canceled")),
    onError: (error) => press?.fail(error),
    style: { input: { color: ink(), "font-size": "16px" } },
    inputEvents: {
      onChange: ({ fields, cards }) => {
        for (const [name, id] of Object.entries(own)) {
          const state = fields[name];
          if (state) heard(id, state.isValid, state.isPotentiallyValid ? "" : MISSING[id]);
        }
        heard.brand(cards?.length === 1 ? cards[0].niceType : null);
      },
      onInputSubmitRequest: () => heard.submit(),
    },
  });
  if (!card.isEligible()) throw new FieldsFailure("card_fields_unavailable");
  const made = { number: card.NumberField(), expires: card.ExpiryField(), code: card.CVVField() };
  await Promise.all(ids.map((id) => made[id].render(`#${id}`)));
  return {
    attach: (order) => new Promise((done, fail) => {
      const refused = (error) => {
        const isOther = error instanceof FieldsFailure || !PAYPAL_REFUSALS.test(`${error?.message ?? error}`);
        fail(isOther ? error : new FieldsFailure("invalid_card"));
      };
      press = { order, done, fail: refused };
      // Approved, it has called `onApprove`; its promise alone says nothing.
      Promise.resolve(card.submit()).catch(refused);
    }),
    clear() {
      for (const id of ids) made[id].clear();
    },
    focus: (id) => made[id].focus(),
  };
}

const PROVIDERS = {
  stripe: { scripts: ["https://js.stripe.com/v3/"], draw: stripeFields },
  braintree: { scripts: [`${BRAINTREE}/client.min.js`, `${BRAINTREE}/hosted-fields.min.js`], draw: braintreeFields },
  paypal: { scripts: payPalScripts, draw: payPalFields, takesOrder: true },
};

// MARK: Fields

function mark(id, fault) {
  $(`${id}-fault`).textContent = fault;
  $(id).toggleAttribute("data-invalid", Boolean(fault));
}

/**
 * The fields as the frame uses them; the counter's own have the same members (`own-fields.js`).
 * @param {string} provider
 * @param {() => Promise<object>} askKey Asks the counter for the key of this session.
 * @param {(type: string, detail?: object) => void} tell Tells the page around.
 */
export function providerFields(provider, askKey, tell) {
  /** Whether each field is complete. */
  const complete = { number: false, expires: false, code: false };
  let brand = null;
  let drawn = null;

  function changed() {
    tell("change", { complete: ids.every((id) => complete[id]), brand });
  }

  function heard(id, isComplete, fault) {
    complete[id] = isComplete;
    mark(id, fault);
    changed();
  }
  heard.brand = (name) => {
    brand = name;
    $("brand").textContent = name ?? "";
    changed();
  };
  heard.submit = () => tell("submit");
  /** Shows the bank's question in the frame's own layer; null takes it away. */
  heard.bank = (element) => {
    const layer = $("bank-layer");
    layer.replaceChildren(...(element ? [element] : []));
    layer.hidden = !element;
    document.body.classList.toggle("asking", Boolean(element));
    if (!element) return;
    tell("action");
    layer.focus();
  };

  async function draw(signal) {
    const { scripts, draw: fields } = PROVIDERS[provider] ?? {};
    if (!fields) throw notLoaded();
    const isOfKey = typeof scripts === "function";
    // A script whose address has the key is loaded after it.
    const [key] = await Promise.all(
      [askKey(), ...(isOfKey ? [] : scripts.map((address) => load(address, signal)))]);
    if (isOfKey) await Promise.all(scripts(key).map((address) => load(address, signal)));
    signal.throwIfAborted();
    return await fields(key, heard, signal);
  }

  return {
    /** Whether the fields attach the card to an order of the counter's, instead of making a reference. */
    takesOrder: PROVIDERS[provider]?.takesOrder ?? false,
    /** Resolves when the fields can be typed in; rejects with a `FieldsFailure`, after which it may be tried again. */
    async show() {
      if (drawn) return;
      const stop = new AbortController();
      try {
        drawn = await within(SHOW_MS, draw(stop.signal), notLoaded);
      } catch (error) {
        stop.abort();
        for (const id of ids) $(id).replaceChildren();
        throw error instanceof FieldsFailure ? error : notLoaded();
      }
    },
    /** Marks what is wrong, and returns the first field of it; null if nothing is. */
    fault() {
      const missing = ids.filter((id) => !complete[id]);
      for (const id of missing) mark(id, $(`${id}-fault`).textContent || MISSING[id]);
      return missing[0] ?? null;
    },
    /** What the counter charges: a reference, made anew for each press. Rejects with a `FieldsFailure`. */
    async tender() {
      const failed = () => new FieldsFailure("card_fields_failed");
      let token = null;
      try {
        token = await within(drawn.asksBank ? ATTACH_MS : REFERENCE_MS, drawn.reference(), failed);
      } catch (error) {
        if (drawn.asksBank) heard.bank(null);
        throw error instanceof FieldsFailure ? error : failed();
      }
      if (typeof token !== "string" || !token) throw failed();
      return { type: "token", token };
    },
    /**
     * Attaches the typed card to an order. Resolves when the provider says that it is attached, which the counter does
     * not believe; rejects with a `FieldsFailure` if it certainly is not, else with `FieldsUnclear`.
     * @param {() => Promise<string>} prepare Asks the counter for the order; it is asked once.
     */
    async attach(prepare) {
      const failed = () => new FieldsFailure("card_fields_failed");
      let isAsked = false;
      let isOver = false;
      let order = null;
      const asked = async () => {
        if (isOver || isAsked) throw failed();
        isAsked = true;
        order = await prepare();
        return order;
      };
      let timer = 0;
      // A script that does not even ask for the order attaches nothing, not even later.
      const unasked = new Promise((_, fail) => {
        timer = setTimeout(() => {
          if (!isAsked) fail(failed());
        }, REFERENCE_MS);
      });
      try {
        await within(ATTACH_MS, Promise.race([drawn.attach(asked), unasked]), () => new FieldsUnclear());
      } catch (error) {
        if (error instanceof FieldsFailure) throw error;
        throw order ? new FieldsUnclear() : failed();
      } finally {
        isOver = true;
        clearTimeout(timer);
      }
    },
    lock(isLocked) {
      $("card").inert = isLocked;
    },
    clear() {
      drawn?.clear();
    },
    focus(id) {
      drawn?.focus(id);
    },
    mark,
  };
}
