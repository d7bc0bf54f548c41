"""A page with one basket, as scripts of all manners use it; shared by the tests of Apple Pay's routes."""
import time

import requests

SESSION_URL = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"
CONTACT = {
    "givenName": "Ada", "familyName": "Lovelace", "emailAddress": "ada@example.com", "phoneNumber": "+44 20 7946 0000",
    "addressLines": ["1 Fleet Place"], "locality": "London", "postalCode": "EC4M 7RF", "countryCode": "GB",
}


class Page:
    """A page with one basket."""

    def __init__(self, server, service="delivery", basket=None):
        self.server, self.url = server, server.url
        opened = basket or requests.post(
            self.url + "/shop/baskets", json={"service": service}, timeout=10).json()["basket"]
        self.basket = opened
        self.sheet = requests.get(f"{self.url}/applepay/basket/{self.basket}", timeout=10).json()
        assert "version" in self.sheet, self.sheet
        self.version, self.total = self.sheet["version"], self.sheet["request"]["total"]["amount"]

    def post(self, path, body, proof=None, timeout=40, **headers):
        headers["X-Till-Basket-Proof"] = self.sheet["proof"] if proof is None else proof
        return requests.post(self.url + path, json=body, headers=headers, timeout=timeout)

    def session(self, url=SESSION_URL, **more):
        return self.post("/applepay/validate", {"validationURL": url, "basket": self.basket}, **more)

    def token(self, session=None, amount=None, data=None, number="4784000000380075", currency="GBP"):
        if session is None:
            made = self.session()
            assert made.status_code == 200, made.text  # what is no session would be told as a fault of the token
            session = made.json()
        answer = requests.post(self.url + "/applepay/sandbox/authorize", json={
            "sheet": self.basket, "session": session, "amount": amount or self.total,
            "currencyCode": currency, "applicationData": data or self.sheet["request"]["applicationData"],
            "accountNumber": number,
        }, timeout=10)
        return answer

    def pay(self, token, version=None, contact=None, timeout=40, **more):
        return self.post("/applepay/payment", {
            "basket": self.basket, "version": self.version if version is None else version, "token": token,
            "total": self.total, "currency": "GBP",
            "shippingContact": CONTACT if contact is None else contact, **more,
        }, timeout=timeout)

    def status(self, proof=True):
        headers = {"X-Till-Basket-Proof": self.sheet["proof"]} if proof else {}
        return requests.get(f"{self.url}/applepay/payment/{self.basket}", headers=headers, timeout=10).json()

    def outcome(self, seconds=30):
        """The status once it is not pending any more."""
        end = time.monotonic() + seconds
        while (status := self.status())["status"] == "pending":
            assert time.monotonic() < end, status
            time.sleep(0.2)
        return status


def payments(server, order=None):
    every = server.request("GET", "/v1/payments?limit=100").json()
    every = every if isinstance(every, list) else every.get("payments", every.get("data"))
    return [p for p in every if order is None or p["order_id"] == order]
