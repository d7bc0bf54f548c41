"""What holds for every page: forced colors and twice the size, what it weighs, and whose clock it shows where the
device and the shop are in different time zones and the clocks are changed."""
import datetime
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import pytest
import requests
from playwright.sync_api import expect
from seen import axe

import counter
from clerk import WAIT
from wrong_clock import LIBRARY, Clock

# What shows that a page is there.
PAGES = {
    "sell": ("/", "#rows tr"), "attention": ("/#attention", "#attention-view"),
    "payments": ("/payments", "#rows tr[data-id]"), "payment": ("/payments/{payment}", "#timeline li"),
    "day": ("/day", "#rows tr"), "count": ("/day?view=count", "#denoms input"), "x": ("/day?view=x", "#sheet"),
    "reports": ("/day?view=reports", "#no-reports"), "insights": ("/insights", "#tiles .tile"),
    "settings": ("/settings", "#body .button"), "docs": ("/docs", "#operations h2"),
    "kitchen": ("/kitchen", "#open article"),
}
SECTIONS = {
    name: ("/settings/" + name, "#body > *") for name in (
        "readers", "printers", "receipts", "staff", "keys", "shops", "webhooks", "providers", "audit", "backups",
        "health")
}
# Of all that a page is made of, each compressed by itself.
MOST_BYTES = 150_000
WIDE = "document.documentElement.scrollWidth"
CURRENT = ".segments > [aria-pressed=true], .tabs > [aria-current], .item[aria-current], .side a[aria-current]"
USED = "[location.href, ...performance.getEntriesByType('resource').map((one) => one.name)]"


@pytest.fixture
def latency():
    return "0ms"


def sold(server, name, units, tender=None):
    made = server.create(name, name, units)
    assert made.status_code == 201, made.text
    paid = server.confirm(made.json()["id"], name + "-c", tender or {"type": "cash", "tendered": units})
    assert paid.status_code == 200, paid.text
    return paid.json()


def open_day(server):
    opened = server.request("POST", "/v1/day/open", {"currency": "EUR", "float": 15_000})
    assert opened.status_code == 201, opened.text


@pytest.fixture
def visit(page, server):
    """Opens a page of a shop in which there is something of everything."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    open_day(server)
    sold(server, "Cash", 1200)
    payment = sold(server, "Card", 4830, counter.CARD_TENDER)
    back = server.request("POST", f"/v1/payments/{payment['id']}/refunds", {"amount": 1000}, "back")
    assert back.status_code == 201, back.text
    booked = server.request("POST", "/v1/orders", {
        "order_id": "4711", "currency": "EUR", "amount": 4830,
        "lines": [{"name": "Field guide", "quantity": 1, "amount": 4830}]})
    assert booked.status_code == 201, booked.text
    server.sign_in(page)

    def go(name):
        path, ready = {**PAGES, **SECTIONS}[name]
        page.goto(server.url + path.format(payment=payment["id"]))
        expect(page.locator(ready).first).to_be_visible(timeout=WAIT)
        if name == "docs":
            # The judge needs minutes for all operations, and its own test has it see them.
            page.locator("#filter").fill("/refunds")

    yield go
    assert not faults, faults


# ---- How it is seen


@pytest.mark.parametrize("name", [*PAGES, *SECTIONS])
def test_a_page_is_read_in_forced_colors_and_at_twice_the_size(page, visit, name):
    visit(name)
    # Half of the width is twice the size.
    page.set_viewport_size({"width": 640, "height": 400})
    assert page.evaluate(WIDE) <= 640
    axe(page)
    for scheme in ("light", "dark"):
        page.emulate_media(forced_colors="active", color_scheme=scheme)
        axe(page, colors_are_forced=True)
        # The ground of what is current is gone with its colour.
        marks = page.locator(CURRENT).evaluate_all(
            "all => all.map((one) => getComputedStyle(one).textDecorationLine)")
        assert set(marks) <= {"underline"}, marks
    assert page.evaluate(WIDE) <= 640
    page.emulate_media(forced_colors="none", color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(WIDE) <= 1280
    axe(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["sell", "payments", "payment", "attention"])
def test_a_page_is_seen_with_more_contrast(page, visit, name, scheme):
    page.emulate_media(color_scheme=scheme, contrast="more")
    visit(name)
    assert page.evaluate("matchMedia('(prefers-contrast: more)').matches")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        axe(page)


# ---- What it weighs


def is_asset(server, address):
    parts = urllib.parse.urlsplit(address)
    return address.startswith(server.url + "/") and not parts.path.startswith(("/v1/", "/session"))


UNTRANSLATED = ["docs", "kitchen"]
FEATURES = pathlib.Path(__file__).parents[2] / "Sources/TillFeatures"
# Expressions in them have a single backtick, so that a line does not say whether a template goes on.
WITH_COMMENTS = ["docs.js", "docs-yaml.js"]


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_all_that_a_page_is_made_of_is_light(page, visit, server, record_property, language):
    page.evaluate("(language) => localStorage.setItem('till.language', language)", language)
    for name in PAGES:
        if name in UNTRANSLATED and language != "en":
            continue
        # What was loaded before is gone, whatever the next address is.
        page.goto("about:blank")
        visit(name)
        expect(page.locator("html")).to_have_attribute("lang", language)
        used = {urllib.parse.urldefrag(address).url for address in page.evaluate(USED) if is_asset(server, address)}
        weights = {}
        for address in used:
            answer = requests.get(address, headers={"Authorization": "Bearer " + server.api_key}, timeout=10)
            assert answer.status_code == 200, (address, answer.text)
            weights[urllib.parse.urlsplit(address).path] = len(gzip.compress(answer.content, 9))
        assert len(weights) >= 3, (name, weights)
        # The words of one language, and those of no other.
        words = {path for path in weights if path.startswith("/words-")}
        assert name in UNTRANSLATED or words, (name, weights)
        assert all(path.endswith(f"-{language}.js") for path in words), (name, words)
        record_property("bytes of " + name, sum(weights.values()))
        assert sum(weights.values()) <= MOST_BYTES, (name, sorted(weights.items(), key=lambda one: -one[1])[:12])


SENT = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(
  ({ name, transferSize, encodedBodySize, decodedBodySize }) => [name, transferSize, encodedBodySize, decodedBodySize])
"""
# What the measure of a browser adds for the head of every answer.
HEAD_BYTES = 300
# A file that is shorter may not become any smaller.
WORTH_BYTES = 1_000


def sent(page, server):
    """What a page is made of: what came over the line of each part, its size as it was sent, and as it is."""
    return [numbers for name, *numbers in page.evaluate(SENT) if is_asset(server, name)]


def test_what_is_sent_of_a_page_is_light_and_not_sent_twice(page, visit, server, record_property):
    tools = page.context.new_cdp_session(page)
    tools.send("Network.enable")
    for name in PAGES:
        # As a browser that was never here. The attention of a till is a part of the page on which one signs in.
        tools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        page.goto("about:blank")
        visit(name)
        parts = sent(page, server)
        assert len(parts) >= 3, (name, parts)
        record_property("bytes of " + name, sum(size for _, size, _ in parts))
        record_property("bytes with heads of " + name, sum(line for line, _, _ in parts))
        assert sum(size for _, size, _ in parts) <= MOST_BYTES, (name, parts)
        assert all(size < whole for _, size, whole in parts if whole > WORTH_BYTES), (name, parts)
        tools.send("Network.setCacheDisabled", {"cacheDisabled": False})
        for _ in range(2):
            page.reload()
            expect(page.locator(PAGES[name][1]).first).to_be_visible(timeout=WAIT)
        again = sent(page, server)
        assert len(again) >= 3 and all(line <= HEAD_BYTES for line, _, _ in again), (name, again)


# A syntax tree by the kinds of its nodes and the texts of its leaves, and where each line of it begins.
TREES = """
const fs = require("fs"), path = require("path"), ts = require(process.argv[2]);
function shape(text) {
  const source = ts.createSourceFile("a.js", text, ts.ScriptTarget.Latest, true), found = [];
  (function walk(node) {
    const parts = node.getChildren(source)
      .filter(({ kind }) => kind < ts.SyntaxKind.FirstJSDocNode || kind > ts.SyntaxKind.LastJSDocNode);
    const at = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
    found.push(parts.length ? [node.kind] : [node.kind, at, node.getText(source)]);
    parts.forEach(walk);
  })(source);
  return JSON.stringify(found);
}
const [whole, served] = process.argv.slice(3);
const read = (folder, name) => shape(fs.readFileSync(path.join(folder, name), "utf8"));
console.log(JSON.stringify(fs.readdirSync(served).filter((name) => read(whole, name) !== read(served, name))));
"""


def test_what_is_served_of_a_script_is_the_script_without_its_comments(server, tmp_path):
    tsc = shutil.which("tsc")
    if not tsc:
        pytest.fail("tsc is not installed: scripts/setup test", pytrace=False)
    whole, served = tmp_path / "whole", tmp_path / "served"
    whole.mkdir()
    served.mkdir()
    for path in [*(FEATURES / "Page/Assets").rglob("*.js"), FEATURES / "Orders/Assets/kitchen.js"]:
        answer = requests.get(
            f"{server.url}/{path.name}", headers={"Authorization": "Bearer " + server.api_key}, timeout=10)
        assert answer.status_code == 200, (path.name, answer.text)
        (whole / path.name).write_bytes(path.read_bytes())
        (served / path.name).write_bytes(answer.content)
        if path.name not in WITH_COMMENTS:
            assert not re.search(rb"^[ ]*(//|/\*\*?$)", answer.content, re.MULTILINE), path.name
        assert answer.content.count(b"\n") == path.read_bytes().count(b"\n"), path.name
    (tmp_path / "trees.js").write_text(TREES)
    modules = pathlib.Path(tsc).resolve().parents[1]
    run = subprocess.run(
        ["node", tmp_path / "trees.js", modules, whole, served], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []


# ---- Whose clock it shows

# The hour before the day on which the clocks are changed, the one after, and two around the change; by the shop's clock
# weekday and hour of each, and the hours of that day.
CHANGES = {
    "autumn": (["2026-10-24T21:30", "2026-10-24T22:30", "2026-10-25T00:30", "2026-10-25T01:30"],
               {(6, 23): 1, (7, 0): 1, (7, 2): 2}, 25),
    "spring": (["2026-03-28T22:30", "2026-03-28T23:30", "2026-03-29T00:30", "2026-03-29T01:30"],
               {(6, 23): 1, (7, 0): 1, (7, 1): 1, (7, 3): 1}, 23),
}


@pytest.fixture
def machine(tmp_path):
    if not LIBRARY:
        pytest.fail("libfaketime is not installed: scripts/setup test", pytrace=False)
    clock = Clock(tmp_path / "machine.time")
    yield clock
    clock.end()


@pytest.fixture
def device(browser):
    """Makes pages of a device in a time zone; nothing in them may fail."""
    faults, made = [], []

    def make(zone):
        page = browser.new_context(viewport={"width": 1280, "height": 800}, timezone_id=zone).new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        made.append(page)
        return page

    yield make
    for page in made:
        page.context.close()
    assert not faults, faults


def listed(page, server, whose=""):
    """The days of the list of payments as a device has them."""
    page.goto(server.url + "/payments?period=all")
    expect(page.locator("#rows tr[data-id]")).to_have_count(4, timeout=WAIT)
    expect(page.locator("#zone")).to_have_text("Times in Europe/Berlin" + whose)
    return page.locator("#rows tr.group").count()


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_change_of_clocks_is_that_of_the_shop_and_times_say_whose_they_are(tmp_path, machine, device, change):
    moments, hours, length = CHANGES[change]
    env = {**machine.env, "TILL_TIME_ZONE": "Europe/Berlin"}
    server = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms", env=env)
    for number, moment in enumerate(moments, 1):
        machine.start_at(datetime.datetime.fromisoformat(moment + ":00+00:00"))
        with server.start():
            sold(server, f"Sale-{number}", 1000 * number)
    with server.start():
        open_day(server)
        found = server.request("GET", "/v1/insights").json()
        assert found["zone"] == "Europe/Berlin"
        assert {(one["weekday"], one["hour"]): one["captures"] for one in found["currencies"][0]["hours"]} == hours
        far = device("Pacific/Auckland")
        server.sign_in(far)
        far.goto(server.url + "/insights")
        expect(far.locator("#about")).to_contain_text("Europe/Berlin", timeout=WAIT)
        expect(far.locator("#tiles .tile").first).to_contain_text("€100.00", timeout=WAIT)
        days = far.locator("#over-time-table tbody tr").evaluate_all(
            "all => all.map((one) => [one.cells[0].textContent, Number(one.dataset.value)])")
        assert [captured for _, captured in days[-2:]] == [1000, 9000], days
        last = datetime.date.fromisoformat(moments[-1][:10])
        assert f"({length} hours)" in days[-1][0] and str(last.day) in days[-1][0], days
        assert "hours" not in days[-2][0], days
        # By the clock of the device far away all of it was one day; the list has the shop's two, and says so.
        assert listed(far, server, ", the shop's time zone; this device is in Pacific/Auckland") == 2
        expect(far.locator("#rows tr.group").first).to_contain_text(f"{last:%B} {last.day}")
        payment = far.locator("#rows tr[data-id]").first.get_attribute("data-id")
        far.goto(f"{server.url}/payments/{payment}")
        expect(far.locator("#details")).to_contain_text("Europe/Berlin", timeout=WAIT)
        # The day of the drawer is by the shop's clock on every device.
        far.goto(server.url + "/day?view=x")
        expect(far.locator("#paper")).to_contain_text("UTC+01:00" if length == 25 else "UTC+02:00", timeout=WAIT)
        near = device("Europe/Berlin")
        server.sign_in(near)
        assert listed(near, server) == 2


# What is looked for on the shop's first of March, and on the day of 23 hours: from and until, in UTC.
DAYS_LOOKED_FOR = {
    "period=0": ("2026-02-28T23:00:00.000Z", None),
    "period=1": ("2026-02-27T23:00:00.000Z", "2026-02-28T23:00:00.000Z"),
    "period=7": ("2026-02-22T23:00:00.000Z", None),
    "period=own&first=2026-03-29&last=2026-03-29": ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"),
}


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Europe/Berlin", "America/Los_Angeles"])
def test_today_in_the_list_of_payments_is_the_shops_wherever_it_is_read(tmp_path, device, zone):
    env = {"TILL_TIME_ZONE": "Europe/Berlin"}
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms", env=env) as server:
        page = device(zone)
        server.sign_in(page)
        # Half past eleven in Berlin, in Auckland the next day and in Los Angeles past two.
        page.clock.set_fixed_time(datetime.datetime.fromisoformat("2026-03-01T22:30:00+00:00"))
        for query, (first, until) in DAYS_LOOKED_FOR.items():
            page.goto(f"{server.url}/payments?{query}")
            expect(page.locator("#zone")).to_contain_text("Europe/Berlin", timeout=WAIT)
            asked = urllib.parse.parse_qs(urllib.parse.urlsplit(page.locator("#export").get_attribute("href")).query)
            assert (asked.get("from", [None]), asked.get("until", [None])) == ([first], [until]), query


@pytest.mark.parametrize("zone,whose", [
    ("Pacific/Auckland", ", the shop's time zone; this device is in Pacific/Auckland"), ("Europe/Berlin", "")])
def test_the_day_of_the_drawer_is_the_shops_wherever_it_is_read(tmp_path, machine, device, zone, whose):
    env = {**machine.env, "TILL_TIME_ZONE": "Europe/Berlin"}
    server = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms", env=env)
    # Half past eleven in Berlin, and in Auckland the next day.
    machine.start_at(datetime.datetime.fromisoformat("2026-03-01T22:30:00+00:00"))
    with server.start():
        open_day(server)
        assert server.request("GET", "/v1/day").json()["zone"] == "Europe/Berlin"
        page = device(zone)
        server.sign_in(page)
        page.goto(server.url + "/day")
        expect(page.locator("#open-since")).to_contain_text("Mar 1,", timeout=WAIT)
        expect(page.locator("#about")).to_have_text(re.compile(re.escape("Times in Europe/Berlin" + whose) + "$"))
        expect(page.locator("#rows time").last).to_have_text(re.compile(r"^Mar 1, 11:3\d\sPM$"))
        page.goto(server.url + "/day?view=x")
        paper = page.locator("#paper")
        for text in ("Mar 01, 2026", "UTC+01:00", "Shop's zone", "Europe/Berlin"):
            expect(paper).to_contain_text(text, timeout=WAIT)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC"])
def test_a_shop_without_a_time_zone_is_told_where_it_is_set(tmp_path, device, zone):
    with counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms") as server:
        page = device(zone)
        server.sign_in(page)
        page.goto(server.url + "/day")
        expect(page.locator("#about")).to_contain_text("Times in GMT", timeout=WAIT)
        if zone == "UTC":
            expect(page.locator("#no-zone")).to_be_hidden()
            return
        expect(page.locator("#no-zone")).to_contain_text("begin at midnight GMT.")
        axe(page)
        page.locator("#no-zone a").click()
        expect(page.locator("#body")).to_contain_text("--time-zone", timeout=WAIT)


ELSEWHERE = "Times in Europe/Berlin, the shop's time zone; this device is in Pacific/Auckland"
# Half past eleven in the morning in Berlin; in Auckland half past eleven at night.
SOLD = datetime.datetime.fromisoformat("2026-03-01T10:30:00+00:00")
READ = datetime.datetime.fromisoformat("2026-03-01T12:00:00+00:00")


def answered_with(page, server, path, **lists):
    """What an address answers has lists that a test cannot bring about in a moment."""
    answer = {**server.request("GET", path).json(), **lists}
    page.route(lambda url: urllib.parse.urlsplit(url).path == path, lambda route: route.fulfill(json=answer))


@pytest.mark.parametrize("zone,whose", [("Pacific/Auckland", ELSEWHERE), ("Europe/Vienna", "")])
def test_a_payment_has_one_time_on_every_page_whatever_the_clock_of_the_device(
        tmp_path, machine, device, zone, whose):
    env = {**machine.env, "TILL_TIME_ZONE": "Europe/Berlin"}
    server = counter.Server(tmp_path, "--provider", "sandbox", "--sandbox-latency", "0ms", env=env)
    machine.start_at(SOLD)
    with server.start():
        payment = sold(server, "Sale-1", 1000)
        page = device(zone)
        server.sign_in(page)
        page.clock.set_fixed_time(READ)
        day_and_time = r"Mar 1, 2026, 11:3\d(:\d\d)?\sAM"

        def says(selector):
            place = page.locator(f"{selector} [data-zone]")
            expect(place).to_have_text(whose)
            expect(place).to_be_visible(visible=bool(whose))

        # Of today, by the shop's clock: the day is left out.
        page.goto(server.url + "/")
        row = page.locator("#rows time")
        expect(row).to_have_text(re.compile(r"^11:3\d\sAM$"), timeout=WAIT)
        expect(row).to_have_attribute("title", re.compile(f"^{day_and_time}$"))
        says("#latest-box")
        page.locator("#q").fill("Sale-1")
        page.locator("#q").press("Enter")
        hit = page.locator("#results a.hit small")
        expect(hit).to_have_text(re.compile(f", {day_and_time}$"), timeout=WAIT)
        expect(page.locator("#results > p").last).to_have_text(whose)
        page.goto(server.url + "/payments?period=0")
        expect(page.locator("#rows tr[data-id] time")).to_have_text(re.compile(r"^11:3\d:\d\d\sAM$"), timeout=WAIT)
        page.goto(f"{server.url}/payments/{payment['id']}")
        expect(page.locator("#meta")).to_contain_text(re.compile(day_and_time), timeout=WAIT)
        expect(page.locator("#timeline li").last).to_contain_text(re.compile(day_and_time))
        expect(page.locator("#details")).to_contain_text("Europe/Berlin")
        says("#parts")
        notice = {"code": "note", "subject": "Printer", "reason": "It is away.", "next": "Find it.",
                  "since": "2026-03-01T10:30:00Z", "age_seconds": 5_400}
        answered_with(page, server, "/v1/attention", setup=[notice])
        page.goto(server.url + "/#attention")
        since = page.locator("#queue-list li", has_text="Printer").locator("time")
        expect(since).to_have_attribute("title", re.compile(f"^{day_and_time}$"), timeout=WAIT)
        says("#attention-view")
        # Before midnight in Berlin, and in Auckland the next day.
        dispute = {"payment_id": payment["id"], "order_number": "Sale-1", "reason": "fraudulent", "stage": "chargeback",
                   "provider": "sandbox", "state": "open", "respond_by": "2099-03-10T22:30:00Z", "amount": 1000,
                   "currency": "EUR"}
        answered_with(page, server, "/v1/insights", disputes=[dispute])
        page.goto(server.url + "/insights")
        expect(page.locator("#disputes li")).to_contain_text(
            re.compile(r"Answer by Mar 10, 2099, 11:30\sPM"), timeout=WAIT)
        expect(page.locator("#about")).to_contain_text(whose or "Europe/Berlin")


AS_IN = """(element, timeZone) => new Date(element.dateTime).toLocaleString(undefined,
  { dateStyle: "medium", timeStyle: "short", timeZone })"""


def test_times_that_are_shown_follow_when_the_till_says_its_zone_later(page, visit):
    visit("sell")
    row = page.locator("#rows time").first
    before = row.get_attribute("title")
    page.route("**/session/person", lambda route: route.fulfill(json={**route.fetch().json(), "zone": "Asia/Tokyo"}))
    # As if somebody had signed in elsewhere in this browser.
    page.evaluate("document.dispatchEvent(new Event('till:answered'))")
    expect(page.locator("#latest-box [data-zone]")).to_contain_text("Times in Asia/Tokyo", timeout=WAIT)
    after = row.evaluate(AS_IN, "Asia/Tokyo")
    assert after != before
    expect(row).to_have_attribute("title", after)
    axe(page)


def test_a_day_is_shown_by_the_devices_clock_if_it_does_not_know_the_shops(page, visit, server):
    day = {**server.request("GET", "/v1/day").json(), "zone": "Nowhere/Here"}
    page.route("**/v1/day", lambda route: route.fulfill(json=day))
    page.route("**/session/person", lambda route: route.fulfill(json={**route.fetch().json(), "zone": "Nowhere/Here"}))
    visit("day")
    own = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(page.locator("#about")).to_have_text(re.compile(f"Times in {re.escape(own)}$"), timeout=WAIT)
