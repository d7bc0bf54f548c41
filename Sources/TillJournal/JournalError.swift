public import TillCore

/// A failure of the journal. After every case but `unavailable`, nothing was written.
public enum JournalError: Error, Hashable, Sendable {
    /// Another process wrote first; read the payment and decide again. `current` is 0 if there is no payment.
    case versionConflict(payment: PaymentID, current: Int)
    /// The order already has a live payment.
    case orderOccupied(by: PaymentID)
    /// The idempotency key is already in use.
    case idempotencyExists(IdempotencyRecord)
    /// The webhook was received before.
    case webhookSeen
    /// The record is not at the expected version; `current` is 0 if there is none.
    case recordConflict(RecordID, current: Int)
    /// Too many writes are waiting; retry later.
    case queueFull(limit: Int)
    /// The disk is full, or has only the space reserved for provider responses.
    case full(String)
    /// The storage is unavailable. The write may or may not have been made.
    case unavailable(String)
    /// Stored data, or data to be stored, is invalid.
    case corrupted(String)
    /// The journal was closed.
    case closed
    /// This process was stalled for longer than its lease, and others have taken over what it held. It must end.
    case leaseLost
}

extension JournalError: CustomStringConvertible {
    /// A human-readable sentence.
    public var description: String {
        switch self {
        case .versionConflict(let payment, let current):
            "Payment \(payment) was changed at the same time; it is at version \(current) now."
        case .orderOccupied(let payment): "The order already has a payment: \(payment)."
        case .idempotencyExists(let record):
            record.isFinished
                ? "A request with this idempotency key was answered before."
                : "A request with this idempotency key is being worked on, or was another request."
        case .webhookSeen: "This webhook came before."
        case .recordConflict(let id, let current):
            current == 0
                ? "There is no record \(id)."
                : "The record \(id) was changed at the same time; it is at version \(current) now."
        case .queueFull(let limit): "More than \(limit) writes are waiting for the disk. Try again in a moment."
        case .full(let reason): "The disk is full: \(JournalError.withoutStop(reason)). Nothing was written."
        case .unavailable(let reason): "The journal cannot be used: \(JournalError.withoutStop(reason))."
        case .corrupted(let reason): "The journal is damaged: \(JournalError.withoutStop(reason))."
        case .closed: "The journal is closed."
        case .leaseLost:
            "This process was stalled for longer than its lease, and another one has taken over its payments. Nothing "
                + "was written."
        }
    }

    /// Reasons of the storage end with a full stop, Till's own do not.
    private static func withoutStop(_ reason: String) -> Substring {
        reason.hasSuffix(".") ? reason.dropLast() : reason[...]
    }
}
