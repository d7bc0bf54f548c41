internal import TillCore

/// The parts of a payment intent that are read. The initializer returns `nil` if the data is unreliable.
struct StripePaymentIntent: Sendable {
    let reference: ProviderReference
    let status: String
    let amount: Money
    /// `amount_capturable`; absent in some stand-ins.
    let capturable: Money?
    /// `amount_received`; absent in some stand-ins.
    let received: Money?
    /// The part of the amount that the customer added at a reader.
    let tip: Money?
    /// The latest charge, if it is expanded in the response.
    let charge: JSONValue?
    /// The creation time of the charge; of the intent, if it has no charge.
    let created: Timestamp?
    let action: CustomerAction
    let lastError: Decline?
    /// The charge of the last error: each attempt that reached the issuer has a different one.
    let failedCharge: String?

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, let reference = ProviderReference(ifValid: id),
            let status = json["status"]?.stringValue, let currency = StripeAmount.currency(json["currency"]),
            let amount = StripeAmount.money(json["amount"], currency)
        else { return nil }
        self.reference = reference
        self.status = StripeError.line(status, limit: 40)
        self.amount = amount
        capturable = StripeAmount.money(json["amount_capturable"], currency)
        received = StripeAmount.money(json["amount_received"], currency)
        let added = StripeAmount.money(json["amount_details"]?["tip"]?["amount"], currency)
        tip = added.flatMap { $0.isPositive ? $0 : nil }
        if let latest = json["latest_charge"], latest.objectValue != nil {
            charge = latest
        } else {
            charge = json["charges"]?["data"]?.arrayValue?.first
        }
        created = (charge?["created"] ?? json["created"])?.int64Value.flatMap { seconds in
            let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? nil : Timestamp(milliseconds: millis)
        }
        let next = json["next_action"]
        action = CustomerAction(
            kind: StripeError.word(next?["type"]) { $0 } ?? "unknown",
            url: next?["redirect_to_url"]?["url"]?.stringValue)
        if let error = json["last_payment_error"], error.objectValue != nil {
            let wrapped = JSONValue.object([JSONMember(key: "error", value: error)])
            var decline = StripeError(status: 402, body: wrapped, requestID: nil, scrub: StripeAmount.scrub).decline
            failedCharge = error["charge"]?.stringValue
            // The charge has the chip data; the payment method only identifies the card.
            let isOfCharge = failedCharge != nil && charge?["id"]?.stringValue == failedCharge
            decline.card =
                (isOfCharge ? charge?["payment_method_details"] : nil).flatMap(StripePaymentIntent.card(in:))
                ?? error["payment_method"].flatMap(StripePaymentIntent.card(in:))
            lastError = decline
        } else {
            lastError = nil
            failedCharge = nil
        }
    }

    /// `true` if the charge has ever been disputed.
    var isDisputed: Bool { charge?["disputed"]?.boolValue ?? false }

    /// The amount without the tip; `nil` if the two are inconsistent.
    var base: Money? {
        guard let tip else { return amount }
        return amount.subtracting(ifExact: tip).flatMap { $0.isPositive ? $0 : nil }
    }

    /// The end of the hold, if the charge reports it.
    var captureBefore: Timestamp? {
        guard let details = charge?["payment_method_details"] else { return nil }
        for kind in StripePaymentIntent.cardKinds {
            if let seconds = details[kind]?["capture_before"]?.int64Value {
                let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
                return overflow ? nil : Timestamp(milliseconds: millis)
            }
        }
        return nil
    }

    /// The shortest hold periods, by Stripe's page "Place a hold on a payment method": merchant-initiated at Visa, and
    /// most cards at a reader.
    private static let shortestHold = (online: Span.hours(4 * 24 + 18), atReader: Span.days(2))

    /// The time until which the hold is certain to last, if the charge does not report its end.
    var honoredUntil: Timestamp? {
        guard captureBefore == nil, let created else { return nil }
        let isAtReader = charge?["payment_method_details"]?["card_present"] != nil
        let hold = StripePaymentIntent.shortestHold
        return created.adding(isAtReader ? hold.atReader : hold.online)
    }

    /// Brand, last four digits and the receipt's fields, if the charge reports them.
    var card: CardSummary? { charge?["payment_method_details"].flatMap(StripePaymentIntent.card(in:)) }

    private static let cardKinds = ["card", "card_present", "interac_present"]

    /// Returns the card of a payment method, or of a charge's payment method details.
    private static func card(in method: JSONValue) -> CardSummary? {
        for kind in cardKinds {
            if let card = method[kind], let summary = summary(card) { return summary }
        }
        return nil
    }

    /// Returns the summary of a card in a payment method or a charge.
    static func summary(_ card: JSONValue) -> CardSummary? {
        guard let brand = StripeError.word(card["brand"], { $0 }), let last4 = card["last4"]?.stringValue else {
            return nil
        }
        return CardSummary(
            brand: brand, lastFour: last4, entryMode: StripeError.word(card["read_method"]) { $0 },
            emv: card["receipt"].flatMap(emv), network: StripeError.word(card["network"]) { $0 })
    }

    private static func emv(_ receipt: JSONValue) -> EMVReceiptData? {
        guard receipt.objectValue != nil else { return nil }
        func text(_ key: String) -> String? {
            receipt[key]?.stringValue.map { StripeError.line($0, limit: 64) }
        }
        var data = EMVReceiptData()
        data.applicationPreferredName = text("application_preferred_name")
        data.dedicatedFileName = text("dedicated_file_name")
        data.accountType = text("account_type")
        data.authorizationResponseCode = text("authorization_response_code")
        data.authorizationCode = text("authorization_code")
        data.applicationCryptogram = text("application_cryptogram")
        data.terminalVerificationResults = text("terminal_verification_results")
        data.transactionStatusInformation = text("transaction_status_information")
        data.cardholderVerificationMethod = text("cardholder_verification_method")
        return data
    }
}
