"""The export of the ledger, judged by beancount and hledger: it balances, and whatever is changed in it is found."""
import collections
import csv
import io
import itertools
import pathlib
import random
import re
import subprocess
import sys
from decimal import Decimal

import pytest
import requests
from beancount import loader
from beancount.core.data import Transaction

import counter
from wrong_clock import LIBRARY, Clock

CARD = ["--card-number", "4242424242424242", "--expiry", "12/30", "--cvc", "987"]


def bean(path):
    judge = pathlib.Path(sys.executable).parent / "bean-check"
    return subprocess.run([judge, "--no-cache", path], capture_output=True, text=True, timeout=60)


def hledger(path):
    return subprocess.run(
        ["hledger", "-f", path, "check", "-s", "ordereddates"], capture_output=True, text=True, timeout=60)


JUDGES = {"beancount": bean, "hledger": hledger}


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    """A shop with sales, part refunds, cash, yen and dinars; cash is the last."""
    folder = tmp_path_factory.mktemp("books")
    common = ["--journal", folder / "journal.db", "--json"]

    def till(*arguments):
        answer = counter.till(*arguments, *common)
        assert answer.code == 0, answer
        return answer

    for number, (amount, currency) in enumerate(
            [("12.50", "EUR"), ("99.99", "EUR"), ("1250", "JPY"), ("1.250", "KWD"), ("0.01", "USD")]):
        sold = till("sale", "--amount", amount, "--currency", currency, "--order", f"o-{number}", *CARD).json
        if number == 0:
            till("payments", "refund", sold["id"], "--amount", "5.00")
    till("sale", "--amount", "7.77", "--currency", "EUR", "--order", '=cmd"|;\'', "--cash",
         "--tendered", "10")
    return till


@pytest.fixture(params=["beancount", "hledger"])
def judged(request, books, tmp_path):
    text = books("ledger", "export", "--format", request.param).out

    def judge(changed):
        path = tmp_path / f"ledger.{'beancount' if request.param == 'beancount' else 'journal'}"
        path.write_text(changed)
        return JUDGES[request.param](path)

    return text, judge


def test_the_export_balances(judged):
    text, judge = judged
    answer = judge(text)
    assert answer.returncode == 0 and not answer.stdout + answer.stderr, answer
    for amount in ("Sandbox  1250 JPY", "Sandbox  1.250 KWD", "Sandbox  -5.00 EUR", "Cash  7.77 EUR"):
        assert amount in text, text


def test_whatever_is_changed_is_found(judged):
    text, judge = judged
    entries = re.split(r"\n(?=\n)", text)
    entry = next(e for e in entries if "capture.succeeded" in e and "99.99" in e)
    mutations = {
        "a cent on one side": text.replace(entry, entry.replace(" 99.99", " 99.98"), 1),
        "a cent on both sides": text.replace(entry, entry.replace("99.99", "99.98"), 1),
        "another account": text.replace(entry, entry.replace("Assets:Test:Receivable", "Assets:Test:Elsewhere"), 1),
        "an entry is missing": text.replace(entry, "", 1),
        "an entry is there twice": text.replace(entry, entry + entry, 1),
        "another currency": text.replace(entry, entry.replace("EUR", "USD"), 1),
        "another day": text.replace(entry, re.sub(r"\n(\d{4})-", lambda m: f"\n{int(m[1]) + 1}-", entry, count=1), 1),
        "a thousandth": text.replace(entry, entry.replace(" 99.99", " 99.994"), 1),
    }
    for name, changed in mutations.items():
        assert changed != text, name
        assert judge(changed).returncode == 1, f"{name} passes"


def test_lines_out_of_order_are_found(books, tmp_path):
    text = books("ledger", "export", "--format", "hledger").out
    lines = text.splitlines(keepends=True)
    later = ["\n2020-01-01 * balances\n", "    Assets:Test:Cash  0 EUR\n"]
    path = tmp_path / "ledger.journal"
    path.write_text("".join(lines + later))
    assert hledger(path).returncode == 1
    first = next(i for i, line in enumerate(lines) if line.startswith("account "))
    entry = next(i for i, line in enumerate(lines) if re.match(r"\d{4}-", line))
    moved = lines[:first] + lines[first + 1:]
    assert entry > first
    path.write_text("".join(moved))
    assert hledger(path).returncode == 1


def test_the_balances_are_those_of_the_journal_and_of_every_form(books, tmp_path):
    balances = {(b["account"], b["currency"]): b["amount"] for b in books("ledger", "balances").json["balances"]}
    assert balances["Assets:Test:Receivable:Sandbox:Sandbox", "EUR"] == 1250 - 500 + 9999
    assert balances["Assets:Test:Cash", "EUR"] == 777
    assert balances["Assets:Test:Receivable:Sandbox:Sandbox", "KWD"] == 1250
    rows = list(csv.DictReader(io.StringIO(books("ledger", "export", "--format", "csv").out)))
    sums = {}
    places = {"JPY": 0, "KWD": 3}
    for row in rows:
        key = row["account"], row["currency"]
        sums[key] = sums.get(key, 0) + int(Decimal(row["amount"]).scaleb(places.get(row["currency"], 2)))
    assert sums == balances
    assert {row["order"] for row in rows if row["account"].endswith("Cash")} == {"'=cmd\"|;'"}
    path = tmp_path / "ledger.journal"
    path.write_text(books("ledger", "export", "--format", "hledger").out)
    found = subprocess.run(["hledger", "-f", path, "balance", "--flat", "-N", "Assets:Test:Cash"], text=True,
                           capture_output=True, timeout=60).stdout
    assert found.split() == ["7.77", "EUR", "Assets:Test:Cash"]


def test_the_route_says_what_the_command_says(tmp_path):
    server = counter.Server(tmp_path, "--provider", "sandbox")
    with server:
        counter.succeed("sale", "--amount", "12.50", "--currency", "EUR", "--journal", server.journal, "--json", *CARD)
        shown = server.request("GET", "/v1/ledger/balances").json()
        told = counter.succeed("ledger", "balances", "--journal", server.journal, "--json")
        assert shown == told and len(shown["balances"]) == 2
        assert requests.get(server.url + "/v1/ledger/balances", timeout=5).status_code == 401


def test_a_part_of_the_time(books, tmp_path):
    text = books("ledger", "export", "--format", "beancount", "--from", "2100-01-01").out
    assert "opening balances" in text and "capture.succeeded" not in text
    path = tmp_path / "ledger.beancount"
    path.write_text(text)
    assert bean(path).returncode == 0
    assert books("ledger", "export", "--format", "csv", "--to", "2020-01-01").out.count("\n") == 1
    wrong = counter.till("ledger", "export", "--format", "csv", "--from", "2026-02-30")
    assert wrong.code == 64 and "a day that there is" in wrong.err


def major(cents):
    return f"{cents // 100}.{cents % 100:02}"


def a_day(till, dice, names, sold):
    """A day of the drawer, from its opening to its report: sales, a refund, cash in, and at times a difference."""
    def sell(currency, *tender):
        cents = dice.randint(500, 9_999)
        payment = till("sale", "--amount", major(cents), "--currency", currency, "--order", next(names), *tender).json
        sold.append((payment["id"], cents))

    till("day", "open", "--currency", "EUR", "--float", major(dice.randint(15_000, 20_000)), "--reason", "counted")
    sell("EUR", "--cash")
    for _ in range(2):
        sell(dice.choice(["EUR", "CHF"]), *CARD)
    payment, cents = sold.pop(dice.randrange(len(sold)))
    till("payments", "refund", payment, "--amount", major(dice.randint(1, cents)))
    till("day", "cash", "paid-in", major(dice.randint(1, 999)), "--reason", "coins")
    missing = dice.choice([0, 120, -250])
    expected = till("day", "report").json["session"]["expected"]
    till("day", "count", major(expected + missing))
    report = till("day", "close", "--reason", "counted").json
    assert report["session"]["difference"] == missing, report
    return report


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    """Four days within a month, by the clock of a machine that moves on; and their reports."""
    if not LIBRARY:
        pytest.skip("libfaketime is not installed: scripts/setup test")
    folder = tmp_path_factory.mktemp("month")
    clock, dice, names, sold = Clock(folder / "time"), random.Random(30), (f"m-{n}" for n in itertools.count(1)), []

    def till(*arguments):
        answer = counter.till(*arguments, "--journal", folder / "journal.db", "--json", env=clock.env)
        assert answer.code == 0, answer
        return answer

    try:
        reports = []
        for day in sorted(dice.sample(range(30), 4)):
            clock.set(day)
            if reports:
                till("clock", "accept")
                # Before the opening: it is of the day that is opened.
                till("sale", "--amount", "7.30", "--currency", "EUR", "--order", next(names), "--cash")
            reports.append(a_day(till, dice, names, sold))
        yield till, reports
    finally:
        clock.end()


def read_beancount(path):
    """Each entry's event by its position in the journal, its day, and its postings, as beancount reads them."""
    entries, errors, _ = loader.load_file(str(path))
    assert not errors, errors
    for entry in entries:
        if isinstance(entry, Transaction):
            postings = [(p.account, int(p.units.number.scaleb(2)), p.units.currency) for p in entry.postings]
            yield int(entry.meta["source"].removeprefix("event-")), str(entry.date), entry.narration, postings


def read_hledger(path):
    """The same, as hledger reads them. Its entries of balances move nothing."""
    text = subprocess.run(
        ["hledger", "-f", path, "print", "-O", "csv"], capture_output=True, text=True, timeout=60, check=True).stdout
    for _, rows in itertools.groupby(csv.DictReader(io.StringIO(text)), lambda row: row["txnidx"]):
        rows = list(rows)
        if source := re.search(r"source: event-(\d+)", rows[0]["comment"]):
            postings = [(r["account"], int(Decimal(r["amount"]).scaleb(2)), r["commodity"]) for r in rows]
            yield int(source[1]), rows[0]["date"], rows[0]["description"].split(" | ")[1], postings


@pytest.mark.parametrize("form, read", [("beancount", read_beancount), ("hledger", read_hledger)])
def test_the_books_of_a_month_are_the_reports_of_its_days(month, tmp_path, form, read):
    till, reports = month
    path = tmp_path / f"month.{'beancount' if form == 'beancount' else 'journal'}"
    path.write_text(till("ledger", "export", "--format", form).out)
    assert JUDGES[form](path).returncode == 0
    entries = list(read(path))
    assert len({day for _, day, _, _ in entries}) >= len(reports) == 4
    assert [report["number"] for report in reports] == [1, 2, 3, 4]
    assert all(one["last_sequence"] == next_one["first_sequence"] for one, next_one in itertools.pairwise(reports))
    found = []
    for report in reports:
        sums = collections.Counter()
        mine = [e for e in entries if report["first_sequence"] < e[0] <= report["last_sequence"]]
        found += [sequence for sequence, *_ in mine]
        for _, _, event, postings in mine:
            for account, cents, currency in postings:
                kind = account.replace(":Test:", ":").split(":")[1]
                if kind in ("Receivable", "Cash"):
                    back = event.startswith("refund.")
                    sums[currency, "refunds" if back else "gross"] += -cents if back else cents
                if kind == "Cash":
                    sums[currency, "cash"] += cents
        others = {other["currency"]: other for other in report["others"]}
        cash = [one["captured"] - one["refunded"] for one in report["tenders"] if one["tender"] == "cash"]
        assert sums["EUR", "cash"] == sum(cash), report
        for currency, said in {"EUR": report["sales"], **others}.items():
            assert (sums[currency, "gross"], sums[currency, "refunds"]) == (said["gross"], said["refunds"]), report
        assert {currency for currency, _ in sums} <= {"EUR", *others}
    # No entry is in two reports or in none.
    assert found == [sequence for sequence, *_ in entries]
