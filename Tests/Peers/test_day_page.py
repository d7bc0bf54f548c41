"""The page of the day: the drawer is opened with a count, paid into and out of, counted, and closed with a Z."""
import json
import re
import time

import pytest
from playwright.sync_api import expect
from seen import axe, pictures
from staff import PINS, Staff
from test_receipt_page import PaperPrinter

import counter
from clerk import WAIT

STILL = 60_000  # a PIN is slow to check on purpose
PIN = "582914"


@pytest.fixture
def latency():
    return "0ms"


def followed(page):
    """What keeps the faults of a page; nothing in it may fail, nor be refused by its policy."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    return faults


@pytest.fixture
def office(page, server):
    faults = followed(page)
    server.sign_in(page)
    yield page
    assert not faults, faults


@pytest.fixture
def shoot(page, tmp_path):
    take = pictures(page, tmp_path, "day", narrow=390)

    def both(name):
        take(name)
        page.set_viewport_size({"width": 1280, "height": 800})

    return both


def cash(server, order, units):
    made = server.create(order, order, units).json()
    paid = server.confirm(made["id"], order + "-c", {"type": "cash", "tendered": units})
    assert paid.status_code == 200, paid.text
    return paid.json()


def post(server, verb, body, status, key=None):
    answer = server.request("POST", "/v1/day/" + verb, body, key)
    assert answer.status_code == status, answer.text
    return answer.json()


def opened(server, units=15000):
    return post(server, "open", {"currency": "EUR", "float": units}, 201)


def standing(server):
    return server.request("GET", "/v1/day").json()


def visit(page, server, path="/day"):
    page.goto(server.url + path)
    expect(page.locator("#about")).to_contain_text("Drawer", timeout=WAIT)


def pieces(page, name):
    return page.get_by_label(name, exact=True)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def focused(page, locator):
    expect(locator).to_be_focused(timeout=WAIT)


def close(page):
    """Both steps, the second by somebody who reads it."""
    page.locator("#close").click()
    focused(page, page.locator("#sure-back"))
    page.locator("#really-close").click(timeout=WAIT)


def enter(page, name, amount, reason):
    page.get_by_role("button", name=name).click()
    page.locator("#cash-amount").fill(amount)
    page.locator("#cash-reason").fill(reason)
    page.locator("#cash-send").click()


def test_a_whole_day_by_keyboard(office, server, shoot):
    page = office
    visit(page, server)
    expect(page.locator("#count-title")).to_have_text("Count the float")
    axe(page)
    # From the first note on, Enter goes to the next and records nothing.
    pieces(page, "€200").focus()
    press(page, "Enter", "Enter")
    focused(page, pieces(page, "€50"))
    press(page, "1", "Enter", "4", "Enter", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "Enter")
    focused(page, pieces(page, "€5"))
    expect(page.locator("#counted")).to_have_text("€150.00")
    for _ in range(9):
        press(page, "Enter")
    focused(page, page.locator("#submit-count"))
    expect(page.locator("#submit-count")).to_have_text("Open with €150.00")
    assert standing(server)["session"] is None
    shoot("opening")
    page.locator("#submit-count").focus()
    press(page, "Enter")
    expect(page.locator("#done")).to_contain_text("€150.00", timeout=WAIT)
    session = standing(server)["session"]
    assert (session["float"], session["state"]) == (15000, "open")
    expect(page.locator("#expected-sum")).to_have_text("€150.00")

    # Cash that is sold comes by itself.
    cash(server, "Sold", 4830)
    expect(page.locator("#expected-sum")).to_have_text("€198.30", timeout=WAIT)
    for name, amount, reason, sign in (
        ("Pay in", "50", "Coins from the safe", "+€50.00"), ("Pay out", "38,40", "Window cleaning", "−€38.40"),
        ("Bank drop", "100", "Bag 4471", "−€100.00"),
    ):
        button = page.get_by_role("button", name=name)
        button.focus()
        press(page, "Enter")
        focused(page, page.locator("#cash-amount"))
        page.keyboard.type(amount)
        press(page, "Enter")
        expect(page.locator("#cash-reason-fault")).to_have_text("Say what it is for.")
        focused(page, page.locator("#cash-reason"))
        axe(page)
        page.keyboard.type(reason)
        press(page, "Enter")
        row = page.locator("#rows tr", has_text=reason)
        expect(row).to_contain_text(sign, timeout=WAIT)
        focused(page, button)
    expect(page.locator("#expected-sum")).to_have_text("€109.90")
    expect(page.locator("#sales-list")).to_contain_text("€48.30", timeout=WAIT)
    axe(page)
    shoot("session")

    page.locator("#to-count").focus()
    press(page, "Enter")
    focused(page, pieces(page, "€500"))
    press(page, "Enter", "Enter")
    page.keyboard.type("1")
    pieces(page, "€5").focus()
    page.keyboard.type("1")
    pieces(page, "€2").focus()
    page.keyboard.type("2")
    pieces(page, "50 c").focus()
    page.keyboard.type("1")
    pieces(page, "20 c").focus()
    page.keyboard.type("2")
    expect(page.locator("#counted")).to_have_text("€109.90")
    expect(page.locator("#of-notes")).to_have_text("€105.00")
    axe(page)
    shoot("count")
    page.locator("#submit-count").focus()
    press(page, "Enter")
    expect(page.locator("#difference")).to_have_text("€0.00", timeout=WAIT)
    expect(page.locator("#standing")).to_have_text("Matches")
    expect(page.locator("#reasons")).to_be_hidden()
    expect(page.locator("#close")).to_have_text("Close the day")
    axe(page)
    page.locator("#left").focus()
    page.keyboard.type("200")
    press(page, "Enter")
    expect(page.locator("#left-fault")).to_have_text("At most €109.90.")
    page.locator("#left").fill("100")
    press(page, "Enter")
    # The key that asked never closes: the focus is on the way back.
    focused(page, page.locator("#sure-back"))
    expect(page.locator("#sure-words")).to_contain_text("Take €9.90 out of it.")
    axe(page)
    press(page, "Enter")
    assert standing(server)["session"]["state"] == "ended"
    page.locator("#close").focus()
    press(page, "Enter")
    focused(page, page.locator("#sure-back"))
    expect(page.locator("#really-close")).to_be_enabled()
    press(page, "Tab")
    focused(page, page.locator("#really-close"))
    press(page, "Enter")
    expect(page.locator("#report-title")).to_have_text("Z report 0001", timeout=WAIT)
    expect(page.locator("#tiles")).to_contain_text("€48.30")
    for text in ("END OF Z", "UTC", "The numbers of receipts", "By card network", "By hour"):
        expect(page.locator("#paper")).to_contain_text(text)
    for kind in ("csv", "pdf"):
        assert page.locator(f"#{kind}").get_attribute("href") == f"/v1/day/reports/1.{kind}?drawer=main"
    # The account has no printer.
    expect(page.locator("#print-on")).to_be_hidden()
    # The account has one drawer: there is no other to read of.
    expect(page.locator("#of-read")).to_be_hidden()
    networks = page.locator('.folded[data-by="network"]')
    expect(networks.get_by_role("table")).to_be_hidden()
    networks.locator("summary").press("Enter")
    expect(networks.get_by_role("table")).to_contain_text("No card")
    networks.locator("summary").press("Enter")
    # The strip has all digits of the chain's head, for `till journal verify`; the page the first of them.
    sequence, digest = standing(server)["last"]["journal_head"].split(":")
    printed = page.locator("#paper").inner_text()
    assert re.search(rf"Head after event +{sequence}\n{digest[:32]}\n{digest[32:]}\n", printed), printed
    expect(page.get_by_role("region", name="Journal", exact=True)).to_contain_text(
        f"Head after event {sequence}{digest[:16]}…")
    axe(page)
    shoot("z")
    z = standing(server)["last"]
    assert (z["number"], z["left"], z["session"]["difference"], z["sales"]["net"]) == (1, 10000, 0, 4830)

    # The next day begins with what was left, and the report is in the list.
    page.get_by_role("link", name="Session").click()
    expect(page.locator("#count-title")).to_have_text("Count the float", timeout=WAIT)
    page.get_by_role("link", name="Z reports").click()
    expect(page.locator("#reports tr")).to_have_count(1, timeout=WAIT)
    axe(page)
    shoot("reports")
    page.get_by_role("link", name="Z 0001").click()
    expect(page.locator("#report-title")).to_have_text("Z report 0001", timeout=WAIT)
    page.go_back()
    expect(page.locator("#reports tr")).to_have_count(1, timeout=WAIT)


def test_a_z_is_printed_where_receipts_are(office, server):
    page, printer = office, PaperPrinter()
    counter.succeed("printers", "add", "bar", f"socket://127.0.0.1:{printer.port}", "--journal", server.journal,
                    "--json")
    opened(server)
    visit(page, server, "/day?view=x")
    expect(page.locator("#report-title")).to_have_text("X report", timeout=WAIT)
    expect(page.locator("#pdf")).to_have_attribute("href", "/v1/day/report.pdf?drawer=main")
    post(server, "count", {"total": 15000}, 200)
    post(server, "close", {}, 200)
    visit(page, server, "/day?drawer=main&report=1")
    button = page.get_by_role("button", name="Print on bar")
    expect(button).to_be_visible(timeout=WAIT)
    button.click()
    expect(page.locator("#done")).to_contain_text("The report was handed to the printer.", timeout=WAIT)
    assert b"Z report 0001" in printer.printed
    axe(page)


def test_a_difference_is_explained_before_the_day_is_closed(office, server, shoot):
    page = office
    opened(server)
    cash(server, "Short", 5000)
    visit(page, server, "/day?view=count")
    page.get_by_label("Enter the sum instead").check()
    page.get_by_label("Sum of what is in the drawer").fill("19o")
    expect(page.locator("#submit-count")).to_be_disabled()
    page.get_by_label("Sum of what is in the drawer").fill("190.00")
    page.locator("#submit-count").click()
    expect(page.locator("#difference")).to_have_text("−€10.00", timeout=WAIT)
    expect(page.locator("#difference-words")).to_have_text("The drawer holds €10.00 less than expected.")
    expect(page.locator("#ledger")).to_contain_text("€200.00")
    expect(page.locator("#close")).to_have_text("Close with a difference of −€10.00")
    axe(page)
    shoot("difference")
    close(page)
    expect(page.locator("#alert")).to_contain_text("reason", timeout=WAIT)
    focused(page, page.locator("#note"))
    assert standing(server)["session"]["state"] == "ended"
    # A recount is another count, and both are kept.
    page.get_by_role("link", name="Count again").click()
    page.get_by_label("Enter the sum instead").check()
    page.get_by_label("Sum of what is in the drawer").fill("192")
    page.locator("#submit-count").click()
    expect(page.locator("#difference")).to_have_text("−€8.00", timeout=WAIT)
    page.get_by_label("Wrong change given").check()
    page.get_by_label("Note", exact=True).fill("Twenty for ten")
    close(page)
    expect(page.locator("#report-title")).to_have_text("Z report 0001", timeout=WAIT)
    expect(page.locator("#paper")).to_contain_text("DIFFERENCE")
    expect(page.locator("#paper")).to_contain_text("-8.00")
    z = standing(server)["last"]
    assert [one["total"] for one in z["session"]["counts"]] == [19000, 19200]
    assert (z["session"]["difference"], z["reason"]) == (-800, "Wrong change given: Twenty for ten")


def test_a_float_that_differs_is_explained_and_stands_in_the_list(office, server):
    page = office
    opened(server)
    post(server, "count", {"total": 15000}, 200)
    post(server, "close", {}, 200)
    visit(page, server)
    page.get_by_label("Enter the sum instead").check()
    page.get_by_label("Sum of what is in the drawer").fill("140")
    page.locator("#submit-count").click()
    expect(page.locator("#alert")).to_contain_text("float differs", timeout=WAIT)
    focused(page, page.locator("#opening-reason"))
    axe(page)
    page.locator("#opening-reason").fill("Change fetched")
    page.locator("#submit-count").click()
    expect(page.locator("#rows")).to_contain_text("Change fetched", timeout=WAIT)
    post(server, "count", {"total": 14000}, 200)
    post(server, "close", {}, 200)
    visit(page, server, "/day?view=reports")
    expect(page.locator("#reports tr").first).to_contain_text("opened: −€10.00", timeout=WAIT)
    expect(page.locator("#reports tr").last).to_contain_text("matches")


def test_a_day_is_not_closed_over_unreadable_payments_without_a_word(office, server):
    page = office
    opened(server)
    post(server, "count", {"total": 15000}, 200)

    def damaged(route):
        answer = route.fetch()
        day = answer.json()
        day["session"]["unreadable"] = 2
        route.fulfill(response=answer, json=day)

    page.route("**/v1/day", damaged)
    visit(page, server, "/day?view=close")
    expect(page.locator("#close-unread")).to_contain_text("2 payments", timeout=WAIT)
    expect(page.locator("#reasons")).to_be_visible()
    axe(page)
    # No command line where somebody stands at a till.
    why = {"code": "unreadable_need_reason", "detail": "They cannot be read.", "next": "See till journal verify."}
    page.route("**/v1/day/close", lambda route: route.fulfill(
        status=409, content_type="application/problem+json", body=json.dumps(why)))
    close(page)
    expect(page.locator("#alert")).to_contain_text("tell whoever runs the till", timeout=WAIT)
    expect(page.locator("#alert")).not_to_contain_text("journal verify")
    page.unroute_all(behavior="ignoreErrors")


def test_cash_for_a_refund_is_only_for_one_that_failed(office, server):
    page = office
    opened(server)
    visit(page, server)
    page.get_by_role("button", name="Cash for a failed refund").click()
    expect(page.locator("#cash-title")).to_have_text("Cash for a failed refund")
    expect(page.locator("#cash-hint")).to_contain_text("already counted")
    expect(page.locator("#cash-send")).to_have_text("Pay refund")
    axe(page)


def test_a_tender_has_one_name_on_every_page(office, server):
    page = office
    opened(server)
    made = server.create("By-card", "by-card", 1200).json()
    assert server.confirm(made["id"], "by-card-c", counter.CARD_TENDER).status_code == 200

    def more(route):
        answer = route.fetch()
        report = answer.json()
        report["tenders"] += [{**report["tenders"][0], "tender": "elsewhere"}]
        route.fulfill(response=answer, json=report)

    page.route(re.compile(r"/v1/day/report\?drawer=main$"), more)
    for view, places in (("", ["#sales-list"]), ("?view=x", ["#tables", "#paper"])):
        visit(page, server, "/day" + view)
        for place in places:
            for text in ("Keyed card", "Outside the provider"):
                expect(page.locator(place)).to_contain_text(text, timeout=WAIT)
    page.unroute_all(behavior="ignoreErrors")
    page.goto(server.url + "/insights")
    expect(page.locator("#tenders")).to_contain_text("Keyed card", timeout=WAIT)


def test_an_ended_day_goes_on_and_x_changes_nothing(office, server, shoot):
    page = office
    opened(server)
    post(server, "count", {"total": 15000}, 200)
    visit(page, server)
    expect(page.locator("#drawer-buttons")).to_be_hidden()
    page.get_by_role("button", name="Reopen", exact=True).click()
    expect(page.locator("#drawer-buttons")).to_be_visible(timeout=WAIT)
    cash(server, "X", 1200)
    before = standing(server)
    page.get_by_role("link", name="X report").click()
    expect(page.locator("#report-title")).to_have_text("X report", timeout=WAIT)
    expect(page.locator("#paper")).to_contain_text("END OF X")
    expect(page.locator("#tiles")).to_contain_text("€162.00")
    with page.expect_download(timeout=WAIT) as saved:
        page.get_by_role("link", name="Save as CSV").click()
    assert saved.value.suggested_filename == "day-report.csv"
    assert "drawer,expected,,EUR,,,,,,,,,,162.00" in saved.value.path().read_text()
    axe(page)
    shoot("x")
    assert standing(server) == before
    page.emulate_media(media="print")
    expect(page.locator("#paper")).to_be_visible()
    for part in (".rail", ".top", "#tables", "#tabs"):
        expect(page.locator(part)).to_be_hidden()
    page.emulate_media(media="screen")


@pytest.mark.parametrize("scheme,contrast", [("light", None), ("dark", None), ("light", "more"), ("dark", "more")])
def test_it_is_seen_in_the_dark_and_with_more_contrast(office, server, tmp_path, scheme, contrast):
    page = office
    page.emulate_media(color_scheme=scheme, contrast=contrast)
    opened(server)
    take = pictures(page, tmp_path, f"day_{scheme}_{contrast or 'usual'}", narrow=390)
    for view in ("", "?view=count", "?view=x"):
        visit(page, server, "/day" + view)
        if view == "?view=x":
            expect(page.locator("#sheet")).to_be_visible(timeout=WAIT)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            axe(page)
        take(view.removeprefix("?view=") or "session")
        page.set_viewport_size({"width": 1280, "height": 800})


def test_whoever_lacks_totals_counts_blind(page, server, shoot):
    faults = followed(page)
    staff = Staff(server).shop()
    assert staff.roles("set", "drawer", "--permissions", "sell,drawer").code == 0
    staff.add("Dora", "drawer", PIN)
    time.sleep(0.6)  # a running counter hears of them within half a second
    opened(server)
    cash(server, "Blind", 4830)
    page.goto(server.start_url())
    page.get_by_role("radio", name="Dora").check(timeout=STILL)
    page.get_by_label("PIN", exact=True).fill(PIN)
    page.get_by_label("PIN", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text("Dora", timeout=STILL)
    visit(page, server)
    expect(page.locator("#blind")).to_be_visible(timeout=WAIT)
    expect(page.locator("#rows")).to_contain_text("after the count")
    expect(page.locator("#tab-reports")).to_be_hidden(timeout=WAIT)
    expect(page.locator("#to-x")).to_be_hidden()
    assert "198.30" not in page.content() and "48.30" not in page.content()
    axe(page)
    shoot("blind")
    page.locator("#to-count").click()
    for name, count in (("€100", "1"), ("€50", "1"), ("€20", "2")):
        pieces(page, name).fill(count)
    page.locator("#submit-count").click()
    expect(page.locator("#difference-title")).to_have_text("Counted", timeout=WAIT)
    expect(page.locator("#difference")).to_have_text("€190.00")
    assert "198.30" not in page.content() and "8.30" not in page.content()
    axe(page)
    close(page)
    # That there is a difference is said, and how much is not.
    expect(page.locator("#alert")).to_be_visible(timeout=WAIT)
    assert "8.30" not in page.content()
    page.get_by_label("Not known").check()
    close(page)
    expect(page.locator("#done")).to_contain_text("Z report is 0001", timeout=WAIT)
    assert "8.30" not in page.content()
    z = standing(server)["last"]
    assert (z["session"]["difference"], z["reason"]) == (-830, "Not known")
    assert not faults, faults


def test_who_may_not_touch_the_drawer_sees_no_way_to(page, server):
    Staff(server).shop()
    page.goto(server.start_url())
    page.get_by_role("radio", name="Carl").check(timeout=STILL)
    page.get_by_label("PIN", exact=True).fill(PINS["Carl"])
    page.get_by_label("PIN", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text("Carl", timeout=STILL)
    visit(page, server)
    expect(page.locator("#count-words")).to_contain_text("Your role does not", timeout=WAIT)
    expect(page.locator("#submit-count")).to_be_disabled()


def test_two_pages_show_the_truth_of_the_server(office, server, browser):
    page = office
    other = browser.new_page(viewport={"width": 390, "height": 800})
    faults = followed(other)
    server.sign_in(other)
    for one in (page, other):
        visit(one, server)
    for _ in range(2):
        pieces(page, "€100").press("ArrowUp")
    pieces(other, "€50").fill("3")
    page.locator("#submit-count").click()
    expect(page.locator("#expected-sum")).to_have_text("€200.00", timeout=WAIT)
    # The other one opens nothing any more.
    expect(other.locator("#expected-sum")).to_have_text("€200.00", timeout=WAIT)
    expect(other.locator("#done")).to_have_text("The day was opened on another device.")
    enter(other, "Pay in", "10", "Coins")
    for one in (page, other):
        expect(one.locator("#expected-sum")).to_have_text("€210.00", timeout=WAIT)
    # What is refused is said, and what stands is shown.
    page.locator("#to-count").click()
    pieces(page, "€200").fill("1")
    pieces(page, "€10").fill("1")
    page.route("**/v1/day", lambda route: route.abort())
    post(server, "count", {"total": 21000}, 200)
    post(server, "close", {}, 200)
    page.locator("#submit-count").click()
    expect(page.locator("#alert")).to_contain_text("not open", timeout=WAIT)
    page.unroute("**/v1/day")
    expect(page.locator("#count-title")).to_have_text("Count the float", timeout=WAIT)
    for one in (page, other):
        expect(one.locator("#view-session")).to_be_hidden(timeout=WAIT)
    assert standing(server)["last"]["number"] == 1
    assert not faults, faults
    other.close()


def test_a_close_that_was_agreed_to_is_no_close_of_another_count(office, server):
    page = office
    opened(server)
    post(server, "count", {"total": 15000}, 200)
    visit(page, server, "/day?view=close")
    expect(page.locator("#difference")).to_have_text("€0.00", timeout=WAIT)
    page.locator("#close").click()
    focused(page, page.locator("#sure-back"))
    post(server, "count", {"total": 14900}, 200)
    page.locator("#really-close").click(timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("changed on another device", timeout=WAIT)
    expect(page.locator("#difference")).to_have_text("−€1.00")
    assert standing(server)["last"] is None
    close(page)
    expect(page.locator("#report-title")).to_have_text("Z report 0001", timeout=WAIT)


def test_a_lost_answer_is_recorded_once_also_after_a_reload(office, server):
    page = office
    opened(server)
    visit(page, server)
    lost = []

    def lose(route):
        lost.append(route.fetch().status)
        route.abort()

    page.route("**/v1/day/cash", lose, times=1)
    enter(page, "Pay in", "10", "Coins")
    expect(page.locator("#done")).to_have_text("Paid in: €10.00.", timeout=WAIT)
    assert lost == [201]
    page.route("**/v1/day/cash", lambda route: route.abort())
    enter(page, "Pay out", "5", "Stamps")
    expect(page.locator("#alert")).to_contain_text("nothing is recorded twice", timeout=WAIT)
    # Gone before the till answers again, so that it is the next page that records it.
    page.reload(wait_until="commit")
    page.unroute("**/v1/day/cash")
    expect(page.locator("#rows")).to_contain_text("Stamps", timeout=WAIT)
    expect(page.locator("#done")).to_have_text("Recorded from before: Paid out, €5.00.", timeout=WAIT)
    assert [one["amount"] for one in standing(server)["session"]["cash"]] == [1000, 500]
    # A count of which the answer is lost is recorded, too; and a reload does not lose one that is under way.
    page.locator("#to-count").click()
    pieces(page, "€100").fill("1")
    page.reload()
    expect(pieces(page, "€100")).to_have_value("1", timeout=WAIT)
    pieces(page, "€5").fill("11")
    page.route("**/v1/day/count", lose, times=1)
    page.locator("#submit-count").click()
    expect(page.locator("#difference")).to_have_text("€0.00", timeout=WAIT)
    assert len(standing(server)["session"]["counts"]) == 1


def test_an_entry_of_an_earlier_day_is_not_recorded_in_the_drawer_of_another(office, server):
    page = office
    opened(server)
    visit(page, server)
    page.route("**/v1/day/cash", lambda route: route.abort())
    enter(page, "Pay out", "5", "Stamps")
    expect(page.locator("#alert")).to_contain_text("nothing is recorded twice", timeout=WAIT)
    post(server, "count", {"total": 15000}, 200)
    post(server, "close", {}, 200)
    opened(server)
    page.reload(wait_until="commit")
    page.unroute("**/v1/day/cash")
    expect(page.locator("#alert")).to_contain_text("Another day", timeout=WAIT)
    assert standing(server)["session"]["cash"] == []


def test_a_till_that_cannot_be_reached_is_said_and_comes_back(office, server):
    page = office
    opened(server)
    visit(page, server)
    expect(page.locator("#expected-sum")).to_have_text("€150.00")
    page.route("**/v1/day", lambda route: route.abort())
    expect(page.locator("#offline")).to_contain_text("cannot be reached", timeout=WAIT)
    page.unroute("**/v1/day")
    expect(page.locator("#offline")).to_be_hidden(timeout=WAIT)


def test_whoever_is_not_signed_in_comes_back_to_the_count(page, server):
    opened(server)
    page.goto(server.url + "/day?view=count")
    expect(page.locator("#session")).to_be_visible(timeout=WAIT)
    page.get_by_label("API key").fill(counter.API_KEY)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/day\?view=count$"), timeout=WAIT)
    expect(page.locator("#count-title")).to_have_text("Count the drawer", timeout=WAIT)


def test_the_rail_of_every_page_leads_to_the_day(office, server):
    page = office
    payment = cash(server, "Rail", 1000)
    for path in ("/payments", f"/payments/{payment['id']}"):
        page.goto(server.url + path)
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Day").click()
        expect(page.locator("#about")).to_contain_text("Drawer", timeout=WAIT)


def test_a_device_is_at_another_drawer(office, server):
    """It is named once, and all that the page does and shows is of it."""
    opened(server)
    visit(office, server)
    office.locator("#drawer").select_option("+")
    name = office.locator("#drawer-name")
    focused(office, name)
    name.fill("Bar 2")
    name.press("Enter")
    expect(office.locator("#drawer-name-fault")).to_contain_text("a letter first")
    axe(office)
    name.fill("bar")
    name.press("Enter")
    expect(office.locator("#done")).to_contain_text("at the drawer bar", timeout=WAIT)
    expect(office.locator("#about")).to_contain_text("bar · Drawer not open")
    post(server, "open", {"currency": "EUR", "float": 5000, "drawer": "bar"}, 201)
    made = server.create("at-bar", "at-bar", 700).json()
    assert server.confirm(made["id"], "at-bar-c", {"type": "cash", "drawer": "bar"}).status_code == 200
    visit(office, server)
    expect(office.locator("#expected-sum")).to_have_text("€57.00", timeout=WAIT)
    expect(office.locator("#drawer")).to_have_value("bar")
    axe(office)
    # The next session of this browser is at it, too.
    office.goto("about:blank")
    office.context.clear_cookies()
    server.sign_in(office)
    visit(office, server)
    expect(office.locator("#done")).to_contain_text("at the drawer bar", timeout=WAIT)
    expect(office.locator("#drawer")).to_have_value("bar")
    visit(office, server, "/day?view=x")
    expect(office.locator("#report-title")).to_have_text("X report · bar", timeout=WAIT)
    expect(office.locator("#tables")).to_contain_text("in the reports of the first drawer")
    visit(office, server)
    office.locator("#drawer").select_option("main")
    expect(office.locator("#expected-sum")).to_have_text("€150.00", timeout=WAIT)
    visit(office, server, "/day?view=x")
    expect(office.locator("#tables")).to_contain_text("Cash by drawer", timeout=WAIT)


# ---- Several drawers


def sold_at(server, order, units, drawer):
    made = server.create(order, order, units).json()
    paid = server.confirm(made["id"], order + "-c", {"type": "cash", "drawer": drawer})
    assert paid.status_code == 200, paid.text
    return paid.json()


def expected_at(server, drawer):
    return server.request("GET", f"/v1/day?drawer={drawer}").json()["session"]["expected"]


def at_bar(page, server):
    """This device is at the bar's drawer, which has been opened."""
    post(server, "open", {"currency": "EUR", "float": 5000, "drawer": "bar"}, 201)
    visit(page, server)
    page.locator("#drawer").select_option("bar")
    expect(page.locator("#done")).to_contain_text("at the drawer bar", timeout=WAIT)


def next_session(page, server):
    """What a night does to a device: the session is over, and its browser still has what it keeps."""
    page.goto("about:blank")
    page.context.clear_cookies()
    server.sign_in(page)


def sell(page, amount):
    page.get_by_role("radio", name="Cash").check()
    page.locator("#amount").fill(amount)
    page.locator("#charge").click()


def test_a_device_sells_into_its_drawer_after_the_night(office, server):
    """Nobody opens the page of the day in between, nor may everybody choose a drawer there."""
    page = office
    opened(server)
    at_bar(page, server)
    next_session(page, server)
    page.get_by_role("radio", name="Cash").check()
    expect(page.locator("#cash-drawer")).to_have_text("Cash goes into the drawer bar.", timeout=WAIT)
    page.set_viewport_size({"width": 390, "height": 800})
    axe(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    sell(page, "12.50")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    assert (expected_at(server, "bar"), expected_at(server, "main")) == (6250, 15000)
    # What goes back comes out of it, too: here, and on the payment's own page.
    page.locator("#refund-amount").fill("2.50")
    page.locator("#refund-form button[type=submit]").click()
    expect(page.locator("#review-words")).to_have_text("Hand the money out of the drawer bar.")
    with page.expect_response(re.compile("/refunds$")) as answered:
        page.locator("#review-send").click(timeout=WAIT)
    assert answered.value.status == 201
    payment = page.url.split("#")[1]
    page.goto(server.url + "/payments/" + payment)
    page.get_by_role("button", name="Refund…").click(timeout=WAIT)
    page.get_by_label("Amount", exact=True).fill("1.00")
    page.get_by_role("button", name="Review").click()
    expect(page.locator("#review-words")).to_have_text("Hand the money out of the drawer bar.")
    page.locator("#review-send").click(timeout=WAIT)
    expect(page.locator("#figure")).to_have_text("€9.00", timeout=WAIT)
    refunds = server.request("GET", f"/v1/payments/{payment}").json()["refunds"]
    assert [one["drawer"] for one in refunds] == ["bar", "bar"]
    assert (expected_at(server, "bar"), expected_at(server, "main")) == (5900, 15000)


def test_what_is_refunded_after_the_night_comes_out_of_the_devices_drawer(office, server):
    """Also what the first drawer sold: else both are off by it."""
    page = office
    opened(server)
    payment = cash(server, "First", 1000)["id"]
    at_bar(page, server)
    next_session(page, server)
    for path, units in ((f"/#{payment}", "2.00"), (f"/payments/{payment}", "3.00")):
        page.goto(server.url + path)
        if path.startswith("/#"):
            page.locator("#refund-amount").fill(units, timeout=WAIT)
            page.locator("#refund-form button[type=submit]").click()
        else:
            page.get_by_role("button", name="Refund…").click(timeout=WAIT)
            page.get_by_label("Amount", exact=True).fill(units)
            page.get_by_role("button", name="Review").click()
        with page.expect_response(re.compile("/refunds$")) as answered:
            page.locator("#review-send").click(timeout=WAIT)
        assert answered.value.status == 201
    assert (expected_at(server, "bar"), expected_at(server, "main")) == (4500, 16000)


@pytest.mark.parametrize("path", ["/#", "/payments/"])
def test_a_refund_comes_out_of_the_drawer_that_was_asked_about(office, server, path):
    """Also if another tab takes this device to another one while the question stands."""
    page = office
    opened(server)
    payment = cash(server, "First", 1000)["id"]
    at_bar(page, server)
    page.goto(server.url + path + payment)
    if path == "/#":
        page.locator("#refund-amount").fill("2.00", timeout=WAIT)
        page.locator("#refund-form button[type=submit]").click()
    else:
        page.get_by_role("button", name="Refund…").click(timeout=WAIT)
        page.get_by_label("Amount", exact=True).fill("2.00")
        page.get_by_role("button", name="Review").click()
    expect(page.locator("#review-words")).to_have_text("Hand the money out of the drawer bar.")
    page.evaluate("localStorage.setItem('till.drawer', 'main')")
    with page.expect_response(re.compile("/refunds$")) as answered:
        page.locator("#review-send").click(timeout=WAIT)
    assert answered.value.status == 201
    assert (expected_at(server, "bar"), expected_at(server, "main")) == (4800, 16000)


def test_a_drawer_that_is_not_known_any_more_takes_no_cash(office, server):
    page = office
    opened(server)
    page.evaluate("localStorage.setItem('till.drawer', 'gone')")
    page.reload()
    page.get_by_role("radio", name="Cash").check(timeout=WAIT)
    expect(page.locator("#cash-drawer")).to_have_text("Cash goes into the drawer gone.")
    sell(page, "12.50")
    for words in ("There is no drawer gone.", "Under Day, whoever may open the drawer"):
        expect(page.locator("#alert")).to_contain_text(words, timeout=WAIT)
    assert standing(server)["session"]["expected"] == 15000
    # The page of the day shows it, and another one is chosen there.
    visit(page, server)
    expect(page.locator("#about")).to_contain_text("gone · Drawer not open", timeout=WAIT)
    expect(page.locator("#drawer")).to_have_value("gone")
    page.locator("#drawer").select_option("main")
    expect(page.locator("#expected-sum")).to_have_text("€150.00", timeout=WAIT)
    page.goto(server.url + "/")
    sell(page, "12.50")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    assert standing(server)["session"]["expected"] == 16250


def test_what_is_no_name_of_a_drawer_is_not_sent(office, server):
    page = office
    opened(server)
    page.evaluate("localStorage.setItem('till.drawer', 'Bar & 1')")
    page.reload()
    page.get_by_role("radio", name="Cash").check(timeout=WAIT)
    expect(page.locator("#cash-drawer")).to_be_hidden()
    sell(page, "12.50")
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    assert standing(server)["session"]["expected"] == 16250


def two_closed(server):
    """Both drawers have a Z 1, of different money; the bar has another day by now."""
    opened(server)
    post(server, "open", {"currency": "EUR", "float": 5000, "drawer": "bar"}, 201)
    sold_at(server, "at-main", 300, "main")
    sold_at(server, "at-bar", 700, "bar")
    for drawer, total in (("bar", 5700), ("main", 15300)):
        post(server, "count", {"total": total, "drawer": drawer}, 200)
        post(server, "close", {"drawer": drawer}, 200)
    post(server, "open", {"currency": "EUR", "float": 5700, "drawer": "bar"}, 201)


def test_an_address_shows_the_same_report_on_each_device(office, server, browser):
    two_closed(server)
    visit(office, server)
    office.locator("#drawer").select_option("bar")
    expect(office.locator("#done")).to_contain_text("at the drawer bar", timeout=WAIT)
    other = browser.new_page(viewport={"width": 390, "height": 800})
    faults = followed(other)
    server.sign_in(other)
    for page in (office, other):
        for drawer, title, net in (("bar", "Z report 0001 · bar", "€7.00"), ("main", "Z report 0001", "€10.00")):
            visit(page, server, f"/day?drawer={drawer}&report=1")
            expect(page.locator("#report-title")).to_have_text(title, timeout=WAIT)
            expect(page.locator("#tiles .tile").first).to_contain_text(net)
            # What is saved is what is shown, whatever the device is at by then.
            href = page.locator("#csv").get_attribute("href")
            assert href == f"/v1/day/reports/1.csv?drawer={drawer}"
            name = f"day-report-{'bar-' if drawer == 'bar' else ''}1.csv"
            saved = server.request("GET", href)
            assert saved.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    # Without a name it is the device's, and the address says so from then on.
    for page, drawer, title in ((office, "bar", "Z report 0001 · bar"), (other, "main", "Z report 0001")):
        visit(page, server, "/day?report=1")
        expect(page.locator("#report-title")).to_have_text(title, timeout=WAIT)
        assert page.url == f"{server.url}/day?drawer={drawer}&report=1"
    # The device at the bar is there still.
    visit(office, server)
    expect(office.locator("#expected-sum")).to_have_text("€57.00", timeout=WAIT)
    expect(office.locator("#drawer")).to_have_value("bar")
    assert not faults, faults
    other.close()


def test_another_drawers_reports_are_read_without_moving_there(page, server, shoot):
    """By somebody who may read reports and touch no drawer, on a device at the first one."""
    faults = followed(page)
    staff = Staff(server).shop()
    assert staff.roles("set", "looks", "--permissions", "sell,totals").code == 0
    staff.add("Rita", "looks", PIN)
    time.sleep(0.6)  # a running counter hears of them within half a second
    two_closed(server)
    page.goto(server.start_url())
    page.get_by_role("radio", name="Rita").check(timeout=STILL)
    page.get_by_label("PIN", exact=True).fill(PIN)
    page.get_by_label("PIN", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text("Rita", timeout=STILL)
    visit(page, server, "/day?view=reports")
    drawer = page.locator("#read-drawer")
    expect(drawer).to_have_value("main", timeout=WAIT)
    expect(page.locator("#reports tr")).to_contain_text("€10.00", timeout=WAIT)
    expect(page.locator("#to-x")).to_be_hidden()
    drawer.focus()
    drawer.select_option("bar")
    focused(page, drawer)
    expect(page.locator("#reports tr")).to_have_count(1)
    expect(page.locator("#reports tr")).to_contain_text("€7.00", timeout=WAIT)
    assert page.url == server.url + "/day?drawer=bar&view=reports"
    axe(page)
    shoot("reports_bar")
    page.get_by_role("link", name="Z 0001").click()
    expect(page.locator("#report-title")).to_have_text("Z report 0001 · bar", timeout=WAIT)
    assert page.url == server.url + "/day?drawer=bar&report=1"
    page.get_by_role("link", name="Z reports").click()
    expect(drawer).to_have_value("bar", timeout=WAIT)
    page.get_by_role("link", name="X report").click()
    expect(page.locator("#report-title")).to_have_text("X report · bar", timeout=WAIT)
    axe(page)
    # The first drawer has no X before it has a day.
    expect(page.locator("#of-read")).to_be_hidden()
    opened(server, 15300)
    expect(drawer).to_have_value("bar", timeout=WAIT)
    drawer.select_option("main")
    expect(page.locator("#report-title")).to_have_text("X report", timeout=WAIT)
    page.go_back()
    expect(page.locator("#report-title")).to_have_text("X report · bar", timeout=WAIT)
    page.reload()
    expect(page.locator("#report-title")).to_have_text("X report · bar", timeout=WAIT)
    # This device is where it was.
    visit(page, server)
    expect(page.locator("#expected-sum")).to_have_text("€153.00", timeout=WAIT)
    assert page.evaluate("localStorage.getItem('till.drawer')") is None
    assert not faults, faults
