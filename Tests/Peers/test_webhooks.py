"""Webhooks of a counter to a program by other hands: what comes is judged by the standard's own library; the
counter is killed in the middle; the owner works with `till webhooks` beside it."""
import json
import threading
import time

import pytest
from webhook_receiver import Receiver

import counter
from counter import till, until

OTHER_SECRET = "whsec_" + "QUJD" * 11
SOLD = ["payment.created", "payment.authorized", "payment.captured"]


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def webhooks(server):
    def run(*arguments, is_json=True, **options):
        return till("webhooks", *arguments, "--journal", server.journal, *(["--json"] if is_json else []), **options)

    return run


@pytest.fixture
def add(webhooks, receiver):
    def add(path="/till", *more):
        answer = webhooks("add", receiver.url + path, "--allow-private", *more)
        assert answer.code == 0, answer
        return answer.json

    return add


def sell(server, order):
    payment = server.create(order, "create-" + order).json()["id"]
    paid = server.confirm(payment, "confirm-" + order, counter.CARD_TENDER)
    assert paid.json()["status"] == "succeeded", paid.text
    return payment


def refund(server, payment):
    answer = server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 250}, "refund-" + payment)
    assert answer.status_code == 201, answer.text


def types(deliveries):
    return [delivery.type for delivery in deliveries]


def test_every_delivery_verifies_in_the_order_of_its_payment(server, receiver, add, webhooks):
    endpoint = add()
    refused = []

    def busy(delivery):
        # The first message of the first payment is to come in an hour: its payment waits, the others do not.
        if delivery.data["order_id"] == "o-0" and not refused:
            refused.append(delivery)
            return 503, {"Retry-After": "3600"}
        return 204, {}

    receiver.answer = busy
    payments = [sell(server, f"o-{number}") for number in range(4)]
    for payment in payments:
        refund(server, payment)
    done = [*SOLD, "payment.refunded"]
    for payment in payments[1:]:
        receiver.wait(lambda _, payment=payment: types(receiver.of(payment)) == done)
    assert types(receiver.of(payments[0])) == ["payment.created"], "the others did not wait for it"
    assert webhooks("resend", endpoint["id"], refused[0].id).code == 0
    receiver.wait(lambda _: types(receiver.of(payments[0])) == ["payment.created", *done])
    again = [d for d in receiver.deliveries if d.id == refused[0].id]
    assert len(again) == 2 and again[0].body == again[1].body and again[1].time >= again[0].time
    for delivery in receiver.deliveries:
        delivery.verify(endpoint["secret"])
        assert not delivery.is_genuine(OTHER_SECRET)
        assert not delivery.is_genuine(endpoint["secret"], delivery.body.replace("1250", "1251"))
        assert delivery.headers["content-type"] == "application/json"
    for payment in payments:
        told = receiver.of(payment)
        places = [delivery.data["sequence"] for delivery in told]
        assert places == sorted(places)
        now = server.request("GET", f"/v1/payments/{payment}").json()
        last = told[-1].data
        assert (last["status"], last["captured"], last["refunded"]) == (
            now["status"], counter.amount(now, "captured"), counter.amount(now, "refunded"))
    assert len({delivery.id for delivery in receiver.deliveries}) == len(payments) * len(done)


def test_a_counter_that_is_killed_in_the_middle_sends_again_and_loses_nothing(server, receiver, add):
    endpoint = add()
    go_on = threading.Event()
    receiver.answer = lambda _: (go_on.wait(60), (204, {}))[1]
    payments = [sell(server, f"o-{number}") for number in range(6)]
    receiver.wait(lambda deliveries: len(deliveries) == 4)  # as many as one endpoint is sent at a time
    cut = list(receiver.deliveries)
    server.kill()
    assert until(lambda: time.time() > max(delivery.time for delivery in cut) + 1)
    go_on.set()
    with server.start():
        for payment in payments:
            receiver.wait(lambda _, payment=payment: {d.type for d in receiver.of(payment)} == set(SOLD))
        receiver.wait(lambda deliveries: all(sum(d.id == c.id for d in deliveries) == 2 for c in cut))
    for first in cut:
        _, second = [delivery for delivery in receiver.deliveries if delivery.id == first.id]
        assert second.body == first.body and second.time > first.time
    for delivery in receiver.deliveries:
        delivery.verify(endpoint["secret"])
    assert len({delivery.id for delivery in receiver.deliveries}) == len(payments) * len(SOLD)


def test_a_redirect_is_not_followed_and_gone_disables(server, receiver, add, webhooks):
    moved, gone = add("/moved", "--types", "payment.created"), add("/gone", "--types", "payment.captured")
    receiver.answer = lambda delivery: (
        (302, {"Location": receiver.url + "/elsewhere"}) if delivery.path == "/moved" else (410, {}))
    sell(server, "o-1")

    def listed():
        return {one["id"]: one for one in webhooks("list").json["webhook_endpoints"]}

    assert until(lambda: not listed()[gone["id"]]["enabled"])
    assert listed()[gone["id"]]["disabled_reason"] == "gone"
    assert listed()[gone["id"]]["last_delivery"]["status"] == 410
    assert until(lambda: (listed()[moved["id"]]["last_delivery"] or {}).get("status") == 302)
    waiting = listed()[moved["id"]]
    assert waiting["enabled"] and waiting["pending"] == 1 and waiting["last_delivery"]["state"] == "pending"
    assert {delivery.path for delivery in receiver.deliveries} == {"/moved", "/gone"} and not receiver.others
    # Nothing more is sent to the one that is gone, until its owner enables it.
    refused = webhooks("resend", gone["id"], listed()[gone["id"]]["last_delivery"]["id"])
    assert refused.code == 1 and refused.json["error"]["code"] == "webhook_endpoint_disabled", refused
    receiver.answer = lambda _: (200, {})
    assert server.request("PATCH", f"/v1/webhook_endpoints/{gone['id']}", {"enabled": True}).status_code == 200
    sell(server, "o-2")
    receiver.wait(lambda deliveries: sum(delivery.path == "/gone" for delivery in deliveries) == 3)


def test_a_replaced_secret_signs_beside_the_new_one(server, receiver, add):
    endpoint = add()
    rotated = server.request("POST", f"/v1/webhook_endpoints/{endpoint['id']}/rotate", {})
    assert rotated.status_code == 200 and rotated.json()["secret"] != endpoint["secret"], rotated.text
    payment = sell(server, "o-1")
    receiver.wait(lambda _: types(receiver.of(payment)) == SOLD)
    for delivery in receiver.deliveries:
        assert len(delivery.signatures) == 2
        for secret in (endpoint["secret"], rotated.json()["secret"]):
            delivery.verify(secret)
        assert not delivery.is_genuine(OTHER_SECRET)


def test_the_owner_works_with_commands_beside_the_counter(server, receiver, webhooks):
    shown = webhooks("add", receiver.url + "/till", "--allow-private", "--types", "payment.*", is_json=False)
    assert shown.code == 0 and "shown this once" in shown.err, shown
    endpoint, secret = shown.out.split()
    payment = sell(server, "o-1")
    receiver.wait(lambda _: types(receiver.of(payment)) == SOLD)
    assert all(delivery.is_genuine(secret) for delivery in receiver.deliveries)
    assert until(lambda: webhooks("list").json["webhook_endpoints"][0]["pending"] == 0)
    listed = webhooks("list")
    assert listed.json["webhook_endpoints"][0]["id"] == endpoint
    assert listed.json["webhook_endpoints"][0]["types"] == ["payment.*"]
    assert listed.json["webhook_endpoints"][0]["last_delivery"]["type"] == "payment.captured"
    people = webhooks("list", is_json=False)
    assert f"{endpoint}  0 waiting  enabled" in people.out and "delivered" in people.out, people
    found = webhooks("deliveries", endpoint).json
    assert [one["type"] for one in found["deliveries"]] == SOLD[::-1] and found["next"] is None
    assert all(one["state"] == "delivered" and one["status"] == 204 for one in found["deliveries"])
    page = webhooks("deliveries", endpoint, "--limit", "1").json
    assert len(page["deliveries"]) == 1 and page["next"] == page["deliveries"][0]["id"]
    older = webhooks("deliveries", endpoint, "--before", page["next"]).json["deliveries"]
    assert [one["type"] for one in older] == SOLD[1::-1]
    assert "payment.created" in webhooks("deliveries", endpoint, is_json=False).out
    message = older[0]["id"]
    assert webhooks("resend", endpoint, message).code == 0
    receiver.wait(lambda deliveries: sum(delivery.id == message for delivery in deliveries) == 2)
    first, second = [delivery for delivery in receiver.deliveries if delivery.id == message]
    assert first.body == second.body and second.is_genuine(secret)
    assert webhooks("remove", endpoint).json == {"removed": endpoint}
    assert webhooks("list").json == {"webhook_endpoints": []}
    assert webhooks("list", is_json=False).out == "No endpoints.\n"
    sell(server, "o-2")
    export = till("audit", "export", "--journal", server.journal).out.splitlines()[1:]
    audit = [json.loads(line)["entry"] for line in export]
    done = {entry["action"]: entry for entry in audit if entry["action"].startswith("webhook.")}
    assert set(done) == {"webhook.created", "webhook.sent", "webhook.deleted"}, done
    assert all(entry["subject"] == endpoint and entry["by"]["kind"] == "os_user" for entry in done.values()), done
    for text in (listed.out, people.out, server.log.read_text(), json.dumps(audit)):
        assert secret not in text and "whsec_" not in text
    kept = b"".join(file.read_bytes() for file in server.folder.glob("journal.db*"))
    assert secret.encode() not in kept and secret[6:].encode() not in kept


@pytest.mark.parametrize("arguments,code", [
    (["add", "http://shop.example/"], "invalid_request"), (["add", "https://127.0.0.1/"], "invalid_request"),
    (["add", "ftp://shop.example/"], "invalid_request"),
    (["add", "http://169.254.169.254/", "--allow-private"], "invalid_request"),
    (["add", "https://shop.example/", "--types", "payment.nothing"], "invalid_request"),
    (["add", "https://shop.example/", "--types", ""], "invalid_types"),
    (["add", "https://shop.example/", "--allow-private", "--account", "north"], "account_not_own"),
    (["deliveries", "we_nobody"], "webhook_endpoint_not_found"), (["remove", "../x"], "webhook_endpoint_not_found"),
    (["resend", "we_nobody", "msg_nobody"], "webhook_endpoint_not_found"),
    (["deliveries", "we_nobody", "--limit", "0"], "invalid_limit"),
])
def test_a_command_that_is_refused_says_why(tmp_path, arguments, code):
    journal = ["--journal", counter.made(tmp_path / "journal.db"), "--json"]
    answer = till("webhooks", *arguments, *journal)
    error = answer.json["error"]
    assert (answer.code, error["code"], error["money_moved"]) == (1, code, "no"), answer
    assert error["what"] and error["next"]
    assert till("webhooks", "list", *journal).json == {"webhook_endpoints": []}


def test_an_endpoint_of_another_account_is_not_there(tmp_path):
    journal = ["--journal", tmp_path / "journal.db", "--json"]
    theirs = till("webhooks", "add", "https://north.example/", "--account", "north", *journal).json
    assert till("webhooks", "list", *journal).json == {"webhook_endpoints": []}
    for arguments in (["deliveries", theirs["id"]], ["remove", theirs["id"]], ["resend", theirs["id"], "msg_a"]):
        answer = till("webhooks", *arguments, *journal)
        assert answer.code == 1 and answer.json["error"]["code"] == "webhook_endpoint_not_found", answer
    assert len(till("webhooks", "list", "--account", "north", *journal).json["webhook_endpoints"]) == 1


def test_a_sample_is_signed_and_has_the_members_of_a_real_message(server, receiver, add):
    endpoint = add()
    payment = sell(server, "o-1")
    receiver.wait(lambda _: types(receiver.of(payment)) == SOLD)
    real = receiver.deliveries[0]
    env = {"SHOP_SECRET": endpoint["secret"]}
    trigger = ["trigger", "--url", receiver.url + "/sample", "--secret-env", "SHOP_SECRET", "--json"]
    unknown = till(*trigger, "payment.nothing", env=env)
    assert unknown.code == 1 and unknown.json["error"]["code"] == "unknown_type", unknown
    every = unknown.json["error"]["next"].removeprefix("There are ").rstrip(".").split(", ")
    assert len(every) > 20 and "till.test" in every and set(SOLD) < set(every)
    for name in every:
        count = len(receiver.deliveries)
        answer = till(*trigger, name, env=env)
        assert answer.code == 0 and answer.json["status"] == 204, answer
        sample = receiver.deliveries[-1]
        assert len(receiver.deliveries) == count + 1 and (sample.type, sample.id) == (name, answer.json["id"])
        sample.verify(endpoint["secret"])
        assert not sample.is_genuine(OTHER_SECRET) and sample.data["livemode"] is False
        assert list(sample.json) == list(real.json)
        assert name == "till.test" or list(sample.data) == list(real.data)
        assert set(sample.headers) == set(real.headers)


def test_a_sample_that_is_not_taken_says_so(receiver):
    receiver.answer = lambda _: (302, {"Location": receiver.url + "/elsewhere"})
    trigger = ["trigger", "payment.captured", "--secret-env", "SHOP_SECRET", "--json", "--url"]
    env = {"SHOP_SECRET": OTHER_SECRET}
    answer = till(*trigger, receiver.url, env=env)
    assert answer.code == 1 and answer.json["error"]["code"] == "not_taken" and "302" in answer.out, answer
    assert len(receiver.deliveries) == 1 and not receiver.others
    for url, secret, code in (
        (receiver.url, {}, "no_secret"), (receiver.url, {"SHOP_SECRET": "secret"}, "invalid_secret"),
        ("http://127.0.0.1:1/", env, "no_answer"), ("ftp://127.0.0.1/", env, "invalid_url"),
        ("http://169.254.169.254/", env, "invalid_url"),
    ):
        answer = till(*trigger, url, env=secret)
        assert answer.code == 1 and answer.json["error"]["code"] == code, answer
    assert len(receiver.deliveries) == 1
