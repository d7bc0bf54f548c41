"""What waits for a person, on the counter's page: entries and incidents are opened, judged and closed; statements are
dropped and held against the journal; an order that the shop calls paid is charged as a second step, under a name. At a
till's width and at a phone's, with bad input, double clicks, reloads in the middle and another tab.
"""
import json
import os
import pathlib
import re

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from staff import PINS, Staff, audit

import counter
from attention import entries, failed_refund, incident, queue
from clerk import WAIT, Counter, payments
from orders import SETTLED, document
from statements import ADYEN

pytestmark = pytest.mark.parametrize("width", [1280, 390])


@pytest.fixture
def server(tmp_path, sandbox):
    env = {"TILL_STRIPE_WEBHOOK_SECRET": counter.WEBHOOK_SECRET}
    with counter.Server(tmp_path, *sandbox.flags, env=env) as running:
        running.sandbox = sandbox
        yield running


@pytest.fixture
def shoot(page, width, tmp_path):
    """Keeps a picture of a state."""
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)

    def take(name):
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0, name
        page.screenshot(path=folder / f"attention_{name}_{width}.png", full_page=True)

    return take


def review(clerk):
    clerk.page.get_by_role("link", name="Attention").click()
    expect(clerk.page.locator("#queue-title")).to_be_visible(timeout=WAIT)


def open_first(clerk):
    clerk.page.locator("#queue-list a").first.click()
    expect(clerk.page.locator("#entry-form")).to_be_visible(timeout=WAIT)


def fill(page, choice="Refunded another way", text="Cash slip 4711", name="Ada"):
    page.get_by_role("radio", name=choice).check()
    page.get_by_label("How you know it").fill(text)
    page.locator("#entry-form").get_by_label("Your name").fill(name)


def send(page, name):
    page.get_by_role("button", name="Close it…").click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def test_an_entry_is_opened_judged_and_closed_with_an_amount(clerk, server, shoot):
    sale = failed_refund(server)
    if clerk.page.viewport_size["width"] < 1000:
        # That the page finds it by itself, which takes a minute, is seen once.
        clerk.page.reload()
    expect(clerk.page.locator("#to-review-count")).to_have_text(re.compile("^1"), timeout=WAIT * 7)
    review(clerk)
    row = clerk.page.locator("#queue-list li")
    expect(row).to_contain_text("Refund failed later: o-1")
    expect(row).to_contain_text("€5.00")
    shoot("list")
    open_first(clerk)
    assert f"entry={sale['id']}.1" in clerk.page.url
    expect(clerk.page.locator("#entry-title")).to_be_focused()
    clerk.page.get_by_text("Evidence").click()
    expect(clerk.page.locator("#entry-events")).to_contain_text("Captured.")
    fill(clerk.page)
    expect(clerk.page.get_by_label("How much")).to_have_value("5.00")
    clerk.page.locator("#entry-amount").fill("3.00")
    shoot("entry")
    clerk.page.get_by_role("button", name="Close it…").click()
    dialog = clerk.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Record €3.00 as refunded another way?")
    expect(dialog).to_contain_text("Nothing is sent to the provider")
    expect(dialog.get_by_role("button", name="Back")).to_be_focused()
    clerk.page.wait_for_timeout(500)
    shoot("question")
    dialog.get_by_role("button", name="Record €3.00 as refunded").click()
    expect(clerk.page.locator("#queue-state")).to_contain_text("Closed: Refund failed later: o-1", timeout=WAIT)
    expect(clerk.page.locator("#queue-empty")).to_have_text("Nothing needs you.")
    expect(clerk.page.locator("#to-review-count")).to_be_hidden()
    [entry] = entries(server, sale)
    assert entry["state"] == "closed" and entry["closing"] == {
        "resolution": "refunded_elsewhere", "amount": 300, "evidence": "Cash slip 4711", "actor": "Ada",
        "at": entry["closing"]["at"]}, entry
    assert server.request("GET", f"/v1/payments/{sale['id']}").json()["refunded"] == 300
    shoot("closed")


def test_the_pages_of_the_office_say_how_much_waits(clerk, server, shoot):
    page = clerk.page
    page.goto(server.url + "/day")
    expect(page.locator("#way-out")).to_have_text("Sign out", timeout=WAIT)
    expect(page.locator("#attention-count")).to_be_hidden()
    failed_refund(server)
    for path in ("/payments", "/day", "/insights", "/settings"):
        page.goto(server.url + path)
        expect(page.locator("#attention-count")).to_have_text(re.compile("^1 open$"), timeout=WAIT)
    shoot("office")


def test_a_closing_has_the_name_of_whoever_is_signed_in(clerk, server):
    failed_refund(server)
    Staff(server).shop()
    page = clerk.page
    page.wait_for_timeout(700)  # a running counter hears of them within half a second
    page.reload()
    for name, typed in (("Mona", "Ada"), ("Olga", "")):
        expect(page.get_by_role("heading", name="Who is at the till?")).to_be_visible(timeout=WAIT * 7)
        page.get_by_role("radio", name=name).check()
        page.get_by_label("PIN", exact=True).fill(PINS[name])
        page.get_by_label("PIN", exact=True).press("Enter")
        expect(page.locator("#who")).to_contain_text(name, timeout=WAIT * 7)
        if typed:
            review(clerk)
            open_first(clerk)
        for field in ("#entry-name", "#assign-name"):
            expect(page.locator(field)).to_have_value(name, timeout=WAIT)
        if typed:
            page.locator("#assign-name").fill(typed)
            page.get_by_role("button", name="Assign", exact=True).click()
            expect(page.locator("#assign-now")).to_contain_text(typed, timeout=WAIT)
            page.get_by_role("button", name="Lock or switch").click()


def test_an_entry_and_an_incident_are_assigned_and_everybody_sees_to_whom(clerk, server, shoot):
    sale = failed_refund(server)
    found = incident(server)
    review(clerk)
    open_first(clerk)
    form = clerk.page.locator("#assign")
    expect(form).to_contain_text("Unassigned")
    form.get_by_label("Assignee").fill("")
    form.get_by_role("button", name="Assign", exact=True).click()
    expect(form).to_contain_text("Enter a name.")
    form.get_by_label("Assignee").fill("Ada <b>")
    form.get_by_role("button", name="Assign", exact=True).click()
    expect(form).to_contain_text("Assigned to Ada <b>", timeout=WAIT)
    shoot("assigned")
    assert entries(server, sale)[0]["assignee"]["name"] == "Ada <b>"
    clerk.page.get_by_role("link", name="Back to the list").click()
    expect(clerk.page.locator("#queue-list li").first).to_contain_text("Assigned to Ada <b>", timeout=WAIT)
    shoot("assigned_list")
    # The command line sees and says the same, of incidents too.
    def till(*arguments):
        return counter.till("attention", *arguments, "--journal", server.journal, "--json", *server.sandbox.flags)

    (listed,) = till("list").json["attention"]
    assert listed["assignee"]["name"] == "Ada <b>"
    assert till("assign", sale["id"], "1", "--to", "Bea").json["assignee"]["name"] == "Bea"
    masked = till("assign", found["id"], "--to", "Bea 4242 4242 4242 4242").json["assignee"]["name"]
    assert masked.startswith("Bea") and "4242 4242" not in masked
    assert till("show", sale["id"]).json["attention"][0]["assignee"]["name"] == "Bea"
    assert till("assign", sale["id"], "1", "--nobody").json["assignee"] is None
    for wrong in ((sale["id"], "7"), ("incident-none",), (sale["id"],)):
        refused = till("assign", *wrong, "--to", "Bea")
        assert refused.code == 1 and refused.json["error"]["code"] == "not_found", refused
    assert till("assign", sale["id"], "1").code == 64
    closed = till("resolve", sale["id"], "1", "--resolution", "refunded_elsewhere", "--evidence", "Slip 1", "--actor",
                  "Bea")
    assert closed.code == 0 and till("list").json["attention"] == [], closed
    assert till("show", sale["id"]).json["attention"][0]["closing"]["actor"] == "Bea"
    # What is closed is assigned no more.
    assert till("assign", sale["id"], "1", "--to", "Bea").json["error"]["code"] == "not_found"
    changes = [one["changes"] for one in audit(server, "attention.assigned")]
    assert len(changes) == 4 and "4242 4242" not in json.dumps(changes)


def test_bad_input_is_named_beside_its_field_and_nothing_is_sent(clerk, server, shoot):
    sale = failed_refund(server)
    review(clerk)
    open_first(clerk)
    page, sent = clerk.page, []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    button = page.get_by_role("button", name="Close it…")
    button.click()
    expect(page.locator("#entry-choice-fault")).to_have_text("Choose what you know.")
    fill(page, text="  ", name="")
    for amount, words in (("0", "more than zero"), ("1,2,3", "such as 12.50"), ("12.51", "At most €12.50"),
                          ("3.001", "2 decimal places")):
        page.locator("#entry-amount").fill(amount)
        button.click()
        expect(page.locator("#entry-amount-fault")).to_contain_text(words)
        expect(page.locator("#entry-amount")).to_be_focused()
    page.locator("#entry-amount").fill("5.00")
    button.click()
    expect(page.locator("#entry-text-fault")).to_have_text("State how you know it.")
    page.get_by_label("How you know it").fill("ü" * 1500)
    button.click()
    expect(page.locator("#entry-text-fault")).to_have_text("At most 2000 bytes, please.")
    page.get_by_label("How you know it").fill("slip")
    button.click()
    expect(page.locator("#entry-name-fault")).to_have_text("Enter your name.")
    shoot("bad_input")
    assert sent == [] and entries(server, sale)[0]["state"] == "open"


def test_text_that_looks_like_markup_stays_text(clerk, server):
    failed_refund(server, order="<img/src=x>")
    review(clerk)
    open_first(clerk)
    fill(clerk.page, choice="Handled", text="<script>document.title='x'</script>", name="<b>Ada</b>")
    clerk.page.get_by_role("button", name="Close it…").click()
    expect(clerk.page.get_by_role("dialog")).to_contain_text("<b>Ada</b>")
    assert clerk.page.locator("#attention-view img, #attention-view b, #review b").count() == 0
    clerk.page.get_by_role("dialog").get_by_role("button", name="Close as handled").click()
    expect(clerk.page.locator("#queue-state")).to_contain_text("Closed", timeout=WAIT)
    assert clerk.page.title() == "Till – counter"


def test_a_double_click_closes_once(clerk, server):
    sale = failed_refund(server)
    review(clerk)
    open_first(clerk)
    fill(clerk.page)
    sent = []
    clerk.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    clerk.page.get_by_role("button", name="Close it…").dblclick()
    clerk.page.wait_for_timeout(500)
    assert sent == [], "the second half of a double click sends nothing"
    clerk.page.get_by_role("dialog").get_by_role("button", name="Record €5.00").dblclick()
    expect(clerk.page.locator("#queue-state")).to_contain_text("Closed", timeout=WAIT)
    assert len(sent) == 1, sent
    now = server.request("GET", f"/v1/payments/{sale['id']}").json()
    assert now["refunded"] == 500 and [e["type"] for e in now["events"]].count("payment.attention_closed") == 1


def test_a_reload_in_the_middle_finishes_what_was_sent_under_its_key(clerk, server):
    sale = failed_refund(server)
    review(clerk)
    open_first(clerk)
    keys, answered, page = [], [], clerk.page

    def lose(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()  # the till has done it, and its answer is lost
        if answered:
            route.continue_()
        else:
            route.abort()

    page.route("**/resolve", lose)
    fill(page)
    send(page, "Record €5.00")
    expect(page.locator("#entry-state")).to_contain_text("It is not known yet", timeout=WAIT)
    page.reload()
    answered.append(True)
    expect(page.locator("#entry-closing")).to_contain_text("Cash slip 4711", timeout=WAIT)
    expect(page.locator("#entry-form")).to_be_hidden()
    kept = "Object.keys(sessionStorage).filter((name) => name.startsWith('till.request:')).length"
    for _ in range(300):
        if page.evaluate(kept) == 0:
            break
        page.wait_for_timeout(100)
    assert page.evaluate(kept) == 0
    assert len(set(keys)) == 1 and len(keys) > 1, keys
    now = server.request("GET", f"/v1/payments/{sale['id']}").json()
    assert now["refunded"] == 500 and [e["type"] for e in now["events"]].count("payment.attention_closed") == 1


def test_another_tab_closed_it_first_and_the_page_says_who(clerk, server, shoot):
    sale = failed_refund(server)
    review(clerk)
    open_first(clerk)
    fill(clerk.page)
    body = {"resolution": "written_off", "evidence": "Too little to chase", "actor": "Grace"}
    first = server.request("POST", f"/v1/payments/{sale['id']}/attention/1/resolve", body, "other-tab")
    assert first.ok, first.text
    send(clerk.page, "Record €5.00")
    expect(clerk.page.locator("#entry-closing")).to_contain_text("Grace", timeout=WAIT)
    expect(clerk.page.locator("#entry-closing")).to_contain_text("Written off")
    expect(clerk.page.locator("#entry-state")).to_contain_text("No money moved.")
    expect(clerk.page.locator("#entry-form")).to_be_hidden()
    shoot("other_tab")
    assert server.request("GET", f"/v1/payments/{sale['id']}").json()["refunded"] == 0


def test_an_incident_is_resolved_and_its_order_is_sold_or_held_for_good(clerk, server, shoot):
    told = incident(server)
    assert server.create("o-lost", "k-1").json()["code"] == "order_held"
    review(clerk)
    page = clerk.page
    page.get_by_role("link", name="Incidents 1").click()
    assert page.url.endswith("#attention?show=incidents")
    open_first(clerk)
    shoot("incident")
    fill(page, choice="It did not pay", text="Dashboard: never captured", name="Ada")
    send(page, "Free the order")
    expect(page.locator("#queue-state")).to_contain_text("Closed", timeout=WAIT)
    assert "show=incidents" in page.url, "the filter stays"
    now = server.request("GET", f"/v1/incidents/{told['id']}").json()
    assert now["state"] == "resolved", now
    assert (now["resolution"]["actor"], now["resolution"]["outcome"]) == ("Ada", "not_paid"), now
    assert server.create("o-lost", "k-2").status_code == 201
    again = server.request("POST", f"/v1/incidents/{told['id']}/resolve",
                           {"evidence": "no", "actor": "Grace", "outcome": "paid"}, "k-3")
    assert (again.status_code, again.json()["code"]) == (409, "incident_resolved"), again.text
    assert "Ada" in again.json()["detail"] and again.json()["money_moved"] == "no"


def test_another_accounts_entries_are_not_visible(clerk, server, tmp_path):
    sale = failed_refund(server)
    told = incident(server)
    key = counter.succeed(
        "keys", "create", "--scope", "all", "--account", "other", "--journal", server.journal, "--json")["key"]
    mine, server.api_key = server.api_key, key
    seen = queue(server)
    assert (seen["attention"], seen["incidents_open"], seen["incidents"]) == ([], 0, []), seen
    for path in (f"/v1/payments/{sale['id']}/attention", f"/v1/incidents/{told['id']}"):
        assert server.request("GET", path).status_code == 404, path
    body = {"evidence": "x", "actor": "y", "outcome": "paid"}
    assert server.request("POST", f"/v1/incidents/{told['id']}/resolve", body, "k").status_code == 404
    body = {"resolution": "handled", "evidence": "x", "actor": "y"}
    assert server.request("POST", f"/v1/payments/{sale['id']}/attention/1/resolve", body, "k").status_code == 404
    assert statement(server, ADYEN.encode()).json()["code"] == "not_the_shops_account"
    server.api_key = mine
    assert statement(server, ADYEN.encode(), provider="adyen").status_code == 200
    server.api_key = key
    assert server.request("GET", "/v1/reconciliation").json()["breaks"] == []
    clerk.page.context.clear_cookies()
    clerk.page.goto(server.url + "/#attention")
    clerk.page.reload()
    clerk.page.get_by_label("API key").fill(key)
    clerk.page.get_by_label("API key").press("Enter")
    expect(clerk.page.locator("#attention-view")).to_be_visible(timeout=WAIT)
    clerk.page.goto(server.url + "/#attention?entry=" + sale["id"] + ".1")
    expect(clerk.page.locator("#entry-title")).to_have_text("It cannot be shown", timeout=WAIT)
    expect(clerk.page.locator("body")).not_to_contain_text("o-lost")


def statement(server, body, **query):
    headers = {"Authorization": "Bearer " + server.api_key, "Content-Type": "application/octet-stream"}
    return requests.post(server.url + "/v1/reconciliation/statements", data=body, params=query, headers=headers,
                         timeout=60)


def drop(page, text, name="report.csv"):
    page.get_by_label("Statement file").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()})
    page.get_by_role("button", name="Import the statement").click()


def test_a_statement_is_imported_once_and_what_does_not_match_is_closed(clerk, server, shoot):
    review(clerk)
    page = clerk.page
    drop(page, ADYEN)
    result = page.locator("#statement-result")
    expect(result).to_contain_text("Adyen: 3 lines imported. One thing does not match.", timeout=WAIT)
    expect(page.locator("#breaks li")).to_contain_text("12.50 EUR", timeout=WAIT)
    shoot("statement")
    drop(page, ADYEN, "again.csv")
    expect(result).to_contain_text("imported before. Nothing was changed. 1 of it is still open", timeout=WAIT)
    page.locator("#breaks a").first.click()
    expect(page.locator("#entry-form")).to_be_visible(timeout=WAIT)
    page.get_by_label("How you know it").fill("Sold at the other shop")
    page.locator("#entry-form").get_by_label("Your name").fill("Ada")
    send(page, "Close it")
    expect(page.locator("#breaks-empty")).to_be_visible(timeout=WAIT)
    assert server.request("GET", "/v1/reconciliation").json()["open"] == 0
    verified = counter.till("journal", "verify", "--journal", server.journal, "--json")
    assert verified.code == 0 and verified.json["ok"], verified


def test_what_a_statement_put_into_suspense_is_written_off(clerk, server):
    review(clerk)
    page = clerk.page
    drop(page, ADYEN)
    expect(page.locator("#breaks li")).to_contain_text("12.50 EUR", timeout=WAIT)
    page.locator("#breaks a").first.click()
    expect(page.locator("#entry-form")).to_be_visible(timeout=WAIT)
    page.get_by_label("Written off").check()
    page.get_by_label("How you know it").fill("Adyen knows no such sale")
    page.locator("#entry-form").get_by_label("Your name").fill("Ada")
    send(page, "Write it off")
    expect(page.locator("#breaks-empty")).to_be_visible(timeout=WAIT)
    told = server.request("GET", "/v1/ledger/balances").json()["balances"]
    assert {b["kind"]: b["amount"] for b in told}["write_offs"] == -1250, told


def test_a_dropped_statement_is_taken(clerk, server):
    review(clerk)
    clerk.page.evaluate("""(text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
      document.getElementById("statement-drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data }));
    }""", ADYEN)
    expect(clerk.page.locator("#statement-file-note")).to_have_text("Dropped: dropped.csv")
    clerk.page.get_by_role("button", name="Import the statement").click()
    expect(clerk.page.locator("#statement-result")).to_contain_text("3 lines imported", timeout=WAIT)


@pytest.mark.parametrize("text,says", [
    (ADYEN.replace("12.38", "1x"), "line 3"), ("hello\n", "no statement that is known"),
    (ADYEN + '"not closed\n', "line 5")])
def test_a_statement_that_cannot_be_read_names_the_place_and_imports_nothing(clerk, server, text, says, shoot):
    review(clerk)
    drop(clerk.page, text)
    result = clerk.page.locator("#statement-result")
    expect(result).to_contain_text(says, timeout=WAIT)
    expect(result).to_contain_text("Nothing was imported")
    expect(result).to_contain_text("No money moved.")
    shoot("unreadable")
    assert server.request("GET", "/v1/reconciliation").json()["open"] == 0
    assert counter.succeed("ledger", "balances", "--journal", server.journal, "--json")["balances"] == []


def test_no_file_an_empty_one_and_one_that_is_too_large_are_refused(clerk, server):
    review(clerk)
    button = clerk.page.get_by_role("button", name="Import the statement")
    button.click()
    fault = clerk.page.locator("#statement-file-fault")
    expect(fault).to_have_text("Choose a file.")
    drop(clerk.page, "")
    expect(fault).to_have_text("The file is empty.")
    drop(clerk.page, "x" * ((16 << 20) + 1))
    expect(fault).to_have_text("The file has more than 16 MB.")
    answer = statement(server, b"x" * ((16 << 20) + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large"), answer.text
    assert "till reconcile FILE" in answer.json()["next"] and answer.json()["money_moved"] == "no"
    for query, field in (({"provider": "nobody"}, "provider"), ({"format": "x"}, "format"),
                         ({"provider_account": "ä"}, "provider_account")):
        answer = statement(server, b"x", **query)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), answer.text


def settled_sale(clerk):
    clerk.page.get_by_text("Charge an order document instead").click()
    clerk.page.get_by_label("Order document (JSON)").fill(json.dumps(document(**SETTLED["paid"][0])))
    clerk.page.get_by_role("radio", name="Cash").check()
    clerk.charge.first.click()
    expect(clerk.page.locator("#headline")).to_have_text("Not charged", timeout=WAIT)


def test_an_order_that_the_shop_calls_paid_is_charged_as_a_second_step_under_a_name(clerk, server, shoot):
    settled_sale(clerk)
    page = clerk.page
    expect(page.locator("#detail")).to_contain_text("the shop says it was paid on 2019-06-06 through Card")
    expect(page.locator("#detail")).not_to_contain_text("--even-if-paid")
    again = page.get_by_role("button", name="Charge it anyway…")
    again.click()
    expect(page.locator("#override-name-fault")).to_have_text("Enter your name.")
    shoot("settled")
    page.locator("#override-name").fill("Ada")
    again.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The customer may be paying twice.")
    dialog.get_by_role("button", name="Back").click()
    assert payments(server) == []
    again.click()
    page.wait_for_timeout(500)
    shoot("settled_question")
    dialog.get_by_role("button", name="Charge 12.50 EUR anyway").click()
    expect(page.locator("#headline")).to_have_text("Paid", timeout=WAIT)
    [payment] = payments(server)
    assert payment["accepted_paid_order"] == {
        "shop_says": "it was paid on 2019-06-06 through Card", "by": "Ada, counter page"}, payment
    expect(page.locator("#override-form")).to_be_hidden()


def test_what_was_offered_for_one_sale_is_not_used_for_another(clerk, server):
    settled_sale(clerk)
    page = clerk.page
    page.locator("#override-name").fill("Ada")
    page.get_by_label("Order document (JSON)").fill(json.dumps(document(**SETTLED["refunded"][0], id=1002)))
    page.get_by_role("button", name="Charge it anyway…").click()
    expect(page.locator("#alert")).to_contain_text("The sale was changed. No money moved.")
    expect(page.locator("#override-form")).to_be_hidden()
    assert payments(server) == []


def test_everything_is_done_by_keyboard(clerk, server):
    sale = failed_refund(server)
    page = clerk.page
    page.locator("#to-review").focus()
    page.keyboard.press("Enter")
    link = page.locator("#queue-list a").first
    expect(link).to_be_visible(timeout=WAIT)
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#entry-form")).to_be_visible(timeout=WAIT)
    page.locator("input[name=entry-choice]").first.focus()
    page.keyboard.press("Space")
    page.get_by_label("How you know it").focus()
    page.keyboard.type("The customer called")
    page.keyboard.press("Tab")
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.wait_for_timeout(500)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#queue-title")).to_be_focused(timeout=WAIT)
    assert entries(server, sale)[0]["closing"]["resolution"] == "handled"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_the_list_an_entry_and_a_statement(clerk, server, scheme):
    clerk.page.emulate_media(color_scheme=scheme)
    failed_refund(server)
    incident(server)
    review(clerk)

    def judge():
        found = Axe().run(clerk.page)
        assert found.violations_count == 0, found.generate_report()

    drop(clerk.page, ADYEN)
    expect(clerk.page.locator("#breaks li")).to_have_count(1, timeout=WAIT)
    judge()
    open_first(clerk)
    clerk.page.get_by_role("button", name="Close it…").click()
    clerk.page.get_by_text("Evidence").click()
    judge()
    clerk.page.get_by_role("link", name="Back to the list").click()
    clerk.page.get_by_role("link", name="Incidents 1").click()
    open_first(clerk)
    judge()
    clerk.page.get_by_role("link", name="Sell").click()
    settled_sale(clerk)
    judge()


def test_the_page_comes_back_to_where_it_was(clerk, server):
    failed_refund(server)
    clerk.page.goto(server.url + "/#attention?show=deadlines")
    expect(clerk.page.locator("#queue-empty")).to_have_text("Nothing of this kind is open.", timeout=WAIT)
    clerk.page.reload()
    expect(clerk.page.locator(".chip[aria-current]")).to_have_text("Deadlines 0", timeout=WAIT)
    clerk.page.get_by_role("link", name="All 1").click()
    expect(clerk.page.locator("#queue-list li")).to_have_count(1)
    clerk.page.go_back()
    expect(clerk.page.locator(".chip[aria-current]")).to_have_text("Deadlines 0")


@pytest.fixture
def clerk(page, server):
    clerk = Counter(page, server).open()
    yield clerk
    assert not clerk.faults, clerk.faults
