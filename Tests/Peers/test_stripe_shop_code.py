"""What a shop's other code calls, beside payments: Stripe's own library against `till sandbox stripe`.

localstripe ships no script of calls that could be run as a process of its own, so there is no count of one here.
"""
import http.server
import json
import threading
import time

import pytest
import requests
import stripe

import counter

CARD = {"number": "4242424242424242", "exp_month": 4, "exp_year": 2031, "cvc": "123"}
DECLINED = {**CARD, "number": "4000000000000002"}
# Kept, and declined only when it is charged.
DECLINED_LATER = {**CARD, "number": "4000000000000341"}
NEEDS_ACTION = {**CARD, "number": "4000002760003184"}


@pytest.fixture
def api(sandbox):
    return stripe.StripeClient(sandbox.key, base_addresses={"api": sandbox.url}, max_network_retries=0).v1


class Listener:
    """A shop's program that keeps the bodies and signatures of Stripe's webhooks."""

    def __init__(self):
        self.deliveries = deliveries = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                deliveries.append((body, self.headers["Stripe-Signature"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, count):
        assert counter.until(lambda: len(self.deliveries) >= count, 20), self.deliveries
        return list(self.deliveries)


@pytest.fixture
def listener():
    listening = Listener()
    yield listening
    listening.server.shutdown()
    listening.server.server_close()


def play(sandbox, control, **body):
    answer = requests.post(f"{sandbox.url}/_sandbox/{control}", json=body, timeout=10)
    assert answer.status_code == 200, answer.text


def refused(call, code=None, param=None, status=400, kind=stripe.InvalidRequestError):
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert (error.http_status, error.code) == (status, code), error.user_message
    assert param is None or error.param == param
    assert error.user_message
    return error


def method(api, card=CARD, **more):
    return api.payment_methods.create({"type": "card", "card": card, **more})


def sale(api, amount=1250, **more):
    return api.payment_intents.create(
        {"amount": amount, "currency": "eur", "confirm": True, "payment_method": "pm_card_visa", **more})


def ids(page):
    return [item.id for item in page.data]


# Customers


def test_a_customer_is_kept_changed_and_deleted(api):
    made = api.customers.create({
        "email": "ada@example.com", "name": "Ada", "metadata": {"shop": "1", "tier": "gold"},
        "address": {"line1": "1 Main St", "country": "IE"},
        "shipping": {"name": "Ada", "address": {"line1": "2 Quay"}}})
    assert made.id.startswith("cus_") and made.object == "customer" and not made.livemode
    assert made.address.line1 == "1 Main St" and made.shipping.address.line1 == "2 Quay"
    changed = api.customers.update(made.id, {"name": "", "phone": "+353", "metadata": {"tier": "", "age": "3"}})
    assert changed.name is None and changed.phone == "+353" and changed.email == "ada@example.com"
    assert changed.metadata.to_dict() == {"shop": "1", "age": "3"}
    assert api.customers.retrieve(made.id).metadata == changed.metadata
    assert api.customers.update(made.id, {"metadata": ""}).metadata.to_dict() == {}
    gone = api.customers.delete(made.id)
    assert gone.deleted and gone.id == made.id
    assert api.customers.retrieve(made.id).deleted
    refused(lambda: api.customers.update(made.id, {"name": "x"}), "resource_missing", status=404)
    refused(lambda: api.customers.delete(made.id), "resource_missing", status=404)
    assert ids(api.customers.list()) == []


def test_customers_are_listed_in_pages_in_both_directions(api):
    made = [api.customers.create({"email": f"{i % 2}@example.com"}).id for i in range(5)]
    newest = made[::-1]
    first = api.customers.list({"limit": 2})
    assert ids(first) == newest[:2] and first.has_more
    second = api.customers.list({"limit": 2, "starting_after": newest[1]})
    assert ids(second) == newest[2:4] and second.has_more
    back = api.customers.list({"limit": 1, "ending_before": newest[2]})
    assert ids(back) == [newest[1]] and back.has_more
    assert [c.id for c in api.customers.list({"limit": 2}).auto_paging_iter()] == newest
    assert ids(api.customers.list({"email": "1@example.com"})) == [newest[1], newest[3]]
    assert ids(api.customers.list({"created": {"gt": int(time.time()) + 60}})) == []
    refused(lambda: api.customers.list({"limit": 0}), "parameter_invalid_integer", "limit")
    refused(lambda: api.customers.list({"limit": 101}), "parameter_invalid_integer", "limit")
    refused(lambda: api.customers.list({"starting_after": "cus_none"}), "resource_missing", "starting_after")


def test_the_same_key_makes_one_customer(api):
    key = {"idempotency_key": "customer-1"}
    made = api.customers.create({"name": "Ada"}, key)
    again = api.customers.create({"name": "Ada"}, key)
    assert again.id == made.id and again.last_response.headers["Idempotent-Replayed"] == "true"
    refused(lambda: api.customers.create({"name": "Eve"}, key), kind=stripe.IdempotencyError)
    assert len(api.customers.list().data) == 1


def test_texts_and_metadata_have_limits(api):
    for metadata in ({str(i): "x" for i in range(51)}, {"k" * 41: "x"}, {"k": "x" * 501}):
        refused(lambda: api.customers.create({"metadata": metadata}), "parameter_invalid", "metadata")
    refused(lambda: api.customers.create({"name": "x" * 5001}), "parameter_invalid_string_too_long", "name")
    made = api.customers.create({"metadata": {str(i): "x" for i in range(50)}})
    refused(lambda: api.customers.update(made.id, {"metadata": {"more": "x"}}), "parameter_invalid", "metadata")


# Payment methods


def test_a_card_is_kept_by_its_last_digits_and_expiry_and_nothing_else(api, sandbox, tmp_path):
    made = method(api, billing_details={"name": "Ada", "address": {"postal_code": "D02"}}, metadata={"a": "b"})
    assert (made.card.brand, made.card.last4, made.card.exp_month, made.card.exp_year) == ("visa", "4242", 4, 2031)
    assert made.billing_details.address.postal_code == "D02" and made.customer is None
    assert api.payment_methods.retrieve(made.id).billing_details.name == "Ada"
    assert method(api).id != made.id, "two payment methods of one card"
    assert CARD["number"] not in json.dumps(made.to_dict())
    sale(api, payment_method=made.id)
    assert not any(CARD["number"].encode() in p.read_bytes() for p in tmp_path.iterdir() if p.is_file())
    token = api.payment_methods.create({"type": "card", "card": {"token": "tok_mastercard"}})
    assert token.card.brand == "mastercard"
    refused(lambda: method(api, {**CARD, "number": "4242424242424241"}), "incorrect_number", status=402,
            kind=stripe.CardError)
    refused(lambda: method(api, {"token": "tok_none"}), "resource_missing", status=404)
    refused(lambda: api.payment_methods.retrieve("pm_none"), "resource_missing", status=404)


def test_a_payment_method_belongs_to_one_customer_until_it_is_detached(api):
    ada, eve = (api.customers.create({"name": name}).id for name in ("Ada", "Eve"))
    kept = api.payment_methods.attach(method(api).id, {"customer": ada})
    assert kept.customer == ada
    refused(lambda: api.payment_methods.attach(kept.id, {"customer": eve}))
    refused(lambda: api.payment_methods.attach(method(api).id, {"customer": "cus_none"}), "resource_missing",
            "customer")
    refused(lambda: api.payment_methods.attach(method(api, DECLINED).id, {"customer": ada}), "card_declined",
            status=402, kind=stripe.CardError)
    named = api.payment_methods.attach("pm_card_mastercard", {"customer": ada})
    assert named.id != "pm_card_mastercard" and named.card.brand == "mastercard"
    assert ids(api.payment_methods.list({"customer": ada, "type": "card"})) == [named.id, kept.id]
    assert ids(api.customers.payment_methods.list(ada)) == [named.id, kept.id]
    assert api.customers.payment_methods.retrieve(ada, kept.id).id == kept.id
    refused(lambda: api.customers.payment_methods.retrieve(eve, kept.id), "resource_missing", status=404)
    changed = api.payment_methods.update(kept.id, {"metadata": {"a": "b"}, "card": {"exp_year": 2035}})
    assert changed.card.exp_year == 2035 and changed.metadata["a"] == "b"
    refused(lambda: sale(api, payment_method=kept.id), param="payment_method")
    refused(lambda: sale(api, payment_method=kept.id, customer=eve), param="payment_method")
    paid = sale(api, payment_method=kept.id, customer=ada, off_session=True)
    assert (paid.status, paid.customer) == ("succeeded", ada)
    detached = api.payment_methods.detach(kept.id)
    assert detached.customer is None
    refused(lambda: api.payment_methods.detach(kept.id))
    refused(lambda: sale(api, payment_method=kept.id, customer=ada), param="payment_method")
    refused(lambda: api.payment_methods.attach(kept.id, {"customer": ada}), param="payment_method")
    assert ids(api.payment_methods.list({"customer": ada})) == [named.id]


def test_invoices_have_a_default_that_must_be_the_customers(api):
    made = api.customers.create({"payment_method": "pm_card_visa"})
    [card] = ids(api.payment_methods.list({"customer": made.id}))
    changed = api.customers.update(made.id, {"invoice_settings": {"default_payment_method": card}})
    assert changed.invoice_settings.default_payment_method == card
    assert api.customers.retrieve(made.id).invoice_settings.default_payment_method == card
    refused(lambda: api.customers.update(made.id, {"invoice_settings": {"default_payment_method": method(api).id}}),
            "resource_missing", "invoice_settings[default_payment_method]")
    api.payment_methods.detach(card)
    assert api.customers.retrieve(made.id).invoice_settings.default_payment_method is None


def test_a_payment_that_announces_later_use_keeps_its_card(api):
    customer = api.customers.create({}).id
    card = method(api).id
    sale(api, payment_method=card, customer=customer, setup_future_usage="off_session")
    assert ids(api.payment_methods.list({"customer": customer})) == [card]
    sale(api, payment_method=method(api).id, customer=customer)
    assert ids(api.payment_methods.list({"customer": customer})) == [card]


# Setup intents


def test_a_setup_intent_keeps_a_card_for_its_customer(api):
    customer = api.customers.create({}).id
    made = api.setup_intents.create({"customer": customer, "usage": "off_session", "metadata": {"a": "b"}})
    assert (made.status, made.customer) == ("requires_payment_method", customer)
    assert list(made.payment_method_types) == ["card"]
    refused(lambda: api.setup_intents.confirm(made.id), "parameter_missing", "payment_method")
    done = api.setup_intents.confirm(made.id, {"payment_method": method(api).id})
    assert done.status == "succeeded"
    assert ids(api.payment_methods.list({"customer": customer})) == [done.payment_method]
    assert api.setup_intents.retrieve(made.id).payment_method == done.payment_method
    refused(lambda: api.setup_intents.confirm(made.id, {"payment_method": "pm_card_visa"}),
            "setup_intent_unexpected_state")
    assert sale(api, customer=customer, payment_method=done.payment_method).status == "succeeded"
    assert ids(api.setup_intents.list({"customer": customer})) == [made.id]
    assert ids(api.setup_intents.list({"customer": "cus_other"})) == []


def test_a_setup_intent_is_declined_tried_again_and_canceled(api):
    made = api.setup_intents.create({})
    error = refused(lambda: api.setup_intents.confirm(made.id, {"payment_method": method(api, DECLINED).id}),
                    "card_declined", status=402, kind=stripe.CardError)
    assert error.error.setup_intent.status == "requires_payment_method"
    assert api.setup_intents.retrieve(made.id).last_setup_error.decline_code == "generic_decline"
    later = api.setup_intents.create({"confirm": True, "payment_method": method(api, DECLINED_LATER).id})
    assert later.status == "succeeded"
    refused(lambda: sale(api, payment_method=later.payment_method), "card_declined", status=402, kind=stripe.CardError)
    assert api.setup_intents.cancel(made.id).status == "canceled"
    refused(lambda: api.setup_intents.cancel(made.id), "setup_intent_unexpected_state")


def test_a_setup_intent_waits_for_the_bank(api, sandbox):
    customer = api.customers.create({}).id
    made = api.setup_intents.create(
        {"customer": customer, "confirm": True, "payment_method": method(api, NEEDS_ACTION).id})
    assert made.status == "requires_action" and made.next_action.type == "use_stripe_sdk"
    play(sandbox, "action", reference=made.id, succeeds=True)
    assert api.setup_intents.retrieve(made.id).status == "succeeded"
    assert len(ids(api.payment_methods.list({"customer": customer}))) == 1


# Charges


def test_charges_come_from_payment_intents(api):
    customer = api.customers.create({}).id
    paid = sale(api, customer=customer, description="Two cups")
    held = sale(api, 900, capture_method="manual")
    with pytest.raises(stripe.CardError):
        sale(api, 100, payment_method="pm_card_visa_chargeDeclined")
    api.payment_intents.create({"amount": 500, "currency": "eur"})
    charges = api.charges.list()
    assert [(c.amount, c.status, c.captured) for c in charges.data] == [
        (100, "failed", False), (900, "succeeded", False), (1250, "succeeded", True)]
    assert ids(api.charges.list({"payment_intent": paid.id})) == [paid.latest_charge]
    assert ids(api.charges.list({"customer": customer})) == [paid.latest_charge]
    for charge in charges.data:
        assert api.charges.retrieve(charge.id).payment_intent == charge.payment_intent
    one = api.charges.retrieve(paid.latest_charge)
    assert (one.customer, one.description, one.payment_method_details.card.last4) == (customer, "Two cups", "4242")
    taken = api.charges.capture(held.latest_charge, {"amount": 700})
    assert taken.object == "charge" and taken.captured and taken.amount_captured == 700
    refused(lambda: api.charges.capture(held.latest_charge), "payment_intent_unexpected_state")
    assert api.payment_intents.retrieve(held.id).amount_received == 700
    changed = api.charges.update(paid.latest_charge, {"metadata": {"order": "o-1"}})
    assert changed.metadata["order"] == "o-1"
    refused(lambda: api.charges.retrieve("ch_none"), "resource_missing", status=404)
    refused(lambda: api.charges.capture("ch_none"), "resource_missing", status=404)


def test_a_charge_is_captured_once_under_its_key(api):
    held = sale(api, capture_method="manual")
    key = {"idempotency_key": "capture-1"}
    first = api.charges.capture(held.latest_charge, {"amount": 1000}, key)
    again = api.charges.capture(held.latest_charge, {"amount": 1000}, key)
    assert again.to_dict() == first.to_dict() and again.last_response.headers["Idempotent-Replayed"] == "true"


# Refunds and balance transactions


def test_refunds_are_read_changed_and_listed(api):
    paid = sale(api)
    by_charge = api.refunds.create({"charge": paid.latest_charge, "amount": 300, "metadata": {"why": "late"}})
    by_intent = api.refunds.create({"payment_intent": paid.id, "amount": 200})
    assert ids(api.refunds.list({"charge": paid.latest_charge})) == [by_intent.id, by_charge.id]
    assert ids(api.refunds.list({"limit": 1, "starting_after": by_intent.id})) == [by_charge.id]
    changed = api.refunds.update(by_charge.id, {"metadata": {"who": "Ada"}})
    assert changed.metadata.to_dict() == {"why": "late", "who": "Ada"}
    assert api.refunds.retrieve(by_charge.id).metadata.to_dict() == changed.metadata.to_dict()
    assert api.refunds.retrieve(by_intent.id).metadata.to_dict() == {}
    assert api.charges.retrieve(paid.latest_charge).amount_refunded == 500
    refused(lambda: api.refunds.update("re_none", {"metadata": {"a": "b"}}), "resource_missing", status=404)
    refused(lambda: api.refunds.create({"charge": paid.latest_charge, "amount": 751}), param="amount")


def test_balance_transactions_are_read_one_by_one(api):
    paid = sale(api)
    refund = api.refunds.create({"payment_intent": paid.id, "amount": 200})
    charge = api.charges.retrieve(paid.latest_charge)
    lines = api.balance_transactions.list()
    assert sorted(ids(lines)) == sorted([charge.balance_transaction, refund.balance_transaction])
    line = api.balance_transactions.retrieve(charge.balance_transaction)
    assert (line.type, line.amount, line.source) == ("charge", 1250, charge.id)
    assert line.net == line.amount - line.fee
    back = api.balance_transactions.retrieve(refund.balance_transaction, {"expand": ["source"]})
    assert (back.type, back.amount, back.fee, back.source.id) == ("refund", -200, 0, refund.id)
    assert ids(api.balance_transactions.list({"source": refund.id})) == [refund.balance_transaction]
    refused(lambda: api.balance_transactions.retrieve("txn_none"), "resource_missing", status=404)
    held = sale(api, capture_method="manual")
    assert api.charges.retrieve(held.latest_charge).balance_transaction is None


def test_disputes_are_read_and_listed(api, sandbox):
    paid = sale(api)
    play(sandbox, "aftersale", reference=paid.id, do="dispute", amount=400)
    [dispute] = api.disputes.list({"charge": paid.latest_charge}).data
    one = api.disputes.retrieve(dispute.id)
    assert (one.amount, one.charge, one.status) == (400, paid.latest_charge, "needs_response")
    assert api.charges.retrieve(paid.latest_charge).disputed
    refused(lambda: api.disputes.retrieve("du_none"), "resource_missing", status=404)
    play(sandbox, "rights", disputes=False)
    refused(lambda: api.disputes.retrieve(dispute.id), status=403, kind=stripe.PermissionError)


# Events


def test_events_are_what_webhooks_deliver(api, sandbox, listener):
    secret = "whsec_shop"
    play(sandbox, "webhooks", url=listener.url, secret=secret)
    customer = api.customers.create({"name": "Ada"})
    paid = sale(api, customer=customer.id)
    api.refunds.create({"payment_intent": paid.id, "amount": 100})
    play(sandbox, "aftersale", reference=paid.id, do="dispute")
    told = listener.wait(5)
    events = {event.id: event for event in api.events.list({"limit": 100}).data}
    assert sorted(e.type for e in events.values()) == [
        "charge.dispute.created", "charge.dispute.funds_withdrawn", "customer.created", "payment_intent.succeeded",
        "refund.created"]
    for body, signature in told:
        delivered = stripe.Webhook.construct_event(body, signature, secret)
        assert delivered.to_dict() == events[delivered.id].to_dict()
        assert api.events.retrieve(delivered.id).type == delivered.type
    assert [e.type for e in api.events.list({"type": "customer.*"}).data] == ["customer.created"]
    assert api.events.list({"types": ["refund.created", "customer.created"]}).data[0].data.object["amount"] == 100
    newest = ids(api.events.list({"limit": 2}))
    assert ids(api.events.list({"limit": 1, "starting_after": newest[0]})) == newest[1:]
    refused(lambda: api.events.retrieve("evt_none"), "resource_missing", status=404)


def test_a_replay_is_no_second_event(api):
    key = {"idempotency_key": "once"}
    for _ in range(2):
        api.customers.create({"name": "Ada"}, key)
    assert [e.type for e in api.events.list().data] == ["customer.created"]
