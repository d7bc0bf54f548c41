"""Statements of Stripe's stand-in, read by Stripe's own library and held against the journal by till."""
import json
import subprocess

import pytest
import requests
import stripe

import counter
from statements import ADYEN

CARD = ["--card-number", "4242424242424242", "--expiry", "12/30", "--cvc", "987"]


@pytest.fixture
def shop(tmp_path, sandbox):
    return counter.Shop(tmp_path, sandbox)


@pytest.fixture
def client(sandbox):
    return stripe.StripeClient(sandbox.key, base_addresses={"api": sandbox.url}, max_network_retries=0)


def play(sandbox, **what):
    answer = requests.post(sandbox.url + "/_sandbox/statements", json=what, timeout=5)
    assert answer.status_code == 200, answer.text


def transactions(client, **filters):
    return list(client.v1.balance_transactions.list(params={"limit": 2, **filters}).auto_paging_iter())


def reconcile(shop, *more):
    return counter.till("reconcile", "--fetch", "stripe", *shop.common, *more)


def balances(shop):
    told = counter.succeed("ledger", "balances", "--journal", shop.journal, "--json")["balances"]
    return {(b["kind"], b["currency"]): b["amount"] for b in told}


def sold(shop, number=3):
    made = [shop.sale(order=f"o-{n}", amount=f"{10 + n}.50").json for n in range(number)]
    assert shop.payments("refund", made[0]["id"], "--amount", "5.00").code == 0
    return made


def test_the_stand_ins_statements_are_true_to_stripes_library(shop, sandbox, client):
    sold(shop)
    play(sandbox, do="payout")
    rows = transactions(client)
    assert len(rows) == 5 and all(r.net == r.amount - r.fee for r in rows)
    payouts = list(client.v1.payouts.list().auto_paging_iter())
    assert len(payouts) == 1
    mine = transactions(client, payout=payouts[0].id)
    assert {r.id for r in mine} == {r.id for r in rows}
    assert sum(r.net for r in mine if r.type != "payout") == payouts[0].amount
    assert payouts[0].amount == -next(r.net for r in mine if r.type == "payout")


def test_everything_matches_and_nothing_doubles(shop, sandbox, client, tmp_path):
    sold(shop)
    play(sandbox, do="payout")
    first = reconcile(shop)
    assert first.code == 0, first
    found = first.json["statements"][0]
    assert found["matched"] == 4 and found["posted"] == 1 and found["unknown"] == found["missing"] == 0, found
    now = balances(shop)
    fees = sum(r.fee for r in transactions(client))
    assert now["receivable", "EUR"] == 0 and now["fees", "EUR"] == fees
    assert now["in_transit", "EUR"] == client.v1.payouts.list().data[0].amount
    again = reconcile(shop)
    assert again.code == 0 and again.json["statements"][0]["imported"] == 0, again
    # The same as a file.
    path = tmp_path / "transactions.json"
    rows = transactions(client, expand=["data.source"])
    path.write_text(json.dumps([json.loads(str(r)) for r in rows]))
    file = counter.till("reconcile", path, "--journal", shop.journal, "--json")
    assert file.code == 0 and file.json["statements"][0]["known"] == 5, file
    assert balances(shop) == now
    shop.verify()
    export = tmp_path / "ledger.journal"
    export.write_text(counter.till("ledger", "export", "--format", "hledger", "--journal", shop.journal).out)
    judged = subprocess.run(["hledger", "-f", export, "check", "-s", "ordereddates"], capture_output=True, timeout=60)
    assert judged.returncode == 0, judged


def test_each_fault_is_found_and_named(shop, sandbox, client):
    made = sold(shop)
    rows = {r.source: r for r in transactions(client)}
    charges = sorted((r for r in rows.values() if r.type == "charge"), key=lambda r: r.amount)
    play(sandbox, do="amount", id=charges[1].id, amount=charges[1].amount - 1)
    play(sandbox, do="foreign", amount=777, currency="EUR")
    play(sandbox, do="type", id=next(r.id for r in rows.values() if r.type == "refund"), type="mystery")
    play(sandbox, do="payout", remainder=13)
    answer = reconcile(shop)
    assert answer.code == 2, answer
    found = answer.json["statements"][0]
    assert (found["differs"], found["unknown"], found["remainders"], found["matched"]) == (1, 2, 1, 2), found
    told = "\n".join(b["what"] for b in answer.json["open"])
    for words in ("7.77 EUR", "“mystery” is not known", "0.13 EUR", made[1]["id"]):
        assert words in told, told
    assert balances(shop)["suspense", "EUR"] == -777 + 500 + 1
    for incident in answer.json["open"]:
        counter.succeed("journal", "incidents", "--resolve", incident["id"], "--note", "asked Stripe, Ada",
                        "--journal", shop.journal, "--json")
    assert reconcile(shop).code == 0


def test_a_charge_that_is_missing_at_the_provider(shop, sandbox, tmp_path, client):
    made = sold(shop)
    rows = transactions(client, expand=["data.source"])
    lines = [json.loads(str(r)) for r in rows]
    gone = next(line for line in lines if line["amount"] == 1150)
    # As if the statement began two days before and went on for a week.
    around = [{**lines[0], "id": f"txn_fee{days}", "type": "stripe_fee", "reporting_category": "fee", "amount": -9,
               "fee": 0, "net": -9, "source": None, "created": lines[0]["created"] + days * 86_400} for days in (-2, 7)]
    path = tmp_path / "transactions.json"
    path.write_text(json.dumps([line for line in lines if line is not gone] + around))
    answer = counter.till("reconcile", path, *shop.common)
    assert answer.code == 2 and answer.json["statements"][0]["missing"] == 1, answer
    assert answer.json["open"][0]["payment"] == made[1]["id"]
    path.write_text(json.dumps([gone]))
    assert counter.till("reconcile", path, *shop.common).code == 0


def test_settlement_in_another_currency_is_exchange(shop, sandbox):
    sold(shop, 1)
    play(sandbox, do="settle", currency="USD", per_mille=1_234)
    answer = reconcile(shop)
    assert answer.code == 0, answer
    now = balances(shop)
    assert now["receivable", "EUR"] == 0 and now["exchange", "EUR"] == 1050 - 500
    assert now["exchange", "USD"] == -(1050 * 1234 // 1000) + 500 * 1234 // 1000
    assert ("suspense", "EUR") not in now


def test_what_is_open_is_shown_and_counted(shop, sandbox, tmp_path):
    play(sandbox, do="foreign", amount=777, currency="EUR")
    answer = reconcile(shop)
    assert answer.code == 2 and answer.json["open_count"] == 1, answer
    with counter.Server(tmp_path, *shop.stripe.flags) as server:
        shown = server.request("GET", "/v1/reconciliation").json()
        assert shown["open"] == 1 and "7.77 EUR" in shown["breaks"][0]["what"]
        metrics = server.request("GET", "/metrics").text
        assert "\nreconciliation_open 1\n" in metrics


def test_what_cannot_be_read_imports_nothing(shop, tmp_path):
    path = tmp_path / "report.csv"
    for text in ("", "a,b\n1,2\n", "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category\n"
                 "txn_1,2026-11-20 10:00:00,eur,1.00,0.10,0.91,charge\n"):
        path.write_text(text)
        answer = counter.till("reconcile", path, *shop.common)
        assert answer.code == 1 and answer.json["error"]["money_moved"] == "no", answer
        assert "report.csv" in answer.json["error"]["what"], answer
    assert "line 2: txn_1: net 0.91 EUR is not" in answer.json["error"]["what"], answer
    assert counter.till("reconcile", tmp_path / "none.csv", *shop.common).code == 1
    assert counter.till("reconcile").code == 64


PAYPAL = json.dumps({"total_pages": 1, "transaction_details": [{"transaction_info": {
    "transaction_id": "T1", "transaction_event_code": "T0006", "transaction_status": "S",
    "transaction_initiation_date": "2026-11-01T04:03:52+0000",
    "transaction_amount": {"currency_code": "USD", "value": "465.00"},
    "fee_amount": {"currency_code": "USD", "value": "-13.79"}}}]})


@pytest.mark.parametrize("provider,text,says,suspense,fees", [
    ("adyen", ADYEN, "12.50 EUR", -1250, 125 + 12), ("paypal", PAYPAL, "465.00 USD", -46500, 1379)])
def test_a_file_is_recognized_and_what_it_says_of_no_payment_is_in_suspense(
        tmp_path, provider, text, says, suspense, fees):
    path, journal = tmp_path / "statement", tmp_path / "journal.db"
    path.write_text(text)
    answer = counter.till("reconcile", path, "--journal", journal, "--json")
    assert answer.code == 2 and answer.json["statements"][0]["provider"] == provider, answer
    assert answer.json["open_count"] == 1 and says in answer.json["open"][0]["what"], answer
    told = counter.succeed("ledger", "balances", "--journal", journal, "--json")["balances"]
    now = {b["kind"]: b["amount"] for b in told}
    assert now["suspense"] == suspense and now["fees"] == fees, now
    again = counter.till("reconcile", path, "--provider", provider, "--journal", journal, "--json")
    assert again.code == 2 and again.json["statements"][0]["imported"] == 0, again
