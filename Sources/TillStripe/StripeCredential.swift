internal import TillCore

/// The credential sent to Stripe for a tender.
enum StripeCredential {
    /// Fields of a new payment method, and the values among them that must never appear in a returned text.
    case card(fields: [(String, String)], secrets: [Secret<String>])
    /// Fields of a new token, from which a payment method is created, and the values among them that must never appear
    /// in a returned text.
    case token(fields: [(String, String)], secrets: [Secret<String>])
    /// An existing payment method.
    case handle(String)

    /// A tender that cannot be sent, with its decline.
    struct Refusal: Error {
        let decline: Decline

        init(_ reason: DeclineReason, _ message: String) { decline = Decline(reason: reason, message: message) }
    }

    static func of(_ tender: Tender, simulated: Bool) -> Result<StripeCredential, Refusal> {
        switch tender {
        case .card(let card):
            let expiry = card.expiry.reveal()
            return .success(
                typed(
                    card.number, month: expiry.month, year: expiry.year, securityCode: card.securityCode,
                    holder: card.holder, address: card.billingAddress))
        case .token(let token):
            let id = token.value.reveal()
            guard id.hasPrefix("pm_"), id.utf8.count > 3 else {
                return .failure(Refusal(.invalidRequest, "a payment method of Stripe begins with pm_"))
            }
            return .success(.handle(id))
        case .cardPresent(let payload):
            let sealed = payload.sealed.reveal()
            if sealed.hasPrefix("pm_"), let id = ProviderReference(ifValid: sealed) {
                return .success(.handle(id.rawValue))
            }
            guard sealed.hasPrefix("sim:") else {
                return .failure(Refusal(.cardNotSupported, "this reader does not belong to Stripe"))
            }
            guard simulated else {
                return .failure(Refusal(.cardNotSupported, "a simulated reader works with a test key only"))
            }
            guard let number = simulatedNumber(sealed.dropFirst(4)) else {
                return .failure(Refusal(.incorrectNumber, "the simulated card cannot be read"))
            }
            return .success(typed(Secret(number), month: 12, year: 2034, securityCode: Secret("123")))
        case .wallet(let payment):
            return wallet(payment)
        case .cash, .payPal, .payPalCard, .adyenSession:
            return .failure(Refusal(.invalidRequest, "Stripe takes cards here, no cash and no other account"))
        }
    }

    /// Returns Apple's token as received, for a shop with Stripe's processing certificate; or, if the shop decrypted
    /// it, the network token with its cryptogram.
    private static func wallet(_ payment: WalletPayment) -> Result<StripeCredential, Refusal> {
        guard payment.wallet == "apple_pay" else {
            return .failure(Refusal(.cardNotSupported, "the wallet \(payment.wallet) is not sent to Stripe"))
        }
        guard let token = payment.networkToken else {
            guard let text = String(validating: payment.sealed.reveal(), as: UTF8.self), !text.isEmpty else {
                return .failure(Refusal(.invalidRequest, "the wallet's token cannot be read"))
            }
            var fields = [("pk_token", text)]
            if let name = payment.instrumentName { fields.append(("pk_token_instrument_name", name)) }
            if let network = payment.network { fields.append(("pk_token_payment_network", network)) }
            fields.append(("pk_token_transaction_id", payment.transaction))
            return .success(.token(fields: fields, secrets: [Secret(text)]))
        }
        guard case .threeDSecure(let cryptogram, let indicator) = token.proof else {
            return .failure(Refusal(.cardNotSupported, "Stripe takes wallet tokens of 3-D Secure only"))
        }
        let expiry = token.expiry.reveal()
        var fields = [
            ("card[number]", token.number.reveal()), ("card[exp_month]", String(expiry.month)),
            ("card[exp_year]", String(expiry.year)), ("card[cryptogram]", cryptogram.reveal()),
            ("card[tokenization_method]", "apple_pay"),
        ]
        // Stripe requires two digits, or no indicator at all if the wallet supplied none.
        if let indicator { fields.append(("card[eci]", indicator.utf8.count == 1 ? "0" + indicator : indicator)) }
        return .success(.token(fields: fields, secrets: [token.number, cryptogram]))
    }

    private static func typed(
        _ number: Secret<String>, month: Int, year: Int, securityCode: Secret<String>?,
        holder: Secret<String>? = nil, address: Secret<BillingAddress>? = nil
    ) -> StripeCredential {
        var fields = [
            ("type", "card"), ("card[number]", number.reveal()), ("card[exp_month]", String(month)),
            ("card[exp_year]", String(year)),
        ]
        if let securityCode { fields.append(("card[cvc]", securityCode.reveal())) }
        if let holder { fields.append(("billing_details[name]", holder.reveal())) }
        if let address = address?.reveal() {
            let parts = [
                ("line1", address.line1), ("line2", address.line2), ("city", address.city), ("state", address.region),
                ("postal_code", address.postalCode), ("country", address.country),
            ]
            for (name, value) in parts {
                if let value { fields.append(("billing_details[address][\(name)]", value)) }
            }
        }
        return .card(fields: fields, secrets: [number] + [securityCode, holder].compactMap { $0 })
    }

    /// Returns the number for `<number>:<brand>:<entry mode>`, or Stripe's test card for `declined:<reason>`.
    private static func simulatedNumber(_ text: Substring) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        if first == "declined" {
            return testDeclines[parts.count > 1 ? String(parts[1]) : ""] ?? "4000000000000341"
        }
        guard (12...19).contains(first.utf8.count), first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return String(first)
    }

    /// Stripe's published test cards that are declined ("Testing", declined payments).
    private static let testDeclines = [
        "generic_decline": "4000000000000002", "insufficient_funds": "4000000000009995",
        "lost_card": "4000000000009987", "stolen_card": "4000000000009979", "fraud": "4100000000000019",
        "expired_card": "4000000000000069", "incorrect_cvc": "4000000000000127",
        "processing_error": "4000000000000119", "card_velocity_exceeded": "4000000000006975",
        "incorrect_number": "4242424242424241",
    ]
}
