"""Processes that die while they sell: what the provider says moved, and customers who never give up."""
import os
import random

import requests

import counter
from counter import amount

PRICE = 1250


def ledger(stripe):
    return requests.get(stripe.url + "/_sandbox/ledger", timeout=10).json()["charges"]


def charges_of(stripe, order):
    return [c for c in ledger(stripe) if order in c["metadata"].values()]


def net(charges):
    return sum(c["captured"] - c["refunded"] for c in charges)


# What each way of moving money comes past, by the words in the points' names. With TILL_EVERY_DEATH each one is to be
# killed at all points, which shows that it comes past no other.
PASSES = {
    "sale": ("Create", "Attempt", "Preparation", "Authorization", "Capture"),
    "authorize": ("Create", "Attempt", "Preparation", "Authorization"),
    "capture": ("Capture",), "cancel": ("Void",), "refund": ("Refund",),
}


def points(journey=None):
    answer = counter.till("failpoints", "--json")
    assert answer.code == 0, answer
    words = None if "TILL_EVERY_DEATH" in os.environ else PASSES.get(journey)
    return [(p["number"], p["name"]) for p in answer.json["failpoints"]
            if words is None or any(word in p["name"] for word in words)]


OPEN = {"processing", "unknown", "requires_action"}


def settle(shop):
    recovered = shop.recover()
    assert recovered.code == 0, recovered
    shop.verify()


def check_money(shop, order, payment, note):
    """The provider's ledger and our journal, held against each other."""
    charges = charges_of(shop.stripe, order)
    assert 0 <= net(charges) <= PRICE, f"{note}: {charges}"
    assert sum(c["captured"] for c in charges) <= PRICE, f"{note}: captured twice: {charges}"
    held = [c for c in charges if c["authorized"] and not c["captured"] and not c.get("canceled")]
    assert len(held) <= 1, f"{note}: the customer's money is held twice: {held}"
    for charge in charges:
        assert charge["refunded"] <= charge["captured"] <= charge["authorized"], f"{note}: {charge}"
    if payment:
        shown = shop.show(payment)
        assert amount(shown, "captured") == sum(c["captured"] for c in charges), f"{note}: {shown} {charges}"
        assert amount(shown, "refunded") == sum(c["refunded"] for c in charges), f"{note}: {shown} {charges}"
        assert shown["status"] not in OPEN, f"{note}: one recovery after a death leaves nothing open: {shown}"


def all_payments(shop):
    answer = shop.payments("list")
    assert answer.code == 0, answer
    listed = answer.json
    return listed if isinstance(listed, list) else listed.get("payments", listed.get("data"))


class Customer:
    """One customer at the till: never gives up on an order, and always repeats each step under the same key."""

    KINDS = {"sale": (PRICE, 0), "capture": (PRICE, 0), "refund": (PRICE, 500)}

    def __init__(self, servers, order, kind):
        self.servers, self.order, self.kind, self.id, self.done = servers, order, kind, None, False
        self.server = servers[0]
        self.attempt, self.todo = 1, ["confirm"] + ([kind] if kind != "sale" else [])
        self.told_captured = self.told_refunded = 0

    def step(self):
        """Goes on until everything is acknowledged; False when the server was away and it must be repeated."""
        self.server = random.choice(self.servers)
        try:
            if not self.id:
                manual = {"capture": "manual"} if self.kind == "capture" else {}
                created = self.server.create(self.order, "c-" + self.order, **manual)
                if created.status_code not in (200, 201):
                    return self.retryable(created)
                self.id = created.json()["id"]
            while self.todo:
                if not self.act(self.todo[0]):
                    return False
                self.todo.pop(0)
            self.done = True
            return True
        except (requests.ConnectionError, requests.Timeout):
            return False

    def act(self, verb):
        """One step towards its end, with the key it had the first time."""
        if verb == "confirm":
            answer = self.server.confirm(self.id, f"f{self.attempt}-{self.order}", counter.CARD_TENDER)
        elif verb == "capture":
            answer = self.server.request("POST", f"/v1/payments/{self.id}/capture", {}, "p-" + self.order)
        else:
            answer = self.server.request("POST", f"/v1/payments/{self.id}/refunds", {"amount": 500}, "r-" + self.order)
        if not answer.ok and answer.status_code != 402:
            return self.retryable(answer)
        payment = answer.json()
        if verb == "confirm" and (answer.status_code == 402 or payment.get("status") in counter.UNPAID):
            self.attempt += 1  # told that no money moved: the customer pays again, under a new key
            return False
        captured, refunded = amount(payment, "captured"), amount(payment, "refunded")
        self.told_captured, self.told_refunded = max(self.told_captured, captured), max(self.told_refunded, refunded)
        if verb == "refund":
            return refunded == 500
        return captured == PRICE or (verb == "confirm" and payment["status"] in counter.AUTHORIZED)

    def retryable(self, answer):
        assert answer.status_code in (409, 425, 429, 500, 502, 503, 504), f"{self.order}: {answer.text}"
        return False
