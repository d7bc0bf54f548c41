"""The page of one payment: where its money is, what happened to it, and what is done with it, always in two steps."""
import base64
import json
import re
import shutil
import subprocess

import pytest
import requests
from playwright.sync_api import expect
from seen import axe, pictures
from staff import PINS, Staff

import counter
from clerk import WAIT
from mail_server import CUSTOMER, Post, serve, settings
from printers import PaperPrinter

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


def ask_refund(page, amount):
    page.get_by_role("button", name="Refund…").click()
    page.get_by_label("Amount", exact=True).fill(amount)
    page.get_by_role("button", name="Review").click()


def test_every_event_says_how_the_money_stood(server):
    payment = sold(server, "Events", capture="manual")
    server.request("POST", f"/v1/payments/{payment['id']}/capture", {"amount": 4830}, "c")
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 1250, "reason": "Cover"}, "r")
    events = shown(server, payment)["events"]
    stood = [(one["captured"], one["refunded"], one["held"]) for one in events]
    assert stood[0] == (0, 0, 0) and (0, 0, 6000) in stood and (4830, 0, 0) in stood and stood[-1] == (4830, 1250, 0)


def test_a_note_is_kept_with_its_author_in_the_timeline(office, server):
    page, payment = office, sold(server, "10432")
    opened(page, server, payment)
    page.get_by_label("Note", exact=True).fill("Comes back for <b>4242 4242 4242 4242</b>")
    page.get_by_role("button", name="Add note").click()
    note = page.locator("#timeline li").first
    expect(note.locator("b").first).to_have_text("Note", timeout=WAIT)
    expect(note.locator(".said")).to_contain_text("Comes back for <b>")
    expect(page.locator("#note")).to_have_value("")
    expect(page.locator("#done[role=status]")).to_have_text("Note added.")
    axe(page)
    kept = shown(server, payment)["notes"]
    assert len(kept) == 1 and kept[0]["by"]["text"] and "4242 4242 4242" not in json.dumps(kept), kept
    # What happens later stands above it.
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 100}, "r-note")
    expect(page.locator("#timeline li").first).to_contain_text("Refunded", timeout=WAIT)
    expect(page.locator("#timeline li[data-note]")).to_have_count(1)
    # In the file there are no notes.
    assert "Comes back" not in server.request("GET", "/v1/payments.csv").text


def test_what_the_provider_answered_is_folded_at_its_step(office, server):
    page = office
    made = server.create("10433", "k-10433").json()
    declined = server.confirm(made["id"], "c-10433", {**counter.CARD_TENDER, "number": "4000000000000002"}).json()
    assert declined["status"] == "declined", declined
    decline = declined["attempts"][-1]["decline"]
    answer = [one["answer"] for one in shown(server, made)["events"] if one["type"] == "attempt.declined"][0]
    assert answer["reason"] == decline["reason"] and answer.get("code") == decline["code"], answer
    assert answer.get("request_id") == decline["request_id"]
    opened(page, server, made)
    step = page.locator("#timeline li", has_text="Declined.").first
    expect(step.locator("dd").first).to_be_hidden()
    step.locator("summary").press("Enter")
    expect(step.locator("dd").first).to_have_text(decline["reason"])
    axe(page)
    # It stays open when the page is drawn anew.
    page.get_by_label("Note", exact=True).fill("Asked the bank.")
    page.get_by_role("button", name="Add note").click()
    expect(page.locator("#timeline li[data-note]")).to_have_count(1, timeout=WAIT)
    expect(step.locator("dd").first).to_be_visible()


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
    # One word for it on every page.
    page.goto(server.url + "/")
    expect(page.locator("#rows tr", has_text="Held")).to_contain_text("Authorized", timeout=WAIT)
    page.goto(server.url + "/payments")
    expect(page.locator("#rows tr[data-id]")).to_contain_text("Authorized", timeout=WAIT)
    expect(page.locator("#views")).to_contain_text("Unsettled")
    opened(page, server, payment)
    expect(page.locator("#meta .badge")).to_have_text("Authorized")
    page.get_by_role("button", name="Capture…").click()
    expect(page.get_by_text("Up to €60.00 can be captured.")).to_be_visible()
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


def test_what_was_done_is_said_and_the_focus_is_not_lost(office, server):
    page, payment = office, sold(server, "Heard")
    opened(page, server, payment)
    done, refund = page.locator("#done[role=status]"), page.get_by_role("button", name="Refund…")
    expect(done).to_have_text("")
    why = {"code": "refused_by_test", "detail": "The bank wants to be called first.", "money_moved": "no"}
    page.route("**/refunds", lambda route: route.fulfill(
        status=409, content_type="application/problem+json", body=json.dumps(why)), times=1)
    ask_refund(page, "12.50")
    send(page, "Refund €12.50")
    expect(page.locator("#alert")).to_contain_text("called first", timeout=WAIT)
    expect(refund).to_be_focused(timeout=WAIT)
    expect(done).to_have_text("")
    ask_refund(page, "12.50")
    send(page, "Refund €12.50")
    expect(done).to_have_text("€12.50 refunded. €47.50 kept.", timeout=WAIT)
    # The button is there still: a keyboard goes on from it.
    expect(refund).to_be_focused(timeout=WAIT)
    axe(page)
    ask_refund(page, "47.50")
    send(page, "Refund €47.50")
    expect(done).to_have_text("€47.50 refunded. €0.00 kept.", timeout=WAIT)
    expect(refund).to_be_hidden()
    expect(done).to_be_focused(timeout=WAIT)
    axe(page)
    for action, amount, words in (("Capture", "48.30", "€48.30 captured. €48.30 kept."),
                                  ("Release", None, "€60.00 released. €0.00 kept.")):
        opened(page, server, sold(server, "Heard-" + action, capture="manual"))
        page.get_by_role("button", name=action + "…").click()
        if amount:
            page.get_by_label("Amount", exact=True).fill(amount)
            page.get_by_role("button", name="Review").click()
        send(page, action + " €")
        expect(done).to_have_text(words, timeout=WAIT)
        expect(done).to_be_focused(timeout=WAIT)


# A step that can be unfolded has the focus, and the identifier of the payment is selected.
IN_USE = """() => {
  window.step = document.querySelector("#timeline summary");
  window.step.focus();
  getSelection().selectAllChildren(document.querySelector("#details").lastElementChild);
}"""
STILL_IN_USE = "[document.activeElement === window.step, window.step.isConnected, getSelection().toString()]"


def test_what_happens_elsewhere_leaves_the_focus_and_the_selection_where_they_are(office, server):
    page = office
    made = server.create("10434", "k-10434").json()
    server.confirm(made["id"], "c-10434", {**counter.CARD_TENDER, "number": "4000000000000002"})
    opened(page, server, made)
    page.evaluate(IN_USE)
    assert page.evaluate(STILL_IN_USE) == [True, True, made["id"]]
    paid = server.confirm(made["id"], "c-10435", counter.CARD_TENDER)
    assert paid.json()["status"] == "succeeded", paid.text
    expect(page.locator("#meta .badge")).to_have_text("Paid", timeout=WAIT)
    expect(page.locator("#timeline li").first).to_contain_text("Captured.")
    assert page.evaluate(STILL_IN_USE) == [True, True, made["id"]]


def test_a_payment_that_is_asked_for_again_and_again_leaves_the_focus_alone(office, server):
    page = office
    made = server.create("10436", "k-10436").json()
    server.confirm(made["id"], "c-10436", {**counter.CARD_TENDER, "number": "4000000000000002"})
    read_as(page, shown(server, made), status="processing")
    opened(page, server, made)
    page.evaluate(IN_USE)
    for _ in range(2):
        with page.expect_response(f"**/v1/payments/{made['id']}", timeout=WAIT):
            pass
    page.wait_for_timeout(200)
    assert page.evaluate(STILL_IN_USE) == [True, True, made["id"]]


def posts(page):
    """What the page asks the till to do."""
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    return sent


def test_a_refund_agreed_to_on_a_stale_picture_is_not_sent_but_reviewed_anew(office, server, shoot):
    page, payment = office, sold(server, "Stale")
    opened(page, server, payment)
    sent = posts(page)
    ask_refund(page, "10")
    expect(page.locator("#after-words")).to_have_text("Kept €50.00, refunded €10.00")
    expect(page.locator("#review-changed")).to_be_hidden()
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 2000}, "elsewhere")
    send(page, "Refund €10.00")
    expect(page.locator("#review-changed")).to_contain_text("changed elsewhere", timeout=WAIT)
    expect(page.locator("#now-words")).to_have_text("Kept €40.00, refunded €20.00")
    expect(page.locator("#after-words")).to_have_text("Kept €30.00, refunded €30.00")
    expect(page.locator("#review-back")).to_be_focused()
    axe(page)
    shoot("changed")
    assert sent == [] and shown(server, payment)["refunded"] == 2000
    send(page, "Refund €10.00")
    expect(page.locator("#figure")).to_have_text("€30.00", timeout=WAIT)
    assert [one["amount"] for one in shown(server, payment)["refunds"]] == [2000, 1000]
    # What is not there any more is not asked for.
    ask_refund(page, "30")
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 500}, "more")
    send(page, "Refund €30.00")
    expect(page.locator("#alert")).to_contain_text("Nothing was sent", timeout=WAIT)
    expect(page.locator("#figure")).to_have_text("€25.00", timeout=WAIT)
    assert len(sent) == 1, sent


@pytest.mark.parametrize("action", ["Capture", "Release"])
def test_a_stale_hold_is_neither_captured_nor_released(office, server, action):
    page, payment = office, sold(server, "Stale" + action, capture="manual")
    opened(page, server, payment)
    sent = posts(page)
    page.get_by_role("button", name=action + "…").click()
    if action == "Capture":
        page.get_by_role("button", name="Review").click()
    server.request("POST", f"/v1/payments/{payment['id']}/capture", {"amount": 6000}, "elsewhere")
    send(page, action + " €60.00")
    expect(page.locator("#alert")).to_contain_text("changed elsewhere", timeout=WAIT)
    expect(page.locator("#figure")).to_have_text("€60.00", timeout=WAIT)
    assert sent == []


def read_as(page, payment, **members):
    """The page reads a payment of which something else is so."""
    answer = json.dumps({**payment, **members})
    page.route(f"**/v1/payments/{payment['id']}",
               lambda route: route.fulfill(content_type="application/json", body=answer))


def test_what_is_disputed_is_not_kept(office, server):
    page, payment = office, sold(server, "Disputed")
    payment = shown(server, payment)
    last = payment["events"][-1]
    taken = {**last, "type": "dispute.funds_withdrawn", "disputed": 2000}
    read_as(page, payment, disputed=2000, events=[*payment["events"], taken])
    opened(page, server, payment)
    expect(page.locator("#figure")).to_have_text("€40.00")
    expect(page.locator("#where-list")).to_contain_text("Disputed")
    for words in ("−€20.00", "kept €40.00"):
        expect(page.locator("#timeline li").first).to_contain_text(words)
    ask_refund(page, "10")
    expect(page.locator("#after-words")).to_have_text("Kept €30.00, refunded €10.00, disputed €20.00")


def test_the_release_of_a_rest_says_that_the_rest_is_not_charged(office, server):
    page, payment = office, sold(server, "Rest", capture="manual")
    payment = shown(server, payment)
    read_as(page, payment, captured=3000, disputed=1000, held=3000, status="partially_captured")
    opened(page, server, payment)
    page.get_by_role("button", name="Release…").click()
    expect(page.locator("#review-words")).to_have_text("The rest is not charged. It cannot be captured later.")
    expect(page.locator("#now-words")).to_have_text("Kept €20.00, disputed €10.00, held €30.00")
    expect(page.locator("#after-words")).to_have_text("Kept €20.00, disputed €10.00")
    widths = page.locator("#bar-after rect:not(.rim)").evaluate_all(
        "all => all.map((one) => one.getAttribute('width'))")
    # Kept, disputed with its hatch, and what is not charged: together the whole and no more.
    assert sum(float(one.rstrip("%")) for one in [widths[0], widths[1], widths[-1]]) == pytest.approx(100), widths


def test_what_cannot_be_read_anew_is_not_sent(office, server):
    page, payment = office, sold(server, "Unread")
    opened(page, server, payment)
    sent = posts(page)
    ask_refund(page, "10")
    page.route("**/v1/payments/pay_*", lambda route: route.abort())
    send(page, "Refund €10.00")
    expect(page.locator("#alert")).to_contain_text("Nothing was sent", timeout=WAIT)
    assert sent == [] and shown(server, payment)["refunded"] == 0


KEPT = "Object.keys(sessionStorage).filter((name) => name.startsWith('till.request:')).length"


def again(page):
    return page.get_by_role("dialog", name="Send this request again?")


def amounts(server, payment):
    return [one["amount"] for one in shown(server, payment)["refunds"]]


def test_a_lost_answer_refunds_once_also_after_a_reload(office, server):
    page, payment = office, sold(server, "Lost")
    opened(page, server, payment)
    lost = []

    def lose(route):
        lost.append(route.fetch().status)
        route.abort()

    page.route("**/refunds", lose, times=1)
    ask_refund(page, "10")
    send(page, "Refund €10.00")
    expect(page.locator("#figure")).to_have_text("€50.00", timeout=WAIT)
    assert lost == [201] and amounts(server, payment) == [1000]
    # The till has it, and no answer comes before the reload: then it is read without a question.
    page.route("**/refunds", lose)
    ask_refund(page, "5")
    send(page, "Refund €5.00")
    expect(page.locator("#alert")).to_contain_text("nothing is done twice", timeout=WAIT)
    # The page that is left must not finish it.
    page.route("**/refunds", lambda route: route.abort())
    page.reload()
    page.unroute("**/refunds")
    expect(page.locator("#figure")).to_have_text("€45.00", timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("was finished first", timeout=WAIT)
    expect(again(page)).to_be_hidden()
    assert amounts(server, payment) == [1000, 500] and page.evaluate(KEPT) == 0


@pytest.mark.parametrize("choice", ["Send it again", "Discard"])
def test_a_refund_that_never_arrived_is_not_sent_after_a_reload_unasked(office, server, shoot, choice):
    page, payment = office, sold(server, "Never")
    opened(page, server, payment)
    page.route("**/refunds", lambda route: route.abort())
    ask_refund(page, "5")
    send(page, "Refund €5.00")
    expect(page.locator("#alert")).to_contain_text("nothing is done twice", timeout=WAIT)
    # The route is there still: no try of before gets through.
    page.reload()
    expect(again(page)).to_be_visible(timeout=WAIT)
    page.unroute("**/refunds")
    sent = posts(page)
    for words in ("the till has no record of it", "Refund", "5.00 EUR"):
        expect(again(page)).to_contain_text(words)
    expect(again(page).get_by_role("button", name="Not now")).to_be_focused()
    axe(page)
    shoot("again")
    page.keyboard.press("Enter")
    expect(page.locator("#alert")).to_contain_text("It was not sent again", timeout=WAIT)
    assert sent == [] and amounts(server, payment) == [] and page.evaluate(KEPT) == 1
    page.reload()
    again(page).get_by_role("button", name=choice).click(timeout=WAIT)
    is_sent = choice == "Send it again"
    expect(page.locator("#alert")).to_contain_text("finished first" if is_sent else "nothing was sent", timeout=WAIT)
    expect(page.locator("#figure")).to_have_text("€55.00" if is_sent else "€60.00", timeout=WAIT)
    assert amounts(server, payment) == ([500] if is_sent else []) and page.evaluate(KEPT) == 0


def test_a_refund_without_an_answer_for_long_is_not_repeated_unasked(office, server):
    page, payment = office, sold(server, "Long")
    opened(page, server, payment)
    tried = []

    def lose(route):
        tried.append(route.request.url)
        route.abort()

    page.route("**/refunds", lose)
    ask_refund(page, "5")
    send(page, "Refund €5.00")
    # After fifteen seconds, and the pause that is under way then.
    expect(again(page)).to_be_visible(timeout=WAIT)
    assert len(tried) > 1, "it is repeated while somebody watches"
    page.unroute("**/refunds")
    page.wait_for_timeout(6_000)
    assert amounts(server, payment) == []
    again(page).get_by_role("button", name="Send it again").click()
    expect(page.locator("#figure")).to_have_text("€55.00", timeout=WAIT)
    assert amounts(server, payment) == [500] and page.evaluate(KEPT) == 0


def test_an_earlier_refund_is_not_sent_with_the_next_one_unasked(office, server):
    page, payment = office, sold(server, "Earlier")
    opened(page, server, payment)
    page.route("**/refunds", lambda route: route.abort())
    ask_refund(page, "5")
    send(page, "Refund €5.00")
    expect(page.locator("#alert")).to_contain_text("nothing is done twice", timeout=WAIT)
    page.reload()
    again(page).get_by_role("button", name="Not now").click(timeout=WAIT)
    page.unroute("**/refunds")
    ask_refund(page, "10")
    send(page, "Refund €10.00")
    again(page).get_by_role("button", name="Discard").click(timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("nothing was sent", timeout=WAIT)
    assert amounts(server, payment) == [] and page.evaluate(KEPT) == 0


def test_a_question_for_a_refund_that_is_refused_is_no_end_of_it(office, server):
    page, payment = office, sold(server, "Busy")
    opened(page, server, payment)
    page.route("**/refunds", lambda route: route.abort())
    why = {"code": "too_many_requests", "detail": "Ask later."}
    page.route(re.compile(r"\?request="), lambda route: route.fulfill(
        status=429, content_type="application/problem+json", body=json.dumps(why)))
    ask_refund(page, "5")
    send(page, "Refund €5.00")
    expect(page.locator("#alert")).to_contain_text("It was not sent again", timeout=WAIT)
    expect(again(page)).to_be_hidden()
    assert page.evaluate(KEPT) == 1 and amounts(server, payment) == []


# What the page read before another part of it finished the request.
OVERTAKEN = """async (path) => {
  const { keptRequests, resume } = await import("/calls.js");
  const slot = "till.request:" + path;
  sessionStorage.setItem(slot, JSON.stringify({ path, body: '{"amount":500}', key: "page-before", person: "" }));
  const [kept] = keptRequests();
  sessionStorage.removeItem(slot);
  return await resume(kept);
}"""


def test_a_refund_that_has_had_its_end_meanwhile_is_not_done_anew(office, server):
    page, payment = office, sold(server, "Overtaken")
    opened(page, server, payment)
    sent = posts(page)
    assert page.evaluate(OVERTAKEN, f"/v1/payments/{payment['id']}/refunds") is None
    assert sent == [] and amounts(server, payment) == [] and page.evaluate(KEPT) == 0


@pytest.mark.parametrize("lost", ["network", "counter"])
def test_what_moves_money_is_off_while_the_till_cannot_be_reached(office, server, lost):
    page = office
    paid, hold = sold(server, "Off"), sold(server, "Hold", capture="manual")
    for payment, names in ((paid, ["Refund…"]), (hold, ["Capture…", "Release…"])):
        opened(page, server, payment)
        for name in names:
            expect(page.get_by_role("button", name=name)).to_be_enabled()
        if lost == "network":
            page.context.set_offline(True)
        else:
            server.stop()
        for name in names:
            expect(page.get_by_role("button", name=name)).to_be_disabled(timeout=WAIT)
        expect(page.locator("#live")).to_have_text("Offline", timeout=WAIT)
        if lost == "network":
            page.context.set_offline(False)
        else:
            server.start()
        for name in names:
            expect(page.get_by_role("button", name=name)).to_be_enabled(timeout=WAIT)
        expect(page.locator("#live")).to_have_text("Live", timeout=WAIT)
    assert amounts(server, paid) == []


def test_a_payment_that_there_is_not_is_said(office, server):
    page = office
    page.goto(server.url + "/payments/pay_01jb0000000000000000000000")
    expect(page.locator("#unread")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("button", name="Refund…")).to_be_hidden()


def test_what_is_read_next_takes_no_warning_away(office, server, shoot):
    page, payment = office, sold(server, "Warned")
    opened(page, server, payment)
    why = {"code": "refused_by_test", "detail": "The bank wants to be called first.", "money_moved": "no"}
    page.route("**/refunds", lambda route: route.fulfill(
        status=409, content_type="application/problem+json", body=json.dumps(why)), times=1)
    ask_refund(page, "10")
    send(page, "Refund €10.00")
    expect(page.locator("#alert")).to_contain_text("The bank wants to be called first.", timeout=WAIT)
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 500}, "elsewhere")
    expect(page.locator("#figure")).to_have_text("€55.00", timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("The bank wants to be called first.")
    # A fault of reading stands beside it, and goes by itself.
    page.route("**/v1/payments/pay_*", lambda route: route.abort())
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 500}, "again")
    expect(page.locator("#unread")).to_contain_text("may be out of date", timeout=WAIT)
    shoot("two_alerts")
    page.unroute("**/v1/payments/pay_*")
    server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 500}, "third")
    expect(page.locator("#figure")).to_have_text("€45.00", timeout=WAIT)
    expect(page.locator("#unread")).to_be_hidden()
    expect(page.locator("#alert")).to_be_visible()
    ask_refund(page, "10")
    send(page, "Refund €10.00")
    expect(page.locator("#figure")).to_have_text("€35.00", timeout=WAIT)
    expect(page.locator("#alert")).to_be_hidden()


def test_an_error_leads_to_the_payment_that_it_names(office, server):
    page, payment, other = office, sold(server, "Refused"), sold(server, "Named", 4200)
    opened(page, server, payment)
    words = f"The order is paid by {other['id']}. Refund that."
    why = {"code": "refused_by_test", "detail": words, "money_moved": "no"}
    page.route("**/refunds", lambda route: route.fulfill(
        status=409, content_type="application/problem+json", body=json.dumps(why)), times=1)
    ask_refund(page, "10")
    send(page, "Refund €10.00")
    alert = page.locator("#alert")
    expect(alert).to_have_text(f"{words} No money moved.", timeout=WAIT)
    link = alert.get_by_role("link", name=other["id"])
    expect(link).to_have_attribute("href", "/payments/" + other["id"])
    # It is a word of the sentence, and not a column beside it.
    assert alert.evaluate("(element) => element.childNodes.length") == 1
    axe(page)
    link.click()
    page.wait_for_url(f"**/payments/{other['id']}", timeout=WAIT)
    expect(page.locator("#figure")).to_have_text("€42.00", timeout=WAIT)


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


# ---- Its receipt

ONLINE = "https://shop.example"


@pytest.fixture
def shop(tmp_path):
    """A counter with a printer and a mail server, whose receipts lead to the one online."""
    mail, printer = Post(), PaperPrinter()
    post = serve(mail)
    env = {**settings(post.port, security="none"), "TILL_RECEIPT_URL": ONLINE}
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms", "--trusted-proxies", "127.0.0.1",
                        env=env) as till:
        address = f"socket://127.0.0.1:{printer.port}"
        assert counter.till("printers", "add", "front", address, "--journal", till.journal).code == 0
        till.mail, till.printer = mail, printer
        till.payment = sold(till, "Receipt")
        yield till
    post.stop()


@pytest.fixture
def equipped(page, shop):
    """That counter, and the page of its payment."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    shop.sign_in(page)
    opened(page, shop, shop.payment)
    yield shop
    assert not faults, faults


def show_receipt(page):
    page.get_by_role("button", name="Receipt", exact=True).click()
    expect(page.locator("#receipt-picture")).to_have_attribute("src", re.compile("^data:image/png"), timeout=WAIT)


def test_the_receipt_is_printed_where_the_printer_and_its_paper_are_shown(page, equipped, shoot):
    # What is for receipts comes when it is asked for.
    used = "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/receipts.js'))"
    expect(page.locator("#receipt-box")).to_be_hidden()
    assert not page.evaluate(used)
    show_receipt(page)
    assert page.evaluate(used)
    expect(page.get_by_role("heading", name="Receipt", exact=True)).to_be_focused()
    state = page.locator("#printer-state")
    expect(state).to_contain_text("ready", timeout=WAIT)
    axe(page)
    shoot("receipt")
    page.get_by_role("button", name="Print the receipt").click()
    expect(page.locator("#print-note")).to_contain_text("handed to the printer", timeout=WAIT)
    assert equipped.printer.printed.count(b"\x1b@") == 1 and b"60.00" in equipped.printer.printed
    equipped.printer.paper = 0x72  # The roll has ended.
    page.get_by_role("button", name="Print the receipt").click()
    for place in (state, page.locator("#print-note")):
        expect(place).to_contain_text("out of paper", timeout=WAIT)
    # What becomes of the paper is nothing to the money.
    assert shown(equipped, equipped.payment)["status"] == "succeeded"


def test_the_receipt_is_mailed_and_its_address_is_masked(page, equipped):
    show_receipt(page)
    page.get_by_label("Send it by e-mail to").fill(CUSTOMER)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#mails")).to_contain_text("a•••@customer.example: sent", timeout=WAIT)
    assert len(equipped.mail.letters) == 1
    expect(page.get_by_label("Send it by e-mail to")).to_have_value("")
    assert "lovelace" not in page.content()
    # Who comes back to the page sees where it went.
    page.reload()
    show_receipt(page)
    expect(page.locator("#mails")).to_contain_text("a•••@customer.example: sent", timeout=WAIT)


@pytest.mark.skipif(not shutil.which("zbarimg"), reason="needs zbarimg")
def test_the_customer_scans_the_receipt_from_the_page(page, equipped, tmp_path):
    show_receipt(page)
    drawn = page.locator("#receipt-picture").get_attribute("src")
    file = tmp_path / "receipt.png"
    file.write_bytes(base64.b64decode(drawn.split(",", 1)[1]))
    read = subprocess.run(["zbarimg", "-q", "--raw", file], capture_output=True, text=True, check=False).stdout
    link = re.fullmatch(re.escape(ONLINE) + r"(/r/[\w.]+)\n", read)
    assert link, read
    assert requests.get(equipped.url + link[1], timeout=10).status_code == 200
    # As a page it has the same code, which needs no picture.
    page.get_by_label("Show it as").select_option("screen")
    expect(page.frame_locator("#receipt").locator("svg.code")).to_be_visible(timeout=WAIT)


def test_the_receipt_follows_a_refund(page, equipped):
    show_receipt(page)
    before = page.locator("#receipt-picture").get_attribute("src")
    equipped.request("POST", f"/v1/payments/{equipped.payment['id']}/refunds", {"amount": 1250}, "r-receipt")
    expect(page.locator("#figure")).to_have_text("€47.50", timeout=WAIT)
    # The one of before is gone first.
    expect(page.locator("#receipt-picture")).not_to_have_attribute("src", before, timeout=WAIT)
    expect(page.locator("#receipt-picture")).to_have_attribute("src", re.compile("^data:image/png"), timeout=WAIT)


def test_whoever_may_not_sell_sees_the_receipt_and_hands_none_out(page, shop):
    staff = Staff(shop)
    staff.roles("set", "clerk", "--permissions", "refund,readers")
    staff.add("Tom", "clerk", "604913")
    staff.shop()
    page.goto(shop.start_url())
    page.get_by_role("radio", name="Tom").check(timeout=STILL)
    page.get_by_label("PIN", exact=True).fill("604913")
    page.get_by_label("PIN", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text("Tom", timeout=STILL)
    opened(page, shop, shop.payment)
    expect(page.locator("#who")).to_contain_text("Tom", timeout=STILL)
    with page.expect_response("**/receipt/mails", timeout=WAIT):
        show_receipt(page)
    page.wait_for_timeout(200)
    for form in ("#print-form", "#send-form", "#no-printer"):
        expect(page.locator(form)).to_be_hidden()
