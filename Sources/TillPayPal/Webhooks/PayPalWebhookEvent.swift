public import TillCore
public import TillPayPalClient

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
        /// PayPal's other word for ``captureDeclined``.
        public static let captureDenied = Kind(rawValue: "PAYMENT.CAPTURE.DENIED")
        /// A hold was voided or has expired.
        public static let authorizationVoided = Kind(rawValue: "PAYMENT.AUTHORIZATION.VOIDED")
        /// A capture was refunded, by us or by others.
        public static let captureRefunded = Kind(rawValue: "PAYMENT.CAPTURE.REFUNDED")
        /// PayPal took a capture back by itself.
        public static let captureReversed = Kind(rawValue: "PAYMENT.CAPTURE.REVERSED")
    }

    /// The event's id: the same event may come many times, in any order.
    public let id: String
    /// The id of this delivery.
    public let transmission: String
    public let kind: Kind
    /// Our payment that it is about, if it names one.
    public let payment: PaymentID?
    /// The capture that it is about, which leads to the payment where it names none.
    public let capture: PayPalCaptureID?
    /// It may report money of a settled payment: a dispute, a refund or a capture by others, or one of ours that came
    /// to nothing. What we have asked for and what goes well is not: whoever asked for it hears the answer.
    public let isAfterSale: Bool
    /// When PayPal made it.
    let created: Timestamp?
    /// What it says of a dispute; `nil`: it is not about one.
    let dispute: ToldDispute?

    /// A dispute as an event tells of it.
    struct ToldDispute: Hashable, Sendable {
        /// PayPal's name for it.
        let name: String
        let capture: PayPalCaptureID
        let facts: JSONValue
    }

    init?(_ body: [UInt8], transmission: String) {
        guard let json = JSONValue(ifValid: body), let id = json["id"]?.stringValue,
            (1...128).contains(id.utf8.count), let kind = json["event_type"]?.stringValue, kind.utf8.count <= 128
        else { return nil }
        self.id = id
        self.transmission = transmission
        self.kind = Kind(rawValue: kind)
        let resource = json["resource"]
        let custom =
            resource?["custom_id"]?.stringValue
            ?? resource?["purchase_units"]?.arrayValue?.first?["custom_id"]?.stringValue
        let disputed = resource?["disputed_transactions"]?.arrayValue?.first
        payment = (custom ?? disputed?["custom"]?.stringValue).flatMap { PayPalWebhookEvent.payment($0) }
        let parent = OrderLink.all(in: resource ?? .null).first { $0.relation == "up" }?.address.split(separator: "/")
        let above = parent.map { $0.suffix(2).map(String.init) } ?? []
        let name = disputed?["seller_transaction_id"]?.stringValue ?? (above.first == "captures" ? above.last : nil)
        capture = name.flatMap { PayPalCaptureID(ifValid: $0) }
        isAfterSale = PayPalWebhookEvent.isAfterSale(
            kind, resource, isOfHold: above.first == "authorizations", names: custom)
        created = json["create_time"]?.stringValue.flatMap { Timestamp(internetTime: $0) }
        if kind.hasPrefix("CUSTOMER.DISPUTE."), let resource, let capture, let name = PayPalDispute.name(resource),
            let facts = PayPalDispute.facts(resource)
        {
            dispute = ToldDispute(name: name, capture: capture, facts: facts)
        } else {
            dispute = nil
        }
    }

    private static func isAfterSale(
        _ kind: String, _ resource: JSONValue?, isOfHold: Bool, names custom: String?
    ) -> Bool {
        if kind.hasPrefix("CUSTOMER.DISPUTE.") { return true }
        switch Kind(rawValue: kind) {
        case .captureReversed, .captureDenied, .captureDeclined: return true
        // Somebody has captured a hold elsewhere: what we capture has an invoice number of its own.
        case .captureCompleted: return isOfHold && resource.flatMap { OrderCapture($0) }?.step == nil
        case _ where kind.hasPrefix("PAYMENT.REFUND.") || kind == Kind.captureRefunded.rawValue:
            let isOurs = custom.flatMap { PaymentID(ofStep: $0) } != nil && custom?.contains("-r") == true
            return !isOurs || !["COMPLETED", "PENDING"].contains(resource?["status"]?.stringValue ?? "")
        default: return false
        }
    }

    /// The payment in the name of an attempt or a refund: `pay_…-a1`, `void-pay_…-a1`, `pay_…-r1`.
    static func payment(_ custom: String) -> PaymentID? {
        var text = custom[...]
        if text.hasPrefix(PayPalProvider.voidMark) { text = text.dropFirst(PayPalProvider.voidMark.count) }
        return PaymentID(ofStep: text)
    }
}
