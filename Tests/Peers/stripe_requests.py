#!/usr/bin/env python3
"""Records, byte for byte, what Stripe's own Python library sends.

A capture server on loopback answers each call with a plausible object and keeps the request. The
result is one JSON file: an array of calls, each with its name, method, path, query, the raw body as
text, the decoded fields in the order they were sent, and the headers. A Swift test compares our client
with it; the file is deterministic (version 16.1.0 of the library, fixed keys), so it can be committed.

    Tests/Peers/stripe_requests.py [--output FILE]      default: standard output
"""
import argparse
import http.server
import json
import threading
import urllib.parse

import stripe

# Values that differ from machine to machine and say nothing about the wire format.
VOLATILE_HEADERS = {"host", "x-stripe-client-user-agent", "content-length", "x-stripe-client-telemetry"}


class Capture(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests: list = []

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode("ascii")
        path, _, query = self.path.partition("?")
        Capture.requests.append(
            {
                "method": self.command,
                "path": path,
                "query": query,
                "body": body,
                "fields": [list(pair) for pair in urllib.parse.parse_qsl(body or query, keep_blank_values=True)],
                "headers": {
                    name: value for name, value in self.headers.items() if name.lower() not in VOLATILE_HEADERS
                },
            }
        )
        kind = "refund" if "/refunds" in path else "payment_intent"
        identifier = path.split("/")[3] if path.count("/") >= 3 else kind + "_1"
        answer = {"id": identifier, "object": kind, "amount": 1250, "currency": "eur", "status": "succeeded"}
        if self.command == "GET" and path.count("/") == 2:
            answer = {"object": "list", "url": path, "has_more": False, "data": []}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Request-Id", "req_capture")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


def calls(client):
    """Each call once, with the arguments the Swift test repeats."""
    intents = client.v1.payment_intents
    refunds = client.v1.refunds
    card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"}

    def key(value):
        return {"idempotency_key": value}

    yield "create", lambda: intents.create(
        {
            "amount": 1250,
            "currency": "eur",
            "confirm": False,
            "capture_method": "manual",
            "payment_method_types": ["card"],
            "metadata": {"order_id": "o-123", "payment_id": "pay_1"},
        },
        key("key-create"),
    )
    yield "create_awkward_text", lambda: intents.create(
        {
            "amount": 1250,
            "currency": "eur",
            "description": "Café & Söhne: 100% [a]+b=c ~*'()!/?@",
            "metadata": {"note with space": "line\nbreak", "emoji": "☕", "empty": ""},
        },
        key("key-awkward"),
    )
    yield "create_and_confirm", lambda: intents.create(
        {
            "amount": 1250,
            "currency": "eur",
            "confirm": True,
            "capture_method": "automatic",
            "payment_method_types": ["card", "card_present"],
            "payment_method": "pm_card_visa",
            "expand": ["latest_charge"],
        },
        key("key-create-confirm"),
    )
    yield "create_payment_method", lambda: client.v1.payment_methods.create(
        {"type": "card", "card": card}, key("key-pm")
    )
    yield "confirm_with_card", lambda: intents.confirm(
        "pi_123", {"payment_method_data": {"type": "card", "card": card}}, key("key-confirm")
    )
    yield "confirm_with_payment_method", lambda: intents.confirm(
        "pi_123", {"payment_method": "pm_1"}, key("key-confirm-pm")
    )
    yield "confirm_expanded", lambda: intents.confirm(
        "pi_123", {"expand": ["latest_charge"]}, key("key-confirm-expanded")
    )
    yield "confirm_with_return_address", lambda: intents.confirm(
        "pi_123",
        {"expand": ["latest_charge"], "return_url": "https://shop.example/back/pay_1-a1/success?state=S"},
        key("key-confirm-return"),
    )
    yield "confirm_without_fields", lambda: intents.confirm("pi_123", None, key("key-confirm-empty"))
    yield "capture", lambda: intents.capture("pi_123", {"amount_to_capture": 1000}, key("key-capture"))
    yield "capture_all", lambda: intents.capture("pi_123", None, key("key-capture-all"))
    yield "cancel", lambda: intents.cancel(
        "pi_123", {"cancellation_reason": "requested_by_customer"}, key("key-cancel")
    )
    yield "retrieve", lambda: intents.retrieve("pi_123")
    yield "retrieve_expanded", lambda: intents.retrieve("pi_123", {"expand": ["latest_charge"]})
    yield "list", lambda: intents.list({"limit": 100, "created": {"gte": 1700000000}})
    yield "list_next_page", lambda: intents.list({"limit": 100, "starting_after": "pi_123"})
    yield "refund", lambda: refunds.create(
        {
            "payment_intent": "pi_123",
            "amount": 500,
            "metadata": {"order_id": "o-123", "refund_id": "ref_1"},
            "reason": "requested_by_customer",
        },
        key("key-refund"),
    )
    yield "retrieve_refund", lambda: refunds.retrieve("re_123")
    yield "list_refunds", lambda: refunds.list({"payment_intent": "pi_123", "limit": 100})


def record():
    """Runs every call against the capture server and returns what arrived."""
    Capture.requests = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Capture)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = stripe.StripeClient(
        "sk_test_peer",
        base_addresses={"api": f"http://127.0.0.1:{server.server_port}"},
        max_network_retries=0,
    )
    recorded = []
    for name, call in calls(client):
        call()
        recorded.append({"name": name, **Capture.requests[-1]})
    server.shutdown()
    return {"library": "stripe-python " + stripe.VERSION, "calls": recorded}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output")
    arguments = parser.parse_args()
    text = json.dumps(record(), indent=2, ensure_ascii=False) + "\n"
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
