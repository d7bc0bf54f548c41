"""What somebody who runs the shop sees: figures over UDP beside Prometheus, and what Apple tells of merchants'
tokens."""
import json
import re
import socket
import time

import pytest
import requests
import statsd

import counter
from applepay import Page

LINE = re.compile(r"^[A-Za-z0-9_.-]+:[0-9]+\|(c|g|ms)$")


class Listener:
    """A UDP socket that keeps what it is sent."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.datagrams = []

    def lines(self, wanted=lambda lines: True, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self.datagrams.append(self.socket.recv(65_536))
            except TimeoutError:
                pass
            lines = [line for datagram in self.datagrams for line in datagram.decode("ascii").split("\n")]
            if wanted(lines):
                return lines
        pytest.fail(f"not told: {lines}")


@pytest.fixture
def listener():
    one = Listener()
    yield one
    one.socket.close()


def test_statsd_is_told_what_happens_in_the_words_of_its_own_client(tmp_path, listener):
    env = {"TILL_STATSD_HOST": "127.0.0.1", "TILL_STATSD_PORT": str(listener.port), "TILL_STATSD_PREFIX": "shop"}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as server:
        page = Page(server)
        assert page.session("https://evil.example/paymentservices/startSession").status_code == 400
        token = page.token().json()
        refused = page.pay({**token, "paymentData": {**token["paymentData"], "version": "EC_v2"}})
        assert refused.status_code == 422
        assert page.pay(token).status_code == 201
        metrics = server.request("GET", "/metrics").text
    wanted = {
        "shop.applepay.sessions.given:1|c", "shop.applepay.sessions.validation_url_refused:1|c",
        "shop.applepay.tokens.version:1|c", "shop.applepay.tokens.accepted:1|c", "shop.applepay.payments.succeeded:1|c",
        "shop.applepay.certificate_days_left.identity:699|g", "shop.applepay.certificate_days_left.processing:699|g",
        "shop.requests.applepay.payment.201:1|c", "shop.requests.applepay.validate.400:1|c",
    }
    lines = listener.lines(lambda lines: wanted <= set(lines))
    assert any(re.fullmatch(r"shop\.requests\.applepay\.payment:\d+\|ms", line) for line in lines)
    assert not [line for line in lines if not LINE.match(line)]
    assert max(map(len, listener.datagrams)) <= 1432
    # No figure names a basket, a visitor or a token.
    transaction = token["paymentData"]["header"]["transactionId"]
    assert not [line for line in lines if page.basket in line or transaction in line]
    # StatsD's own client says the same with the same bytes.
    ours = Listener()
    client = statsd.StatsClient("127.0.0.1", ours.port, prefix="shop")
    client.incr("applepay.sessions.given")
    client.gauge("applepay.certificate_days_left.identity", 699)
    client.timing("requests.applepay.payment", 12)
    theirs = ours.lines(lambda lines: len(lines) == 3)
    assert set(theirs[:2]) <= set(lines), theirs
    assert re.fullmatch(r"shop\.requests\.applepay\.payment:12(\.0+)?\|ms", theirs[2]), theirs
    ours.socket.close()
    for series in ('applepay_sessions_total{outcome="given"} 1', 'applepay_tokens_total{outcome="version"} 1',
                   'http_request_duration_seconds_count{route="/applepay/payment"} 2', "statsd_dropped_total 0"):
        assert series in metrics, series


def test_without_the_setting_nothing_is_sent(tmp_path, listener):
    with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_STATSD_PORT": str(listener.port)}) as server:
        Page(server)
        assert "statsd" not in server.request("GET", "/metrics").text
    with pytest.raises(TimeoutError):
        listener.socket.recv(65_536)


def test_a_statsd_that_is_not_there_costs_nothing_but_figures(tmp_path):
    port = counter.free_port()
    env = {"TILL_STATSD_HOST": "127.0.0.1", "TILL_STATSD_PORT": str(port)}
    with counter.Server(tmp_path, "--provider", "sandbox", env=env) as server:
        page = Page(server)
        assert page.pay(page.token().json()).status_code == 201


def test_a_host_without_address_is_refused_at_the_start(tmp_path):
    answer = counter.till(
        "serve", "--journal", tmp_path / "journal.db", "--port", counter.free_port(), "--json",
        env={"TILL_STATSD_HOST": "nowhere.invalid"})
    assert answer.code == 1 and answer.json["error"]["code"] == "statsd_address", answer


def test_a_cold_start_makes_no_authority_until_the_shop_is_asked_for(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        quiet = server.request("GET", "/metrics").text
        assert "applepay_certificate_days_left" not in quiet
        assert requests.get(server.url + "/shop", timeout=10).status_code == 200
        assert "applepay_certificate_days_left" in server.request("GET", "/metrics").text


def test_a_notification_of_a_merchant_s_token_is_kept_and_looked_up_at_apple(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        for path in ("/applepay/notifications/merchantToken/event-1", "/applepay/notifications/event-2"):
            for _ in range(2):
                answer = requests.post(server.url + path, timeout=10)
                assert answer.status_code == 200 and answer.json() == {"received": True}, answer.text
        for path in ("..", "a%2fb", "x" * 129, "merchantToken/", "other/event-3", "a%20b"):
            url = server.url + "/applepay/notifications/" + path
            request = requests.Request("POST", url).prepare()
            request.url = url
            assert requests.Session().send(request, timeout=10).status_code == 404, path
        # Apple's stand-in does not know them: somebody made them up, and they are forgotten.
        end = time.monotonic() + 10
        while True:
            text = server.request("GET", "/metrics").text
            if re.search(r'applepay_notifications_total\{outcome="unknown_to_apple"\} [2-4]\n', text):
                break
            assert time.monotonic() < end, text
            time.sleep(0.1)
        assert 'applepay_notifications_total{outcome="new"}' in text
    answer = counter.till("applepay", "events", "--journal", tmp_path / "journal.db", "--json")
    assert answer.code == 0, answer
    assert answer.json["events"] == []
    shown = counter.till("applepay", "events", "--journal", tmp_path / "journal.db")
    assert shown.out == "Apple has reported no token.\n"


def test_an_event_that_apple_can_not_be_asked_of_waits_and_is_listed(tmp_path, stale_settings):
    with counter.Server(tmp_path, "--provider", "sandbox", "--apple-pay", stale_settings) as server:
        for _ in range(2):
            assert requests.post(server.url + "/applepay/notifications/event-1", timeout=10).status_code == 200
    answer = counter.till("applepay", "events", "--journal", tmp_path / "journal.db", "--json")
    assert [(e["id"], e["details"]) for e in answer.json["events"]] == [("event-1", None)]
    shown = counter.till("applepay", "events", "--journal", tmp_path / "journal.db")
    assert "event-1  not known yet" in shown.out and max(map(len, shown.out.splitlines())) <= 80, shown.out


@pytest.fixture
def stale_settings(tmp_path):
    """A shop without any certificate: there is nobody to ask with."""
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({
        "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP", "processing": [],
        "domains": [{"name": "localhost", "merchant": "merchant.x", "identities": []}],
    }))
    return str(file)
