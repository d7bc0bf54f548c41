"""The languages of the page of a sale: the words by themselves in Node, and the page in Chromium, which takes the
language that was chosen on the device, else that of the browser.
"""
import html.parser
import json
import pathlib
import re
import subprocess

import pytest
from playwright.sync_api import expect
from seen import axe

from clerk import WAIT, payments

SOURCES = pathlib.Path(__file__).parents[2] / "Sources"
ASSETS = SOURCES / "TillFeatures/Page/Assets"
LANGUAGES = ["en", "de", "fr", "es", "it", "pl", "ja", "ar", "he"]
RIGHT_TO_LEFT = ["ar", "he"]
SCRIPTS = {"ja": r"[\u3040-\u30ff\u4e00-\u9fff]", "ar": r"[\u0600-\u06ff]", "he": r"[\u0590-\u05ff]"}
# Words that are what they are in English, too.
SAME = {
    "latest.status", "person.name", "person.pin", "rail.account", "session.password", "split.rest", "take.tap",
    "top.live", "top.offline",
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


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The words by language and key, and the plural forms of each language, as the browser reads them."""
    folder = tmp_path_factory.mktemp("words")
    for path in ASSETS.glob("words-*.js"):
        (folder / path.name).write_text(path.read_text())
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.js").write_text("""
        const all = {};
        for (const language of process.argv.slice(2)) {
          const words = (await import(`./words-${language}.js`)).WORDS;
          all[language] = { words, forms: new Intl.PluralRules(language).resolvedOptions().pluralCategories };
        }
        console.log(JSON.stringify(all));""")
    run = subprocess.run(["node", folder / "main.js", *LANGUAGES], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def page_words():
    return Page((ASSETS / "counter.html").read_text()).words


def texts(value):
    """The text by its plural form; that of a text without any is `other`."""
    return value if isinstance(value, dict) else {"other": value}


def blanks(text):
    return set(re.findall(r"\{\w+\}", text))


def test_every_language_has_every_key_with_the_same_blanks(tables, page_words):
    listed = re.search(r"LANGUAGES = \{(.*?)\};", (ASSETS / "words.js").read_text(), re.DOTALL)[1]
    labels = (SOURCES / "TillReceipts/Locale/ReceiptLabels.swift").read_text()
    receipts = re.findall(r'"(\w+)"', re.search(r"languages = \[(.*?)\]", labels)[1])
    assert re.findall(r"(\w+): \"", listed) == receipts == LANGUAGES
    scripts = tables["en"]["words"]
    both = set(scripts) & set(page_words)
    assert {key: scripts[key] for key in both} == {key: page_words[key] for key in both}
    english = page_words | scripts
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
                assert re.search(SCRIPTS.get(language, "."), text), (language, key, text)
            assert value != english[key] or key in SAME, (language, key)


def test_every_key_is_used_and_every_key_that_is_used_is_there(tables, page_words):
    scripts = [path for path in ASSETS.glob("*.js") if not path.name.startswith("words-")]
    prefixes = {key.split(".")[0] for key in tables["de"]["words"]}
    used = {
        key for path in scripts for key in re.findall(KEY, path.read_text()) if key.split(".")[0] in prefixes}
    assert used == set(tables["en"]["words"])
    said = re.findall(rf'(?:{"|".join(SAID)})="([^"]+)"', (ASSETS / "counter.html").read_text())
    assert set(said) == set(page_words)


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
    assert loaded(page) == {"words-en.js", f"words-{language}.js"}
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


def test_signing_in_is_in_the_language(opened, tables):
    words = tables["ja"]["words"]
    page = opened("ja-JP")
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


def test_a_page_that_is_not_translated_speaks_english(opened):
    page = opened("de-DE")
    page.goto(page.url.split("#")[0] + "payments")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#to-counter, .rail a").first).to_be_visible(timeout=WAIT)
    assert loaded(page) == {"words-en.js"}
