"""Stand-ins for the scripts of Stripe, Braintree and PayPal in a browser: at the providers' own addresses, which
Playwright answers, so that the counter's policy is the real one. The fields are in frames of the providers' origins;
their frame of the card number reads the others, and sends the card to the provider's stand-in, as the providers' do.
"""
import json
import urllib.parse

import requests
from test_card_tokens import method

from braintree_shop import nonce

# A field of one provider: `#kind&origin` says which, and whom it speaks to.
FIELD = """<!doctype html><html lang="en"><title>Field</title><style>input { width: 95%; border: 0 }</style>
<input autocomplete="off">
<script>
  const given = new URLSearchParams(location.hash.slice(1));
  const [kind, around] = [given.get("kind"), given.get("around")];
  const input = document.querySelector("input");
  input.setAttribute("aria-label", { number: "Card number", expires: "Expires", code: "Security code" }[kind]);
  const tell = (message) => parent.postMessage({ ...message, kind }, around);
  const digits = () => input.value.replace(/\\D/g, "");
  const least = { number: 15, expires: 4, code: 3 };
  input.addEventListener("input", () => tell({ say: "change", complete: digits().length >= least[kind] }));
  window.value = () => digits();
  addEventListener("message", async (event) => {
    if (event.source !== parent || event.origin !== around) return;
    if (event.data.do === "focus") return input.focus();
    if (event.data.do === "clear") return void (input.value = "");
    const card = { ...event.data.more };
    for (let at = 0; at < parent.frames.length; at++) {
      try { card[parent.frames[at].kindOf()] = parent.frames[at].value(); } catch { /* Of another origin. */ }
    }
    const answer = await fetch("TOKENS", { method: "POST", body: JSON.stringify(card) });
    tell({ say: "reference", ...(await answer.json()) });
  });
  window.kindOf = () => kind;
  tell({ say: "ready" });
</script>"""

# What both scripts do with the frames of their fields.
COMMON = """
  const frames = {}, hear = {};
  let answered = () => {};
  function place(kind, container) {
    const frame = document.createElement("iframe");
    frame.src = "FRAME#" + new URLSearchParams({ kind, around: location.origin });
    frame.height = "22";
    frame.style.border = "0";
    frames[kind] = frame;
    document.querySelector(container).append(frame);
    return new Promise((done) => { (hear[kind] ??= {}).ready = done; });
  }
  addEventListener("message", (event) => {
    const kind = Object.keys(frames).find((kind) => event.source === frames[kind].contentWindow);
    if (!kind || event.origin !== new URL("FRAME").origin) return;
    if (event.data.say === "ready") hear[kind].ready?.();
    if (event.data.say === "change") hear[kind].change?.(event.data);
    if (event.data.say === "reference") answered(event.data);
  });
  const send = (kind, message) => frames[kind].contentWindow.postMessage(message, new URL("FRAME").origin);
  const reference = (more = {}) => new Promise((done) => {
    answered = done;
    send("number", { do: "reference", more });
  });
"""

STRIPE = "(() => {" + COMMON + """
  const kinds = { cardNumber: "number", cardExpiry: "expires", cardCvc: "code" };
  window.Stripe = (key) => ({
    elements: ({ locale }) => ({
      create: (name) => {
        window.fieldsLocale = locale;
        const kind = kinds[name], told = {};
        const brand = kind === "number" ? "visa" : undefined;
        hear[kind] = { change: ({ complete }) => told.change?.({ complete, error: undefined, brand }) };
        return {
          on: (event, heard) => { told[event] = heard; },
          mount: (container) => void place(kind, container).then(() => told.ready?.()),
          clear: () => send(kind, { do: "clear" }), focus: () => send(kind, { do: "focus" }),
        };
      },
    }),
    createPaymentMethod: async ({ type, card }) => {
      if (!key.startsWith("pk_test_") || type !== "card" || !card) throw new Error("not as Stripe wants it");
      const { token, message } = await reference();
      return token ? { paymentMethod: { id: token } } : { error: { type: "card_error", message } };
    },
  });
})();"""

# Each of Braintree's scripts may be the first that is there.
CLIENT = """(window.braintree ??= {}).client = { create: async ({ authorization }) => {
  if (JSON.parse(atob(authorization)).merchantAccountId !== "sandbox") throw new Error("not the account");
  return { authorization };
} };"""

HOSTED_FIELDS = "(() => {" + COMMON + """
  const kinds = { number: "number", expirationDate: "expires", cvv: "code" };
  (window.braintree ??= {}).hostedFields = { create: async ({ client, fields }) => {
    if (!client.authorization) throw new Error("no client");
    const heard = {};
    await Promise.all(Object.entries(fields).map(([name, { container }]) => {
      hear[kinds[name]] = { change: ({ complete }) => heard.validityChange?.({
        emittedBy: name, fields: { [name]: { isValid: complete, isPotentiallyValid: true } } }) };
      return place(kinds[name], container);
    }));
    return {
      on: (event, told) => { heard[event] = told; },
      clear: (name) => send(kinds[name], { do: "clear" }), focus: (name) => send(kinds[name], { do: "focus" }),
      tokenize: async () => {
        const { token, message, bin } = await reference();
        if (!token) throw Object.assign(new Error(message), { type: "CUSTOMER" });
        return { nonce: token, details: { bin } };
      },
    };
  } };
})();"""

# Has the bank ask about a nonce, in a frame that the page puts where it likes.
THREE_D_SECURE = """(() => {
  (window.braintree ??= {}).threeDSecure = { create: async ({ client, version }) => {
    if (!client.authorization || version !== "2-inline-iframe") throw new Error("not as Braintree wants it");
    const heard = {};
    return {
      on: (event, told) => { heard[event] = told; },
      verifyCard: async ({ amount, nonce, bin }) => {
        const isAmount = /^[0-9]+([.][0-9]+)?$/.test(amount);
        if (!isAmount || !nonce || !/^[0-9]{6}$/.test(bin)) throw new Error("an option is missing");
        await new Promise((next) => heard["lookup-complete"]({ requiresUserAuthentication: true }, next));
        const frame = document.createElement("iframe");
        frame.title = "Question";
        frame.src = "QUESTION#" + new URLSearchParams({ nonce, amount, around: location.origin });
        const answered = new Promise((done) => addEventListener("message", function told(event) {
          if (event.source !== frame.contentWindow || event.origin !== new URL("FRAME").origin) return;
          removeEventListener("message", told);
          done(event.data);
        }));
        await new Promise((next) => heard["authentication-iframe-available"]({ element: frame }, next));
        const { answer, ...payload } = await answered;
        const code = "THREEDS_CARDINAL_SDK_CANCELED";
        if (answer === "leave") throw Object.assign(new Error("Canceled by user."), { type: "CUSTOMER", code });
        return payload;
      },
    };
  } };
})();"""

# The bank's question about a nonce, in a frame of Braintree's.
VERIFICATION = """<!doctype html><html lang="en"><title>Question</title>
<button value="confirm">Confirm</button><button value="refuse">Refuse</button><button value="leave">Leave</button>
<script>
  const given = new URLSearchParams(location.hash.slice(1));
  for (const button of document.querySelectorAll("button")) {
    button.addEventListener("click", async () => {
      const answer = button.value;
      const body = JSON.stringify({ nonce: given.get("nonce"), amount: given.get("amount"), answer });
      const made = answer === "leave" ? {} : await (await fetch("ANSWERS", { method: "POST", body })).json();
      parent.postMessage({ answer, ...made }, given.get("around"));
    });
  }
</script>"""


# PayPal's fields attach the card to an order of the counter's, and show the bank's question by themselves, over the
# page. What the script writes into the page is marked with the nonce of its own tag.
PAYPAL = "(() => {" + COMMON + """
  const given = new URL(document.currentScript.src).searchParams;
  const style = document.createElement("style");
  style.nonce = document.currentScript.dataset.cspNonce;
  style.textContent = ".paypal-question { position: fixed; inset: 0; width: 100%; height: 100%; border: 0; }";
  document.head.append(style);
  function ask(order) {
    const frame = document.createElement("iframe");
    frame.className = "paypal-question";
    frame.title = "Question";
    frame.src = "QUESTION#" + new URLSearchParams({ order, around: location.origin });
    document.body.append(frame);
    return new Promise((done) => addEventListener("message", function heard(event) {
      if (event.source !== frame.contentWindow || event.origin !== new URL("FRAME").origin) return;
      removeEventListener("message", heard);
      frame.remove();
      done(event.data.answer);
    }));
  }
  window.paypal = { CardFields: ({ createOrder, onApprove, onCancel, onError, inputEvents }) => {
    const states = {};
    const names = { number: "cardNumberField", expires: "cardExpiryField", code: "cardCvvField" };
    const field = (kind) => () => {
      states[names[kind]] = { isValid: false, isPotentiallyValid: true };
      hear[kind] = { change: ({ complete }) => {
        states[names[kind]] = { isValid: complete, isPotentiallyValid: true };
        inputEvents.onChange({ emittedBy: kind, fields: states, cards: [{ niceType: "Visa", type: "visa" }] });
      } };
      return {
        render: (container) => place(kind, container),
        clear: async () => send(kind, { do: "clear" }), focus: async () => send(kind, { do: "focus" }),
      };
    };
    return {
      isEligible: () => given.get("client-id") !== "" && given.get("components") === "card-fields"
        && given.get("currency") === "EUR" && ["capture", "authorize"].includes(given.get("intent"))
        && /^[a-z]{2}_[A-Z]{2}$/.test(given.get("locale")),
      NumberField: field("number"), ExpiryField: field("expires"), CVVField: field("code"),
      async submit() {
        try {
          const order = await createOrder();
          const { token, message } = await reference({ order });
          if (!token) throw new Error(message);
          let liabilityShift;
          if (token === "PAYER_ACTION_REQUIRED" && !SILENT) {
            const answer = await ask(order);
            if (answer === "leave") return void onCancel();
            liabilityShift = answer === "confirm" ? "POSSIBLE" : "NO";
          }
          await onApprove({ orderID: order, liabilityShift });
        } catch (error) {
          onError(error);
          throw error;
        }
      },
    };
  } };
})();"""

# The bank's question, in a frame of PayPal's. A customer may also leave it.
QUESTION = """<!doctype html><html lang="en"><title>Question</title>
<button value="confirm">Confirm</button><button value="refuse">Refuse</button><button value="leave">Leave</button>
<script>
  const given = new URLSearchParams(location.hash.slice(1));
  for (const button of document.querySelectorAll("button")) {
    button.addEventListener("click", async () => {
      const answer = button.value;
      const body = JSON.stringify({ order: given.get("order"), answer });
      if (answer !== "leave") await fetch("ANSWERS", { method: "POST", body });
      parent.postMessage({ answer }, given.get("around"));
    });
  }
</script>"""


class Provider:
    """A provider's script, its frames, and its way to the stand-in that makes references."""

    def __init__(self, scripts, frame, tokens, make):
        self.scripts, self.frame, self.tokens, self.make = scripts, frame, tokens, make
        self.origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(frame))
        self.is_down, self.hangs, self.loaded, self.waiting = False, False, [], []

    def serve(self, context):
        """Answers for the provider in a browser's context. Whatever else leaves this machine is refused."""
        context.route(lambda url: not url.startswith(("http://127.0.0.1", "http://localhost")), self.answer)

    def mend(self):
        """Ends what was wrong, and with it what waits for an answer."""
        self.is_down = self.hangs = False
        while self.waiting:
            self.waiting.pop().abort()

    def answer(self, route):
        url = self.address(route)
        self.loaded.append(url)
        if url in self.scripts and self.hangs:
            self.waiting.append(route)
        elif url in self.scripts and not self.is_down:
            route.fulfill(content_type="text/javascript", body=self.script(url))
        elif url == self.frame:
            route.fulfill(content_type="text/html", body=FIELD.replace("TOKENS", self.tokens))
        elif url == self.tokens:
            card = json.loads(route.request.post_data)
            route.fulfill(
                content_type="application/json", headers={"Access-Control-Allow-Origin": self.origin},
                body=json.dumps(self.made(card)))
        else:
            route.abort()

    def address(self, route):
        return route.request.url.split("#")[0]

    def script(self, url):
        return self.scripts[url].replace("FRAME", self.frame)

    def made(self, card):
        if set(card) != {"number", "expires", "code"}:
            return {"message": f"fields are missing: {sorted(card)}"}
        try:
            return {"token": self.make(card["number"])}
        except Exception:  # the stand-in refuses the number, in a way of its own library
            return {"message": "Your card number is invalid."}


def stripe(sandbox):
    return Provider(
        {"https://js.stripe.com/v3/": STRIPE}, "https://js.stripe.com/v3/field.html",
        "https://api.stripe.com/v1/payment_methods", lambda number: method(sandbox, number))


class Braintree(Provider):
    """Braintree: the fields make a nonce, and where banks are asked, another one with the bank's answer."""

    BASE = "https://js.braintreegateway.com/web/3.136.0/js"
    ASSETS = "https://assets.braintreegateway.com/web/3.136.0/html"
    MODULE = f"{BASE}/three-d-secure.min.js"

    def __init__(self, url):
        super().__init__(
            {f"{self.BASE}/client.min.js": CLIENT, f"{self.BASE}/hosted-fields.min.js": HOSTED_FIELDS,
             self.MODULE: THREE_D_SECURE},
            f"{self.ASSETS}/field.html", "https://payments.sandbox.braintree-api.com/graphql",
            lambda number: nonce(url, number))
        self.url, self.question, self.answers = url, f"{self.ASSETS}/question.html", f"{self.ASSETS}/answers"
        # What the bank is asked about instead of the amount that the page says.
        self.other_amount = None

    def script(self, url):
        return super().script(url).replace("QUESTION", self.question)

    def answer(self, route):
        url = self.address(route)
        if url == self.question:
            route.fulfill(content_type="text/html", body=VERIFICATION.replace("ANSWERS", self.answers))
        elif url == self.answers:
            said = json.loads(route.request.post_data)
            if self.other_amount:
                said["amount"] = self.other_amount
            made = requests.post(f"{self.url}/_sandbox/verify", json=said, timeout=10)
            route.fulfill(content_type="application/json", body=made.text)
        else:
            super().answer(route)

    def made(self, card):
        made = super().made(card)
        return {**made, "bin": card["number"][:6]} if "token" in made else made


def braintree(url):
    return Braintree(url)


class PayPal(Provider):
    """PayPal: the card goes from the browser to PayPal, with the client id alone, and PayPal shows the bank's page."""

    BASE = "https://www.paypal.com"
    # What the sandbox makes of a card says the name on it; these fields have none.
    HOLDERS = {
        "4005519200000004": "CCREJECT-REFUSED", "4012000033330026": "SCA-REQUIRED", "4012888888881881": "SCA-CREATED",
    }

    def __init__(self, url):
        super().__init__(
            {f"{self.BASE}/sdk/js": PAYPAL}, f"{self.BASE}/card/field.html", f"{self.BASE}/graphql", None)
        self.url, self.question, self.answers = url, f"{self.BASE}/question.html", f"{self.BASE}/answers"
        # A silent script shows no bank's question.
        self.orders, self.is_lost, self.is_silent = [], False, False

    def address(self, route):
        """The script's address has the client id, the currency and the intent."""
        return super().address(route).split("?")[0]

    def script(self, url):
        script = super().script(url).replace("QUESTION", self.question)
        return script.replace("SILENT", "true" if self.is_silent else "false")

    def answer(self, route):
        url = self.address(route)
        if url == self.question:
            route.fulfill(content_type="text/html", body=QUESTION.replace("ANSWERS", self.answers))
        elif url == self.answers:
            said = json.loads(route.request.post_data)
            requests.post(
                f"{self.url}/_sandbox/challenge/{said['order']}", data={"answer": said["answer"]},
                allow_redirects=False, timeout=10)
            route.fulfill(content_type="application/json", body="{}")
        else:
            super().answer(route)

    def made(self, card):
        if set(card) != {"number", "expires", "code", "order"}:
            return {"message": f"fields are missing: {sorted(card)}"}
        self.orders.append(card["order"])
        source = {
            "number": card["number"], "expiry": f"20{card['expires'][2:]}-{card['expires'][:2]}",
            "security_code": card["code"], "name": self.HOLDERS.get(card["number"], "Ada Byron"),
        }
        answer = requests.post(
            f"{self.url}/v2/checkout/orders/{card['order']}/confirm-payment-source", auth=("client", ""),
            json={"payment_source": {"card": source}}, timeout=10)
        if self.is_lost:
            return {"message": "Network request failed"}
        return {"token": answer.json()["status"]} if answer.ok else {"message": answer.text}


def paypal(url):
    return PayPal(url)
