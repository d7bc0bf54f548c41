"""Payments are found: by text, amount, card, time, status and tender, over HTTP, as a file, and on the page."""
import csv
import io
import time
import urllib.parse

import pytest

import counter

CARDS = ["4242424242424242", "5555555555554444"]


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def sell(server, number):
    """A payment by card, by cash, or by nothing yet."""
    units = 500 + 100 * (number % 9) + number
    made = server.post("/v1/payments", {"order_id": f"Find-{number}", "amount": units, "currency": "EUR"},
                       key=f"find-{number}").json
    tender = [{"type": "card", "number": CARDS[number % 2], "expiry": "12/34", "cvc": "123"},
              {"type": "cash", "tendered": units}, None][number % 3]
    if tender:
        made = server.post(f"/v1/payments/{made['id']}/confirm", {"tender": tender}, key=f"find-{number}-c").json
    return made


def find(server, limit=7, **conditions):
    """All that is found, page by page."""
    found, before = [], None
    for _ in range(200):
        query = {**conditions, "limit": limit, **({"before": before} if before else {})}
        answer = server.get("/v1/payments?" + urllib.parse.urlencode(query))
        assert answer.status == 200, answer
        found += answer.json["payments"]
        before = answer.json["next"]
        assert answer.json["has_more"] == bool(before), answer.json
        if not before:
            return found
    raise AssertionError("the search does not end")


def ids(payments):
    return [payment["id"] for payment in payments]


def test_a_search_finds_what_looking_at_each_payment_finds(server):
    made = [sell(server, number) for number in range(36)][::-1]
    assert ids(find(server)) == ids(made)
    taken = [payment for payment in made if payment["status"] == "succeeded"]
    assert ids(find(server, status="succeeded")) == ids(taken)
    assert ids(find(server, status="succeeded,requires_payment_method")) == ids(made)
    assert ids(find(server, tender="cash")) == ids([one for one in made if (one["tender"] or {}).get("type") == "cash"])
    assert ids(find(server, amount_from=700, amount_until=900)) == ids(
        [one for one in made if 700 <= one["amount"] <= 900])
    by_card = [one for one in made if (one["tender"] or {}).get("last_four") == "4444"]
    assert by_card and ids(find(server, card="4444")) == ids(by_card) == ids(find(server, q="4444"))
    assert ids(find(server, q="find-3")) == ids([one for one in made if one["order_id"].startswith("Find-3")])
    dear = made[4]
    text = f"{dear['amount'] // 100}.{dear['amount'] % 100:02}"
    assert dear["id"] in ids(find(server, q=text)) == ids([one for one in made if one["amount"] == dear["amount"]])
    middle = made[18]["created_at"]
    assert ids(find(server, **{"from": middle})) == ids([one for one in made if one["created_at"] >= middle])
    assert ids(find(server, until=middle)) == ids([one for one in made if one["created_at"] < middle])
    oldest = made[-1]
    named = server.get(f"/v1/payments?q={oldest['id']}&from={made[0]['created_at']}").json
    assert ids(named["exact"]) == [oldest["id"]] and named["payments"] == []


@pytest.mark.parametrize("query,field", [
    ("status=odd", "status"), ("from=yesterday", "from"), ("amount_from=-1", "amount_from"), ("card=42", "card"),
    ("currency=EUX", "currency"), ("before=%00", "before"), ("q=" + "x" * 129, "q"), ("limit=101", "limit"),
    ("status=" + ",".join(["declined"] * 17), "status"), ("nonsense=1", "nonsense"),
])
def test_a_condition_that_is_not_understood_is_refused_by_name(server, query, field):
    for path in ("/v1/payments", "/v1/payments.csv"):
        if field == "limit" and path.endswith(".csv"):
            continue
        answer = server.get(f"{path}?{query}")
        assert answer.status in (400, 422), answer
        assert field in str(answer.json), answer.json


def test_the_file_has_what_the_list_has_and_no_formula(server):
    made = [sell(server, number) for number in range(7)][::-1]
    server.post("/v1/payments", {"order_id": "=1+1", "amount": 5, "currency": "JPY"}, key="formula")
    answer = server.get("/v1/payments.csv")
    assert answer.headers["content-type"].startswith("text/csv"), answer.headers
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["payment"] for row in rows[1:]] == ids(made)
    assert rows[0]["order"] == "'=1+1" and rows[0]["amount"] == "5", rows[0]
    for row, payment in zip(rows[1:], made):
        captured = f"{payment['captured'] // 100}.{payment['captured'] % 100:02}"
        assert (row["captured"], row["status"]) == (captured, payment["status"])
    only = list(csv.DictReader(io.StringIO(server.get("/v1/payments.csv?tender=cash").text)))
    assert only and {row["tender"] for row in only} == {"cash"}


def test_the_page_finds_shows_news_and_keeps_its_address(server, page):
    for number in range(24):
        sell(server, number)
    page.sign_in(server)
    page.goto(server.url + "/payments")
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 24")
    assert page.locator("#count").inner_text() == "24 payments"
    page.fill("#q", "4444")
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 4")
    assert "q=4444" in page.url
    page.reload()
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 4")
    page.click("#clear")
    page.select_option("#tender", "cash")
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 8")
    page.go_back()
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 24")
    page.wait_for_selector("#live:has-text('Live')")
    sell(server, 25)
    page.wait_for_selector("#news:has-text('1 new')")
    page.click("#news")
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 25")
    page.fill("#q", "no such thing")
    page.wait_for_selector("#empty:not([hidden])")
    assert page.locator("#any-time").is_visible()
    page.keyboard.press("F2")
    assert page.evaluate("document.activeElement.id") == "q"


def test_whoever_is_not_signed_in_comes_back_to_the_same_search(server, page):
    sell(server, 1)
    page.goto(server.url + "/payments?q=Find-1")
    page.wait_for_selector("#session:not([hidden])")
    page.sign_in(server, there=False)
    page.wait_for_url("**/payments?q=Find-1")
    page.wait_for_function("document.querySelectorAll('#rows tr[data-id]').length === 1")


def test_an_old_payment_among_many_is_found_and_refunded_on_a_phone(server, page):
    made = [sell(server, number) for number in range(0, 600, 3)]
    wanted = made[50]
    page.set_viewport_size({"width": 390, "height": 844})
    page.sign_in(server)
    began = time.monotonic()
    page.goto(server.url + "/payments?q=" + wanted["order_id"])
    page.click(f"tr[data-id='{wanted['id']}'] a.row")
    page.wait_for_selector("#refund-form:not([hidden])")
    page.click("#refund-form button[type=submit]")
    page.click("#review button.primary, #review [value=yes]")
    end = began + 60
    while server.get(f"/v1/payments/{wanted['id']}").json["refunded"] != wanted["captured"]:
        assert time.monotonic() < end
        time.sleep(0.1)
