"""The day of the cash drawer, over HTTP and at the command line: from opening to report, counted blind, and with a
process that dies while it closes.
"""
import concurrent.futures
import csv
import decimal
import io
import itertools
import shutil
import subprocess

import pytest
import requests
from staff import Staff, audit, problem
from test_receipt_page import PaperPrinter

import counter

NAMES = itertools.count(1)


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def post(server, step, body=None, key=None):
    return server.request("POST", f"/v1/day/{step}", body or {}, key)


def done(answer, status=200):
    assert answer.status_code == status, answer.text
    return answer.json()


def sell(server, minor, tender=None):
    name = f"day-{next(NAMES)}"
    made = done(server.create(name, f"c-{name}", minor), 201)
    paid = server.confirm(made["id"], f"p-{name}", tender or {"type": "cash"})
    assert paid.json()["status"] == "succeeded", paid.text
    return made["id"]


def refund(server, payment, minor):
    given = server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": minor}, f"r-{payment}")
    assert given.status_code == 201, given.text


def open_day(server, minor=15_000):
    return done(post(server, "open", {"currency": "EUR", "float": minor}), 201)


def close_day(server, counted, **body):
    done(post(server, "count", {"total": counted}))
    return done(post(server, "close", body))


def test_a_day_from_opening_to_report(server):
    assert done(server.request("GET", "/v1/day")) == {"zone": "GMT", "session": None, "last": None}
    problem(server.request("GET", "/v1/day/report"), 409, "day_not_open")
    problem(server.request("GET", "/v1/day/report.csv"), 409, "day_not_open")
    opened = done(post(server, "open", {"currency": "EUR", "counts": {"5000": 1, "1000": 4, "200": 25}}), 201)
    assert (opened["state"], opened["float"], opened["expected"]) == ("open", 14_000, 14_000)
    refused = problem(post(server, "open", {"currency": "EUR", "float": 1}), 409, "day_open")
    for fact in (opened["opened_by"], opened["opened_at"][:19] + "+00:00"):
        assert fact in refused["detail"], refused
    first, card = sell(server, 4_000), sell(server, 9_900, {"type": "reader", "reader": "simulated", "card": "visa"})
    refund(server, first, 1_500)
    refund(server, card, 900)
    milk = {"kind": "paid_out", "amount": 1_250, "reason": "Milk"}
    for _ in range(2):
        moved = done(post(server, "cash", milk, "milk"), 201)
        assert moved["paid_out"] == 1_250 and [one["reason"] for one in moved["cash"]] == ["Milk"]
    problem(post(server, "cash", {**milk, "amount": 1}, "milk"), 422, "idempotency_mismatch")
    problem(post(server, "cash", {**milk, "session": "day_2"}, "late"), 409, "drawer_changed")
    problem(post(server, "cash", {**milk, "amount": 999_999}, "much"), 409, "drawer_has_less")
    cash = {"kind": "refund", "amount": 300, "reason": "Card closed", "payment": card}
    given = done(post(server, "cash", cash, "given"), 201)
    assert (given["refunds_paid"], given["cash"][-1]["payment"]) == (300, card)
    problem(post(server, "cash", {**cash, "payment": "pay_none"}, "none"), 422, "refund_of_no_payment")
    expected = 14_000 + 4_000 - 1_500 - 1_250 - 300
    shown = done(server.request("GET", "/v1/day/report"))
    assert (shown["number"], shown["session"]["expected"]) == (None, expected)
    judge_file(server, shown)
    problem(post(server, "close"), 409, "day_not_counted")
    counted = done(post(server, "count", {"total": expected - 600}))
    assert (counted["state"], counted["difference"]) == ("ended", -600)
    problem(post(server, "close", {"left": 10_000}), 409, "difference_needs_reason")
    seen = {"session": "day_1", "number_of_counts": 0}
    for step, body in (("close", {"reason": "x"}), ("count", {"total": 1}), ("resume", {})):
        problem(post(server, step, {**body, **seen}), 409, "drawer_changed")
    done(post(server, "resume", {**seen, "number_of_counts": 1}))
    done(post(server, "count", {"total": expected - 600}))
    report = done(post(server, "close", {"left": 10_000, "reason": "Wrong change"}))
    assert (report["number"], report["left"], report["reason"]) == (1, 10_000, "Wrong change")
    assert report["sales"] == {
        "count": 2, "gross": 13_900, "refunds": 2_400, "refund_count": 2, "disputed": 0, "net": 11_500,
        "tips": 0, "discounts": 0, "discount_count": 0}
    assert {one["tender"]: (one["count"], one["captured"], one["refunded"]) for one in report["tenders"]} == {
        "cash": (1, 4_000, 1_500), "reader": (1, 9_900, 900)}
    assert {one["provider"] for one in report["providers"]} == {"cash", "sandbox"}
    assert report["totals"] == {"gross": 13_900, "refunds": 2_400, "disputed": 0, "net": 11_500}
    assert report["all_totals"] == [{"currency": "EUR", **report["totals"]}]
    problem(post(server, "close"), 409, "day_not_open")
    assert done(server.request("GET", "/v1/day/reports/1")) == report
    judge_tables(server, report)
    problem(post(server, "open", {"currency": "EUR", "float": 9_000}), 409, "opening_needs_reason")
    again = open_day(server, 9_900)
    assert again["opening_difference"] == -100 and again["expected"] == 9_900
    second = close_day(server, 9_900)
    assert (second["number"], second["previous"]) == (2, 1)
    assert second["first_sequence"] == report["last_sequence"] and second["totals"] == report["totals"]
    listed = done(server.request("GET", "/v1/day/reports?limit=1"))
    assert [one["number"] for one in listed["reports"]] == [2] and listed["has_more"]
    assert [one["number"] for one in done(server.request("GET", "/v1/day/reports?before=2"))["reports"]] == [1]
    assert len(audit(server, "day.closed")) == 2 and len(audit(server, "day.cash")) == 2


def judge_file(server, report):
    """The day as it is now as a file: the figures that are shown, and no number."""
    answer = server.request("GET", "/v1/day/report.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="day-report.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    total = next(line for line in lines if line["section"] == "total")
    sales = report["sales"]
    assert [total[name] for name in ("captured", "refunded", "net")] == [
        f"{sales[name] / 100:.2f}" for name in ("gross", "refunds", "net")]
    drawer = {line["key"]: line["value"] for line in lines if line["section"] == "drawer"}
    assert drawer["expected"] == f"{report['session']['expected'] / 100:.2f}" and "counted" not in drawer
    assert not {"number", "journal_head", "closed_by"} & {line["key"] for line in lines if line["section"] == "report"}


def judge_tables(server, report):
    """Each table sums to the report, and the file has the same rows."""
    shown = {one["by"]: one["rows"] for one in report["breakdowns"]}
    assert list(shown) == ["network", "tax", "tip", "refund", "staff", "shop", "hour"]
    sales = report["sales"]
    for by, rows in shown.items():
        added = {name: sum(row[name] for row in rows) for name in ("captured", "refunded", "disputed", "tips")}
        whole = {"captured": sales["gross"], "refunded": sales["refunds"], "disputed": 0, "tips": sales["tips"]}
        of = {"tip": ("tips",), "refund": ("refunded",)}.get(by, tuple(whole))
        assert all(added[name] == whole[name] for name in of), (by, rows)
    networks = {row["kind"]: row["captured"] for row in shown["network"]}
    assert networks == {"named": 9_900, "no_card": 4_000}
    assert {row["kind"] for row in shown["tax"]} == {"not_known"}
    assert [row["refunded"] for row in shown["staff"]] == [sales["refunds"]]
    answer = server.request("GET", "/v1/day/reports/1.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="day-report-1.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    total = next(line for line in lines if line["section"] == "total")
    assert (total["captured"], total["refunded"], total["net"]) == ("139.00", "24.00", "115.00")
    assert {line["key"]: line["captured"] for line in lines if line["section"] == "network"} == {
        "named": "99.00", "no_card": "40.00"}
    assert next(line["value"] for line in lines if line["key"] == "journal_head") == report["journal_head"]


def text_of(answer, folder):
    """What somebody else reads in a PDF."""
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf"), answer.text
    file = folder / "report.pdf"
    file.write_bytes(answer.content)
    return " ".join(subprocess.check_output(["pdftotext", "-layout", file, "-"], text=True).split())


def figures(lines):
    """The amounts of a report's file that are on its paper, without their signs."""
    share = {"tip": "tips", "refund": "refunded"}
    for line in lines:
        if line["section"] in ("drawer", "movement"):
            # What is zero as a rule is on paper only where it is not.
            hidden = line["key"] in ("opening_difference", "refunds_paid") and line["value"] == "0.00"
            amount = None if hidden or line["key"] == "opening_reason" else line["value"]
        else:
            amount = line[share.get(line["section"], "net")]
        if amount:
            yield f"{abs(decimal.Decimal(amount)):,.2f}", line


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext")
def test_a_report_on_paper_has_the_figures_of_its_file(server, tmp_path):
    open_day(server)
    first, _ = sell(server, 123_400), sell(server, 9_900, {"type": "reader", "reader": "simulated", "card": "visa"})
    refund(server, first, 1_500)
    done(post(server, "cash", {"kind": "paid_out", "amount": 1_250, "reason": "Milk"}, "milk"), 201)
    current = server.request("GET", "/v1/day/report.pdf")
    assert current.headers["Content-Disposition"] == 'attachment; filename="day-report.pdf"'
    text = text_of(current, tmp_path)
    assert "X report" in text and "Changes nothing." in text and "Head after event" not in text
    assert [one["field"] for one in problem(
        server.request("GET", "/v1/day/report.pdf?width=70"), 422, "invalid_request")["errors"]] == ["width"]
    close_day(server, 135_000, left=10_000, reason="Wrong change")
    lines = list(csv.DictReader(io.StringIO(server.request("GET", "/v1/day/reports/1.csv").text)))
    head = next(line["value"] for line in lines if line["key"] == "journal_head")
    for width in ("58", "80", "A4"):
        answer = server.request("GET", f"/v1/day/reports/1.pdf?width={width}")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="day-report-1.pdf"'
        text = text_of(answer, tmp_path)
        assert "Z report 0001" in text and "Wrong change" in text and "Milk" in text, text
        found = list(figures(lines))
        assert len(found) > 20
        for amount, line in found:
            assert amount in text, (width, line, text)
        assert head.split(":")[1] in text.replace(" ", "")


def test_a_z_is_printed_as_a_receipt_is(server):
    printer = PaperPrinter()
    for name, port in (("counter", printer.port), ("gone", counter.free_port())):
        counter.succeed("printers", "add", name, f"socket://127.0.0.1:{port}", "--journal", server.journal, "--json")
    open_day(server)
    close_day(server, 15_000)

    def printed(number=1, **body):
        return server.request("POST", f"/v1/day/reports/{number}/print", body)

    problem(printed(2, printer="counter"), 404, "report_not_found")
    problem(printed(drawer="bar", printer="counter"), 404, "report_not_found")
    for field, body in (("printer", {}), ("printer", {"printer": "nowhere"}), ("x", {"printer": "counter", "x": 1}),
                        ("width", {"printer": "counter", "width": "70"})):
        assert [one["field"] for one in problem(printed(**body), 422, "invalid_request")["errors"]] == [field]
    assert printer.printed == b""
    first = done(printed(printer="counter"))
    assert first["state"] == "sent" and "The report was handed to the printer." in first["message"], first
    assert counter.until(lambda: b"Z report 0001" in printer.printed, 10) and b"REPRINT" not in printer.printed
    assert done(printed(printer="counter", width="58"))["state"] == "sent"
    assert counter.until(lambda: b"REPRINT (COPY)" in printer.printed, 10)
    waiting = done(printed(printer="gone"))
    assert waiting["state"] == "waiting", waiting
    queue = counter.succeed("receipts", "queue", "--journal", server.journal, "--json")["prints"]
    assert [(one["id"], one["report"], one["drawer"], one["payment_id"]) for one in queue] == [
        (waiting["id"], 1, "main", None)]


@pytest.mark.parametrize("step, body, field", [
    ("open", {"currency": "EUR"}, "float"), ("open", {"float": 1}, "currency"),
    ("open", {"currency": "EUR", "float": 1, "counts": {}}, "float"),
    ("open", {"currency": "EUR", "float": -1}, "float"),
    ("open", {"currency": "EUR", "counts": {}}, "counts"), ("count", {"counts": {}}, "counts"),
    ("open", {"currency": "EUR", "counts": {"0": 1}}, "counts/0"),
    ("open", {"currency": "EUR", "counts": {"0500": 1}}, "counts/0500"),
    ("open", {"currency": "EUR", "counts": {"500": -1}}, "counts/500"),
    ("open", {"currency": "EUR", "counts": {"1000000000": 1_000_000}}, "counts"),
    ("count", {"total": 10**12}, "total"), ("count", {"total": 1.5}, "total"), ("close", {"left": "1"}, "left"),
    ("close", {"reason": "x" * 201}, "reason"), ("cash", {"kind": "stolen", "amount": 1, "reason": "x"}, "kind"),
    ("cash", {"kind": "paid_in", "amount": 0, "reason": "x"}, "amount"),
    ("cash", {"kind": "paid_in", "amount": 1, "reason": " "}, "reason"),
    ("cash", {"kind": "refund", "amount": 1, "reason": "x"}, "payment"),
    ("cash", {"kind": "paid_out", "amount": 1, "reason": "x", "payment": "pay_1"}, "payment"),
    ("resume", {"x": 1}, "x"),
    ("resume", {"number_of_counts": -1}, "number_of_counts"), ("close", {"session": 1}, "session"),
])
def test_what_cannot_be_entered_is_refused_by_its_field(server, step, body, field):
    answer = post(server, step, body, "k")
    assert answer.status_code == 422, answer.text
    assert [one["field"] for one in answer.json()["errors"]] == [field]
    assert done(server.request("GET", "/v1/day"))["session"] is None


def test_who_may_not_see_totals_counts_blind(server):
    staff = Staff(server)
    assert staff.roles("set", "counts", "--permissions", "sell,drawer").code == 0
    staff.add("Nina", "counts", "604913")
    staff.shop()
    device = staff.device()
    device.signed_in("Carl")
    assert device.ask("GET", "/v1/day").status_code == 200
    refused = problem(device.ask("POST", "/v1/day/open", {"currency": "EUR", "float": 1}), 403, "permission_missing")
    assert refused["permission_needed"] == "drawer"
    assert device.enter("Nina", "604913").status_code == 200
    opened = done(device.ask("POST", "/v1/day/open", {"currency": "EUR", "float": 10_000}), 201)
    assert "Nina" in opened["opened_by"]
    sell(server, 4_321)
    blind = ("expected", "difference", "opening_difference", "cash_sales", "cash_refunds")
    for kind, step in (("paid_out", "much"), ("paid_in", "back")):
        cash = {"kind": kind, "amount": 999_999, "reason": "A guess"}
        assert done(device.ask("POST", "/v1/day/cash", cash, step), 201)["expected"] is None
    counted = done(device.ask("POST", "/v1/day/count", {"total": 14_300}))
    assert [counted[name] for name in blind] == [None] * 5 and counted["counted"] == 14_300
    for path in ("report", "report.csv", "report.pdf", "reports", "reports/1", "reports/1.csv", "reports/1.pdf"):
        assert problem(device.ask("GET", f"/v1/day/{path}"), 403, "permission_missing")["permission_needed"] == "totals"
    refused = problem(device.ask("POST", "/v1/day/reports/1/print", {"printer": "bar"}), 403, "permission_missing")
    assert refused["permission_needed"] == "totals"
    report = done(device.ask("POST", "/v1/day/close", {}))
    assert report["number"] == 1 and report["sales"] is None and report["session"]["expected"] is None
    # Among the digits of the chain's head any number may stand by chance.
    head = report["journal_head"]
    shown = str(report) + device.ask("GET", "/v1/day").text
    assert shown.count(head) == 2 and "4321" not in shown.replace(head, ""), shown
    device.signed_in("Mona")
    assert done(device.ask("GET", "/v1/day/reports/1"))["session"]["difference"] == -21


def test_a_tip_in_cash_is_expected_in_the_drawer_and_named_by_the_report(tmp_path):
    journal = ["--journal", str(tmp_path / "journal.db")]

    def day(*arguments):
        return counter.succeed("day", *arguments, *journal, "--json")

    counter.made(journal[1])
    day("open", "--currency", "EUR", "--float", "150.00")
    sold = counter.succeed(
        "sale", "--amount", "12.50", "--currency", "EUR", "--cash", "--tendered", "20.00", "--tip", "2.50", *journal,
        "--json")
    assert (sold["captured"], sold["tip"], sold["tender"]) == (1_500, 250, "cash")
    sales = day("report")["sales"]
    assert (sales["gross"], sales["tips"]) == (1_500, 250)
    assert day("count", "165.00")["difference"] == 0
    report = day("close", "--left", "150.00")
    assert (report["sales"]["gross"], report["sales"]["tips"]) == (1_500, 250)


def test_a_tip_in_cash_is_in_what_is_asked_for_and_in_what_can_be_given_back(server):
    open_day(server)
    made = done(server.create("tip-1", "c-tip-1", 1_250), 201)["id"]
    cash = {"type": "cash", "tendered": 2_000, "tip": 250}
    for number, tip in enumerate((751, 0, -1, "2.50", 999_999_999_999)):
        problem(server.confirm(made, f"p-bad-{number}", {**cash, "tip": tip}), 422, "invalid_amount")
    for _ in range(2):
        paid = done(server.confirm(made, "p-tip-1", cash))
        assert (paid["captured"], paid["tip"], paid["tender"]["change"]) == (1_500, 250, 500)
    other = server.confirm(made, "p-tip-1", {**cash, "tip": 300})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch"), other.text
    assert done(server.request("GET", "/v1/day"))["session"]["expected"] == 16_500
    refund(server, made, 1_500)
    assert done(server.request("GET", "/v1/day"))["session"]["expected"] == 15_000


def test_each_drawer_has_its_own_day(server):
    """Two tills: cash counts where it was taken, and the account's report has all of it."""
    problem(server.confirm(done(server.create("bar-0", "c-bar-0", 500), 201)["id"], "p-bar-0", {
        "type": "cash", "drawer": "bar"}), 422, "unknown_drawer")
    open_day(server, 10_000)
    opened = done(post(server, "open", {"currency": "EUR", "float": 5_000, "drawer": "bar"}), 201)
    assert (opened["id"], opened["drawer"]) == ("day_bar_1", "bar")
    here, bar = sell(server, 300), sell(server, 700, {"type": "cash", "drawer": "bar"})
    sell(server, 9_900, {"type": "reader", "reader": "simulated", "card": "visa"})
    assert server.request("GET", f"/v1/payments/{bar}").json()["tender"]["drawer"] == "bar"
    assert "drawer" not in server.request("GET", f"/v1/payments/{here}").json()["tender"]
    # The first drawer hands back what the second took.
    given = done(server.request("POST", f"/v1/payments/{bar}/refunds", {"amount": 200, "drawer": "main"}, "r"), 201)
    assert given["refunds"][-1]["drawer"] == "main"
    for drawer, expected, code in (("", 10_100, None), ("main", 10_100, None), ("bar", 5_700, None),
                                   ("none", 0, "day_not_open"), ("Bar", 0, "invalid_request")):
        answer = server.request("GET", f"/v1/day/report?drawer={drawer}")
        file = server.request("GET", f"/v1/day/report.csv?drawer={drawer}")
        if code:
            for one in (answer, file):
                problem(one, 422 if code == "invalid_request" else 409, code)
        else:
            name = "day-report-bar.csv" if drawer == "bar" else "day-report.csv"
            assert file.headers["Content-Disposition"] == f'attachment; filename="{name}"'
            assert answer.json()["session"]["expected"] == expected, answer.text
    milk = {"kind": "paid_out", "amount": 100, "reason": "Milk"}
    assert done(post(server, "cash", {**milk, "drawer": "bar"}, "milk"), 201)["expected"] == 5_600
    problem(post(server, "cash", milk, "milk"), 422, "idempotency_mismatch")
    done(post(server, "count", {"total": 5_600, "drawer": "bar"}))
    second = done(post(server, "close", {"drawer": "bar", "session": "day_bar_1", "number_of_counts": 1}))
    assert (second["number"], second["drawer"], second["sales"]["gross"]) == (1, "bar", 700)
    assert [one["tender"] for one in second["tenders"]] == ["cash"] and second["breakdowns"] is None
    whole = close_day(server, 10_100)
    assert (whole["number"], whole["sales"]["gross"], whole["session"]["difference"]) == (1, 10_900, 0)
    cash = next(one for one in whole["tenders"] if one["tender"] == "cash")
    assert {one["drawer"]: (one["captured"], one["refunded"]) for one in whole["drawers"]} == {
        "main": (300, 200), "bar": (700, 0)}
    for name in ("count", "captured", "refunded"):
        assert sum(one[name] for one in whole["drawers"]) == cash[name]
    assert done(server.request("GET", "/v1/day/reports/1?drawer=bar")) == second
    assert done(server.request("GET", "/v1/day/reports/1")) == whole
    answer = server.request("GET", "/v1/day/reports/1.csv?drawer=bar")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="day-report-bar-1.csv"'
    listed = done(server.request("GET", "/v1/day/drawers"))["drawers"]
    assert [(one["drawer"], one["state"]) for one in listed] == [("main", "closed"), ("bar", "closed")]


def test_a_device_has_its_drawer(server):
    """Whatever the page does there is of it, also a refund of what another till sold."""
    problem(post(server, "drawer", {"drawer": "bar"}), 409, "no_device")
    staff = Staff(server)
    staff.shop()
    device = staff.device()
    device.signed_in("Carl")
    problem(device.ask("POST", "/v1/day/drawer", {"drawer": "bar"}), 403, "permission_missing")
    device.signed_in("Mona")
    problem(device.ask("POST", "/v1/day/drawer", {"drawer": "Bar"}), 422, "invalid_request")
    assert done(device.ask("POST", "/v1/day/drawer", {"drawer": "bar"}))["device"] == "bar"
    made = done(server.create("dev-1", "c-dev-1", 700), 201)["id"]
    confirm, cash = f"/v1/payments/{made}/confirm", {"tender": {"type": "cash"}}
    problem(device.ask("POST", confirm, cash), 422, "unknown_drawer")
    opened = done(device.ask("POST", "/v1/day/open", {"currency": "EUR", "float": 5_000}), 201)
    assert opened["drawer"] == "bar"
    assert done(device.ask("POST", confirm, cash))["tender"]["drawer"] == "bar"
    open_day(server, 10_000)
    # Whoever signs in there later finds it so.
    device.signed_in("Olga")
    given = device.ask("POST", f"/v1/payments/{sell(server, 400)}/refunds", {"amount": 150})
    assert given.status_code == 201 and given.json()["refunds"][-1]["drawer"] == "bar", given.text
    assert done(device.ask("GET", "/v1/day"))["session"]["expected"] == 5_550
    assert done(device.ask("GET", "/v1/day?drawer=main"))["session"]["expected"] == 10_400
    assert done(server.request("GET", "/v1/day"))["session"]["expected"] == 10_400
    # A device that has chosen none hands out the first drawer's cash, and a key that of the sale.
    other = staff.device().signed_in("Olga")
    given = other.refund(made, 50)
    assert given.status_code == 201 and given.json()["refunds"][-1]["drawer"] == "main", given.text
    refund(server, made, 30)
    assert done(device.ask("GET", "/v1/day"))["session"]["expected"] == 5_520
    assert done(other.ask("GET", "/v1/day"))["session"]["expected"] == 10_350
    assert done(device.ask("POST", "/v1/day/drawer", {"drawer": "main"}))["device"] == "main"
    assert done(device.ask("GET", "/v1/day"))["session"]["expected"] == 10_350


def test_drawers_at_the_command_line(tmp_path):
    journal = ["--journal", str(tmp_path / "journal.db"), "--json"]
    counter.succeed("day", "open", "--currency", "EUR", "--float", "100.00", *journal)
    sale = ["sale", "--amount", "5.00", "--currency", "EUR", "--cash", *journal]
    for drawer, code in (("bar", "unknown_drawer"), ("Bar", "invalid_drawer")):
        refused = counter.till(*sale, "--drawer", drawer)
        assert (refused.code, refused.json["error"]["code"]) == (1, code), refused
    counter.succeed("day", "open", "--currency", "EUR", "--float", "50.00", "--drawer", "bar", *journal)
    counter.succeed(*sale, "--drawer", "bar")
    assert counter.succeed("day", "report", *journal)["session"]["expected"] == 10_000
    assert counter.succeed("day", "count", "55.00", "--drawer", "bar", *journal)["difference"] == 0
    assert counter.succeed("day", "close", "--drawer", "bar", *journal)["drawer"] == "bar"
    shown = counter.till("day", "report", "1", "--drawer", "bar", *journal[:2])
    assert shown.code == 0 and shown.out.startswith("Z 1, drawer bar\n"), shown
    states = counter.succeed("day", "drawers", *journal)["drawers"]
    assert [(one["drawer"], one["state"]) for one in states] == [("main", "open"), ("bar", "closed")]


def test_a_day_at_the_command_line(tmp_path):
    journal = ["--journal", str(tmp_path / "journal.db")]

    def day(*arguments):
        return counter.succeed("day", *arguments, *journal, "--json")

    assert counter.till("day", "report", *journal, "--json").json["error"]["code"] == "journal_not_found"
    counter.made(journal[1])
    assert counter.till("day", "report", *journal, "--json").json["error"]["code"] == "day_not_open"
    assert day("open", "--currency", "EUR", "--float", "150.00")["float"] == 15_000
    counter.succeed(
        "sale", "--amount", "12.50", "--currency", "EUR", "--cash", "--tendered", "20.00", *journal, "--json")
    assert day("cash", "paid-out", "3.20", "--reason", "Milk", "--key", "m")["expected"] == 15_000 + 1_250 - 320
    assert day("cash", "paid-out", "3.20", "--reason", "Milk", "--key", "m")["paid_out"] == 320
    assert day("report")["sales"]["gross"] == 1_250
    for arguments, code in (
            (("cash", "paid-out", "9999.00", "--reason", "x"), "drawer_has_less"),
            (("cash", "paid-out", "1.005", "--reason", "x"), "invalid_amount"),
            (("cash", "thrown", "1.00", "--reason", "x"), "unknown_kind"),
            (("open", "--currency", "EUR", "--float", "1.00"), "day_open"), (("close",), "day_not_counted"),
            (("resume",), "day_not_ended"), (("report", "1"), "report_not_found")):
        refused = counter.till("day", *arguments, *journal, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (1, code), refused
    assert day("count", "159.30")["difference"] == 0
    assert day("resume")["state"] == "open"
    assert day("count", "159.30")["state"] == "ended"
    report = day("close", "--left", "150.00")
    assert (report["number"], report["left"], report["session"]["difference"]) == (1, 15_000, 0)
    assert day("report", "1") == report
    shown = counter.till("day", "report", "1", *journal)
    assert shown.code == 0 and shown.out.startswith("Z 1\n") and "12.50 EUR" in shown.out, shown
    assert f"\n{report['journal_head']}\n" in shown.out, shown
    assert "\nby card network\n" in shown.out and "\nby hour\n" in shown.out, shown
    elsewhere = counter.till("day", "report", "1", *journal, env={"TILL_TIME_ZONE": "Asia/Tokyo"})
    assert "\ntimes in Asia/Tokyo\n" in elsewhere.out and "+09:00, by " in elsewhere.out, elsewhere
    file = counter.till("day", "report", "1", "--csv", *journal)
    assert file.out.startswith("section,key,name,") and "total,,,EUR,1,12.50," in file.out, file
    assert counter.till("day", "report", "1", "--csv", "--json", *journal).code == 64
    # Nothing was sold since, so it is what a check of the journal ends with.
    assert counter.succeed("journal", "verify", *journal, "--json")["head"] == report["journal_head"]
    counter.succeed(
        "sale", "--amount", "1.00", "--currency", "EUR", "--cash", "--tendered", "1.00", *journal, "--json")
    verified = counter.till("journal", "verify", "--head", report["journal_head"], *journal, "--json")
    assert verified.code == 0 and verified.json["ok"] is True, verified
    assert verified.json["head"] != report["journal_head"]


def test_of_many_who_close_at_once_one_does(server):
    for number in range(1, 6):
        open_day(server, 10_000)
        done(post(server, "count", {"total": 10_000}))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: post(server, "close"), range(8)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7, [a.text for a in answers]
        assert done(server.request("GET", "/v1/day"))["last"]["number"] == number


@pytest.mark.parametrize("point", [1, 2])
def test_a_counter_that_dies_while_it_closes_leaves_both_or_none(tmp_path, point):
    with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_DAY_FAILPOINT": str(point)}) as dying:
        open_day(dying, 10_000)
        sell(dying, 1_000)
        done(post(dying, "count", {"total": 11_000}))
        with pytest.raises(requests.ConnectionError):
            post(dying, "close")
        assert dying.process.wait(20) == -9
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        day = done(server.request("GET", "/v1/day"))
        if point == 1:
            assert day["session"]["state"] == "ended" and day["last"] is None
            assert done(post(server, "close"))["number"] == 1
        else:
            assert day["session"] is None and day["last"]["number"] == 1
            problem(post(server, "close"), 409, "day_not_open")
        assert done(server.request("GET", "/v1/day/reports/1"))["sales"]["gross"] == 1_000
        open_day(server, 11_000)
        assert close_day(server, 11_000)["number"] == 2


def test_commands_that_are_killed_around_a_close_leave_no_gap(tmp_path):
    journal = ["--journal", str(tmp_path / "journal.db"), "--json"]
    gross = 0
    for number in range(1, 7):
        counter.succeed("day", "open", "--currency", "EUR", "--float", "100.00", *journal)
        counter.succeed("sale", "--amount", "1.00", "--currency", "EUR", "--cash", *journal)
        gross += 100
        counter.succeed("day", "count", "101.00", *journal)
        closed = counter.till("day", "close", *journal, env={"TILL_DAY_FAILPOINT": str(1 + number % 2)})
        assert closed.killed, closed
        if number % 2 == 0:
            assert counter.succeed("day", "close", *journal)["number"] == number
        else:
            assert counter.till("day", "close", *journal).json["error"]["code"] == "day_not_open"
        report = counter.succeed("day", "report", str(number), *journal)
        assert (report["number"], report["totals"]["gross"]) == (number, gross)
    assert counter.till("day", "report", "7", *journal).json["error"]["code"] == "report_not_found"
