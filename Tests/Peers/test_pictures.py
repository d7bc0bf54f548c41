"""The counter's screens as they were when somebody last saw them: each is drawn by Chromium over the same data at the
same time, and compared with a stored picture (golden_pictures.py). What is meant to be new is accepted:
`scripts/pictures --accept NAME`."""
import contextlib
import datetime
import io
import os
import typing
import urllib.parse

import golden_pictures as golden
import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect
from staff import PINS, Staff

import counter
from clerk import WAIT
from wrong_clock import LIBRARY, Clock

# A Tuesday, in Berlin at five past eleven; the pages are seen twenty-five minutes after the first sale.
OPENED = datetime.datetime(2026, 3, 10, 10, 5, tzinfo=datetime.UTC)
SEEN = OPENED + datetime.timedelta(minutes=25)
ZONE = "Europe/Berlin"
DECLINED = {**counter.CARD_TENDER, "number": "4000000000000002"}
# A page is still when nothing that it asked for is without an answer, and it was the same twice, so long apart.
PAUSE_MS = 200
MOST_PAUSES = 150


# What cannot be brought about at a counter in a moment, nor be as old in each run.
WAITING = {
    "attention": [
        {"payment_id": "pay_01kaj3x5ay0000000000000000", "number": 1, "code": "refund_failed",
         "reason": "The refund failed later: the customer's card is closed.", "next": "Pay the customer another way.",
         "amount": 1_000, "currency": "EUR", "order_id": "Table-3", "order_number": "Table-3",
         "since": "2026-03-10T08:30:00Z", "age_seconds": 7_200, "assignee": {"name": "Olga"}},
        {"payment_id": "pay_01kaj3x5ay0000000000000001", "number": 1, "code": "hold_ends",
         "reason": "The hold ends on 11 March.", "next": "Capture it or void it.", "amount": 12_000, "currency": "EUR",
         "order_id": "Held", "order_number": "Held", "since": "2026-03-10T09:45:00Z", "age_seconds": 2_700,
         "assignee": None}],
    "incidents": [], "incidents_open": 0,
    "setup": [{"code": "printer", "subject": "Printer", "reason": "It is out of paper.", "next": "Put a roll in.",
               "since": "2026-03-10T10:20:00Z", "age_seconds": 600}],
}


class Screen(typing.NamedTuple):
    """Where a screen is, and what is there when it is."""

    path: str
    ready: str
    count: int = 1
    # Empty for whoever is not signed in.
    counter: str = "shop"
    # Whether the till's events come in stands at its top.
    is_live: bool = True
    # What an address answers in the counter's place.
    answers: dict = {}


SCREENS = {
    "sell": Screen("/", "#rows tr", 7),
    "payments": Screen("/payments", "#rows tr[data-id]", 7),
    "payment": Screen("/payments/{payment}", "#timeline li", 4),
    "day": Screen("/day", "#rows tr"),
    "insights": Screen("/insights", "#tiles .tile"),
    "settings": Screen("/settings", "#body .thing", 11),
    "attention": Screen("/#attention", "#queue-list li", 3, answers={"/v1/attention": WAITING}),
    "count": Screen("/day?view=count", "#denoms input", 8),
    "x": Screen("/day?view=x", "#sheet .tile", 4),
    "z": Screen("/day?drawer=main&report=1", "#sheet .tile", 4, "closed"),
    "account": Screen("/#account", "#own-sessions li", 1, "closed"),
    "kitchen": Screen("/kitchen", "body:has(#state:text-is('Up to date')) #open article", is_live=False),
    "pad": Screen("/", "#pad button", 12, "staffed", is_live=False),
    "sign-in": Screen("/", "#session:not([hidden])", 1, "", is_live=False),
}
WIDTHS = (1280, 390)
LOOKS = {
    "light": {"locale": "en-US", "color_scheme": "light"}, "dark": {"locale": "en-US", "color_scheme": "dark"},
    "arabic": {"locale": "ar-EG", "color_scheme": "light"},
}
NAMES = [
    *(f"{screen}_{width}_light" for screen in SCREENS for width in WIDTHS),
    "sell_1280_dark", "payments_1280_dark", "payment_1280_dark", "insights_1280_dark", "pad_390_dark",
    "sell_1280_arabic", "sell_390_arabic", "payment_390_arabic", "day_1280_arabic", "pad_390_arabic",
]

# Identifiers, times of the day and paths are others in each run. Each of their characters becomes a zero, which is as
# wide as any digit, so that what stands beside them stays where it is.
PLAIN = r"""() => {
  const zeros = (text) => text.replace(/[\p{L}\p{Nd}]/gu, "0");
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const text = node.data
      .replace(/(?:\/[\w.-]+){3,}/g, "/path")
      .replace(/\b(?=[\w-]*\d)[\w-]{12,}\b|(?<=\bkey )[\da-f]{8}\b/g, zeros)
      .replace(/\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2})?/gu, zeros);
    if (text !== node.data) node.data = text;
  }
}"""


@pytest.fixture(scope="module", autouse=True)
def accepted_set():
    """Where all pictures are accepted, those of other fonts and those of no screen go first."""
    if os.environ.get("TILL_ACCEPT_PICTURES") != "all":
        return
    is_of_others = golden.drawn_with() is None or bool(golden.other_fonts())
    for path in golden.STORED.glob("*.png"):
        if is_of_others or path.stem not in NAMES:
            path.unlink()


# ---- The counters


def paid(server, order, units, tender=None, **more):
    """A sale; a card that is declined pays nothing."""
    made = server.create(order, order, units, **more)
    assert made.status_code == 201, made.text
    done = server.confirm(made.json()["id"], order + "-c", tender or {"type": "cash", "tendered": units})
    assert done.status_code == 200 or tender is DECLINED, done.text
    return made.json()["id"]


def trade(server):
    """A morning in which there is something of everything. The payment whose page is seen."""
    asked = [
        ("day/open", {"currency": "EUR", "float": 15_000}),
        ("orders", {"order_id": "4711", "currency": "EUR", "amount": 2_790,
                    "lines": [{"name": "Field guide", "quantity": 1, "amount": 2_790}]}),
    ]
    for path, body in asked:
        answer = server.request("POST", "/v1/" + path, body)
        assert answer.status_code == 201, answer.text
    paid(server, "Table-1", 1_250)
    paid(server, "Table-2", 2_480, {"type": "reader", "reader": "simulated", "card": "visa"})
    paid(server, "Yen", 700, currency="JPY")
    paid(server, "Declined", 900, DECLINED)
    paid(server, "Held", 12_000, counter.CARD_TENDER, capture="manual")
    card = paid(server, "Table-3", 4_830, counter.CARD_TENDER)
    back = server.request("POST", f"/v1/payments/{card}/refunds", {"amount": 1_000, "reason": "Broken"}, "back")
    assert back.status_code == 201, back.text
    paid(server, "Table-4", 360)
    return card


def signed_in(browser, server, gate, name=None):
    """What a browser keeps that has signed in once, and at which somebody has entered their PIN."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.start_url())
    page.locator(gate).wait_for(state="visible", timeout=2 * WAIT)
    if name:
        page.get_by_role("radio", name=name).check()
        page.locator("#pin").fill(PINS[name])
        page.locator("#pin").press("Enter")
        # A PIN is slow to check on purpose.
        page.locator("#till").wait_for(state="visible", timeout=6 * WAIT)
    state = context.storage_state()
    context.close()
    return state


class Place(typing.NamedTuple):
    """A counter, the payment whose page is seen, and what a browser keeps that has signed in there."""

    server: counter.Server
    payment: str
    state: dict | None


@contextlib.contextmanager
def opened(folder):
    """A counter by a clock of its own."""
    if not LIBRARY:
        pytest.fail("libfaketime is not installed: scripts/setup test", pytrace=False)
    clock = Clock(folder / "machine.time")
    try:
        clock.start_at(OPENED)
        # Whoever is at the till stays there for as long as all pictures take.
        env = {**clock.env, "TILL_TIME_ZONE": ZONE, "TILL_STAFF_LOCK_MINUTES": "60"}
        server = counter.Server(folder, "--provider", "sandbox", "--sandbox-latency", "0ms", env=env)
        with server.start():
            yield server
    finally:
        clock.end()


@pytest.fixture(scope="module")
def shop(tmp_path_factory, browser):
    """A counter without staff."""
    with opened(tmp_path_factory.mktemp("shop")) as server:
        payment = trade(server)
        yield Place(server, payment, signed_in(browser, server, "#till"))


@pytest.fixture(scope="module")
def closed(tmp_path_factory, browser):
    """A counter that has closed its day, with its owner at the till."""
    with opened(tmp_path_factory.mktemp("closed")) as server:
        payment = trade(server)
        asked = [
            ("staff", {"name": "Olga", "role": "owner", "pin": PINS["Olga"]}),
            ("staff", {"name": "Carl", "role": "cashier", "pin": PINS["Carl"]}),
            ("day/count", {"total": 16_500}), ("day/close", {"left": 15_000, "reason": "A wrong coin"}),
        ]
        for path, body in asked:
            answer = server.request("POST", "/v1/" + path, body, body.get("name"))
            assert answer.ok, answer.text
        yield Place(server, payment, signed_in(browser, server, "#person", "Olga"))


@pytest.fixture(scope="module")
def staffed(tmp_path_factory, browser):
    """A counter whose page asks who is there."""
    folder = tmp_path_factory.mktemp("staffed")
    server = counter.Server(folder, "--provider", "sandbox", "--sandbox-latency", "0ms")
    with server.start():
        Staff(server).shop()
        yield Place(server, "", signed_in(browser, server, "#person"))


# ---- How a page is seen


class Unanswered:
    """The requests of a page that have no answer yet. A stream of events never ends and does not count."""

    def __init__(self, page):
        self.all = set()
        page.on("request", self.began)
        page.on("requestfinished", lambda request: self.all.discard(request))
        page.on("requestfailed", lambda request: self.all.discard(request))

    def began(self, request):
        if not request.url.split("?")[0].endswith("/events"):
            self.all.add(request)


def still(page, unanswered):
    """A screenshot of a page that does not change any more."""
    before = None
    for _ in range(MOST_PAUSES):
        page.wait_for_timeout(PAUSE_MS)
        if unanswered.all:
            before = None
            continue
        page.evaluate(PLAIN)
        shot = page.screenshot(full_page=True, animations="disabled", caret="hide")
        if shot == before:
            return shot
        before = shot
    pytest.fail(f"{page.url} did not come to rest", pytrace=False)


def is_at(path):
    """Judges whether an address has a path, whatever its query."""
    return lambda url: urllib.parse.urlsplit(url).path == path


def answered(answer):
    return lambda route: route.fulfill(json=answer)


class Seen:
    """A screen that is there, in a browser of its own."""

    def __init__(self, browser, place, screen, width, look):
        self.width, self.faults = width, []
        self.context = browser.new_context(
            **LOOKS[look], viewport={"width": width, "height": 800}, timezone_id=ZONE, reduced_motion="reduce",
            storage_state=place.state if screen.counter else None)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.clock.set_fixed_time(SEEN)
        self.unanswered = Unanswered(self.page)
        for path, answer in screen.answers.items():
            self.page.route(is_at(path), answered(answer))
        self.page.goto(place.server.url + screen.path.format(payment=place.payment))
        ready = self.page.locator(screen.ready)
        expect(ready.nth(screen.count - 1)).to_be_attached(timeout=WAIT)
        expect(ready.first).to_be_visible(timeout=WAIT)
        if screen.is_live:
            expect(self.page.locator("#live .dot.paid")).to_be_attached(timeout=WAIT)

    def shot(self):
        return still(self.page, self.unanswered)

    def picture(self):
        return golden.scaled(self.shot(), self.width)


@pytest.fixture
def see(browser, shop, closed, staffed):
    """Opens the screen of a name."""
    made, places = [], {"": shop, "shop": shop, "closed": closed, "staffed": staffed}

    def go(name):
        what, width, look = name.split("_")
        screen = SCREENS[what]
        made.append(Seen(browser, places[screen.counter], screen, int(width), look))
        return made[-1]

    yield go
    faults = [fault for one in made for fault in one.faults]
    for one in made:
        one.context.close()
    assert not faults, faults


# ---- What is held


@pytest.mark.parametrize("name", NAMES)
def test_a_screen_is_as_it_was(name, see, browser, tmp_path):
    is_accepted = golden.is_accepted(name)
    others = golden.other_fonts() if golden.drawn_with() else []
    if others and not is_accepted:
        pytest.skip(f"{name}: the stored pictures were drawn with other fonts ({'; '.join(others)})")
    old, new = golden.stored(name), see(name).picture()
    if is_accepted:
        if others and any(golden.STORED.glob("*.png")) and os.environ["TILL_ACCEPT_PICTURES"] != "all":
            pytest.fail(f"{name}: the other pictures were drawn with other fonts ({'; '.join(others)}). All at once: "
                        + golden.accepting(), pytrace=False)
        golden.note_fonts(browser.version)
        if old is None or not golden.is_same(old, new):
            golden.store(name, new)
        return
    if old is None or golden.drawn_with() is None:
        golden.keep(name, tmp_path, new=new)
        pytest.fail(f"there is no stored picture {name}, or nothing says with which fonts it was drawn. To store it: "
                    + golden.accepting(name), pytrace=False)
    if not golden.is_same(old, new):
        drawn = golden.drawn_with()["browser"]
        note = f" It was drawn by Chromium {drawn}, this is {browser.version}." if drawn != browser.version else ""
        pytest.fail(golden.explain(name, old, new, tmp_path) + note, pytrace=False)


def test_the_stored_pictures_are_of_screens_and_small():
    files = list(golden.STORED.glob("*.png"))
    left = sorted(path.stem for path in files if path.stem not in NAMES)
    assert not left, f"no screen has these names; they go with {golden.accepting()}: {left}"
    sizes = {path.stem: path.stat().st_size for path in files}
    assert all(size <= golden.MOST_OF_ONE for size in sizes.values()), sizes
    assert sum(sizes.values()) <= golden.MOST_OF_ALL, sum(sizes.values())


# ---- Whether it would be seen


FAULTS = {
    "a block that moved": ("#keypad", {"marginBlockStart": "24px"}),
    "a button that is gone": ("#park", {"visibility": "hidden"}),
    "a wrong colour": ("#charge", {"background": "#b0241c"}),
}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_planted_fault_is_seen_and_a_second_look_is_the_same(see, width, tmp_path):
    name = f"sell_{width}_light"
    first, again = see(name).picture(), see(name)
    assert golden.is_same(golden.stepped(first), again.picture())
    for fault, (selector, style) in FAULTS.items():
        block = again.page.locator(selector)
        expect(block).to_be_visible()
        block.evaluate("(one, style) => { Object.assign(one.style, style); }", style)
        new = again.picture()
        assert not golden.is_same(golden.stepped(first), new), fault
        told = golden.explain(name, first, new, tmp_path)
        assert f"scripts/pictures --accept {name}" in told
        block.evaluate("(one, names) => names.forEach((name) => { one.style[name] = ''; })", list(style))
    assert golden.is_same(golden.stepped(first), again.picture())


def with_block(color):
    """A page with a badge of that colour, scaled as a desktop's page is."""
    page = Image.new("RGB", (1280, 800), "#f2f4f3")
    page.paste(Image.new("RGB", (96, 32), color), (403, 210))
    return page


def test_states_of_money_are_told_apart_where_a_grey_would_not():
    def pair(one, other):
        return [golden.scaled(golden.whole(with_block(color)), 1280) for color in (one, other)]

    solid, tint = pair("#0a6a4b", "#b0241c"), pair("#dcf2e8", "#fde8e5")
    for old, new in (solid, tint):
        assert not golden.is_same(golden.stepped(old), new)
    grey = [picture.convert("L").convert("RGB") for picture in solid]
    assert golden.is_same(*grey)


def test_letters_that_are_antialiased_another_way_are_not_seen(see):
    seen = see("sell_1280_light")
    page = Image.open(io.BytesIO(seen.shot())).convert("RGB")
    beside = Image.blend(page, ImageChops.offset(page, 1, 0), 1 / 6)
    old, new = (golden.scaled(golden.whole(one), 1280) for one in (page, beside))
    assert golden.is_same(golden.stepped(old), new), golden.share(golden.stepped(old), new)


def test_a_stored_picture_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(golden, "STORED", tmp_path)
    picture = golden.scaled(golden.whole(with_block("#0a6a4b")), 1280)
    assert golden.stored("block") is None
    golden.store("block", picture)
    assert golden.share(golden.stored("block"), golden.stepped(picture)) == 0
    assert golden.share(golden.stored("block"), picture.crop((0, 0, 100, 100))) == 1
