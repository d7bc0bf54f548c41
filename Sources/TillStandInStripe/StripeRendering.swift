import TillCore
import TillSandbox

/// Rendering of charges in Stripe's format.
struct StripeRendering: Sendable {
    let now: Timestamp
    /// The address of the stand-in, for the simulated bank's page.
    var address = "http://127.0.0.1"

    /// Returns a payment intent's status.
    func status(_ charge: SandboxCharge) -> String {
        if charge.isBeingCharged == true { return "processing" }
        return standing(charge)
    }

    private func standing(_ charge: SandboxCharge) -> String {
        switch charge.state {
        case .unconfirmed: charge.paymentMethod == nil ? "requires_payment_method" : "requires_confirmation"
        case .requiresAction, .actionDone: "requires_action"
        case .declined: "requires_payment_method"
        case .voided: "canceled"
        case .authorized:
            !charge.captures.isEmpty ? "succeeded" : (charge.isExpired(at: now) ? "canceled" : "requires_capture")
        }
    }

    func intent(_ charge: SandboxCharge, expanded: Bool = false) -> JSONValue {
        let status = status(charge)
        let latest: JSONValue =
            existingChargeID(charge).map { expanded ? chargeObject(charge) : .string($0) } ?? .null
        let capturable = status == "requires_capture" ? charge.authorized : 0
        var lastError = JSONValue.null
        if charge.state == .declined, let code = charge.declineCode {
            lastError = .fields([
                "type": .string("card_error"), "code": .string(errorCode(code)), "decline_code": .string(code),
                "message": .string("Your card was declined."), "charge": .string(failedChargeID(charge)),
            ])
        }
        var action = JSONValue.null
        if charge.state == .requiresAction, let back = charge.returnURL {
            action = .fields([
                "type": .string("redirect_to_url"),
                "redirect_to_url": .fields([
                    "return_url": .string(back), "url": .string("\(address)/_sandbox/challenge/\(charge.reference)"),
                ]),
            ])
        } else if charge.state == .requiresAction {
            action = .fields(["type": .string("use_stripe_sdk"), "use_stripe_sdk": .object([])])
        }
        return .fields([
            "id": .string(charge.reference), "object": .string("payment_intent"), "amount": wire(charge, charge.amount),
            "amount_capturable": wire(charge, capturable), "amount_received": wire(charge, charge.captured),
            "canceled_at": status == "canceled" ? .int(now.milliseconds / 1000) : .null,
            "cancellation_reason": .null,
            "capture_method": .string(charge.capturesAtOnce ? "automatic" : "manual"),
            "client_secret": .string("\(charge.reference)_secret_sandbox"),
            "confirmation_method": .string("automatic"), "created": .int(charge.createdAt / 1000),
            "currency": .string(charge.currency.lowercased()), "customer": .text(charge.customer),
            "description": .text(charge.text),
            "last_payment_error": lastError, "latest_charge": latest, "livemode": .bool(false),
            "metadata": .map(charge.metadata), "next_action": action,
            "payment_method": charge.state == .declined ? .null : .text(charge.paymentMethod),
            "payment_method_types": .array((charge.types ?? ["card"]).map { .string($0) }),
            "setup_future_usage": .text(charge.futureUsage),
            "amount_details": .fields(["tip": .fields(["amount": charge.tip.map { wire(charge, $0) } ?? .null])]),
            "status": .string(status),
        ])
    }

    private func chargeID(_ charge: SandboxCharge) -> String { "ch_" + charge.reference.dropFirst(3) }

    /// Returns the charge id of a failed attempt; each attempt has its own.
    private func failedChargeID(_ charge: SandboxCharge) -> String {
        "\(chargeID(charge))d\(charge.declines ?? 1)"
    }

    private func latestID(_ charge: SandboxCharge) -> String {
        charge.state == .declined ? failedChargeID(charge) : chargeID(charge)
    }

    /// Returns the id of the charge of an intent's last attempt; `nil` before the first.
    func existingChargeID(_ charge: SandboxCharge) -> String? {
        let hasCharge = charge.authorized > 0 || (charge.state == .declined && charge.card != nil)
        return hasCharge ? latestID(charge) : nil
    }

    /// Returns the name that begins the ids of a charge's balance transactions.
    static func transactionName(_ charge: SandboxCharge) -> String {
        charge.reference.replacing("pi_", with: "txn_")
    }

    private func chargeObject(_ charge: SandboxCharge) -> JSONValue {
        let isFailed = charge.state == .declined
        return .fields([
            "id": .string(latestID(charge)), "object": .string("charge"), "amount": wire(charge, charge.amount),
            "amount_captured": wire(charge, charge.captured), "amount_refunded": wire(charge, charge.refunded),
            "balance_transaction": charge.captures.isEmpty
                ? .null : .string("\(StripeRendering.transactionName(charge))c1"),
            "captured": .bool(!charge.captures.isEmpty),
            // As at Stripe, the charge is created when the intent is confirmed, possibly long after the intent itself.
            "created": .int((charge.authorizedAt ?? charge.createdAt) / 1000),
            "currency": .string(charge.currency.lowercased()), "customer": .text(charge.customer),
            "description": .text(charge.text), "livemode": .bool(false),
            "failure_code": isFailed ? .string(errorCode(charge.declineCode ?? "")) : .null,
            "metadata": .map(charge.metadata), "paid": .bool(!isFailed), "payment_intent": .string(charge.reference),
            "payment_method": .text(charge.paymentMethod), "payment_method_details": details(charge),
            "refunded": .bool(charge.captured > 0 && charge.refunded >= charge.captured),
            "disputed": .bool(charge.disputes?.isEmpty == false),
            "status": .string(isFailed ? "failed" : "succeeded"),
        ])
    }

    private func details(_ charge: SandboxCharge) -> JSONValue {
        guard let card = charge.card else { return .null }
        var members: [JSONMember] = [
            JSONMember(key: "brand", value: .string(card.brand)),
            JSONMember(key: "last4", value: .string(card.lastFour)),
            JSONMember(key: "funding", value: .string("credit")),
        ]
        if let end = charge.holdEndsAt { members.append(JSONMember(key: "capture_before", value: .int(end / 1000))) }
        if card.entryMode?.hasSuffix("_emv") != true,
            let expiry = charge.paymentMethod.flatMap({ StripePaymentMethod(id: $0) })?.expiry
        {
            members.append(JSONMember(key: "exp_month", value: .int(Int64(expiry.month))))
            members.append(JSONMember(key: "exp_year", value: .int(Int64(expiry.year))))
        }
        var type = "card"
        if let mode = card.entryMode, mode.hasSuffix("_emv") {
            type = card.brand == "interac" ? "interac_present" : "card_present"
            let refusal = charge.state == .declined ? charge.declineCode ?? "" : nil
            let emv = card.emv(reference: charge.reference, declined: refusal)
            members += presentMembers(charge, card, type)
            members.append(JSONMember(key: "read_method", value: .string(mode)))
            members.append(
                JSONMember(
                    key: "receipt",
                    value: .fields([
                        "account_type": .text(emv.accountType),
                        "application_cryptogram": .text(emv.applicationCryptogram),
                        "application_preferred_name": .text(emv.applicationPreferredName),
                        "authorization_code": .text(emv.authorizationCode),
                        "authorization_response_code": .text(emv.authorizationResponseCode),
                        "cardholder_verification_method": .text(emv.cardholderVerificationMethod),
                        "dedicated_file_name": .text(emv.dedicatedFileName),
                        "terminal_verification_results": .text(emv.terminalVerificationResults),
                        "transaction_status_information": .text(emv.transactionStatusInformation),
                    ])))
        }
        return .object([JSONMember(key: "type", value: .string(type)), JSONMember(key: type, value: .object(members))])
    }

    func refund(_ refund: SandboxCharge.Refund, of charge: SandboxCharge) -> JSONValue {
        let number = charge.refunds.firstIndex { $0.reference == refund.reference }.map { $0 + 1 }
        let transaction =
            refund.paidAt == nil ? nil : number.map { "\(StripeRendering.transactionName(charge))r\($0)" }
        return .fields([
            "id": .string(refund.reference), "object": .string("refund"), "amount": wire(charge, refund.amount),
            "balance_transaction": .text(transaction), "charge": .string(chargeID(charge)),
            "created": .int(refund.createdAt / 1000),
            "currency": .string(charge.currency.lowercased()), "metadata": .map(refund.metadata),
            "payment_intent": .string(charge.reference), "reason": .text(refund.reason),
            "status": .string(refund.status.rawValue),
        ])
    }

    func dispute(_ dispute: SandboxCharge.Dispute, of charge: SandboxCharge) -> JSONValue {
        let moved = (dispute.moves ?? []).map { move -> JSONValue in
            .fields([
                "object": .string("balance_transaction"), "amount": wire(charge, move.amount),
                "currency": .string(charge.currency.lowercased()), "created": .int(move.at / 1000),
                "reporting_category": .string(move.amount < 0 ? "dispute" : "dispute_reversal"),
                "type": .string("adjustment"),
            ])
        }
        return .fields([
            "id": .string(dispute.reference), "object": .string("dispute"), "amount": wire(charge, dispute.amount),
            "charge": .string(chargeID(charge)), "currency": .string(charge.currency.lowercased()),
            "balance_transactions": .array(moved),
            "created": .int((dispute.moves?.first?.at ?? charge.createdAt) / 1000),
            "evidence_details": .fields(["due_by": dispute.respondBy.map { .int($0 / 1000) } ?? .null]),
            "livemode": .bool(false), "metadata": .object([]), "payment_intent": .string(charge.reference),
            "reason": .string(dispute.reason), "status": .string(dispute.status),
        ])
    }

    /// Returns the charge as rendered in events.
    func charge(_ charge: SandboxCharge) -> JSONValue { chargeObject(charge) }

    /// Renders a page of a list.
    static func list(_ url: String, _ values: [JSONValue], hasMore: Bool) -> JSONValue {
        .fields([
            "object": .string("list"), "url": .string(url), "has_more": .bool(hasMore), "data": .array(values),
        ])
    }

    /// Returns Stripe's error code for an issuer's decline code.
    func errorCode(_ decline: String) -> String {
        switch decline {
        case "expired_card", "incorrect_cvc", "processing_error", "incorrect_number", "invalid_cvc": decline
        case "authentication_required": "payment_intent_authentication_failure"
        default: "card_declined"
        }
    }

    private func wire(_ charge: SandboxCharge, _ minorUnits: Int64) -> JSONValue {
        guard let currency = Currency(ifValid: charge.currency),
            let wire = StripeWireAmount.wire(minorUnits, currency)
        else { return .int(minorUnits) }
        return .int(wire)
    }
}
