public import TillCore
public import TillPayPalClient

/// An event reported by PayPal. Only a hint: the resource is read from PayPal before any action follows.
public struct PayPalWebhookEvent: Hashable, Sendable {
    /// The type of an event. Open.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The raw text, unchanged.
        public let rawValue: String
        /// Wraps the text unchanged.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A capture completed.
        public static let captureCompleted = Kind(rawValue: "PAYMENT.CAPTURE.COMPLETED")
        /// A capture was declined. PayPal's documents use both names.
        public static let captureDeclined = Kind(rawValue: "PAYMENT.CAPTURE.DECLINED")
        /// PayPal's other name for ``captureDeclined``.
        public static let captureDenied = Kind(rawValue: "PAYMENT.CAPTURE.DENIED")
        /// A hold was voided or has expired.
        public static let authorizationVoided = Kind(rawValue: "PAYMENT.AUTHORIZATION.VOIDED")
        /// A capture was refunded, by Till or elsewhere.
        public static let captureRefunded = Kind(rawValue: "PAYMENT.CAPTURE.REFUNDED")
        /// PayPal reversed a capture.
        public static let captureReversed = Kind(rawValue: "PAYMENT.CAPTURE.REVERSED")
    }

    /// The event's id: the same event may arrive many times, in any order.
    public let id: String
    /// The id of this delivery.
    public let transmission: String
    public let kind: Kind
    /// The payment concerned, if the event identifies one.
    public let payment: PaymentID?
    /// The attempt concerned, if the event identifies one.
    public let attempt: AttemptID?
    /// The capture concerned, used to find the payment if the event does not identify it.
    public let capture: PayPalCaptureID?
    /// `true` if the event may report money of a settled payment: a dispute, a refund or capture of other origin, or a
    /// failed one by Till. Successful operations by Till are excluded: their caller receives the result.
    public let isAfterSale: Bool
    /// The creation time at PayPal.
    let created: Timestamp?
    /// The reported dispute; `nil` for other events.
    let dispute: ToldDispute?

    /// A dispute as reported by an event.
    struct ToldDispute: Hashable, Sendable {
        /// PayPal's dispute id.
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
        let step = (custom ?? disputed?["custom"]?.stringValue).map { PayPalWebhookEvent.step($0) }
        payment = step.flatMap { PaymentID(ofStep: $0) }
        attempt = step.flatMap { AttemptID(ofStep: $0) }
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
        // A hold captured elsewhere: captures by Till have their own invoice number.
        case .captureCompleted: return isOfHold && resource.flatMap { OrderCapture($0) }?.step == nil
        case _ where kind.hasPrefix("PAYMENT.REFUND.") || kind == Kind.captureRefunded.rawValue:
            let isOurs = custom.flatMap { PaymentID(ofStep: $0) } != nil && custom?.contains("-r") == true
            return !isOurs || !["COMPLETED", "PENDING"].contains(resource?["status"]?.stringValue ?? "")
        default: return false
        }
    }

    /// Returns the id of an attempt or a refund: `pay_…-a1`, `pay_…-r1`; that of the attempt for `void-pay_…-a1`.
    static func step(_ custom: String) -> Substring {
        custom.hasPrefix(PayPalProvider.voidMark) ? custom.dropFirst(PayPalProvider.voidMark.count) : custom[...]
    }

    /// Returns the payment whose attempt or refund is named.
    static func payment(_ custom: String) -> PaymentID? { PaymentID(ofStep: step(custom)) }
}
