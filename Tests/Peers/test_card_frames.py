"""The provider's own card fields in the counter's frame, in real Chromium: neither the shop's page nor the counter's
frame can read the number, no request to the counter has it, and the reference pays once.
"""
import functools
import http.server
import json
import pathlib
import threading

import pytest
import requests
from playwright.sync_api import expect
from test_card_fields import WAIT, fields, pay, says, session, shop, shown

import card_frames
import counter

NUMBER = "4242424242424242"
PUBLISHABLE = "pk_test_peertests"


@pytest.fixture
def site(tmp_path):
    """The shop's own server. At 127.0.0.1 it is one more origin, of somebody else."""
    folder = tmp_path / "shop"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    site.folder, site.origin = folder, f"http://localhost:{site.server_port}"
    site.other = f"http://127.0.0.1:{site.server_port}"
    yield site
    site.shutdown()


class Watched:
    """A browser in which the provider's addresses are answered, and every request is kept."""

    def __init__(self, browser, provider):
        self.browser, self.provider, self.requests = browser, provider, []

    def new_context(self, **options):
        context = self.browser.new_context(**options)
        self.provider.serve(context)
        context.on("request", lambda request: self.requests.append(request))
        return context

    def sent(self, url):
        """What went to an address: addresses, headers and bodies."""
        return [
            (request.url, json.dumps(request.headers), (request.post_data_buffer or b"").decode(errors="replace"))
            for request in self.requests if request.url.startswith(url)
        ]


def run_stripe(tmp_path, sandbox):
    port = counter.free_port()
    return counter.Server(
        tmp_path, *sandbox.flags, "--receipt-url", f"http://127.0.0.1:{port}", port=port,
        env={"TILL_STRIPE_PUBLISHABLE_KEY": PUBLISHABLE})


@pytest.fixture
def server(tmp_path, sandbox):
    with run_stripe(tmp_path, sandbox) as running:
        yield running


@pytest.fixture
def chromium(browser, sandbox):
    return Watched(browser, card_frames.stripe(sandbox))


def field(page, name):
    return fields(page).frame_locator(f"#{name} iframe").get_by_role("textbox")


def type_card(page, number=NUMBER, expires="12/34", code="123"):
    for name, text in (("number", number), ("expires", expires), ("code", code)):
        expect(field(page, name)).to_be_visible(timeout=WAIT)
        field(page, name).fill("")
        field(page, name).press_sequentially(text)
    # What is typed is told from frame to frame.
    page.wait_for_timeout(150)
    assert counter.until(lambda: heard(page, "change")[-1]["complete"] or page.wait_for_timeout(50))


def heard(page, name):
    return [detail for said, detail in page.evaluate("window.heard") if said == name]


def written(folder, text):
    """Files of the counter in which a text stands; the stand-in and the shop's site keep their own here, too."""
    own = ("ledger", "sandbox", "braintree.log", "paypal.log")
    return [p.name for p in pathlib.Path(folder).rglob("*")
            if p.is_file() and not p.name.startswith(own) and text.encode() in p.read_bytes()]


def check_unread(page, chromium, server, tmp_path, number):
    """Nobody but the provider has the number."""
    grouped = " ".join(number[at:at + 4] for at in range(0, 16, 4))
    to_provider = chromium.sent(chromium.provider.tokens)
    assert any(number in body for _, _, body in to_provider), "the test would not see a number"
    for url in (server.url, page.url.rsplit("/", 1)[0]):
        sent = chromium.sent(url)
        assert sent and not any(number in part or grouped in part for one in sent for part in one), sent
    around = next(frame for frame in page.frames if frame.url.startswith(server.url + "/card/frame/"))
    inside = "document.querySelector('#number iframe')"
    assert around.evaluate(f"{inside}.contentDocument") is None
    with pytest.raises(Exception, match="SecurityError|Blocked a frame"):
        around.evaluate(f"{inside}.contentWindow.document.body.innerHTML")
    for document in (page.content(), around.content()):
        assert number not in document and grouped not in document
    told = page.evaluate("JSON.stringify([window.heard, window.messages])")
    assert number not in told and grouped not in told, told
    assert written(tmp_path, number) == []


def test_a_card_in_stripes_fields_is_paid_and_nobody_else_reads_it(server, sandbox, site, chromium, tmp_path):
    payment, text = session(server, site.origin)
    page = shop(site, server, chromium, text)
    type_card(page)
    assert heard(page, "change")[-1] == {"complete": True, "brand": "Visa"}
    pay(page)
    says(page, "paid ")
    found = shown(server, payment)
    assert (found["status"], found["captured"], len(found["attempts"])) == ("succeeded", 1250, 1)
    assert (found["tender"]["type"], found["tender"]["last_four"]) == ("card", "4242"), found["tender"]
    assert [c["captured"] for c in sandbox.get("/_sandbox/ledger")["charges"]] == [1250]
    check_unread(page, chromium, server, tmp_path, NUMBER)
    assert not [said for said in page.said if "Content Security Policy" in said], page.said
    # After a reload nothing of the provider's is needed to say so.
    chromium.provider.loaded.clear()
    page.reload()
    expect(fields(page).get_by_role("status")).to_contain_text("confirmed", timeout=WAIT)
    assert chromium.provider.loaded == []


def test_a_declined_card_and_then_another(server, site, chromium):
    payment, text = session(server, site.origin)
    page = shop(site, server, chromium, text)
    type_card(page, "4000000000000002")
    pay(page)
    says(page, "declined ")
    assert shown(server, payment)["captured"] == 0
    type_card(page)
    page.get_by_role("button", name="Pay").dblclick()
    says(page, "paid ")
    found = shown(server, payment)
    assert (found["status"], found["captured"], len(found["attempts"])) == ("succeeded", 1250, 2)


def test_a_number_that_the_provider_refuses_and_missing_fields_charge_nothing(server, site, chromium):
    payment, text = session(server, site.origin)
    page = shop(site, server, chromium, text)
    expect(field(page, "number")).to_be_visible(timeout=WAIT)
    assert counter.until(lambda: heard(page, "ready") or page.wait_for_timeout(100))
    pay(page)
    says(page, "error invalid_card")
    expect(fields(page).locator("#expires-fault")).to_contain_text("12/30")
    type_card(page, "4242424242424243")
    page.evaluate("document.querySelector('#said').textContent = ''")
    pay(page)
    says(page, "error invalid_card")
    assert shown(server, payment)["attempts"] == []
    type_card(page)
    pay(page)
    says(page, "paid ")


@pytest.mark.parametrize("fault", ["is_down", "hangs"])
def test_a_script_that_does_not_load_is_said_and_loaded_again(server, site, chromium, fault):
    setattr(chromium.provider, fault, True)
    payment, text = session(server, site.origin)
    page = shop(site, server, chromium, text)
    assert counter.until(lambda: heard(page, "error") or page.wait_for_timeout(200), 60)
    assert heard(page, "error")[0]["code"] == "card_fields_not_loaded" and not heard(page, "ready")
    pay(page)
    says(page, "error not_ready")
    assert shown(server, payment)["attempts"] == []
    chromium.provider.mend()
    page.evaluate("document.querySelector('till-card').reload()")
    type_card(page)
    pay(page)
    says(page, "paid ")
    assert len(shown(server, payment)["attempts"]) == 1


def test_a_message_of_a_foreign_origin_is_not_heard(server, site, chromium):
    payment, text = session(server, site.origin)
    page = shop(site, server, chromium, text)
    type_card(page)
    (site.folder / "other.html").write_text("""<!doctype html><script>
        const nonce = new URLSearchParams(location.hash.slice(1)).get("nonce");
        for (const type of ["pay", "paid"]) {
          const message = { till: "card", nonce, type, detail: {} };
          parent.postMessage(message, "*");
          parent.frames[0].postMessage(message, "*");
          for (let at = 0; at < parent.frames[0].frames.length; at++) {
            parent.frames[0].frames[at].postMessage({ ...message, do: "reference" }, "*");
          }
        }
        parent.postMessage("sent", "*");
    </script>""")
    page.evaluate("""(other) => new Promise((done) => {
        const { hash } = new URL(document.querySelector("till-card iframe").src);
        const nonce = new URLSearchParams(hash.slice(1)).get("nonce");
        addEventListener("message", (event) => event.data === "sent" && done());
        const frame = document.createElement("iframe");
        frame.src = other + "/other.html#" + new URLSearchParams({ nonce });
        document.body.append(frame);
    })""", site.other)
    page.wait_for_timeout(300)
    assert not heard(page, "paid") and not heard(page, "pending")
    assert chromium.sent(chromium.provider.tokens) == [] and shown(server, payment)["attempts"] == []
    # The guards alone stand in the way: the page's own button pays.
    pay(page)
    says(page, "paid ")


def test_a_card_number_that_comes_to_the_counter_all_the_same_is_refused(server, site, tmp_path):
    payment, text = session(server, site.origin)
    answer = requests.post(server.url + "/card/pay", json={"session": text, "tender": {
        "type": "card", "number": NUMBER, "expiry": "12/34", "cvc": "123"}}, timeout=30)
    assert answer.status_code == 422 and answer.json()["money_moved"] == "no", answer.text
    assert shown(server, payment)["attempts"] == [] and written(tmp_path, NUMBER) == []
    frame = requests.get(f"{server.url}/card/frame/{text.split('_')[0]}", timeout=10)
    policy = dict(part.strip().split(" ", 1) for part in frame.headers["content-security-policy"].split(";"))
    assert policy["script-src"] == "'self' https://js.stripe.com https://*.js.stripe.com"
    assert policy["connect-src"] == "'self' https://api.stripe.com"
    assert policy["frame-ancestors"] == site.origin


@pytest.mark.parametrize("answer", ["Confirm", "Refuse"])
def test_a_bank_that_asks_is_answered_in_the_frame(server, site, chromium, answer):
    payment, text = session(server, site.origin)
    page = shop(site, server, chromium, text)
    type_card(page, "4000002760003184")
    pay(page)
    bank = fields(page).frame_locator("#bank-page")
    expect(bank.get_by_role("button", name=answer)).to_be_visible(timeout=WAIT)
    bank.get_by_role("button", name=answer).click()
    says(page, "paid " if answer == "Confirm" else "declined ")
    found = shown(server, payment)
    assert found["captured"] == (1250 if answer == "Confirm" else 0) and len(found["attempts"]) == 1, found


def test_a_publishable_key_of_the_other_mode_is_refused_by_name(tmp_path, sandbox):
    answer = counter.till(
        "serve", "--port", "0", "--journal", tmp_path / "journal.db", *sandbox.flags,
        env={"TILL_STRIPE_PUBLISHABLE_KEY": "pk_live_marked", "TILL_API_KEY": counter.API_KEY})
    assert answer.code != 0 and "stripe.publishable_key" in repr(answer) and "pk_live_marked" not in repr(answer)


@pytest.fixture
def braintree(tmp_path, braintree_url):
    env = {"TILL_BRAINTREE_MERCHANT_ID": "merchant", "TILL_BRAINTREE_PUBLIC_KEY": "integration_public_key",
           "TILL_BRAINTREE_PRIVATE_KEY": "integration_private_key", "TILL_BRAINTREE_URL": braintree_url,
           "TILL_BRAINTREE_MERCHANT_ACCOUNTS": "EUR=sandbox", "TILL_BRAINTREE_CARD_FIELDS": "braintree"}
    folder = tmp_path / "counter"
    folder.mkdir()
    with counter.Server(folder, "--provider", "braintree", env=env) as running:
        yield running


@pytest.mark.parametrize("minor, end", [(1250, "paid "), (200000, "declined ")])
def test_a_card_in_braintrees_fields(braintree, braintree_url, site, browser, tmp_path, minor, end):
    chromium = Watched(browser, card_frames.braintree(braintree_url))
    payment, text = session(braintree, site.origin, minor=minor)
    page = shop(site, braintree, chromium, text)
    type_card(page, "4111111111111111")
    pay(page)
    says(page, end)
    assert shown(braintree, payment)["captured"] == (1250 if end == "paid " else 0)
    check_unread(page, chromium, braintree, tmp_path, "4111111111111111")
    assert not [said for said in page.said if "Content Security Policy" in said], page.said


@pytest.fixture
def verifying(tmp_path, braintree_url):
    """A counter that charges a card of Braintree's fields only if its bank bears a loss."""
    env = {"TILL_BRAINTREE_MERCHANT_ID": "merchant", "TILL_BRAINTREE_PUBLIC_KEY": "integration_public_key",
           "TILL_BRAINTREE_PRIVATE_KEY": "integration_private_key", "TILL_BRAINTREE_URL": braintree_url,
           "TILL_BRAINTREE_MERCHANT_ACCOUNTS": "EUR=sandbox", "TILL_BRAINTREE_CARD_FIELDS": "braintree",
           "TILL_BRAINTREE_THREE_D_SECURE": "required"}
    folder = tmp_path / "verifying"
    folder.mkdir()
    with counter.Server(folder, "--provider", "braintree", env=env) as running:
        yield running


def sales(braintree_url):
    return requests.get(braintree_url + "/_sandbox/ledger", timeout=10).json()["charges"]


def ask_the_bank(page, answer):
    button = fields(page).frame_locator("#bank-layer iframe").get_by_role("button", name=answer)
    expect(button).to_be_visible(timeout=WAIT)
    assert heard(page, "action")
    button.click()


@pytest.mark.parametrize("answer, end", [
    ("Confirm", "paid "), ("Refuse", "declined "), ("Leave", "error challenge_canceled")])
def test_the_bank_is_asked_about_a_card_in_braintrees_fields(verifying, braintree_url, site, browser, answer, end):
    chromium = Watched(browser, card_frames.braintree(braintree_url))
    payment, text = session(verifying, site.origin)
    page = shop(site, verifying, chromium, text)
    type_card(page, "4111111111111111")
    before = len(sales(braintree_url))
    pay(page)
    ask_the_bank(page, answer)
    says(page, end)
    found = shown(verifying, payment)
    assert found["captured"] == (1250 if answer == "Confirm" else 0), found
    assert len(sales(braintree_url)) - before == (1 if answer == "Confirm" else 0)
    assert len(found["attempts"]) == (0 if answer == "Leave" else 1)
    expect(fields(page).locator("#bank-layer")).to_be_hidden()
    if answer == "Leave":
        # The same fields ask again, with a nonce of its own.
        page.evaluate("document.querySelector('#said').textContent = ''")
        pay(page)
        ask_the_bank(page, "Confirm")
        says(page, "paid ")
        assert shown(verifying, payment)["captured"] == 1250
    assert not [said for said in page.said if "Content Security Policy" in said], page.said


def test_a_bank_that_was_asked_about_another_amount_pays_nothing(verifying, braintree_url, site, browser):
    chromium = Watched(browser, card_frames.braintree(braintree_url))
    chromium.provider.other_amount = "1.00"
    payment, text = session(verifying, site.origin)
    page = shop(site, verifying, chromium, text)
    type_card(page, "4111111111111111")
    before = len(sales(braintree_url))
    pay(page)
    ask_the_bank(page, "Confirm")
    says(page, "declined ")
    assert shown(verifying, payment)["captured"] == 0 and len(sales(braintree_url)) == before


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_script_of_braintrees_without_the_banks_question_shows_no_fields(
        verifying, braintree_url, site, browser, is_loaded):
    chromium = Watched(browser, card_frames.braintree(braintree_url))
    if is_loaded:
        chromium.provider.scripts[chromium.provider.MODULE] = "/* Without the module. */"
    else:
        del chromium.provider.scripts[chromium.provider.MODULE]
    payment, text = session(verifying, site.origin)
    page = shop(site, verifying, chromium, text)
    assert counter.until(lambda: heard(page, "error") or page.wait_for_timeout(200), 60)
    assert heard(page, "error")[0]["code"] == "card_fields_not_loaded" and not heard(page, "ready")
    # Whoever leaves the question out makes a nonce that no bank has answered for.
    token = card_frames.nonce(braintree_url)
    paid = requests.post(verifying.url + "/card/pay", json={
        "session": text, "tender": {"type": "token", "token": token}}, timeout=30)
    assert paid.status_code == 200 and paid.json()["status"] == "declined", paid.text
    assert shown(verifying, payment)["captured"] == 0


def test_an_app_gets_the_key_for_the_providers_sdk(server, braintree):
    for running, name, begins in ((server, "publishable_key", PUBLISHABLE), (braintree, "client_token", "ey")):
        payment = running.create("o-1", "k-1").json()["id"]
        opened = running.request("POST", f"/v1/payments/{payment}/app_session", {}).json()
        headers = {"X-Till-Session": opened["session"]}
        answers = [requests.get(running.url + "/app/card_fields", headers=headers, timeout=30) for _ in range(2)]
        assert [a.status_code for a in answers] == [200, 200], answers[0].text
        assert answers[0].json()[name].startswith(begins) and answers[0].json() == answers[1].json()


PAYPAL_NUMBER = "4032036247327321"


def run_paypal(tmp_path, stand_in):
    folder = tmp_path / "counter"
    folder.mkdir(exist_ok=True)
    return counter.Server(
        folder, "--provider", "paypal", "--paypal-url", stand_in, env={"TILL_PAYPAL_CARD_FIELDS": "paypal"})


@pytest.fixture
def paypal(tmp_path, stand_in):
    with run_paypal(tmp_path, stand_in) as running:
        yield running


def bank(page):
    return fields(page).frame_locator("iframe.paypal-question")


def charged(stand_in):
    ledger = requests.get(stand_in + "/_sandbox/ledger", timeout=10).json()
    return sum(charge["captured"] for charge in ledger["charges"])


def test_paypals_fields_may_load_from_named_hosts_only(paypal, site):
    _, text = session(paypal, site.origin)
    frame = requests.get(f"{paypal.url}/card/frame/{text.split('_')[0]}", timeout=10)
    policy = dict(part.strip().split(" ", 1) for part in frame.headers["content-security-policy"].split(";"))
    for name in ("script-src", "frame-src", "img-src"):
        assert "*" not in policy[name] and "https: " not in policy[name] + " ", policy
    assert "unsafe" not in frame.headers["content-security-policy"]
    assert policy["connect-src"] == "'self' https://*.paypal.com"
    assert policy["frame-src"] == "https://www.paypal.com https://www.sandbox.paypal.com https://c.paypal.com"


@pytest.mark.parametrize("number, end", [(PAYPAL_NUMBER, "paid "), ("4005519200000004", "declined ")])
def test_a_card_in_paypals_fields_is_attached_to_an_order_of_the_counter(
        paypal, stand_in, site, browser, tmp_path, number, end):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, number)
    pay(page)
    says(page, end)
    found = shown(paypal, payment)
    assert found["captured"] == charged(stand_in) == (1250 if end == "paid " else 0)
    assert len(found["attempts"]) == 1 and chromium.provider.orders == [found["attempts"][0]["reference"].split(".")[0]]
    assert found["tender"]["type"] == "card"
    check_unread(page, chromium, paypal, tmp_path, number)
    assert not [said for said in page.said if "Content Security Policy" in said], page.said
    script = next(url for url, _, _ in chromium.sent("https://www.paypal.com/sdk/js"))
    assert "components=card-fields" in script and "currency=EUR" in script and "intent=capture" in script
    if end == "paid ":
        return
    # Another card has an order of its own.
    type_card(page, PAYPAL_NUMBER)
    pay(page)
    says(page, "paid ")
    assert shown(paypal, payment)["captured"] == charged(stand_in) == 1250
    assert len(set(chromium.provider.orders)) == 2


@pytest.mark.parametrize("number", ["4012000033330026", "4012888888881881"])
@pytest.mark.parametrize("answer, end", [("Confirm", "paid "), ("Refuse", "declined ")])
def test_the_banks_answer_in_paypals_frame_decides(paypal, stand_in, site, browser, number, answer, end):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, number)
    pay(page)
    expect(bank(page).get_by_role("button", name=answer)).to_be_visible(timeout=WAIT)
    assert heard(page, "action") and charged(stand_in) == 0
    bank(page).get_by_role("button", name=answer).click()
    says(page, end)
    found = shown(paypal, payment)
    assert found["captured"] == charged(stand_in) == (1250 if answer == "Confirm" else 0)
    assert len(found["attempts"]) == 1, found
    assert not [said for said in page.said if "Content Security Policy" in said], page.said


def test_a_customer_who_leaves_the_banks_question_pays_with_another_card_on_the_same_order(
        paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4012000033330026")
    pay(page)
    bank(page).get_by_role("button", name="Leave").click()
    says(page, "error challenge_canceled")
    found = shown(paypal, payment)
    assert (found["status"], found["captured"]) == ("requires_action", 0)
    # Once the counter has seen that a bank was asked, only a bank's answer pays this order.
    type_card(page, "4012000033330026")
    pay(page)
    bank(page).get_by_role("button", name="Confirm").click()
    says(page, "paid ")
    assert len(set(chromium.provider.orders)) == 1 and len(shown(paypal, payment)["attempts"]) == 1
    assert charged(stand_in) == 1250


def test_a_page_that_is_gone_has_charged_nothing_and_comes_back_to_its_order(paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4012000033330026")
    pay(page)
    expect(bank(page).get_by_role("button", name="Confirm")).to_be_visible(timeout=WAIT)
    page.close()
    found = shown(paypal, payment)
    assert (found["status"], found["captured"]) == ("requires_action", 0) and charged(stand_in) == 0
    assert found["attempts"][0]["action"]["order_id"] == chromium.provider.orders[0]
    page = shop(site, paypal, chromium, text)
    type_card(page, "4012000033330026")
    pay(page)
    bank(page).get_by_role("button", name="Confirm").click()
    says(page, "paid ")
    found = shown(paypal, payment)
    assert (found["captured"], len(found["attempts"]), charged(stand_in)) == (1250, 1, 1250)
    assert len(set(chromium.provider.orders)) == 1


def test_a_page_that_is_gone_after_paypal_took_the_card_is_charged_all_the_same(paypal, stand_in, site, browser):
    """The browser is not needed for the money: the counter asks by itself, whoever looks."""
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, PAYPAL_NUMBER)
    page.evaluate("document.querySelector('till-card').pay(), 0")
    assert counter.until(lambda: chromium.provider.orders or page.wait_for_timeout(50))
    page.close()
    assert counter.until(lambda: shown(paypal, payment)["status"] == "succeeded", 60), shown(paypal, payment)
    assert charged(stand_in) == 1250


def test_a_lost_answer_of_paypals_is_no_refusal(paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    chromium.provider.is_lost = True
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, PAYPAL_NUMBER)
    pay(page)
    says(page, "paid ")
    assert charged(stand_in) == 1250 and shown(paypal, payment)["captured"] == 1250


def test_a_number_that_paypal_refuses_leaves_the_order_to_the_next_card(paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4032036247327322")
    pay(page)
    says(page, "error invalid_card")
    assert shown(paypal, payment)["captured"] == 0
    type_card(page, PAYPAL_NUMBER)
    pay(page)
    says(page, "paid ")
    assert len(set(chromium.provider.orders)) == 1 and charged(stand_in) == 1250


@pytest.mark.parametrize("answer, end", [("Confirm", "paid "), ("Refuse", "declined ")])
def test_a_bank_that_paypals_script_does_not_show_has_its_page_in_the_frame(
        paypal, stand_in, site, browser, answer, end):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    chromium.provider.is_silent = True
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4012000033330026")
    pay(page)
    # PayPal's own page would be in the frame; the stand-in's origin is none of PayPal's, so it opens by the link.
    link = fields(page).locator("#bank-link")
    expect(link).to_be_visible(timeout=WAIT)
    assert heard(page, "action") and charged(stand_in) == 0
    with page.context.expect_page() as opened:
        link.click()
    opened.value.get_by_role("button", name=answer).click()
    says(page, end)
    assert shown(paypal, payment)["captured"] == charged(stand_in) == (1250 if answer == "Confirm" else 0)


def canceled(page):
    return page.evaluate("document.querySelector('till-card').cancel()")


def test_an_order_that_the_customer_leaves_is_ended_and_a_later_card_is_not_charged(paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4032036247327322")
    pay(page)
    says(page, "error invalid_card")
    assert shown(paypal, payment)["status"] == "requires_action"
    assert canceled(page)["type"] == "canceled"
    found = shown(paypal, payment)
    assert (found["status"], found["captured"]) == ("requires_payment_method", 0)
    left = chromium.provider.orders[0]
    card = {"number": PAYPAL_NUMBER, "expires": "1234", "code": "123", "order": left}
    chromium.provider.made(card)
    assert charged(stand_in) == 0
    # The same fields pay with an order of its own.
    type_card(page, PAYPAL_NUMBER)
    pay(page)
    says(page, "paid ")
    assert chromium.provider.orders[-1] != left
    assert shown(paypal, payment)["captured"] == charged(stand_in) == 1250
    assert canceled(page)["type"] == "paid"


def test_fields_whose_script_fails_leave_an_order_that_can_be_ended(paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4032036247327322")
    pay(page)
    says(page, "error invalid_card")
    chromium.provider.is_down = True
    page.reload()
    assert counter.until(lambda: heard(page, "error") or page.wait_for_timeout(200), 60)
    assert canceled(page)["type"] == "canceled"
    assert shown(paypal, payment)["status"] == "requires_payment_method" and charged(stand_in) == 0


def test_an_order_at_the_bank_is_not_ended(paypal, stand_in, site, browser):
    chromium = Watched(browser, card_frames.paypal(stand_in))
    payment, text = session(paypal, site.origin)
    page = shop(site, paypal, chromium, text)
    type_card(page, "4012000033330026")
    pay(page)
    expect(bank(page).get_by_role("button", name="Confirm")).to_be_visible(timeout=WAIT)
    assert canceled(page)["type"] == "unknown"
    assert shown(paypal, payment)["status"] == "requires_action"
    bank(page).get_by_role("button", name="Confirm").click()
    says(page, "paid ")
    assert shown(paypal, payment)["captured"] == charged(stand_in) == 1250


def test_cash_sets_an_unapproved_order_aside(paypal, stand_in, site):
    payment, text = session(paypal, site.origin)
    tender = {"session": text, "tender": {"type": "paypal_card"}}
    order = requests.post(paypal.url + "/card/pay", json=tender, timeout=30).json()["order_id"]
    # Another session, or none, ends nothing.
    wrong = requests.post(paypal.url + "/card/cancel", json={"session": text[:-1] + "x"}, timeout=30)
    assert wrong.status_code == 404 and shown(paypal, payment)["status"] == "requires_action"
    paid = paypal.request("POST", f"/v1/payments/{payment}/confirm", {"tender": {"type": "cash"}}, "pay-cash")
    assert paid.status_code == 200 and paid.json()["status"] == "succeeded", paid.text
    provider = card_frames.paypal(stand_in)
    provider.made({"number": PAYPAL_NUMBER, "expires": "1234", "code": "123", "order": order})
    requests.post(paypal.url + "/card/status", json={"session": text}, timeout=30)
    found = shown(paypal, payment)
    assert (found["captured"], charged(stand_in)) == (1250, 0), found


def test_cash_does_not_pay_beside_an_approved_order(paypal, stand_in, site):
    payment, text = session(paypal, site.origin)
    tender = {"session": text, "tender": {"type": "paypal_card"}}
    order = requests.post(paypal.url + "/card/pay", json=tender, timeout=30).json()["order_id"]
    provider = card_frames.paypal(stand_in)
    made = provider.made({"number": PAYPAL_NUMBER, "expires": "1234", "code": "123", "order": order})
    assert made == {"token": "APPROVED"}
    refused = paypal.request("POST", f"/v1/payments/{payment}/confirm", {"tender": {"type": "cash"}}, "pay-cash")
    assert refused.status_code == 409, refused.text
    assert shown(paypal, payment)["captured"] == charged(stand_in) == 1250


def test_an_app_attaches_a_card_to_the_order_of_its_payment(paypal, stand_in):
    payment = paypal.create("o-1", "k-1", 1250).json()["id"]
    headers = {"X-Till-Session": paypal.request("POST", f"/v1/payments/{payment}/app_session", {}).json()["session"]}
    key = requests.get(paypal.url + "/app/card_fields", headers=headers, timeout=30)
    assert key.status_code == 200 and key.json()["provider"] == "paypal" and key.json()["client_id"], key.text
    tender = {"tender": {"type": "paypal_card"}}
    begun = [requests.post(
        paypal.url + "/app/pay", headers={**headers, "Idempotency-Key": "press-1"}, json=tender, timeout=30)
        for _ in range(2)]
    orders = {answer.json()["order_id"] for answer in begun}
    assert len(orders) == 1 and begun[0].json()["status"] == "action", begun[0].text
    provider = card_frames.paypal(stand_in)
    card = {"number": PAYPAL_NUMBER, "expires": "1234", "code": "123", "order": orders.pop()}
    assert provider.made(card) == {"token": "APPROVED"} and charged(stand_in) == 0

    def state():
        return requests.get(paypal.url + "/app/payment", headers=headers, timeout=30).json()["status"]

    assert counter.until(lambda: state() == "paid", 60)
    assert charged(stand_in) == 1250


def test_only_paypal_takes_a_card_of_paypals_fields(server):
    payment = server.create("o-1", "k-1", 1250).json()["id"]
    refused = server.request(
        "POST", f"/v1/payments/{payment}/confirm", {"tender": {"type": "paypal_card"}}, "pay-1")
    assert refused.status_code == 422 and refused.json()["code"] == "unsupported", refused.text
    assert shown(server, payment)["attempts"] == []
