"""Two counters on one journal in PostgreSQL: a counter dies, the database drops every session and restarts, and all
that was acknowledged is there, charged once.

The provider is a process of its own; its ledger is what really happened. PostgreSQL is Debian's, in a private cluster.
"""
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import pytest
import requests

import counter
import deaths

BIN = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), default=None)
CARD = {"type": "card", "number": counter.CARD, "expiry": "12/30", "cvc": "123"}


class Cluster:
    """A private server on a socket in a folder of its own, with a port on loopback; it refuses to run as root."""

    def __init__(self):
        assert BIN, "PostgreSQL is not installed: scripts/setup test"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="till-pg-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.port, self.data, self.process = counter.free_port(), self.folder / "data", None
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, self.user)
        (self.folder / "password").write_text("a-secret\n")
        (self.folder / "password").chmod(0o644)
        self.run("initdb", "-D", self.data, "-U", "owner", "--auth-local=trust", "--auth-host=scram-sha-256", "-E",
                 "UTF8", "--locale=C", "--pwfile", self.folder / "password")

    def run(self, program, *arguments):
        subprocess.run([BIN / program, *map(str, arguments)], check=True, capture_output=True, cwd=self.folder,
                       user=self.user)

    def start(self):
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                [BIN / "postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port), "-h", "127.0.0.1"],
                stdout=log, stderr=log, cwd=self.folder, user=self.user)
        assert counter.until(lambda: subprocess.run(
            [BIN / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)]).returncode == 0)
        return self

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait(20)

    def psql(self, sql, database="till"):
        done = subprocess.run(
            ["psql", "-h", self.folder, "-p", str(self.port), "-U", "owner", "-d", database, "-XAtq", "-c", sql],
            capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def address(self, database="till", user="owner"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def end(self):
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def server():
    cluster = Cluster()
    try:
        yield cluster.start()
    finally:
        cluster.end()


@pytest.fixture
def cluster(server, tmp_path, monkeypatch):
    """The server with a new database, and a folder in which the counters' own files go."""
    server.psql("DROP DATABASE IF EXISTS till WITH (FORCE)", "postgres")
    server.psql("CREATE DATABASE till", "postgres")
    password = tmp_path / "pgpass"
    password.write_text("127.0.0.1:*:*:owner:a-secret\n")
    password.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(password))
    monkeypatch.chdir(tmp_path)
    return server


class Counter(counter.Server):
    """A counter on the database; its log lies in a folder of its own."""

    def __init__(self, folder, cluster, *flags, **options):
        folder.mkdir(exist_ok=True)
        super().__init__(folder, *flags, **options)
        self.journal = cluster.address()


def command(cluster, *arguments, **options):
    return counter.till(*arguments, "--journal", cluster.address(), "--json", **options)


def verified(cluster):
    answer = command(cluster, "journal", "verify")
    assert answer.code == 0 and answer.json["ok"] is True, answer
    return answer.json


def sell(server, order, patience=30):
    """One sale, sent again under its keys until it is answered; the payment if it is paid."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            made = server().create(order, f"create-{order}")
            if made.status_code in (200, 201):
                paid = server().confirm(made.json()["id"], f"confirm-{order}", CARD)
                if paid.status_code == 200:
                    return paid.json()
            elif made.status_code not in (409, 503):
                raise AssertionError(made.text)
        except requests.RequestException:
            pass
        time.sleep(0.05)
    return None


def test_two_counters_sell_and_one_dies_and_the_database_drops_every_session(cluster, sandbox, tmp_path):
    one = Counter(tmp_path / "one", cluster, *sandbox.flags).start()
    two = Counter(tmp_path / "two", cluster, *sandbox.flags).start()
    assert cluster.psql("SELECT count(*) FROM counter_live") == "2"
    living = [one, two]
    sold, sold_lock, stop = {}, threading.Lock(), threading.Event()

    def clerk(number):
        for sale in range(10_000):
            if stop.is_set():
                return
            order = f"o-{number}-{sale}"
            paid = sell(lambda: random.choice(living), order)
            if paid:
                with sold_lock:
                    sold[order] = paid

    def disturb():
        time.sleep(2)
        one.kill()
        living.remove(one)
        time.sleep(2)
        for _ in range(5):
            cluster.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'till' AND pid <> pg_backend_pid()", "postgres")
            time.sleep(0.3)
        # The server itself dies, and comes back.
        cluster.stop(signal.SIGQUIT)
        time.sleep(0.5)
        cluster.start()
        time.sleep(4)
        stop.set()

    with concurrent.futures.ThreadPoolExecutor(9) as pool:
        clerks = [pool.submit(clerk, number) for number in range(8)]
        pool.submit(disturb).result()
        for done in clerks:
            done.result()
    assert len(sold) > 20
    # What the dead one held is finished by the other, which is on the same machine: at once.
    assert counter.until(lambda: cluster.psql("SELECT count(*) FROM outbox WHERE owner IS NOT NULL") == "0", 30)
    assert cluster.psql("SELECT count(*) FROM counter WHERE how = 'proved'") == "1"
    for order, paid in sold.items():
        now = two.request("GET", f"/v1/payments/{paid['id']}").json()
        assert now["status"] in counter.PAID and counter.amount(now, "captured") == 1250, (order, now)
    two.stop()
    report = verified(cluster)
    for order in sold:
        charges = deaths.charges_of(sandbox, order)
        assert sum(charge["captured"] for charge in charges) == 1250, (order, charges)
    # Of sales that nobody was told of, too: none is charged twice.
    charged = collections.Counter(
        next(value for value in charge["metadata"].values() if value.startswith("o-"))
        for charge in deaths.ledger(sandbox) if charge["captured"])
    assert max(charged.values()) == 1, charged.most_common(3)
    taken = next(balance for balance in report["balances"] if balance["currency"] == "EUR")
    assert taken["captured"] >= 1250 * len(sold)


def test_a_key_is_one_counters_and_then_everybodys_and_events_have_no_gaps(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one, Counter(tmp_path / "two", cluster) as two:
        first = one.create("o-1", "key-1")
        again = two.create("o-1", "key-1")
        assert first.status_code in (200, 201) and again.json() == first.json()
        assert two.create("o-1", "key-1", minor=99).status_code == 422
        assert two.create("o-1", "key-2").status_code == 409
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            made = list(pool.map(lambda n: (one, two)[n % 2].create(f"m-{n}", f"m-{n}").status_code, range(200)))
        assert set(made) <= {200, 201}
    numbers = [int(line) for line in cluster.psql("SELECT sequence FROM event ORDER BY 1").split()]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) == 201
    assert verified(cluster)["events"] == 201


def test_a_counter_that_stood_still_for_longer_than_its_lease_writes_nothing_and_ends(cluster, tmp_path):
    lease = {"TILL_LEASE_SECONDS": "5"}
    two = Counter(tmp_path / "two", cluster, env=lease).start()
    one = Counter(tmp_path / "one", cluster, env=lease).start()
    one.process.send_signal(signal.SIGSTOP)
    try:
        assert counter.until(
            lambda: cluster.psql("SELECT count(*) FROM counter WHERE how = 'presumed'") == "1", 40)
    finally:
        one.process.send_signal(signal.SIGCONT)
    assert one.process.wait(20) != 0
    assert "lease" in one.log.read_text()
    assert two.create("o-1", "k-1").status_code in (200, 201)
    two.stop()


def test_a_commit_whose_wait_for_a_standby_was_cancelled_is_not_acknowledged(cluster, tmp_path):
    """PostgreSQL says "done", with a warning: the commit is on this server only, and would vanish with it."""
    with Counter(tmp_path / "one", cluster) as one:
        assert one.create("o-0", "k-0").status_code in (200, 201)
        cluster.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        cluster.psql("SELECT pg_reload_conf()")
        try:
            with concurrent.futures.ThreadPoolExecutor() as pool:
                answer = pool.submit(one.create, "o-1", "k-1")
                waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'CALL%'"
                assert counter.until(lambda: cluster.psql(f"SELECT count(*) {waiting}") == "1")
                cluster.psql(f"SELECT pg_cancel_backend(pid) {waiting}")
                assert answer.result().status_code == 503
        finally:
            cluster.psql("ALTER SYSTEM RESET synchronous_standby_names")
            cluster.psql("SELECT pg_reload_conf()")
        # It was made, as it turns out; the same request finds that, and makes no other.
        assert counter.until(lambda: one.create("o-1", "k-1").status_code in (200, 201, 409), 20)
    assert cluster.psql("SELECT count(*) FROM payment WHERE order_id = 'o-1'") == "1"
    verified(cluster)


def test_a_counter_on_a_file_does_not_load_the_library(tmp_path, monkeypatch):
    with counter.Server(tmp_path) as server:
        assert server.create("o-1", "k-1").status_code in (200, 201)
        assert "libpq" not in pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()


def test_what_is_wrong_is_said(cluster, tmp_path, monkeypatch):
    def refused(address, *words):
        answer = counter.till("doctor", "--journal", address, "--json")
        assert answer.code != 0, answer
        assert all(word in answer.err + answer.out for word in words), answer
        assert "a-secret" not in answer.err + answer.out

    refused("mysql://h/till", "mysql")
    refused(cluster.address().replace("owner@", "owner:a-secret@"), "PGPASSFILE")
    refused(cluster.address("nowhere"), '\\"nowhere\\"')
    refused("postgresql://owner@127.0.0.1:1/till", "refused")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    refused(cluster.address(), "PGPASSFILE", "password")
    (tmp_path / "wrong").write_text("*:*:*:*:wrong\n")
    (tmp_path / "wrong").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "wrong"))
    refused(cluster.address(), "password authentication failed")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    cluster.psql("ALTER DATABASE till SET default_transaction_read_only = on")
    refused(cluster.address(), "read-only")
    cluster.psql("ALTER DATABASE till RESET default_transaction_read_only", "postgres")


def test_doctor_says_how_safe_a_commit_is(cluster):
    cluster.psql("ALTER DATABASE till SET synchronous_commit = off")
    answer = command(cluster, "doctor")
    said = " ".join(finding["text"] for finding in answer.json["findings"])
    assert "synchronous_commit is off" in said and "set it to on" in said and "No standby" in said, answer


def test_what_works_on_a_file_is_refused_with_a_sentence(cluster, tmp_path):
    copies = tmp_path / "copies"
    for arguments in (["journal", "backup", tmp_path / "copy"], ["restore"], ["serve", "--copy-to", copies]):
        answer = command(cluster, *arguments)
        assert answer.code != 0 and "pg_basebackup" in answer.err + answer.out, answer
    assert not (tmp_path / "copy").exists()


def test_an_event_that_was_changed_in_the_database_is_found(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one:
        for number in range(3):
            assert one.create(f"o-{number}", f"k-{number}").status_code in (200, 201)
    verified(cluster)
    cluster.psql("UPDATE event SET body = body || ' ' WHERE sequence = 2")
    answer = command(cluster, "journal", "verify")
    assert answer.code == 1 and any("event 2" in problem for problem in answer.json["problems"]), answer


def test_a_journal_that_was_cut_takes_no_payment(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one:
        assert one.create("o-1", "k-1").status_code in (200, 201)
        cluster.psql("UPDATE journal SET sequence = 0, head = start; DELETE FROM outbox; DELETE FROM payment; "
                     "DELETE FROM event")
        assert one.create("o-2", "k-2").status_code >= 500
        assert cluster.psql("SELECT count(*) FROM event") == "0"
