"""Who may see and do what with orders, which names and texts are refused, and what an order has on it that was sold
before it was booked."""
import concurrent.futures

import postgres
import pytest
import requests
from staff import Staff
from test_orders import CARD, ORDER, Feed, book, booked, paid, pay, problem, show

import counter


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def key(server, scope):
    return counter.succeed("keys", "create", "--scope", scope, "--journal", server.journal, "--json")["key"]


def test_a_key_that_only_reads_sees_no_customer_and_finds_none(server):
    booked(server)
    reader = {"Authorization": "Bearer " + key(server, "read")}

    def ask(path):
        answer = requests.get(server.url + path, headers=reader, timeout=30)
        assert answer.status_code == 200, answer.text
        assert "Ada" not in answer.text and "123 45 67" not in answer.text and "Hof 3" not in answer.text, answer.text
        return answer.json()

    assert "customer" not in ask("/v1/orders/1001") and ask("/v1/orders/1001")["note"] == "No olives"
    assert [one["id"] for one in ask("/v1/orders")["orders"]] == ["1001"]
    # Neither is a name or a telephone number tried out.
    for text in ("Ada", "Berg", "+49 (30) 123 45 67-89", "4567", "123456789"):
        assert ask("/v1/orders?q=" + requests.utils.quote(text, safe=""))["orders"] == [], text
    assert [one["id"] for one in ask("/v1/orders?q=100")["orders"]] == ["1001"]
    seen = Feed(type("Reader", (), {"url": server.url, "api_key": reader["Authorization"][7:]}), after="0-0")
    assert seen.has(lambda order: order["id"] == "1001")
    assert all("customer" not in order for order in seen.seen)
    seller = {"Authorization": "Bearer " + key(server, "read,sell")}
    shown = requests.get(server.url + "/v1/orders/1001", headers=seller, timeout=30).json()
    assert shown["customer"]["name"] == "Ada Berg"


def test_people_need_the_permission_to_void_for_what_gives_goods_or_money_away(server):
    staff = Staff(server).shop()
    carl, mona = staff.device().signed_in("Carl"), staff.device().signed_in("Mona")
    booked(server)
    for verb, body in (("fulfil", {"accept_unpaid": True}), ("cancel", {})):
        refused = problem(carl.ask("POST", f"/v1/orders/1001/{verb}", body), 403, "permission_missing")
        assert refused["permission_needed"] == "void", refused
    assert show(server)["state"] == "open"
    # What a kitchen does all day needs nothing more than to sell.
    for verb, state in (("ready", "ready"), ("reopen", "open"), ("ready", "ready")):
        assert carl.ask("POST", f"/v1/orders/1001/{verb}", {}).json()["state"] == state
    assert mona.ask("POST", "/v1/orders/1001/fulfil", {"accept_unpaid": True}).json()["state"] == "fulfilled"
    problem(carl.ask("POST", "/v1/orders/1001/reopen", {}), 403, "permission_missing")
    assert mona.ask("POST", "/v1/orders/1001/reopen", {}).json()["state"] == "open"
    assert mona.ask("POST", "/v1/orders/1001/cancel", {}).json()["state"] == "canceled"
    problem(carl.ask("POST", "/v1/orders/1001/reopen", {}), 403, "permission_missing")
    assert mona.ask("POST", "/v1/orders/1001/reopen", {}).json()["state"] == "open"
    # A paid order is handed over by anybody, whatever is said about unpaid ones.
    paid(server, "1001", "k")
    assert carl.ask("POST", "/v1/orders/1001/fulfil", {"accept_unpaid": True}).json()["state"] == "fulfilled"


@pytest.mark.parametrize("name", ["events", ".", ".."])
def test_a_name_under_which_an_order_could_not_be_read_is_refused(server, name):
    assert "order_id" in problem(book(server, order_id=name), 422, "invalid_request")["detail"]
    assert server.request("GET", "/v1/orders").json()["orders"] == []


@pytest.mark.parametrize("name, path", [("1001", "1001"), ("a/b+c?", "a%2Fb%2Bc%3F")])
def test_a_new_order_has_an_address(server, name, path):
    made = book(server, order_id=name)
    assert made.status_code == 201 and made.headers["Location"] == "/v1/orders/" + path
    found = server.request("GET", made.headers["Location"])
    assert found.status_code == 200 and found.json()["id"] == name, found.text
    assert "Location" not in book(server, order_id=name).headers


@pytest.mark.parametrize("change, place", [
    ({"wanted_at": "2026-11-27T18:30:60+01:00"}, "wanted_at"), ({"wanted_at": "2026-02-29T18:30:00Z"}, "wanted_at"),
    ({"wanted_at": "2026-11-31T18:30:00Z"}, "wanted_at"), ({"wanted_at": "2026-13-01T18:30:00Z"}, "wanted_at"),
    ({"customer": {"address": {"lines": "Hof 3"}}}, "customer/address/lines"),
    ({"customer": {"address": {"lines": {"0": "Hof 3"}}}}, "customer/address/lines"),
    ({"customer": {"address": {"lines": ["a"] * 5}}}, "customer/address/lines"),
])
def test_what_cannot_be_kept_as_it_is_is_refused_by_name(server, change, place):
    assert problem(book(server, **change), 422, "invalid_request")["detail"].startswith(place + ":")
    assert server.request("GET", "/v1/orders").json()["orders"] == []


def test_a_leap_day_is_a_day(server):
    assert booked(server, wanted_at="2028-02-29T23:59:59+01:00")["wanted_at"] == "2028-02-29T23:59:59+01:00"


@pytest.mark.parametrize("text", ["%00", "a%00b", "%1F", "%7F", "a%0Ab"])
def test_a_search_for_control_characters_is_refused(server, text):
    problem(server.request("GET", "/v1/orders?q=" + text), 422, "invalid_request")


def test_a_search_for_control_characters_is_refused_with_postgresql_too(tmp_path, cluster):
    with postgres.Counter(tmp_path, cluster, "--provider", "sandbox") as server:
        problem(server.request("GET", "/v1/orders?q=a%00b"), 422, "invalid_request")
        assert server.request("GET", "/v1/orders?q=ab").status_code == 200


def test_the_same_key_at_two_counters_is_answered_with_the_same_payment(tmp_path, cluster):
    flags = ["--provider", "sandbox"]
    with postgres.Counter(tmp_path / "a", cluster, *flags) as a, postgres.Counter(tmp_path / "b", cluster, *flags) as b:
        for number in range(20):
            booked(a, order_id=f"o{number}")
            body = [{}, {"amount": 2000}][number % 2]
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                asked = [pool.submit(pay, server, f"o{number}", "key", **body) for server in (a, b, a, b)]
                answers = [one.result() for one in asked]
            made = {answer.json().get("id") for answer in answers if answer.status_code == 201}
            others = {answer.json()["code"] for answer in answers if answer.status_code != 201}
            assert len(made) == 1 and others <= {"request_in_progress"}, [answer.text for answer in answers]
            # Also when it is asked again after everything else has changed.
            assert pay(b, f"o{number}", "key", **body).json()["id"] in made
            assert pay(a, f"o{number}", "key", **body).json()["id"] in made


def test_every_payment_from_before_the_booking_is_on_the_order(server):
    """A refund of it can fail later, so that its money is back: the order must know."""
    first = server.create("1001", "first", 2350).json()["id"]
    assert server.confirm(first, "c1", CARD).json()["status"] == "succeeded"
    assert server.request("POST", f"/v1/payments/{first}/refunds", {}, "r1").status_code == 201
    second = server.create("1001", "second", 2350).json()["id"]
    assert server.request("POST", f"/v1/payments/{second}/cancel", {}, "c2").status_code == 200
    order = booked(server)
    assert [one["id"] for one in order["payments"]] == [first, second]
    assert order["payment"]["status"] == "refunded" and order["payment"]["refunded"] == 2350
    assert paid(server, "1001", "k")["status"] == "succeeded"


def test_an_order_that_was_sold_too_often_is_not_booked(server):
    for number in range(101):
        made = server.create("1001", f"k{number}", 2350).json()["id"]
        assert server.request("POST", f"/v1/payments/{made}/cancel", {}, f"c{number}").status_code == 200
    assert "100" in problem(book(server), 409, "too_many_payments")["detail"]
    problem(server.request("GET", "/v1/orders/1001"), 404, "order_not_found")
    assert server.create("1001", "one-more", 2350).status_code == 201, "it is sold as before"


def test_an_item_that_is_not_there_is_refunded_and_taken_off_the_order(server):
    booked(server)
    whole = paid(server, "1001", "k")
    less = {**ORDER, "amount": 1950, "lines": [ORDER["lines"][0], {**ORDER["lines"][1], "amount": 0}]}
    refused = problem(server.request("PUT", "/v1/orders/1001", less), 409, "order_below_paid")
    assert "23.50" in refused["detail"] and "refund what is too much" in refused["next"], refused
    assert server.request("POST", f"/v1/payments/{whole['id']}/refunds", {"amount": 400}, "r").status_code == 201
    changed = server.request("PUT", "/v1/orders/1001", less)
    assert changed.status_code == 200, changed.text
    assert changed.json()["payment"] == {
        "status": "paid", "paid": 2350, "reserved": 0, "open": 0, "excess": 0, "refunded": 400}
    even_less = {**ORDER, "amount": 1900, "lines": [{"name": "Margherita", "quantity": 2, "amount": 1900}]}
    problem(server.request("PUT", "/v1/orders/1001", even_less), 409, "order_below_paid")
    problem(pay(server, "1001", "more"), 409, "order_already_paid")


def test_the_payments_and_the_receipt_of_an_order_are_those_of_its_parts_too(server):
    booked(server)
    whole = pay(server, "1001", "whole").json()["id"]
    assert server.request("POST", f"/v1/payments/{whole}/cancel", {}, "c").status_code == 200
    cash = {"type": "cash", "tendered": 1000}
    parts = [paid(server, "1001", "a", cash, amount=1000)["id"], paid(server, "1001", "b")["id"]]

    def listed(more=""):
        answer = server.request("GET", "/v1/payments?order_id=1001" + more)
        assert answer.status_code == 200, answer.text
        return [one["id"] for one in answer.json()["payments"]], answer.json()["has_more"]

    assert listed() == ([parts[1], parts[0], whole], False)
    assert listed("&status=succeeded") == (parts[::-1], False)
    assert listed("&limit=2") == (parts[::-1], True)
    assert listed(f"&before={parts[0]}") == ([whole], False)
    receipt = server.request("GET", "/v1/orders/1001/receipt?format=text")
    # Of the last part, not of the payment of the whole, which was canceled.
    assert receipt.status_code == 200 and "13.50" in receipt.text and "23.50" not in receipt.text, receipt.text
