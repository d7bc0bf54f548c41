"""The real counter at a provider by another hand, in its worst weather: several sellers at once on processes that
are killed, keys of another account in between, and days that pass. When all has settled, the provider's own ledger, the
journal and the ledger of the books say the same of every payment.

TILL_HOSTILE_SEEDS=N runs N seeds instead of one, TILL_HOSTILE_SEED=n begins with that one.
"""
import concurrent.futures
import contextlib
import dataclasses
import os
import random
import threading
import time

import hostile_braintree
import hostile_provider
import hostile_stripe
import pytest
import requests

import counter
from counter import amount
from wrong_clock import LIBRARY, Clock

FIRST = int(os.environ.get("TILL_HOSTILE_SEED", "7"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("TILL_HOSTILE_SEEDS", "1")))
STORM = 12  # seconds of sales in bad weather
MINUTE, HOUR, DAY = 60, 3_600, 86_400
# The first is within the time in which a late request may still arrive, the second ends it; then come the second and
# the third query of an outcome that nobody knows.
JUMPS = (4 * MINUTE, 8 * MINUTE, 75 * MINUTE, 26 * HOUR)
PRICE = 1250
KINDS = {"sale": (PRICE, 0), "capture": (PRICE, 0), "part": (1000, 0), "refund": (PRICE, 500), "whole": (PRICE, PRICE),
         "cancel": (0, 0)}
# How disputes end; the first one does not.
DISPUTES = (None, "won", "lost", "warning_closed")
BAD_DAYS = set(hostile_provider.READS + hostile_provider.WRITES) | {"decline", "duplicate webhook"}


class Machine(Clock):
    """The clock of the counter's machine, in seconds ahead of the true one."""

    def set(self, days, seconds=0):
        fresh = self.path.with_suffix(".new")
        fresh.write_text(f"{days * DAY + seconds:+d}\n")
        os.replace(fresh, self.path)


class World:
    def __init__(self, folder, name, seed):
        self.folder, self.name, self.dice = folder, name, random.Random(seed)
        self.machine, self.ahead = Machine(folder / "machine.time"), 0
        if name == "stripe":
            self.provider = hostile_stripe.StripeProvider(seed)
            self.provider.accounts["sk_test_second"] = "acct_2Second"
        else:
            self.provider = hostile_braintree.BraintreeProvider(seed)
            self.provider.merchants["second"] = ("public_second", "private_second")
        self.ledger, self.weather = self.provider.ledger, self.provider.weather
        self.flags = ["--provider", name, f"--{name}-url", self.provider.url]
        self.servers = [counter.Server(folder, *self.flags, env=self.env()) for _ in range(2)]
        self.provider.post.silent = {"acct_2Second", "second"}
        self.provider.post.url = f"{self.servers[0].url}/webhooks/{name}"
        self.buyers, self.calm = [], False
        self.stranger = Buyer(self, "o-stranger", "sale")

    def env(self, account="first"):
        if self.name == "stripe":
            keys = {"TILL_STRIPE_KEY": f"sk_test_{account}",
                    "TILL_STRIPE_WEBHOOK_SECRET": self.provider.WEBHOOK_SECRET}
        else:
            keys = {"TILL_BRAINTREE_MERCHANT_ID": account, "TILL_BRAINTREE_PUBLIC_KEY": f"public_{account}",
                    "TILL_BRAINTREE_PRIVATE_KEY": f"private_{account}",
                    "TILL_BRAINTREE_MERCHANT_ACCOUNTS": "EUR=shop_eur; JPY=shop_jpy"}
        return {**self.machine.env, **keys}

    def end(self):
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.kill()
        self.provider.close()
        self.machine.end()

    # -- what happens

    def start_all(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda server: server.start(), self.servers))

    def kill_all(self):
        for server in self.servers:
            server.kill()

    def storm(self):
        """Sellers who sell as fast as they can, while processes die: for a time, and until there was weather of every
        kind, which a slow machine sees later."""
        self.start_all()
        end, lock = time.monotonic() + STORM, threading.Lock()
        latest = end + 4 * STORM

        def is_over():
            now = time.monotonic()
            return now >= end and (now >= latest or self.weather.seen.keys() >= BAD_DAYS)

        settling = threading.Thread(target=self.settle_now_and_then, daemon=True)
        settling.start()

        def sell(number):
            turn = 0
            while not is_over():
                with lock:
                    kind = list(KINDS)[(number + turn) % len(KINDS)]
                    buyer = Buyer(self, f"o-{number}-{turn}", kind)
                    self.buyers.append(buyer)
                # Who waits for an outcome that nobody knows is left to the counter, and comes back later.
                patience = time.monotonic() + 1.5
                while time.monotonic() < patience and not buyer.step():
                    time.sleep(0.1)
                turn += 1

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            sellers = [pool.submit(sell, number) for number in range(6)]
            while not is_over():
                time.sleep(self.dice.uniform(0.7, 2.2))
                server = self.dice.choice(self.servers)
                server.kill()
                server.start()
            for seller in sellers:
                seller.result()

    def settle_now_and_then(self):
        while self.name == "braintree" and not self.calm:
            self.provider.settle_all()
            time.sleep(0.8)

    def another_account(self):
        """Keys of another account on the same journal: what is open belongs to the first one."""
        self.kill_all()
        before = {c.id: (c.state, c.captured, c.refunded) for c in self.charges("first")}
        self.serve_strangers(3)
        # What was on its way before may still arrive; nothing else of the first account has moved.
        moved = {c.id for c in self.charges("first") if before.get(c.id) != (c.state, c.captured, c.refunded)}
        assert len(moved) <= len(self.provider.on_the_way), moved

    def serve_strangers(self, seconds):
        """A buyer at a counter with the other account's keys; all others wait."""
        with counter.Server(self.folder, *self.flags, env=self.env("second")) as counter_of_others:
            self.stranger.servers = [counter_of_others]
            end = time.monotonic() + seconds
            while time.monotonic() < end and not self.stranger.step():
                time.sleep(0.1)
            time.sleep(max(0.0, end - time.monotonic()) if not self.calm else 0)

    def charges(self, account):
        names = {"first": ("acct_1First", "first"), "second": ("acct_2Second", "second")}[account]
        with self.ledger.lock:
            return [charge for charge in self.ledger.charges.values() if charge.account in names]

    def let_pass(self, seconds):
        """Time passes for the counter's machine and for the provider, and all processes die meanwhile."""
        self.kill_all()
        self.ahead += seconds
        self.provider.offset = self.ahead
        self.machine.set(0, self.ahead)
        self.start_all()

    def all_come_to_an_end(self):
        """The weather clears. What nobody knew becomes known, and every buyer gets what he came for."""
        self.calm = self.weather.calm = True
        self.provider.wait_for_late_ones()
        if self.name == "braintree":
            self.provider.settle_all()
        for jump in JUMPS:
            self.let_pass(jump)
            came = self.provider.bring_what_is_far_away(2)
            end = time.monotonic() + (4 if came else 8)
            while time.monotonic() < end and not all([buyer.done or buyer.step() for buyer in self.buyers]):
                if self.name == "braintree":
                    self.provider.settle_all()
                time.sleep(0.1)
            self.provider.wait_for_late_ones()
            if not came and all(buyer.done for buyer in self.buyers):
                break
        self.kill_all()
        self.serve_strangers(10)
        self.start_all()
        waiting = [buyer for buyer in [*self.buyers, self.stranger] if not buyer.done]
        if waiting:
            shown = [self.get(f"/v1/payments/{buyer.id}").json() for buyer in waiting[:2] if buyer.id]
            raise AssertionError(f"{len(waiting)} never came to an end: {waiting[0].order} {shown}")

    def get(self, path):
        return self.servers[0].request("GET", path)

    def another_currency(self):
        """What the provider moves in another currency is never taken for paid."""
        order = {"stripe": ("EUR", 3500), "braintree": ("JPY", 3500)}[self.name]
        made = self.servers[0].create("o-currency", "c-currency", minor=order[1], currency=order[0]).json()
        self.servers[0].confirm(made["id"], "f-currency", counter.CARD_TENDER)
        shown = self.get(f"/v1/payments/{made['id']}").json()
        assert amount(shown, "captured") == 0 and shown["status"] not in counter.PAID, shown
        canceled = self.servers[0].request("POST", f"/v1/payments/{made['id']}/cancel", {}, "x-currency")
        assert canceled.status_code in (200, 202, 409), canceled.text

    def after_the_sale(self):
        """Somebody in the dashboard, refunds that come back, sales that are not settled after all."""
        paid = [c for c in self.charges("first") if c.state == "captured" and c.net > 0]
        paid.sort(key=lambda charge: charge.made)
        for charge in [c for c in paid if c.refunds][:3]:
            self.provider.refund_fails(charge)
        untouched = [c for c in paid if not c.refunds]
        for charge in untouched[:3]:
            self.provider.dashboard_refund(charge, self.dice.choice((100, charge.net)))
        if self.name == "braintree":
            for charge in untouched[3:5]:
                self.provider.capture_fails(charge)
        if self.name == "stripe":
            for charge, ends in zip(untouched[3:], DISPUTES, strict=False):
                self.provider.is_disputed(charge, ends)
        assert len(untouched) > 6, "too little was sold to show anything"

    # -- what must be so

    def payments(self):
        """Every payment of the journal, page by page."""
        found, cursor = [], ""
        while True:
            answer = self.get("/v1/payments?limit=100" + cursor)
            assert answer.ok, answer.text
            page = answer.json()
            found += page["payments"]
            if len(page["payments"]) < 100:
                return found
            cursor = "&before=" + found[-1]["id"]

    def differences(self):
        """Where the provider and the journal, or the provider and what is right, say different things."""
        theirs = self.ledger.by_payment(self.provider.payment_of)
        ours = {p["id"]: p for p in self.payments()}
        found = [f"the journal does not know {payment}" for payment in theirs if payment not in ours]
        taken = {}
        for payment, shown in ours.items():
            charges = theirs.get(payment, [])
            found += [f"{payment}: money is held for nobody: {c}" for c in charges if c.state == "held"]
            other = [c for c in charges if c.currency.upper() != shown["currency"]]
            found += [f"{payment}: money of another currency stays: {c}" for c in other if c.net]
            charges = [c for c in charges if c not in other]
            there = tuple(sum(getattr(c, name) for c in charges) for name in ("captured", "refunded", "withdrawn"))
            here = amount(shown, "captured"), amount(shown, "refunded"), amount(shown, "disputed")
            if here != there:
                found.append(f"{payment} ({shown['status']}): journal {here}, provider {there}")
            if shown["status"] in counter.PAID and not there[0]:
                found.append(f"{payment} is {shown['status']} without money")
            taken[shown["order_id"]] = taken.get(shown["order_id"], 0) + sum(c.captured for c in charges)
        return found + [f"{order} was charged twice: {sum_}" for order, sum_ in taken.items() if sum_ > PRICE]

    def check(self):
        # The counter queries what is settled 16 payments at a time, every ten seconds; at worst all were changed.
        patience = 60 + 10 * len(self.payments()) / 16
        assert counter.until(lambda: not self.differences(), patience), self.differences()
        assert BAD_DAYS <= self.weather.seen.keys(), f"good weather only: {self.weather.seen}"
        for what, plant in self.planted():
            with plant():
                assert self.differences(), f"the rig does not see {what}"
        assert not self.differences()
        self.check_offline()

    def planted(self):
        """What a counter could do wrong, done to the provider's ledger behind its back: the rig has to see each."""
        charge = next(c for c in self.charges("first") if c.state == "captured" and c.net > 0)

        @contextlib.contextmanager
        def changed(**fields):
            before = {name: getattr(charge, name) for name in fields}
            vars(charge).update(fields)
            yield
            vars(charge).update(before)

        @contextlib.contextmanager
        def again():
            twin = dataclasses.replace(charge, id="twin", refunds=[])
            self.ledger.charges["twin"] = twin
            yield
            del self.ledger.charges["twin"]

        twice = [*charge.refunds, hostile_provider.Refund("twin", 100, None, 0, {})]
        return [
            ("a second charge", again), ("a second refund", lambda: changed(refunds=twice)),
            ("a sale without money", lambda: changed(captured=0, refunds=[])),
            ("money taken for a dispute",
             lambda: changed(disputes=[hostile_provider.Dispute("twin", 100, "lost", 0, [-100])])),
            ("money held for nobody", lambda: changed(state="held")),
            ("money of another currency", lambda: changed(currency="USD")),
        ]

    def check_offline(self):
        """When all processes are gone: the chain, every invariant, and the ledger of the books."""
        self.kill_all()
        common = ["--journal", self.servers[0].journal, "--json", *self.flags]
        verified = counter.till("journal", "verify", *common, env=self.env())
        assert verified.code == 0 and verified.json["ok"], verified
        balances = counter.till("ledger", "balances", *common, env=self.env()).json["balances"]
        receivable = sum(b["amount"] for b in balances if ":Receivable:" in b["account"] and b["currency"] == "EUR")
        net = sum(c.net for c in self.ledger.charges.values() if c.currency.upper() == "EUR")
        assert receivable == net, (balances, net)


class Buyer:
    """A buyer who never gives up, and a clerk who does what the counter's answers leave open."""

    def __init__(self, world, order, kind, servers=None):
        self.world, self.order, self.kind, self.servers = world, order, kind, servers
        self.id, self.done, self.dice = None, False, random.Random(order)
        self.told = (0, 0)

    def step(self):
        """One step. True when the buyer has what he came for."""
        server = self.dice.choice(self.servers or self.world.servers)
        with contextlib.suppress(requests.ConnectionError, requests.Timeout):
            if not self.id and not self.create(server):
                return False
            answer = server.request("GET", f"/v1/payments/{self.id}")
            if answer.ok:
                self.act(server, answer.json())
        return self.done

    def create(self, server):
        manual = {"capture": "manual"} if self.kind in ("capture", "part", "cancel") else {}
        made = server.create(self.order, "c-" + self.order, PRICE, **manual)
        if made.status_code in (200, 201):
            self.id = made.json()["id"]
        else:
            assert made.status_code in (409, 429, 503), made.text
        return self.id

    def act(self, server, shown):
        now = amount(shown, "captured"), amount(shown, "refunded")
        assert now >= self.told, f"{self.order}: less than was acknowledged: {shown}"
        self.told = now
        status, wanted = shown["status"], KINDS[self.kind]
        if now == wanted and (self.kind != "cancel" or status == "canceled"):
            self.done = True
        elif status in counter.UNPAID:
            key = f"f{len(shown['attempts']) + 1}-{self.order}"
            server.confirm(self.id, key, counter.CARD_TENDER)
        elif status in counter.AUTHORIZED and not shown.get("needs_attention"):
            self.post(server, *{"cancel": ("cancel", {}), "part": ("capture", {"amount": 1000})}.get(
                self.kind, ("capture", {})), len(shown["captures"]))
        elif now[0] and now[1] < wanted[1] and not [r for r in shown["refunds"] if r["status"] != "failed"]:
            self.post(server, "refunds", {"amount": wanted[1]}, len(shown["refunds"]))

    def post(self, server, verb, body, tries):
        server.request("POST", f"/v1/payments/{self.id}/{verb}", body, f"{verb}{tries}-{self.order}")


@pytest.mark.skipif(not LIBRARY, reason="libfaketime is not installed: scripts/setup test")
@pytest.mark.parametrize("name", ["stripe", "braintree"])
@pytest.mark.parametrize("seed", SEEDS)
def test_provider_journal_and_ledger_agree_when_all_has_settled(tmp_path, name, seed):
    world = World(tmp_path, name, seed)
    try:
        began = time.monotonic()
        world.storm()
        world.another_account()
        world.all_come_to_an_end()
        world.another_currency()
        world.after_the_sale()
        assert world.provider.post.all_delivered(), world.provider.post.refusals
        # What no webhook told is found by the query at the age of three days.
        world.let_pass(80 * HOUR)
        world.check()
        print(f"seed {seed}, {name}: {len(world.buyers)} buyers, {world.provider.requests} requests, "
              f"{time.monotonic() - began:.0f} s, {world.weather.seen}")
    finally:
        world.end()
        (tmp_path / "provider.log").write_text("\n".join(world.provider.log) + "\n")
        with world.ledger.lock:
            charges = "\n".join(str(charge) for charge in world.ledger.charges.values())
        (tmp_path / "provider.ledger").write_text(charges + "\n")
