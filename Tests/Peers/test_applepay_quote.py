"""A shop that tells the price of a basket while its sheet is open: the shop is a program in Python, its questions are
judged by the library of Standard Webhooks, and its answers come late, wrong or not at all.
"""
import http.server
import json
import threading
import time

import pytest
import standardwebhooks

import counter
from applepay import CONTACT, Page, payments
from counter import till

BASKETS = "/v1/applepay/baskets"
LONDON = {"locality": "London", "administrativeArea": "", "postalCode": "EC4M", "countryCode": "GB"}
BRIGHTON = {"locality": "Brighton", "administrativeArea": "", "postalCode": "BN1", "countryCode": "GB"}
IN_BRIGHTON = {**CONTACT, "addressLines": ["1 Pier"], "locality": "Brighton", "postalCode": "BN1 1AA"}
TAX = {"EC4M": 200, "SW1A": 200, "BN1": 50}


def priced(data, **more):
    """The price of a shop that knows its taxes."""
    items = [*data["items"], {"label": "Tax", "amount": TAX[data["address"]["postal_code"]]}]
    return {"currency": data["currency"], "items": items, "total": sum(item["amount"] for item in items), **more}


def as_json(document, status=200):
    return status, json.dumps(document).encode(), {"Content-Type": "application/json"}


class Shop:
    """`answer` returns status, body and fields for the data of a question; it may wait."""

    def __init__(self):
        self.questions, self.answer, self.port = [], lambda data: as_json(priced(data)), 0
        self.start()

    def start(self):
        outer, self.is_stopped = self, False

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                if outer.is_stopped:
                    self.close_connection = True  # also what was connected before ends without an answer
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                if self.path != "/quote":
                    status, answer, fields = 204, b"", {}
                else:
                    outer.questions.append((body, {k.lower(): v for k, v in self.headers.items()}))
                    status, answer, fields = outer.answer(json.loads(body)["data"])
                try:
                    self.send_response(status)
                    for name, value in {"Content-Length": str(len(answer)), **fields}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    self.close_connection = True  # the counter has stopped waiting

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.is_stopped = True
        self.server.shutdown()
        self.server.server_close()

    @property
    def data(self):
        return [json.loads(body)["data"] for body, _ in self.questions]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("quotes"), "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def shop():
    shop = Shop()
    yield shop
    shop.stop()


def add_endpoint(server, shop, *more):
    added = till("webhooks", "add", shop.url + "/till", "--types", "payment.captured", "--journal", server.journal,
                 "--json", *(more or ["--allow-private"]))
    assert added.code == 0, added
    return added.json


@pytest.fixture
def endpoint(server, shop):
    added = add_endpoint(server, shop)
    yield added
    # An account has a limited number of them.
    answer = server.request("DELETE", f"/v1/webhook_endpoints/{added['id']}")
    assert answer.status_code in (204, 404), answer.text


@pytest.fixture
def order(request):
    return "o-" + "".join(c if c.isalpha() else "-" for c in request.node.name)[:100]


def basket_of(order, shop, endpoint, **more):
    return {
        "order_id": order, "amount": 1349, "currency": "GBP", "service": "delivery", "delivery": "everywhere",
        "items": [{"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": 250}],
        "shipping_methods": [
            {"id": "van", "label": "Van", "amount": 200}, {"id": "bike", "label": "Bike", "amount": 300}],
        "quote": {"url": shop.url + "/quote", "webhook_endpoint": endpoint["id"]}, **more}


class Sheet(Page):
    """A page with an open sheet, which follows its updates."""

    def choose(self, event, **more):
        answer = self.post(f"/applepay/basket/{self.basket}/update", {"event": event, **more})
        assert answer.status_code == 200, answer.text
        told = answer.json()
        self.version, self.update = told["version"], told["update"]
        self.total = self.update["newTotal"]["amount"]
        lines = sum(round(float(line["amount"]) * 100) for line in self.update["newLineItems"])
        assert lines == round(float(self.total) * 100)
        if event in ("shippingmethod", "paymentmethod"):
            assert "errors" not in self.update
        return self.update

    def address(self, contact):
        return self.choose("shippingcontact", shippingContact=contact)

    @property
    def is_final(self):
        return self.update["newTotal"]["type"] == "final"


@pytest.fixture
def sheet(server, shop, endpoint, order):
    answer = server.request("POST", BASKETS, basket_of(order, shop, endpoint))
    assert answer.status_code == 201, answer.text
    assert answer.json()["quote"] == {
        "webhook_endpoint": endpoint["id"], "coupons": False, "priced": False, "count": 0}
    sheet = Sheet(server, basket=answer.json()["id"])
    assert sheet.sheet["request"]["total"]["type"] == "pending"
    return sheet


@pytest.fixture
def couponed(server, shop, endpoint, order):
    """The sheet of a basket whose shop has coupons of its own."""
    quote = {"url": shop.url + "/quote", "webhook_endpoint": endpoint["id"], "coupons": True}
    answer = server.request("POST", BASKETS, basket_of(order, shop, endpoint, quote=quote))
    assert answer.status_code == 201 and answer.json()["quote"]["coupons"], answer.text
    sheet = Sheet(server, basket=answer.json()["id"])
    assert sheet.sheet["request"]["supportsCouponCode"]
    return sheet


def shown(server, sheet):
    return server.request("GET", f"{BASKETS}/{sheet.basket}").json()


def refused(answer, code):
    found = answer.json()
    assert (answer.status_code, found["code"], found["moneyMoved"]) == (422, code, "no"), answer.text
    assert found["errors"] and found["errors"][0]["contactField"] == "postalAddress"


def test_the_price_follows_the_address_and_is_what_is_charged(server, shop, endpoint, sheet, order):
    assert sheet.address(LONDON)["newTotal"]["amount"] == "15.49" and sheet.is_final
    assert sheet.address(BRIGHTON)["newTotal"]["amount"] == "13.99"
    assert [line["label"] for line in sheet.update["newLineItems"]] == ["Margherita", "Tiramisu", "Van", "Tax"]
    assert "errors" not in sheet.update and len(sheet.update["newShippingMethods"]) == 2
    asked = len(shop.questions)
    answer = sheet.pay(sheet.token().json(), contact=IN_BRIGHTON)
    assert answer.status_code == 201 and answer.json()["amount"] == "13.99", answer.text
    assert len(shop.questions) == asked, "the complete address is the quoted one"
    [payment] = payments(server, order)
    assert (payment["captured"], payment["status"]) == (1399, "succeeded")
    found = shown(server, sheet)
    assert (found["state"], found["amount"], found["quote"]["count"]) == ("paid", 1399, 2)
    assert [line["amount"] for line in found["lines"]] == [899, 250, 200, 50]
    for body, headers in shop.questions:
        assert standardwebhooks.Webhook(endpoint["secret"]).verify(body, headers)["type"] == "basket.quote"
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            standardwebhooks.Webhook(endpoint["secret"]).verify(body.replace("1349", "1348"), headers)
    assert shop.data[1] == {
        "basket_id": sheet.basket, "order_id": order, "change": "shipping_contact",
        "address": {"country": "GB", "region": "", "city": "Brighton", "postal_code": "BN1"},
        "shipping_method": "van", "coupon": None, "currency": "GBP", "total": 1349, "items": [
            {"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": 250},
            {"label": "Van", "amount": 200}], "livemode": False}


def test_each_method_and_coupon_is_asked_about(server, shop, sheet, order):
    sheet.address(LONDON)
    assert sheet.choose("shippingmethod", identifier="bike")["newTotal"]["amount"] == "16.49"
    assert sheet.choose("couponcode", couponCode="TENOFF")["newTotal"]["amount"] == "15.35"
    sheet.choose("paymentmethod", paymentMethod={"type": "credit"})
    assert [(d["change"], d["shipping_method"], d["coupon"]) for d in shop.data] == [
        ("shipping_contact", "van", None), ("shipping_method", "bike", None), ("coupon", "bike", "TENOFF")]
    shop.answer = lambda data: as_json({"errors": [{"code": "couponCodeInvalid", "message": "Not today."}]})
    update = sheet.choose("couponcode", couponCode="")
    assert update["errors"] == [{"code": "couponCodeInvalid", "message": "Not today."}] and sheet.is_final
    assert sheet.pay(sheet.token().json()).status_code == 201
    assert [p["captured"] for p in payments(server, order)] == [1535]


def test_a_coupon_that_the_settings_do_not_have_is_not_asked_about(shop, sheet):
    sheet.address(LONDON)
    [error] = sheet.choose("couponcode", couponCode="SUMMER")["errors"]
    assert error["code"] == "couponCodeInvalid" and sheet.is_final and len(shop.questions) == 1
    sheet.choose("couponcode", couponCode="TENOFF")
    # It takes off the coupon before it, and that is asked about.
    assert sheet.choose("couponcode", couponCode="SUMMER")["errors"] == [error] and sheet.is_final
    assert [(d["change"], d["coupon"]) for d in shop.data[1:]] == [("coupon", "TENOFF"), ("coupon", None)]


def with_coupons(data):
    """The price of a shop that knows one coupon, and one that has ended."""
    code, answer = data["coupon"], priced(data)
    if code == "SPRING":
        return as_json({"errors": [{"code": "couponCodeExpired", "message": "Spring is over."}]})
    if code == "SUMMER-50%":
        items = [*answer["items"], {"label": "Summer", "amount": -500}]
        return as_json({**answer, "items": items, "total": answer["total"] - 500})
    if code in (None, "TENOFF"):
        return as_json(answer)
    return as_json({"errors": [{"code": "couponCodeInvalid", "message": f"There is no {code}."}]})


def test_a_coupon_of_the_shop_is_priced_by_the_shop_and_charged(server, shop, couponed, order):
    shop.answer = with_coupons
    couponed.address(LONDON)
    assert couponed.choose("couponcode", couponCode=" summer-50% ")["newTotal"]["amount"] == "10.49"
    assert couponed.is_final and "errors" not in couponed.update
    assert [line["label"] for line in couponed.update["newLineItems"]] == [
        "Margherita", "Tiramisu", "Van", "Tax", "Summer"]
    asked = shop.data[-1]
    assert (asked["change"], asked["coupon"], asked["total"]) == ("coupon", "SUMMER-50%", 1349)
    # Another address and another method are asked about with the code.
    assert couponed.address(BRIGHTON)["newTotal"]["amount"] == "8.99"
    assert couponed.choose("shippingmethod", identifier="bike")["newTotal"]["amount"] == "9.99"
    assert [d["coupon"] for d in shop.data[-2:]] == ["SUMMER-50%"] * 2
    found = shown(server, couponed)
    assert (found["coupon"], found["amount"]) == ("SUMMER-50%", 999)
    assert Sheet(server, basket=couponed.basket).sheet["request"]["couponCode"] == "SUMMER-50%"
    paid = couponed.pay(couponed.token().json(), contact=IN_BRIGHTON)
    assert paid.status_code == 201, paid.text
    assert [p["captured"] for p in payments(server, order)] == [999]
    assert shown(server, couponed)["coupon"] == "SUMMER-50%"


def test_a_coupon_of_the_shop_is_refused_by_its_reason_and_removed_by_a_question(server, shop, couponed, order):
    shop.answer = with_coupons
    couponed.address(LONDON)
    couponed.choose("couponcode", couponCode="SUMMER-50%")
    for code, error in [
        ("spring", {"code": "couponCodeExpired", "message": "Spring is over."}),
        ("winter", {"code": "couponCodeInvalid", "message": "There is no WINTER."}),
    ]:
        update = couponed.choose("couponcode", couponCode=code)
        assert update["errors"] == [error] and couponed.is_final and couponed.total == "10.49"
        assert shown(server, couponed)["coupon"] == "SUMMER-50%"
    assert couponed.choose("couponcode", couponCode="")["newTotal"]["amount"] == "15.49"
    assert shop.data[-1]["coupon"] is None and shown(server, couponed)["coupon"] is None
    # One of the settings is theirs to decide, and its percentage is among the lines of the question.
    assert couponed.choose("couponcode", couponCode="tenoff")["newTotal"]["amount"] == "14.35"
    assert (shop.data[-1]["coupon"], shop.data[-1]["total"]) == ("TENOFF", 1235)
    asked = len(shop.questions)
    assert couponed.choose("couponcode", couponCode="old")["errors"][0]["code"] == "couponCodeExpired"
    assert shop.data[-1]["coupon"] is None and len(shop.questions) == asked + 1
    assert couponed.pay(couponed.token().json()).status_code == 201
    assert [p["captured"] for p in payments(server, order)] == [1549]


@pytest.mark.parametrize("fault", ["down", "slow", "html", "sum", "error"])
def test_a_shop_without_an_answer_to_a_coupon_leaves_the_price_before_it(server, shop, couponed, order, fault):
    shop.answer = with_coupons
    couponed.address(LONDON)
    couponed.choose("couponcode", couponCode="SUMMER-50%")
    if fault == "down":
        shop.stop()
    else:
        shop.answer = FAULTS[fault]
    # The slow shop is waited for once only.
    for code in ["WINTER"] if fault == "slow" else ["WINTER", ""]:
        began = time.monotonic()
        [error] = couponed.choose("couponcode", couponCode=code)["errors"]
        assert time.monotonic() - began < 12, "Apple waits for 30 s"
        assert error["code"] == "couponCodeInvalid" and error["message"]
        assert couponed.is_final and couponed.total == "10.49"
        found = shown(server, couponed)
        assert (found["coupon"], found["quote"]["priced"]) == ("SUMMER-50%", True)
    assert couponed.pay(couponed.token().json()).status_code == 201
    assert [p["captured"] for p in payments(server, order)] == [1049]


def test_a_coupon_before_an_address_and_what_is_no_code_are_not_asked_about(shop, couponed):
    shop.answer = with_coupons
    [error] = couponed.choose("couponcode", couponCode="SUMMER-50%")["errors"]
    assert error["code"] == "couponCodeInvalid" and "address" in error["message"] and not shop.questions
    couponed.address(LONDON)
    for code in ["sömmer", "a*b", '{"a"}', "4111 1111 1111 1111"]:
        [error] = couponed.choose("couponcode", couponCode=code)["errors"]
        assert error["code"] == "couponCodeInvalid" and couponed.is_final
    assert len(shop.questions) == 1
    body = {"event": "couponcode", "couponCode": "A" * 65}
    answer = couponed.post(f"/applepay/basket/{couponed.basket}/update", body)
    assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == "couponCode", answer.text


def test_methods_of_the_shop_replace_those_of_the_basket(server, shop, sheet, order):
    methods = [{"id": "boat", "label": "Boat", "detail": "Slow", "amount": 100},
               {"id": "van", "label": "Van", "amount": 250}]
    shop.answer = lambda data: as_json(priced(data, methods=methods))
    update = sheet.address(LONDON)
    assert [m["identifier"] for m in update["newShippingMethods"]] == ["van", "boat"], "the selected one is first"
    sheet.choose("shippingmethod", identifier="boat")
    assert shop.data[-1]["shipping_method"] == "boat" and shop.data[-1]["total"] == 1249


def slow(data):
    time.sleep(14)
    return as_json(priced(data))


def too_large(data):
    return as_json(priced(data, items=[{"label": "x", "amount": 1}] * 10, note="x" * 70_000))


FAULTS = {
    "down": None,
    "slow": slow,
    "html": lambda data: (200, b"<!doctype html><title>Shop</title>", {"Content-Type": "text/html"}),
    "currency": lambda data: as_json(priced(data, currency="EUR")),
    "nocurrency": lambda data: as_json({"items": priced(data)["items"]}),
    "sum": lambda data: as_json(priced(data, total=priced(data)["total"] - 1)),
    "fraction": lambda data: as_json({"currency": "GBP", "items": [{"label": "All", "amount": 13.49}]}),
    "nothing": lambda data: as_json({"currency": "GBP", "items": [{"label": "All", "amount": 0}]}),
    "large": too_large,
    "broken": lambda data: (200, b"{", {"Content-Length": "50000", "Connection": "close"}),
    "error": lambda data: as_json(priced(data), 500),
    "moved": lambda data: (302, b"", {"Location": "/quote"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_shop_without_a_usable_answer_leaves_no_price(server, shop, sheet, order, fault):
    sheet.address(LONDON)
    assert sheet.is_final
    if fault == "down":
        shop.stop()
    else:
        shop.answer = FAULTS[fault]
    asked, began = len(shop.questions), time.monotonic()
    update = sheet.address(BRIGHTON)
    assert time.monotonic() - began < 12, "Apple waits for 30 s"
    [error] = update["errors"]
    assert (error["code"], error["contactField"]) == ("shippingContactInvalid", "postalAddress") and error["message"]
    assert not sheet.is_final and not shown(server, sheet)["quote"]["priced"]
    assert len(shop.questions) <= asked + 1, "one attempt"
    refused(sheet.pay(sheet.token().json(), contact=IN_BRIGHTON), "quote_unavailable")
    assert not payments(server, order)
    # The shop is well again.
    if fault == "down":
        shop.start()
    shop.answer = lambda data: as_json(priced(data))
    assert sheet.address(BRIGHTON)["newTotal"]["amount"] == "13.99" and sheet.is_final
    assert sheet.pay(sheet.token().json(), contact=IN_BRIGHTON).status_code == 201
    assert [p["captured"] for p in payments(server, order)] == [1399]


def test_a_method_without_a_price_has_no_errors_and_is_not_charged(server, shop, sheet, order):
    sheet.address(LONDON)
    shop.answer = FAULTS["html"]
    sheet.choose("shippingmethod", identifier="bike")  # has no errors
    assert not sheet.is_final
    refused(sheet.pay(sheet.token().json()), "quote_unavailable")
    assert not payments(server, order)


def test_a_sheet_that_never_showed_a_price_is_not_charged(server, shop, sheet, order):
    refused(sheet.pay(sheet.token().json()), "quote_unavailable")
    assert not payments(server, order) and not shop.questions


@pytest.mark.parametrize("tax, outcome", [(200, "placed"), (201, "price_changed"), (None, "quote_unavailable")])
def test_the_complete_address_is_asked_about_if_it_is_another_one(server, shop, sheet, order, tax, outcome):
    sheet.address(LONDON)

    def answer(data):
        if tax is None:
            return FAULTS["html"](data)
        assert data["change"] == "authorized" and data["address"]["postal_code"] == "BN1"
        items = [*data["items"], {"label": "Tax of Brighton", "amount": tax}]
        return as_json({"currency": "GBP", "items": items})

    shop.answer = answer
    paid = sheet.pay(sheet.token().json(), contact=IN_BRIGHTON)
    assert len(shop.questions) == 2
    if outcome == "placed":
        assert paid.status_code == 201, paid.text
        assert [p["captured"] for p in payments(server, order)] == [1549]
        assert shown(server, sheet)["lines"][-1] == {"label": "Tax of Brighton", "amount": 200}
    else:
        refused(paid, outcome)
        assert not payments(server, order) and shown(server, sheet)["state"] == "open"


def test_the_shop_refuses_an_address_in_its_own_words(server, shop, sheet, order):
    shop.answer = lambda data: as_json(
        {"errors": [{"code": "addressUnserviceable", "field": "postalCode", "message": "Too far for us."}]})
    update = sheet.address(LONDON)
    assert update["errors"] == [
        {"code": "addressUnserviceable", "contactField": "postalCode", "message": "Too far for us."}]
    refused(sheet.pay(sheet.token().json()), "quote_unavailable")
    assert not payments(server, order)


def test_a_basket_is_asked_about_fifty_times(server, shop, endpoint, sheet, order):
    for number in range(50):
        sheet.address((LONDON, BRIGHTON)[number % 2])
    assert sheet.is_final and len(shop.questions) == 50
    assert sheet.address(LONDON)["errors"] and not sheet.is_final and len(shop.questions) == 50
    # Replaced by the shop it begins anew.
    replaced = server.request("PUT", f"{BASKETS}/{sheet.basket}", basket_of(order, shop, endpoint, note="Ring"))
    assert replaced.status_code == 200 and replaced.json()["quote"]["count"] == 0, replaced.text
    newer = Sheet(server, basket=sheet.basket)
    newer.address(LONDON)
    assert newer.is_final and newer.pay(newer.token().json()).status_code == 201


def test_a_price_outlives_the_counter(tmp_path, shop, order):
    with counter.Server(tmp_path, "--provider", "sandbox") as own:
        endpoint = add_endpoint(own, shop)
        opened = own.request("POST", BASKETS, basket_of(order, shop, endpoint))
        assert opened.status_code == 201, opened.text
        Sheet(own, basket=opened.json()["id"]).address(LONDON)
        own.kill()
        with own.start():
            sheet = Sheet(own, basket=opened.json()["id"])
            total = sheet.sheet["request"]["total"]
            assert (total["amount"], total["type"]) == ("15.49", "final") and len(shop.questions) == 1
            assert sheet.pay(sheet.token().json()).status_code == 201
            assert [p["captured"] for p in payments(own, order)] == [1549] and len(shop.questions) == 1


@pytest.mark.parametrize("change, field", [
    ({"quote": {"url": "https://other.example/quote"}}, "quote/webhook_endpoint"),
    ({"quote": {"url": "https://other.example/quote", "webhook_endpoint": "we_nobody"}}, "quote/webhook_endpoint"),
    ({"quote": {"url": "https://other.example/quote", "webhook_endpoint": None}}, "quote/webhook_endpoint"),
    ({"quote": "https://other.example/quote"}, "quote"),
    ({"quote": {"url": "https://other.example/quote", "webhook_endpoint": "we_nobody", "coupons": "yes"}},
     "quote/coupons"),
    ({"service": "none", "delivery": None, "shipping_methods": None, "amount": 1149}, "quote"),
    ({"credit_fee": 10}, "credit_fee"),
])
def test_a_quote_that_could_not_be_asked_for_opens_nothing(server, shop, endpoint, change, field):
    answer = server.request("POST", BASKETS, basket_of("o-bad", shop, endpoint, **change))
    assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == field, answer.text
    assert not shop.questions


def test_only_the_endpoint_s_own_origin_is_asked(server, shop, endpoint):
    other = Shop()
    try:
        quote = {"url": other.url + "/quote", "webhook_endpoint": endpoint["id"]}
        answer = server.request("POST", BASKETS, basket_of("o-origin", shop, endpoint, quote=quote))
        assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == "quote/url", answer.text
        assert not other.questions
    finally:
        other.stop()


def test_a_disabled_endpoint_is_not_asked(server, shop, endpoint, sheet, order):
    sheet.address(LONDON)
    changed = server.request("PATCH", f"/v1/webhook_endpoints/{endpoint['id']}", {"enabled": False})
    assert changed.status_code == 200, changed.text
    assert sheet.address(BRIGHTON)["errors"] and not sheet.is_final and len(shop.questions) == 1
    answer = server.request("POST", BASKETS, basket_of(order + "-x", shop, endpoint))
    assert answer.status_code == 409 and answer.json()["code"] == "webhook_endpoint_disabled", answer.text
