"""Two counters on one journal in PostgreSQL: a counter dies, the database drops every session and restarts, and all
that was acknowledged is there, charged once.

The provider is a process of its own; its ledger is what really happened. PostgreSQL is Debian's, in a private cluster.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import threading
import time

import pytest
import requests
from postgres import CARD, LEASE, Cluster, Counter, charged_by_order, command, sell, verified
from streams import Stream

import counter
import deaths
from faults import Call, fail
from wrong_clock import LIBRARY, Clock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMOTIONS = int(os.environ.get("TILL_PROMOTIONS", "1"))
# All that a counter needs where the owner has made the tables (docs/CLUSTER.md).
RIGHTS_OF_A_COUNTER = [
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO clerk",
]
# How long the call of a counter that is only presumed dead may still run.
CALL_SECONDS = 60
SKIPPED_SECONDS = 48


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
        # Between the blows sales go on for some seconds.
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
    dead = "outbox JOIN counter USING (owner) WHERE how = 'proved'"
    assert counter.until(lambda: cluster.psql(f"SELECT count(*) FROM {dead}") == "0", 30)
    assert cluster.psql("SELECT count(*) FROM counter WHERE how = 'proved'") == "1"
    for order, paid in sold.items():
        now = two.request("GET", f"/v1/payments/{paid['id']}").json()
        assert now["status"] in counter.PAID and counter.amount(now, "captured") == 1250, (order, now)
    two.stop()
    report = verified(cluster)
    books = charged_by_order(sandbox)
    for order in sold:
        assert books[order] == [1250], (order, books[order])
    # Of sales that nobody was told of, too: none is charged twice.
    assert max(map(len, books.values())) == 1, books
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


def test_a_report_of_the_day_has_the_head_that_a_check_of_the_journal_computes(cluster, tmp_path):
    def day(one, verb, body, status):
        answer = one.request("POST", "/v1/day/" + verb, body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def sold(one, name):
        made = one.create(name, name)
        assert made.status_code in (200, 201), made.text
        paid = one.confirm(made.json()["id"], name + "-c", {"type": "cash"})
        assert paid.status_code == 200, paid.text

    with Counter(tmp_path / "one", cluster) as one:
        day(one, "open", {"currency": "EUR", "float": 0}, 201)
        sold(one, "o-1")
        day(one, "count", {"total": 1250}, 200)
        z = day(one, "close", {}, 200)
        sold(one, "o-2")
    sequence, digest = z["journal_head"].split(":")
    assert int(sequence) == z["last_sequence"]
    assert cluster.psql(f"SELECT encode(link, 'hex') FROM event WHERE sequence = {sequence}") == digest
    assert command(cluster, "journal", "verify", "--head", z["journal_head"]).code == 0
    cluster.psql("UPDATE event SET at = at - 1 WHERE sequence = 2")
    changed = command(cluster, "journal", "verify", "--head", z["journal_head"])
    assert changed.code == 1 and any(p.startswith("event 2 (") for p in changed.json["problems"]), changed


def test_a_counter_that_stood_still_for_longer_than_its_lease_writes_nothing_and_ends(cluster, tmp_path):
    two = Counter(tmp_path / "two", cluster, env=LEASE).start()
    one = Counter(tmp_path / "one", cluster, env=LEASE).start()
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


def test_a_counter_killed_on_another_machine_is_taken_over_when_its_lease_and_its_calls_are_over(
        cluster, sandbox, tmp_path):
    dead = Counter(tmp_path / "dead", cluster, *sandbox.flags, env=LEASE).start()
    # As if it ran on another machine, where nobody here can prove its death.
    cluster.psql("UPDATE counter SET place = 'elsewhere'")
    other = Counter(tmp_path / "other", cluster, *sandbox.flags, env=LEASE).start()
    payment = dead.create("o-1", "c-1").json()["id"]
    fail(sandbox, "authorize", "timeoutAfterCommit")
    call = Call(lambda: dead.confirm(payment, "k-1", CARD))
    # What is only prepared there has no money.
    assert counter.until(lambda: any(charge["authorized"] for charge in deaths.charges_of(sandbox, "o-1")))
    dead.kill()
    call.join(20)

    def status():
        return other.request("GET", f"/v1/payments/{payment}").json()["status"]

    def presumed():
        return cluster.psql("SELECT count(*) FROM counter WHERE how = 'presumed'") == "1"

    assert counter.until(presumed, 30), "nobody took it for dead"
    began = time.monotonic()
    assert status() == "processing", "its call may still run"
    assert not counter.until(lambda: status() != "processing", 5), "it was taken over while the call might still run"
    # Most of the minute, which would be waiting and nothing else.
    cluster.psql(f"UPDATE counter SET ended_at = ended_at - {SKIPPED_SECONDS} * 1000 WHERE how = 'presumed'")
    assert counter.until(lambda: status() != "processing", CALL_SECONDS - SKIPPED_SECONDS + 15), "nobody took it over"
    assert time.monotonic() - began >= CALL_SECONDS - SKIPPED_SECONDS - 1, "it was taken over too early"
    assert status() == "succeeded", "the provider has the charge"
    assert [c["captured"] for c in deaths.charges_of(sandbox, "o-1")] == [1250]
    other.stop()
    verified(cluster)


def test_a_commit_whose_wait_for_a_standby_was_cancelled_is_not_acknowledged(cluster, tmp_path):
    """PostgreSQL says "done", with a warning: the commit is on this server only, and would vanish with it. A role whose
    setting hides warnings makes no difference."""
    cluster.psql("ALTER DATABASE till SET client_min_messages = 'error'")
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


def test_what_waited_for_a_standby_when_the_server_died_is_shown_to_nobody_before_one_has_it(cluster, tmp_path):
    """After its restart the server shows commits that were acknowledged to nobody; they may vanish with it."""
    one, two = Counter(tmp_path / "one", cluster).start(), Counter(tmp_path / "two", cluster).start()
    assert one.create("o-0", "k-0").status_code in (200, 201)
    cluster.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    cluster.psql("SELECT pg_reload_conf()")
    try:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            answer = pool.submit(one.create, "o-1", "k-1")
            waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'CALL%'"
            assert counter.until(lambda: cluster.psql(f"SELECT count(*) {waiting}") == "1")
            cluster.stop(signal.SIGQUIT)
            cluster.start()
            assert answer.result().status_code == 503
        assert cluster.psql("SELECT count(*) FROM payment") == "2", "the server shows it"
        assert two.request("GET", "/v1/payments").status_code == 503
    finally:
        cluster.psql("ALTER SYSTEM RESET synchronous_standby_names")
        cluster.psql("SELECT pg_reload_conf()")
    assert counter.until(lambda: two.request("GET", "/v1/payments").status_code == 200, 20)
    assert len(two.request("GET", "/v1/payments").json()["payments"]) == 2
    one.stop()
    two.stop()


@pytest.mark.parametrize("turn", range(PROMOTIONS))
def test_the_primary_dies_under_load_and_its_standby_is_promoted(pair, tmp_path, sandbox, turn):
    """Every payment that anybody was told of is there, and is charged once."""
    address = pair.address()
    counters = [
        Counter(tmp_path / name, pair.primary, *sandbox.flags, address=address).start() for name in ("one", "two")]
    told, told_lock, stop = {}, threading.Lock(), threading.Event()
    answered = []  # when a sale was paid

    def clerk(number):
        for sale in range(10_000):
            if stop.is_set():
                return
            order = f"o-{number}-{sale}"
            paid = sell(lambda: random.choice(counters), order, 20)
            if paid:
                with told_lock:
                    told[order] = paid
                    answered.append(time.monotonic())

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        clerks = [pool.submit(clerk, number) for number in range(8)]
        assert counter.until(lambda: len(told) > 20, 60), "hardly anything is sold"
        time.sleep(random.uniform(0, 2))
        before = len(told)
        pair.promote()
        promoted = time.monotonic()
        assert counter.until(lambda: answered and answered[-1] > promoted, 40), "nobody sells any more"
        again = next(moment for moment in answered if moment > promoted)
        time.sleep(3)  # sales go on at the new primary
        stop.set()
        for done in clerks:
            done.result()
    assert len(told) > before
    print(f"{before} sales before the primary died, {len(told)} in all; {again - promoted:.2f} s without")
    assert again - promoted < 20
    books = charged_by_order(sandbox)
    for order, paid in told.items():
        now = counters[0].request("GET", f"/v1/payments/{paid['id']}").json()
        assert now["status"] in counter.PAID and counter.amount(now, "captured") == 1250, (order, now)
        assert books[order] == [1250], (order, books[order])
    assert max(map(len, books.values())) == 1, books
    numbers = [int(line) for line in pair.standby.psql("SELECT sequence FROM event ORDER BY 1").split()]
    assert numbers == list(range(1, len(numbers) + 1))
    for server in counters:
        server.stop()
    answer = counter.till("journal", "verify", "--journal", address, "--json")
    assert answer.code == 0 and answer.json["ok"] is True, answer


def test_the_cluster_that_make_starts_heals(tmp_path, monkeypatch):
    monkeypatch.setenv("TILL_API_KEY", counter.API_KEY)
    port, log = counter.free_port(), tmp_path / "log"
    with open(log, "w") as output:
        script = subprocess.Popen([ROOT / "scripts" / "run-cluster", "--port", str(port)], stdout=output, stderr=output)
    shop = counter.Server(tmp_path, port=port)
    try:
        assert counter.until(lambda: "standby" in log.read_text().partition("kill something")[2], 60), log.read_text()
        made = shop.create("o-1", "k-1")
        assert made.status_code in (200, 201), made.text
        os.kill(int(re.findall(r"primary .*kill -9 (\d+)", log.read_text())[-1]), signal.SIGKILL)
        assert counter.until(lambda: "Healed" in log.read_text(), 60), log.read_text()
        assert counter.until(lambda: shop.create("o-2", "k-2").status_code in (200, 201), 30)
        assert shop.request("GET", f"/v1/payments/{made.json()['id']}").status_code == 200
        os.kill(int(re.findall(r"counter 1 .*kill -9 (\d+)", log.read_text())[-1]), signal.SIGKILL)
        assert counter.until(lambda: "started again" in log.read_text(), 20), log.read_text()
        folder = re.search(r"files and logs are in (\S+)\. ", log.read_text())[1]
    finally:
        script.send_signal(signal.SIGINT)
        script.wait(60)
    assert not pathlib.Path(folder).exists()


def test_a_server_that_takes_the_connection_and_is_silent_keeps_nobody_from_the_next(cluster, tmp_path):
    """As a machine that stands still does, or a primary that another one has replaced."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        both = cluster.address().replace("@", f"@127.0.0.1:{silent.getsockname()[1]},")
        with Counter(tmp_path / "one", cluster, address=both) as one:
            assert one.create("o-1", "k-1").status_code in (200, 201)
        nobody = f"postgresql://shop@127.0.0.1:{silent.getsockname()[1]},127.0.0.1:1/till"
        refused = counter.till("doctor", "--journal", nobody, "--json")
        assert refused.code != 0 and "did not answer in time" in refused.out + refused.err, refused
        assert "refused" in refused.out + refused.err, refused


def test_a_counter_on_a_file_does_not_load_the_library(tmp_path, monkeypatch):
    with counter.Server(tmp_path) as server:
        assert server.create("o-1", "k-1").status_code in (200, 201)
        assert "libpq" not in pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()


def test_nothing_is_freed_that_the_threads_of_sessions_still_use_at_the_end(cluster, sandbox, tmp_path):
    """OpenSSL, which PostgreSQL's library brings, frees its own when a process ends, unless it is told to leave it: one
    command in a thousand had sold and then crashed."""
    seen = tmp_path / "seen"
    sold = counter.till(
        "sale", "--amount", "12.50", "--currency", "EUR", "--card-number", counter.CARD, "--expiry", "12/30", "--cvc",
        "123", "--order", "o-1", "--journal", cluster.address(), "--json", *sandbox.flags,
        env={"LD_PRELOAD": str(counter.library("crypto_at_exit", tmp_path)), "TILL_SEEN": str(seen)})
    assert sold.code == 0, sold
    assert not seen.exists() or "OPENSSL_cleanup" not in seen.read_text(), seen.read_text()


def test_what_is_wrong_is_said(cluster, tmp_path, monkeypatch):
    def refused(address, *words):
        answer = counter.till("doctor", "--journal", address, "--json")
        assert answer.code != 0, answer
        assert all(word in answer.err + answer.out for word in words), answer
        assert "a-secret" not in answer.err + answer.out

    refused("mysql://h/till", "mysql")
    refused(cluster.address().replace("shop@", "shop:a-secret@"), "PGPASSFILE")
    refused(cluster.address("nowhere"), '\\"nowhere\\"')
    refused("postgresql://shop@127.0.0.1:1/till", "refused")
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
    refused("ftp://h/till", "ftp")
    assert not list(tmp_path.glob("*:*")), "an address was taken for a path"
    cluster.psql("CREATE ROLE clerk LOGIN PASSWORD 'a-secret'")
    try:
        (tmp_path / "pgpass").write_text("127.0.0.1:*:*:*:a-secret\n")
        refused(cluster.address(user="clerk"), "does not let Till's role do that", "docs/CLUSTER.md")
    finally:
        cluster.psql("DROP ROLE clerk")
    cluster.psql("CREATE TABLE orders(id integer)")
    refused(cluster.address(), "another program", "orders")
    cluster.psql("DROP TABLE orders")
    command(cluster, "doctor")
    cluster.psql("UPDATE till_schema SET version = 99")
    refused(cluster.address(), "newer Till")


def test_doctor_says_how_safe_a_commit_is(cluster):
    cluster.psql("ALTER DATABASE till SET synchronous_commit = off")
    answer = command(cluster, "doctor")
    said = " ".join(finding["text"] for finding in answer.json["findings"])
    assert "synchronous_commit is off" in said and "set it to on" in said and "No standby" in said, answer
    assert "superuser" not in said and "server's clock" not in said, answer
    cluster.psql("ALTER ROLE shop SUPERUSER")
    try:
        said = " ".join(finding["text"] for finding in command(cluster, "doctor").json["findings"])
    finally:
        cluster.psql("ALTER ROLE shop NOSUPERUSER")
    assert "Till's role is a superuser" in said


def test_the_owner_makes_the_tables_and_a_role_that_may_create_nothing_sells(cluster, tmp_path):
    level = command(cluster, "journal", "level")
    assert level.code == 1 and level.json["level"] == 0 and "tables" in level.json["missing"], level
    reading = command(cluster, "payments", "list")
    assert reading.code == 1 and reading.json["error"]["code"] == "journal_not_found", reading
    cluster.psql("CREATE ROLE clerk LOGIN PASSWORD 'a-secret'")
    try:
        (tmp_path / "pgpass").write_text("127.0.0.1:*:*:*:a-secret\n")
        refused = counter.till("journal", "migrate", "--journal", cluster.address(user="clerk"), "--json")
        assert refused.code == 1 and "does not let Till's role do that" in refused.err + refused.out, refused
        made = command(cluster, "journal", "migrate")
        assert made.code == 0 and made.json["level"] == made.json["newest"] and made.json["added"], made
        assert command(cluster, "journal", "migrate").json["added"] == []
        for grant in RIGHTS_OF_A_COUNTER:
            cluster.psql(grant)
        level = counter.till("journal", "level", "--journal", cluster.address(user="clerk"), "--json")
        assert level.code == 0 and level.json["missing"] == [], level
        with Counter(tmp_path / "clerk", cluster, address=cluster.address(user="clerk")) as server:
            assert sell(lambda: server, "o-1")
        verified(cluster)
    finally:
        cluster.psql("DROP OWNED BY clerk; DROP ROLE clerk")


def test_nodes_are_the_counters_that_stand_on_the_journal(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one, Counter(tmp_path / "two", cluster) as two:
        nodes = command(cluster, "journal", "nodes").json["nodes"]
        assert [node["description"].split("pid ")[1] for node in nodes] == [
            str(server.process.pid) for server in (one, two)]
        assert all(0 < node["lease_milliseconds"] <= 30_000 for node in nodes)
        assert ", lease " in counter.till("journal", "nodes", "--journal", cluster.address()).out
    assert command(cluster, "journal", "nodes").json["nodes"] == []
    # The same of a file.
    with counter.Server(tmp_path) as server:
        nodes = counter.till("journal", "nodes", "--journal", server.journal, "--json").json["nodes"]
        assert [node["description"] for node in nodes] == [f"till, pid {server.process.pid}"]


def test_a_key_that_is_revoked_ends_within_a_second_at_every_counter(cluster, tmp_path):
    with Counter(tmp_path / "one", cluster) as one, Counter(tmp_path / "two", cluster) as two:
        lost = command(cluster, "keys", "create", "--label", "lost laptop").json
        kept = command(cluster, "keys", "create").json
        streams = [Stream(server, lost["key"]) for server in (one, two)]
        others = [Stream(server, kept["key"]) for server in (one, two)]
        assert command(cluster, "keys", "revoke", lost["id"]).code == 0
        revoked = time.monotonic()
        assert counter.until(lambda: all(stream.ended for stream in streams), 3), "streams go on"
        assert max(stream.ended for stream in streams) - revoked < 1
        for server in (one, two):
            asked = requests.get(server.url + "/v1/payments", headers={"Authorization": "Bearer " + lost["key"]},
                                 timeout=10)
            assert asked.status_code == 401 and asked.json()["code"] == "key_revoked", asked.text
        assert not any(stream.ended for stream in others)


def test_a_file_is_moved_into_a_database_where_counters_go_on(cluster, sandbox, tmp_path):
    with counter.Server(tmp_path, *sandbox.flags) as server:
        old, file = sell(lambda: server, "o-1"), server.journal
        move = ("journal", "copy", "--from", file, "--to", cluster.address(), "--json")
        busy = counter.till(*move)
        assert busy.code != 0 and "journal_in_use" in busy.out + busy.err, busy
    head = counter.succeed("journal", "verify", "--journal", file, "--json")["head"]
    moved = counter.succeed(*move)
    assert moved["payments"] == 1 and moved["head"] == head
    assert "journal_restoring" in (again := counter.till(*move)).out + again.err
    with counter.Server(tmp_path, *sandbox.flags) as server:
        late = server.create("o-late", "k-late")
        if late.ok:
            late = server.confirm(late.json()["id"], "c-late", CARD)
        assert late.status_code == 503 and late.json()["code"] == "restoring", late.text
        assert "moved" in server.request("GET", "/readyz").text
    with Counter(tmp_path / "one", cluster, *sandbox.flags) as one:
        assert one.request("GET", f"/v1/payments/{old['id']}").json()["status"] == old["status"]
        # The key is known there, too.
        assert one.create("o-1", "create-o-1").json()["id"] == old["id"]
        assert sell(lambda: one, "o-2")
    assert command(cluster, "journal", "verify", "--head", head).json["ok"] is True
    assert [sum(c["captured"] for c in deaths.charges_of(sandbox, order)) for order in ("o-1", "o-2")] == [1250, 1250]


def test_what_works_on_a_file_is_refused_with_a_sentence(cluster, tmp_path):
    copies = tmp_path / "copies"
    copy = tmp_path / "copy"
    for arguments in (["journal", "backup", copy], ["restore", copy], ["serve", "--copy-to", copies]):
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


@pytest.mark.skipif(not LIBRARY, reason="libfaketime is not installed: scripts/setup test")
def test_clocks_that_are_an_hour_apart_cost_no_counter_its_lease_and_no_sale(tmp_path, sandbox, monkeypatch):
    """One counter's clock, and then the database's, which is set forward and back while both sell."""
    cluster, clock = Cluster(), Clock(tmp_path / "counter.time")
    clock.path.write_text("+3600\n")
    of_database = cluster.folder / "database.time"
    of_database.write_text("+0\n")
    try:
        env = {**clock.env, "FAKETIME_TIMESTAMP_FILE": str(of_database)}
        del env["FAKETIME_SHARED"]  # its processes have another user
        with monkeypatch.context() as of_server:
            for name, value in env.items():
                of_server.setenv(name, value)
            cluster.start()
        cluster.make_database()
        password = tmp_path / "pgpass"
        password.write_text("*:*:*:shop:a-secret\n")
        password.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(password))
        monkeypatch.chdir(tmp_path)
        counters = [Counter(tmp_path / "one", cluster, *sandbox.flags, env=LEASE).start(),
                    Counter(tmp_path / "two", cluster, *sandbox.flags, env={**LEASE, **clock.env}).start()]
        # Each proves nothing of the other: only leases say who lives.
        cluster.psql("UPDATE counter SET place = 'machine ' || owner")
        orders = []

        def renewed(times):
            """Both have renewed their leases so often; they sell meanwhile."""
            seen = [set(), set()]

            def enough():
                rows = cluster.psql("SELECT lease_until FROM counter_live ORDER BY owner").split()
                assert len(rows) == 2, "a counter was taken for dead"
                for row, leases in zip(rows, seen, strict=True):
                    leases.add(row)
                return min(map(len, seen)) > times

            assert counter.until(enough, 60)
            for server in counters:
                orders.append(f"o-{len(orders)}")
                assert sell(lambda server=server: server, orders[-1]), orders[-1]

        # As long as it takes until one may judge the other.
        renewed(14)
        for ahead in ("+3600", "-3600", "+0"):
            of_database.with_suffix(".new").write_text(ahead + "\n")
            os.replace(of_database.with_suffix(".new"), of_database)
            renewed(4)
        assert cluster.psql("SELECT count(*) FROM counter WHERE ended_at IS NOT NULL") == "0"
        books = charged_by_order(sandbox)
        assert {order: books[order] for order in orders} == {order: [1250] for order in orders}
        for server in counters:
            server.stop()
        verified(cluster)
    finally:
        cluster.end()
        clock.end()
