/// An in-memory store of a provider's notifications, for programs without a journal.
public actor MemoryNotifications: NotificationStore {
    /// Maximum number of notifications kept; beyond it the older half is dropped.
    public static let mostKept = 20_000

    private var kept: [KeptNotification] = []
    private var named: [String: [UInt8]] = [:]

    public init() {}

    public func keep(_ notifications: [KeptNotification]) {
        for one in notifications where !kept.contains(where: { $0.name == one.name }) { kept.append(one) }
        if kept.count > MemoryNotifications.mostKept { kept.removeFirst(MemoryNotifications.mostKept / 2) }
    }

    public func documents(reference: String) -> [[UInt8]] {
        kept.filter { $0.reference == reference }.map(\.document)
    }

    public func documents(payment: String) -> [[UInt8]] { kept.filter { $0.payment == payment }.map(\.document) }

    public func set(_ document: [UInt8]?, as name: String) { named[name] = document }

    public func document(named name: String) -> [UInt8]? { named[name] }
}
