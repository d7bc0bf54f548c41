"""The process dies at every numbered point, and at random under load: money moves once or not at all.

The provider is a process of its own, so that its ledger outlives ours. TILL_FAILPOINT=n makes the binary end
itself with SIGKILL at point n; `till failpoints --json` lists the points.
"""
import concurrent.futures
import os
import random
import threading
import time

import pytest
import requests

import counter
from counter import amount

SECONDS = float(os.environ.get("TILL_KILL_SECONDS", "60"))
PRICE = 1250


def ledger(stripe):
    return requests.get(stripe.url + "/_sandbox/ledger", timeout=10).json()["charges"]


def charges_of(stripe, order):
    return [c for c in ledger(stripe) if order in c["metadata"].values()]


def net(charges):
    return sum(c["captured"] - c["refunded"] for c in charges)


def points():
    answer = counter.till("failpoints", "--json")
    assert answer.code == 0, answer
    return [(p["number"], p["name"]) for p in answer.json["failpoints"]]


def journeys(shop, order):
    """Each way of moving money: what is done before, then the command that will be killed."""

    def authorized():
        sold = shop.sale(*counter.MANUAL, order=order)
        assert sold.code == 0, sold
        return sold.json["id"]

    def paid():
        sold = shop.sale(order=order)
        assert sold.code == 0, sold
        return sold.json["id"]

    nothing = lambda: None
    return {
        "sale": (nothing, lambda _, env: shop.sale(order=order, env=env)),
        "authorize": (nothing, lambda _, env: shop.sale(*counter.MANUAL, order=order, env=env)),
        "capture": (authorized, lambda p, env: shop.payments("capture", p, env=env)),
        "cancel": (authorized, lambda p, env: shop.payments("cancel", p, env=env)),
        "refund": (paid, lambda p, env: shop.payments("refund", p, "--amount", "5.00", env=env)),
    }


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


def all_payments(shop):
    answer = shop.payments("list")
    assert answer.code == 0, answer
    listed = answer.json
    return listed if isinstance(listed, list) else listed.get("payments", listed.get("data"))


def test_a_death_at_any_point_of_any_journey_moves_money_at_most_once(tmp_path, sandbox):
    reached = set()
    numbered = points()
    assert numbered, "there are no failpoints to test"
    for number, name in numbered:
        for journey in ("sale", "authorize", "capture", "cancel", "refund"):
            note, order = f"{journey} killed at {number} ({name})", f"o-{journey}-{number}"
            folder = tmp_path / order
            folder.mkdir()
            shop = counter.Shop(folder, sandbox)
            before, act = journeys(shop, order)[journey]
            payment = before()
            ended = act(payment, {"TILL_FAILPOINT": str(number)})
            if ended.killed:
                reached.add(number)
            else:
                assert ended.code == 0, f"{note}: {ended}"
                payment = payment or ended.json["id"]  # acknowledged: it must be there for good
            if not shop.journal.exists():
                assert ended.killed and not charges_of(sandbox, order), f"{note}: money moved before the journal"
                continue
            settle(shop)
            known = all_payments(shop)
            assert len(known) <= 1, f"{note}: {known}"
            payment = payment or (known[0]["id"] if known else None)
            check_money(shop, order, payment, note)
            if not known:
                assert not charges_of(sandbox, order), f"{note}: the provider has a charge the journal lacks"
            settle(shop)  # a second recovery finds nothing to do
            check_money(shop, order, payment, note + ", recovered twice")
    unreached = [p for p in numbered if p[0] not in reached and not p[1].startswith("recover")]
    assert not unreached, f"no journey reaches {unreached}: these points are not tested"


def test_a_death_during_recovery_is_recovered_from(tmp_path, sandbox):
    numbered = points()
    for first, name in numbered:
        order = f"o-again-{first}"
        folder = tmp_path / order
        folder.mkdir()
        shop = counter.Shop(folder, sandbox)
        if not shop.sale(order=order, env={"TILL_FAILPOINT": str(first)}).killed or not shop.journal.exists():
            continue
        for second, _ in numbered:
            shop.recover(env={"TILL_FAILPOINT": str(second)})
        settle(shop)
        known = all_payments(shop)
        check_money(shop, order, known[0]["id"] if known else None, f"killed at {first} ({name}), then in recovery")


class Customer:
    """One customer at the till: never gives up on an order, and always repeats it under the same key."""

    def __init__(self, server, order):
        self.server, self.order, self.id, self.paid = server, order, None, False
        self.attempt = 1

    def step(self):
        """True once the sale is acknowledged; False when the server was away and it must be repeated."""
        try:
            if not self.id:
                created = self.server.create(self.order, "c-" + self.order)
                if created.status_code not in (200, 201):
                    return self.retryable(created)
                self.id = created.json()["id"]
            confirmed = self.server.confirm(self.id, f"f{self.attempt}-{self.order}", counter.CARD_TENDER)
            if not confirmed.ok and confirmed.status_code != 402:
                return self.retryable(confirmed)
            status = confirmed.json().get("status")
            self.paid = status in counter.PAID
            if confirmed.status_code == 402 or status in counter.UNPAID:
                self.attempt += 1  # told that no money moved: the customer pays again, under a new key
            return self.paid
        except (requests.ConnectionError, requests.Timeout):
            return False

    def retryable(self, answer):
        assert answer.status_code in (409, 425, 429, 500, 502, 503, 504), f"{self.order}: {answer.text}"
        return False


def test_random_deaths_under_load_lose_no_payment_and_take_none_twice(tmp_path, sandbox):
    seed = int(os.environ.get("TILL_KILL_SEED", str(random.randrange(1_000_000))))
    print(f"TILL_KILL_SEED={seed}")
    dice = random.Random(seed)
    server = counter.Server(tmp_path, *sandbox.flags).start()
    stop, customers, lock = threading.Event(), [], threading.Lock()

    def serve_customers(number):
        turn = 0
        while not stop.is_set():
            turn += 1
            customer = Customer(server, f"o-{number}-{turn}")
            with lock:
                customers.append(customer)
            while not stop.is_set() and not customer.step():
                time.sleep(0.02)

    kills, end = 0, time.monotonic() + SECONDS
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(serve_customers, n) for n in range(8)]
        try:
            while time.monotonic() < end and not any(f.done() for f in futures):
                time.sleep(dice.uniform(0.05, 1.2))
                server.kill()
                kills += 1
                server.start()
        finally:
            stop.set()
        for future in futures:
            future.result()
    patience = time.monotonic() + 60
    waiting = [c for c in customers if not c.paid]
    while waiting and time.monotonic() < patience:
        waiting = [c for c in waiting if not c.step()]
        time.sleep(0.05)
    assert not waiting, f"{len(waiting)} sales never came to an end, among them {waiting[0].order} {waiting[0].id}"
    for customer in customers:
        shown = server.request("GET", "/v1/payments/" + customer.id)
        assert shown.ok, f"acknowledged payment {customer.id} is gone: {shown.text}"
    server.stop()
    shop = counter.Shop(tmp_path, sandbox)
    settle(shop)
    by_order = {}
    for charge in ledger(sandbox):
        for order in charge["metadata"].values():
            by_order.setdefault(order, []).append(charge)
    for customer in customers:
        captured = net(by_order.get(customer.order, []))
        assert captured == PRICE, f"{customer.order} paid {captured}: {by_order.get(customer.order)}"
    print(f"{len(customers)} sales, {kills} kills, seed {seed}")
    assert kills > 0 and customers
