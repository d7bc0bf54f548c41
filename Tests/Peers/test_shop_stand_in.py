"""WooCommerce's own Python client drives our stand-in of a shop; oauthlib is a second signer."""
import base64
import hashlib
import hmac
import json
import time

import oauthlib.oauth1
import pytest
import requests
import shop_orders
import woo
from conftest import run_until_done

import counter
import tls


def opened(url):
    return sorted(woo.ledger(url))


def signed(url, method="GET", path="orders", key=woo.KEY, secret=woo.SECRET, sha256=False, query=True, **more):
    """The address and the head of a request that oauthlib has signed."""
    signer = oauthlib.oauth1.Client(
        key, client_secret=secret,
        signature_method=oauthlib.oauth1.SIGNATURE_HMAC_SHA256 if sha256 else oauthlib.oauth1.SIGNATURE_HMAC_SHA1,
        signature_type=oauthlib.oauth1.SIGNATURE_TYPE_QUERY if query else oauthlib.oauth1.SIGNATURE_TYPE_AUTH_HEADER,
        **more)
    address, head, _ = signer.sign(f"{url}/wp-json/wc/v3/{path}", http_method=method)
    return address, head


def asked(address, head):
    return requests.get(address, headers=head, timeout=20)


# Case 1: authentication over http.

@pytest.mark.parametrize("params", [
    None, {"per_page": 2}, {"search": "crème brûlée 100%"}, {"status": "pending,failed", "orderby": "id"},
    {"include[0]": "101", "include[1]": "102"}, {"_fields": "id,total"}, {"search": "~-._!*'()"},
])
def test_the_shops_own_client_signs_what_the_stand_in_accepts(shop_url, params):
    woo.good(woo.client(shop_url).get("orders", params=params) if params else woo.client(shop_url).get("orders"))


@pytest.mark.parametrize("path", [
    "orders", "orders?per_page=2&order=asc", "orders?search=cr%C3%A8me%20br%C3%BBl%C3%A9e&b=%26%3D%2B",
    "orders?status%5B0%5D=pending&status%5B1%5D=failed", "orders?include%5B0%5D=101", "orders?search=a%2Fb",
])
@pytest.mark.parametrize("sha256", [False, True])
@pytest.mark.parametrize("query", [False, True])
def test_oauthlib_signs_what_the_stand_in_accepts(shop_url, path, sha256, query):
    woo.good(asked(*signed(shop_url, path=path, sha256=sha256, query=query)))


def test_a_body_of_utf8_is_not_signed_and_is_kept(shop_url):
    note = "Grüße, 日本茶 & 🍰"
    made = woo.good(woo.client(shop_url).post("orders", {"customer_note": note}), 201)
    assert woo.client(shop_url).get(f"orders/{made['id']}").json()["customer_note"] == note


def test_wrong_signatures_times_and_nonces_are_refused(shop_url):
    code = "woocommerce_rest_authentication_error"
    assert "signature" in woo.refused(asked(*signed(shop_url, secret="cs_wrong")), 401, code)
    assert "key" in woo.refused(asked(*signed(shop_url, key="wrong")), 401, code)
    for seconds in (-16 * 60, 16 * 60):
        stamp = str(int(time.time()) + seconds)
        assert "timestamp" in woo.refused(asked(*signed(shop_url, timestamp=stamp)), 401, code)
    address, head = signed(shop_url)
    woo.good(asked(address, head))
    assert "nonce" in woo.refused(asked(address, head), 401, code)
    assert "signature" in woo.refused(asked(address + "&per_page=100", head), 401, code)
    # Signed for one method, sent with another; and for another name of the shop.
    assert "signature" in woo.refused(requests.delete(*signed(shop_url)[:1], timeout=20), 401, code)
    other = signed(shop_url.replace("127.0.0.1", "localhost"))[0].replace("localhost", "127.0.0.1")
    assert "signature" in woo.refused(asked(other, {}), 401, code)


def test_of_two_calls_in_one_second_only_the_later_nonce_is_remembered(shop_url):
    stamp = str(int(time.time()))
    first, second = (signed(shop_url, timestamp=stamp, nonce=nonce)[0] for nonce in ("one", "two"))
    woo.good(asked(first, {}))
    woo.good(asked(second, {}))
    woo.good(asked(first, {}))
    woo.refused(asked(first, {}), 401, "woocommerce_rest_authentication_error")


def test_missing_parameters_are_named_and_basic_is_not_taken_over_http(shop_url):
    address = f"{shop_url}/wp-json/wc/v3/orders"
    woo.refused(requests.get(address, timeout=20), 401, "woocommerce_rest_cannot_view")
    text = woo.refused(
        requests.get(address + "?oauth_consumer_key=ck_peer", timeout=20), 401,
        "woocommerce_rest_authentication_missing_parameter")
    assert "oauth_nonce" in text and "oauth_signature" in text
    woo.refused(
        requests.get(address, auth=(woo.KEY, woo.SECRET), timeout=20), 401, "woocommerce_rest_cannot_view")


# Case 2: authentication over TLS.

@pytest.fixture
def secure_url(tmp_path, monkeypatch):
    authority = tls.Authority(tmp_path)
    certificate, key = authority.issue("shop")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.certificate))
    port = counter.free_port()
    url = f"https://127.0.0.1:{port}"
    command = [counter.binary(), "sandbox", "shop", "--port", str(port), "--shop-certificate", str(certificate),
               "--shop-key", str(key)]
    for _ in run_until_done(command, url + "/_sandbox/ledger", tmp_path / "shop.log"):
        yield url


def test_over_tls_basic_is_taken_and_rights_are_kept(secure_url):
    woo.good(woo.client(secure_url).get("orders"))
    woo.good(woo.client(secure_url, query_string_auth=True).get("orders", params={"per_page": 1}))
    woo.control(secure_url, "keys", consumer_key="ck_read", consumer_secret="cs_1", permissions="read")
    woo.control(secure_url, "keys", consumer_key="ck_write", consumer_secret="cs_2", permissions="write")
    code = "woocommerce_rest_authentication_error"
    reader, writer = woo.client(secure_url, "ck_read", "cs_1"), woo.client(secure_url, "ck_write", "cs_2")
    woo.good(reader.get("orders"))
    assert "write permissions" in woo.refused(reader.post("orders", {}), 401, code)
    assert "read permissions" in woo.refused(writer.get("orders"), 401, code)
    woo.good(writer.post("orders", {}), 201)
    # What was open before is closed, now that keys are known.
    woo.refused(woo.client(secure_url).get("orders"), 401, code)
    woo.refused(woo.client(secure_url, "ck_read", "cs_2").get("orders"), 401, code)


# Case 3: pages.

def test_257_orders_come_through_pages_while_others_change(shop_url):
    api = woo.client(shop_url)
    for start in range(0, 254, 100):
        woo.good(api.post("orders/batch", {"create": [{} for _ in range(min(100, 254 - start))]}))
    everything = set(opened(shop_url))
    assert len(everything) == 257
    seen, page = [], 1
    while True:
        answer = api.get("orders", params={"per_page": 50, "page": page, "orderby": "id", "order": "asc"})
        assert (answer.headers["X-WP-Total"], answer.headers["X-WP-TotalPages"]) == ("257", "6")
        seen += [order["id"] for order in woo.good(answer)]
        # An order that was seen, and one that was not, change between two pages.
        for order in (seen[0], max(everything)):
            woo.control(shop_url, f"orders/{order}", status="on-hold" if page % 2 else "pending")
        relations = {link["rel"] for link in requests.utils.parse_header_links(answer.headers["Link"])}
        assert ("next" in relations) == (page < 6) and ("prev" in relations) == (page > 1)
        if page == 6:
            break
        page += 1
    assert sorted(seen) == sorted(everything)
    assert woo.good(api.get("orders", params={"per_page": 50, "page": 7})) == []
    woo.refused(api.get("orders", params={"per_page": 101}), 400, "rest_invalid_param")
    woo.refused(api.post("orders/batch", {"create": [{}] * 101}), 413, "woocommerce_rest_request_entity_too_large")


def test_pages_by_date_of_modification_miss_an_order_that_moves(shop_url):
    """Why a reader sorts by id."""
    api = woo.client(shop_url)
    by = {"per_page": 2, "orderby": "modified", "order": "asc"}
    time.sleep(1.1)  # the shop's dates are seconds
    first = [order["id"] for order in woo.good(api.get("orders", params=by))]
    woo.control(shop_url, f"orders/{first[0]}", status="on-hold")
    second = [order["id"] for order in woo.good(api.get("orders", params={**by, "page": 2}))]
    assert set(first + second) != set(opened(shop_url))


def test_lists_are_filtered(shop_url):
    api = woo.client(shop_url)
    ids = opened(shop_url)
    woo.control(shop_url, f"orders/{ids[0]}", status="parked-by-extension", total="99.00")

    def listed(**params):
        return sorted(order["id"] for order in woo.good(api.get("orders", params=params)))

    assert listed(status="pending") == ids[1:]
    assert listed(status="parked-by-extension,failed") == ids[:1]
    assert listed(include=f"{ids[0]},{ids[2]}") == [ids[0], ids[2]]
    assert listed(exclude=str(ids[0])) == ids[1:]
    shown = woo.good(api.get(f"orders/{ids[0]}"))
    assert shown["total"] == "99.00" and shown["date_created"] != shown["date_created_gmt"]
    gmt = shown["date_modified_gmt"]
    assert listed(modified_after=gmt, dates_are_gmt="true") == []  # the limit itself is outside
    assert ids[0] in listed(modified_before="2100-01-01T00:00:00", dates_are_gmt="true")
    assert listed(modified_after=shown["date_modified"]) == []
    narrow = woo.good(api.get("orders", params={"_fields": "id,billing.city", "dp": "4"}))
    assert all(set(order) == {"id", "billing"} for order in narrow)
    assert woo.good(api.get(f"orders/{ids[1]}", params={"dp": "4"}))["total"] == "25.0000"
    woo.good(api.delete(f"orders/{ids[2]}"))
    assert ids[2] not in listed() and listed(status="trash") == [ids[2]]
    woo.refused(api.delete(f"orders/{ids[2]}"), 410, "woocommerce_rest_already_trashed")
    woo.refused(api.get("orders/999"), 404, "woocommerce_rest_shop_order_invalid_id")


@pytest.mark.parametrize("seed", range(0, 40))
def test_orders_as_a_shop_computes_them_are_shown_as_they_are(shop_url, seed):
    order, total, shop = shop_orders.document(seed)
    woo.control(shop_url, "orders", **order)
    shown = woo.good(woo.client(shop_url).get(f"orders/{order['id']}"))
    for name in set(order) - {"date_paid", "date_paid_gmt", "meta_data"}:
        assert shown[name] == order[name], name
    assert [(entry["key"], entry["value"]) for entry in shown["meta_data"]] == [("_subscription_renewal", "77")]


# Case 4: set_paid.

def standing(url, order):
    entry = woo.ledger(url)[order]
    return entry["status"], entry["paid"], entry["transaction_id"]


PAYMENT = {"set_paid": True, "transaction_id": "till-1", "payment_method": "till", "payment_method_title": "Till"}


def test_set_paid_pays_a_pending_order_and_only_once(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    assert woo.good(api.get(f"orders/{order}"))["needs_payment"] is True
    woo.good(api.put(f"orders/{order}", PAYMENT))
    shown = woo.good(api.get(f"orders/{order}"))
    assert (shown["status"], shown["transaction_id"], shown["needs_payment"]) == ("processing", "till-1", False)
    assert shown["date_paid"] and shown["payment_method_title"] == "Till"
    woo.good(api.put(f"orders/{order}", PAYMENT))
    assert standing(shop_url, order) == ("processing", 1, "till-1")


def test_set_paid_beside_a_status_never_records_a_payment(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    shown = woo.good(api.put(f"orders/{order}", {**PAYMENT, "status": "processing"}))
    assert shown["date_paid"]  # which proves nothing
    assert standing(shop_url, order)[:2] == ("processing", 0)
    assert woo.ledger(shop_url)[order]["marked_paid"] == 1


@pytest.mark.parametrize("status", ["on-hold", "cancelled", "refunded", "completed"])
def test_set_paid_on_an_order_that_needs_no_payment_answers_200_and_pays_nothing(shop_url, status):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    woo.control(shop_url, f"orders/{order}", status=status)
    shown = woo.good(api.put(f"orders/{order}", PAYMENT))
    assert shown["status"] == status
    assert standing(shop_url, order)[:2] == (status, 0)


def test_a_new_order_with_set_paid_is_paid_unless_its_status_says_so_first(shop_url):
    api = woo.client(shop_url)
    line = {"line_items": [{"product_id": 7, "quantity": 2, "total": "20.00"}]}
    for status, paid in ((None, 1), ("on-hold", 1), ("cancelled", 1), ("processing", 0)):
        body = {**line, "set_paid": True, "transaction_id": "t", **({"status": status} if status else {})}
        made = woo.good(api.post("orders", body), 201)
        assert (made["status"], made["total"]) == ("processing", "20.00")
        assert standing(shop_url, made["id"])[1] == paid, status


def test_an_employee_changes_lines_and_total(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    line = woo.good(api.get(f"orders/{order}"))["line_items"][0]
    woo.control(shop_url, f"orders/{order}", line_items=[{"id": line["id"], "quantity": 3, "total": "30.00"}])
    assert woo.good(api.get(f"orders/{order}"))["total"] == "30.00"
    woo.control(shop_url, f"orders/{order}", total="31.50")
    shown = woo.good(api.get(f"orders/{order}"))
    assert (shown["total"], shown["fee_lines"][0]["total"]) == ("31.50", "1.50")
    woo.control(shop_url, f"orders/{order}", line_items=[{"id": line["id"], "quantity": 0}])
    assert woo.good(api.get(f"orders/{order}"))["total"] == "1.50"


def test_answers_are_lost_before_and_after_the_change(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    for fault, paid in (("dropBeforeCommit", 0), ("error500", 0), ("html", 0), ("outage", 0), ("dropAfterCommit", 1)):
        woo.fail(shop_url, "update", fault)
        if fault.startswith("drop"):
            with pytest.raises(requests.ConnectionError):
                api.put(f"orders/{order}", PAYMENT)
        else:
            answer = api.put(f"orders/{order}", PAYMENT)
            assert answer.status_code == {"error500": 500, "html": 200, "outage": 503}[fault]
            assert fault == "error500" or answer.headers["Content-Type"].startswith("text/html")
        assert standing(shop_url, order)[1] == paid, fault
    woo.fail(shop_url, "update", "timeoutAfterCommit")
    order = opened(shop_url)[1]
    with pytest.raises(requests.Timeout):
        requests.put(signed(shop_url, "PUT", f"orders/{order}")[0], json=PAYMENT, timeout=0.5)
    assert counter.until(lambda: standing(shop_url, order)[1] == 1, 10)
    assert woo.books(shop_url)["calls"]["update"] == 6


# Case 6: refunds.

def test_a_refund_whose_answer_is_lost_is_found_by_its_mark(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[1]
    woo.good(api.put(f"orders/{order}", PAYMENT))
    body = {"amount": "10.00", "reason": "wrong size", "api_refund": False,
            "meta_data": [{"key": "_till_refund", "value": "r-1"}]}

    def marks():
        return [entry["value"] for refund in woo.good(api.get(f"orders/{order}/refunds"))
                for entry in refund["meta_data"] if entry["key"] == "_till_refund"]

    woo.fail(shop_url, "refund", "dropAfterCommit")
    with pytest.raises(requests.ConnectionError):
        api.post(f"orders/{order}/refunds", body)
    assert marks() == ["r-1"]
    # Sent again without looking, it refunds again.
    woo.good(api.post(f"orders/{order}/refunds", body), 201)
    entry = woo.ledger(shop_url)[order]
    assert (entry["refunded"], entry["refunded_by_gateway"], len(entry["refunds"])) == (2000, 0, 2)
    code = "woocommerce_rest_cannot_create_order_refund"
    woo.refused(api.post(f"orders/{order}/refunds", {**body, "amount": "5.01"}), 500, code)
    woo.refused(api.post(f"orders/{order}/refunds", {"amount": "1.00"}), 500, code)  # api_refund is true by default
    made = woo.good(api.post(f"orders/{order}/refunds", {
        "api_refund": False,
        "line_items": [{"id": 1, "quantity": 1, "refund_total": "5.00", "refund_tax": []}]}), 201)
    assert made["amount"] == "5.00" and made["refunded_payment"] is False
    shown = woo.good(api.get(f"orders/{order}"))
    assert shown["status"] == "refunded"
    assert [refund["total"] for refund in shown["refunds"]] == ["-10.00", "-10.00", "-5.00"]
    assert woo.good(api.get(f"orders/{order}/refunds/{made['id']}"))["id"] == made["id"]
    woo.refused(api.post("orders/999/refunds", body), 404, "woocommerce_rest_invalid_order_id")


def test_the_status_refunded_set_by_hand_records_a_refund_and_moves_nothing(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    woo.good(api.put(f"orders/{order}", PAYMENT))
    woo.good(api.put(f"orders/{order}", {"status": "refunded"}))
    entry = woo.ledger(shop_url)[order]
    assert (entry["refunded"], entry["refunded_by_gateway"]) == (entry["total"], 0)


def test_a_gateway_that_can_refund_moves_the_money(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    woo.good(api.put(f"orders/{order}", {**PAYMENT, "payment_method": "sandbox_gateway"}))
    made = woo.good(api.post(f"orders/{order}/refunds", {"amount": "2.50"}), 201)
    assert made["refunded_payment"] is True
    assert woo.ledger(shop_url)[order]["refunded_by_gateway"] == 250


def test_notes_are_kept(shop_url):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    made = woo.good(api.post(f"orders/{order}/notes", {"note": "Paid at the counter", "customer_note": True}), 201)
    assert [note["note"] for note in woo.good(api.get(f"orders/{order}/notes"))] == ["Paid at the counter"]
    assert woo.good(api.get(f"orders/{order}/notes", params={"type": "internal"})) == []
    woo.refused(api.post(f"orders/{order}/notes", {}), 400, "rest_missing_callback_param")
    woo.good(api.delete(f"orders/{order}/notes/{made['id']}", params={"force": True}))
    assert woo.ledger(shop_url)[order]["notes"] == []
    assert woo.good(api.get("system_status"))["environment"]["version"]


# Case 7: webhooks.

@pytest.fixture
def hooks():
    hooks = woo.Hooks()
    yield hooks
    hooks.close()


def registered(url, hooks, topic="order.updated", secret="it&#039;s a &amp; secret"):
    return woo.good(woo.client(url).post("webhooks", {
        "topic": topic, "delivery_url": hooks.url + "/hook?shop=1", "secret": secret}), 201)


def test_webhooks_are_signed_doubled_lost_and_disabled(shop_url, hooks):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    hook = registered(shop_url, hooks)
    assert "secret" not in hook and hook["status"] == "active"
    assert counter.until(lambda: len(hooks.received) == 1, 10)
    assert hooks.received[0][2] == f"webhook_id={hook['id']}".encode()
    woo.control(shop_url, f"orders/{order}", status="on-hold")
    assert counter.until(lambda: len(hooks.deliveries()) == 1, 10)
    path, head, body = hooks.deliveries()[0]
    wanted = base64.b64encode(hmac.new(b"it's a & secret", body, hashlib.sha256).digest()).decode()
    assert (path, head["X-WC-Webhook-Topic"]) == ("/hook?shop=1", "order.updated")
    assert head["X-WC-Webhook-Signature"] == wanted
    assert json.loads(body) == woo.good(api.get(f"orders/{order}"))
    # Twice, again later, and not at all: polling finds what was lost.
    woo.control(shop_url, "webhooks", double=1)
    woo.control(shop_url, f"orders/{order}", status="pending")
    assert counter.until(lambda: len(hooks.deliveries()) == 3, 10)
    woo.control(shop_url, "webhooks", replay=0)
    assert hooks.deliveries()[3][1:] == hooks.deliveries()[0][1:]
    woo.control(shop_url, "webhooks", lose=1, period_ms=0)
    before = woo.good(api.get(f"orders/{order}"))["date_modified_gmt"]
    time.sleep(1.1)  # the shop's dates are seconds
    woo.control(shop_url, f"orders/{order}", status="failed")
    found = woo.good(api.get("orders", params={"modified_after": before, "dates_are_gmt": "true"}))
    assert [entry["id"] for entry in found] == [order]
    # One attempt each; the seventh failure in a row disables it.
    hooks.status = 500
    for number in range(7):
        woo.control(shop_url, f"orders/{order}", customer_note=str(number))
        assert counter.until(lambda: len(hooks.deliveries()) == 5 + number, 10)
    assert counter.until(
        lambda: woo.good(api.get(f"webhooks/{hook['id']}"))["status"] == "disabled", 10)
    woo.refused(api.delete(f"webhooks/{hook['id']}"), 501, "woocommerce_rest_trash_not_supported")
    woo.good(api.delete(f"webhooks/{hook['id']}", params={"force": True}))
    assert woo.good(api.get("webhooks")) == []


def test_a_deleted_order_is_announced_by_its_id_alone(shop_url, hooks):
    api, order = woo.client(shop_url), opened(shop_url)[0]
    registered(shop_url, hooks, "order.deleted")
    woo.good(api.delete(f"orders/{order}"))
    assert counter.until(lambda: hooks.deliveries(), 10)
    assert json.loads(hooks.deliveries()[0][2]) == {"id": order}
    assert api.post("webhooks", {"topic": "order.updated", "delivery_url": "http://example.com"}).status_code == 400


# Case 8: sales at a reader.

def posted(url, path, body):
    return requests.post(signed(url, "POST", path)[0], json=body, timeout=20)


def test_a_capture_that_does_not_fit_the_order_is_refused(shop_url):
    first, second, third = opened(shop_url)
    path = f"payments/orders/{first}"
    assert woo.good(posted(shop_url, "payments/connection_tokens", {}))["secret"]
    intent = woo.good(posted(shop_url, f"{path}/create_terminal_intent", {}))["id"]
    capture = {"payment_intent_id": intent}
    woo.refused(posted(shop_url, f"{path}/capture_terminal_payment", capture), 409, "wcpay_payment_uncapturable")
    woo.control(shop_url, "intents", id=intent)
    woo.refused(
        posted(shop_url, f"payments/orders/{second}/capture_terminal_payment", capture), 409,
        "wcpay_intent_order_mismatch")
    woo.refused(posted(shop_url, "payments/orders/999/capture_terminal_payment", capture), 404, "wcpay_missing_order")
    woo.fail(shop_url, "capture", "dropAfterCommit")
    with pytest.raises(requests.ConnectionError):
        posted(shop_url, f"{path}/capture_terminal_payment", capture)
    woo.refused(posted(shop_url, f"{path}/capture_terminal_payment", capture), 409, "wcpay_payment_uncapturable")
    shown = woo.good(woo.client(shop_url).get(f"orders/{first}"))
    assert (shown["status"], shown["transaction_id"]) == ("completed", intent)
    again = woo.control(shop_url, "intents", order=first)["id"]
    woo.refused(
        posted(shop_url, f"{path}/capture_terminal_payment", {"payment_intent_id": again}), 409,
        "wcpay_payment_uncapturable")
    captures = {entry["id"]: entry["captures"] for entry in woo.books(shop_url)["intents"]}
    assert captures == {intent: 1, again: 0}
    # The Stripe plugin does not compare the intent with the order.
    foreign = woo.control(shop_url, "intents", order=third)["id"]
    woo.good(posted(shop_url, f"wc_stripe/orders/{second}/capture_terminal_payment", {"payment_intent_id": foreign}))
    assert woo.ledger(shop_url)[second]["transaction_id"] == foreign
