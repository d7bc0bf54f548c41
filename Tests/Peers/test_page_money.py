"""What the counter's page says about money is true, at a till's width and at a phone's: of the sale that was refused,
of the next customer, after a restart, of a part, of an open payment, of the change.
"""
import os
import pathlib
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import counter
from clerk import WAIT, payments

pytestmark = pytest.mark.parametrize("width", [1280, 390])


@pytest.fixture
def shoot(page, width, tmp_path, request):
    """Keeps a picture of a state."""
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)

    def take(name):
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0, name
        page.screenshot(path=folder / f"money_{name}_{width}.png", full_page=True)

    return take


def headline(clerk, text):
    expect(clerk.page.locator("#headline")).to_have_text(re.compile(text), timeout=WAIT)


def tone(clerk):
    return clerk.page.locator("#result").get_attribute("data-tone")


def sell(clerk, amount="12.50", order=None):
    clerk.fill(amount, counter.CARD, order)
    clerk.charge.first.click()


def sold(clerk, amount="12.50", order=None):
    sell(clerk, amount, order)
    headline(clerk, "^Paid$")


def sell_cash(clerk, amount, tendered):
    clerk.page.get_by_role("radio", name="Cash").check()
    clerk.amount.fill(amount)
    clerk.page.get_by_label("Cash received").fill(tendered)
    clerk.charge.first.click()
    headline(clerk, "^Paid$")


def held(server, order="o-1", minor=1250):
    made = server.create(order, "c-" + order, minor, capture="manual").json()
    return server.confirm(made["id"], "h-" + order, counter.CARD_TENDER).json()


def test_a_refused_sale_does_not_show_the_last_customers_paid(clerk, server, shoot):
    server.create("taken", "k-1")
    sold(clerk)
    sell(clerk, "99.00", "taken")
    headline(clerk, "^Not charged$")
    assert tone(clerk) == "bad"
    expect(clerk.page.locator("#now")).not_to_contain_text("Paid")
    expect(clerk.page.locator("#now")).to_contain_text("No money moved")
    expect(clerk.page.locator("#receipt-box")).to_be_hidden()
    shoot("refused_after_paid")


def test_a_sale_with_a_wrong_amount_does_not_show_the_last_customers_paid(clerk):
    sold(clerk)
    sell(clerk, "12.505")
    headline(clerk, "^Not charged$")
    expect(clerk.page.locator("#now")).not_to_contain_text("Paid")
    assert len(payments(clerk.server)) == 1


def test_the_first_refused_sale_of_a_fresh_page_is_not_under_way(clerk, server, shoot):
    server.create("taken", "k-1")
    sell(clerk, "99.00", "taken")
    headline(clerk, "^Not charged$")
    assert clerk.page.locator("#result[data-busy]").count() == 0
    expect(clerk.charge.first).to_be_enabled()
    shoot("refused_first")


def test_an_error_leads_to_the_payment_that_it_names(clerk, server, shoot):
    other = server.create("taken", "k-1", 700).json()["id"]
    sell(clerk, "99.00", "taken")
    clerk.page.get_by_role("alert").get_by_role("link", name=other).first.click()
    expect(clerk.page.locator("#facts")).to_contain_text(other, timeout=WAIT)
    headline(clerk, "^To charge: 7.00 EUR$")
    shoot("opened_from_error")


def test_an_open_payment_is_finished_with_its_own_amount(clerk, server, shoot):
    made = server.create("o-77", "k-1", 4711).json()["id"]
    clerk.page.reload()
    clerk.page.get_by_role("link", name="o-77").click()
    expect(clerk.amount).to_have_value("47.11", timeout=WAIT)
    expect(clerk.order.first).to_have_value("o-77")
    clerk.page.get_by_label("Simulated reader").select_option("visa")
    shoot("open_payment")
    clerk.charge.first.click()
    headline(clerk, "^Paid$")
    [payment] = payments(server)
    assert (payment["id"], payment["captured"]) == (made, 4711)
    expect(clerk.amount).to_have_value("")


def test_a_row_says_when_and_how_and_what_it_opens_comes_into_view(clerk, server, shoot):
    page = clerk.page
    for number in range(12):
        made = server.create(f"o-{number}", f"k-{number}").json()["id"]
        server.confirm(made, f"c-{number}", {"type": "cash"} if number else counter.CARD_TENDER)
    page.reload()
    rows = page.locator("#rows tr")
    expect(rows).to_have_count(12, timeout=WAIT)
    for number, how in ((0, "Cash"), (11, "Keyed card Visa •••• 4242")):
        expect(rows.nth(number).locator(".how")).to_have_text(how)
        expect(rows.nth(number).locator(".how")).to_be_visible()
        expect(rows.nth(number).locator(".when")).to_have_text(re.compile(r"\d:\d\d"))
        expect(rows.nth(number).locator(".when")).to_be_visible()
    shoot("rows")
    # Once more, though the address stays what it is.
    for _ in range(2):
        rows.last.scroll_into_view_if_needed()
        rows.last.locator("a").click()
        headline(clerk, "^Paid$")
        expect(page.locator("#headline")).to_be_in_viewport(timeout=WAIT)
        expect(page.locator("#now-title")).to_be_focused()


def test_the_enter_that_opens_a_payment_does_not_charge_it_when_it_is_pressed_twice(clerk, server):
    page = clerk.page
    server.create("o-77", "k-1", 4711)
    page.get_by_role("link", name="o-77").focus(timeout=WAIT)
    page.keyboard.press("Enter")
    expect(clerk.amount).to_have_value("47.11", timeout=WAIT)
    expect(page.locator("#now-title")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    assert [one["status"] for one in payments(server)] == ["requires_payment_method"]


def test_an_open_payment_that_somebody_else_made_is_not_canceled_by_the_next_sale(clerk, server):
    made = server.create("o-77", "k-1", 4711).json()["id"]
    clerk.page.reload()
    clerk.page.get_by_role("link", name="o-77").click()
    expect(clerk.amount).to_have_value("47.11", timeout=WAIT)
    sold(clerk, "3.00", "o-78")
    assert {p["order_id"]: p["status"] for p in payments(server)} == {
        "o-77": "requires_payment_method", "o-78": "succeeded"}
    assert made


def test_another_sale_begins_with_nothing_of_the_open_payment(clerk, server):
    server.create("o-77", "k-1", 4711)
    clerk.page.reload()
    clerk.page.get_by_role("link", name="o-77").click()
    expect(clerk.amount).to_have_value("47.11", timeout=WAIT)
    clerk.page.get_by_role("button", name="Next sale").click()
    expect(clerk.amount).to_have_value("")
    expect(clerk.order.first).to_have_value("")


def test_what_was_chosen_for_one_customer_is_not_kept_for_the_next(clerk, server):
    page = clerk.page
    page.get_by_label("Authorize only").check()
    sell(clerk)
    headline(clerk, "^Held$")
    expect(page.get_by_label("Authorize only")).not_to_be_checked()
    page.get_by_role("button", name="Next sale").click()
    sold(clerk)
    page.get_by_label("Reason (optional)").fill("a broken cup")
    sold(clerk, "3.00")
    expect(page.get_by_label("Reason (optional)")).to_have_value("")
    page.get_by_label("Authorize only").check()
    page.get_by_role("button", name="Next sale").click()
    expect(page.get_by_label("Authorize only")).not_to_be_checked()


def test_enter_never_refunds(clerk, server, shoot):
    page = clerk.page
    sold(clerk)
    page.get_by_label("Refund amount").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Refund 12.50 EUR to Keyed card Visa •••• 4242?")).to_be_visible()
    shoot("refund_review")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Refund…").dblclick()
    page.wait_for_timeout(600)
    assert payments(server)[0]["refunded"] == 0
    page.keyboard.press("Escape")
    page.get_by_label("Refund amount").fill("5.00")
    page.get_by_label("Reason (optional)").fill("a broken cup")
    page.get_by_label("Refund amount").press("Enter")
    dialog.get_by_role("button", name="Refund 5.00 EUR").click()
    headline(clerk, "^Partly refunded$")
    [payment] = payments(server)
    assert (payment["refunded"], payment["refunds"][0]["reason"]) == (500, "a broken cup")
    expect(page.get_by_label("Reason (optional)")).to_have_value("")


def test_an_answer_is_never_taken_for_one_to_the_question_before(clerk, server):
    """The browser reports that a dialog was closed when the next one is open already, as it may on a busy machine."""
    page = clerk.page
    sold(clerk)
    page.get_by_label("Refund amount").fill("5.00")
    # While the sale is still being ended the form takes nothing.
    expect(page.get_by_role("button", name="Refund…")).to_be_enabled(timeout=WAIT)
    page.evaluate("""() => {
        const form = document.getElementById("refund-form");
        form.requestSubmit();
        document.getElementById("review-back").click();
        form.requestSubmit();
    }""")
    page.get_by_role("dialog").get_by_role("button", name="Refund 5.00 EUR").click()
    headline(clerk, "^Partly refunded$")
    assert [payment["refunded"] for payment in payments(server)] == [500]


def test_a_part_capture_says_what_becomes_of_the_rest_and_the_list_shows_what_was_taken(clerk, server, shoot):
    page = clerk.page
    page.goto(server.url + "/#" + held(server)["id"])
    page.reload()
    headline(clerk, "^Held$")
    receipt = page.locator("#receipt-picture")
    expect(receipt).to_have_attribute("src", re.compile("."), timeout=WAIT)
    before = receipt.get_attribute("src")
    page.get_by_label("Capture amount").fill("5.00")
    expect(page.locator("#capture-note")).to_contain_text("The other 7.50 EUR is released")
    page.get_by_role("button", name="Capture", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The other 7.50 EUR of the hold is released to the customer")
    shoot("capture_review")
    dialog.get_by_role("button", name="Back").click()
    assert payments(server)[0]["status"] == "requires_capture"
    page.get_by_role("button", name="Capture", exact=True).click()
    dialog.get_by_role("button", name="Capture 5.00 EUR, release 7.50 EUR").click()
    headline(clerk, "^Paid$")
    expect(page.locator("#detail")).to_have_text(
        "5.00 EUR charged. The other 7.50 EUR of the hold was released.", timeout=WAIT)
    expect(page.locator("#rows")).to_contain_text("5.00 EUR", timeout=WAIT)
    expect(page.locator("#rows")).to_contain_text("of 12.50 EUR")
    expect(page.locator("#facts")).to_contain_text("Ordered12.50 EURCharged5.00 EUR")
    expect(receipt).to_have_attribute("src", re.compile("."), timeout=WAIT)
    assert receipt.get_attribute("src") != before, "the picture is of the hold still"
    shoot("part_captured")


def test_all_of_a_hold_is_captured_only_after_a_question_that_names_the_sum(clerk, server):
    page = clerk.page
    page.goto(server.url + "/#" + held(server)["id"])
    page.reload()
    page.get_by_role("button", name="Capture", exact=True).click()
    dialog = page.get_by_role("dialog", name="Capture 12.50 EUR?")
    expect(dialog).to_be_visible(timeout=WAIT)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    assert payments(server)[0]["status"] == "requires_capture"
    page.get_by_role("button", name="Capture", exact=True).click()
    dialog.get_by_role("button", name="Capture 12.50 EUR").click()
    headline(clerk, "^Paid$")


def test_a_hold_is_released_only_after_a_question_that_names_the_sum(clerk, server):
    page = clerk.page
    page.goto(server.url + "/#" + held(server)["id"])
    page.reload()
    page.get_by_role("button", name="Cancel the hold").click()
    dialog = page.get_by_role("dialog", name="Release 12.50 EUR?")
    expect(dialog).to_contain_text("It cannot be captured later.", timeout=WAIT)
    dialog.get_by_role("button", name="Back").click()
    page.wait_for_timeout(500)
    assert payments(server)[0]["status"] == "requires_capture"
    page.get_by_role("button", name="Cancel the hold").click()
    dialog.get_by_role("button", name="Release 12.50 EUR").click()
    headline(clerk, "^Canceled$")
    assert payments(server)[0]["status"] == "canceled"


def test_the_change_is_still_there_after_a_reload(clerk, server, shoot):
    sell_cash(clerk, "12.30", "20.00")
    for _ in range(2):
        expect(clerk.page.locator("#change")).to_have_text("Change due: 7.70 EUR", timeout=WAIT)
        expect(clerk.page.locator("#facts")).to_contain_text("Cash received20.00 EUR")
        clerk.page.reload()
    shoot("change")
    [payment] = payments(server)
    assert (payment["tender"]["tendered"], payment["tender"]["change"]) == (2000, 770)


def test_the_page_goes_on_after_a_restart_and_asks_for_no_key(clerk, server, shoot):
    page = clerk.page
    page.goto(server.url + "/#" + held(server)["id"])
    page.reload()
    headline(clerk, "^Held$")
    server.stop()
    server.start()
    paid = server.request("POST", f"/v1/payments/{payments(server)[0]['id']}/capture", {}, "k-9").json()
    assert paid["status"] == "succeeded"
    headline(clerk, "^Paid$")
    expect(clerk.key).to_be_hidden()
    page.get_by_role("button", name="Next sale").click()
    sold(clerk, "3.00")
    expect(clerk.key).to_be_hidden()
    shoot("after_restart")


def test_a_sale_without_a_session_is_made_when_somebody_has_signed_in(clerk, server):
    """Who has lost his session is asked for a key, not given the machine's account, and the sale is not lost."""
    page, read = clerk.page, []
    page.on("response", lambda answer: read.append(re.sub(r".*/v1/(\w+)[?].*", r"\1", answer.url)))
    page.reload()
    # It reads its lists again once it listens, and would find out before the sale does.
    for name in ("payments", "orders"):
        assert counter.until(
            lambda name=name: read.count(name) >= {"payments": 2, "orders": 4}[name] or page.wait_for_timeout(20),
            WAIT / 1000), read
    page.context.clear_cookies()
    sell(clerk)
    expect(clerk.key).to_be_visible(timeout=WAIT)
    expect(clerk.page.locator("#headline")).to_be_hidden()
    assert payments(server) == []
    clerk.key.fill(server.api_key)
    clerk.key.press("Enter")
    expect(clerk.key).to_be_hidden(timeout=WAIT)
    headline(clerk, "^To charge: 12.50 EUR$")


def test_a_confirmation_without_an_answer_is_not_known_until_the_till_says_it(clerk, server, shoot):
    """The till has charged, and something between says that it is not there."""
    page = clerk.page

    def lose(route):
        route.fetch()
        page.route("**/v1/payments/pay_*", lambda other: other.fulfill(status=503, body="<html>down</html>"))
        route.fulfill(status=502, content_type="text/html", body="<html>bad gateway</html>")

    page.route("**/confirm", lose)
    sell(clerk)
    headline(clerk, "^Outcome unknown")
    page.wait_for_timeout(5_000)  # it asks every three seconds, and must not give up
    headline(clerk, "^Outcome unknown")
    assert tone(clerk) == "wait"
    expect(clerk.charge.first).to_be_disabled()
    expect(page.locator("#now")).not_to_contain_text("No money moved")
    shoot("not_known")
    page.unroute("**/v1/payments/pay_*")
    headline(clerk, "^Paid$")
    assert [p["captured"] for p in payments(server)] == [1250]


def test_a_confirmation_under_way_stays_on_the_screen_when_the_payment_is_read_again(clerk, server, shoot):
    page, held_back = clerk.page, []
    page.route("**/confirm", lambda route: held_back.append(route))
    sell(clerk)
    assert counter.until(lambda: held_back or page.wait_for_timeout(20), WAIT / 1000)
    page.evaluate("async () => (await import('/shown.js')).refresh()")  # as after each event of the payment
    headline(clerk, "^Processing$")
    expect(page.locator("#detail")).to_have_text(re.compile("12.50 EUR: the payment is being processed. Do not charge"))
    expect(page.locator("#now")).not_to_contain_text("No money moved")
    assert tone(clerk) == "wait"
    shoot("confirming")
    held_back[0].continue_()
    headline(clerk, "^Paid$")
    assert [p["captured"] for p in payments(server)] == [1250]


def test_axe_finds_no_fault_after_a_sale_and_in_the_question(clerk, server):
    sold(clerk)
    expect(clerk.page.get_by_role("log")).to_contain_text("Captured", timeout=WAIT)
    found = Axe().run(clerk.page)
    assert found.violations_count == 0, found.generate_report()
    clerk.page.get_by_role("button", name="Refund…").click()
    expect(clerk.page.get_by_role("dialog")).to_be_visible()
    clerk.page.wait_for_timeout(500)
    found = Axe().run(clerk.page)
    assert found.violations_count == 0, found.generate_report()
