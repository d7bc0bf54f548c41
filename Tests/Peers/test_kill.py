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
    # Stripe goes on by itself and renews no holds: those deaths are PayPal's, in test_paypal_kill.py and its Swift tests.
    elsewhere = ("recover", "afterContinuation", "afterRenewal")
    unreached = [p for p in numbered if p[0] not in reached and not p[1].startswith(elsewhere)]
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


def trouble(stripe, dice):
    """The provider itself fails too: done and not said, busy, or away."""
    operation = dice.choice(["prepare", "authorize", "capture", "refund", "query"])
    fault = dice.choice(["serverErrorAfterSuccess", "conflict", "outage", "duplicateDelivery"])
    requests.post(
        stripe.url + "/_sandbox/faults", json={"operation": operation, "fault": fault, "times": 1}, timeout=10
    ).raise_for_status()


def kill_at_random(servers, seconds, stripe, dice, futures):
    """Kills and starts servers until the time is over; how often."""
    kills, end = 0, time.monotonic() + seconds
    while time.monotonic() < end and not any(f.done() for f in futures):
        trouble(stripe, dice)
        time.sleep(dice.uniform(0.05, 1.2))
        server = dice.choice(servers)
        server.kill()
        kills += 1
        server.start()
    return kills


@pytest.mark.parametrize(("processes", "seconds"), [(1, SECONDS), (2, SECONDS / 3)])
def test_random_deaths_under_load_lose_no_payment_and_take_none_twice(tmp_path, sandbox, processes, seconds):
    seed = int(os.environ.get("TILL_KILL_SEED", str(random.randrange(1_000_000))))
    print(f"TILL_KILL_SEED={seed}")
    dice = random.Random(seed)
    servers = [counter.Server(tmp_path, *sandbox.flags).start() for _ in range(processes)]
    server = servers[0]
    stop, customers, lock = threading.Event(), [], threading.Lock()

    def serve_customers(number):
        turn = number
        while not stop.is_set():
            turn += 1
            customer = Customer(servers, f"o-{number}-{turn}", list(Customer.KINDS)[turn % 3])
            with lock:
                customers.append(customer)
            while not stop.is_set() and not customer.step():
                time.sleep(0.02)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(serve_customers, n) for n in range(8)]
        try:
            kills = kill_at_random(servers, seconds, sandbox, dice, futures)
        finally:
            stop.set()
        for future in futures:
            future.result()
    patience = time.monotonic() + 60
    waiting = [c for c in customers if not c.done]
    while waiting and time.monotonic() < patience:
        waiting = [c for c in waiting if not c.step()]
        time.sleep(0.05)
    assert not waiting, f"{len(waiting)} never came to an end, among them {waiting[0].order} {waiting[0].id}"
    for customer in customers:
        shown = server.request("GET", "/v1/payments/" + customer.id)
        assert shown.ok, f"acknowledged payment {customer.id} is gone: {shown.text}"
        now = (amount(shown.json(), "captured"), amount(shown.json(), "refunded"))
        assert now >= (customer.told_captured, customer.told_refunded), f"less than was acknowledged: {shown.text}"
        assert now == Customer.KINDS[customer.kind], f"{customer.order}: {shown.text}"
    for each in servers:
        each.stop()
    settle(counter.Shop(tmp_path, sandbox))
    by_order = {}
    for charge in ledger(sandbox):
        for order in charge["metadata"].values():
            by_order.setdefault(order, []).append(charge)
    for customer in customers:
        charges = by_order.get(customer.order, [])
        moved = (sum(c["captured"] for c in charges), sum(c["refunded"] for c in charges))
        assert moved == Customer.KINDS[customer.kind], f"{customer.order} moved {moved}: {charges}"
    print(f"{len(customers)} customers, {kills} kills, seed {seed}")
    assert kills > 0 and customers
