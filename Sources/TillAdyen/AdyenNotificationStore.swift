package import TillCore

/// Where the events of Adyen's webhooks are kept. A server keeps them in its journal.
public protocol AdyenNotificationStore: Sendable {
    /// Keeps events, each once by its ``AdyenNotification/name``; durable when it returns.
    func keep(_ notifications: [AdyenNotification]) async throws(AdyenNotificationLogError)
    /// The events of the step that we named so, in the order in which they came.
    func named(_ reference: String) async throws(AdyenNotificationLogError) -> [AdyenNotification]
    /// The events of the payment that Adyen names so, its own and later ones, in the order in which they came.
    func about(_ payment: String) async throws(AdyenNotificationLogError) -> [AdyenNotification]
}

/// In memory: for tests, and for programs that keep nothing.
public actor MemoryAdyenNotifications: AdyenNotificationStore {
    /// The most events that are kept; then the older half is forgotten.
    public static let mostKept = 20_000

    private var events: [AdyenNotification] = []

    public init() {}

    public func keep(_ notifications: [AdyenNotification]) {
        for event in notifications where !events.contains(where: { $0.name == event.name }) { events.append(event) }
        if events.count > MemoryAdyenNotifications.mostKept {
            events.removeFirst(MemoryAdyenNotifications.mostKept / 2)
        }
    }

    /// The events with our name.
    public func named(_ reference: String) -> [AdyenNotification] {
        events.filter { $0.merchantReference == reference }
    }

    /// The events of a payment.
    public func about(_ payment: String) -> [AdyenNotification] { events.filter { $0.about == payment } }
}

extension AdyenNotification {
    /// Adyen's name for the payment that the event is about.
    /// Some events of a dispute, and the end of a hold, come without it: then the event's own name is the payment's, or
    /// our name says which payment it is.
    package var about: String? { originalReference ?? (eventCode == .reportAvailable ? nil : pspReference) }

    /// As it is kept.
    package var kept: JSONValue {
        .adyen([
            "eventCode": .string(eventCode.rawValue), "pspReference": .string(pspReference),
            "originalReference": originalReference.map { .string($0) },
            "merchantReference": .string(merchantReference), "merchantAccountCode": .string(merchantAccount),
            "minor": amount.map { .number("\($0.minorUnits)") }, "currency": amount.map { .string($0.currency.code) },
            "success": .bool(success), "reason": reason.map { .string($0) },
            "at": at.map { .number("\($0.milliseconds)") }, "disputeStatus": dispute?.status.map { .string($0) },
            "defensePeriodEndsAt": dispute?.respondBy.map { .number("\($0.milliseconds)") },
        ])
    }

    /// Reads what was kept.
    package init?(kept value: JSONValue) {
        guard let code = value["eventCode"]?.stringValue, let name = value["pspReference"]?.stringValue,
            let reference = value["merchantReference"]?.stringValue, let success = value["success"]?.boolValue
        else { return nil }
        let currency = value["currency"]?.stringValue.flatMap { Currency(ifValid: $0) }
        self.init(
            eventCode: AdyenEventCode(rawValue: code), pspReference: name,
            originalReference: value["originalReference"]?.stringValue, merchantReference: reference,
            merchantAccount: value["merchantAccountCode"]?.stringValue ?? "",
            amount: currency.flatMap { currency in
                value["minor"]?.int64Value.map { Money(minorUnits: $0, currency: currency) }
            }, success: success, reason: value["reason"]?.stringValue,
            at: value["at"]?.int64Value.map { Timestamp(milliseconds: $0) },
            dispute: AdyenDisputeNote(
                status: value["disputeStatus"]?.stringValue,
                respondBy: value["defensePeriodEndsAt"]?.int64Value.map { Timestamp(milliseconds: $0) }))
    }
}
