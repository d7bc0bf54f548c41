public import TillCore

/// What verified webhooks have told of disputes. It is believed only where the provider refuses to let our credentials
/// read them: a dispute that nobody hears of is lost.
public struct SignedDisputes: Sendable {
    private static let right = "right to read disputes"

    private let store: any NotificationStore

    /// - Parameter store: the provider's own.
    public init(_ store: any NotificationStore) { self.store = store }

    /// Keeps what an event says; durable when it returns. The same event counts once.
    /// - Parameters:
    ///   - event: the provider's name for the event.
    ///   - dispute: its name for the dispute.
    ///   - payment: its name for what is disputed.
    ///   - time: when the event was made.
    ///   - isFinal: it says how the dispute ended.
    ///   - facts: what the provider's room reads of it, and nothing of a person.
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

    /// The newest that was told of each dispute about a payment; of two from the same moment its end, then the one with
    /// more in it, then the one that came later.
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

    /// The provider refused to let our credentials read them.
    public func refused() async throws(NotificationStoreError) { try await store.set([], as: SignedDisputes.right) }

    /// It has let them read some.
    public func granted() async throws(NotificationStoreError) { try await store.set(nil, as: SignedDisputes.right) }

    /// Whether the provider's last word was a refusal.
    public func areRefused() async throws(NotificationStoreError) -> Bool {
        try await store.document(named: SignedDisputes.right) != nil
    }
}

extension JSONValue {
    /// The members of an object that have one of these names; `nil` of anything else.
    package func only(_ names: Set<String>) -> JSONValue? {
        objectValue.map { members in .object(members.filter { names.contains($0.key) }) }
    }

    /// The object with one more member; itself if there is no value.
    package func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard let value, let members = objectValue else { return self }
        return .object(members + [JSONMember(key: name, value: value)])
    }
}
