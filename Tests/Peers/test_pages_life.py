"""The pages among others: two tablets at one payment and one drawer, and a till that is killed and comes back while a
page is open or a sale is under way."""
import pytest
from playwright.sync_api import expect

import counter
from clerk import WAIT, Counter, payments
from deaths import charges_of
from faults import fail

FLOAT = 15_000


@pytest.fixture
def latency():
    return "0ms"


def follow(page, faults):
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)


@pytest.fixture
def tablets(browser, server):
    """Two devices, each with a session of its own."""
    faults, both = [], []
    for _ in range(2):
        page = browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True).new_page()
        follow(page, faults)
        server.sign_in(page)
        both.append(page)
    yield both
    for page in both:
        page.context.close()
    assert not faults, faults


@pytest.fixture
def office(page, server):
    faults = []
    follow(page, faults)
    server.sign_in(page)
    yield page
    assert not faults, faults


def sold(server, name, units, tender=None):
    made = server.create(name, name, units)
    assert made.status_code == 201, made.text
    paid = server.confirm(made.json()["id"], name + "-c", tender or {"type": "cash", "tendered": units})
    assert paid.status_code == 200, paid.text
    return paid.json()


def shown(server, payment):
    return server.request("GET", f"/v1/payments/{payment['id']}").json()


def refunds(server, payment):
    return [one["amount"] for one in shown(server, payment)["refunds"]]


def standing(server):
    answer = server.request("GET", "/v1/day")
    assert answer.status_code == 200, answer.text
    return answer.json()


def money(minor):
    return f"€{minor / 100:,.2f}"


# ---- Two tablets


def ask_refund(page, amount):
    page.get_by_role("button", name="Refund…").tap(timeout=WAIT)
    page.get_by_label("Amount", exact=True).fill(amount)
    page.get_by_role("button", name="Review").tap()
    expect(page.locator("#review-send")).to_be_enabled(timeout=WAIT)


def both_show(tablets, selector, text):
    for page in tablets:
        expect(page.locator(selector)).to_have_text(text, timeout=WAIT)


def see_payment(tablets, server, payment):
    for page in tablets:
        page.goto(f"{server.url}/payments/{payment['id']}")
        expect(page.locator("#timeline li").first).to_be_visible(timeout=WAIT)
        expect(page.locator("#live")).to_have_text("Live", timeout=WAIT)


def test_two_tablets_refund_one_payment_once(tablets, server):
    one, other = tablets
    payment = sold(server, "Once", 6000, counter.CARD_TENDER)
    see_payment(tablets, server, payment)
    for page in tablets:
        ask_refund(page, "60")
        expect(page.locator("#review-send")).to_have_text("Refund €60.00")
    one.locator("#review-send").tap()
    both_show(tablets, "#figure", "€0.00")
    # Whoever agreed to what was so before sends nothing.
    other.locator("#review-send").tap()
    expect(other.locator("#alert")).to_contain_text("changed elsewhere", timeout=WAIT)
    both_show(tablets, "#meta .badge", "Refunded")
    for page in tablets:
        expect(page.get_by_role("button", name="Refund…")).to_be_hidden()
    assert refunds(server, payment) == [6000]


def test_a_review_at_one_tablet_is_stale_once_another_has_refunded(tablets, server):
    one, other = tablets
    payment = sold(server, "Stale", 6000, counter.CARD_TENDER)
    see_payment(tablets, server, payment)
    ask_refund(other, "20")
    ask_refund(one, "10")
    one.locator("#review-send").tap()
    both_show(tablets, "#figure", "€50.00")
    other.locator("#review-send").tap()
    expect(other.locator("#review-changed")).to_contain_text("changed elsewhere", timeout=WAIT)
    expect(other.locator("#now-words")).to_have_text("Kept €50.00, refunded €10.00")
    expect(other.locator("#after-words")).to_have_text("Kept €30.00, refunded €30.00")
    assert refunds(server, payment) == [1000]
    # Agreed to once more, as it stands now.
    expect(other.locator("#review-send")).to_be_enabled(timeout=WAIT)
    other.locator("#review-send").tap()
    both_show(tablets, "#figure", "€30.00")
    assert refunds(server, payment) == [1000, 2000]


# At the counter: how a payment is captured, the field of an amount, and the button that asks.
QUESTIONS = {
    "refund": ("automatic", "#refund-amount", "#refund-form button[type=submit]"),
    "capture": ("manual", "#capture-amount", "#capture-form button[type=submit]"),
    "release": ("manual", None, "#cancel"),
}


def agree(page, field, button):
    """Asks for something, up to the press that sends it."""
    if field:
        page.locator(field).fill("20")
    page.locator(button).tap(timeout=WAIT)
    expect(page.locator("#review-send")).to_be_enabled(timeout=WAIT)


def posts(page):
    """What the page asks the till to do to payments."""
    sent = []
    page.on("request", lambda one: sent.append(one.url)
            if one.method == "POST" and "/v1/payments/" in one.url else None)
    return sent


def open_at_the_counter(page, server, payment):
    page.goto("about:blank")
    page.goto(f"{server.url}/#{payment['id']}")
    expect(page.locator("#facts")).to_contain_text(payment["id"], timeout=WAIT)


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_what_was_agreed_to_at_the_counter_is_not_sent_once_another_tablet_was_there(tablets, server, name):
    (one, other), (capture, field, button) = tablets, QUESTIONS[name]
    made = server.create("Counter", "counter", 6000, capture=capture)
    payment = server.confirm(made.json()["id"], "counter-c", counter.CARD_TENDER).json()
    one.goto(f"{server.url}/payments/{payment['id']}")
    open_at_the_counter(other, server, payment)
    sent = posts(other)
    agree(other, field, button)
    if name == "refund":
        ask_refund(one, "10")
        one.locator("#review-send").tap()
        expect(one.locator("#figure")).to_have_text("€50.00", timeout=WAIT)
    else:
        done = server.request("POST", f"/v1/payments/{payment['id']}/capture", {"amount": 1000}, "elsewhere")
        assert done.status_code == 200, done.text
    before = [shown(server, payment)[sum] for sum in ("captured", "refunded")]
    other.locator("#review-send").tap()
    expect(other.locator("#alert")).to_contain_text("changed elsewhere", timeout=WAIT)
    assert sent == []
    assert [shown(server, payment)[sum] for sum in ("captured", "refunded")] == before
    if name != "refund":
        return
    # Agreed to once more, as it stands now.
    expect(other.locator(field)).to_have_value("50.00", timeout=WAIT)
    agree(other, field, button)
    other.locator("#review-send").tap()
    expect(one.locator("#figure")).to_have_text("€30.00", timeout=WAIT)
    assert refunds(server, payment) == [1000, 2000] and len(sent) == 1


def test_a_sale_that_another_tablet_has_charged_meanwhile_is_not_canceled(tablets, server):
    _, other = tablets
    payment = server.create("Unpaid", "unpaid", 6000, capture="manual").json()
    open_at_the_counter(other, server, payment)
    sent, late, are_held = posts(other), [], [True]
    expect(other.locator("#drop")).to_be_enabled(timeout=WAIT)
    # What it hears of that comes late.
    other.route("**/v1/payments/pay_*", lambda route: late.append(route) if are_held else route.continue_())
    assert server.confirm(payment["id"], "unpaid-c", counter.CARD_TENDER).json()["held"] == 6000
    other.locator("#drop").tap()
    are_held.clear()
    for route in late:
        route.continue_()
    expect(other.locator("#alert")).to_contain_text("changed elsewhere", timeout=WAIT)
    assert sent == [] and shown(server, payment)["held"] == 6000


def test_what_the_till_cannot_say_anew_at_the_counter_is_not_sent(tablets, server):
    _, other = tablets
    payment = sold(server, "Unread", 6000, counter.CARD_TENDER)
    open_at_the_counter(other, server, payment)
    sent = posts(other)
    agree(other, *QUESTIONS["refund"][1:])
    other.route("**/v1/payments/pay_*", lambda route: route.abort(), times=1)
    other.locator("#review-send").tap()
    expect(other.locator("#alert")).to_contain_text("Nothing was sent", timeout=WAIT)
    assert sent == [] and refunds(server, payment) == []


def count_float(page, pieces):
    page.get_by_label("€50", exact=True).fill(str(pieces))
    expect(page.locator("#submit-count")).to_be_enabled(timeout=WAIT)


def enter_cash(page, name, amount, reason):
    page.get_by_role("button", name=name).tap(timeout=WAIT)
    page.locator("#cash-amount").fill(amount)
    page.locator("#cash-reason").fill(reason)
    page.locator("#cash-send").tap()


def test_two_tablets_open_one_drawer_once_and_see_what_the_other_does(tablets, server):
    one, other = tablets
    for page, pieces in ((one, 3), (other, 4)):
        page.goto(server.url + "/day")
        expect(page.locator("#count-title")).to_have_text("Count the float", timeout=WAIT)
        count_float(page, pieces)
    # The other one hears nothing until it has opened the drawer as well.
    other.route("**/v1/day", lambda route: route.abort())
    one.locator("#submit-count").tap()
    expect(one.locator("#expected-sum")).to_have_text(money(FLOAT), timeout=WAIT)
    other.locator("#submit-count").tap()
    expect(other.locator("#alert")).to_contain_text("open already", timeout=WAIT)
    assert standing(server)["session"]["float"] == FLOAT
    other.unroute("**/v1/day")
    both_show(tablets, "#expected-sum", money(FLOAT))
    enter_cash(one, "Pay in", "10", "Coins of the safe")
    enter_cash(other, "Pay out", "4", "Stamps")
    both_show(tablets, "#expected-sum", money(FLOAT + 600))
    sold(server, "Beside", 1200)
    both_show(tablets, "#expected-sum", money(FLOAT + 1800))
    for page in tablets:
        for reason in ("Coins of the safe", "Stamps"):
            expect(page.locator("#rows tr", has_text=reason)).to_have_count(1, timeout=WAIT)
    assert sorted(entry["amount"] for entry in standing(server)["session"]["cash"]) == [400, 1000]


# ---- A till that is killed


def is_live(page):
    expect(page.locator("#live")).to_have_text("Live", timeout=WAIT)


def is_off(page):
    expect(page.locator("#live")).to_have_text("Offline", timeout=WAIT)


class CounterPage:
    path = "/"

    def lost(self, page):
        expect(page.locator("#offline")).to_contain_text("Offline since", timeout=WAIT)
        expect(page.locator("#charge")).to_be_disabled()

    def back(self, page, server):
        expect(page.locator("#offline")).to_be_hidden(timeout=WAIT)
        expect(page.locator("#charge")).to_be_enabled(timeout=WAIT)
        # By itself, also what was sold before its stream was there again.
        expect(page.get_by_role("link", name="Meanwhile")).to_be_visible(timeout=WAIT)


class PaymentsPage:
    path = "/payments"

    def lost(self, page):
        is_off(page)

    def back(self, page, server):
        is_live(page)
        page.locator("#news").click(timeout=WAIT)
        expect(page.get_by_role("link", name="Meanwhile")).to_be_visible(timeout=WAIT)


class PaymentPage:
    path = "/payments/{id}"

    def lost(self, page):
        is_off(page)
        expect(page.locator("#unread")).to_contain_text("cannot be reached", timeout=WAIT)

    def back(self, page, server):
        is_live(page)
        expect(page.locator("#meta .badge")).to_have_text("Refunded", timeout=WAIT)
        expect(page.locator("#unread")).to_be_hidden(timeout=WAIT)


class DayPage:
    path = "/day"

    def lost(self, page):
        expect(page.locator("#offline")).to_contain_text("cannot be reached", timeout=WAIT)

    def back(self, page, server):
        expect(page.locator("#offline")).to_be_hidden(timeout=WAIT)
        expect(page.locator("#expected-sum")).to_have_text(
            money(standing(server)["session"]["expected"]), timeout=WAIT)


class InsightsPage:
    path = "/insights"

    def lost(self, page):
        is_off(page)

    def back(self, page, server):
        is_live(page)
        expect(page.locator("#news")).to_contain_text("changed since", timeout=WAIT)
        page.locator("#again").click()
        expect(page.locator("#tiles .tile").first).to_contain_text("€17.00", timeout=WAIT)


class SettingsPage:
    path = "/settings"

    def lost(self, page):
        is_off(page)

    def back(self, page, server):
        is_live(page)
        page.get_by_role("link", name="Open Readers").click(timeout=WAIT)
        expect(page.locator("#title")).to_have_text("Readers", timeout=WAIT)


class KitchenPage:
    path = "/kitchen"

    def lost(self, page):
        expect(page.locator("#state")).to_contain_text("No connection", timeout=WAIT)

    def back(self, page, server):
        expect(page.locator("#state")).to_have_text("Up to date", timeout=WAIT)


# What shows that a page is there.
READY = {
    CounterPage: "#rows tr", PaymentsPage: "#rows tr[data-id]", PaymentPage: "#timeline li", DayPage: "#rows tr",
    InsightsPage: "#tiles .tile", SettingsPage: "#body .button", KitchenPage: "#none",
}


@pytest.mark.parametrize("kind", list(READY), ids=lambda kind: kind.__name__)
def test_a_killed_till_is_said_on_each_page_which_catches_up_by_itself(office, server, kind):
    page, one = office, kind()
    opened = server.request("POST", "/v1/day/open", {"currency": "EUR", "float": FLOAT})
    assert opened.status_code == 201, opened.text
    payment = sold(server, "Before", 1000)
    page.goto(server.url + kind.path.format(id=payment["id"]))
    expect(page.locator(READY[kind]).first).to_be_visible(timeout=WAIT)
    if kind is not KitchenPage:
        is_live(page)
    server.kill()
    one.lost(page)
    server.start()
    # What happens before the page has found the till again is in no stream of its.
    sold(server, "Meanwhile", 700)
    back = server.request("POST", f"/v1/payments/{payment['id']}/refunds", {}, "back")
    assert back.status_code == 201, back.text
    one.back(page, server)


def test_a_sale_under_way_is_charged_once_though_the_till_is_killed(page, tmp_path, sandbox):
    fail(sandbox, "authorize", "timeoutAfterCommit")
    with counter.Server(tmp_path, *sandbox.flags) as server:
        clerk = Counter(page, server).open()
        clerk.fill("12.50", counter.CARD, "life-1")
        page.locator("#charge").click()
        assert counter.until(lambda: any(one["authorized"] for one in charges_of(sandbox, "life-1")))
        server.kill()
        expect(page.locator("#offline")).to_be_visible(timeout=WAIT)
        expect(page.locator("#charge")).to_be_disabled()
        server.start()
        expect(page.locator("#headline")).to_have_text("Paid", timeout=2 * WAIT)
        expect(page.locator("#offline")).to_be_hidden(timeout=WAIT)
        expect(page.locator("#charge")).to_be_enabled(timeout=WAIT)
        assert [one["captured"] for one in payments(server)] == [1250]
        assert [one["captured"] for one in charges_of(sandbox, "life-1")] == [1250]
        assert not clerk.faults, clerk.faults


def test_a_sale_that_the_till_has_not_heard_of_is_recorded_once(page, tmp_path, sandbox):
    """The till dies before it has heard of the sale: what was asked for waits for it under one key."""
    with counter.Server(tmp_path, *sandbox.flags) as server:
        clerk = Counter(page, server).open()
        page.get_by_role("radio", name="Cash").check()
        clerk.amount.fill("8.00")

        def die(route):
            server.kill()
            route.continue_()

        page.route("**/v1/payments", die, times=1)
        page.locator("#charge").click()
        expect(page.locator("#headline")).to_contain_text("Outcome unknown", timeout=WAIT)
        server.start()
        expect(page.locator("#headline")).to_have_text("Paid", timeout=2 * WAIT)
        assert [one["captured"] for one in payments(server)] == [800]
        assert not clerk.faults, clerk.faults
