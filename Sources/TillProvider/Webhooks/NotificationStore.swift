/// The store of one provider's notifications, for providers that cannot be queried later. A counter keeps them in its
/// journal.
public protocol NotificationStore: Sendable {
    /// Stores notifications, once per name; durable on return.
    func keep(_ notifications: [KeptNotification]) async throws(NotificationStoreError)
    /// Returns the documents with one of Till's references, in order of arrival.
    func documents(reference: String) async throws(NotificationStoreError) -> [[UInt8]]
    /// Returns the documents about a payment with the provider's reference, in order of arrival.
    func documents(payment: String) async throws(NotificationStoreError) -> [[UInt8]]
    /// Stores one document under a name, replacing the previous one; `nil` removes it. Durable on return.
    func set(_ document: [UInt8]?, as name: String) async throws(NotificationStoreError)
    /// Returns the document last stored under a name.
    func document(named name: String) async throws(NotificationStoreError) -> [UInt8]?
}

/// A stored notification.
public struct KeptNotification: Hashable, Sendable {
    /// The name, unique within the provider.
    public let name: String
    /// Till's reference of the object concerned.
    public let reference: String
    /// The provider's reference of the payment concerned.
    public let payment: String?
    /// The data that the provider's module needs. Contains no card data.
    public let document: [UInt8]

    public init(name: String, reference: String, payment: String?, document: [UInt8]) {
        self.name = name
        self.reference = reference
        self.payment = payment
        self.document = document
    }
}

/// An error for notifications that cannot be stored or read.
public enum NotificationStoreError: Error, Hashable, Sendable {
    /// The notifications cannot be read.
    case unreadable
    /// The notifications could not be written to disk.
    case notWritten
}
