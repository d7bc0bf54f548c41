"""The shops of Examples/, which have nothing of Till but its interface: an order is paid after a genuine webhook and a
look at the payment, once, however often the webhook comes, and after nothing else.
"""
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
import requests
import standardwebhooks

import counter

EXAMPLES = counter.ROOT / "Examples"
PRICE = 1850


def command(name):
    if name == "ShopInPython":
        return [sys.executable, str(EXAMPLES / name / "shop.py")]
    program = pathlib.Path(counter.binary()).resolve().parent / name
    if not os.access(program, os.X_OK):
        pytest.fail(f"there is no {program}: build it", pytrace=False)
    return [str(program)]


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


class Shop:
    """A shop as a process, and its endpoint at the counter."""

    def __init__(self, name, server, folder):
        self.server, self.port, self.log = server, counter.free_port(), folder / "shop.log"
        self.url = f"http://127.0.0.1:{self.port}"
        made = server.request("POST", "/v1/webhook_endpoints", {
            "url": self.url + "/till", "types": ["payment.*"], "allow_private": True}, "endpoint")
        assert made.status_code == 201, made.text
        self.endpoint, self.secret = made.json()["id"], made.json()["secret"]
        self.environment = {
            **os.environ, "TILL_COUNTER": server.url, "TILL_API_KEY": server.api_key, "SHOP_PORT": str(self.port),
            "SHOP_WEBHOOK_SECRET": self.secret, "SHOP_DATABASE": str(folder / "shop.db")}
        self.command, self.process = command(name), None

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=subprocess.STDOUT, env=self.environment, cwd=self.log.parent)
        counter.wait_for(self.url + "/shelf", self.process, self.log)
        return self

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def buy(self, card="pm_card_visa"):
        answer = requests.post(self.url + "/orders", json={"card": card}, timeout=30)
        assert answer.ok, answer.text
        return answer.json()

    def is_paid(self, order):
        return requests.get(f"{self.url}/orders/{order}", timeout=10).json()["paid"]

    @property
    def left(self):
        return requests.get(self.url + "/shelf", timeout=10).json()["left"]

    def messages(self, payment):
        """What the counter has sent about a payment, oldest first."""
        found = self.server.request("GET", f"/v1/webhook_endpoints/{self.endpoint}/deliveries").json()["deliveries"]
        return [one for one in found[::-1] if one["payment_id"] == payment]

    def post(self, body, identifier="msg_a", secret=None, at=None, **fields):
        """A message as somebody sends it who has a secret."""
        now = at or datetime.datetime.now(datetime.UTC)
        signature = standardwebhooks.Webhook(secret or self.secret).sign(identifier, now, body)
        headers = {"webhook-id": identifier, "webhook-timestamp": str(int(now.timestamp())),
                   "webhook-signature": signature, "Content-Type": "application/json", **fields}
        return requests.post(self.url + "/till", data=body.encode(), headers=headers, timeout=20)


@pytest.fixture(params=["ShopInPython", "ShopInSwift"])
def shop(request, server, tmp_path):
    shop = Shop(request.param, server, tmp_path).start()
    yield shop
    shop.stop()
    log = shop.log.read_text()
    assert server.api_key not in log and shop.secret not in log and "Traceback" not in log, log


def saying(payment, order="x"):
    """What a genuine message would say of a payment."""
    return json.dumps({"type": "payment.captured", "timestamp": "2026-11-27T10:00:00Z", "data": {
        "payment_id": payment, "order_id": order, "order_number": order, "status": "succeeded", "amount": PRICE,
        "currency": "EUR", "captured": PRICE, "refunded": 0, "event": "capture.succeeded", "sequence": 6, "version": 6,
        "livemode": False}}, separators=(",", ":"))


def test_a_sale_to_its_end(shop, server):
    before = shop.left
    sale = shop.buy()
    assert sale["status"] == "succeeded"
    assert counter.until(lambda: shop.is_paid(sale["order"]))
    assert shop.left == before - 1
    order = server.request("GET", "/v1/orders/" + sale["order"]).json()
    assert (order["amount"], order["payment"]["status"], order["state"]) == (PRICE, "paid", "open")
    handed = requests.post(f"{shop.url}/orders/{sale['order']}/hand_over", timeout=10)
    assert handed.ok and handed.json()["state"] == "fulfilled", handed.text
    assert server.request("GET", "/v1/orders/" + sale["order"]).json()["state"] == "fulfilled"
    assert counter.until(lambda: all(one["state"] == "delivered" for one in shop.messages(sale["payment"])))
    assert len(shop.messages(sale["payment"])) == 3


def test_a_declined_card_pays_nothing(shop, server):
    sale = shop.buy("pm_card_chargeDeclined")
    assert sale["status"] == "declined" and "declined" in sale["message"]
    assert counter.until(lambda: len(shop.messages(sale["payment"])) == 2)
    assert counter.until(lambda: all(one["state"] == "delivered" for one in shop.messages(sale["payment"])))
    assert not shop.is_paid(sale["order"]) and shop.left == 10
    refused = requests.post(f"{shop.url}/orders/{sale['order']}/hand_over", timeout=10)
    assert refused.status_code == 409 and "0.00 EUR of 18.50 EUR are paid" in refused.text, refused.text


def test_a_forged_webhook_is_refused(shop):
    sale = shop.buy("pm_card_chargeDeclined")
    body = saying(sale["payment"], sale["order"])
    old = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=10)
    forged = [
        shop.post(body, secret="whsec_" + "QUJD" * 11), shop.post(body, at=old),
        shop.post(body, at=old + datetime.timedelta(minutes=20)), shop.post(body, **{"webhook-id": "msg_b"}),
        shop.post(body, **{"webhook-signature": "v1,"}), shop.post(body, **{"webhook-signature": "v1,AAAA"}),
        shop.post(body, **{"webhook-timestamp": "now"}), requests.post(shop.url + "/till", data=body, timeout=10),
    ]
    assert [answer.status_code for answer in forged] == [400] * len(forged)
    assert shop.post("x" * 30_000).status_code == 413
    assert not shop.is_paid(sale["order"]) and shop.left == 10


def test_a_genuine_webhook_is_a_hint_and_the_counter_decides(shop):
    """Signed with the right secret, and wrong: the payment was declined, or is another order's."""
    sale = shop.buy("pm_card_chargeDeclined")
    assert shop.post(saying(sale["payment"], sale["order"])).status_code == 204
    assert shop.post(saying("pay_nobody", sale["order"]), "msg_b").status_code == 204
    assert not shop.is_paid(sale["order"]) and shop.left == 10


def test_the_same_webhook_twice_counts_once(shop, server):
    sale = shop.buy()
    assert counter.until(lambda: shop.is_paid(sale["order"]))
    (captured,) = [one for one in shop.messages(sale["payment"]) if one["type"] == "payment.captured"]
    assert shop.left == 9
    # Again by the counter itself, then by somebody who repeats it many times at once, then under another name.
    resend = f"/v1/webhook_endpoints/{shop.endpoint}/deliveries/{captured['id']}/resend"
    assert server.request("POST", resend, {}).status_code == 202
    assert counter.until(lambda: any(
        one["id"] == captured["id"] and one["state"] == "delivered" for one in shop.messages(sale["payment"])))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: shop.post(captured["body"], captured["id"]), range(16)))
    assert {answer.status_code for answer in answers} == {204}
    assert shop.post(captured["body"], "msg_other").status_code == 204
    assert shop.left == 9 and shop.is_paid(sale["order"])


def test_the_first_webhook_many_times_at_once_counts_once(shop):
    """All of them before the first one is dealt with: the counter is slow to be read."""
    sale = shop.buy("pm_card_chargeDeclined")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        kept = pool.submit(shop.buy)
        body = saying(kept.result()["payment"], kept.result()["order"])
        answers = list(pool.map(lambda number: shop.post(body, f"msg_{number % 2}"), range(16)))
    assert {answer.status_code for answer in answers} == {204}
    assert counter.until(lambda: shop.is_paid(kept.result()["order"]))
    assert shop.left == 9 and not shop.is_paid(sale["order"])


def test_a_webhook_that_the_counter_does_not_confirm_at_the_moment_comes_again(shop, server):
    """The counter is gone when the message comes: the shop answers with an error, so that it is sent again."""
    sale = shop.buy()
    assert counter.until(lambda: shop.is_paid(sale["order"]))
    declined = shop.buy("pm_card_chargeDeclined")
    server.kill()
    answer = shop.post(saying(declined["payment"], declined["order"]))
    assert answer.status_code == 503, answer.text
    server.start()
    assert shop.post(saying(declined["payment"], declined["order"])).status_code == 204
    assert not shop.is_paid(declined["order"]) and shop.left == 9


@pytest.mark.parametrize("name", ["ShopInPython", "ShopInSwift"])
def test_a_shop_is_short_and_has_nothing_of_till(name):
    files = [path for path in (EXAMPLES / name).iterdir() if path.suffix in (".py", ".swift")]
    text = "".join(path.read_text() for path in files)
    assert 50 < len(text.splitlines()) < 200
    assert not re.search(r"^import (Till|C?till)", text, re.M)


def test_the_python_shop_needs_what_the_tests_have():
    needed = (EXAMPLES / "ShopInPython" / "requirements.txt").read_text().split()
    tested = pathlib.Path(__file__).with_name("requirements.txt").read_text().split("\n")
    rival = (counter.ROOT / "Benchmarks" / "rival" / "requirements.txt").read_text().replace("[standard]", "")
    assert len(needed) == 4 and set(needed) <= set(tested)
    for package in ("fastapi", "uvicorn"):
        assert next(line for line in needed if line.startswith(package + "==")) in rival.split()
