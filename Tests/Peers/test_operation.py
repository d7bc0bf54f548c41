"""How the counter behaves as a service: it ends without losing what is in flight, its events go on where they broke
off, its figures are read by Prometheus' own parser, and a trace goes through it to the provider.
"""
import contextlib
import http.server
import json
import re
import signal
import socket
import sqlite3
import threading
import time

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

import counter

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def sell(server, order):
    created = server.create(order, f"create-{order}").json()
    return server.confirm(created["id"], f"confirm-{order}").json()


class Stream:
    """Server-sent events as they come."""

    def __init__(self, server, last=None):
        headers = {"Authorization": "Bearer " + server.api_key}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self.answer = requests.get(server.url + "/v1/events", headers=headers, stream=True, timeout=20)
        assert self.answer.status_code == 200, self.answer.text
        self.lines = self.answer.iter_lines(chunk_size=1, decode_unicode=True)

    def take(self, until):
        """Events up to the one of which `until` is true; events of a reader have no place and are left out."""
        taken, event = [], {}
        for line in self.lines:
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
                continue
            if "id" in event:
                event["id"], event["data"] = int(event["id"]), json.loads(event["data"])
                taken.append(event)
                if until(event):
                    return taken
            event = {}
        raise AssertionError(f"the stream ended after {taken}")


def captured(count):
    """True of the event with which the money was taken so many times."""
    seen = []

    def is_last(event):
        if event["event"] == "capture.succeeded":
            seen.append(event)
        return len(seen) == count

    return is_last


def test_events_go_on_where_they_broke_off(server):
    live = Stream(server)
    sell(server, "one")
    first = live.take(captured(1))
    live.answer.close()
    sell(server, "two")
    server.kill()
    server.start()
    sell(server, "three")
    rest = Stream(server, last=first[-1]["id"]).take(captured(2))
    everything = Stream(server, last=0).take(captured(3))
    assert [e["id"] for e in first + rest] == [e["id"] for e in everything]
    assert [e["id"] for e in everything] == list(range(1, len(everything) + 1)), "a gap"
    assert all(e["data"]["sequence"] == e["id"] for e in everything)
    middle = everything[3]["id"]
    assert Stream(server, last=middle).take(lambda e: True)[0]["id"] == middle + 1


def test_a_place_behind_the_end_does_not_keep_silent_for_ever(server):
    stream = Stream(server, last=10**15)
    sell(server, "one")
    assert stream.take(captured(1))


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_payment_in_flight_is_answered_before_the_end(tmp_path, sign):
    server = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "700ms").start()
    payment = server.create("o-1", "c-1").json()["id"]
    answers = []
    asking = threading.Thread(target=lambda: answers.append(server.confirm(payment, "k-1")))
    stream = Stream(server)
    asking.start()
    stream.take(lambda e: e["event"] == "attempt.started")
    server.process.send_signal(sign)
    asking.join(20)
    assert answers and answers[0].status_code == 200, answers
    assert answers[0].json()["captured"] == 1250
    assert server.process.wait(15) == 0
    with contextlib.suppress(requests.ConnectionError):
        pytest.fail(f"it still answers: {requests.get(server.url + '/healthz', timeout=2)}")
    listed = counter.till("payments", "list", "--journal", server.journal, "--json")
    assert [p["status"] for p in listed.json["payments"]] == ["succeeded"]


def test_the_figures_are_read_by_prometheus(server):
    payment = sell(server, "one")
    again = server.confirm(payment["id"], "confirm-one")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert server.create("one", "create-one", minor=5).status_code == 422
    page = server.request("GET", "/metrics")
    families = {family.name: family for family in text_string_to_metric_families(page.text)}

    def value(name, **labels):
        family = families[name]
        found = [s.value for s in family.samples
                 if s.name in (name, name + "_total") and all(s.labels.get(k) == v for k, v in labels.items())]
        assert len(found) == 1, (name, labels, family.samples)
        return found[0]

    assert value("payments", status="succeeded") == 1
    assert value("payments_unknown") == 0
    assert value("payments_created") == 1
    assert value("provider_calls", provider="sandbox", step="authorize", outcome="approved") == 1
    assert value("provider_calls", provider="sandbox", step="capture", outcome="approved") == 1
    assert value("http_requests", route="/v1/payments/{id}/confirm", status="200") == 2
    assert value("idempotency_replays") == 1
    assert value("idempotency_mismatches") == 1
    assert value("idempotency_conflicts") == 0
    assert value("outbox_due") == 0
    assert value("outbox_oldest_due_seconds") == 0
    for name in ("http_request_duration_seconds", "provider_call_duration_seconds"):
        assert families[name].type == "histogram"
        buckets = [s for s in families[name].samples if s.name.endswith("_bucket")]
        assert buckets and all(re.fullmatch(r"[a-z/{}0-9_.]*", v, re.I) for s in buckets for k, v in s.labels.items()
                               if k != "le"), buckets
    batches = families["journal_commit_batch_size"]
    assert {s.name for s in batches.samples} == {"journal_commit_batch_size_sum", "journal_commit_batch_size_count"}
    assert payment["id"] not in page.text and "one" not in re.sub(r"(?m)^#.*$", "", page.text)


def test_readiness_is_a_write_that_is_on_the_disk(server):
    assert server.request("GET", "/readyz").status_code == 200
    with counter_of_commits(server) as commits:
        assert server.request("GET", "/healthz").status_code == 200
        assert commits() == 0


def test_a_journal_that_takes_no_writes_is_not_ready(server):
    other = sqlite3.connect(server.journal, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        blocked = server.request("GET", "/readyz")
        assert blocked.status_code == 503 and blocked.headers["Retry-After"], blocked.text
        assert blocked.json()["code"] == "not_ready" and blocked.json()["money_moved"] == "no"
        assert server.request("GET", "/healthz").status_code == 200
    finally:
        other.execute("ROLLBACK")
        other.close()
    for _ in range(100):
        if server.request("GET", "/readyz").status_code == 200:
            return
        time.sleep(0.1)
    pytest.fail("it is not ready again")


@contextlib.contextmanager
def counter_of_commits(server):
    def read():
        return float(re.search(r"(?m)^journal_commits_total (\S+)", server.request("GET", "/metrics").text)[1])

    before = read()
    yield lambda: read() - before


class Capture(http.server.BaseHTTPRequestHandler):
    """A provider that says nothing useful and remembers the headers."""

    seen = []

    def do_POST(self):
        Capture.seen.append(dict(self.headers))
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(402)
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass


def test_a_trace_goes_through_to_the_provider(tmp_path):
    Capture.seen = []
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Capture)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{provider.server_port}"
    try:
        with counter.Server(tmp_path, "--provider", "stripe", "--stripe-url", url) as server:
            for order, headers in (
                ("traced", {"traceparent": TRACE, "tracestate": "shop=1"}), ("plain", {}),
                ("broken", {"traceparent": "00-0000-nonsense"}),
            ):
                payment = server.create(order, f"c-{order}").json()["id"]
                server.request(
                    "POST", f"/v1/payments/{payment}/confirm", {"tender": {"type": "reader", "reader": "simulated"}},
                    key=f"k-{order}", **headers)
    finally:
        provider.shutdown()
    traced = [h for h in Capture.seen if "traceparent" in h]
    assert traced and len(traced) < len(Capture.seen), "only the traced request is passed on"
    assert {h["traceparent"] for h in traced} == {TRACE}
    assert {h["tracestate"] for h in traced} == {"shop=1"}


@pytest.mark.parametrize(
    "head,status,code",
    [
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 20_000 + b"\r\n\r\n", 431, "header_too_large"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: a\r\n" % n for n in range(150)) + b"\r\n", 431,
         "header_too_large"),
        (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "address_too_long"),
        (b"POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + counter.API_KEY.encode()
         + b"\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{", 413,
         "body_too_large"),
        (b"POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + counter.API_KEY.encode()
         + b"\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n"
         + b'{"a":' * 2000, 400, "malformed_json"),
    ],
)
def test_each_limit_answers_that_no_money_moved(server, head, status, code):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(head)
        answer = b""
        while b"}" not in answer:
            part = connection.recv(65536)
            assert part, answer
            answer += part
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer
    problem = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (problem["status"], problem["code"], problem["money_moved"]) == (status, code, "no")


@pytest.mark.parametrize("said, ends", [("close", True), ("Keep-Alive, Close", True), ("keep-alive", False)])
def test_a_client_that_ends_its_connection_is_answered_in_kind(server, said, ends):
    """Or it puts its next request into a connection that is about to end, and does not know what became of it."""
    for path in ("/healthz", "/v1/payments", "/nowhere"):
        answer = requests.get(server.url + path, headers={"Connection": said}, timeout=10)
        assert (answer.headers.get("Connection") == "close") is ends, path
    headers = {"Authorization": "Bearer " + server.api_key, "Connection": "close"}
    with requests.Session() as session:
        for number in range(20):
            body = {"order_id": f"o-{len(said)}-{number}", "amount": 100, "currency": "EUR"}
            answer = session.post(server.url + "/v1/payments", json=body, timeout=10,
                                  headers={**headers, "Idempotency-Key": f"{ends}-{len(said)}-{number}"})
            assert answer.status_code == 201, answer.text


def test_a_body_that_dribbles_in_is_refused(tmp_path):
    with counter.Server(tmp_path, env={"TILL_LIMITS_BODY_TIME": "300ms"}) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(
                b"POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + counter.API_KEY.encode()
                + b"\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
            connection.settimeout(0.1)
            answer = b""
            for _ in range(100):
                with contextlib.suppress(TimeoutError):
                    answer += connection.recv(65536)
                if b"}" in answer:
                    break
                connection.sendall(b" ")
        assert b" 408 " in answer and b"body_too_slow" in answer and b'"money_moved":"no"' in answer, answer


def test_what_is_set_is_listed_without_secrets_to_whoever_may(tmp_path):
    secret = counter.WEBHOOK_SECRET
    env = {"TILL_STRIPE_WEBHOOK_SECRET": secret}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as server:
        listed = server.request("GET", "/v1/settings")
        assert listed.status_code == 200 and secret not in listed.text
        values = {one["name"]: one["value"] for one in listed.json()["settings"]}
        assert values["provider"] == "sandbox"
        assert [name for name, value in values.items() if re.fullmatch("secret [0-9a-f]{4}", value)]
        reader = counter.succeed("keys", "create", "--scope", "read", "--journal", server.journal, "--json")["key"]
        refused = requests.get(server.url + "/v1/settings", headers={"Authorization": "Bearer " + reader}, timeout=10)
        assert refused.status_code == 403 and refused.json()["scope_needed"] == "admin"
