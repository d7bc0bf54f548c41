public import TillCore

/// An event in a list: an unreadable one does not hide others.
public enum EventReading: Hashable, Sendable {
    case event(StoredEvent)
    case unreadable(UnreadableEvent)

    /// Its position in the journal.
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

    /// The time of the event by the counter's clock; known even for an unreadable event.
    public var at: Timestamp {
        switch self {
        case .event(let event): event.record.at
        case .unreadable(let event): event.at
        }
    }
}

/// An event of which only the envelope is readable: its body is damaged, or was written by a newer version.
public struct UnreadableEvent: Hashable, Sendable {
    public let sequence: Int64
    public let payment: PaymentID
    public let account: AccountID
    /// Its position within the payment: 1, 2, 3, …
    public let version: Int
    public let at: Timestamp
    /// The reason it is unreadable, without any of its contents.
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
    /// Returns every event as readable, for a journal that cannot be damaged.
    public func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading] {
        try await events(after: sequence, account: account, limit: limit).map { .event($0) }
    }

    /// Returns the position of the newest event by binary search; zero for a journal without events.
    package func lastSequence() async throws(JournalError) -> Int64 {
        var high: Int64 = 1024
        while high < Int64.max / 4, try await !readings(after: high, account: nil, limit: 1).isEmpty { high *= 4 }
        var low: Int64 = 0
        while low < high {
            let middle = low + (high - low) / 2
            if try await readings(after: middle, account: nil, limit: 1).isEmpty {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// Returns a payment unless its events are unreadable: for lists, in which one payment must not hide the others.
    /// - Returns: `.success(nil)` if there is none; a failure with the reason if it is unreadable.
    /// - Throws: ``JournalError`` if the journal as a whole fails.
    public func readable(_ id: PaymentID) async throws(JournalError) -> Result<Payment?, UnreadablePayment> {
        do throws(JournalError) { return .success(try await payment(id)) } catch {
            guard case .corrupted(let reason) = error else { throw error }
            return .failure(UnreadablePayment(id: id, reason: reason))
        }
    }
}

/// An error for a payment with unreadable or contradictory events.
public struct UnreadablePayment: Error, Hashable, Sendable {
    public let id: PaymentID
    public let reason: String

    public init(id: PaymentID, reason: String) {
        self.id = id
        self.reason = reason
    }
}
