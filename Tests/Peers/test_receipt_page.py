"""Receipts on the counter's page in a real browser: as they print, the printer's state and paper, sending by e-mail,
and whether people who cannot see it get all of it (axe)."""
import os
import pathlib

import pytest
from playwright.sync_api import expect

import counter
from mail_server import CUSTOMER, Post, serve, settings
from printers import PaperPrinter

WAIT = 15_000


@pytest.fixture
def shop(tmp_path):
    mail, printer = Post(), PaperPrinter()
    server = serve(mail)
    env = {**settings(server.port, security="none"), "TILL_STORE": "Tea & Co", "TILL_STORE_ADDRESS": "Road 1\\nTown"}
    with counter.Server(tmp_path, env=env) as till:
        address = f"socket://127.0.0.1:{printer.port}"
        assert counter.till("printers", "add", "counter", address, "--journal", till.journal).code == 0
        till.mail, till.printer = mail, printer
        made = till.create("o-1", "k1").json()["id"]
        assert till.confirm(made, "k2").status_code == 200
        till.payment = made
        yield till
    server.stop()


def until(page, fits):
    """The picture's width in dots; the page's policy lets no script of ours wait in it."""
    for _ in range(150):
        if fits(page.evaluate("(e => e.complete ? e.naturalWidth : 0)(document.getElementById('receipt-picture'))")):
            return
        page.wait_for_timeout(100)
    raise AssertionError("the picture did not come")


def test_the_keys_print_the_receipt_and_lead_to_its_e_mail(shop, page):
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    shop.sign_in(page, f"/#{shop.payment}")
    expect(page.locator("#printer-state")).to_contain_text("ready", timeout=WAIT)
    expect(page.locator("#send-form")).to_be_visible(timeout=WAIT)
    # In a field they are letters.
    page.locator("#main").focus()
    page.keyboard.press("p")
    expect(page.locator("#print-note")).to_contain_text("handed to the printer", timeout=WAIT)
    assert shop.printer.printed.count(b"\x1b@") == 1 and b"MERCHANT COPY" not in shop.printer.printed
    page.keyboard.press("m")
    expect(page.get_by_label("Send it by e-mail to")).to_be_focused()
    assert faults == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_receipt_is_seen_printed_and_sent_from_the_page(shop, tmp_path, width, browser):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = browser.new_page(viewport={"width": width, "height": 900})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    shop.sign_in(page, f"/#{shop.payment}")
    picture = page.get_by_role("img", name="The receipt as it prints: 80 mm")
    expect(picture).to_be_visible(timeout=WAIT)
    until(page, lambda dots: dots > 600)
    page.get_by_label("Show it as").select_option("58")
    until(page, lambda dots: 0 < dots < 500)
    page.get_by_label("Show it as").select_option("screen")
    expect(page.frame_locator("#receipt").get_by_text("PAID", exact=True)).to_be_visible(timeout=WAIT)
    page.get_by_label("Show it as").select_option("80")
    until(page, lambda dots: dots > 600)
    state = page.locator("#printer-state")
    expect(state).to_contain_text("ready", timeout=WAIT)
    # Another picture moves the button below it, so that a click in that moment meets something else.
    page.get_by_label("Copy").select_option("merchant")
    until(page, lambda dots: dots > 600)
    page.get_by_role("button", name="Print the receipt").click()
    expect(page.locator("#print-note")).to_contain_text("handed to the printer", timeout=WAIT)
    assert b"MERCHANT COPY" in shop.printer.printed
    shop.printer.paper = 0x72  # The roll has ended.
    page.get_by_role("button", name="Print the receipt").click()
    expect(state).to_contain_text("out of paper", timeout=WAIT)
    expect(page.locator("#print-note")).to_contain_text("out of paper", timeout=WAIT)
    page.get_by_label("Copy").select_option("customer")
    page.get_by_label("Send it by e-mail to").fill(CUSTOMER)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#mails")).to_contain_text("a•••@customer.example: sent", timeout=WAIT)
    assert len(shop.mail.letters) == 1
    assert "lovelace" not in page.content() and page.get_by_label("Send it by e-mail to").input_value() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Without what is fixed over the page's middle: where it is scrolled to is chance.
    page.set_viewport_size({"width": width, "height": page.evaluate("document.documentElement.scrollHeight")})
    found = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    assert found.response["violations"] == [], found.generate_report()
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"receipt-page-{width}.png", full_page=True)
    page.close()
    assert faults == []
    assert shop.request("GET", "/v1/payments/" + shop.payment).json()["status"] == "succeeded"
