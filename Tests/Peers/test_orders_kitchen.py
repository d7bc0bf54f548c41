"""The page of those who prepare orders, in Chromium, where its connection breaks and where there is too much."""
import datetime
import re

import pytest
import shop_orders
from playwright.sync_api import expect
from test_applepay_baskets import goods, opened
from test_orders import WAIT, Feed, book, booked, problem, step

import counter
from applepay import CONTACT, Page


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def kitchen(server, page):
    expect.set_options(timeout=WAIT)
    server.sign_in(page, "/kitchen")
    expect(page.locator("#state")).to_have_text("Up to date")
    return page


def card(page, order):
    return page.locator(f"article[data-order='{order}']")


def test_what_changed_while_the_connection_was_broken_is_seen(server, kitchen):
    for name in ("1001", "1002", "1003"):
        booked(server, order_id=name)
        expect(card(kitchen, name)).to_be_visible()
    server.stop()
    expect(kitchen.locator("#state")).to_contain_text("No connection")
    # Another counter on the same journal, which the page does not know of.
    with counter.Server(server.folder, "--provider", "sandbox") as other:
        assert step(other, "1001", "cancel").status_code == 200
        assert step(other, "1002", "fulfil", accept_unpaid=True).status_code == 200
    server.start()
    expect(kitchen.locator("#state")).to_have_text("Up to date")
    expect(card(kitchen, "1001")).to_contain_text("Canceled: stop")
    expect(card(kitchen, "1002")).to_have_count(0)
    expect(card(kitchen, "1003")).to_be_visible()
    # It stays after one more interruption, until somebody has seen it.
    server.stop()
    expect(kitchen.locator("#state")).to_contain_text("No connection")
    server.start()
    expect(kitchen.locator("#state")).to_have_text("Up to date")
    card(kitchen, "1001").get_by_role("button", name="Seen").click()
    expect(card(kitchen, "1001")).to_have_count(0)


def test_a_paid_basket_that_no_shop_has_booked_is_on_the_page_and_in_the_stream(server, kitchen):
    feed = Feed(server)
    basket = opened(server, goods("2001", note="No olives"))
    sheet = Page(server, basket=basket)
    answer = sheet.pay(sheet.token().json())
    assert answer.status_code in (201, 202), answer.text
    expect(card(kitchen, "2001")).to_contain_text("Margherita")
    expect(card(kitchen, "2001")).to_contain_text("No olives")
    expect(card(kitchen, "2001").locator(".marks")).to_contain_text("Paid")
    assert feed.has(lambda o: o["id"] == "2001" and o["payment"]["status"] == "paid")
    [order] = server.request("GET", "/v1/orders?state=open&paid=true").json()["orders"]
    assert (order["id"], order["basket_id"], order["version"]) == ("2001", basket, 1)
    assert order["customer"] is None, "the contact stays in the basket"
    told = server.request("GET", "/v1/orders/2001/contact").json()
    assert told["booked"] and told["baskets"][0]["contact"]["email"] == CONTACT["emailAddress"]
    # The shop's program books it later: its own document wins, once.
    mine = {"order_id": "2001", "currency": "GBP", "amount": 1349, "lines": [{"name": "Set menu", "amount": 1349}]}
    for status in (201, 200):
        made = book(server, mine)
        assert made.status_code == status and "basket_id" not in made.json(), made.text
    problem(book(server, mine, note="Another"), 409, "order_exists")
    expect(card(kitchen, "2001")).to_contain_text("Set menu")
    assert {o["version"] for o in feed.seen if o["id"] == "2001"} <= {1, 2}


def test_an_order_for_another_day_has_its_day(server, kitchen):
    now = datetime.datetime.now().astimezone()
    later = now + datetime.timedelta(days=9)
    booked(server, order_id="later", wanted_at=later.isoformat(timespec="seconds"))
    booked(server, order_id="today", wanted_at=now.isoformat(timespec="seconds"))
    expect(card(kitchen, "later").locator(".age")).to_have_text(
        re.compile(rf"for \w+, .*\b{later.day}\b.*, \d\d?:\d\d"))
    expect(card(kitchen, "today").locator(".age")).to_have_text(re.compile(r"for \d\d?:\d\d"))


@pytest.mark.parametrize("set_zone", [True, False])
def test_times_are_the_shops_where_it_has_a_zone_else_the_devices(tmp_path, browser, set_zone):
    env = {"TILL_TIME_ZONE": "Pacific/Auckland"} if set_zone else {}
    context = browser.new_context(timezone_id="America/New_York", locale="en-GB")
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as server:
        # In summer and in winter, at the end of a day of both.
        booked(server, order_id="july", wanted_at="2031-07-04T22:30:00Z")
        booked(server, order_id="january", wanted_at="2031-01-05T10:30:00Z")
        page = context.new_page()
        server.sign_in(page, "/kitchen")
        expect(page.locator("#state")).to_have_text("Up to date", timeout=WAIT)
        wanted = {"july": r"for Sat,? 5 Jul 2031, 10:30", "january": r"for Sun,? 5 Jan 2031, 23:30"} if set_zone else {
            "july": r"for Fri,? 4 Jul 2031, 18:30", "january": r"for Sun,? 5 Jan 2031, 05:30"}
        for order, text in wanted.items():
            expect(card(page, order).locator(".age")).to_have_text(re.compile(text))
        if set_zone:
            expect(page.locator("#zone")).to_have_text("Times in Pacific/Auckland")
        else:
            expect(page.locator("#zone")).to_be_hidden()
    context.close()


def test_a_device_with_the_shops_time_in_one_season_says_whose_times_it_shows(tmp_path, browser):
    context = browser.new_context(timezone_id="UTC", locale="en-GB")
    with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_TIME_ZONE": "Europe/London"}) as server:
        page = context.new_page()
        server.sign_in(page, "/kitchen")
        expect(page.locator("#zone")).to_have_text("Times in Europe/London", timeout=WAIT)
        expect(page.locator("#zone")).to_be_visible(timeout=WAIT)
    context.close()


def test_what_the_shop_says_of_an_order_is_on_it(server, kitchen):
    document, _, _ = shop_orders.document(3)
    document |= {"date_paid": "2019-06-06T17:17:58", "payment_method_title": "Card", "status": "processing"}
    made = book(server, {"order": document})
    assert made.status_code == 201, made.text
    marks = card(kitchen, made.json()["id"]).locator(".marks")
    expect(marks).to_contain_text("The shop says: it was paid on 2019-06-06 through Card")


def test_more_orders_than_the_page_asks_for_are_not_left_out_in_silence(server, page):
    expect.set_options(timeout=WAIT)
    server.sign_in(page)
    without_end = {"orders": [], "next": "1001", "cursor": "0-0"}
    open_orders = re.compile(r"/v1/orders\?state=open")
    page.route(open_orders, lambda route: route.fulfill(json=without_end))
    page.goto(server.url + "/kitchen")
    expect(page.locator("#warnings")).to_contain_text("only the newest 1,000")
    page.unroute(open_orders)
    page.goto(server.url + "/kitchen")
    expect(page.locator("#state")).to_have_text("Up to date")
    expect(page.locator("#warnings")).to_be_hidden()


def test_an_order_that_cannot_be_read_is_named(server, page):
    expect.set_options(timeout=WAIT)
    server.sign_in(page)
    booked(server)
    damage = {"orders": [], "next": None, "cursor": "0-0", "unreadable": [
        {"id": "1001", "unreadable": True, "message": "Order 1001 cannot be read: it is damaged."}]}
    page.route(re.compile(r"/v1/orders\?state="), lambda route: route.fulfill(json=damage))
    page.route(re.compile(r"/v1/orders/events"), lambda route: route.fulfill(
        content_type="text/event-stream", body="retry: 100000\n\n"))
    page.goto(server.url + "/kitchen")
    expect(page.locator("#warnings")).to_have_text("Order 1001 cannot be read: it is damaged.")
