"""docs/integrate/ as a developer follows it: every request that the page shows is sent to a counter, and every answer
and every delivery must be as shown. A page that says something else than the product is red.
"""
import datetime
import json
import re
import shlex

import guide
import pytest
import requests
import standardwebhooks
from guide import Differs, Elisions, exchanges
from webhook_receiver import Receiver

import counter

FOLDER = counter.ROOT / "docs" / "integrate"
PAGE, LIBRARIES = (FOLDER / "README.md").read_text(), (FOLDER / "LIBRARIES.md").read_text()
SHOP = "http://127.0.0.1:3000"
MANIFEST = (counter.ROOT / "Package.swift").read_text()


def arguments(page):
    """The flags with which the page starts the counter."""
    (command,) = [line for line in "".join(guide.blocks(page, "sh")).splitlines() if line.startswith("till ")]
    program, verb, *flags = shlex.split(command)
    assert (program, verb) == ("till", "serve")
    return flags


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, *arguments(PAGE)) as running:
        yield running


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


class Reader:
    """Somebody who follows the page with a counter and a shop. `code` gets every delivery: the page's own function."""

    def __init__(self, server, receiver, code=None):
        self.server, self.receiver, self.elisions = server, receiver, Elisions()
        self.deliveries, self.secret, self.code = 0, None, code
        receiver.answer = lambda delivery: (204, {})

    def at_home(self, text):
        """A text of the page with this shop's address."""
        return text.replace(SHOP, self.receiver.url).replace("Host: 127.0.0.1:3000", f"Host: {self.receiver.url[7:]}")

    def follow(self, page):
        shown = exchanges(self.at_home(page))
        for number, exchange in enumerate(shown):
            place = f"{number}: {exchange.request.first}"
            if exchange.is_delivery:
                self.take(exchange, place)
            else:
                self.send(exchange, place)
        return shown

    def send(self, exchange, place):
        request = exchange.request
        fields = {name: value.replace("$TILL_API_KEY", self.server.api_key) for name, value in request.fields.items()}
        answer = requests.request(
            request.method, self.server.url + self.elisions.filled(request.path), headers=fields, timeout=30,
            data=self.elisions.filled(request.body).encode() or None)
        if (answer.status_code, answer.reason) != tuple(
                f(t) for f, t in zip((int, str), exchange.answer.first.split(" ", 2)[1:])):
            raise Differs(f"{place}: shown is {exchange.answer.first}, came {answer.status_code} {answer.text}")
        # What is created under a collection has an identifier that was not seen before.
        if answer.status_code == 201 and re.fullmatch(r"/v1/\w+", request.path):
            self.elisions.forget()
        self.elisions.compare_fields(exchange.answer.fields, answer.headers, place)
        self.elisions.compare(exchange.answer.json, answer.json(), place)
        self.secret = answer.json().get("secret", self.secret)

    def take(self, exchange, place):
        number, self.deliveries = self.deliveries, self.deliveries + 1
        self.receiver.wait(lambda all: len(all) > number)
        delivery, request = self.receiver.deliveries[number], exchange.request
        if (request.method, request.path) != ("POST", delivery.path):
            raise Differs(f"{place}: it came to {delivery.path}")
        self.elisions.compare_fields(
            {name.lower(): value for name, value in request.fields.items()}, delivery.headers, place)
        self.elisions.compare(request.json, delivery.json, place)
        delivery.verify(self.secret)
        if self.code:
            self.code(self, delivery, exchange.answer)


def test_every_request_of_the_guide_is_answered_as_shown(server, receiver, monkeypatch):
    (code,) = guide.blocks(PAGE, "python")
    written = {}

    def shop(reader, delivery, answer):
        """The page's own function verifies, refuses what is forged, and counts what comes twice once."""
        if not written:
            monkeypatch.setenv("SHOP_WEBHOOK_SECRET", reader.secret)
            exec(compile(code, "docs/integrate/README.md", "exec"), written)
        receive, work = written["receive"], written["work"]
        before = len(work)
        forged = delivery.body.replace("2350", "1")
        assert forged != delivery.body and receive(delivery.headers, forged) == 400
        assert receive({**delivery.headers, "webhook-timestamp": "1700000000"}, delivery.body) == 400
        other = standardwebhooks.Webhook("whsec_" + "QUJD" * 11)
        signed = other.sign(delivery.id, datetime.datetime.fromtimestamp(delivery.time, datetime.UTC), delivery.body)
        assert receive({**delivery.headers, "webhook-signature": signed}, delivery.body) == 400
        assert len(work) == before
        for _ in range(2):
            assert receive(delivery.headers, delivery.body) == answer.status == 204
        assert len(work) == before + 1 and work[-1] == delivery.payment

    shown = Reader(server, receiver, shop).follow(PAGE)
    assert len(shown) == 16 and sum(exchange.is_delivery for exchange in shown) == 2
    assert len(written["work"]) == 2
    # Further deliveries are of the second order: what the page shows is all that came of the first.
    receiver.wait(lambda all: len(all) == 3)
    assert receiver.deliveries[2].data["order_id"] == "1002"
    paths = [exchange.request.path for exchange in shown if not exchange.is_delivery]
    for path in ("/v1/orders", "/v1/payments", "/v1/orders/1001/fulfil"):
        assert path in paths


# What the page says, and what it would say wrongly. Each must be found.
WRONG = [
    ('"status": "succeeded", "test": true', '"status": "captured", "test": true'),
    ('"open": 2350', '"open": 2349'), ('"excess": 0, ', ""), ('"excess": 0', '"excess": 0, "spare": 0'),
    ("HTTP/1.1 201 Created\nContent-Type: application/json\n\n{\n  \"id\": \"1001\"",
     "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\n  \"id\": \"1001\""),
    ("Location: /v1/payments/pay_…", "Location: /v1/payment/pay_…"), ('"test": false', '"test": "…-"'),
    ('"quantity": "2"', '"quantity": 2'), ('"secret": "whsec_…"', '"secret": "secret_…"'),
    ('"type": "payment.captured"', '"type": "payment.paid"'), ("webhook-signature: v1,…", "webhook-signature: v2,…"),
    ('"pay_…-c1"', '"pay_…-c2"'), ('"version": 6', '"version": 5'),
    ("POST /v1/orders/1001/ready", "POST /v1/orders/1001/done"),
    ('"code": "order_unpaid"', '"code": "unpaid"'), ('"livemode": false', '"livemode": true'),
    ("Idempotency-Key: 1001-card-1\n", ""), ('"lines": [{"name": "Water", "amount": 550}]', '"items": []'),
    ("Idempotent-Replayed: true", "Idempotent-Replay: true"), ("application/problem+json", "application/json"),
]


@pytest.mark.parametrize("said, wrong", WRONG, ids=range(len(WRONG)))
def test_a_guide_that_differs_from_the_counter_is_found(server, receiver, said, wrong):
    assert said in PAGE, said
    with pytest.raises(Differs):
        Reader(server, receiver).follow(PAGE.replace(said, wrong, 1))


def test_an_answer_that_is_not_shown_is_found():
    with pytest.raises(Differs):
        exchanges(PAGE.replace("```http\nHTTP/1.1 200 OK", "```text\nHTTP/1.1 200 OK", 1))


def test_elisions_hide_nothing_but_what_they_stand_for():
    elisions = Elisions()
    elisions.compare({"id": "pay_…", "at": "…"}, {"id": "pay_01a", "at": "now"})
    elisions.compare({"id": "pay_…-a1", "…": "…"}, {"id": "pay_01a-a1", "more": 1})
    assert elisions.filled("/v1/payments/pay_…/confirm") == "/v1/payments/pay_01a/confirm"
    for shown, came in (
        ({"id": "pay_…"}, {"id": "pay_01b"}), ({"id": "pay_…-a1"}, {"id": "pay_01a-a2"}), ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "…": "…"}, {"b": 2}), ({"a": 0}, {"a": False}), ([1], [1, 2]), ({"a": "sb_…"}, {"a": "sb_"}),
        ({"a": None}, {"a": 0}), ({"a": "…"}, {}),
    ):
        with pytest.raises(Differs):
            elisions.compare(shown, came)
    with pytest.raises(Differs):
        elisions.filled("/v1/orders/msg_…")


# The libraries.

LINE = re.compile(r'\.product\(name: "([\w-]+)", package: "([\w-]+)"\)')


def products(manifest, kind="library"):
    return re.findall(rf'\.{kind}\(name: "([\w-]+)"', manifest.split("products: [")[1].split("\n    ],")[0])


def check_libraries(page, manifest):
    """Every library has one row with its line, nothing else has one, and what surrounds the table is the manifest's."""
    rows = [line for line in page.splitlines() if line.startswith("| ") and ".product(" in line]
    listed = [LINE.search(row).groups() for row in rows]
    name = re.search(r'let package = Package\(\s*name: "([\w-]+)"', manifest)[1]
    assert sorted(library for library, _ in listed) == sorted(products(manifest))
    assert {package for _, package in LINE.findall(page)} == {name}
    assert {library for library, _ in LINE.findall(page)} <= set(products(manifest))
    for wanted in (r"^// swift-tools-version: .*$", r"^ *platforms: \[.*\],$"):
        assert re.search(wanted, page, re.M)[0].strip() == re.search(wanted, manifest, re.M)[0].strip()
    for program in products(manifest, "executable"):
        assert f"`{program}`" in page.splitlines()[-1], program


def test_every_library_has_its_line():
    assert len(products(MANIFEST)) > 30
    check_libraries(LIBRARIES, MANIFEST)


@pytest.mark.parametrize("said, wrong", [
    ('| `.product(name: "TillMail", package: "till")` |', "| |"), ('"TillMail"', '"TillMails"'),
    ('package: "till")` |', 'package: "Till")` |'), ("swift-tools-version: 6.2", "swift-tools-version: 6.0"),
    ("iOS(.v16)", "iOS(.v17)"), ("`till-simulate`", "`till-simulation`"),
])
def test_a_page_of_libraries_that_differs_is_found(said, wrong):
    assert said in LIBRARIES
    with pytest.raises((AssertionError, AttributeError)):
        check_libraries(LIBRARIES.replace(said, wrong, 1), MANIFEST)


def test_a_new_library_without_a_line_is_found():
    more = MANIFEST.replace(
        '.library(name: "TillCore"', '.library(name: "TillNew", targets: []),\n        .library(name: "TillCore"', 1)
    with pytest.raises(AssertionError):
        check_libraries(LIBRARIES, more)


@pytest.mark.parametrize("page", ["README.md", "LIBRARIES.md"])
def test_every_link_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#]*)(?:#([\w-]+))?\)", (FOLDER / page).read_text())
    assert links
    for path, place in links:
        if path.startswith("http"):
            continue
        target = (FOLDER / path).resolve() if path else FOLDER / page
        assert target.exists(), path
        if place:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.M)
            anchors = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert place in anchors, f"{path}#{place}"


def test_the_documents_of_the_page_are_valid():
    for exchange in exchanges(PAGE):
        for message in (exchange.request, exchange.answer):
            assert message.body == "" or isinstance(json.loads(message.body), dict)
