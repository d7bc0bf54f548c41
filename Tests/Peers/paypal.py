"""PayPal, as seen by others: its own Python client, its own interface descriptions, and a proxy that writes down
what passes. Nothing here is written from our client."""
import http.server
import json
import os
import pathlib
import threading

import requests

import counter

SPECS = os.environ.get("TILL_PAYPAL_SPECS")
CARD = "4032036247327321"
CODE = "987"
SALE = ["--currency", "EUR", "--card-number", CARD, "--expiry", "11/30", "--cvc", CODE, "--cardholder", "Ada Byron"]


def specification(name):
    """One of PayPal's descriptions; the one pattern of an e-mail address that the validator's regex check refuses is
    taken out. None where the descriptions are not there."""
    if not SPECS:
        return None
    document = json.loads(pathlib.Path(SPECS, name).read_text())

    def clean(value):
        if isinstance(value, dict):
            if "pattern" in value and "(?:[a-zA-Z0-9!#$%" in str(value["pattern"]):
                del value["pattern"]
            for member in value.values():
                clean(member)
        elif isinstance(value, list):
            for member in value:
                clean(member)

    clean(document)
    return document


def description_of(path):
    if path.startswith("/v2/checkout/"):
        return "checkout_orders_v2.json"
    if path.startswith("/v2/payments/"):
        return "payments_payment_v2.json"
    return "vault_payment_tokens_v3.json"


class Proxy:
    """Passes everything on to a server and keeps each request as it was sent."""

    def __init__(self, target):
        self.target, self.requests = target, []
        # What is answered in place of the server, as JSON, by path: a status and a document.
        self.answers = {}
        outer = self

        class Pass(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                outer.requests.append(
                    {"method": self.command, "path": self.path, "headers": dict(self.headers.items()), "body": body}
                )
                if self.path in outer.answers:
                    status, document = outer.answers[self.path]
                    content = json.dumps(document).encode()
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                    return
                skipped = ("host", "connection", "accept-encoding", "content-length")
                headers = {k: v for k, v in self.headers.items() if k.lower() not in skipped}
                got = requests.request(
                    self.command, outer.target + self.path, data=body or None, headers=headers, timeout=30
                )
                self.send_response(got.status_code)
                for name in ("Content-Type", "PayPal-Debug-Id"):
                    if name in got.headers:
                        self.send_header(name, got.headers[name])
                self.send_header("Content-Length", str(len(got.content)))
                self.end_headers()
                self.wfile.write(got.content)

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pass)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def calls(self):
        """Everything but the token service."""
        return [r for r in self.requests if not r["path"].startswith("/v1/oauth2")]


def client(url):
    """PayPal's own client, pointed at a server on this machine."""
    from paypalserversdk.configuration import Configuration, Environment, Server
    from paypalserversdk.http.auth.o_auth_2 import ClientCredentialsAuthCredentials
    from paypalserversdk.paypal_serversdk_client import PaypalServersdkClient

    Configuration.environments[Environment.SANDBOX][Server.DEFAULT] = url
    return PaypalServersdkClient(
        client_credentials_auth_credentials=ClientCredentialsAuthCredentials("shop", "secret"),
        environment=Environment.SANDBOX,
    )


def fault(url, operation, kind, times=1):
    """The next calls of an operation fail at the stand-in."""
    order = {"operation": operation, "fault": kind, "times": times}
    assert requests.post(url + "/_sandbox/faults", json=order, timeout=10).ok


def ledger(url):
    return requests.get(url + "/_sandbox/ledger", timeout=10).json()["charges"]


def charges_of(url, order):
    return [c for c in ledger(url) if c["metadata"].get("description") == "Order " + order]


def advance(url, seconds):
    assert requests.post(url + "/_sandbox/clock", json={"advance_seconds": seconds}, timeout=10).ok


def attach(url, order, holder="Ada Byron"):
    """Attaches a card to a counter's order, as PayPal's SDK does with the client id alone; the order's status after it.
    The name on the card selects what the stand-in makes of it."""
    card = {"number": CARD, "expiry": "2030-12", "security_code": CODE, "name": holder}
    got = requests.post(
        f"{url}/v2/checkout/orders/{order}/confirm-payment-source", auth=("client", ""),
        json={"payment_source": {"card": card}}, timeout=10)
    assert got.ok, got.text
    return got.json()["status"]


def token(url):
    got = requests.post(
        url + "/v1/oauth2/token", data={"grant_type": "client_credentials"}, auth=("shop", "secret"), timeout=10
    )
    return got.json()["access_token"]


class Shop:
    """A shop that sells through PayPal by the command line."""

    def __init__(self, folder, url):
        self.common = ["--journal", folder / "journal.db", "--json", "--provider", "paypal", "--paypal-url", url]

    def sale(self, *more):
        return counter.till("sale", *SALE, *more, *self.common)

    def __call__(self, *arguments):
        return counter.till(*arguments, *self.common)

    def for_people(self, *arguments):
        """The same command with its answer in words."""
        return counter.till(*arguments, *[part for part in self.common if part != "--json"])


JUDGES = {}


def judge(call):
    """Raises if PayPal's description does not allow the request."""
    from openapi_core import OpenAPI
    from openapi_core.contrib.requests import RequestsOpenAPIRequest

    name = description_of(call["path"])
    if name not in JUDGES:
        JUDGES[name] = OpenAPI.from_dict(specification(name))
    headers = {k: v for k, v in call["headers"].items() if k not in ("Host", "Content-Length")}
    request = requests.Request(
        call["method"], "https://api-m.sandbox.paypal.com" + call["path"], headers=headers, data=call["body"] or None
    )
    JUDGES[name].validate_request(RequestsOpenAPIRequest(request))
