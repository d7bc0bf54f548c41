"""A restored backup never sells twice: backups, copies by hand, deaths in the middle, against Stripe's stand-in.

The provider is a process of its own, so that its ledger outlives the journal that is set back.
"""
import shutil
import sqlite3
import threading
import time

import pytest
import requests

import counter
import paypal

PAID_OUT = {"--accept": "cash", "--actor": "Ann", "--evidence": "the drawer was counted"}
PLACES = range(1, 11)
BEFORE_THE_SWEEP = 7
LATE_CALLS = 3  # seconds that a sweep waits for calls of before; 30 in a shop


@pytest.fixture
def shop(tmp_path, sandbox, monkeypatch):
    """A journal with one sale, a backup of it, and one sale more, which the backup does not have."""
    monkeypatch.setenv("TILL_RESTORE_LATE_SECONDS", str(LATE_CALLS))
    shop = Restored(tmp_path, sandbox)
    shop.sell("early")
    shop.backup()
    shop.sell("late")
    return shop


class Restored(counter.Shop):
    def __init__(self, folder, stripe):
        super().__init__(folder, stripe)
        self.copy = folder / "backup.db"

    def name(self, order):
        return f"{order}-{self.journal.parent.name}"  # the stand-in is shared with other tests

    def sell(self, order):
        answer = self.sale(order=self.name(order))
        assert answer.code == 0, answer
        return answer.json

    def backup(self):
        counter.succeed("journal", "backup", self.copy, *self.common)

    def restore(self, *more, env=None):
        return counter.till("restore", *more, *self.common, env=env)

    def accept_cash(self):
        return self.restore(*[word for pair in PAID_OUT.items() for word in pair])

    def sweep(self, env=None):
        """Until the lists have to be complete and a person has answered for the drawer."""
        return counter.till("restore", "--sweep", *self.common, env=env, timeout=120)

    def refused(self, order):
        answer = self.sale(order=self.name(order))
        assert answer.code == 1 and answer.json["error"]["money_moved"] == "no", answer
        return answer.json["error"]["code"]

    def charges(self, order):
        ledger = requests.get(self.stripe.url + "/_sandbox/ledger", timeout=10).json()["charges"]
        return [c for c in ledger if c["order"] == self.name(order) and c["captured"] > 0]

    def incidents(self):
        return counter.succeed("journal", "incidents", *self.common)["incidents"]


def open_again(shop):
    """Sweeps to the end; what is left for a person is only the drawer."""
    swept = shop.sweep()
    assert swept.code == 1 and swept.json["state"] == "needs_person", swept
    assert shop.accept_cash().code == 0
    done = shop.sweep()
    assert done.code == 0 and done.json["sells"] is True, done


def test_what_was_sold_after_the_backup_is_not_sold_again(shop):
    restored = shop.restore(shop.copy)
    assert restored.code == 0 and restored.json["epoch"] == 2, restored
    assert {shop.refused("late"), shop.refused("new")} == {"restoring"}
    open_again(shop)
    assert shop.refused("late") == "order_held"
    (incident,) = shop.incidents()
    assert incident["kind"] == "unknown_charge" and incident["order"] == shop.name("late")
    assert len(shop.charges("late")) == 1
    shop.sell("new")
    assert shop.refused("early") == "order_already_paid"
    # A person has one list, and in it the command.
    attention = counter.succeed("attention", "list", *shop.common)
    assert attention["incidents_open"] == 1 and attention["incidents"][0]["id"] == incident["id"], attention
    text = counter.till("attention", "list", *[word for word in shop.common if word != "--json"]).out
    assert "1 incident is open" in text and f"till journal incidents --resolve {incident['id']}" in text, text
    # Paid stays closed; what was given back is sold again.
    resolve = ["journal", "incidents", "--resolve", incident["id"], "--note", "seen in the dashboard", *shop.common]
    assert counter.till(*resolve).json["error"]["code"] == "outcome_missing"
    counter.succeed(*resolve, "--outcome", "paid")
    assert shop.refused("late") == "order_held"
    counter.succeed(*resolve, "--outcome", "not_paid")
    shop.sell("late")
    assert shop.verify()["ok"]


def test_a_refund_after_the_backup_is_not_made_again(shop):
    payment = shop.sell("given-back")["id"]
    shop.copy = shop.journal.parent / "second.db"
    shop.backup()
    counter.succeed("payments", "refund", payment, "--amount", "5.00", *shop.common)
    assert shop.restore(shop.copy).code == 0
    refused = shop.payments("refund", payment, "--amount", "5.00")
    assert refused.json["error"]["code"] == "restoring", refused
    open_again(shop)
    assert counter.amount(shop.show(payment), "refunded") == 500


def test_a_counter_that_serves_sweeps_by_itself_and_is_not_ready_before(shop):
    assert shop.restore(shop.copy).code == 0
    assert shop.accept_cash().code == 0
    with counter.Server(shop.journal.parent, *shop.stripe.flags) as server:
        ready = requests.get(server.url + "/readyz", timeout=10)
        assert ready.status_code == 503 and ready.json()["code"] == "restoring", ready.text
        assert "restore_sweep_due 1" in server.request("GET", "/metrics").text
        refused = server.create(shop.name("late"), "again")
        assert (refused.status_code, refused.json()["code"]) == (503, "restoring"), refused.text
        assert counter.until(lambda: requests.get(server.url + "/readyz", timeout=10).status_code == 200, 60)
        refused = server.create(shop.name("late"), "again")
        assert (refused.status_code, refused.json()["code"]) == (409, "order_held"), refused.text
        metrics = server.request("GET", "/metrics").text
        assert "orders_held 1" in metrics and "attention_open 1" in metrics, metrics
        attention = server.request("GET", "/v1/attention").json()
        assert attention["incidents_open"] == 1, attention
        assert attention["incidents"][0]["order_id"] == shop.name("late"), attention
        assert server.create(shop.name("new"), "new").status_code == 201


@pytest.mark.parametrize("with_backup", [True, False])
def test_a_file_that_was_copied_back_is_noticed(shop, with_backup):
    if with_backup:
        copy = shop.copy
    else:
        copy = shop.journal.parent / "plain.db"
        shutil.copy(shop.journal, copy)
        shop.sell("later")
    shutil.copy(copy, shop.journal)
    assert shop.refused("new") == "restoring"
    # The whole journal can be read meanwhile.
    assert shop.verify()["ok"] and shop.payments("list").code == 0
    assert shop.sweep().json["state"] == "needs_person"
    assert shop.accept_cash().code == 0 and shop.sweep().code == 0
    assert shop.refused("late" if with_backup else "later") in {"order_held"}
    shop.sell("new")


@pytest.mark.parametrize("place", PLACES)
def test_a_death_in_the_middle_neither_sells_twice_nor_loses_the_journal(shop, place):
    env = {"TILL_RESTORE_FAILPOINT": str(place)}
    if place <= BEFORE_THE_SWEEP:
        died = shop.restore(shop.copy, env=env)
        assert died.killed, died
        # Whatever stands there is the old journal, or sells nothing.
        sale = shop.sale(order=shop.name("late"))
        assert sale.code == 1 and sale.json["error"]["code"] in {
            "order_already_paid", "journal_unavailable", "restoring"}, sale
        assert shop.restore(shop.copy).code == 0
    else:
        assert shop.restore(shop.copy).code == 0
        assert shop.accept_cash().code == 0
        assert shop.sweep(env=env).killed
    aside = [p for p in shop.journal.parent.iterdir() if "-before-" in p.name and not p.name.endswith("-wal")]
    assert aside, "the old journal is gone"
    late = [sqlite3.connect(p).execute("SELECT count(*) FROM event").fetchone()[0] for p in aside]
    (early,) = sqlite3.connect(shop.copy).execute("SELECT count(*) FROM event").fetchone()
    assert max(late) > early, "what was sold after the backup is in no file"
    shop.accept_cash()
    done = shop.sweep()
    assert done.code == 0, done
    assert shop.refused("late") == "order_held" and len(shop.charges("late")) == 1
    shop.sell("new")
    assert shop.verify()["ok"]


def test_a_journal_that_is_in_use_is_not_replaced(shop):
    with counter.Server(shop.journal.parent, *shop.stripe.flags):
        refused = shop.restore(shop.copy)
        assert refused.code == 1 and refused.json["error"]["code"] == "journal_in_use", refused
    assert shop.refused("late") == "order_already_paid"


def test_a_list_that_lags_is_read_again(shop):
    url = shop.stripe.url + "/_sandbox/lists"
    requests.post(url, json={"late_seconds": LATE_CALLS - 1}, timeout=10).raise_for_status()
    try:
        assert shop.restore(shop.copy).code == 0
        open_again(shop)
    finally:
        requests.post(url, json={"late_seconds": 0}, timeout=10).raise_for_status()
    assert shop.refused("late") == "order_held"


def test_paypals_search_is_waited_for_or_a_person_answers_for_it(tmp_path, stand_in, monkeypatch):
    monkeypatch.setenv("TILL_RESTORE_LATE_SECONDS", str(LATE_CALLS))
    shop = paypal.Shop(tmp_path, stand_in)
    copy = tmp_path / "backup.db"
    assert shop("sale", *paypal.SALE, "--amount", "5.00", "--order", "early").code == 0
    counter.succeed("journal", "backup", copy, *shop.common)
    assert shop("sale", *paypal.SALE, "--amount", "5.00", "--order", "late").code == 0
    assert shop("restore", copy).code == 0

    def refused(order):
        answer = shop("sale", *paypal.SALE, "--amount", "5.00", "--order", order)
        assert answer.code == 1, answer
        return answer.json["error"]["code"]

    swept = shop("restore", "--sweep")
    assert swept.code == 1 and swept.json["state"] == "waiting" and "--accept" in swept.json["what"], swept
    assert refused("late") == "restoring"
    for provider in ("paypal", "cash"):
        person = ["--actor", "Ann", "--evidence", "compared with PayPal's own report"]
        assert shop("restore", "--accept", provider, *person).code == 0
    # What the search has shown already does not say its order: nobody sells before a person has found it out.
    assert shop("restore", "--sweep").json["state"] == "needs_person"
    assert refused("late") == "restoring"
    (incident,) = shop("journal", "incidents").json["incidents"]
    resolved = shop(
        "journal", "incidents", "--resolve", incident["id"], "--note", "seen at PayPal", "--outcome", "paid", "--order",
        "late")
    assert resolved.code == 0, resolved
    assert shop("restore", "--sweep").code == 0
    assert refused("late") == "order_held" and refused("early") == "order_already_paid"
    assert shop("sale", *paypal.SALE, "--amount", "5.00", "--order", "new").code == 0


def test_what_was_acknowledged_longer_ago_than_the_recovery_point_is_in_the_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("TILL_RESTORE_LATE_SECONDS", "0")
    recovery_point = 4  # seconds: a pause of one, and two copies on a busy machine
    copies, acknowledged, running = tmp_path / "copies", [], True
    server = counter.Server(tmp_path, "--copy-to", copies).start()

    def sell(worker):
        for number in range(100_000):
            if not running:
                return
            try:
                made = server.create(f"o-{worker}-{number}", f"k-{worker}-{number}")
            except requests.RequestException:
                return
            assert made.status_code == 201, made.text
            acknowledged.append((time.monotonic(), made.json()["id"]))

    workers = [threading.Thread(target=sell, args=(worker,)) for worker in range(4)]
    for worker in workers:
        worker.start()
    time.sleep(8)  # sales go on, and several copies are made of them
    assert "copy_lag_seconds" in server.request("GET", "/metrics").text
    died = time.monotonic()
    server.kill()
    running = False
    for worker in workers:
        worker.join()
    old = [payment for moment, payment in acknowledged if moment < died - recovery_point]
    assert len(old) > 20, len(acknowledged)
    target = tmp_path / "elsewhere" / "journal.db"
    counter.succeed("restore", copies, "--journal", target, "--json")
    with sqlite3.connect(target) as journal:
        there = {row[0] for row in journal.execute("SELECT DISTINCT payment FROM event")}
    assert not [payment for payment in old if payment not in there]
    assert counter.succeed("journal", "verify", "--journal", target, "--json")["ok"]
