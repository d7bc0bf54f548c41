"""Tap to Pay at the counter: over the interface, and on the page with Chromium as the clerk, who has a keyboard only in
one test. Cards are virtual; the sandbox moves the money. Screenshots go to TILL_SCREENSHOTS (default: the test's
folder). """
import os
import pathlib
import re
import threading
import time

import pytest
from playwright.sync_api import expect
from seen import axe

import counter

WAIT = 30_000
TAP = {"type": "reader", "reader": "tap"}


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms") as running:
        yield running


def when_waiting(server, payment, verb, body):
    """Does something at the reader as soon as it waits for a card of this payment."""
    def act():
        for _ in range(200):
            story = server.request("GET", f"/v1/tap/story?payment={payment}")
            if story.status_code == 200 and story.json()["waiting"]:
                answers.append(server.request("POST", f"/v1/tap/{verb}", {"payment": payment, **body}))
                return
            time.sleep(0.05)
    answers = []
    thread = threading.Thread(target=act)
    thread.start()
    return thread, answers


def tap(server, order, card, key=None):
    payment = server.create(order, f"c-{order}").json()["id"]
    thread, _ = when_waiting(server, payment, "card", {"card": card})
    answer = server.confirm(payment, key or f"k-{order}", TAP)
    thread.join()
    return payment, answer


def test_a_tap_pays_and_counts_the_members_visit(server):
    shown = server.request("GET", "/v1/tap").json()
    assert shown["available"] and {"visa", "wallet", "torn", "lying"} <= {card["name"] for card in shown["cards"]}
    payment, answer = tap(server, "o-1", "wallet")
    told = answer.json()
    assert (answer.status_code, told["status"], told["captured"]) == (200, "succeeded", 1250), answer.text
    assert answer.json()["tender"]["last_four"] == "0119"
    story = server.request("GET", f"/v1/tap/story?payment={payment}").json()
    assert story["loyalty"] == [{"pass": "pass.com.example.loyalty", "read": True, "message": "Member ••0001, visit 1"}]
    assert story["steps"][-1] == "readCompleted" and not story["waiting"]
    again = server.confirm(payment, "k-o-1", TAP)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "MEMBER" not in server.request("GET", f"/v1/payments/{payment}").text


def test_a_bad_card_takes_no_money_and_the_next_one_pays(server):
    for order, card in enumerate(["torn", "lying", "garbage", "blocked", "declined", "collision"]):
        payment, answer = tap(server, f"bad-{order}", card)
        assert (answer.status_code, answer.json()["money_moved"]) == (409, "no"), (card, answer.text)
        assert server.request("GET", f"/v1/payments/{payment}").json()["status"] == "requires_payment_method"
        thread, _ = when_waiting(server, payment, "card", {"card": "visa"})
        assert server.confirm(payment, f"again-{order}", TAP).json()["status"] == "succeeded", card
        thread.join()


def test_calling_off_is_certain_and_a_busy_reader_says_so(server):
    payment = server.create("o-1", "k-1").json()["id"]
    other = server.create("o-2", "k-2").json()["id"]
    early = server.request("POST", "/v1/tap/card", {"payment": payment, "card": "visa"})
    assert (early.status_code, early.json()["code"]) == (409, "reader_not_waiting")
    thread, answers = when_waiting(server, payment, "cancel", {})
    busy = []
    beside = threading.Timer(0.8, lambda: busy.append(server.confirm(other, "k-4", TAP)))
    answer = server.confirm(payment, "k-3", TAP)
    thread.join()
    assert answers[0].json() == {"canceled": True}
    assert (answer.status_code, answer.json()["code"], answer.json()["money_moved"]) == (409, "readCancelled", "no")
    beside.cancel()
    unknown = server.request("POST", "/v1/tap/card", {"payment": payment, "card": "gold"})
    assert unknown.status_code == 422


def test_the_counter_ends_while_it_waits_for_a_card(server):
    payment = server.create("o-1", "k-1").json()["id"]
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(server.confirm(payment, "k-2", TAP)))
    waiting.start()
    for _ in range(200):
        story = server.request("GET", f"/v1/tap/story?payment={payment}")
        if story.status_code == 200 and story.json()["waiting"]:
            break
        time.sleep(0.05)
    server.stop()
    waiting.join(30)
    assert answers[0].json()["money_moved"] == "no"


def test_virtual_cards_are_for_the_sandbox_only(tmp_path, sandbox):
    with counter.Server(tmp_path, *sandbox.flags) as server:
        assert server.request("GET", "/v1/tap").json() == {"available": False, "phase": None, "pass": None, "cards": []}
        payment = server.create("o-1", "k-1").json()["id"]
        refused = server.request("POST", "/v1/tap/card", {"payment": payment, "card": "visa"})
        assert (refused.status_code, refused.json()["code"]) == (409, "no_virtual_reader")


@pytest.fixture(params=[(1280, 900), (390, 844)], ids=["wide", "narrow"])
def page(server, browser, request):
    page = browser.new_page(viewport={"width": request.param[0], "height": request.param[1]})
    faults = []


    def heard(said):
        if said.type == "error" and "404" not in said.text and "409" not in said.text:
            faults.append(said.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: faults.append(str(error)))
    server.sign_in(page)
    expect(page.locator("#tap-choice")).to_be_visible(timeout=WAIT)
    page.faults = faults
    yield page
    page.close()


def shoot(page, tmp_path, name):
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}_{page.viewport_size['width']}.png", full_page=True)


def sell(page, amount):
    page.get_by_label("Tap to Pay").check()
    page.get_by_label(re.compile("^amount", re.I)).fill(amount)
    page.get_by_role("button", name="Charge").click()
    expect(page.locator("#headline")).to_have_text("Hold the card or phone to the reader", timeout=WAIT)
    expect(page.get_by_role("button", name="Tap", exact=True)).to_be_enabled(timeout=WAIT)


def test_the_clerk_taps_a_phone_and_sees_the_member(page, tmp_path):
    sell(page, "12.50")
    shoot(page, tmp_path, "tap_waiting")
    axe(page)
    page.get_by_label("Virtual card").select_option("wallet")
    page.get_by_role("button", name="Tap", exact=True).click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    expect(page.locator("#tap-loyalty")).to_have_text("Loyalty: Member ••0001, visit 1", timeout=WAIT)
    expect(page.locator("#tap-panel")).to_be_hidden(timeout=WAIT)
    shoot(page, tmp_path, "tap_paid")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
    assert page.faults == []


def test_a_torn_card_is_told_and_the_next_one_pays(page, tmp_path):
    sell(page, "9.00")
    page.get_by_label("Virtual card").select_option("torn")
    page.get_by_role("button", name="Tap", exact=True).click()
    expect(page.locator("#alert")).to_contain_text("No money moved", timeout=WAIT)
    shoot(page, tmp_path, "tap_torn")
    axe(page)
    page.get_by_role("button", name="Charge").click()
    expect(page.get_by_role("button", name="Tap", exact=True)).to_be_enabled(timeout=WAIT)
    page.get_by_label("Virtual card").select_option("mastercard")
    page.get_by_role("button", name="Tap", exact=True).click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    assert page.faults == []


def test_a_sale_by_keyboard_alone_and_one_called_off(page):
    page.locator("input[name=tender][value=reader]").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Tap to Pay")).to_be_checked()
    page.get_by_label(re.compile("^amount", re.I)).focus()
    page.keyboard.type("3.20")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Tap", exact=True)).to_be_focused(timeout=WAIT)
    page.keyboard.press("Enter")
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    page.get_by_role("button", name="Next sale").click()
    sell(page, "4.00")
    page.get_by_role("button", name="Cancel the tap").click()
    expect(page.locator("#alert")).to_contain_text("No money moved", timeout=WAIT)
    assert page.faults == []


def test_what_is_stored_is_shown_with_count_sum_age_and_expiry(page, server, tmp_path):
    expect(page.locator("#stored")).to_have_count(0)
    journal = ["--journal", server.journal]
    assert counter.till("offline", "sync", *journal).code == 0
    for card in ("visa", "mastercard"):
        stored = counter.till("offline", "accept", "--amount", "12.50", "--currency", "EUR", "--card", card,
                              "--connection", "force-offline", *journal)
        assert stored.code == 0, stored
    page.reload()
    panel = page.locator("#stored")
    expect(panel).to_be_visible(timeout=WAIT)
    for words in ("Stored, not paid", "Payments", "2", "25.00 EUR", "less than a minute old", "To be sent until"):
        expect(panel).to_contain_text(words)
    shoot(page, tmp_path, "stored")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
    assert page.faults == []
