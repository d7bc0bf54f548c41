"""Stripe's PaymentIntents, charges and refunds over the ledger of `hostile_provider`: forms in, JSON out, idempotency
keys by Stripe's rules. Written from Stripe's reference of its interface; Stripe's own Python library is its judge."""
import hashlib
import hmac
import json
import urllib.parse

from hostile_provider import Answer, Dispute, Provider, Refused

DAY = 86_400
KEYS_ARE_KEPT = DAY
HOLD = 7 * DAY


class StripeProvider(Provider):
    WEBHOOK_SECRET = "whsec_hostile_provider"

    def __init__(self, seed, share=0.45, issuer_says_no=0.15):
        self.keys = {}  # (account, key): [fingerprint, answer or None while it runs, when]
        self.methods, self.accounts, self.issuer_says_no = {}, {"sk_test_first": "acct_1First"}, issuer_says_no
        super().__init__(seed, share)

    # -- requests

    def kind(self, request):
        path = request["path"].split("?")[0].split("/")[2:]
        return f"{request['method']} {path[0]} {path[2] if len(path) > 2 else ''}"

    def is_harmless(self, request):
        return request["path"].startswith(("/v1/payment_methods", "/v1/tokens"))

    def error(self, status, kind, message, code=None, **more):
        error = {"type": kind, "message": message, **({"code": code} if code else {}), **more}
        return self.json(status, {"error": error})

    def json(self, status, document, **headers):
        return Answer(status, json.dumps(document).encode(), "application/json",
                      **{"Request-Id": "req_" + self.ledger.identifier(), **headers})

    def failing(self, request, has_done_it, dice):
        """A failure of Stripe's own; under a key it is kept, and given again."""
        failure = self.error(500, "api_error", "Sorry, something went wrong on our end.")
        if request["method"] == "GET":
            return failure
        return self.perform(request, fails_with=failure, before=not has_done_it)

    def delay(self, request, seconds, **more):
        """Half of what comes late has begun: Stripe has its key, and says so to who repeats it."""
        if not more and self.weather.dice("begun", self.requests).random() < 0.5:
            self.perform(request, begins=True)
            more = {"continues": True}
        super().delay(request, seconds, **more)

    def perform(self, request, fails_with=None, before=False, begins=False, continues=False):
        account = self.accounts.get(request["headers"].get("authorization", "").removeprefix("Bearer "))
        if not account:
            return self.error(401, "invalid_request_error", "Invalid API Key provided: sk_test_****")
        url = urllib.parse.urlsplit(request["path"])
        if request["method"] == "GET":
            with self.ledger.lock:
                return self.run(account, "GET", url.path, dict(urllib.parse.parse_qsl(url.query)))
        form = dict(urllib.parse.parse_qsl(request["body"].decode(), keep_blank_values=True))
        key = request["headers"].get("idempotency-key")
        with self.ledger.lock:
            kept = self.keys.get((account, key)) if key else None
            fingerprint = hashlib.sha256(f"{url.path} {sorted(form.items())}".encode()).hexdigest()
            if kept and kept[2] + KEYS_ARE_KEPT > self.now():
                if kept[0] != fingerprint:
                    return self.error(
                        400, "idempotency_error", "Keys for idempotent requests can only be used with the same "
                        "parameters they were first used with.")
                if kept[1] is not None:
                    return Answer(kept[1].status, kept[1].body, "application/json",
                                  **{**kept[1].headers, "Idempotent-Replayed": "true"})
                if not continues:
                    self.weather.note("key in use")
                    return self.error(
                        409, "idempotency_error", "There is currently another in-progress request using this "
                        "Idempotent Key.", "idempotency_key_in_use")
            if begins:
                if key:
                    self.keys[account, key] = [fingerprint, None, self.now()]
                return None
            answer = fails_with if before and fails_with else self.run(account, "POST", url.path, form)
            answer = fails_with or answer
            if key:
                self.keys[account, key] = [fingerprint, answer, self.now()]
            return answer

    def run(self, account, method, path, form):
        parts = path.strip("/").split("/")[1:]
        name = "_".join([method.lower(), parts[0], *(["one"] if len(parts) > 1 else []), *parts[2:]])
        action = getattr(self, name, None)
        if action is None:
            return self.error(404, "invalid_request_error", f"Unrecognized request URL ({method}: {path}).")
        try:
            return self.json(200, action(account, form, *parts[1:2]))
        except Refused as no:
            return self.refusal(no)

    def refusal(self, no):
        more = {"payment_intent": self.intent(no.charge)} if getattr(no, "charge", None) else {}
        if no.status == 402:
            return self.error(402, "card_error", no.message, "card_declined", decline_code=no.code, **more)
        return self.error(no.status, "invalid_request_error", no.message, no.code, **more)

    # -- what there is

    def get_account(self, account, form):
        return {"id": account, "object": "account", "country": "DE", "default_currency": "eur"}

    def post_payment_methods(self, account, form):
        number = form["card[number]"]
        method = {"id": self.ledger.identifier("pm_"), "object": "payment_method", "type": "card",
                  "card": {"brand": "visa", "last4": number[-4:], "exp_month": int(form["card[exp_month]"]),
                           "exp_year": int(form["card[exp_year]"]), "funding": "credit", "country": "DE"},
                  "created": int(self.now()), "livemode": False, "metadata": {}, "customer": None,
                  "billing_details": {}}
        self.methods[account, method["id"]] = method
        return method

    def charge(self, account, reference):
        found = self.ledger.find(account, reference)
        if not found:
            raise Refused("resource_missing", f"No such payment_intent: '{reference}'", 404)
        return found

    def post_payment_intents(self, account, form):
        metadata = {k[9:-1]: v for k, v in form.items() if k.startswith("metadata[")}
        amount = int(form["amount"])
        if amount < 50:
            raise Refused("amount_too_small", "Amount must be at least €0.50 eur")
        # One shop's account is set up wrongly: what it asks for comes out in another currency.
        currency = "usd" if metadata.get("till_order", "").endswith("-currency") else form["currency"]
        made = self.ledger.open(account, amount, currency, "pi_", metadata=metadata)
        made.fields = {"status": "requires_payment_method", "capture_method": form.get("capture_method", "automatic"),
                       "method": None, "error": None, "charge": None, "tries": 0}
        if form.get("payment_method"):
            self.attach(account, made, form["payment_method"])
        if form.get("confirm") == "true":
            self.confirm(made)
        return self.intent(made)

    def attach(self, account, charge, name):
        if charge.fields["status"] not in ("requires_payment_method", "requires_confirmation"):
            self.unexpected(charge)
        if name == "pm_card_visa":
            self.methods[account, name] = {"id": name, "card": {"brand": "visa", "last4": "4242"}}
        if (account, name) not in self.methods:
            raise Refused("resource_missing", f"No such PaymentMethod: '{name}'")
        charge.fields.update(method=self.methods[account, name], status="requires_confirmation")

    def unexpected(self, charge):
        no = Refused("payment_intent_unexpected_state",
                     f"This PaymentIntent's status is {charge.fields['status']}.")
        no.charge = charge
        raise no

    def post_payment_intents_one(self, account, form, reference):
        charge = self.charge(account, reference)
        if "payment_method" in form:
            self.attach(account, charge, form["payment_method"])
        return self.intent(charge)

    def get_payment_intents_one(self, account, form, reference):
        return self.intent(self.charge(account, reference), any(v == "latest_charge" for v in form.values()))

    def post_payment_intents_one_confirm(self, account, form, reference):
        charge = self.charge(account, reference)
        if "payment_method" in form:
            self.attach(account, charge, form["payment_method"])
        return self.confirm(charge)

    def confirm(self, charge):
        if charge.fields["status"] != "requires_confirmation":
            self.unexpected(charge)
        charge.fields["tries"] += 1
        charge.fields["charge"] = self.ledger.identifier("ch_")
        dice = self.weather.dice("issuer", charge.metadata.get("till_order"), charge.fields["tries"])
        last4 = charge.fields["method"]["card"]["last4"]
        if last4 == "0002" or (last4 == "4242" and not self.weather.calm and dice.random() < self.issuer_says_no):
            self.weather.note("decline")
            charge.fields.update(status="requires_payment_method", error={
                "type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds",
                "message": "Your card has insufficient funds.", "charge": charge.fields["charge"]}, method=None)
            self.tell("payment_intent.payment_failed", charge, self.intent(charge))
            no = Refused("insufficient_funds", "Your card has insufficient funds.", 402)
            no.charge = charge
            raise no
        self.ledger.authorize(charge)
        charge.fields.update(status="requires_capture", error=None)
        if charge.fields["capture_method"] != "manual":
            self.ledger.capture(charge, charge.amount)
            charge.fields["status"] = "succeeded"
        self.tell("payment_intent." + ("succeeded" if charge.captured else "amount_capturable_updated"), charge,
                  self.intent(charge))
        return self.intent(charge)

    def post_payment_intents_one_capture(self, account, form, reference):
        charge = self.charge(account, reference)
        if charge.fields["status"] != "requires_capture":
            self.unexpected(charge)
        try:
            self.ledger.capture(charge, int(form.get("amount_to_capture", charge.amount)))
        except Refused as no:
            raise Refused("amount_too_large", no.message) from no
        charge.fields["status"] = "succeeded"
        self.tell("charge.captured", charge, self.charge_json(charge))
        self.tell("payment_intent.succeeded", charge, self.intent(charge))
        return self.intent(charge)

    def post_payment_intents_one_cancel(self, account, form, reference):
        charge = self.charge(account, reference)
        if charge.fields["status"] in ("succeeded", "canceled"):
            self.unexpected(charge)
        self.ledger.void(charge)
        charge.fields["status"] = "canceled"
        self.tell("payment_intent.canceled", charge, self.intent(charge))
        return self.intent(charge)

    def get_payment_intents(self, account, form):
        charges = [c for c in self.ledger.charges.values() if c.account == account]
        return self.list(charges, form, "/v1/payment_intents", self.intent)

    def post_refunds(self, account, form):
        charge = self.charge(account, form["payment_intent"])
        metadata = {k[9:-1]: v for k, v in form.items() if k.startswith("metadata[")}
        return self.give_back(charge, int(form.get("amount", charge.net)), metadata)

    def give_back(self, charge, amount, metadata):
        """A refund; without our metadata it is one of the dashboard."""
        try:
            refund = self.ledger.refund(charge, amount, metadata.get("till_refund"), prefix="re_", metadata=metadata)
        except Refused as no:
            code = {"already_refunded": "charge_already_refunded"}.get(no.code)
            raise Refused(code, no.message) from no
        self.tell("refund.created", charge, self.refund(charge, refund))
        self.tell("charge.refunded", charge, self.charge_json(charge))
        return self.refund(charge, refund)

    def get_refunds(self, account, form):
        charges = [c for c in self.ledger.charges.values() if c.account == account]
        if "payment_intent" in form:
            charges = [c for c in charges if c.id == form["payment_intent"]]
        pairs = [(charge, refund) for charge in charges for refund in charge.refunds]
        return self.list(pairs, form, "/v1/refunds", lambda pair: self.refund(*pair), lambda pair: pair[1])

    def get_disputes(self, account, form):
        charges = [c for c in self.ledger.charges.values() if c.account == account]
        if "payment_intent" in form:
            charges = [c for c in charges if c.id == form["payment_intent"]]
        pairs = [(charge, dispute) for charge in charges for dispute in charge.disputes]
        return self.list(pairs, form, "/v1/disputes", lambda pair: self.dispute(*pair), lambda pair: pair[1])

    def list(self, items, form, url, show, of=lambda item: item):
        items = sorted(items, key=lambda item: -of(item).made)
        if "created[gte]" in form:
            items = [item for item in items if of(item).made >= int(form["created[gte]"])]
        if "starting_after" in form:
            names = [of(item).id for item in items]
            items = items[names.index(form["starting_after"]) + 1:]
        limit = int(form.get("limit", 10))
        return {"object": "list", "data": [show(item) for item in items[:limit]], "has_more": len(items) > limit,
                "url": url}

    # -- how it is shown

    def intent(self, charge, expanded=False):
        fields = charge.fields
        shown = self.charge_json(charge) if expanded and fields["charge"] else fields["charge"]
        return {"id": charge.id, "object": "payment_intent", "amount": charge.amount,
                "amount_received": charge.captured, "amount_capturable": charge.amount if charge.state == "held" else 0,
                "currency": charge.currency, "capture_method": fields["capture_method"],
                "created": int(charge.made), "livemode": False,
                "metadata": charge.metadata, "status": fields["status"], "last_payment_error": fields["error"],
                "latest_charge": shown, "next_action": None, "payment_method_types": ["card"],
                "payment_method": (fields["method"] or {}).get("id"), "client_secret": charge.id + "_secret_x"}

    def charge_json(self, charge):
        card = ((charge.fields["method"] or {}).get("card") or {"brand": "visa", "last4": "4242"})
        details = {"type": "card", "card": {**card, "capture_before": int(charge.made) + HOLD}}
        return {"id": charge.fields["charge"], "object": "charge", "amount": charge.amount, "currency": charge.currency,
                "amount_captured": charge.captured, "amount_refunded": charge.refunded, "created": int(charge.made),
                "captured": charge.captured > 0, "disputed": bool(charge.disputes), "livemode": False,
                "metadata": charge.metadata,
                "paid": charge.state in ("held", "captured"), "payment_intent": charge.id,
                "payment_method_details": details, "refunded": bool(charge.captured) and charge.net == 0,
                "status": "failed" if charge.fields["error"] else "succeeded"}

    def refund(self, charge, refund):
        shown = {"id": refund.id, "object": "refund", "amount": refund.amount, "currency": charge.currency,
                 "charge": charge.fields["charge"], "payment_intent": charge.id, "created": int(refund.made),
                 "metadata": refund.metadata, "status": refund.state, "reason": None}
        return {**shown, "failure_reason": "lost_or_stolen_card"} if refund.state == "failed" else shown

    def dispute(self, charge, dispute):
        moves = [{"id": f"txn_{dispute.id}_{number}", "object": "balance_transaction", "amount": amount, "net": amount,
                  "fee": 0, "currency": charge.currency, "type": "adjustment", "source": dispute.id,
                  "reporting_category": "dispute" if amount < 0 else "dispute_reversal"}
                 for number, amount in enumerate(dispute.moves)]
        return {"id": dispute.id, "object": "dispute", "amount": dispute.amount, "currency": charge.currency,
                "charge": charge.fields["charge"], "payment_intent": charge.id, "created": int(dispute.made),
                "reason": "fraudulent", "status": dispute.status, "balance_transactions": moves, "livemode": False,
                "is_charge_refundable": False, "metadata": {},
                "evidence_details": {"due_by": int(dispute.made) + 7 * DAY, "has_evidence": False}}

    # -- after the sale

    def dashboard_refund(self, charge, amount):
        with self.ledger.lock:
            self.give_back(charge, amount, {})

    def refund_fails(self, charge):
        """The bank sends a refund back, long after Stripe said that it was made."""
        with self.ledger.lock:
            refund = next(r for r in charge.refunds if r.state == "succeeded")
            refund.state = "failed"
            self.tell("refund.failed", charge, self.refund(charge, refund))
            self.tell("charge.refund.updated", charge, self.refund(charge, refund))

    def is_disputed(self, charge, ends=None):
        """The customer's bank takes the money back, or asks first and is content with the answer (`warning_closed`)."""
        with self.ledger.lock:
            asks = ends == "warning_closed"
            found = Dispute(self.ledger.identifier("dp_"), charge.net,
                            "warning_needs_response" if asks else "needs_response", self.now())
            charge.disputes.append(found)
            self.tell("charge.dispute.created", charge, self.dispute(charge, found))
            if not asks:
                found.moves.append(-found.amount)
                self.tell("charge.dispute.funds_withdrawn", charge, self.dispute(charge, found))
            if ends == "won":
                found.moves.append(found.amount)
                self.tell("charge.dispute.funds_reinstated", charge, self.dispute(charge, found))
            if ends:
                found.status = ends
                self.tell("charge.dispute.closed", charge, self.dispute(charge, found))

    def payment_of(self, charge):
        return charge.metadata.get("till_payment")

    def tell(self, kind, charge, thing):
        event = json.dumps({
            "id": self.ledger.identifier("evt_"), "object": "event", "type": kind, "created": int(self.now()),
            "livemode": False, "api_version": "2026-10-28.endive", "data": {"object": thing}}).encode()

        def sign():
            moment = int(self.now())
            digest = hmac.new(self.WEBHOOK_SECRET.encode(), f"{moment}.".encode() + event, hashlib.sha256).hexdigest()
            return {"Stripe-Signature": f"t={moment},v1={digest}", "Content-Type": "application/json"}, event

        self.post.send(charge.account, sign)
