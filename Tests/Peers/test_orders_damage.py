"""A disk that changes bytes of orders and of their payments: what is damaged is named, and everything else goes on."""
import json
import sqlite3

import pytest
from test_orders import Feed, booked, paid, problem, show, step

import counter


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def change(server, sql, *values):
    server.stop()
    with sqlite3.connect(server.journal) as database:
        assert database.execute(sql, values).rowcount >= 1
    server.start()


def damage(server, collection, order, body='{"broken":'):
    change(
        server, "UPDATE record SET body = ? WHERE collection = ? AND instr(CAST(body AS TEXT), ?)", body.encode(),
        collection, f'"{order}"')


def unreadable(feed):
    """The events of damaged orders, which `Feed` keeps beside the others."""
    return {one["id"]: one["message"] for one in list(feed.seen) if one.get("unreadable")}


@pytest.mark.parametrize("collection, body", [
    ("order", '{"broken":'), ("order_tab", '{"broken":'), ("order", "no note"), ("order", "no contact"),
])
def test_a_damaged_order_is_named_and_stops_nothing(server, collection, body):
    for name in ("1001", "1002", "1003"):
        booked(server, order_id=name)
    if body.startswith("no "):
        with sqlite3.connect(server.journal) as database:
            stored, = database.execute(
                "SELECT CAST(body AS TEXT) FROM record WHERE collection = 'order' AND instr(CAST(body AS TEXT), ?)",
                ('"1002"',)).fetchone()
        # What is of another kind is not read as missing.
        body = json.dumps({**json.loads(stored), body[3:]: 7})
    damage(server, collection, "1002", body)
    # From the beginning: the damage is in the middle.
    feed = Feed(server, after="0-0")
    assert feed.has(lambda order: order["id"] == "1003")
    assert set(unreadable(feed)) == {"1002"} and "cannot be read" in unreadable(feed)["1002"]
    assert step(server, "1003", "ready").status_code == 200
    assert feed.has(lambda order: order["id"] == "1003" and order.get("state") == "ready")
    listed = server.request("GET", "/v1/orders").json()
    assert [one["id"] for one in listed["orders"]] == ["1003", "1001"]
    assert [one["id"] for one in listed["unreadable"]] == ["1002"]
    found = server.request("GET", "/v1/orders?q=100").json()
    assert [one["id"] for one in found["orders"]] == ["1003", "1001"]
    assert [one["id"] for one in found["unreadable"]] == ["1002"]
    assert server.request("GET", "/v1/orders/1002").status_code >= 500
    assert "Order 1002 cannot be read" in server.log.read_text()


def test_a_damaged_change_of_an_order_hides_not_even_the_order(server):
    for name in ("1001", "1002"):
        booked(server, order_id=name)
    damage(server, "order_change", "1001")
    feed = Feed(server, after="0-0")
    assert feed.has(lambda order: order["id"] == "1002")
    assert {order["id"] for order in feed.seen} == {"1001", "1002"} and unreadable(feed) == {}


def test_a_damaged_payment_shows_its_order_as_unreadable_and_stops_nothing(server):
    for name in ("1001", "1002"):
        booked(server, order_id=name)
    part = paid(server, "1001", "k", amount=1000)["id"]
    paid(server, "1002", "l")
    change(server, "UPDATE event SET body = '{\"broken\":' WHERE payment = ? AND name = 'capture.succeeded'", part)
    feed = Feed(server, after="0-0")
    assert feed.has(lambda order: order["id"] == "1002" and order["payment"]["status"] == "paid")
    assert feed.has(lambda order: order["id"] == "1001" and order["payment"]["status"] == "unreadable")
    assert part in show(server, "1001")["payment"]["message"]
    problem(step(server, "1001", "fulfil"), 500, "payment_unreadable")
    assert step(server, "1002", "fulfil").json()["state"] == "fulfilled"
    assert feed.has(lambda order: order.get("state") == "fulfilled")
