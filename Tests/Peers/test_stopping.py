"""A process that ends politely finishes what it began; the keys of one that dies go on with the next.

The provider is a process of its own, so that its ledger outlives ours.
"""
import signal
import time

import pytest
import requests

import counter
from counter import amount
from deaths import PRICE, charges_of, points
from faults import Call, fail

KEY = "key-of-the-sale"


def repeated(server, payment, seconds=20):
    """The same confirmation again, with the same key, until it is not told to wait."""
    answers = []

    def settled():
        answers.append(server.confirm(payment, KEY, counter.CARD_TENDER))
        return answers[-1].status_code != 409

    assert counter.until(settled, seconds), answers[-1].text
    return answers[-1]


@pytest.mark.parametrize("operation", ["authorize", "capture"])
def test_sigterm_during_a_payment_answers_it_and_ends_cleanly(tmp_path, sandbox, operation):
    server = counter.Server(tmp_path, *sandbox.flags).start()
    payment = server.create("o-term", "c-term").json()["id"]
    fail(sandbox, operation, "slow")
    call = Call(lambda: server.confirm(payment, KEY, counter.CARD_TENDER))
    assert counter.until(lambda: charges_of(sandbox, "o-term")), "the provider was never asked"
    time.sleep(0.5)
    assert call.is_alive(), "the provider was not slow"
    server.process.send_signal(signal.SIGTERM)
    call.join(15)
    assert call.answer is not None and call.answer.ok, "what was in flight was not answered"
    assert call.answer.json()["status"] == "succeeded", call.answer.text
    assert server.process.wait(15) == 0, "the end was not clean"
    with pytest.raises(requests.ConnectionError):
        server.request("GET", "/healthz")
    shop = counter.Shop(tmp_path, sandbox)
    shop.verify()
    assert shop.show(payment)["status"] == "succeeded"
    assert sum(c["captured"] for c in charges_of(sandbox, "o-term")) == PRICE
    # Nothing was left for the next process: the answer stands under its key.
    with server:
        again = server.confirm(payment, KEY, counter.CARD_TENDER)
        assert again.headers.get("Idempotent-Replayed") == "true"
        assert again.content == call.answer.content


def test_a_key_whose_process_died_goes_on_in_the_next_process_from_every_point(tmp_path, sandbox):
    reached = []
    for number, name in points():
        folder = tmp_path / str(number)
        folder.mkdir()
        order = f"o-key-{number}"
        first = counter.Server(folder, *sandbox.flags).start()
        payment = first.create(order, "c-" + order).json()["id"]
        first.stop()
        dying = counter.Server(folder, *sandbox.flags, env={"TILL_FAILPOINT": str(number)}).start()
        try:
            lost = dying.confirm(payment, KEY, counter.CARD_TENDER)
            assert lost.ok, f"{name}: {lost.text}"  # this journey does not come by this point
        except requests.ConnectionError:
            reached.append(name)
        dying.kill()
        with counter.Server(folder, *sandbox.flags) as second:
            answer = repeated(second, payment)
            assert answer.ok and answer.json()["status"] == "succeeded", f"{name}: {answer.text}"
            again = second.confirm(payment, KEY, counter.CARD_TENDER)
            assert again.headers.get("Idempotent-Replayed") == "true", f"{name}: {again.headers}"
            assert again.json() == answer.json(), name
            other = second.confirm(payment, KEY, {"type": "cash"})
            assert other.status_code == 422, f"{name}: {other.text}"
        taken = [c["captured"] for c in charges_of(sandbox, order) if c["captured"]]
        assert taken == [PRICE], f"{name}: {taken}"
    assert len(reached) >= 5, f"the confirmation died at {reached} only"


def test_cash_is_taken_whole_or_not_at_all_wherever_the_process_dies(tmp_path, sandbox):
    tender, reached = {"type": "cash", "tendered": PRICE}, []
    for number, name in points("sale"):
        folder = tmp_path / str(number)
        folder.mkdir()
        first = counter.Server(folder, *sandbox.flags).start()
        payment = first.create("o-cash", "c-cash").json()["id"]
        first.stop()
        dying = counter.Server(folder, *sandbox.flags, env={"TILL_FAILPOINT": str(number)}).start()
        try:
            lost = dying.confirm(payment, KEY, tender)
            assert lost.ok, f"{name}: {lost.text}"  # cash does not come by this point
        except requests.ConnectionError:
            reached.append(name)
        dying.kill()
        with counter.Server(folder, *sandbox.flags) as second:
            left = second.request("GET", "/v1/payments/" + payment).json()
            is_taken = name != "afterAuthorizationIsAnswered"
            assert amount(left, "captured") == (PRICE if is_taken else 0), f"{name}: {left}"
            assert left["status"] == ("succeeded" if is_taken else "requires_payment_method"), f"{name}: {left}"
            answer = second.confirm(payment, KEY, tender)
            assert answer.ok and amount(answer.json(), "captured") == PRICE, f"{name}: {answer.text}"
            assert (answer.headers.get("Idempotent-Replayed") == "true") == is_taken, f"{name}: {answer.headers}"
            again = second.confirm(payment, KEY, tender)
            assert again.headers.get("Idempotent-Replayed") == "true", f"{name}: {again.headers}"
            assert again.content == answer.content, name
        counter.Shop(folder, sandbox).verify()
    assert reached == ["afterAttemptIsWritten", "afterAuthorizationIsAnswered", "afterAuthorizationIsWritten"]


def test_a_key_is_taken_from_a_dead_process_and_not_from_a_slow_one(tmp_path, sandbox):
    slow = counter.Server(tmp_path, *sandbox.flags).start()
    other = counter.Server(tmp_path, *sandbox.flags).start()
    payment = slow.create("o-two", "c-two").json()["id"]
    fail(sandbox, "authorize", "slow")
    call = Call(lambda: slow.confirm(payment, KEY, counter.CARD_TENDER))
    assert counter.until(lambda: charges_of(sandbox, "o-two")), "the provider was never asked"
    slow.process.send_signal(signal.SIGSTOP)
    try:
        waits = other.confirm(payment, KEY, counter.CARD_TENDER)
        assert waits.status_code == 409 and "Retry-After" in waits.headers, waits.text
        assert waits.json()["money_moved"] == "unknown", waits.text
    finally:
        slow.kill()
    answer = repeated(other, payment)
    assert answer.ok and answer.json()["status"] == "succeeded", answer.text
    assert amount(answer.json(), "captured") == PRICE
    call.join(10)
    assert call.lost
    other.stop()
    assert [c["captured"] for c in charges_of(sandbox, "o-two") if c["captured"]] == [PRICE]
    counter.Shop(tmp_path, sandbox).verify()


def test_a_key_goes_on_after_a_try_that_certainly_moved_no_money(tmp_path, sandbox):
    with counter.Server(tmp_path, *sandbox.flags) as server:
        payment = server.create("o-on", "c-on").json()["id"]
        fail(sandbox, "prepare", "outage")
        first = server.confirm(payment, KEY, counter.CARD_TENDER)
        assert first.ok and first.json()["status"] == "requires_payment_method", first.text
        assert first.json()["money_moved"] == "no", first.text
        second = server.confirm(payment, KEY, counter.CARD_TENDER)
        assert second.ok and second.json()["status"] == "succeeded", second.text
        assert "Idempotent-Replayed" not in second.headers
        third = server.confirm(payment, KEY, counter.CARD_TENDER)
        assert third.headers.get("Idempotent-Replayed") == "true" and third.content == second.content
    assert [c["captured"] for c in charges_of(sandbox, "o-on") if c["captured"]] == [PRICE]


def test_a_decline_stands_under_its_key(tmp_path, sandbox):
    declined = {**counter.CARD_TENDER, "number": "4000000000009995"}
    with counter.Server(tmp_path, *sandbox.flags) as server:
        payment = server.create("o-no", "c-no").json()["id"]
        first = server.confirm(payment, KEY, declined)
        assert first.json()["status"] == "declined", first.text
        again = server.confirm(payment, KEY, declined)
        assert again.headers.get("Idempotent-Replayed") == "true" and again.content == first.content
    assert len(charges_of(sandbox, "o-no")) == 1
