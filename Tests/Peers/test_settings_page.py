"""The settings' page: every section with what there is and with nothing, without the permission, and while one request
fails. What ends something asks twice, and what is secret is shown once."""
import re
import sqlite3
import time

import pytest
import requests
import woo
from playwright.sync_api import expect
from seen import axe, pictures
from staff import PINS, Staff, problem
from test_receipt_page import PaperPrinter
from webhook_receiver import Receiver

import counter
from clerk import WAIT

STILL = 60_000  # a PIN is slow to check on purpose
PIN = "582914"
SECTIONS = {
    "readers": "Readers", "printers": "Printers", "receipts": "Receipts", "staff": "Staff and roles", "keys": "Keys",
    "shops": "Shops", "webhooks": "Webhooks", "providers": "Providers", "audit": "Audit log", "backups": "Backups",
    "health": "Health",
}
# What a cashier may see of them.
OF_READERS = {"readers", "printers"}


@pytest.fixture
def latency():
    return "0ms"


def followed(page):
    """What keeps the faults of a page; nothing in it may fail, nor be refused by its policy."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    return faults


@pytest.fixture
def office(page, server):
    faults = followed(page)
    server.sign_in(page)
    yield page
    assert not faults, faults


@pytest.fixture
def shoot(page, tmp_path):
    take = pictures(page, tmp_path, "settings", narrow=390)

    def both(name):
        take(name)
        page.set_viewport_size({"width": 1280, "height": 800})

    return both


def visit(page, server, section=""):
    page.goto(server.url + "/settings" + (section and "/" + section))
    expect(page.locator("#title")).to_have_text(SECTIONS.get(section, "All settings"), timeout=WAIT)
    expect(page.locator("#about")).not_to_have_text("Reading…", timeout=WAIT)
    expect(page.locator("#body > *").first).to_be_visible(timeout=WAIT)


def judged(page):
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        axe(page)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click(timeout=WAIT)


def agree(page, words):
    """Both steps, the second by somebody who reads it: the key that asked answers nothing."""
    expect(page.locator("#review-back")).to_be_focused(timeout=WAIT)
    expect(page.locator("#review")).to_contain_text(words)
    page.locator("#review-send").click(timeout=WAIT)


def enter(page, server, name, pin):
    page.goto(server.start_url())
    page.get_by_role("radio", name=name).check(timeout=STILL)
    page.get_by_label("PIN", exact=True).fill(pin)
    page.get_by_label("PIN", exact=True).press("Enter")
    expect(page.locator("#who")).to_contain_text(name, timeout=STILL)


def key(server, label="Other shop"):
    made = server.request("POST", "/v1/keys", {"label": label, "scopes": ["read"]}, "a-key")
    assert made.status_code == 201, made.text
    return made.json()


def test_every_section_is_there_with_nothing_in_it(office, server, shoot):
    page = office
    visit(page, server)
    expect(page.locator(".thing")).to_have_count(len(SECTIONS), timeout=WAIT)
    judged(page)
    shoot("all")
    for section in SECTIONS:
        page.get_by_role("navigation", name="Settings").get_by_role(
            "link", name=SECTIONS[section], exact=True).click()
        page.wait_for_url("**/settings/" + section, timeout=WAIT)
        expect(page.locator("#title")).to_have_text(SECTIONS[section], timeout=WAIT)
        expect(page.locator("#about")).not_to_have_text("Reading…", timeout=WAIT)
        expect(page.locator("#body > *").first).to_be_visible(timeout=WAIT)
        judged(page)
        shoot(section)
    page.go_back()
    expect(page.locator("#title")).to_have_text("Backups", timeout=WAIT)


@pytest.mark.parametrize("scheme,contrast", [("light", "more"), ("dark", None), ("dark", "more")])
def test_it_is_seen_in_the_dark_and_with_more_contrast(office, server, tmp_path, scheme, contrast):
    page = office
    page.emulate_media(color_scheme=scheme, contrast=contrast)
    key(server)
    take = pictures(page, tmp_path, f"settings_{scheme}_{contrast or 'usual'}", narrow=390)
    for section in ("", "keys", "providers", "audit", "backups", "health"):
        visit(page, server, section)
        judged(page)
        take(section or "all")
        page.set_viewport_size({"width": 1280, "height": 800})


def test_a_key_is_shown_once_and_revoked_in_two_steps(office, server, shoot):
    page = office
    visit(page, server, "keys")
    page.get_by_text("New key", exact=True).click()
    page.get_by_label("What it is for").fill("Web shop")
    judged(page)
    press(page, "Create key")
    expect(page.locator("#kept")).to_contain_text("shown once", timeout=WAIT)
    text = page.locator("#kept .id").inner_text()
    assert re.fullmatch("till_[0-9a-f]{64}", text)
    judged(page)
    mine = {"Authorization": "Bearer " + text}
    assert requests.get(server.url + "/v1/payments", headers=mine, timeout=10).status_code == 200
    (made,) = server.request("GET", "/v1/keys").json()["keys"]
    assert (made["scopes"], made["state"], made["account"]) == (["read", "sell"], "in_force", "main")
    assert text not in server.request("GET", "/v1/keys").text

    press(page, "Revoke Web shop")
    expect(page.locator("#review-back")).to_be_focused(timeout=WAIT)
    page.keyboard.press("Enter")
    # Nothing is under way any more: the button has the focus again.
    expect(page.get_by_role("button", name="Revoke Web shop", exact=True)).to_be_focused(timeout=WAIT)
    expect(page.locator("#review")).to_be_hidden()
    assert server.request("GET", "/v1/keys").json()["keys"][0]["state"] == "in_force"
    press(page, "Revoke Web shop")
    axe(page)
    agree(page, "refused within a second")
    expect(page.locator("#done")).to_have_text("Web shop is revoked.", timeout=WAIT)
    assert counter.until(
        lambda: requests.get(server.url + "/v1/payments", headers=mine, timeout=10).status_code == 401)
    page.reload()
    expect(page.locator("#body")).to_contain_text("Ended keys: 1", timeout=WAIT)
    assert text not in page.content() and made["id"] in page.content()
    shoot("revoked")


def test_a_receipt_is_seen_in_the_languages_as_it_would_be(office, server):
    page = office
    visit(page, server, "receipts")
    paper = page.frame_locator("#receipt-page")
    expect(paper.locator("body")).to_contain_text("Sample.", timeout=WAIT)
    page.locator("#receipt-language").select_option("he")
    expect(paper.locator("html")).to_have_attribute("dir", "rtl", timeout=WAIT)
    expect(paper.locator("body")).to_contain_text("Sample.", timeout=WAIT)


def test_a_test_page_comes_out_of_the_printer(office, server, shoot):
    page, printer = office, PaperPrinter()
    counter.succeed("printers", "add", "bar", f"socket://127.0.0.1:{printer.port}", "--journal", server.journal,
                    "--json")
    visit(page, server, "printers")
    expect(page.locator(".thing")).to_contain_text("bar")
    press(page, "Print a test page on bar")
    expect(page.locator("#done")).to_contain_text("bar: The page", timeout=WAIT)
    assert printer.printed
    judged(page)
    shoot("printer")


def test_a_printer_is_added_at_its_address_and_removed_in_two_steps(office, server, shoot):
    page, printer = office, PaperPrinter()
    visit(page, server, "printers")
    expect(page.locator("#body")).to_contain_text("No printers yet")
    page.locator("summary", has_text="Add a printer").click()
    name, address = page.get_by_label("Name", exact=True), page.get_by_label("Address", exact=True)
    name.fill("bar")
    address.fill(f"http://127.0.0.1:{printer.port}")
    press(page, "Add")
    # What is refused is named at its field, and what was typed stays.
    expect(page.locator("#alert")).to_contain_text("no printer's address", timeout=WAIT)
    expect(address).to_be_focused()
    expect(address).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_value("bar")
    judged(page)
    shoot("printer_refused")
    address.fill(f"socket://127.0.0.1:{printer.port}")
    press(page, "Add")
    expect(page.locator("#done")).to_have_text("bar was added.", timeout=WAIT)
    expect(page.locator(".thing")).to_contain_text(f"socket://127.0.0.1:{printer.port}", timeout=WAIT)
    press(page, "Print a test page on bar")
    expect(page.locator("#done")).to_contain_text("bar: The page", timeout=WAIT)
    assert printer.printed
    press(page, "Remove bar")
    agree(page, "Nothing is printed there any more")
    expect(page.locator("#done")).to_have_text("bar was removed.", timeout=WAIT)
    expect(page.locator("#body")).to_contain_text("No printers yet")
    assert server.request("GET", "/v1/printers").json()["printers"] == []
    log = [one["entry"] for one in server.request("GET", "/v1/audit").json()["entries"]]
    assert {one["action"] for one in log if one.get("subject") == "bar"} == {"printer.added", "printer.removed"}


def test_a_printer_that_goes_away_is_seen_and_the_focus_stays(office, server):
    page, printer = office, PaperPrinter()
    counter.succeed("printers", "add", "bar", f"socket://127.0.0.1:{printer.port}", "--journal", server.journal,
                    "--json")
    visit(page, server, "printers")
    card, about = page.locator(".thing", has_text="bar"), page.locator("#about")
    test = page.get_by_role("button", name="Print a test page on bar")
    test.focus()
    expect(card).not_to_contain_text("Needs help")
    # Paper out.
    printer.paper = 0x72
    expect(card).to_contain_text("Needs help", timeout=WAIT)
    expect(about).to_contain_text("bar")
    expect(test).to_be_focused()
    printer.paper = 0x12
    expect(card).not_to_contain_text("Needs help", timeout=WAIT)
    # What cannot be read is said, and what was read stays.
    page.route("**/v1/printers", lambda route: route.abort())
    expect(about).to_contain_text("cannot be reached", timeout=WAIT)
    expect(card).to_be_visible()
    page.unroute("**/v1/printers")
    expect(about).not_to_contain_text("cannot be reached", timeout=WAIT)


def test_what_is_typed_stays_while_a_section_is_read_again(office, server):
    page = office
    visit(page, server, "keys")
    page.locator("summary", has_text="New key").click()
    label = page.locator("#key-label")
    label.fill("Half a na")
    key(server)
    # It is read again every ten seconds.
    page.wait_for_timeout(12_000)
    expect(label).to_have_value("Half a na")
    expect(label).to_be_focused()
    # Once the form is shut again what came meanwhile is shown.
    page.locator("summary", has_text="New key").click()
    expect(page.locator("#body")).to_contain_text("Other shop", timeout=WAIT)


def test_somebody_is_disabled_in_two_steps(page, server, shoot):
    faults = followed(page)
    Staff(server).shop()
    enter(page, server, "Olga", PINS["Olga"])
    visit(page, server, "staff")
    people = page.get_by_role("table", name="Staff")
    expect(people.get_by_role("row")).to_have_count(4)
    judged(page)
    shoot("people")
    press(page, "Disable Carl")
    agree(page, "Their sessions end")
    expect(page.locator("#done")).to_have_text("Carl is disabled.", timeout=WAIT)
    expect(people.get_by_role("row", name=re.compile("Carl"))).to_contain_text("Disabled")
    assert not faults, faults


def test_another_role_and_pin_and_somebody_removed(page, server, shoot):
    faults = followed(page)
    staff = Staff(server).shop()
    enter(page, server, "Olga", PINS["Olga"])
    visit(page, server, "staff")
    people = page.get_by_role("table", name="Staff")
    press(page, "Change Carl")
    role, pin = page.locator("#change-role"), page.locator("#change-pin")
    expect(role).to_be_focused()
    expect(page.locator("#change-person")).to_have_value(staff.ids["Carl"])
    expect(role).to_have_value("cashier")
    # What is refused is named at its field, and nothing is changed.
    pin.fill("123456")
    role.select_option("manager")
    press(page, "Change")
    expect(page.locator("#alert")).to_contain_text("one of the first that anybody tries", timeout=STILL)
    expect(pin).to_be_focused()
    expect(pin).to_have_attribute("aria-invalid", "true")
    expect(role).to_have_value("manager")
    judged(page)
    shoot("person_refused")
    pin.fill(PIN)
    press(page, "Change")
    expect(page.locator("#done")).to_have_text("Carl was changed.", timeout=STILL)
    expect(people.get_by_role("row", name=re.compile("Carl"))).to_contain_text("manager")
    problem(staff.device().enter("Carl"), 403, "pin_wrong")
    assert staff.device().enter("Carl", PIN).status_code == 200
    # Olga alone manages the staff.
    press(page, "Change Olga")
    role.select_option("cashier")
    press(page, "Change")
    expect(page.locator("#alert")).to_contain_text("nobody could sign in and manage the staff", timeout=WAIT)
    expect(people.get_by_role("row", name=re.compile("Olga"))).to_contain_text("owner")
    press(page, "Remove Carl")
    expect(page.locator("#review-back")).to_be_focused(timeout=WAIT)
    page.keyboard.press("Enter")
    expect(page.locator("#review")).to_be_hidden()
    assert len(server.request("GET", "/v1/staff").json()["staff"]) == 3
    press(page, "Remove Carl")
    judged(page)
    agree(page, "stays on record under their name")
    expect(page.locator("#done")).to_have_text("Carl was removed.", timeout=WAIT)
    expect(people.get_by_role("row")).to_have_count(3)
    assert [one["name"] for one in server.request("GET", "/v1/staff").json()["staff"]] == ["Olga", "Mona"]
    entries = [one for one in log(server) if one.get("subject") == staff.ids["Carl"] and name_of(one) == "Olga"]
    assert [one["action"] for one in entries] == ["staff.removed", "staff.changed"]
    assert {"name": "role", "before": "cashier", "after": "manager"} in entries[1]["changes"]
    assert not faults, faults


def test_somebody_whom_another_tablet_removes_meanwhile(page, server):
    faults = followed(page)
    staff = Staff(server).shop()
    enter(page, server, "Olga", PINS["Olga"])
    visit(page, server, "staff")
    people = page.get_by_role("table", name="Staff")
    press(page, "Change Carl")
    page.locator("#change-role").select_option("manager")
    assert server.request("DELETE", f"/v1/staff/{staff.ids['Carl']}").status_code == 204
    press(page, "Change")
    expect(page.locator("#alert")).to_contain_text("Nobody of the staff", timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("What is shown now is how it stands.")
    expect(people.get_by_role("row")).to_have_count(3)
    # The same between the question and the answer.
    press(page, "Remove Mona")
    expect(page.locator("#review-back")).to_be_focused(timeout=WAIT)
    assert server.request("DELETE", f"/v1/staff/{staff.ids['Mona']}").status_code == 204
    agree(page, "stays on record under their name")
    expect(page.locator("#alert")).to_contain_text("Nobody of the staff", timeout=WAIT)
    expect(people.get_by_role("row")).to_have_count(2)
    assert not faults, faults


def test_a_role_of_ones_own_is_made_changed_and_removed(page, server, shoot):
    faults = followed(page)
    staff = Staff(server).shop()
    enter(page, server, "Olga", PINS["Olga"])
    visit(page, server, "staff")
    page.locator("summary", has_text="Add a role").click()
    form = page.locator("details.adding", has=page.locator("#role-name"))
    name, refunds = page.locator("#role-name"), page.locator("#role-refund")
    name.fill("Shift lead")
    form.get_by_label("Sell, issue receipts").check()
    form.get_by_label("Refund", exact=True).check()
    refunds.fill("EUR 50.00; 20")
    form.get_by_role("button", name="Add").click()
    # One thing after the other is named at its field, and what was typed stays.
    expect(refunds).to_have_attribute("aria-invalid", "true", timeout=WAIT)
    expect(refunds).to_be_focused()
    expect(page.locator("#alert")).to_contain_text("Write it as EUR 50.00")
    refunds.fill("EUR 50.00; GBP 40")
    form.get_by_role("button", name="Add").click()
    expect(name).to_have_attribute("aria-invalid", "true", timeout=WAIT)
    expect(name).to_be_focused()
    judged(page)
    shoot("role_refused")
    name.fill("shift-lead")
    form.get_by_role("button", name="Add").click()
    expect(page.locator("#done")).to_have_text("shift-lead was added.", timeout=WAIT)
    made = server.request("GET", "/v1/roles").json()["roles"][-1]
    assert made == {"name": "shift-lead", "permissions": ["sell", "refund"], "tag": made["tag"],
                    "refund_limits": {"EUR": 5000, "GBP": 4000}, "discount_limits": {}, "built_in": False}
    card = page.locator(".thing", has_text="shift-lead")
    expect(card).to_contain_text("Refunds up to €50.00, £40.00")
    press(page, "Change Carl")
    page.locator("#change-role").select_option("shift-lead")
    press(page, "Change")
    expect(page.locator("#done")).to_have_text("Carl was changed.", timeout=WAIT)
    expect(card).to_contain_text("Carl")
    card.locator("summary").click()
    expect(card.get_by_label("Refund", exact=True)).to_be_checked()
    expect(page.locator("#role-shift-lead-refund")).to_have_value("EUR 50.00; GBP 40.00")
    page.locator("#role-shift-lead-refund").fill("EUR 60")
    card.get_by_label("Release an authorization").check()
    judged(page)
    shoot("role")
    card.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator("#done")).to_have_text("shift-lead was changed.", timeout=WAIT)
    made = server.request("GET", "/v1/roles").json()["roles"][-1]
    assert (made["permissions"], made["refund_limits"]) == (["sell", "void", "refund"], {"EUR": 6000})
    press(page, "Remove shift-lead")
    agree(page, "A role that somebody has is not removed")
    expect(page.locator("#alert")).to_contain_text("Somebody has the role shift-lead", timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("Give those people another role first.")
    assert staff.run("set-role", "Carl", "cashier").code == 0
    press(page, "Remove shift-lead")
    agree(page, "A role that somebody has is not removed")
    expect(page.locator("#done")).to_have_text("shift-lead was removed.", timeout=WAIT)
    expect(card).to_have_count(0)
    changed = [one for one in log(server) if one.get("subject") == "shift-lead"]
    assert [one["action"] for one in changed] == ["role.removed", "role.changed", "role.changed"]
    assert {"name": "refund_limit", "before": "50.00 EUR", "after": "60.00 EUR"} in changed[1]["changes"]
    assert all(name_of(one) == "Olga" for one in changed)
    assert not faults, faults


def test_of_two_who_change_a_role_the_second_sees_what_the_first_did(page, server, shoot):
    faults = followed(page)
    Staff(server).shop()
    assert server.request("POST", "/v1/roles", {"name": "lead", "permissions": ["sell"]}).status_code == 201
    enter(page, server, "Olga", PINS["Olga"])
    visit(page, server, "staff")
    card = page.locator(".thing", has_text="lead")
    card.locator("summary").click()
    mine = card.get_by_label("Release an authorization")
    mine.check()
    other = {"permissions": ["refund"], "refund_limits": {"EUR": 700}}
    assert server.request("PUT", "/v1/roles/lead", other).status_code == 200
    send = card.get_by_role("button", name="Change", exact=True)
    send.click()
    expect(page.locator("#alert")).to_contain_text("has been changed since it was read", timeout=WAIT)
    expect(page.locator("#alert")).to_contain_text("What the role allows now is shown above the form.")
    # The role as it is, and what was typed.
    expect(card).to_contain_text("Refunds up to €7.00")
    expect(mine).to_be_checked()
    judged(page)
    shoot("role_changed")
    assert server.request("GET", "/v1/roles").json()["roles"][-1]["permissions"] == ["refund"]
    send.click()
    expect(page.locator("#done")).to_have_text("lead was changed.", timeout=WAIT)
    assert server.request("GET", "/v1/roles").json()["roles"][-1]["permissions"] == ["sell", "void"]
    assert not faults, faults


def test_a_shop_is_disconnected_in_two_steps(office, server, tmp_path, shoot):
    page = office
    with woo.another(tmp_path) as shop:
        counter.succeed("shop", "connect", shop, "--journal", server.journal, "--provider", "sandbox", "--json",
                        env={"TILL_SHOP_KEY": woo.KEY, "TILL_SHOP_SECRET": woo.SECRET})
        visit(page, server, "shops")
        expect(page.locator(".thing")).to_contain_text(shop)
        assert woo.SECRET not in server.request("GET", "/v1/shops").text
        judged(page)
        shoot("shop")
        press(page, f"Disconnect {server.request('GET', '/v1/shops').json()['shops'][0]['url']}")
        agree(page, "hears no more of payments")
        expect(page.locator("#done")).to_contain_text("is disconnected", timeout=WAIT)
        assert server.request("GET", "/v1/shops").json()["shops"] == []


def test_a_shop_is_connected_at_its_address(tmp_path, browser, shop_url):
    """What is refused is named at its field, what was typed stays, and the secret is in no field and in no store."""
    with counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_SHOPS_PRIVATE": "true"}) as server:
        page = browser.new_page()
        faults = followed(page)
        shoot = pictures(page, tmp_path, "settings", narrow=390)
        server.sign_in(page)
        visit(page, server, "shops")
        page.locator("summary", has_text="Connect a shop").click()
        address, key = page.get_by_label("The shop's address"), page.get_by_label("Consumer key")
        secret = page.get_by_label("Consumer secret")
        for hidden in (key, secret):
            expect(hidden).to_have_attribute("type", "password")
            expect(hidden).to_have_attribute("autocomplete", "off")

        def send(url, secret_text=woo.SECRET):
            address.fill(url)
            key.fill(woo.KEY)
            secret.fill(secret_text)
            press(page, "Connect")

        for url, words in (("http://shop.example", "must begin with https"), ("https://shop.example", "test mode"),
                           (f"http://127.0.0.1:{counter.free_port()}", "not reached")):
            send(url)
            expect(page.locator("#alert")).to_contain_text(words, timeout=WAIT)
            expect(address).to_have_value(url)
            expect(secret).to_have_value("")
        expect(address).to_be_focused()
        expect(address).to_have_attribute("aria-invalid", "true")
        judged(page)
        shoot("shop_refused")
        page.set_viewport_size({"width": 1280, "height": 800})
        # Without an answer it is read again, and what was typed is still there.
        page.route("**/v1/shops", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
        send(shop_url)
        expect(page.locator("#alert")).not_to_have_text("", timeout=WAIT)
        expect(address).to_have_value(shop_url, timeout=WAIT)
        expect(secret).to_have_value("")
        page.unroute("**/v1/shops")
        # While the shop is asked that is said.
        woo.fail(shop_url, "list", "slow", times=1, milliseconds=3_000)
        send(shop_url)
        expect(page.get_by_role("status").filter(has_text="Asking the shop")).to_be_visible(timeout=WAIT)
        expect(page.locator("#done")).to_have_text(f"{shop_url} is connected.", timeout=WAIT)
        expect(page.locator(".thing")).to_contain_text(shop_url)
        # Again: it is named, and the form stays as it is.
        page.locator("summary", has_text="Connect a shop").click()
        send(shop_url, "cs_other")
        expect(page.locator("#alert")).to_contain_text("is connected already", timeout=WAIT)
        expect(address).to_have_value(shop_url)
        stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        assert woo.SECRET not in page.content() + stored + server.log.read_text()
        assert not faults, faults
        page.close()


def test_a_webhook_is_tried_and_deleted_in_two_steps(office, server, shoot):
    page, receiver = office, Receiver()
    url = receiver.url + "/till"
    made = server.request("POST", "/v1/webhook_endpoints", {"url": url, "allow_private": True,
                                                            "types": ["payment.*"]}, "hook")
    assert made.status_code == 201, made.text
    visit(page, server, "webhooks")
    press(page, f"Send a test to {url}")

    def delivered():
        answer = server.request("GET", f"/v1/webhook_endpoints/{made.json()['id']}/deliveries").json()
        return [one for one in answer["deliveries"] if one["state"] == "delivered"]

    assert counter.until(delivered) and receiver.deliveries
    visit(page, server, "webhooks")
    press(page, f"Deliveries to {url}")
    row = page.get_by_role("table", name=f"Deliveries to {url}").get_by_role("row").nth(1)
    expect(row).to_contain_text("Delivered", timeout=WAIT)
    judged(page)
    shoot("webhook")
    row.get_by_role("button").click()
    expect(page.locator("#done")).to_contain_text("once more", timeout=WAIT)
    assert counter.until(lambda: len(receiver.deliveries) > 1)
    press(page, f"Delete {url}")
    agree(page, "told of nothing any more")
    expect(page.locator("#body")).to_contain_text("No endpoints yet", timeout=WAIT)
    receiver.close()


def test_a_backup_is_seen_when_it_was_made(office, server, tmp_path):
    page = office
    visit(page, server, "backups")
    expect(page.locator("#about")).to_contain_text("no backup was made")
    counter.succeed("journal", "backup", tmp_path / "copy.db", "--journal", server.journal, "--json")
    visit(page, server, "backups")
    expect(page.locator("#about")).to_contain_text("Last backup:")
    expect(page.locator("#body")).to_contain_text(str(tmp_path / "copy.db"))
    judged(page)


def log(server, query=""):
    """The entries of the audit log, newest first."""
    found = server.request("GET", "/v1/audit?before=9007199254740991" + query).json()
    return [one["entry"] for one in found["entries"]]


def name_of(entry):
    by = entry["by"]
    return by.get("name") or by.get("id") or by["kind"]


def numbers(page):
    return [int(text.removeprefix("#")) for text in page.locator(".audit td:first-child .id").all_inner_texts()]


def of_kind(page, action):
    return page.locator(".audit tbody tr", has=page.locator("td:nth-child(3)", has_text=action))


def test_the_audit_log_says_who_did_what_and_what_comes_is_seen(office, server, shoot):
    page, printer = office, PaperPrinter()
    made = key(server)
    added = server.request("POST", "/v1/printers", {"name": "bar", "address": f"socket://127.0.0.1:{printer.port}"})
    assert added.status_code == 201, added.text
    visit(page, server, "audit")
    table = page.get_by_role("table", name="Audit log")
    expect(table.get_by_role("columnheader")).to_have_text(["When", "Who", "What", "To what"])
    entries = log(server)
    assert numbers(page) == [one["sequence"] for one in entries] == list(range(len(entries), 0, -1))
    for place, one in enumerate(entries):
        row = page.locator(".audit tbody tr").nth(place)
        expect(row).to_contain_text(one["action"])
        expect(row.locator("td").nth(1)).to_contain_text(name_of(one))
        assert row.locator("time").get_attribute("datetime") == one["at"]
    expect(of_kind(page, "printer.added")).to_contain_text(f"socket://127.0.0.1:{printer.port}")
    expect(of_kind(page, "key.created")).to_contain_text(made["id"])
    expect(of_kind(page, "key.created")).to_contain_text("Other shop")
    # Where the chain ends now.
    head = server.request("GET", "/v1/audit?limit=1").json()["head"]
    expect(page.locator("#body")).to_contain_text(head)
    judged(page)
    shoot("audit_log")
    page.evaluate("scrollTo(0, 0)")
    assert server.request("DELETE", "/v1/printers/bar").ok
    expect(page.locator(".audit tbody tr").first).to_contain_text("printer.removed", timeout=WAIT)
    assert len(numbers(page)) == len(entries) + 1


def test_a_damaged_entry_is_shown_by_its_number_among_the_others(office, server, shoot):
    page = office
    everything = [one["sequence"] for one in log(server)]
    assert 2 in everything[:-1]
    with sqlite3.connect(server.journal) as database:
        database.execute("UPDATE audit SET body = '{\"broken\":' WHERE sequence = 2")
    visit(page, server, "audit")
    damaged = page.locator(".audit tbody tr", has=page.locator("td:first-child", has_text="#2"))
    expect(damaged.filter(has_text="Unreadable")).to_contain_text("This entry cannot be read.", timeout=WAIT)
    assert numbers(page) == everything
    judged(page)
    shoot("audit_damaged")


def test_new_entries_wait_while_somebody_reads_the_audit_log(office, server):
    page = office
    visit(page, server, "audit")
    before = numbers(page)
    newer = page.get_by_role("button", name="Show newer entries")
    expect(newer).to_have_count(0)
    page.locator(".audit tbody tr").last.hover()
    place = page.locator(".audit tbody tr").first.bounding_box()
    key(server)
    expect(newer).to_be_visible(timeout=WAIT)
    assert numbers(page) == before and page.locator(".audit tbody tr").first.bounding_box() == place
    newer.click()
    expect(page.locator(".audit tbody tr").first).to_contain_text("key.created", timeout=WAIT)
    expect(newer).to_have_count(0)
    # Away from the list what comes is shown by itself.
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    counter.succeed("keys", "create", "--label", "Third", "--journal", server.journal, "--json")
    expect(page.locator(".audit tbody tr").first).to_contain_text("Third", timeout=WAIT)


def test_the_audit_log_of_one_actor(office, server):
    page = office
    counter.succeed("keys", "create", "--label", "By command", "--journal", server.journal, "--json")
    made = key(server)
    visit(page, server, "audit")
    everything = numbers(page)
    only = page.get_by_label("Only of this name, ID or kind")
    only.fill("os_user")
    press(page, "Show")
    expect(page.locator(".audit")).not_to_contain_text(made["id"], timeout=WAIT)
    expect(page.locator(".audit")).to_contain_text("By command")
    assert numbers(page) == [one["sequence"] for one in log(server, "&actor=os_user")] != everything
    expect(only).to_have_value("os_user")
    judged(page)
    # What others do is none of theirs; what they do themselves comes.
    page.evaluate("scrollTo(0, 0)")
    server.request("POST", "/v1/keys", {"label": "Not by command", "scopes": ["read"]}, "another")
    counter.succeed("keys", "create", "--label", "By command again", "--journal", server.journal, "--json")
    expect(page.locator(".audit tbody tr").first).to_contain_text("By command again", timeout=WAIT)
    expect(page.locator(".audit")).not_to_contain_text("Not by command")
    only.fill("Nobody & nothing")
    only.press("Enter")
    expect(page.locator("#body")).to_contain_text("Nothing in the log is of this name", timeout=WAIT)
    judged(page)
    press(page, "Show all")
    expect(of_kind(page, "key.created")).to_have_count(4, timeout=WAIT)
    expect(only).to_have_value("")


def test_the_audit_log_is_read_back_to_its_beginning(office, server):
    page = office
    for number in range(110):
        made = server.request("POST", "/v1/keys", {"label": f"Key {number}", "scopes": ["read"]}, f"key-{number}")
        assert made.status_code == 201, made.text
    visit(page, server, "audit")
    everything = [one["sequence"] for one in log(server)]
    assert len(everything) > 100
    shown, older = numbers(page), page.get_by_role("button", name="Older", exact=True)
    assert shown == everything[:50]
    older.click()
    expect(page.locator(".audit td:first-child .id").first).to_have_text(f"#{everything[50]}", timeout=WAIT)
    assert numbers(page) == everything[50:100]
    expect(page.locator("#title")).to_be_focused()
    judged(page)
    # A page of older entries stays as it is.
    server.request("POST", "/v1/keys", {"label": "The newest", "scopes": ["read"]}, "the-newest")
    page.wait_for_timeout(12_000)
    assert numbers(page) == everything[50:100]
    older.click()
    expect(page.locator(".audit td:first-child .id").last).to_have_text("#1", timeout=WAIT)
    assert numbers(page) == everything[100:]
    expect(older).to_have_count(0)
    press(page, "Newest")
    expect(page.locator(".audit tbody tr").first).to_contain_text("The newest", timeout=WAIT)


def test_names_in_the_audit_log_are_text_and_what_they_name_is_linked(office, server):
    page, name = office, '<img src=x onerror="document.title=1"><b>Eve</b>'
    made = counter.succeed("keys", "create", "--label", name, "--journal", server.journal, "--json")
    # Whoever signs in with it has its name.
    begun = requests.post(server.url + "/session", json={"key": made["key"]}, headers={"X-Till-Page": "1"}, timeout=10)
    assert begun.status_code == 204, begun.text
    sale = server.create("o-1", "c-1").json()
    note = server.request("POST", f"/v1/payments/{sale['id']}/notes", {"text": "A word"}, "note")
    assert note.ok, note.text
    booked = server.request("POST", "/v1/orders", {
        "order_id": "o-42", "currency": "EUR", "amount": 100,
        "lines": [{"name": "Field guide", "quantity": 1, "amount": 100}]})
    assert booked.status_code == 201, booked.text
    visit(page, server, "audit")
    signed = page.locator(".audit tbody tr", has=page.locator("td:nth-child(2)", has_text=name))
    expect(signed).to_contain_text("session.signed_in", timeout=WAIT)
    expect(of_kind(page, "key.created")).to_contain_text(name)
    assert page.locator(".audit :is(img, script)").count() == 0 and page.locator(".audit b > bdi > *").count() == 0
    # A name is chosen from what is there, also this one.
    page.get_by_label("Only of this name, ID or kind").fill(name)
    press(page, "Show")
    expect(page.locator(".audit tbody tr")).to_have_count(len(log(server, "&actor=" + made["id"])), timeout=WAIT)
    assert page.locator("#body img").count() == 0
    press(page, "Show all")
    noted = of_kind(page, "payment.noted").get_by_role("link")
    expect(noted).to_have_attribute("href", "/payments/" + sale["id"], timeout=WAIT)
    order = of_kind(page, "order.").get_by_role("link")
    expect(order.first).to_have_attribute("href", "/payments?q=o-42&period=all")


def test_a_section_that_fails_leaves_the_others(office, server, shoot):
    page = office
    page.route("**/v1/settings/health", lambda route: route.abort())
    visit(page, server)
    expect(page.locator(".thing")).to_have_count(len(SECTIONS), timeout=WAIT)
    lost = page.locator(".thing", has_text="Could not load")
    expect(lost).to_have_count(1)
    expect(lost.get_by_role("heading")).to_have_text("Health")
    judged(page)
    visit(page, server, "health")
    expect(page.locator("#body").get_by_role("alert")).to_contain_text("cannot be reached")
    judged(page)
    shoot("failed")
    page.unroute("**/v1/settings/health")
    press(page, "Try again")
    expect(page.locator("#body")).to_contain_text("Findings", timeout=WAIT)
    visit(page, server, "providers")
    expect(page.locator(".thing").first).to_be_visible()


def test_who_may_not_see_a_section_is_told_and_asks_for_nothing(page, server, shoot):
    faults = followed(page)
    staff = Staff(server).shop()
    key(server)
    enter(page, server, "Carl", PINS["Carl"])
    asked = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(server.url)))
    for section in SECTIONS:
        visit(page, server, section)
        refused = page.locator("#body").get_by_text("Your role does not have the permission")
        expect(refused).to_have_count(0 if section in OF_READERS else 1)
        expect(page.locator("#body details.adding")).to_have_count(0)
    judged(page)
    shoot("refused")
    closed = r"/v1/(settings|keys|shops|webhook_endpoints|staff|sessions|audit)"
    assert not [path for path in asked if re.match(closed, path)]
    # Nor by asking without the page.
    device = staff.device().signed_in("Carl")
    for path in ("/v1/keys", "/v1/settings/providers", "/v1/settings/backups", "/v1/settings/health",
                 "/v1/settings/receipts", "/v1/settings/receipts/preview", "/v1/audit"):
        assert device.ask("GET", path).status_code == 403, path
    assert device.ask("POST", "/v1/keys", {"label": "x", "scopes": ["read"]}).status_code == 403
    assert device.ask("POST", "/v1/printers", {"name": "x", "address": "socket://127.0.0.1:9"}).status_code == 403
    assert device.ask("DELETE", "/v1/printers/x").status_code == 403
    assert not faults, faults


def test_what_a_role_may_no_longer_see_goes_from_the_page(page, server):
    faults = followed(page)
    staff = Staff(server).shop()
    assert staff.roles("set", "auditor", "--permissions", "sell,review").code == 0
    staff.add("Kim", "auditor", PIN)
    time.sleep(0.6)  # a running counter hears of them within half a second
    enter(page, server, "Kim", PIN)
    visit(page, server, "audit")
    expect(page.locator(".audit tbody tr").first).to_be_visible(timeout=WAIT)
    assert staff.roles("set", "auditor", "--permissions", "sell").code == 0
    expect(page.locator("#body")).to_contain_text("Your role does not have the permission", timeout=WAIT)
    expect(page.locator(".audit")).to_have_count(0)
    assert not faults, faults


def test_nobody_makes_a_key_that_may_do_more_than_they(server):
    staff = Staff(server).shop()
    assert staff.roles("set", "keeper", "--permissions", "settings,totals").code == 0
    staff.add("Kim", "keeper", PIN)
    time.sleep(0.6)  # a running counter hears of them within half a second
    device = staff.device()
    assert device.enter("Kim", PIN).status_code == 200
    for scopes in (["admin"], ["sell"], ["refund"], ["staff"], ["read", "readers"]):
        problem(device.ask("POST", "/v1/keys", {"label": "x", "scopes": scopes}), 403, "key_exceeds_yours")
    made = device.ask("POST", "/v1/keys", {"label": "Reports", "scopes": ["read"]})
    assert (made.status_code, made.json()["created_by"]) == (201, "Kim"), made.text
    assert len(server.request("GET", "/v1/keys").json()["keys"]) == 1


def test_the_rail_of_every_page_leads_to_the_settings(office, server):
    page = office
    made = server.create("Rail", "Rail", 1000).json()
    pages = ("/payments", f"/payments/{made['id']}", "/day", "/insights")
    for path in pages:
        page.goto(server.url + path)
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
        expect(page.locator("#title")).to_have_text("All settings", timeout=WAIT)
    # And from each to what is searched for.
    for path in (*pages[1:], "/settings"):
        page.goto(server.url + path)
        page.locator("#q").fill("Rail")
        page.locator("#q").press("Enter")
        page.wait_for_url(re.compile(r"/payments\?.*q=Rail"), timeout=WAIT)


def test_whoever_is_not_signed_in_comes_back_to_the_section(page, server):
    page.goto(server.url + "/settings/backups")
    expect(page.locator("#session")).to_be_visible(timeout=WAIT)
    page.get_by_label("API key").fill(counter.API_KEY)
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings/backups", timeout=WAIT)
    expect(page.locator("#title")).to_have_text("Backups", timeout=WAIT)
