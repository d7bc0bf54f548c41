"""Cards that the provider's own fields took: the shop's page hands the provider's reference on, and neither the shop
nor the counter sees the number. Stripe's and Braintree's stand-ins make the references as their fields do.
"""
import concurrent.futures
import pathlib
import re

import pytest
import requests
import stripe

import counter
from braintree_shop import nonce


def method(sandbox, number):
    """A payment method as Stripe's fields make it, by Stripe's own library."""
    client = stripe.StripeClient(sandbox.key, base_addresses={"api": sandbox.url}, max_network_retries=0).v1
    return client.payment_methods.create({
        "type": "card", "card": {"number": number, "exp_month": 12, "exp_year": 2030, "cvc": "123"}}).id


@pytest.fixture
def shop(tmp_path, sandbox):
    with counter.Server(tmp_path, *sandbox.flags) as running:
        yield running


def sell(server, order, token, key=None, **tender):
    payment = server.create(order, f"create-{order}").json()["id"]
    return payment, server.confirm(payment, key or f"confirm-{order}", {"type": "token", "token": token, **tender})


def written(folder, text):
    """Files of the counter in which a text stands."""
    return [p.name for p in pathlib.Path(folder).rglob("*") if p.is_file() and text.encode() in p.read_bytes()]


def test_a_payment_method_of_stripe_is_charged_once(shop, sandbox, tmp_path):
    token = method(sandbox, "4242424242424242")
    payment, paid = sell(shop, "o-1", token)
    assert paid.status_code == 200, paid.text
    body = paid.json()
    assert (body["status"], body["captured"]) == ("succeeded", 1250)
    assert (body["tender"]["type"], body["tender"]["brand"], body["tender"]["last_four"]) == ("card", "visa", "4242")
    again = shop.confirm(payment, "confirm-o-1", {"type": "token", "token": token})
    assert again.headers["Idempotent-Replayed"] == "true" and again.json() == body
    other = shop.confirm(payment, "confirm-o-1", {"type": "token", "token": "pm_other"})
    assert other.status_code == 422 and other.json()["code"] == "idempotency_mismatch"
    assert [c["captured"] for c in sandbox.get("/_sandbox/ledger")["charges"]] == [1250]
    shop.stop()
    # The stand-in keeps its own files here, too.
    assert [n for n in written(tmp_path, token) if not n.startswith(("ledger", "sandbox"))] == []
    answer = counter.till("journal", "verify", "--journal", shop.journal, "--json")
    assert answer.code == 0 and answer.json["ok"] is True, answer


def test_a_declined_method_moves_nothing_and_another_pays(shop, sandbox):
    payment, declined = sell(shop, "o-1", method(sandbox, "4000000000000002"))
    assert declined.json()["status"] == "declined", declined.text
    paid = shop.confirm(payment, "second", {"type": "token", "token": method(sandbox, "5555555555554444")})
    assert paid.json()["status"] == "succeeded" and paid.json()["tender"]["brand"] == "mastercard"


@pytest.mark.parametrize("token, code", [
    ("4242424242424242", "invalid_token"), ("pm_<x>", "invalid_token"), ("", "invalid_token"), (7, "invalid_request"),
    (None, "invalid_request")])
def test_what_is_no_token_is_refused_before_anything_is_written(shop, sandbox, token, code):
    payment, refused = sell(shop, "o-1", token)
    assert refused.status_code == 422, refused.text
    assert (refused.json()["code"], refused.json()["money_moved"]) == (code, "no")
    assert shop.request("GET", f"/v1/payments/{payment}").json()["status"] == "requires_payment_method"
    assert sandbox.get("/_sandbox/ledger")["charges"] == []


def test_a_token_of_another_provider_is_declined(shop):
    _, refused = sell(shop, "o-1", "tokencc_bf_one")
    assert refused.json()["status"] == "declined", refused.text


def test_a_token_that_the_provider_repeats_in_its_error_is_masked(shop, tmp_path):
    token = "pm_doesnotexist1"
    _, refused = sell(shop, "o-1", token)
    assert refused.json()["status"] == "declined" and token not in refused.text, refused.text
    shop.stop()
    assert [n for n in written(tmp_path, token) if not n.startswith(("ledger", "sandbox"))] == []


def test_a_provider_without_card_fields_takes_no_token(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        payment = server.create("o-1", "create").json()["id"]
        refused = server.request(
            "POST", f"/v1/payments/{payment}/confirm",
            {"tender": {"type": "token", "token": "pm_card_visa"}, "provider": "cash"}, "confirm")
        assert (refused.status_code, refused.json()["code"]) == (422, "unsupported"), refused.text
        assert server.request("GET", f"/v1/payments/{payment}").json()["status"] == "requires_payment_method"
        assert server.confirm(payment, "paid", {"type": "token", "token": "pm_card_visa"}).json()["captured"] == 1250
        _, declined = sell(server, "o-2", "pm_card_chargeDeclinedInsufficientFunds")
        assert declined.json()["status"] == "declined"


def test_a_nonce_of_braintree_pays_once(tmp_path, braintree_url):
    env = {"TILL_BRAINTREE_MERCHANT_ID": "merchant", "TILL_BRAINTREE_PUBLIC_KEY": "integration_public_key",
           "TILL_BRAINTREE_PRIVATE_KEY": "integration_private_key", "TILL_BRAINTREE_URL": braintree_url,
           "TILL_BRAINTREE_MERCHANT_ACCOUNTS": "EUR=sandbox"}
    with counter.Server(tmp_path, "--provider", "braintree", env=env) as server:
        once = nonce(braintree_url)
        payment, paid = sell(server, "o-1", once)
        assert paid.status_code == 200 and paid.json()["captured"] == 1250, paid.text
        assert (paid.json()["tender"]["brand"], paid.json()["tender"]["last_four"]) == ("visa", "1111")
        # Braintree may be answering an earlier request with it: the payment is open until none can come any more.
        _, used = sell(server, "o-2", once)
        assert used.json()["status"] not in ("succeeded", "declined") and used.json()["captured"] == 0, used.text
    assert [n for n in written(tmp_path, once) if n != "braintree.log"] == []


def test_an_order_is_paid_once_from_two_tabs(shop, sandbox):
    payment = shop.create("o-1", "create").json()["id"]
    tokens = [method(sandbox, "4242424242424242"), method(sandbox, "5555555555554444")]
    assert tokens[0] != tokens[1]
    with concurrent.futures.ThreadPoolExecutor(2) as tabs:
        answers = list(tabs.map(
            lambda tab: shop.confirm(payment, f"tab-{tab}", {"type": "token", "token": tokens[tab]}), range(2)))
    assert sorted(a.status_code for a in answers) == [200, 409], [a.text for a in answers]
    assert [c["captured"] for c in sandbox.get("/_sandbox/ledger")["charges"] if c["captured"]] == [1250]


def test_a_counter_that_dies_while_a_token_is_charged_takes_the_money_once(tmp_path):
    server = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "1500ms").start()
    payment = server.create("o-1", "create").json()["id"]
    with concurrent.futures.ThreadPoolExecutor(1) as shop:
        lost = shop.submit(server.confirm, payment, "confirm", {"type": "token", "token": "pm_card_visa"})
        counter.until(lambda: server.request("GET", f"/v1/payments/{payment}").json()["status"] == "processing", 60)
        server.kill()
        assert lost.exception() is not None
    with server.start():
        def status():
            return server.request("GET", f"/v1/payments/{payment}").json()["status"]
        counter.until(lambda: status() not in ("processing", "unknown"), 120)
        if status() == "requires_payment_method":  # it died before the sandbox was asked
            assert server.confirm(payment, "again", {"type": "token", "token": "pm_card_visa"}).status_code == 200
        # A hold of an attempt that nobody waits for may have been given back: then nothing is captured.
        assert server.request("GET", f"/v1/payments/{payment}").json()["captured"] in (0, 1250)
    answer = counter.till("journal", "verify", "--journal", server.journal, "--json")
    assert answer.code == 0 and answer.json["ok"] is True, answer
    assert [n for n in written(tmp_path, "pm_card_visa") if n != "server.log"] == []


@pytest.fixture
def reached(tmp_path, sandbox):
    """A counter whose address customers reach, so that a bank can send them back."""
    port = counter.free_port()
    flags = [*sandbox.flags, "--receipt-url", f"http://127.0.0.1:{port}"]
    with counter.Server(tmp_path, *flags, port=port) as running:
        yield running


@pytest.mark.parametrize("choice, end", [("confirm", "succeeded"), ("refuse", "declined")])
def test_a_bank_that_wants_to_be_asked_sends_the_customer_back(reached, sandbox, choice, end):
    payment, asked = sell(reached, "o-1", method(sandbox, "4000002760003184"))
    assert asked.json()["status"] == "requires_action", asked.text
    bank = asked.json()["attempts"][-1]["action"]["url"]
    assert bank.startswith(sandbox.url), bank
    customer = requests.Session()
    assert "Confirm this purchase?" in customer.get(bank, timeout=10).text
    back = customer.post(bank, data={"answer": choice}, timeout=30)
    assert back.url.startswith(reached.url + "/back/") and back.status_code == 200, back.url
    assert ("Thank you" if choice == "confirm" else "Not paid") in back.text, back.text
    assert reached.request("GET", f"/v1/payments/{payment}").json()["status"] == end
    assert sum(c["captured"] for c in sandbox.get("/_sandbox/ledger")["charges"]) == (1250 if end == "succeeded" else 0)
    assert "Nothing to confirm" in customer.get(bank, timeout=10).text


def test_nobody_comes_back_for_another_customer(reached, sandbox):
    backs, payments = [], []
    for order in ("o-1", "o-2"):
        payment, asked = sell(reached, order, method(sandbox, "4000002760003184"))
        payments.append(payment)
        page = asked.json()["attempts"][-1]["action"]["url"]
        bank = requests.post(page, data={"answer": "confirm"}, timeout=10, allow_redirects=False)
        backs.append(bank.headers["Location"])
    state = re.search(r"state=\w+", backs[0])[0]
    forged = re.sub(r"state=\w+", state, backs[1])
    assert requests.get(forged, timeout=10).status_code == 404
    for back, payment in zip(backs, payments):
        assert requests.get(back, timeout=30).status_code == 200
        assert reached.request("GET", f"/v1/payments/{payment}").json()["status"] == "succeeded"
