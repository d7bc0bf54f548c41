// A stand-in for the browser's ApplePaySession, for browsers without it. The sandbox serves it; a counter for
// production has no such address. It asks everything that a real sheet asks, in the order of a real one: the merchant
// session, the card, a contact that is cut short, and after the customer has authorized the whole contact and a token.

const base = new URL("/", import.meta.url);
const ANSWER_MS = 30_000;

const cards = [
  { label: "Visa 0075 (debit)", type: "debit", number: "4784000000380075" },
  { label: "Visa 4242 (credit)", type: "credit", number: "4242424242424242" },
  { label: "Visa 0002, declined", type: "debit", number: "4000000000000002" },
  { label: "Visa 7018, no answer after the charge", type: "debit", number: "4000000000077018" },
];
const contacts = [
  {
    label: "Ada Lovelace, EC4M 7RF", givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@example.com",
    phoneNumber: "+44 20 7946 0000", addressLines: ["1 Fleet Place"], locality: "London", postalCode: "EC4M 7RF",
    countryCode: "GB",
  },
  {
    label: "Alan Turing, BN15 9AA (not delivered to)", givenName: "Alan", familyName: "Turing",
    emailAddress: "alan@example.com", phoneNumber: "+44 20 7946 0001", addressLines: ["2 Sea Road"],
    locality: "Lancing", postalCode: "BN15 9AA", countryCode: "GB",
  },
  {
    label: "Grace Hopper, EC1A 9ZZ (in part)", givenName: "Grace", familyName: "Hopper",
    emailAddress: "grace@example.com", phoneNumber: "+44 20 7946 0002", addressLines: ["3 Aldersgate"],
    locality: "London", postalCode: "EC1A 9ZZ", countryCode: "GB",
  },
  {
    label: "No telephone, SW1A 1AA", givenName: "Nobody", familyName: "Here", emailAddress: "no@example.com",
    phoneNumber: "", addressLines: ["4 The Mall"], locality: "London", postalCode: "SW1A 1AA", countryCode: "GB",
  },
  // Addresses there have no postcode, and may have no town.
  {
    label: "Chan Tai Man, Hong Kong (no postcode, no town)", givenName: "Tai Man", familyName: "Chan",
    emailAddress: "chan@example.com", phoneNumber: "+852 2123 4567", addressLines: ["1 Connaught Place", "Central"],
    locality: "", administrativeArea: "Hong Kong Island", postalCode: "", countryCode: "HK",
  },
  {
    label: "Layla Haddad, Dubai (no postcode)", givenName: "Layla", familyName: "Haddad",
    emailAddress: "layla@example.com", phoneNumber: "+971 4 123 4567", addressLines: ["1 Sheikh Zayed Road"],
    locality: "Dubai", administrativeArea: "Dubai", postalCode: "", countryCode: "AE",
  },
];

class ApplePayErrorStandIn extends Error {
  constructor(code, contactField, message) {
    super(message);
    this.code = code;
    this.contactField = contactField;
  }
}

/** The members of a request for later charges, with the charge in each and its timing. */
const agreements = {
  recurringPaymentRequest: { billing: "regularBilling", timing: "recurring" },
  deferredPaymentRequest: { billing: "deferredBilling", timing: "deferred" },
  automaticReloadPaymentRequest: { billing: "automaticReloadBilling", timing: "automaticReload" },
};

/** The lines in which a sheet shows an agreement. */
function agreementLines(request) {
  const kind = Object.keys(agreements).find((name) => request[name]);
  if (!kind) return [];
  const terms = request[kind];
  const day = (date) => date.toISOString().slice(0, 10);
  const charge = (line, begin) => {
    const parts = [`${line.label}: ${line.amount} ${request.currencyCode}`];
    if (line.recurringPaymentIntervalUnit) {
      parts.push(`every ${line.recurringPaymentIntervalCount} ${line.recurringPaymentIntervalUnit}`);
    }
    if (line.recurringPaymentStartDate) parts.push(`from ${day(line.recurringPaymentStartDate)}`);
    if (line.recurringPaymentEndDate) parts.push(`until ${day(line.recurringPaymentEndDate)}`);
    if (line.deferredPaymentDate) parts.push(`on ${day(line.deferredPaymentDate)}`);
    if (line.automaticReloadPaymentThresholdAmount) {
      parts.push(`at ${line.automaticReloadPaymentThresholdAmount} ${request.currencyCode}`);
    }
    return `${begin} ${parts.join(", ")}`;
  };
  const lines = [terms.paymentDescription];
  if (terms.trialBilling) lines.push(charge(terms.trialBilling, "Trial:"));
  lines.push(charge(terms[agreements[kind].billing], "Later:"));
  if (terms.freeCancellationDate) {
    lines.push(`Free cancellation until ${day(terms.freeCancellationDate)} (${terms.freeCancellationDateTimeZone})`);
  }
  if (terms.billingAgreement) lines.push(terms.billingAgreement);
  lines.push(`Manage at ${terms.managementURL}`);
  return lines;
}

/** What a browser has lists of: countries (ISO 3166-1, in capitals) and Apple's networks, in any case. */
const countries = new Set(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
  FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
  JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
  MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
  PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
  TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
`.trim().split(/\s+/));
const networks = new Set([
  "amex", "bancomat", "bancontact", "cartesbancaires", "chinaunionpay", "dankort", "discover", "eftpos", "electron",
  "elo", "girocard", "interac", "jcb", "mada", "maestro", "mastercard", "mir", "privatelabel", "visa", "vpay",
]);

function refuse(name, message) {
  return new DOMException(message, name);
}

class ApplePaySessionStandIn {
  static STATUS_SUCCESS = 0;
  static STATUS_FAILURE = 1;
  static supportsVersion(version) { return Number.isInteger(version) && version >= 1 && version <= 14; }
  static canMakePayments() { return true; }
  static async applePayCapabilities() { return { paymentCredentialStatus: "paymentCredentialsAvailable" }; }
  static #open = null;

  onvalidatemerchant = null;
  onpaymentmethodselected = null;
  onshippingmethodselected = null;
  onshippingcontactselected = null;
  oncouponcodechanged = null;
  onpaymentauthorized = null;
  oncancel = null;
  #request;
  #dialog = null;
  #merchantSession = null;
  #waiting = new Map();
  #state = "made";
  #sheet = crypto.randomUUID();

  constructor(version, request) {
    // What a real browser demands: the session is made while the gesture's own handler runs.
    if (!["click", "keydown", "keyup", "pointerup"].includes(window.event?.type)) {
      throw refuse("InvalidAccessError", "Must create a new ApplePaySession from a user gesture handler.");
    }
    if (!ApplePaySessionStandIn.supportsVersion(version)) throw refuse("InvalidAccessError", "Version not supported.");
    for (const key of ["countryCode", "currencyCode", "supportedNetworks", "merchantCapabilities", "total"]) {
      if (!request[key]) throw new TypeError(`Member ${key} is required.`);
    }
    if (request.supportedNetworks.length === 0) throw new TypeError("supportedNetworks names no network.");
    for (const name of request.supportedNetworks) {
      if (!networks.has(String(name).toLowerCase())) throw new TypeError(`Apple Pay has no network "${name}".`);
    }
    if (!countries.has(request.countryCode)) {
      throw new TypeError(`ISO 3166-1 has no country "${request.countryCode}".`);
    }
    if (!request.merchantCapabilities.includes("supports3DS")) throw new TypeError("supports3DS is required.");
    if (version < 12 && request.supportsCouponCode) throw new TypeError("Coupons need version 12.");
    this.#checkAgreement(version, request);
    this.#request = structuredClone(request);
  }

  /** What a browser demands of an agreement: one kind, its version, its members, and dates that are dates. */
  #checkAgreement(version, request) {
    const kinds = Object.keys(agreements).filter((kind) => request[kind]);
    if (request.multiTokenContexts) kinds.push("multiTokenContexts");
    if (kinds.length > 1) throw new TypeError(`${kinds.join(" and ")} exclude each other.`);
    const [kind] = kinds;
    if (!kind) return;
    if (version < 14) throw new TypeError(`${kind} needs version 14.`);
    if (kind === "multiTokenContexts") throw new TypeError("The simulator has one merchant.");
    const { billing, timing } = agreements[kind];
    const terms = request[kind];
    for (const key of ["paymentDescription", "managementURL", billing]) {
      if (!terms[key]) throw new TypeError(`Member ${kind}.${key} is required.`);
    }
    if (terms[billing].paymentTiming !== timing) throw new TypeError(`${billing} must have the timing ${timing}.`);
    if (!terms.freeCancellationDate !== !terms.freeCancellationDateTimeZone) {
      throw new TypeError("freeCancellationDate and freeCancellationDateTimeZone go together.");
    }
    for (const part of [terms, terms[billing], terms.trialBilling ?? {}]) {
      for (const [name, value] of Object.entries(part)) {
        if (name.endsWith("Date") && !(value instanceof Date && Number.isFinite(value.getTime()))) {
          throw new TypeError(`${name} must be a date.`);
        }
      }
    }
  }

  begin() {
    if (this.#state !== "made" || ApplePaySessionStandIn.#open) {
      throw refuse("InvalidAccessError", "Page already has an active payment session.");
    }
    if (!this.onvalidatemerchant || !this.onpaymentauthorized) {
      throw refuse("InvalidAccessError", "onvalidatemerchant and onpaymentauthorized must be set.");
    }
    ApplePaySessionStandIn.#open = this;
    this.#state = "open";
    this.#show();
    queueMicrotask(() => {
      this.#ask("validatemerchant", "onvalidatemerchant", {
        validationURL: "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession",
      });
      this.#chooseCard();
      if (this.#request.requiredShippingContactFields?.includes("postalAddress")) this.#chooseContact();
    });
  }

  abort() {
    if (this.#state !== "open") throw refuse("InvalidAccessError", "No session is open.");
    this.#close();
  }

  // The page's answers.

  completeMerchantValidation(session) {
    this.#answered("validatemerchant");
    if (typeof session !== "object" || !session?.merchantSessionIdentifier) {
      this.#fail("The merchant session is not an object.");
      return;
    }
    // A real one is for one host, as in the address bar: a page of shop.example cannot use that of www.shop.example.
    if (session.domainName !== location.hostname) {
      this.#fail(`The merchant session is for ${session.domainName}, and this page is of ${location.hostname}.`);
      return;
    }
    this.#merchantSession = session;
    this.#refresh();
  }

  completePaymentMethodSelection(update) { this.#answered("paymentmethod"); this.#update(update); }
  completeShippingMethodSelection(update) { this.#answered("shippingmethod"); this.#update(update); }
  completeShippingContactSelection(update) { this.#answered("shippingcontact"); this.#update(update); }
  completeCouponCodeChange(update) { this.#answered("couponcode"); this.#update(update); }

  completePayment(result) {
    this.#answered("paymentauthorized");
    const status = typeof result === "number" ? result : result.status;
    if (status === ApplePaySessionStandIn.STATUS_SUCCESS) {
      this.#end("Done", true);
      setTimeout(() => this.#close(), 400);
      return;
    }
    const errors = result.errors ?? [];
    if (errors.length === 0) {
      this.#end("Payment not completed", false);
      setTimeout(() => this.#close(), 800);
      return;
    }
    this.#note(errors.map((error) => error.message).join(" "));
    this.#refresh();
  }

  // The sheet's questions.

  #ask(kind, handler, detail) {
    if (!this[handler]) return;
    const timer = setTimeout(() => this.#fail(`${handler} was not answered.`), ANSWER_MS);
    this.#waiting.set(kind, timer);
    this.#refresh();
    this[handler](Object.assign(new Event(kind), detail));
  }

  #answered(kind) {
    if (this.#state !== "open" || !this.#waiting.has(kind)) {
      throw refuse("InvalidAccessError", `Nothing was asked that ${kind} answers.`);
    }
    clearTimeout(this.#waiting.get(kind));
    this.#waiting.delete(kind);
    this.#refresh();
  }

  #update(update) {
    if (update.newTotal) this.#request.total = update.newTotal;
    if (update.newLineItems) this.#request.lineItems = update.newLineItems;
    if (update.newShippingMethods) {
      this.#request.shippingMethods = update.newShippingMethods;
      this.#offer(update.newShippingMethods);
    }
    this.#note((update.errors ?? []).map((error) => error.message).join(" "));
    this.#refresh();
  }

  #fail(reason) {
    if (this.#state !== "open") return;
    this.#close();
    this.oncancel?.(Object.assign(new Event("cancel"), { sessionError: { code: "unknown", info: { reason } } }));
  }

  #cancel() {
    if (this.#state !== "open") return;
    this.#close();
    this.oncancel?.(Object.assign(new Event("cancel"), { sessionError: { code: "unknown", info: {} } }));
  }

  #close() {
    this.#state = "closed";
    ApplePaySessionStandIn.#open = null;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#dialog?.close();
    this.#dialog?.remove();
  }

  // The sheet itself.

  #show() {
    const make = (tag, attributes = {}, ...children) => {
      const element = document.createElement(tag);
      for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value);
      }
      element.append(...children);
      return element;
    };
    const choice = (name, label, options, change) => {
      const select = make("select", { id: `till-sheet-${name}`, onchange: change });
      options.forEach((option, index) => select.append(make("option", { value: String(index) }, option)));
      return make("div", { class: "row" }, make("label", { for: select.id }, label), select);
    };
    const request = this.#request;
    const parts = [
      make("h2", { id: "till-sheet-title" }, "Apple Pay simulator"),
      make("p", { class: "hint" }, "No money moves: this sheet and its Apple are on this machine."),
      choice("card", "Card", cards.map((card) => card.label), () => this.#chooseCard()),
    ];
    if (request.requiredShippingContactFields?.includes("postalAddress")) {
      parts.push(choice("contact", request.shippingContactEditingMode === "storePickup" ? "Customer" : "Deliver to",
        contacts.map((contact) => contact.label), () => this.#chooseContact()));
    }
    parts.push(choice("shipping", "Delivery", [], (event) => this.#ask("shippingmethod", "onshippingmethodselected", {
      shippingMethod: request.shippingMethods[event.target.selectedIndex],
    })));
    if (request.shippingContactEditingMode === "storePickup") {
      const shop = request.shippingContact;
      parts.push(make("p", {}, `Collect from ${shop.givenName}, ${shop.addressLines.join(", ")}, ${shop.postalCode}`));
    }
    if (request.supportsCouponCode) {
      const input = make("input", { id: "till-sheet-coupon", autocomplete: "off", maxlength: "32" });
      parts.push(make("form", {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          this.#ask("couponcode", "oncouponcodechanged", { couponCode: input.value });
        },
      }, make("label", { for: input.id }, "Coupon"), input, make("button", { type: "submit" }, "Apply")));
    }
    const agreed = agreementLines(request);
    if (agreed.length) {
      parts.push(make("div", { id: "till-sheet-agreement", role: "group", "aria-label": "Agreement" },
        ...agreed.map((text) => make("p", {}, text))));
    }
    parts.push(
      make("ul", { id: "till-sheet-items" }), make("p", { id: "till-sheet-note", role: "alert" }),
      make("div", { class: "actions" },
        // The second click of the double click that opened the sheet may land here.
        make("button", {
          type: "button", id: "till-sheet-cancel", onclick: (event) => { if (event.detail < 2) this.#cancel(); },
        }, "Cancel"),
        make("button", { type: "button", id: "till-sheet-pay", onclick: () => this.#authorize() }, "Authorise")),
    );
    this.#dialog = make("dialog", {
      class: "till-sheet", "aria-labelledby": "till-sheet-title",
      oncancel: (event) => { event.preventDefault(); this.#cancel(); },
    }, ...parts);
    const style = make("link", { rel: "stylesheet", href: new URL("applepay/simulator.css", base).href });
    if (!document.querySelector(`link[href="${style.getAttribute("href")}"]`)) document.head.append(style);
    document.body.append(this.#dialog);
    this.#offer(request.shippingMethods ?? []);
    this.#dialog.showModal();
    this.#refresh();
  }

  #part(name) { return this.#dialog.querySelector(`#till-sheet-${name}`); }
  #note(text, isGood = false) {
    if (!this.#dialog) return;
    this.#part("note").textContent = text;
    this.#part("note").classList.toggle("good", isGood);
  }

  /** Shows a list of shipping methods. As a wallet does, it selects the first of each and asks nobody about it. */
  #offer(methods) {
    if (!this.#dialog) return;
    const select = this.#part("shipping");
    select.replaceChildren(...methods.map((method, index) => {
      const option = document.createElement("option");
      option.value = String(index);
      option.textContent = `${method.label}, ${method.amount}`;
      return option;
    }));
    select.selectedIndex = methods.length ? 0 : -1;
    select.closest(".row").hidden = methods.length === 0;
  }

  /** Nothing can be chosen any more; the sheet goes in a moment. */
  #end(text, isGood) {
    this.#note(text, isGood);
    for (const part of this.#dialog?.querySelectorAll("button, select, input") ?? []) part.disabled = true;
  }

  #refresh() {
    if (!this.#dialog || this.#state !== "open") return;
    const lines = [...(this.#request.lineItems ?? []), this.#request.total];
    this.#part("items").replaceChildren(...lines.map((line) => {
      const item = document.createElement("li");
      const label = document.createElement("span");
      label.textContent = line.label;
      const amount = document.createElement("span");
      amount.textContent = line.type === "pending" ? "Pending" : `${line.amount} ${this.#request.currencyCode}`;
      item.append(label, amount);
      return item;
    }));
    this.#part("pay").disabled = !this.#merchantSession || this.#waiting.size > 0;
  }

  #chooseCard() {
    const card = cards[this.#part("card").selectedIndex];
    this.#ask("paymentmethod", "onpaymentmethodselected", { paymentMethod: { type: card.type } });
  }

  #contact() {
    const index = this.#part("contact")?.selectedIndex ?? 0;
    const { label, ...contact } = contacts[index];
    return contact;
  }

  #chooseContact() {
    const { locality, countryCode, postalCode, administrativeArea = "" } = this.#contact();
    // Before authorization the wallet tells the outward part of the postcode only.
    const redacted = { locality, countryCode, postalCode: postalCode.split(" ")[0], administrativeArea };
    if (this.#request.shippingContactEditingMode === "storePickup") return;
    this.#ask("shippingcontact", "onshippingcontactselected", { shippingContact: redacted });
  }

  async #authorize() {
    if (this.#state !== "open" || this.#part("pay").disabled) return;
    this.#part("pay").disabled = true;
    this.#note("Paying…", true);
    const card = cards[this.#part("card").selectedIndex];
    const response = await fetch(new URL("applepay/sandbox/authorize", base), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      credentials: "omit",
      body: JSON.stringify({
        sheet: this.#sheet,
        session: this.#merchantSession,
        amount: this.#request.total.amount,
        currencyCode: this.#request.currencyCode,
        applicationData: this.#request.applicationData,
        accountNumber: card.number,
      }),
    }).catch(() => null);
    if (!response?.ok) {
      this.#fail("The device did not accept the merchant session.");
      return;
    }
    const token = await response.json();
    const contact = this.#contact();
    const { phoneNumber, emailAddress, ...billing } = contact;
    if (this.#state !== "open") return;
    this.#ask("paymentauthorized", "onpaymentauthorized", {
      payment: { token, shippingContact: contact, billingContact: billing },
    });
  }
}

if (!window.ApplePaySession) {
  window.ApplePaySession = ApplePaySessionStandIn;
  window.ApplePayError = ApplePayErrorStandIn;
}
