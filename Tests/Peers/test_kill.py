"""The process dies at every numbered point, and at random under load: money moves once or not at all.

The provider is a process of its own, so that its ledger outlives ours. TILL_FAILPOINT=n makes the binary end
itself with SIGKILL at point n; `till failpoints --json` lists the deaths.points.
"""
import concurrent.futures
import os
import random
import threading
import time

import pytest
import requests

import counter
import deaths
from counter import amount

SECONDS = float(os.environ.get("TILL_KILL_SECONDS", "20"))


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


# Each death has an order, a folder and a shop of its own; what they share is the provider.
AT_ONCE = 3


def die_at(point, journey, folder, sandbox):
    """One journey, killed at one point and recovered twice. Whether it came to that point."""
    number, name = point
    note, order = f"{journey} killed at {number} ({name})", f"o-{journey}-{number}"
    folder = folder / order
    folder.mkdir()
    shop = counter.Shop(folder, sandbox)
    before, act = journeys(shop, order)[journey]
    payment = before()
    ended = act(payment, {"TILL_FAILPOINT": str(number)})
    if not ended.killed:
        assert ended.code == 0, f"{note}: {ended}"
        payment = payment or ended.json["id"]  # acknowledged: it must be there for good
    if not shop.journal.exists():
        assert ended.killed and not deaths.charges_of(sandbox, order), f"{note}: money moved before the journal"
        return True
    deaths.settle(shop)
    known = deaths.all_payments(shop)
    assert len(known) <= 1, f"{note}: {known}"
    payment = payment or (known[0]["id"] if known else None)
    deaths.check_money(shop, order, payment, note)
    if not known:
        assert not deaths.charges_of(sandbox, order), f"{note}: the provider has a charge the journal lacks"
    deaths.settle(shop)  # a second recovery finds nothing to do
    deaths.check_money(shop, order, payment, note + ", recovered twice")
    return ended.killed


def test_a_death_at_any_point_of_any_journey_moves_money_at_most_once(tmp_path, sandbox):
    numbered = deaths.points()
    assert numbered, "there are no failpoints to test"
    tries = [(p, journey) for journey in deaths.PASSES for p in deaths.points(journey)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        ends = pool.map(lambda each: (each[0][0], die_at(*each, tmp_path, sandbox)), tries)
        reached = {number for number, died in ends if died}
    # Stripe goes on by itself and renews no holds: those deaths are PayPal's, in test_paypal_kill.py and its Swift
    # tests.
    elsewhere = ("recover", "afterContinuation", "afterRenewal")
    unreached = [p for p in numbered if p[0] not in reached and not p[1].startswith(elsewhere)]
    assert not unreached, f"no journey reaches {unreached}: these points are not tested"


def die_again(point, points, folder, sandbox):
    """A sale killed at one point, then its recovery at each of all points, then recovered."""
    first, name = point
    order = f"o-again-{first}"
    folder = folder / order
    folder.mkdir()
    shop = counter.Shop(folder, sandbox)
    if not shop.sale(order=order, env={"TILL_FAILPOINT": str(first)}).killed or not shop.journal.exists():
        return
    for second, _ in points:
        shop.recover(env={"TILL_FAILPOINT": str(second)})
    deaths.settle(shop)
    known = deaths.all_payments(shop)
    note = f"killed at {first} ({name}), then in recovery"
    deaths.check_money(shop, order, known[0]["id"] if known else None, note)


def test_a_death_during_recovery_is_recovered_from(tmp_path, sandbox):
    numbered = deaths.points()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda point: die_again(point, numbered, tmp_path, sandbox), numbered))


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


@pytest.mark.alone
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
            customer = deaths.Customer(servers, f"o-{number}-{turn}", list(deaths.Customer.KINDS)[turn % 3])
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
        assert now == deaths.Customer.KINDS[customer.kind], f"{customer.order}: {shown.text}"
    for each in servers:
        each.stop()
    deaths.settle(counter.Shop(tmp_path, sandbox))
    by_order = {}
    for charge in deaths.ledger(sandbox):
        for order in charge["metadata"].values():
            by_order.setdefault(order, []).append(charge)
    for customer in customers:
        charges = by_order.get(customer.order, [])
        moved = (sum(c["captured"] for c in charges), sum(c["refunded"] for c in charges))
        assert moved == deaths.Customer.KINDS[customer.kind], f"{customer.order} moved {moved}: {charges}"
    print(f"{len(customers)} customers, {kills} kills, seed {seed}")
    assert kills > 0 and customers
