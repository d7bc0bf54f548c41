public import TillCore

/// The events reported by Adyen's webhooks, stored because Adyen cannot be queried later. A value over a store;
/// duplicates of an event count once.
public struct AdyenNotificationLog: Sendable {
    /// The outcome of an operation.
    enum Outcome: Hashable, Sendable {
        case done(reference: String)
        case failed(reason: String)
    }

    private let store: any AdyenNotificationStore

    /// Creates a log; without a store, events are kept in memory and lost with the process.
    public init(_ store: any AdyenNotificationStore = MemoryAdyenNotifications()) { self.store = store }

    /// Stores events. On return they are as durable as the store makes them, so they may be acknowledged to Adyen.
    /// - Throws: ``AdyenNotificationLogError/notWritten`` on failure; Adyen then resends the events.
    public func take(_ notifications: [AdyenNotification]) async throws(AdyenNotificationLogError) {
        try await store.keep(notifications)
    }

    /// Returns the authorization event of an attempt; a successful one takes precedence over a failed one.
    func payment(_ attempt: AttemptID) async throws(AdyenNotificationLogError) -> AdyenNotification? {
        let found = try await authorizations(of: attempt)
        return found.first(where: \.success) ?? found.last
    }

    /// Returns the successful authorization events of an attempt, one of each of Adyen's payments. There is one at most
    /// unless Adyen has charged the customer again.
    func paid(_ attempt: AttemptID) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        var paid: [AdyenNotification] = []
        for event in try await authorizations(of: attempt)
        where event.success && !paid.contains(where: { $0.pspReference == event.pspReference }) {
            paid.append(event)
        }
        return paid
    }

    private func authorizations(
        of attempt: AttemptID
    ) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        var found: [AdyenNotification] = []
        for isAtOnce in [true, false] {
            found += try await store.named(AdyenProvider.reference(attempt, isAtOnce: isAtOnce))
                .filter { $0.eventCode == .authorization }
        }
        return found
    }

    /// Returns Till's attempt for an event; `nil` if unknown.
    public func ownAttempt(of event: AdyenNotification) async throws(AdyenNotificationLogError) -> AttemptID? {
        var reference = event.merchantReference
        if event.eventCode != .authorization, let original = event.about,
            let found = try await store.about(original).last(where: { $0.eventCode == .authorization })
        {
            reference = found.merchantReference
        }
        // The cancel of a payment that no webhook has reported names it behind its mark.
        while event.isOurCancel, !reference.hasPrefix("pay_"), let end = reference.firstIndex(of: "-") {
            reference.removeSubrange(...end)
        }
        if reference.hasSuffix(AdyenProvider.takenAtOnce) { reference.removeLast(AdyenProvider.takenAtOnce.count) }
        return AttemptID(ofStep: reference)
    }

    /// Returns the later events of a payment.
    /// - Parameter attempt: Till's attempt, for a payment that may lack an authorization event from a webhook.
    func modifications(
        of payment: String, attempt: AttemptID? = nil
    ) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        let about = try await store.about(payment)
        var own = Set(about.lazy.filter { $0.eventCode == .authorization }.map(\.merchantReference))
        if let attempt { own.insert(attempt.rawValue) }
        var later = about.filter { $0.eventCode != .authorization }
        // An event without the payment's reference carries Till's reference of that payment.
        for reference in own where !reference.isEmpty {
            later += try await store.named(reference).filter { event in
                event.originalReference == nil && !later.contains { $0.name == event.name }
                    && (event.eventCode.disputed != nil || event.eventCode.effect == .expired)
            }
        }
        return later
    }

    /// Returns the reports announced by Adyen. They carry no reference of Till's.
    func reports() async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        try await store.named("").filter { $0.eventCode == .reportAvailable }
    }

    /// Returns the outcome of the operation with Till's reference; `nil` if no event has reported it.
    func outcome(
        of reference: String, among codes: Set<AdyenEventCode>, denying: Set<AdyenEventCode>
    ) async throws(AdyenNotificationLogError) -> Outcome? {
        let found = try await store.named(reference)
        if let failed = found.last(where: { denying.contains($0.eventCode) }) {
            return .failed(reason: failed.reason ?? failed.eventCode.rawValue)
        }
        guard let event = found.last(where: { codes.contains($0.eventCode) }) else { return nil }
        return event.success
            ? .done(reference: event.pspReference) : .failed(reason: event.reason ?? "refused by the provider")
    }
}

/// An error for events that cannot be stored or read.
public enum AdyenNotificationLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The events cannot be read.
    case unreadable
    /// The events could not be written to disk.
    case notWritten

    /// One sentence for display.
    public var description: String {
        switch self {
        case .unreadable: "What Adyen's webhooks reported cannot be read."
        case .notWritten: "The disk did not take Adyen's webhook."
        }
    }
}
