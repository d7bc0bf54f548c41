"""The languages of the card fields: the tables by themselves in Node, and the frame in Chromium, which takes the
language of the element, of the shop's page or of the browser.
"""
import json
import pathlib
import re
import shutil
import subprocess

import pytest
import test_card_fields as card_fields
import test_card_frames as card_frame
from playwright.sync_api import expect
from seen import pictures
from test_card_fields import WAIT, fields, pay, says, session, shown

import card_frames
import counter

team = card_fields.team
SOURCES = pathlib.Path(__file__).parents[2] / "Sources"
ASSETS = SOURCES / "TillFeatures/CardFields/Assets"
LANGUAGES = ["en", "de", "fr", "es", "it", "pl", "ja", "ar", "he"]
# A text in another language may be the English one here: Latin letters for what is typed in Latin digits.
SAME = {("ar", "dateShape"), ("he", "dateShape")}
SCRIPTS = {"ja": r"[\u3040-\u30ff\u4e00-\u9fff]", "ar": r"[\u0600-\u06ff]", "he": r"[\u0590-\u05ff]"}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The texts by language and name; those by code are named `codes.…`. Read as the browser reads them."""
    folder = tmp_path_factory.mktemp("words")
    for path in ASSETS.glob("card-words*.js"):
        shutil.copy(path, folder / path.name.removeprefix("card-"))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.js").write_text('import { TABLES } from "./words.js"; console.log(JSON.stringify(TABLES));')
    run = subprocess.run(["node", folder / "main.js"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return {
        language: {name: text for name, text in table.items() if name != "codes"}
        | {f"codes.{code}": text for code, text in table["codes"].items()}
        for language, table in json.loads(run.stdout).items()
    }


def blanks(text):
    return sorted(re.findall(r"\{\w+\}", text))


def test_every_language_of_the_receipts_has_every_text(tables):
    labels = (SOURCES / "TillReceipts/Locale/ReceiptLabels.swift").read_text()
    assert list(tables) == re.findall(r'"(\w+)"', re.search(r"languages = \[(.*?)\]", labels)[1]) == LANGUAGES
    english = tables["en"]
    for language, table in tables.items():
        assert set(table) == set(english), (language, set(table) ^ set(english))
        for name, text in table.items():
            assert text.strip() == text != "", (language, name)
            assert blanks(text) == blanks(english[name]), (language, name, text)
            if language == "en" or (language, name) in SAME:
                continue
            assert text != english[name], (language, name)
            assert re.search(SCRIPTS.get(language, "."), text), (language, name, text)


def test_what_the_frame_says_is_in_the_tables_and_nothing_else(tables):
    texts = [p.read_text() for p in sorted(ASSETS.glob("card-*")) if not p.name.startswith("card-words")]
    used = {name for text in texts for name in re.findall(r'(?:\b(?:text|said)\(|data-word=)"(\w+)"', text)}
    assert used == {name for name in tables["en"] if "." not in name}
    codes = {name.removeprefix("codes.") for name in tables["en"] if "." in name}
    failures = {code for text in texts for code in re.findall(r'new FieldsFailure\(\s*"(\w+)"', text)}
    assert failures and failures <= codes
    # A code that nobody says any more has no sentence.
    swift = [SOURCES / "TillCore/Provider/Decline.swift", SOURCES / "TillFeatures/CardFields/Problem+CardFields.swift"]
    said = failures | {code for p in swift for code in re.findall(r'"([a-z_]+)"', p.read_text())}
    assert codes <= said, codes - said


def shop(team, server, browser, text, element="", page="", **context):
    """The shop's page with a language of the element's and of its own."""
    markup = card_fields.PAGE.format(url=server.url, session=text)
    markup = markup.replace('<html lang="en">', f'<html lang="{page}">' if page else "<html>")
    if element:
        markup = markup.replace("<till-card ", f'<till-card lang="{element}" ')
    (team.folder / "index.html").write_text(markup)
    opened = browser.new_context(**context).new_page()
    opened.goto(f"{team.origin}/index.html")
    return opened


def type_card(page, number, expires="12/34", code="123"):
    for name, text in (("number", number), ("expires", expires), ("code", code)):
        field = fields(page).locator(f"#{name}")
        expect(field).to_be_enabled(timeout=WAIT)
        field.fill("")
        field.press_sequentially(text)


def plain(text):
    """A text without the marks that isolate the direction of its parts."""
    return re.sub("[\u2066-\u2069\u200e\u200f\u061c]", "", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_frame_speaks_the_language_of_its_element(server, team, browser, tables, tmp_path, language):
    words = tables[language]
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text, element=language, page="en", locale="pl-PL")
    frame = fields(page)
    root = frame.locator("html")
    expect(root).to_have_attribute("lang", language, timeout=WAIT)
    expect(root).to_have_attribute("dir", "rtl" if language in ("ar", "he") else "ltr")
    for name in ("number", "expires", "code"):
        expect(frame.locator(f"label[for={name}]")).to_have_text(words[name])
    expect(frame.locator("#expires")).to_have_attribute("placeholder", words["dateShape"])
    expect(page.locator("till-card iframe")).to_have_attribute("title", words["title"])
    expect(frame.locator("#due")).not_to_be_empty(timeout=WAIT)
    due = plain(frame.locator("#due").text_content())
    amount = page.evaluate(
        "(tag) => new Intl.NumberFormat(tag, { style: 'currency', currency: 'EUR' }).format(12.5)", language)
    assert due == f"{plain(amount)} · {words['order'].format(order='o-1')}"
    # Each field says in its language what is wrong with it.
    type_card(page, "4242424242424243", "13/34", "12")
    pay(page)
    says(page, "error invalid_card")
    expect(frame.locator("#number-fault")).to_have_text(words["numberCheckDigit"])
    expect(frame.locator("#expires-fault")).to_have_text(words["date"])
    expect(frame.locator("#code-fault")).to_have_text(words["codeLength"].format(count=3))
    frame.locator("#code").fill("")
    assert plain(frame.locator("#code").get_attribute("placeholder")) == words["codeDigits"].format(count=3)
    assert root.evaluate("(root) => root.scrollWidth <= root.clientWidth"), "a text is too wide for the frame"
    if language in ("de", "ar"):
        pictures(page, tmp_path, f"card_words_{language}", 390)("mistyped")
    # A decline is said in words of the frame's own, and so is the end; the page gets the same sentences.
    type_card(page, "4000000000009995")
    pay(page)
    says(page, "declined ")
    expect(frame.get_by_role("status")).to_have_text(words["codes.insufficient_funds"])
    type_card(page, card_fields.CARD)
    pay(page)
    says(page, "paid ")
    expect(frame.get_by_role("status")).to_have_text(words["paid"])
    heard = {name: detail for name, detail in page.evaluate("window.heard")}
    assert heard["declined"]["message"] == words["codes.insufficient_funds"]
    assert heard["paid"]["message"] == words["paid"]
    if language in ("de", "ar"):
        pictures(page, tmp_path, f"card_words_{language}", 390)("paid")
    assert shown(server, payment)["captured"] == 1250


@pytest.mark.parametrize("element, page, locale, expected", [
    ("de", "fr", "it-IT", "de"), ("", "fr-CA", "it-IT", "fr-CA"), ("", "", "it-IT", "it-IT"),
    ("", "sv", "pl-PL", "pl-PL"), ("", "sv", "sv-SE", "en"), ("de\"><b>", "", "sv-SE", "en")])
def test_the_language_is_that_of_the_element_else_of_the_page_else_of_the_browser(
        server, team, browser, element, page, locale, expected):
    _, text = session(server, team.origin)
    opened = shop(team, server, browser, text, element.replace('"', "&quot;"), page, locale=locale)
    expect(fields(opened).locator("html")).to_have_attribute("lang", expected, timeout=WAIT)


def test_another_language_is_taken_up_until_a_payment_has_ended(server, team, browser, tables):
    _, text = session(server, team.origin)
    page = shop(team, server, browser, text, element="de")
    label = fields(page).locator("label[for=number]")
    expect(label).to_have_text(tables["de"]["number"], timeout=WAIT)
    page.evaluate("document.querySelector('till-card').lang = 'ja'")
    expect(label).to_have_text(tables["ja"]["number"], timeout=WAIT)
    type_card(page, card_fields.CARD)
    pay(page)
    says(page, "paid ")
    page.evaluate("document.querySelector('till-card').lang = 'fr'")
    page.wait_for_timeout(300)
    expect(fields(page).get_by_role("status")).to_have_text(tables["ja"]["paid"])
    assert [name for name, _ in page.evaluate("window.heard")].count("paid") == 1


def test_stripes_script_gets_the_language(tmp_path, sandbox, team, browser, tables):
    with card_frame.run_stripe(tmp_path, sandbox) as server:
        watched = card_frame.Watched(browser, card_frames.stripe(sandbox))
        _, text = session(server, team.origin)
        page = shop(team, server, watched, text, element="fr-CA")
        expect(card_frame.field(page, "number")).to_be_visible(timeout=WAIT)
        frame = next(frame for frame in page.frames if "/card/frame/" in frame.url)
        assert frame.evaluate("window.fieldsLocale") == "fr"
        assert counter.until(lambda: card_frame.heard(page, "ready") or page.wait_for_timeout(50))
        pay(page)
        says(page, "error invalid_card")
        expect(fields(page).locator("#number-fault")).to_have_text(tables["fr"]["numberMissing"])


def test_paypals_script_gets_the_language_with_its_country(tmp_path, stand_in, team, browser):
    with card_frame.run_paypal(tmp_path, stand_in) as server:
        watched = card_frame.Watched(browser, card_frames.paypal(stand_in))
        _, text = session(server, team.origin)
        page = shop(team, server, watched, text, element="he")
        expect(card_frame.field(page, "number")).to_be_visible(timeout=WAIT)
        assert counter.until(lambda: watched.sent("https://www.paypal.com/sdk/js") or page.wait_for_timeout(50))
        assert "locale=he_IL" in watched.sent("https://www.paypal.com/sdk/js")[0][0]
