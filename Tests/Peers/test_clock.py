"""A machine whose clock is wrong by days: Debian's libfaketime gives till one time and the provider another. Nothing
that cannot be undone happens by the wrong one, the counter says what it doubts, and all goes on when the clock is
right.
"""
import email.utils
import threading
import time

import pytest
import requests
from conftest import run_until_done

import counter
import terminal
from deaths import charges_of, points
from faults import fail
from wrong_clock import LIBRARY, Clock


@pytest.fixture
def machine(tmp_path):
    if not LIBRARY:
        pytest.fail("libfaketime is not installed: scripts/setup test", pytrace=False)
    clock = Clock(tmp_path / "machine.time")
    yield clock
    clock.end()


@pytest.fixture
def provider(tmp_path, machine):
    """A Stripe whose clock is the true one: `provider.clock` moves it, since days cannot be waited for."""
    stripe = counter.Stripe(f"http://127.0.0.1:{counter.free_port()}")
    stripe.clock = Clock(tmp_path / "provider.time")
    arguments = [
        "env", *(f"{name}={value}" for name, value in stripe.clock.env.items()), counter.binary(), "sandbox", "stripe",
        "--port", stripe.url.rsplit(":", 1)[1], "--ledger", str(tmp_path / "ledger.json"),
    ]
    for _ in run_until_done(arguments, stripe.url + "/_sandbox/ledger", tmp_path / "sandbox.log"):
        yield stripe
    stripe.clock.end()


@pytest.fixture
def server(tmp_path, machine, provider):
    with counter.Server(tmp_path, *provider.flags, env=machine.env) as running:
        yield running


def pass_days(provider, days):
    """By the provider's clock. It writes its dates once a second, so the first new one is waited for."""
    provider.clock.set(days)

    def says_so():
        date = requests.get(provider.url + "/_sandbox/ledger", timeout=10).headers["Date"]
        return email.utils.parsedate_to_datetime(date).timestamp() - time.time() > (days - 0.5) * 86_400

    assert counter.until(says_so), "the provider's clock does not move"


def ready(server):
    answer = requests.get(server.url + "/readyz", timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.text


def in_doubt(server):
    return "clock in doubt" in ready(server)


def status(server, payment):
    return server.request("GET", f"/v1/payments/{payment}").json()["status"]


def hold(machine, provider, server):
    """Money held at a reader: of such a hold the provider says that it ends after two days."""
    terminal.act(provider, {"do": "card_time", "milliseconds": 0})
    common = ["--journal", server.journal, "--json", *provider.flags]
    reader = counter.succeed("readers", "register", "simulated-wpe", "--label", "Front", *common, env=machine.env)["id"]
    payment = server.create("o-hold", "c-hold", capture="manual").json()["id"]
    card = threading.Timer(
        1, lambda: server.request("POST", f"/v1/terminal/readers/{reader}/card", {"card": "visa"}))
    card.start()
    held = server.confirm(payment, "k-hold", {"type": "reader", "reader": "Front"})
    assert held.json()["status"] == "requires_capture", held.text
    return payment


def test_a_clock_35_days_ahead_voids_no_hold_and_when_the_hold_is_over_it_is_let_go(machine, provider, server):
    payment = hold(machine, provider, server)
    assert not in_doubt(server), ready(server)

    machine.set(35)
    assert counter.until(lambda: in_doubt(server)), ready(server)
    time.sleep(5)  # several turns of the recovery, which must do nothing
    assert status(server, payment) == "requires_capture"
    charge = charges_of(provider, "o-hold")[0]
    assert charge["authorized"] == 1250 and not charge.get("canceled"), charge
    figures = server.request("GET", "/metrics").text
    assert "clock_in_doubt 1" in figures, figures
    assert "clock-doubt" in requests.get(server.url + "/", timeout=10).text

    # The process that starts with the wrong clock knows no better one, and does not believe it either.
    server.stop()
    server.start()
    assert counter.until(lambda: in_doubt(server)), ready(server)
    said = counter.till("clock", "--journal", server.journal, "--json", *provider.flags, env=machine.env)
    assert said.code == 1 and said.json["trusted"] is False, said
    doctor = counter.till("doctor", "--journal", server.journal, "--json", *provider.flags, env=machine.env)
    assert any("clock" in f["text"] and not f["ok"] for f in doctor.json["findings"]), doctor
    time.sleep(5)  # several turns of the recovery, which must do nothing
    assert status(server, payment) == "requires_capture"

    machine.set(0)
    assert counter.until(lambda: not in_doubt(server), 40), ready(server)
    assert "clock-doubt" not in requests.get(server.url + "/", timeout=10).text
    assert status(server, payment) == "requires_capture"
    # Eight days later, by everybody's clock.
    pass_days(provider, 8)
    machine.set(8)
    assert counter.until(lambda: status(server, payment) == "expired", 60), (ready(server), status(server, payment))
    assert not in_doubt(server), ready(server)


def test_a_counter_that_was_closed_for_eight_days_hears_the_time(machine, provider, server):
    payment = server.create("o-1", "c-1").json()["id"]
    assert server.confirm(payment, "k-1", counter.CARD_TENDER).json()["status"] == "succeeded"
    server.stop()
    pass_days(provider, 8)
    machine.set(8)
    server.start()
    assert counter.until(lambda: not in_doubt(server), 60), ready(server)


def refunded(provider, order):
    return sum(charge["refunded"] for charge in charges_of(provider, order))


@pytest.mark.parametrize("point", ["beforeTheCall", "afterTheCall"])
def test_a_refund_that_was_open_is_made_once_although_the_clock_stood_still_for_two_days(
    tmp_path, machine, provider, point
):
    shop = counter.Shop(tmp_path, provider)
    paid = shop.sale(order="o-refund", env=machine.env)
    assert paid.code == 0, paid
    payment = paid.json["id"]
    name = {"beforeTheCall": "afterRefundIsStarted", "afterTheCall": "afterRefundIsAnswered"}[point]
    number = next(number for number, known in points() if known == name)
    died = shop.payments("refund", payment, "--amount", "5.00", env={**machine.env, "TILL_FAILPOINT": str(number)})
    assert died.killed, died
    assert refunded(provider, "o-refund") == (500 if point == "afterTheCall" else 0)

    # Two days pass, in which the provider forgets the key; the machine's clock starts where it stopped, or before.
    pass_days(provider, 2)
    for days in (0, -2):
        machine.set(days)
        recovered = shop.recover(env=machine.env)
        assert recovered.code == 0, recovered
    assert refunded(provider, "o-refund") == 500
    assert counter.amount(shop.show(payment), "refunded") == 500


def test_a_key_is_not_forgotten_by_a_clock_31_days_ahead(machine, provider, server):
    payment = server.create("o-key", "c-key").json()["id"]
    assert server.confirm(payment, "k-key", counter.CARD_TENDER).json()["status"] == "succeeded"

    def refund(key="r-key"):
        return server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 500}, key)

    first = refund()
    assert first.status_code in (200, 201), first.text
    machine.set(31)
    for restarts in (False, True):
        if restarts:
            server.stop()
            server.start()
        assert counter.until(lambda: in_doubt(server)), ready(server)
        # Selling goes on, and each sale makes the journal clean up.
        order = f"o-more-{restarts}"
        more = server.create(order, f"c-{order}").json()["id"]
        assert server.confirm(more, f"k-{order}", counter.CARD_TENDER).json()["status"] == "succeeded"
        again = refund()
        assert again.headers.get("Idempotent-Replayed") == "true" and again.content == first.content, again.text
        assert refunded(provider, "o-key") == 500


def test_without_a_provider_a_person_confirms_a_clock_that_is_ahead(tmp_path, machine):
    with counter.Server(tmp_path, "--provider", "sandbox", env=machine.env) as server:
        payment = server.create("o-1", "c-1").json()["id"]
        assert server.confirm(payment, "k-1").json()["status"] == "succeeded"
        assert not in_doubt(server)
        machine.set(31)
        assert counter.until(lambda: in_doubt(server)), ready(server)
        accepted = counter.till("clock", "accept", "--journal", server.journal, "--json", env=machine.env)
        assert accepted.code == 0 and accepted.json["trusted"] is True, accepted
        assert counter.until(lambda: not in_doubt(server)), ready(server)


def test_a_running_counter_whose_machine_and_provider_are_eight_days_ahead_hears_the_time(machine, provider, server):
    payment = server.create("o-1", "c-1").json()["id"]
    assert server.confirm(payment, "k-1", counter.CARD_TENDER).json()["status"] == "succeeded"
    # Of the newest payment the provider knows nothing, so a question about it brings no time.
    fail(provider, "prepare", "outage")
    unsent = server.create("o-2", "c-2").json()["id"]
    assert server.confirm(unsent, "k-2", counter.CARD_TENDER).json()["status"] == "requires_payment_method"
    pass_days(provider, 8)
    machine.set(8)
    assert counter.until(lambda: in_doubt(server), 10), ready(server)
    assert counter.until(lambda: not in_doubt(server), 60), ready(server)
