"""The tables of providers' codes against the codes that the providers' own libraries name."""
import inspect
import pathlib
import re
import typing

import braintree
import pytest
import stripe
from paypalserversdk.models import processor_response_code

import counter

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tables():
    found = {}
    for row in counter.succeed("codes", "--json")["codes"]:
        found.setdefault(row["table"], {})[row["code"]] = row
    return found


def words(annotation):
    """All literals inside of a type."""
    if typing.get_origin(annotation) is typing.Literal:
        return set(typing.get_args(annotation))
    return set().union(*(words(part) for part in typing.get_args(annotation)), set())


def codes(holder):
    """All values of a class of constants and of the classes in it."""
    found = set()
    for name, value in vars(holder).items():
        if name.startswith("_"):
            continue
        found |= codes(value) if inspect.isclass(value) else {value}
    return found


def test_every_error_code_that_stripes_library_names(tables):
    named = words(stripe.PaymentIntent.LastPaymentError.__annotations__["code"])
    assert len(named) > 200
    assert named - set(tables["stripe.errors"]) == set()


def test_every_reason_of_a_failed_refund_that_stripes_library_names(tables):
    source = inspect.getsource(stripe.Refund)
    line = re.search(r"reason for the refund failure. Possible values are: (.*)\.", source).group(1)
    named = set(re.findall(r"`([a-z_]+)`", line))
    assert len(named) >= 7
    assert named - set(tables["stripe.refund_failures"]) == set()


@pytest.mark.parametrize("part", ["Transaction", "CreditCard", "PaymentMethod", "Address", "Descriptor", "RiskData"])
def test_every_error_that_braintrees_library_names_for_a_sale(tables, part):
    named = codes(getattr(braintree.ErrorCodes, part))
    assert named and named - set(tables["braintree.errors"]) == set()


def test_every_gateway_rejection_that_braintrees_library_names(tables):
    named = codes(braintree.Transaction.GatewayRejectionReason)
    assert len(named) >= 10 and named - set(tables["braintree.gateway"]) == set()


def test_braintrees_names_are_the_librarys(tables):
    errors = braintree.ErrorCodes.Transaction
    assert tables["braintree.errors"][errors.HasAlreadyBeenRefunded]["money"] == "moved_already"
    assert tables["braintree.errors"][errors.RefundAmountIsTooLarge]["money"] == "moved_already"
    assert tables["braintree.errors"][errors.PaymentMethodNonceConsumed]["money"] == "moved_already"
    assert tables["braintree.errors"][errors.CannotRefundUnlessSettled]["try_again"] == "later"
    assert tables["braintree.errors"][errors.AmountIsTooLarge]["money"] == "nothing_moved"


def test_every_answer_of_a_processor_that_paypals_library_names(tables):
    named = {
        value for name, value in vars(processor_response_code.ProcessorResponseCode).items()
        if name.startswith("RESPONSE_")
    }
    assert len(named) > 150
    assert named - set(tables["paypal.processor"]) == set()
    # Our reason against the library's name, where the name leaves no doubt.
    reasons = {name: row["reason"] for row in tables["paypal.processor"].values() for name in [row["name"]]}
    assert reasons["INSUFFICIENT_FUNDS"] == "insufficient_funds"
    assert reasons["EXPIRED_CARD"] == reasons["INVALID_EXPIRATION"] == "expired_card"
    assert reasons["CVV_FAILURE"] == "incorrect_cvc" and reasons["INVALID_PIN"] == "incorrect_pin"
    assert reasons["SUSPECTED_FRAUD"] == reasons["LOST_OR_STOLEN"] == "fraud"


def test_the_page_of_the_documentation_is_what_the_command_writes():
    told = counter.till("codes", "--markdown")
    assert told.code == 0
    assert told.out == (ROOT / "docs/PROVIDER_CODES.md").read_text()


def test_one_code_is_explained_and_an_unknown_one_is_not_guessed_at(tables):
    told = counter.till("codes", "charge_already_refunded")
    assert told.code == 0 and "before the provider is queried" in told.out
    told = counter.till("codes", "on_the_moon", "--json")
    assert told.code == 1 and "unknown_code" in told.out
    assert counter.till("codes", "--provider", "nobody").code == 1


def test_required_challenges_need_an_address_to_come_back_to(tmp_path):
    told = counter.till(
        "sale", "--amount", "1.00", "--currency", "EUR", "--provider", "paypal", "--order", "o-1", "--paypal-url",
        "http://127.0.0.1:9", "--journal", str(tmp_path / "j.sqlite"), "--json",
        env={"TILL_PAYPAL_THREE_D_SECURE": "required"})
    assert told.code == 1 and "receipt_url" in told.out, told
