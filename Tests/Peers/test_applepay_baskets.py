"""A shop's server that opens baskets with an API key, and its customers' pages that pay them: over HTTP as scripts, and
in two tabs of a real browser.
"""
import concurrent.futures
import json

import pytest
import requests
from playwright.sync_api import expect

import counter
from applepay import CONTACT, Page, payments

BASKETS = "/v1/applepay/baskets"
WAIT = 30_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("baskets"), "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def order(request):
    return "o-" + request.node.name.replace("_", "-")[:60]


def goods(order, cake=450, **more):
    return {"order_id": order, "amount": 899 + cake, "currency": "GBP", "items": [
        {"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": cake}], **more}


def opened(server, body):
    answer = server.request("POST", BASKETS, body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def refused(answer, status, code, moved="no"):
    found = answer.json()
    assert (answer.status_code, found["code"], found["money_moved"]) == (status, code, moved), answer.text
    assert found["detail"] and found["next"]


def shown(server, basket):
    return server.request("GET", f"{BASKETS}/{basket}").json()


def test_two_tabs_of_one_basket_pay_once(server, order):
    basket = opened(server, goods(order))
    tabs = [Page(server, basket=basket) for _ in range(2)]
    tokens = [tab.token().json() for tab in tabs]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda pair: pair[0].pay(pair[1]), zip(tabs, tokens, strict=True)))
    assert all(answer.status_code in (201, 202) for answer in answers), [a.text for a in answers]
    outcomes = [tab.outcome() for tab in tabs]
    [payment] = payments(server, order)
    assert [o["status"] for o in outcomes] == ["placed", "placed"]
    assert {o["paymentId"] for o in outcomes} == {payment["id"]} and payment["captured"] == 1349
    found = shown(server, basket)
    assert (found["state"], found["payment_id"], found["money_moved"]) == ("paid", payment["id"], "yes")
    assert found["contact"]["email"] == CONTACT["emailAddress"]
    again = server.request("POST", BASKETS, goods(order))
    assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, basket, "paid")
    refused(server.request("PUT", f"{BASKETS}/{basket}", goods(order, 500)), 409, "basket_paid", "yes")
    refused(server.request("DELETE", f"{BASKETS}/{basket}"), 409, "basket_paid", "yes")


def element_of(page, server, basket):
    """The demo's page with another basket in place of the demo's; its button, once it can be pressed."""
    page.goto(server.url + "/shop")
    button = page.get_by_role("button", name="Order with Apple Pay")
    expect(button).to_be_visible(timeout=WAIT)
    element = page.locator("till-apple-pay")
    element.evaluate("(e) => e.removeAttribute('basket')")
    expect(button).to_have_count(0, timeout=WAIT)
    element.evaluate("(e, id) => e.setAttribute('basket', id)", basket)
    expect(button).to_be_visible(timeout=WAIT)
    return button


def test_a_browser_s_tabs_pay_it_once(server, order, browser):
    """The demo's page with the shop's own basket in place of the demo's."""
    basket = opened(server, goods(order))
    context = browser.new_context()
    try:
        pages = []
        for _ in range(2):
            page = context.new_page()
            element_of(page, server, basket)
            pages.append(page)
        sheets = []
        for page in pages:
            page.get_by_role("button", name="Order with Apple Pay").click(timeout=WAIT)
            sheet = page.get_by_role("dialog")
            expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
            expect(sheet.get_by_role("listitem").last).to_contain_text("13.49", timeout=WAIT)
            sheets.append(sheet)
        for page, sheet in zip(pages, sheets, strict=True):
            sheet.get_by_role("button", name="Authorise").click()
            expect(page.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=WAIT)
            assert page.locator("#order").inner_text() == order
        assert [p["status"] for p in payments(server, order)] == ["succeeded"]
    finally:
        context.close()


def test_a_price_that_is_replaced_while_the_sheet_is_open_is_not_paid_at_the_old_one(server, order):
    basket = opened(server, goods(order))
    page = Page(server, basket=basket)
    token = page.token().json()
    replaced = server.request("PUT", f"{BASKETS}/{basket}", goods(order, 500))
    assert (replaced.status_code, replaced.json()["version"], replaced.json()["amount"]) == (200, 2, 1399)
    answer = page.pay(token)
    assert answer.status_code == 422 and answer.json()["code"] == "basket_changed", answer.text
    assert not payments(server, order)
    newer = Page(server, basket=basket)
    assert newer.total == "13.99" and newer.pay(newer.token().json()).status_code == 201
    assert [p["captured"] for p in payments(server, order)] == [1399]


def test_a_sheet_that_is_open_while_its_basket_is_replaced_changes_and_pays_nothing(server, order):
    basket = opened(server, goods(order))
    page = Page(server, basket=basket)
    token = page.token().json()
    # At the same price: only what binds a sheet to its basket tells the two apart.
    assert server.request("PUT", f"{BASKETS}/{basket}", goods(order, note="Ring twice")).json()["version"] == 2
    newer = Page(server, basket=basket)
    for answer in (
        page.post(f"/applepay/basket/{basket}/update", {"event": "couponcode", "couponCode": "TENOFF"}),
        page.session(), page.pay(token), page.pay(token, version=2), newer.pay(token),
    ):
        found = answer.json()
        assert (answer.status_code, found["code"], found["moneyMoved"]) == (422, "basket_changed", "no"), answer.text
    assert shown(server, basket)["version"] == 2 and not payments(server, order)
    assert newer.pay(newer.token().json()).status_code == 201


@pytest.mark.parametrize("step", ["coupon", "authorise"])
def test_a_page_is_told_that_the_basket_of_its_open_sheet_was_replaced(server, order, browser, step):
    order = f"{order[:40]}-{step}"
    basket = opened(server, goods(order))
    page = browser.new_page()
    try:
        button = element_of(page, server, basket)
        page.evaluate("""() => document.querySelector("till-apple-pay").addEventListener(
            "failed", (event) => { document.body.dataset.failed = event.detail.code; })""")
        button.click(timeout=WAIT)
        sheet = page.get_by_role("dialog")
        expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
        assert server.request("PUT", f"{BASKETS}/{basket}", goods(order, 500)).status_code == 200
        if step == "coupon":
            sheet.get_by_label("Coupon").fill("tenoff")
            sheet.get_by_role("button", name="Apply").click()
        else:
            sheet.get_by_role("button", name="Authorise").click()
        expect(page.locator("body")).to_have_attribute("data-failed", "basket_changed", timeout=WAIT)
        expect(page.locator("#message")).to_contain_text("Your basket changed")
        expect(sheet).to_have_count(0, timeout=WAIT)
        assert not payments(server, order)
        # The element has loaded the basket anew: the next sheet shows and pays the new price.
        button.click()
        expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
        expect(sheet.get_by_role("listitem").last).to_contain_text("13.99", timeout=WAIT)
        sheet.get_by_role("button", name="Authorise").click()
        expect(page.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=WAIT)
        assert [p["captured"] for p in payments(server, order)] == [1399]
    finally:
        page.close()


def test_a_refunded_order_is_told_so_and_sold_again(server, order):
    basket = opened(server, goods(order))
    page = Page(server, basket=basket)
    assert page.pay(page.token().json()).status_code == 201
    [payment] = payments(server, order)
    given = server.request("POST", f"/v1/payments/{payment['id']}/refunds", {}, key="r-" + order)
    assert given.status_code == 201, given.text
    assert shown(server, basket)["state"] == "refunded"
    refused(server.request("DELETE", f"{BASKETS}/{basket}"), 409, "basket_refunded", "yes")
    page = Page(server, basket=opened(server, goods(order)))
    assert page.pay(page.token().json()).status_code == 201
    assert sorted(p["status"] for p in payments(server, order)) == ["refunded", "succeeded"]


def test_a_closed_basket_is_not_paid(server, order):
    basket = opened(server, goods(order))
    page = Page(server, basket=basket)
    token = page.token().json()
    assert server.request("DELETE", f"{BASKETS}/{basket}").json()["state"] == "closed"
    answer = page.pay(token)
    assert answer.status_code == 422 and answer.json()["code"] == "basket_closed", answer.text
    assert answer.json()["moneyMoved"] == "no" and not payments(server, order)
    assert page.status() == {"status": "closed", "moneyMoved": "no"}
    assert opened(server, goods(order)) != basket


def test_a_key_of_another_account_finds_no_basket(server, order):
    basket = opened(server, goods(order))
    key = counter.succeed("keys", "create", "--account", "other", "--scope", "all", "--journal", server.journal,
                          "--json")["key"]
    for method, path, body in (
        ("POST", BASKETS, goods(order + "-x")), ("GET", f"{BASKETS}/{basket}", None),
        ("PUT", f"{BASKETS}/{basket}", goods(order, 500)), ("DELETE", f"{BASKETS}/{basket}", None),
    ):
        answer = requests.request(method, server.url + path, json=body, timeout=10,
                                  headers={"Authorization": "Bearer " + key})
        refused(answer, 404, "not_found")
        assert requests.request(method, server.url + path, json=body, timeout=10).status_code == 401
    assert shown(server, basket)["state"] == "open" and shown(server, basket)["version"] == 1


@pytest.mark.parametrize("change, code", [
    ({"amount": 1348}, "amount_mismatch"), ({"currency": "EUR"}, "currency_mismatch"),
    ({"items": []}, "invalid_request"), ({"amount": "13.49"}, "invalid_amount"),
])
def test_a_wrong_sum_or_currency_opens_nothing(server, change, code):
    order = "o-wrong-" + code
    refused(server.request("POST", BASKETS, {**goods(order), **change}), 422, code)
    # Nothing is in the way of the right request.
    opened(server, goods(order))


def test_an_order_paid_in_cash_is_not_paid_again(server, order):
    def sell(name):
        made = server.create(name, "c-" + name, 1349, currency="GBP")
        assert made.status_code == 201, made.text
        assert server.confirm(made.json()["id"], "p-" + name, {"type": "cash"}).json()["status"] == "succeeded"

    sell(order + "-1")
    refused(server.request("POST", BASKETS, goods(order + "-1")), 409, "order_already_paid")
    page = Page(server, basket=opened(server, goods(order + "-2")))
    token = page.token().json()
    sell(order + "-2")
    answer = page.pay(token)
    refused(answer, 409, "order_already_paid")
    assert [p["tender"]["type"] for p in payments(server, order + "-2")] == ["cash"]


def test_a_counter_that_is_killed_keeps_the_basket(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as own:
        basket = opened(own, goods("o-kept"))
        own.kill()
        own.start()
        again = own.request("POST", BASKETS, goods("o-kept"))
        assert (again.status_code, again.json()["id"]) == (200, basket)
        # The throw-away Apple is made anew, so the page begins anew, too.
        page = Page(own, basket=basket)
        assert page.pay(page.token().json()).status_code == 201
        assert [p["captured"] for p in payments(own, "o-kept")] == [1349]


# The shop, and two postcodes: EC4M is 161 m from it, BN1 76,432 m.
PLACES = [{"postal_code": "EC4M", "country": "GB", "latitude": 51_513_800, "longitude": -98_700},
          {"postal_code": "BN1", "country": "GB", "latitude": 50_827_000, "longitude": -137_000}]


def radius(meters, places=PLACES, **more):
    return {"radius": {"latitude": 51_514_000, "longitude": -101_000, "meters": meters, "places": places, **more}}


@pytest.mark.parametrize("meters, code, deliverable, refusal", [
    (161, "EC4M 7RF", "yes", None), (160, "EC4M 7RF", "no", "address_unserviceable"),
    (76_431, "BN1 1AA", "no", "address_unserviceable"), (76_432, "BN1 1AA", "yes", None),
    (1_000_000, "SW1A 1AA", "no", "place_unknown"),
])
def test_a_basket_is_delivered_within_its_radius_only(server, meters, code, deliverable, refusal):
    order = f"o-radius-{meters}-{code.split()[0]}"
    page = Page(server, basket=opened(server, goods(order, service="delivery", delivery=radius(meters))))
    # Before and after authorization: the wallet's part of the code, and all of it.
    for shown_code in (code.split()[0], code):
        asked = page.post(f"/applepay/basket/{page.basket}/validatepostalcode", {"postalCode": shown_code}).json()
        assert asked["deliverable"] == deliverable, asked
        assert asked.get("reason") == ("place_unknown" if refusal == "place_unknown" else None)
        changed = page.post(f"/applepay/basket/{page.basket}/update", {
            "event": "shippingcontact", "shippingContact": {"postalCode": shown_code, "countryCode": "GB"}}).json()
        errors = [error["message"] for error in changed["update"].get("errors", [])]
        assert bool(errors) == bool(refusal), changed
        if refusal == "place_unknown":
            assert f"no place for {shown_code}" in errors[0]
    answer = page.pay(page.token().json(), contact={**CONTACT, "postalCode": code})
    if refusal is None:
        assert answer.status_code == 201 and [p["captured"] for p in payments(server, order)] == [1349]
        return
    found = answer.json()
    assert (answer.status_code, found["code"], found["moneyMoved"]) == (422, refusal, "no"), answer.text
    assert not payments(server, order)


@pytest.mark.parametrize("rule, field", [
    (radius(0), "delivery/radius/meters"), (radius(1_000_001), "delivery/radius/meters"),
    (radius(5.5), "delivery/radius/meters"), (radius(1, latitude=90_000_001), "delivery/radius/latitude"),
    (radius(1, places=None), "delivery/radius/places"), (radius(1, places=[]), "delivery/radius/places"),
    (radius(1, places=PLACES[:1] * 2), "delivery/radius/places/1/postal_code"),
    (radius(1, places=[{**PLACES[0], "postal_code": "*"}]), "delivery/radius/places/0/postal_code"),
    ({**radius(1), "country": "GB"}, "delivery/country"),
])
def test_a_radius_with_a_fault_opens_nothing(server, rule, field):
    answer = server.request("POST", BASKETS, goods("o-radius-fault", service="delivery", delivery=rule))
    refused(answer, 422, "invalid_request")
    assert answer.json()["errors"][0]["field"] == field, answer.text


def test_the_settings_have_a_radius_and_places(tmp_path):
    settings = tmp_path / "applepay.json"
    settings.write_text(json.dumps({
        "environment": "sandbox", "display_name": "Shop", "country": "GB", "currency": "GBP",
        "delivery": radius(161, places=None), "places": PLACES}))
    settings.chmod(0o600)
    with counter.Server(tmp_path, "--provider", "sandbox", "--apple-pay", str(settings),
                        "--apple-pay-origin", "http://localhost:3000") as own:
        for number, (more, code, deliverable) in enumerate([
            ({}, "EC4M", "yes"), ({}, "BN1", "no"), ({}, "SW1A", "no"),
            ({"delivery": radius(76_432, places=None)}, "BN1", "yes"), ({"delivery": "everywhere"}, "SW1A", "yes"),
        ]):
            page = Page(own, basket=opened(own, goods(f"o-{number}", service="delivery", **more)))
            asked = page.post(f"/applepay/basket/{page.basket}/validatepostalcode", {"postalCode": code}).json()
            assert asked["deliverable"] == deliverable, (more, code, asked)


def test_a_counter_that_dies_after_the_charge_books_the_order_once(tmp_path):
    own = counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_WALLET_FAILPOINT": "4"}).start()
    sheet = Page(own, basket=opened(own, goods("o-dies", note="No olives")))
    token = sheet.token().json()
    with pytest.raises(requests.ConnectionError):
        sheet.pay(token)
    own.process.wait(10)
    own.env = {}
    for _ in range(2):  # a second start changes nothing
        with own.start():
            assert counter.until(lambda: own.request("GET", "/v1/orders/o-dies").status_code == 200)
            [order] = own.request("GET", "/v1/orders").json()["orders"]
            assert order["version"] == 1 and order["basket_id"] == sheet.basket and order["note"] == "No olives"
            assert counter.until(lambda: own.request("GET", "/v1/orders/o-dies").json()["payment"]["status"] == "paid")
            assert shown(own, sheet.basket)["state"] == "paid"
            assert len(payments(own, "o-dies")) == 1
