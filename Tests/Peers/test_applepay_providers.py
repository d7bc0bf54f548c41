"""The demo shop against the stand-ins of Stripe and PayPal: each is given the wallet's token as it takes it.

Stripe gets the sealed token (`pk_token`), as for a shop whose processing certificate is Stripe's; PayPal the opened one
as its description has it, which judges the request where it is at hand.
"""
import json
import urllib.parse

import pytest
import requests
import stripe as library
from playwright.sync_api import expect

import counter
import paypal
from applepay import Page, payments

DPAN = "4784000000380075"
DECLINED = "4000000000000002"


@pytest.fixture
def stripe(sandbox):
    proxy = paypal.Proxy(sandbox.url)
    yield sandbox, proxy, ["--provider", "stripe", "--stripe-url", proxy.url, "--stripe-key", sandbox.key]
    proxy.close()


@pytest.fixture
def pay_pal(stand_in):
    proxy = paypal.Proxy(stand_in)
    yield stand_in, proxy, ["--provider", "paypal", "--paypal-url", proxy.url]
    proxy.close()


def fields(call):
    return dict(urllib.parse.parse_qsl(call["body"].decode()))


def test_stripe_gets_the_sealed_token_and_is_paid_once(tmp_path, stripe):
    sandbox, proxy, flags = stripe
    with counter.Server(tmp_path, *flags) as server:
        page = Page(server)
        token = page.token().json()
        answer = page.pay(token)
        assert answer.status_code == 201 and answer.json()["status"] == "placed", answer.text
        assert page.pay(token).json()["paymentId"] == answer.json()["paymentId"]
        [call] = [c for c in proxy.requests if c["path"] == "/v1/tokens"]
        sent = fields(call)
        assert json.loads(sent["pk_token"]) == token["paymentData"]
        assert sent["pk_token_instrument_name"] == "Visa 0075" and sent["pk_token_payment_network"] == "Visa"
        assert sent["pk_token_transaction_id"] == token["paymentData"]["header"]["transactionId"]
        [method] = [fields(c) for c in proxy.requests if c["path"] == "/v1/payment_methods"]
        assert method["type"] == "card" and method["card[token]"].startswith("tok_")
        charges = requests.get(sandbox.url + "/_sandbox/ledger", timeout=10).json()["charges"]
        assert [c["captured"] for c in charges] == [1599]
        [payment] = payments(server, page.basket)
        assert payment["status"] == "succeeded"
        # The number is in no request at all: nobody but Stripe opens the token.
        assert not [c for c in proxy.requests if DPAN.encode() in c["body"]]


def test_stripe_s_decline_frees_the_basket(tmp_path, stripe):
    _, _, flags = stripe
    with counter.Server(tmp_path, *flags) as server:
        page = Page(server)
        declined = page.pay(page.token(number=DECLINED).json())
        assert declined.status_code == 402 and declined.json()["moneyMoved"] == "no", declined.text
        assert page.pay(page.token().json()).json()["status"] == "placed"


def test_stripe_s_own_library_sends_the_same_form(tmp_path, stripe):
    sandbox, proxy, flags = stripe
    with counter.Server(tmp_path, *flags) as server:
        page = Page(server)
        assert page.pay(page.token().json()).status_code == 201
    ours = next(c for c in proxy.requests if c["path"] == "/v1/tokens")
    other = paypal.Proxy(sandbox.url)
    client = library.StripeClient(sandbox.key, base_addresses={"api": other.url})
    made = client.v1.tokens.create(fields(ours), {"idempotency_key": "k-token"})
    assert made.id.startswith("tok_") and made.card.last4 == "0075" and made.card.tokenization_method == "apple_pay"
    method = client.v1.payment_methods.create({"type": "card", "card": {"token": made.id}}, {"idempotency_key": "k-m"})
    assert method.card.last4 == "0075"
    theirs = next(c for c in other.requests if c["path"] == "/v1/tokens")
    assert fields(theirs) == fields(ours)
    for wrong in ({"pk_token": "{}"}, {"pk_token": "no"},
            {"card": {"number": DPAN, "exp_month": 12, "exp_year": 2031}}):
        with pytest.raises(library.InvalidRequestError):
            client.v1.tokens.create(wrong)
    other.close()


def test_paypal_gets_the_opened_token_as_its_description_has_it(tmp_path, pay_pal):
    _, proxy, flags = pay_pal
    env = {"TILL_PAYPAL_CLIENT_ID": "client", "TILL_PAYPAL_SECRET": "secret"}
    with counter.Server(tmp_path, *flags, env=env) as server:
        page = Page(server)
        token = page.token().json()
        answer = page.pay(token)
        assert answer.status_code == 201 and answer.json()["status"] == "placed", answer.text
        [call] = [c for c in proxy.calls() if c["path"].endswith("/capture")]
        source = json.loads(call["body"])["payment_source"]["apple_pay"]
        opened = source["decrypted_token"]
        assert source["id"] == token["paymentData"]["header"]["transactionId"]
        assert opened["transaction_amount"] == {"currency_code": "GBP", "value": "15.99"}
        assert opened["tokenized_card"]["number"] == DPAN and opened["tokenized_card"]["expiry"] == "2039-12"
        assert opened["payment_data_type"] == "3DSECURE" and opened["payment_data"]["cryptogram"]
        assert opened["payment_data"]["eci_indicator"] == "7"
        if paypal.SPECS:
            for sent in proxy.calls():
                paypal.judge(sent)
            opened["payment_data_type"] = "3DSecure"
            with pytest.raises(Exception):
                paypal.judge({**call, "body": json.dumps({"payment_source": {"apple_pay": source}}).encode()})
        # The number goes to PayPal and nowhere else.
        assert [c["path"] for c in proxy.calls() if DPAN.encode() in c["body"]] == [call["path"]]
        for file in tmp_path.glob("journal*"):
            assert DPAN.encode() not in file.read_bytes(), file
        declined = Page(server)
        assert declined.pay(declined.token(number=DECLINED).json()).status_code == 402
        assert declined.pay(declined.token().json()).json()["status"] == "placed"


@pytest.mark.parametrize("provider", ["stripe", "paypal"])
def test_the_whole_shop_in_a_browser(tmp_path, provider, request, browser):
    _, _, flags = request.getfixturevalue("stripe" if provider == "stripe" else "pay_pal")
    env = {"TILL_PAYPAL_CLIENT_ID": "client", "TILL_PAYPAL_SECRET": "secret"} if provider == "paypal" else {}
    with counter.Server(tmp_path, *flags, env=env) as server:
        page = browser.new_page(viewport={"width": 1000, "height": 800})
        page.goto(server.url + "/shop")
        page.get_by_role("button", name="Order with Apple Pay").click(timeout=10_000)
        sheet = page.get_by_role("dialog")
        pay = sheet.get_by_role("button", name="Authorise")
        expect(pay).to_be_enabled(timeout=10_000)
        sheet.get_by_label("Card").select_option(label="Visa 0002, declined")
        expect(pay).to_be_enabled(timeout=10_000)
        pay.click()
        expect(page.locator("#message")).to_contain_text("declined", timeout=10_000)
        sheet.get_by_label("Coupon").fill("TENOFF")
        sheet.get_by_role("button", name="Apply").click()
        expect(sheet.get_by_role("listitem").last).to_contain_text("14.65", timeout=10_000)
        sheet.get_by_label("Card").select_option(index=0)
        expect(pay).to_be_enabled(timeout=10_000)
        pay.click()
        expect(page.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=20_000)
        order = page.locator("#order").inner_text()
        assert [p["captured"] for p in payments(server, order) if p["captured"]] == [1465]
        page.close()
