"""Terminal from outside: Stripe's own library drives our stand-in and parses every object, and the till sells at its
readers as a shop would. The stand-in's ledger is the oracle for money.
"""
import http.server
import json
import os
import re
import subprocess
import threading
import time

import pytest
import requests
import stripe

import counter
import terminal

WAIT = 10


@pytest.fixture
def client(sandbox):
    terminal.act(sandbox, {"do": "card_time", "milliseconds": 0})
    return stripe.StripeClient(sandbox.key, base_addresses={"api": sandbox.url}, max_network_retries=0).v1


@pytest.fixture
def readers(client):
    return client.terminal.readers


@pytest.fixture
def helper(client):
    return client.test_helpers.terminal.readers


@pytest.fixture
def reader(readers):
    return readers.create({"registration_code": "simulated-wpe", "label": "Front"})


def code_of(call):
    """The code of the error that a call ends with."""
    with pytest.raises(stripe.StripeError) as caught:
        call()
    return caught.value.code


# ---- The stand-in, by Stripe's own library


def test_a_whole_sale_and_its_refund(client, readers, helper, reader, sandbox):
    made = terminal.intent(client, metadata={"till_order": "o-1"})
    assert made.status == "requires_payment_method"
    waiting = readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    assert isinstance(waiting, stripe.terminal.Reader)
    assert (waiting.action.type, waiting.action.status) == ("process_payment_intent", "in_progress")
    assert waiting.action.process_payment_intent.payment_intent == made.id
    done = helper.present_payment_method(
        reader.id, {"type": "card_present", "card_present": {"number": "4242424242424242"}})
    assert done.action.status == "succeeded" and done.action.failure_code is None
    held = client.payment_intents.retrieve(made.id, {"expand": ["latest_charge"]})
    assert (held.status, held.amount_capturable) == ("requires_capture", 1250)
    card = held.latest_charge.payment_method_details.card_present
    assert (card.brand, card.last4, card.read_method) == ("visa", "4242", "contact_emv")
    for name in ("application_preferred_name", "dedicated_file_name", "authorization_code", "application_cryptogram",
                 "terminal_verification_results", "transaction_status_information", "cardholder_verification_method"):
        assert getattr(card.receipt, name), name
    assert 0 < card.capture_before - held.latest_charge.created <= 2 * 86400
    taken = client.payment_intents.capture(made.id)
    assert (taken.status, taken.amount_received) == ("succeeded", 1250)
    back = client.refunds.create({"payment_intent": made.id, "amount": 500})
    assert back.status == "succeeded"
    entry = terminal.ledger(sandbox)[0]
    assert (entry["captured"], entry["refunded"]) == (1250, 500)


def test_objects_are_whole(client, readers, reader):
    """Every field that the library declares for a reader and a place is there."""
    place = client.terminal.locations.create(
        {"display_name": "HQ", "address": {"line1": "1 Main St", "city": "Springfield", "state": "IL", "country": "US",
                                           "postal_code": "62701"}})
    for name in stripe.terminal.Location.__annotations__:
        if name not in ("deleted", "OBJECT_NAME"):
            getattr(place, name)
    for name in stripe.terminal.Reader.__annotations__:
        if name not in ("deleted", "OBJECT_NAME", "TestHelpers"):
            getattr(reader, name)
    assert place.object == "terminal.location" and place.address.country == "US"
    assert reader.object == "terminal.reader" and reader.last_seen_at > 10**12
    client.terminal.locations.update(place.id, {"display_name": "New"})
    assert client.terminal.locations.retrieve(place.id).display_name == "New"
    assert [p.id for p in client.terminal.locations.list().data] == [place.id]
    assert readers.update(reader.id, {"label": "Bar", "metadata": {"a": "b"}}).metadata["a"] == "b"
    assert [r.label for r in readers.list({"status": "online", "device_type": "simulated_wisepos_e"}).data] == ["Bar"]
    assert readers.list({"status": "offline"}).data == []
    settings = client.terminal.configurations.create(
        {"name": "Bar", "tipping": {"eur": {"percentages": [5, 10], "fixed_amounts": [100]}},
         "offline": {"enabled": False}, "reboot_window": {"start_hour": 2, "end_hour": 5}})
    assert settings.tipping.eur.percentages == [5, 10] and settings.reboot_window.end_hour == 5
    token = client.terminal.connection_tokens.create({"location": place.id})
    assert token.object == "terminal.connection_token" and token.location == place.id and token.secret
    assert client.terminal.configurations.delete(settings.id).deleted
    assert client.terminal.locations.delete(place.id).deleted
    assert readers.delete(reader.id).deleted


def test_lists_have_pages(readers):
    made = [readers.create({"registration_code": "simulated-s700", "label": f"R{n}"}).id for n in range(5)]
    seen = [r.id for r in readers.list({"limit": 2}).auto_paging_iter()]
    assert sorted(seen) == sorted(made)


@pytest.mark.parametrize(
    "number, decline",
    [("4000000000000002", "generic_decline"), ("4000000000009995", "insufficient_funds"),
     ("4000000000009987", "lost_card"), ("4000000000009979", "stolen_card"), ("4000000000000069", "expired_card"),
     ("4000000000000119", "processing_error")],
)
def test_declines(client, readers, helper, reader, sandbox, number, decline):
    made = terminal.intent(client)
    readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    action = helper.present_payment_method(
        reader.id, {"type": "card_present", "card_present": {"number": number}}).action
    assert (action.status, action.api_error.decline_code) == ("failed", decline)
    after = client.payment_intents.retrieve(made.id)
    assert (after.status, after.last_payment_error.decline_code) == ("requires_payment_method", decline)
    assert terminal.ledger(sandbox)[0]["authorized"] == 0
    # The same intent takes the next card.
    readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    assert helper.present_payment_method(
        reader.id, {"type": "card_present", "card_present": {"number": "4242424242424242"}}
    ).action.status == "succeeded"


@pytest.mark.parametrize("cents, decline", [(1, "call_issuer"), (5, "generic_decline"), (55, "incorrect_pin"),
                                            (65, "withdrawal_count_limit_exceeded"), (75, "pin_try_exceeded"),
                                            (0, None)])
def test_the_physical_test_card_looks_at_the_amount(client, readers, helper, reader, cents, decline):
    made = terminal.intent(client, 2000 + cents)
    readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    action = helper.present_payment_method(reader.id).action
    assert action.status == ("failed" if decline else "succeeded")
    if decline:
        assert action.api_error.decline_code == decline


def test_interac_is_captured_at_once_and_refunded_with_its_card_only(client, readers, helper, reader, sandbox):
    made = terminal.intent(client, currency="cad")
    readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    helper.present_payment_method(
        reader.id, {"type": "interac_present", "interac_present": {"number": "4506445006931933"}})
    paid = client.payment_intents.retrieve(made.id, {"expand": ["latest_charge"]})
    assert (paid.status, paid.amount_received) == ("succeeded", 1250)
    assert paid.latest_charge.payment_method_details.interac_present.receipt.account_type == "checking"
    with pytest.raises(stripe.InvalidRequestError):
        client.refunds.create({"payment_intent": made.id})
    waiting = readers.refund_payment(reader.id, {"payment_intent": made.id, "amount": 500})
    assert waiting.action.type == "refund_payment" and waiting.action.refund_payment.amount == 500
    done = helper.present_payment_method(reader.id, {"type": "interac_present"})
    assert done.action.status == "succeeded"
    assert client.refunds.retrieve(done.action.refund_payment.refund).amount == 500
    assert terminal.ledger(sandbox)[0]["refunded"] == 500
    assert code_of(lambda: readers.refund_payment(reader.id, {"payment_intent": made.id, "amount": 751})) \
        == "amount_too_large"


def test_cancel_display_inputs_and_saving_a_card(client, readers, helper, reader):
    made = terminal.intent(client)
    readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    assert readers.cancel_action(reader.id).action is None
    assert code_of(lambda: helper.present_payment_method(reader.id)) == "terminal_reader_busy"
    shown = readers.set_reader_display(
        reader.id, {"type": "cart", "cart": {"currency": "eur", "total": 1370, "tax": 120, "line_items": [
            {"description": "Café crème", "amount": 350, "quantity": 2}]}})
    assert shown.action.set_reader_display.cart.line_items[0].description == "Café crème"
    asked = readers.collect_inputs(reader.id, {"inputs": [
        {"type": "selection", "custom_text": {"title": "Bag?"}, "selection": {"choices": [
            {"id": "yes", "text": "Yes", "style": "primary"}, {"id": "no", "text": "No"}]}},
        {"type": "email", "custom_text": {"title": "Receipt"}, "required": True,
         "toggles": [{"title": "News", "default_value": "disabled"}]}]})
    assert asked.action.status == "in_progress" and len(asked.action.collect_inputs.inputs) == 2
    told = helper.succeed_input_collection(reader.id).action.collect_inputs.inputs
    assert told[0].selection.id == "yes" and told[1].email.value and told[1].toggles[0].value == "disabled"
    readers.collect_inputs(reader.id, {"inputs": [{"type": "text", "custom_text": {"title": "Name"}}]})
    assert helper.timeout_input_collection(reader.id).action.status == "failed"
    saving = client.setup_intents.create({"payment_method_types": ["card_present"], "usage": "off_session"})
    readers.process_setup_intent(reader.id, {"setup_intent": saving.id, "allow_redisplay": "always"})
    helper.present_payment_method(reader.id, {"type": "card_present", "card_present": {"number": "4242424242424242"}})
    assert client.setup_intents.retrieve(saving.id).status == "succeeded"


def test_collect_then_confirm_with_a_tip_and_raise_the_hold(client, readers, helper, reader, sandbox):
    made = terminal.intent(client, payment_method_options={
        "card_present": {"request_incremental_authorization_support": True, "request_extended_authorization": True}})
    readers.collect_payment_method(reader.id, {"payment_intent": made.id})
    collected = helper.present_payment_method(
        reader.id, {"type": "card_present", "card_present": {"number": "5555555555554444"}, "amount_tip": 150})
    assert collected.action.collect_payment_method.payment_method.card_present.last4 == "4444"
    assert terminal.ledger(sandbox)[0]["authorized"] == 0
    assert readers.confirm_payment_intent(reader.id, {"payment_intent": made.id}).action.status == "succeeded"
    held = client.payment_intents.retrieve(made.id)
    assert (held.amount_capturable, held.amount_details.tip.amount) == (1400, 150)
    assert client.payment_intents.increment_authorization(made.id, {"amount": 2000}).amount == 2000
    assert client.payment_intents.capture(made.id).amount_received == 2000


def test_readers_that_do_not_do_it(client, readers, helper, reader, sandbox):
    made = terminal.intent(client)

    def process(**more):
        return readers.process_payment_intent(reader.id, {"payment_intent": made.id}, **more)

    terminal.act(sandbox, {"reader": "Front", "do": "offline"})
    assert readers.retrieve(reader.id).status == "offline"
    assert code_of(process) == "terminal_reader_offline"
    terminal.act(sandbox, {"reader": "Front", "do": "online"})
    for fault, code in (("hardware", "terminal_reader_hardware_fault"), ("timeout_before", "terminal_reader_timeout"),
                        ("timeout_after", "terminal_reader_timeout")):
        terminal.act(sandbox, {"reader": "Front", "do": "fault", "fault": fault})
        assert code_of(process) == code
    assert readers.retrieve(reader.id).action.status == "in_progress", "it was done though nobody said so"
    terminal.act(sandbox, {"do": "card_time", "milliseconds": 60000})
    helper.present_payment_method(reader.id)
    assert client.payment_intents.retrieve(made.id).status == "processing"
    for call in (process, lambda: readers.cancel_action(reader.id)):
        assert code_of(call) == "terminal_reader_busy"
    with pytest.raises(stripe.InvalidRequestError):
        client.payment_intents.cancel(made.id)
    assert code_of(lambda: readers.create({"registration_code": "no-such-code"})) == "registration_code_invalid"
    assert code_of(lambda: readers.process_payment_intent("tmr_nothing", {"payment_intent": made.id})) \
        == "resource_missing"
    for country in ("KP", "XX", "ZZ", "EU"):
        assert code_of(lambda: client.terminal.locations.create(
            {"display_name": "X", "address": {"line1": "1", "country": country}})) \
            == "terminal_location_country_unsupported", country


def test_the_customer_cancels_and_keys_are_remembered(client, readers, reader, sandbox):
    made = terminal.intent(client)
    params = {"payment_intent": made.id, "process_config": {"enable_customer_cancellation": True}}
    first = readers.process_payment_intent(reader.id, params, {"idempotency_key": "k-1"})
    terminal.act(sandbox, {"reader": "Front", "do": "customer_cancel"})
    assert readers.retrieve(reader.id).action.failure_code == "customer_canceled"
    again = readers.process_payment_intent(reader.id, params, {"idempotency_key": "k-1"})
    assert again.to_dict() == first.to_dict()
    assert readers.retrieve(reader.id).action.status == "failed", "a replay does nothing"
    with pytest.raises(stripe.IdempotencyError):
        readers.process_payment_intent(reader.id, {"payment_intent": made.id}, {"idempotency_key": "k-1"})


class Receiver:
    """A webhook's receiver that keeps what came."""

    def __init__(self):
        self.events = events = []

        class Take(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                events.append((body, self.headers["Stripe-Signature"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Take)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def wait(self, count):
        end = time.monotonic() + WAIT
        while time.monotonic() < end and len(self.events) < count:
            time.sleep(0.02)
        return [stripe.Webhook.construct_event(body, signature, "whsec_t") for body, signature in self.events]


@pytest.mark.parametrize("how", [{}, {"copies": 2}, {"delay_ms": 200}, {"swap": True}, {"drop_every": 2}])
def test_webhooks_are_signed_and_come_as_badly_as_asked(client, readers, helper, reader, sandbox, how):
    receiver = Receiver()
    setup = {"url": receiver.url, "secret": "whsec_t", **how}
    assert requests.post(sandbox.url + "/_sandbox/webhooks", json=setup, timeout=10).status_code == 200
    made = terminal.intent(client)
    readers.process_payment_intent(reader.id, {"payment_intent": made.id})
    helper.present_payment_method(reader.id)
    wanted = ["payment_intent.created", "payment_intent.amount_capturable_updated", "terminal.reader.action_succeeded"]
    if how.get("swap"):
        assert [e.type for e in receiver.wait(2)] == [wanted[1], wanted[0]]
    elif how.get("drop_every"):
        time.sleep(0.3)
        assert sorted(e.type for e in receiver.wait(2)) == sorted([wanted[0], wanted[2]])
    else:
        copies = how.get("copies", 1)
        types = [e.type for e in receiver.wait(3 * copies)]
        assert sorted(types) == sorted(wanted * copies)
        told = next(e for e in receiver.wait(3) if e.type == "terminal.reader.action_succeeded")
        assert told.data.object.action.process_payment_intent.payment_intent == made.id


# ---- The till at the stand-in's readers


class Desk:
    """A shop with a reader, by the command line."""

    def __init__(self, folder, sandbox):
        self.sandbox = sandbox
        self.common = ["--journal", str(folder / "journal.db"), "--json", *sandbox.flags]
        terminal.act(sandbox, {"do": "card_time", "milliseconds": 300})
        self.reader = counter.succeed(
            "readers", "register", "simulated-wpe", "--label", "Front", *self.common)

    def start(self, order="o-1", amount="12.50", currency="EUR", json_too=True, more=()):
        common = self.common if json_too else [c for c in self.common if c != "--json"]
        return subprocess.Popen(
            [counter.binary(), "sale", "--amount", amount, "--currency", currency, "--order", order, "--reader",
            "Front",
             *more, *common], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def waits(self):
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            action = self.status()["action"]
            if action and action["status"] == "in_progress":
                return
            time.sleep(0.05)
        pytest.fail("the reader was not asked for a card")

    def status(self):
        return counter.succeed("readers", "status", "Front", *self.common)

    def card(self, name, *more):
        return counter.till("readers", "simulate-card", "Front", "--card", name, *more, *self.common)

    def charges(self):
        return terminal.ledger(self.sandbox)

    def verify(self):
        assert counter.till("journal", "verify", *self.common).json["ok"] is True


@pytest.fixture
def desk(tmp_path, sandbox):
    return Desk(tmp_path, sandbox)


def end(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_the_till_sells_at_a_reader_and_says_what_a_person_sees(desk):
    # The issuer answers when the card was seen in the reader, however seldom the till looks.
    terminal.act(desk.sandbox, {"do": "card_time", "milliseconds": 60_000})
    sale = desk.start(json_too=False)
    desk.waits()
    assert desk.card("visa").code == 0
    err = ""
    while "Leave the card in the reader." not in err:
        line = sale.stderr.readline()
        assert line, err
        err += line
    terminal.act(desk.sandbox, {"reader": "Front", "do": "answer"})
    err += sale.stderr.read()
    out = sale.stdout.read()
    assert sale.wait(60) == 0, err
    for words in ("Insert or tap the card.", "Leave the card in the reader.", "Remove the card.", "Approved."):
        assert words in err, words
    assert "A0000000031010" in out and "4242" in out
    assert [c["captured"] for c in desk.charges()] == [1250]
    desk.verify()


def test_declined_then_paid_on_one_intent(desk):
    sale = desk.start()
    assert desk.card("declined:stolen_card").code == 0
    code, out, _ = end(sale)
    assert code == 2
    assert "stolen" not in json.loads(out)["message"]
    sale = desk.start()
    assert desk.card("mastercard").code == 0
    code, out, err = end(sale)
    assert code == 0, err
    assert [(c["captured"], c["order"]) for c in desk.charges()] == [(1250, "o-1")]
    desk.verify()


def test_the_receipt_of_a_refusal_names_the_card_and_what_the_chip_said(desk):
    sale = desk.start()
    assert desk.card("declined:insufficient_funds").code == 0
    code, out, _ = end(sale)
    assert code == 2
    payment = json.loads(out)["id"]
    receipt = counter.till("receipts", "show", payment, "--format", "text", *desk.common).out
    for words in ("DECLINED", "Visa", "**** ", "A0000000031010", "TVR", "3531"):
        assert words.lower() in receipt.lower(), (words, receipt)
    assert "Authorization code" not in receipt and "Auth. code" not in receipt, receipt
    desk.verify()


@pytest.mark.parametrize("who", ["clerk", "customer", "other"])
def test_called_off_from_either_side(desk, who):
    sale = desk.start(json_too=False)
    desk.waits()
    if who == "clerk":
        sale.send_signal(2)
    elif who == "customer":
        terminal.act(desk.sandbox, {"reader": "Front", "do": "customer_cancel"})
    else:
        counter.succeed("readers", "cancel", "Front", *desk.common)
    code, _, err = end(sale)
    assert code == 2 and "canceled" in err
    assert [c["authorized"] for c in desk.charges()] == [0]
    assert desk.status()["action"] is None or desk.status()["action"]["status"] == "failed"
    desk.verify()


def test_a_till_that_dies_while_the_reader_waits_pays_once_or_never(desk):
    sale = desk.start()
    desk.waits()
    sale.kill()
    sale.wait()
    assert desk.card("visa").code == 0
    time.sleep(0.5)
    counter.succeed("payments", "recover", *desk.common)
    assert [c["captured"] for c in desk.charges()] == [1250]
    again = desk.start()
    code, _, _ = end(again)
    assert code == 1, "the order is paid"
    assert sum(c["captured"] for c in desk.charges()) == 1250
    sale = desk.start("o-2")
    desk.waits()
    sale.kill()
    sale.wait()
    counter.succeed("payments", "recover", *desk.common)
    assert desk.status()["action"] is None, "the reader that waited for the dead till is free again"
    late = desk.card("visa", "--wait", "0")
    time.sleep(0.5)
    charge = next(c for c in desk.charges() if c["order"] == "o-2")
    assert charge["canceled"] and charge["authorized"] == 0, late
    desk.verify()


def test_a_sale_that_waits_is_not_pushed_aside(desk, tmp_path):
    order = tmp_path / "order.json"
    order.write_text(json.dumps({"id": 7, "number": "7", "currency": "EUR", "total": "1.00", "total_tax": "0.00",
                                 "discount_total": "0.00", "shipping_total": "0.00", "line_items": [
                                     {"name": "Tea", "quantity": 1, "subtotal": "1.00", "subtotal_tax": "0.00",
                                      "total": "1.00", "total_tax": "0.00"}]}))
    sale = desk.start()
    desk.waits()
    for command in (["display", "Front"], ["display", "Front", "--order", str(order)],
                    ["collect-inputs", "Front", "--ask", "text=Name?"]):
        refused = counter.till("readers", *command, *desk.common)
        assert refused.code == 1 and refused.json["error"]["code"] == "terminal_reader_busy", refused
    second = desk.start("o-2", json_too=False)
    code, out, err = end(second)
    assert code == 2 and out == "", "nothing to give a receipt for"
    assert "The card reader is busy with something else. Nothing was charged." in err and "use another reader" in err
    assert desk.card("visa").code == 0
    code, _, err = end(sale)
    assert code == 0, err
    assert sum(c["captured"] for c in desk.charges()) == 1250


@pytest.mark.parametrize("fault, words, next", [
    ("offline", "The card reader cannot be reached.", "Check that it is on and connected to the network"),
    ("hardware", "The card reader is out of order.", "Restart it"),
    ("place", "This card reader cannot take this payment in its location.", "Use a reader in the country"),
    ("timeout_before", "The payment was canceled.", "Try again."),
])
def test_a_reader_that_does_not_do_it_says_what_happened_and_what_to_do(desk, fault, words, next):
    name = "Front"
    if fault == "place":
        place = counter.succeed("locations", "create", "--name", "HQ", "--line1", "1 Main St", "--city", "Springfield",
                                "--state", "IL", "--postal-code", "62701", "--country", "US", *desk.common)
        counter.succeed("readers", "register", "simulated-s700", "--label", "US", "--location", place["id"],
            *desk.common)
        name = "US"
    elif fault == "offline":
        terminal.act(desk.sandbox, {"reader": "Front", "do": "offline"})
    else:
        terminal.act(desk.sandbox, {"reader": "Front", "do": "fault", "fault": fault})
    common = [c for c in desk.common if c != "--json"]
    sale = counter.till("sale", "--amount", "12.50", "--currency", "EUR", "--reader", name, *common)
    assert sale.code == (1 if fault == "timeout_before" else 2) and sale.out == "", sale
    last = sale.err.strip().splitlines()[-1]
    assert last.startswith("till: " + words) and next in last, last
    assert "Nothing was charged." in last or "No money moved." in last
    assert [c["authorized"] for c in desk.charges()] == [0]


def test_an_interac_sale_and_its_refund_at_the_reader(desk):
    sale = desk.start(currency="CAD")
    assert desk.card("interac").code == 0
    code, out, err = end(sale)
    assert code == 0, err
    payment = json.loads(out)["id"]
    refused = counter.till("payments", "refund", payment, "--amount", "5.00", *desk.common)
    assert refused.code == 2 and desk.charges()[0]["refunded"] == 0
    assert refused.json["refunds"][-1]["message"].startswith("This refund needs the card and a reader."), refused
    told = counter.till("payments", "refund", payment, "--amount", "5.00", *[c for c in desk.common if c != "--json"])
    assert told.code == 2 and "Nothing was refunded." in told.err, told
    refund = subprocess.Popen(
        [counter.binary(), "payments", "refund", payment, "--amount", "5.00", "--reader", "Front", *desk.common],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    desk.waits()
    assert desk.card("interac").code == 0
    code, _, err = end(refund)
    assert code == 0, err
    assert desk.charges()[0]["refunded"] == 500
    desk.verify()


def test_a_tip_is_paid_shown_and_given_back(desk):
    sale = desk.start(json_too=False, more=["--ask-tip"])
    assert desk.card("visa", "--tip", "250").code == 0
    code, out, err = end(sale)
    assert code == 0, err
    assert re.search(r"Tip +.*2.50", out) and re.search(r"15.00", out), out
    assert [c["captured"] for c in desk.charges()] == [1500]
    payment = counter.succeed("payments", "list", *desk.common)["payments"][0]["id"]
    shown = counter.succeed("payments", "show", payment, *desk.common)
    assert (shown["amount"], shown["tip"], shown["captured"]) == (1250, 250, 1500)
    assert counter.till("payments", "refund", payment, "--amount", "15.01", *desk.common).code != 0
    assert counter.till("payments", "refund", payment, *desk.common).code == 0
    assert desk.charges()[0]["refunded"] == 1500
    least = counter.till("sale", "--amount", "0.49", "--currency", "EUR", "--reader", "Front", *desk.common)
    assert least.code != 0 and least.json["error"]["code"] == "amount_too_small"
    assert least.json["error"]["what"] == "The amount is 0.49 EUR; the least is 0.50 EUR."
    assert len(desk.charges()) == 1
    wrong = counter.till("sale", "--amount", "5.00", "--currency", "EUR", "--ask-tip", "--card", "visa", *desk.common)
    assert wrong.code != 0 and wrong.json["error"]["code"] == "tip_needs_reader"
    desk.verify()


def test_a_card_with_two_networks_goes_over_the_one_that_was_asked_for(desk):
    for order, env, network in (("o-1", {"TILL_STRIPE_NETWORK_PRIORITY": "domestic"}, "eftpos_au"),
            ("o-2", {}, "visa")):
        sale = subprocess.Popen(
            [counter.binary(), "sale", "--amount", "12.50", "--currency", "AUD", "--order", order, "--reader", "Front",
             *desk.common], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env})
        assert desk.card("eftpos_au_visa_debit").code == 0
        code, out, err = end(sale)
        assert code == 0, err
        paid = counter.succeed("payments", "show", json.loads(out)["id"], *desk.common)
        assert (paid["tender"], paid["card_brand"]) == ("reader", "visa")
        assert ("Network" in json.loads(out)["receipt"]) == (network == "eftpos_au"), json.loads(out)["receipt"]
    desk.verify()


def test_a_sale_uses_the_connected_reader(desk):
    counter.succeed("readers", "connect", "Front", *desk.common)
    plain = ["sale", "--amount", "12.50", "--currency", "EUR"]
    unsure = counter.till(*plain, "--card", "visa", *desk.common)
    assert unsure.code != 0 and unsure.json["error"]["code"] == "choose_a_tender", unsure
    assert "Front is connected" in unsure.json["error"]["what"] and not desk.charges()
    sale = subprocess.Popen([counter.binary(), *plain, *desk.common], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)
    assert desk.card("visa").code == 0
    code, out, err = end(sale)
    assert code == 0, err
    assert counter.succeed("payments", "show", json.loads(out)["id"], *desk.common)["tender"] == "reader"
    assert [c["captured"] for c in desk.charges()] == [1250]
    assert counter.succeed("readers", "disconnect", *desk.common)
    desk.verify()


def test_questions_at_a_reader(desk):
    def asks(*more):
        return subprocess.Popen(
            [counter.binary(), "readers", "collect-inputs", "Front", "--ask", "email=Where to send the receipt?",
             "--ask", "selection=A bag?|Yes|No", *more, *desk.common],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    answers = [[("email", "customer@example.com", False), ("selection", "choice-1", False)],
               [("email", None, True), ("selection", None, True)]]
    for flags, wanted in (([], answers[0]), (["--skip"], answers[1])):
        asking = asks()
        assert counter.till("readers", "simulate-answers", "Front", *flags, *desk.common).code == 0
        code, out, err = end(asking)
        assert code == 0, err
        assert [(a["type"], a["value"], a["skipped"]) for a in json.loads(out)["answers"]] == wanted
    asking = asks("--required")
    assert counter.till("readers", "simulate-answers", "Front", "--time-out", *desk.common).code == 0
    code, out, _ = end(asking)
    assert code != 0 and "nobody answered" in out.lower()
    for bad in ("email", "selection=A bag?", "colour=Which?", "email=What?|Yes"):
        refused = counter.till("readers", "collect-inputs", "Front", "--ask", bad, *desk.common)
        assert refused.code != 0 and refused.json["error"]["code"] == "invalid_questions", bad


def test_commands_for_readers_and_places(desk, tmp_path):
    common = desk.common
    place = counter.succeed(
        "locations", "create", "--name", "HQ", "--line1", "1 Main St", "--city", "Springfield", "--state", "IL",
        "--postal-code", "62701", "--country", "US", *common)
    bar = counter.succeed("readers", "register", "simulated-s700", "--label", "Bar", "--location", place["id"], *common)
    assert {r["label"] for r in counter.succeed("readers", "discover", *common)["readers"]} == {"Front", "Bar"}
    nothing = counter.till("readers", "disconnect", *common)
    assert nothing.code == 1 and nothing.json["error"]["code"] == "reader_not_connected"
    assert counter.succeed("readers", "connect", "bar", *common)["id"] == bar["id"]
    assert counter.succeed("readers", "status", *common)["connected"] is True
    wrong = counter.till("readers", "connect", "Front", "--location", place["id"], *common)
    assert wrong.json["error"]["code"] == "reader_at_other_location"
    update = counter.succeed("readers", "update", "Bar", "--label", "Terrace", "--reboot-window", "2-5", *common)
    assert update["label"] == "Terrace"
    order = tmp_path / "order.json"
    order.write_text(json.dumps({
        "id": 7, "number": "7", "currency": "USD", "total": "11.00", "total_tax": "1.00", "discount_total": "0.00",
        "shipping_total": "0.00", "line_items": [
            {"name": "Tea", "quantity": 2, "subtotal": "10.00", "subtotal_tax": "1.00", "total": "10.00",
             "total_tax": "1.00"}]}))
    shown = counter.succeed("readers", "display", "Terrace", "--order", str(order), *common)
    assert shown["action"] == {**shown["action"], "type": "set_reader_display", "status": "succeeded"}
    for bad, code in ((["readers", "register", "quick-brown-fox"], "registration_code_invalid"),
                      (["readers", "status", "Nowhere"], "reader_not_found"),
                      (["readers", "register", " "], "registration_code_missing"),
                      (["readers", "update", "Terrace"], "nothing_to_change"),
                      (["locations", "remove", "tml_none"], "resource_missing"),
                      (["readers", "simulate-answers", "Front", "--wait", "0"], "reader_not_waiting"),
                      (["readers", "simulate-card", "Front", "--wait", "0"], "reader_not_waiting"),
                      (["sale", "--amount", "1.00", "--currency", "EUR", "--reader", "Nowhere"], "reader_not_found"),
                      (["sale", "--amount", "1.00", "--currency", "EUR", "--reader", "Terrace"], None)):
        answer = counter.till(*bad, *common)
        assert answer.code != 0, bad
        if code:
            assert answer.json["error"]["code"] == code, answer
    assert counter.succeed("readers", "disconnect", *common)
    assert counter.succeed("readers", "remove", "Terrace", *common)
    assert counter.succeed("locations", "remove", place["id"], *common)
