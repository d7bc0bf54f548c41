/// Where one provider's notifications are kept, for providers that cannot be asked later. A counter keeps
/// them in its journal.
public protocol NotificationStore: Sendable {
    /// Keeps notifications, each once by its name; durable when it returns.
    func keep(_ notifications: [KeptNotification]) async throws(NotificationStoreError)
    /// The documents of those with a reference of ours, in the order in which they came.
    func documents(reference: String) async throws(NotificationStoreError) -> [[UInt8]]
    /// The documents of those about a payment that the provider names so, in the order in which they came.
    func documents(payment: String) async throws(NotificationStoreError) -> [[UInt8]]
    /// Keeps one document under a name, in place of the one before; `nil` removes it. Durable when it returns.
    func set(_ document: [UInt8]?, as name: String) async throws(NotificationStoreError)
    /// What was kept under a name last.
    func document(named name: String) async throws(NotificationStoreError) -> [UInt8]?
}

/// A notification as it is kept.
public struct KeptNotification: Hashable, Sendable {
    /// What distinguishes it from others of the provider.
    public let name: String
    /// Our name for what it is about.
    public let reference: String
    /// The provider's name for the payment that it is about.
    public let payment: String?
    /// What the provider's room needs of it. Nothing of a card.
    public let document: [UInt8]

    public init(name: String, reference: String, payment: String?, document: [UInt8]) {
        self.name = name
        self.reference = reference
        self.payment = payment
        self.document = document
    }
}

/// Why notifications cannot be kept or read.
public enum NotificationStoreError: Error, Hashable, Sendable {
    /// They cannot be read.
    case unreadable
    /// The disk did not take them.
    case notWritten
}
