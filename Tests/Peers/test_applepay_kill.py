"""The counter dies in the middle of a sheet's payment, at every numbered point of it: one charge at most, the status
route knows how it stands after the restart, and what was not paid can be paid.

The provider is a process of its own, so that its ledger outlives ours.
"""
import threading
import time

import pytest
import requests

import counter
from applepay import Page, payments

PRICE = 1599
ENGINE = range(1, 10)  # the points of a sale: `till failpoints`
WALLET = range(1, 6)


def captured(stripe, order):
    charges = requests.get(stripe.url + "/_sandbox/ledger", timeout=10).json()["charges"]
    ours = [c for c in charges if order in c["metadata"].values()]
    held = [c for c in ours if c["authorized"] and not c["captured"] and not c.get("canceled")]
    assert sum(c["captured"] for c in ours) <= PRICE and len(held) <= 1, ours
    return [c["captured"] - c["refunded"] for c in ours if c["captured"]]


def pay(page):
    try:
        token = page.token()
        assert token.ok, f"no token to pay with: {token.text}"
        return page.pay(token.json())
    except requests.ConnectionError:
        return None


def dies(server, page):
    answer = pay(page)
    assert answer is None, f"the point was not reached: {answer.text}"
    server.process.wait(10)


def flags(stripe):
    return ["--provider", "stripe", "--stripe-url", stripe.url, "--stripe-key", stripe.key]


@pytest.mark.parametrize("variable, point",
    [("TILL_FAILPOINT", n) for n in ENGINE] + [("TILL_WALLET_FAILPOINT", n) for n in WALLET])
def test_a_counter_that_dies_charges_once_and_knows_how_it_stands(tmp_path, sandbox, variable, point):
    server = counter.Server(tmp_path, *flags(sandbox), env={variable: str(point)}).start()
    page = Page(server)
    dies(server, page)
    server.env = {}
    with server.start():
        again = Page(server, basket=page.basket)
        assert again.sheet["proof"] == page.sheet["proof"] and again.sheet["request"] == page.sheet["request"]
        status = page.outcome()
        if status["status"] != "placed":
            assert status["moneyMoved"] == "no" and captured(sandbox, page.basket) == [], status
            paid = pay(page)
            assert paid.status_code == 201, paid.text
            status = paid.json()
        assert status["orderId"] == page.basket
        assert status["guestAccount"].startswith("guest_")
        assert captured(sandbox, page.basket) == [PRICE]
        assert [p["captured"] for p in payments(server, page.basket) if p["captured"]] == [PRICE]
        # Whoever asks once more, with this token or another, is told the same order.
        more = pay(page)
        assert more.json().get("orderId") == page.basket, more.text
        assert captured(sandbox, page.basket) == [PRICE]


def test_a_kill_while_the_provider_is_slow_charges_once(tmp_path, sandbox):
    """From outside: no point is chosen, the provider takes long, and the counter is killed while it waits."""
    server = counter.Server(tmp_path, *flags(sandbox)).start()
    page = Page(server)
    token = page.token().json()
    requests.post(
        sandbox.url + "/_sandbox/faults", json={"operation": "authorize", "fault": "timeoutAfterCommit", "times": 1},
        timeout=10
    ).raise_for_status()
    waiting = threading.Thread(target=lambda: swallow(lambda: page.pay(token)))
    waiting.start()
    end = time.monotonic() + 10
    while page.status()["status"] != "pending" and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.5)
    server.kill()
    waiting.join(10)
    with server.start():
        assert page.outcome()["status"] == "placed"
        assert captured(sandbox, page.basket) == [PRICE]


def test_a_provider_that_is_slower_than_the_sheet_is_told_as_pending_and_charges_once(tmp_path, sandbox):
    """The sheet has 30 s; the shop answers in 20, whatever the provider does, and the payment goes on."""
    with counter.Server(tmp_path, *flags(sandbox)) as server:
        page = Page(server)
        token = page.token().json()
        requests.post(
            sandbox.url + "/_sandbox/faults",
            json={"operation": "authorize", "fault": "slow", "seconds": 23, "times": 1}, timeout=10
        ).raise_for_status()
        answer = page.pay(token)
        assert answer.status_code == 202 and answer.json()["status"] == "pending", answer.text
        assert answer.json()["moneyMoved"] == "unknown" and answer.json()["statusURL"].endswith(page.basket)
        # Whoever pays again meanwhile is told the same payment.
        assert page.status()["status"] == "pending"
        assert page.outcome()["status"] == "placed"
        assert captured(sandbox, page.basket) == [PRICE]


def swallow(body):
    try:
        body()
    except requests.RequestException:
        pass


def test_a_guest_gets_one_account_for_any_number_of_orders_and_restarts(tmp_path):
    server = counter.Server(tmp_path, "--provider", "sandbox").start()
    first = pay(Page(server)).json()
    assert first["guestToken"] and first["guestAccount"].startswith("guest_")
    # Whoever knows the basket's number alone is not told what signs in.
    open_to_all = requests.get(f"{server.url}/applepay/payment/{first['orderId']}", timeout=10).json()
    assert open_to_all["status"] == "placed" and "guestToken" not in open_to_all
    second = pay(Page(server)).json()
    assert second["guestAccount"] == first["guestAccount"] and "guestToken" not in second
    server.kill()
    with server.start():
        third = pay(Page(server)).json()
        assert third["guestAccount"] == first["guestAccount"] and "guestToken" not in third
        shop = requests.Session()
        assert shop.post(server.url + "/shop/session", json={"token": "0" * 64}).status_code == 401
        signed_in = shop.post(server.url + "/shop/session", json={"token": first["guestToken"]})
        assert signed_in.json()["account"] == first["guestAccount"]
        assert "HttpOnly" in signed_in.headers["Set-Cookie"] and "SameSite=Strict" in signed_in.headers["Set-Cookie"]
        basket = shop.post(server.url + "/shop/baskets", json={"service": "delivery"}).json()["basket"]
        order = pay(Page(server, basket=basket)).json()
        assert order["account"] == first["guestAccount"] and "guestAccount" not in order
        # What signs in is told to who shows the basket's proof, and stored nowhere.
        for file in tmp_path.glob("*"):
            assert first["guestToken"].encode() not in (file.read_bytes() if file.is_file() else b""), file


def test_a_used_token_pays_no_other_basket_after_a_restart(tmp_path):
    """The demo shop's Apple is a new one after a restart, so a token of before fails sooner; the store is looked at."""
    server = counter.Server(tmp_path, "--provider", "sandbox").start()
    page, other = Page(server), Page(server)
    token = page.token().json()
    assert page.pay(token).status_code == 201
    bound = other.pay(token)
    assert bound.status_code == 422 and bound.json()["code"] == "application_data"
    assert not payments(server, other.basket)
    server.kill()
    with server.start():
        assert page.pay(token).json()["status"] == "placed"
        assert len(payments(server, page.basket)) == 1
