"""Two accounts at one counter. Whoever holds a key of the other one asks every route that the counter describes for
what is the owner's: payments, readers and what customers answered there, a sale that waits for its card, printers,
statements, events. Nothing of it is found, and nothing of it changes.

The routes come from openapi.yaml. One without an entry here fails the test, so none is left out.
"""
import contextlib
import threading
import time

import pytest
import requests
import yaml

import counter
import tenants
from tenants import METHODS, OPEN, Owner, Printer, Stranger

PHONE = {"type": "phone", "title": "Your number?"}
BASKET = {"order_id": "o-basket", "amount": 900, "currency": "GBP", "items": [{"label": "Tea", "amount": 900}]}


@pytest.fixture
def printer():
    printer = Printer()
    yield printer
    printer.listener.close()


@pytest.fixture
def server(tmp_path, sandbox):
    with tenants.serve(tmp_path, sandbox) as running:
        yield running


def bodies(owner):
    """What is sent to each address, such that it would work for the owner."""
    return {
        "POST /v1/payments": {"order_id": "x-1", "amount": 1250, "currency": "EUR"},
        "POST /v1/payments/{id}/confirm": {"tender": {"type": "cash"}},
        "POST /v1/payments/{id}/capture": {}, "POST /v1/payments/{id}/cancel": {},
        "POST /v1/payments/{id}/refunds": {"amount": 100}, "POST /v1/payments/{id}/notes": {"text": "x"},
        "POST /v1/payments/{id}/attention/{number}/resolve": {
            "resolution": "refunded_elsewhere", "evidence": "x", "actor": "y"},
        "POST /v1/payments/{id}/attention/{number}/assign": {"assignee": "y"},
        "POST /v1/incidents/{id}/assign": {"assignee": "y"},
        "POST /v1/incidents/{id}/resolve": {"evidence": "x", "actor": "y", "outcome": "not_paid"},
        "POST /v1/reconciliation/statements": {},
        "POST /v1/payments/{id}/receipt/link": {}, "POST /v1/payments/{id}/receipt/print": {"printer": "bar"},
        "POST /v1/printers": {"name": "thief", "address": "socket://127.0.0.1:9"}, "DELETE /v1/printers/{name}": None,
        "POST /v1/printers/{name}/drawer": {}, "POST /v1/printers/{name}/test": {},
        "POST /v1/keys": {"label": "Thief", "scopes": ["read"]}, "POST /v1/keys/{id}/revoke": {},
        "POST /v1/keys/renew": {},
        "POST /v1/shops": {"url": "https://127.0.0.1:1", "key": "ck_thief", "secret": "cs_thief", "test_shop": True},
        "DELETE /v1/shops/{id}": None,
        "POST /v1/payments/{id}/receipt/send": {"to": "thief@example.com"},
        "POST /v1/tap/card": {"payment": owner.sale["id"], "card": "visa"},
        "POST /v1/tap/cancel": {"payment": owner.sale["id"]},
        "POST /v1/terminal/readers": {"code": "simulated-wpe", "label": "Thief"},
        "PATCH /v1/terminal/readers/{id}": {"label": "Thief"}, "DELETE /v1/terminal/readers/{id}": None,
        "POST /v1/terminal/readers/{id}/cancel": {}, "POST /v1/terminal/readers/{id}/card": {"card": "visa"},
        "POST /v1/terminal/readers/{id}/inputs": {"inputs": [PHONE]},
        "POST /v1/terminal/readers/{id}/answers": {"customer": "answers"},
        "POST /v1/terminal/connection_tokens": {},
        "POST /v1/terminal/payments": {"order_id": "o-1", "amount": 1250, "currency": "EUR"},
        "POST /v1/terminal/payments/{id}/settle": {},
        "POST /v1/applepay/baskets": BASKET, "PUT /v1/applepay/baskets/{id}": BASKET,
        "DELETE /v1/applepay/baskets/{id}": None, "POST /v1/applepay/guests/redeem": {"token": "0" * 64},
        "DELETE /v1/applepay/guests/{id}": None,
        "POST /v1/payments/{id}/card_session": {"origin": "https://shop.example"},
        "POST /v1/payments/{id}/app_session": {},
        "POST /v1/payments/{id}/session_result": {"session_result": "x"},
        "POST /v1/webhook_endpoints": {"url": "https://thief.example/", "types": ["dispute.closed"]},
        "PATCH /v1/webhook_endpoints/{id}": {"types": ["dispute.opened"]},
        "DELETE /v1/webhook_endpoints/{id}": None, "POST /v1/webhook_endpoints/{id}/rotate": {},
        "POST /v1/webhook_endpoints/{id}/test": {},
        "POST /v1/webhook_endpoints/{id}/deliveries/{message}/resend": {},
        "POST /v1/orders": {"order_id": "x-9", "amount": 1250, "currency": "EUR"},
        "PUT /v1/orders/{id}": {"order_id": "o-1", "amount": 1, "currency": "EUR"},
        "POST /v1/orders/{id}/payments": {"amount": 100}, "POST /v1/orders/{id}/ready": {},
        "POST /v1/orders/{id}/fulfil": {"accept_unpaid": True}, "POST /v1/orders/{id}/cancel": {},
        "POST /v1/orders/{id}/reopen": {}, "DELETE /v1/orders/{id}/contact": None,
        "POST /v1/day/open": {"currency": "EUR", "float": 100},
        "POST /v1/day/cash": {"kind": "paid_in", "amount": 100, "reason": "x"},
        "POST /v1/day/count": {"total": 100}, "POST /v1/day/close": {"left": 0, "reason": "x"},
        "POST /v1/day/resume": {}, "POST /v1/day/drawer": {"drawer": "bar"},
        "POST /v1/day/reports/{report}/print": {"printer": "bar"},
        "POST /v1/staff": {"name": "Eve", "role": "owner"}, "PATCH /v1/staff/{id}": {"role": "owner"},
        "DELETE /v1/staff/{id}": None, "POST /v1/roles": {"name": "thief", "permissions": ["sell"]},
        "PUT /v1/roles/{name}": {"permissions": ["sell", "drawer"]}, "DELETE /v1/roles/{name}": None,
        "POST /v1/staff/{id}/invitation": {}, "DELETE /v1/sessions/{id}": None,
        "POST /v1/approvals": {
            "action": "refund", "payment": owner.sale["id"], "amount": 100, "staff": owner.staff, "pin": "493817"},
    }


def nothing(document):
    """Lists are empty, counts are zero, places are none; what is no list says nothing of anybody."""
    return all(value in ([], 0, False, None) for name, value in document.items() if name not in NEUTRAL)


# The counter's own words, of no account.
NEUTRAL = {"formats", "maximum_bytes", "maximum_lines", "sequence", "at",
           "complete", "position", "roles", "cursor", "next"}
# What answers a stranger at all: with nothing, with what is the stranger's own, or, said here, in a way of its own.
ANSWERS = {"GET /v1/payments", "GET /v1/attention", "GET /v1/reconciliation", "GET /v1/ledger/balances",
           "GET /v1/roles", "GET /v1/staff", "GET /v1/sessions", "GET /v1/webhook_endpoints",
           "GET /v1/orders", "GET /v1/shops", "GET /v1/keys"}
PAYMENTS_FILE = "GET /v1/payments.csv"
INSIGHTS = {"GET /v1/insights", "GET /v1/insights.csv"}
QUERIES = {
    "GET /v1/payments": ["", "?order_id=o-1", "?status=succeeded", "?before={payment}", "?q=o-1", "?q={payment}",
                         "?card=4242", "?staff={staff}", "?shop={shop}"],
    PAYMENTS_FILE: ["", "?before={payment}", "?q=o-1", "?q={payment}", "?card=4242", "?staff={staff}",
                    "?shop={shop}"],
    "GET /v1/payments/{id}": ["", "?request=k-1"],
    "GET /v1/tap/story": ["?payment={payment}"], "GET /v1/events": ["?payment={payment}"],
    "GET /v1/payments/{id}/receipt": ["", "?format=html", "?refund={refund}"],
    "GET /v1/orders/{id}/receipt": ["", "?format=html", "?refund={refund}"],
    "GET /v1/audit": ["", "?actor={staff}", "?before=9"], "GET /v1/day/reports": ["", "?before=9", "?drawer=bar"],
    "GET /v1/day": ["", "?drawer=bar"], "GET /v1/day/report": ["", "?drawer=bar"],
    "GET /v1/day/report.csv": ["", "?drawer=bar"],
    "GET /v1/day/reports/{report}": ["", "?drawer=bar"], "GET /v1/day/reports/{report}.csv": ["", "?drawer=bar"],
    "GET /v1/day/report.pdf": ["", "?drawer=bar"], "GET /v1/day/reports/{report}.pdf": ["", "?drawer=bar"],
    "GET /v1/orders": ["", "?q=o-1", "?before=x-9", "?state=open", "?paid=false"],
    "GET /v1/webhook_endpoints/{id}/deliveries": ["", "?before={message}"],
    "POST /v1/reconciliation/statements": ["", "?provider=stripe&provider_account=acct_sandbox"],
}
# Parameters that name nothing of anybody.
ORDERS_STREAM = "GET /v1/orders/events"
PLAIN = {"limit", "status", "format", "width", "copy", "language", "after", "since", "provider", "tender", "from",
         "until", "amount_from", "amount_until", "currency", "zone"}


def description(server):
    return yaml.safe_load(requests.get(server.url + "/openapi.yaml", timeout=10).text)


def described(server):
    """Every operation with the scope that it needs, as the counter itself describes them."""
    document = description(server)
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
        if name == ORDERS_STREAM:
            continue  # it has no end: a test of its own reads it
        method, template = name.split(" ")
        assert method == "GET" or name in sent, f"{name} is not tried: say what is sent there"
        for query in QUERIES.get(name, [""]):
            path = owner.path(template) + owner.query(query)
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
                elif name == "POST /v1/roles":
                    # The stranger's own, too.
                    assert answer.status_code == 201 and answer.json()["name"] == "thief", what
                elif name == "POST /v1/keys":
                    # The stranger's own, too; under a key that made one before nothing more is made.
                    assert answer.status_code in (201, 409) and owner.key not in answer.text, what
                elif name == "POST /v1/shops":
                    # The stranger's own, which would be on the owner's machine.
                    assert answer.status_code == 422 and answer.json()["code"] == "shop_address_inside", what
                elif name == "POST /v1/keys/renew":
                    # The stranger's own key, which is no session of a device.
                    assert answer.status_code == 409 and owner.key not in answer.text, what
                elif name == "POST /v1/orders":
                    # The stranger's own.
                    assert answer.status_code in (200, 201) and "Ada" not in answer.text, what
                elif name == "POST /v1/webhook_endpoints":
                    # Also the stranger's own.
                    assert answer.status_code in (201, 409) and owner.webhook not in answer.text, what
                elif name.removeprefix("GET ").removeprefix("POST ").startswith("/v1/day") and "{report}" not in name:
                    # The stranger's own drawer, which was opened with other cash.
                    assert answer.status_code in (200, 201, 409), what
                    assert "15000" not in answer.text, what
                elif name == PAYMENTS_FILE:
                    # The stranger's own, or the head alone.
                    assert answer.status_code == 200 and answer.text.startswith("created_at,"), what
                    assert owner.sale["id"] not in answer.text and ",o-1," not in answer.text, what
                elif name in INSIGHTS:
                    # The stranger's own figures, which have no sale.
                    assert answer.status_code == 200, what
                    assert owner.sale["id"] not in answer.text and '"captures":1' not in answer.text, what
                    assert ",EUR,1," not in answer.text and '"payouts":{' not in answer.text, what
                elif name in ANSWERS and answer.status_code == 200:
                    found = answer.json()
                    found["webhook_endpoints"] = [
                        e for e in found.get("webhook_endpoints", []) if e["id"] == owner.webhook]
                    found["keys"] = [k for k in found.get("keys", []) if k["account"] != "other"]
                    found["orders"] = [o for o in found.get("orders", []) if o["id"] == "o-1"]
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
    # A guest's token, which is not there, is the one thing that is not found. What is deleted is deleted last.
    last = ["DELETE /v1/roles/{name}", "DELETE /v1/webhook_endpoints/{id}", "DELETE /v1/shops/{id}",
            "DELETE /v1/printers/{name}", "PATCH /v1/terminal/readers/{id}",
            "DELETE /v1/terminal/readers/{id}"]
    for name in sorted(tried - {"GET /v1/events", "POST /v1/applepay/guests/redeem", *last}) + last:
        method, template = name.split(" ")
        for query in QUERIES.get(name, [""])[:1]:
            path = owner.path(template) + owner.query(query)
            answer = server.request(method, path, sent.get(name), "owner-" + name.replace(" ", "-"))
            assert answer.status_code not in (401, 403, 404), f"{name} -> {answer.status_code} {answer.text}"
    assert counter.till("journal", "verify", "--journal", server.journal, "--json").json["ok"] is True


def test_every_parameter_that_names_something_is_tried(server):
    document = description(server)
    shared = document["components"]["parameters"]
    for path, item in document["paths"].items():
        for method in set(METHODS) & set(item):
            operation, name = item[method], f"{method.upper()} {path}"
            if name in OPEN:
                continue
            all_of_it = [shared[one["$ref"].split("/")[-1]] if "$ref" in one else one
                         for one in item.get("parameters", []) + operation.get("parameters", [])]
            for parameter in all_of_it:
                if parameter["in"] == "query" and parameter["name"] not in PLAIN:
                    assert any(parameter["name"] + "=" in query for query in QUERIES.get(name, [])), (
                        f"{parameter['name']} of {name} is tried with nothing of the owner's")


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


def test_the_stream_of_another_accounts_orders_says_nothing_of_the_owners(server, printer):
    owner, stranger = Owner(server, printer), Stranger(server)
    stream = stranger.ask("GET", "/v1/orders/events?after=0-0", stream=True)
    heard = []

    def read():
        with contextlib.suppress(requests.RequestException):
            heard.extend(line for line in stream.iter_lines(chunk_size=1, decode_unicode=True) if line)

    threading.Thread(target=read, daemon=True).start()
    assert server.request("POST", "/v1/orders/o-1/ready", {}).status_code == 200
    # Of the same identifier, and yet another's.
    mine = {"order_id": "o-1", "amount": 700, "currency": "EUR"}
    assert stranger.ask("POST", "/v1/orders", mine).status_code == 201
    assert counter.until(lambda: any('"amount":700' in line for line in heard), 5)
    assert len([line for line in heard if line.startswith("data: ")]) == 1, heard
    assert owner.sale["id"] not in "".join(heard) and "Ada" not in "".join(heard)
    assert server.request("GET", "/v1/orders/o-1").json()["amount"] == 1250


def test_one_account_cannot_take_every_place(server):
    stranger = Stranger(server)
    streams = [stranger.ask("GET", "/v1/events", stream=True) for _ in range(12)]
    assert [s.status_code for s in streams] == [200] * 2 + [429] * 10, "one key's half of a quarter"
    assert streams[-1].json()["code"] == "too_many_streams"
    mine = [requests.get(server.url + "/v1/events", headers={"Authorization": "Bearer " + server.api_key}, stream=True,
                         timeout=20) for _ in range(12)]
    assert [s.status_code for s in mine] == [200] * 8 + [429] * 4, "one key's half"
    for stream in streams + mine:
        stream.close()
