import TillCore

// Commands on stored payments. Pure: each returns the events that follow, or throws the reason that none do.
extension OfflineLedger {
    /// Stores a card.
    /// - Throws: ``OfflineLogError/attemptVoided``, ``OfflineLogError/attemptStored(sequence:)``.
    func store(_ record: StoredRecord) throws(OfflineLogError) -> [OfflineEvent] {
        guard !deadAttempts.contains(record.attempt.rawValue) else { throw .attemptVoided }
        return [.stored(record)]
    }

    /// Groups the oldest unbatched payments into a batch.
    /// - Parameters:
    ///   - members: explicit entries instead of the oldest; all must be unbatched.
    ///   - hash: returns the hash of an entry.
    func fetch(
        size: Int, members chosen: [UInt64]? = nil, hash: (UInt64) throws(OfflineLogError) -> [UInt8],
        at now: Timestamp, signedBy device: OfflineDevice
    ) throws(OfflineLogError) -> BatchContent {
        guard size >= 0 else { throw .wrongState("A batch cannot have \(size) payments.") }
        let limit = min(size == 0 ? BatchContent.mostMembers : size, BatchContent.mostMembers)
        let members = chosen ?? open.prefix(limit).map(\.sequence)
        guard !members.isEmpty else { throw .notFound }
        for member in members where entry(member)?.state != .open {
            throw .wrongState("Entry \(member) is in a batch already, put aside or done.")
        }
        var hashes: [[UInt8]] = []
        for member in members { hashes.append(try hash(member)) }
        let log = header?.log ?? ""
        return BatchContent(
            id: "\(log.prefix(8))-b\(batchCount + 1)", members: members, hashes: hashes, at: now, signedBy: device)
    }

    /// Marks the batch as about to be sent, possibly not for the first time.
    func submit(_ id: String, at now: Timestamp) throws(OfflineLogError) -> [OfflineEvent] {
        guard let batch = batch(id) else { throw .notFound }
        guard batch.receipt == nil else { throw .wrongState("Batch \(id) is decided already.") }
        return [.submitted(batch: id, at: now)]
    }

    /// Records the provider's decisions on every payment of the batch. Payments that the provider cannot process are
    /// quarantined with its reason.
    func accept(_ receipt: BatchReceipt, at now: Timestamp) throws(OfflineLogError) -> [OfflineEvent] {
        guard let batch = batch(receipt.batch) else { throw .notFound }
        guard receipt.decisions.map(\.sequence) == batch.content.members else {
            throw .wrongState("The provider's decisions are not those of batch \(receipt.batch).")
        }
        if case .fetched = batch.state { throw .wrongState("Batch \(receipt.batch) was never sent.") }
        if let before = batch.receipt, before.decisions != receipt.decisions {
            throw .wrongState("The provider has decided about batch \(receipt.batch) in another way before.")
        }
        let poison = receipt.decisions.compactMap { decision -> OfflineEvent? in
            guard case .poison(let reason) = decision.outcome, entry(decision.sequence)?.state == .batched else {
                return nil
            }
            return .quarantined(sequence: decision.sequence, reason: reason, at: now)
        }
        return [.accepted(receipt, at: now)] + poison
    }

    /// Resolves the batch. Requires the provider's deletion token for exactly this batch and these decisions.
    func resolve(_ text: String, at now: Timestamp) throws(OfflineLogError) -> [OfflineEvent] {
        guard let header else { throw .noLog }
        do throws(DeletionTokenError) {
            let token = try DeletionToken(text, signedBy: header.provider.signing)
            guard token.log == header.log else { throw .otherLog }
            guard let batch = batch(token.batch), let receipt = batch.receipt else { throw .otherBatch(token.batch) }
            try token.check(log: header.log, content: batch.content, decisions: receipt.decisions, at: now)
            return [.resolved(batch: token.batch, token: text, at: now)]
        } catch {
            throw .token(error)
        }
    }

    /// Abandons the batch and reopens its payments. Refused once the provider has decided.
    func reset(_ id: String, reason: String, at now: Timestamp) throws(OfflineLogError) -> [OfflineEvent] {
        guard let batch = batch(id) else { throw .notFound }
        guard batch.receipt == nil else {
            throw .wrongState("Batch \(id) is decided by the provider and cannot be given up.")
        }
        return [.reset(batch: id, reason: reason, at: now)]
    }

    /// Quarantines a payment.
    func setAside(_ sequence: UInt64, reason: String, at now: Timestamp) throws(OfflineLogError) -> [OfflineEvent] {
        guard let entry = entry(sequence) else { throw .notFound }
        guard entry.state == .open || entry.state == .batched else {
            throw .wrongState("Entry \(sequence) is \(entry.state) already.")
        }
        return [.quarantined(sequence: sequence, reason: reason, at: now)]
    }

    /// Releases a quarantined payment for forwarding.
    func release(_ sequence: UInt64, at now: Timestamp) throws(OfflineLogError) -> [OfflineEvent] {
        guard let entry = entry(sequence) else { throw .notFound }
        guard entry.state == .quarantined else { throw .wrongState("Entry \(sequence) is not put aside.") }
        if batch(of: sequence) != nil {
            throw .wrongState("Entry \(sequence) is in a batch that is not resolved yet.")
        }
        return [.released(sequence: sequence, at: now)]
    }

    /// Withdraws the last stored payment: only within `window`, and only while it is in no batch.
    func decline(
        _ sequence: UInt64, attempt: AttemptID, reason: String, window: Span, at now: Timestamp
    ) throws(OfflineLogError) -> [OfflineEvent] {
        guard let found = entry(sequence) else { throw .notFound }
        if found.state == .voided { return [] }
        let isLast = entries.last { $0.state != .voided }?.sequence == sequence
        let age = now.since(found.storedAt)
        guard found.state == .open, isLast, age <= window, age.milliseconds >= 0 else { throw .declineOver }
        return [.voided(attempt, sequence: sequence, reason: reason, at: now)]
    }

    /// Bars an attempt without a stored card from ever being stored.
    func bar(_ attempt: AttemptID, reason: String, at now: Timestamp) -> [OfflineEvent] {
        deadAttempts.contains(attempt.rawValue) ? [] : [.voided(attempt, sequence: nil, reason: reason, at: now)]
    }
}
