"""A sale at a card reader over the counter's interface and page: Stripe's stand-in holds the readers, Chromium is the
clerk, and Stripe's own library plays the app with the SDK. Screenshots go to TILL_SCREENSHOTS (default: the test's
folder).
"""
import json
import os
import pathlib
import re
import threading
import time

import pytest
import requests
import stripe
from playwright.sync_api import expect
from seen import axe

import counter
import terminal

WAIT = 30_000


@pytest.fixture
def client(sandbox):
    terminal.act(sandbox, {"do": "card_time", "milliseconds": 600})
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
    for minor, more, code in ((49, {}, "amount_too_small"), (100_000_000, {}, "amount_too_large"),
                              (1250, {"tip_on": 1251}, "invalid_amount")):
        wrong = server.create(f"w-{minor}", f"w-{minor}", minor).json()
        answer = server.confirm(wrong["id"], f"wc-{minor}", {"type": "reader", "reader": "Front", **more})
        assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
        assert server.request("GET", f"/v1/payments/{wrong['id']}").json()["attempts"] == []
    assert [(r["label"], r["simulated"]) for r in listed["readers"]] == [("Front", True)] and listed["complete"]
    payment = server.create("o-1", "k-1").json()
    later(1, lambda: server.request("POST", f"/v1/terminal/readers/{reader.id}/card", {"card": "visa"}))
    answer = server.confirm(payment["id"], "k-2", {"type": "reader", "reader": "Front"})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["status"], answer.json()["tender"]["last_four"]) == ("succeeded", "4242")
    again = server.confirm(payment["id"], "k-2", {"type": "reader", "reader": "Front"})
    assert again.json()["id"] == payment["id"] and again.headers["Idempotent-Replayed"] == "true"
    assert [c["captured"] for c in terminal.ledger(sandbox)] == [1250]
    other = server.create("o-2", "k-3").json()
    later(1, lambda: server.request("POST", f"/v1/terminal/readers/{reader.id}/cancel", {}))
    called_off = server.confirm(other["id"], "k-4", {"type": "reader", "reader": reader.id}).json()
    assert called_off["status"] == "declined" and "canceled" in called_off["message"]


def test_an_app_gets_tokens_and_one_intent_for_an_order(server, sandbox, client, reader):
    place = client.terminal.locations.create({"display_name": "HQ", "address": {"line1": "1", "country": "FR"}})
    token = server.request("POST", "/v1/terminal/connection_tokens", {"location": place.id})
    assert token.status_code == 200 and token.json()["location"] == place.id
    assert token.json()["secret"] != server.request("POST", "/v1/terminal/connection_tokens").json()["secret"]
    # A token is for the app that asked: it is in no log, figure or file.
    secret = token.json()["secret"].encode()
    kept = [server.log.read_bytes(), server.request("GET", "/metrics").content,
            *(path.read_bytes() for path in server.folder.glob("journal.db*"))]
    assert not any(secret in text for text in kept)
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
    assert [c["captured"] for c in terminal.ledger(sandbox)] == [1250]
    paid = server.request("POST", "/v1/terminal/payments", body)
    assert paid.status_code == 409 and paid.json()["code"] == "order_already_paid"


def test_questions_over_http(server, client, reader):
    path = f"/v1/terminal/readers/{reader.id}/"

    def ask(*inputs):
        return server.request("POST", path + "inputs", {"inputs": list(inputs)})

    email = {"type": "email", "title": "Where to send the receipt?"}
    bag = {"type": "selection", "title": "A bag?", "choices": ["Yes", "No"], "required": True}
    assert server.request("GET", path + "inputs").json()["status"] == "none"
    asked = ask(email, bag)
    assert (asked.status_code, asked.json()["status"]) == (200, "in_progress"), asked.text
    sent = client.terminal.readers.retrieve(reader.id).action.collect_inputs.inputs
    assert [(i.type, i.custom_text.title, i.required) for i in sent] == [
        ("email", "Where to send the receipt?", False), ("selection", "A bag?", True)]
    assert [c.text for c in sent[1].selection.choices] == ["Yes", "No"]
    busy = ask(email)
    assert (busy.status_code, busy.json()["code"], busy.json()["money_moved"]) == (409, "terminal_reader_busy", "no")
    payment = server.create("o-1", "k-1").json()
    refused = server.confirm(payment["id"], "k-2", {"type": "reader", "reader": "Front"}).json()
    assert refused["status"] == "declined", "questions are not pushed aside by a sale"
    skipped = server.request("POST", path + "answers", {"customer": "skips"}).json()
    assert [(a["title"], a["skipped"]) for a in skipped["answers"]] == [
        ("Where to send the receipt?", True), ("A bag?", False)]
    assert skipped["answers"][1]["text"] == "Yes"
    assert server.request("GET", path + "inputs").json() == skipped
    ask(email)
    gone = server.request("POST", path + "answers", {"customer": "leaves"}).json()
    assert (gone["status"], gone["failure_code"]) == ("failed", "terminal_reader_timeout")
    for bad in ([], [email] * 6, [{"type": "colour", "title": "Which?"}], [{"type": "email"}],
                [{**email, "title": " "}], [{**email, "title": "a\nb"}], [{**email, "title": "x" * 201}],
                [{**email, "choices": ["Yes"]}], [{"type": "selection", "title": "A bag?"}],
                [{**bag, "choices": []}], [{**bag, "choices": ["Yes", 1]}], [{**bag, "choices": ["x"] * 21}],
                [{**email, "required": "yes"}], [{**email, "colour": "red"}], ["email"]):
        answer = ask(*bad)
        assert (answer.status_code, answer.json()["money_moved"]) == (422, "no"), (bad, answer.text)
    assert server.request("POST", path + "answers", {"customer": "sings"}).status_code == 422
    assert server.request("POST", path + "inputs", {"inputs": "all"}).status_code == 422
    missing = server.request("GET", "/v1/terminal/readers/tmr_nothing/inputs")
    assert (missing.status_code, missing.json()["code"]) == (404, "resource_missing")


def test_an_event_that_comes_again_is_taken_once(server, sandbox, reader):
    payment = server.create("o-1", "k-1").json()["id"]
    later(1, lambda: server.request("POST", f"/v1/terminal/readers/{reader.id}/card", {"card": "visa"}))
    assert server.confirm(payment, "k-2", {"type": "reader", "reader": "Front"}).json()["status"] == "succeeded"
    intent = {"id": "pi_1", "object": "payment_intent", "metadata": {"till_payment": payment}}
    statuses = []
    for name in ("evt_a", "evt_a", "evt_a"):
        event = {"id": name, "object": "event", "type": "payment_intent.succeeded", "created": int(time.time()),
                 "data": {"object": intent}}
        body = json.dumps(event)
        at = int(time.time())
        digest = stripe.WebhookSignature._compute_signature(f"{at}.{body}", counter.WEBHOOK_SECRET)
        statuses.append(requests.post(
            server.url + counter.WEBHOOK_PATH, data=body, timeout=10,
            headers={"Stripe-Signature": f"t={at},v1={digest}", "Content-Type": "application/json"}).status_code)
    assert statuses == [200, 200, 200]
    assert [c["captured"] for c in terminal.ledger(sandbox)] == [1250]


def test_a_counter_without_stripe_says_so(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        listed = server.request("GET", "/v1/terminal/readers").json()
        assert listed == {"readers": [], "registers": [], "complete": True}
        for path, body in (("connection_tokens", {}), ("readers/tmr_1/cancel", {}), ("readers/tmr_1/answers", {}),
                           ("readers/tmr_1/inputs", {"inputs": [{"type": "text", "title": "Name?"}]}),
                           ("payments", {"order_id": "1", "amount": 1, "currency": "EUR"})):
            answer = server.request("POST", "/v1/terminal/" + path, body)
            assert (answer.status_code, answer.json()["code"]) == (409, "no_readers"), answer.text
        assert server.request("PUT", "/v1/terminal/payments", {}).status_code == 405
        assert server.request("GET", "/v1/terminal/nothing").status_code == 404


@pytest.fixture
def page(tmp_path, request, server, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    server.sign_in(page)
    page.faults = faults
    yield page
    shoot(page, tmp_path, request.node.name)
    page.close()


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
    axe(page)
    page.get_by_label("Test card").select_option("visa")
    page.get_by_role("button", name="Present the test card").click()
    # On a busy machine the card may be in and out between two looks of the page.
    expect(page.locator("#headline")).to_have_text(re.compile("^(Card inserted|Paid)$"), timeout=WAIT)
    shoot(page, tmp_path, "reader_card_inserted")
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    for words in ("Remove the card.", "Approved."):
        expect(page.get_by_role("log")).to_contain_text(words)
    expect(page.get_by_role("button", name="Cancel at the reader")).to_be_hidden(timeout=WAIT)
    axe(page)
    assert [c["captured"] for c in terminal.ledger(sandbox)] == [1250]
    assert page.faults == []


def test_a_decline_is_told_neutrally_and_the_next_card_pays(page, sandbox):
    sell(page, "12.50", "o-1")
    page.get_by_label("Test card").select_option("declined:lost_card")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#result")).to_contain_text("The card was declined", timeout=WAIT)
    assert "lost" not in page.locator("body").inner_text().lower()
    page.get_by_role("button", name="Charge").click()
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
    page.get_by_label("Test card").select_option("visa")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    assert [(c["captured"]) for c in terminal.ledger(sandbox)] == [1250], "one intent for one order"


def test_a_sale_is_not_refused_for_what_its_random_keys_read_as(page, sandbox):
    # Bytes whose hexadecimal digits are a card number, two letters, and so on; the till takes no key with one.
    page.evaluate("""() => {
        const one = [0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0xaa];
        crypto.getRandomValues = (bytes) => bytes.map((_, index) => one[index % one.length]);
    }""")
    sell(page, "12.50", "o-1")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    assert [c["captured"] for c in terminal.ledger(sandbox)] == [1250]
    assert page.faults == []


def test_a_reader_that_goes_away_is_seen_before_anything_is_charged(page, sandbox):
    choice = page.get_by_label("Reader", exact=True)
    expect(choice).to_be_visible(timeout=WAIT)
    page.get_by_role("radio", name="Card reader").check()
    choice.select_option(label="Front")
    amount = page.get_by_label(re.compile("^amount", re.I))
    amount.fill("12.50")
    terminal.act(sandbox, {"reader": "Front", "do": "offline"})
    gone = page.locator("#reader-gone")
    expect(gone).to_have_text("Reader disconnected", timeout=WAIT)
    expect(choice.locator("option:checked")).to_have_text("Front (not seen lately)")
    # Whoever types goes on, and the reader stays chosen.
    expect(amount).to_be_focused()
    expect(amount).to_have_value("12.50")
    terminal.act(sandbox, {"reader": "Front", "do": "online"})
    expect(gone).to_have_text("", timeout=WAIT)
    expect(choice.locator("option:checked")).to_have_text("Front")
    assert terminal.ledger(sandbox) == [] and page.faults == []


def test_the_settings_show_a_reader_that_goes_away(page, server, sandbox):
    page.goto(server.url + "/settings/readers")
    card = page.locator(".thing", has_text="Front")
    expect(card).to_contain_text("Ready", timeout=WAIT)
    terminal.act(sandbox, {"reader": "Front", "do": "offline"})
    expect(card).to_contain_text("Offline", timeout=WAIT)
    expect(page.locator("#about")).to_contain_text("Front")
    page.goto(server.url + "/settings")
    shown = page.locator(".thing", has=page.get_by_role("heading", name="Readers"))
    expect(shown).to_contain_text("Offline", timeout=WAIT)
    link = shown.get_by_role("link")
    link.focus()
    terminal.act(sandbox, {"reader": "Front", "do": "online"})
    expect(shown).to_contain_text("Ready", timeout=WAIT)
    expect(link).to_be_focused()
    assert page.faults == []


@pytest.mark.parametrize("who", ["clerk", "customer"])
def test_called_off_from_either_side(page, sandbox, who):
    sell(page, "9.00", "o-1")
    if who == "clerk":
        page.get_by_role("button", name="Cancel at the reader").click()
    else:
        terminal.act(sandbox, {"reader": "Front", "do": "customer_cancel"})
    expect(page.locator("#result")).to_contain_text("canceled", timeout=WAIT)
    assert [c["authorized"] for c in terminal.ledger(sandbox)] == [0]
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
    axe(page)
    page.get_by_role("button", name="Charge").click()
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
    page.get_by_label("Test card").select_option("visa")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=WAIT)
    assert page.evaluate(wide) == 0
    shoot(page, tmp_path, "phone_paid")


def give_back(page):
    page.get_by_role("button", name="Refund…").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Refund")).click()


def tab_to(page, label, most=60):
    """Presses Tab until the control of a name has the focus: what cannot be reached so fails."""
    for _ in range(most):
        page.keyboard.press("Tab")
        name = page.evaluate("""() => { const e = document.activeElement;
            return e.getAttribute("aria-label") ?? (e.labels?.[0]?.textContent || e.textContent || "").trim(); }""")
        if name == label:
            return
    pytest.fail(f"no Tab reaches {label}")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_tip_is_asked_for_by_keyboard(page, sandbox, client, reader, tmp_path, width):
    page.set_viewport_size({"width": width, "height": 900})
    expect(page.get_by_label("Reader", exact=True)).to_be_visible(timeout=WAIT)
    expect(page.get_by_label("Ask the customer for a tip")).to_be_visible()
    page.get_by_label(re.compile("^amount", re.I)).fill("12.50")
    page.get_by_label("Reader", exact=True).focus()
    tab_to(page, "Ask the customer for a tip")
    expect(page.get_by_label("Calculate the tip on (optional)")).to_be_hidden()
    page.keyboard.press("Space")
    tab_to(page, "Calculate the tip on (optional)")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    expect(page.locator("#tip-on-fault")).to_have_text("That is more than the sale.")
    expect(page.get_by_label("Calculate the tip on (optional)")).to_be_focused()
    shoot(page, tmp_path, f"tip_fault_{width}")
    axe(page)
    page.get_by_label("Calculate the tip on (optional)").fill("10.00")
    page.keyboard.press("Enter")
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
    asked = client.terminal.readers.retrieve(reader.id).action.process_payment_intent.process_config
    assert (asked.skip_tipping, asked.tipping.amount_eligible) == (False, 1000)
    page.get_by_role("button", name="Cancel at the reader").focus()
    tab_to(page, "Tip that the customer gives")
    page.keyboard.type("2.50")
    shoot(page, tmp_path, f"tip_waiting_{width}")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    tab_to(page, "Present the test card")
    page.keyboard.press("Enter")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(page.locator("#facts")).to_contain_text("Tip2.50 EUR")
    expect(page.locator("#detail")).to_contain_text("15.00 EUR charged")
    shoot(page, tmp_path, f"tip_paid_{width}")
    assert [c["captured"] for c in terminal.ledger(sandbox)] == [1500]
    assert page.faults == []


def test_no_tip_is_asked_for_without_the_tick(page, client, reader):
    sell(page, "12.50", "o-1")
    assert client.terminal.readers.retrieve(reader.id).action.process_payment_intent.process_config.skip_tipping is True
    expect(page.get_by_label("Tip that the customer gives")).to_be_hidden()


@pytest.mark.parametrize("width", [1280, 390])
def test_questions_are_asked_and_answered_by_keyboard(page, client, reader, tmp_path, width):
    page.set_viewport_size({"width": width, "height": 900})
    section = page.get_by_role("region", name="Ask the customer")
    expect(section).to_be_visible(timeout=WAIT)
    expect(section.get_by_label("Ask at")).to_be_hidden()
    page.get_by_role("button", name="Charge").focus()
    tab_to(page, "Ask the customer")
    page.keyboard.press("Enter")
    tab_to(page, "Ask at")
    tab_to(page, "Question")
    assert section.get_by_label("Question", exact=True).input_value() == "Where to send the receipt?"
    tab_to(page, "Add a question")
    page.keyboard.press("Enter")
    second = section.get_by_role("group", name="Question 2")
    expect(second.get_by_label("Question", exact=True)).to_be_focused()
    tab_to(page, "Answer")
    page.keyboard.type("A choice")
    expect(second.get_by_label("Question", exact=True)).to_have_value("Would you like a bag?")
    tab_to(page, "Answers to choose from, one per line")
    page.keyboard.press("Control+A")
    page.keyboard.type("Paper\nNone")
    tab_to(page, "It cannot be skipped")
    page.keyboard.press("Space")
    shoot(page, tmp_path, f"questions_form_{width}")
    axe(page)
    second.get_by_label("Question", exact=True).fill(" ")
    page.keyboard.press("Enter")
    expect(section.get_by_role("alert")).to_have_text("Enter what the customer is asked.")
    axe(page)
    page.keyboard.type("A bag?")
    page.keyboard.press("Enter")
    expect(section.get_by_role("status")).to_have_text("The customer is being asked at Front.", timeout=WAIT)
    expect(section.get_by_role("button", name="Cancel the questions")).to_be_focused()
    asked = client.terminal.readers.retrieve(reader.id).action.collect_inputs.inputs
    assert [(i.type, i.required) for i in asked] == [("email", False), ("selection", True)]
    shoot(page, tmp_path, f"questions_asked_{width}")
    axe(page)
    tab_to(page, "Act as the customer")
    page.keyboard.press("Enter")
    expect(section.get_by_role("status")).to_contain_text("Answered.", timeout=WAIT)
    expect(section.locator("dl")).to_have_text("Where to send the receipt?customer@example.comA bag?Paper")
    expect(section.get_by_role("button", name="Ask the customer")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    shoot(page, tmp_path, f"questions_answered_{width}")
    axe(page)
    assert page.faults == []


def test_questions_end_in_every_way_and_outlive_a_reload(page, client, reader, sandbox):
    section = page.get_by_role("region", name="Ask the customer")
    status = section.get_by_role("status")
    ask = section.get_by_role("button", name="Ask the customer")
    section.get_by_text("Ask the customer").first.click()
    section.get_by_label("Answer", exact=True).select_option("signature")
    for customer, words in (("answers", "Answered."), ("skips", "Answered."), ("leaves", "Nobody answered in time.")):
        ask.click()
        expect(status).to_contain_text("is being asked", timeout=WAIT)
        section.get_by_label("What the customer does").select_option(customer)
        section.get_by_role("button", name="Act as the customer").click()
        expect(status).to_contain_text(words, timeout=WAIT)
        if customer != "leaves":
            said = "Skipped" if customer == "skips" else "Signed (file_sandbox_signature)"
            expect(section.locator("dl")).to_have_text("Please sign" + said)
    ask.click()
    expect(status).to_contain_text("is being asked", timeout=WAIT)
    page.reload()
    expect(status).to_contain_text("is being asked at Front", timeout=WAIT)
    section.get_by_role("button", name="Cancel the questions").click()
    expect(status).to_have_text("The questions were canceled.", timeout=WAIT)
    assert client.terminal.readers.retrieve(reader.id).action is None
    # A reader that is at a sale is not asked.
    made = terminal.intent(client)
    client.terminal.readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    ask.click()
    expect(section.get_by_role("alert")).to_contain_text("The reader is busy with something else.", timeout=WAIT)
    assert page.faults == []


def test_an_interac_refund_is_made_with_the_card_at_the_reader(page, sandbox, tmp_path):
    page.get_by_label("Currency").select_option("CAD")
    sell(page, "12.50", "o-1")
    page.get_by_label("Test card").select_option("interac")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(page.get_by_label("Reader for the card")).to_be_visible()
    page.get_by_label("Refund amount").fill("5.00")
    for card, words in (("visa", "Present the card that paid."), ("interac", "Partly refunded")):
        give_back(page)
        expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
        page.get_by_label("Test card").select_option(card)
        shoot(page, tmp_path, f"refund_waiting_{card}")
        axe(page)
        page.get_by_role("button", name="Present the test card").click()
        expect(page.locator("#now")).to_contain_text(words, timeout=WAIT)
        shoot(page, tmp_path, f"refund_{card}")
        if card == "visa":
            expect(page.get_by_label("Refund amount")).to_have_value("5.00")
    assert [c["refunded"] for c in terminal.ledger(sandbox)] == [500]
    give_back(page)
    expect(page.locator("#headline")).to_have_text("Waiting for the card", timeout=WAIT)
    page.get_by_role("button", name="Cancel at the reader").click()
    expect(page.locator("#now")).to_contain_text("The refund was canceled. Nothing was refunded.", timeout=WAIT)
    assert [c["refunded"] for c in terminal.ledger(sandbox)] == [500]
    assert page.faults == []


def test_a_visa_refund_asks_for_no_reader(page):
    sell(page, "12.50", "o-1")
    page.get_by_role("button", name="Present the test card").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(page.get_by_label("Reader for the card")).to_be_hidden()


def test_a_reader_is_added_named_chosen_and_removed_on_the_settings_page(page, server, reader):
    page.goto(server.url + "/settings/readers")
    expect(page.locator(".thing")).to_have_count(1, timeout=WAIT)
    page.locator("summary", has_text="Add a reader").click()
    code = page.locator("#reader-code")
    code.fill("quick-brown-fox")
    page.locator("#reader-label").fill("Bar")
    page.get_by_role("button", name="Add", exact=True).click()
    # What is refused is named at its field, and what was typed stays.
    expect(page.locator("#alert")).to_contain_text("no reader with this registration code", timeout=WAIT)
    expect(code).to_be_focused()
    expect(code).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#reader-label")).to_have_value("Bar")
    axe(page)
    code.fill("simulated-s700")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#done")).to_have_text("Bar was added.", timeout=WAIT)
    expect(page.locator(".thing")).to_have_count(2)
    page.get_by_role("button", name="Use Bar by default", exact=True).click()
    expect(page.locator("#done")).to_have_text("Bar is used by default.", timeout=WAIT)
    listed = {one["label"]: one["preferred"] for one in server.request("GET", "/v1/terminal/readers").json()["readers"]}
    assert listed == {"Front": False, "Bar": True}
    page.locator("summary", has_text="Rename Bar").click()
    box = page.locator("details.adding[open]").get_by_label("Name", exact=True)
    box.fill("Terrace")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.locator("#done")).to_have_text("Renamed: Terrace.", timeout=WAIT)
    axe(page)
    page.get_by_role("button", name="Remove Terrace", exact=True).click()
    expect(page.locator("#review-back")).to_be_focused(timeout=WAIT)
    expect(page.locator("#review")).to_contain_text("registered again")
    page.locator("#review-send").click()
    expect(page.locator("#done")).to_have_text("Terrace was removed.", timeout=WAIT)
    readers = server.request("GET", "/v1/terminal/readers").json()["readers"]
    assert [(one["label"], one["preferred"]) for one in readers] == [("Front", False)]
    log = [one["entry"]["action"] for one in server.request("GET", "/v1/audit").json()["entries"]]
    assert [one for one in log if one.startswith("reader.")] == [
        "reader.registered", "reader.registered", "reader.chosen", "reader.changed", "reader.removed"]
