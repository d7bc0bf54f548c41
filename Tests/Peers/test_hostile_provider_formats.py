"""The hostile provider is judged first: Stripe's and Braintree's own libraries sell, capture, refund and void at it in
good weather, and read its refusals and its webhooks."""
import base64
import json
import urllib.parse

import hostile_braintree
import hostile_stripe
import pytest
import requests


@pytest.fixture
def stripe_provider():
    provider = hostile_stripe.StripeProvider(1, share=0, issuer_says_no=0)
    yield provider
    provider.close()


@pytest.fixture
def client(stripe_provider):
    import stripe

    return stripe.StripeClient(
        "sk_test_first", base_addresses={"api": stripe_provider.url}, max_network_retries=0)


def test_stripes_library_sells_captures_refunds_and_voids(stripe_provider, client):
    import stripe

    method = client.v1.payment_methods.create(
        {"type": "card", "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"}})
    assert method.card.last4 == "4242"
    held = client.v1.payment_intents.create(
        {"amount": 1250, "currency": "eur", "capture_method": "manual", "payment_method": method.id, "confirm": True,
         "metadata": {"till_order": "o-1"}})
    assert (held.status, held.amount_capturable, held.metadata["till_order"]) == ("requires_capture", 1250, "o-1")
    taken = client.v1.payment_intents.capture(held.id, {"amount_to_capture": 1000})
    assert (taken.status, taken.amount_received) == ("succeeded", 1000)
    back = client.v1.refunds.create({"payment_intent": held.id, "amount": 400, "metadata": {"till_refund": "r-1"}})
    assert (back.status, back.amount, back.payment_intent) == ("succeeded", 400, held.id)
    found = client.v1.payment_intents.retrieve(held.id, {"expand": ["latest_charge"]})
    assert found.latest_charge.amount_refunded == 400 and found.latest_charge.payment_method_details.card.capture_before
    assert [r.id for r in client.v1.refunds.list({"payment_intent": held.id}).data] == [back.id]
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.refunds.create({"payment_intent": held.id, "amount": 601})
    client.v1.refunds.create({"payment_intent": held.id})
    with pytest.raises(stripe.InvalidRequestError) as gone:
        client.v1.refunds.create({"payment_intent": held.id})
    assert gone.value.code == "charge_already_refunded"
    void = client.v1.payment_intents.create(
        {"amount": 500, "currency": "eur", "capture_method": "manual", "payment_method": "pm_card_visa",
         "confirm": True})
    assert client.v1.payment_intents.cancel(void.id).status == "canceled"
    with pytest.raises(stripe.InvalidRequestError) as late:
        client.v1.payment_intents.capture(void.id)
    assert late.value.code == "payment_intent_unexpected_state"
    assert [i.id for i in client.v1.payment_intents.list({"limit": 1}).auto_paging_iter()] == [void.id, held.id]
    assert client.v1.accounts.retrieve_current().id == "acct_1First"


def test_stripes_library_reads_declines_and_rejected_keys(stripe_provider, client):
    import stripe

    method = client.v1.payment_methods.create(
        {"type": "card", "card": {"number": "4000000000000002", "exp_month": 12, "exp_year": 2030}})
    with pytest.raises(stripe.CardError) as declined:
        client.v1.payment_intents.create(
            {"amount": 1250, "currency": "eur", "payment_method": method.id, "confirm": True})
    assert declined.value.error.decline_code == "insufficient_funds"
    assert declined.value.error.payment_intent.status == "requires_payment_method"
    other = stripe.StripeClient("sk_test_nobodys", base_addresses={"api": stripe_provider.url})
    with pytest.raises(stripe.AuthenticationError):
        other.v1.payment_intents.list()
    stripe_provider.accounts["sk_test_second"] = "acct_2Second"
    second = stripe.StripeClient("sk_test_second", base_addresses={"api": stripe_provider.url})
    with pytest.raises(stripe.InvalidRequestError):
        second.v1.payment_intents.retrieve(declined.value.error.payment_intent.id)


def test_keys_are_kept_by_stripes_rules(stripe_provider, client):
    import stripe

    order = {"amount": 1250, "currency": "eur"}
    options = {"idempotency_key": "k-1"}
    first = client.v1.payment_intents.create(order, options)
    again = client.v1.payment_intents.create(order, options)
    assert again.id == first.id and again.last_response.headers["Idempotent-Replayed"] == "true"
    with pytest.raises(stripe.IdempotencyError):
        client.v1.payment_intents.create({**order, "amount": 1251}, options)
    request = {"method": "POST", "path": "/v1/payment_intents", "body": b"amount=700&currency=eur", "headers": {
        "authorization": "Bearer sk_test_first", "idempotency-key": "k-2"}}
    failed = stripe_provider.failing(request, True, None)
    assert failed.status == 500
    with pytest.raises(stripe.APIError):
        client.v1.payment_intents.create({"amount": 700, "currency": "eur"}, {"idempotency_key": "k-2"})
    assert [i.amount for i in client.v1.payment_intents.list().data].count(700) == 1, "kept, though it was done"
    stripe_provider.offset += 2 * hostile_stripe.DAY
    assert client.v1.payment_intents.create(order, options).id != first.id, "a key is forgotten after a day"


def test_stripes_library_takes_its_webhooks(stripe_provider, client):
    import stripe

    heard = []
    stripe_provider.post.send = lambda _, sign: heard.append(sign)
    client.v1.payment_intents.create(
        {"amount": 500, "currency": "eur", "payment_method": "pm_card_visa", "confirm": True})
    headers, body = heard[-1]()
    event = stripe.Webhook.construct_event(body, headers["Stripe-Signature"], stripe_provider.WEBHOOK_SECRET)
    assert event.type == "payment_intent.succeeded" and event.data.object.amount_received == 500


@pytest.fixture
def braintree_provider():
    provider = hostile_braintree.BraintreeProvider(1, share=0, issuer_says_no=0)
    provider.search_lag = 0
    yield provider
    provider.close()


@pytest.fixture
def gateway(braintree_provider):
    import braintree

    host, port = braintree_provider.url.removeprefix("http://").split(":")
    environment = braintree.environment.Environment(
        "development", host, port, "http://auth.venmo.dev:9292", False, None, host, port)
    return braintree.BraintreeGateway(
        braintree.Configuration(environment, "first", "public_first", "private_first"))


def nonce(provider, number="4111111111111111", **headers):
    query = """mutation T($input: TokenizeCreditCardInput!) {
      tokenizeCreditCard(input: $input) { paymentMethod { id } } }"""
    keys = base64.b64encode(b"public_first:private_first").decode()
    answer = requests.post(
        provider.url + "/graphql", timeout=10,
        json={"query": query, "variables": {"input": {"creditCard": {"number": number}}}},
        headers={"Authorization": "Basic " + keys, **(headers or {"Braintree-Version": "2019-01-01"})}).json()
    return answer["data"]["tokenizeCreditCard"]["paymentMethod"]["id"] if answer.get("data") else answer


def sale(provider, gateway, amount="12.50", settles=True, **more):
    return gateway.transaction.sale({
        "amount": amount, "payment_method_nonce": nonce(provider), "merchant_account_id": "shop_eur", "order_id": "o-1",
        "options": {"submit_for_settlement": settles}, **more})


def test_braintrees_library_sells_captures_refunds_and_voids(braintree_provider, gateway):
    import braintree

    sold = sale(braintree_provider, gateway)
    assert sold.is_success and sold.transaction.status == "submitted_for_settlement"
    assert (str(sold.transaction.amount), sold.transaction.currency_iso_code) == ("12.50", "EUR")
    early = gateway.transaction.refund(sold.transaction.id, "1.00")
    assert early.errors.deep_errors[0].code == "91506"
    assert gateway.testing.settle_transaction(sold.transaction.id).transaction.status == "settled"
    back = gateway.transaction.refund(sold.transaction.id, "5.00")
    assert back.is_success and (back.transaction.type, back.transaction.status) == ("credit", "settled")
    found = gateway.transaction.find(sold.transaction.id)
    assert found.refund_ids == [back.transaction.id] and found.order_id == "o-1"
    assert [event.status for event in found.status_history][-1] == "settled"
    assert gateway.transaction.refund(sold.transaction.id, "8.00").errors.deep_errors[0].code == "91521"
    assert gateway.transaction.refund(sold.transaction.id).is_success
    assert gateway.transaction.refund(sold.transaction.id, "1.00").errors.deep_errors[0].code == "91512"
    held = sale(braintree_provider, gateway, settles=False).transaction
    assert held.status == "authorized" and held.authorization_expires_at
    taken = gateway.transaction.submit_for_settlement(held.id, "10.00")
    assert taken.is_success and str(taken.transaction.amount) == "10.00"
    assert gateway.transaction.void(held.id).transaction.status == "voided"
    assert gateway.transaction.void(held.id).errors.deep_errors[0].code == "91504"
    results = gateway.transaction.search([braintree.TransactionSearch.order_id == "o-1"])
    assert {t.id for t in results.items} == {sold.transaction.id, held.id}


def test_braintrees_library_reads_declines_and_rejected_keys(braintree_provider, gateway):
    import braintree

    declined = gateway.transaction.sale(
        {"amount": "1.00", "payment_method_nonce": nonce(braintree_provider, "4000000000000002")})
    assert not declined.is_success and declined.transaction.status == "processor_declined"
    assert declined.transaction.processor_response_code == "2001"
    used = nonce(braintree_provider)
    assert gateway.transaction.sale({"amount": "1.00", "payment_method_nonce": used}).is_success
    again = gateway.transaction.sale({"amount": "1.00", "payment_method_nonce": used})
    assert again.errors.deep_errors[0].code == "91564"
    yen = sale(braintree_provider, gateway, "35", merchant_account_id="shop_jpy").transaction
    assert yen.currency_iso_code == "EUR", "the account that is set up wrongly"
    with pytest.raises(braintree.exceptions.not_found_error.NotFoundError):
        gateway.transaction.find("nobodys")
    unversioned = nonce(braintree_provider, Accept="application/json")
    assert unversioned["errors"][0]["extensions"]["errorClass"] == "UNSUPPORTED_CLIENT"
    braintree_provider.merchants = {"second": ("public_second", "private_second")}
    with pytest.raises(braintree.exceptions.authentication_error.AuthenticationError):
        gateway.transaction.find(yen.id)


def test_braintrees_library_takes_its_webhooks(braintree_provider, gateway):
    heard = []
    braintree_provider.post.send = lambda _, sign: heard.append(sign)
    sold = sale(braintree_provider, gateway).transaction
    braintree_provider.settle_all()
    gateway.transaction.refund(sold.id, "5.00")
    charge = braintree_provider.ledger.charges[sold.id]
    braintree_provider.refund_fails(charge)
    braintree_provider.capture_fails(charge)
    kinds = []
    for sign in heard:
        form = dict(urllib.parse.parse_qsl(sign()[1].decode(), strict_parsing=True))
        event = gateway.webhook_notification.parse(form["bt_signature"], form["bt_payload"])
        kinds.append(event.kind)
    assert kinds == ["transaction_settled", "refund_failed", "transaction_settlement_declined"]
    assert event.transaction.id == sold.id and json.dumps(str(event.transaction.status)) == '"settlement_declined"'
