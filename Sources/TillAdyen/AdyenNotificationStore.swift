package import TillCore

/// The store of Adyen's webhook events. A server stores them in its journal.
public protocol AdyenNotificationStore: Sendable {
    /// Stores events, once per ``AdyenNotification/name``; durable on return.
    func keep(_ notifications: [AdyenNotification]) async throws(AdyenNotificationLogError)
    /// Returns the events of the operation with Till's reference, in order of arrival.
    func named(_ reference: String) async throws(AdyenNotificationLogError) -> [AdyenNotification]
    /// Returns the events of the payment with Adyen's reference, its own and later ones, in order of arrival.
    func about(_ payment: String) async throws(AdyenNotificationLogError) -> [AdyenNotification]
}

/// An in-memory store, for tests and for programs without persistence.
public actor MemoryAdyenNotifications: AdyenNotificationStore {
    /// Maximum number of events kept; beyond it the older half is dropped.
    public static let mostKept = 20_000

    private var events: [AdyenNotification] = []

    public init() {}

    public func keep(_ notifications: [AdyenNotification]) {
        for event in notifications where !events.contains(where: { $0.name == event.name }) { events.append(event) }
        if events.count > MemoryAdyenNotifications.mostKept {
            events.removeFirst(MemoryAdyenNotifications.mostKept / 2)
        }
    }

    /// Returns the events with Till's reference.
    public func named(_ reference: String) -> [AdyenNotification] {
        events.filter { $0.merchantReference == reference }
    }

    /// Returns the events of a payment.
    public func about(_ payment: String) -> [AdyenNotification] { events.filter { $0.about == payment } }
}

extension AdyenNotification {
    /// Adyen's reference of the payment concerned. Some dispute events, and the expiration of a hold, do not contain
    /// it: then the event's own reference is that of the payment, or Till's reference identifies the payment.
    package var about: String? { originalReference ?? (eventCode == .reportAvailable ? nil : pspReference) }

    /// The stored form.
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

    /// Parses the stored form.
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
