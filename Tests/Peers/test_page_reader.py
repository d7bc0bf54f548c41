"""What a cashier sees of a card reader: every state of it on the counter's page in Chromium, each with its words and
its picture, in light and dark, at a till's width and at a phone's; and on the command line. The reader is the
sandbox's; what happens at it is chosen with the card. Screenshots go to TILL_SCREENSHOTS (default: the test's folder).
"""
import os
import pathlib
import re

import pytest
from playwright.sync_api import expect
from seen import axe

import counter
from clerk import WAIT, payments

# The text of a card, and what is shown on the way, in order: the headline and the pictures beside it. What a reader
# says before the page listens is not repeated, so nothing is asked of the first prompt.
INSERT_OR_TAP = ("Waiting for the card", "insert tap")
INSERTED = ("Card inserted", "leave")
REMOVE = ("Remove the card", "remove")
SALES = {
    "visa": [INSERTED, REMOVE],
    "visa+tap": [("Card read", "")],
    "visa+misread": [("Try again", "retry"), INSERT_OR_TAP, INSERTED, REMOVE],
    "visa+tap+insert": [("Waiting for the card", "insert"), INSERTED, REMOVE],
    "visa+check_phone": [("Check the phone", "phone"), ("Waiting for the card", "tap"), ("Card read", "")],
    "visa+pin": [("At the reader", ""), INSERTED],
    # What follows 100 percent comes at once, so that a look at the reader may find it already.
    "visa+update": [
        ("Updating the reader: 60 %", "updating"), ("Updating the reader: 80 %", "updating"), INSERT_OR_TAP],
    "visa+reconnect": [("Connecting the reader again", "reconnecting"), INSERT_OR_TAP],
}
# Nothing of these stands for longer than a look at the page takes.
SHORT = {"visa", "visa+tap"}
GONE = {"bluetooth_signal_lost": "Bring it nearer", "powered_off": "Turn it on"}

# Every pair of headline and pictures that was on the screen, from before the first.
WATCH = """() => {
  window.shown = [];
  const look = () => {
    const now = [document.getElementById("headline").textContent, document.getElementById("pictures").dataset.names];
    const last = window.shown.at(-1);
    if (!last || last[0] !== now[0] || last[1] !== now[1]) window.shown.push(now);
  };
  look();
  new MutationObserver(look).observe(document.getElementById("result"),
    { subtree: true, childList: true, characterData: true, attributes: true });
}"""


WAS_SHOWN = "([headline, pictures]) => window.shown.some((one) => one[0] === headline && one[1] === pictures)"


@pytest.fixture
def shoot(page, tmp_path):
    """Keeps a picture of a state, in light and dark."""
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)

    def take(name, schemes=("light",)):
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
            page.screenshot(path=folder / f"reader_{name}_{page.viewport_size['width']}_{scheme}.png")

    return take


def sell(clerk, card, amount="12.50"):
    clerk.page.get_by_role("radio", name="Card reader").check()
    clerk.page.get_by_label(re.compile("^simulated reader", re.I)).select_option(card)
    clerk.amount.fill(amount)
    clerk.charge.first.click()


def follows(shown, wanted):
    """The wanted states were shown in this order, whatever was between them."""
    rest = iter(shown)
    return all(any(tuple(one) == want for one in rest) for want in wanted)


@pytest.mark.parametrize("card", SALES)
def test_each_state_of_a_reader_has_its_words_and_its_picture(clerk, shoot, card):
    page = clerk.page
    page.evaluate(WATCH)
    sell(clerk, card)
    if card not in SHORT:
        # Kept by the page, because a state may be over before a look at it from here.
        page.wait_for_function(WAS_SHOWN, arg=SALES[card][0], timeout=WAIT)
        shoot(re.sub(r"\W", "_", card))
    expect(page.locator("#headline")).to_have_text(re.compile("^Paid"), timeout=WAIT)
    shown = page.evaluate("window.shown")
    assert follows(shown, SALES[card]), str(shown)
    # What is shown of a reader is over with the sale, and no money was moved twice.
    expect(page.locator("#pictures")).to_be_empty()
    [payment] = payments(clerk.server)
    assert payment["status"] in counter.PAID
    assert counter.CARD not in page.content()
    assert clerk.faults == []


def test_a_low_battery_is_said_beside_the_sale_that_goes_on(clerk, shoot):
    battery = clerk.page.locator("#reader-battery")
    sell(clerk, "visa+low_battery")
    expect(battery).to_have_text("The reader's battery is low. Charge it.", timeout=WAIT)
    expect(battery.locator("svg")).to_be_visible()
    expect(clerk.page.locator("#headline")).to_have_text(re.compile("^Paid"), timeout=WAIT)
    shoot("low_battery", ("light", "dark"))
    axe(clerk.page)
    # The next sale begins without it.
    clerk.page.get_by_role("button", name="Next sale").click()
    sell(clerk, "visa")
    expect(battery).to_be_hidden(timeout=WAIT)
    expect(clerk.page.locator("#headline")).to_have_text(re.compile("^Paid"), timeout=WAIT)


@pytest.mark.parametrize("reason", GONE)
def test_a_reader_that_goes_away_says_what_to_do_and_takes_nothing(clerk, shoot, reason):
    page = clerk.page
    page.evaluate(WATCH)
    sell(clerk, "disconnected:" + reason)
    expect(page.locator("#alert")).to_contain_text(GONE[reason], timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("No money moved")
    expect(page.get_by_role("log")).to_contain_text(GONE[reason])
    assert ["Reader disconnected", "disconnected"] in page.evaluate("window.shown"), page.evaluate("window.shown")
    shoot("disconnected_" + reason)
    [payment] = payments(clerk.server)
    assert payment["status"] in counter.UNPAID
    # The same payment is paid once the reader is back.
    sell(clerk, "visa")
    expect(page.locator("#headline")).to_have_text(re.compile("^Paid"), timeout=WAIT)
    assert len(payments(clerk.server)) == 1


SAID = [
    ("insert_or_tap", {"type": "waiting_for_input", "message": "Insert or tap the card.", "input": ["insert", "tap"]}),
    ("insert", {"type": "waiting_for_input", "message": "Insert the card.", "input": ["insert"]}),
    ("tap", {"type": "waiting_for_input", "message": "Tap the card.", "input": ["tap"]}),
    ("swipe", {"type": "waiting_for_input", "message": "Swipe the card.", "input": ["swipe"]}),
    ("leave", {"type": "card_inserted", "message": "Leave the card in the reader.", "input": ["insert"]}),
    ("remove", {"type": "remove_card", "message": "Remove the card."}),
    ("retry", {"type": "read_retry", "message": "The card was not read. Try again."}),
    ("phone", {"type": "check_phone", "message": "The customer must look at the phone."}),
    ("updating", {"type": "updating", "message": "The reader is being updated. Leave it on.", "percent": 40}),
    ("reconnecting", {"type": "reconnecting", "message": "It is being connected again."}),
    ("disconnected", {"type": "disconnected", "message": "Turn it on and connect it again."}),
    ("low_battery", {"type": "low_battery", "message": "The reader's battery is low. Charge it."}),
]


def are_square(pictures):
    sizes = pictures.evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map((box) => [box.width, box.height])")
    return sizes and all(width == height >= 24 for width, height in sizes)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_pictures_are_drawn_in_light_and_dark(clerk, shoot, width):
    """The states one after the other while a sale is under way, so that each stands still for its pictures."""
    page = clerk.page
    page.route("**/confirm", lambda route: None)  # never answered
    sell(clerk, "visa")
    expect(page.locator("#headline")).to_have_text("Processing", timeout=WAIT)
    for name, news in SAID:
        page.evaluate("news => document.dispatchEvent(new CustomEvent('till:reader', { detail: news }))", news)
        beside = page.locator("#reader-battery" if name == "low_battery" else "#result")
        expect(beside).to_contain_text(news["message"])
        # The page draws again as the sale's own events come: the pictures are waited for, not looked at once, and one
        # that is replaced between two looks has no size.
        expect(beside.locator("svg").first).to_be_visible(timeout=WAIT)
        drawn = beside.locator("svg")
        assert counter.until(lambda drawn=drawn: are_square(drawn)), name
        beside.scroll_into_view_if_needed()
        shoot("picture_" + name, ("light", "dark"))
    axe(page)
    assert clerk.faults == []


def test_the_command_line_says_the_same(tmp_path):
    journal = ["--journal", tmp_path / "journal.db"]
    sale = ["sale", "--amount", "12.50", "--currency", "EUR", "--reader", "simulated", "--card"]
    for card, words in (
            ("visa+misread", ["Insert or tap the card.", "The card was not read. Try again.", "Leave the card",
                              "Remove the card.", "The card was removed."]),
            ("visa+tap+insert", ["Insert the card."]), ("visa+check_phone", ["look at the phone"]),
            ("visa+low_battery", ["battery is low"]),
            ("visa+reconnect", ["is being connected again", "is connected again"]),
            ("visa+update", [f"Leave it on. {percent} %" for percent in (0, 20, 40, 60, 80, 100)])):
        answer = counter.till(*sale, card, *journal)
        assert answer.code == 0, answer
        place = 0
        for text in words:
            place = answer.err.index(text, place)
        assert counter.CARD not in answer.out + answer.err
    gone = counter.till(*sale, "disconnected:powered_off", *journal)
    assert gone.code == 1 and "Turn it on" in gone.err and "No money moved" in gone.err, gone
    wrong = counter.till(*sale, "visa+sing", *journal)
    assert wrong.code in (1, 64) and "+misread" in wrong.err, wrong


def test_an_unknown_card_is_refused_before_the_reader_wakes(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as server:
        payment = server.create("o-1", "k-1").json()
        tender = {"type": "reader", "reader": "simulated", "card": "visa+sing"}
        answer = server.confirm(payment["id"], "k-2", tender)
        assert answer.status_code in (409, 422) and answer.json()["money_moved"] == "no", answer.text
        assert server.request("GET", f"/v1/payments/{payment['id']}").json()["attempts"] == []
