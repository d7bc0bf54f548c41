"""A customer pays with a PayPal account: the shop sends the customer to PayPal's page, and the counter asks for the
money once the customer has approved there. PayPal's description judges what is sent."""
import json
import re

import pytest
import requests

import counter
import paypal


@pytest.fixture
def proxy(stand_in):
    proxy = paypal.Proxy(stand_in)
    yield proxy
    proxy.close()


@pytest.fixture
def server(tmp_path, proxy):
    port = counter.free_port()
    flags = ["--provider", "paypal", "--paypal-url", proxy.url, "--receipt-url", f"http://127.0.0.1:{port}"]
    with counter.Server(tmp_path, *flags, port=port) as running:
        yield running


def confirmed(server, payment, key, **tender):
    body = {"tender": {"type": "paypal", **tender}}
    return server.request("POST", f"/v1/payments/{payment}/confirm", body, key)


def shown(server, payment):
    return server.request("GET", f"/v1/payments/{payment}").json()


def asked(server, order, capture="automatic"):
    """A payment that waits for the customer, and the address of PayPal's page."""
    payment = server.create(order, f"create-{order}", 1250, capture=capture).json()["id"]
    answer = confirmed(server, payment, f"pay-{order}")
    assert answer.status_code == 200 and answer.json()["status"] == "requires_action", answer.text
    return payment, answer.json()["attempts"][-1]["action"]["url"]


def answered(page, word):
    """The customer's answer on PayPal's page, and the way back to the counter."""
    told = requests.get(page, timeout=10)
    assert told.status_code == 200 and "12.50 EUR" in told.text and "PayPal account" in told.text
    back = requests.post(page, data={"answer": word}, allow_redirects=False, timeout=10)
    assert back.status_code == 303, back.text
    return requests.get(back.headers["Location"], timeout=30)


def until(server, payment, status):
    assert counter.until(lambda: shown(server, payment)["status"] == status), shown(server, payment)
    return shown(server, payment)


def test_an_approved_payment_is_captured_once(server, proxy):
    payment, page = asked(server, "o-1")
    again = confirmed(server, payment, "pay-o-1")
    assert again.json()["attempts"][-1]["action"]["url"] == page
    assert answered(page, "confirm").status_code == 200
    paid = until(server, payment, "succeeded")
    assert paid["captured"] == 1250 and len(paid["attempts"]) == 1
    assert paid["tender"]["type"] == "paypal"
    captures = [call for call in proxy.calls() if call["path"].endswith("/capture")]
    assert len(captures) == 1 and json.loads(captures[0]["body"] or b"{}") == {}
    if paypal.SPECS:
        for call in proxy.calls():
            paypal.judge(call)


def test_a_hold_is_a_hold(server):
    payment, page = asked(server, "o-1", capture="manual")
    answered(page, "confirm")
    held = until(server, payment, "requires_capture")
    assert held["captured"] == 0
    taken = server.request("POST", f"/v1/payments/{payment}/capture", {}, "capture-o-1")
    assert taken.json()["status"] == "succeeded" and taken.json()["captured"] == 1250


def test_whoever_leaves_paypals_page_has_paid_nothing_and_may_come_back(server, proxy):
    payment, page = asked(server, "o-1")
    answered(page, "refuse")
    assert shown(server, payment)["status"] == "requires_action"
    assert not [call for call in proxy.calls() if call["path"].endswith("/capture")]
    answered(page, "confirm")
    assert until(server, payment, "succeeded")["captured"] == 1250


def test_a_counter_that_dies_meanwhile_finds_the_approval(tmp_path, proxy):
    port = counter.free_port()
    flags = ["--provider", "paypal", "--paypal-url", proxy.url, "--receipt-url", f"http://127.0.0.1:{port}"]
    with counter.Server(tmp_path, *flags, port=port) as server:
        payment, page = asked(server, "o-1")
        server.kill()
    back = requests.post(page, data={"answer": "confirm"}, allow_redirects=False, timeout=10)
    assert back.status_code == 303
    with counter.Server(tmp_path, *flags, port=port) as server:
        requests.get(back.headers["Location"], timeout=30)
        paid = until(server, payment, "succeeded")
        assert paid["captured"] == 1250
    assert len([call for call in proxy.calls() if call["path"].endswith("/capture")]) == 1


def test_without_a_way_back_nothing_is_begun(tmp_path, proxy):
    with counter.Server(tmp_path, "--provider", "paypal", "--paypal-url", proxy.url) as server:
        payment = server.create("o-1", "create-o-1", 1250).json()["id"]
        refused = confirmed(server, payment, "pay-o-1")
        assert refused.status_code == 422 and refused.json()["code"] == "unsupported", refused.text
        assert shown(server, payment)["attempts"] == []


@pytest.mark.parametrize("more", [{"email": "buyer@example.com"}, {"token": "pm_card_visa"}])
def test_a_paypal_tender_has_nothing_else(server, more):
    payment = server.create("o-1", "create-o-1", 1250).json()["id"]
    refused = confirmed(server, payment, "pay-o-1", **more)
    assert refused.status_code in (400, 422), refused.text
    assert shown(server, payment)["attempts"] == []


def test_the_receipt_says_paypal(server):
    payment, page = asked(server, "o-1")
    answered(page, "confirm")
    until(server, payment, "succeeded")
    receipt = server.request("GET", f"/v1/payments/{payment}/receipt?format=text")
    assert re.search(r"PayPal", receipt.text), receipt.text
