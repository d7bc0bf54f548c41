"""Payments are found: by text, amount, card, time, status and tender, over HTTP, as a file, and on the page."""
import csv
import io
import re
import urllib.parse

import pytest
from playwright.sync_api import expect
from seen import axe

import counter
from clerk import WAIT

CARDS = ["4242424242424242", "5555555555554444"]
ROWS = "#rows tr[data-id]"


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def office(page, server):
    """A page of somebody who is signed in; nothing in it may fail, nor be refused by its policy."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    server.sign_in(page)
    yield page
    assert not faults, faults


def sell(server, number):
    """A payment by card, by cash, or by nothing yet."""
    units = 500 + 100 * (number % 9) + number
    made = server.create(f"Find-{number}", f"find-{number}", units)
    assert made.status_code == 201, made.text
    card, cash = {**counter.CARD_TENDER, "number": CARDS[number % 2]}, {"type": "cash", "tendered": units}
    if chosen := [card, cash, None][number % 3]:
        made = server.confirm(made.json()["id"], f"find-{number}-c", chosen)
        assert made.status_code == 200, made.text
    return made.json()


def ask(server, path, **conditions):
    """A space is %20: a plus sign is a plus sign."""
    query = urllib.parse.urlencode(conditions, quote_via=urllib.parse.quote)
    return server.request("GET", path + (query and "?" + query))


def find(server, limit=7, **conditions):
    """All that is found, page by page."""
    found, before = [], {}
    for _ in range(200):
        answer = ask(server, "/v1/payments", **conditions, limit=limit, **before)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert len(page["payments"]) <= limit and page["has_more"] == bool(page["next"]), page
        found += page["payments"]
        if not page["next"]:
            return found
        before = {"before": page["next"]}
    raise AssertionError("the search does not end")


def ids(payments):
    return [payment["id"] for payment in payments]


def tender(payment, name):
    return (payment["tender"] or {}).get(name)


def major(units):
    return f"{units // 100}.{units % 100:02}"


def test_a_search_finds_what_looking_at_each_payment_finds(server):
    made = [sell(server, number) for number in range(36)][::-1]
    assert ids(find(server)) == ids(made)
    taken = [payment for payment in made if payment["status"] == "succeeded"]
    assert len(taken) == 24 and ids(find(server, status="succeeded")) == ids(taken)
    assert ids(find(server, status="succeeded,requires_payment_method")) == ids(made)
    assert ids(find(server, tender="cash")) == ids([one for one in made if tender(one, "type") == "cash"])
    assert ids(find(server, amount_from=700, amount_until=900)) == ids(
        [one for one in made if 700 <= one["amount"] <= 900])
    by_card = [one for one in made if tender(one, "last_four") == "4444"]
    assert len(by_card) == 6 and ids(find(server, card="4444")) == ids(by_card) == ids(find(server, q="4444"))
    assert ids(find(server, q="find-3")) == ids([one for one in made if one["order_id"].startswith("Find-3")])
    dear = made[4]
    assert ids(find(server, q=major(dear["amount"]))) == ids(
        [one for one in made if one["amount"] == dear["amount"]]) != []
    assert find(server, currency="JPY") == find(server, q="find 3") == []
    middle = made[18]["created_at"]
    assert ids(find(server, **{"from": middle})) == ids([one for one in made if one["created_at"] >= middle])
    assert ids(find(server, until=middle)) == ids([one for one in made if one["created_at"] < middle])
    oldest = made[-1]
    for name in (oldest["id"], oldest["order_id"]):
        named = ask(server, "/v1/payments", q=name, **{"from": made[0]["created_at"]}).json()
        assert ids(named["exact"]) == [oldest["id"]] and named["payments"] == [], named


@pytest.mark.parametrize("query,field", [
    ("status=odd", "status"), ("from=yesterday", "from"), ("amount_from=-1", "amount_from"), ("card=42", "card"),
    ("currency=EUX", "currency"), ("before=%00", "before"), ("q=" + "x" * 129, "q"), ("limit=101", "limit"),
    ("staff=" + "s" * 65, "staff"), ("shop=" + "s" * 65, "shop"), ("shop=%00", "shop"),
    ("order_id=o-1&staff=stf_1", "staff"),
    ("status=" + ",".join(["declined"] * 17), "status"), ("nonsense=1", "nonsense"), ("order_id=o-1&q=x", "q"),
])
def test_a_condition_that_is_not_understood_is_refused_by_name(server, query, field):
    paths = {"/v1/payments": field, "/v1/payments.csv": "order_id" if "order_id" in query else field}
    for path, named in paths.items():
        answer = server.request("GET", f"{path}?{query}")
        assert answer.status_code in (400, 422), answer.text
        assert named in [one["field"] for one in answer.json()["errors"]], answer.text


def test_the_file_has_what_the_list_has_and_no_formula(server):
    made = [sell(server, number) for number in range(7)][::-1]
    assert server.create("=1+1", "formula", 5, currency="JPY").status_code == 201
    answer = server.request("GET", "/v1/payments.csv")
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/csv"), answer.headers
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["payment"] for row in rows[1:]] == ids(made)
    assert (rows[0]["order"], rows[0]["amount"], rows[0]["currency"]) == ("'=1+1", "5", "JPY")
    for row, payment in zip(rows[1:], made, strict=True):
        assert (row["captured"], row["status"]) == (major(payment["captured"]), payment["status"])
    only = list(csv.DictReader(io.StringIO(server.request("GET", "/v1/payments.csv?tender=cash").text)))
    assert len(only) == 2 and {row["tender"] for row in only} == {"cash"}


def test_a_sale_without_a_number_is_found_by_what_the_till_calls_it(server):
    made = [
        server.request("POST", "/v1/payments", {"amount": 500 + number, "currency": "EUR"}, f"plain-{number}").json()
        for number in range(6)]
    for payment in made:
        end = payment["id"][-5:]
        for name in (end, end.upper(), f"Sale {end}", f"Verkauf  {end}", f"販売{end}"):
            assert ids(find(server, limit=2, q=name)) == [payment["id"]], name
    assert find(server, q="Sale zzzzz") == []


def test_a_shops_name_like_a_made_up_one_is_shown(office, server):
    own = server.create("sale-1001", "named").json()
    booked = server.request("POST", "/v1/orders", {
        "order_id": "sale-2001", "number": "2001", "currency": "EUR", "amount": 700,
        "lines": [{"name": "Tea", "quantity": 1, "amount": 700}]})
    assert booked.status_code == 201, booked.text
    part = server.request("POST", "/v1/orders/sale-2001/payments", {}, "part").json()
    made = server.request("POST", "/v1/payments", {"amount": 500, "currency": "EUR"}, "unnamed").json()
    # As the sell page names a sale that is paid in parts.
    typed = server.create("sale-" + "abcdefghijklmnop"[::-1] + "abcdefgh", "typed").json()
    office.goto(server.url + "/payments?period=all")
    for payment, name in ((own, "sale-1001"), (part, "2001"), (made, f"Sale {made['id'][-5:]}"),
                          (typed, f"Sale {typed['id'][-5:]}")):
        expect(office.locator(f"tr[data-id='{payment['id']}'] a.row b")).to_have_text(name, timeout=WAIT)
    expect(office.locator(f"tr[data-id='{part['id']}'] .what .under")).to_contain_text("sale-2001")
    expect(office.locator(f"tr[data-id='{made['id']}'] .what .under")).to_have_count(0)


# What the code on a receipt leads to, as a scanner types it.
def receipt_of(payment):
    return f"https://shop.example/r/{payment['id']}.t5k2m1.{'s' * 43}"


def test_a_scanned_receipt_finds_its_payment_and_its_signature_goes_nowhere(office, server):
    page, rows = office, office.locator(ROWS)
    made = [sell(server, number) for number in range(3)]
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url + "/payments")
    expect(rows).to_have_count(3, timeout=WAIT)
    page.locator("#q").fill(receipt_of(made[0]))
    page.locator("#q").press("Enter")
    expect(rows).to_have_count(1, timeout=WAIT)
    expect(rows).to_have_attribute("data-id", made[0]["id"])
    expect(page.locator("#q")).to_have_value(made[0]["id"])
    # From another page of the office.
    page.goto(server.url + "/insights")
    page.locator("#q").fill(receipt_of(made[1]))
    page.locator("#q").press("Enter")
    expect(rows).to_have_attribute("data-id", made[1]["id"], timeout=WAIT)
    # By the end of a payment, with the marks of a name that was copied from a page.
    page.locator("#q").fill(f"Sale \u2068{made[2]['id'][-5:]}\u2069")
    page.locator("#q").press("Enter")
    expect(rows).to_have_attribute("data-id", made[2]["id"], timeout=WAIT)
    # And while the end of a code is still being typed behind what its beginning has found.
    page.locator("#q").fill(f"{made[0]['id']}.t5k2m1.{'s' * 43}")
    page.locator("#q").press("Enter")
    expect(rows).to_have_attribute("data-id", made[0]["id"], timeout=WAIT)
    expect(page.locator("#q")).to_have_value(made[0]["id"])
    assert not [url for url in asked if "sssss" in url]


def test_a_search_by_shop_finds_its_orders(server):
    shop = "shop_" + "a" * 24
    made = []
    for number in range(6):
        body = {"order_id": f"web-{number}", "amount": 500, "currency": "EUR"}
        if number % 2:
            body["metadata"] = {"shop": shop}
        answer = server.request("POST", "/v1/payments", body, f"web-{number}")
        assert answer.status_code == 201, answer.text
        made.insert(0, answer.json())
    wanted = ids([one for one in made if one.get("metadata")])
    assert len(wanted) == 3 and ids(find(server, limit=2, shop=shop)) == wanted
    assert ids(find(server, shop=shop, q="web-3")) == [made[2]["id"]] and find(server, shop=shop, q="web-4") == []
    assert find(server, shop=shop + "b") == find(server, staff="stf_nobody") == []
    rows = list(csv.DictReader(io.StringIO(ask(server, "/v1/payments.csv", shop=shop).text)))
    assert [row["payment"] for row in rows] == wanted


def test_the_page_finds_shows_news_and_keeps_its_address(office, server):
    page, rows = office, office.locator(ROWS)
    for number in range(24):
        sell(server, number)
    page.goto(server.url + "/payments")
    expect(rows).to_have_count(24, timeout=WAIT)
    expect(page.locator("#count")).to_have_text("24 payments")
    axe(page)
    page.locator("#q").fill("4444")
    expect(rows).to_have_count(4, timeout=WAIT)
    assert "q=4444" in page.url
    page.reload()
    expect(rows).to_have_count(4, timeout=WAIT)
    page.locator("#clear").click()
    expect(rows).to_have_count(24, timeout=WAIT)
    page.locator("#tender").select_option("cash")
    expect(rows).to_have_count(8, timeout=WAIT)
    page.go_back()
    expect(rows).to_have_count(24, timeout=WAIT)
    expect(page.locator("#tender")).to_have_value("")
    expect(page.locator("#live")).to_have_text("Live", timeout=WAIT)
    sell(server, 25)
    expect(page.locator("#news")).to_have_text("1 new", timeout=WAIT)
    axe(page)
    expect(rows).to_have_count(24)
    page.locator("#news").click()
    expect(rows).to_have_count(25, timeout=WAIT)
    expect(page.locator("#news")).to_be_hidden()
    # What becomes of a payment that is shown is shown, and is no news.
    first = rows.first
    first.locator("a.row").focus()
    page.evaluate("window.link = document.activeElement")
    refunded = server.request("POST", f"/v1/payments/{first.get_attribute('data-id')}/refunds", {}, "back")
    assert refunded.status_code == 201, refunded.text
    expect(first).to_contain_text("Refunded", timeout=WAIT)
    # The row is the same one: whoever was on it still is.
    assert page.evaluate("document.activeElement === window.link && window.link.isConnected")
    expect(page.locator("#news")).to_be_hidden()
    page.locator("#q").fill("no such thing")
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)
    expect(page.locator("#any-time")).to_be_visible()
    axe(page)
    page.locator("#least").fill("much")
    page.locator("#least").blur()
    expect(page.locator("#least")).to_have_attribute("aria-invalid", "true", timeout=WAIT)
    axe(page)
    page.locator("#least").fill("")
    page.locator("#least").blur()
    page.get_by_role("button", name="Save view").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    axe(page)
    page.keyboard.press("Escape")
    page.locator("#tender").focus()
    page.keyboard.press("F2")
    expect(page.locator("#q")).to_be_focused()


def test_sums_of_a_part_of_what_is_found_are_not_shown_as_those_of_all(office, server):
    page = office
    for number in range(51):
        assert server.create(f"Many-{number}", f"many-{number}").status_code == 201
    page.goto(server.url + "/payments")
    expect(page.locator(ROWS)).to_have_count(50, timeout=WAIT)
    expect(page.locator("#sums dt").first).to_have_text("Captured (shown)")
    page.locator("#older").click()
    expect(page.locator(ROWS)).to_have_count(51, timeout=WAIT)
    expect(page.locator("#sums dt").first).to_have_text("Captured")


@pytest.mark.parametrize("days", [7, 30, 365])
def test_the_last_days_are_so_many_with_today(office, server, days):
    with office.expect_request(re.compile(r"/v1/payments\?")) as asked:
        office.goto(f"{server.url}/payments?period={days}")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(asked.value.url).query)
    first = office.evaluate("""(back) => {
        const now = new Date();
        return new Date(now.getFullYear(), now.getMonth(), now.getDate() - back).toISOString();
    }""", days - 1)
    assert query["from"] == [first]


def test_the_page_keeps_what_is_typed_and_no_number_of_a_card(office, server):
    page = office
    sell(server, 3)
    assert server.create("A+5", "plus").status_code == 201
    page.goto(server.url + "/payments")
    expect(page.locator(ROWS)).to_have_count(2, timeout=WAIT)
    page.locator("#q").fill("a+5")
    expect(page.locator(ROWS)).to_have_count(1, timeout=WAIT)
    page.locator("#q").fill("")
    expect(page.locator(ROWS)).to_have_count(2, timeout=WAIT)
    page.locator("#q").press_sequentially("two ", delay=20)
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)
    page.locator("#q").press_sequentially("words", delay=20)
    expect(page.locator("#q")).to_have_value("two words")
    page.locator("#q").fill(CARDS[1])
    expect(page.locator(ROWS)).to_have_count(1, timeout=WAIT)
    expect(page.locator("#q")).to_have_value("4444")
    assert CARDS[1] not in page.url
    # An amount that is none is said, and nothing else is shown as if it were found.
    page.locator("#least").fill("12.505")
    page.locator("#least").press("Enter")
    expect(page.locator("#alert")).to_be_visible(timeout=WAIT)
    expect(page.locator(ROWS)).to_have_count(0)


def test_the_page_keeps_a_seller_and_a_shop_that_it_does_not_know(office, server):
    page, rows = office, office.locator(ROWS)
    sell(server, 1)
    page.goto(server.url + "/payments")
    expect(rows).to_have_count(1, timeout=WAIT)
    # Nobody works here and no shop is connected: there is nothing to choose.
    expect(page.locator("#staff")).to_be_hidden()
    expect(page.locator("#shop")).to_be_hidden()
    with page.expect_request(re.compile(r"/v1/payments\?.*staff=stf_gone.*shop=shop_gone")):
        page.goto(server.url + "/payments?staff=stf_gone&shop=shop_gone")
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)
    expect(page.locator("#staff")).to_have_value("stf_gone")
    expect(page.locator("#shop")).to_have_value("shop_gone")
    assert "staff=stf_gone" in page.locator("#export").get_attribute("href")
    page.locator("#staff").select_option("")
    page.locator("#shop").select_option("")
    expect(rows).to_have_count(1, timeout=WAIT)
    assert "staff" not in page.url and "shop" not in page.url


def test_whoever_is_not_signed_in_comes_back_to_the_same_search(page, server):
    sell(server, 1)
    page.goto(server.url + "/payments?q=Find-1")
    expect(page.locator("#session")).to_be_visible(timeout=WAIT)
    page.goto(server.start_url())
    page.wait_for_url(re.compile(r"/payments\?q=Find-1$"), timeout=WAIT)
    expect(page.locator(ROWS)).to_have_count(1, timeout=WAIT)


def test_the_page_is_left_when_its_session_ends(office, server):
    page = office
    sell(server, 1)
    page.goto(server.url + "/payments")
    expect(page.locator(ROWS)).to_have_count(1, timeout=WAIT)
    expect(page.locator("#live")).to_have_text("Live", timeout=WAIT)
    # In another tab.
    assert page.evaluate(
        "fetch('/session', {method: 'DELETE', headers: {'X-Till-Page': '1'}}).then((answer) => answer.ok)")
    expect(page.locator("#session")).to_be_visible(timeout=WAIT)
    expect(page.locator(ROWS)).to_have_count(0)


@pytest.mark.parametrize("width", [390])
def test_an_old_payment_among_many_is_found_and_refunded_on_a_phone(office, server):
    page = office
    made = [sell(server, number) for number in range(0, 600, 3)]
    wanted = made[50]
    page.goto(server.url + "/payments?q=" + wanted["order_id"])
    row = page.locator(f"tr[data-id='{wanted['id']}']")
    expect(row).to_be_visible(timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    row.get_by_role("link").click()
    page.get_by_role("button", name="Refund…").click(timeout=WAIT)
    page.get_by_role("button", name="Review").click()
    page.locator("#review-send").click()
    expect(page.locator("#meta .badge")).to_have_text("Refunded", timeout=WAIT)
    shown = server.request("GET", f"/v1/payments/{wanted['id']}").json()
    assert shown["refunded"] == wanted["captured"] > 0
