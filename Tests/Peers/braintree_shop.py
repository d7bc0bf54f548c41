"""A shop that sells through Braintree: its own library, and the flags of a sale by card."""

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
