public import TillCore

/// An event as a list has it: one that cannot be read hides no other.
public enum EventReading: Hashable, Sendable {
    case event(StoredEvent)
    case unreadable(UnreadableEvent)

    /// Its place in the journal.
    public var sequence: Int64 {
        switch self {
        case .event(let event): event.sequence
        case .unreadable(let event): event.sequence
        }
    }

    public var payment: PaymentID {
        switch self {
        case .event(let event): event.payment
        case .unreadable(let event): event.payment
        }
    }

    /// When it happened, by the counter's clock; also known of an event that cannot be read.
    public var at: Timestamp {
        switch self {
        case .event(let event): event.record.at
        case .unreadable(let event): event.at
        }
    }
}

/// An event of which only its place can be read: its body is damaged, or was written by a newer version.
public struct UnreadableEvent: Hashable, Sendable {
    public let sequence: Int64
    public let payment: PaymentID
    public let account: AccountID
    /// Its place in the payment: 1, 2, 3, …
    public let version: Int
    public let at: Timestamp
    /// Why it cannot be read, without what stands in it.
    public let reason: String

    public init(
        sequence: Int64, payment: PaymentID, account: AccountID, version: Int, at: Timestamp, reason: String
    ) {
        self.sequence = sequence
        self.payment = payment
        self.account = account
        self.version = version
        self.at = at
        self.reason = reason
    }
}

extension Journal {
    /// Every event as it is read; a journal that cannot be damaged has no other.
    public func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading] {
        try await events(after: sequence, account: account, limit: limit).map { .event($0) }
    }

    /// A payment, unless its events cannot be read: for lists, in which one payment must not hide the others.
    /// - Returns: `.success(nil)` if there is none; as a failure why it cannot be read.
    /// - Throws: what is wrong with the journal as a whole.
    public func readable(_ id: PaymentID) async throws(JournalError) -> Result<Payment?, UnreadablePayment> {
        do throws(JournalError) { return .success(try await payment(id)) } catch {
            guard case .corrupted(let reason) = error else { throw error }
            return .failure(UnreadablePayment(id: id, reason: reason))
        }
    }
}

/// That the events of a payment cannot be read, or contradict each other.
public struct UnreadablePayment: Error, Hashable, Sendable {
    public let id: PaymentID
    public let reason: String

    public init(id: PaymentID, reason: String) {
        self.id = id
        self.reason = reason
    }
}
