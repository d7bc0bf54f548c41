"""The lists beside a sale show what happens elsewhere by themselves, and no row moves under a hand; the tabs of one
browser share what they hear it from."""
import re

import pytest
from playwright.sync_api import expect
from seen import axe

import counter
from clerk import WAIT

# Longer than the page takes to show something that happened elsewhere.
SHOWN_MS = 4_000


@pytest.fixture
def latency():
    return "0ms"


def sold(server, name, units=1000):
    made = server.create(name, name, units)
    assert made.status_code == 201, made.text
    paid = server.confirm(made.json()["id"], name + "-c", {"type": "cash", "tendered": units})
    assert paid.status_code == 200, paid.text
    return paid.json()


def book(server, number, minor=4830):
    lines = [{"name": "Field guide", "quantity": 1, "amount": minor}]
    made = server.request("POST", "/v1/orders", {
        "order_id": number, "currency": "EUR", "amount": minor, "lines": lines, "customer": {"name": "Hanna Vogel"}})
    assert made.status_code == 201, made.text
    return made.json()


def pay(server, order, units, key):
    made = server.request("POST", f"/v1/orders/{order['id']}/payments", {"amount": units}, key)
    assert made.status_code == 201, made.text
    paid = server.confirm(made.json()["id"], key + "-c", {"type": "cash", "tendered": units})
    assert paid.json()["status"] == "succeeded", paid.text


def rows(page):
    return page.locator("#rows tr")


def place(locator):
    """Where it stands in the page, whatever is scrolled."""
    return locator.evaluate("(one) => one.getBoundingClientRect().top + scrollY")


def away(page):
    page.locator("#sale-title").hover()


@pytest.fixture
def tills(browser, server):
    """Two tills at one counter, each with a session of its own."""
    faults, both = [], []
    for _ in range(2):
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
        server.sign_in(page)
        both.append(page)
    yield both
    for page in both:
        page.context.close()
    assert not faults, faults


def test_what_another_till_sells_and_refunds_appears_by_itself(tills, server):
    one, other = tills
    sold(server, "Before")
    for page in tills:
        expect(rows(page)).to_have_count(1, timeout=WAIT)
    one.get_by_role("radio", name="Cash").check()
    one.get_by_label("Amount", exact=True).fill("12.50")
    one.get_by_label("Order number").fill("Counter-1")
    one.locator("#charge").click()
    expect(one.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    expect(rows(other)).to_have_count(2, timeout=WAIT)
    expect(rows(other).first).to_contain_text("Counter-1")
    expect(rows(other).first).to_contain_text("Paid")
    # A row that is there is brought up to date, and stays the same.
    other.evaluate("document.querySelector('#rows tr').isKept = true")
    payment = rows(other).first.locator("a").get_attribute("href").lstrip("#")
    refunded = server.request("POST", f"/v1/payments/{payment}/refunds", {"amount": 250}, "back")
    assert refunded.status_code == 201, refunded.text
    expect(rows(other).first).to_contain_text("Partly refunded", timeout=WAIT)
    assert other.evaluate("document.querySelector('#rows tr').isKept") is True
    # So does the payment that is shown.
    expect(one.locator("#headline")).to_have_text("Partly refunded", timeout=WAIT)


def test_what_happens_between_reading_and_listening_appears(page, server):
    server.sign_in(page)
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)
    held = []
    page.route("**/events", lambda route: held.append(route))
    page.reload()
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)
    for _ in range(WAIT // 50):
        if len(held) == 2:
            break
        page.wait_for_timeout(50)
    assert len(held) == 2, held
    sold(server, "Between")
    book(server, "W-1")
    for route in held:
        route.continue_()
    expect(rows(page).get_by_role("link", name="Between")).to_be_visible(timeout=WAIT)
    expect(page.get_by_text("W-1")).to_be_visible(timeout=WAIT)


def test_an_order_of_elsewhere_appears_and_leaves_once_it_is_paid(tills, server):
    page = tills[0]
    expect(page.locator("#open-orders")).to_be_hidden()
    order = book(server, "4711")
    expect(page.get_by_role("button", name="Select order 4711, 48.30 EUR")).to_be_visible(timeout=WAIT)
    pay(server, order, 2000, "part")
    expect(page.get_by_role("button", name="Select order 4711, 28.30 EUR")).to_be_visible(timeout=WAIT)
    pay(server, order, 2830, "rest")
    expect(page.locator("#open-orders")).to_be_hidden(timeout=WAIT)


def test_no_row_moves_under_a_hand_at_the_mouse(clerk, server):
    page = clerk.page
    sold(server, "First")
    expect(rows(page)).to_have_count(1, timeout=WAIT)
    first = rows(page).first.locator("a")
    first.hover()
    before = place(first)
    sold(server, "Second")
    news = page.locator("#latest-news")
    expect(news).to_have_text("1 new", timeout=WAIT)
    expect(rows(page)).to_have_count(1)
    book(server, "4712")
    page.wait_for_timeout(SHOWN_MS)
    # An order's list would move this one; the last part of a pixel is the browser's.
    assert abs(place(first) - before) < 1
    axe(page)
    away(page)
    expect(rows(page)).to_have_count(2, timeout=WAIT)
    expect(news).to_be_hidden()
    expect(page.locator("#open-orders")).to_be_visible()
    # Whoever does not want to wait presses the button.
    rows(page).first.hover()
    sold(server, "Third")
    expect(news).to_be_visible(timeout=WAIT)
    # By itself: the way of the pointer to the button leaves the rows, which shows the news, too.
    news.evaluate("(button) => button.click()")
    expect(rows(page)).to_have_count(3)
    expect(rows(page).first).to_contain_text("Third")
    expect(news).to_be_hidden()


def test_no_row_moves_under_a_hand_at_the_keyboard(clerk, server):
    page = clerk.page
    sold(server, "First")
    expect(rows(page)).to_have_count(1, timeout=WAIT)
    page.keyboard.press("Tab")
    rows(page).first.locator("a").focus()
    sold(server, "Second")
    expect(page.locator("#latest-news")).to_have_text("1 new", timeout=WAIT)
    page.wait_for_timeout(SHOWN_MS)
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first.locator("a")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.locator("#latest-news")).to_be_focused()
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(2)
    expect(rows(page).first.locator("a")).to_be_focused()


def test_an_order_that_was_paid_elsewhere_is_not_selected_though_it_still_stands_there(clerk, server):
    page = clerk.page
    order = book(server, "4713")
    select = page.get_by_role("button", name="Select order 4713")
    expect(select).to_be_visible(timeout=WAIT)
    page.locator("#open-orders-list li").hover()
    pay(server, order, 4830, "all")
    expect(select).to_be_disabled(timeout=WAIT)
    away(page)
    expect(page.locator("#open-orders")).to_be_hidden(timeout=WAIT)


def test_what_happens_while_the_line_is_lost_appears_without_anything_being_done(clerk, server):
    page = clerk.page
    sold(server, "Before")
    expect(rows(page)).to_have_count(1, timeout=WAIT)
    server.kill()
    expect(page.locator("#offline")).to_be_visible(timeout=WAIT)
    server.start()
    sold(server, "Meanwhile")
    expect(rows(page)).to_have_count(2, timeout=WAIT)
    # The stream goes on after it, too.
    sold(server, "After")
    expect(rows(page)).to_have_count(3, timeout=WAIT)
    expect(rows(page).first).to_contain_text("After")


# ---- Many tabs of one browser

STREAM = "/v1/events"
STREAMS = (STREAM, "/v1/orders/events")
# What a browser opens to one host.
CONNECTIONS = 6
WITHOUT_LOCKS = "delete Navigator.prototype.locks"
WITHOUT_CHANNELS = WITHOUT_LOCKS + "; delete globalThis.BroadcastChannel"
# A tab that has the turn, or says so: more often than others ask, and with the smallest number.
CLAIMS = """() => {
  const turn = new BroadcastChannel("till.stream:/v1/events:turn");
  const claim = () => turn.postMessage({ word: "has", from: "" });
  claim();
  globalThis.claims = setInterval(claim, 200);
}"""
SLEEPS = """() => {
  navigator.locks.request("till.stream:/v1/events", () => new Promise(() => {})).catch(() => {});
}"""


class Tabs:
    """A browser with its tabs, and which streams of events they have asked for."""

    def __init__(self, browser, server):
        self.server, self.faults, self.streams, self.all = server, [], [], []
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.context.on("request", self.note)
        # Streams of either kind that have been asked for and have not ended.
        self.reading = []
        self.context.on("requestfinished", self.ended)
        self.context.on("requestfailed", self.ended)

    def note(self, request):
        if request.url.endswith(STREAM):
            self.streams.append(request.headers.get("last-event-id"))
        if request.url.endswith(STREAMS):
            self.reading.append(request)

    def ended(self, request):
        if request in self.reading:
            self.reading.remove(request)

    def read_now(self):
        """The streams that are read; a page that is closed does not say that it reads no more."""
        return [request for request in self.reading if not request.frame.page.is_closed()]

    def reads(self, *paths):
        """Whether these streams are read, each once, after a while at the most."""
        def now():
            self.all[0].wait_for_timeout(100)
            return sorted(request.url.removeprefix(self.server.url) for request in self.read_now()) == sorted(paths)

        return counter.until(now)

    def open(self, path):
        """Opens a tab; the first one signs in, which opens the page of a sale."""
        if self.all:
            return self.open_beside(path)
        page = self.new()
        self.server.sign_in(page)
        return self.known(page, path)

    def open_beside(self, path):
        """Opens a tab of a browser that is signed in."""
        page = self.new()
        page.goto(self.server.url + path)
        return self.known(page, path)

    def new(self):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        return page

    def known(self, page, path):
        page.kind = path
        shown = page.locator("#till" if path == "/" else "#count", has_text=re.compile("payments", re.I))
        expect(shown).to_be_visible(timeout=WAIT)
        self.all.append(page)
        return page

    def see(self, name, new):
        """Every tab shows a payment: as a row beside the sale, or as one of so many new ones."""
        for page in self.all:
            page.bring_to_front()
            if page.kind == "/":
                expect(page.locator("#rows").get_by_role("link", name=name)).to_be_visible(timeout=WAIT)
            else:
                expect(page.locator("#news")).to_have_text(f"{new} new", timeout=WAIT)


@pytest.fixture
def tabs(browser, server):
    tabs = Tabs(browser, server)
    yield tabs
    tabs.context.close()
    assert not tabs.faults, tabs.faults


def sell_cash(page, order):
    page.bring_to_front()
    page.get_by_role("radio", name="Cash").check()
    page.get_by_label("Amount", exact=True).fill("12.50")
    page.get_by_label("Order number").fill(order)
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)


def test_ten_tabs_hear_of_every_sale_from_one_stream_and_another_takes_over(tabs, server):
    for path in ["/", "/payments"] * 5:
        tabs.open(path)
    tabs.all[0].wait_for_timeout(1_000)
    sell_cash(tabs.all[4], "Tab-1")
    tabs.see("Tab-1", 1)
    assert tabs.streams == [None]
    # The first tab reads. What is sold while nobody does is not lost.
    tabs.all.pop(0).close()
    sold(server, "Between")
    tabs.see("Between", 2)
    sell_cash(tabs.all[5], "Tab-2")
    tabs.see("Tab-2", 3)
    assert len(tabs.streams) == 2 and tabs.streams[1].isdigit(), tabs.streams


def test_more_tabs_than_connections_work_without_locks_as_on_an_address_without_tls(tabs, server):
    tabs.context.add_init_script(WITHOUT_LOCKS)
    for _ in range(CONNECTIONS):
        tabs.open("/")
    assert tabs.reads(*STREAMS), tabs.reading
    sold(server, "Elsewhere")
    tabs.see("Elsewhere", 1)
    # What a tab asks beside it is answered, and a sale can be made.
    asked = tabs.all[0].evaluate(
        "fetch('/v1/payments', { headers: { 'X-Till-Page': '1' } }).then((answer) => answer.status)")
    assert asked == 200
    sell_cash(tabs.all[-1], "Last-tab")
    tabs.see("Last-tab", 2)
    # The tabs that read are closed, whichever they are, and what is sold meanwhile is not lost.
    for name in ("One-less", "Two-less"):
        readers = {request.frame.page for request in tabs.read_now()}
        assert readers
        for page in readers:
            tabs.all.remove(page)
            page.close()
        sold(server, name)
        tabs.see(name, 0)
        assert tabs.reads(*STREAMS), tabs.reading


def test_of_two_tabs_that_read_one_gives_way_and_comes_back_when_the_other_is_silent(tabs, server):
    tabs.context.add_init_script(WITHOUT_LOCKS)
    other = tabs.open("/")
    other.goto(server.url + "/docs")
    tabs.all.clear()
    tabs.reading.clear()
    tabs.streams.clear()
    page = tabs.open_beside("/payments")
    assert tabs.reads(STREAM), tabs.reading
    page.wait_for_timeout(1_000)
    # It was the first, and has waited for nobody: it has missed nothing.
    expect(page.locator("#news")).to_be_hidden()
    sold(server, "Before")
    expect(page.locator("#news")).to_have_text("1 new", timeout=WAIT)
    other.evaluate(CLAIMS)
    assert tabs.reads(), tabs.reading
    # For longer than it waits until it asks again.
    page.wait_for_timeout(6_000)
    assert tabs.read_now() == []
    sold(server, "Between")
    # It is closed without a word, as one that crashed.
    other.evaluate("clearInterval(globalThis.claims)")
    assert tabs.reads(STREAM), tabs.reading
    assert tabs.streams[0] is None and tabs.streams[1].isdigit(), tabs.streams
    expect(page.locator("#news")).to_have_text("2 new", timeout=WAIT)


def test_tabs_without_channels_read_for_themselves(tabs, server):
    tabs.context.add_init_script(WITHOUT_CHANNELS)
    for path in ("/", "/payments"):
        tabs.open(path)
    tabs.all[0].wait_for_timeout(1_000)
    sold(server, "Alone")
    tabs.see("Alone", 1)
    assert len(tabs.streams) == 2


def test_a_tab_that_sleeps_with_the_lock_is_not_waited_for(tabs, server):
    sleeper = tabs.open("/")
    sleeper.goto(server.url + "/docs")
    sleeper.evaluate(SLEEPS)
    tabs.all.clear()
    page = tabs.context.new_page()
    page.clock.install()
    page.goto(server.url + "/payments")
    expect(page.locator("#count")).to_have_text("0 payments", timeout=WAIT)
    before = len(tabs.streams)
    page.wait_for_timeout(SHOWN_MS)
    assert len(tabs.streams) == before
    page.clock.fast_forward(70_000)
    assert counter.until(lambda: page.wait_for_timeout(100) or len(tabs.streams) > before)
    sold(server, "Awake")
    # What was sold before the stream has begun may have been missed, which is said instead.
    expect(page.locator("#news")).to_have_text(re.compile("^(1 new|Refresh)$"), timeout=WAIT)
