"""A customer confirms at the bank, and nobody tells the shop: no webhook, and no coming back. Whoever watches the
payment sees it paid within the first looks all the same. And a customer who does come back is looked at that moment."""
import html.parser
import json
import re
import threading
import time
import urllib.parse

import pytest
import requests
from playwright.sync_api import expect

import counter
import paypal
from clerk import Counter

# The first looks come after 2, 6, 14, 30 and 60 seconds; a busy machine may take its time.
LIMIT = 60
PRICE = 1250
CARD = {"type": "card", "number": paypal.CARD, "expiry": "12/30", "cvc": paypal.CODE, "name": "SCA-REQUIRED"}


@pytest.fixture
def server(tmp_path, stand_in):
    port = counter.free_port()
    # Where customers find the counter is where the bank sends them back to.
    flags = ["--provider", "paypal", "--paypal-url", stand_in, "--receipt-url", f"http://127.0.0.1:{port}"]
    with counter.Server(tmp_path, *flags, port=port) as running:
        yield running


def challenged(server, order, **more):
    made = server.create(order, f"create-{order}", **more)
    sale = server.confirm(made.json()["id"], f"confirm-{order}", CARD).json()
    assert sale["status"] == "requires_action", sale
    return sale


def confirm_quietly(url, sale):
    """At the bank, without the page: nobody comes back, and no webhook is subscribed."""
    done = {"reference": sale["attempts"][0]["reference"], "succeeds": True}
    assert requests.post(url + "/_sandbox/action", json=done, timeout=10).ok


def taken(url):
    return sum(c["captured"] - c["refunded"] for c in paypal.ledger(url))


def status(server, sale):
    return server.request("GET", f"/v1/payments/{sale['id']}").json()["status"]


def test_whoever_asks_again_sees_it_paid_within_the_first_looks(server, stand_in):
    sale = challenged(server, "o-1")
    assert status(server, sale) == "requires_action"
    confirm_quietly(stand_in, sale)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and status(server, sale) != "succeeded":
        time.sleep(0.5)
    assert status(server, sale) == "succeeded"
    assert taken(stand_in) == PRICE


def test_a_stream_of_events_is_somebody_who_watches(server, stand_in):
    sale = challenged(server, "o-1")
    confirm_quietly(stand_in, sale)
    heard, end = [], time.monotonic() + LIMIT
    with requests.get(
        server.url + f"/v1/events?payment={sale['id']}", stream=True, timeout=LIMIT,
        headers={"Authorization": "Bearer " + server.api_key},
    ) as stream:
        for line in stream.iter_lines(chunk_size=1):
            heard.append(line.decode())
            if heard[-1] == "event: attempt.authorized" or time.monotonic() > end:
                break
    assert heard[-1] == "event: attempt.authorized", heard
    assert taken(stand_in) == PRICE


def test_the_page_shows_it_paid_by_itself(page, server, stand_in):
    clerk = Counter(page, server).open()
    clerk.fill("12.50", paypal.CARD)
    page.get_by_text("Name and billing address").click()
    page.get_by_label("Name on the card").fill("SCA-REQUIRED")
    clerk.charge.first.click()
    clerk.shows("Waiting for the customer")
    (sale,) = server.request("GET", "/v1/payments").json()["payments"]
    confirm_quietly(stand_in, sale)
    expect(page.get_by_text("Paid", exact=True).first).to_be_visible(timeout=LIMIT * 1000)
    clerk.shows("12.50 EUR charged")
    assert not clerk.faults, clerk.faults


def test_the_command_line_waits_for_the_customer(tmp_path, stand_in):
    common = ["--journal", tmp_path / "journal.db", "--json", "--provider", "paypal", "--paypal-url", stand_in]
    sale = ["--amount", "12.50", "--currency", "EUR", "--card-number", paypal.CARD, "--expiry", "12/30", "--cvc",
            paypal.CODE, "--cardholder", "SCA-REQUIRED"]

    def customer():
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            waiting = [c for c in paypal.ledger(stand_in) if c["state"] == "PAYER_ACTION_REQUIRED"]
            if waiting:
                done = {"reference": waiting[0]["reference"], "succeeds": True}
                return requests.post(stand_in + "/_sandbox/action", json=done, timeout=10)
            time.sleep(0.1)

    at_the_bank = threading.Thread(target=customer)
    at_the_bank.start()
    done = counter.till("sale", *sale, *common, "--wait", LIMIT, timeout=LIMIT + 30)
    at_the_bank.join()
    assert done.code == 0 and done.json["status"] == "succeeded", done
    assert taken(stand_in) == PRICE
    # Nobody confirms: the waiting ends, and the payment waits on.
    left = counter.till("sale", *sale, *common, "--wait", 3)
    assert left.code == 3 and left.json["status"] == "requires_action", left
    assert counter.till("sale", *sale, *common, "--wait", 3601).code == 64
    seen = counter.till("payments", "query", left.json["payment_id"], *common, "--wait", 1)
    assert seen.code == 3 and seen.json["status"] == "requires_action", seen


class Way(html.parser.HTMLParser):
    """The title of a page."""
    def __init__(self, text):
        super().__init__()
        self.title, self.inside = "", False
        self.feed(text)

    def handle_starttag(self, tag, _):
        self.inside = tag == "title"

    def handle_data(self, data):
        self.title += data if self.inside else ""
        self.inside = False


@pytest.mark.parametrize("answer, title, outcome", [
    ("confirm", "Thank you", "succeeded"), ("refuse", "Not paid", "declined"),
])
def test_a_customer_who_comes_back_is_looked_at_that_moment(server, stand_in, answer, title, outcome):
    sale = challenged(server, "o-1")
    bank = sale["attempts"][0]["action"]["url"]
    sent = requests.post(bank, data="answer=" + answer, allow_redirects=False, timeout=10)
    assert sent.status_code == 303, sent.text
    back = sent.headers["Location"]
    assert back.startswith(server.url + "/back/"), back
    assert counter.till("journal", "verify", "--journal", server.journal, "--json").json["ok"]
    # What others make up is not believed, and nobody is asked for it.
    parts = urllib.parse.urlsplit(back)
    state = urllib.parse.parse_qs(parts.query)["state"][0]
    for wrong in (
        back.replace(state, state[:-1] + ("0" if state[-1] != "0" else "1")), back.replace(state, ""),
        back.split("?")[0], back.replace("-a1", "-a2"), back.replace("/success", "/elsewhere"),
        back + "&state=" + state, server.url + "/back/", server.url + "/back/x/success?state=" + state,
    ):
        assert requests.get(wrong, timeout=10).status_code == 404, wrong
    assert requests.post(back, timeout=10).status_code == 405
    assert taken(stand_in) == 0
    # The customer needs no key. What PayPal adds to the address says nothing.
    page_ = requests.get(back + "&liability_shift=YES&code=0", timeout=30)  # the look is inside this request
    assert page_.status_code == 200 and page_.headers["Content-Type"].startswith("text/html"), page_.text
    assert Way(page_.text).title == title, page_.text
    assert state not in page_.text and sale["id"] not in page_.text
    assert taken(stand_in) == (PRICE if answer == "confirm" else 0)
    assert status(server, sale) == outcome
    # Again and again: the same page, and the money once.
    for _ in range(3):
        assert Way(requests.get(back, timeout=30).text).title == title
    assert taken(stand_in) == (PRICE if answer == "confirm" else 0)


def test_coming_back_before_the_challenge_is_over_takes_nothing(server, stand_in):
    sale = challenged(server, "o-1")
    sent = requests.get(sale["attempts"][0]["action"]["url"], timeout=10)
    assert sent.status_code == 200
    order = sale["attempts"][0]["reference"]
    assert taken(stand_in) == 0 and order
    other = challenged(server, "o-2")
    done = requests.post(other["attempts"][0]["action"]["url"], data="answer=confirm", allow_redirects=False,
        timeout=10)
    # The state of one attempt opens no other.
    mixed = done.headers["Location"].replace(other["id"], sale["id"])
    assert requests.get(mixed, timeout=10).status_code == 404
    assert status(server, sale) == "requires_action" and taken(stand_in) == 0


def answered(sale):
    """The address to which the bank sends the customer."""
    bank = sale["attempts"][0]["action"]["url"]
    return requests.post(bank, data="answer=confirm", allow_redirects=False, timeout=10).headers["Location"]


def test_if_the_look_fails_that_moment_the_engine_looks_though_nobody_watches(server, stand_in):
    back = answered(challenged(server, "o-1"))
    paypal.fault(stand_in, "query", "outage")
    shown = Way(requests.get(back, timeout=30).text).title
    assert shown == "One moment", shown
    # The engine's usual look would come after five minutes.
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and taken(stand_in) == 0:
        time.sleep(0.2)
    assert taken(stand_in) == PRICE


@pytest.mark.alone
def test_whoever_loads_the_page_again_and_again_asks_paypal_no_more_often(tmp_path, stand_in):
    proxy, port = paypal.Proxy(stand_in), counter.free_port()
    flags = ["--provider", "paypal", "--paypal-url", proxy.url, "--receipt-url", f"http://127.0.0.1:{port}"]
    with counter.Server(tmp_path, *flags, port=port) as server:
        back = answered(challenged(server, "o-1"))
        assert Way(requests.get(back, timeout=30).text).title == "Thank you"
        asked, began = len(proxy.calls()), time.monotonic()
        for _ in range(20):
            assert requests.get(back, timeout=30).status_code == 200
        assert len(proxy.calls()) - asked <= 1 + (time.monotonic() - began) / 2
    proxy.close()


def test_a_hold_that_the_shop_has_called_off_is_not_told_as_confirmed(server, stand_in):
    sale = challenged(server, "o-1", capture="manual")
    back = answered(sale)
    assert Way(requests.get(back, timeout=30).text).title == "Thank you"
    paypal.fault(stand_in, "void", "outage", times=1000)
    server.request("POST", f"/v1/payments/{sale['id']}/cancel", {}, "cancel")
    assert status(server, sale) == "requires_capture"
    shown = requests.get(back, timeout=30).text
    assert Way(shown).title == "One moment" and "canceled the payment" in shown, shown


@pytest.mark.alone
def test_a_page_that_is_left_open_has_paypal_asked_as_seldom_as_others_who_watch(tmp_path, stand_in):
    proxy, port = paypal.Proxy(stand_in), counter.free_port()
    flags = ["--provider", "paypal", "--paypal-url", proxy.url, "--receipt-url", f"http://127.0.0.1:{port}"]
    with counter.Server(tmp_path, *flags, port=port) as server:
        sale, began = challenged(server, "o-1"), time.monotonic()
        asking = [c["body"].decode() for c in proxy.calls() if b"cancel_url" in c["body"]]
        back = json.loads(re.search(r'"cancel_url":("[^"]+")', asking[-1]).group(1))
        asked = len(proxy.calls())
        while time.monotonic() - began < 15:
            assert Way(requests.get(back, timeout=30).text).title == "One moment"
            time.sleep(0.2)
        # Once on coming back, and then as often as for whoever watches: after 2, 6, 14, 30 seconds.
        due = [second for second in (0, 2, 6, 14, 30, 60) if second <= time.monotonic() - began]
        assert 2 <= len(proxy.calls()) - asked <= len(due), (proxy.calls()[asked:], due)
        assert status(server, sale) == "requires_action"
    proxy.close()
