"""Stripe's stand-in and its readers, from outside."""
import requests


def act(sandbox, body):
    answer = requests.post(sandbox.url + "/_sandbox/readers", json=body, timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ledger(sandbox):
    return requests.get(sandbox.url + "/_sandbox/ledger", timeout=10).json()["charges"]


def intent(client, amount=1250, currency="eur", **more):
    types = ["card_present"] + (["interac_present"] if currency == "cad" else [])
    return client.payment_intents.create(
        {"amount": amount, "currency": currency, "capture_method": "manual", "payment_method_types": types, **more}
    )
