"""The page of one payment: where its money is, what happened to it, and what is done with it, always in two steps."""
import re

import pytest
from playwright.sync_api import expect
from seen import axe, pictures
from staff import PINS, Staff

import counter
from clerk import WAIT

STILL = 60_000  # a PIN is slow to check on purpose


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def office(page, server):
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    server.sign_in(page)
    yield page
    assert not faults, faults


@pytest.fixture
def shoot(page, tmp_path):
    return pictures(page, tmp_path, "payment", narrow=390)


def sold(server, name, units=6000, tender=None, **more):
    made = server.create(name, name, units, **more)
    assert made.status_code == 201, made.text
    paid = server.confirm(made.json()["id"], name + "-c", tender or counter.CARD_TENDER)
    assert paid.status_code == 200, paid.text
    return paid.json()


def shown(server, payment):
    return server.request("GET", f"/v1/payments/{payment['id']}").json()


def opened(page, server, payment):
    page.goto(f"{server.url}/payments/{payment['id']}")
    expect(page.locator("#timeline li").first).to_be_visible(timeout=WAIT)


def send(page, name):
    expect(page.locator("#review-send")).to_have_text(re.compile(name))
    page.locator("#review-send").click(timeout=WAIT)


def test_every_event_says_how_the_money_stood(server):
    payment = sold(server, "Events", capture="manual")
    server.request("POST", f"/v1/payments/{payment['id']}/capture", {"amount": 4830}, "c")
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 1250, "reason": "Cover"}, "r")
    events = shown(server, payment)["events"]
    stood = [(one["captured"], one["refunded"], one["held"]) for one in events]
    assert stood[0] == (0, 0, 0) and (0, 0, 6000) in stood and (4830, 0, 0) in stood and stood[-1] == (4830, 1250, 0)


def test_a_refund_is_reviewed_before_it_is_sent_and_the_page_shows_what_became_of_it(office, server, shoot):
    page, payment = office, sold(server, "10431")
    opened(page, server, payment)
    expect(page.locator("#figure")).to_have_text("€60.00")
    expect(page.locator("#meta")).to_contain_text("Visa")
    axe(page)
    shoot("paid")
    page.get_by_role("button", name="Refund…").click()
    page.get_by_label("Amount", exact=True).fill("70")
    page.keyboard.press("Enter")
    expect(page.locator("#amount-fault")).to_have_text("At most €60.00.")
    page.get_by_label("Amount", exact=True).fill("12,50")
    page.get_by_label("Reason").fill("Damaged cover")
    axe(page)
    page.keyboard.press("Enter")
    # The key that asked never sends: the focus is on the way back.
    expect(page.locator("#review-back")).to_be_focused()
    page.keyboard.press("Enter")
    assert shown(server, payment)["refunded"] == 0
    page.get_by_label("Amount", exact=True).fill("12.50")
    page.get_by_role("button", name="Review").click()
    axe(page)
    shoot("review")
    send(page, "Refund €12.50")
    expect(page.locator("#figure")).to_have_text("€47.50", timeout=WAIT)
    expect(page.locator("#meta .badge")).to_have_text("Partly refunded")
    expect(page.locator("#timeline li").first).to_contain_text("−€12.50")
    assert shown(server, payment)["refunded"] == 1250
    shoot("refunded")
    # What happens elsewhere comes by itself.
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {}, "rest")
    expect(page.locator("#meta .badge")).to_have_text("Refunded", timeout=WAIT)
    expect(page.get_by_role("button", name="Refund…")).to_be_hidden()


def test_a_hold_is_captured_in_part_or_released(office, server):
    page, payment = office, sold(server, "Held", capture="manual")
    opened(page, server, payment)
    expect(page.locator("#meta .badge")).to_have_text("Authorized")
    page.get_by_role("button", name="Capture…").click()
    page.get_by_label("Amount", exact=True).fill("48.30")
    page.get_by_role("button", name="Review").click()
    expect(page.locator("#review-words")).to_contain_text("€11.70 cannot be captured later")
    send(page, "Capture €48.30, release €11.70")
    expect(page.locator("#figure")).to_have_text("€48.30", timeout=WAIT)
    expect(page.locator("#where-list")).to_contain_text("Released, never charged")
    assert shown(server, payment)["captured"] == 4830
    other = sold(server, "Letgo", capture="manual")
    opened(page, server, other)
    page.get_by_role("button", name="Release…").click()
    send(page, "Release €60.00")
    expect(page.locator("#meta .badge")).to_have_text("Canceled", timeout=WAIT)
    assert shown(server, other)["held"] == 0


def test_a_lost_answer_refunds_once_also_after_a_reload(office, server):
    page, payment = office, sold(server, "Lost")
    opened(page, server, payment)
    lost = []

    def lose(route):
        lost.append(route.fetch().status)
        route.abort()

    page.route("**/refunds", lose, times=1)
    page.get_by_role("button", name="Refund…").click()
    page.get_by_label("Amount", exact=True).fill("10")
    page.get_by_role("button", name="Review").click()
    send(page, "Refund €10.00")
    expect(page.locator("#figure")).to_have_text("€50.00", timeout=WAIT)
    assert lost == [201] and shown(server, payment)["refunded"] == 1000
    page.route("**/refunds", lambda route: route.abort())
    page.get_by_role("button", name="Refund…").click()
    page.get_by_label("Amount", exact=True).fill("5")
    page.get_by_role("button", name="Review").click()
    send(page, "Refund €5.00")
    expect(page.locator("#alert")).to_contain_text("nothing is done twice", timeout=WAIT)
    page.unroute("**/refunds")
    page.reload()
    expect(page.locator("#figure")).to_have_text("€45.00", timeout=WAIT)
    assert [one["amount"] for one in shown(server, payment)["refunds"]] == [1000, 500]


def test_a_payment_that_there_is_not_is_said(office, server):
    page = office
    page.goto(server.url + "/payments/pay_01jb0000000000000000000000")
    expect(page.locator("#alert")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("button", name="Refund…")).to_be_hidden()


def test_somebody_else_approves_a_refund_beyond_the_limit(page, server):
    Staff(server).shop()
    payment = sold(server, "Approval", 2000)
    page.goto(server.start_url())
    page.get_by_role("radio", name="Carl").check(timeout=STILL)
    page.get_by_label("PIN", exact=True).fill(PINS["Carl"])
    page.get_by_label("PIN", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text("Carl", timeout=STILL)
    opened(page, server, payment)
    expect(page.locator("#who")).to_contain_text("Carl", timeout=STILL)
    page.get_by_role("button", name="Refund…").click()
    page.get_by_role("button", name="Review").click()
    send(page, "Refund €20.00")
    expect(page.locator("#approval")).to_be_visible(timeout=STILL)
    page.get_by_label("Who approves").select_option(label="Mona")
    page.get_by_label("Their PIN").fill(PINS["Mona"])
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#meta .badge")).to_have_text("Refunded", timeout=STILL)
    expect(page.locator("#details")).to_contain_text("Mona")


def test_whoever_is_not_signed_in_comes_back_to_the_payment(page, server):
    payment = sold(server, "Back")
    page.goto(f"{server.url}/payments/{payment['id']}")
    expect(page.locator("#session")).to_be_visible(timeout=WAIT)
    page.get_by_label("API key").fill(counter.API_KEY)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/payments/{payment['id']}$"), timeout=WAIT)
    expect(page.locator("#figure")).to_have_text("€60.00", timeout=WAIT)

