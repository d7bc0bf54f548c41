public import TillCore

/// Something that PayPal says has happened. A hint: what it is about is read from PayPal before anything follows.
public struct PayPalWebhookEvent: Hashable, Sendable {
    /// What kind of thing has happened. Open.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A capture took money.
        public static let captureCompleted = Kind(rawValue: "PAYMENT.CAPTURE.COMPLETED")
        /// A capture did not take money. PayPal's documents use both words.
        public static let captureDeclined = Kind(rawValue: "PAYMENT.CAPTURE.DECLINED")
        /// As ``captureDeclined``.
        public static let captureDenied = Kind(rawValue: "PAYMENT.CAPTURE.DENIED")
        /// A hold was voided or has expired.
        public static let authorizationVoided = Kind(rawValue: "PAYMENT.AUTHORIZATION.VOIDED")
    }

    /// The event's id: the same event may come many times, in any order.
    public let id: String
    /// The id of this delivery.
    public let transmission: String
    public let kind: Kind
    /// Our payment that it is about, if it names one.
    public let payment: PaymentID?

    init?(_ body: [UInt8], transmission: String) {
        guard let json = try? JSONValue(parsing: body), let id = json["id"]?.stringValue,
            (1...128).contains(id.utf8.count), let kind = json["event_type"]?.stringValue, kind.utf8.count <= 128
        else { return nil }
        self.id = id
        self.transmission = transmission
        self.kind = Kind(rawValue: kind)
        let resource = json["resource"]
        let custom =
            resource?["custom_id"]?.stringValue
            ?? resource?["purchase_units"]?.arrayValue?.first?["custom_id"]?.stringValue
        payment = custom.flatMap { PayPalWebhookEvent.payment($0) }
    }

    /// The payment in the name of an attempt or a refund: `pay_…-a1`, `void-pay_…-a1`, `pay_…-r1`.
    private static func payment(_ custom: String) -> PaymentID? {
        var text = custom[...]
        if text.hasPrefix(PayPalProvider.voidMark) { text = text.dropFirst(PayPalProvider.voidMark.count) }
        return PaymentID(ofStep: text)
    }
}
