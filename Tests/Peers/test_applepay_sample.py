"""A merchant's page by other hands drives our routes: the script of Just Eat's ApplePayJSSample, read from where it is.

TILL_APPLEPAY_SAMPLE names the folder with its `js/site.js`. The page around it is ours, of another origin than the
counter, and `ApplePaySession` is the counter's simulator. Three things differ from our contract, and the page bridges
them, each alone, so that what happens without it is a test:

- `body`: the script posts `{validationUrl}`; ours is `{validationURL, basket}`. The header needs no bridge: its name
  and value are the page's to say, here those of the basket's proof.
- `data`: the script binds the token to application data of its own; ours come with the basket.
- `price`: the script makes the price of a shipping method itself; ours is the counter's, which has to know the choice.

The script posts its token nowhere, so the test takes it from the sheet's event and posts it as the shop's page does.
"""
import http.server
import json
import os
import pathlib
import threading

import pytest
from playwright.sync_api import expect
from test_applepay_app import BASKETS, check, opened

import counter
from applepay import Page, payments

VARIABLE = "TILL_APPLEPAY_SAMPLE"
JQUERY = pathlib.Path("/usr/share/javascript/jquery/jquery.min.js")
ORDER, WAIT = "1001", 30_000
BRIDGES = ("body", "data", "price")
ADA, GRACE = "Ada Lovelace, EC4M 7RF", "Grace Hopper, EC1A 9ZZ (in part)"

PAGE = """<!doctype html>
<html lang="en">
<title>Sample</title>
<meta name="x-antiforgery-name" content="X-Till-Basket-Proof">
<meta name="x-antiforgery-token" content="{proof}">
<meta name="payment-country-code" content="GB">
<meta name="payment-currency-code" content="GBP">
<meta name="apple-pay-merchant-id" content="{merchant}">
<meta name="apple-pay-store-name" content="Corner Bakery">
<link rel="merchant-validation" href="{url}/applepay/validate">
<style>.d-none {{ display: none }}</style>
<input id="amount" value="{goods}">
<div id="apple-pay-button" class="d-none">Pay</div>
<p class="apple-pay-error d-none"></p>
<div class="apple-pay-success d-none">
  <span class="card-name"></span>
  <div id="billing-contact"><b class="contact-name d-none"></b></div>
  <div id="shipping-contact">
    <b class="contact-name d-none"></b><a class="contact-email d-none"></a><a class="contact-telephone d-none"></a>
    <div class="contact-address d-none">
      <i class="contact-address-lines"></i><i class="contact-locality"></i><i class="contact-postal-code"></i>
    </div>
  </div>
</div>
<script>window.till = {till};</script>
<script defer src="/jquery.js"></script>
<script type="module" src="{url}/applepay/simulator.js"></script>
<script type="module" src="/bridge.js"></script>
<script defer src="/js/site.js"></script>
"""

# Between the script and the counter. What the script completes and is handed is kept in `heard`.
BRIDGE = """
const { url, basket, proof, applicationData, bridges } = window.till;
const heard = window.heard = { sessions: [], payments: [], updates: [] };

if (bridges.includes("body")) {
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (body) {
    const { validationUrl } = JSON.parse(body);
    send.call(this, JSON.stringify({ validationURL: validationUrl, basket }));
  };
}

async function tell(event) {
  const answer = await fetch(`${url}/applepay/basket/${basket}/update`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Till-Basket-Proof": proof },
    body: JSON.stringify({ event: "shippingmethod", identifier: event.shippingMethod.identifier }),
  });
  heard.updates.push(await answer.json());
}

window.ApplePaySession = class extends window.ApplePaySession {
  constructor(version, request) {
    super(version, bridges.includes("data") ? { ...request, applicationData } : request);
    this.#before("onpaymentauthorized", (event) => heard.payments.push(event.payment));
    if (bridges.includes("price")) this.#before("onshippingmethodselected", tell);
  }

  /** Does something before the script's own handler, in the same turn unless it has to be waited for. */
  #before(name, act) {
    let own = null;
    Object.defineProperty(this, name, {
      get: () => own && ((event) => {
        const done = act(event);
        if (done instanceof Promise) done.then(() => own.call(this, event));
        else own.call(this, event);
      }),
      set: (handler) => { own = handler; },
    });
  }

  completeMerchantValidation(session) {
    heard.sessions.push(session);
    super.completeMerchantValidation(session);
  }
};
"""

# What the script calls of jQuery, where Debian's (libjs-jquery) is not installed.
NO_JQUERY = """
window.$ = (what) => {
  const found = typeof what === "string" ? [...document.querySelectorAll(what)] : what;
  const all = (act) => (...given) => { found.forEach((element) => act(element, ...given)); return self; };
  const self = {
    val: () => found[0]?.value,
    attr: (name, value) => value === undefined
      ? found[0]?.getAttribute(name) ?? undefined : all((element) => element.setAttribute(name, value))(),
    text: all((element, text) => { if (text !== undefined) element.textContent = text; }),
    append: all((element, html) => element.insertAdjacentHTML("beforeend", html)),
    addClass: all((element, name) => element.classList.add(name)),
    removeClass: all((element, name) => element.classList.remove(name)),
    on: all((element, name, handler) => element.addEventListener(name, handler)),
    hide: all((element) => { element.style.display = "none"; }),
    find: (inner) => $(found.flatMap((element) => [...element.querySelectorAll(inner)])),
  };
  return self;
};
$.ajax = ({ url, method, contentType, data, headers }) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open(method, url);
  for (const [name, value] of Object.entries({ "Content-Type": contentType, ...headers })) {
    request.setRequestHeader(name, value);
  }
  request.onload = () => request.status < 300 ? resolve(JSON.parse(request.responseText)) : reject(request);
  request.onerror = () => reject(request);
  request.send(data);
});
"""


@pytest.fixture
def script():
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} names no folder with the sample's js/site.js")
    file = pathlib.Path(folder) / "js" / "site.js"
    assert file.exists(), f"{file} is not there"
    return file.read_bytes()


class Site:
    """The merchant's own server: an origin that is not the counter's, and a few files in memory."""

    def __init__(self, files):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = site.files.get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.files = files
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://localhost:{self.server.server_port}"


@pytest.fixture
def site(script):
    jquery = JQUERY.read_bytes() if JQUERY.exists() else NO_JQUERY.encode()
    site = Site({"/js/site.js": script, "/bridge.js": BRIDGE.encode(), "/jquery.js": jquery})
    yield site
    site.server.shutdown()


@pytest.fixture
def server(tmp_path, site):
    with counter.Server(tmp_path, "--provider", "sandbox", "--apple-pay-origin", site.origin) as running:
        yield running


class Sale:
    """A basket at the counter and the sample's page with it. The script adds the delivery of 0.01 by itself."""

    def __init__(self, server, site, page, bridges=BRIDGES):
        self.server, self.site, self.page = server, site, page
        self.basket = self.open(ORDER)
        self.shop = Page(server, basket=self.basket)
        till = {"url": server.url, "basket": self.basket, "proof": self.shop.sheet["proof"], "bridges": bridges,
                "applicationData": self.shop.sheet["request"]["applicationData"]}
        site.files["/"] = PAGE.format(
            url=server.url, proof=till["proof"], merchant="merchant.sandbox.till", goods="13.48",
            till=json.dumps(till)).encode()
        page.goto(site.origin + "/")

    def open(self, order):
        return opened(
            self.server, order=order, service="delivery", delivery="everywhere",
            items=[{"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": 449}],
            shipping_methods=[
                {"id": "delivery", "label": "Delivery", "detail": "Delivery to you", "amount": 1},
                {"id": "collection", "label": "Collection", "detail": "Collect from the store", "amount": 0}])

    def posted(self, path):
        return lambda answer: answer.request.method == "POST" and answer.url == self.server.url + path

    def begin(self):
        """Opens the sheet; returns it and the counter's answer to what the script asked for."""
        with self.page.expect_response(self.posted("/applepay/validate"), timeout=WAIT) as asked:
            self.page.locator("#apple-pay-button").click(timeout=WAIT)
        return self.page.get_by_role("dialog"), asked.value

    def authorize(self, method="Delivery", contact=ADA):
        """Drives the sheet until the script has the token; returns the session and the payment that it was handed."""
        sheet, answer = self.begin()
        assert answer.status == 200, answer.text()
        total = "13.49" if method == "Delivery" else "13.48"
        if method != "Delivery":
            sheet.get_by_label("Delivery").select_option(index=1)
        sheet.get_by_label("Deliver to").select_option(label=contact)
        expect(sheet).to_contain_text(f"Corner Bakery{total} GBP", timeout=WAIT)
        with self.page.expect_response(self.posted("/applepay/sandbox/authorize"), timeout=WAIT) as device:
            sheet.get_by_role("button", name="Authorise").click(timeout=WAIT)
        expect(self.page.locator(".apple-pay-success")).to_be_visible(timeout=WAIT)
        expect(sheet).to_have_count(0, timeout=WAIT)
        [session], [payment] = self.heard("sessions"), self.heard("payments")
        # The script has completed the sheet with the counter's answer, and its Apple has taken that for the token.
        assert session == answer.json() and device.value.request.post_data_json["session"] == session
        assert session["domainName"] == "localhost" and session["merchantSessionIdentifier"], session
        assert payment["token"] == device.value.json()
        return payment

    def heard(self, what):
        return self.page.evaluate("what => window.heard[what]", what)

    def post(self, payment, shop=None, version=None):
        """Pays as the page of a shop does, from its origin."""
        shop = shop or self.shop
        return shop.post("/applepay/payment", {
            **payment, "basket": shop.basket, "version": shop.version if version is None else version,
        }, Origin=self.site.origin)

    def unpaid(self):
        found = self.server.request("GET", f"{BASKETS}/{self.basket}").json()
        return found["state"] == "open" and not any(p["captured"] for p in payments(self.server))


def refused(answer, code):
    return answer.status_code == 422 and answer.json()["code"] == code


@pytest.mark.parametrize("method, total", [("Delivery", 1349), ("Collection", 1348)])
def test_the_sample_authorizes_a_payment_that_its_basket_takes_once(server, site, page, method, total):
    sale = Sale(server, site, page)
    payment = sale.authorize(method, GRACE)
    # The script shows what it was handed.
    expect(page.locator(".card-name")).to_have_text("Visa 0075")
    expect(page.locator("#billing-contact .contact-name")).to_have_text("Grace Hopper")
    there = page.locator("#shipping-contact")
    expect(there).to_contain_text("grace@example.com")
    expect(there.locator(".contact-address")).to_contain_text("EC1A 9ZZ")
    assert 'applepay_sessions_total{outcome="given"} 1\n' in server.request("GET", "/metrics").text
    version = None
    if method != "Delivery":
        [update] = sale.heard("updates")
        assert update["update"]["newTotal"]["amount"] == "13.48", update
        version = update["version"]

    other = Page(server, basket=sale.open("1002"))
    answer = sale.post(payment, other)
    assert refused(answer, "application_data"), answer.text
    assert sale.unpaid()

    paid = sale.post(payment, version=version)
    assert paid.status_code == 201 and paid.json()["amount"] == f"{total / 100:.2f}", paid.text
    again = sale.post(payment, version=version)
    assert again.status_code == 201 and again.json()["paymentId"] == paid.json()["paymentId"], again.text
    check(server, total, ORDER)
    assert not any(p["captured"] for p in payments(server, "1002"))
    contact = server.request("GET", f"{BASKETS}/{sale.basket}").json()["contact"]
    assert contact["name"] == "Grace Hopper" and contact["address"]["postal_code"] == "EC1A 9ZZ", contact


def test_what_the_sample_posts_by_itself_is_refused_by_name(server, site, page):
    sale = Sale(server, site, page, bridges=[])
    sheet, answer = sale.begin()
    # Method, content type and header have passed the browser's check and the counter's; the body names no basket.
    assert answer.request.post_data_json == {
        "validationUrl": "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"}
    assert answer.status == 422 and answer.json()["errors"][0]["field"] == "basket", answer.text()
    expect(sheet.get_by_role("button", name="Authorise")).to_be_disabled()
    assert sale.heard("sessions") == [] and sale.unpaid()


@pytest.mark.parametrize("method, bridges, code", [
    ("Delivery", ["body"], "application_data"),
    ("Collection", ["body", "data"], "amount"),
])
def test_a_token_of_the_samples_own_making_pays_nothing(server, site, page, method, bridges, code):
    """Its application data are no basket's; its price is not that of the counter, which was not told of the choice."""
    sale = Sale(server, site, page, bridges)
    answer = sale.post(sale.authorize(method))
    assert refused(answer, code), answer.text
    assert sale.unpaid()
