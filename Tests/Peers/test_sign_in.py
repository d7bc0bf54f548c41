"""Signing in to the counter's page and out of it, in a real browser."""
import os
import pathlib

import pytest
import requests
from playwright.sync_api import expect
from seen import axe

from clerk import WAIT, Counter


@pytest.fixture
def shoot(page, tmp_path, request):
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))

    def take(name):
        folder.mkdir(parents=True, exist_ok=True)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.screenshot(path=folder / f"sign_in_{name}_{width}.png", full_page=True)

    return take


def is_shut(page):
    """The panel that asks to sign in is all there is."""
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=WAIT)
    expect(page.locator("#till")).to_be_hidden()
    expect(page.locator("#main-nav")).to_be_hidden()
    expect(page.locator("main")).to_contain_text("till sign-in")


def test_without_a_session_the_page_says_what_to_do(page, server, shoot):
    page.goto(server.url + "/")
    is_shut(page)
    expect(page.get_by_label("Sign-in name")).to_be_focused()
    shoot("asked")
    axe(page)
    page.get_by_label("API key").fill("wrong")
    page.get_by_label("API key").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("That key was not accepted.")
    page.get_by_label("API key").fill(server.api_key)
    page.get_by_label("API key").press("Enter")
    expect(page.get_by_label("Amount", exact=True)).to_be_visible(timeout=WAIT)


def test_a_start_address_signs_in_once(page, server, browser, shoot):
    start = server.start_url()
    page.goto(start)
    expect(page.get_by_label("Amount", exact=True)).to_be_visible(timeout=WAIT)
    assert "start" not in page.url, page.url
    assert "start" not in page.evaluate("JSON.stringify([location.href, document.referrer, history.state])")
    shoot("signed_in")
    page.reload()
    expect(page.get_by_label("Amount", exact=True)).to_be_visible(timeout=WAIT)
    # Somebody who finds it later is nobody, and is told what to do.
    stranger = browser.new_context().new_page()
    stranger.goto(start)
    is_shut(stranger)
    expect(stranger.get_by_role("alert")).to_contain_text("was opened before")
    stranger.screenshot(path=pathlib.Path(os.environ.get("TILL_SCREENSHOTS", server.folder)) / "sign_in_spent.png")
    stranger.context.close()
    # Who has a session goes on with it.
    page.goto(start)
    expect(page.get_by_label("Amount", exact=True)).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("alert")).to_contain_text(
        "was opened before, or is older than ten minutes. You are signed in already.", timeout=WAIT)


def test_the_session_goes_on_after_a_restart(page, server):
    clerk = Counter(page, server).open()
    server.stop()
    server.start()
    page.reload()
    expect(clerk.amount).to_be_visible(timeout=WAIT)
    clerk.amount.fill("3.00")
    clerk.charge.first.click()
    clerk.shows("Paid")
    assert not clerk.faults, clerk.faults


def test_when_the_session_ends_the_page_says_so_and_keeps_what_was_typed(page, server, shoot):
    clerk = Counter(page, server).open()
    clerk.amount.fill("12.34")
    page.context.clear_cookies()
    clerk.charge.first.click()
    is_shut(page)
    expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
    shoot("ended")
    # In the same tab, with another start address: no page is loaded anew.
    page.evaluate("address => { location.href = address }", server.start_url())
    expect(clerk.amount).to_be_visible(timeout=WAIT)
    expect(clerk.amount).to_have_value("12.34")
    assert "start" not in page.url
    assert not clerk.faults, clerk.faults


def test_a_keyboard_signs_out_and_nothing_stays(page, server):
    clerk = Counter(page, server).open()
    clerk.amount.fill("3.00")
    clerk.charge.first.click()
    clerk.shows("Paid")
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    for _ in range(10):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.id") == "sign-out":
            break
    button = page.get_by_role("button", name="Sign out")
    button.focus()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    is_shut(page)
    expect(page.locator("body")).not_to_contain_text("Paid")
    assert page.context.cookies() == []
    assert page.evaluate("sessionStorage.length") == 0
    assert requests.get(server.url + "/v1/payments", cookies=cookies, timeout=10).status_code == 401
    page.go_back()
    page.wait_for_timeout(500)
    expect(page.locator("#rows tr")).to_have_count(0)


def test_a_page_that_nobody_touches_says_so(page, server):
    page.clock.install()
    Counter(page, server).open()
    page.get_by_role("link", name="Attention").click()
    expect(page.locator("#queue-empty")).to_be_visible(timeout=WAIT)
    for touch, alone in ((False, "1"), (True, None)):
        if touch:
            page.keyboard.press("Tab")
        with page.expect_request("**/v1/attention*") as asked:
            page.clock.fast_forward(11_000 if touch else 70_000)
        assert asked.value.headers.get("x-till-alone") == alone


def test_a_till_that_does_not_answer_is_no_reason_to_sign_in(page, server):
    clerk = Counter(page, server).open()
    page.route("**/v1/**", lambda route: route.abort())
    page.goto(server.url + "/#pay_01")
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached", timeout=WAIT)
    expect(clerk.amount).to_be_visible()
    expect(page.locator("#session")).to_be_hidden()
