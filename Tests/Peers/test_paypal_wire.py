"""What our client sends to PayPal, judged by PayPal's own descriptions and by PayPal's own client.

`paypal_requests.json` is the recording of our requests, made with TILL_PAYPAL_RECORD=1 and only after every one of them
was found valid; where the descriptions are not at hand, the requests are held against it."""
import json
import os
import pathlib
import re

import pytest
import requests

import paypal

RECORDING = pathlib.Path(__file__).with_name("paypal_requests.json")


def ours(folder, url):
    """One of each call that the command line can make."""
    shop = paypal.Shop(folder, url)
    sold = shop.sale("--amount", "12.50", "--order", "o-1")
    assert sold.code == 0, sold
    assert shop("payments", "refund", sold.json["id"], "--amount", "5.00").code == 0
    held = shop.sale("--amount", "20.00", "--order", "o-2", "--capture", "manual")
    assert shop("authorizations", "capture", held.json["id"], "--amount", "5.00", "--partial").code == 0
    assert shop("authorizations", "capture", held.json["id"]).code == 0
    assert shop("payments", "refund", held.json["id"], "--amount", "1.00").code == 0
    dropped = shop.sale("--amount", "20.00", "--order", "o-3", "--capture", "manual")
    assert shop("authorizations", "void", dropped.json["id"]).code == 0
    back = ["--receipt-url", "https://shop.example"]
    waiting = shop.sale("--amount", "7.00", "--order", "o-4", "--cardholder", "SCA-REQUIRED", *back)
    assert waiting.code == 3, waiting
    forint = ["--currency", "HUF", "--amount", "1500", "--order", "o-5"]
    assert shop.sale(*forint).code == 0
    return shop


@pytest.fixture
def recorded(tmp_path, stand_in):
    proxy = paypal.Proxy(stand_in)
    ours(tmp_path, proxy.url)
    yield proxy.calls()
    proxy.close()


def plain(call):
    """A request without what differs from run to run."""
    def stable(text):
        text = re.sub(r"pay_[0-9a-z]{26}", "pay_X", text)
        text = re.sub(r"\?state=[0-9a-z]{20,26}", "?state=S", text)
        return re.sub(r"/(?=[A-Z0-9]*[0-9])[A-Z0-9]{17}(?=/|\?|$)", "/ID", text)

    headers = {k: v for k, v in call["headers"].items() if k in ("PayPal-Request-Id", "Prefer", "Content-Type")}
    return {
        "method": call["method"], "path": stable(call["path"]),
        "headers": {k: stable(v) for k, v in sorted(headers.items())},
        "body": json.loads(stable(call["body"].decode())) if call["body"] else None,
    }


@pytest.mark.skipif(not paypal.SPECS, reason="TILL_PAYPAL_SPECS names no folder with PayPal's descriptions")
def test_every_request_is_valid_by_paypals_description(recorded):
    assert len(recorded) >= 15
    for call in recorded:
        paypal.judge(call)
    if os.environ.get("TILL_PAYPAL_RECORD"):
        RECORDING.write_text(json.dumps([plain(c) for c in recorded], indent=1) + "\n")


@pytest.mark.skipif(not paypal.SPECS, reason="TILL_PAYPAL_SPECS names no folder with PayPal's descriptions")
def test_the_judge_refuses_what_is_wrong(recorded):
    create = next(c for c in recorded if c["path"] == "/v2/checkout/orders")
    body = json.loads(create["body"])
    for change in ({"intent": None}, {"purchase_units": []}, {"payment_source": {"card": {"number": "123456789012"}}}):
        wrong = {k: v for k, v in {**body, **change}.items() if v is not None}
        with pytest.raises(Exception):
            paypal.judge({**create, "body": json.dumps(wrong).encode()})


def test_the_requests_are_those_of_the_recording(recorded):
    assert [plain(c) for c in recorded] == json.loads(RECORDING.read_text())


def test_every_change_carries_a_key_and_every_call_a_token(recorded):
    for call in recorded:
        assert call["headers"]["Authorization"].startswith("Bearer ")
        key = call["headers"].get("PayPal-Request-Id")
        assert (key is not None) == (call["method"] != "GET"), call["path"]
        assert key is None or len(key) <= 108
    keys = [c["headers"]["PayPal-Request-Id"] for c in recorded if c["method"] != "GET"]
    assert len(set(keys)) == len(keys)


def test_number_and_code_are_in_the_requests_that_must_carry_them_and_nowhere_else(recorded, tmp_path):
    for call in recorded:
        carries = paypal.CARD.encode() in call["body"]
        executes = re.search(r"/v2/checkout/orders/\w+/(capture|authorize)$", call["path"]) is not None
        assert carries == executes, call["path"]
        assert (b'"security_code":"987"' in call["body"]) == executes
        assert paypal.CARD not in call["path"] + str(call["headers"])
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.name != "paypal.log":  # the stand-in's own hint names a test card
            assert paypal.CARD.encode() not in file.read_bytes(), file


def test_paypals_own_client_sends_the_same_bodies(stand_in, recorded):
    proxy = paypal.Proxy(stand_in)
    client = paypal.client(proxy.url)

    def money(value, currency="EUR"):
        return {"currency_code": currency, "value": value}

    by_path = {}
    for call in recorded:
        kind = re.sub(r"[A-Z0-9]{17}", "ID", call["path"])
        if call["body"] and call["method"] == "POST":
            by_path.setdefault(kind, []).append(json.loads(call["body"]))
    unit = by_path["/v2/checkout/orders"][0]["purchase_units"][0]
    body = {
        "intent": "CAPTURE",
        "purchase_units": [{
            "reference_id": "default", "amount": money("12.50"), "description": "Order o-1",
            "custom_id": unit["custom_id"], "invoice_id": unit["invoice_id"],
        }],
    }
    made = client.orders.create_order({"body": body, "paypal_request_id": "p-1",
        "prefer": "return=representation"}).body
    card = {"name": "Ada Byron", "number": paypal.CARD, "expiry": "2030-11", "security_code": paypal.CODE}
    taken = client.orders.capture_order(
        {"id": made.id, "paypal_request_id": "p-2", "prefer": "return=representation",
         "body": {"payment_source": {"card": card}}}).body
    capture = taken.purchase_units[0].payments.captures[0].id
    ours_refund = by_path["/v2/payments/captures/ID/refund"][0]
    client.payments.refund_captured_payment(
        {"capture_id": capture, "paypal_request_id": "p-3", "prefer": "return=representation",
         "body": {"amount": money("5.00"), "custom_id": ours_refund["custom_id"],
         "invoice_id": ours_refund["invoice_id"]}})
    theirs = [json.loads(c["body"]) for c in proxy.calls() if c["body"]]
    proxy.close()
    assert theirs[0] == by_path["/v2/checkout/orders"][0]
    assert theirs[1] == by_path["/v2/checkout/orders/ID/capture"][0]
    assert theirs[2] == ours_refund


def test_the_banks_page_is_there_for_the_customer(tmp_path, stand_in):
    """What the command line tells the clerk to send the customer to is a page; confirming pays, refusing does not."""
    shop = paypal.Shop(tmp_path, stand_in)
    for answer, status in (("confirm", "succeeded"), ("refuse", "declined")):
        order = ["--amount", "7.00", "--order", f"o-{answer}", "--cardholder", "SCA-REQUIRED"]
        told = shop.for_people("sale", *paypal.SALE, *order)
        assert told.code == 3 and "No money moved yet." in told.err, told
        link = re.search(r"Send the customer to (http\S+)", told.err)[1]
        page = requests.get(link, timeout=5)
        assert page.status_code == 200 and "7.00 EUR" in page.text
        assert page.headers["content-type"].startswith("text/html")
        payment = re.search(r"till payments query (\S+)", told.err)[1]
        assert shop("payments", "query", payment).json["status"] == "requires_action"
        assert requests.post(link, data={"answer": answer}, timeout=5).status_code == 200
        assert requests.post(link, data={"answer": answer}, timeout=5).status_code == 404
        assert shop("payments", "query", payment).json["status"] == status
