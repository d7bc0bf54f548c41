"""Figures of a span of days: over HTTP, as a file, and on the page, where each chart has a table of its numbers."""
import csv
import io
import time

import pytest
from playwright.sync_api import expect
from seen import axe, pictures
from staff import Staff, problem

import counter
from clerk import WAIT

STILL = 60_000  # a PIN is slow to check on purpose
PIN = "582914"
DECLINED = {**counter.CARD_TENDER, "number": "4000000000000002"}
VALUES = "all => all.map((one) => Number(one.dataset.value))"


@pytest.fixture
def latency():
    return "0ms"


@pytest.fixture
def faults(page):
    """Nothing of a page may fail, nor be refused by its policy."""
    found = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda m: found.append(m.text) if "Content Security Policy" in m.text else None)
    yield found
    assert not found, found


@pytest.fixture
def office(page, server, faults):
    server.sign_in(page)
    return page


def sell(server, order, units, tender=None, **more):
    made = server.create(order, order, units, **more)
    assert made.status_code == 201, made.text
    done = server.confirm(made.json()["id"], order + "-c", tender or {"type": "cash", "tendered": units})
    assert done.status_code == 200 or tender is DECLINED, done.text
    return made.json()["id"]


def trade(server):
    """Five sales, one of them in another currency and two by card, one card declined, and a part given back."""
    for number in range(1, 3):
        sell(server, f"cash-{number}", 1000 * number)
    card = sell(server, "card-1", 4250, counter.CARD_TENDER)
    sell(server, "card-2", 1750, counter.CARD_TENDER)
    sell(server, "yen", 700, currency="JPY")
    sell(server, "declined", 900, DECLINED)
    back = server.request("POST", f"/v1/payments/{card}/refunds", {"amount": 500, "reason": "Broken"}, "back")
    assert back.ok, back.text


def insights(server, query=""):
    answer = server.request("GET", "/v1/insights" + query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def added(lines, name):
    return sum(one[name] for one in lines)


def test_the_figures_are_those_of_the_payments(server):
    trade(server)
    found = insights(server)
    assert len(found["days"]) == 14 and found["read"]["complete"] is True and found["read"]["omission"] is None
    assert [one["currency"] for one in found["currencies"]] == ["EUR", "JPY"]
    euro, yen = found["currencies"]
    assert euro["now"] == {"captures": 4, "captured": 9000, "refunds": 1, "refunded": 500, "net": 8500}
    assert (yen["now"]["net"], euro["payments"], euro["before"]["captured"]) == (700, 4, 0)
    paid = [one for one in server.request("GET", "/v1/payments?limit=100").json()["payments"]
            if one["currency"] == "EUR"]
    assert euro["now"]["captured"] == added(paid, "captured") and euro["now"]["refunded"] == added(paid, "refunded")
    for cut in ("days", "tenders"):
        assert added([one["now"] for one in euro[cut]], "net") == 8500, cut
    assert added(euro["weeks"], "net") == added(euro["hours"], "net") == 8500
    tenders = {one["tender"]: one["now"]["captured"] for one in euro["tenders"]}
    assert tenders == {"cash": 3000, "card": 6000}
    assert euro["refund_reasons"] == [{"reason": "Broken", "refunds": 1, "refunded": 500}]
    attempts = found["attempts"]
    assert (attempts["now"]["approved"], attempts["now"]["declined"]) == (2, 1)
    assert [(one["provider"], one["count"]) for one in attempts["declines"]] == [("sandbox", 1)]
    assert found["attention"] == {"open": 0, "has_more": False, "incidents": 0}
    # The same figures as a file.
    answer = server.request("GET", "/v1/insights.csv")
    assert answer.headers["Content-Type"].startswith("text/csv"), answer.headers
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    total = next(one for one in rows if one["section"] == "total" and one["currency"] == "EUR")
    assert (total["from"], total["until"], total["captured"], total["net"]) == (
        found["from"], found["until"], "90.00", "85.00")
    assert not [one for one in rows if one["section"] == "incomplete"]


@pytest.mark.parametrize("query,status,field", [
    ("from=2026-02-30", 422, "from"), ("from=2026-2-3", 422, "from"), ("until=tomorrow", 422, "until"),
    ("from=2026-11-21&until=2026-11-09", 422, "until"), ("from=2024-01-01&until=2026-11-09", 422, "until"),
    ("zone=Moon/Base", 422, "zone"), ("zone=", 422, "zone"), ("from=2026-11-09&from=2026-11-10", 422, "from"),
    ("days=7", 400, "days"),
])
def test_days_that_cannot_be_shown_are_refused_by_name(server, query, status, field):
    for path in ("/v1/insights", "/v1/insights.csv"):
        answer = server.request("GET", f"{path}?{query}")
        assert answer.status_code == status, answer.text
        assert [one["field"] for one in answer.json()["errors"]] == [field], answer.text


def test_a_day_has_the_hours_of_its_zone(server):
    days = insights(server, "?from=2026-10-24&until=2026-10-26&zone=Europe/Berlin")["days"]
    assert [one["minutes"] for one in days] == [1440, 1500, 1440]
    days = insights(server, "?from=2026-03-29&until=2026-03-29&zone=Europe/Berlin")["days"]
    assert days == [{"date": "2026-03-29", "weekday": 7, "minutes": 1380}]


def test_whoever_may_not_see_sums_sees_none(server):
    staff = Staff(server).shop()
    for role, permissions in (("drawer", "sell,drawer"), ("books", "sell,totals")):
        assert staff.roles("set", role, "--permissions", permissions).code == 0
    staff.add("Dora", "drawer", PIN)
    staff.add("Bela", "books", "630817")
    time.sleep(0.6)  # a running counter hears of them within half a second
    device = staff.device()
    assert device.enter("Dora", PIN).status_code == 200
    for path in ("/v1/insights", "/v1/insights.csv"):
        assert problem(device.ask("GET", path), 403, "permission_missing")["permission_needed"] == "totals"
    assert device.enter("Bela", "630817").status_code == 200
    found = device.ask("GET", "/v1/insights").json()
    assert found["payouts"] is None and found["attention"] is None and found["offline"] is None
    assert "attention" not in device.ask("GET", "/v1/insights.csv").text
    device.signed_in("Olga")
    found = device.ask("GET", "/v1/insights").json()
    assert found["payouts"]["payouts"] == [] and found["attention"]["open"] == 0


# The page.

def visit(page, server, query=""):
    page.goto(server.url + "/insights" + query)
    expect(page.locator("#figures")).to_be_visible(timeout=WAIT)


def same(page, chart, table):
    """The numbers of a chart, which are those of its table."""
    drawn = page.locator(f"{chart} .mark").evaluate_all(VALUES)
    assert drawn == page.locator(f"{table} tbody tr").evaluate_all(VALUES)
    return drawn


def test_each_chart_is_its_table_and_is_read_by_keyboard(office, server):
    page = office
    trade(server)
    visit(page, server)
    expect(page.locator("#tiles .tile").first).to_contain_text("€90.00")
    expect(page.locator("#tiles .tile").first).to_contain_text("No sales in the previous 14 days")
    expect(page.locator("#tiles")).not_to_contain_text("before –")
    assert sum(same(page, "#over-time", "#over-time-table")) == 9000
    marks = page.locator("#over-time .mark")
    expect(marks).to_have_count(14)
    marks.first.focus()
    page.keyboard.press("End")
    expect(marks.last).to_be_focused()
    expect(page.locator("#over-time .reading")).to_have_text(marks.last.get_attribute("aria-label"))
    page.keyboard.press("ArrowLeft")
    expect(marks.nth(12)).to_be_focused()
    assert page.locator("#over-time .mark[tabindex='0']").count() == 1
    shown = page.locator("#hours .mark").evaluate_all(VALUES)
    # At least the usual hours, of each day of a week.
    assert sum(shown) == 4 and len(shown) % 7 == 0 and len(shown) >= 7 * 9
    expect(page.locator("#hours-most")).to_have_text(f"up to {max(shown)}")
    page.locator("#by-week").click()
    expect(page.locator("#by-week")).to_have_attribute("aria-pressed", "true")
    assert sum(same(page, "#over-time", "#over-time-table")) == 9000
    page.get_by_role("button", name="JPY").click()
    expect(page.locator("#tiles .tile").first).to_contain_text("¥700")
    page.locator("#range-7").click()
    expect(page.locator("#range-7")).to_have_attribute("aria-pressed", "true", timeout=WAIT)
    page.reload()
    expect(page.locator("#range-7")).to_have_attribute("aria-pressed", "true", timeout=WAIT)
    expect(page.locator("#tiles .tile").first).to_contain_text("¥700", timeout=WAIT)


def test_what_is_refused_is_said_on_the_page(office, server):
    page = office
    page.goto(server.url + "/insights?from=2026-11-21&until=2026-11-09")
    expect(page.locator("#alert")).to_contain_text("must not be before", timeout=WAIT)
    expect(page.locator("#figures")).to_be_hidden()
    page.goto(server.url + "/insights")
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)
    axe(page)


@pytest.mark.parametrize("scheme,contrast", [("light", None), ("dark", None), ("light", "more"), ("dark", "more")])
def test_it_is_seen_in_the_dark_and_with_more_contrast(office, server, tmp_path, scheme, contrast):
    page = office
    page.emulate_media(color_scheme=scheme, contrast=contrast)
    trade(server)
    visit(page, server)
    for summary in page.locator("details.more > summary").all():
        summary.click()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        axe(page)
    pictures(page, tmp_path, f"insights_{scheme}_{contrast or 'usual'}", narrow=390)("figures")


def test_whoever_is_not_signed_in_comes_back_to_the_days(page, server):
    page.goto(server.url + "/insights?days=7")
    expect(page.locator("#session")).to_be_visible(timeout=WAIT)
    page.get_by_label("API key").fill(counter.API_KEY)
    page.keyboard.press("Enter")
    page.wait_for_url("**/insights?days=7", timeout=WAIT)
    expect(page.locator("#empty")).to_be_visible(timeout=WAIT)


def test_the_pages_of_the_office_lead_to_it(office, server):
    page = office
    for path in ("/payments", "/day", "/settings"):
        page.goto(server.url + path)
        page.locator(".rail").get_by_role("link", name="Insights").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Insights", timeout=WAIT)
