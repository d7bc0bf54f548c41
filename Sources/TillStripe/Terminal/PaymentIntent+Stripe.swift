internal import TillCore
internal import TillHardware

extension PaymentIntent {
    /// Parses a payment intent reported by Stripe; fails if the data is unreliable.
    init?(stripe json: JSONValue, account: AccountID) {
        guard let read = StripePaymentIntent(json) else { return nil }
        var metadata: [String: String] = [:]
        for member in json["metadata"]?.objectValue ?? [] { metadata[member.key] = member.value.stringValue }
        let order = metadata["till_order"].flatMap { OrderID(ifValid: $0) }
        let created = json["created"]?.int64Value.flatMap { seconds -> Timestamp? in
            let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? nil : Timestamp(milliseconds: millis)
        }
        guard
            var intent = try? PaymentIntent(
                id: read.reference, account: account, order: order,
                status: PaymentIntentStatus(rawValue: read.status), created: created, amount: read.amount,
                metadata: metadata, lastDecline: read.lastError)
        else { return nil }
        if let tip = StripeAmount.money(json["amount_details"]?["tip"]?["amount"], read.amount.currency), tip.isPositive
        {
            intent.tip = tip
        }
        if let charge = read.charge, let id = TerminalText.identifier(charge["id"]) {
            intent.charges = [
                Charge(
                    id: ProviderReference(rawValue: id),
                    amount: StripeAmount.money(charge["amount"], read.amount.currency) ?? read.amount,
                    status: ChargeStatus(rawValue: charge["status"]?.stringValue ?? "unknown"),
                    paymentMethod: charge["payment_method_details"].flatMap { PaymentMethod(stripe: $0) },
                    isCaptured: charge["captured"]?.boolValue ?? false, captureBefore: read.captureBefore,
                    authorizationCode: read.card?.emv?.authorizationCode)
            ]
        }
        self = intent
    }
}

extension PaymentMethod {
    /// Parses payment method details, or a payment method, reported by Stripe.
    init?(stripe json: JSONValue) {
        guard let type = json["type"]?.stringValue else { return nil }
        switch type {
        case "card_present": self = .cardPresent(details: CardPresentTransactionDetails(stripe: json[type]))
        case "interac_present": self = .interacPresent(details: CardPresentTransactionDetails(stripe: json[type]))
        case "card": self = .card(json[type].flatMap(StripePaymentIntent.summary))
        default: self = .other(type: TerminalText.line(type))
        }
    }
}

extension CardPresentTransactionDetails {
    init(stripe json: JSONValue?) {
        func text(_ name: String) -> String? { json?[name]?.stringValue.map(TerminalText.line) }
        let summary = json.flatMap(StripePaymentIntent.summary)
        self.init(
            brand: CardBrand(rawValue: text("brand") ?? "unknown"), lastFour: text("last4"),
            expiryMonth: json?["exp_month"]?.int64Value.flatMap { Int(exactly: $0) },
            expiryYear: json?["exp_year"]?.int64Value.flatMap { Int(exactly: $0) },
            readMethod: text("read_method").map { CardReadMethod(rawValue: $0) },
            receipt: summary?.emv,
            wallet: json?["wallet"]?["type"]?.stringValue.map { Wallet(rawValue: $0) },
            network: text("network").map { CardBrand(rawValue: $0) })
        funding = text("funding")
        generatedCard = text("generated_card")
        networkTransactionID = text("network_transaction_id")
        preferredLocales = (json?["preferred_locales"]?.arrayValue ?? []).compactMap(\.stringValue)
        isIncrementSupported = json?["incremental_authorization_supported"]?.boolValue
        isOvercaptureSupported = json?["overcapture_supported"]?.boolValue
    }
}
