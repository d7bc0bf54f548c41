"""The journal's chain of hashes by another hand: Python's hashlib computes it from the documented bytes, and Python's
sqlite3 does to a file what somebody with access to the machine could do.
"""
import hashlib
import sqlite3

import pytest

import counter


def number(value):
    return value.to_bytes(8, "big", signed=True)


def text(value):
    return number(len(value.encode())) + value.encode()


def chain(journal):
    """Every event's place, its link as stored, and its link as computed behind the computed one before it."""
    (head,) = journal.execute("SELECT start FROM journal").fetchone()
    rows = journal.execute(
        "SELECT sequence, version, at, payment, account, name, body, link FROM event ORDER BY sequence")
    for sequence, version, at, payment, account, name, body, link in rows:
        body = text(payment) + text(account) + text(name) + text(body)
        head = hashlib.sha256(head + number(sequence) + number(version) + number(at) + body).digest()
        yield sequence, link, head


@pytest.fixture
def shop(tmp_path):
    """Three paid sales in a closed journal."""
    shop = Till(tmp_path)
    for order in ("one", "two", "three"):
        shop.sell(order)
    return shop


class Till:
    def __init__(self, folder):
        self.path = folder / "journal.db"

    def sell(self, order):
        return counter.succeed(
            "sale", "--amount", "12.50", "--currency", "EUR", "--card-number", counter.CARD, "--expiry", "12/30",
            "--cvc", "123", "--order", order, "--provider", "sandbox", "--journal", self.path, "--json")

    def verify(self, *more):
        return counter.till("journal", "verify", "--journal", self.path, "--json", *more)

    def open(self):
        return sqlite3.connect(self.path)

    def tamper(self, *statements):
        with self.open() as journal:
            for statement in statements:
                assert journal.execute(statement).rowcount != 0, statement

    def problems(self, *more):
        answer = self.verify(*more)
        assert answer.code == 1 and answer.json["ok"] is False, answer
        return answer.json["problems"]


def test_another_hand_computes_the_same_chain(shop):
    links = list(chain(shop.open()))
    assert [sequence for sequence, _, _ in links] == list(range(1, len(links) + 1)) and len(links) > 6
    assert all(stored == computed for _, stored, computed in links)
    sequence, _, head = links[-1]
    answer = shop.verify()
    assert answer.code == 0 and answer.json["head"] == f"{sequence}:{head.hex()}", answer


def test_a_changed_byte_is_named(shop):
    (sequence,) = shop.open().execute("SELECT sequence FROM event WHERE name = 'attempt.started' LIMIT 1").fetchone()
    shop.tamper(f"UPDATE event SET body = replace(body, '1250', '1251') WHERE sequence = {sequence}")
    assert any(p.startswith(f"event {sequence} (") and "not what was written" in p for p in shop.problems())


def test_a_deleted_payment_is_named_by_the_gap_that_it_leaves(shop):
    with shop.open() as journal:
        (payment,) = journal.execute("SELECT id FROM payment WHERE order_number = 'two' OR order_id = 'two'").fetchone()
        places = [s for (s,) in journal.execute(
            "SELECT sequence FROM event WHERE payment = ? ORDER BY sequence", (payment,))]
    shop.tamper(f"DELETE FROM event WHERE payment = '{payment}'", f"DELETE FROM payment WHERE id = '{payment}'")
    assert f"events {places[0]} to {places[-1]} are missing" in shop.problems()


def test_events_that_changed_places_are_named(shop):
    with shop.open() as journal:
        (last,) = journal.execute("SELECT max(sequence) FROM event").fetchone()
    shop.tamper(
        "UPDATE event SET sequence = 0 WHERE sequence = 3", f"UPDATE event SET sequence = 3 WHERE sequence = {last}",
        f"UPDATE event SET sequence = {last} WHERE sequence = 0")
    problems = shop.problems()
    for sequence in (3, last):
        assert any(p.startswith(f"event {sequence} (") for p in problems), problems


def test_a_tail_that_was_cut_without_a_trace_is_found_by_the_head_of_a_backup(shop, tmp_path):
    backup = counter.succeed("journal", "backup", "--journal", shop.path, "--json", tmp_path / "copy.db")
    shop.sell("four")
    assert shop.verify("--head", backup["head"]).code == 0
    with shop.open() as journal:
        (payment, first) = journal.execute(
            "SELECT payment, min(sequence) FROM event GROUP BY payment ORDER BY 2 DESC LIMIT 1 OFFSET 1").fetchone()
        payments = [p for (p,) in journal.execute("SELECT DISTINCT payment FROM event WHERE sequence >= ?", (first,))]
        journal.execute("DELETE FROM event WHERE sequence >= ?", (first,))
        for payment in payments:
            journal.execute("DELETE FROM payment WHERE id = ?", (payment,))
        journal.execute("DELETE FROM idempotency")
        statuses = [name.removeprefix("tally_") for (name,) in journal.execute(
            "SELECT name FROM pragma_table_info('journal') WHERE name GLOB 'tally_*' AND name <> 'tally_outbox'")]
        for status in statuses:
            journal.execute(
                f"UPDATE journal SET tally_{status} = (SELECT count(*) FROM payment WHERE status = '{status}')")
        journal.execute(
            "UPDATE journal SET (sequence, head) = (SELECT sequence, link FROM event ORDER BY sequence DESC LIMIT 1)")
    assert shop.verify().code == 0, "a chain alone cannot know that it was longer"
    assert any("its end was cut off" in p for p in shop.problems("--head", backup["head"]))


def test_a_chain_that_was_computed_anew_is_found_by_the_head_on_a_report(shop):
    def day(*arguments):
        return counter.succeed("day", *arguments, "--journal", shop.path, "--json")

    day("open", "--currency", "EUR", "--float", "10.00")
    shop.sell("four")
    assert day("report")["journal_head"] is None, "a day that is not closed has none"
    day("count", "10.00")
    z = day("close")
    sequence, digest = z["journal_head"].split(":")
    links = {place: computed for place, _, computed in chain(shop.open())}
    assert int(sequence) == z["last_sequence"] == max(links) and digest == links[int(sequence)].hex()
    shop.sell("five")
    assert shop.verify("--head", z["journal_head"]).code == 0
    shop.tamper("UPDATE event SET at = at - 1 WHERE sequence = 2")
    assert any(p.startswith("event 2 (") for p in shop.problems("--head", z["journal_head"]))
    with shop.open() as journal:
        links = [(computed, place) for place, _, computed in chain(journal)]
        journal.executemany("UPDATE event SET link = ? WHERE sequence = ?", links)
        journal.execute("UPDATE journal SET head = ?", (links[-1][0],))
    assert shop.verify().code == 0, "a chain alone cannot know that it was computed anew"
    assert any(f"event {sequence} or one before it is another" in p for p in shop.problems("--head", z["journal_head"]))
    # What was kept with the report is not what the journal says now.
    assert day("report", "1")["journal_head"] == z["journal_head"]
    assert links[int(sequence) - 1][0].hex() != digest


def test_nothing_is_sold_behind_an_end_that_was_cut(shop):
    shop.tamper("DELETE FROM event WHERE sequence = (SELECT max(sequence) FROM event)")
    answer = counter.till(
        "sale", "--amount", "1.00", "--currency", "EUR", "--card-number", counter.CARD, "--expiry", "12/30", "--cvc",
        "123", "--order", "five", "--provider", "sandbox", "--journal", shop.path, "--json")
    assert answer.code != 0 and "its last event" in answer.out + answer.err, answer
    assert answer.json["error"]["money_moved"] == "no", answer
