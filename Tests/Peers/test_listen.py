"""`till listen`: a developer's program gets what happens at a counter as signed webhooks, without an endpoint. The
standard's own library judges the messages; the counter and the program die in between.
"""
import json
import os
import subprocess
import threading

import pytest
from webhook_receiver import Receiver

import counter

OTHER_SECRET = "whsec_" + "QUJD" * 11
SOLD = ["payment.created", "payment.authorized", "payment.captured"]
KEY_REFUSED = 77


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


class Listening:
    """The command while it runs. `lines` are the objects that it printed, `notes` what it said beside them."""

    def __init__(self, server, receiver, *arguments, key=None, env=None, is_json=True):
        self.lines, self.notes = [], []
        command = [counter.binary(), "listen", "--counter", server.url, "--forward-to", receiver.url + "/till"]
        self.process = subprocess.Popen(
            [*command, *(["--json"] if is_json else []), *map(str, arguments)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TILL_API_KEY": key or server.api_key, **(env or {})})
        read = json.loads if is_json else str.rstrip
        self.readers = [
            threading.Thread(target=self.read, args=arguments, daemon=True)
            for arguments in ((self.process.stdout, self.lines, read), (self.process.stderr, self.notes, str.rstrip))]
        for reader in self.readers:
            reader.start()

    def read(self, stream, into, form):
        for line in stream:
            into.append(form(line))

    @property
    def events(self):
        return [line for line in list(self.lines) if "sequence" in line]

    def begun(self):
        """Waits until it follows, and returns its secret."""
        assert counter.until(lambda: self.lines or self.process.poll() is not None), self.notes
        assert self.process.poll() is None, (self.lines, self.notes)
        return self.lines[0]["secret"]

    def wait(self, check, seconds=30):
        assert counter.until(lambda: check(self.events), seconds), (self.lines, self.notes)

    def ended(self, seconds=30):
        code = self.process.wait(seconds)
        for reader in self.readers:
            reader.join(10)
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.ended()


@pytest.fixture
def listen(server, receiver):
    started = []

    def listen(*arguments, **options):
        started.append(Listening(server, receiver, *arguments, **options))
        return started[-1]

    yield listen
    for one in started:
        one.stop()


def sell(server, order, tender=counter.CARD_TENDER, **more):
    payment = server.create(order, "create-" + order, **more).json()["id"]
    answer = server.confirm(payment, "confirm-" + order, tender)
    assert answer.status_code == 200, answer.text
    return payment


def types(events, payment):
    return [event["type"] for event in events if event["payment_id"] == payment]


def test_every_event_comes_as_a_signed_message_and_nothing_is_added_at_the_counter(server, receiver, listen):
    sell(server, "before")
    listening = listen()
    secret = listening.begun()
    payment = sell(server, "o-1")
    refunded = server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 250}, "refund-1")
    assert refunded.status_code == 201, refunded.text
    declined = sell(server, "o-2", {**counter.CARD_TENDER, "number": "4000000000000002"})
    cash = sell(server, "o-3", {"type": "cash", "tendered": 2000})
    done = [*SOLD, "payment.refunded"]
    listening.wait(lambda events: types(events, payment) == done and "payment.captured" in types(events, cash))
    assert types(listening.events, declined) == ["payment.created", "payment.declined"]
    assert {delivery.data["order_id"] for delivery in receiver.deliveries} == {"o-1", "o-2", "o-3"}
    for event, delivery in zip(listening.events, receiver.deliveries):
        delivery.verify(secret)
        assert not delivery.is_genuine(OTHER_SECRET)
        assert not delivery.is_genuine(secret, delivery.body.replace("1250", "1251"))
        assert (event["id"], event["type"], event["sequence"], event["payment_id"]) == (
            delivery.id, delivery.type, delivery.data["sequence"], delivery.payment)
        assert (event["status"], event["taken"], event["attempts"]) == (204, True, 1)
        assert delivery.path == "/till" and delivery.data["livemode"] is False
    last = receiver.of(payment)[-1].data
    assert (last["status"], last["captured"], last["refunded"]) == ("partially_refunded", 1250, 250)
    assert server.request("GET", "/v1/webhook_endpoints").json() == {"webhook_endpoints": []}


def test_its_messages_are_those_of_an_endpoint(server, receiver, listen):
    """Of an endpoint beside it: the same types in the same order, the same members, the same values of what does not
    change afterwards."""
    other = Receiver()
    try:
        made = server.request("POST", "/v1/webhook_endpoints", {"url": other.url + "/", "allow_private": True}, "e-1")
        assert made.status_code == 201, made.text
        listening = listen()
        listening.begun()
        payments = [
            sell(server, "o-1"), sell(server, "o-2", {"type": "cash"}),
            sell(server, "o-3", {**counter.CARD_TENDER, "number": "4000000000000002"}),
            sell(server, "o-4", capture="manual")]
        assert server.request("POST", f"/v1/payments/{payments[3]}/cancel", {}, "cancel-4").status_code == 200
        assert server.request("POST", f"/v1/payments/{payments[0]}/refunds", {}, "refund-1").status_code == 201
        booked = server.request("POST", "/v1/orders", {
            "order_id": "o-5", "currency": "EUR", "amount": 900, "lines": [{"name": "Tea", "amount": 900}]})
        assert booked.status_code == 201, booked.text
        part = server.request("POST", "/v1/orders/o-5/payments", {"amount": 400}, "part-5")
        assert part.status_code == 201, part.text
        payments.append(part.json()["id"])
        end = int(server.request("GET", "/v1/orders?limit=1").json()["cursor"].split("-")[1])

        def told():
            (endpoint,) = server.request("GET", "/v1/webhook_endpoints").json()["webhook_endpoints"]
            return endpoint["sequence"] >= end and endpoint["pending"] == 0

        assert counter.until(told, 30)
        receiver.wait(lambda all: len(all) == len(other.deliveries))
        for payment in payments:
            assert other.of(payment) and len(receiver.of(payment)) == len(other.of(payment))
            for ours, theirs in zip(receiver.of(payment), other.of(payment)):
                assert list(ours.json) == list(theirs.json) and list(ours.data) == list(theirs.data)
                changing = {"status", "captured", "refunded"}
                assert {k: v for k, v in ours.data.items() if k not in changing} == {
                    k: v for k, v in theirs.data.items() if k not in changing}
                assert (ours.type, ours.json["timestamp"]) == (theirs.type, theirs.json["timestamp"])
            # After the last one nothing has changed.
            assert receiver.of(payment)[-1].body == other.of(payment)[-1].body
    finally:
        other.close()


def test_a_counter_that_dies_is_followed_again_without_a_gap(server, receiver, listen):
    listening = listen()
    secret = listening.begun()
    # Before the first event there is none to go on behind.
    server.kill()
    server.start()
    payments = []
    for round in range(3):
        payments += [sell(server, f"o-{round}-{number}") for number in range(3)]
        server.kill()
        if round == 1:
            assert counter.until(lambda: any("is not reached" in note for note in listening.notes)), listening.notes
        server.start()
    for payment in payments:
        listening.wait(lambda events, payment=payment: types(events, payment) == SOLD)
    assert len({delivery.id for delivery in receiver.deliveries}) == len(payments) * len(SOLD)
    for delivery in receiver.deliveries:
        delivery.verify(secret)
    places = [event["sequence"] for event in listening.events]
    assert places == sorted(set(places)) and listening.process.poll() is None


def test_it_goes_on_where_an_earlier_one_ended(server, receiver, listen):
    first = listen(env={"SHOP_SECRET": OTHER_SECRET}, is_json=True)
    first.begun()
    payment = sell(server, "o-1")
    first.wait(lambda events: types(events, payment) == SOLD)
    place = first.events[0]["sequence"]
    first.stop()
    missed = sell(server, "o-2")
    second = listen("--after", place, "--secret-env", "SHOP_SECRET", env={"SHOP_SECRET": OTHER_SECRET})
    assert second.begun() is None, "a secret that was given is not shown"
    second.wait(lambda events: types(events, missed) == SOLD)
    assert types(second.events, payment) == SOLD[1:]
    # The same event has the same identifier, so that a program knows it again.
    assert [event["id"] for event in second.events if event["payment_id"] == payment] == [
        event["id"] for event in first.events[1:]]
    assert all(delivery.is_genuine(OTHER_SECRET) for delivery in receiver.of(missed))
    everything = listen("--after", "0", "--types", "payment.captured")
    everything.wait(lambda events: types(events, missed))
    assert [event["type"] for event in everything.events] == ["payment.captured"] * 2


def test_a_program_that_is_down_is_tried_again_up_to_a_limit(server, receiver, listen):
    left = []

    def answer(delivery):
        if delivery.type == "payment.authorized" and len(left) < 2:
            left.append(delivery)
            return 503, {}
        return (400, {}) if delivery.type == "payment.captured" else (204, {})

    receiver.answer = answer
    listening = listen()
    secret = listening.begun()
    payment = sell(server, "o-1")
    listening.wait(lambda events: types(events, payment) == SOLD)
    created, authorized, captured = listening.events
    assert (created["attempts"], authorized["attempts"], authorized["status"]) == (1, 3, 204)
    # A refusal is shown, and the next message follows.
    assert (captured["attempts"], captured["status"], captured["taken"]) == (1, 400, False)
    again = [delivery for delivery in receiver.deliveries if delivery.type == "payment.authorized"]
    assert len(again) == 3 and len({delivery.id for delivery in again}) == 1
    assert len({delivery.body for delivery in again}) == 1
    for delivery in again:
        delivery.verify(secret)
    said = [note for note in listening.notes if "is sent again" in note]
    assert len(said) == 2 and "503" in said[0] and "(1 of 5)" in said[0], listening.notes


def test_a_program_that_never_comes_back_is_left_out_and_told_of(server, receiver, listen):
    receiver.close()
    listening = listen("--types", "payment.created")
    listening.begun()
    payment = sell(server, "o-1")
    listening.wait(lambda events: types(events, payment), 90)
    (event,) = listening.events
    assert (event["status"], event["taken"], event["attempts"]) == (None, False, 6)
    assert "No answer" in event["note"] and sum("is sent again" in note for note in listening.notes) == 5
    assert listening.process.poll() is None


def test_a_key_that_is_refused_has_an_exit_code_of_its_own(server, receiver, listen):
    wrong = listen(key="not-a-key-of-this-counter-00")
    assert wrong.ended() == KEY_REFUSED, wrong.notes
    assert len(wrong.lines) == 1 and wrong.lines[0]["error"]["code"] == "unauthorized"
    assert wrong.lines[0]["error"]["money_moved"] == "no" and wrong.lines[0]["error"]["next"]
    told = listen(key="not-a-key-of-this-counter-00", is_json=False)
    assert told.ended() == KEY_REFUSED and not told.lines and "No valid key" in told.notes[0]
    journal = ["--journal", server.journal, "--json"]
    made = counter.succeed("keys", "create", "--label", "listen", "--scope", "read", *journal)
    listening = listen(key=made["key"])
    listening.begun()
    sell(server, "o-1")
    listening.wait(lambda events: len(events) == 3)
    counter.succeed("keys", "revoke", made["id"], *journal)
    assert listening.ended() == KEY_REFUSED, listening.notes
    assert listening.lines[-1]["error"]["code"] == "key_revoked"


def test_for_people_there_is_a_line_for_each_event(server, receiver, listen):
    listening = listen(is_json=False)
    assert counter.until(lambda: listening.lines and listening.notes)
    secret = listening.lines[0]
    assert secret.startswith("whsec_") and receiver.url in listening.notes[0]
    payment = sell(server, "o-1")
    assert counter.until(lambda: len(listening.lines) == 4), listening.lines
    for line, delivery in zip(listening.lines[1:], receiver.of(payment)):
        delivery.verify(secret)
        assert line.split() == [str(delivery.data["sequence"]), delivery.type, payment, delivery.id, "204"]
    assert server.api_key not in "".join(listening.lines + listening.notes)


@pytest.mark.parametrize("arguments, env, code", [
    (["--forward-to", "ftp://127.0.0.1/"], {}, "invalid_url"),
    (["--forward-to", "http://169.254.169.254/"], {}, "invalid_url"),
    (["--counter", "http://till.example"], {}, "invalid_address"),
    (["--types", "payment.nothing"], {}, "invalid_types"), (["--types", ","], {}, "invalid_types"),
    (["--after=-1"], {}, "invalid_number"),
    (["--secret-env", "SHOP_SECRET"], {"SHOP_SECRET": "secret"}, "invalid_secret"),
    (["--secret-env", "NO_SUCH_SECRET"], {}, "invalid_secret"), ([], {"TILL_API_KEY": "a key"}, "invalid_key"),
])
def test_what_cannot_be_listened_to_is_refused_by_name(arguments, env, code):
    port = counter.free_port()
    answer = counter.till(
        "listen", *([] if "--counter" in arguments else ["--counter", f"http://127.0.0.1:{port}"]),
        *([] if "--forward-to" in arguments else ["--forward-to", "http://127.0.0.1:1/"]), *arguments, "--json",
        env={"TILL_API_KEY": "a-key-of-some-counter-0000000000", **env})
    assert answer.code == 1 and answer.json["error"]["code"] == code, answer
    assert answer.out.count("\n") == 1


def test_something_else_than_a_counter_is_refused(receiver):
    """The receiver answers every question with 200 and nothing."""
    answer = counter.till(
        "listen", "--counter", receiver.url, "--forward-to", receiver.url, "--json",
        env={"TILL_API_KEY": "a-key-of-some-counter-0000000000"})
    assert answer.code == 1 and answer.json["error"]["code"] == "no_counter", answer
