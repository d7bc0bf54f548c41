"""A counter whose way to its PostgreSQL breaks: connections are reset, held, delayed, half open, or end in the middle
of a commit. The provider's ledger says what really happened: no sale is paid twice, and none is lost.
"""
import concurrent.futures
import os
import random
import threading
import time

import pytest
from postgres import CARD, Counter, charged_by_order, sell, verified
from wire import Wire

import counter
import deaths

SEEDS = int(os.environ.get("TILL_WIRE_SEEDS", "2"))
LOAD_SECONDS = 8
# The command that commits: by it the connection that writes is known.
COMMIT = b"till_write_2"


@pytest.fixture
def wire(cluster):
    wire = Wire(cluster.port)
    yield wire
    wire.close()


def behind(wire):
    return f"postgresql://shop@127.0.0.1:{wire.port}/till"


def events(cluster):
    return [int(line) for line in cluster.psql("SELECT sequence FROM event ORDER BY 1").split()]


def sessions(cluster):
    return int(cluster.psql("SELECT max(session) FROM counter_live"))


CUTS = {
    "committed, and no byte of the answer comes": {},
    "committed, and the answer ends after seven bytes": {"at": 7},
    "committed, and the line is half open": {"ends": False},
    "cut in the middle of the command": {"of": "request", "at": 40},
    "half open in the middle of the command": {"of": "request", "at": 40, "ends": False},
}


def test_a_commit_whose_answer_was_cut_is_found_out(cluster, wire, sandbox, tmp_path):
    with Counter(tmp_path / "one", cluster, *sandbox.flags, address=behind(wire)) as one:
        assert one.create("o-0", "k-0").status_code in (200, 201)
        for number, (name, fault) in enumerate(CUTS.items(), 1):
            before = sessions(cluster)
            cut = wire.cut(COMMIT, **fault)
            made = one.create(f"o-{number}", f"k-{number}")
            assert cut.done.is_set() and made.status_code in (200, 201), (name, made.text)
            assert sessions(cluster) == before + 1, name
            assert cluster.psql(f"SELECT count(*) FROM payment WHERE order_id = 'o-{number}'") == "1", name
        # Each commit of a sale, in turn.
        for skip in range(4):
            order = f"o-sale-{skip}"
            made = one.create(order, f"c-{order}").json()["id"]
            cut = wire.cut(COMMIT, skip=skip)
            paid = one.confirm(made, f"f-{order}", CARD)
            assert paid.status_code == 200 and paid.json()["status"] in counter.PAID, (skip, paid.text)
            assert [c["captured"] for c in deaths.charges_of(sandbox, order)] == [1250], skip
            wire.next_cut = None
        assert cut.done.is_set() or skip > 1, "a sale has hardly any commits"
    assert events(cluster) == list(range(1, len(events(cluster)) + 1))
    verified(cluster)


def test_where_nobody_can_be_asked_the_answer_says_so_and_the_same_request_finds_out(cluster, wire, sandbox, tmp_path):
    with Counter(tmp_path / "one", cluster, *sandbox.flags, address=behind(wire)) as one:
        payment = one.create("o-1", "k-1").json()["id"]
        with wire.refuse():
            cut = wire.cut(COMMIT)
            refused = one.confirm(payment, "f-1", CARD)
            assert cut.done.is_set()
            said = refused.json()
            assert refused.status_code == 503, refused.text
            assert said["money_moved"] == "no" and said["next"], said
            assert not deaths.charges_of(sandbox, "o-1"), "nothing is sent on a write that nobody has acknowledged"
            wire.drop()
            away = one.request("GET", f"/v1/payments/{payment}")
            assert away.status_code == 503 and away.json()["next"], away.text
            assert "?" not in away.json()["detail"] and "a-secret" not in refused.text + away.text
            assert one.request("GET", "/readyz").status_code == 503
        assert counter.until(lambda: one.request("GET", "/readyz").status_code == 200, 20)
        again = one.confirm(payment, "f-1", CARD)
        assert again.status_code in (200, 402, 409) and again.json().get("next"), again.text
        # Its own call may be on its way for a minute, for all it knows; one that is started again knows that none is.
        one.stop()
        one.start()
        assert counter.until(
            lambda: one.request("GET", f"/v1/payments/{payment}").json()["status"] not in deaths.OPEN, 20)
        captured = counter.amount(one.request("GET", f"/v1/payments/{payment}").json(), "captured")
        assert sum(c["captured"] for c in deaths.charges_of(sandbox, "o-1")) == captured
        # Whatever became of the first one, the order can be paid.
        if not captured:
            assert one.confirm(payment, "f-2", CARD).status_code == 200
        assert [c["captured"] for c in deaths.charges_of(sandbox, "o-1")] == [1250]
    verified(cluster)


def disturb(wire, chance, until):
    """One fault after the other, each chosen and timed by the seed."""
    while time.monotonic() < until:
        time.sleep(chance.uniform(0.05, 0.4))
        fault = chance.choice(("drop", "cut", "half open", "hold", "hold answers", "delay", "refuse"))
        if fault == "drop":
            wire.drop()
        elif fault in ("cut", "half open"):
            wire.cut(
                COMMIT, of=chance.choice(("request", "answer")), at=chance.choice((0, 1, 5, 40, 400)),
                ends=fault == "cut", skip=chance.randrange(8))
            time.sleep(chance.uniform(0.1, 0.5))
        elif fault.startswith("hold"):
            with wire.hold(*(["answer"] if fault.endswith("answers") else [])):
                time.sleep(chance.uniform(0.05, 1.5))
        elif fault == "delay":
            with wire.delay(chance.uniform(0.005, 0.1)):
                time.sleep(0.5)
        else:
            with wire.refuse():
                wire.drop()
                time.sleep(chance.uniform(0.1, 1))
    wire.next_cut = None


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_sale_is_paid_twice_or_lost_on_a_line_that_breaks(cluster, wire, sandbox, tmp_path, seed):
    chance = random.Random(seed)
    one = Counter(tmp_path / "one", cluster, *sandbox.flags, address=behind(wire)).start()
    two = Counter(tmp_path / "two", cluster, *sandbox.flags).start()
    sold, lock, stop = {}, threading.Lock(), threading.Event()

    def clerk(number):
        own = random.Random(f"{seed} {number}")
        sale = 0
        while not stop.is_set():
            order = f"o-{number}-{sale}"
            sale += 1
            paid = sell(lambda: one if own.random() < 0.8 else two, order)
            if paid:
                with lock:
                    sold[order] = paid

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        clerks = [pool.submit(clerk, number) for number in range(4)]
        disturb(wire, chance, time.monotonic() + LOAD_SECONDS)
        healed = time.monotonic()
        assert counter.until(lambda: one.request("GET", "/readyz").status_code == 200, 20), "it does not heal"
        print(f"seed {seed}: {time.monotonic() - healed:.1f} s until it was ready again")
        assert sell(lambda: one, "o-healed"), "it does not sell again"
        stop.set()
        for done in clerks:
            done.result()
    print(f"seed {seed}: {len(sold)} sales, {sessions(cluster)} sessions that wrote")
    assert one.process.poll() is None and len(sold) > 4
    overdue = "SELECT count(*) FROM outbox WHERE due_at <= till_clock()"
    assert counter.until(lambda: cluster.psql(overdue) == "0", 30), "recovery leaves something"
    books = charged_by_order(sandbox)
    for order, paid in sold.items():
        now = two.request("GET", f"/v1/payments/{paid['id']}").json()
        assert now["status"] in counter.PAID and counter.amount(now, "captured") == 1250, (order, now)
        assert books[order] == [1250], (order, books[order])
    assert max(map(len, books.values())) == 1, books
    one.stop()
    two.stop()
    assert events(cluster) == list(range(1, len(events(cluster)) + 1))
    verified(cluster)
