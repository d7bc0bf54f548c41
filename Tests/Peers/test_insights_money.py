"""Money that is not in the till on the page of insights, in Chromium: payouts, disputes and cards stored without a
connection, as Stripe's stand-in and the sandbox make them."""
import pytest
import requests
from playwright.sync_api import expect
from seen import axe, pictures

import counter
from clerk import WAIT

CARD = {**counter.CARD_TENDER, "number": "4242424242424242"}
PRICE = 1250
REMAINDER = 13


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def watched(page):
    """Nothing of the page may fail, nor be refused by its policy."""
    found = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda m: found.append(m.text) if "Content Security Policy" in m.text else None)
    yield page
    assert not found, found


@pytest.fixture
def shop(tmp_path, sandbox):
    """A till whose provider tells it of disputes."""
    environment = {"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET}
    with counter.Server(tmp_path, *sandbox.flags, env=environment) as server:
        hook = {"url": server.url + counter.WEBHOOK_PATH, "secret": counter.WEBHOOK_SECRET}
        play(sandbox, "webhooks", **hook)
        yield server


def play(sandbox, path, **what):
    answer = requests.post(f"{sandbox.url}/_sandbox/{path}", json=what, timeout=10)
    assert answer.ok, answer.text


def sell(server, order, tender=CARD):
    made = server.create(order, order, PRICE)
    assert made.status_code == 201, made.text
    done = server.confirm(made.json()["id"], order + "-c", tender)
    assert done.status_code == 200 and done.json()["status"] == "succeeded", done.text
    return done.json()


def dispute(server, sandbox, payment, end=None):
    reference = payment["attempts"][0]["reference"]
    play(sandbox, "aftersale", reference=reference, do="dispute")

    def now():
        return server.request("GET", f"/v1/payments/{payment['id']}").json()

    assert counter.until(lambda: now()["disputed"] == PRICE), now()
    if end:
        play(sandbox, "aftersale", reference=reference, do=end)
        assert counter.until(lambda: now()["disputes"][0]["status"] == "won"), now()


def insights(server):
    answer = server.request("GET", "/v1/insights")
    assert answer.status_code == 200, answer.text
    return answer.json()


def euros(minor):
    return f"€{minor / 100:.2f}"


def visit(page, server):
    page.goto(server.url + "/insights")
    expect(page.locator("#figures")).to_be_visible(timeout=WAIT)


def test_payouts_are_shown_with_what_is_not_explained(watched, shop, sandbox, tmp_path):
    page = watched
    for number in range(2):
        sell(shop, f"o-{number}")
    play(sandbox, "statements", do="payout", remainder=REMAINDER)
    read = counter.till("reconcile", "--fetch", "stripe", "--journal", shop.journal, "--json", *sandbox.flags)
    assert read.code == 2 and read.json["statements"][0]["remainders"] == 1, read
    found = insights(shop)["payouts"]
    [payout] = found["payouts"]
    assert payout["remainder"] != 0 and payout["rows"] >= 2 and found["open_breaks"] >= 1, found
    shop.sign_in(page)
    visit(page, shop)
    rows = page.locator("#payouts li")
    expect(rows).to_have_count(1)
    for words in (euros(payout["amount"]), "not explained", f"{payout['rows']} rows", "fees", "stripe " + payout["id"]):
        expect(rows.first).to_contain_text(words)
    expect(page.locator("#payouts-none")).to_be_hidden()
    expect(page.locator("#breaks")).to_contain_text(str(found["open_breaks"]))
    axe(page)
    pictures(page, tmp_path, "insights_payouts", narrow=390)("figures")


def test_disputes_are_shown_with_their_state_and_lead_to_their_payment(watched, shop, sandbox, tmp_path):
    page = watched
    open_, won = (sell(shop, name) for name in ("open", "won"))
    dispute(shop, sandbox, open_)
    dispute(shop, sandbox, won, end="win")
    found = {one["payment_id"]: one for one in insights(shop)["disputes"]}
    assert {name: one["state"] for name, one in found.items()} == {open_["id"]: "open", won["id"]: "won"}, found
    shop.sign_in(page)
    visit(page, shop)
    rows = page.locator("#disputes li")
    expect(rows).to_have_count(2)
    expect(page.locator("#disputes-none")).to_be_hidden()
    for payment, words in ((open_, "Open"), (won, "Won")):
        row = rows.filter(has=page.locator(f"a[href='/payments/{payment['id']}']"))
        expect(row).to_have_count(1)
        expect(row.locator(".badge")).to_contain_text(words)
        expect(row).to_contain_text(euros(PRICE))
    axe(page)
    pictures(page, tmp_path, "insights_disputes", narrow=390)("figures")
    page.locator(f"#disputes a[href='/payments/{open_['id']}']").click()
    page.wait_for_url(f"**/payments/{open_['id']}", timeout=WAIT)


def test_cards_stored_without_a_connection_are_money_at_risk(watched, server, tmp_path):
    page = watched
    sell(server, "cash", {"type": "cash", "tendered": PRICE})
    journal = ["--journal", server.journal]
    assert counter.till("offline", "sync", *journal).code == 0
    for card in ("visa", "mastercard"):
        stored = counter.till("offline", "accept", "--amount", "12.50", "--currency", "EUR", "--card", card,
                              "--connection", "force-offline", *journal)
        assert stored.code == 0, stored
    found = insights(server)["offline"]
    assert (found["count"], found["sums"]) == (2, [{"currency": "EUR", "amount": 2 * PRICE}])
    server.sign_in(page)
    visit(page, server)
    tile = page.locator("#tiles .tile").last
    expect(tile).to_contain_text(euros(2 * PRICE), timeout=WAIT)
    expect(tile).to_contain_text("2 stored in all currencies")
    # It is not captured: the tile of what was has the cash alone.
    expect(page.locator("#tiles .tile").first).to_contain_text(euros(PRICE))
    axe(page)
    pictures(page, tmp_path, "insights_offline", narrow=390)("figures")
