"""Somebody guesses PINs at one device, while others sign in and sell at theirs."""
import threading
import time

import pytest
from staff import PINS, Staff

import counter


@pytest.fixture
def shop(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms") as server:
        yield Staff(server).shop()


def codes(answers):
    return [(answer.status_code, answer.json().get("code")) for answer in answers]


def test_guessing_waits_longer_each_time_and_then_ends(shop):
    device, other = shop.device(), shop.device()
    guesses = waits = 0
    locked = None
    end = time.monotonic() + 60
    while locked is None and time.monotonic() < end:
        answer = device.enter("Mona", f"{guesses:06}")
        code = answer.json()["code"]
        if code == "pin_wrong":
            guesses += 1
        elif code == "pin_too_early":
            waits += 1
            assert answer.status_code == 429 and int(answer.headers["Retry-After"]) >= 1
            time.sleep(0.2)
        else:
            locked = answer
    assert locked is not None and locked.status_code == 403 and locked.json()["code"] == "person_locked_out"
    assert guesses == 5, f"{guesses} guesses, {waits} of them too early"
    # The right one is not taken there any more, at another device it is.
    assert device.enter("Mona").json()["code"] == "person_locked_out"
    assert other.enter("Mona").status_code == 200
    # A restart forgets nothing.
    shop.server.stop()
    shop.server.start()
    assert device.enter("Mona").json()["code"] == "person_locked_out"
    # Others sign in at the device; who manages staff lets her in again.
    assert device.enter("Carl").status_code == 200
    assert device.enter("Mona").json()["code"] == "person_locked_out"
    assert device.enter("Olga").status_code == 200
    assert device.enter("Mona").status_code == 200
    text = shop.server.request("GET", "/metrics").text
    assert "till_pin_lockouts_total" in text
    assert PINS["Mona"] not in shop.server.log.read_text()
    assert "a wrong PIN" in shop.server.log.read_text()


def test_many_at_once_get_no_more_guesses(shop):
    device = shop.device()
    answers = []
    threads = [threading.Thread(target=lambda n=n: answers.append(device.enter("Mona", f"{n:06}"))) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong = [one for one in codes(answers) if one == (403, "pin_wrong")]
    assert len(answers) == 24 and len(wrong) <= 2, codes(answers)
    assert set(codes(answers)) <= {(403, "pin_wrong"), (429, "pin_too_early")}


def test_a_device_is_signed_out_after_guessing_at_everybody(shop):
    for number in range(2):
        shop.add(f"Person {number}", "cashier", "604913")
    time.sleep(0.6)
    device = shop.device()
    ended = None
    end = time.monotonic() + 90
    while ended is None and time.monotonic() < end:
        for name in shop.ids:
            answer = device.enter(name, "000111")
            if answer.status_code == 401:
                ended = answer
                break
        time.sleep(0.3)
    assert ended is not None and ended.json()["code"] == "device_signed_out"
    assert device.ask("GET", "/session/person").status_code == 401
    assert shop.device().enter("Carl").status_code == 200, "signed in anew, it is another device"


def test_a_person_is_guessed_at_no_longer_by_signing_ever_more_devices_in(shop):
    """Whoever has any key signs in as many devices as they like. All together have twenty guesses in a row."""
    key = counter.succeed("keys", "create", "--scope", "read", "--journal", shop.server.journal, "--json")["key"]

    def device():
        fresh = shop.device()
        fresh.session.cookies.clear()
        assert fresh.ask("POST", "/session", {"key": key}).status_code == 204
        return fresh

    guesses, locked = 0, None
    while locked is None and guesses < 30:
        one = device()
        for _ in range(2):
            answer = one.enter("Mona", f"{guesses:06}")
            if answer.json()["code"] != "pin_wrong":
                locked = answer
                break
            guesses += 1
    assert guesses == 20 and locked is not None, guesses
    assert locked.json()["code"] == "person_locked_out" and "several devices" in locked.json()["detail"], locked.text
    # The right one neither, until its time is over; others sign in.
    assert device().enter("Mona").json()["code"] == "person_locked_out"
    assert device().enter("Carl").status_code == 200
    # A restart forgets nothing, and whoever has the machine lets her in at any time.
    shop.server.stop()
    shop.server.start()
    assert device().enter("Mona").json()["code"] == "person_locked_out"
    assert shop.device().enter("Mona").status_code == 200
    assert device().enter("Mona").status_code == 200, "they were wrong in a row until then"
    assert "is locked out at all devices that a key signed in" in shop.server.log.read_text()


def test_legitimate_sign_ins_and_sales_go_on_beside_it(shop):
    attacker, cashier = shop.device(), shop.device()
    assert cashier.enter("Carl").status_code == 200
    stop = threading.Event()
    sent = []

    def guess():
        while not stop.is_set():
            sent.append(attacker.enter("Carl", "000111").status_code)

    threads = [threading.Thread(target=guess) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(8):
            assert cashier.enter("Carl").status_code == 200
            cashier.paid(f"beside-{number}", 500)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert len(sent) > 20 and set(sent) <= {403, 429}
