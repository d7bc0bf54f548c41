public import TillCore

/// A change to stored payments. Each is one log entry; ``OfflineLedger`` is their fold.
public enum OfflineEvent: Hashable, Sendable {
    /// A card was stored.
    case stored(StoredRecord)
    /// An attempt must never be charged: its card, if stored, is not forwarded, and none may be stored later.
    case voided(AttemptID, sequence: UInt64?, reason: String, at: Timestamp)
    /// Payments were grouped into a batch.
    case batched(BatchContent)
    /// The batch is about to be sent.
    case submitted(batch: String, at: Timestamp)
    /// The provider has decided every payment of the batch.
    case accepted(BatchReceipt, at: Timestamp)
    /// The batch was resolved with the provider's deletion token.
    case resolved(batch: String, token: String, at: Timestamp)
    /// The batch was abandoned; its payments remain.
    case reset(batch: String, reason: String, at: Timestamp)
    /// A payment was quarantined.
    case quarantined(sequence: UInt64, reason: String, at: Timestamp)
    /// A quarantined payment was released for forwarding.
    case released(sequence: UInt64, at: Timestamp)
    /// The device signed the chain up to this point.
    case checkpoint(LogCheckpoint)
    /// The provider was reached.
    case contact(at: Timestamp)

    var kind: OfflineFrame.Kind {
        switch self {
        case .stored: .payment
        case .voided: .void
        case .batched: .batch
        case .submitted: .submitted
        case .accepted: .accepted
        case .resolved: .resolved
        case .reset: .reset
        case .quarantined: .quarantine
        case .released: .release
        case .checkpoint: .checkpoint
        case .contact: .contact
        }
    }

    var payload: [UInt8] {
        var writer = PackedWriter()
        switch self {
        case .stored(let record): return record.payload
        case .voided(let attempt, let sequence, let reason, let at):
            writer.text(attempt.rawValue)
            writer.byte(sequence == nil ? 0 : 1)
            writer.long(sequence ?? 0)
            writer.text(reason)
            writer.signed(at.milliseconds)
        case .batched(let content): content.write(to: &writer)
        case .submitted(let batch, let at):
            writer.text(batch)
            writer.signed(at.milliseconds)
        case .accepted(let receipt, let at):
            receipt.write(to: &writer)
            writer.signed(at.milliseconds)
        case .resolved(let batch, let text, let at), .reset(let batch, let text, let at):
            writer.text(batch)
            writer.text(text)
            writer.signed(at.milliseconds)
        case .quarantined(let sequence, let reason, let at):
            writer.long(sequence)
            writer.text(reason)
            writer.signed(at.milliseconds)
        case .released(let sequence, let at):
            writer.long(sequence)
            writer.signed(at.milliseconds)
        case .checkpoint(let checkpoint): checkpoint.write(to: &writer)
        case .contact(let at): writer.signed(at.milliseconds)
        }
        return writer.bytes
    }

    /// Parses an entry; `nil` for anything that ``payload`` does not produce.
    init?(_ kind: OfflineFrame.Kind, payload: [UInt8]) {
        var reader = PackedReader(payload)
        func moment() -> Timestamp? { reader.signed().map { Timestamp(milliseconds: $0) } }
        switch kind {
        case .header: return nil
        case .payment:
            guard let record = StoredRecord(payload: payload) else { return nil }
            self = .stored(record)
            return
        case .void:
            guard let attempt = reader.text(), let has = reader.byte(), let sequence = reader.long(),
                let reason = reader.text(), let at = moment()
            else { return nil }
            self = .voided(
                AttemptID(rawValue: attempt), sequence: has == 1 ? sequence : nil, reason: reason, at: at)
        case .batch:
            guard let content = BatchContent(&reader) else { return nil }
            self = .batched(content)
        case .submitted:
            guard let batch = reader.text(), let at = moment() else { return nil }
            self = .submitted(batch: batch, at: at)
        case .accepted:
            guard let receipt = BatchReceipt(&reader), let at = moment() else { return nil }
            self = .accepted(receipt, at: at)
        case .resolved, .reset:
            guard let batch = reader.text(), let text = reader.text(), let at = moment() else { return nil }
            self =
                kind == .resolved
                ? .resolved(batch: batch, token: text, at: at) : .reset(batch: batch, reason: text, at: at)
        case .quarantine:
            guard let sequence = reader.long(), let reason = reader.text(), let at = moment() else { return nil }
            self = .quarantined(sequence: sequence, reason: reason, at: at)
        case .release:
            guard let sequence = reader.long(), let at = moment() else { return nil }
            self = .released(sequence: sequence, at: at)
        case .checkpoint:
            guard let checkpoint = LogCheckpoint(&reader) else { return nil }
            self = .checkpoint(checkpoint)
        case .contact:
            guard let at = moment() else { return nil }
            self = .contact(at: at)
        }
        guard reader.isAtEnd else { return nil }
    }
}
