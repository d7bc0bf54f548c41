"""Statements of Braintree's stand-in, read by Braintree's own library and held against the journal by till."""
import csv
import datetime
import subprocess

import braintree
import pytest
import requests

import counter
from braintree_shop import FLAGS, gateway

NIGHT = "/_sandbox/settle"
COLUMNS = [
    "Transaction ID", "Subscription ID", "Transaction Type", "Transaction Status", "Created Datetime",
    "Settlement Date", "Disbursement Date", "Merchant Account", "Currency ISO Code", "Amount Authorized",
    "Amount Submitted For Settlement", "Service Fee", "Order ID", "Refunded Transaction ID", "Settlement Amount",
    "Settlement Currency ISO Code", "Settlement Currency Exchange Rate", "Settlement Batch ID",
]


@pytest.fixture
def stand_in(braintree_url):
    return braintree_url


class Shop:
    """Two sales, 5.00 of the first given back, and a third sale that was given back before its settlement."""

    def __init__(self, folder, url):
        self.url, self.journal, self.library = url, folder / "journal.db", gateway(url)
        self.common = ["--journal", self.journal, "--json", "--provider", "braintree", "--braintree-url", url]
        self.sales = [self.sell(f"o-{n}", "12.50") for n in range(3)]
        assert self("payments", "refund", self.sales[2]).code == 0
        self.post(NIGHT)
        assert self("payments", "refund", self.sales[0], "--amount", "5.00").code == 0
        self.post(NIGHT)

    def __call__(self, *arguments):
        return counter.till(*arguments, *self.common)

    def sell(self, order, amount):
        sold = self("sale", *FLAGS, "--amount", amount, "--order", order)
        assert sold.code == 0 and sold.json["status"] == "succeeded", sold
        return sold.json["id"]

    def post(self, path, **what):
        answer = requests.post(self.url + path, json=what, timeout=5)
        assert answer.status_code == 200, answer.text

    def play(self, **what):
        self.post("/_sandbox/statements", **what)

    def reconcile(self, *more):
        return self("reconcile", "--fetch", "braintree", *more)

    def rows(self):
        """What was paid out, as Braintree's library finds and reads it."""
        now = datetime.datetime.now(datetime.UTC)
        day = datetime.timedelta(days=1)
        return list(self.library.transaction.search(
            braintree.TransactionSearch.disbursement_date.between(now - day, now + day)))

    def balances(self):
        told = counter.succeed("ledger", "balances", "--journal", self.journal, "--json")["balances"]
        return {(b["kind"], b["currency"]): b["amount"] for b in told if b["amount"]}

    def export(self, path, rows, columns=COLUMNS):
        """As the control panel exports transactions."""
        def cells(t):
            paid = t.disbursement_details
            return {
                "Transaction ID": t.id, "Transaction Type": t.type, "Transaction Status": t.status,
                "Created Datetime": t.created_at.strftime("%m/%d/%Y %H:%M:%S"),
                "Disbursement Date": paid.disbursement_date and paid.disbursement_date.strftime("%m/%d/%Y"),
                "Merchant Account": t.merchant_account_id, "Currency ISO Code": t.currency_iso_code,
                "Amount Authorized": t.amount, "Amount Submitted For Settlement": t.amount, "Order ID": t.order_id,
                "Refunded Transaction ID": t.refunded_transaction_id if t.type == "credit" else None,
                "Settlement Amount": getattr(paid, "settlement_amount", None),
                "Settlement Currency ISO Code": getattr(paid, "settlement_currency_iso_code", None),
                "Settlement Currency Exchange Rate": getattr(paid, "settlement_currency_exchange_rate", None),
                "Settlement Batch ID": t.settlement_batch_id,
            }
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(cells(t) for t in rows)
        return path


@pytest.fixture
def shop(tmp_path, stand_in):  # noqa: F811
    return Shop(tmp_path, stand_in)


def test_the_stand_ins_statements_are_true_to_braintrees_library(shop):
    assert shop.rows() == []
    shop.play(do="disburse")
    rows = shop.rows()
    assert sorted((t.type, str(t.amount)) for t in rows) == [("credit", "5.00"), ("sale", "12.50"), ("sale", "12.50")]
    for row in rows:
        paid = row.disbursement_details
        assert row.is_disbursed and paid.success and not paid.funds_held and paid.settlement_amount == row.amount
        assert paid.settlement_currency_exchange_rate == 1 and paid.settlement_currency_iso_code == "EUR"
        found = shop.library.transaction.find(row.id)
        assert (found.id, found.settlement_batch_id) == (row.id, row.settlement_batch_id)
        batch = shop.library.transaction.search(
            braintree.TransactionSearch.settlement_batch_id == row.settlement_batch_id)
        assert {t.id for t in batch.items} == {t.id for t in rows}
    told = shop.library.settlement_batch_summary.generate(datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"))
    records = told.settlement_batch_summary.records
    totals = {(r["kind"], r["merchant_account_id"]): (r["count"], r["amount_settled"]) for r in records}
    assert totals == {("sale", "sandbox"): ("2", "25.00"), ("credit", "sandbox"): ("1", "5.00")}
    assert not shop.library.settlement_batch_summary.generate("yesterday").is_success


def test_everything_matches_and_nothing_doubles(shop, tmp_path):
    early = shop.reconcile()
    # What was given back before its settlement never reaches the bank: both of its sides are there at once.
    assert early.code == 0 and early.json["statements"][0]["matched"] == 2, early
    shop.play(do="disburse")
    first = shop.reconcile()
    found = first.json["statements"][0]
    assert first.code == 0 and (found["matched"], found["posted"], found["unknown"]) == (3, 3, 0), first
    now = shop.balances()
    rows = shop.rows()
    net = sum(t.disbursement_details.settlement_amount * (1 if t.type == "sale" else -1) for t in rows)
    assert now["in_transit", "EUR"] == net * 100 == 2000 and ("receivable", "EUR") not in now, now
    assert ("suspense", "EUR") not in now
    again = shop.reconcile()
    assert again.code == 0 and again.json["statements"][0]["imported"] == 0, again
    # The same as a file, found by its columns.
    file = counter.till(
        "reconcile", shop.export(tmp_path / "transactions.csv", rows), "--journal", shop.journal, "--json")
    assert file.code == 0 and file.json["statements"][0]["known"] == 6, file
    assert shop.balances() == now
    counter.succeed("journal", "verify", "--journal", shop.journal, "--json")
    for form, judge in (("hledger", ["hledger", "check", "-s", "ordereddates", "-f"]), ("beancount", ["bean-check"])):
        path = tmp_path / f"ledger.{form}"
        path.write_text(counter.till("ledger", "export", "--format", form, "--journal", shop.journal).out)
        judge[0] = judge[0] if form == "hledger" else str(counter.ROOT / ".build/peers/bin/bean-check")
        judged = subprocess.run([*judge, path], capture_output=True, timeout=60)
        assert judged.returncode == 0, judged


def test_the_control_panels_export_alone_and_in_parts(shop, tmp_path):
    shop.play(do="disburse")
    rows = shop.rows()
    for number, row in enumerate(rows):
        path = shop.export(tmp_path / f"part{number}.csv", [row])
        assert counter.till("reconcile", path, "--journal", shop.journal, "--json").code == 0
    assert shop.balances()["in_transit", "EUR"] == 2000
    for column in ("Settlement Amount", "Disbursement Date", "Order ID", "Refunded Transaction ID"):
        path = shop.export(tmp_path / "short.csv", rows, [c for c in COLUMNS if c != column])
        refused = counter.till("reconcile", path, "--journal", shop.journal, "--json")
        assert refused.code == 1 and f"no column “{column}”" in refused.json["error"]["what"], refused


def test_each_fault_is_found_and_named(shop):
    shop.play(do="disburse")
    rows = sorted(shop.rows(), key=lambda t: (t.type, t.created_at))
    shop.play(do="foreign", amount=777, currency="EUR")
    shop.play(do="amount", id=rows[1].id, amount=1249)
    shop.play(do="omit", id=rows[0].id)
    answer = shop.reconcile()
    found = answer.json["statements"][0]
    assert answer.code == 2 and (found["differs"], found["unknown"], found["expected"]) == (1, 1, 1), found
    told = "\n".join(i["what"] for i in answer.json["open"])
    assert "7.77 EUR" in told and "12.49 EUR" in told, told
    assert shop.balances()["suspense", "EUR"] == -777 + 1


def test_a_transaction_that_is_missing_at_the_provider(shop, tmp_path):
    shop.play(do="disburse")
    rows = shop.rows()
    gone = next(t for t in rows if t.type == "credit")
    around = [datetime.timedelta(days=days) for days in (-10, 10)]
    path = shop.export(tmp_path / "transactions.csv", [t for t in rows if t is not gone])
    lines = path.read_text().splitlines()
    # As if the export began ten days before and went on for as long, with sales of somebody else's.
    other = next(t for t in rows if t.type == "sale")
    today = other.disbursement_details.disbursement_date
    for number, days in enumerate(around):
        day = (today + days).strftime("%m/%d/%Y")
        line = next(text for text in lines if text.startswith(other.id))
        lines.append(line.replace(other.id, f"other{number}").replace(today.strftime("%m/%d/%Y"), day).replace(
            other.order_id, "elsewhere"))
    path.write_text("\n".join(lines) + "\n")
    answer = counter.till("reconcile", path, "--journal", shop.journal, "--json")
    found = answer.json["statements"][0]
    # Of the sale that was voided before its settlement the export says nothing: it is fetched.
    assert answer.code == 2 and (found["missing"], found["unknown"]) == (3, 2), answer
    missing = [i for i in answer.json["open"] if "is in no statement" in i["what"]]
    assert {i["payment"] for i in missing} == {shop.sales[0], shop.sales[2]}, missing
    assert shop.reconcile().json["statements"][0]["missing"] == 0


def test_a_payout_in_another_currency_is_exchange_and_held_funds_are_no_payout(shop):
    shop.play(do="settle", currency="USD", per_mille=1_234)
    shop.play(do="disburse")
    held = next(t for t in shop.rows() if t.type == "credit")
    shop.play(do="hold", id=held.id)
    assert shop.library.transaction.find(held.id).disbursement_details.funds_held
    assert shop.reconcile().code == 0
    now = shop.balances()
    out = 2 * (1250 * 1234 // 1000) - 500 * 1234 // 1000
    assert ("receivable", "EUR") not in now and now["exchange", "EUR"] == 2000 and now["exchange", "USD"] == -out, now
    assert now["in_transit", "USD"] == out


def test_a_disputes_money_is_taken_and_given_back(shop):
    shop.play(do="disburse")
    assert shop.reconcile().code == 0
    sale = next(t for t in shop.rows() if t.type == "sale")
    owner = next(s for s in shop.sales if sale.order_id.startswith(s))
    for word, lines, in_transit in (("dispute", 1, 750), ("win", 1, 2000)):
        shop.post("/_sandbox/aftersale", reference=sale.id, do=word)
        now = datetime.datetime.now(datetime.UTC)
        day = datetime.timedelta(days=1)
        found = shop.library.dispute.search(
            braintree.DisputeSearch.disbursement_date.between(now - day, now + day)).disputes
        steps = [s for d in found.items for s in d.status_history if getattr(s, "disbursement_date", None)]
        assert [s.status for s in steps] == ["open", "won"][:len(steps)] and steps
        assert counter.until(lambda: shop("payments", "query", owner).code == 0)
        answer = shop.reconcile()
        told = answer.json["statements"][0]
        assert answer.code == 0 and (told["matched"], told["posted"]) == (lines, 1), answer
        assert shop.balances()["in_transit", "EUR"] == in_transit


def test_refusals_import_nothing_and_say_what_to_do(shop):
    shop.play(do="disburse")
    shop.play(do="forbid")
    answer = shop.reconcile()
    error = answer.json["error"]
    assert answer.code == 1 and error["code"] == "statement_not_set_up" and error["money_moved"] == "no", answer
    shop.play(do="allow")
    shop.play(do="fail", status=503, times=1)
    answer = shop.reconcile()
    assert answer.code == 1 and answer.json["error"]["code"] == "statement_not_fetched", answer
    lost = shop.rows()[0]
    shop.play(do="lose", id=lost.id)
    answer = shop.reconcile()
    assert answer.code == 1 and "3 of 4 transactions" in answer.json["error"]["what"], answer
    assert ("in_transit", "EUR") not in shop.balances()
