public import TillCore

/// The storage of a counter: the journal, the record store in the same commits, and maintenance operations.
public protocol CounterStore: Journal, RecordStore, AuditLog {
    /// The path of the journal. Related files of a counter are in the same folder and begin with this name.
    var path: String { get }
    /// Statistics of the writer since it was opened.
    var statistics: JournalStatistics { get }
    /// Returns the number of payments by status, and of pending work.
    func metrics(at moment: Timestamp) async throws(JournalError) -> JournalMetrics
    /// Proves that the journal accepts writes: makes a durable commit that changes nothing.
    /// - Throws: ``JournalError/unavailable(_:)`` if it does not.
    func checkWriting() async throws(JournalError)
    /// `true` once another process has taken over the lease, because this process was stalled for longer than its
    /// duration. Permanent: every further write is refused, and the process must end.
    var isLeaseLost: Bool { get }
    /// Verifies every invariant of the journal over all its contents, while writers continue.
    /// - Parameters:
    ///   - known: a head of its chain that was recorded earlier and must still be in it.
    ///   - audit: the same for its audit log.
    func verify(known: ChainHead?, audit: ChainHead?) async throws(JournalError) -> VerificationReport
    /// Returns the identity of the journal and the durable head of its chain.
    /// - Throws: ``JournalError/corrupted(_:)`` if the stored head does not match the last event; such a head must not
    ///   be signed.
    func head() async throws(JournalError) -> JournalHead
    /// Copies the journal to a new file while it is in use: a consistent snapshot.
    /// - Returns: the heads of the copy's chains, to be stored apart from it.
    func copy(to path: String) async throws(JournalError) -> JournalHead
    /// Returns the processes that have the journal open, including this one, in the order in which they opened it.
    func nodes() async throws(JournalError) -> [JournalNode]
    /// Declares the current file a restored backup: starts a new epoch and schedules a sweep of the providers. Durable
    /// when it returns; allowed while the journal is in use.
    func restoreInPlace() async throws(JournalError) -> RestoreEpoch
    /// Commits queued writes and closes the journal. Later calls throw ``JournalError/closed``; everything this process
    /// holds is released.
    func close() async throws(JournalError)
}

extension CounterStore {
    /// Verifies every invariant of the journal, without a known head.
    public func verify() async throws(JournalError) -> VerificationReport { try await verify(known: nil) }

    /// Copies the journal to a new file while it is in use, as ``copy(to:)`` does.
    /// - Returns: the head of the copy's events, to be stored apart from it.
    @discardableResult
    public func backup(to path: String) async throws(JournalError) -> ChainHead { try await copy(to: path).head }

    /// Verifies every invariant of the journal, against a known head of its events alone.
    public func verify(known: ChainHead?) async throws(JournalError) -> VerificationReport {
        try await verify(known: known, audit: nil)
    }
}
