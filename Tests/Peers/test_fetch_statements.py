"""Statements that till fetches by itself at PayPal and Adyen, from stand-ins that make them of their own ledgers."""
import datetime
import decimal
import time

import pytest
import requests

import counter
import paypal
from adyen_shop import HMAC_KEY, sell


def play(url, **what):
    answer = requests.post(url + "/_sandbox/statements", json=what, timeout=5)
    assert answer.status_code == 200, answer.text


def balances(journal):
    told = counter.succeed("ledger", "balances", "--journal", journal, "--json")["balances"]
    return {(b["kind"], b["currency"]): b["amount"] for b in told}


class PayPalShop:
    ENV = {"TILL_PAYPAL_CLIENT_ID": "shop", "TILL_PAYPAL_SECRET": "secret"}

    def __init__(self, folder, url):
        self.url, self.journal = url, folder / "journal.db"
        self.common = paypal.Shop(folder, url).common
        self.sales = [self("sale", *paypal.SALE, "--amount", "12.50").json["id"] for _ in range(2)]
        assert self("payments", "refund", self.sales[0], "--amount", "5.00").code == 0

    def __call__(self, *arguments):
        return counter.till(*arguments, *self.common, env=self.ENV)

    def reconcile(self, *more):
        time.sleep(1.1)  # PayPal is asked in whole seconds: what was made in this one is found in the next
        return self("reconcile", "--fetch", "paypal", *more)

    def rows(self):
        now = datetime.datetime.now(datetime.UTC)
        day = datetime.timedelta(days=1)
        found = requests.get(
            self.url + "/v1/reporting/transactions", timeout=5,
            headers={"Authorization": "Bearer " + paypal.token(self.url)},
            params={"start_date": f"{now - day:%Y-%m-%dT%H:%M:%SZ}", "end_date": f"{now + day:%Y-%m-%dT%H:%M:%SZ}"})
        return [d["transaction_info"] for d in found.json()["transaction_details"]]


@pytest.fixture
def shop(tmp_path, stand_in):
    return PayPalShop(tmp_path, stand_in)


def test_paypals_statement_matches_and_nothing_doubles(shop):
    play(shop.url, do="payout", amount=100)
    first = shop.reconcile()
    assert first.code == 0, first
    found = first.json["statements"][0]
    assert (found["matched"], found["posted"], found["unknown"], found["differs"]) == (3, 1, 0, 0), found
    now = balances(shop.journal)
    fees = sum(-decimal.Decimal(r["fee_amount"]["value"]) for r in shop.rows() if "fee_amount" in r)
    assert now["fees", "EUR"] == fees * 100 > 0 and ("suspense", "EUR") not in now, now
    again = shop.reconcile()
    assert again.code == 0 and again.json["statements"][0]["imported"] == 0, again
    assert balances(shop.journal) == now


def test_paypals_faults_are_found_and_named(shop):
    rows = shop.rows()
    captures = [r["transaction_id"] for r in rows if r["transaction_event_code"] == "T0006"]
    refund = next(r["transaction_id"] for r in rows if r["transaction_event_code"] == "T1107")
    play(shop.url, do="foreign", amount=777, currency="EUR")
    play(shop.url, do="amount", id=captures[0], amount=1249)
    play(shop.url, do="code", id=refund, code="T9900")
    answer = shop.reconcile()
    found = answer.json["statements"][0]
    assert answer.code == 2 and (found["differs"], found["unknown"], found["matched"]) == (1, 2, 1), found
    told = "\n".join(i["what"] for i in answer.json["open"])
    for words in ("7.77 EUR", "“T9900” is not known", "12.49 EUR"):
        assert words in told, told
    assert balances(shop.journal)["suspense", "EUR"] == -777 + 500 + 1


def test_paypals_refusals_import_nothing_and_say_what_to_do(shop):
    play(shop.url, do="forbid")
    answer = shop.reconcile()
    error = answer.json["error"]
    assert answer.code == 1 and error["code"] == "statement_not_set_up" and error["money_moved"] == "no", answer
    assert "Transaction Search" in error["next"], answer
    play(shop.url, do="allow")
    play(shop.url, do="fail", status=503, times=9)
    answer = shop.reconcile()
    assert answer.code == 1 and answer.json["error"]["code"] == "statement_not_fetched", answer
    play(shop.url, do="fail", status=503, times=0)
    assert not any(kind == "fees" for kind, _ in balances(shop.journal))
    # A search that finds too much in a minute is named, and nothing of it is imported.
    play(shop.url, do="most", rows=0)
    answer = shop.reconcile()
    assert answer.code == 1 and "one minute" in answer.json["error"]["what"], answer
    play(shop.url, do="most", rows=10_000)
    assert shop.reconcile().code == 0


REPORTS = {"TILL_ADYEN_REPORT_USER": "report@Company.Till", "TILL_ADYEN_REPORT_PASSWORD": "secret"}
ADYEN = {"TILL_ADYEN_MERCHANT_ACCOUNT": "TillTest", "TILL_ADYEN_KEY": "key", "TILL_ADYEN_HMAC_KEY": HMAC_KEY}


class AdyenCounter:
    """A counter that is told what Adyen has to say; its journal is shared with the commands."""

    def __init__(self, folder, url):
        self.url, self.journal = url, folder / "journal.db"
        self.env = {**ADYEN, "TILL_ADYEN_URL": url, "TILL_PROVIDER": "adyen"}
        self.server = counter.Server(folder, env=self.env)

    def __enter__(self):
        self.server.start()
        hook = {"url": self.server.url + "/webhooks/adyen", "hmac_key": HMAC_KEY}
        assert requests.post(self.url + "/_sandbox/webhooks", json=hook, timeout=5).json()["ok"]
        return self

    def __exit__(self, *_):
        self.server.stop()

    def reconcile(self, **env):
        return counter.till(
            "reconcile", "--fetch", "adyen", "--journal", self.journal, "--json", env={**self.env, **REPORTS, **env})


def fetched(shop):
    """Once the webhook has said that the report is there."""
    answers = []

    def has_lines():
        answers.append(shop.reconcile())
        return answers[-1].code == 1 or answers[-1].json["statements"][0]["imported"] > 0

    assert counter.until(has_lines), answers[-1]
    return answers[-1]


def test_adyens_report_is_fetched_once_it_is_announced(tmp_path, adyen_url):
    with AdyenCounter(tmp_path, adyen_url) as shop:
        sale = sell(tmp_path, adyen_url)
        assert sale.code == 0, sale
        assert shop.reconcile().json["statements"][0]["imported"] == 0, "a report came that nobody has announced"
        play(adyen_url, do="batch")
        answer = fetched(shop)
        found = answer.json["statements"][0]
        assert answer.code == 0 and (found["matched"], found["posted"]) == (1, 1), answer
        now = balances(shop.journal)
        assert now["receivable", "EUR"] == 0 and now["fees", "EUR"] == 12 + 7 and ("suspense", "EUR") not in now, now
        assert shop.reconcile().json["statements"][0]["imported"] == 0
        assert balances(shop.journal) == now


def test_adyens_report_of_megabytes_is_fetched(tmp_path, adyen_url):
    rows = 20_000
    with AdyenCounter(tmp_path, adyen_url) as shop:
        play(adyen_url, do="fee", amount=3, times=rows)
        play(adyen_url, do="batch")
        answer = fetched(shop)
        found = answer.json["statements"][0]
        assert answer.code == 0 and (found["imported"], found["posted"]) == (rows + 1, rows + 1), answer
        report = requests.get(
            adyen_url + "/reports/download/MerchantAccount/TillTest/settlement_detail_report_batch_1.csv", timeout=20,
            auth=("report@Company.Till", "secret"))
        assert len(report.content) > 1 << 20, len(report.content)
        assert balances(shop.journal)["fees", "EUR"] == 3 * rows


def test_adyens_faults_and_refusals(tmp_path, adyen_url):
    with AdyenCounter(tmp_path, adyen_url) as shop:
        assert sell(tmp_path, adyen_url).code == 0
        play(adyen_url, do="batch")
        # The webhook of the second batch is lost.
        play(adyen_url, do="foreign", amount=777, currency="EUR")
        play(adyen_url, do="batch", announce=False)
        play(adyen_url, do="batch")
        play(adyen_url, do="forbid")
        assert counter.until(lambda: shop.reconcile().code == 1), "the report was not announced"
        refused = shop.reconcile()
        assert refused.json["error"]["code"] == "statement_not_set_up", refused
        assert "secret" not in refused.out + refused.err
        missing = counter.till(
            "reconcile", "--fetch", "adyen", "--journal", shop.journal, "--json", env=shop.env)
        assert missing.code == 1 and "TILL_ADYEN_REPORT_USER" in missing.json["error"]["next"], missing
        play(adyen_url, do="allow")
        play(adyen_url, do="fail", status=503, times=1)
        assert shop.reconcile().json["error"]["code"] == "statement_not_fetched"
        answer = fetched(shop)
        found = answer.json["statements"][0]
        assert answer.code == 2 and (found["matched"], found["unknown"], found["posted"]) == (1, 1, 2), answer
        assert "7.77 EUR" in answer.json["open"][0]["what"], answer
