"""The demo shop in a real browser (Debian's Chromium): the whole way from the button to the order, through the shipped
sheet simulator, a gateway with real mutual TLS and the same engine as every payment.
"""
import json
import os
import pathlib
import re

import pytest
from playwright.sync_api import expect

import counter

WAIT = 30_000
UPDATE = "**/applepay/basket/*/update"
EXPRESS = "Express delivery, 4.99"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("shop"), "--provider", "sandbox") as running:
        yield running


@pytest.fixture
def width():
    return 1000


@pytest.fixture
def shop(tmp_path, request, server, width, browser):
    page = browser.new_page(viewport={"width": width, "height": 800})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    page.goto(server.url + "/shop")
    yield page
    folder = pathlib.Path(os.environ.get("TILL_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{request.node.name}.png", full_page=True)
    page.close()
    assert not faults, faults


def button(page):
    return page.get_by_role("button", name="Order with Apple Pay")


def open_sheet(page):
    button(page).click(timeout=WAIT)
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    return sheet


def shows_total(sheet, total):
    expect(sheet.get_by_role("listitem").last).to_contain_text(total, timeout=WAIT)


def confirmed(page):
    expect(page.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=WAIT)
    return page.locator("#order").inner_text()


def payments(server, order):
    every = server.request("GET", "/v1/payments?limit=100").json()
    every = every if isinstance(every, list) else every.get("payments", every.get("data"))
    return [p for p in every if p["order_id"] == order]


def basket(page):
    return page.locator("till-apple-pay").get_attribute("basket", timeout=WAIT)


def test_delivery_is_paid_once_and_a_guest_gets_an_account(shop, server):
    sheet = open_sheet(shop)
    shows_total(sheet, "15.99")
    sheet.get_by_role("button", name="Authorise").click()
    order = confirmed(shop)
    [payment] = payments(server, order)
    assert payment["status"] == "succeeded" and payment["amount"] == 1599 and payment["currency"] == "GBP"
    expect(shop.locator("#guest")).to_contain_text("guest_")


@pytest.mark.parametrize("service, total", [("Delivery", "15.99"), ("Collection", "13.49")])
def test_the_page_shows_every_line_of_the_price(shop, service, total):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    shop.get_by_role("radio", name=service).check()
    expect(shop.locator("#total")).to_contain_text(total, timeout=WAIT)
    amounts = [round(float(item.split()[-2]) * 100) for item in shop.locator("#lines li").all_inner_texts()]
    assert len(amounts) >= 3 and sum(amounts[:-1]) == amounts[-1], amounts


def test_collection_has_no_delivery_charge_and_shows_the_shop(shop, server):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    shop.get_by_role("radio", name="Collection").check()
    expect(shop.locator("#total")).to_contain_text("13.49", timeout=WAIT)
    sheet = open_sheet(shop)
    shows_total(sheet, "13.49")
    expect(sheet).to_contain_text("Collect from Till Pizza")
    sheet.get_by_role("button", name="Authorise").click()
    [payment] = payments(server, confirmed(shop))
    assert payment["amount"] == 1349


def test_a_coupon_and_a_way_to_ship_change_the_price(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_label("Coupon").fill("nothing")
    sheet.get_by_role("button", name="Apply").click()
    expect(sheet.get_by_role("alert")).to_contain_text("do not know this coupon")
    sheet.get_by_label("Coupon").fill("OLD")
    sheet.get_by_role("button", name="Apply").click()
    expect(sheet.get_by_role("alert")).to_contain_text("expired")
    sheet.get_by_label("Coupon").fill("tenoff")
    sheet.get_by_role("button", name="Apply").click()
    shows_total(sheet, "14.65")
    sheet.get_by_label("Delivery").select_option(index=1)
    shows_total(sheet, "17.14")
    sheet.get_by_role("button", name="Authorise").click()
    [payment] = payments(server, confirmed(shop))
    assert payment["amount"] == 1714


def test_after_a_change_of_address_the_sheet_shows_the_method_that_is_charged(shop, server):
    sheet = open_sheet(shop)
    delivery = sheet.get_by_label("Delivery")

    def shows_express():
        expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
        expect(delivery.locator("option:checked")).to_have_text(EXPRESS)
        shows_total(sheet, "18.48")

    delivery.select_option(label=EXPRESS)
    shows_total(sheet, "18.48")
    sheet.get_by_label("Deliver to").select_option(label="Alan Turing, BN15 9AA (not delivered to)")
    expect(sheet.get_by_role("alert")).to_contain_text("do not deliver", timeout=WAIT)
    shows_express()
    # And so does a sheet that is opened again, which is given a list, too.
    with shop.expect_response(re.compile("/applepay/basket/[^/]+$")):
        sheet.get_by_role("button", name="Cancel").click()
    expect(shop.get_by_role("dialog")).to_have_count(0, timeout=WAIT)
    shop.wait_for_timeout(300)
    sheet = open_sheet(shop)
    delivery = sheet.get_by_label("Delivery")
    shows_express()
    sheet.get_by_role("button", name="Authorise").click()
    assert [p["amount"] for p in payments(server, confirmed(shop))] == [1848]


@pytest.mark.parametrize("fault, total", [("lost", "15.99"), ("unheard", "18.48"), ("refused", "15.99")])
def test_a_choice_of_shipping_without_an_answer_ends_the_sheet_and_charges_nothing(shop, server, fault, total):
    """It never arrived, or its answer was lost, or the counter does not offer it: the sheet has no place to say so."""
    sheet = open_sheet(shop)
    shows_total(sheet, "15.99")

    def broken(route):
        if fault == "refused":
            return route.continue_(post_data=json.dumps({**route.request.post_data_json, "identifier": "none"}))
        if fault == "unheard":
            route.fetch()
        return route.abort()

    shop.route(UPDATE, broken)
    with shop.expect_response(re.compile("/applepay/basket/[^/]+$")):
        sheet.get_by_label("Delivery").select_option(label=EXPRESS)
    expect(shop.get_by_role("dialog")).to_have_count(0, timeout=WAIT)
    expect(shop.locator("#message")).to_contain_text(
        "did not get your choice of delivery. Nothing was charged.", timeout=WAIT)
    assert not payments(server, basket(shop))
    shop.unroute(UPDATE)
    shop.wait_for_timeout(300)
    # The next sheet shows the method that is charged.
    sheet = open_sheet(shop)
    shows_total(sheet, total)
    chosen = sheet.get_by_label("Delivery").locator("option:checked").inner_text()
    assert (chosen == EXPRESS) == (fault == "unheard")
    sheet.get_by_role("button", name="Authorise").click()
    assert [p["amount"] for p in payments(server, confirmed(shop))] == [round(float(total) * 100)]


def held_once(page, held, first):
    """Holds the first update of the sheet as `first` says, and lets all others pass."""
    def handle(route):
        if held:
            return route.continue_()
        return held.append(first(route))

    page.route(UPDATE, handle)


def wait_for(page, held):
    for _ in range(200):
        if held:
            return held[0]
        page.wait_for_timeout(50)
    raise AssertionError("the sheet has asked nothing")


def test_another_method_than_the_sheet_shows_is_not_charged(shop, server):
    """The choice is slower than a change of address, whose answer has a new list: the sheet shows its first again."""
    sheet, held = open_sheet(shop), []
    held_once(shop, held, lambda route: route)
    sheet.get_by_label("Delivery").select_option(label=EXPRESS)
    choice = wait_for(shop, held)
    with shop.expect_response(UPDATE):
        sheet.get_by_label("Deliver to").select_option(label="Grace Hopper, EC1A 9ZZ (in part)")
    choice.continue_()
    shows_total(sheet, "18.48")
    expect(sheet.get_by_label("Delivery").locator("option:checked")).not_to_have_text(EXPRESS)
    sheet.get_by_role("button", name="Authorise").click(timeout=WAIT)
    expect(shop.locator("#message")).to_contain_text("did not get your choice of delivery", timeout=WAIT)
    expect(shop.get_by_role("dialog")).to_have_count(0, timeout=WAIT)
    assert not payments(server, basket(shop))


def test_an_answer_that_is_older_than_the_price_shown_changes_nothing(shop, server):
    sheet, held = open_sheet(shop), []
    held_once(shop, held, lambda route: (route, route.fetch()))
    sheet.get_by_label("Coupon").fill("tenoff")
    sheet.get_by_role("button", name="Apply").click()
    coupon, answer = wait_for(shop, held)
    assert answer.json()["update"]["newTotal"]["amount"] == "14.65"
    sheet.get_by_label("Delivery").select_option(label=EXPRESS)
    shows_total(sheet, "17.14")
    coupon.fulfill(response=answer)
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    shows_total(sheet, "17.14")
    sheet.get_by_role("button", name="Authorise").click()
    assert [p["amount"] for p in payments(server, confirmed(shop))] == [1714]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_session_is_for_the_host_in_the_address_bar(shop, server, host):
    shop.goto(f"http://{host}:{server.port}/shop")
    with shop.expect_response("**/applepay/validate") as answer:
        sheet = open_sheet(shop)
    assert answer.value.json()["domainName"] == host
    sheet.get_by_role("button", name="Authorise").click()
    assert len(payments(server, confirmed(shop))) == 1


def test_a_session_for_another_host_closes_the_sheet(shop, server):
    expect(button(shop)).to_be_visible(timeout=WAIT)

    def foreign(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "domainName": "www.shop.example"})

    shop.route("**/applepay/validate", foreign)
    button(shop).click()
    expect(shop.locator("#message")).to_contain_text("You closed the sheet", timeout=WAIT)
    expect(shop.get_by_role("dialog")).to_have_count(0)
    assert not payments(server, basket(shop))


@pytest.mark.parametrize("member, value", [
    ("countryCode", "UK"), ("countryCode", "gb"), ("supportedNetworks", ["visa", "americanExpress"]),
    ("supportedNetworks", []),
])
def test_the_stand_in_refuses_countries_and_networks_as_browsers_do(shop, member, value):
    def changed(route):
        answer = route.fetch()
        body = answer.json()
        body["request"][member] = value
        route.fulfill(response=answer, json=body)

    shop.route(re.compile("/applepay/basket/[^/]+$"), changed)
    shop.goto(shop.url)
    expect(button(shop)).to_be_visible(timeout=WAIT)
    shop.evaluate("""document.querySelector("till-apple-pay").addEventListener("error", (event) => {
      window.refused = event.detail.code;
    })""")
    button(shop).click()
    shop.wait_for_function("window.refused", timeout=WAIT)
    assert shop.evaluate("window.refused") == "session_refused"
    expect(shop.get_by_role("dialog")).to_have_count(0)


def test_an_area_that_is_not_delivered_to_is_said_before_and_refused_after(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_label("Deliver to").select_option(label="Alan Turing, BN15 9AA (not delivered to)")
    expect(sheet.get_by_role("alert")).to_contain_text("do not deliver", timeout=WAIT)
    sheet.get_by_role("button", name="Authorise").click()
    expect(shop.locator("#message")).to_contain_text("do not deliver", timeout=WAIT)
    assert not payments(server, basket(shop))
    # The same sheet goes on with another address.
    sheet.get_by_label("Deliver to").select_option(index=0)
    sheet.get_by_role("button", name="Authorise").click()
    assert len(payments(server, confirmed(shop))) == 1


def test_an_area_delivered_to_in_part_is_decided_by_the_whole_postcode(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_label("Deliver to").select_option(label="Grace Hopper, EC1A 9ZZ (in part)")
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    expect(sheet.get_by_role("alert")).to_have_text("")
    sheet.get_by_role("button", name="Authorise").click()
    expect(shop.locator("#message")).to_contain_text("do not deliver", timeout=WAIT)
    assert not payments(server, basket(shop))


@pytest.mark.parametrize("customer", [
    "Chan Tai Man, Hong Kong (no postcode, no town)", "Layla Haddad, Dubai (no postcode)",
])
def test_an_address_without_a_postcode_is_in_no_area_and_not_asked_for_one(shop, server, customer):
    sheet = open_sheet(shop)
    sheet.get_by_label("Deliver to").select_option(label=customer)
    expect(sheet.get_by_role("alert")).to_contain_text("do not deliver to this address", timeout=WAIT)
    sheet.get_by_role("button", name="Authorise").click()
    expect(shop.locator("#message")).to_contain_text("do not deliver to this address", timeout=WAIT)
    assert not payments(server, basket(shop))


def test_a_contact_without_telephone_is_asked_for_it(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_label("Deliver to").select_option(label="No telephone, SW1A 1AA")
    sheet.get_by_role("button", name="Authorise").click()
    expect(shop.locator("#message")).to_contain_text("telephone", timeout=WAIT)
    assert not payments(server, basket(shop))


def test_a_declined_card_charges_nothing_and_another_one_pays(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_label("Card").select_option(label="Visa 0002, declined")
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    sheet.get_by_role("button", name="Authorise").click()
    expect(shop.locator("#message")).to_contain_text("declined", timeout=WAIT)
    sheet.get_by_label("Card").select_option(index=0)
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    sheet.get_by_role("button", name="Authorise").click()
    order = confirmed(shop)
    assert [p["status"] for p in payments(server, order)].count("succeeded") == 1


def test_a_cancelled_sheet_charges_nothing_and_can_be_opened_again(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_role("button", name="Cancel").click()
    expect(shop.locator("#message")).to_contain_text("Nothing was charged", timeout=WAIT)
    assert not payments(server, basket(shop))
    expect(shop.locator("till-apple-pay button")).to_be_attached(timeout=WAIT)
    open_sheet(shop).get_by_role("button", name="Authorise").click()
    confirmed(shop)


def test_an_answer_that_comes_after_the_sheet_was_closed_is_dropped(shop, server):
    """A real session refuses it with an error, and so does the stand-in: no page may have one."""
    sheet = open_sheet(shop)
    held = []
    shop.route("**/applepay/basket/*/update", lambda route: held.append(route))
    sheet.get_by_label("Card").select_option(index=1)
    for _ in range(200):
        if held:
            break
        shop.wait_for_timeout(50)
    sheet.get_by_role("button", name="Cancel").click()
    expect(shop.locator("#message")).to_contain_text("You closed the sheet", timeout=WAIT)
    with shop.expect_response("**/applepay/basket/*/update"):
        held.pop().continue_()
    shop.unroute("**/applepay/basket/*/update")
    shop.wait_for_timeout(300)
    open_sheet(shop).get_by_role("button", name="Authorise").click()
    assert len(payments(server, confirmed(shop))) == 1


def test_a_sheet_that_is_closed_while_the_payment_is_on_its_way_is_no_cancelled_payment(shop, server):
    sheet = open_sheet(shop)
    held = []
    shop.route("**/applepay/payment", lambda route: held.append(route))
    sheet.get_by_role("button", name="Authorise").click()
    for _ in range(200):
        if held:
            break
        shop.wait_for_timeout(50)
    sheet.get_by_role("button", name="Cancel").click()
    expect(shop.get_by_role("dialog")).to_have_count(0, timeout=WAIT)
    assert "closed the sheet" not in shop.locator("#message").inner_text()
    held.pop().continue_()
    assert len(payments(server, confirmed(shop))) == 1


def test_a_double_click_opens_one_sheet_and_pays_once(shop, server):
    button(shop).dblclick(timeout=WAIT)
    sheet = shop.get_by_role("dialog")
    expect(sheet).to_have_count(1)
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    sheet.get_by_role("button", name="Authorise").dblclick()
    assert len(payments(server, confirmed(shop))) == 1


def test_a_script_that_somebody_put_into_the_page_does_not_run(shop):
    """The shop's own policy: nothing but its files runs, and nobody frames it. The violation is wanted here."""
    expect(button(shop)).to_be_visible(timeout=WAIT)
    policy = shop.request.get(shop.url).headers["content-security-policy"]
    for rule in ("default-src 'none'", "script-src 'self' https://applepay.cdn-apple.com", "frame-ancestors 'none'",
            "base-uri 'none'"):
        assert rule in policy, policy
    assert "unsafe" not in policy
    frame = shop.context.browser.new_page()
    frame.goto(shop.url)
    expect(button(frame)).to_be_visible(timeout=WAIT)
    ran = frame.evaluate("""() => {
        const inline = document.createElement("script");
        inline.textContent = "window.inlineRan = true";
        document.body.append(inline);
        const handler = document.createElement("button");
        handler.setAttribute("onclick", "window.handlerRan = true");
        document.body.append(handler);
        handler.click();
        return [window.inlineRan ?? false, window.handlerRan ?? false];
    }""")
    assert ran == [False, False]
    frame.close()


def test_the_session_is_made_before_the_click_returns(shop):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    made = shop.evaluate(
        """() => {
          const Real = window.ApplePaySession;
          let made = 0;
          window.ApplePaySession = new Proxy(Real, {
            construct(target, args) { made += 1; return Reflect.construct(target, args); },
          });
          document.querySelector("till-apple-pay button").click();
          return made;
        }"""
    )
    assert made == 1, "something is awaited between the gesture and the session"


def test_the_stand_in_refuses_a_session_outside_a_gesture(shop):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    name = shop.evaluate(
        """async () => {
          await Promise.resolve();
          try { new ApplePaySession(3, {}); return "made"; } catch (error) { return error.name; }
        }"""
    )
    assert name == "InvalidAccessError"


def test_a_time_out_after_the_charge_is_pending_and_then_placed_once(shop, server):
    sheet = open_sheet(shop)
    sheet.get_by_label("Card").select_option(label="Visa 7018, no answer after the charge")
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    order = basket(shop)
    sheet.get_by_role("button", name="Authorise").click()
    expect(shop.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=60_000)
    assert [p["status"] for p in payments(server, order)] == ["succeeded"]


def test_a_reload_in_the_middle_does_not_pay_twice(shop, server):
    sheet = open_sheet(shop)
    order = basket(shop)
    with shop.expect_request(re.compile("/applepay/payment$")):
        sheet.get_by_role("button", name="Authorise").click()
    shop.reload()
    expect(shop.locator("#confirmation").or_(button(shop)).first).to_be_visible(timeout=WAIT)
    assert len([p for p in payments(server, order) if p["status"] == "succeeded"]) <= 1


def test_the_keyboard_alone_is_enough(shop, server):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    button(shop).focus()
    shop.keyboard.press("Enter")
    sheet = shop.get_by_role("dialog")
    expect(sheet.get_by_role("button", name="Authorise")).to_be_enabled(timeout=WAIT)
    for _ in range(12):
        if shop.evaluate("document.activeElement?.id") == "till-sheet-pay":
            break
        shop.keyboard.press("Tab")
    shop.keyboard.press("Enter")
    assert len(payments(server, confirmed(shop))) == 1


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_shows_everything_without_scrolling_sideways(shop):
    sheet = open_sheet(shop)
    assert shop.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box = sheet.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= shop.viewport_size["width"]


@pytest.mark.parametrize("width", [390])
def test_a_phone_goes_the_whole_way(shop, server):
    open_sheet(shop).get_by_role("button", name="Authorise").click()
    assert len(payments(server, confirmed(shop))) == 1
    expect(shop.get_by_role("dialog")).to_have_count(0, timeout=WAIT)
    assert shop.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_who_is_signed_in_orders_to_the_own_account(shop, server):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    with shop.expect_response("**/shop/baskets"):  # the customer's, in the place of the guest's
        shop.get_by_role("button", name="Sign in as Ada").click()
    expect(shop.locator("#customer")).to_have_text("Signed in as customer_ada.", timeout=WAIT)
    open_sheet(shop).get_by_role("button", name="Authorise").click()
    confirmed(shop)
    expect(shop.locator("#guest")).to_have_text("It is in your account customer_ada.")
    shop.goto(server.url + "/shop")
    expect(shop.locator("#customer")).to_have_text("Signed in as customer_ada.", timeout=WAIT)
    shop.get_by_role("button", name="Sign out").click()
    expect(shop.locator("#customer")).to_have_text("You order as a guest.", timeout=WAIT)


def test_the_basket_of_a_guest_that_comes_late_is_not_the_one_that_a_customer_pays(shop):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    held = []
    shop.route("**/shop/baskets", lambda route: held.append(route), times=1)
    shop.get_by_role("radio", name="Collection").check()
    expect(button(shop)).to_have_count(0, timeout=WAIT)
    shop.get_by_role("button", name="Sign in as Ada").click()
    expect(button(shop)).to_be_visible(timeout=WAIT)
    with shop.expect_response("**/shop/baskets"):
        held.pop().continue_()
    shop.wait_for_timeout(300)
    open_sheet(shop).get_by_role("button", name="Authorise").click()
    confirmed(shop)
    expect(shop.locator("#guest")).to_have_text("It is in your account customer_ada.", timeout=WAIT)


def test_a_guest_is_signed_in_to_the_account_that_the_first_order_made(shop, tmp_path):
    with counter.Server(tmp_path, "--provider", "sandbox") as own:
        shop.goto(own.url + "/shop")
        open_sheet(shop).get_by_role("button", name="Authorise").click()
        confirmed(shop)
        account = re.search("guest_[0-9a-f]{16}", shop.locator("#guest").inner_text()).group()
        shop.goto(own.url + "/shop")
        expect(shop.locator("#customer")).to_have_text(f"Signed in as {account}.", timeout=WAIT)
        open_sheet(shop).get_by_role("button", name="Authorise").click()
        confirmed(shop)
        expect(shop.locator("#guest")).to_have_text(f"It is in your account {account}.")


def test_a_counter_that_dies_while_it_is_asked_leads_to_one_order(shop, tmp_path):
    """The page polls the status route over the restart."""
    own = counter.Server(tmp_path, "--provider", "sandbox", env={"TILL_WALLET_FAILPOINT": "4"}).start()
    shop.goto(own.url + "/shop")
    sheet = open_sheet(shop)
    order = basket(shop)
    sheet.get_by_role("button", name="Authorise").click()
    own.process.wait(10)
    own.env = {}
    with own.start():
        expect(shop.get_by_role("heading", name="Thank you for your order")).to_be_visible(timeout=30_000)
        assert [p["status"] for p in payments(own, order)] == ["succeeded"]


APPLE = "https://applepay.cdn-apple.com/jsapi/1.latest/apple-pay-sdk.js"
# What Apple's script brings, as far as a page sees it: an element, and a session that is made in a gesture.
SCRIPT = """
customElements.define("apple-pay-button", class extends HTMLElement {
  connectedCallback() { this.style.cssText = "display: block; height: 48px; background: #000"; this.role = "button"; }
});
window.made = [];
window.ApplePaySession = class {
  static canMakePayments() { return true; }
  static supportsVersion(version) { return version <= 14; }
  static async applePayCapabilities() { return { paymentCredentialStatus: "paymentCredentialStatusUnknown" }; }
  constructor(version, request) { window.made.push([window.event?.type, version, request.total.amount]); }
  begin() {}
};
"""


def with_apple_s_script(page, fulfil):
    """A shop of production as far as the page can tell: Apple's script in place of the simulator."""
    def metadata(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "simulator": None, "appleScript": APPLE})

    page.route("**/applepay/metadata*", metadata)
    page.route(APPLE, fulfil)
    page.goto(page.url)


def test_a_browser_without_wallet_pays_with_apple_s_own_script_and_button(shop):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    with_apple_s_script(shop, lambda route: route.fulfill(
        body=SCRIPT, content_type="text/javascript", headers={"Access-Control-Allow-Origin": "*"}))
    element = shop.locator("apple-pay-button")
    expect(element).to_be_visible(timeout=WAIT)
    assert [element.get_attribute(name) for name in ("buttonstyle", "type", "locale")] == ["black", "order", "en"]
    element.click()
    assert shop.evaluate("window.made") == [["click", 12, "15.99"]]


def test_without_apple_s_script_a_browser_without_wallet_shows_no_button(shop):
    expect(button(shop)).to_be_visible(timeout=WAIT)
    asked = []
    with_apple_s_script(shop, lambda route: (asked.append(route.request.url), route.abort()))
    expect(shop.locator("#total")).to_contain_text("15.99", timeout=WAIT)
    # Asked again and again from here: the page's policy lets nobody evaluate text in it, a waiting function either.
    assert counter.until(lambda: shop.evaluate(
        "performance.getEntriesByType('resource').some((e) => e.name.includes('apple-pay-sdk'))"))
    assert asked == [APPLE] and shop.locator("till-apple-pay").inner_html() == ""


def test_a_session_that_is_awaited_before_fails_this_test(shop):
    """The test of the gesture itself: a client that awaits something before the session gets none."""
    expect(button(shop)).to_be_visible(timeout=WAIT)
    source = shop.evaluate("fetch('/applepay/client.js').then((r) => r.text())")
    broken = source.replace("  begin() {", "  async begin() {\n    await Promise.resolve();").replace(
        "new URL(\"/\", import.meta.url)", "new URL(\"/\", location.href)").replace('"till-apple-pay"', '"till-broken"')
    assert broken != source
    shop.route("**/applepay/broken.js", lambda route: route.fulfill(body=broken, content_type="text/javascript"))
    refused = shop.evaluate(
        """async (basket) => {
          const { ApplePayController } = await import("/applepay/broken.js");
          const button = document.createElement("button");
          document.body.append(button);
          const told = [];
          const controller = new ApplePayController(basket, { onerror: (detail) => told.push(detail.code) });
          await controller.prepare();
          button.addEventListener("click", () => controller.begin());
          button.click();
          await new Promise((done) => setTimeout(done, 50));
          return told;
        }""", basket(shop))
    assert refused == ["session_refused"]

