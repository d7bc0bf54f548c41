"""Two accounts at one counter: the owner, with something of every kind, and a stranger with another account's key."""
import contextlib
import json
import socket
import sqlite3
import threading

import requests
import woo

import counter
import terminal
from attention import failed_refund, incident

METHODS = ("get", "post", "put", "patch", "delete")
# What anybody may ask for, so that a key is of no account there.
OPEN = {
    "GET /healthz", "GET /readyz", "GET /openapi.yaml", "POST /webhooks/{provider}",
    "POST /v1/shops/{id}/notifications", "GET /back/{attempt}/{way}",
    # Not by a key: the session of an app is the permission.
    "GET /app/payment", "GET /app/card_fields", "POST /app/pay", "POST /app/session_result",
    "POST /app/cancel", "GET /app/receipt",
    "GET /r/{link}", "POST /session", "DELETE /session", "GET /session/person", "POST /session/person",
    "DELETE /session/person", "POST /session/invitation", "POST /session/invitation/passkey",
    "POST /session/enrolment", "POST /session/password",
    "POST /session/passkey", "GET /session/passkeys", "POST /session/passkeys", "POST /session/passkeys/challenge",
    "DELETE /session/passkeys/{id}", "GET /session/own", "DELETE /session/own", "DELETE /session/own/{id}",
}


class Printer:
    """Somebody who listens where the printer stands, and counts who comes."""

    def __init__(self):
        self.heard = []
        self.listener = socket.create_server(("127.0.0.1", counter.free_port()))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        with contextlib.suppress(OSError):
            while True:
                self.heard.append(self.listener.accept())


@contextlib.contextmanager
def serve(folder, sandbox):
    """The counter of both accounts."""
    terminal.act(sandbox, {"do": "card_time", "milliseconds": 300})
    env = {"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET, "TILL_LIMITS_STREAMS": "16"}
    with counter.Server(folder, *sandbox.flags, env=env) as running:
        running.sandbox = sandbox
        yield running


class Stranger:
    """Who holds a key of the account `other`, with every scope."""

    def __init__(self, server):
        self.server = server
        self.key = counter.succeed("keys", "create", "--account", "other", "--scope", "all", "--journal",
                                   server.journal, "--json")["key"]

    def ask(self, method, path, body=None, key="k-1", **options):
        headers = {"Authorization": "Bearer " + self.key, "Idempotency-Key": key, **options.pop("headers", {})}
        return requests.request(method, self.server.url + path, json=body, headers=headers, timeout=20, **options)


class Owner:
    """What there is of the owner's: a payment that needs a person, an incident, a reader, a printer."""

    def __init__(self, server, printer):
        self.server = server
        flags = ["--journal", server.journal, "--json", *server.sandbox.flags]
        self.reader = counter.succeed("readers", "register", "simulated-wpe", "--label", "Front", *flags)["id"]
        counter.succeed("printers", "add", "bar", f"socket://127.0.0.1:{printer.port}", "--journal", server.journal,
                        "--json")
        self.staff = server.request("POST", "/v1/staff", {"name": "Ann", "role": "manager"}, "ann").json()["id"]
        made = server.request("POST", "/v1/roles", {"name": "bar", "permissions": ["sell"]})
        assert made.status_code == 201, made.text
        server.session()
        (self.session,) = [one["id"] for one in server.request("GET", "/v1/sessions").json()["sessions"]]
        self.sale = failed_refund(server)
        self.refund = server.request("GET", f"/v1/payments/{self.sale['id']}").json()["refunds"][0]["id"]
        self.incident = incident(server)["id"]
        self.basket = server.request("POST", "/v1/applepay/baskets", {
            "order_id": "o-basket", "amount": 1250, "currency": "GBP",
            "items": [{"label": "Tea", "amount": 1250}]}).json().get("id", "basket-none")
        booked = server.request("POST", "/v1/orders", {
            "order_id": "o-1", "amount": 1250, "currency": "EUR", "customer": {"name": "Ada of the owner's"}})
        assert booked.status_code == 201, booked.text
        self.place = f"/v1/terminal/readers/{self.reader}"
        # Of a type that nothing here is of, so that what waits does not change by itself.
        self.webhook = server.request("POST", "/v1/webhook_endpoints", {
            "url": "https://127.0.0.1:1/till", "allow_private": True, "types": ["dispute.closed"]}, "hook").json()["id"]
        self.message = server.request("POST", f"/v1/webhook_endpoints/{self.webhook}/test").json()["id"]
        # It is there to be connected, and gone afterwards.
        with woo.another(server.folder) as shop:
            self.shop = counter.succeed(
                "shop", "connect", shop, "--key", woo.KEY, "--secret", woo.SECRET, "--journal", server.journal,
                "--json", *server.sandbox.flags)["id"]
        self.key = server.request("POST", "/v1/keys", {"label": "Web shop", "scopes": ["read"]}, "key").json()["id"]
        # More days than a stranger closes while every operation is tried.
        for _ in range(9):
            for step, body in (("open", {"currency": "EUR", "float": 15000}), ("count", {"total": 15000}),
                               ("close", {"left": 15000})):
                done = server.request("POST", f"/v1/day/{step}", body)
                assert done.ok, done.text
        # A second drawer, which the stranger does not have.
        opened = server.request("POST", "/v1/day/open", {"currency": "EUR", "float": 15000, "drawer": "bar"})
        assert opened.ok, opened.text
        self.names = {"{number}": "1", "{name}": "bar", "{message}": self.message, "{report}": "9"}

    def path(self, template):
        """The address of the owner's own thing."""
        kinds = {"/v1/payments": self.sale["id"], "/v1/orders": "o-1", "/v1/incidents": self.incident,
                 "/v1/terminal/readers": self.reader, "/v1/terminal/payments": self.sale["id"],
                 "/v1/staff": self.staff, "/v1/sessions": self.session, "/v1/applepay/baskets": self.basket,
                 "/v1/applepay/guests": "guest_0",
                 "/v1/webhook_endpoints": self.webhook, "/v1/shops": self.shop, "/v1/keys": self.key,
                 "/session/own": self.session, "/session/passkeys": "0" * 64}
        for start, name in kinds.items():
            if template.startswith(start + "/"):
                template = template.replace("{id}", name)
        for name, value in self.names.items():
            template = template.replace(name, value)
        assert "{" not in template, f"nobody says what stands in {template}"
        return template

    def query(self, text):
        """The owner's own names in a query."""
        return text.format(payment=self.sale["id"], refund=self.refund, staff=self.staff, message=self.message,
                           shop=self.shop)

    def state(self):
        """All that the owner sees, and how much the journal has of it."""
        get = self.server.request
        addresses = ["/v1/payments", "/v1/orders/o-1", "/v1/attention", "/v1/reconciliation", "/v1/ledger/balances",
                     "/v1/day", "/v1/day/drawers", "/v1/offline", "/v1/keys",
                     "/v1/printers", "/v1/staff", "/v1/roles", "/v1/sessions", f"/v1/webhook_endpoints/{self.webhook}",
                     self.place + "/inputs",
                     f"/v1/payments/{self.sale['id']}/receipt/mails",
                     f"/v1/incidents/{self.incident}", "/v1/terminal/readers"]
        seen = {address: get("GET", address).json() for address in addresses}
        # What was read and sent meanwhile is no change by anybody.
        for name in ("pending", "sequence"):
            seen[f"/v1/webhook_endpoints/{self.webhook}"].pop(name)
        for payment in seen["/v1/payments"]["payments"]:
            seen[payment["id"]] = get("GET", f"/v1/payments/{payment['id']}").json()
        # Only how long it is open goes on.
        text = json.dumps(seen, sort_keys=True)
        seen = json.loads(text, object_hook=lambda o: {k: v for k, v in o.items() if not k.startswith("age")})
        with sqlite3.connect(f"file:{self.server.journal}?mode=ro", uri=True) as journal:
            seen["records"] = journal.execute(
                "SELECT collection, count(*) FROM record WHERE collection IN ('print_job', 'receipt_mail', 'incident', "
                "'order_hold', 'printer') GROUP BY collection ORDER BY collection").fetchall()
        return seen
