public import TillCore

/// A session of one payment, as the shop's server opened it for its app (`POST /v1/payments/{id}/app_session`).
///
/// Its text is all that the app may do: to pay this payment, and to see how it stands. An app that may be ended while
/// it pays keeps the session where it keeps secrets, until the payment has an outcome.
public struct CounterCheckoutSession: Sendable {
    /// The most bytes of a session's text.
    public static let maximumTextBytes = 128

    /// The secret by which the counter knows the session.
    public let text: Secret<String>
    public let payment: PaymentID
    /// The amount of the payment, which every answer must have.
    public let amount: Money

    /// - Returns: `nil` for a text that no session has.
    public init?(text: Secret<String>, payment: PaymentID, amount: Money) {
        let bytes = text.reveal().utf8
        guard !bytes.isEmpty, bytes.count <= CounterCheckoutSession.maximumTextBytes,
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.text = text
        self.payment = payment
        self.amount = amount
    }

    /// Reads the counter's answer to the shop's server, if that hands it on as it came; `nil` for another document.
    public init?(document: [UInt8]) {
        guard let json = JSONValue(ifValid: document), let text = json["session"]?.stringValue,
            let payment = json["payment_id"]?.stringValue.flatMap({ PaymentID(ifValid: $0) }),
            let units = json["amount"]?.int64Value, units > 0,
            let currency = json["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) })
        else { return nil }
        self.init(
            text: Secret(text), payment: payment, amount: Money(minorUnits: units, currency: currency))
    }
}
