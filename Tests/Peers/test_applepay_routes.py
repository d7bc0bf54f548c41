"""Apple Pay's routes over HTTP, as a page that is not well-behaved uses them."""
import json
import re

import pytest
import requests

import counter
from applepay import CONTACT, SESSION_URL, Page, payments


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("applepay"), "--provider", "sandbox") as running:
        yield running


def test_metadata_has_a_tag_and_names_what_the_domain_may(server):
    answer = requests.get(server.url + "/applepay/metadata")
    body = answer.json()
    assert body["enabled"] is True and body["countryCode"] == "GB" and body["currencyCode"] == "GBP"
    assert "supports3DS" in body["merchantCapabilities"] and body["touchIcons"]
    again = requests.get(server.url + "/applepay/metadata", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def test_a_page_of_another_origin_may_ask_nothing(server):
    page = Page(server)
    for origin in ("https://evil.example", "null", "https://localhost.evil.example", "http://127.0.0.1:1"):
        answer = page.session(Origin=origin)
        assert answer.status_code == 421 and "Access-Control-Allow-Origin" not in answer.headers, origin
        assert requests.options(server.url + "/applepay/validate", headers={"Origin": origin}).status_code == 421
        refused = requests.get(server.url + "/applepay/basket/" + page.basket, headers={"Origin": origin})
        assert refused.status_code == 421
    answer = requests.get(server.url + "/applepay/metadata", headers={"Origin": "https://localhost"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://localhost" and "Origin" in answer.headers["Vary"]


def test_nothing_changes_without_the_basket_s_proof(server):
    page, stranger = Page(server), Page(server)
    for proof in ("", "00", stranger.sheet["proof"]):
        for path, body in (
            ("/applepay/validate", {"validationURL": SESSION_URL, "basket": page.basket}),
            ("/applepay/payment", {"basket": page.basket, "version": 1, "token": {}}),
            (f"/applepay/basket/{page.basket}/update", {"event": "couponcode", "couponCode": "TENOFF"}),
            (f"/applepay/basket/{page.basket}/validatepostalcode", {"postalCode": "EC4M"}),
        ):
            assert page.post(path, body, proof=proof).status_code == 403, path


EVASIONS = [
    "", "https://", "https://evil.example/paymentservices/startSession", "http" + SESSION_URL[5:], SESSION_URL + "?a=b",
    SESSION_URL + "#a", SESSION_URL + "/", SESSION_URL + " ", " " + SESSION_URL, SESSION_URL + "\u0000",
    SESSION_URL.upper(),
    SESSION_URL.replace("https://", "https://user@"), SESSION_URL.replace("https://", "https://evil.example@"),
    SESSION_URL.replace(".com/", ".com@evil.example/"), SESSION_URL.replace(".com/", ".com.evil.example/"),
    SESSION_URL.replace(".com/", ".com:8443/"), SESSION_URL.replace(".com/", ".com./"),
    SESSION_URL.replace("apple.com", "notapple.com"), SESSION_URL.replace("cert.apple", "cert.evil-apple"),
    SESSION_URL.replace("gateway", "gateway-x"), SESSION_URL.replace("/paymentservices", "/../paymentservices"),
    SESSION_URL.replace("start", "%73tart"), SESSION_URL.replace("apple", "аpple", 1), "file:///etc/passwd",
    "gopher://apple-pay-gateway-cert.apple.com/", "https://127.0.0.1/paymentservices/startSession",
    "https://[::1]/paymentservices/startSession", "https://169.254.169.254/latest/meta-data",
    "https://2130706433/paymentservices/startSession", "https://0x7f.1/paymentservices/startSession",
    "//apple-pay-gateway-cert.apple.com/paymentservices/startSession", "apple-pay-gateway-cert.apple.com",
    "https:\\\\apple-pay-gateway-cert.apple.com\\paymentservices\\startSession",
    "https://apple-pay-gateway-cert.apple.com\\@evil.example/paymentservices/startSession",
    "https://apple-pay-gateway-cert.apple.com\t/paymentservices/startSession", SESSION_URL + "\r\nHost: evil.example",
    "https://apple-pay-gateway-cert\u3002apple.com/paymentservices/startSession", "javascript:alert(1)",
    "https://evil.example/#" + SESSION_URL, "https://evil.example/?" + SESSION_URL,
    # Apple's own, of the other environment
    SESSION_URL.replace("-cert", ""), SESSION_URL.replace("https://apple", "https://cn-apple").replace("-cert", ""),
]


def test_no_evasion_gets_a_session(server):
    assert len(EVASIONS) >= 40
    page = Page(server)
    for url in EVASIONS:
        answer = page.session(url)
        assert answer.status_code == 400, url
        assert answer.json()["code"] in ("validation_url_refused", "validation_environment"), url
    assert page.session().status_code == 200


def test_a_missing_validation_url_is_refused_by_name(server):
    page = Page(server)
    # Scripts by other hands spell it otherwise, and `undefined` is left out of JSON.
    for sent in ({"validationUrl": SESSION_URL}, {"validationURL": None}, {}):
        answer = page.post("/applepay/validate", {"basket": page.basket, **sent})
        assert answer.status_code == 422, answer.text
        found = answer.json()
        assert (found["code"], found["money_moved"]) == ("invalid_request", "no")
        assert found["errors"] == [{"field": "validationURL", "message": "It is missing."}]
    assert page.session().status_code == 200


def test_a_session_comes_through_as_apple_wrote_it_and_is_good_for_one_sheet(server):
    page, second = Page(server), Page(server)
    session = page.session().json()
    assert session["domainName"] == "localhost" and session["merchantSessionIdentifier"].startswith("SSH")
    assert page.token(session).status_code == 200
    assert second.token(session).status_code == 409


def test_a_payment_is_placed_once_whoever_asks_again(server):
    page = Page(server)
    token = page.token().json()
    first, again = page.pay(token), page.pay(token)
    assert first.status_code == 201 and first.json()["status"] == "placed", first.text
    assert again.json()["orderId"] == first.json()["orderId"]
    other = page.pay(page.token().json())
    assert other.json()["orderId"] == first.json()["orderId"]
    assert requests.get(f"{page.url}/applepay/payment/{page.basket}").json()["status"] == "placed"
    change = page.post(f"/applepay/basket/{page.basket}/update", {"event": "couponcode", "couponCode": "TENOFF"})
    assert change.status_code == 409 and change.json()["code"] == "basket_paid", change.text
    assert change.json()["money_moved"] == "yes"
    [payment] = [p for p in payments(server) if p["order_id"] == page.basket]
    assert payment["captured"] == payment["amount"] == 1599
    tender = payment["tender"]
    assert tender.get("type", tender.get("kind")) == "wallet"


def test_a_counter_of_another_account_sells_for_it(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", "--account", "north") as north:
        page = Page(north)
        assert page.pay(page.token().json()).status_code == 201
        assert [p["status"] for p in payments(north, page.basket)] == ["succeeded"]


def test_a_token_for_anything_else_is_refused_and_nothing_charged(server):
    page, other = Page(server), Page(server)
    for code, token in {
        "amount": page.token(amount="1.00").json(),
        "currency": page.token(currency="EUR").json(),
        "application_data": page.token(data=other.sheet["request"]["applicationData"]).json(),
    }.items():
        answer = page.pay(token)
        assert answer.status_code == 422 and answer.json()["code"] == code, answer.text
    good = page.token().json()
    changed = json.loads(json.dumps(good))
    changed["paymentData"]["header"]["transactionId"] = "00" * 32
    assert page.pay(changed).json()["code"] == "digest"
    assert page.pay({"paymentData": {}}).json()["code"] == "simulated"
    assert not [p for p in payments(server) if p["order_id"] == page.basket]
    assert page.pay(good).status_code == 201


def test_a_basket_that_changed_since_is_not_paid(server):
    page = Page(server)
    token = page.token().json()
    answer = page.post(f"/applepay/basket/{page.basket}/update", {"event": "couponcode", "couponCode": "TENOFF"}).json()
    assert answer["version"] == page.version + 1 and answer["update"]["newTotal"]["amount"] == "14.65"
    refused = page.pay(token)
    assert refused.status_code == 422 and refused.json()["code"] == "basket_changed"
    # The old token does not pay the new price either.
    assert page.pay(token, version=answer["version"], total="14.65").json()["code"] == "amount"


@pytest.mark.parametrize("shown", [{"total": "15.98"}, {"total": "16.00"}, {"currency": "EUR"}])
def test_a_total_that_is_sent_is_the_one_that_is_charged(server, shown):
    """Also where nobody has told a price by address, and whatever the token says."""
    page = Page(server)
    assert page.total == "15.99"
    answer = page.pay(page.token().json(), **shown)
    found = answer.json()
    assert (answer.status_code, found["code"], found["moneyMoved"]) == (422, "price_changed", "no"), answer.text
    assert "Nothing was charged" in found["errors"][0]["message"] and not payments(server, page.basket)
    # A page that does not say what it showed is bound by its token alone.
    assert page.pay(page.token().json(), total=None).status_code == 201
    assert [p["captured"] for p in payments(server, page.basket)] == [1599]


@pytest.mark.parametrize("missing", ["phoneNumber", "emailAddress", "givenName", "addressLines", "postalCode"])
def test_a_contact_that_lacks_something_is_told_what(server, missing):
    page = Page(server)
    contact = {k: v for k, v in CONTACT.items() if k != missing and (missing != "givenName" or k != "familyName")}
    answer = page.pay(page.token().json(), contact=contact)
    assert answer.status_code == 422 and answer.json()["code"] == "contact_incomplete", answer.text
    assert answer.json()["errors"][0]["code"] == "shippingContactInvalid"


def test_a_decline_frees_the_basket_for_another_card(server):
    page = Page(server)
    declined = page.pay(page.token(number="4000000000000002").json())
    assert declined.status_code == 402 and declined.json()["moneyMoved"] == "no"
    assert page.pay(page.token().json()).json()["status"] == "placed"


def test_postcodes_are_answered_with_yes_no_or_not_yet(server):
    page = Page(server)
    for code, expected in {
        "EC4M": "yes", "EC4M 7RF": "yes", "BN15": "no", "EC1A": "needs-full-address", "EC1A 1BB": "yes",
        "EC1A 9ZZ": "no", "*": "no",
    }.items():
        answer = page.post(f"/applepay/basket/{page.basket}/validatepostalcode", {"postalCode": code})
        assert answer.json()["deliverable"] == expected, code


def test_the_association_file_is_there_and_production_has_no_simulator(server, tmp_path):
    path = "/.well-known/apple-developer-merchantid-domain-association"
    port = server.url.rsplit(":", 1)[1]
    answer = requests.get(f"http://localhost:{port}" + path, allow_redirects=False)
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/plain")
    # Apple's portal names the file in either way.
    named = requests.get(f"http://localhost:{port}{path}.txt", allow_redirects=False)
    assert (named.status_code, named.content) == (200, answer.content)
    settings = {
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP", "processing": [],
        "domains": [{"name": "localhost", "merchant": "merchant.x", "identities": []}],
    }
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    with counter.Server(tmp_path, "--provider", "sandbox", "--apple-pay", str(tmp_path / "settings.json")) as real:
        port = real.url.rsplit(":", 1)[1]
        base = f"http://localhost:{port}"
        metadata = requests.get(base + "/applepay/metadata").json()
        assert metadata["enabled"] is False and metadata["simulator"] is None
        assert metadata["appleScript"] == "https://applepay.cdn-apple.com/jsapi/1.latest/apple-pay-sdk.js"
        assert requests.get(base + "/applepay/client.js").status_code == 200
        for path in ("/applepay/simulator.js", "/applepay/simulator.css", "/shop", "/shop/shop.js"):
            assert requests.get(base + path).status_code == 404, path
        for path in ("/applepay/sandbox/authorize", "/shop/baskets"):
            assert requests.post(base + path, json={"service": "delivery"}).status_code == 404, path


# Providers as a shop sets them up; nobody is asked for anything here.
TAKES = {
    "sandbox": ["--provider", "sandbox"],
    "stripe": ["--provider", "stripe", "--stripe-url", "http://127.0.0.1:1", "--stripe-key", "sk_test_peer"],
    "paypal": ["--provider", "paypal", "--paypal-url", "http://127.0.0.1:1"],
    "braintree": ["--provider", "braintree", "--braintree-url", "http://127.0.0.1:1"],
}


@pytest.mark.parametrize("provider, environment, opening, is_on", [
    ("sandbox", "production", "here", False), ("sandbox", "sandbox", "here", True),
    ("braintree", "production", "here", False), ("braintree", "production", "provider", False),
    ("stripe", "production", "here", True), ("stripe", "production", "provider", True),
    ("paypal", "production", "here", True), ("paypal", "production", "provider", False),
])
def test_apple_pay_is_on_only_where_the_provider_can_take_the_token(tmp_path, provider, environment, opening, is_on):
    assert counter.till("applepay", "synthesize", "--out", tmp_path / "now", "--merchant", "merchant.x").code == 0

    def pair(kind):
        return {"certificate": f"now/{kind}.pem", "key": f"now/{kind}.key"}

    (tmp_path / "settings.json").write_text(json.dumps({
        "environment": environment, "display_name": "Shop", "country": "GB", "currency": "GBP", "tokens": opening,
        "processing": [pair("processing")],
        "domains": [{"name": "localhost", "merchant": "merchant.x", "identities": [pair("identity")]}],
    }))
    flags = [*TAKES[provider], "--apple-pay", str(tmp_path / "settings.json")]
    with counter.Server(tmp_path, *flags) as server:
        base = "http://localhost:" + server.url.rsplit(":", 1)[1]
        assert requests.get(base + "/applepay/metadata", timeout=10).json()["enabled"] is is_on
        assert is_on or "cannot take its tokens" in server.log.read_text()


@pytest.fixture(scope="module")
def domains(tmp_path_factory):
    """A shop of production with domains of every state, and certificates of a throw-away Apple."""
    folder = tmp_path_factory.mktemp("domains")
    for name, at in (("now", None), ("old", "2023-01-01")):
        when = ["--at", at] if at else []
        made = counter.till("applepay", "synthesize", "--out", folder / name, "--merchant", "merchant.x", *when)
        assert made.code == 0

    def pair(kind, made="now"):
        return {"certificate": f"{made}/{kind}.pem", "key": f"{made}/{kind}.key"}

    def domain(name, identities=None, **more):
        identities = [pair("identity")] if identities is None else identities
        return {"name": name, "merchant": "merchant.x", "association": "association.txt", "identities": identities,
                **more}

    (folder / "association.txt").write_text("association")
    (folder / "empty.txt").write_text("")
    settings = {
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP",
        "processing": [pair("processing")], "apple_script": False,
        "domains": [
            domain("on.example", origins=["https://www.on.example"]), domain("half.example", percentage=50),
            domain("nobody.example", percentage=0), domain("off.example", enabled=False),
            domain("old.example", [pair("identity", "old")]),
            domain("both.example", [pair("identity", "old"), pair("identity")]),
            domain("none.example", []), domain("bare.example", association="none.txt"),
            domain("empty.example", association="empty.txt"), domain("own.example", association=None),
        ],
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    with counter.Server(folder, *TAKES["stripe"], "--apple-pay", str(folder / "settings.json")) as running:
        yield running


def test_each_domain_has_its_switch_its_share_of_visitors_and_its_certificates(domains):
    def ask(host, visitor="v", **headers):
        return requests.get(domains.url + "/applepay/metadata", params={"visitor": visitor},
            headers={"Host": host, **headers})

    reasons = {
        "on.example": None, "off.example": "switched_off", "nobody.example": "no_visitors",
        "old.example": "identity_ended", "both.example": None, "none.example": "identity_missing",
        "bare.example": "association_missing", "empty.example": "association_missing",
        # Its own server serves the file.
        "own.example": None,
    }
    for host, reason in reasons.items():
        body = ask(host).json()
        assert (body["enabled"], body["reason"]) == (reason is None, reason), host
        assert body["simulator"] is None and body["appleScript"] is None, host
    visitors = [f"visitor-{n}" for n in range(200)]
    share = [ask("half.example", v).json()["enabled"] for v in visitors]
    # The same visitor is always in the same half; of 200, between 60 and 140 are in it unless something is very wrong.
    assert [ask("half.example", v).json()["enabled"] for v in visitors] == share and 60 < sum(share) < 140
    assert ask("unknown.example").status_code == 421
    for origin, status in (("https://www.on.example", 200), ("https://on.example", 200),
            ("https://evil.on.example", 421)):
        answer = ask("on.example", Origin=origin)
        assert answer.status_code == status
        assert answer.headers.get("Access-Control-Allow-Origin") == (origin if status == 200 else None)


def test_figures_tell_outcomes_and_days_left(server):
    Page(server).token()
    text = server.request("GET", "/metrics").text
    assert re.search(r'applepay_sessions_total\{outcome="given"\} \d+', text)
    assert re.search(r'applepay_certificate_days_left\{kind="identity",place="0"\} \d+', text)


def test_no_account_number_or_cryptogram_lies_in_journal_log_or_answers(server, tmp_path):
    page = Page(server)
    token = page.token().json()
    answer = page.pay(token)
    assert answer.status_code == 201
    shown = server.request("GET", "/v1/payments/" + answer.json()["paymentId"])
    assert shown.status_code == 200 and "0075" in json.dumps(shown.json()["tender"])
    needles = [b"4784000000380075", token["paymentData"]["data"].encode(), token["paymentData"]["signature"].encode()]
    files = [*server.folder.glob("*")]
    assert any(file.name.startswith("journal.db") for file in files)
    for file in files:
        content = file.read_bytes() if file.is_file() else b""
        assert not [n for n in needles if n in content], file
    for text in (answer.text, shown.text, server.request("GET", "/metrics").text):
        assert not [n for n in needles if n.decode() in text]
