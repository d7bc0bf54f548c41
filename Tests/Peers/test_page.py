"""The counter's page in a real browser (Debian's Chromium): a sale, a decline, a refund, a reload in the middle,
the keyboard alone, and a narrow screen. Screenshots go to TILL_SCREENSHOTS (default: the test's folder).
"""
import time

import pytest

import counter
from clerk import payments

DECLINED = "4000000000000002"
WAIT = 30_000


def test_a_sale_is_paid_and_shown(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows(r"^\s*paid")
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
    clerk.shows(r"^\s*paid")
    assert len([p for p in payments(clerk.server) if p["status"] in counter.PAID]) == 1


def test_a_sale_can_be_refunded_once(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows(r"^\s*paid")
    clerk.give_back()
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
    clerk.shows(r"^\s*paid")


@pytest.mark.parametrize("latency", ["600ms"])
def test_two_clicks_are_one_sale(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.dblclick()
    clerk.shows(r"^\s*paid")
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
    clerk.shows(r"^\s*paid")
    assert len(payments(clerk.server)) == 1


@pytest.mark.parametrize("width", [375])
def test_a_narrow_screen_needs_no_sideways_scroll(clerk):
    clerk.fill("12.50", counter.CARD)
    clerk.charge.first.click()
    clerk.shows(r"^\s*paid")
    assert clerk.page.evaluate("document.documentElement.scrollWidth") <= 375
    for button in clerk.page.get_by_role("button").all():
        if button.is_visible():
            assert button.bounding_box()["height"] >= 24, button
