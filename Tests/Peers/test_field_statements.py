"""Statements as they come in the field: saved again by other programs, in two currencies, with lines that belong
together. Each is read as what it says, or refused with its place."""
import pytest

import counter

ADYEN = (
    "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,"
    "Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,"
    "Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),"
    "Payment Method Variant,"
    "Modification Merchant Reference,Batch Number")
STRIPE = (
    "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,available_on_utc,currency,"
    "gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,"
    "payment_intent_id,charge_id")
PAYPAL = [
    ["RH", "2026/10/06 02:05:37 -0700", "A", "SHOP1", "9"], ["FH", "01"],
    ["SH", "2026/10/05 00:00:00 -0700", "2026/10/05 23:59:59 -0700", "SHOP1", ""],
    ["CH", "Transaction ID", "Invoice ID", "PayPal Reference ID", "PayPal Reference ID Type", "Transaction Event Code",
     "Transaction Initiation Date", "Transaction Completion Date", "Transaction  Debit or Credit",
     "Gross Transaction Amount", "Gross Transaction Currency", "Fee Debit or Credit", "Fee Amount", "Fee Currency",
     "Custom Field", "Consumer ID", "Payment Tracking ID", "Store ID"],
    ["SB", "CAPTURE1", "", "", "", "T0006", "2026/10/05 11:46:44 -0700", "2026/10/05 11:46:44 -0700", "CR", "{gross}",
     "{currency}", "DR", "{fee}", "{currency}", "", "", "", ""],
    ["SC", "1"], ["RC", "1"], ["FF", "1"],
]


def reconciled(tmp_path, content, encoding="utf-8"):
    """The statement as it was taken, and what is open."""
    tmp_path.mkdir(exist_ok=True)
    file, journal = tmp_path / "statement.csv", tmp_path / "journal.db"
    file.write_bytes(content.encode(encoding))
    answer = counter.till("reconcile", file, "--journal", journal, "--json")
    return answer, journal


def balance(journal, account, currency):
    found = counter.till("ledger", "balances", "--journal", journal, "--json").json["balances"]
    return sum(entry["amount"] for entry in found if entry["kind"] == account and entry["currency"] == currency)


def adyen(kind, currency, debit="", credit="", name=""):
    cells = ["Acme", "Shop", "", "", "", "2026-10-05 09:00:00", "PDT", kind, name, "", "", "", "", currency, debit,
             credit, "", "", "", "", "", "", "41"]
    return ",".join(cells)


def test_a_batch_is_the_sum_of_its_rows_in_each_currency(tmp_path):
    rows = [adyen("DepositCorrection", "USD", credit="61.50"), adyen("DepositCorrection", "CAD", credit="10.00"),
            adyen("Fee", "USD", debit="1.75"), adyen("Fee", "CAD", debit="0.46"),
            adyen("MerchantPayout", "USD", debit="59.75", name="TX1XT"),
            adyen("MerchantPayout", "CAD", debit="9.54", name="TX1XT")]
    answer, _ = reconciled(tmp_path, "\n".join([ADYEN, *rows]) + "\n")
    assert answer.code == 0, answer
    rows[-1] = adyen("MerchantPayout", "CAD", debit="9.00")
    short, _ = reconciled(tmp_path / "short", "\n".join([ADYEN, *rows]) + "\n")
    assert short.code == 2, short


def stripe(number, category, gross, fee, net, source, facing=""):
    return (f"po_1,2026-10-06 00:00:00,txn_{number},2026-10-04 10:00:0{number},2026-10-06 00:00:00,usd,{gross},{fee},"
            f"{net},{category},{source},,{facing},{'usd' if facing else ''},,{source}")


def test_what_a_payout_keeps_back_is_in_transit(tmp_path):
    rows = [stripe(1, "topup", "77.55", "0.00", "77.55", "tu_1"),
            stripe(2, "payout_minimum_balance_hold", "-17.27", "0.00", "-17.27", "po_1")]
    answer, journal = reconciled(tmp_path, "\n".join([STRIPE, *rows]) + "\n")
    assert answer.code == 0, answer
    assert balance(journal, "suspense", "USD") == 0


def test_a_capture_of_a_part_is_one_line_of_two(tmp_path):
    rows = [stripe(1, "charge", "20.95", "0.91", "20.04", "ch_1", "20.95"),
            stripe(2, "partial_capture_reversal", "-10.95", "-0.32", "-10.63", "ch_1", "-10.95")]
    answer, journal = reconciled(tmp_path, "\n".join([STRIPE, *rows]) + "\n")
    # Nobody here sold it, so it is one line that no payment accounts for: 10.00 and a fee of 0.59.
    found = answer.json["statements"][0]
    assert answer.code == 2 and found["unknown"] == 1, found
    assert balance(journal, "suspense", "USD") == -1000 and balance(journal, "fees", "USD") == 59
    alone, _ = reconciled(tmp_path / "alone", "\n".join([STRIPE, rows[1].replace("ch_1", "ch_2")]) + "\n")
    assert alone.code == 2, "a reversal without its charge is a person's"


def paypal(currency="JPY", gross="15000", fee="4300", quoted=True, begin=0):
    def cell(text):
        text = text.format(currency=currency, gross=gross, fee=fee)
        return f'"{text}"' if quoted and not text.isdigit() else text

    return "\n".join(",".join(cell(text) for text in record) for record in PAYPAL[begin:]) + "\n"


@pytest.mark.parametrize(("text", "encoding"), [
    (paypal(), "utf-8"), (paypal(quoted=False), "utf-8"), (paypal(), "utf-8-sig"), (paypal(quoted=False), "utf-16"),
    (paypal(begin=1), "utf-8"), (paypal(begin=2), "utf-8")])
def test_paypals_report_is_known_by_its_fields_and_has_two_places(tmp_path, text, encoding):
    answer, journal = reconciled(tmp_path, text, encoding)
    assert answer.code == 2 and answer.json["statements"][0]["imported"] == 1, answer
    assert balance(journal, "suspense", "JPY") == -150 and balance(journal, "fees", "JPY") == 43


def test_decimals_of_a_currency_that_has_none_are_refused(tmp_path):
    answer, _ = reconciled(tmp_path, paypal(gross="15050"))
    assert answer.code == 1 and "has decimals, and JPY has none" in answer.json["error"]["what"], answer


def test_a_sentence_has_one_full_stop(tmp_path):
    row = stripe(1, "charge", '"1,025.00"', "0.00", "1.00", "ch_1")
    answer, _ = reconciled(tmp_path, STRIPE + "\n" + row + "\n")
    what = answer.json["error"]["what"]
    assert answer.code == 1 and "such as 12.50. Nothing was imported" in what, what
