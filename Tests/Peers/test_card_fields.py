"""The card fields in a frame of the counter's origin, on a shop's page of another origin, in real Chromium: the page
cannot read them, other origins cannot show them, and a card is charged once.
"""
import base64
import concurrent.futures
import functools
import hashlib
import http.server
import json
import os
import threading

import pytest
import requests
from playwright.sync_api import expect

import counter

WAIT = 30_000
CARD = "4242424242424242"
PAGE = """<!doctype html><html lang="en"><title>Shop</title>
<script type="module" src="{url}/card/client.js"></script>
<till-card session="{session}"></till-card><button type="button">Pay</button><p id="said"></p>
<script type="module">
  const card = document.querySelector("till-card");
  window.heard = [];
  for (const name of ["ready", "change", "paid", "declined", "action", "pending", "unknown", "error", "canceled"]) {{
    card.addEventListener(name, (event) => window.heard.push([name, event.detail]));
  }}
  window.messages = [];
  addEventListener("message", (event) => window.messages.push(JSON.stringify(event.data)));
  document.querySelector("button").addEventListener("click", async () => {{
    const end = await card.pay();
    document.querySelector("#said").textContent = `${{end.type}} ${{end.code ?? ""}}`;
  }});
</script>"""


@pytest.fixture
def team(tmp_path):
    """The shop's own server: an origin that is not the counter's."""
    folder = tmp_path / "shop"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    site.folder, site.origin = folder, f"http://localhost:{site.server_port}"
    yield site
    site.shutdown()


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def session(server, origin, order="o-1", minor=1250):
    payment = server.create(order, f"k-{order}", minor).json()["id"]
    answer = server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": origin})
    assert answer.status_code == 201, answer.text
    return payment, answer.json()["session"]


def shop(team, server, browser, text, name="index.html", **context):
    (team.folder / name).write_text(PAGE.format(url=server.url, session=text))
    page = browser.new_context(**context).new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.goto(f"{team.origin}/{name}")
    return page


def fields(page):
    return page.frame_locator("till-card iframe")


def type_card(page, number=CARD, expires="12/34", code="123"):
    frame = fields(page)
    expect(frame.get_by_label("Card number")).to_be_enabled(timeout=WAIT)
    for label, text in (("Card number", number), ("Expires", expires), ("Security code", code)):
        frame.get_by_label(label).fill("")
        frame.get_by_label(label).press_sequentially(text)


def pay(page):
    page.get_by_role("button", name="Pay").click()


def says(page, text):
    expect(page.locator("#said")).to_have_text(text, timeout=WAIT)


def shown(server, payment):
    return server.request("GET", f"/v1/payments/{payment}").json()


def shot(page, name):
    if os.environ.get("TILL_SCREENSHOTS"):
        page.screenshot(path=f"{os.environ['TILL_SCREENSHOTS']}/card-fields-{name}.png")


def digest(content):
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode()


@pytest.mark.parametrize("change", ["none", "one byte", "another version, both listed"])
def test_a_browser_runs_the_script_of_the_session_s_integrity_value_and_no_other(server, team, browser, change):
    payment = server.create("o-1", "k-1", 1250).json()["id"]
    answer = server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": team.origin}).json()
    served = requests.get(server.url + answer["script_path"], timeout=10)
    assert answer["script_integrity"] == digest(served.content)
    assert served.headers["Access-Control-Allow-Origin"] == "*"
    changed = {"none": served.content, "one byte": served.content.replace(b"Card fields", b"Card fieldz", 1),
               "another version, both listed": served.content + b"\n// next\n"}[change]
    assert (changed == served.content) is (change == "none")
    values = [answer["script_integrity"]] + ([digest(changed)] if "listed" in change else [])
    tag = f'<script type="module" src="{server.url}/card/client.js"'
    text = PAGE.format(url=server.url, session=answer["session"])
    assert text.count(tag) == 1
    (team.folder / "index.html").write_text(text.replace(tag, f'{tag} integrity="{" ".join(values)}"'))
    page = browser.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    # Whoever stands between the counter and the browser.
    page.route("**/card/client.js", lambda route: route.fulfill(
        body=changed, content_type="text/javascript", headers={"Access-Control-Allow-Origin": "*"}))
    page.goto(f"{team.origin}/index.html")
    if change == "one byte":
        # Playwright hears of the console while it waits itself.
        assert counter.until(lambda: page.wait_for_timeout(50) or any("integrity" in text for text in said)), said
        assert page.evaluate("customElements.get('till-card') === undefined")
        assert page.locator("till-card iframe").count() == 0
    else:
        expect(fields(page).get_by_label("Card number")).to_be_enabled(timeout=WAIT)
        assert not any("integrity" in text for text in said), said
    page.close()


def test_a_card_is_paid_once_and_the_page_reads_nothing(server, team, browser):
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text)
    type_card(page)
    expect(fields(page).get_by_label("Card number")).to_have_value("4242 4242 4242 4242")
    expect(fields(page).locator("#brand")).to_have_text("Visa")
    shot(page, "typed")
    # The page tries: the document of the frame, its window, its address, and everything that it was told.
    assert page.evaluate("document.querySelector('till-card iframe').contentDocument") is None
    with pytest.raises(Exception, match="SecurityError|Blocked a frame"):
        page.evaluate("document.querySelector('till-card iframe').contentWindow.document.body.innerHTML")
    pay(page)
    says(page, "paid ")
    shot(page, "paid")
    told = json.dumps([said for said in map(json.loads, page.evaluate("window.messages")) if said.pop("nonce")])
    told = (told + page.evaluate("JSON.stringify(window.heard)")).replace(payment, "")
    assert not any(part in told for part in ("4242", "12/34", "1234", '"123"')), told
    assert CARD not in page.content()
    found = shown(server, payment)
    assert (found["status"], found["captured"], len(found["attempts"])) == ("succeeded", 1250, 1)
    assert CARD not in server.log.read_text() and text not in server.log.read_text()
    # Another press has the same end, and so has one after a reload; there is no other card.
    for is_new in (False, True):
        if is_new:
            page.reload()
        expect(fields(page).get_by_role("status")).to_contain_text("confirmed", timeout=WAIT)
        expect(fields(page).get_by_label("Card number")).to_be_hidden()
        page.evaluate("document.querySelector('#said').textContent = ''")
        pay(page)
        says(page, "paid ")
    assert len(shown(server, payment)["attempts"]) == 1
    late = requests.post(server.url + "/card/pay", json={"session": text, "tender": {
        "type": "card", "number": CARD, "expiry": "12/34", "cvc": "123"}}, timeout=30)
    assert late.json()["status"] == "paid" and shown(server, payment)["captured"] == 1250
    again = server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": team.origin})
    assert again.status_code == 409 and again.json()["money_moved"] == "yes", again.text


def test_a_declined_card_and_then_another(server, team, browser):
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text)
    type_card(page, "4000000000000002")
    pay(page)
    says(page, "declined ")
    shot(page, "declined")
    assert shown(server, payment)["captured"] == 0
    type_card(page)
    page.get_by_role("button", name="Pay").dblclick()
    says(page, "paid ")
    found = shown(server, payment)
    assert (found["status"], found["captured"], len(found["attempts"])) == ("succeeded", 1250, 2)


def test_a_lost_request_after_a_decline_is_not_declined(server, team, browser):
    """The old decline says nothing about the new card, whose request may still arrive."""
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text)
    type_card(page, "4000000000000002")
    pay(page)
    says(page, "declined ")
    type_card(page)
    page.route("**/card/pay", lambda route: route.abort())
    looks = []
    page.on("request", lambda request: looks.append(1) if request.url.endswith("/card/status") else None)
    page.evaluate("document.querySelector('#said').textContent = ''")
    pay(page)
    for _ in range(300):
        if len(looks) >= 4:
            break
        page.wait_for_timeout(50)
    assert len(looks) >= 4 and page.locator("#said").text_content() == ""
    # The request arrives after all, late.
    late = requests.post(server.url + "/card/pay", json={"session": text, "tender": {
        "type": "card", "number": CARD, "expiry": "12/34", "cvc": "123"}}, timeout=30)
    assert late.json()["status"] == "paid", late.text
    says(page, "paid ")
    assert shown(server, payment)["captured"] == 1250


def test_what_is_mistyped_is_said_at_its_field(server, team, browser):
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text, viewport={"width": 390, "height": 700}, color_scheme="dark")
    type_card(page, "4242424242424243", "13/34", "12")
    pay(page)
    says(page, "error invalid_card")
    frame = fields(page)
    expect(frame.locator("#number-fault")).to_contain_text("check digit")
    expect(frame.locator("#expires-fault")).to_contain_text("12/30")
    expect(frame.locator("#code-fault")).not_to_be_empty()
    expect(frame.get_by_label("Card number")).to_be_focused()
    shot(page, "mistyped")
    assert shown(server, payment)["attempts"] == []
    type_card(page)
    page.keyboard.press("Enter")
    pay(page)
    says(page, "paid ")


def test_only_the_sessions_origin_may_show_the_fields(server, team, browser):
    _, text = session(server, "http://localhost:1")
    page = shop(team, server, browser, text)
    expect(page.locator("till-card iframe")).to_have_count(1)
    # Chromium shows its own page in the frame's place, and tells the console why.
    assert counter.until(lambda: any("frame-ancestors" in text for text in page.said) or page.wait_for_timeout(100))
    assert not any(name == "ready" for name, _ in page.evaluate("window.heard"))
    frame = requests.get(f"{server.url}/card/frame/{text.split('_')[0]}", timeout=10)
    policy = frame.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors http://localhost:1") and "script-src 'self'" in policy
    pay(page)
    says(page, "error not_ready")


def test_a_page_that_speaks_for_the_frame_or_to_it_is_not_heard(server, team, browser):
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text)
    type_card(page)
    # With the element's own number, which the page can see: from the page's window, and from a frame of its origin to
    # the card's frame. Neither is who it says it is.
    (team.folder / "other.html").write_text("""<!doctype html><script>
        const nonce = new URLSearchParams(location.hash.slice(1)).get("nonce");
        parent.frames[0].postMessage({ till: "card", nonce, type: "pay" }, "*");
        parent.postMessage("sent", "*");
    </script>""")
    page.evaluate("""() => new Promise((done) => {
        const { hash } = new URL(document.querySelector("till-card iframe").src);
        const nonce = new URLSearchParams(hash.slice(1)).get("nonce");
        addEventListener("message", (event) => event.data === "sent" && done());
        window.postMessage({ till: "card", nonce, type: "paid", detail: {} }, "*");
        const other = document.createElement("iframe");
        other.src = "/other.html#" + new URLSearchParams({ nonce });
        document.body.append(other);
    })""")
    page.wait_for_timeout(300)
    assert not any(name in ("paid", "pending") for name, _ in page.evaluate("window.heard"))
    assert shown(server, payment)["attempts"] == []
    # The guards alone stand in the way: the page's own button pays.
    pay(page)
    says(page, "paid ")


@pytest.mark.parametrize("origin", [
    "http://shop.example", "https://shop.example/", "https://Shop.example", "https://shop.example:443", "*", "null",
    "https://shop.example; script-src *", "javascript:alert(1)", "http://[::1]:3000", 7])
def test_what_is_no_safe_origin_opens_no_session(server, origin):
    payment = server.create("o-1", "k-1").json()["id"]
    for wrong in (origin, server.url):
        answer = server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": wrong})
        assert answer.status_code in (400, 422) and answer.json()["money_moved"] == "no", answer.text


def test_a_session_pays_its_own_payment_and_is_used_up(server, team):
    payment, text = session(server, team.origin)
    other = server.create("o-2", "k-2").json()["id"]
    tender = {"type": "card", "number": "4000000000000002", "expiry": "12/34", "cvc": "123"}
    ask = functools.partial(requests.post, server.url + "/card/pay", timeout=30)
    for wrong in (text[:-1] + ("0" if text[-1] != "0" else "1"), text.split("_")[0], "", "x" * 200, None):
        answer = ask(json={"session": wrong, "tender": tender})
        assert answer.status_code in (400, 404, 422), answer.text
    assert ask(json={"session": text, "payment": other, "tender": tender}).status_code in (400, 422)
    for kind in ("cash", "token", "reader"):
        assert ask(json={"session": text, "tender": {"type": kind, "token": "pm_card_visa"}}).status_code == 422
    statuses = [ask(json={"session": text, "tender": tender}) for _ in range(11)]
    assert [a.json().get("status") for a in statuses[:10]] == ["declined"] * 10, [a.text for a in statuses]
    assert statuses[10].status_code == 429 and statuses[10].json()["code"] == "card_session_used_up"
    assert len(shown(server, payment)["attempts"]) == 10 and shown(server, other)["attempts"] == []
    # The shop opens another one.
    answer = server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": team.origin}).json()
    more = [ask(json={"session": answer["session"], "tender": tender}).json().get("status") for _ in range(9)]
    assert more == ["declined"] * 9
    paid = ask(json={"session": answer["session"], "tender": {**tender, "number": CARD}})
    assert paid.json()["status"] == "paid" and paid.json()["money_moved"] == "yes", paid.text
    assert len(shown(server, payment)["attempts"]) == 20


def test_a_payment_takes_twenty_cards_in_all_sessions(server, team):
    payment, text = session(server, team.origin)
    tender = {"type": "card", "number": "4000000000000002", "expiry": "12/34", "cvc": "123"}
    _, other = payment, server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": team.origin}).json()
    for one in [text] * 10 + [other["session"]] * 10:
        requests.post(server.url + "/card/pay", json={"session": one, "tender": tender}, timeout=30)
    assert len(shown(server, payment)["attempts"]) == 20
    answer = server.request("POST", f"/v1/payments/{payment}/card_session", {"origin": team.origin})
    assert answer.status_code == 429 and answer.json()["code"] == "card_session_used_up", answer.text


def test_windows_that_pay_at_the_same_moment_charge_once(server, team):
    payment, text = session(server, team.origin)
    gate = threading.Barrier(8)

    def window():
        gate.wait()
        return requests.post(server.url + "/card/pay", json={"session": text, "tender": {
            "type": "card", "number": CARD, "expiry": "12/34", "cvc": "123"}}, timeout=60).json()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [future.result() for future in [pool.submit(window) for _ in range(8)]]
    # Nobody is told that nothing was charged.
    assert all(answer.get("status") in ("paid", "pending") for answer in answers), answers
    found = shown(server, payment)
    assert (found["captured"], len(found["attempts"])) == (1250, 1), found


@pytest.mark.parametrize("point", [3, 4, 5, 6, 7, 8])
def test_a_counter_that_dies_while_the_card_is_charged(tmp_path, team, browser, point):
    server = counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_FAILPOINT": str(point)}).start()
    payment, text = session(server, team.origin)
    page = shop(team, server, browser, text)
    type_card(page)
    pay(page)
    server.process.wait(30)
    server.env = {}
    with server.start():
        assert counter.until(lambda: page.locator("#said").text_content(), 90)
        end = page.locator("#said").text_content().strip()
        found = shown(server, payment)
        assert end in ("paid", "declined", "unknown", "error"), end
        assert (end == "paid") <= (found["captured"] == 1250) and found["captured"] in (0, 1250), (end, found)
        assert counter.until(lambda: shown(server, payment)["status"] in (
            "succeeded", "declined", "requires_payment_method", "canceled"), 60), shown(server, payment)
        if end in ("declined", "error"):
            assert shown(server, payment)["captured"] == 0, found
    verified = counter.succeed("journal", "verify", "--journal", server.journal, "--json")
    assert verified["ok"] is True


@pytest.mark.parametrize("answer", ["Confirm", "Refuse"])
def test_a_bank_that_asks_is_answered_in_the_frame(tmp_path, sandbox, team, browser, answer):
    port = counter.free_port()
    with counter.Server(
            tmp_path, *sandbox.flags, "--receipt-url", f"http://127.0.0.1:{port}", port=port) as server:
        payment, text = session(server, team.origin)
        page = shop(team, server, browser, text)
        type_card(page, "4000002500003155")
        pay(page)
        bank = fields(page).frame_locator("#bank-page")
        expect(bank.get_by_role("button", name=answer)).to_be_visible(timeout=WAIT)
        shot(page, "bank")
        bank.get_by_role("button", name=answer).click()
        says(page, "paid " if answer == "Confirm" else "declined ")
        found = shown(server, payment)
        assert found["captured"] == (1250 if answer == "Confirm" else 0), found
        assert len(found["attempts"]) == 1
