"""A payment whose events cannot be read is listed as such and hides no other, in whatever lists payments or events."""
import sqlite3

import pytest
import requests

import counter


@pytest.fixture
def shop(tmp_path, sandbox):
    return counter.Shop(tmp_path, sandbox)


def damage(journal, payment):
    """As a disk does: the bytes of its last event, which took the money, are others."""
    with sqlite3.connect(journal) as database:
        changed = database.execute(
            "UPDATE event SET body = '{\"broken\":' WHERE payment = ?1 AND name = 'capture.succeeded'"
            " AND version = (SELECT max(version) FROM event WHERE payment = ?1)", (payment,))
        assert changed.rowcount == 1, changed.rowcount


def mend(journal, payment, bodies):
    with sqlite3.connect(journal) as database:
        for version, body in bodies:
            database.execute("UPDATE event SET body = ? WHERE payment = ? AND version = ?", (body, payment, version))


def bodies(journal, payment):
    with sqlite3.connect(journal) as database:
        return database.execute(
            "SELECT version, body FROM event WHERE payment = ? ORDER BY version", (payment,)).fetchall()


@pytest.fixture
def sold(shop):
    """Three payments, the second of which cannot be read any more."""
    made = [shop.sale(order=f"o-{n}", amount=f"{10 + n}.50").json["id"] for n in range(3)]
    whole = bodies(shop.journal, made[1])
    damage(shop.journal, made[1])
    return made, whole


def test_the_list_has_it_and_the_others(tmp_path, shop, sold):
    made, _ = sold
    with counter.Server(tmp_path, *shop.stripe.flags) as server:
        answer = server.request("GET", "/v1/payments")
        assert answer.status_code == 200, answer.text
        listed = {p["id"]: p for p in answer.json()["payments"]}
        assert set(listed) == set(made)
        assert listed[made[1]]["unreadable"] is True and "till journal verify" in listed[made[1]]["message"]
        assert "captured" not in listed[made[1]] and "status" not in listed[made[1]]
        assert all(listed[p]["status"] == "succeeded" for p in (made[0], made[2]))
        one = server.request("GET", f"/v1/payments/{made[1]}")
        problem = one.json()
        assert one.status_code == 500 and problem["code"] == "payment_unreadable", problem
        assert problem["money_moved"] == "no" and "journal verify" in problem["next"], problem
        assert "Retry-After" not in one.headers
        refund = server.request("POST", f"/v1/payments/{made[1]}/refunds", {}, key="k-1")
        assert refund.status_code == 500 and refund.json()["code"] == "payment_unreadable", refund.text
        # It is a person's to see, once, and the queue has it beside what else waits.
        waiting = server.request("GET", "/v1/attention").json()
        mine = [i for i in waiting["incidents"] if i["payment_id"] == made[1]]
        assert len(mine) == 1 and mine[0]["kind"] == "unreadable_payment", waiting
        server.request("GET", "/v1/payments")
        assert len(server.request("GET", "/v1/attention").json()["incidents"]) == 1
        assert server.request("GET", "/v1/reconciliation").status_code == 200
        assert server.request("GET", "/v1/ledger/balances").json()["unreadable"] == [made[1]]


def test_the_stream_of_events_goes_on_behind_it(tmp_path, shop, sold):
    made, _ = sold
    with counter.Server(tmp_path, *shop.stripe.flags) as server:
        with requests.get(
            server.url + "/v1/events", stream=True, timeout=10,
            headers={"Authorization": "Bearer " + server.api_key, "Last-Event-ID": "0"},
        ) as stream:
            with sqlite3.connect(shop.journal) as database:
                count = database.execute("SELECT count(*) FROM event").fetchone()[0]
            seen = []
            for line in stream.iter_lines(decode_unicode=True):
                if line.startswith("event: "):
                    seen.append(line[7:])
                if len(seen) == count:
                    break
        assert seen.count("unreadable") == 1 and seen[-1] == "capture.succeeded", seen


def test_the_commands_list_it_and_the_others(shop, sold):
    made, whole = sold
    listed = {p["id"]: p for p in counter.succeed("payments", "list", *shop.common)["payments"]}
    assert set(listed) == set(made) and listed[made[1]]["unreadable"] is True, listed
    assert listed[made[0]]["status"] == "succeeded"
    words = counter.till("payments", "list", "--journal", shop.journal)
    assert words.code == 0 and "unreadable" in words.out and "Do not charge it again" in words.err, words
    one = shop.payments("show", made[1])
    assert one.code == 1 and one.json["error"]["code"] == "payment_unreadable", one
    assert counter.till("attention", "list", *shop.common).json["incidents"][0]["payment_id"] == made[1]
    # The books are made of the others, and say of which they are not.
    told = counter.till("ledger", "balances", "--journal", shop.journal, "--json")
    assert told.code == 2 and made[1] in told.err, told
    sums = {(b["kind"], b["currency"]): b["amount"] for b in told.json["balances"]}
    assert sums["receivable", "EUR"] == 1050 + 1250
    export = counter.till("ledger", "export", "--format", "csv", "--journal", shop.journal)
    assert export.code == 2 and made[1] in export.err and made[2] in export.out, export
    # What can be read again is whole, and the incident ends by itself.
    mend(shop.journal, made[1], whole)
    sums = {(b["kind"], b["currency"]): b["amount"]
            for b in counter.succeed("ledger", "balances", "--journal", shop.journal, "--json")["balances"]}
    assert sums["receivable", "EUR"] == 1050 + 1150 + 1250
    assert shop.show(made[1])["status"] == "succeeded"


def test_a_statement_matches_the_others_and_then_it(shop, sandbox, sold):
    made, whole = sold
    first = counter.till("reconcile", "--fetch", "stripe", *shop.common)
    found = first.json["statements"][0]
    assert found["matched"] == 2 and found["unknown"] == 1, first
    mend(shop.journal, made[1], whole)
    again = counter.till("reconcile", "--fetch", "stripe", *shop.common)
    assert again.json["open"] == [] or all(i["payment"] != made[1] for i in again.json["open"]), again
    sums = {(b["kind"], b["currency"]): b["amount"]
            for b in counter.succeed("ledger", "balances", "--journal", shop.journal, "--json")["balances"]}
    assert sums["suspense", "EUR"] == 0, sums


@pytest.mark.parametrize(("column", "amount"), [("status", 1150), ("currency", None)])
def test_a_damaged_row_hides_no_other_and_the_payment_itself_is_shown(tmp_path, shop, column, amount):
    made = [shop.sale(order=f"o-{n}", amount=f"{10 + n}.50").json["id"] for n in range(3)]
    with sqlite3.connect(shop.journal) as database:
        assert database.execute(f"UPDATE payment SET {column} = '?x' WHERE id = ?", (made[1],)).rowcount == 1
    with counter.Server(tmp_path, *shop.stripe.flags) as server:
        answer = server.request("GET", "/v1/payments")
        assert answer.status_code == 200, answer.text
        listed = {p["id"]: p for p in answer.json()["payments"]}
        assert set(listed) == set(made) and all(listed[p]["status"] == "succeeded" for p in (made[0], made[2]))
        assert listed[made[1]]["unreadable"] is True and "by its id" in listed[made[1]]["message"]
        assert listed[made[1]]["amount"] == amount and "status" not in listed[made[1]]
        # The payment is its events: it is read and given back by its id.
        assert server.request("GET", f"/v1/payments/{made[1]}").json()["status"] == "succeeded"
        told = counter.till("payments", "list", *shop.common)
        assert told.code == 0, told
        rows = {p["id"]: p for p in told.json["payments"]}
        assert rows[made[1]]["unreadable"] is True and rows[made[0]]["status"] == "succeeded"
        verified = counter.till("journal", "verify", *shop.common)
        assert verified.code != 0 and made[1] in verified.out + verified.err, verified
        refund = server.request("POST", f"/v1/payments/{made[1]}/refunds", {}, key="k-row")
        assert refund.status_code in (200, 201), refund.text
        assert server.request("GET", f"/v1/payments/{made[1]}").json()["status"] == "refunded"
