"""Discounts at the counter: what a role may give, what a second person approves on the spot, and what the receipt, the
report of the day, the file and the command line say of them."""
import csv
import io
import time

import pytest
from playwright.sync_api import expect
from seen import axe
from staff import PINS, Staff, audit, problem

import counter
from clerk import WAIT, payments

REASON = "Scratched lid"


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def staff(server):
    return Staff(server)


def discounted(device, amount, saved, key=None, reason=REASON, **more):
    return device.ask("POST", "/v1/payments", {
        "amount": amount, "currency": "EUR", "discount": {"amount": saved, "reason": reason}, **more}, key)


def approve(device, amount, saved, name, pin=None, key=None, reason=REASON):
    return device.ask("POST", "/v1/approvals", {
        "action": "discount", "amount": amount, "currency": "EUR", "discount": {"amount": saved, "reason": reason},
        "staff": device.staff.ids[name], "pin": pin or PINS[name]}, key)


def pay(device, payment):
    done = device.ask("POST", f"/v1/payments/{payment}/confirm", {"tender": {"type": "cash"}})
    assert done.json()["status"] == "succeeded", done.text
    return done.json()


def test_a_discount_above_the_limit_is_approved_once_on_the_spot(server, staff):
    own = staff.roles("set", "till-hand", "--permissions", "sell,discount", "--discount-limit", "EUR=150")
    assert own.json["permissions"] == ["sell", "discount"] and own.json["discount_limits"] == {"EUR": 150}
    staff.shop()
    staff.run("set-role", "Carl", "till-hand")
    time.sleep(0.6)
    device = staff.device().signed_in("Carl")
    made = discounted(device, 1100, 150)
    assert made.status_code == 201 and made.json()["discount"] == {"amount": 150, "reason": REASON}
    asked = problem(discounted(device, 1100, 151, "s-1"), 403, "approval_required")
    assert asked["permission_needed"] == "discount_freely" and asked["approval"] == {
        "action": "discount", "amount": 1100, "currency": "EUR", "discount": {"amount": 151, "reason": REASON}}
    problem(approve(device, 1100, 151, "Carl"), 403, "permission_missing")
    problem(approve(device, 1100, 151, "Mona", "000111"), 403, "pin_wrong")
    approved = approve(device, 1100, 151, "Mona", key="a-1")
    assert approved.status_code == 201, approved.text
    assert (approved.json()["requested_by"], approved.json()["approved_by"]) == ("Carl", "Mona")
    approval = approved.json()["id"]
    # It is for that discount, beside that amount and for that reason, and only at that device.
    problem(discounted(device, 1100, 152, approval=approval), 403, "approval_invalid")
    problem(discounted(device, 1099, 151, approval=approval), 403, "approval_invalid")
    problem(discounted(device, 1100, 151, approval=approval, reason="Friend"), 403, "approval_invalid")
    other = staff.device().signed_in("Carl")
    problem(discounted(other, 1100, 151, approval=approval), 403, "approval_invalid")
    done = discounted(device, 1100, 151, "s-2", approval=approval)
    assert done.status_code == 201, done.text
    again = discounted(device, 1100, 151, "s-2", approval=approval)
    assert again.headers["Idempotent-Replayed"] == "true" and again.json()["id"] == done.json()["id"]
    problem(discounted(device, 1100, 151, "s-3", approval=approval), 403, "approval_spent")
    shown = server.request("GET", f"/v1/payments/{done.json()['id']}").json()
    created = shown["events"][0]["by"]
    assert created["name"] == "Carl" and "approved by" in created["text"] and "Mona" in created["text"], created
    assert shown["approvals"] == []
    noted, = audit(server, "discount.approved")
    assert noted["reason"] == REASON and noted["subject"] == approval
    # A refund's approval is none for a discount, and the other way round.
    late = approve(device, 1100, 500, "Mona").json()["id"]
    staff.run("disable", "Mona")
    time.sleep(0.6)
    problem(discounted(device, 1100, 500, approval=late), 403, "approval_invalid")


@pytest.mark.parametrize("role", ["sell", "sell,refund"])
def test_who_lacks_the_permission_needs_an_approval_for_any(server, staff, role):
    staff.roles("set", "seller", "--permissions", role, "--discount-limit", "EUR=5000")
    staff.shop()
    staff.run("set-role", "Carl", "seller")
    time.sleep(0.6)
    device = staff.device().signed_in("Carl")
    problem(discounted(device, 1100, 1), 403, "approval_required")
    approval = approve(device, 1100, 1, "Olga").json()["id"]
    assert discounted(device, 1100, 1, approval=approval).status_code == 201


def test_a_cashier_needs_an_approval_and_a_manager_none(server, staff):
    staff.shop()
    problem(discounted(staff.device().signed_in("Carl"), 1100, 1), 403, "approval_required")
    assert discounted(staff.device().signed_in("Mona"), 1100, 999_999).status_code == 201


def test_it_is_on_the_receipt_in_the_report_and_in_the_file(server, staff):
    device = staff.shop().device().signed_in("Mona")
    assert device.ask("POST", "/v1/day/open", {"currency": "EUR", "float": 0}).ok
    saved = pay(device, discounted(device, 1100, 150).json()["id"])
    plain = device.paid("o-1", 2000)
    receipt = device.session.get(f"{server.url}{saved['receipt_url']}?format=text", timeout=10).text
    assert f"Discount ({REASON})" in receipt and "12.50" in receipt and "1.50" in receipt and "11.00" in receipt
    assert "Discount" not in device.session.get(
        f"{server.url}/v1/payments/{plain}/receipt?format=text", timeout=10).text
    rows = list(csv.DictReader(io.StringIO(device.session.get(server.url + "/v1/payments.csv", timeout=10).text)))
    assert [(row["discount"], row["discount_reason"]) for row in rows] == [("", ""), ("1.50", REASON)]
    report = device.ask("GET", "/v1/day/report").json()
    assert (report["sales"]["discounts"], report["sales"]["discount_count"]) == (150, 1), report["sales"]
    assert report["sales"]["gross"] == 3100
    listed = {one["id"]: one.get("discount") for one in device.ask("GET", "/v1/payments").json()["payments"]}
    assert listed == {saved["id"]: {"amount": 150, "reason": REASON}, plain: None}


def test_the_command_line_gives_one(server):
    def sale(*arguments):
        return counter.till("sale", "--currency", "EUR", "--cash", *arguments, "--journal", server.journal,
                            "--provider", "sandbox", "--json")

    given = ("--amount", "11.00", "--discount", "1.50")
    done = sale(*given, "--reason", REASON)
    assert done.code == 0 and done.json["amount"] == 1100, done
    assert done.json["discount"] == {"amount": 150, "reason": REASON}
    assert f"Discount ({REASON})" in done.json["receipt"]
    for arguments, code in (((*given,), "discount_without_reason"),
                            (("--amount", "11.00", "--reason", "x"), "discount_missing"),
                            (("--amount", "11.00", "--discount", "0", "--reason", "x"), "discount_not_above_zero"),
                            (("--amount", "11.00", "--discount", "-1", "--reason", "x"), "discount_not_above_zero")):
        refused = sale(*arguments)
        assert (refused.code, refused.json["error"]["code"]) == (1, code), refused


# ---- The page


def ask_for(clerk, amount, reason=REASON, **fields):
    clerk.page.get_by_role("radio", name="Cash").check()
    clerk.amount.fill(amount)
    clerk.page.get_by_role("button", name="Discount…").click()
    dialog = clerk.page.get_by_role("dialog", name="Discount")
    for label, text in fields.items():
        dialog.get_by_label({"percent": "Percent", "minor": "Or an amount"}[label], exact=True).fill(text)
    dialog.get_by_label("Reason").fill(reason)
    return dialog


def give(dialog):
    dialog.get_by_role("button", name="Give discount").click()


@pytest.mark.parametrize(("price", "percent", "saved", "charged"), [
    ("12.50", "10", 125, 1125), ("10.05", "10", 101, 904), ("10.04", "10", 100, 904), ("0.10", "5", 1, 9),
    ("0.30", "5", 2, 28), ("99.99", "33", 3300, 6699), ("12.50", "\u0661\u0660", 125, 1125)])
def test_a_percentage_is_rounded_half_up_and_the_button_names_what_is_charged(clerk, price, percent, saved, charged):
    dialog = ask_for(clerk, price, percent=percent)
    sum_charged = f"{charged // 100}.{charged % 100:02}"
    expect(dialog).to_contain_text(f"{sum_charged} EUR is charged")
    give(dialog)
    expect(clerk.page.locator("#charge")).to_contain_text(sum_charged)
    clerk.page.locator("#charge").click()
    expect(clerk.page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    paid, = payments(clerk.server)
    assert paid["amount"] == charged and paid["discount"] == {"amount": saved, "reason": REASON}
    # The next customer begins without it.
    clerk.amount.fill("5.00")
    expect(clerk.page.locator("#charge")).to_contain_text("5.00")


def test_an_amount_is_given_taken_back_and_refused_where_it_leaves_nothing(clerk):
    dialog = ask_for(clerk, "12.50", minor="12.50")
    give(dialog)
    expect(dialog.get_by_role("alert")).to_contain_text("leaves nothing")
    dialog.get_by_label("Or an amount").fill("0")
    give(dialog)
    expect(dialog.get_by_role("alert")).to_contain_text("more than zero")
    dialog.get_by_label("Or an amount").fill("1.50")
    dialog.get_by_label("Reason").fill("")
    give(dialog)
    expect(dialog.get_by_role("alert")).to_contain_text("Enter a reason")
    axe(clerk.page)
    dialog.get_by_label("Reason").fill(REASON)
    give(dialog)
    expect(clerk.page.locator("#charge")).to_contain_text("11.00")
    clerk.page.keyboard.press("F8")
    clerk.page.get_by_role("button", name="No discount").click()
    expect(clerk.page.locator("#charge")).to_contain_text("12.50")
    assert payments(clerk.server) == []
