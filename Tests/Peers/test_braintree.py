"""Braintree's own Python library drives our stand-in, and our client sends what the library sends."""
import re

import pytest
import requests

import counter
import paypal
from braintree_shop import FLAGS, gateway, nonce


@pytest.fixture
def stand_in(braintree_url):
    return braintree_url


def test_sale_settle_refund(stand_in):
    shop = gateway(stand_in)
    sold = shop.transaction.sale({
        "amount": "12.50", "payment_method_nonce": nonce(stand_in), "order_id": "o-1",
        "options": {"submit_for_settlement": True},
    })
    assert sold.is_success and sold.transaction.status == "submitted_for_settlement"
    assert str(sold.transaction.amount) == "12.50" and sold.transaction.credit_card_details.last_4 == "1111"
    early = shop.transaction.refund(sold.transaction.id, "1.00")
    assert not early.is_success and early.errors.deep_errors[0].code == "91506"
    shop.testing.settle_transaction(sold.transaction.id)
    back = shop.transaction.refund(sold.transaction.id, "5.00")
    assert back.is_success and back.transaction.type == "credit" and str(back.transaction.amount) == "5.00"
    found = shop.transaction.find(sold.transaction.id)
    assert found.refund_ids == [back.transaction.id] and found.status == "settled"
    much = shop.transaction.refund(sold.transaction.id, "8.00")
    assert much.errors.deep_errors[0].code == "91521"


def test_hold_capture_void(stand_in):
    shop = gateway(stand_in)
    held = shop.transaction.sale({"amount": "20.00", "payment_method_nonce": nonce(stand_in)}).transaction
    assert held.status == "authorized"
    taken = shop.transaction.submit_for_settlement(held.id, "15.00")
    assert taken.is_success and str(taken.transaction.amount) == "15.00"
    assert shop.transaction.void(held.id).transaction.status == "voided"
    assert shop.transaction.void(held.id).errors.deep_errors[0].code == "91504"


def test_declines_and_used_nonces(stand_in):
    import braintree
    shop = gateway(stand_in)
    no = shop.transaction.sale({"amount": "2001.00", "payment_method_nonce": nonce(stand_in)})
    assert not no.is_success and no.transaction.status == "processor_declined"
    assert no.transaction.processor_response_code == "2001"
    once = nonce(stand_in)
    assert shop.transaction.sale({"amount": "1.00", "payment_method_nonce": once}).is_success
    again = shop.transaction.sale({"amount": "1.00", "payment_method_nonce": once})
    assert again.errors.for_object("transaction").on("payment_method_nonce")[0].code == "91564"
    with pytest.raises(braintree.exceptions.not_found_error.NotFoundError):
        shop.transaction.find("nosuchone")


def test_each_merchant_account_has_its_own_currency_and_the_default_one_is_euro(stand_in):
    shop = gateway(stand_in)

    def sale(**more):
        return shop.transaction.sale({"amount": "35", "payment_method_nonce": nonce(stand_in), **more})

    assert sale().transaction.currency_iso_code == "EUR"
    yen = sale(merchant_account_id="sandbox_jpy").transaction
    assert (yen.currency_iso_code, yen.merchant_account_id) == ("JPY", "sandbox_jpy")
    unknown = sale(merchant_account_id="nobodys")
    assert unknown.errors.deep_errors[0].code == "91513", unknown


def test_our_command_line_over_the_stand_in(tmp_path, stand_in):
    common = ["--journal", tmp_path / "journal.db", "--json", "--provider", "braintree", "--braintree-url", stand_in]
    sold = counter.till("sale", *FLAGS, "--amount", "12.50", "--order", "o-1", *common)
    assert sold.code == 0 and sold.json["status"] == "succeeded", sold
    declined = counter.till("sale", *FLAGS, "--amount", "2004.00", "--order", "o-2", *common)
    assert declined.code == 2 and declined.json["attempts"][0]["decline"]["reason"] == "expired_card", declined
    held = counter.till("sale", *FLAGS, "--amount", "20.00", "--order", "o-3", "--capture", "manual", *common)
    assert held.json["status"] == "requires_capture", held
    assert counter.till("authorizations", "void", held.json["id"], *common).code == 0
    assert requests.post(stand_in + "/_sandbox/settle", timeout=5).ok
    back = counter.till("payments", "refund", sold.json["id"], "--amount", "5.00", *common)
    assert back.code == 0, back
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.name != "braintree.log":
            assert b"4111111111111111" not in file.read_bytes(), file
    charges = requests.get(stand_in + "/_sandbox/ledger", timeout=5).json()["charges"]
    assert sum(c["captured"] for c in charges) == 1250 and sum(c["refunded"] for c in charges) == 500


def test_our_requests_are_those_of_the_library(tmp_path, stand_in):
    proxy = paypal.Proxy(stand_in)
    common = ["--journal", tmp_path / "journal.db", "--json", "--provider", "braintree", "--braintree-url", proxy.url]
    sold = counter.till("sale", *FLAGS, "--amount", "12.50", "--order", "o-1", *common)
    assert sold.code == 0, sold
    ours = next(r for r in proxy.requests if r["path"].endswith("/transactions"))
    body = ours["body"].decode()
    attempt, token = re.search(r"<order_id>(.*?)<", body).group(1), re.search(r"nonce>(.*?)<", body).group(1)
    proxy.requests.clear()
    gateway(proxy.url).transaction.sale({
        "amount": "12.50", "merchant_account_id": "sandbox", "payment_method_nonce": token, "order_id": attempt,
        "options": {"submit_for_settlement": True},
    })
    theirs = proxy.requests[0]
    proxy.close()
    assert theirs["body"].decode() == body
    assert theirs["method"] == ours["method"]
    assert re.sub("merchants/[a-z]+", "", theirs["path"]) == re.sub("merchants/[a-z]+", "", ours["path"])
    assert theirs["headers"]["X-ApiVersion"] == ours["headers"]["X-ApiVersion"]


def test_a_lost_answer_is_found_by_the_attempts_name(tmp_path, stand_in):
    common = ["--journal", tmp_path / "journal.db", "--json", "--provider", "braintree", "--braintree-url", stand_in]
    fault = {"operation": "authorize", "fault": "serverErrorAfterSuccess", "times": 1}
    assert requests.post(stand_in + "/_sandbox/faults", json=fault, timeout=5).ok
    counter.till("sale", *FLAGS, "--amount", "12.50", "--order", "o-1", *common)
    counter.till("payments", "recover", *common)
    shown = counter.till("payments", "list", *common).json["payments"]
    assert shown[0]["captured"] == 1250, shown
    again = counter.till("sale", *FLAGS, "--amount", "12.50", "--order", "o-1", *common)
    charges = requests.get(stand_in + "/_sandbox/ledger", timeout=5).json()["charges"]
    assert sum(c["captured"] for c in charges) == 1250, (again, charges)
