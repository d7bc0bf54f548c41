"""A sale at a card reader over the counter's interface and page: Stripe's stand-in holds the readers, Chromium is the
clerk, and Stripe's own library plays the app with the SDK. Screenshots go to TILL_SCREENSHOTS (default: the test's
folder).
"""
import os
import pathlib
import re
import shutil
import threading
import time

import pytest
import requests
import stripe
from playwright.sync_api import expect, sync_playwright

import counter
import test_terminal

WAIT = 10_000


@pytest.fixture
def client(sandbox):
    test_terminal.act(sandbox, {"do": "card_time", "milliseconds": 600})
    return stripe.StripeClient(sandbox.key, base_addresses={"api": sandbox.url}, max_network_retries=0).v1


@pytest.fixture
def reader(client):
    return client.terminal.readers.create({"registration_code": "simulated-wpe", "label": "Front"})


@pytest.fixture
def server(tmp_path, sandbox, reader):
    environment = {"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET}
    with counter.Server(tmp_path, *sandbox.flags, env=environment) as running:
        setup = {"url": running.url + counter.WEBHOOK_PATH, "secret": counter.WEBHOOK_SECRET, "copies": 2, "swap": True}
        assert requests.post(sandbox.url + "/_sandbox/webhooks", json=setup, timeout=10).status_code == 200
        yield running


def later(seconds, call):
    timer = threading.Timer(seconds, call)
    timer.start()
    return timer


def test_a_payment_is_confirmed_at_a_reader(server, sandbox, client, reader):
    listed = server.request("GET", "/v1/terminal/readers").json()
    assert [(r["label"], r["simulated"]) for r in listed["readers"]] == [("Front", True)] and listed["complete"]
    payment = server.create("o-1", "k-1").json()
    later(1, lambda: server.request("POST", f"/v1/terminal/readers/{reader.id}/card", {"card": "visa"}))
    answer = server.confirm(payment["id"], "k-2", {"type": "reader", "reader": "Front"})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["status"], answer.json()["tender"]["last_four"]) == ("succeeded", "4242")
    again = server.confirm(payment["id"], "k-2", {"type": "reader", "reader": "Front"})
    assert again.json()["id"] == payment["id"] and again.headers["Idempotent-Replayed"] == "true"
    assert [c["captured"] for c in test_terminal.ledger(sandbox)] == [1250]
    other = server.create("o-2", "k-3").json()
    later(1, lambda: server.request("POST", f"/v1/terminal/readers/{reader.id}/cancel", {}))
    called_off = server.confirm(other["id"], "k-4", {"type": "reader", "reader": reader.id}).json()
    assert called_off["status"] == "declined" and "called off" in called_off["message"]


def test_an_app_gets_tokens_and_one_intent_for_an_order(server, sandbox, client, reader):
    place = client.terminal.locations.create({"display_name": "HQ", "address": {"line1": "1", "country": "FR"}})
    token = server.request("POST", "/v1/terminal/connection_tokens", {"location": place.id})
    assert token.status_code == 200 and token.json()["location"] == place.id
    assert token.json()["secret"] != server.request("POST", "/v1/terminal/connection_tokens").json()["secret"]
    missing = server.request("POST", "/v1/terminal/connection_tokens", {"location": "tml_other"})
    assert missing.status_code == 404 and missing.json()["money_moved"] == "no"
    body = {"order_id": "o-9", "amount": 1250, "currency": "EUR", "device": "iPad"}
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(server.request("POST", "/v1/terminal/payments", body)))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {a.status_code for a in answers} == {200}, [a.text for a in answers]
    assert len({a.json()["payment_intent"] for a in answers}) == 1
    assert len({a.json()["client_secret"] for a in answers}) == 1
    first = answers[0].json()
    assert first["payment"]["status"] == "requires_action"
    other_sum = server.request("POST", "/v1/terminal/payments", {**body, "amount": 999})
    assert other_sum.status_code == 409
    # The SDK on the device: collect, confirm. Another card first, which the bank refuses.
    helper = client.test_helpers.terminal.readers
    for number in ("4000000000000002", "4242424242424242"):
        client.terminal.readers.process_payment_intent(reader.id, {"payment_intent": first["payment_intent"]})
        helper.present_payment_method(reader.id, {"type": "card_present", "card_present": {"number": number}})
        time.sleep(1)
    done = server.request("POST", f"/v1/terminal/payments/{first['payment']['id']}/settle", {}).json()
    end = time.monotonic() + 10
    while done["status"] != "succeeded" and time.monotonic() < end:
        time.sleep(0.2)
        done = server.request("GET", f"/v1/payments/{first['payment']['id']}").json()
    assert (done["status"], done["captured"]) == ("succeeded", 1250)
    assert [c["captured"] for c in test_terminal.ledger(sandbox)] == [1250]
    paid = server.request("POST", "/v1/terminal/payments", body)
    assert paid.status_code == 409 and paid.json()["code"] == "order_already_paid"


def test_a_counter_without_stripe_says_so(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        assert server.request("GET", "/v1/terminal/readers").json() == {"readers": [], "complete": True}
        for path, body in (("connection_tokens", {}), ("readers/tmr_1/cancel", {}),
                           ("payments", {"order_id": "1", "amount": 1, "currency": "EUR"})):
            answer = server.request("POST", "/v1/terminal/" + path, body)
            assert (answer.status_code, answer.json()["code"]) == (409, "no_readers"), answer.text
        assert server.request("PUT", "/v1/terminal/payments", {}).status_code == 405
        assert server.request("GET", "/v1/terminal/nothing").status_code == 404


@pytest.fixture
def page(tmp_path, request, server):
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser_path:
        pytest.fail("chromium is not installed (Debian: apt-get install chromium)", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(server.url + "/")
        page.faults = faults
        yield page
        shoot(page, tmp_path, request.node.name)
        browser.close()


def shoot(page, tmp_path, name):
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def sell(page, amount, order):
    expect(page.get_by_label("Reader", exact=True)).to_be_visible(timeout=WAIT)
    page.get_by_label("Reader", exact=True).select_option(label="Front")
    page.get_by_label(re.compile("^amount", re.I)).fill(amount)
    page.get_by_label(re.compile("^order number", re.I)).fill(order)
    page.get_by_role("button", name="Charge").click()
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)


def test_the_clerk_sees_what_a_person_sees(page, sandbox, tmp_path):
    sell(page, "12.50", "o-1")
    shoot(page, tmp_path, "reader_waiting")
    page.get_by_label("Test card").select_option("visa")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_have_text("Card inserted", timeout=WAIT)
    shoot(page, tmp_path, "reader_card_inserted")
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    for words in ("Remove the card.", "Approved."):
        expect(page.get_by_role("log")).to_contain_text(words)
    expect(page.get_by_role("button", name="Call off at the reader")).to_be_hidden(timeout=WAIT)
    assert [c["captured"] for c in test_terminal.ledger(sandbox)] == [1250]
    assert page.faults == []


def test_a_decline_is_told_neutrally_and_the_next_card_pays(page, sandbox):
    sell(page, "12.50", "o-1")
    page.get_by_label("Test card").select_option("declined:lost_card")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#result")).to_contain_text("The card was declined", timeout=WAIT)
    assert "lost" not in page.locator("body").inner_text().lower().replace("the bank says no", "")
    page.get_by_role("button", name="Charge").click()
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
    page.get_by_label("Test card").select_option("visa")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    assert [(c["captured"]) for c in test_terminal.ledger(sandbox)] == [1250], "one intent for one order"


@pytest.mark.parametrize("who", ["clerk", "customer"])
def test_called_off_from_either_side(page, sandbox, who):
    sell(page, "9.00", "o-1")
    if who == "clerk":
        page.get_by_role("button", name="Call off at the reader").click()
    else:
        test_terminal.act(sandbox, {"reader": "Front", "do": "customer_cancel"})
    expect(page.locator("#result")).to_contain_text("called off", timeout=WAIT)
    assert [c["authorized"] for c in test_terminal.ledger(sandbox)] == [0]
    assert page.faults == []


def test_the_sale_fits_a_phone(page, sandbox, tmp_path):
    page.set_viewport_size({"width": 390, "height": 844})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    sell(page, "12.50", "o-1")
    assert page.evaluate(wide) == 0
    shoot(page, tmp_path, "phone_waiting")
    page.get_by_label("Test card").select_option("declined:lost_card")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#result")).to_contain_text("The card was declined", timeout=WAIT)
    assert page.evaluate(wide) == 0
    shoot(page, tmp_path, "phone_declined")
    page.get_by_role("button", name="Charge").click()
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
    page.get_by_label("Test card").select_option("visa")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    assert page.evaluate(wide) == 0
    shoot(page, tmp_path, "phone_paid")
