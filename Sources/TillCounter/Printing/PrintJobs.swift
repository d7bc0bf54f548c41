public import TillCore
public import TillJournal

/// The print jobs in a record store, shared by any number of processes; each job is sent by one of them. Every change
/// is durable when its method returns.
public struct PrintJobs: Sendable {
    /// The maximum number of jobs in one list.
    public static let maximumListed = 500
    /// The maximum number of queued jobs of an account on printers of another account.
    package static let maximumWaiting = 100
    /// The maximum length of a stored note in bytes.
    static let maximumNote = 500
    /// The maximum number of uncertain jobs queried at once.
    static let maximumUncertain = 50

    private let records: Records<PrintJob>

    /// Creates the print jobs of a record store.
    public init(_ store: any RecordStore) { records = Records(store) }

    /// Records a receipt to be printed.
    package func add(_ job: PrintJob) async throws(JournalError) { try await records.insert(job) }

    /// Claims a queued job for this process; the first byte may be sent afterwards.
    /// - Returns: `false` if it is no longer queued because another process has claimed it.
    package func begin(_ id: String) async throws(JournalError) -> Bool {
        let begun = try await records.update(id) { job in
            guard job.state == .waiting else { return false }
            job.state = .sending
            job.number = nil
            job.isBegun = false
            job.tries += 1
            return true
        }
        return begun != nil
    }

    /// Records the printer's job number of a job being sent.
    package func note(number: Int, of id: String) async throws(JournalError) {
        try await records.update(id) { job in
            job.number = number
            return job.state == .sending
        }
    }

    /// Records that the first byte is sent next. Before this nothing can be on paper.
    func noteBegun(_ id: String) async throws(JournalError) {
        try await records.update(id) { job in
            job.isBegun = true
            return job.state == .sending
        }
    }

    /// Records the outcome; `waiting` if nothing was sent.
    /// - Parameters:
    ///   - reason: The code of the error that kept it from being sent; `nil` if none did.
    ///   - nextTryAt: The time of the next automatic attempt of a queued job.
    package func end(
        _ id: String, as state: PrintJob.State, note: String, reason: String? = nil, nextTryAt: Timestamp? = nil
    ) async throws(JournalError) {
        try await records.update(id) { job in
            job.state = state
            job.note = ProviderText.cut(note, atMost: PrintJobs.maximumNote)
            job.reason = reason
            job.nextTryAt = nextTryAt ?? job.nextTryAt
            return true
        }
    }

    /// Ends a queued job without printing it.
    /// - Returns: `false` if it is not queued: it is being sent, or has ended.
    package func endWaiting(_ id: String, as state: PrintJob.State, note: String) async throws(JournalError) -> Bool {
        let ended = try await records.update(id) { job in
            guard job.state == .waiting else { return false }
            job.state = state
            job.note = ProviderText.cut(note, atMost: PrintJobs.maximumNote)
            return true
        }
        return ended != nil
    }

    /// Returns a job.
    func job(_ id: String) async throws(JournalError) -> PrintJob? { try await records.document(id) }

    /// Returns jobs newer than a time with an outcome known only to the printer.
    func uncertain(since: Timestamp) async throws(JournalError) -> [PrintJob] {
        let found = try await records.list(matching: PrintJobs.state(.mayHavePrinted), .newestFirst())
        return found.filter { $0.number != nil && $0.createdAt > since }.suffix(PrintJobs.maximumUncertain).reversed()
    }

    /// Returns queued jobs, oldest first.
    /// - Parameter moment: Restricts the list to jobs due by then.
    package func waiting(dueBy moment: Timestamp? = nil) async throws(JournalError) -> [PrintJob] {
        try await records.list(
            matching: PrintJobs.state(.waiting), moment.map { .due(by: $0) } ?? .oldestFirst(),
            limit: PrintJobs.maximumListed)
    }

    /// Returns the number of an account's queued jobs.
    package func count(waitingOf account: AccountID) async throws(JournalError) -> Int {
        try await records.count(matching: RecordMatch(PrintJob.waitingOf, account.rawValue))
    }

    /// Returns the jobs of a payment, oldest first; with `nil` every job queued or being sent.
    public func jobs(of payment: PaymentID?) async throws(JournalError) -> [PrintJob] {
        if let payment {
            return try await records.list(
                matching: RecordMatch("payment", payment.rawValue), limit: PrintJobs.maximumListed)
        }
        let sending = try await records.list(matching: PrintJobs.state(.sending), limit: PrintJobs.maximumListed)
        let open = try await waiting() + sending
        return Array(
            open.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.prefix(PrintJobs.maximumListed))
    }

    /// Returns jobs newer than a time that failed, oldest first.
    public func failed(since: Timestamp) async throws(JournalError) -> [PrintJob] {
        let found = try await records.list(matching: PrintJobs.state(.failed), .newestFirst())
        return found.filter { $0.createdAt > since }.reversed()
    }

    /// Claims jobs that dead processes were sending. They remain `sending`, now held by this process.
    func takeOver() async throws(JournalError) -> [PrintJob] {
        var taken: [PrintJob] = []
        for job in try await records.list(matching: PrintJobs.state(.sending), limit: PrintJobs.maximumListed) {
            guard PrintJobs.isLeft(job) else { continue }
            if let ours = try await records.update(job.id, { PrintJobs.isLeft($0) }) { taken.append(ours) }
        }
        return taken
    }

    /// Returns `true` if the sending process has died.
    private static func isLeft(_ job: PrintJob) -> Bool {
        job.state == .sending && (job.holder == .deadProcess || job.holder == .nobody)
    }

    private static func state(_ state: PrintJob.State) -> RecordMatch { RecordMatch("state", state.rawValue) }
}
