public import TillCore

/// The stored payments and their progress: the fold of the log's entries. A value without I/O.
///
/// Invariants after every event: a payment is in at most one unresolved batch; a payment leaves the ledger only when
/// resolved with the provider's deletion token, or voided; a quarantined payment stays until it is released.
public struct OfflineLedger: Sendable {
    /// The log's identity, device and provider; `nil` before the first entry.
    public internal(set) var header: LogHeader?
    /// Stored payments, oldest first. Completed ones are dropped periodically.
    private(set) var entries: [StoredEntry] = []
    /// Unresolved batches, oldest first.
    public private(set) var batches: [OfflineBatch] = []
    /// Quarantine reasons by entry.
    public private(set) var quarantine: [UInt64: String] = [:]
    /// Voided attempts, for which no card may be stored.
    private(set) var deadAttempts: Set<String> = []
    /// Time of the last contact with the provider.
    public private(set) var lastContact: Timestamp?
    /// The latest time recorded in the log.
    public private(set) var latestTime: Timestamp?
    /// Number of batches created so far.
    public private(set) var batchCount = 0
    /// Number of payments resolved so far.
    public private(set) var resolvedCount = 0
    /// Number of payments voided so far.
    public private(set) var voidedCount = 0
    /// Stored payments that are neither resolved nor voided.
    public private(set) var exposure = OfflineExposure()
    /// Payments with deleted card data in a batch that is not resolved (yet).
    private(set) var removedUnresolved: Set<UInt64> = []
    private var doneEntries = 0

    public init() {}

    // MARK: Queries

    /// Returns a stored payment that has not been dropped yet.
    public func entry(_ sequence: UInt64) -> StoredEntry? { index(of: sequence).map { entries[$0] } }

    /// Stored payments that are neither resolved nor voided, oldest first.
    public var pending: some Sequence<StoredEntry> {
        entries.lazy.filter { $0.state != .resolved && $0.state != .voided }
    }

    /// Payments in no batch, oldest first.
    public var open: some Sequence<StoredEntry> { entries.lazy.filter { $0.state == .open } }

    /// Returns entries that may belong to this attempt, newest first. The match is by tag only; compare the record
    /// itself.
    func candidates(for attempt: AttemptID) -> [StoredEntry] {
        let tag = RecordTag.of(attempt.rawValue)
        return entries.reversed().filter { $0.attemptTag == tag }
    }

    /// Returns the batch that contains a payment.
    public func batch(of sequence: UInt64) -> OfflineBatch? {
        batches.last { $0.content.members.contains(sequence) }
    }

    /// Returns the batch with this identifier.
    public func batch(_ id: String) -> OfflineBatch? { batches.first { $0.content.id == id } }

    /// Returns the provider's decision on a payment in a batch that is accepted but not resolved.
    public func decision(_ sequence: UInt64) -> RecordDecision? {
        for batch in batches.reversed() {
            if let found = batch.receipt?.decisions.first(where: { $0.sequence == sequence }) { return found }
        }
        return nil
    }

    /// Returns the number of times that a card was stored since a moment.
    func taps(ofCard tag: UInt64, since moment: Timestamp) -> Int {
        guard tag != 0 else { return 0 }
        var count = 0
        for entry in entries.reversed() {
            if entry.storedAt < moment { break }
            if entry.cardTag == tag, entry.state != .voided { count += 1 }
        }
        return count
    }

    private func index(of sequence: UInt64) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].sequence == sequence ? low : nil
    }

    // MARK: Applying

    /// Adds a stored payment.
    mutating func add(_ entry: StoredEntry) {
        entries.append(entry)
        if entry.isRemoved {
            removedUnresolved.insert(entry.sequence)
        } else {
            exposure.add(entry)
            see(entry.storedAt)
        }
    }

    /// Applies one event. Total: an event that does not apply changes nothing.
    mutating func evolve(_ event: OfflineEvent, sequence: UInt64, offset: Int) {
        switch event {
        case .stored(let record): add(StoredEntry(record, sequence: sequence, offset: offset))
        case .voided(let attempt, let target, _, let at):
            see(at)
            deadAttempts.insert(attempt.rawValue)
            guard let target else { return }
            change(target) { $0 == .open || $0 == .quarantined ? .voided : $0 }
            quarantine[target] = nil
        case .batched(let content):
            see(content.at)
            batchCount += 1
            batches.append(OfflineBatch(content: content, state: .fetched))
            for member in content.members { change(member) { $0 == .open ? .batched : $0 } }
        case .submitted(let id, let at):
            see(at)
            changeBatch(id) { batch in
                switch batch.state {
                case .fetched: batch.state = .submitted(times: 1)
                case .submitted(let times): batch.state = .submitted(times: times + 1)
                case .accepted: break
                }
            }
        case .accepted(let receipt, let at):
            see(at)
            changeBatch(receipt.batch) { $0.state = .accepted(receipt) }
        case .resolved(let id, _, let at):
            see(at)
            guard let batch = batch(id) else { return }
            for member in batch.content.members { change(member) { $0 == .batched ? .resolved : $0 } }
            batches.removeAll { $0.content.id == id }
        case .reset(let id, _, let at):
            see(at)
            guard let batch = batch(id), batch.receipt == nil else { return }
            for member in batch.content.members { change(member) { $0 == .batched ? .open : $0 } }
            batches.removeAll { $0.content.id == id }
        case .quarantined(let target, let reason, let at):
            see(at)
            change(target) { $0 == .open || $0 == .batched ? .quarantined : $0 }
            if entry(target)?.state == .quarantined { quarantine[target] = reason }
        case .released(let target, let at):
            see(at)
            change(target) { $0 == .quarantined ? .open : $0 }
            quarantine[target] = nil
        case .checkpoint(let checkpoint): see(checkpoint.at)
        case .contact(let at):
            see(at)
            lastContact = at
        }
    }

    private mutating func see(_ moment: Timestamp) { latestTime = max(latestTime ?? moment, moment) }

    private mutating func changeBatch(_ id: String, _ body: (inout OfflineBatch) -> Void) {
        guard let index = batches.firstIndex(where: { $0.content.id == id }) else { return }
        body(&batches[index])
    }

    private mutating func change(_ sequence: UInt64, _ next: (StoredEntry.State) -> StoredEntry.State) {
        guard let index = index(of: sequence) else { return }
        let before = entries[index].state
        let after = next(before)
        guard after != before else { return }
        entries[index].state = after
        guard after == .resolved || after == .voided else { return }
        if after == .resolved { resolvedCount += 1 } else { voidedCount += 1 }
        removedUnresolved.remove(sequence)
        doneEntries += 1
        if !entries[index].isRemoved { exposure.remove(entries[index]) }
        guard doneEntries > 4_096, doneEntries * 2 > entries.count else {
            if exposure.oldest == nil { exposure.oldest = oldest() }
            return
        }
        entries.removeAll { $0.state == .resolved || $0.state == .voided }
        doneEntries = 0
        if exposure.oldest == nil { exposure.oldest = oldest() }
    }

    private func oldest() -> OfflineExposure.Oldest? {
        pending.first { _ in true }.map { OfflineExposure.Oldest(at: $0.storedAt, expires: $0.expires) }
    }
}

/// The merchant's exposure: everything stored and not completed.
public struct OfflineExposure: Hashable, Sendable {
    /// Storage time and expiry of the oldest payment.
    public struct Oldest: Hashable, Sendable {
        /// Time at which the card was read.
        public var at: Timestamp
        /// Time until which the provider accepts it.
        public var expires: Timestamp
    }

    public private(set) var count = 0
    /// Total in minor units, by ISO 4217 code.
    public private(set) var sums: [String: Int64] = [:]
    /// The oldest of the payments.
    public internal(set) var oldest: Oldest?

    public init() {}

    mutating func add(_ entry: StoredEntry) {
        count += 1
        let (sum, overflow) = (sums[entry.currencyCode] ?? 0).addingReportingOverflow(entry.minorUnits)
        sums[entry.currencyCode] = overflow ? .max : sum
        if oldest == nil { oldest = Oldest(at: entry.storedAt, expires: entry.expires) }
    }

    mutating func remove(_ entry: StoredEntry) {
        count -= 1
        let left = (sums[entry.currencyCode] ?? 0).subtractingReportingOverflow(entry.minorUnits).partialValue
        sums[entry.currencyCode] = left == 0 ? nil : left
        if oldest?.at == entry.storedAt { oldest = nil }
    }
}
