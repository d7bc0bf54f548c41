"""Drives the Stripe stand-in with Stripe's own Python library: stripe_library.py PORT"""
import json
import sys
import urllib.request

import stripe

base = f"http://127.0.0.1:{sys.argv[1]}"
client = stripe.StripeClient("sk_test_peer", base_addresses={"api": base}, max_network_retries=0)
intents, refunds = client.v1.payment_intents, client.v1.refunds


def key(name):
    return {"idempotency_key": name}


def post(path, body):
    request = urllib.request.Request(base + path, data=json.dumps(body).encode(), method="POST")
    return json.load(urllib.request.urlopen(request))


def fails(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


create = {"amount": 1250, "currency": "eur", "capture_method": "manual", "payment_method_types": ["card"],
          "metadata": {"till_order": "o-1", "note": "Café & ☕"}, "description": "a+b=c 100%"}
intent = intents.create(create, key("create"))
assert intent.status == "requires_payment_method" and intent.metadata["note"] == "Café & ☕"
assert intent.description == "a+b=c 100%"
again = intents.create(create, key("create"))
assert again.id == intent.id and again.last_response.headers["Idempotent-Replayed"] == "true"
assert again.last_response.request_id.startswith("req_")
fails(stripe.IdempotencyError, lambda: intents.create({**create, "amount": 1}, key("create")))
card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"}
method = client.v1.payment_methods.create({"type": "card", "card": card}, key("method"))
assert method.card.last4 == "4242"
assert intents.update(intent.id, {"payment_method": method.id}).status == "requires_confirmation"
held = intents.confirm(intent.id, {"expand": ["latest_charge"]}, key("confirm"))
assert held.status == "requires_capture" and held.amount_capturable == 1250
assert held.latest_charge.payment_method_details.card.brand == "visa"
post("/_sandbox/faults", {"operation": "capture", "fault": "timeoutAfterCommit", "times": 1})
fails(stripe.APIError, lambda: intents.capture(intent.id, {"amount_to_capture": 1000}, key("capture")))
done = intents.capture(intent.id, {"amount_to_capture": 1000}, key("capture"))
assert done.status == "succeeded" and done.amount_received == 1000
assert done.last_response.headers["Idempotent-Replayed"] == "true"
fails(stripe.InvalidRequestError, lambda: intents.cancel(intent.id))
back = refunds.create({"payment_intent": intent.id, "amount": 500, "metadata": {"till_refund": "r"}}, key("refund"))
assert back.status == "succeeded" and refunds.retrieve(back.id).amount == 500
fails(stripe.InvalidRequestError, lambda: refunds.create({"payment_intent": intent.id, "amount": 501}))
assert [r.id for r in refunds.list({"payment_intent": intent.id}).data] == [back.id]

declined = fails(stripe.CardError, lambda: intents.create(
    {"amount": 100, "currency": "eur", "confirm": True, "payment_method": "pm_card_visa_chargeDeclined"}))
assert declined.code == "card_declined" and declined.error.payment_intent.status == "requires_payment_method"
asks = intents.create({"amount": 100, "currency": "eur", "confirm": True,
                       "payment_method": "pm_card_authenticationRequired"})
assert asks.status == "requires_action"
post("/_sandbox/action", {"reference": asks.id, "succeeds": True})
assert intents.retrieve(asks.id).status == "succeeded"
dropped = intents.create({**create, "metadata": {}}, key("other"))
assert intents.cancel(dropped.id).status == "canceled"
assert len(list(intents.list({"limit": 2}).auto_paging_iter())) == 4
fails(stripe.InvalidRequestError, lambda: intents.retrieve("pi_nothing"))
ledger = json.load(urllib.request.urlopen(base + "/_sandbox/ledger"))["charges"]
assert ledger[0]["order"] == "o-1" and ledger[0]["captured"] == 1000 and ledger[0]["refunded"] == 500, ledger
assert [c["canceled"] for c in ledger] == [False, False, False, True]
