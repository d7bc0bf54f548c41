"""Lists of many payments: an old one is found and refunded on a phone in few steps, and thousands in the journal
make neither the page nor what it asks for any larger."""
import concurrent.futures
import http.client
import json
import os

import pytest
from playwright.sync_api import expect

from clerk import WAIT

ROWS = "#rows tr[data-id]"
PAGE = 50
# The most rows in the page.
MOST_ROWS = 1_000
# More than a page ever shows; make prove fills the journal with 10,000.
MANY = int(os.environ.get("TILL_MANY_PAYMENTS", "1500"))
AT_ONCE = 8
# What somebody does from the counter's page until the money is on its way.
MOST_ACTIONS = 14
WATCH = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
}).observe({ type: "longtask", buffered: true });
"""


@pytest.fixture
def latency():
    return "0ms"


def fill(server, count, finish=None):
    """Makes payments as fast as one program can, each over a connection that is kept."""
    def some(first):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def post(path, body, key):
            connection.request("POST", path, json.dumps(body), {
                "Authorization": "Bearer " + server.api_key, "Content-Type": "application/json",
                "Idempotency-Key": key})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status in (200, 201), text
            return json.loads(text)

        for number in range(first, count, AT_ONCE):
            made = post("/v1/payments", {
                "order_id": f"Many-{number:05}", "amount": 500 + number, "currency": "EUR"}, f"many-{number}")
            if finish:
                post(f"/v1/payments/{made['id']}/confirm", {"tender": finish}, f"many-{number}-c")
        connection.close()

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(some, range(AT_ONCE)))


class Fingers:
    """Somebody with a touch screen, whose every action counts."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def tap(self, target):
        self.actions += 1
        target.tap(timeout=WAIT)

    def type(self, target, text):
        self.actions += 2  # into the field, and the text
        target.tap(timeout=WAIT)
        target.fill(text)


@pytest.fixture
def phone(browser, server):
    faults = []
    page = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True).new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    server.sign_in(page)
    yield Fingers(page)
    page.context.close()
    assert not faults, faults


@pytest.mark.parametrize("way", ["older", "search"])
def test_an_old_payment_of_two_hundred_is_refunded_on_a_phone_in_few_actions(phone, server, way):
    page = phone.page
    fill(server, 200, finish={"type": "cash"})
    newest = server.request("GET", "/v1/payments?limit=100").json()
    older = server.request("GET", f"/v1/payments?limit=100&before={newest['next']}").json()
    wanted = (newest["payments"] + older["payments"])[149]
    phone.tap(page.locator(".rail").get_by_role("link", name="Payments"))
    expect(page.locator(ROWS)).to_have_count(PAGE, timeout=WAIT)
    if way == "older":
        for pages in (2, 3):
            phone.tap(page.locator("#older"))
            expect(page.locator(ROWS)).to_have_count(pages * PAGE, timeout=WAIT)
    else:
        phone.type(page.locator("#q"), f"{wanted['amount'] // 100}.{wanted['amount'] % 100:02}")
        expect(page.locator(ROWS)).to_have_count(1, timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.tap(page.locator(f"tr[data-id='{wanted['id']}']").get_by_role("link"))
    phone.tap(page.get_by_role("button", name="Refund…"))
    phone.tap(page.get_by_role("button", name="Review"))
    phone.tap(page.locator("#review-send"))
    expect(page.locator("#meta .badge")).to_have_text("Refunded", timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.actions <= MOST_ACTIONS, phone.actions
    refunded = server.request("GET", "/v1/payments?status=refunded").json()["payments"]
    assert [(one["id"], one["refunded"]) for one in refunded] == [(wanted["id"], wanted["captured"])]


def test_very_many_payments_are_shown_by_pages_that_stay_small(page, server, record_property):
    faults, asked = [], []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url) if "/v1/payments?" in request.url else None)
    page.add_init_script(WATCH)
    fill(server, MANY)
    server.sign_in(page)
    asked.clear()
    page.goto(server.url + "/payments")
    rows, older = page.locator(ROWS), page.locator("#older")
    expect(rows).to_have_count(PAGE, timeout=WAIT)
    asked[:] = [url for url in asked if f"limit={PAGE}" in url]
    assert len(asked) == 1, asked
    page.evaluate("document.querySelector('#rows tr[data-id]').isKept = true")
    for shown in range(2 * PAGE, MOST_ROWS + 1, PAGE):
        older.click(timeout=WAIT)
        expect(rows).to_have_count(shown, timeout=WAIT)
    # No more than there is room for; one request for each page, and no row is made twice.
    expect(older).to_be_hidden(timeout=WAIT)
    expect(page.locator("#examined")).to_contain_text(f"The newest {MOST_ROWS} are shown")
    page.mouse.move(600, 400)
    for _ in range(40):
        page.mouse.wheel(0, -2_000)
    for _ in range(40):
        page.mouse.wheel(0, 2_000)
    assert page.evaluate("document.querySelector('#rows tr[data-id]').isKept") is True
    assert len(asked) == MOST_ROWS // PAGE and all(f"limit={PAGE}" in url for url in asked), asked
    assert rows.count() == MOST_ROWS
    # A heading for each day, of which there are no more than two.
    assert page.locator("#rows tr").count() <= MOST_ROWS + 2
    assert page.evaluate("document.querySelectorAll('#rows *').length") <= 25 * MOST_ROWS
    record_property("longest task of the page, in ms", page.evaluate("Math.round(window.longest)"))
    # The first of all, whose page is two hundred pages away.
    asked.clear()
    page.locator("#q").fill("Many-00003")
    expect(rows).to_have_count(1, timeout=WAIT)
    expect(rows.first).to_contain_text("Many-00003")
    expect(page.locator("#found")).not_to_have_attribute("aria-busy", "true", timeout=WAIT)
    assert 1 <= len(asked) <= 3, asked
    assert not faults, faults
