public import TillCore

/// What Adyen's webhooks have reported, kept because Adyen cannot be asked later. A value over a store; the
/// same event counts once.
public struct AdyenNotificationLog: Sendable {
    /// How a step ended.
    enum Outcome: Hashable, Sendable {
        case done(reference: String)
        case failed(reason: String)
    }

    private let store: any AdyenNotificationStore

    /// Makes one; without a store events are kept in memory, and are gone with the process.
    public init(_ store: any AdyenNotificationStore = MemoryAdyenNotifications()) { self.store = store }

    /// Keeps events. They are as safe as the store makes them when it returns, so Adyen may hear so.
    /// - Throws: ``AdyenNotificationLogError/notWritten`` when they are not; Adyen sends them again.
    public func take(_ notifications: [AdyenNotification]) async throws(AdyenNotificationLogError) {
        try await store.keep(notifications)
    }

    /// The payment of an attempt, as its webhook reported it; one that worked before one that did not.
    func payment(_ attempt: AttemptID) async throws(AdyenNotificationLogError) -> AdyenNotification? {
        var found: [AdyenNotification] = []
        for isAtOnce in [true, false] {
            found += try await store.named(AdyenProvider.reference(attempt, isAtOnce: isAtOnce))
                .filter { $0.eventCode == .authorization }
        }
        return found.first(where: \.success) ?? found.last
    }

    /// Which of our payments an event is about; nil when that is unknown.
    public func ownPayment(of event: AdyenNotification) async throws(AdyenNotificationLogError) -> PaymentID? {
        var reference = event.merchantReference
        if event.eventCode != .authorization, let original = event.about,
            let found = try await store.about(original).last(where: { $0.eventCode == .authorization })
        {
            reference = found.merchantReference
        }
        if reference.hasSuffix(AdyenProvider.takenAtOnce) { reference.removeLast(AdyenProvider.takenAtOnce.count) }
        guard let end = reference.lastIndex(of: "-"), reference[end...].hasPrefix("-a") else { return nil }
        return PaymentID(ifValid: String(reference[..<end]))
    }

    /// What happened to a payment later.
    /// - Parameter attempt: our name for it, where it may be that no webhook has reported the payment itself.
    func modifications(
        of payment: String, attempt: AttemptID? = nil
    ) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        let about = try await store.about(payment)
        var own = Set(about.lazy.filter { $0.eventCode == .authorization }.map(\.merchantReference))
        if let attempt { own.insert(attempt.rawValue) }
        var later = about.filter { $0.eventCode != .authorization }
        // An event that does not say which payment it is about has our name for that payment.
        for reference in own where !reference.isEmpty {
            later += try await store.named(reference).filter { event in
                event.originalReference == nil && !later.contains { $0.name == event.name }
                    && (event.eventCode.disputed != nil || event.eventCode.effect == .expired)
            }
        }
        return later
    }

    /// The reports that Adyen has announced. They have no name of ours.
    func reports() async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        try await store.named("").filter { $0.eventCode == .reportAvailable }
    }

    /// How the step with our name ended; nil when nothing has reported it.
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

/// Why events cannot be kept or read.
public enum AdyenNotificationLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// They cannot be read.
    case unreadable
    /// The disk did not take them.
    case notWritten

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unreadable: "What Adyen's webhooks reported cannot be read."
        case .notWritten: "The disk did not take Adyen's webhook."
        }
    }
}
