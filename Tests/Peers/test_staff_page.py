"""The till's page with staff, in a real browser: a PIN says who is there, the page shows what that person may do, and
somebody else approves what they may not."""
import json

import pytest
from playwright.sync_api import expect
from seen import axe, pictures
from staff import PINS, Staff

import counter
from clerk import Counter
from printers import READY, Port9100

# A PIN is slow to check on purpose, and more so in a debug build on a busy machine.
WAIT = 60_000
expect.set_options(timeout=WAIT)


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def shop(server):
    return Staff(server).shop()


@pytest.fixture
def shoot(page, tmp_path):
    return pictures(page, tmp_path, "staff", narrow=390)


@pytest.fixture
def locked(page, server, shop):
    """The page of a device that has just been signed in."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(server.start_url())
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    yield page
    assert not faults, faults


def enter(page, name, pin=None):
    page.get_by_role("radio", name=name).check()
    page.get_by_label("PIN", exact=True).fill(pin or PINS[name])
    page.get_by_label("PIN", exact=True).press("Enter")


def at_the_till(page, name):
    expect(page.locator("#till")).to_be_visible(timeout=WAIT)
    expect(page.locator("#who")).to_contain_text(name)


def sell(page, amount):
    page.get_by_label("Amount", exact=True).fill(amount)
    page.get_by_role("radio", name="Cash").check()
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)


def test_a_cashier_splits_a_typed_sale_and_one_that_is_given_up_unpaid_stays(locked, server):
    page = locked
    enter(page, "Carl")
    at_the_till(page, "Carl, cashier")
    page.get_by_label("Amount", exact=True).fill("48.30")
    page.get_by_role("button", name="Split payment").click()
    expect(page.locator("#chosen-words")).to_contain_text("Order S-")
    page.get_by_role("button", name="Clear order").click()
    # To cancel it is not a cashier's.
    expect(page.get_by_role("alert").first).to_contain_text("stays under “Unpaid orders”")
    page.get_by_role("button", name="Select order S-").click()
    sell(page, "20.00")
    page.get_by_role("button", name="Next part of S-").click()
    sell(page, "28.30")
    for _ in range(50):
        order, = server.request("GET", "/v1/orders").json()["orders"]
        if order["state"] == "fulfilled":
            break
        page.wait_for_timeout(100)
    assert (order["state"], order["payment"]["status"]) == ("fulfilled", "paid")


def test_a_pin_says_who_is_there(locked, shoot):
    page = locked
    expect(page.locator("#till")).to_be_hidden()
    expect(page.locator("#session")).to_be_hidden()
    axe(page)
    shoot("asked")
    enter(page, "Carl", "000111")
    expect(page.get_by_role("alert").first).to_contain_text("That is not the PIN")
    shoot("wrong")
    # With the pad, as on a tablet.
    page.get_by_role("radio", name="Carl").check()
    for digit in PINS["Carl"]:
        page.get_by_role("group", name="Digits").get_by_role("button", name=digit, exact=True).click()
    page.get_by_role("button", name="Enter", exact=True).click()
    at_the_till(page, "Carl, cashier")
    axe(page)
    shoot("cashier")


def test_what_a_role_may_not_is_not_shown(locked, server):
    page = locked
    enter(page, "Carl")
    at_the_till(page, "Carl")
    expect(page.get_by_role("link", name="Attention")).to_be_hidden()
    expect(page.get_by_label("Authorize only")).to_be_hidden()
    page.goto(server.url + "/#attention")
    expect(page.locator("#attention-view")).to_be_hidden()
    expect(page.locator("#counter-view")).to_be_visible(timeout=WAIT)
    # Somebody else at the same till.
    page.get_by_role("button", name="Lock or switch").click()
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    enter(page, "Mona")
    at_the_till(page, "Mona, manager")
    expect(page.get_by_role("link", name="Attention")).to_be_visible()
    page.get_by_role("link", name="Sell").click()
    expect(page.get_by_label("Authorize only")).to_be_visible()


def test_the_back_office_is_locked_and_passed_on(locked, server, shoot):
    page = locked
    enter(page, "Mona")
    at_the_till(page, "Mona")
    for path in ("/payments", "/day", "/insights", "/settings"):
        page.goto(server.url + path)
        expect(page.locator("#who")).to_contain_text("Mona", timeout=WAIT)
        expect(page.get_by_role("button", name="Lock or switch")).to_be_visible()
    page.goto(server.url + "/payments")
    expect(page.get_by_role("button", name="Lock or switch")).to_be_visible(timeout=WAIT)
    axe(page)
    shoot("office")
    page.get_by_role("button", name="Lock or switch").click()
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    # Whoever is next comes back to the page, as themselves.
    enter(page, "Carl")
    page.wait_for_url("**/payments", timeout=WAIT)
    expect(page.locator("#who")).to_contain_text("Carl", timeout=WAIT)
    expect(page.locator("#attention-count")).to_be_hidden()


def test_readers_printers_and_the_drawer_are_shown_to_those_who_may(locked, server, shop):
    page = locked
    port = Port9100(READY)
    counter.succeed("printers", "add", "bar", port.address, "--journal", server.journal, "--json")
    shop.roles("set", "typist", "--permissions", "sell")
    shop.add("Tom", "typist", "604913")
    page.wait_for_timeout(700)
    page.reload()
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    enter(page, "Tom", "604913")
    at_the_till(page, "Tom")
    expect(page.get_by_role("radio", name="Card reader")).to_be_hidden()
    expect(page.get_by_role("radio", name="Tap to Pay")).to_be_hidden()
    expect(page.locator("#tender-reader")).to_be_hidden()
    expect(page.get_by_role("radio", name="Keyed card")).to_be_checked()
    sell(page, "20.00")
    expect(page.locator("#receipt-box")).to_be_visible(timeout=WAIT)
    expect(page.locator("#print-form")).to_be_hidden()
    # A cashier uses readers and printers, and opens no drawer.
    for name, may_open in (("Carl", False), ("Mona", True)):
        page.get_by_role("button", name="Lock or switch").click()
        expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
        enter(page, name)
        at_the_till(page, name)
        expect(page.get_by_role("radio", name="Card reader")).to_be_visible()
        expect(page.get_by_role("radio", name="Tap to Pay")).to_be_visible()
        page.reload()
        at_the_till(page, name)
        expect(page.get_by_role("button", name="Print the receipt")).to_be_visible(timeout=WAIT)
        drawer = page.get_by_role("button", name="Open the drawer")
        expect(drawer).to_be_visible() if may_open else expect(drawer).to_be_hidden()
    axe(page)
    page.get_by_role("button", name="Open the drawer").click()
    expect(page.locator("#print-note")).to_have_text("The drawer was asked to open.", timeout=WAIT)
    assert b"\x1bp\x00" in port.received


def test_a_keyboard_is_enough(locked):
    page = locked
    page.get_by_role("radio", name="Carl").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_label("PIN", exact=True)).to_be_focused()
    page.keyboard.type(PINS["Carl"])
    page.keyboard.press("Enter")
    at_the_till(page, "Carl")
    page.get_by_role("button", name="Lock or switch").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    expect(page.locator("#till")).to_be_hidden()


def test_a_manager_approves_a_refund_on_the_spot(locked, shoot, server):
    page = locked
    enter(page, "Carl")
    at_the_till(page, "Carl")
    sell(page, "20.00")
    counter = Counter(page, server)
    counter.give_back()
    dialog = page.get_by_role("dialog", name="Approve this refund?")
    expect(dialog).to_be_visible(timeout=WAIT)
    expect(dialog).to_contain_text("20.00 EUR")
    axe(page)
    shoot("approval")
    dialog.get_by_label("Who approves").select_option(label="Mona")
    dialog.get_by_label("Their PIN").fill("000111")
    dialog.get_by_label("Their PIN").press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("That is not the PIN")
    dialog.get_by_label("Their PIN").fill(PINS["Mona"])
    dialog.get_by_role("button", name="Approve").click()
    expect(page.locator("#headline")).to_have_text("Refunded", timeout=WAIT)
    at_the_till(page, "Carl")
    expect(page.locator("#facts")).to_contain_text("Approved by")
    expect(page.locator("#facts")).to_contain_text("Mona")
    shoot("approved")


NOBODY = """async () =>
  !(await (await fetch('/session/person', { headers: { 'X-Till-Page': '1' } })).json()).person"""


def test_who_is_disabled_sees_the_pad_again_and_keeps_what_was_typed(locked, shop):
    page = locked
    enter(page, "Carl")
    at_the_till(page, "Carl")
    page.get_by_label("Amount", exact=True).fill("12.34")
    shop.run("disable", "Carl")
    page.wait_for_function(NOBODY, timeout=WAIT)
    # The page asks by itself who is there: it may have locked by now, and nobody can click any more.
    page.evaluate("document.getElementById('charge').click()")
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("radio", name="Carl")).to_have_count(0)
    enter(page, "Mona")
    at_the_till(page, "Mona")
    expect(page.get_by_label("Amount", exact=True)).to_have_value("12.34")


def test_a_reload_and_another_tab_know_who_is_there(browser, server, shop):
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.start_url())
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    enter(page, "Carl")
    at_the_till(page, "Carl")
    page.reload()
    at_the_till(page, "Carl")
    other = context.new_page()
    other.goto(server.url + "/")
    at_the_till(other, "Carl")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible(timeout=WAIT)
    context.close()


def given_up(page):
    """The till is locked from another tab, without this page."""
    status = page.evaluate(
        "async () => (await fetch('/session/person', { method: 'DELETE', headers: { 'X-Till-Page': '1' } })).status")
    assert status == 204, status


def locked_again(page):
    """The page asks who is there, and nothing is above that."""
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#till")).to_be_hidden()


def test_no_question_stays_above_the_lock(locked):
    page = locked
    enter(page, "Carl")
    at_the_till(page, "Carl")
    page.get_by_label("Amount", exact=True).fill("12.34")
    page.get_by_role("button", name="Discount…").click()
    page.get_by_role("dialog", name="Discount").get_by_label("Reason").fill("Scratched lid")
    given_up(page)
    locked_again(page)
    # The pad can be pressed.
    page.get_by_role("radio", name="Mona").check()
    for digit in PINS["Mona"]:
        page.get_by_role("group", name="Digits").get_by_role("button", name=digit, exact=True).click()
    page.get_by_role("button", name="Enter", exact=True).click()
    at_the_till(page, "Mona")
    expect(page.locator("dialog[open]")).to_have_count(0)
    # Nor does any other, whichever there will be.
    assert page.evaluate("""() => {
        const all = [...document.querySelectorAll("dialog")];
        for (const one of all) one.showModal();
        return all.length;
    }""") >= 5
    given_up(page)
    locked_again(page)
    axe(page)


def test_a_question_that_comes_once_the_till_is_locked_is_not_asked(locked, server):
    page = locked
    enter(page, "Carl")
    at_the_till(page, "Carl")
    sell(page, "20.00")
    answered = []

    def answer_late(route):
        page.evaluate("document.getElementById('lock').click()")
        expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
        approval = {"action": "refund", "payment": "pay_1", "amount": 2000, "currency": "EUR"}
        route.fulfill(status=403, content_type="application/problem+json", body=json.dumps({
            "code": "approval_required", "detail": "Somebody else approves it.", "money_moved": "no",
            "approval": approval}))
        answered.append(approval)

    page.route("**/refunds", answer_late)
    Counter(page, server).give_back()
    locked_again(page)
    for _ in range(100):
        if answered:
            break
        page.wait_for_timeout(100)
    assert answered
    page.wait_for_timeout(500)
    locked_again(page)
    enter(page, "Mona")
    at_the_till(page, "Mona")


def kept(page):
    return page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('till.request:')).length")


def only_payment(server):
    [row] = server.request("GET", "/v1/payments").json()["payments"]
    return server.request("GET", f"/v1/payments/{row['id']}").json()


def test_a_refund_that_was_not_admitted_is_not_carried_out_by_who_signs_in_next(locked, server):
    page = locked
    enter(page, "Mona")
    at_the_till(page, "Mona")
    sell(page, "20.00")

    def lock_first(route):
        given_up(page)
        route.continue_()

    # Earlier, any read of the page would tell it of the lock before the refund does.
    page.route("**/refunds", lock_first)
    Counter(page, server).give_back()
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    assert kept(page) == 0, "nothing was done, so nothing is left to finish"
    enter(page, "Olga")
    at_the_till(page, "Olga")
    page.wait_for_timeout(2_000)
    assert only_payment(server)["refunds"] == []


@pytest.mark.parametrize("arrived", [True, False])
def test_a_refund_of_ones_own_without_an_answer_is_not_sent_after_a_reload_unasked(locked, server, arrived):
    page = locked
    enter(page, "Mona")
    at_the_till(page, "Mona")
    sell(page, "20.00")

    def lose(route):
        if arrived:
            route.fetch()
        route.abort()

    page.route("**/refunds", lose)
    Counter(page, server).give_back()
    expect(page.locator("#headline")).to_contain_text("Outcome unknown", timeout=WAIT)
    if arrived:
        # The page may be sending once more, which ends with the page that is left.
        page.unroute_all(behavior="ignoreErrors")
    page.reload()
    dialog = page.get_by_role("dialog", name="Send this request again?")
    if arrived:
        # The till has it: its answer is read without a question.
        expect(page.locator("#headline")).to_have_text("Refunded", timeout=WAIT)
        expect(dialog).to_be_hidden()
    else:
        expect(dialog).to_contain_text("the till has no record of it", timeout=WAIT)
        page.unroute("**/refunds")
        page.wait_for_timeout(2_000)
        assert only_payment(server)["refunds"] == []
        axe(page)
        dialog.get_by_role("button", name="Discard").click()
        expect(page.locator("#alert")).to_contain_text("nothing was sent", timeout=WAIT)
    assert kept(page) == 0
    assert [one["amount"] for one in only_payment(server)["refunds"]] == ([2000] if arrived else [])


@pytest.mark.parametrize("choice", ["Send it again", "Discard"])
def test_what_somebody_else_asked_for_without_an_answer_is_shown_and_not_sent_unasked(locked, shoot, server, choice):
    page = locked
    enter(page, "Mona")
    at_the_till(page, "Mona")
    sell(page, "20.00")
    page.route("**/refunds", lambda route: route.abort())
    Counter(page, server).give_back()
    expect(page.locator("#headline")).to_contain_text("Outcome unknown", timeout=WAIT)
    given_up(page)
    page.reload()
    expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
    dialog = page.get_by_role("dialog", name="Finish a request started by someone else?")
    expect(dialog).to_be_hidden()
    page.unroute("**/refunds")
    enter(page, "Olga")
    at_the_till(page, "Olga")
    expect(dialog).to_be_visible(timeout=WAIT)
    for fact in ("Mona asked for this", "Refund", "20.00 EUR"):
        expect(dialog).to_contain_text(fact)
    expect(dialog.get_by_role("button", name="Not now")).to_be_focused()
    axe(page)
    shoot("unfinished")
    page.keyboard.press("Enter")
    expect(page.locator("#alert")).to_contain_text("It was not sent again", timeout=WAIT)
    assert only_payment(server)["refunds"] == [] and kept(page) == 1
    page.reload()
    dialog.get_by_role("button", name=choice).click(timeout=WAIT)
    if choice == "Send it again":
        expect(page.locator("#headline")).to_have_text("Refunded", timeout=WAIT)
    else:
        expect(page.locator("#alert")).to_contain_text("nothing was sent", timeout=WAIT)
    assert kept(page) == 0
    assert [one["amount"] for one in only_payment(server)["refunds"]] == ([2000] if choice == "Send it again" else [])
