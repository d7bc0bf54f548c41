internal import TillCards
public import TillCore

/// What Adyen has told about one payment, as far as it matters: who, what, how much, and whether it went through.
/// Holds nothing of a card.
public struct AdyenNotice: Hashable, Sendable {
    /// What a notice is about. Open: a code from the future keeps its name.
    public struct Event: RawRepresentable, Hashable, Sendable {
        /// The text, as it came.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Money was asked for.
        public static let authorisation = Event(rawValue: "AUTHORISATION")
        /// A hold was let go by its reference at Adyen.
        public static let cancellation = Event(rawValue: "CANCELLATION")
        /// A hold was let go by our reference.
        public static let technicalCancel = Event(rawValue: "TECHNICAL_CANCEL")
        /// Held money was taken.
        public static let capture = Event(rawValue: "CAPTURE")
        /// Taken after all it was not.
        public static let captureFailed = Event(rawValue: "CAPTURE_FAILED")
        /// Money was given back.
        public static let refund = Event(rawValue: "REFUND")
        /// Given back after all it was not.
        public static let refundFailed = Event(rawValue: "REFUND_FAILED")
        /// The bank sent a refund back.
        public static let refundedReversed = Event(rawValue: "REFUNDED_REVERSED")
    }

    /// What it is about.
    public var event: Event
    /// Whether it went through.
    public var succeeded: Bool
    /// Adyen's name of what it is about: the payment, the capture, the refund.
    public var reference: ProviderReference
    /// Adyen's name of the payment, where it is about something that was done to one.
    public var original: ProviderReference?
    /// Our name, as we sent it: an attempt's, a capture's, a refund's.
    public var ours: String
    /// How much.
    public var amount: Money
    /// When, as Adyen has it.
    public var at: String
    /// Why not; for the shop's log.
    public var reason: String?

    /// The name under which it is counted once.
    public var id: String { "\(reference) \(event.rawValue) \(succeeded)" }

    /// Whose payment it is; `nil` for payments that were not made by Till.
    public var payment: PaymentID? {
        guard ours.hasPrefix("pay_"), let end = ours.firstIndex(of: "-") else { return nil }
        return try? PaymentID(validating: String(ours[..<end]))
    }
}

extension AdyenNotice {
    /// As it is kept.
    public var json: JSONValue {
        .members([
            "event": .string(event.rawValue), "succeeded": .bool(succeeded), "reference": .string(reference.rawValue),
            "original": original.map { .string($0.rawValue) }, "ours": .string(ours),
            "amount": .number(String(amount.minorUnits)), "currency": .string(amount.currency.code), "at": .string(at),
            "reason": reason.map { .string($0) },
        ])
    }

    /// What was kept; `nil` if it can not be read.
    public init?(json: JSONValue) {
        guard let event = json["event"]?.stringValue, let succeeded = json["succeeded"]?.boolValue,
            let reference = json["reference"]?.stringValue, let ours = json["ours"]?.stringValue,
            let units = json["amount"]?.int64Value,
            let currency = json["currency"]?.stringValue.flatMap({ try? Currency(code: $0) })
        else { return nil }
        self.init(
            event: Event(rawValue: event), succeeded: succeeded, reference: ProviderReference(rawValue: reference),
            original: json["original"]?.stringValue.map { ProviderReference(rawValue: $0) }, ours: ours,
            amount: Money(minorUnits: units, currency: currency), at: json["at"]?.stringValue ?? "",
            reason: json["reason"]?.stringValue)
    }
}
