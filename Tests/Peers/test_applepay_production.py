"""Apple Pay in production, rehearsed as a whole: the certificates that a shop requests and an Apple of other hands
issues, a counter that sells with them, and their renewal while it runs. Nothing of the demo shop is used."""
import base64
import functools
import hashlib
import http.server
import json
import os
import re
import threading

import pytest
import requests
from test_applepay_token import Site, faults
from test_applepay_walk import asked, request

import counter
import paypal
from applepay import CONTACT, payments
from applepay_synth import SESSION_PATH, Apple, Gateway

WAIT = 30_000
DOMAIN, MERCHANT, OTHER = "shop.example", "merchant.com.shop.example", "merchant.com.other.example"
ASSOCIATION = "/.well-known/apple-developer-merchantid-domain-association"
VALIDATION = "https://apple-pay-gateway.apple.com/paymentservices/startSession"
BASKETS = "/v1/applepay/baskets"
PRICE = 1349
# Settings are read again within thirty seconds; a busy machine takes longer.
READ_AGAIN = 75


class Shop:
    """A shop on its way to production: its files, its account at Apple, and its counter."""

    def __init__(self, folder, *provider, env=None):
        """`provider` are the options of the counter's provider."""
        self.folder, self.file, self.apple = folder, folder / "settings.json", Apple()
        self.gateway = Gateway(self.apple, folder)
        # As it was downloaded, also where it is no text.
        self.association = os.urandom(64) + b"\r\n\x00"
        (folder / "association.txt").write_bytes(self.association)
        self.server = counter.Server(
            folder, *provider, "--apple-pay", self.file, "--apple-pay-stand-in", self.gateway.port,
            "--apple-pay-root", self.gateway.root, env=env)

    def certificate(self, purpose, name, merchant=MERCHANT, apple=None):
        """What Apple issues for a request of the till, in DER; the pair is in the folder of this name."""
        made = request(purpose, self.folder / name)
        assert made.code == 0, made
        issued = (apple or self.apple).issue(asked(self.folder / name, purpose), purpose, merchant)
        (self.folder / name / f"{purpose}.cer").write_bytes(issued)
        return issued

    @staticmethod
    def pair(purpose, name):
        return {"certificate": f"{name}/{purpose}.cer", "key": f"{name}/{purpose}.key"}

    def domain(self, name=DOMAIN, merchant=MERCHANT, identity="2026", **more):
        return {"name": name, "merchant": merchant, "association": "association.txt",
                "identities": [self.pair("identity", identity)], **more}

    def set(self, *processing, domains=None):
        """Writes the settings with the processing certificates of these folders, at once as an editor does."""
        new = self.folder / "settings.new"
        new.write_text(json.dumps({
            "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP",
            "apple_script": False, "domains": domains or [self.domain()],
            "processing": [self.pair("processing", name) for name in processing]}))
        new.replace(self.file)

    def verify(self, domain=DOMAIN, merchant=MERCHANT):
        """The button Verify at Apple: the domain serves the file that Apple gave, byte for byte."""
        for path in (ASSOCIATION, ASSOCIATION + ".txt"):
            answer = requests.get(
                self.server.url + path, headers={"Host": domain}, timeout=10, allow_redirects=False)
            assert (answer.status_code, answer.content) == (200, self.association), answer
        self.gateway.domains.add((merchant, domain))

    def doctor(self, *more):
        return counter.till(
            "applepay", "doctor", "--settings", self.file, "--probe", Site(self.association).url,
            "--apple-pay-stand-in", self.gateway.port, "--apple-pay-root", self.gateway.root, "--json", *more)

    def metrics(self):
        return self.server.request("GET", "/metrics").text

    def keys(self):
        """How many processing certificates the counter has in use."""
        return len(re.findall(r'^applepay_certificate_days_left\{kind="processing"', self.metrics(), re.MULTILINE))


@pytest.fixture
def shop(tmp_path, stand_in):
    shop = Shop(
        tmp_path, "--provider", "paypal", "--paypal-url", stand_in,
        env={"TILL_PAYPAL_CLIENT_ID": "client", "TILL_PAYPAL_SECRET": "secret"})
    yield shop
    shop.gateway.close()


class Page:
    """A page of a domain with the basket of an order, as it comes to the counter through the shop's proxy."""

    def __init__(self, shop, order, domain=DOMAIN):
        self.shop, self.url = shop, shop.server.url
        made = shop.server.request("POST", BASKETS, goods(order))
        assert made.status_code == 201, made.text
        self.basket = made.json()["id"]
        self.headers = {"Host": domain, "Origin": f"https://{domain}"}
        self.sheet = self.get("/applepay/basket/" + self.basket)

    def get(self, path):
        answer = requests.get(self.url + path, headers=self.headers, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path, body):
        headers = {**self.headers, "X-Till-Basket-Proof": self.sheet["proof"]}
        return requests.post(self.url + path, json={"basket": self.basket, **body}, headers=headers, timeout=40)

    def session(self):
        return self.post("/applepay/validate", {"validationURL": VALIDATION})

    def pay(self, certificate, merchant=MERCHANT):
        """Pays with a token that is encrypted to a certificate, for a merchant."""
        sheet = self.sheet["request"]
        token = self.shop.apple.token(certificate, merchant, PRICE, base64.b64decode(sheet["applicationData"]))
        return self.post("/applepay/payment", {
            "version": self.sheet["version"], "token": token, "total": sheet["total"]["amount"],
            "currency": sheet["currencyCode"], "shippingContact": CONTACT})


def goods(order, currency="GBP"):
    return {"order_id": order, "amount": PRICE, "currency": currency, "items": [
        {"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": 450}]}


def sold(page, order, certificate):
    """The payment of an order that was paid with a token for this certificate."""
    answer = page.pay(certificate)
    assert answer.status_code == 201 and answer.json()["status"] == "placed", answer.text
    [payment] = payments(page.shop.server, order)
    assert (payment["id"], payment["captured"]) == (answer.json()["paymentId"], PRICE), payment
    return payment


def refused(answer, code):
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text


def test_the_whole_way_from_the_request_to_a_sale_and_over_a_renewal(shop, stand_in):
    shop.certificate("identity", "2026")
    first = shop.certificate("processing", "2026")
    shop.set("2026")
    with shop.server as server:
        page = Page(shop, "o-1")
        metadata = page.get("/applepay/metadata")
        assert (metadata["enabled"], metadata["reason"], metadata["simulator"]) == (True, None, None), metadata
        assert metadata["merchantIdentifier"] == MERCHANT

        # Apple gives no session for a domain that it has not verified.
        early = page.session()
        assert (early.status_code, early.json()["code"]) == (502, "apple_refused"), early.text
        ill = shop.doctor()
        assert ill.code == 1 and faults(ill) == {"session_refused"} and "417" in ill.out, ill
        shop.verify()
        healthy = shop.doctor()
        assert healthy.code == 0 and not faults(healthy), healthy
        assert json.loads(shop.gateway.given[-1])["domainName"] == DOMAIN
        session = page.session()
        assert (session.status_code, session.content) == (200, shop.gateway.given[-1]), session.text
        assert shop.gateway.asked[-1] == (MERCHANT, {
            "merchantIdentifier": MERCHANT, "displayName": "Shop", "initiative": "web", "initiativeContext": DOMAIN})

        sale = sold(page, "o-1", first)
        assert (sale["status"], sale["currency"]) == ("succeeded", "GBP")
        back = server.request("POST", f"/v1/payments/{sale['id']}/refunds", {"amount": 449}, "refund-o-1")
        assert back.status_code in (200, 201, 202), back.text
        shown = functools.partial(server.request, "GET", f"/v1/payments/{sale['id']}")
        assert counter.until(lambda: shown().json()["refunded"] == 449), shown().text
        assert [(c["captured"], c["refunded"]) for c in paypal.ledger(stand_in)] == [(PRICE, 449)]
        assert server.request("GET", f"{BASKETS}/{page.basket}").json()["state"] == "paid"

        # A certificate that Apple would use before the settings have it stops the shop.
        second = shop.certificate("processing", "2028")
        page = Page(shop, "o-2")
        refused(page.pay(second), "unknown_key")
        shop.set("2026", "2028")
        assert counter.until(lambda: shop.keys() == 2, READ_AGAIN)
        sold(page, "o-2", second)
        sold(Page(shop, "o-3"), "o-3", first)

        shop.set("2028")
        assert counter.until(lambda: shop.keys() == 1, READ_AGAIN)
        page = Page(shop, "o-4")
        refused(page.pay(first), "unknown_key")
        assert payments(server, "o-4") == []
        sold(page, "o-4", second)
        assert 'applepay_tokens_total{outcome="unknown_key"} 2\n' in shop.metrics()
        assert [c["captured"] for c in paypal.ledger(stand_in)] == [PRICE] * 4


def test_a_token_for_another_merchant_pays_nothing(shop, stand_in):
    """Also where the counter has that merchant's key, because it sells for both."""
    for name, merchant in (("2026", MERCHANT), ("other", OTHER)):
        shop.certificate("identity", name, merchant)
    own = shop.certificate("processing", "2026")
    other = shop.certificate("processing", "other", OTHER)
    shop.set("2026", "other", domains=[shop.domain(), shop.domain("other.example", OTHER, "other")])
    with shop.server as server:
        page = Page(shop, "o-1")
        refused(page.pay(other, OTHER), "merchant")
        # The key is derived from the merchant's name, so that a token for another name opens with no key of ours.
        refused(page.pay(own, OTHER), "decryption")
        assert payments(server, "o-1") == [] and paypal.ledger(stand_in) == []
        sold(page, "o-1", own)
        answer = Page(shop, "o-2", "other.example").pay(other, OTHER)
        assert answer.status_code == 201, answer.text


def test_a_page_of_another_host_gets_a_session_for_that_host(shop):
    """The documented shop: its domain is shop.example, and its pages are on www.shop.example, too."""
    www = "www." + DOMAIN
    shop.certificate("identity", "2026")
    shop.certificate("processing", "2026")
    shop.set("2026", domains=[shop.domain(origins=[f"https://{www}"])])
    with shop.server:
        # Apple has verified the domain alone; then the other host, too, which serves the same file.
        shop.verify()
        page = Page(shop, "o-1", www)
        early = page.session()
        assert (early.status_code, early.json()["code"]) == (502, "apple_refused"), early.text
        shop.verify(www)
        own = Page(shop, "o-2")
        # A counter on a host of its own is asked across origins.
        across = Page(shop, "o-3", www)
        across.headers["Host"] = "till.example"
        for asking, host in ((page, www), (own, DOMAIN), (across, www)):
            session = asking.session()
            assert (session.status_code, session.json().get("domainName")) == (200, host), session.text
        assert [asked["initiativeContext"] for _, asked in shop.gateway.asked] == [www, www, DOMAIN, www]
        elsewhere = requests.get(shop.server.url + ASSOCIATION, headers={"Host": "evil." + DOMAIN}, timeout=10)
        assert elsewhere.status_code in (404, 421), elsewhere.text


@pytest.mark.parametrize("more, named", [
    ({"country": "UK"}, "country: UK"), ({"country": "gb"}, "country: gb"), ({"networks": []}, "networks"),
    ({"domains": [{"name": DOMAIN, "merchant": MERCHANT, "country": "UK"}]}, "country of shop.example: UK"),
    ({"domains": [{"name": DOMAIN, "merchant": MERCHANT, "networks": []}]}, "networks of a domain"),
])
def test_settings_with_which_no_browser_opens_a_sheet_are_refused_at_the_start(tmp_path, more, named):
    (tmp_path / "settings.json").write_text(json.dumps({
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP", "domains": [],
        **more}))
    ran = counter.till(
        "serve", "--journal", tmp_path / "journal.db", "--port", "0", "--json", "--provider", "sandbox",
        "--apple-pay", tmp_path / "settings.json")
    assert ran.code != 0 and ran.json["error"]["code"] == "applepay_settings", ran
    assert named in json.dumps(ran.json), ran


@pytest.mark.parametrize("identity", ["none", "ended"])
def test_an_app_sells_on_without_a_merchant_identity_and_pages_do_not(shop, stand_in, identity):
    processing = shop.certificate("processing", "2026")
    domain, identities = {"name": DOMAIN, "merchant": MERCHANT}, []
    if identity == "ended":
        made = counter.till("applepay", "synthesize", "--out", shop.folder / "old", "--merchant", MERCHANT,
                            "--at", "2023-01-01T00:00:00Z")
        assert made.code == 0, made
        identities = [{"certificate": "old/identity.pem", "key": "old/identity.key"}]
    shop.set("2026", domains=[{**domain, "identities": identities}])
    with shop.server as server:
        page = Page(shop, "o-1")
        metadata = page.get("/applepay/metadata")
        reason = "identity_missing" if identity == "none" else "identity_ended"
        assert (metadata["enabled"], metadata["reason"]) == (False, reason), metadata
        assert page.session().json()["code"] == "no_merchant_identity"
        # An app needs no session: its entitlements name the merchant.
        sold(page, "o-1", processing)
        told = {notice["code"]: notice for notice in server.request("GET", "/v1/attention").json()["setup"]}
        assert set(told) == {reason} and "apps" in told[reason]["reason"].lower(), told
    examined = counter.till(
        "applepay", "doctor", "--settings", shop.file, "--probe", Site(shop.association).url, "--without-session",
        "--json")
    found = {finding["code"]: finding["verdict"] for finding in examined.json["findings"]}
    if identity == "none":
        assert examined.code == 0 and found["identity_missing"] == "warning", examined
    else:
        assert examined.code == 1 and found["identity_expired"] == "fault", examined


def test_the_gateway_gives_sessions_to_the_issued_certificate_alone(shop):
    shop.certificate("identity", "2026")
    shop.certificate("processing", "2026")
    shop.certificate("identity", "other", OTHER)
    shop.certificate("identity", "forged", apple=Apple())
    expected = {
        "2026": (200, None), "other": (502, "apple_refused"), "forged": (502, "apple_unreachable"),
    }
    shop.set("2026", domains=[shop.domain(f"d-{name}.example", identity=name) for name in expected])
    with shop.server:
        for name, (status, code) in expected.items():
            domain = f"d-{name}.example"
            shop.verify(domain)
            answer = Page(shop, "o-" + name, domain).session()
            assert (answer.status_code, answer.json().get("code")) == (status, code), answer.text
        assert len(shop.gateway.given) == 1
        metrics = shop.metrics()
        for outcome in ("given", "apple_417", "apple_unreachable"):
            assert f'applepay_sessions_total{{outcome="{outcome}"}} 1\n' in metrics, metrics
    with pytest.raises(requests.ConnectionError):
        requests.post(
            f"https://127.0.0.1:{shop.gateway.port}{SESSION_PATH}", json={}, verify=str(shop.gateway.root), timeout=10)
    assert len(shop.gateway.given) == 1


def test_the_doctor_asks_for_a_session_for_each_host_and_names_what_apple_refuses(shop):
    for name, merchant, apple in (("2026", MERCHANT, None), ("other", OTHER, None), ("forged", MERCHANT, Apple())):
        shop.certificate("identity", name, merchant, apple)
        shop.certificate("processing", name, merchant, apple)
    shop.set("2026", domains=[shop.domain(origins=["https://www.shop.example"])])
    shop.gateway.domains.add((MERCHANT, DOMAIN))
    half = shop.doctor()
    assert half.code == 1 and faults(half) == {"session_refused"}, half
    [text] = [f["text"] for f in half.json["findings"] if f["code"] == "session_refused"]
    assert "www.shop.example" in text and "417" in text
    shop.gateway.domains.add((MERCHANT, "www." + DOMAIN))
    healthy = shop.doctor()
    assert healthy.code == 0 and not faults(healthy), healthy
    assert [a["initiativeContext"] for _, a in shop.gateway.asked[-2:]] in (
        [DOMAIN, "www." + DOMAIN], ["www." + DOMAIN, DOMAIN])
    # What no look at the files can tell: another authority's certificate.
    shop.set("2026", domains=[shop.domain(identity="forged")])
    forged = shop.doctor()
    assert forged.code == 1 and faults(forged) & {"session_handshake", "session_unreachable"}, forged
    # Without a network.
    shop.set("2026")
    asked = len(shop.gateway.asked)
    shop.gateway.close()
    gone = shop.doctor()
    assert gone.code == 1 and faults(gone) & {"session_unreachable", "session_handshake"}, gone
    left = counter.till("applepay", "doctor", "--settings", shop.file, "--probe", Site(shop.association).url,
                        "--without-session", "--json")
    assert left.code == 0 and not faults(left) and len(shop.gateway.asked) == asked, left
    assert "session_omitted" in {f["code"] for f in left.json["findings"]}
    both = shop.doctor("--without-session")
    assert both.code == 1 and both.json["error"]["code"] == "stand_in_incomplete", both


@pytest.mark.parametrize("status, error", [
    (400, {"type": "invalid_request_error", "code": "parameter_unknown", "param": "card[cryptogram]"}),
    (402, {"type": "invalid_request_error", "message": "Sending such card data is not enabled for this account."}),
])
def test_an_account_that_is_not_open_for_the_tokens_is_told_to_staff_and_no_card_is_blamed(
        tmp_path, sandbox, status, error):
    proxy = paypal.Proxy(sandbox.url)
    shop = Shop(tmp_path, "--provider", "stripe", "--stripe-url", proxy.url, "--stripe-key", sandbox.key)
    shop.certificate("identity", "2026")
    certificate = shop.certificate("processing", "2026")
    shop.set("2026")

    def notices():
        answer = shop.server.request("GET", "/v1/attention")
        assert answer.status_code == 200, answer.text
        return {notice["code"]: notice for notice in answer.json()["setup"]}

    with shop.server as server:
        assert "provider_refuses" not in notices()
        proxy.answers["/v1/tokens"] = (status, {"error": error})
        page = Page(shop, "o-1")
        answer = page.pay(certificate)
        assert (answer.status_code, answer.json()["moneyMoved"]) == (402, "no"), answer.text
        [told] = [e["message"] for e in answer.json()["errors"]]
        assert "This shop cannot take Apple Pay now" in told and "declined" not in told
        notice = notices()["provider_refuses"]
        assert notice["since"] and "stripe" in notice["reason"] and "Ask the provider" in notice["next"], notice
        assert error.get("code", "") in notice["reason"]
        assert "its account is not open" in server.request("GET", "/v1/settings/health").text
        # Open now: a sale ends the notice.
        del proxy.answers["/v1/tokens"]
        sold(Page(shop, "o-2"), "o-2", certificate)
        assert "provider_refuses" not in notices()
    proxy.close()
    shop.gateway.close()


def test_what_apple_tells_of_any_merchants_token_is_fetched_with_its_own_certificate(shop):
    for name, merchant in (("2026", MERCHANT), ("other", OTHER)):
        shop.certificate("identity", name, merchant)
    shop.certificate("processing", "2026")
    shop.set("2026", domains=[shop.domain(), shop.domain("other.example", OTHER, "other")])
    ended = {"eventType": "UNLINK", "reason": "USER", "merchantTokenIdentifier": "DNITHE302308980427388297"}
    shop.gateway.events = {
        (OTHER, "event-other"): (200, ended), (MERCHANT, "event-own"): (200, ended),
        # Neither of these keeps the others waiting.
        (MERCHANT, "event-refused"): (403, {}), (OTHER, "event-strange"): (200, {"eventType": ""}),
    }
    events = ["event-refused", "event-strange", "event-forged", "event-other", "event-own"]
    with shop.server as server:
        for event in events:
            answer = requests.post(
                f"{server.url}/applepay/notifications/merchantToken/{event}", headers={"Host": DOMAIN}, timeout=10)
            assert (answer.status_code, answer.json()) == (200, {"received": True}), answer.text
        outcomes = {"known": 2, "unknown_to_apple": 1, "apple_refused": 1, "apple_malformed": 1}
        figures = [f'applepay_notifications_total{{outcome="{name}"}} {count}\n' for name, count in outcomes.items()]
        assert counter.until(lambda: all(figure in shop.metrics() for figure in figures)), shop.metrics()
    # Each was asked for once under each merchant, until one was told.
    asked_for = shop.gateway.events_asked
    assert sorted(asked_for) == sorted({(merchant, event) for merchant in (MERCHANT, OTHER) for event in events} - {
        (OTHER, "event-own")})
    listed = counter.till("applepay", "events", "--journal", server.journal, "--json").json["events"]
    details = {event["id"]: event["details"] for event in listed}
    assert set(details) == {"event-refused", "event-strange", "event-other", "event-own"}
    assert details["event-refused"] is None and details["event-strange"] is None
    token = hashlib.sha256(ended["merchantTokenIdentifier"].encode()).hexdigest()
    for event in ("event-other", "event-own"):
        assert (details[event]["eventType"], details[event]["merchantTokenSHA256"]) == ("UNLINK", token)
    assert not any(event["givenUp"] for event in listed)


SESSION_OF_A_BROWSER = """
window.made = [];
window.ApplePaySession = class {
  static canMakePayments() { return true; }
  static supportsVersion() { return true; }
  constructor(version, request) { window.made.push(JSON.parse(JSON.stringify(request))); }
  begin() {}
};
"""
PAGE = """<!doctype html><title>Atelier</title>
<script type="module" src="{url}/applepay/client.js"></script>
<till-apple-pay basket="{basket}"></till-apple-pay>"""


def test_what_a_domain_has_of_its_own_reaches_its_page(shop, browser, tmp_path):
    (tmp_path / "site").mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "site")
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    origin = f"http://localhost:{site.server_port}"
    networks = ["cartesBancaires", "visa"]
    icons = {"180x180": "https://atelier.example/icon.png", "120x120": "/applepay/icon.png"}
    shop.certificate("identity", "2026")
    shop.certificate("processing", "2026")
    shop.set("2026", domains=[shop.domain(), shop.domain(
        "atelier.example", display_name="Atelier", country="FR", currency="EUR", networks=networks, icons=icons,
        origins=[origin])])
    with shop.server as server:
        def ask(domain, path="/applepay/metadata"):
            return requests.get(server.url + path, headers={"Host": domain}, timeout=10)

        own, usual = ask("atelier.example").json(), ask(DOMAIN).json()
        names = ("enabled", "countryCode", "currencyCode", "supportedNetworks")
        assert [own[name] for name in names] == [True, "FR", "EUR", networks], own
        assert [usual[name] for name in names] == [True, "GB", "GBP", ["visa", "masterCard", "amex"]], usual
        assert {icon["sizes"]: icon["href"] for icon in own["touchIcons"]} == icons
        assert {icon["href"] for icon in usual["touchIcons"]} == {"/applepay/icon.png"}

        made = server.request("POST", BASKETS, goods("o-1", "EUR"))
        assert made.status_code == 201, made.text
        basket = made.json()["id"]
        wrong = ask(DOMAIN, "/applepay/basket/" + basket)
        assert (wrong.status_code, wrong.json()["code"]) == (409, "currency_mismatch"), wrong.text
        sheet = ask("atelier.example", "/applepay/basket/" + basket).json()["request"]

        (tmp_path / "site" / "index.html").write_text(PAGE.format(url=server.url, basket=basket))
        page = browser.new_page()
        page.add_init_script(SESSION_OF_A_BROWSER)
        page.goto(origin + "/index.html")
        page.get_by_role("button", name="Apple Pay").click(timeout=WAIT)
        [asked_for] = page.evaluate("window.made")
        shown = page.locator("link[rel=apple-touch-icon]").evaluate_all(
            "(links) => Object.fromEntries(links.map((link) => [link.getAttribute('sizes'), link.href]))")
        page.close()
    site.shutdown()
    assert asked_for == sheet
    assert (sheet["countryCode"], sheet["currencyCode"], sheet["supportedNetworks"]) == ("FR", "EUR", networks)
    assert (sheet["total"]["label"], sheet["total"]["amount"]) == ("Atelier", "13.49")
    assert shown == {**icons, "120x120": server.url + "/applepay/icon.png"}


@pytest.mark.parametrize("code, flags, env", [
    ("simulator_with_live_provider", ["--provider", "stripe"],
     {"TILL_STRIPE_KEY": "sk_" + "live_abcdefghijklmnopqrstuvwx"}),
    ("simulator_in_public", ["--provider", "sandbox", "--host", "0.0.0.0", "--allow-plain-http"],
     {"TILL_API_KEY": counter.API_KEY}),
    ("stand_in_incomplete", ["--provider", "sandbox", "--apple-pay-origin", "http://localhost:3000"], {}),
    ("root", ["--provider", "sandbox"], {}),
])
def test_a_rehearsal_is_refused_where_money_moves_others_listen_or_a_part_is_missing(tmp_path, code, flags, env):
    """The root is no certificate: where nothing else is wrong, that is said."""
    (tmp_path / "root.pem").write_text("no certificate")
    (tmp_path / "settings.json").write_text(json.dumps({
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP", "domains": []}))
    ran = counter.till(
        "serve", "--journal", tmp_path / "journal.db", "--port", "0", "--json", "--apple-pay",
        tmp_path / "settings.json", "--apple-pay-stand-in", "1", "--apple-pay-root", tmp_path / "root.pem", *flags,
        env=env)
    assert ran.code != 0 and ran.json["error"]["code"] == code, ran
