"""A shop that sells through Braintree: its own library, the flags of a sale, and a nonce as its fields make it."""
import requests

FLAGS = ["--currency", "EUR", "--card-number", "4111111111111111", "--expiry", "12/30", "--cvc", "987"]


def gateway(url):
    import braintree

    host, port = url.removeprefix("http://").split(":")
    environment = braintree.environment.Environment(
        "development", host, port, "http://auth.venmo.dev:9292", False, None, host, port
    )
    return braintree.BraintreeGateway(
        braintree.Configuration(environment, "merchant", "integration_public_key", "integration_private_key")
    )


def nonce(url, number="4111111111111111"):
    """A nonce by the words of Braintree's GraphQL page."""
    query = """mutation T($input: TokenizeCreditCardInput!) {
      tokenizeCreditCard(input: $input) { paymentMethod { id details { ... on CreditCardDetails { brandCode last4 } } }
      } }"""
    card = {"number": number, "expirationMonth": "12", "expirationYear": "2030", "cvv": "123"}
    got = requests.post(
        url + "/graphql", json={"query": query, "variables": {"input": {"creditCard": card}}},
        headers={"Authorization": "Bearer development_key_merchant", "Braintree-Version": "2019-01-01"}, timeout=10,
    ).json()
    return got["data"]["tokenizeCreditCard"]["paymentMethod"]["id"]
