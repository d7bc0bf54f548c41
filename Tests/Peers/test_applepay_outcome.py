"""The shop's page when somebody hostile stands between it and the till: what a proxy says is never a "no" of the till,
and the basket stays locked until the till has said what became of the payment.
"""
import os
import pathlib
import re

import pytest
from playwright.sync_api import expect

import counter

WAIT = 30_000
HTML = {"content_type": "text/html", "body": "<html><h1>Sorry</h1></html>"}
UNKNOWN = {"content_type": "application/problem+json",
           "body": '{"status":409,"code":"outcome_unknown","detail":"x","money_moved":"unknown"}'}
BETWEEN = {
    "502": {"status": 502, **HTML}, "503": {"status": 503, **HTML}, "504": {"status": 504, **HTML},
    "a page": {"status": 200, **HTML}, "a wall": {"status": 403, **HTML}, "unknown": {"status": 409, **UNKNOWN},
    "500": {"status": 500, "content_type": "application/problem+json",
            "body": '{"status":500,"code":"internal_error","detail":"x","money_moved":"no"}'},
    "no words": {"status": 402, "content_type": "application/json", "body": '{"status":"declined"}'},
}
PAY, POLL = "**/applepay/payment", "**/applepay/payment/*"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("shop"), "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def shop(tmp_path, request, server, width, browser):
    page = browser.new_page(viewport={"width": width, "height": 800})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.clock.install()
    page.goto(server.url + "/shop")
    yield page
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{request.node.name.replace(' ', '_')}.png", full_page=True)
    page.close()
    assert not faults, faults


def authorise(shop):
    shop.get_by_role("button", name="Order with Apple Pay").click(timeout=WAIT)
    pay = shop.get_by_role("dialog").get_by_role("button", name="Authorise")
    for _ in range(100):
        if pay.is_enabled():
            break
        pass_time(shop, 200)
    pay.click(timeout=WAIT)


def pass_time(shop, ms, real=60):
    """The page's clock goes on; its requests need some real time of their own."""
    shop.clock.run_for(ms)
    shop.wait_for_timeout(real)


def pass_until(shop, locator, text, rounds=60):
    for _ in range(rounds):
        if text in locator.inner_text():
            return
        pass_time(shop, 1_000)
    expect(locator).to_contain_text(text, timeout=500)


def message(shop):
    return shop.locator("#message")


def is_locked(shop):
    expect(shop.get_by_role("radio", name="Collection")).to_be_disabled()
    expect(shop.get_by_role("button", name="Sign in as Ada")).to_be_disabled()
    assert shop.locator("till-apple-pay").evaluate("e => e.inert") is True
    assert "Nothing was charged" not in message(shop).inner_text()


def basket(shop):
    element = shop.locator("till-apple-pay")
    expect(element).to_have_attribute("basket", re.compile("."), timeout=WAIT)
    return element.get_attribute("basket")


def payments(server, order):
    return [p for p in server.request("GET", "/v1/payments?limit=100").json()["payments"] if p["order_id"] == order]


@pytest.mark.parametrize("between", BETWEEN)
def test_what_stands_between_is_not_known_and_never_refused(shop, server, between):
    def charge(route):
        assert route.fetch().status == 201
        route.fulfill(**BETWEEN[between])

    order = basket(shop)
    shop.route(PAY, charge)
    shop.route(POLL, lambda route: route.fulfill(**BETWEEN[between]))
    authorise(shop)
    pass_until(shop, message(shop), "We are checking your payment")
    for _ in range(8):
        pass_time(shop, 1_000)
        is_locked(shop)
    shop.unroute(POLL)
    pass_until(shop, shop.locator("main"), "Thank you for your order")
    assert [p["status"] for p in payments(server, order)] == ["succeeded"]


def test_a_payment_that_the_till_never_saw_is_refused_once_the_till_has_said_it(shop, server):
    order = basket(shop)
    shop.route(PAY, lambda route: route.fulfill(**BETWEEN["502"]))
    authorise(shop)
    pass_until(shop, message(shop), "We are checking your payment")
    is_locked(shop)
    pass_until(shop, message(shop), "Nothing was charged")
    expect(shop.get_by_role("radio", name="Collection")).to_be_enabled()
    assert payments(server, order) == []
    shop.unroute(PAY)
    authorise(shop)
    pass_until(shop, shop.locator("main"), "Thank you for your order")
    assert len(payments(server, order)) == 1


def test_a_late_request_is_not_overtaken_by_a_no(shop, server):
    """The proxy gives up first, the till gets the request afterwards: nobody was told that nothing was charged."""
    order, late = basket(shop), []

    def lose(route):
        late.append(route.request)
        route.fulfill(**BETWEEN["504"])

    shop.route(PAY, lose)
    authorise(shop)
    pass_until(shop, message(shop), "We are checking your payment")
    pass_time(shop, 2_000)
    is_locked(shop)
    request = late[0]
    assert shop.request.post(request.url, data=request.post_data_buffer, headers={
        **request.headers, "Content-Type": "application/json"}).status == 201
    pass_until(shop, shop.locator("main"), "Thank you for your order")
    assert len(payments(server, order)) == 1


@pytest.mark.parametrize("width", [1280, 390])
def test_what_nobody_says_in_a_minute_is_said_to_be_unknown_and_a_reload_asks_again(shop, server, tmp_path, width):
    order, asked = basket(shop), []

    def charge(route):
        route.fetch()
        route.abort()

    def lose(route):
        asked.append(route.request.url)
        route.abort()

    shop.route(PAY, charge)
    shop.route(POLL, lose)
    authorise(shop)
    pass_until(shop, message(shop), "We do not know yet whether you have paid", rounds=120)
    is_locked(shop)
    expect(message(shop)).to_contain_text(order)
    shop.screenshot(path=pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path)) / f"applepay_unknown_{width}.png")
    assert 20 <= len(asked) <= 40, "the polling has a bound"
    count = len(asked)
    for _ in range(10):
        pass_time(shop, 2_000)
    assert len(asked) == count
    assert shop.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shop.reload()
    pass_until(shop, message(shop), "We are checking your payment")
    is_locked(shop)
    shop.unroute(POLL)
    pass_until(shop, shop.locator("main"), "Thank you for your order")
    assert [p["status"] for p in payments(server, order)] == ["succeeded"]


def test_a_sheet_that_is_closed_while_the_payment_is_on_its_way_locks_the_page(shop, server):
    order, waiting = basket(shop), []
    shop.route(PAY, lambda route: waiting.append(route))
    authorise(shop)
    for _ in range(100):
        if waiting:
            break
        pass_time(shop, 50)
    shop.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    pass_until(shop, message(shop), "We are checking your payment")
    is_locked(shop)
    waiting.pop().continue_()
    pass_until(shop, shop.locator("main"), "Thank you for your order")
    assert len(payments(server, order)) == 1
