"""till against localstripe, a Stripe by other hands: an independent reading of the same interface.

localstripe differs from Stripe where it is simpler: it takes a card only as a payment method made first, confirms
without fields (so no receipt_url here), ignores idempotency keys, allows any refund, and declines 4000 0000 0000 0341
(not …0002, which it declines only when a card is kept for a customer).
"""
import hashlib
import hmac
import json
import time

import pytest
import requests

import counter
from counter import amount

DECLINED = "4000000000000341"
NEEDS_ACTION = "4000002500003155"


def intents(stripe):
    return stripe.get("/v1/payment_intents", limit=100)["data"]


def refunds(stripe, intent):
    return stripe.get("/v1/refunds", payment_intent=intent["id"], limit=100)["data"]


def test_a_card_sale_is_one_succeeded_intent_of_the_same_amount(shop):
    sold = shop.sale()
    assert sold.code == 0, sold
    assert sold.json["status"] in counter.PAID, sold
    [intent] = intents(shop.stripe)
    assert (intent["status"], intent["amount"], intent["currency"]) == ("succeeded", 1250, "eur")
    assert "o-1" in intent["metadata"].values(), "the provider must know our order, or recovery cannot find it"
    assert amount(shop.show(sold.json["id"]), "captured") == 1250
    assert shop.verify()["ok"]


def test_authorized_money_is_captured_in_part_and_once(shop):
    sold = shop.sale(*counter.MANUAL)
    assert sold.code == 0 and sold.json["status"] in counter.AUTHORIZED, sold
    assert [i["status"] for i in intents(shop.stripe)] == ["requires_capture"]
    captured = shop.payments("capture", sold.json["id"], "--amount", "10.00")
    assert captured.code == 0, captured
    [charge] = intents(shop.stripe)[0]["charges"]["data"]
    assert charge["captured"] and charge["amount"] - charge["amount_refunded"] == 1000
    assert shop.payments("capture", sold.json["id"], "--amount", "10.00").code != 0
    assert amount(shop.show(sold.json["id"]), "captured") == 1000


def test_a_cancelled_authorization_is_cancelled_at_the_provider(shop):
    sold = shop.sale(*counter.MANUAL)
    cancelled = shop.payments("cancel", sold.json["id"])
    assert cancelled.code == 0, cancelled
    assert [i["status"] for i in intents(shop.stripe)] == ["canceled"]
    assert shop.payments("capture", sold.json["id"]).code != 0
    assert amount(shop.show(sold.json["id"]), "captured") == 0


def test_refunds_never_exceed_what_was_captured_though_the_provider_would_allow_it(shop):
    sold = shop.sale()
    first = shop.payments("refund", sold.json["id"], "--amount", "5.00")
    assert first.code == 0, first
    [intent] = intents(shop.stripe)
    over = shop.payments("refund", sold.json["id"], "--amount", "7.51")
    assert over.code != 0, over
    assert [r["amount"] for r in refunds(shop.stripe, intent)] == [500], "an over-refund reached the provider"
    rest = shop.payments("refund", sold.json["id"], "--amount", "7.50")
    assert rest.code == 0, rest
    assert sorted(r["amount"] for r in refunds(shop.stripe, intent)) == [500, 750]
    assert amount(shop.show(sold.json["id"]), "refunded") == 1250


def test_a_declined_card_takes_no_money_and_says_so(shop):
    sold = shop.sale(card=DECLINED)
    assert sold.code != 0, sold
    assert "declined" in (sold.out + sold.err).lower()
    assert DECLINED not in sold.out + sold.err
    assert all(i["status"] != "succeeded" for i in intents(shop.stripe))
    assert shop.verify()["ok"]


def test_a_card_that_needs_authentication_is_neither_paid_nor_declined(shop):
    sold = shop.sale(card=NEEDS_ACTION)
    assert "action" in (sold.out + sold.err).lower(), sold
    assert [i["status"] for i in intents(shop.stripe)] == ["requires_action"]
    assert shop.verify()["ok"]


def test_a_provider_that_is_away_is_not_read_as_a_decline(tmp_path):
    shop = counter.Shop(tmp_path, counter.Stripe(f"http://127.0.0.1:{counter.free_port()}"))
    sold = shop.sale()
    assert sold.code != 0
    assert "declined" not in sold.out.lower(), sold
    assert shop.verify()["ok"]


@pytest.fixture
def server(tmp_path, localstripe):
    with counter.Server(
        tmp_path, *localstripe.flags, env={"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET}
    ) as running:
        yield running


def test_localstripes_signed_webhooks_are_accepted(tmp_path, localstripe, server):
    hook = {"url": server.url + counter.WEBHOOK_PATH, "secret": counter.WEBHOOK_SECRET}
    assert requests.post(localstripe.url + "/_config/webhooks/till", json=hook, timeout=5).status_code == 200
    created = server.create("o-hook", "k-hook").json()
    confirmed = server.confirm(created["id"], "k-hook-confirm", counter.CARD_TENDER)
    assert confirmed.ok, confirmed.text
    log, end = tmp_path / "localstripe.log", time.monotonic() + 10
    while 'webhook "payment_intent.succeeded"' not in log.read_text() and time.monotonic() < end:
        time.sleep(0.1)
    assert 'webhook "payment_intent.succeeded" successfully delivered' in log.read_text(), log.read_text()[-1500:]


def signed(secret, body, at):
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Stripe-Signature": f"t={at},v1={digest}", "Content-Type": "application/json"}


@pytest.mark.parametrize("fault", ["wrong secret", "changed body", "stale", "no signature"])
def test_a_webhook_that_is_not_stripes_changes_nothing(server, fault):
    created = server.create("o-forged", "k-forged").json()
    intent = {"id": "pi_forged", "object": "payment_intent", "amount": 1250, "currency": "eur", "status": "succeeded",
              "metadata": {"order_id": "o-forged", "payment_id": created["id"]}}
    event = {"id": "evt_1", "object": "event", "type": "payment_intent.succeeded", "created": int(time.time()),
             "data": {"object": intent}}
    body, now = json.dumps(event).encode(), int(time.time())
    headers = signed(counter.WEBHOOK_SECRET, body, now)
    if fault == "wrong secret":
        headers = signed("whsec_other", body, now)
    elif fault == "changed body":
        body = body.replace(b"1250", b"1251")
    elif fault == "stale":
        headers = signed(counter.WEBHOOK_SECRET, body, now - 3600)
    else:
        headers.pop("Stripe-Signature")
    answer = requests.post(server.url + counter.WEBHOOK_PATH, data=body, headers=headers, timeout=5)
    assert 400 <= answer.status_code < 500, answer.text
    assert server.request("GET", "/v1/payments/" + created["id"]).json()["status"] == created["status"]
