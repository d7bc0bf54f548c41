"""A whole day at the counter's page, as those who work at the till have it: by keyboard alone on a wide screen, and by
touch alone on a phone. Sales by cash and by card, one declined at first, one parked, one order paid in parts, one
sale given back, two people in turn, and at the end a count that matches and its Z."""
import os
import re

import pytest
from playwright.sync_api import expect
from staff import PINS, Staff

from clerk import WAIT

STILL = 60_000  # a PIN is slow to check on purpose
# A multiple of three; make prove sells sixty.
SALES = int(os.environ.get("TILL_DAY_SALES", "24"))
FLOAT = 15_000
# Slower than a scanner, whose burst is no amount.
KEY_MS = 90
# The page has fewer places for the focus.
MOST_STEPS = 120
HAS_FOCUS = "one => one === document.activeElement"
REST = 2_830


@pytest.fixture
def latency():
    return "0ms"


class Keys:
    """Somebody with a keyboard and nothing else."""

    def __init__(self, page):
        self.page = page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text, delay=KEY_MS)

    def go_to(self, target, key="Tab", start="F2"):
        """Moves the focus, from the search on."""
        if start:
            self.press(start)
        for _ in range(MOST_STEPS):
            if target.evaluate(HAS_FOCUS):
                return
            self.press(key)
        raise AssertionError(f"the keyboard does not reach {target}")

    def use(self, target):
        expect(target).to_be_enabled(timeout=WAIT)
        self.go_to(target)
        self.press("Enter")

    def use_in_dialog(self, target):
        expect(target).to_be_enabled(timeout=WAIT)
        self.go_to(target, start=None)
        self.press("Enter")

    def visit(self, name):
        self.go_to(self.page.locator(".rail").get_by_role("link", name=name), "Shift+Tab")
        self.press("Enter")

    def enter(self, name):
        wanted = self.page.get_by_role("radio", name=name)
        expect(self.page.locator("#person-form :focus")).to_have_count(1, timeout=STILL)
        for _ in range(5):
            if self.page.evaluate("document.activeElement.name === 'person'"):
                break
            self.press("Shift+Tab")
        for _ in range(5):
            if wanted.is_checked():
                break
            self.press("ArrowDown")
        assert wanted.is_checked(), f"the keyboard does not choose {name}"
        self.press("Tab")
        expect(self.page.locator("#pin")).to_be_focused(timeout=WAIT)
        self.page.keyboard.type(PINS[name])
        self.press("Enter")

    def amount(self, digits):
        self.type(digits)

    def tender(self, value):
        self.press({"cash": "c", "reader": "r"}[value])

    def simulate(self, value):
        choice = self.page.locator("#simulated")
        self.go_to(choice)
        self.press("Home")
        for _ in range(30):
            if choice.input_value() == value:
                break
            self.press("ArrowDown")
        assert choice.input_value() == value
        self.press("Escape")

    def charge(self):
        self.press("F9")

    def another(self):
        self.press("Escape")

    def park(self):
        self.press("F4")

    def show_parked(self):
        self.press("F4")

    def choose_order(self, number):
        self.press("F2")
        self.type("Vogel")
        self.press("Enter")
        expect(self.page.get_by_role("region", name="Results").get_by_role("button", name=number)).to_be_focused(
            timeout=WAIT)
        self.press("Enter")

    def type_sum(self, text):
        self.go_to(self.page.get_by_label("Enter the sum instead"))
        self.press("Space")
        expect(self.page.locator("#typed-sum")).to_be_focused(timeout=WAIT)
        self.page.keyboard.type(text)
        expect(self.page.locator("#submit-count")).to_be_enabled(timeout=WAIT)
        self.press("Enter")
        expect(self.page.locator("#submit-count")).to_be_focused(timeout=WAIT)
        self.press("Enter")


class Fingers:
    """Somebody with a touch screen and nothing else."""

    def __init__(self, page):
        self.page = page

    def use(self, target):
        target.tap(timeout=WAIT)

    use_in_dialog = use

    def visit(self, name):
        self.use(self.page.locator(".rail").get_by_role("link", name=name))

    def enter(self, name):
        self.use(self.page.locator("#person-names label", has_text=name))
        pad = self.page.get_by_role("group", name="Digits")
        for digit in PINS[name]:
            self.use(pad.get_by_role("button", name=digit, exact=True))
        self.use(self.page.get_by_role("button", name="Enter", exact=True))

    def amount(self, digits):
        keypad = self.page.get_by_role("group", name="Keypad")
        for digit in digits:
            self.use(keypad.get_by_role("button", name=digit, exact=True))

    def tender(self, value):
        self.use(self.page.locator(f"label.choice:has(input[value={value}])"))

    def simulate(self, value):
        # The list that opens is the telephone's own.
        self.page.locator("#simulated").select_option(value, timeout=WAIT)

    def charge(self):
        self.use(self.page.locator("#charge"))

    def another(self):
        self.use(self.page.locator("#another"))

    def park(self):
        self.use(self.page.locator("#park"))

    def show_parked(self):
        self.use(self.page.locator("#parked-open"))

    def choose_order(self, number):
        self.use(self.page.get_by_role("button", name=f"Select order {number}"))

    def type_sum(self, text):
        self.use(self.page.locator("label.check", has_text="Enter the sum instead"))
        self.page.locator("#typed-sum").fill(text, timeout=WAIT)
        self.use(self.page.locator("#submit-count"))


@pytest.fixture(params=["keyboard", "touch"])
def hands(request, browser, server):
    Staff(server).shop()
    is_touch = request.param == "touch"
    context = browser.new_context(viewport={"width": 390 if is_touch else 1280, "height": 800}, has_touch=is_touch)
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    yield Fingers(page) if is_touch else Keys(page)
    context.close()
    assert not faults, faults


class Day:
    """What was done at the till so far, and what the drawer must hold."""

    def __init__(self, hands):
        self.hands, self.page, self.taken = hands, hands.page, []

    @property
    def drawer(self):
        return FLOAT + sum(minor for tender, minor in self.taken if tender == "cash")

    def says(self, headline):
        expect(self.page.locator("#headline")).to_have_text(headline, timeout=WAIT)
        expect(self.page.locator("#another")).to_be_visible(timeout=WAIT)

    def enter_amount(self, minor):
        self.hands.amount(str(minor))
        expect(self.page.locator("#amount")).to_have_value(f"{minor // 100}.{minor % 100:02}", timeout=WAIT)

    def choose(self, tender):
        self.hands.tender(tender)
        expect(self.page.locator(f"input[name=tender][value={tender}]")).to_be_checked(timeout=WAIT)

    def pay(self, tender, minor):
        self.choose(tender)
        self.hands.charge()
        self.says("Paid")
        self.taken.append((tender, minor))

    def sell(self, tender, minor):
        self.enter_amount(minor)
        self.pay(tender, minor)
        self.go_on()

    def go_on(self):
        self.hands.another()
        expect(self.page.locator("#now")).to_have_attribute("data-ground", "idle", timeout=WAIT)

    def sell_many(self, count):
        for _ in range(count):
            number = len(self.taken)
            self.sell("reader" if number % 2 else "cash", 305 + 45 * number)

    def switch_to(self, name):
        self.hands.use(self.page.locator("#lock"))
        self.let_in(name)

    def let_in(self, name):
        expect(self.page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT)
        self.hands.enter(name)
        expect(self.page.locator("#who")).to_contain_text(name, timeout=STILL)

    def visit_day(self):
        self.hands.visit("Day")
        expect(self.page.locator("#about")).to_contain_text("Drawer", timeout=WAIT)


def money(minor):
    return f"€{minor / 100:,.2f}"


def decline_first(day, minor):
    """The card is declined, and the same sale is paid in cash."""
    day.enter_amount(minor)
    day.choose("reader")
    day.hands.simulate("declined:insufficient_funds")
    day.hands.charge()
    day.says("Declined")
    day.pay("cash", minor)
    day.go_on()
    day.choose("reader")
    day.hands.simulate("visa")


def park_and_resume(day, minor):
    """A customer has forgotten the purse; another one is served meanwhile."""
    day.enter_amount(minor)
    day.hands.park()
    expect(day.page.locator("#amount")).to_have_value("", timeout=WAIT)
    day.sell("cash", 910)
    day.hands.show_parked()
    dialog = day.page.get_by_role("dialog", name="Parked sales")
    day.hands.use_in_dialog(dialog.get_by_role("button", name=re.compile("^Resume ")))
    expect(dialog).to_be_hidden(timeout=WAIT)
    expect(day.page.locator("#amount")).to_have_value(f"{minor // 100}.{minor % 100:02}", timeout=WAIT)
    day.pay("reader", minor)
    day.go_on()


def split(day, number):
    """Two guests pay one order."""
    day.hands.choose_order(number)
    expect(day.page.locator("#chosen-words")).to_contain_text(f"Order {number}", timeout=WAIT)
    day.enter_amount(2000)
    day.pay("cash", 2000)
    day.go_on()
    rest = day.page.get_by_role("button", name=f"Select order {number}, 28.30 EUR")
    expect(rest).to_be_visible(timeout=WAIT)
    day.hands.choose_order(number)
    expect(day.page.locator("#amount")).to_have_value("28.30", timeout=WAIT)
    day.pay("reader", REST)
    day.go_on()


def give_back(day, minor):
    """A sale by card, of which all goes back."""
    day.enter_amount(minor)
    day.pay("reader", minor)
    day.hands.use(day.page.get_by_role("button", name=re.compile("^Refund…$")))
    day.hands.use_in_dialog(day.page.locator("#review-send"))
    day.says("Refunded")
    day.hands.use(day.page.get_by_role("button", name="Next sale"))
    expect(day.page.locator("#now")).to_have_attribute("data-ground", "idle", timeout=WAIT)


def test_a_whole_day_at_the_till(hands, server):
    page, day = hands.page, Day(hands)
    booked = server.request("POST", "/v1/orders", {
        "order_id": "4711", "currency": "EUR", "amount": 4830, "customer": {"name": "Hanna Vogel"},
        "lines": [{"name": "Field guide", "quantity": 1, "amount": 4830}]})
    assert booked.status_code == 201, booked.text
    page.goto(server.start_url())
    day.let_in("Mona")
    day.visit_day()
    hands.type_sum("150")
    expect(page.locator("#expected-sum")).to_have_text(money(FLOAT), timeout=WAIT)
    hands.visit("Sell")
    expect(page.locator("#amount")).to_be_visible(timeout=WAIT)
    expect(page.locator("#who")).to_contain_text("Mona", timeout=STILL)

    day.switch_to("Carl")
    day.sell_many(SALES // 3)
    decline_first(day, 1290)
    park_and_resume(day, 7420)
    split(day, "4711")
    day.sell_many(SALES // 3)
    day.switch_to("Mona")
    give_back(day, 1980)
    day.sell_many(SALES - len(day.taken))

    day.visit_day()
    expect(page.locator("#expected-sum")).to_have_text(money(day.drawer), timeout=WAIT)
    hands.use(page.locator("#to-count"))
    expect(page.locator("#count-title")).to_have_text("Count the drawer", timeout=WAIT)
    hands.type_sum(f"{day.drawer // 100}.{day.drawer % 100:02}")
    expect(page.locator("#difference")).to_have_text("€0.00", timeout=WAIT)
    hands.use(page.locator("#close"))
    hands.use_in_dialog(page.locator("#really-close"))
    expect(page.locator("#report-title")).to_have_text("Z report 0001", timeout=WAIT)

    sold = server.request("GET", "/v1/payments?limit=100").json()["payments"]
    assert len(sold) == len(day.taken) == SALES
    assert sorted((one["tender"]["type"], one["captured"]) for one in sold) == sorted(day.taken)
    assert [one["refunded"] for one in sold if one["refunded"]] == [1980]
    tried = [server.request("GET", f"/v1/payments/{one['id']}").json()["attempts"] for one in sold]
    declined = [attempts for attempts in tried if "declined" in [one["status"] for one in attempts]]
    assert [len(attempts) for attempts in declined] == [2]
    z = server.request("GET", "/v1/day").json()["last"]
    assert (z["number"], z["session"]["difference"], z["left"]) == (1, 0, day.drawer)
    assert z["sales"]["net"] == sum(minor for _, minor in day.taken) - 1980
