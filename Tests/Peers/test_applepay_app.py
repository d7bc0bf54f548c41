"""A customer's app that pays with Apple Pay at the shop's counter (Examples/ApplePaySale), while the app, the counter
or the line between them breaks; and a team's own page of another origin, paid in the simulator.
"""
import functools
import http.server
import json
import os
import pathlib
import subprocess
import threading
import time
import types

import pytest
import requests
import wire
from playwright.sync_api import expect
from test_applepay_production import Page as ShopPage

import counter
from applepay import CONTACT, Page, payments

BASKETS = "/v1/applepay/baskets"
WAIT = 30_000


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def line(server):
    line = wire.Wire(server.port)
    yield line
    line.close()


def goods(order="1001", **more):
    return {"order_id": order, "amount": 1349, "currency": "GBP", "items": [
        {"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": 450}], **more}


def opened(server, **more):
    answer = server.request("POST", BASKETS, goods(**more))
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def app(server, basket, *choices, url=None, **env):
    program = pathlib.Path(counter.binary()).resolve().parent / "ApplePaySale"
    if not os.access(program, os.X_OK):
        pytest.fail(f"there is no {program}: build it", pytrace=False)
    return subprocess.Popen(
        [program, basket, *choices], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TILL_COUNTER": url or server.url, **env})


def end(app, seconds=90):
    try:
        out, err = app.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        app.kill()
        out, err = app.communicate()
        pytest.fail(f"the app did not end: {out}\n{err}")
    return app.returncode, out, err


def finish(server, basket):
    """Starts the app until the order is paid."""
    for _ in range(4):
        code, out, err = end(app(server, basket))
        if code == 0:
            return out
        time.sleep(0.5)
    pytest.fail(f"it is not paid: {out}\n{err}")


def check(server, amount=1349, order="1001"):
    """One payment, one capture, and a journal that is in order."""
    found = [p for p in payments(server, order) if p["captured"]]
    assert [(p["status"], p["captured"]) for p in found] == [("succeeded", amount)], payments(server, order)
    verified = counter.succeed("journal", "verify", "--journal", server.journal, "--json")
    assert verified["ok"] is True, verified


def test_an_app_pays_a_basket_with_its_choices(server):
    basket = opened(
        server, amount=1349 + 250, service="delivery", delivery="everywhere", shipping_methods=[
            {"id": "slow", "label": "Slow", "detail": "", "amount": 250},
            {"id": "fast", "label": "Fast", "detail": "", "amount": 499}])
    code, out, err = end(app(server, basket, "fast", "TENOFF"))
    # 13.49 less ten percent, rounded down to the minor unit, and 4.99.
    assert code == 0 and "sheet: 17.14 GBP" in out and "paid: 1001, 17.14 GBP" in out, out + err
    check(server, 1714)
    contact = server.request("GET", f"{BASKETS}/{basket}").json()["contact"]
    assert contact["name"] == "Ada Lovelace" and contact["address"]["postal_code"] == "EC4M 7RF"
    code, out, err = end(app(server, basket))
    assert code == 0 and "paid before: 1001, 17.14 GBP" in out, out + err
    check(server, 1714)


@pytest.mark.parametrize("wallet, button", [("empty", "button: set up Apple Pay"), ("none", "no button")])
def test_a_device_without_a_card_is_shown_the_set_up_and_one_without_a_wallet_nothing(server, wallet, button):
    basket = opened(server)
    code, out, err = end(app(server, basket, TILL_WALLET=wallet))
    assert code == 2 and button in out and "not paid" in out, out + err
    assert payments(server) == []
    code, out, err = end(app(server, basket))
    assert code == 0 and "button: check out" in out, out + err


def test_an_app_cannot_pay_what_is_not_there_or_closed(server):
    code, out, err = end(app(server, "basket-nothing"))
    # The counter knows nothing of it: that is no word on what was paid elsewhere.
    assert code == 3 and "basket_not_found" in out, out + err
    basket = opened(server)
    assert server.request("DELETE", f"{BASKETS}/{basket}").status_code == 200
    code, out, err = end(app(server, basket))
    assert code == 2 and "basket_closed" in out, out + err
    assert payments(server) == []


@pytest.mark.parametrize("of, at", [("request", 20), ("answer", 0), ("answer", 300)])
def test_an_app_that_dies_while_it_pays_pays_once(server, line, of, at):
    basket = opened(server)
    # The line stands still at that byte, and the app dies there.
    cut = line.cut(b"POST /applepay/payment", of=of, at=at, ends=False)
    running = app(server, basket, url=f"http://127.0.0.1:{line.port}")
    assert cut.done.wait(30), running.communicate()
    running.kill()
    running.communicate()
    finish(server, basket)
    check(server)


@pytest.mark.parametrize("variable, point",
    [("TILL_FAILPOINT", n) for n in range(1, 10)] + [("TILL_WALLET_FAILPOINT", n) for n in range(1, 6)])
def test_a_counter_that_dies_while_an_app_pays_charges_once(tmp_path, variable, point):
    server = counter.Server(tmp_path, "--provider", "sandbox", env={variable: str(point)}).start()
    basket = opened(server)
    running = app(server, basket)
    server.process.wait(30)
    server.env = {}
    with server.start():
        # The same app finds out by itself, or says that it does not know.
        code, out, err = end(running)
        assert code in (0, 2, 3), out + err
        status = server.request("GET", f"{BASKETS}/{basket}").json()
        assert not (code == 2 and status["money_moved"] == "yes"), (out, status)
        finish(server, basket)
        check(server)


def test_a_late_copy_of_a_refused_token_pays_nothing(server):
    """The copy of a request that was on its way while the other one was refused."""
    basket = opened(server)
    page = Page(server, basket=basket)
    token = page.token(number="4000000000000002").json()
    assert page.pay(token).json()["status"] == "declined"
    late = page.pay(token)
    assert late.status_code == 422 and late.json()["code"] == "token_refused", late.text
    assert page.status()["status"] == "open" and not any(p["captured"] for p in payments(server))
    assert page.pay(page.token().json()).status_code == 201
    check(server)


# Within the head of an answer Foundation on Linux ends the process: the app that dies, above.
@pytest.mark.parametrize("of, at, ends", [
    ("request", 20, True), ("request", 20, False), ("answer", 0, True), ("answer", 0, False), ("answer", 500, True)])
def test_a_line_that_is_cut_pays_once(server, line, of, at, ends):
    basket = opened(server)
    cut = line.cut(b"POST /applepay/payment", of=of, at=at, ends=ends)
    code, out, err = end(app(server, basket, url=f"http://127.0.0.1:{line.port}"))
    assert cut.done.is_set()
    # "answer", 0: the answer is awaited for longer than a sheet stays open where the line says nothing.
    assert code == 0 or (code == 3 and not ends), out + err
    finish(server, basket)
    check(server)


def test_the_customers_note_and_time_are_the_orders(server):
    basket = opened(server, note="from the shop")
    page = Page(server, basket=basket)
    given = {"note": "Ring twice", "requestedFor": "2026-12-01T18:30:00+01:00"}
    answer = page.post(f"/applepay/basket/{basket}/details", given)
    assert answer.status_code == 200 and answer.json() == given, answer.text
    found = server.request("GET", f"{BASKETS}/{basket}").json()
    assert (found["customer_note"], found["customer_requested_for"]) == ("Ring twice", "2026-12-01T18:30:00+01:00")
    assert found["note"] == "from the shop" and found["requested_for"] is None
    assert found["version"] == page.version
    for body in ({"note": "x" * 501}, {"requestedFor": "tomorrow"}, {"price": 1}):
        assert page.post(f"/applepay/basket/{basket}/details", body).status_code in (400, 422)
    assert page.post(f"/applepay/basket/{basket}/details", given, proof="0" * 64).status_code == 403
    assert page.pay(page.token().json()).status_code == 201
    late = page.post(f"/applepay/basket/{basket}/details", {"note": "too late"})
    assert late.status_code == 409, late.text
    assert late.json()["code"] == "basket_paid" and late.json()["money_moved"] == "yes"
    assert server.request("GET", f"{BASKETS}/{basket}").json()["customer_note"] == "Ring twice"
    demo = Page(server)
    assert demo.post(f"/applepay/basket/{demo.basket}/details", given).json()["code"] == "basket_without_order"


def test_the_shop_redeems_a_guests_token(server):
    basket = opened(server)
    page = Page(server, basket=basket)
    token = page.pay(page.token().json()).json()["guestToken"]
    redeem = functools.partial(server.request, "POST", "/v1/applepay/guests/redeem")
    first, second = (redeem({"token": token}).json() for _ in range(2))
    assert first == second and first["customer"].startswith("guest_") and first["basket"] == basket
    # Whoever asks later, also with the basket's proof, is not told it any more.
    assert "guestToken" not in page.status()
    assert page.status()["guestAccount"] == first["customer"]
    for wrong in ("0" * 64, token[:-1], token + "0"):
        answer = redeem({"token": wrong})
        assert answer.status_code == 404 and answer.json()["code"] == "guest_token_unknown", answer.text
    assert requests.post(
        server.url + "/v1/applepay/guests/redeem", json={"token": token}, timeout=10).status_code == 401
    assert token not in server.log.read_text()


PAGE = """<!doctype html><title>QA</title><p id="said"></p>
<script type="module" src="{url}/applepay/client.js"></script>
<till-apple-pay basket="{basket}"></till-apple-pay>
<script>
  document.querySelector("till-apple-pay").addEventListener("authorised", (event) => {{
    document.querySelector("#said").textContent = "paid " + event.detail.orderId;
  }});
</script>"""


@pytest.fixture
def team(tmp_path):
    """A team's own server: an origin that is not the counter's."""
    folder = tmp_path / "qa"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    site.folder, site.origin = folder, f"http://localhost:{site.server_port}"
    yield site
    site.shutdown()


@pytest.mark.parametrize("settings", [False, True])
def test_a_page_under_test_pays_with_one_script_tag(tmp_path, team, browser, settings):
    more = []
    if settings:
        file = tmp_path / "apple-pay.json"
        file.write_text(json.dumps({
            "environment": "production", "display_name": "Corner Bakery", "country": "GB", "currency": "GBP",
            "domains": [{"name": "bakery.example", "merchant": "merchant.example.bakery"}]}))
        file.chmod(0o600)
        more = ["--apple-pay", str(file)]
    with counter.Server(
            tmp_path, "--provider", "sandbox", "--apple-pay-origin", team.origin, *more) as server:
        basket = opened(server)
        (team.folder / "index.html").write_text(PAGE.format(url=server.url, basket=basket))
        page = browser.new_page()
        page.goto(team.origin + "/index.html")
        page.get_by_role("button", name="Apple Pay").click(timeout=WAIT)
        sheet = page.get_by_role("dialog")
        expect(sheet).to_contain_text("Corner Bakery" if settings else "Till Pizza", timeout=WAIT)
        shots = os.environ.get("TILL_SCREENSHOTS")
        if shots:
            page.screenshot(path=f"{shots}/applepay-qa-{settings}.png")
        sheet.get_by_role("button", name="Authorise").click(timeout=WAIT)
        expect(page.locator("#said")).to_have_text("paid 1001", timeout=WAIT)
        page.close()
        check(server)
        # Another origin, also one that begins like it, has no access.
        for origin in (team.origin + "0", "http://127.0.0.1:1", "null"):
            answer = requests.get(server.url + "/applepay/metadata", headers={"Origin": origin}, timeout=10)
            assert answer.status_code == 421 and "access-control-allow-origin" not in answer.headers, answer.text


@pytest.mark.parametrize("origin", ["http://localhost:3000/", "localhost:3000", "*", "https://Shop.example", "null"])
def test_what_is_no_origin_is_refused_at_the_start(tmp_path, origin):
    ran = counter.till(
        "serve", "--journal", tmp_path / "j.db", "--provider", "sandbox", "--port", "0", "--apple-pay-origin", origin)
    assert ran.code != 0 and "is not the origin of a page" in ran.err, ran


@pytest.mark.parametrize("origin", [
    "https://bakery.example", "https://www.bakery.example", "http://bakery.example:3000",
])
def test_a_page_of_production_is_no_page_under_test(tmp_path, origin):
    file = tmp_path / "apple-pay.json"
    file.write_text(json.dumps({
        "environment": "production", "display_name": "Corner Bakery", "country": "GB", "currency": "GBP",
        "domains": [{"name": "bakery.example", "merchant": "merchant.example.bakery",
                     "origins": ["https://www.bakery.example", "http://localhost:3000"]}]}))
    file.chmod(0o600)
    ran = counter.till(
        "serve", "--journal", tmp_path / "j.db", "--provider", "sandbox", "--port", "0", "--json", "--apple-pay", file,
        "--apple-pay-origin", "http://localhost:3000", "--apple-pay-origin", origin)
    assert ran.code != 0 and ran.json["error"]["code"] == "production_origin", ran
    assert ran.json["error"]["what"].startswith(origin + " is a page of bakery.example"), ran


def test_a_token_of_a_page_under_test_pays_nothing_at_a_counter_with_apples_root(tmp_path, server):
    """The simulator's Apple is its own; a counter with the shop's settings alone trusts Apple's root and no other."""
    token = Page(server, basket=opened(server)).token().json()
    made = counter.till("applepay", "synthesize", "--out", tmp_path / "made", "--merchant", "merchant.x")
    assert made.code == 0, made
    pairs = {kind: [{"certificate": f"made/{kind}.pem", "key": f"made/{kind}.key"}]
             for kind in ("identity", "processing")}
    file = tmp_path / "settings.json"
    # Apple's sandbox, whose settings take tokens of test cards.
    file.write_text(json.dumps({
        "environment": "sandbox", "display_name": "Shop", "country": "GB", "currency": "GBP",
        "processing": pairs["processing"],
        "domains": [{"name": "shop.example", "merchant": "merchant.x", "identities": pairs["identity"]}]}))
    file.chmod(0o600)
    folder = tmp_path / "real"
    folder.mkdir()
    with counter.Server(folder, "--provider", "sandbox", "--apple-pay", file) as real:
        page = ShopPage(types.SimpleNamespace(server=real), "1001")
        sheet = page.sheet["request"]
        answer = page.post("/applepay/payment", {
            "version": page.sheet["version"], "token": token, "total": sheet["total"]["amount"],
            "currency": sheet["currencyCode"], "shippingContact": CONTACT})
        found = answer.json()
        assert (answer.status_code, found["money_moved"]) == (422, "no"), answer.text
        assert found["code"] == "untrusted", answer.text  # the chain does not lead to Apple's root
        assert not payments(real)
        assert real.request("GET", f"{BASKETS}/{page.basket}").json()["state"] == "open"


def test_a_live_counter_simulates_nothing(tmp_path):
    ran = counter.till(
        "serve", "--journal", tmp_path / "j.db", "--provider", "stripe", "--port", "0", "--apple-pay-origin",
        "http://localhost:3000", env={"TILL_STRIPE_KEY": "sk_" + "live_abcdefghijklmnopqrstuvwx"})
    assert ran.code != 0 and "simulates Apple" in ran.err, ran
