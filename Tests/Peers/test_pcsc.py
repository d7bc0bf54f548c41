"""Taps over the machine's real smart card service: pcscd, its library, a virtual reader, and our virtual card in it."""
import json
import signal
import subprocess
import time

import pytest

import counter
from pcsc import READER


@pytest.fixture(autouse=True)
def empty(service):
    yield
    service.clear()
    time.sleep(0.5)


def tap(folder, *more, timeout=40, currency="EUR"):
    return counter.till(
        "tap", "--amount", "12.50", "--currency", currency, "--journal", folder / "j.sqlite", "--json",
        *(more or ("--reader", "pcsc")), timeout=timeout,
    )


@pytest.mark.parametrize("card, currency", [("visa", "EUR"), ("mastercard", "EUR"), ("interac", "CAD")])
def test_a_whole_sale_as_in_process(service, tmp_path, card, currency):
    service.card(card)
    sale = tap(tmp_path, currency=currency)
    assert sale.code == 0, sale
    assert sale.json["status"] in counter.PAID and sale.json["card"]["authentication"] == "verified", sale
    process = tap(tmp_path, "--reader", "virtual", "--card", card, currency=currency)
    same = ("outcome", "aid", "masked_number", "authentication", "verification", "kernel", "commands")
    assert [process.json["card"][k] for k in same] == [sale.json["card"][k] for k in same], "in process: the same"


def test_pass_and_payment_in_one_tap(service, tmp_path):
    service.card("wallet")
    sale = tap(tmp_path, "--reader", "pcsc:" + READER, "--loyalty", "pass.com.example.loyalty")
    assert sale.code == 0 and sale.json["loyalty"] == ["success"], sale


def test_bad_cards_end_each_in_its_way_and_the_next_sale_is_paid(service, tmp_path):
    for name, code in [("declined", 2), ("lying", 1), ("garbage", 1), ("endless", 1)]:
        bad = service.card(name)
        sale = tap(tmp_path)
        assert sale.code == code and sale.json["error"]["money_moved"] == "no", sale
        service.take_away(bad)
        time.sleep(0.6)
    service.card("visa")
    assert tap(tmp_path).code == 0


def test_a_torn_card(service, tmp_path):
    service.card("torn", return_after=0)
    sale = tap(tmp_path)
    assert sale.code == 1 and "removed too soon" in sale.json["error"]["what"], sale
    assert sale.json["error"]["money_moved"] == "no"
    time.sleep(0.6)
    service.card("mastercard")
    assert tap(tmp_path).code == 0


def test_a_card_that_is_removed_while_it_is_read(service, tmp_path):
    card = service.card("slow")
    sale = start(service, tmp_path)
    # A slow card takes a third of a second from its first command on; it is gone before that.
    service.until(card, "asked", 30)
    service.take_away(card)
    out, _ = sale.communicate(timeout=30)
    assert sale.returncode in (0, 1), out
    if sale.returncode == 1:
        assert json.loads(out)["error"]["money_moved"] == "no"
    time.sleep(0.6)
    service.card("visa")
    assert tap(tmp_path).code == 0


def start(service, folder):
    """A sale that goes on; where a test fails, it leaves the reader with the cards."""
    sale = subprocess.Popen(
        [counter.binary(), "tap", "--amount", "5", "--journal", str(folder / "j.sqlite"), "--reader", "pcsc", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A shell's background job, and so all that these tests start from it, ignores Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    service.cards.append(sale)
    return sale


def test_called_off_in_the_wait_then_the_next_sale_is_paid(service, tmp_path):
    waiting = start(service, tmp_path)
    time.sleep(1.5)
    assert waiting.poll() is None, waiting.communicate()
    waiting.send_signal(signal.SIGINT)
    waiting.communicate(timeout=10)
    service.card("visa")
    assert tap(tmp_path).code == 0
    counter.succeed("journal", "verify", "--journal", tmp_path / "j.sqlite", "--json")


def test_a_silent_card_is_given_up_and_the_reader_is_ready_when_it_is_gone(service, tmp_path):
    card = service.card("silent")
    sale = tap(tmp_path)
    assert sale.code == 1 and "did not answer in time" in sale.json["error"]["what"], sale
    service.take_away(card)
    time.sleep(0.6)
    service.card("visa")
    assert tap(tmp_path).code == 0


def test_two_readers_and_two_cards(service, tmp_path):
    service.card("visa", slot=1)
    assert tap(tmp_path).json["card"]["scheme"] == "Visa"
    service.card("mastercard", slot=0)
    both = tap(tmp_path)
    assert both.code == 1 and "present one card only" in both.json["error"]["what"], both
    chosen = tap(tmp_path, "--reader", f"pcsc:{READER} 00 00")
    assert chosen.code == 0 and chosen.json["card"]["scheme"] == "Mastercard", chosen


def test_no_such_reader_and_no_service(service, tmp_path):
    nobody = tap(tmp_path, "--reader", "pcsc:Nobody")
    assert nobody.code == 1 and READER in nobody.json["error"]["what"], nobody
    service.stop()
    try:
        gone = tap(tmp_path)
        assert gone.code == 1 and "start pcscd" in gone.json["error"]["what"], gone
    finally:
        service.start()
    service.card("visa")
    assert tap(tmp_path).code == 0
