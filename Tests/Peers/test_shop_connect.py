"""A connected shop: its orders are sold here, and it is told of each payment once. WooCommerce's own Python client
reads what the shop believes; the counter is killed and the shop fails in the middle.
"""
import base64
import hashlib
import hmac
import json

import postgres
import pytest
import requests
import woo
from playwright.sync_api import expect
from seen import axe, pictures
from staff import audit

import counter

CARD = counter.CARD_TENDER
CASH = {"type": "cash", "tendered": 5_000}
# A poll takes 15 s, and after a failure an order waits 5 s, then 15.
WAIT = 60


@pytest.fixture
def server(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as running:
        yield running


def connect(server, url, *more, key=woo.KEY, secret=woo.SECRET):
    return counter.till(
        "shop", "connect", url, "--journal", server.journal, "--provider", "sandbox", "--json", *more,
        env={"TILL_SHOP_KEY": key, "TILL_SHOP_SECRET": secret})


def connected(server, url, *more):
    answer = connect(server, url, "--notify-at", server.url, *more)
    assert answer.code == 0, answer
    return answer.json


def orders(server):
    return {one["id"]: one for one in server.request("GET", "/v1/orders?limit=100").json()["orders"]}


def await_order(server, order, check=lambda order: True):
    found = {}

    def is_there():
        answer = server.request("GET", f"/v1/orders/{order}")
        if answer.status_code != 200:
            return False
        found["order"] = answer.json()
        return check(found["order"])
    assert counter.until(is_there, WAIT), (found, server.log.read_text()[-3000:])
    return found["order"]


def pay(server, order, key, tender=None, **body):
    created = server.request("POST", f"/v1/orders/{order}/payments", body, key)
    assert created.status_code == 201, created.text
    confirmed = server.confirm(created.json()["id"], key + "-confirm", tender or CARD)
    assert confirmed.status_code == 200, confirmed.text
    return confirmed.json()


def await_ledger(url, order, check, server):
    assert counter.until(lambda: check(woo.ledger(url)[order]), WAIT), (
        woo.ledger(url)[order], shops(server), server.log.read_text()[-3000:])
    return woo.ledger(url)[order]


def told(entry):
    return entry["paid"] and any(note["note"].startswith("Paid at the counter") for note in entry["notes"])


def shops(server):
    answer = server.request("GET", "/v1/shops")
    assert answer.status_code == 200, answer.text
    return answer.json()["shops"]


def attention(server):
    answer = server.request("GET", "/v1/attention")
    assert answer.status_code == 200, answer.text
    return [one for one in answer.json()["attention"] if one["code"] == "shop_differs"]


def assert_told_once(entry, payment):
    assert entry["paid"] == 1 and entry["transaction_id"] == payment, entry
    assert [one["transaction_id"] for one in entry["payments"]] == [payment]
    assert len([note for note in entry["notes"] if note["note"].startswith("Paid at the counter")]) == 1, entry["notes"]


def test_the_shops_orders_are_sold_here_and_the_shop_is_told_once(server, shop_url):
    made = connected(server, shop_url)
    assert made["url"] == shop_url and made["notifies"] is True and made["version"]
    for number in ("101", "102", "103"):
        order = await_order(server, number)
        assert order["payment"]["status"] == "unpaid"
        assert order["payment"]["open"] == woo.ledger(shop_url)[int(number)]["total"]
        assert order["metadata"] == {"shop": made["id"], "shop_order": number}
    paid = pay(server, "101", "k-1")
    entry = await_ledger(shop_url, 101, told, server)
    assert_told_once(entry, paid["id"])
    seen = woo.good(woo.client(shop_url).get("orders/101"))
    assert seen["status"] == "processing" and seen["payment_method"] == "till" and seen["date_paid"]
    assert seen["payment_method_title"] == "Card (Till)"
    # A tender each, and the shop hears of the whole once all is there.
    half = woo.ledger(shop_url)[102]["total"] // 2
    first = pay(server, "102", "k-2", amount=half)
    pay(server, "102", "k-3", CASH)
    entry = await_ledger(shop_url, 102, told, server)
    assert_told_once(entry, first["id"])
    (note,) = [one["note"] for one in entry["notes"] if one["note"].startswith("Paid")]
    assert "Card visa 4242" in note and "Cash" in note
    (shop,) = shops(server)
    assert shop["trouble"] is None and shop["order_troubles"] == [] and shop["orders"] == 3
    assert "cs_peer" not in server.log.read_text() + json.dumps(shop)
    assert len(audit(server, "shop.connected")) == 1


def test_a_shop_that_pays_cancels_and_changes_its_orders_itself(server, shop_url):
    connected(server, shop_url)
    for number in ("101", "102", "103"):
        await_order(server, number)
    woo.good(woo.client(shop_url).put("orders/101", {"set_paid": True, "transaction_id": "ch_elsewhere"}))
    await_order(server, "101", lambda o: o["state"] == "canceled")
    woo.good(woo.client(shop_url).put("orders/102", {"status": "cancelled"}))
    await_order(server, "102", lambda o: o["state"] == "canceled")
    woo.good(woo.client(shop_url).put("orders/102", {"status": "pending"}))
    await_order(server, "102", lambda o: o["state"] == "open")
    woo.control(shop_url, "orders/103", total="99.00")
    await_order(server, "103", lambda o: o["amount"] == 9900)
    new = woo.control(shop_url, "orders", currency="EUR", line_items=[
        {"name": "Tea", "quantity": 1, "subtotal": "4.00", "total": "4.00", "total_tax": "0.00"}], total="4.00",
        total_tax="0.00")
    await_order(server, str(new["id"]), lambda o: o["amount"] == 400)


def held(server, order):
    payment = server.request("POST", f"/v1/orders/{order}/payments", {"capture": "manual"}, "k-1").json()
    assert server.confirm(payment["id"], "k-1c", CARD).json()["status"] == "requires_capture"
    return payment["id"]


def capture(server, payment):
    captured = server.request("POST", f"/v1/payments/{payment}/capture", {}, "k-1x")
    assert captured.status_code == 200, captured.text


def await_review(server, payment, *words):
    assert counter.until(lambda: attention(server), WAIT), (shops(server), server.log.read_text()[-3000:])
    (item,) = attention(server)
    assert item["payment_id"] == payment and all(word in item["reason"] for word in words), item


def test_an_order_that_becomes_dearer_after_the_money_was_asked_for_is_reviewed_with_the_difference(server, shop_url):
    connected(server, shop_url)
    await_order(server, "101")
    total = woo.ledger(shop_url)[101]["total"]
    payment = held(server, "101")
    woo.control(shop_url, "orders/101", total="99.00")
    await_review(server, payment, "99.00", f"{total // 100}.{total % 100:02}")
    capture(server, payment)
    # The shop is told nothing that is not so, and all once the rest is there.
    order = await_order(server, "101", lambda o: o["payment"]["paid"] == total)
    assert order["payment"]["open"] == 9900 - total and woo.ledger(shop_url)[101]["paid"] == 0
    pay(server, "101", "k-2")
    entry = await_ledger(shop_url, 101, told, server)
    assert_told_once(entry, payment)


@pytest.mark.parametrize("change, words", [({"total": "1.00"}, "1.00"), ({"status": "cancelled"}, "cancelled")])
def test_an_order_that_becomes_cheaper_or_is_canceled_after_the_money_was_asked_for_is_reviewed(
        server, shop_url, change, words):
    connected(server, shop_url)
    await_order(server, "101")
    payment = held(server, "101")
    woo.control(shop_url, "orders/101", **change)
    await_review(server, payment, words)
    capture(server, payment)
    assert counter.until(lambda: shops(server)[0]["order_troubles"], WAIT)
    assert woo.ledger(shop_url)[101]["paid"] == 0


FAULTS = ["dropBeforeCommit", "dropAfterCommit", "error500", "serverErrorAfterSuccess",
          "outage", "html", "htmlAfterCommit"]


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_shop_answers_it_has_the_payment_once(server, shop_url, fault):
    connected(server, shop_url)
    await_order(server, "101")
    woo.fail(shop_url, "update", fault)
    woo.fail(shop_url, "note", fault)
    paid = pay(server, "101", "k-1")
    entry = await_ledger(shop_url, 101, told, server)
    assert counter.until(lambda: shops(server)[0]["order_troubles"] == [], WAIT), shops(server)
    assert_told_once(woo.ledger(shop_url)[101], paid["id"])
    assert entry["total"] == paid["captured"]


@pytest.mark.parametrize("operation", ["read", "update", "note"])
def test_a_counter_that_dies_while_it_tells_the_shop_tells_it_once(server, shop_url, operation):
    connected(server, shop_url)
    await_order(server, "101")
    woo.fail(shop_url, operation, "slow", times=1, milliseconds=3_000)
    before = woo.books(shop_url)["calls"].get(operation, 0)
    paid = pay(server, "101", "k-1")
    assert counter.until(lambda: woo.books(shop_url)["calls"].get(operation, 0) > before, WAIT)
    server.kill()
    server.start()
    await_ledger(shop_url, 101, told, server)
    assert counter.until(lambda: shops(server)[0]["order_troubles"] == [], WAIT)
    assert_told_once(woo.ledger(shop_url)[101], paid["id"])


def test_refunds_made_here_reach_the_shop_once(server, shop_url):
    connected(server, shop_url)
    await_order(server, "101")
    paid = pay(server, "101", "k-1")
    await_ledger(shop_url, 101, told, server)
    woo.fail(shop_url, "refund", "dropAfterCommit")
    for number in (1, 2):
        answer = server.request(
            "POST", f"/v1/payments/{paid['id']}/refunds", {"amount": 100, "reason": "Cold"}, f"r-{number}")
        assert answer.status_code in (200, 201), answer.text
    entry = await_ledger(shop_url, 101, lambda e: e["refunded"] == 200, server)
    assert counter.until(lambda: shops(server)[0]["order_troubles"] == [], WAIT)
    entry = woo.ledger(shop_url)[101]
    assert entry["refunded"] == 200 and entry["refunded_by_gateway"] == 0
    assert [one["reason"] for one in entry["refunds"]] == ["Cold", "Cold"]
    # And they are not carried out here as refunds of the shop.
    assert server.request("GET", f"/v1/payments/{paid['id']}").json()["refunded"] == 200


def test_refunds_made_in_the_shop_are_carried_out_here_once(server, shop_url):
    connected(server, shop_url)
    await_order(server, "101")
    total = woo.ledger(shop_url)[101]["total"]
    first = pay(server, "101", "k-1", amount=total - 100)
    second = pay(server, "101", "k-2")
    await_ledger(shop_url, 101, told, server)
    woo.good(woo.client(shop_url).post(
        "orders/101/refunds", {"amount": "3.00", "reason": "Broken", "api_refund": False}), 201)

    def refunded():
        return [server.request("GET", f"/v1/payments/{one['id']}").json()["refunded"] for one in (second, first)]
    assert counter.until(lambda: refunded() == [100, 200], WAIT), (refunded(), server.log.read_text()[-3000:])
    server.kill()
    server.start()
    woo.good(woo.client(shop_url).put("orders/101", {"customer_note": "Again"}))
    woo.good(woo.client(shop_url).post("orders/101/refunds", {"amount": "1.00", "api_refund": False}), 201)
    assert counter.until(lambda: refunded() == [100, 300], WAIT), refunded()
    assert woo.ledger(shop_url)[101]["refunded"] == 400, "the shop has its own refunds, and none twice"


def test_a_refund_of_cash_in_the_shop_is_left_to_the_staff(server, shop_url):
    connected(server, shop_url)
    await_order(server, "101")
    paid = pay(server, "101", "k-1", CASH)
    await_ledger(shop_url, 101, told, server)
    woo.good(woo.client(shop_url).post("orders/101/refunds", {"amount": "1.00", "api_refund": False}), 201)
    assert counter.until(lambda: attention(server), WAIT), shops(server)
    (item,) = attention(server)
    assert "cash" in item["reason"] and "1.00" in item["reason"]
    assert server.request("GET", f"/v1/payments/{paid['id']}").json()["refunded"] == 0
    # Once the drawer has given it back, the shop has its refund already.
    answer = server.request("POST", f"/v1/payments/{paid['id']}/refunds", {"amount": 100}, "r-1")
    assert answer.status_code in (200, 201), answer.text
    assert counter.until(lambda: shops(server)[0]["order_troubles"] == [], WAIT)
    assert woo.ledger(shop_url)[101]["refunded"] == 100


def test_a_notification_that_is_not_the_shops_changes_nothing(server, shop_url):
    made = connected(server, shop_url)
    await_order(server, "101")
    address = f"{server.url}/v1/shops/{made['id']}/notifications"
    body = json.dumps({"id": 101}).encode()

    def post(signature, body=body, address=address):
        head = {"Content-Type": "application/json", **({"X-WC-Webhook-Signature": signature} if signature else {})}
        return requests.post(address, data=body, headers=head, timeout=10)
    for secret in (b"", b"cs_peer", made["id"].encode()):
        forged = base64.b64encode(hmac.new(secret, body, hashlib.sha256).digest()).decode()
        assert (post(forged).status_code, post(forged).json()["code"]) == (401, "shop_signature")
    assert post("x").status_code == 401 and post(None).status_code == 401
    assert post("x", address=address.replace(made["id"], "shop_" + "a" * 24)).status_code == 401
    assert post(None, b"webhook_id=12").status_code == 200, "a shop tries an address so"
    # One that is lost, doubled or late changes nothing either: the shop is asked.
    woo.control(shop_url, "webhooks", lose=1)
    woo.control(shop_url, "orders/103", total="77.00")
    await_order(server, "103", lambda o: o["amount"] == 7700)


@pytest.mark.parametrize("key, words", [
    (("ck_read", "cs_read"), "right"), (("ck_peer", "cs_wrong"), "key"), (("nothing", "cs_peer"), "ck_"),
])
def test_a_key_that_does_not_fit_is_refused_in_a_sentence(server, shop_url, key, words):
    for name, secret, rights in (("ck_read", "cs_read", "read"), ("ck_peer", "cs_peer", "read_write")):
        woo.control(shop_url, "keys", consumer_key=name, consumer_secret=secret, permissions=rights)
    answer = connect(server, shop_url, key=key[0], secret=key[1])
    assert answer.code != 0 and words in answer.err + answer.out, answer
    assert key[1] not in answer.err + answer.out
    assert shops(server) == []


def test_what_is_no_shop_is_not_connected(server, tmp_path):
    for url, code in (("shop.example", "shop_address"), ("http://shop.example", "shop_address"),
                      ("https://shop.example/wp-json/wc/v3", "shop_address"),
                      (f"http://127.0.0.1:{counter.free_port()}", "shop_not_reached"),
                      (server.url, None)):
        answer = connect(server, url)
        assert answer.code != 0 and answer.json["error"]["code"] == (code or answer.json["error"]["code"]), answer
    assert counter.till("shop", "list", "--journal", server.journal, "--json").json == {"shops": []}


def test_a_second_shop_needs_a_scope_and_two_orders_with_one_number_are_two(server, shop_url, tmp_path):
    connected(server, shop_url)
    await_order(server, "101")
    with woo.another(tmp_path) as second:
        answer = connect(server, second)
        assert answer.code != 0 and answer.json["error"]["code"] == "shop_scope_taken", answer
        connected(server, second, "--scope", "north")
        await_order(server, "north%2F101")
        paid = pay(server, "north%2F101", "k-1")
        entry = await_ledger(second, 101, told, server)
        assert_told_once(entry, paid["id"])
        assert woo.ledger(shop_url)[101]["paid"] == 0


def test_a_shop_that_is_down_says_so_and_catches_up(server, tmp_path):
    with woo.another(tmp_path) as url:
        connected(server, url)
        await_order(server, "101")
        port = int(url.rsplit(":", 1)[1])
        woo.fail(url, "list", "outage", times=1)
        assert counter.until(lambda: shops(server)[0]["trouble"], WAIT), shops(server)
        trouble = shops(server)[0]["trouble"]
        assert trouble["code"] == "shop_unavailable" and "503" in trouble["sentence"]
        listed = counter.till("shop", "list", "--journal", server.journal)
        assert "503" in listed.out and str(port) in listed.out
        paid = pay(server, "101", "k-1")
        entry = await_ledger(url, 101, told, server)
        assert_told_once(entry, paid["id"])


def test_a_disconnected_shop_hears_no_more_and_is_told_when_it_is_back(server, shop_url):
    made = connected(server, shop_url)
    await_order(server, "101")
    answer = counter.till("shop", "disconnect", shop_url, "--journal", server.journal, "--json")
    assert answer.json == {"disconnected": made["id"]}
    again = counter.till("shop", "disconnect", made["id"], "--journal", server.journal, "--json")
    assert again.code != 0 and again.json["error"]["code"] == "shop_not_found"
    paid = pay(server, "101", "k-1")
    assert woo.ledger(shop_url)[101]["paid"] == 0
    assert connected(server, shop_url)["id"] == made["id"]
    entry = await_ledger(shop_url, 101, told, server)
    assert_told_once(entry, paid["id"])


def test_of_two_counters_on_postgresql_one_tells_the_shop(tmp_path, cluster, shop_url):
    flags = ["--provider", "sandbox"]
    with postgres.Counter(tmp_path / "a", cluster, *flags) as a, postgres.Counter(tmp_path / "b", cluster, *flags) as b:
        connected(a, shop_url)
        await_order(b, "101")
        paid = pay(a, "101", "k-1")
        entry = await_ledger(shop_url, 101, told, a)
        assert_told_once(entry, paid["id"])
        # Whichever of the two works: the other takes over.
        a.kill()
        second = pay(b, "102", "k-2")
        entry = await_ledger(shop_url, 102, told, b)
        assert_told_once(entry, second["id"])


def test_the_shops_orders_are_on_the_page_and_one_is_paid_in_two_parts(server, shop_url, browser, tmp_path):
    connected(server, shop_url)
    for number in ("101", "102", "103"):
        await_order(server, number)
    total = woo.ledger(shop_url)[101]["total"]
    page = browser.new_page()
    picture = pictures(page, tmp_path, "orders", narrow=390)
    server.sign_in(page)
    expect(page.locator("#open-orders-list li")).to_have_count(3, timeout=30_000)
    picture("listed")
    axe(page)
    page.get_by_role("button", name="Select order 101").click()
    expect(page.locator("#chosen-words")).to_contain_text("Order 101")
    expect(page.locator("#amount")).to_have_value(f"{total // 100}.{total % 100:02}")
    page.locator("#amount").fill("3.00")
    page.get_by_role("radio", name="Cash").check()
    page.locator("#charge").click()
    expect(page.locator("#headline")).to_contain_text("Paid", timeout=30_000)
    expect(page.locator("#chosen")).to_be_hidden()
    page.get_by_role("button", name="Select order 101").click()
    expect(page.locator("#amount")).to_have_value(f"{(total - 300) // 100}.{total % 100:02}")
    picture("chosen")
    axe(page)
    page.locator("#charge").click()
    expect(page.locator("#open-orders-list li")).to_have_count(2, timeout=30_000)
    entry = await_ledger(shop_url, 101, told, server)
    assert entry["paid"] == 1
    assert await_order(server, "101")["payment"]["status"] == "paid"
    page.close()
