"""PayPal's own Python client drives our stand-in: create, authorize, capture, renew, void, refund, and the errors."""
import threading

import pytest
import requests

import paypal


def order(intent="CAPTURE", value="10.00", **card):
    source = {"number": paypal.CARD, "expiry": "2030-11", "security_code": paypal.CODE, **card}
    return {
        "intent": intent,
        "purchase_units": [{"amount": {"currency_code": "USD", "value": value}}],
        "payment_source": {"card": source},
    }


def create(client, body, key):
    return client.orders.create_order({"body": body, "paypal_request_id": key, "prefer": "return=representation"})


def issue(raised):
    return raised.value.details[0].issue


def test_a_card_is_captured_in_one_call_and_refunded(stand_in):
    client = paypal.client(stand_in)
    made = create(client, order(), "k-1")
    assert made.status_code == 201 and made.body.status == "COMPLETED"
    capture = made.body.purchase_units[0].payments.captures[0]
    assert capture.status == "COMPLETED" and capture.amount.value == "10.00"
    assert made.body.payment_source.card.last_digits == paypal.CARD[-4:]
    assert paypal.CARD not in made.text and paypal.CODE not in made.text
    got = client.orders.get_order({"id": made.body.id})
    assert got.body.purchase_units[0].payments.captures[0].id == capture.id
    part = client.payments.refund_captured_payment(
        {"capture_id": capture.id, "paypal_request_id": "k-2", "prefer": "return=representation",
         "body": {"amount": {"currency_code": "USD", "value": "4.00"}}})
    assert part.body.status == "COMPLETED" and part.body.amount.value == "4.00"
    rest = client.payments.refund_captured_payment(
        {"capture_id": capture.id, "paypal_request_id": "k-3", "prefer": "return=representation"})
    assert rest.body.amount.value == "6.00"
    assert client.payments.get_refund({"refund_id": rest.body.id}).body.id == rest.body.id
    assert client.payments.get_captured_payment({"capture_id": capture.id}).body.status == "REFUNDED"
    charge = paypal.ledger(stand_in)[0]
    assert (charge["captured"], charge["refunded"]) == (1000, 1000)


REJECTED = {
    "CCREJECT-REFUSED": "0500", "CCREJECT-SF": "9500", "CCREJECT-EC": "5400", "CCREJECT-IRC": "5180",
    "CCREJECT-IF": "5120", "CCREJECT-LS": "9520", "CCREJECT-IA": "1330", "CCREJECT-BANK_ERROR": "5100",
    "CCREJECT-CVV_F": "00N7",
}


@pytest.mark.parametrize("name", REJECTED)
def test_a_declined_card_leaves_a_completed_order_and_a_declined_capture(stand_in, name):
    made = create(paypal.client(stand_in), order(name=name), "k-" + name)
    assert made.status_code == 201 and made.body.status == "COMPLETED"
    capture = made.body.purchase_units[0].payments.captures[0]
    assert capture.status == "DECLINED"
    assert capture.processor_response.response_code == REJECTED[name]
    assert (capture.processor_response.avs_code, capture.processor_response.cvv_code) == ("G", "P")
    assert paypal.ledger(stand_in)[0]["captured"] == 0


def test_a_hold_is_captured_in_parts_by_its_identifier(stand_in):
    client = paypal.client(stand_in)
    made = create(client, order("AUTHORIZE"), "k-1")
    hold = made.body.purchase_units[0].payments.authorizations[0]
    assert hold.status == "CREATED"
    for number, value in enumerate(["3.00", "7.00"]):
        taken = client.payments.capture_authorized_payment(
            {"authorization_id": hold.id, "paypal_request_id": f"c-{number}", "prefer": "return=representation",
             "body": {"amount": {"currency_code": "USD", "value": value}, "final_capture": number == 1}})
        assert taken.status_code == 201 and taken.body.status == "COMPLETED"
    assert client.payments.get_authorized_payment({"authorization_id": hold.id}).body.status == "CAPTURED"
    from paypalserversdk.exceptions.error_exception import ErrorException
    with pytest.raises(ErrorException) as raised:
        client.payments.capture_authorized_payment({"authorization_id": hold.id, "paypal_request_id": "c-9"})
    assert issue(raised) == "AUTHORIZATION_ALREADY_CAPTURED"


def test_a_hold_lives_by_days(stand_in):
    from paypalserversdk.exceptions.error_exception import ErrorException
    client, day = paypal.client(stand_in), 86_400
    hold = create(client, order("AUTHORIZE"), "k-1").body.purchase_units[0].payments.authorizations[0]
    renew = {"authorization_id": hold.id, "paypal_request_id": "r-1", "prefer": "return=representation"}
    with pytest.raises(ErrorException) as raised:
        client.payments.reauthorize_payment(renew)
    assert issue(raised) == "REAUTHORIZATION_NOT_SUPPORTED"
    paypal.advance(stand_in, 4 * day)
    client = paypal.client(stand_in)  # the token has ended meanwhile
    renewed = client.payments.reauthorize_payment({**renew, "paypal_request_id": "r-2"}).body
    assert renewed.id != hold.id and renewed.status == "CREATED"
    with pytest.raises(ErrorException) as raised:
        client.payments.reauthorize_payment({**renew, "authorization_id": renewed.id, "paypal_request_id": "r-3"})
    assert issue(raised) == "REAUTHORIZATION_NOT_SUPPORTED"
    with pytest.raises(ErrorException) as raised:
        client.payments.void_payment({"authorization_id": renewed.id, "paypal_request_id": "v-1"})
    assert issue(raised) == "CANNOT_BE_VOIDED"
    paypal.advance(stand_in, 26 * day)
    client = paypal.client(stand_in)
    with pytest.raises(ErrorException) as raised:
        client.payments.capture_authorized_payment({"authorization_id": hold.id, "paypal_request_id": "c-1"})
    assert issue(raised) == "AUTHORIZATION_EXPIRED"
    assert client.payments.get_authorized_payment({"authorization_id": hold.id}).body.status == "VOIDED"


def test_the_same_key_answers_200_with_the_latest_state_until_it_is_forgotten(stand_in):
    client = paypal.client(stand_in)
    first, second = create(client, order(), "k-1"), create(client, order(), "k-1")
    assert (first.status_code, second.status_code) == (201, 200) and first.body.id == second.body.id
    paypal.advance(stand_in, 6 * 3600)
    third = create(paypal.client(stand_in), order(), "k-1")
    assert third.status_code == 201 and third.body.id != first.body.id


def test_two_at_once_with_one_key_make_one_order(stand_in):
    client, ids = paypal.client(stand_in), []
    create(client, order(), "warm")
    threads = [
        threading.Thread(target=lambda: ids.append(create(client, order(), "k-1").body.id)) for _ in range(8)
    ]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(set(ids)) == 1 and len(paypal.ledger(stand_in)) == 2


ERRORS = [
    ({"number": "4032036247327320"}, "PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED"),
    ({"expiry": "2020-01"}, "CARD_EXPIRED"),
    ({"expiry": "2030-13"}, "INVALID_PARAMETER_SYNTAX"),
    ({"number": "123456789012"}, "INVALID_STRING_LENGTH"),
    ({"security_code": "1234"}, "INVALID_SECURITY_CODE_LENGTH"),
]


@pytest.mark.parametrize("change,expected", ERRORS)
def test_a_bad_card_is_refused_by_name(stand_in, change, expected):
    from paypalserversdk.exceptions.error_exception import ErrorException
    with pytest.raises(ErrorException) as raised:
        create(paypal.client(stand_in), order(**change), "k-1")
    assert issue(raised) == expected and raised.value.debug_id
    assert paypal.ledger(stand_in) == []


def test_bad_orders_are_refused_by_name(stand_in):
    from paypalserversdk.exceptions.error_exception import ErrorException
    client = paypal.client(stand_in)

    def refusal(body, key="k"):
        with pytest.raises(ErrorException) as raised:
            create(client, body, key)
        return issue(raised)

    body = order()
    body["purchase_units"] *= 2
    assert refusal({**body, "intent": "AUTHORIZE"}) == "UNSUPPORTED_INTENT"
    assert refusal(order(value="10.005")) == "DECIMAL_PRECISION"
    yen = {"intent": "CAPTURE", "purchase_units": [{"amount": {"currency_code": "HUF", "value": "10.50"}}]}
    assert refusal(yen) == "DECIMAL_PRECISION"
    amount = {"currency_code": "USD", "value": "10.00",
        "breakdown": {"item_total": {"currency_code": "USD", "value": "9.00"}}}
    assert refusal({"intent": "CAPTURE", "purchase_units": [{"amount": amount}]}) == "AMOUNT_MISMATCH"
    with pytest.raises(ErrorException) as raised:
        client.orders.create_order({"body": order()})
    assert issue(raised) == "PAYPAL_REQUEST_ID_REQUIRED"
    with pytest.raises(ErrorException) as raised:
        client.orders.get_order({"id": "NOSUCHORDER"})
    assert raised.value.response_code == 404
    waiting = client.orders.create_order({"body": {k: v for k, v in order().items() if k != "payment_source"}})
    with pytest.raises(ErrorException) as raised:
        client.orders.capture_order({"id": waiting.body.id, "paypal_request_id": "c"})
    assert issue(raised) == "ORDER_NOT_APPROVED"
    with pytest.raises(ErrorException) as raised:
        client.orders.authorize_order({"id": waiting.body.id, "paypal_request_id": "a"})
    assert issue(raised) == "ACTION_DOES_NOT_MATCH_INTENT"


def test_attach_then_capture_and_the_challenge_in_between(stand_in):
    client = paypal.client(stand_in)
    source = order()["payment_source"]

    def made(key):
        body = {k: v for k, v in order().items() if k != "payment_source"}
        return client.orders.create_order({"body": body, "paypal_request_id": key}).body.id

    plain = made("o-1")
    assert client.orders.confirm_order({"id": plain, "body": {"payment_source": source}}).body.status == "APPROVED"
    taken = client.orders.capture_order({"id": plain, "paypal_request_id": "c-1", "prefer": "return=representation"})
    assert taken.body.purchase_units[0].payments.captures[0].status == "COMPLETED"
    challenged = made("o-2")
    source["card"]["attributes"] = {"verification": {"method": "SCA_ALWAYS"}}
    waiting = client.orders.confirm_order({"id": challenged, "body": {"payment_source": source}}).body
    assert waiting.status == "PAYER_ACTION_REQUIRED"
    assert [link.href for link in waiting.links if link.rel == "payer-action"]
    done = requests.post(stand_in + "/_sandbox/action", json={"reference": challenged, "succeeds": True}, timeout=5)
    assert done.ok
    read = client.orders.get_order({"id": challenged}).body
    assert read.status == "APPROVED"
    assert read.payment_source.card.authentication_result.liability_shift == "POSSIBLE"
    taken = client.orders.capture_order({"id": challenged, "paypal_request_id": "c-2",
        "prefer": "return=representation"})
    assert taken.body.purchase_units[0].payments.captures[0].status == "COMPLETED"


def test_a_card_is_stored_and_used_again(stand_in):
    client = paypal.client(stand_in)
    source = order()["payment_source"]
    setup = client.vault.create_setup_token({"body": {"payment_source": source}, "paypal_request_id": "s-1"}).body
    stored = client.vault.create_payment_token(
        {"body": {"payment_source": {"token": {"id": setup.id, "type": "SETUP_TOKEN"}}}, "paypal_request_id": "p-1"}
    ).body
    assert stored.payment_source.card.last_digits == paypal.CARD[-4:]
    body = {**order(), "payment_source": {"card": {"vault_id": stored.id}}}
    assert create(client, body, "k-1").body.purchase_units[0].payments.captures[0].status == "COMPLETED"
    client.vault.delete_payment_token(stored.id)
    from paypalserversdk.exceptions.error_exception import ErrorException
    with pytest.raises(ErrorException) as raised:
        create(client, body, "k-2")
    assert issue(raised) == "TOKEN_ID_NOT_FOUND"
