public import TillCore

/// All that a counter needs of its storage: the journal, the record store in the same commits, and what its keepers
/// ask.
public protocol CounterStore: Journal, RecordStore, AuditLog {
    /// The journal's place. Files of a counter that belong to it lie beside it and begin with this name.
    var path: String { get }
    /// How its writer has done since it was opened.
    var statistics: JournalStatistics { get }
    /// How many payments there are by status, and what is pending.
    func metrics(at moment: Timestamp) async throws(JournalError) -> JournalMetrics
    /// Proves that it takes writes: makes a durable commit that changes nothing.
    /// - Throws: ``JournalError/unavailable(_:)`` if it does not.
    func checkWriting() async throws(JournalError)
    /// Another process has taken over what this one held, because it was stalled for longer than its lease. It stays
    /// so: nothing is written any more, and the process has to end.
    var isLeaseLost: Bool { get }
    /// Checks every rule that the journal promises, over everything in it, while writers continue.
    /// - Parameters:
    ///   - known: a head of its chain that was noted down earlier and must still be in it.
    ///   - audit: the same of its audit log.
    func verify(known: ChainHead?, audit: ChainHead?) async throws(JournalError) -> VerificationReport
    /// Which journal it is, and where its chain ends now: durable, and the link of the last event.
    /// - Throws: ``JournalError/corrupted(_:)`` if what the journal says of its end is not so; such a head is not to be
    ///   signed.
    func head() async throws(JournalError) -> JournalHead
    /// Copies it to a new file while it runs: a consistent state of one moment.
    /// - Returns: the heads of the copy's chains, to be kept apart from it.
    func copy(to path: String) async throws(JournalError) -> JournalHead
    /// The processes that have it open, this one among them, in the order in which they opened it.
    func nodes() async throws(JournalError) -> [JournalNode]
    /// Takes it as it stands for a backup of what was sold: a new epoch, and a sweep of the providers that is due.
    /// Durable when it returns; while it is in use, too.
    func restoreInPlace() async throws(JournalError) -> RestoreEpoch
    /// Commits what is queued and closes it. Later calls throw ``JournalError/closed``; what this process still holds
    /// is free for others.
    func close() async throws(JournalError)
}

extension CounterStore {
    /// Checks every rule that the journal promises, against no head that was noted down.
    public func verify() async throws(JournalError) -> VerificationReport { try await verify(known: nil) }

    /// Copies it to a new file while it runs, as ``copy(to:)`` does.
    /// - Returns: the head of the copy's events, to be kept apart from it.
    @discardableResult
    public func backup(to path: String) async throws(JournalError) -> ChainHead { try await copy(to: path).head }

    /// Checks every rule that the journal promises, against a head of its events alone.
    public func verify(known: ChainHead?) async throws(JournalError) -> VerificationReport {
        try await verify(known: known, audit: nil)
    }
}
