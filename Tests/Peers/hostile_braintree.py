"""Braintree's tokenization (GraphQL) and its gateway (XML) over the ledger of `hostile_provider`: no keys, a
search that lags behind, refunds only of what is settled. Written from Braintree's reference, judged by its library."""
import base64
import datetime
import hashlib
import hmac
import json
import urllib.parse
from decimal import Decimal
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from hostile_provider import Answer, Provider, Refused

HOLD = 7 * 86_400
CODES = {
    "not_settled": ("91506", "Cannot refund transaction unless it is settled."),
    "already_refunded": ("91512", "Transaction has already been fully refunded."),
    "too_much": ("91521", "Refund amount is too large."),
    "not_voidable": ("91504", "Transaction can only be voided if status is authorized or submitted_for_settlement."),
    "not_held": ("91507", "Cannot submit for settlement unless status is authorized."),
    "nonce_used": ("91564", "Cannot use a payment_method_nonce more than once."),
    "nonce_unknown": ("91565", "Unknown payment_method_nonce."),
    "merchant_account": ("91513", "Merchant account ID is invalid."),
    "too_large": ("91522", "Settlement amount cannot be more than the authorized amount."),
}


def element(name, value):
    """Braintree's XML of a value: lists and numbers say what they are, nothing is `nil`."""
    if value is None:
        return f'<{name} nil="true"/>'
    if isinstance(value, bool):
        return f'<{name} type="boolean">{str(value).lower()}</{name}>'
    if isinstance(value, list):
        return f'<{name} type="array">{"".join(value)}</{name}>'
    if isinstance(value, dict):
        return f"<{name}>{''.join(element(k, v) for k, v in value.items())}</{name}>"
    if isinstance(value, datetime.datetime):
        return f'<{name} type="datetime">{value.strftime("%Y-%m-%dT%H:%M:%SZ")}</{name}>'
    return f"<{name}>{escape(str(value))}</{name}>"


def minor(text, currency):
    return int(Decimal(text) * (1 if currency == "JPY" else 100))


def decimal(amount, currency):
    return str(amount) if currency == "JPY" else f"{amount // 100}.{amount % 100:02}"


class BraintreeProvider(Provider):
    def __init__(self, seed, share=0.45, issuer_says_no=0.15):
        self.nonces, self.issuer_says_no = {}, issuer_says_no
        self.merchants = {"first": ("public_first", "private_first")}
        # The account of yen was set up in euro: what is sent there is another currency than its name says.
        self.merchant_accounts = {"shop_eur": "EUR", "shop_jpy": "EUR"}
        super().__init__(seed, share)
        # Seconds until the search knows of a transaction, on the provider's clock.
        self.search_lag = self.weather.dice("search").choice((3, 240))

    # -- requests

    def kind(self, request):
        path = request["path"].split("?")[0].split("/")
        return f"{request['method']} {path[-1] if len(path) != 5 or path[-1].startswith('advanced') else 'one'}"

    def is_harmless(self, request):
        return request["path"] == "/graphql" or "/advanced_search" in request["path"]

    def xml(self, status, text):
        return Answer(status, b'<?xml version="1.0" encoding="UTF-8"?>\n' + text.encode(), "application/xml")

    def failing(self, request, has_done_it, dice):
        if has_done_it:
            self.perform(request)
        status = dice.choice((500, 503))
        return Answer(status, b"<html>We are sorry.</html>", "text/html")

    def perform(self, request):
        merchant = self.merchant(request["headers"].get("authorization", ""))
        if not merchant:
            return Answer(401, b"", "text/plain")
        path = urllib.parse.urlsplit(request["path"]).path
        with self.ledger.lock:
            if path == "/graphql":
                return self.graphql(request)
            parts = path.strip("/").split("/")
            if parts[:2] != ["merchants", merchant] or parts[2:3] != ["transactions"]:
                return Answer(404 if parts[:2] == ["merchants", merchant] else 403, b"", "text/plain")
            if request["headers"].get("x-apiversion") != "6":
                return Answer(426, b"", "text/plain")
            body = ElementTree.fromstring(request["body"]) if request["body"] else None
            try:
                return self.run(merchant, request["method"], parts[3:], body)
            except Refused as no:
                return self.refused(*CODES[no.code]) if no.code in CODES else Answer(no.status, b"", "text/plain")

    def merchant(self, authorization):
        try:
            pair = tuple(base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":"))
        except ValueError:
            return None
        return next((name for name, keys in self.merchants.items() if keys == pair), None)

    def graphql(self, request):
        def answer(document):
            return Answer(200, json.dumps(document).encode(), "application/json")

        def error(message, kind, code=None):
            extensions = {"errorClass": kind, **({"legacyCode": code} if code else {})}
            return answer({"errors": [{"message": message, "extensions": extensions}], "data": None})

        if not request["headers"].get("braintree-version"):
            return error("Braintree-Version header is required.", "UNSUPPORTED_CLIENT")
        card = json.loads(request["body"])["variables"]["input"]["creditCard"]
        if not card["number"].isdigit():
            return error("Credit card number is invalid.", "VALIDATION", "81715")
        nonce = "tokencc_" + self.ledger.identifier()
        self.nonces[nonce] = card["number"]
        details = {"brandCode": "VISA", "last4": card["number"][-4:]}
        return answer({"data": {"tokenizeCreditCard": {"paymentMethod": {"id": nonce, "details": details}}}})

    def run(self, merchant, method, parts, body):
        if method == "POST" and not parts:
            return self.sale(merchant, body)
        if parts and parts[0].startswith("advanced_search"):
            return self.search(merchant, parts[0], body)
        found = self.transaction(merchant, parts[0])
        match (method, *parts[1:]):
            case ("GET",):
                return self.shown(found)
            case ("PUT", "submit_for_settlement"):
                return self.submit(found[0], body)
            case ("PUT", "void"):
                self.ledger.void(found[0])
                return self.shown(found)
            case ("PUT", "settle"):
                self.ledger.settle(found[0])
                return self.shown(found)
            case ("POST", "refund"):
                return self.refund(found[0], body)
        raise Refused("unknown", "there is no such thing", 404)

    def text(self, node, name):
        found = node.find(name) if node is not None else None
        return found.text if found is not None else None

    # -- transactions

    def transaction(self, merchant, reference):
        """A sale, or a sale and its refund."""
        for charge in self.ledger.charges.values():
            if charge.account != merchant:
                continue
            if charge.id == reference:
                return (charge,)
            for refund in charge.refunds:
                if refund.id == reference:
                    return (charge, refund)
        raise Refused("unknown", "there is no such transaction", 404)

    def sale(self, merchant, node):
        nonce, account = self.text(node, "payment_method_nonce"), self.text(node, "merchant_account_id")
        currency = self.merchant_accounts.get(account or "shop_eur")
        if not currency:
            raise Refused("merchant_account", "")
        if nonce not in self.nonces:
            raise Refused("nonce_unknown", "")
        number, self.nonces[nonce] = self.nonces[nonce], None
        if number is None:
            raise Refused("nonce_used", "")
        charge = self.ledger.open(merchant, minor(self.text(node, "amount"), currency), currency)
        charge.fields = {"order": self.text(node, "order_id"), "last4": number[-4:], "account": account or "shop_eur"}
        dice = self.weather.dice("issuer", self.weather.counts.get("POST transactions"))
        says_no = number.endswith("0002") or (
            number.endswith("4242") and not self.weather.calm and dice.random() < self.issuer_says_no)
        self.ledger.authorize(charge, says_no)
        if says_no:
            self.weather.note("decline")
            return self.refused("2001", "Insufficient Funds", self.render(charge))
        if self.text(node, "options/submit_for_settlement") == "true":
            self.ledger.capture(charge, charge.amount)
        return self.shown((charge,), 201)

    def submit(self, charge, node):
        amount = self.text(node, "amount")
        try:
            self.ledger.capture(charge, minor(amount, charge.currency) if amount else charge.amount)
        except Refused as no:
            raise Refused("too_large" if no.code == "too_much" else no.code, no.message) from no
        return self.shown((charge,))

    def refund(self, charge, node):
        if not charge.settled:
            raise Refused("not_settled", "")
        amount = self.text(node, "amount")
        refund = self.ledger.refund(
            charge, minor(amount, charge.currency) if amount else charge.net, self.text(node, "order_id"))
        return self.shown((charge, refund), 201)

    def search(self, merchant, verb, node):
        """What it finds may be of some seconds ago; the ledger itself is never behind."""
        old = self.now() - self.search_lag
        order, since = self.text(node, "order_id/is"), self.text(node, "created_at/min")
        ids = [item.text for item in node.findall("ids/item")]
        least = datetime.datetime.fromisoformat(since).timestamp() if since else 0
        found = []
        for charge in self.ledger.charges.values():
            pairs = [(charge,)] + [(charge, refund) for refund in charge.refunds]
            for pair in pairs if charge.account == merchant else []:
                thing, name = pair[-1], pair[-1].name if len(pair) > 1 else charge.fields["order"]
                if least <= thing.made <= old and (not order or order == name) and (not ids or thing.id in ids):
                    found.append(pair)
        if any(c.made > old for c in self.ledger.charges.values()):
            self.weather.note("search that lags")
        if verb == "advanced_search_ids":
            items = [element("item", pair[-1].id) for pair in found]
            return self.xml(200, f'<search-results><page-size type="integer">50</page-size>'
                                 f"{element('ids', items)}</search-results>")
        return self.xml(200, f'<credit-card-transactions type="collection">'
                             f"{''.join(self.render(*pair) for pair in found)}</credit-card-transactions>")

    # -- how it is shown

    def status(self, charge, refund=None):
        if refund:
            return {"succeeded": "settled", "pending": "submitted_for_settlement", "failed": "failed"}[refund.state]
        return charge.history[-1]

    def render(self, charge, refund=None):
        thing = refund or charge
        amount = refund.amount if refund else charge.captured or charge.amount
        moment = datetime.datetime.fromtimestamp(charge.made, datetime.UTC)
        event = "status-event"
        history = [element(event, {"timestamp": moment, "status": s, "amount": decimal(amount, charge.currency)})
                   for s in ([self.status(charge, refund)] if refund else charge.history)]
        says_no = "processor_declined" in charge.history
        fields = {
            "id": thing.id, "status": self.status(charge, refund), "type": "credit" if refund else "sale",
            "currency-iso-code": charge.currency, "amount": decimal(amount, charge.currency),
            "merchant-account-id": charge.fields["account"],
            "order-id": refund.name if refund else charge.fields["order"],
            "created-at": datetime.datetime.fromtimestamp(thing.made, datetime.UTC), "updated-at": moment,
            "processor-response-code": "2001" if says_no else "1000",
            "processor-response-text": "Insufficient Funds" if says_no else "Approved",
            "refund-ids": [element("item", r.id) for r in charge.refunds] if not refund else [],
            "refunded-transaction-id": charge.id if refund else None,
            "payment-instrument-type": "credit_card",
            "credit-card": {"bin": "424242", "last-4": charge.fields["last4"], "card-type": "Visa",
                            "expiration-month": "12", "expiration-year": "2030", "token": None},
            "status-history": history, "disputes": [],
            "authorization-expires-at": datetime.datetime.fromtimestamp(charge.made + HOLD, datetime.UTC),
        }
        return element("transaction", fields)

    def shown(self, found, status=200):
        return self.xml(status, self.render(*found))

    def refused(self, code, message, transaction=""):
        error = element("error", {"code": code, "attribute": "base", "message": message})
        errors = "" if transaction else f"<transaction>{element('errors', [error])}</transaction>"
        return self.xml(422, f"<api-error-response><errors><errors type=\"array\"/>{errors}</errors>"
                             f"<message>{escape(message)}</message>{transaction}</api-error-response>")

    # -- after the sale

    def settle_all(self):
        with self.ledger.lock:
            for charge in self.ledger.charges.values():
                if self.ledger.settle(charge):
                    self.tell("transaction_settled", charge)

    def dashboard_refund(self, charge, amount):
        """In the control panel; it takes over the order of its sale. No webhook tells of it."""
        with self.ledger.lock:
            self.ledger.refund(charge, amount, charge.fields["order"])

    def refund_fails(self, charge):
        with self.ledger.lock:
            refund = next(r for r in charge.refunds if r.state == "succeeded")
            refund.state = "failed"
            self.tell("refund_failed", charge, refund)

    def capture_fails(self, charge):
        with self.ledger.lock:
            self.ledger.fail_capture(charge)
            self.tell("transaction_settlement_declined", charge)

    def payment_of(self, charge):
        """Which of our payments a transaction names: the attempt's name begins with it."""
        return (charge.fields["order"] or "").rsplit("-", 1)[0]

    def tell(self, kind, charge, refund=None):
        moment = datetime.datetime.fromtimestamp(self.now(), datetime.UTC)
        notification = element("notification", {"timestamp": moment, "kind": kind})
        subject = f"<subject>{self.render(charge, refund)}</subject></notification>"
        document = notification.removesuffix("</notification>") + subject
        payload = base64.encodebytes(document.encode()).decode()
        public, private = self.merchants[charge.account]
        key = hashlib.sha1(private.encode()).digest()
        signature = hmac.new(key, payload.encode(), hashlib.sha1).hexdigest()
        body = urllib.parse.urlencode({"bt_signature": f"{public}|{signature}", "bt_payload": payload}).encode()
        self.post.send(charge.account, lambda: ({"Content-Type": "application/x-www-form-urlencoded"}, body))
