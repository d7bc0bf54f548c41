"""The power fails under load: what was acknowledged is there, and what the provider was asked for was written first.

A real SQLite of another build (Python's) reads the disks at points in the middle; our own binary goes on from the disk
at the end, again and again, and the provider's books are the judge.
"""
import concurrent.futures
import http.client
import http.server
import os
import random
import re
import shutil
import sqlite3
import threading
import time

import pytest

import counter
import deaths
import power_loss

ROUNDS = int(os.environ.get("TILL_POWER_ROUNDS", "6"))
CUTS = int(os.environ.get("TILL_POWER_CUTS", "40"))  # of each round
STEP = re.compile(r"pay_[0-9a-z]+-[a-z]+[0-9]+")


class Watch:
    """What the outside world was told or asked for, and how much was on the record by then."""

    def __init__(self):
        self.lock, self.record, self.told, self.asked = threading.Lock(), None, [], []

    def begin(self, record):
        with self.lock:
            self.record, self.told, self.asked = record, [], []

    def tell(self, payment):
        with self.lock:
            self.told.append((self.record.size, payment))

    def ask(self, step):
        with self.lock:
            self.asked.append((self.record.size, step))


class WatchedServer(counter.Server):
    """Notes each acknowledged payment when its answer is here."""

    watch = None

    def request(self, method, path, body=None, key=None, timeout=30, **headers):
        answer = super().request(method, path, body, key, timeout, **headers)
        if answer.ok and method == "POST" and path.startswith("/v1/payments"):
            self.watch.tell(answer.json())
        return answer


def gate(stripe, watch):
    """In front of the provider: notes what each request is for when it arrives, then lets it through."""
    host, port = stripe.url.removeprefix("http://").split(":")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            step = STEP.search(self.headers.get("Idempotency-Key", ""))
            if step:
                watch.ask(step.group())
            self.pass_on()

        def pass_on(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            upstream = http.client.HTTPConnection(host, int(port), timeout=30)
            try:
                upstream.request(self.command, self.path, body, dict(self.headers))
                answer = upstream.getresponse()
                content = answer.read()
            except OSError:
                self.close_connection = True
                return
            finally:
                upstream.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = pass_on

    class Door(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            pass  # the counter was killed in the middle of a request: what this is about

    door = Door(("127.0.0.1", 0), Handler)
    threading.Thread(target=door.serve_forever, daemon=True).start()
    return door


def read_with_another_sqlite(folder):
    """Captured and refunded of each payment, and every step the journal knows of."""
    with sqlite3.connect(folder / "journal.db") as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",), folder
        if not journal.execute("SELECT 1 FROM sqlite_master WHERE name = 'event'").fetchone():
            return {}, set()  # the power failed before the journal was made
        payments = {row[0]: row[1:] for row in journal.execute("SELECT id, captured, refunded FROM payment")}
        steps = {step for (body,) in journal.execute("SELECT body FROM event") for step in STEP.findall(body)}
    return payments, steps


def check_cuts(start, record, folder, watch, dice, scratch):
    """Disks of power failures within one round."""
    records = list(record)
    chosen = sorted(dice.sample(range(len(records)), min(CUTS, len(records))))
    disk, seen = power_loss.Disk(start), 0
    for number, (place, kind, file, offset, data) in enumerate(records):
        if seen < len(chosen) and chosen[seen] == number:
            seen += 1
            luck = power_loss.LUCK[seen % len(power_loss.LUCK)]
            shutil.rmtree(scratch, ignore_errors=True)
            disk.write(scratch, dice, luck)
            payments, steps = read_with_another_sqlite(scratch) if (scratch / "journal.db").exists() else ({}, set())
            for before, told in watch.told:
                if before <= place:
                    now = payments.get(told["id"])
                    assert now, f"acknowledged and gone ({luck}, record {number}): {told['id']}"
                    said = (counter.amount(told, "captured"), counter.amount(told, "refunded"))
                    assert now[0] >= said[0] and now[1] >= said[1], f"less than acknowledged ({luck}): {told['id']}"
            for before, step in watch.asked:
                assert before > place or step in steps, f"asked for before it was written ({luck}): {step}"
        disk.play(kind, file, offset, data, folder)
    return disk, len(chosen)


@pytest.mark.alone
def test_what_was_acknowledged_survives_the_power(tmp_path, sandbox):
    seed = int(os.environ.get("TILL_KILL_SEED", str(random.randrange(1_000_000))))
    print(f"TILL_KILL_SEED={seed}")
    dice, watch = random.Random(seed), Watch()
    library, door = power_loss.recorder(tmp_path), gate(sandbox, watch)
    watched = counter.Stripe(f"http://127.0.0.1:{door.server_address[1]}", sandbox.key)
    folder, scratch, start = tmp_path / "shop", tmp_path / "cut", {}
    folder.mkdir()
    server = WatchedServer(folder, *watched.flags)
    server.watch, server.log = watch, tmp_path / "server.log"
    customers, told, asked, cuts = [], 0, 0, 0
    for turn in range(ROUNDS):
        record = power_loss.Record(tmp_path / f"record-{turn}")
        watch.begin(record)
        server.env = {
            "LD_PRELOAD": str(library), "TILL_DISK_FOLDER": str(folder), "TILL_DISK_LOG": str(record.path),
        }
        server.start()
        stop = threading.Event()

        def serve_customers(number):
            waiting = [c for c in customers if not c.done and int(c.order.split("-")[1]) == number]
            turns = 0
            while not stop.is_set():
                if not waiting:
                    turns += 1
                    customer = deaths.Customer(
                        [server], f"o-{number}-{turn}-{turns}", list(deaths.Customer.KINDS)[turns % 3]
                    )
                    customers.append(customer)
                    waiting.append(customer)
                if waiting[0].step():
                    waiting.pop(0)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            futures = [pool.submit(serve_customers, n) for n in range(8)]
            time.sleep(dice.uniform(1.0, 2.5))
            server.kill()
            stop.set()
            for future in futures:
                future.result()
        disk, looked = check_cuts(start, record, folder, watch, dice, scratch)
        told, asked, cuts = told + len(watch.told), asked + len(watch.asked), cuts + looked
        shutil.rmtree(folder)
        start = disk.write(folder, dice, power_loss.LUCK[turn % len(power_loss.LUCK)])
    assert told > 50 and asked > 50, f"nothing happened: {told} told, {asked} asked"
    server.env = {}
    server.start()
    patience = time.monotonic() + 60
    waiting = [c for c in customers if not c.done]
    while waiting and time.monotonic() < patience:
        waiting = [c for c in waiting if not c.step()]
    assert not waiting, f"{len(waiting)} never came to an end, among them {waiting[0].order} {waiting[0].id}"
    server.stop()
    deaths.settle(counter.Shop(folder, sandbox))
    door.shutdown()
    by_order = {}
    for charge in deaths.ledger(sandbox):
        for order in charge["metadata"].values():
            by_order.setdefault(order, []).append(charge)
    for customer in customers:
        charges = by_order.get(customer.order, [])
        moved = (sum(c["captured"] for c in charges), sum(c["refunded"] for c in charges))
        assert moved == deaths.Customer.KINDS[customer.kind], f"{customer.order} moved {moved}: {charges}"
    print(f"{len(customers)} customers, {ROUNDS} power failures, {cuts} more looked at; {told} told, {asked} asked")
