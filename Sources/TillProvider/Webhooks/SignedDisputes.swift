public import TillCore

/// Disputes reported by verified webhooks. They are used only if the provider denies Till's credentials read access to
/// disputes: an unnoticed dispute is lost.
public struct SignedDisputes: Sendable {
    private static let right = "right to read disputes"

    private let store: any NotificationStore

    /// - Parameter store: the provider's store.
    public init(_ store: any NotificationStore) { self.store = store }

    /// Stores the content of an event; durable on return. Duplicates of an event count once.
    /// - Parameters:
    ///   - event: the provider's identifier of the event.
    ///   - dispute: the provider's identifier of the dispute.
    ///   - payment: the provider's reference of the disputed payment.
    ///   - time: the time at which the event was created.
    ///   - isFinal: `true` if the event reports the outcome of the dispute.
    ///   - facts: the data that the provider's module reads, without personal data.
    public func keep(
        _ event: String, of dispute: String, about payment: String, at time: Timestamp?, isFinal: Bool = false,
        _ facts: JSONValue
    ) async throws(NotificationStoreError) {
        let document = JSONValue.object([
            JSONMember(key: "dispute", value: .string(dispute)),
            JSONMember(key: "at", value: .number("\(time?.milliseconds ?? 0)")),
            JSONMember(key: "final", value: .bool(isFinal)), JSONMember(key: "facts", value: facts),
        ])
        try await store.keep([
            KeptNotification(name: event, reference: "", payment: payment, document: document.bytes())
        ])
    }

    /// Returns the newest event of each dispute about a payment; of two with the same time, the final one, then the one
    /// with more content, then the later arrival.
    public func newest(about payment: String) async throws(NotificationStoreError) -> [JSONValue] {
        var found: [String: (place: (Int64, Int, Int), facts: JSONValue)] = [:]
        for document in try await store.documents(payment: payment) {
            guard let told = JSONValue(ifValid: document), let dispute = told["dispute"]?.stringValue,
                let time = told["at"]?.int64Value, let facts = told["facts"]
            else { throw .unreadable }
            let place = (time, told["final"]?.boolValue == true ? 1 : 0, document.count)
            if let known = found[dispute], known.place > place { continue }
            found[dispute] = (place, facts)
        }
        return found.sorted { $0.key < $1.key }.map(\.value.facts)
    }

    /// Records that the provider denied read access to disputes.
    public func refused() async throws(NotificationStoreError) { try await store.set([], as: SignedDisputes.right) }

    /// Records that the provider granted read access to disputes.
    public func granted() async throws(NotificationStoreError) { try await store.set(nil, as: SignedDisputes.right) }

    /// Returns `true` if the provider last denied access.
    public func areRefused() async throws(NotificationStoreError) -> Bool {
        try await store.document(named: SignedDisputes.right) != nil
    }
}

extension JSONValue {
    /// Returns the object with only the members of these names; `nil` if the value is not an object.
    package func only(_ names: Set<String>) -> JSONValue? {
        objectValue.map { members in .object(members.filter { names.contains($0.key) }) }
    }

    /// Returns the object with one more member; unchanged if there is no value.
    package func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard let value, let members = objectValue else { return self }
        return .object(members + [JSONMember(key: name, value: value)])
    }
}
