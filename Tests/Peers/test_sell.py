"""The page of a sale as a till: its columns, the keypad and the keys, a scanner, the search, the stage of a payment,
parked sales, parts of an order, and what it does while the counter cannot be reached."""
import re

import pytest
from playwright.sync_api import expect
from seen import axe, pictures

import counter
from clerk import WAIT, payments

# What a scanner does: as a keyboard, faster than anybody. Whether its Enter still does what Enter does.
BURST = """(text) => {
  const press = (key) => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  for (const key of text) press(key);
  return press("Enter");
}"""


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def shoot(page, tmp_path):
    return pictures(page, tmp_path, "sell", narrow=390)


def book(server, number="4711", minor=4830):
    lines = [{"name": "Field guide", "quantity": 1, "amount": minor}]
    made = server.request("POST", "/v1/orders", {
        "order_id": number, "currency": "EUR", "amount": minor, "lines": lines, "customer": {"name": "Hanna Vogel"}})
    assert made.status_code == 201, made.text
    return made.json()


def sell_cash(clerk, amount, tendered=""):
    clerk.page.get_by_role("radio", name="Cash").check()
    clerk.amount.fill(amount)
    clerk.page.get_by_label("Cash received").fill(tendered)
    clerk.page.locator("#charge").click()
    expect(clerk.page.locator("#headline")).to_have_text("Paid", timeout=WAIT)


def ground(page, name):
    expect(page.locator("#now")).to_have_attribute("data-ground", name, timeout=WAIT)


def both(page):
    """What a judge of accessibility finds, in light and in dark."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        axe(page)


# ---- The columns


def test_three_columns_two_or_one_with_charge_at_the_bottom(clerk, server, shoot):
    page = clerk.page
    book(server)
    page.reload()
    expect(page.locator("#open-orders")).to_be_visible(timeout=WAIT)

    def box(selector):
        return page.locator(selector).bounding_box()

    clerk.amount.fill("48.30")
    assert page.evaluate("parseFloat(getComputedStyle(document.getElementById('amount')).fontSize)") >= 79
    bill, sale, take = box(".bill"), box(".sell-sum"), box(".sell-take")
    assert bill["x"] + bill["width"] <= sale["x"] + 1 and sale["x"] + sale["width"] <= take["x"] + 1
    page.set_viewport_size({"width": 768, "height": 1024})
    bill, sale, take = box(".bill"), box(".sell-sum"), box(".sell-take")
    assert sale["x"] + sale["width"] <= take["x"] + 1 and bill["y"] >= sale["y"] + sale["height"] - 1
    page.set_viewport_size({"width": 390, "height": 800})
    page.evaluate("scrollTo(0, 0)")
    charge, rail = box("#charge"), box(".rail")
    assert charge["y"] + charge["height"] <= rail["y"] + 1 <= 800 and charge["y"] > 560
    page.set_viewport_size({"width": 1280, "height": 800})
    both(page)
    shoot("ready")


# ---- The keypad and the keys


def test_digits_make_the_amount_cents_first_unless_a_field_has_the_focus(clerk):
    page = clerk.page
    page.keyboard.type("12505", delay=90)
    expect(clerk.amount).to_have_value("125.05")
    page.keyboard.press("Backspace")
    expect(clerk.amount).to_have_value("12.50")
    expect(page.locator("#charge")).to_contain_text("Charge 12.50 EUR")
    keypad = page.get_by_role("group", name="Keypad")
    keypad.get_by_role("button", name="00", exact=True).click()
    expect(clerk.amount).to_have_value("1250.00")
    for _ in range(2):
        keypad.get_by_role("button", name="Delete the last digit").click()
    page.get_by_label("Order number").focus()
    page.keyboard.type("77", delay=90)
    expect(clerk.amount).to_have_value("12.50")
    expect(page.get_by_label("Order number")).to_have_value("77")
    page.get_by_label("Currency").select_option("JPY")
    page.keyboard.press("Escape")
    clerk.amount.fill("")
    page.keyboard.press("Escape")
    page.keyboard.type("480", delay=90)
    expect(clerk.amount).to_have_value("480")


def test_the_keyboard_alone_sells_with_letters_and_f9(clerk, server):
    page = clerk.page
    page.keyboard.type("830", delay=90)
    page.keyboard.press("c")
    expect(page.get_by_role("radio", name="Cash")).to_be_checked()
    page.keyboard.press("F2")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("c", delay=90)
    page.keyboard.press("Escape")
    page.keyboard.press("F9")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    assert [one["captured"] for one in payments(server)] == [830]
    another = page.get_by_role("button", name="Next sale")
    expect(another).to_be_visible(timeout=WAIT)
    page.keyboard.press("Escape")
    ground(page, "idle")
    page.keyboard.type("120", delay=90)
    page.keyboard.press("Enter")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(another).to_be_visible(timeout=WAIT)
    page.keyboard.press("F9")
    expect(page.locator("#headline")).to_have_text("Not charged", timeout=WAIT)
    assert sorted(one["captured"] for one in payments(server)) == [120, 830]


def test_digits_after_cash_was_chosen_are_what_was_handed_over(clerk, server):
    page = clerk.page
    tendered = page.get_by_label("Cash received")
    page.keyboard.type("4830", delay=90)
    page.keyboard.press("c")
    expect(tendered).to_be_focused()
    page.keyboard.type("5000", delay=90)
    expect(tendered).to_have_value("50.00")
    keypad = page.get_by_role("group", name="Keypad")
    keypad.get_by_role("button", name="Delete the last digit").click()
    expect(tendered).to_have_value("5.00")
    keypad.get_by_role("button", name="0", exact=True).click()
    expect(tendered).to_have_value("50.00")
    expect(clerk.amount).to_have_value("48.30")
    page.keyboard.press("F9")
    expect(page.locator("#change")).to_have_text("Change due: 1.70 EUR", timeout=WAIT)
    assert [one["captured"] for one in payments(server)] == [4830]
    expect(page.get_by_role("button", name="Next sale")).to_be_visible(timeout=WAIT)
    page.keyboard.press("Escape")
    ground(page, "idle")
    # Cash is chosen still, and the next sale begins with its amount.
    page.keyboard.type("1200", delay=90)
    expect(clerk.amount).to_have_value("12.00")
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_role("radio", name="Cash").click()
    expect(tendered).to_be_focused()
    field, charge = tendered.bounding_box(), page.locator("#charge").bounding_box()
    assert 0 <= field["y"] and field["y"] + field["height"] <= charge["y"] + 1, "it lies behind Charge"


def test_the_next_amount_is_typed_in_sight(clerk):
    page = clerk.page
    page.set_viewport_size({"width": 1280, "height": 800})
    sell_cash(clerk, "48.30", "50.00")
    expect(page.get_by_role("button", name="Next sale")).to_be_visible(timeout=WAIT)
    page.evaluate("document.activeElement.blur()")
    page.evaluate("scrollTo(0, 0)")
    expect(clerk.amount).not_to_be_in_viewport(ratio=1)
    page.keyboard.type("1200", delay=90)
    expect(clerk.amount).to_have_value("12.00")
    expect(clerk.amount).to_be_in_viewport(ratio=1)
    expect(page.locator("#charge")).to_be_in_viewport(ratio=1)


def test_a_scanners_burst_goes_to_the_search_and_its_enter_never_charges(clerk, server):
    page = clerk.page
    page.get_by_role("radio", name="Cash").check()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type("1250", delay=90)
    for code in ("4006381333931", "X-4711", "123"):
        assert page.evaluate(BURST, code) is False
        expect(page.locator("#q")).to_have_value(code)
        expect(clerk.amount).to_have_value("12.50")
        expect(page.get_by_role("radio", name="Cash")).to_be_checked()
    clerk.amount.focus()
    assert page.evaluate(BURST, "4006381333931") is False
    # The stripe of a card is looked for nowhere.
    page.locator("#q").fill("")
    page.evaluate("document.activeElement.blur()")
    assert page.evaluate(BURST, "%B4242424242424242^") is False
    expect(page.locator("#q")).to_have_value("")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#q").fill("%B4242424242424242^")
    expect(page.locator("#q")).to_have_value("")
    page.wait_for_timeout(500)
    assert not [url for url in asked if "4242" in url]
    assert payments(server) == []


# ---- The search


def test_one_field_finds_orders_payments_and_an_amount(clerk, server, shoot):
    page = clerk.page
    book(server)
    sell_cash(clerk, "48.30")
    page.keyboard.press("F2")
    page.locator("#q").fill("48.30")
    results = page.get_by_role("region", name="Results")
    expect(results.get_by_role("link")).to_have_count(1, timeout=WAIT)
    expect(results.get_by_role("button", name="New sale of 48.30 EUR")).to_be_visible()
    page.locator("#q").fill("Vogel")
    expect(results.get_by_role("button", name="4711")).to_be_visible(timeout=WAIT)
    both(page)
    page.locator("#q").press("Enter")
    expect(results.get_by_role("button", name="4711")).to_be_focused(timeout=WAIT)
    page.keyboard.press("Enter")
    expect(page.locator("#chosen-words")).to_contain_text("Order 4711")
    expect(clerk.amount).to_have_value("48.30")
    expect(results).to_be_hidden()
    page.locator("#q").fill("nobody knows this")
    expect(results).to_contain_text("Nothing was found.", timeout=WAIT)
    page.keyboard.press("Escape")
    expect(results).to_be_hidden()
    shoot("order")


def test_the_search_says_that_there_is_more_and_shows_what_bears_the_very_name(clerk, server):
    page = clerk.page
    for number in range(7):
        made = server.create(f"find-{number}", f"k-{number}", 4830).json()
        paid = server.confirm(made["id"], f"c-{number}", {"type": "cash", "tendered": 4830})
        assert paid.json()["status"] == "succeeded", paid.text
    old = payments(server)[-1]
    results = page.get_by_role("region", name="Results")
    every = results.get_by_role("link", name="All results")
    page.locator("#q").fill("48.30")
    expect(results.get_by_role("link", name="find-")).to_have_count(5, timeout=WAIT)
    expect(results).to_contain_text("5 shown.")
    expect(every).to_have_attribute("href", "/payments?q=48.30&period=all")
    # As after so many payments that none of the newest is one of them.
    found = {"exact": [old], "payments": [], "next": old["id"], "has_more": True}
    page.route(re.compile(r"/v1/payments\?q="), lambda route: route.fulfill(json=found))
    page.locator("#q").fill("find-0")
    expect(results.get_by_role("link", name="find-")).to_have_count(1, timeout=WAIT)
    expect(results).to_contain_text("1 shown.")
    found.pop("exact")
    page.locator("#q").fill("find-00")
    expect(results.get_by_role("link", name="find-")).to_have_count(0, timeout=WAIT)
    expect(every).to_be_visible()
    expect(results).not_to_contain_text("Nothing was found.")
    page.unroute(re.compile(r"/v1/payments\?q="))


def test_a_scanned_receipt_finds_its_payment_and_changes_nothing_else(clerk, server):
    page = clerk.page
    sell_cash(clerk, "48.30")
    [payment] = payments(server)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("radio", name="Cash").check()
    page.evaluate("document.activeElement.blur()")
    address = f"https://shop.example/r/{payment['id']}.t5k2m1.{'s' * 43}"
    assert page.evaluate(BURST, address) is False
    results = page.get_by_role("region", name="Results")
    expect(results.get_by_role("link")).to_have_attribute("href", "/payments/" + payment["id"], timeout=WAIT)
    expect(clerk.amount).to_have_value("")
    expect(page.get_by_role("radio", name="Cash")).to_be_checked()
    assert not [url for url in asked if "sssss" in url]
    # So does what the till calls a sale that nobody has numbered.
    page.locator("#q").fill("Sale " + payment["id"][-5:])
    expect(results.get_by_role("link")).to_have_attribute("href", "/payments/" + payment["id"], timeout=WAIT)
    assert len(payments(server)) == 1


# ---- The stage


def test_the_stage_has_the_colour_of_the_outcome_and_keeps_the_change(clerk, server, shoot):
    page = clerk.page
    sell_cash(clerk, "48.30", "50.00")
    for _ in range(2):
        ground(page, "paid")
        expect(page.locator("#change")).to_have_text("Change due: 1.70 EUR", timeout=WAIT)
        expect(page.locator("#change-coins li")).to_have_count(3)  # 1 €, 50 c, 20 c
        # Whoever does not see it hears it with the outcome.
        expect(page.locator("#result[role=status]")).to_contain_text("Change due: 1.70 EUR")
        page.reload()
    expect(page.locator("#change-coins li")).to_have_count(3, timeout=WAIT)
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('#change bdi')).fontSize)")
    assert size >= 100, size
    both(page)
    shoot("change")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Next sale").click()
    ground(page, "idle")
    expect(page.locator("#change")).to_be_hidden()
    expect(page.locator("#result")).not_to_contain_text("Change due")


def test_a_decline_a_hold_and_an_open_payment_are_still_there_after_a_reload(clerk, server, shoot):
    page = clerk.page
    clerk.fill("12.50", "4000000000000002")
    page.locator("#charge").click()
    for _ in range(2):
        expect(page.locator("#headline")).to_have_text("Declined", timeout=WAIT)
        ground(page, "stop")
        page.reload()
    expect(page.locator("#headline")).to_have_text("Declined", timeout=WAIT)
    both(page)
    shoot("declined")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Next sale").click()
    page.get_by_label("Authorize only").check()
    clerk.fill("180.00", counter.CARD)
    page.locator("#charge").click()
    for _ in range(2):
        expect(page.locator("#headline")).to_have_text("Held", timeout=WAIT)
        ground(page, "held")
        page.reload()
    expect(page.locator("#headline")).to_have_text("Held", timeout=WAIT)
    both(page)
    shoot("held")


def test_an_outcome_that_is_not_known_is_amber_and_no_reader_says_paid(clerk, server, shoot):
    page = clerk.page

    def lose(route):
        route.fetch()
        page.route("**/v1/payments/pay_*", lambda other: other.fulfill(status=503, body="<html>down</html>"))
        route.fulfill(status=502, content_type="text/html", body="<html>bad gateway</html>")

    page.route("**/confirm", lose)
    clerk.fill("12.50", counter.CARD)
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text(re.compile("^Outcome unknown"), timeout=WAIT)
    ground(page, "unsure")
    expect(page.locator("#stage-sum")).to_have_text("12.50 EUR")
    expect(page.locator("#stage-sum")).to_be_visible()
    expect(page.locator("#live")).to_have_text("Offline", timeout=WAIT)
    # The security code does not wait for the outcome, and the sale does.
    expect(clerk.code).to_have_value("", timeout=WAIT)
    expect(clerk.amount).to_have_value("12.50")
    page.keyboard.press("Escape")
    expect(page.locator("#headline")).to_have_text(re.compile("^Outcome unknown"))
    axe(page)
    shoot("unsure")
    page.unroute("**/v1/payments/pay_*")
    ground(page, "paid")
    # The same sale and card are not there to be charged once more.
    expect(clerk.amount).to_have_value("")
    expect(clerk.card).to_have_value("")
    page.unroute("**/confirm")
    expect(page.locator("#charge")).to_be_enabled(timeout=WAIT)
    page.keyboard.press("F9")
    expect(page.locator("#headline")).to_have_text("Not charged", timeout=WAIT)
    assert [one["captured"] for one in payments(server)] == [1250]


# ---- Parked sales


def test_a_sale_is_parked_and_resumed_and_nothing_of_a_card_is_kept(clerk, server, shoot):
    page = clerk.page
    clerk.fill("74.20", counter.CARD, "jacket")
    page.get_by_role("button", name="Park", exact=True).click()
    expect(clerk.amount).to_have_value("")
    expect(clerk.card).to_have_value("")
    kept = page.evaluate("JSON.stringify(localStorage)")
    assert "74.20" in kept and counter.CARD not in kept.replace(" ", "") and "12/30" not in kept
    page.reload()
    page.get_by_role("button", name="Parked 1").click()
    dialog = page.get_by_role("dialog", name="Parked sales")
    expect(dialog).to_contain_text("jacket")
    axe(page)
    shoot("parked")
    page.set_viewport_size({"width": 1280, "height": 800})
    dialog.get_by_role("button", name="Resume jacket").click()
    expect(clerk.amount).to_have_value("74.20")
    expect(page.get_by_label("Order number")).to_have_value("jacket")
    expect(page.locator("#parked-open")).to_be_hidden()
    assert payments(server) == []


def test_a_parked_sale_that_is_to_be_authorized_only_comes_back_as_one(clerk, server):
    page = clerk.page
    clerk.fill("74.20", counter.CARD, "jacket")
    page.get_by_label("Authorize only").check()
    page.get_by_role("button", name="Park", exact=True).click()
    expect(page.get_by_label("Authorize only")).not_to_be_checked()
    page.reload()
    page.get_by_role("button", name="Parked 1").click()
    dialog = page.get_by_role("dialog", name="Parked sales")
    expect(dialog).to_contain_text("Authorize only")
    dialog.get_by_role("button", name="Resume jacket").click()
    expect(clerk.amount).to_have_value("74.20")
    expect(page.get_by_label("Authorize only")).to_be_checked()
    clerk.fill("74.20", counter.CARD)
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Held", timeout=WAIT)
    assert [(one["status"], one["captured"]) for one in payments(server)] == [("requires_capture", 0)]


def test_a_parked_sale_is_deleted_by_the_second_press_and_not_beside_resume(clerk):
    page = clerk.page
    clerk.amount.fill("74.20")
    page.get_by_role("button", name="Park", exact=True).click()
    page.get_by_role("button", name="Parked 1").click()
    dialog = page.get_by_role("dialog", name="Parked sales")
    delete = dialog.get_by_role("button", name="Delete the sale, 74.20 EUR")
    delete.dblclick()
    asked = dialog.get_by_role("button", name="Delete 74.20 EUR?", exact=True)
    expect(asked).to_be_visible()
    # Whoever does something else has not said yes.
    dialog.get_by_role("button", name="Back").focus()
    expect(delete).to_be_visible()
    expect(dialog.locator("li")).to_have_count(1)
    delete.click()
    page.wait_for_timeout(600)
    asked.click()
    expect(dialog.locator("li")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('till.parked')") == "[]"


def test_no_more_than_twenty_sales_are_parked_and_an_order_comes_back_as_it_is(clerk, server):
    page = clerk.page
    page.evaluate("""() => localStorage.setItem("till.parked", JSON.stringify(Array.from({ length: 20 },
        (_, at) => ({ at: at + 1, amount: "1.00", currency: "EUR", number: "" }))))""")
    page.reload()
    clerk.amount.fill("3.00")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("F4")
    expect(page.get_by_role("alert")).to_contain_text("20 sales are parked", timeout=WAIT)
    expect(clerk.amount).to_have_value("3.00")
    page.evaluate("""() => localStorage.setItem("till.parked", "[{]")""")
    page.reload()
    book(server)
    page.reload()
    page.get_by_role("button", name="Select order 4711").click()
    page.keyboard.type("2000", delay=90)
    expect(clerk.amount).to_have_value("20.00")
    page.keyboard.press("F4")
    expect(page.locator("#chosen")).to_be_hidden()
    page.keyboard.press("F4")
    page.get_by_role("button", name="Resume 4711").click()
    expect(page.locator("#chosen-words")).to_contain_text("Order 4711", timeout=WAIT)
    expect(clerk.amount).to_have_value("20.00")


# ---- Without the counter


def test_without_a_network_nothing_is_charged_and_the_page_catches_up_by_itself(clerk, server, shoot):
    page = clerk.page
    page.get_by_role("radio", name="Cash").check()
    clerk.amount.fill("12.50")
    page.context.set_offline(True)
    expect(page.locator("#offline")).to_contain_text("Offline since", timeout=WAIT)
    expect(page.locator("#charge")).to_be_disabled()
    expect(page.locator("#blocked")).to_contain_text("Charging is off until the connection is back")
    expect(page.locator("#live")).to_have_text("Offline")
    page.keyboard.press("F9")
    axe(page)
    shoot("offline")
    server.create("meanwhile", "k-m", 700)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.context.set_offline(False)
    expect(page.locator("#offline")).to_be_hidden(timeout=WAIT)
    expect(page.get_by_role("link", name="meanwhile")).to_be_visible(timeout=WAIT)
    expect(clerk.amount).to_have_value("12.50")
    page.wait_for_timeout(1_000)
    assert [one["order_id"] for one in payments(server)] == ["meanwhile"], "something was queued"
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)


def test_a_counter_that_stops_is_noticed_and_found_again(clerk, server):
    page = clerk.page
    server.stop()
    expect(page.locator("#offline")).to_be_visible(timeout=WAIT)
    expect(page.locator("#charge")).to_be_disabled()
    server.start()
    expect(page.locator("#offline")).to_be_hidden(timeout=WAIT)
    expect(page.locator("#charge")).to_be_enabled()


# ---- Unpaid orders


def test_an_order_is_selected_and_charges_nothing_and_replaces_no_sale_that_was_typed(clerk, server):
    page = clerk.page
    book(server)
    page.reload()
    select = page.get_by_role("button", name="Select order 4711, 48.30 EUR")
    expect(select).to_have_text("Select", timeout=WAIT)
    expect(page.locator("#open-orders-list li")).to_contain_text("48.30 EUR")
    clerk.amount.fill("12.50")
    select.click()
    expect(page.get_by_role("alert")).to_contain_text("Park or charge the current sale first.")
    expect(clerk.amount).to_have_value("12.50")
    expect(page.locator("#chosen")).to_be_hidden()
    clerk.amount.fill("")
    select.click()
    expect(page.locator("#chosen-words")).to_contain_text("Order 4711")
    # What it proposes was typed by nobody.
    select.click()
    expect(clerk.amount).to_have_value("48.30")
    assert payments(server) == []


# ---- Parts


def test_what_is_left_of_an_order_is_the_total_with_its_parts_beneath(clerk, server, shoot):
    page = clerk.page
    order = book(server)
    made = server.request("POST", f"/v1/orders/{order['id']}/payments", {"amount": 2000}, "part-1")
    assert made.status_code == 201, made.text
    paid = server.confirm(made.json()["id"], "part-1-c", {"type": "cash", "tendered": 2000})
    assert paid.json()["status"] == "succeeded", paid.text
    page.reload()
    page.get_by_role("button", name="Select order 4711").click()
    expect(page.get_by_role("heading", name="Left to pay on 4711")).to_be_visible()
    expect(clerk.amount).to_have_value("28.30")
    expect(page.locator("#split-paid")).to_have_text("20.00 EUR of 48.30 EUR paid")
    expect(page.locator("#split-parts li")).to_have_count(1)
    page.get_by_role("button", name="3 parts: 2 × 9.44, last 9.42 EUR").click()
    expect(clerk.amount).to_have_value("9.44")
    expect(page.locator("#sale-title")).to_have_text("Part of 4711, 28.30 EUR left")
    both(page)
    shoot("split")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Rest", exact=True).click()
    expect(page.locator("#sale-title")).to_have_text("Left to pay on 4711")
    expect(page.get_by_role("button", name="2 × 14.15 EUR", exact=True)).to_be_visible()
    page.get_by_role("radio", name="Cash").check()
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    assert sorted(one["captured"] for one in payments(server)) == [2000, 2830]


def test_the_next_part_of_an_order_is_one_press_away(clerk, server):
    page = clerk.page
    book(server)
    page.reload()
    page.get_by_role("button", name="Select order 4711").click()
    page.keyboard.type("2000", delay=90)
    page.get_by_role("radio", name="Cash").check()
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    page.get_by_role("button", name="Next part of 4711").click()
    expect(page.locator("#chosen-words")).to_contain_text("28.30 EUR to pay")
    expect(clerk.amount).to_have_value("28.30")
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    page.get_by_role("button", name="Next sale").click()
    ground(page, "idle")
    expect(page.locator("#chosen")).to_be_hidden()
    assert sorted(one["captured"] for one in payments(server)) == [2000, 2830]


# ---- A tip in cash


def test_the_change_is_kept_as_a_tip_and_belongs_to_that_sale_alone(clerk, server, shoot):
    page = clerk.page
    opened = server.request("POST", "/v1/day/open", {"currency": "EUR", "float": 15000}, "open")
    assert opened.status_code == 201, opened.text
    page.get_by_role("radio", name="Cash").check()
    clerk.amount.fill("48.30")
    page.get_by_label("Cash received").fill("50.00")
    expect(page.locator("#cash-change")).to_have_text("Change due: 1.70 EUR")
    both(page)
    shoot("tip")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Keep 1.70 EUR as tip").click()
    expect(page.get_by_label("Tip (optional)")).to_have_value("1.70")
    expect(page.locator("#cash-change")).to_be_hidden()
    expect(page.locator("#charge")).to_contain_text("Charge 50.00 EUR")
    page.keyboard.press("F9")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(page.locator("#change")).to_be_hidden()
    expect(page.locator("#facts")).to_contain_text("1.70 EUR")
    paid, = payments(server)
    assert (paid["amount"], paid["tip"], paid["captured"], paid["tender"]["change"]) == (4830, 170, 5000, 0)
    day = server.request("GET", "/v1/day").json()
    assert day["session"]["expected"] == 15000 + 5000, day
    receipt = server.request("GET", f"/v1/payments/{paid['id']}/receipt?format=text")
    assert "Tip" in receipt.text and "1.70" in receipt.text, receipt.text
    expect(page.get_by_role("button", name="Next sale")).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="Next sale").click()
    expect(page.get_by_label("Tip (optional)")).to_have_value("")


def test_a_tip_is_typed_by_keys_and_is_never_more_than_was_handed_over(clerk, server):
    page = clerk.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.keyboard.type("4830", delay=90)
    page.keyboard.press("c")
    expect(page.get_by_label("Cash received")).to_be_focused()
    page.keyboard.type("5000", delay=90)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Tip (optional)")).to_be_focused()
    page.keyboard.type("200", delay=90)
    expect(page.get_by_label("Tip (optional)")).to_have_value("2.00")
    page.keyboard.press("F9")
    expect(page.locator("#cash-tip-fault")).to_have_text("With the tip that is more than the cash received.")
    expect(page.get_by_label("Tip (optional)")).to_be_focused()
    assert payments(server) == []
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("150", delay=90)
    page.keyboard.press("Enter")
    expect(page.locator("#change")).to_have_text("Change due: 0.20 EUR", timeout=WAIT)
    assert [(one["tip"], one["captured"]) for one in payments(server)] == [(150, 4980)]
    # With a card nothing is left over.
    expect(page.get_by_role("button", name="Next sale")).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="Next sale").click()
    clerk.amount.fill("10.00")
    page.get_by_label("Tip (optional)").fill("1.00")
    expect(page.locator("#charge")).to_contain_text("Charge 11.00 EUR")
    clerk.fill("10.00", counter.CARD)
    expect(page.locator("#charge")).to_contain_text("Charge 10.00 EUR")
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    assert sorted(one["captured"] for one in payments(server)) == [1000, 4980]


# ---- A typed sale in parts


def orders(server):
    return server.request("GET", "/v1/orders").json()["orders"]


def split(clerk, amount):
    """Splits a sale that is typed, and returns the number that its order was given."""
    clerk.amount.fill(amount)
    clerk.page.get_by_role("button", name="Split payment").click()
    expect(clerk.page.locator("#chosen-words")).to_contain_text("Order S-", timeout=WAIT)
    return re.search(r"S-\w{6}", clerk.page.locator("#chosen-words").text_content())[0]


def pay_part_in_cash(clerk, amount):
    clerk.page.get_by_role("radio", name="Cash").check()
    clerk.amount.fill(amount)
    clerk.page.locator("#charge").click()
    expect(clerk.page.locator("#headline")).to_have_text("Paid", timeout=WAIT)


def test_a_typed_sale_is_paid_in_cash_and_by_card_with_a_reload_between_and_a_second_tablet(
        clerk, server, browser, shoot):
    page = clerk.page
    number = split(clerk, "48.30")
    expect(page.get_by_role("button", name="Split payment")).to_be_hidden()
    expect(page.get_by_role("button", name="2 × 24.15 EUR", exact=True)).to_be_visible()
    both(page)
    shoot("typed-split")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert payments(server) == []
    pay_part_in_cash(clerk, "20.00")
    other = browser.new_context(viewport={"width": 390, "height": 800}).new_page()
    server.sign_in(other)
    expect(other.get_by_role("button", name=f"Select order {number}, 28.30 EUR")).to_be_visible(timeout=WAIT)
    other.context.close()
    for _ in range(2):
        expect(page.locator("#split-left")).to_have_text(f"28.30 EUR left to pay on {number}", timeout=WAIT)
        both(page)
        page.reload()
    page.get_by_role("button", name=f"Next part of {number}").click()
    expect(clerk.amount).to_have_value("28.30")
    clerk.fill("28.30", counter.CARD)
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(page.get_by_role("button", name="Next sale")).to_be_visible(timeout=WAIT)
    assert sorted(one["captured"] for one in payments(server)) == [2000, 2830]
    assert {one["order_number"] for one in payments(server)} == {number}
    # Nobody has to hand it over.
    order, = orders(server)
    for _ in range(50):
        if order["state"] == "fulfilled":
            break
        page.wait_for_timeout(100)
        order, = orders(server)
    assert (order["state"], order["amount"], order["payment"]["status"]) == ("fulfilled", 4830, "paid")
    assert [line["amount"] for line in order["lines"]] == [4830]


def test_the_keyboard_alone_splits_a_typed_sale(clerk, server):
    page = clerk.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.keyboard.type("1000", delay=90)
    page.keyboard.press("s")
    expect(page.locator("#chosen-words")).to_contain_text("Order S-", timeout=WAIT)
    page.keyboard.press("s")
    expect(page.locator("#split-equal button").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(clerk.amount).to_have_value("5.00")
    page.keyboard.press("c")
    expect(page.get_by_role("radio", name="Cash")).to_be_checked()
    page.keyboard.press("F9")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(page.locator("#split-left")).to_contain_text("5.00 EUR left to pay", timeout=WAIT)
    assert [one["captured"] for one in payments(server)] == [500]


def test_a_split_is_booked_once_when_its_answer_is_lost_and_after_a_reload(clerk, server):
    page = clerk.page
    sent = []

    def lose(route):
        sent.append(route.request.post_data)
        route.fetch()
        route.abort()

    page.route("**/v1/orders", lose)
    clerk.amount.fill("48.30")
    page.get_by_role("button", name="Split payment").click()
    expect(page.locator("#detail")).to_contain_text("tries again by itself", timeout=WAIT)
    expect(page.locator("#charge")).to_be_disabled()
    before = len(sent)
    page.reload()
    # The request of before goes out by itself, and has no answer either.
    expect(page.locator("#detail")).to_contain_text("tries again by itself", timeout=WAIT)
    assert len(sent) > before
    page.unroute("**/v1/orders")
    expect(page.locator("#chosen-words")).to_contain_text("Order S-", timeout=WAIT)
    expect(clerk.amount).to_have_value("48.30")
    ground(page, "idle")
    assert len(set(sent)) == 1 and len(orders(server)) == 1
    assert page.evaluate("sessionStorage.getItem('till.request:/v1/orders')") is None
    pay_part_in_cash(clerk, "48.30")
    assert [one["captured"] for one in payments(server)] == [4830]


def test_a_part_of_a_split_whose_answer_is_lost_is_taken_once(clerk, server):
    page = clerk.page
    number = split(clerk, "48.30")
    lost = set()

    def lose_once(route):
        path = route.request.url.rsplit("/", 1)[-1]
        if path in lost:
            return route.continue_()
        lost.add(path)
        route.fetch()
        return route.abort()

    page.route(re.compile(r"/(confirm|payments)$"), lose_once)
    pay_part_in_cash(clerk, "20.00")
    expect(page.locator("#split-left")).to_have_text(f"28.30 EUR left to pay on {number}", timeout=WAIT)
    assert lost == {"confirm", "payments"}
    assert [one["captured"] for one in payments(server)] == [2000]


def test_giving_up_a_half_paid_split_says_what_was_taken_and_links_to_it(clerk, server):
    page = clerk.page
    number = split(clerk, "48.30")
    pay_part_in_cash(clerk, "20.00")
    paid, = payments(server)
    page.get_by_role("button", name=f"Next part of {number}").click()
    page.get_by_role("button", name="Clear order").click()
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text(f"20.00 EUR of {number} was taken and stays taken", timeout=WAIT)
    expect(alert).to_contain_text("28.30 EUR is left to pay")
    expect(clerk.amount).to_have_value("")
    expect(page.get_by_role("button", name=f"Select order {number}, 28.30 EUR")).to_be_visible(timeout=WAIT)
    axe(page)
    alert.get_by_role("link", name=paid["id"]).click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    # Nothing was taken of this one, so nothing of it is left.
    page.get_by_role("button", name=f"Next part of {number}").click()
    page.get_by_role("button", name="Clear order").click()
    split(clerk, "7.00")
    page.get_by_role("button", name="Clear order").click()
    expect(page.locator("#open-orders-list li")).to_have_count(1, timeout=WAIT)
    for _ in range(50):
        if [one["state"] for one in orders(server)] == ["canceled", "open"]:
            break
        page.wait_for_timeout(100)
    assert [one["state"] for one in orders(server)] == ["canceled", "open"]


def test_a_typed_sale_in_parts_is_nothing_to_prepare(clerk, server):
    number = split(clerk, "48.30")
    book(server)
    clerk.page.goto(server.url + "/kitchen")
    expect(clerk.page.locator("body")).to_contain_text("4711", timeout=WAIT)
    expect(clerk.page.locator("body")).not_to_contain_text(number)


def test_a_declined_card_leads_to_a_split_and_a_discount_does_not(clerk, server):
    page = clerk.page
    clerk.fill("12.50", "4000000000000002")
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Declined", timeout=WAIT)
    page.get_by_role("button", name="Split payment").click()
    expect(page.locator("#chosen-words")).to_contain_text("12.50 EUR to pay", timeout=WAIT)
    pay_part_in_cash(clerk, "5.00")
    assert sorted(one["status"] for one in payments(server)) == ["canceled", "succeeded"]
    page.get_by_role("button", name="Next part of S-").click()
    page.get_by_role("button", name="Clear order").click()
    clerk.amount.fill("10.00")
    page.get_by_role("button", name="Discount…").click()
    page.get_by_label("Percent", exact=True).fill("10")
    page.get_by_label("Reason", exact=True).fill("Scratched lid")
    page.get_by_role("button", name="Give discount").click()
    page.get_by_role("button", name="Split payment").click()
    expect(page.get_by_role("alert").first).to_contain_text("with a discount is not split", timeout=WAIT)
    assert len(orders(server)) == 1
