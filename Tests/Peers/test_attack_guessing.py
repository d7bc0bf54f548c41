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
    """Whoever has any key signs in as many devices as they like. All together wait longer with each guess."""
    key = counter.succeed("keys", "create", "--scope", "read", "--journal", shop.server.journal, "--json")["key"]

    def device():
        fresh = shop.device()
        fresh.session.cookies.clear()
        assert fresh.ask("POST", "/session", {"key": key}).status_code == 204
        return fresh

    guesses, waits = 0, [0]
    while waits[-1] < 8:
        answer = device().enter("Mona", f"{guesses:06}")
        if answer.json()["code"] == "pin_wrong":
            guesses += 1
            continue
        assert (answer.status_code, answer.json()["code"]) == (429, "pin_too_early"), answer.text
        waits.append(int(answer.headers["Retry-After"]))
        if waits[-1] < 8:
            time.sleep(waits[-1])
    assert 6 <= guesses <= 10, (guesses, waits)
    # The right one waits, too, and a restart forgets nothing; whoever has the machine lets her in at any time.
    assert device().enter("Mona").json()["code"] == "pin_too_early"
    shop.server.stop()
    shop.server.start()
    assert device().enter("Mona").json()["code"] == "pin_too_early"
    assert device().enter("Carl").status_code == 200, "others sign in"
    assert shop.device().enter("Mona").status_code == 200
    assert device().enter("Mona").status_code == 200, "they were wrong in a row until then"


def test_everybody_of_an_account_together_waits_longer_with_each_guess(shop):
    """One guess at each of many people is no way around it. The shop's own devices are not held up."""
    key = counter.succeed("keys", "create", "--scope", "read", "--journal", shop.server.journal, "--json")["key"]
    for number in range(6):
        shop.add(f"Person {number}", "cashier", "604913")
    time.sleep(0.6)
    people = [name for name in shop.ids if name.startswith("Person")]

    def device():
        fresh = shop.device()
        fresh.session.cookies.clear()
        assert fresh.ask("POST", "/session", {"key": key}).status_code == 204
        return fresh

    wrong, refused = 0, None
    for number in range(40):
        # Two at each device, and at most five for each person: only all of them together are too many.
        answer = device().enter(people[number % len(people)], f"{number:06}")
        if answer.json()["code"] != "pin_wrong":
            refused = answer
            break
        wrong += 1
    assert refused is not None and 20 <= wrong <= 26, wrong
    assert (refused.status_code, refused.json()["code"]) == (429, "pin_too_early"), refused.text
    own = shop.device()
    assert own.enter("Carl").status_code == 200


def test_legitimate_sign_ins_and_sales_go_on_beside_it(shop, tally):
    attacker, cashier = shop.device(), shop.device()
    assert cashier.enter("Carl").status_code == 200
    stop = threading.Event()
    sent = []

    def sell(number):
        with tally.sale():
            assert cashier.enter("Carl").status_code == 200
            cashier.paid(f"sale-{number}", 500)

    for number in range(8):
        sell(number)
    tally.beside()

    def guess():
        while not stop.is_set():
            sent.append(attacker.enter("Carl", "000111").status_code)

    threads = [threading.Thread(target=guess) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(8, 16):
            sell(number)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert len(sent) > 20 and set(sent) <= {403, 429}
