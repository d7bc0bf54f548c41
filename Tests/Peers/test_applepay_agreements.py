"""Baskets with an agreement on later charges: as Apple's page gets it, shown and accepted in a real browser, refused by
name where it would be left out; the payment takes the total and nothing else.
"""
import json

import pytest
from playwright.sync_api import expect

import counter
from applepay import Page, payments

BASKETS = "/v1/applepay/baskets"
WAIT = 30_000

RECURRING = {
    "description": "Box club", "billing_agreement": "9.00 GBP a month until you cancel.",
    "management_url": "https://shop.example/box", "notification_url": "https://till.example/applepay/notifications",
    "regular": {"label": "Box", "amount": 900, "unit": "month", "starts_at": "2091-01-01T00:00:00+01:00"},
    "trial": {"label": "First days", "amount": 0, "unit": "day", "count": 7, "ends_at": "2090-12-31T23:00:00Z"},
}
DEFERRED = {
    "description": "Room 7", "management_url": "https://shop.example/rooms",
    "payment": {"label": "Stay", "amount": 12000, "due_at": "2091-01-10T12:00:00Z"},
    "free_cancellation": {"until": "2091-01-03T12:00:00Z", "time_zone": "Europe/London"},
}
RELOAD = {
    "description": "Coffee card", "management_url": "https://shop.example/card",
    "reload": {"label": "Top-up", "amount": 1000}, "threshold": 500,
}
KINDS = {
    "recurring": (RECURRING, "recurringPaymentRequest", {
        "paymentDescription": "Box club", "billingAgreement": "9.00 GBP a month until you cancel.",
        "managementURL": "https://shop.example/box",
        "tokenNotificationURL": "https://till.example/applepay/notifications",
        "regularBilling": {
            "label": "Box", "amount": "9.00", "type": "final", "paymentTiming": "recurring",
            "recurringPaymentIntervalUnit": "month", "recurringPaymentIntervalCount": 1,
            "recurringPaymentStartDate": "2090-12-31T23:00:00.000Z"},
        "trialBilling": {
            "label": "First days", "amount": "0.00", "type": "final", "paymentTiming": "recurring",
            "recurringPaymentIntervalUnit": "day", "recurringPaymentIntervalCount": 7,
            "recurringPaymentEndDate": "2090-12-31T23:00:00.000Z"},
    }),
    "deferred": (DEFERRED, "deferredPaymentRequest", {
        "paymentDescription": "Room 7", "managementURL": "https://shop.example/rooms",
        "deferredBilling": {
            "label": "Stay", "amount": "120.00", "type": "final", "paymentTiming": "deferred",
            "deferredPaymentDate": "2091-01-10T12:00:00.000Z"},
        "freeCancellationDate": "2091-01-03T12:00:00.000Z", "freeCancellationDateTimeZone": "Europe/London",
    }),
    "automatic_reload": (RELOAD, "automaticReloadPaymentRequest", {
        "paymentDescription": "Coffee card", "managementURL": "https://shop.example/card",
        "automaticReloadBilling": {
            "label": "Top-up", "amount": "10.00", "type": "final", "paymentTiming": "automaticReload",
            "automaticReloadPaymentThresholdAmount": "5.00"},
    }),
}
DATES = {"recurringPaymentStartDate", "recurringPaymentEndDate", "deferredPaymentDate", "freeCancellationDate"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("agreements"), "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def order(request):
    return "o-" + "".join(c if c.isalnum() else "-" for c in request.node.name)[-60:]


def goods(order, **more):
    return {"order_id": order, "amount": 1349, "currency": "GBP", "items": [
        {"label": "Margherita", "amount": 899}, {"label": "Tiramisu", "amount": 450}], **more}


def opened(server, body):
    answer = server.request("POST", BASKETS, body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_sheet_gets_apple_s_members_and_the_payment_takes_the_total(server, order, kind):
    terms, member, expected = KINDS[kind]
    body = goods(order, **{kind: terms})
    basket = opened(server, body)
    again = server.request("POST", BASKETS, body)
    assert (again.status_code, again.json()["id"], again.json()["agreement"]) == (200, basket, kind)
    page = Page(server, basket=basket)
    assert page.sheet["applePayVersion"] == 14 and page.sheet["request"][member] == expected
    assert page.total == "13.49" and len(page.sheet["request"]["lineItems"]) == 2
    assert not {other for _, other, _ in KINDS.values()} - {member} & page.sheet["request"].keys()
    # What is chosen in the sheet leaves it as it is.
    changed = page.post(f"/applepay/basket/{basket}/update", {"event": "couponcode", "couponCode": "TENOFF"})
    assert changed.status_code == 200, changed.text
    page = Page(server, basket=basket)
    assert page.sheet["request"][member] == expected and page.total == "12.15"
    assert page.pay(page.token().json()).status_code == 201
    [payment] = payments(server, order)
    assert (payment["amount"], payment["captured"], payment["status"]) == (1215, 1215, "succeeded")


def test_a_replaced_basket_has_the_agreement_of_its_replacement(server, order):
    basket = opened(server, goods(order, recurring=RECURRING))
    replaced = server.request("PUT", f"{BASKETS}/{basket}", goods(order, deferred=DEFERRED))
    assert (replaced.status_code, replaced.json()["version"], replaced.json()["agreement"]) == (200, 2, "deferred")
    request = Page(server, basket=basket).sheet["request"]
    assert "recurringPaymentRequest" not in request and request["deferredPaymentRequest"] == KINDS["deferred"][2]
    plain = server.request("PUT", f"{BASKETS}/{basket}", goods(order))
    assert (plain.json()["version"], plain.json()["agreement"]) == (3, None)
    assert Page(server, basket=basket).sheet["applePayVersion"] < 14


def test_a_counter_that_is_killed_keeps_the_agreement(tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as own:
        basket = opened(own, goods("o-kept", recurring=RECURRING))
        own.kill()
        own.start()
        page = Page(own, basket=basket)
        assert page.sheet["request"]["recurringPaymentRequest"] == KINDS["recurring"][2]
        assert page.pay(page.token().json()).status_code == 201
        assert [p["captured"] for p in payments(own, "o-kept")] == [1349]


def without(terms, *names):
    return {name: value for name, value in terms.items() if name not in names}


@pytest.mark.parametrize("more, field", [
    ({"recurring": RECURRING, "deferred": DEFERRED}, "deferred"),
    ({"recurring": RECURRING, "automatic_reload": RELOAD}, "automatic_reload"),
    ({"recurring": []}, "recurring"),
    ({"recurring": without(RECURRING, "regular")}, "recurring/regular"),
    ({"recurring": without(RECURRING, "management_url")}, "recurring/management_url"),
    ({"recurring": {**RECURRING, "management_url": "http://shop.example"}}, "recurring/management_url"),
    ({"recurring": {**RECURRING, "currency": "GBP"}}, "recurring/currency"),
    ({"deferred": {**DEFERRED, "payment": {**DEFERRED["payment"], "due_at": "2020-01-01T00:00:00Z"}}},
     "deferred/payment/due_at"),
    ({"deferred": {**DEFERRED, "payment": {**DEFERRED["payment"], "due_at": "tomorrow"}}}, "deferred/payment/due_at"),
    ({"deferred": {**DEFERRED, "free_cancellation": {"until": "2091-01-03T12:00:00Z"}}},
     "deferred/free_cancellation/time_zone"),
    ({"automatic_reload": {**RELOAD, "reload": {"label": "Top-up", "amount": 0}}}, "automatic_reload/reload/amount"),
    ({"automatic_reload": {**RELOAD, "threshold": "5.00"}}, "automatic_reload/threshold"),
    ({"merchants": [{"name": "Other", "amount": 100}]}, "merchants"),
])
def test_a_fault_is_named_and_opens_nothing(server, order, more, field):
    answer = server.request("POST", BASKETS, goods(order, **more))
    found = answer.json()
    assert (answer.status_code, found["money_moved"]) == (422, "no"), answer.text
    assert [error["field"] for error in found["errors"]] == [field] and found["detail"].endswith(".")
    # Nothing is in the way of the right request.
    opened(server, goods(order))


# A browser with Apple Pay: it keeps what it is asked for, with dates marked, and reads the members that it knows.
BROWSER = """
window.ApplePaySession = class {
  static STATUS_SUCCESS = 0;
  static STATUS_FAILURE = 1;
  static supportsVersion(version) { return version <= %(version)d; }
  static canMakePayments() { return true; }
  constructor(version, request) {
    const plain = (value) => {
      if (value instanceof Date) return { date: value.toISOString() };
      if (Array.isArray(value)) return value.map(plain);
      if (typeof value !== "object" || !value) return value;
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
    };
    const known = Object.keys(request).filter((name) => !%(unknown)s.includes(name));
    window.asked = { version, request: Object.fromEntries(known.map((name) => [name, plain(request[name])])) };
  }
  begin() { window.isBegun = true; }
  abort() {}
};
"""


def tab(browser, server, basket, version=14, unknown=()):
    """The demo's page in such a browser, with another basket in place of the demo's; what its element tells."""
    page = browser.new_page()
    page.add_init_script(BROWSER % {"version": version, "unknown": json.dumps(list(unknown))})
    page.goto(server.url + "/shop")
    element = page.locator("till-apple-pay")
    expect(page.get_by_role("button", name="Order with Apple Pay")).to_be_visible(timeout=WAIT)
    element.evaluate("""(e, id) => {
        e.addEventListener("error", (event) => { document.body.dataset.error = JSON.stringify(event.detail); });
        e.removeAttribute("basket");
        e.setAttribute("basket", id);
    }""", basket)
    return page


def marked(value, name=""):
    """Apple's members, with the marks of dates."""
    if isinstance(value, dict):
        return {key: marked(part, key) for key, part in value.items()}
    return {"date": value} if name in DATES else value


@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_s_session_is_made_with_dates_that_are_dates(server, order, browser, kind):
    terms, member, expected = KINDS[kind]
    page = tab(browser, server, opened(server, goods(order, **{kind: terms})))
    try:
        page.wait_for_function(
            "() => document.querySelector('till-apple-pay button')", timeout=WAIT)
        page.get_by_role("button", name="Order with Apple Pay").click(timeout=WAIT)
        page.wait_for_function("() => window.isBegun", timeout=WAIT)
        asked = page.evaluate("() => window.asked")
        assert asked["version"] == 14 and asked["request"][member] == marked(expected)
        assert asked["request"]["total"]["amount"] == "13.49"
    finally:
        page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_that_leaves_out_the_agreement_opens_no_sheet(server, order, browser, kind):
    terms, member, _ = KINDS[kind]
    page = tab(browser, server, opened(server, goods(order, **{kind: terms})), unknown=[member])
    try:
        page.get_by_role("button", name="Order with Apple Pay").click(timeout=WAIT)
        page.wait_for_function("() => document.body.dataset.error", timeout=WAIT)
        error = json.loads(page.evaluate("() => document.body.dataset.error"))
        assert error["code"] == "agreement_unsupported" and member in error["what"]
        assert not page.evaluate("() => window.isBegun") and not payments(server, order)
        expect(page.locator("#message")).to_contain_text("Nothing was charged")
    finally:
        page.close()


def test_an_older_browser_offers_no_button_and_says_why(server, order, browser):
    page = tab(browser, server, opened(server, goods(order, recurring=RECURRING)), version=13)
    try:
        page.wait_for_function("() => document.body.dataset.error", timeout=WAIT)
        error = json.loads(page.evaluate("() => document.body.dataset.error"))
        assert error["code"] == "agreement_unsupported" and "recurringPaymentRequest" in error["what"]
        expect(page.get_by_role("button", name="Order with Apple Pay")).to_have_count(0, timeout=WAIT)
    finally:
        page.close()


@pytest.mark.parametrize("kind, shown", [
    ("recurring", ["Trial: First days: 0.00 GBP, every 7 day, until 2090-12-31",
                   "Later: Box: 9.00 GBP, every 1 month, from 2090-12-31", "9.00 GBP a month until you cancel."]),
    ("deferred", ["Later: Stay: 120.00 GBP, on 2091-01-10", "Free cancellation until 2091-01-03 (Europe/London)"]),
    ("automatic_reload", ["Later: Top-up: 10.00 GBP, at 5.00 GBP"]),
])
def test_the_simulator_shows_it_and_the_total_is_charged(server, order, browser, kind, shown):
    basket = opened(server, goods(order, **{kind: KINDS[kind][0]}))
    page = browser.new_page()
    try:
        page.goto(server.url + "/shop")
        button = page.get_by_role("button", name="Order with Apple Pay")
        expect(button).to_be_visible(timeout=WAIT)
        element = page.locator("till-apple-pay")
        element.evaluate("(e) => e.removeAttribute('basket')")
        expect(button).to_have_count(0, timeout=WAIT)
        element.evaluate("(e, id) => e.setAttribute('basket', id)", basket)
        button.click(timeout=WAIT)
        sheet = page.get_by_role("dialog")
        expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
        agreement = sheet.get_by_role("group", name="Agreement")
        for text in shown:
            expect(agreement).to_contain_text(text)
        expect(sheet.get_by_role("listitem").last).to_contain_text("13.49")
        sheet.get_by_role("button", name="Authorise").click()
        expect(page.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=WAIT)
        assert [(p["captured"], p["status"]) for p in payments(server, order)] == [(1349, "succeeded")]
    finally:
        page.close()
