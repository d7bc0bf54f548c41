"""A shop that sells by card through Adyen."""
import counter

HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"


def sell(folder, url, *more, env=None):
    return counter.till(
        "sale", "--amount", "12.50", "--currency", "EUR", "--provider", "adyen", "--adyen-url", url, "--journal",
        folder / "journal.db", "--json", "--card-number", "4111111111111111", "--expiry", "03/30", "--cvc", "737",
        *more,
        env={"TILL_ADYEN_MERCHANT_ACCOUNT": "TillTest", "TILL_ADYEN_KEY": "key", **(env or {})},
    )
