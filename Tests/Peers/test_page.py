"""The counter's page in a real browser (Debian's Chromium): a sale, a decline, a refund, a reload in the middle,
the keyboard alone, and a narrow screen. Screenshots go to TILL_SCREENSHOTS (default: the test's folder).
"""
import os
import pathlib
import re
import shutil
import time

import pytest
from playwright.sync_api import expect, sync_playwright

import counter

DECLINED = "4000000000000002"
WAIT = 10_000


def words(*alternatives):
    return re.compile("|".join(alternatives), re.IGNORECASE)


class Counter:
    """The page as a clerk sees it: by label and by role, never by the names inside the document."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        self.key = page.get_by_label(words("API key"))
        self.amount = page.get_by_label(words("^amount"))
        self.order = page.get_by_label(words("^order"))
        self.card = page.get_by_label(words("card number"))
        self.expiry = page.get_by_label(words("expiry"))
        self.code = page.get_by_label(words("security code", "cvc"))
        self.by_card = page.get_by_role("radio", name=words("^card( number| online|$)", "typed"))
        self.charge = page.get_by_role("button", name=words("^(charge|pay|take payment|sell)"))
        self.refund = page.get_by_role("button", name=words("^refund"))
        self.status = page.get_by_role("status").first
        self.faults = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda m: self.faults.append(m.text) if "Content Security Policy" in m.text else None)

    def open(self):
        answer = self.page.goto(self.server.url + "/")
        assert answer.status == 200
        if self.key.count() and self.key.first.is_visible():
            self.key.first.fill(self.server.api_key)
            self.key.first.press("Enter")
        expect(self.amount).to_be_visible(timeout=WAIT)
        return self

    def fill(self, amount, card, order=None):
        self.amount.fill(amount)
        if order and self.order.count():
            self.order.first.fill(order)
        if self.by_card.count():
            self.by_card.first.check()
        self.card.fill(card)
        self.expiry.fill("12/30")
        self.code.fill("123")

    def shows(self, *alternatives):
        expect(self.page.locator("body")).to_contain_text(words(*alternatives), timeout=WAIT)


def payments(server):
    answer = server.request("GET", "/v1/payments").json()
    return answer if isinstance(answer, list) else answer.get("payments", answer.get("data"))


@pytest.fixture
def latency():
    return "20ms"


@pytest.fixture
def server(tmp_path, latency):
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", latency) as running:
        yield running


@pytest.fixture
def width():
    return 1280


@pytest.fixture
def page(tmp_path, request, width):
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser_path:
        pytest.fail("chromium is not installed (Debian: apt-get install chromium)", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.on("dialog", lambda dialog: dialog.accept())
        yield page
        folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{request.node.name}.png", full_page=True)
        browser.close()


@pytest.fixture
def clerk(page, server):
    clerk = Counter(page, server).open()
    yield clerk
    assert not clerk.faults, clerk.faults


def test_a_sale_is_paid_and_shown(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows("paid", "captured", "succeeded")
    [payment] = payments(clerk.server)
    assert payment["status"] in counter.PAID
    assert counter.CARD not in clerk.page.content()


def test_a_decline_says_so_and_the_same_page_can_sell_again(clerk):
    clerk.fill("12.50", DECLINED)
    clerk.charge.first.click()
    clerk.shows("declined")
    assert not [p for p in payments(clerk.server) if p["status"] in counter.PAID]
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows("paid", "captured", "succeeded")
    assert len([p for p in payments(clerk.server) if p["status"] in counter.PAID]) == 1


def test_a_sale_can_be_refunded_once(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows("paid", "captured", "succeeded")
    clerk.refund.first.click()
    clerk.shows("refunded")
    [payment] = payments(clerk.server)
    shown = clerk.server.request("GET", "/v1/payments/" + payment["id"]).json()
    assert counter.amount(shown, "refunded") == 1250


def test_text_that_is_no_amount_is_refused_before_any_payment_is_made(clerk):
    clerk.fill("12.505", counter.CARD)
    clerk.charge.first.click()
    clerk.page.wait_for_timeout(500)
    assert not [p for p in payments(clerk.server) if p["status"] in counter.PAID]


@pytest.mark.parametrize("latency", ["1500ms"])
def test_a_reload_in_the_middle_does_not_sell_twice(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.page.wait_for_timeout(400)
    clerk.page.reload()
    end = time.monotonic() + 15
    while time.monotonic() < end and not any(p["status"] in counter.PAID for p in payments(clerk.server)):
        clerk.page.wait_for_timeout(200)
    assert [p["status"] in counter.PAID for p in payments(clerk.server)] == [True]
    clerk.open()
    clerk.shows("paid", "captured", "succeeded")


@pytest.mark.parametrize("latency", ["600ms"])
def test_two_clicks_are_one_sale(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.dblclick()
    clerk.shows("paid", "captured", "succeeded")
    clerk.page.wait_for_timeout(1200)
    assert len(payments(clerk.server)) == 1


def test_the_keyboard_alone_makes_a_sale(clerk):
    page = clerk.page

    def tab_to(target, limit=40):
        """Tab until the focus is there; it must be visible where it stands."""
        for _ in range(limit):
            if target.first.evaluate("e => e === document.activeElement"):
                outline = page.evaluate(
                    "() => { const s = getComputedStyle(document.activeElement);"
                    " return s.outlineStyle !== 'none' || s.boxShadow !== 'none' }"
                )
                assert outline, f"the focus is not visible on {target}"
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {target}")

    tab_to(clerk.amount)
    page.keyboard.press("Control+A")
    page.keyboard.type("12.50")
    if clerk.by_card.count() and not clerk.card.first.is_visible():
        tab_to(page.get_by_role("radio", checked=True))
        for _ in range(5):
            if clerk.by_card.first.is_checked():
                break
            page.keyboard.press("ArrowDown")
    for field, text in ((clerk.card, counter.CARD), (clerk.expiry, "1230"), (clerk.code, "123")):
        tab_to(field)
        page.keyboard.type(text)
    tab_to(clerk.charge)
    page.keyboard.press("Enter")
    clerk.shows("paid", "captured", "succeeded")
    assert len(payments(clerk.server)) == 1


@pytest.mark.parametrize("width", [375])
def test_a_narrow_screen_needs_no_sideways_scroll(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows("paid", "captured", "succeeded")
    assert clerk.page.evaluate("document.documentElement.scrollWidth") <= 375
    for button in clerk.page.get_by_role("button").all():
        if button.is_visible():
            assert button.bounding_box()["height"] >= 24, button
