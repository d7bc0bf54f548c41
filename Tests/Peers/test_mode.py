"""Test and live mode: play money where real money moves, and the other way round. The provider is one of our own making
in Python, which takes any key, writes down what it is asked and refuses every card."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from conftest import run_until_done
from playwright.sync_api import expect

import counter
from clerk import WAIT

SALE = ["sale", "--amount", "12.50", "--currency", "EUR"]
READER = {"id": "tmr_1", "object": "terminal.reader", "device_type": "stripe_s700", "label": "Front", "livemode": True,
          "location": "tml_1", "serial_number": "S700-1", "status": "online", "action": None}
CARD = ["--card-number", counter.CARD, "--expiry", "12/30", "--cvc", "123"]
LIVE = {"TILL_STRIPE_KEY": "sk_live_marked"}


class Refusing(BaseHTTPRequestHandler):
    """Stripe, as far as a declined card goes."""

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append(f"{self.command} {self.path}")
        status, body = 402, {"error": {"type": "card_error", "code": "card_declined", "message": "No."}}
        if self.path == "/v1/account":
            status, body = 200, {"id": "acct_live", "object": "account"}
        elif self.path == "/v1/payment_intents":
            status, body = 200, {"id": "pi_1", "object": "payment_intent", "amount": 1250, "currency": "eur",
                                 "status": "requires_payment_method"}
        elif self.path.startswith("/v1/terminal/readers") and self.server.readers is not None:
            status, body = 200, {"object": "list", "url": "/v1/terminal/readers", "has_more": False,
                                 "data": self.server.readers}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


@pytest.fixture
def stripe():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    server.asked, server.readers = [], None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.env = {**LIVE, "TILL_STRIPE_URL": f"http://127.0.0.1:{server.server_port}",
                  "TILL_PROVIDER_HOSTS": "127.0.0.1"}
    yield server
    server.shutdown()


@pytest.fixture
def journal(tmp_path):
    return ["--journal", str(tmp_path / "journal.db"), "--json"]


def code(answer):
    return answer.json["error"]["code"]


def test_a_live_key_without_a_provider_never_sells_in_the_sandbox(stripe, journal):
    answer = counter.till(*SALE, *CARD, *journal, env=stripe.env)
    assert answer.code == 2 and answer.json["status"] == "declined", answer
    assert answer.json["provider"] == "stripe" and answer.json["test"] is False
    assert [attempt["provider_account"] for attempt in answer.json["attempts"]] == ["acct_live"]
    assert "POST /v1/payment_intents" in stripe.asked
    stripe.asked.clear()
    for more in (["--provider", "sandbox"], ["--reader", "simulated"], []):
        answer = counter.till(*SALE, *more, *journal, env=stripe.env)
        assert answer.code == 1 and code(answer) == "stand_in_in_live_mode", answer
    assert not stripe.asked


def test_an_api_client_cannot_choose_play_money(stripe, tmp_path):
    with counter.Server(tmp_path, env=stripe.env) as server:
        payment = server.create("o-1", "k-1").json()
        for number, body in enumerate((
            {"provider": "sandbox", "tender": counter.CARD_TENDER},
            {"provider": "sandbox", "tender": {"type": "reader", "reader": "simulated"}},
            {"tender": {"type": "reader", "reader": "simulated", "card": "visa"}},
        )):
            answer = server.request("POST", f"/v1/payments/{payment['id']}/confirm", body, f"c-{number}")
            assert answer.status_code == 422 and answer.json()["code"] == "stand_in_in_live_mode", answer.text
            assert answer.json()["money_moved"] == "no" and "Till-Mode" not in answer.headers
        assert server.request("GET", f"/v1/payments/{payment['id']}").json()["attempts"] == []
        assert "TEST" not in requests.get(server.url + "/", timeout=10).text
        assert requests.get(server.url + "/shop", timeout=10).status_code == 404


def way(page, name):
    return page.get_by_role("radio", name=name)


def test_the_page_of_a_live_counter_offers_no_simulated_reader(stripe, tmp_path, page):
    with counter.Server(tmp_path, env=stripe.env) as server:
        server.sign_in(page)
        expect(page.locator(".test-mode")).to_have_count(0)
        expect(way(page, "Keyed card")).to_be_checked(timeout=WAIT)
        expect(way(page, "Card reader")).to_be_hidden()
        expect(page.locator("#tender-card")).to_be_visible()
        expect(page.locator("#tender-reader")).to_be_hidden()
        expect(page.locator("#simulated")).to_have_count(0)
        page.keyboard.press("r")
        page.wait_for_timeout(500)
        expect(way(page, "Keyed card")).to_be_checked()
        page.get_by_label("Amount", exact=True).fill("12.50")
        page.get_by_label("Card number").fill(counter.CARD)
        page.get_by_label("Expiry").fill("12/30")
        page.get_by_label("Security code").fill("123")
        page.locator("#charge").click()
        expect(page.locator("#headline")).to_have_text("Declined", timeout=WAIT)
        assert "POST /v1/payment_intents" in stripe.asked


def test_the_page_of_a_live_counter_begins_with_its_reader_unless_somebody_chose_otherwise(stripe, tmp_path, page):
    stripe.readers = [READER, {**READER, "id": "tmr_2", "label": "Pretended", "device_type": "simulated_wisepos_e"}]
    with counter.Server(tmp_path, env=stripe.env) as server:
        server.sign_in(page)
        expect(way(page, "Card reader")).to_be_checked(timeout=WAIT)
        expect(page.locator("#reader option")).to_have_text(["Front"])
        held = []
        page.route("**/v1/terminal/readers", lambda route: held.append(route))
        with page.expect_request("**/v1/terminal/readers"):
            page.reload()
        expect(way(page, "Card reader")).to_be_hidden()
        way(page, "Cash").check()
        for route in held:
            route.continue_()
        expect(way(page, "Card reader")).to_be_visible(timeout=WAIT)
        expect(way(page, "Cash")).to_be_checked()


def test_the_page_of_a_live_counter_that_takes_cash_alone_begins_with_cash(stripe, tmp_path, page):
    with counter.Server(tmp_path, "--provider", "cash", env=stripe.env) as server:
        server.sign_in(page)
        expect(way(page, "Cash")).to_be_checked(timeout=WAIT)
        for name in ("Card reader", "Keyed card"):
            expect(way(page, name)).to_be_hidden()
        page.get_by_label("Amount", exact=True).fill("12.50")
        page.locator("#charge").click()
        expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)


def test_what_is_made_in_test_mode_says_so_in_large_letters(tmp_path, journal):
    with counter.Server(tmp_path) as server:
        payment = server.create("o-1", "k-1").json()
        paid = server.confirm(payment["id"], "c-1")
        assert paid.json()["status"] == "succeeded" and paid.json()["test"] is True
        assert paid.headers["Till-Mode"] == "TEST"
        assert ">TEST" in requests.get(server.url + "/", timeout=10).text
        html = server.request("GET", f"/v1/payments/{payment['id']}/receipt", Accept="text/html").text
        assert "TEST" in html and html.index("TEST") < html.index("PAID")
    answer = counter.till("receipts", "show", payment["id"], *journal[:2])
    assert answer.code == 0 and answer.out.strip().splitlines()[0].strip() == "TEST", answer
    cash = counter.till(*SALE, "--cash", *journal[:2])
    assert cash.code == 0 and "TEST" in cash.out, cash


def test_live_and_test_keys_together_refuse_to_start(journal):
    env = {**LIVE, "TILL_BRAINTREE_MERCHANT_ID": "shop", "TILL_BRAINTREE_PUBLIC_KEY": "public",
           "TILL_BRAINTREE_PRIVATE_KEY": "private"}
    answer = counter.till(*SALE, *CARD, *journal, env=env)
    assert answer.code == 1 and code(answer) == "mixed_modes", answer
    assert "Stripe" in answer.out + answer.err and "Braintree" in answer.out + answer.err
    both = counter.till(*SALE, *CARD, *journal, env={**env, "TILL_BRAINTREE_URL": "live"})
    assert both.code == 1 and code(both) == "no_provider_chosen", both


def test_a_journal_changes_its_mode_by_a_deliberate_step_only(stripe, journal):
    assert counter.till(*SALE, *journal).json["test"] is True
    refused = counter.till(*SALE, *CARD, *journal, env=stripe.env)
    assert refused.code == 1 and code(refused) == "journal_of_other_mode", refused
    assert not stripe.asked
    assert counter.till("journal", "mode", *journal).json["mode"] == "test"
    assert counter.till("journal", "mode", "live", *journal).json["mode"] == "live"
    assert counter.till(*SALE, *CARD, *journal, env=stripe.env).code == 2
    back = counter.till(*SALE, *journal, env={"TILL_STRIPE_KEY": "sk_test_marked"})
    assert code(back) == "journal_of_other_mode", back
    # Who only reads needs no keys.
    assert counter.till("payments", "list", *journal).code == 0


def test_a_live_counter_without_the_shops_address_is_told_and_its_customers_are_not(stripe, tmp_path, page):
    words = "Card receipts lack what card schemes or the acquirer require of the shop: store_address. " \
        "Set TILL_STORE_ADDRESS."

    def found(**env):
        answer = counter.till("doctor", "--journal", tmp_path / "doctor.db", "--json", env={**stripe.env, **env})
        return {one["text"]: one["ok"] for one in answer.json["findings"]}

    assert found()[words] is False
    assert words not in found(TILL_STORE_ADDRESS="Road 1")
    with counter.Server(tmp_path, env=stripe.env) as server:
        assert counter.until(lambda: words in server.log.read_text())
        set_for = server.request("GET", "/v1/settings/receipts").json()
        assert (set_for["mode"], set_for["missing"]) == ("live", ["store_address"])
        server.sign_in(page)
        page.goto(server.url + "/settings/receipts")
        expect(page.locator("#about")).to_contain_text("which are not set: Address", timeout=WAIT)
    tried = counter.till("doctor", "--journal", tmp_path / "test.db", "--json").json["findings"]
    assert {one["text"]: one["ok"] for one in tried}[words] is True


def test_a_payment_of_another_merchant_is_left_alone(tmp_path, journal):
    """Two Braintree merchants at one address: the other one's search says "not found"."""
    url = f"http://127.0.0.1:{counter.free_port()}"
    started = run_until_done(
        [counter.binary(), "sandbox", "braintree", "--port", url.rsplit(":", 1)[1]], url + "/_sandbox/ledger",
        tmp_path / "braintree.log")
    next(started)

    def merchant(name, key="private"):
        return {"TILL_PROVIDER": "braintree", "TILL_BRAINTREE_URL": url, "TILL_BRAINTREE_MERCHANT_ID": name,
                "TILL_BRAINTREE_PUBLIC_KEY": "public", "TILL_BRAINTREE_PRIVATE_KEY": key}

    held = counter.till(*SALE, *CARD, *counter.MANUAL, *journal, env=merchant("one"))
    assert held.code == 0 and held.json["attempts"][0]["provider_account"] == "one", held
    for verb in ("capture", "cancel"):
        answer = counter.till("payments", verb, held.json["id"], *journal, env=merchant("two"))
        assert answer.code == 1 and code(answer) == "other_provider_account", answer
    taken = counter.till("payments", "capture", held.json["id"], *journal, env=merchant("one", key="rotated"))
    assert taken.code == 0 and taken.json["captured"] == 1250, taken
    for _ in started:
        pass
