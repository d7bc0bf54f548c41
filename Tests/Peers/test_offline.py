"""Cards stored without a connection, with the real binary: what a person sees, and a queue that drains while the
process is killed again and again."""
import json
import os
import sqlite3
import subprocess
import time

import pytest

import counter

PAYMENTS = int(os.environ.get("TILL_OFFLINE_PAYMENTS", "1000"))
EVERY = 0.5


class Till:
    """The counter of one folder, with limits that are not in the way."""

    def __init__(self, folder, **more):
        self.folder = folder
        self.journal = folder / "journal.db"
        self.env = {
            "TILL_JOURNAL": str(self.journal), "TILL_OFFLINE_COUNT": "1000000", "TILL_OFFLINE_PER_CARD": "1000000",
            "TILL_OFFLINE_TOTAL": "EUR 90000000.00", **more,
        }

    def run(self, *arguments, env=None, timeout=300):
        return counter.till("offline", *arguments, "--json", env={**self.env, **(env or {})}, timeout=timeout)

    def start(self, *arguments, env=None):
        whole = {**os.environ, **self.env, **(env or {})}
        return subprocess.Popen(
            [counter.binary(), "offline", *arguments, "--json"], env=whole, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def charges(self):
        """What the sandbox has charged; its file is made with the first charge."""
        path = str(self.journal) + "-sandbox"
        if not os.path.exists(path):
            return []
        books = sqlite3.connect(path, timeout=30)
        made = books.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'charge'").fetchone()[0]
        charges = [json.loads(body) for (body,) in books.execute("SELECT body FROM charge ORDER BY position")] if made \
            else []
        books.close()
        return [c for c in charges if not c.get("isTombstone")]

    def statuses(self):
        journal = sqlite3.connect(str(self.journal), timeout=30)
        rows = journal.execute("SELECT id, status FROM payment").fetchall()
        journal.close()
        return dict(rows)


def kill_again_and_again(start, is_done, every=EVERY, limit=900):
    """Kills each process after a while; the last one is left to end by itself."""
    kills, began = 0, time.monotonic()
    while time.monotonic() - began < limit:
        process = start()
        try:
            process.wait(every)
            if is_done():
                return kills
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    raise AssertionError(f"not done after {limit} s and {kills} deaths")


def check_books(till, expected):
    charges = till.charges()
    orders = [c["order"] for c in charges if c["captures"]]
    assert len(orders) == expected, f"{len(orders)} orders were charged, {expected} were stored"
    assert len(set(orders)) == len(orders), "an order was charged twice"
    for charge in charges:
        assert sum(c["amount"] for c in charge["captures"]) == charge["amount"], charge


@pytest.mark.alone
def test_what_is_stored_drains_while_the_process_is_killed_every_half_second(tmp_path):
    till = Till(tmp_path, TILL_SANDBOX_WINDOW=str(max(200, PAYMENTS // 10)))
    assert till.run("sync").code == 0
    stored = till.run(
        "accept", "--amount", "12.50", "--connection", "force-offline", "--reader", "simulated", "--times",
        str(PAYMENTS))
    assert stored.code == 0, stored
    assert stored.json["stored"] == PAYMENTS
    assert not till.charges(), "nothing is charged before it is forwarded"

    def is_done():
        return till.run("status").json["count"] == 0

    kills = kill_again_and_again(lambda: till.start("sync", "--batch", "50"), is_done)
    assert kills >= 3, f"only {kills} deaths: the test tests nothing"
    print(f"{PAYMENTS} payments, {kills} deaths")
    check_books(till, PAYMENTS)
    assert set(till.statuses().values()) == {"succeeded"}
    assert till.run("verify").code == 0


@pytest.mark.alone
def test_killed_while_it_stores_what_was_shown_is_there(tmp_path):
    till = Till(tmp_path)
    assert till.run("sync").code == 0
    rounds = 6
    for number in range(rounds):
        process = till.start(
            "accept", "--amount", "1.00", "--connection", "force-offline", "--reader", "simulated", "--times", "5000")
        time.sleep(0.4 + 0.2 * number)
        process.kill()
        process.wait()
        verified = till.run("verify")
        assert verified.code == 0, verified
    # What the journal shows as stored is in the log, to the last one; what it does not show was never shown.
    assert counter.till("payments", "recover", "--json", env=till.env).code in (0, 3)
    shown = [s for s in till.statuses().values() if s == "stored"]
    verified = till.run("verify").json
    assert verified["vouched_by_journal"] == len(shown) > 0
    assert till.run("sync", "--batch", "500").code in (0, 1)
    check_books(till, till.run("status").json["resolved"])


@pytest.mark.parametrize("place", [
    "batch fetched", "batch submitted", "batch answered", "batch accepted", "payments settled", "batch resolved",
])
def test_a_death_at_each_step_of_forwarding(tmp_path, place):
    till = Till(tmp_path)
    assert till.run("sync").code == 0
    till.run("accept", "--amount", "3.00", "--connection", "force-offline", "--reader", "simulated", "--times", "12")
    died = till.run("sync", "--batch", "5", env={"TILL_OFFLINE_FAILPOINT": place})
    assert died.killed, died
    again = till.run("sync", "--batch", "5")
    assert again.code == 0, again
    check_books(till, 12)
    assert set(till.statuses().values()) == {"succeeded"}


def accept(till, *more, env=None):
    return till.run("accept", "--amount", "12.50", *more, env=env)


def test_never_offline_silently(tmp_path):
    till = Till(tmp_path)
    away = {"TILL_SANDBOX_NETWORK": "off"}
    refused = accept(till, "--connection", "force-offline")
    assert (refused.code, refused.json["error"]["code"]) == (1, "offline_refused")
    assert "never reached" in refused.json["error"]["what"]
    assert till.run("sync").code == 0
    online = accept(till)
    assert (online.code, online.json["status"]) == (0, "succeeded")
    required = accept(till, "--connection", "require-online", env=away)
    assert (required.code, required.json["error"]["code"]) == (1, "provider_not_reached")
    stored = accept(till, env=away)
    assert (stored.code, stored.json["status"]) == (0, "stored")
    assert "STORED, NOT PAID" in stored.json["receipt"]
    assert stored.json["captured"] == 0
    # A call without an answer may have taken the money: such a payment is never stored.
    lost = counter.till(
        "offline", "accept", "--amount", "900.01", "--json",
        env={**till.env, "TILL_OFFLINE_PER_PAYMENT": "EUR 1000.00"})
    assert lost.json["status"] != "stored", lost
    assert till.run("status").json["count"] == 1


def test_what_a_person_does_with_the_queue(tmp_path):
    till = Till(tmp_path)
    till.run("sync")
    accept(till, "--connection", "force-offline", "--order", "o-1")
    bad = accept(till, "--connection", "force-offline", "--reader", "simulated", "--card", "unreadable")
    poor = accept(
        till, "--connection", "force-offline", "--reader", "simulated", "--card", "declined:insufficient_funds")
    gone = accept(till, "--connection", "force-offline")
    declined = till.run("decline", gone.json["id"])
    assert (declined.code, declined.json["status"]) == (0, "canceled")
    status = till.run("status").json
    assert (status["count"], status["sums"]) == (3, [{"currency": "EUR", "amount": 3750}])
    exported = till.run("export").json
    assert exported["payments"] == 3
    assert "4242424242424242" not in json.dumps(exported)
    synced = till.run("sync")
    assert (synced.json["approved"], synced.json["declined"], synced.json["left"]) == (1, 1, 1)
    aside = till.run("quarantine").json["quarantined"]
    assert [a["payment_id"] for a in aside] == [bad.json["id"]] and aside[0]["reason"]
    shown = till.statuses()
    assert (shown[poor.json["id"]], shown[bad.json["id"]], shown[gone.json["id"]]) == ("declined", "stored", "canceled")
    assert till.run("quarantine", "--release", str(aside[0]["entry"])).json["quarantined"] == []
    assert till.run("sync").json["left"] == 1


@pytest.mark.parametrize("damage, name", [
    ("cut", "offline_log_truncated"), ("flip", "offline_log_changed"), ("back", "offline_log_rolled_back"),
    ("gone", "offline_log_truncated"), ("foreign", "offline_log_other_device"),
])
def test_a_damaged_log_is_named_and_nothing_is_taken_on_it(tmp_path, damage, name):
    till = Till(tmp_path / "one")
    (tmp_path / "one").mkdir()
    till.run("sync")
    accept(till, "--connection", "force-offline")
    log = tmp_path / "one" / "journal.db-offline" / "offline.log"
    early = log.read_bytes()
    accept(till, "--connection", "force-offline")
    whole = log.read_bytes()
    if damage == "cut":
        log.write_bytes(whole[:-50])
    elif damage == "flip":
        middle = len(early) - 60
        log.write_bytes(whole[:middle] + bytes([whole[middle] ^ 4]) + whole[middle + 1:])
    elif damage == "back":
        log.write_bytes(early)
    elif damage == "gone":
        log.unlink()
    else:
        other = Till(tmp_path / "two", TILL_OFFLINE_DEVICE="the other")
        (tmp_path / "two").mkdir()
        other.run("sync")
        log.write_bytes((tmp_path / "two" / "journal.db-offline" / "offline.log").read_bytes())
    for answer in (till.run("verify"), accept(till, "--connection", "force-offline"), till.run("sync")):
        assert answer.code == 1, answer
    answer = till.run("verify")
    assert answer.json["error"]["code"] == name, answer


def test_two_processes_store_into_one_log(tmp_path):
    till = Till(tmp_path)
    till.run("sync")
    arguments = ("accept", "--amount", "2.00", "--connection", "force-offline", "--reader", "simulated", "--times",
        "300")
    processes = [till.start(*arguments) for _ in range(3)]
    assert [p.wait(120) for p in processes] == [0, 0, 0]
    status = till.run("status").json
    assert status["count"] == 900
    assert till.run("verify").json["vouched_by_journal"] == 900
    # And two forward at the same time.
    forwarding = [till.start("sync", "--batch", "50") for _ in range(2)]
    for process in forwarding:
        process.wait(240)
    assert till.run("sync").code == 0
    check_books(till, 900)


def test_the_counter_tells_what_is_stored(tmp_path):
    till = Till(tmp_path)
    till.run("sync")
    accept(till, "--connection", "force-offline")
    env = {k: v for k, v in till.env.items() if k != "TILL_JOURNAL"}
    with counter.Server(tmp_path, env=env) as server:
        told = server.request("GET", "/v1/offline")
        assert told.status_code == 200, told.text
        told = told.json()
        assert (told["count"], told["sums"]) == (1, [{"currency": "EUR", "amount": 1250}])
        assert told["oldest_at"] < told["expires_at"] and told["reasons_against"] == []
        # What another process adds is there at the next look.
        accept(till, "--connection", "force-offline")
        assert server.request("GET", "/v1/offline").json()["count"] == 2
        assert server.request("POST", "/v1/offline").status_code == 405
        assert server.request("GET", "/v1/offline", **{"Authorization": "Bearer wrong"}).status_code == 401
