"""A customer's app (Examples/AppCheckout) as a process that may be killed, and what its customer does at the provider:
each way to pay, with the stand-in that it needs."""
import json
import os
import pathlib
import queue
import signal
import subprocess
import threading

import pytest
import requests

import counter
import paypal
from adyen_shop import HMAC_KEY

PRICE = 1250
PAID, NOT_BEGUN, NOT_CHARGED, NOT_KNOWN = range(4)


def program():
    path = pathlib.Path(counter.binary()).resolve().parent / "AppCheckout"
    if not os.access(path, os.X_OK):
        pytest.fail(f"there is no {path}: build it", pytrace=False)
    return path


class App:
    """One life of the app. Without a session it has the one that is in its state."""

    def __init__(self, server, state, *words, session=None, url=None):
        places = {"TILL_COUNTER": url or server.url, "TILL_APP_SESSION": session, "TILL_APP_STATE": state}
        env = {name: value for name, value in os.environ.items() if name not in places}
        env |= {name: str(value) for name, value in places.items() if value is not None}
        with open(server.folder / "app.log", "a") as log:
            self.process = subprocess.Popen(
                [program(), "--json", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env=env)
        counter.Server.started.append(self.process)
        self.said, self.lines = [], queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.process.stdout:
                self.lines.put(json.loads(line))
        finally:
            self.lines.put(None)

    def next(self, seconds=200):
        """What it says next; None at its end."""
        try:
            document = self.lines.get(timeout=seconds)
        except queue.Empty:
            self.kill()
            pytest.fail(f"the app is silent after {self.said}")
        if document is not None:
            self.said.append(document)
        return document

    def answer(self, line=""):
        """What the customer, or the provider's SDK, reports of a step."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended without the answer

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, line="", step=None):
        """Its exit code, and what it said last. Each step on the way is answered with the line; one that an earlier
        life has asked for is the same one."""
        while (document := self.next()) is not None:
            if is_step(document):
                assert step is None or set(document) != set(step) or document == step, (document, step)
                self.answer(line)
        assert self.said, f"the app said nothing: {self.process.wait(30)}"
        return self.process.wait(30), self.said[-1]


def is_step(document):
    return not {"page", "order_id", "adyen_session"}.isdisjoint(document)


def opened(server, order="1001", minor=PRICE):
    """A payment, and the session that the shop's server hands to its app."""
    payment = server.create(order, f"create-{order}", minor).json()["id"]
    answer = server.request("POST", f"/v1/payments/{payment}/app_session", {})
    assert answer.status_code == 201, answer.text
    return payment, answer.text


def finish(server, state, line="", step=None):
    """Starts the app, with its state alone, until the order is paid."""
    for _ in range(5):
        code, last = App(server, state, "resume").end(line, step)
        if code == PAID:
            return last
        assert code == NOT_KNOWN, last
    pytest.fail(f"it is not paid: {last}")


def died(server, seconds=60):
    """Waits for a counter that is to be killed at a point."""
    assert server.process.wait(seconds) == -signal.SIGKILL
    server.env.pop("TILL_FAILPOINT")


class Way:
    """A way to pay: the app's command, the counter, and what the customer does when the app has asked for a step."""

    stand_in, command = "stand_in", None
    # What the customer's own act takes, before the counter asks for anything.
    taken = 0

    def __init__(self, url):
        self.url = url

    def charges(self):
        return requests.get(self.url + "/_sandbox/ledger", timeout=10).json()["charges"]

    def captured(self):
        return [charge["captured"] for charge in self.charges() if charge["captured"]]

    def deliver(self):
        """The provider's webhook, where the money is not known without it."""

    def check(self, server, payment):
        """One capture of the whole amount, one payment, and a journal that is in order."""
        assert self.captured() == [PRICE], self.charges()
        found = server.request("GET", f"/v1/payments/{payment}").json()
        assert (found["status"], found["captured"], found["refunded"]) == ("succeeded", PRICE, 0), found
        assert len([a for a in found["attempts"] if a["status"] == "authorized"]) == 1, found
        assert [p["id"] for p in server.request("GET", "/v1/payments").json()["payments"]] == [payment]
        verified = counter.succeed("journal", "verify", "--journal", server.journal, "--json")
        assert verified["ok"] is True, verified


class PayPalAccount(Way):
    """The customer approves on PayPal's page, and does not come back to the counter from there."""

    command = "paypal"

    def counter(self, folder, **env):
        port = counter.free_port()
        return counter.Server(
            folder, "--provider", "paypal", "--paypal-url", self.url, "--receipt-url", f"http://127.0.0.1:{port}",
            port=port, env=env)

    def act(self, step):
        back = requests.post(step["page"], data={"answer": "confirm"}, allow_redirects=False, timeout=10)
        assert back.status_code == 303, back.text
        return ""


class PayPalCard(PayPalAccount):
    """PayPal's SDK attaches the card to the counter's order."""

    command = "paypal-card"

    def act(self, step):
        assert paypal.attach(self.url, step["order_id"]) == "APPROVED"
        return ""


class PayPalChallenge(PayPalCard):
    """PayPal's SDK attaches the card, and its bank asks the customer."""

    def act(self, step, word="confirm"):
        assert paypal.attach(self.url, step["order_id"], "SCA-REQUIRED") == "PAYER_ACTION_REQUIRED"
        asked = f"{self.url}/_sandbox/challenge/{step['order_id']}"
        answer = requests.post(asked, data={"answer": word}, allow_redirects=False, timeout=10)
        assert answer.status_code in (200, 303), answer.text
        return ""


class AdyenSession(Way):
    """Adyen's SDK takes the card in the counter's session. Adyen's webhook comes late."""

    stand_in, command, taken = "adyen_url", "adyen", PRICE

    def counter(self, folder, **env):
        server = counter.Server(folder, env={
            "TILL_PROVIDER": "adyen", "TILL_ADYEN_URL": self.url, "TILL_ADYEN_MERCHANT_ACCOUNT": "TillTest",
            "TILL_ADYEN_KEY": "key", "TILL_ADYEN_HMAC_KEY": HMAC_KEY, **env})
        hook = {"url": server.url + "/webhooks/adyen", "hmac_key": HMAC_KEY}
        assert requests.post(self.url + "/_sandbox/webhooks", json=hook, timeout=10).json()["ok"]
        return server

    def act(self, step):
        """Returns the `sessionResult`."""
        return self.browse(**step["adyen_session"], do="pay", webhook="late")["sessionResult"]

    def browse(self, **asked):
        answer = requests.post(self.url + "/_sandbox/sessions", json=asked, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def deliver(self):
        self.browse(do="deliver")


class BraintreeNonce(Way):
    """Braintree's SDK has made a nonce: the app pays with it, and asks for no step."""

    stand_in, command = "braintree_url", "pay"

    def counter(self, folder, **env):
        return counter.Server(folder, "--provider", "braintree", "--braintree-url", self.url, env=env)
