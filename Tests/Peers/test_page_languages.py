"""The languages of the page of a sale: the words by themselves in Node, and the page in Chromium, which takes the
language that was chosen on the device, else that of the browser.
"""
import html.parser
import json
import pathlib
import re
import subprocess

import pytest
from office import invite
from playwright.sync_api import expect
from seen import axe
from staff import PINS, Staff

import counter
from clerk import WAIT, payments

SOURCES = pathlib.Path(__file__).parents[2] / "Sources"
ASSETS = SOURCES / "TillFeatures/Page/Assets"
LANGUAGES = ["en", "de", "fr", "es", "it", "pl", "ja", "ar", "he"]
RIGHT_TO_LEFT = ["ar", "he"]
SCRIPTS = {"ja": r"[\u3040-\u30ff\u4e00-\u9fff]", "ar": r"[\u0600-\u06ff]", "he": r"[\u0590-\u05ff]"}
# Words that are what they are in English, too.
SAME = {
    "attention.code", "attention.hours", "attention.incident", "attention.incidents", "attention.minutes",
    "day.journal", "day.wallet", "insights.inCurrency", "insights.net", "insights.wallet", "latest.status", "list.name",
    "list.shop", "list.wallet", "one.code", "one.message", "person.name", "person.pin", "rail.account",
    "session.password", "settings.name", "settings.no", "settings.person", "settings.pin", "settings.pinOptional",
    "settings.scopeOffline", "settings.shops", "settings.webhooks", "split.rest", "take.tap", "top.live", "top.offline",
}
# Texts without a word, such as names of formats.
NO_WORDS = {"attention.chip", "attention.title", "insights.column", "insights.pair"}
# The pages, by the name that their own words have in files; those of a sale are in the files of all pages.
PAGES = {
    "": "Sell/counter.html", "day": "Day/day.html", "insights": "Insights/insights.html",
    "list": "Payments/payments.html", "one": "Payment/one-payment.html", "settings": "Settings/settings.html",
}
# A key in a script is a string of its own.
KEY = r'"([a-z]+\.[A-Za-z0-9]+)"'
SAID = ("data-say", "data-say-label", "data-say-placeholder")
DECLINED = "4000000000000002"


class Page(html.parser.HTMLParser):
    """What the page itself says in English, by key."""

    def __init__(self, text):
        super().__init__()
        self.words, self.key = {}, None
        self.feed(text)

    def note(self, key, text):
        text = " ".join(text.split())
        assert self.words.setdefault(key, text) == text, (key, text, self.words[key])

    def handle_starttag(self, tag, attributes):
        assert self.key is None, f"<{tag}> is inside the text of {self.key}"
        found = dict(attributes)
        for name, attribute in (("data-say-label", "aria-label"), ("data-say-placeholder", "placeholder")):
            if name in found:
                self.note(found[name], found[attribute])
        if "data-say" in found:
            self.key, self.text = found["data-say"], ""

    def handle_data(self, data):
        if self.key:
            self.text += data

    def handle_endtag(self, tag):
        if self.key:
            self.note(self.key, self.text)
            self.key = None


def banner():
    """The banner that the server puts on every page of a counter in test mode."""
    routes = (SOURCES / "TillFeatures/Page/PageRoutes.swift").read_text()
    return "".join(re.findall(r'#"(.*?)"#', routes.split("testMark =\n")[1].split("\n\n")[0]))


def html_of(name):
    return (ASSETS / PAGES[name]).read_text() + ("" if name else banner())


OWN = [name for name in PAGES if f'data-languages="{name}"' in html_of(name)]


@pytest.fixture(scope="module")
def all_tables(tmp_path_factory):
    """By page and language its words by key, and the plural forms of the language, as the browser reads them."""
    folder = tmp_path_factory.mktemp("words")
    for path in (ASSETS / "Words").glob("words-*.js"):
        (folder / path.name).write_text(path.read_text())
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.js").write_text("""
        const [names, languages] = process.argv.slice(2).map((list) => list.split(","));
        const all = {};
        for (const name of names) {
          all[name] = {};
          for (const language of languages) {
            const words = (await import(`./words-${name ? name + "-" : ""}${language}.js`)).WORDS;
            all[name][language] = { words, forms: new Intl.PluralRules(language).resolvedOptions().pluralCategories };
          }
        }
        console.log(JSON.stringify(all));""")
    run = subprocess.run(
        ["node", folder / "main.js", ",".join(["", *OWN]), ",".join(LANGUAGES)], capture_output=True, text=True,
        timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def tables(all_tables):
    """The words that all pages have, which are those of the page of a sale."""
    return all_tables[""]


@pytest.fixture(scope="module")
def page_words():
    return Page(html_of("")).words


def texts(value):
    """The text by its plural form; that of a text without any is `other`."""
    return value if isinstance(value, dict) else {"other": value}


def blanks(text):
    return set(re.findall(r"\{\w+\}", text))


def test_the_languages_are_those_of_the_receipts():
    listed = re.search(r"LANGUAGES = \{(.*?)\};", (ASSETS / "Words/words.js").read_text(), re.DOTALL)[1]
    labels = (SOURCES / "TillReceipts/Locale/ReceiptLabels.swift").read_text()
    receipts = re.findall(r'"(\w+)"', re.search(r"languages = \[(.*?)\]", labels)[1])
    assert re.findall(r"(\w+): \"", listed) == receipts == LANGUAGES


@pytest.mark.parametrize("name", ["", *OWN])
def test_every_language_has_every_key_with_the_same_blanks(all_tables, tables, page_words, name):
    of_all = set(page_words) | set(tables["en"]["words"])
    tables = all_tables[name]
    # A page may say what all pages say, too.
    said = {key: text for key, text in Page(html_of(name)).words.items() if not name or key not in of_all}
    scripts = tables["en"]["words"]
    assert not name or not of_all & set(scripts)
    both = set(scripts) & set(said)
    assert {key: scripts[key] for key in both} == {key: said[key] for key in both}
    english = said | scripts
    assert not name or {key.split(".")[0] for key in english} == {name}
    for language in LANGUAGES[1:]:
        words = tables[language]["words"]
        assert set(words) == set(english), (language, set(words) ^ set(english))
        for key, value in words.items():
            assert isinstance(value, dict) == isinstance(english[key], dict), (language, key)
            if isinstance(value, dict):
                assert set(tables[language]["forms"]) <= set(value), (language, key)
            for form, text in texts(value).items():
                assert text.strip() == text != "", (language, key)
                # Some forms have their number as a word.
                left_out = blanks(texts(english[key])["other"]) ^ blanks(text)
                assert left_out <= ({"{count}"} if form in ("zero", "one", "two") else set()), (language, key, text)
                assert re.search(SCRIPTS.get(language, "."), text) or key in NO_WORDS, (language, key, text)
            assert value != english[key] or key in SAME | NO_WORDS, (language, key)


@pytest.mark.parametrize("name", ["", *OWN])
def test_french_has_narrow_spaces_before_its_signs(all_tables, name):
    for key, value in all_tables[name]["fr"]["words"].items():
        for text in texts(value).values():
            assert not re.search("[^\\S\u202f][;:!?%»]|«[^\\S\u202f]", text), (key, text)


@pytest.mark.parametrize("name", ["", *OWN])
def test_every_key_is_used_and_every_key_that_is_used_is_there(all_tables, page_words, name):
    tables = all_tables[name]
    scripts = [path for path in ASSETS.rglob("*.js") if not path.name.startswith("words-")]
    prefixes = {key.split(".")[0] for key in tables["de"]["words"]}
    used = {
        key for path in scripts for key in re.findall(KEY, path.read_text()) if key.split(".")[0] in prefixes}
    assert used == set(tables["en"]["words"])
    said = re.findall(rf'(?:{"|".join(SAID)})="([^"]+)"', html_of(name))
    assert set(said) <= set(Page(html_of(name)).words)
    known = set(page_words) | set(all_tables[""]["de"]["words"]) | set(tables["de"]["words"])
    assert set(said) <= known, set(said) - known


# ---- The page


def plain(text):
    """A text without the marks that isolate the direction of its parts."""
    return " ".join(re.sub("[\u2066-\u2069\u200e\u200f\u061c]", "", text).split())


def says(locator, text):
    """The locator has this text, whatever marks and spaces are in it."""
    marks = "[\u2066-\u2069\u200e\u200f\u061c\\s]*"
    wanted = [re.escape(character) for character in plain(text) if not character.isspace()]
    expect(locator).to_have_text(re.compile(f"^{marks}{marks.join(wanted)}{marks}$"), timeout=WAIT)


# Which language the document says it is in whenever something of the page is shown.
WATCH = """
  window.seen = [];
  new MutationObserver(() => {
    const shown = ["session", "person", "till"].some((id) => document.getElementById(id)?.hidden === false);
    if (shown) window.seen.push(document.documentElement.lang);
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden"] });
"""


@pytest.fixture
def opened(browser, server):
    """Opens the page of a sale in a browser of that language."""
    contexts, faults = [], []

    def open_page(locale, width=1280):
        context = browser.new_context(locale=locale, viewport={"width": width, "height": 800})
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(WATCH)
        page.on("pageerror", lambda error: faults.append(str(error)))
        server.sign_in(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, faults


def loaded(page):
    """The files of words that the page has asked for."""
    names = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    return {name.rsplit("/", 1)[-1] for name in names if "/words-" in name}


def fits(page, width):
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{wide} wide at {width}"


def judge(page, width):
    fits(page, width)
    axe(page)


def money(page, locale, sum):
    return page.evaluate(
        "([tag, sum]) => new Intl.NumberFormat(tag, { style: 'currency', currency: 'EUR' }).format(sum)", [locale, sum])


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("locale", ["de-DE", "ar-EG", "ja-JP"])
def test_a_whole_sale(server, opened, tables, page_words, locale, width):
    language = locale.split("-")[0]
    words = tables[language]["words"]
    page = opened(locale, width)
    root = page.locator("html")
    expect(root).to_have_attribute("lang", locale)
    expect(root).to_have_attribute("dir", "rtl" if language in RIGHT_TO_LEFT else "ltr")
    assert page.title() == words["page.title"]
    assert loaded(page) == {f"words-{language}.js"}
    assert set(page.evaluate("window.seen")) == {locale}
    says(page.locator("#to-counter"), words["rail.sell"])
    says(page.locator("#sale-title"), words["sale.new"])
    says(page.locator("#charge-words"), words["take.charge"])
    expect(page.locator("#q")).to_have_attribute("placeholder", words["top.find"])
    judge(page, width)
    # What is wrong with the amount is said in the language.
    page.locator("input[name=tender][value=cash]").check()
    page.locator("#amount").fill("12.505")
    page.locator("#charge").click()
    forms = words["fault.places"]
    wanted = forms["two"] if language == "ar" else forms["other"]
    count = page.evaluate("(tag) => new Intl.NumberFormat(tag).format(2)", locale)
    says(page.locator("#amount-fault"), wanted.replace("{currency}", "EUR").replace("{count}", count))
    # A sale in cash, with change; digits are taken in the script of the keyboard.
    page.locator("#amount").fill({"ar": "١٢٫٥٠", "ja": "１２．５０"}.get(language, "12,50"))
    says(page.locator("#charge-words"), words["take.chargeSum"].replace("{sum}", money(page, locale, 12.5)))
    page.locator("#tendered").fill("20")
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text(words["pay.paid"], timeout=WAIT)
    says(page.locator("#detail"), words["pay.charged"].replace("{sum}", money(page, locale, 12.5)))
    says(page.locator("#stage-sum"), money(page, locale, 12.5))
    expect(page.locator("#change")).to_contain_text(words["stage.change"])
    says(page.locator("#rows tr").first.locator("td").nth(1), words["pay.paid"])
    judge(page, width)
    # The question before a refund names the sum; it is not sent.
    page.locator("#refund-amount").fill("2.50")
    page.locator("#refund-form button[type=submit]").click()
    says(page.locator("#review-title"), words["refunding.inCash"].replace("{sum}", money(page, locale, 2.5)))
    says(page.locator("#review-back"), words["parked.back"])
    page.locator("#review-back").click()
    page.locator("#another").click()
    # A decline: the headline in the language, the provider's reason in English and marked as such.
    page.locator("input[name=tender][value=card]").check()
    page.locator("#amount").fill("8.30")
    page.locator("#number").fill("4242424242424243")
    page.locator("#charge").click()
    says(page.locator("#number-fault"), words["card.checkDigit"])
    page.locator("#number").fill(DECLINED)
    page.locator("#expires").fill("12/30")
    page.locator("#code").fill("123")
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_have_text(words["pay.declined"], timeout=WAIT)
    expect(page.locator("#detail bdi[lang=en]")).to_have_text(re.compile("[A-Za-z]{3}"))
    judge(page, width)
    assert [one["captured"] for one in payments(server) if one["captured"]] == [1250]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("locale", ["de-DE", "ar-EG", "ja-JP"])
def test_the_pages_of_payments(server, opened, all_tables, locale, width):
    language = locale.split("-")[0]
    words = {key: text for name in ("", "list", "one") for key, text in all_tables[name][language]["words"].items()}
    made = server.create("10431", "k-1").json()["id"]
    assert server.confirm(made, "k-2", counter.CARD_TENDER).json()["captured"] == 1250
    page = opened(locale, width)
    root = page.locator("html")
    page.goto(server.url + "/payments")
    expect(root).to_have_attribute("lang", locale, timeout=WAIT)
    expect(root).to_have_attribute("dir", "rtl" if language in RIGHT_TO_LEFT else "ltr")
    assert page.title() == words["list.title"]
    assert loaded(page) == {f"words-{language}.js", f"words-list-{language}.js"}
    forms = words["list.count"]
    count = page.evaluate("(tag) => new Intl.NumberFormat(tag).format(1)", locale)
    says(page.locator("#count"), forms.get("one", forms["other"]).replace("{count}", count))
    says(page.locator("#rows .sum bdi"), money(page, locale, 12.5))
    judge(page, width)
    # One of them, up to the question before a refund, which is not sent.
    page.locator("#rows a").click()
    says(page.locator("#figure"), money(page, locale, 12.5))
    says(page.locator("#rest"), words["one.isKept"])
    says(page.locator("#timeline-title"), words["one.timeline"])
    judge(page, width)
    page.locator("#refund").click()
    page.locator("#amount").fill("20")
    page.locator("#ask-form .primary").click()
    says(page.locator("#amount-fault"), words["one.most"].replace("{sum}", money(page, locale, 12.5)))
    page.locator("#amount").fill("2.50")
    page.locator("#ask-form .primary").click()
    says(page.locator("#review-send"), words["refunding.sendSum"].replace("{sum}", money(page, locale, 2.5)))
    judge(page, width)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("locale", ["de-DE", "ar-EG", "ja-JP"])
def test_the_settings(server, opened, all_tables, locale, width):
    language = locale.split("-")[0]
    words = all_tables["settings"][language]["words"]
    page = opened(locale, width)
    root = page.locator("html")
    page.goto(server.url + "/settings")
    expect(root).to_have_attribute("lang", locale, timeout=WAIT)
    expect(root).to_have_attribute("dir", "rtl" if language in RIGHT_TO_LEFT else "ltr")
    says(page.locator("#title"), words["settings.allTitle"])
    assert page.title() == words["settings.page"]
    assert loaded(page) == {f"words-{language}.js", f"words-settings-{language}.js"}
    expect(page.locator(".rail .language")).to_have_value(language)
    expect(page.locator(".thing")).to_have_count(11, timeout=WAIT)
    judge(page, width)
    # A key is made, and whether to revoke it is asked in the language; it is not sent.
    page.goto(server.url + "/settings/keys")
    says(page.locator("#about"), words["settings.keysNone"])
    page.locator(".adding summary").click()
    page.locator("#key-label").fill("Web shop")
    page.locator(".adding .primary").click()
    says(page.locator("#kept strong"), words["settings.copyKey"])
    judge(page, width)
    page.locator(".keys .danger").click()
    says(page.locator("#review-title"), words["settings.revokeOne"].replace("{name}", "Web shop"))
    says(page.locator("#review-words"), words["settings.revokeWords"])
    judge(page, width)
    page.locator("#review-back").click()
    # What the till found is English, and marked as such.
    page.goto(server.url + "/settings/health")
    says(page.locator("#body h3").first, words["settings.findings"])
    expect(page.locator(".findings bdi[lang=en]").first).to_have_text(re.compile("[A-Za-z]{3}"))
    judge(page, width)
    # Of the audit log what stands around its entries is in the language; they name things as commands do.
    page.goto(server.url + "/settings/audit")
    says(page.locator("#about"), words["settings.auditAbout"])
    says(page.locator(".audit-filter label"), words["settings.auditOnly"])
    expect(page.locator(".audit tbody tr", has_text="key.created")).to_contain_text("Web shop", timeout=WAIT)
    judge(page, width)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("locale", ["de-DE", "ar-EG", "ja-JP"])
def test_the_day(server, opened, all_tables, tables, locale, width):
    language = locale.split("-")[0]
    words = tables[language]["words"] | all_tables["day"][language]["words"]
    page = opened(locale, width)

    def said(key, units):
        return words[key].replace("{sum}", money(page, locale, units))

    def count(units):
        page.locator("#sum-only").check()
        page.locator("#typed-sum").fill(units)
        page.locator("#submit-count").click()

    page.goto(server.url + "/day")
    says(page.locator("#count-title"), words["day.countFloat"])
    says(page.locator("#submit-count"), said("day.openWith", 0))
    assert page.title() == words["day.title"]
    assert loaded(page) == {f"words-{language}.js", f"words-day-{language}.js"}
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if language in RIGHT_TO_LEFT else "ltr")
    expect(page.locator(".rail .language")).to_have_value(language)
    judge(page, width)
    count("12.50")
    says(page.locator("#done"), said("day.opened", 12.5))
    says(page.locator("#rows tr").last.locator(".what"), words["day.floatCounted"])
    judge(page, width)
    page.locator("#to-count").click()
    count("10")
    says(page.locator("#difference"), money(page, locale, -2.5))
    says(page.locator("#close"), said("day.closeWith", -2.5))
    judge(page, width)
    # What is printed is English, and marked as such.
    page.goto(server.url + "/day?view=x")
    says(page.locator("#report-title"), words["day.xReport"])
    paper = page.locator("#paper[lang=en][dir=ltr]")
    expect(paper).to_contain_text(re.compile(r"[A-Z][a-z]{2} \d\d, \d{4}"))
    expect(paper).to_contain_text(re.compile(r"Float\s+12\.50"))
    judge(page, width)


def test_words_of_the_till_that_say_no_are_english_and_marked(opened, tables):
    page = opened("de-DE")
    page.locator("#amount").fill("12.50")
    page.locator("#order").fill("o-1")
    page.locator("input[name=tender][value=cash]").check()
    page.route("**/v1/payments", lambda route: route.fulfill(
        status=422, content_type="application/problem+json",
        body=json.dumps({"detail": "This is refused.", "money_moved": "no", "code": "invalid_request"})))
    page.locator("#charge").click()
    expect(page.locator("#alert bdi[lang=en]")).to_have_text("This is refused.", timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text(tables["de"]["words"]["pay.noMoney"])
    expect(page.locator("#headline")).to_have_text(tables["de"]["words"]["pay.notCharged"])


def test_what_to_do_next_is_in_the_language_of_the_page(opened, tables):
    page = opened("de-DE")
    page.locator("#amount").fill("12.50")
    page.locator("input[name=tender][value=cash]").check()
    page.route("**/v1/payments", lambda route: route.fulfill(
        status=409, content_type="application/problem+json",
        body=json.dumps({"detail": "This order exists.", "code": "order_exists", "money_moved": "no"})))
    page.locator("#charge").click()
    expect(page.locator("#alert")).to_contain_text(tables["de"]["words"]["next.orderExists"], timeout=WAIT)
    expect(page.locator("#alert bdi[lang=en]")).to_have_text("This order exists.")


STILL = 60_000  # a PIN is slow to check on purpose


def enter(page, name):
    page.locator("#person-names label", has_text=name).locator("input").check(timeout=STILL)
    page.locator("#pin").fill(PINS[name])
    page.locator("#pin").press("Enter")
    expect(page.locator("#who")).to_contain_text(name, timeout=STILL)


@pytest.mark.parametrize("locale", ["de-DE", "ar-EG", "ja-JP"])
def test_somebody_elses_request_an_account_and_an_invitation_are_in_the_language(browser, server, tables, locale):
    words = tables[locale.split("-")[0]]["words"]
    shop = Staff(server).shop()
    context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(server.start_url())
    enter(page, "Mona")
    page.locator("#amount").fill("20.00")
    page.locator("input[name=tender][value=cash]").check()
    page.locator("#charge").click()
    says(page.locator("#headline"), words["pay.paid"])
    page.route("**/refunds", lambda route: route.abort())
    page.locator("#refund-form button").click()
    page.locator("#review-send").click()
    says(page.locator("#headline"), words["stage.checking"])
    page.evaluate("fetch('/session/person', { method: 'DELETE', headers: { 'X-Till-Page': '1' } })")
    page.reload()
    enter(page, "Olga")
    says(page.locator("#unfinished-title"), words["kept.title"])
    says(page.locator("#unfinished-words"), words["kept.words"].replace("{name}", "Mona"))
    says(page.locator("#unfinished-facts dd").first, words["refunding.title"])
    judge(page, 1280)
    page.locator("#unfinished-drop").click()
    page.locator("#to-account").click()
    says(page.locator("#own-title"), words["account.where"])
    expect(page.locator("#own-sessions li")).to_have_count(1, timeout=STILL)
    expect(page.locator("#own-sessions")).to_contain_text(words["account.device"])
    says(page.locator("#all-title"), words["account.staff"])
    says(page.locator("#all-people button").first, words["account.invite"])
    assert page.locator("#account-view [lang=en]").count() == 0
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        judge(page, width)
    context.clear_cookies()
    page.goto("about:blank")
    page.goto(invite(shop, "Carl"))
    says(page.locator("#invited-title"), words["invited.titleOf"].replace("{name}", "Carl"))
    says(page.locator("#invited-form button"), words["invited.send"])
    expect(page.locator("#invited [lang=en]")).to_have_count(0)
    judge(page, 390)
    context.close()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_choice_in_the_rail_stays_and_nothing_is_too_wide(opened, tables, language):
    page = opened("sv-SE")
    root = page.locator("html")
    expect(root).to_have_attribute("lang", "en")
    page.locator(".rail .language").select_option(language)
    expect(root).to_have_attribute("lang", language, timeout=WAIT)
    says(page.locator("#sale-title"), tables[language]["words"]["sale.new"])
    page.reload()
    expect(root).to_have_attribute("lang", language, timeout=WAIT)
    expect(page.locator("#till")).to_be_visible(timeout=WAIT)
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 800})
        fits(page, width)
    page.locator("#language-too").select_option("en")
    expect(root).to_have_attribute("lang", "en", timeout=WAIT)
    expect(page.locator("#sale-title")).to_have_text("New sale", timeout=WAIT)


# The room that is left beside the widest name; the browser's own arrow would take of it what no style says.
ROOM = """(choice) => {
  const style = getComputedStyle(choice), pen = document.createElement("canvas").getContext("2d");
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const widest = Math.max(...[...choice.options].map((one) => pen.measureText(one.text).width));
  const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  return style.appearance === "none" ? choice.clientWidth - padding - widest : -1;
}"""


@pytest.mark.parametrize("locale", ["sv-SE", "ar-EG"])
def test_the_choice_in_the_rail_has_room_for_each_name(opened, locale):
    page = opened(locale)
    rail = page.locator(".rail")
    expect(rail.locator(".language")).to_be_visible(timeout=WAIT)
    assert rail.locator(".language").evaluate(ROOM) >= 0
    assert rail.evaluate("(one) => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("locale", ["de-DE", "ar-EG", "ja-JP"])
def test_insights_and_what_waits_for_a_person(server, opened, all_tables, locale, width):
    language = locale.split("-")[0]
    words = {key: text for name in ("", "insights") for key, text in all_tables[name][language]["words"].items()}
    made = server.create("10431", "k-1").json()["id"]
    assert server.confirm(made, "k-2", {"type": "cash", "tendered": 1250}).json()["captured"] == 1250
    page = opened(locale, width)
    page.goto(server.url + "/insights")
    root = page.locator("html")
    expect(root).to_have_attribute("lang", locale, timeout=WAIT)
    expect(root).to_have_attribute("dir", "rtl" if language in RIGHT_TO_LEFT else "ltr")
    assert page.title() == words["insights.title"]
    assert loaded(page) == {f"words-{language}.js", f"words-insights-{language}.js"}
    expect(page.locator("#figures")).to_be_visible(timeout=WAIT)
    says(page.locator("#over-time-title"), words["insights.byDay"])
    says(page.locator("#tiles .tile > span").first, words["insights.captured"])
    says(page.locator("#tenders th"), words["take.cash"])
    judge(page, width)
    # An entry of the queue: its title and age in the language, what the till says of it in English and marked.
    entry = {
        "payment_id": made, "number": 1, "code": "refund_reversed", "reason": "The refund failed later.",
        "next": "Give the money back.", "amount": 500, "currency": "EUR", "order_id": "10431", "order_number": "10431",
        "since": "2026-11-20T10:00:00Z", "age_seconds": 7200, "assignee": None}
    # And a part of the setup that is to be mended; since when is not known.
    notice = {
        "code": "settings", "subject": "shop.example", "reason": "The file is gone.", "next": "Put it back.",
        "since": None, "age_seconds": None}
    page.route(re.compile(r"/v1/attention\?"), lambda route: route.fulfill(
        content_type="application/json",
        body=json.dumps({"attention": [entry], "incidents": [], "incidents_open": 0, "setup": [notice]})))
    page.goto(server.url + "/#attention")
    title = words["attention.title"].replace("{title}", words["attention.refundReversed"]).replace("{name}", "10431")
    says(page.locator("#queue-list h3").first, words["attention.setup"].replace("{name}", "shop.example"))
    says(page.locator("#queue-list h3").last, title)
    count = page.evaluate("(tag) => new Intl.NumberFormat(tag).format(2)", locale)
    says(page.locator("#queue-list time"), words["attention.hours"].replace("{count}", count))
    expect(page.locator("#queue-list li").first.locator("bdi[lang=en]")).to_have_text(
        ["The file is gone.", "Put it back."])
    expect(page.locator("#queue-list li").last.locator("bdi[lang=en]").first).to_have_text("The refund failed later.")
    judge(page, width)


def test_signing_in_is_in_the_language(opened, tables):
    words = tables["ja"]["words"]
    page = opened("ja-JP")
    # The page that asks to sign in has its words while it is hidden, too.
    with page.expect_navigation():
        page.locator("#sign-out").click()
    page.set_viewport_size({"width": 390, "height": 800})
    says(page.locator("#session-title"), words["session.signIn"])
    judge(page, 390)
    page.locator("#key").fill("till_wrong")
    page.locator("#session-form button").click()
    says(page.locator("#session-why"), words["session.keyRefused"])
    page.locator("#language").select_option("he")
    expect(page.locator("html")).to_have_attribute("dir", "rtl", timeout=WAIT)
    says(page.locator("#session-title"), tables["he"]["words"]["session.signIn"])
    judge(page, 390)


@pytest.mark.parametrize("locale", ["de-DE", "ar-EG"])
def test_the_banner_of_test_mode_is_in_the_language(server, opened, tables, locale):
    page = opened(locale)
    words = tables[locale[:2]]["words"]
    for path in ("/", "/payments", "/settings"):
        page.goto(server.url + path)
        mark = page.locator(".test-mode")
        says(mark, words["top.test"])
        expect(mark).to_have_attribute("aria-label", words["top.testName"])
        direction = "rtl" if locale[:2] in RIGHT_TO_LEFT else "ltr"
        assert mark.evaluate("(one) => getComputedStyle(one).direction") == direction


@pytest.mark.parametrize("lost", ["words-de.js", "words-list-de.js"])
def test_a_page_whose_words_do_not_come_speaks_english(server, opened, lost):
    page = opened("de-DE")
    page.route("**/" + lost, lambda route: route.abort())
    page.goto(server.url + "/payments")
    expect(page.locator("#zone")).to_contain_text("Times in", timeout=WAIT)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("h1")).to_have_text("Payments")
    assert {"words-en.js", "words-list-en.js"} <= loaded(page)


def test_times_on_a_page_in_english_are_english_in_every_browser(server, opened):
    made = server.create("10431", "k-1").json()["id"]
    assert server.confirm(made, "k-2", {"type": "cash", "tendered": 1250}).json()["captured"] == 1250
    page = opened("sv-SE")
    page.goto(f"{server.url}/payments/{made}")
    expect(page.locator("#meta")).to_contain_text(re.compile(r"[A-Z][a-z]{2} \d{1,2}, 20\d\d, "), timeout=WAIT)


def test_a_page_that_is_not_translated_speaks_english(opened):
    page = opened("de-DE")
    page.goto(page.url.split("#")[0] + "kitchen")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#open")).to_be_attached(timeout=WAIT)
    assert loaded(page) <= {"words-en.js"}
