"""Adyen's own Python library against our stand-in, our requests against its, and webhooks both ways."""
import http.server
import json
import os
import subprocess
import threading
import time

import Adyen
import pytest
import requests
from Adyen.util import generate_notification_sig, is_valid_hmac_notification

import counter
from adyen_shop import HMAC_KEY, sell

CARD = {"type": "scheme", "number": "4111111111111111", "expiryMonth": "03", "expiryYear": "2030", "cvc": "737"}


@pytest.fixture
def stand_in(adyen_url):
    return adyen_url


def client(url, version=71):
    adyen = Adyen.Adyen(xapikey="key", platform="test")
    for api in (adyen.checkout.payments_api, adyen.checkout.modifications_api):
        api.baseUrl = f"{url}/v{version}"
    return adyen


def ledger(url):
    return requests.get(url + "/_sandbox/ledger", timeout=5).json()["charges"]


def payment(**more):
    return {
        "amount": {"currency": "EUR", "value": 1250}, "merchantAccount": "TillTest", "reference": "o-1",
        "paymentMethod": CARD, "returnUrl": "https://127.0.0.1/", **more,
    }


def test_the_library_drives_the_stand_in(stand_in):
    adyen = client(stand_in)
    held = adyen.checkout.payments_api.payments(
        payment(additionalData={"manualCapture": "true"}), idempotency_key="k-1"
    ).message
    again = adyen.checkout.payments_api.payments(
        payment(additionalData={"manualCapture": "true"}), idempotency_key="k-1"
    ).message
    assert held["resultCode"] == "Authorised" and again == held
    name = held["pspReference"]
    change = adyen.checkout.modifications_api
    body = {"merchantAccount": "TillTest", "amount": {"currency": "EUR", "value": 1000}, "reference": "c-1"}
    assert change.capture_authorised_payment(body, name).message["status"] == "received"
    assert change.refund_captured_payment({**body, "amount": {"currency": "EUR", "value": 400}}, name).message
    assert [(c["captured"], c["refunded"]) for c in ledger(stand_in)] == [(1000, 400)]
    manual = payment(reference="o-2", additionalData={"manualCapture": "true"})
    other = adyen.checkout.payments_api.payments(manual).message
    change.cancel_authorised_payment({"merchantAccount": "TillTest", "paymentReference": "o-2"})
    assert ledger(stand_in)[1]["canceled"] and other["resultCode"] == "Authorised"
    refused = adyen.checkout.payments_api.payments(
        payment(paymentMethod={**CARD, "holderName": "NOT_ENOUGH_BALANCE"})
    ).message
    assert refused["refusalReasonCode"] == "12"
    with pytest.raises(Adyen.AdyenAPIUnprocessableEntity):
        adyen.checkout.payments_api.payments(payment(paymentMethod={**CARD, "number": "4111111111111112"}))


class Recorder:
    """Keeps requests as they come and answers like Adyen."""

    def __init__(self):
        seen = self.seen = []

        class Take(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                answer = {"pspReference": f"PSP{len(seen):013d}", "resultCode": "Authorised", "status": "received"}
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Take)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def test_our_requests_are_those_of_the_library(tmp_path):
    recorder = Recorder()
    sale = sell(tmp_path, recorder.url)
    assert sale.code == 0 and sale.json["status"] in counter.PAID, sale
    refund = counter.till(
        "payments", "refund", sale.json["id"], "--amount", "5.00", "--provider", "adyen", "--adyen-url", recorder.url,
        "--journal", tmp_path / "journal.db", "--json",
        env={"TILL_ADYEN_MERCHANT_ACCOUNT": "TillTest", "TILL_ADYEN_KEY": "key"},
    )
    assert refund.code in (0, 3), refund
    ours = list(recorder.seen[:2])
    adyen = client(recorder.url)
    path, head, body = ours[0]
    adyen.checkout.payments_api.payments(
        payment(reference=body["reference"], shopperInteraction="Ecommerce", captureDelayHours=0),
        idempotency_key=head["idempotency-key"],
    )
    path2, head2, body2 = ours[1]
    adyen.checkout.modifications_api.refund_captured_payment(
        {"merchantAccount": "TillTest", "amount": {"currency": "EUR", "value": 500}, "reference": body2["reference"]},
        recorder.seen and "PSP0000000000001", idempotency_key=head2["idempotency-key"],
    )
    for mine, theirs in zip(ours, recorder.seen[-2:]):
        assert mine[0] == theirs[0] and mine[2] == theirs[2]
        for name in ("x-api-key", "idempotency-key", "content-type"):
            assert mine[1][name] == theirs[1][name], name


def test_a_sale_a_decline_and_what_stays_unknown(tmp_path, stand_in):
    sale = sell(tmp_path, stand_in)
    assert sale.code == 0 and ledger(stand_in)[0]["captured"] == 1250, sale
    bad = counter.till(
        "sale", "--amount", "12.50", "--currency", "EUR", "--provider", "adyen", "--adyen-url", stand_in, "--journal",
        tmp_path / "journal.db",
        "--json", "--card-number", "4000000000009995", "--expiry", "03/30", "--cvc", "737",
    )
    assert bad.code == 2 and "insufficient_funds" in bad.out, bad
    for left in tmp_path.glob("journal.db*"):
        assert b"4111111111111111" not in left.read_bytes(), left


def test_webhooks_settle_what_adyen_only_received(tmp_path, stand_in):
    port = counter.free_port()
    env = {
        "TILL_ADYEN_MERCHANT_ACCOUNT": "TillTest", "TILL_ADYEN_KEY": "key", "TILL_ADYEN_HMAC_KEY": HMAC_KEY,
        "TILL_ADYEN_URL": stand_in, "TILL_PROVIDER": "adyen",
    }
    process = subprocess.Popen(
        [counter.binary(), "serve", "--port", str(port), "--journal", str(tmp_path / "journal.db")],
        env={**os.environ, **env, "TILL_API_KEY": counter.API_KEY}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    try:
        base = f"http://127.0.0.1:{port}"
        counter.wait_for(base + "/healthz", process, "/dev/null")
        hook = {"url": base + "/webhooks/adyen", "hmac_key": HMAC_KEY}
        assert requests.post(stand_in + "/_sandbox/webhooks", json=hook, timeout=5).json()["ok"]
        sale = sell(tmp_path, stand_in, *counter.MANUAL)
        assert sale.json["status"] in counter.AUTHORIZED, sale
        head = {"Authorization": f"Bearer {counter.API_KEY}"}
        payment_url = f"{base}/v1/payments/{sale.json['id']}"
        requests.post(payment_url + "/capture", json={}, headers={**head, "Idempotency-Key": "c-1"}, timeout=30)
        end = time.monotonic() + 20
        while requests.get(payment_url, headers=head, timeout=5).json()["status"] not in counter.PAID:
            assert time.monotonic() < end, requests.get(payment_url, headers=head, timeout=5).text
            time.sleep(0.2)
        assert ledger(stand_in)[0]["captured"] == 1250
        # A webhook that Adyen's own library signed is taken; one with another key is not.
        item = {
            "amount": {"currency": "EUR", "value": 1250}, "eventCode": "REPORT_AVAILABLE", "pspReference": "X1",
            "merchantAccountCode": "TillTest", "merchantReference": "", "success": "true",
        }
        for key, code in ((HMAC_KEY, 200), ("00" * 32, 400)):
            signature = generate_notification_sig(item, key).decode()
            signed = {**item, "additionalData": {"hmacSignature": signature}}
            body = {"notificationItems": [{"NotificationRequestItem": signed}]}
            answer = requests.post(base + "/webhooks/adyen", json=body, timeout=5)
            assert answer.status_code == code, answer.text
            assert code != 200 or answer.text == "[accepted]"
    finally:
        process.terminate()
        process.wait(10)


def test_the_library_accepts_our_webhooks(stand_in):
    taken = []

    class Take(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.write(b"[accepted]")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Take)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hook = {"url": f"http://127.0.0.1:{server.server_port}/", "hmac_key": HMAC_KEY}
    requests.post(stand_in + "/_sandbox/webhooks", json=hook, timeout=5)
    client(stand_in).checkout.payments_api.payments(payment())
    end = time.monotonic() + 10
    while not taken and time.monotonic() < end:
        time.sleep(0.05)
    assert is_valid_hmac_notification(taken[0], HMAC_KEY)
    assert not is_valid_hmac_notification(taken[0], "00" * 32)
    server.shutdown()
