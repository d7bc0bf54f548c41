"""Two accounts at one counter. Whoever holds a key of the other one asks every route that the counter describes for
what is the owner's: payments, readers and what customers answered there, a sale that waits for its card, printers,
statements, events. Nothing of it is found, and nothing of it changes.

The routes come from openapi.yaml. One without an entry here fails the test, so none is left out.
"""
import contextlib
import json
import socket
import sqlite3
import threading
import time

import pytest
import requests
import yaml
from test_page_attention import failed_refund, incident

import counter
import terminal

METHODS = ("get", "post", "put", "patch", "delete")
PHONE = {"type": "phone", "title": "Your number?"}

# What anybody may ask for, so that a key is of no account there.
OPEN = {
    "GET /healthz", "GET /readyz", "GET /openapi.yaml", "POST /webhooks/{provider}", "GET /back/{attempt}/{way}",
    "GET /r/{link}", "POST /session", "DELETE /session", "GET /session/person", "POST /session/person",
    "DELETE /session/person",
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


@pytest.fixture
def printer():
    printer = Printer()
    yield printer
    printer.listener.close()


@pytest.fixture
def server(tmp_path, sandbox):
    terminal.act(sandbox, {"do": "card_time", "milliseconds": 300})
    env = {"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET, "TILL_LIMITS_STREAMS": "16"}
    with counter.Server(tmp_path, *sandbox.flags, env=env) as running:
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
        self.sale = failed_refund(server)
        self.incident = incident(server)["id"]
        self.place = f"/v1/terminal/readers/{self.reader}"
        self.names = {"{number}": "1", "{name}": "bar"}

    def path(self, template):
        """The address of the owner's own thing."""
        kinds = {"/v1/payments": self.sale["id"], "/v1/orders": "o-1", "/v1/incidents": self.incident,
                 "/v1/terminal/readers": self.reader, "/v1/terminal/payments": self.sale["id"],
                 "/v1/staff": self.staff}
        for start, name in kinds.items():
            if template.startswith(start + "/"):
                template = template.replace("{id}", name)
        for name, value in self.names.items():
            template = template.replace(name, value)
        assert "{" not in template, f"nobody says what stands in {template}"
        return template

    def state(self):
        """All that the owner sees, and how much the journal has of it."""
        get = self.server.request
        addresses = ["/v1/payments", "/v1/attention", "/v1/reconciliation", "/v1/ledger/balances", "/v1/offline",
                     "/v1/printers", "/v1/staff", self.place + "/inputs",
                     f"/v1/payments/{self.sale['id']}/receipt/mails",
                     f"/v1/incidents/{self.incident}", "/v1/terminal/readers"]
        seen = {address: get("GET", address).json() for address in addresses}
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


def bodies(owner):
    """What is sent to each address, such that it would work for the owner."""
    return {
        "POST /v1/payments": {"order_id": "x-1", "amount": 1250, "currency": "EUR"},
        "POST /v1/payments/{id}/confirm": {"tender": {"type": "cash"}},
        "POST /v1/payments/{id}/capture": {}, "POST /v1/payments/{id}/cancel": {},
        "POST /v1/payments/{id}/refunds": {"amount": 100},
        "POST /v1/payments/{id}/attention/{number}/resolve": {
            "resolution": "refunded_elsewhere", "evidence": "x", "actor": "y"},
        "POST /v1/incidents/{id}/resolve": {"evidence": "x", "actor": "y", "outcome": "not_paid"},
        "POST /v1/reconciliation/statements": {},
        "POST /v1/payments/{id}/receipt/link": {}, "POST /v1/payments/{id}/receipt/print": {"printer": "bar"},
        "POST /v1/payments/{id}/receipt/send": {"to": "thief@example.com"},
        "POST /v1/tap/card": {"payment": owner.sale["id"], "card": "visa"},
        "POST /v1/tap/cancel": {"payment": owner.sale["id"]},
        "POST /v1/terminal/readers/{id}/cancel": {}, "POST /v1/terminal/readers/{id}/card": {"card": "visa"},
        "POST /v1/terminal/readers/{id}/inputs": {"inputs": [PHONE]},
        "POST /v1/terminal/readers/{id}/answers": {"customer": "answers"},
        "POST /v1/terminal/connection_tokens": {},
        "POST /v1/terminal/payments": {"order_id": "o-1", "amount": 1250, "currency": "EUR"},
        "POST /v1/terminal/payments/{id}/settle": {},
        "POST /v1/staff": {"name": "Eve", "role": "owner"}, "PATCH /v1/staff/{id}": {"role": "owner"},
        "POST /v1/approvals": {
            "action": "refund", "payment": owner.sale["id"], "amount": 100, "staff": owner.staff, "pin": "493817"},
    }


def nothing(document):
    """Lists are empty, counts are zero; what is no list says nothing of anybody."""
    return all(value in ([], 0, False) for name, value in document.items() if name not in NEUTRAL)


# The counter's own words, of no account.
NEUTRAL = {"formats", "maximum_bytes", "maximum_lines", "sequence", "at", "complete", "position", "roles"}
# What answers a stranger at all: with nothing, with what is the stranger's own, or, said here, in a way of its own.
ANSWERS = {"GET /v1/payments", "GET /v1/attention", "GET /v1/reconciliation", "GET /v1/ledger/balances",
           "GET /v1/roles", "GET /v1/staff"}
QUERIES = {
    "GET /v1/payments": ["", "?order_id=o-1", "?status=succeeded", "?before={payment}"],
    "GET /v1/tap/story": ["?payment={payment}"], "GET /v1/events": ["?payment={payment}"],
}


def described(server):
    """Every operation with the scope that it needs, as the counter itself describes them."""
    document = yaml.safe_load(requests.get(server.url + "/openapi.yaml", timeout=10).text)
    return {f"{method.upper()} {path}": operation.get("x-till-scope")
            for path, item in document["paths"].items() for method, operation in item.items() if method in METHODS}


def try_everything(owner, stranger, server):
    """Each route with the owner's own identifiers. What is found is an assertion that fails."""
    sent = bodies(owner)
    tried = set()
    for name, scope in described(server).items():
        if scope is None:
            assert name in OPEN, f"{name} needs no scope, and nobody said why"
            continue
        method, template = name.split(" ")
        assert method == "GET" or name in sent, f"{name} is not tried: say what is sent there"
        for query in QUERIES.get(name, [""]):
            path = owner.path(template) + query.replace("{payment}", owner.sale["id"])
            # Under the keys that the owner used, too: an answer that was kept is nobody else's.
            for key in ("k-1", "c-o-1", "s-o-1", "r-o-1"):
                answer = stranger.ask(method, path, sent.get(name), key)
                what = f"{method} {path} -> {answer.status_code} {answer.text}"
                assert answer.headers.get("Idempotent-Replayed") != "true" or name == "POST /v1/payments", what
                if name == "POST /v1/payments":
                    assert answer.status_code in (201, 409) and owner.sale["id"] not in answer.text, what
                elif name == "POST /v1/staff":
                    # The stranger's own, whom nobody else sees.
                    assert answer.status_code in (201, 409) and owner.staff not in answer.text, what
                elif name in ANSWERS and answer.status_code == 200:
                    found = answer.json()
                    found["payments"] = [p for p in found.get("payments", []) if p["id"] == owner.sale["id"]]
                    found["staff"] = [p for p in found.get("staff", []) if p["id"] == owner.staff]
                    found.pop("has_more", None)
                    assert nothing(found), what
                else:
                    assert answer.status_code in (403, 404), what
                    assert "scope_needed" not in answer.text, "this key has every scope"
                assert owner.incident not in answer.text.replace(path, ""), what
                if method == "GET":
                    break
        tried.add(name)
    assert set(sent) <= tried, "what is said to be sent is sent to nobody"
    return tried


def test_a_key_of_another_account_finds_and_changes_nothing(server, printer):
    owner = Owner(server, printer)
    stranger = Stranger(server)
    # First a customer's number stands at the reader,
    assert server.request("POST", owner.place + "/inputs", {"inputs": [PHONE]}).ok
    said = server.request("POST", owner.place + "/answers", {"customer": "answers"}).json()["answers"]
    assert said[0]["value"], "there is a number to be read"
    before = owner.state()
    tried = try_everything(owner, stranger, server)
    assert len(tried) > 35
    assert owner.state() == before and printer.heard == []
    # then a sale waits for its card.
    made = server.create("o-2", "c-o-2").json()
    done = {}
    sale = threading.Thread(target=lambda: done.update(
        server.confirm(made["id"], "s-o-2", {"type": "reader", "reader": "Front"}).json()))
    sale.start()
    assert counter.until(lambda: server.request("GET", "/v1/terminal/readers").json()["readers"][0]["busy"])
    before = owner.state()
    try_everything(owner, stranger, server)
    assert owner.state() == before and printer.heard == [] and sale.is_alive()
    assert server.request("POST", owner.place + "/card", {"card": "visa"}).ok
    sale.join(20)
    assert done["status"] == "succeeded" and done["captured"] == 1250
    # The owner finds all of it: what the stranger was refused is there.
    sent = bodies(owner)
    for name in sorted(tried - {"GET /v1/events"}):
        method, template = name.split(" ")
        for query in QUERIES.get(name, [""])[:1]:
            path = owner.path(template) + query.replace("{payment}", owner.sale["id"])
            answer = server.request(method, path, sent.get(name), "owner-" + name.replace(" ", "-"))
            assert answer.status_code not in (401, 403, 404), f"{name} -> {answer.status_code} {answer.text}"
    assert counter.till("journal", "verify", "--journal", server.journal, "--json").json["ok"] is True


def test_an_account_sells_without_the_owners_readers_and_paper(server, printer):
    owner = Owner(server, printer)
    stranger = Stranger(server)
    mine = stranger.ask("POST", "/v1/payments", {"order_id": "x", "amount": 700, "currency": "EUR"}, "c").json()
    for reader in ("Front", owner.reader, "simulated", "tap"):
        refused = stranger.ask("POST", f"/v1/payments/{mine['id']}/confirm",
                               {"tender": {"type": "reader", "reader": reader}}, "s-" + reader)
        assert (refused.status_code, refused.json()["code"]) == (404, "reader_not_found"), refused.text
        assert refused.json()["money_moved"] == "no"
    assert server.request("GET", "/v1/terminal/readers").json()["readers"][0]["busy"] is False
    paid = stranger.ask("POST", f"/v1/payments/{mine['id']}/confirm", {"tender": {"type": "cash"}}, "s")
    assert paid.json()["status"] == "succeeded"
    back = stranger.ask("POST", f"/v1/payments/{mine['id']}/refunds", {"amount": 100, "reader": "Front"}, "r")
    assert (back.status_code, back.json()["code"]) == (404, "reader_not_found")
    for name in ("bar", "nowhere"):
        printed = stranger.ask("POST", f"/v1/payments/{mine['id']}/receipt/print", {"printer": name})
        assert printed.status_code == 422, "one that is there and one that is not look the same"
    assert printer.heard == []
    assert mine["id"] not in server.request("GET", "/v1/payments").text


def test_the_stream_of_another_account_says_nothing_of_the_owners(server, printer):
    owner, stranger = Owner(server, printer), Stranger(server)
    stream = stranger.ask("GET", "/v1/events", headers={"Last-Event-ID": "0"}, stream=True)
    heard = []

    def read():
        with contextlib.suppress(requests.RequestException):
            heard.extend(line for line in stream.iter_lines(chunk_size=1, decode_unicode=True) if line)

    threading.Thread(target=read, daemon=True).start()
    server.confirm(server.create("o-9", "c-9").json()["id"], "s-9", counter.CARD_TENDER)
    mine = stranger.ask("POST", "/v1/payments", {"order_id": "x", "amount": 700, "currency": "EUR"}, "c").json()
    assert counter.until(lambda: any(mine["id"] in line for line in heard), 5)
    time.sleep(0.5)
    assert all(mine["id"] in line for line in heard if line.startswith("data: {\"sequence\"")), heard
    assert owner.sale["id"] not in "".join(heard)


def test_one_account_cannot_take_every_place(server):
    stranger = Stranger(server)
    streams = [stranger.ask("GET", "/v1/events", stream=True) for _ in range(12)]
    assert [s.status_code for s in streams] == [200] * 4 + [429] * 8, "a quarter of sixteen"
    assert streams[-1].json()["code"] == "too_many_streams"
    mine = [requests.get(server.url + "/v1/events", headers={"Authorization": "Bearer " + server.api_key}, stream=True,
                         timeout=20) for _ in range(12)]
    assert [s.status_code for s in mine] == [200] * 12
    for stream in streams + mine:
        stream.close()
