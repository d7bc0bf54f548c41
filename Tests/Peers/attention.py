"""What waits for a person at a counter with Stripe's stand-in: how it comes about, and what the API says of it."""
import hashlib
import hmac
import json
import time

import requests

import counter

UNKNOWN = "pay_01kaj3x5ay0000000000000000"


def webhook(server, event, payment, order):
    """Stripe says that something happened to a payment; what it was is asked of the stand-in."""
    intent = {"id": "pi_1", "object": "payment_intent", "amount": 1250, "currency": "eur", "status": "succeeded",
              "livemode": False,
              "metadata": {"till_payment": payment, "till_order": order, "till_account": "main"}}
    body = json.dumps({"id": event, "object": "event", "type": "payment_intent.succeeded", "livemode": False,
                       "created": int(time.time()), "data": {"object": intent}}).encode()
    at = int(time.time())
    digest = hmac.new(counter.WEBHOOK_SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {"Stripe-Signature": f"t={at},v1={digest}", "Content-Type": "application/json"}
    answer = requests.post(server.url + counter.WEBHOOK_PATH, data=body, headers=headers, timeout=10)
    assert answer.ok, answer.text


def happens(server, payment, what, **more):
    reference = payment["attempts"][0]["reference"]
    done = requests.post(server.sandbox.url + "/_sandbox/aftersale", timeout=10,
                         json={"reference": reference, "do": what, **more})
    assert done.ok, done.text


def queue(server):
    return server.request("GET", "/v1/attention").json()


def entries(server, payment):
    return server.request("GET", f"/v1/payments/{payment['id']}/attention").json()["attention"]


def failed_refund(server, order="o-1", minor=1250, back=500):
    """A payment whose refund fails after it had succeeded."""
    made = server.create(order, "c-" + order, minor).json()
    sale = server.confirm(made["id"], "s-" + order, counter.CARD_TENDER).json()
    assert sale["status"] == "succeeded", sale
    done = server.request("POST", f"/v1/payments/{sale['id']}/refunds", {"amount": back}, "r-" + order)
    assert done.ok, done.text
    happens(server, sale, "fail_refund")
    webhook(server, "evt_" + order, sale["id"], order)
    assert counter.until(lambda: entries(server, sale)), server.request("GET", f"/v1/payments/{sale['id']}").text
    return sale


def incident(server, order="o-lost", payment=UNKNOWN):
    webhook(server, "evt_" + order, payment, order)
    assert counter.until(lambda: queue(server)["incidents_open"] == 1), queue(server)
    return queue(server)["incidents"][0]
