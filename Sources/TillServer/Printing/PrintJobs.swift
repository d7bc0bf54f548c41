public import TillCore
public import TillJournal

/// The receipts on their way to paper, in a record store: any number of processes print, and each receipt is sent by
/// one of them. Every change is durable when its method returns.
public struct PrintJobs: Sendable {
    /// Most receipts of one list.
    public static let maximumListed = 500
    /// Most bytes of a note that is kept.
    static let maximumNote = 500
    /// Most receipts that are asked about again at once.
    static let maximumUncertain = 50

    private let records: Records<PrintJob>

    /// Those of a store.
    public init(_ store: any RecordStore) { records = Records(store) }

    /// Writes a receipt down that is to be printed.
    func add(_ job: PrintJob) async throws(JournalError) { try await records.insert(job) }

    /// Takes a waiting receipt for this process; the first byte may go after it.
    /// - Returns: `false` if it does not wait any more: somebody else has it.
    func begin(_ id: String) async throws(JournalError) -> Bool {
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

    /// Notes the printer's number for a receipt that is being sent.
    func note(number: Int, of id: String) async throws(JournalError) {
        try await records.update(id) { job in
            job.number = number
            return job.state == .sending
        }
    }

    /// Notes that the first byte of a receipt goes next. Before this nothing can be on paper.
    func noteBegun(_ id: String) async throws(JournalError) {
        try await records.update(id) { job in
            job.isBegun = true
            return job.state == .sending
        }
    }

    /// Records how it ended; `waiting` if nothing was sent.
    /// - Parameter nextTryAt: when one that waits is tried again by itself.
    func end(
        _ id: String, as state: PrintJob.State, note: String, nextTryAt: Timestamp? = nil
    ) async throws(JournalError) {
        try await records.update(id) { job in
            job.state = state
            job.note = ProviderText.cut(note, atMost: PrintJobs.maximumNote)
            job.nextTryAt = nextTryAt ?? job.nextTryAt
            return true
        }
    }

    /// Ends one that waits without printing it.
    /// - Returns: `false` if it does not wait: it is being sent, or has ended.
    func endWaiting(_ id: String, as state: PrintJob.State, note: String) async throws(JournalError) -> Bool {
        let ended = try await records.update(id) { job in
            guard job.state == .waiting else { return false }
            job.state = state
            job.note = ProviderText.cut(note, atMost: PrintJobs.maximumNote)
            return true
        }
        return ended != nil
    }

    /// One receipt that was to be printed.
    func job(_ id: String) async throws(JournalError) -> PrintJob? { try await records.document(id) }

    /// Receipts of which only the printer knows what became of them, newer than a time.
    func uncertain(since: Timestamp) async throws(JournalError) -> [PrintJob] {
        let found = try await records.list(matching: PrintJobs.state(.mayHavePrinted), .newestFirst())
        return found.filter { $0.number != nil && $0.createdAt > since }.suffix(PrintJobs.maximumUncertain).reversed()
    }

    /// Receipts that wait, oldest first.
    /// - Parameter moment: only those that are to be tried again by then.
    func waiting(dueBy moment: Timestamp? = nil) async throws(JournalError) -> [PrintJob] {
        try await records.list(
            matching: PrintJobs.state(.waiting), moment.map { .due(by: $0) } ?? .oldestFirst(),
            limit: PrintJobs.maximumListed)
    }

    /// How many receipts of an account wait.
    func count(waitingOf account: AccountID) async throws(JournalError) -> Int {
        try await records.count(matching: RecordMatch(PrintJob.waitingOf, account.rawValue))
    }

    /// The receipts of a payment that were to be printed, oldest first; with `nil` all that wait or are being sent.
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

    /// Takes over receipts that processes were sending when they died. They stay `sending`, now of this process.
    func takeOver() async throws(JournalError) -> [PrintJob] {
        var taken: [PrintJob] = []
        for job in try await records.list(matching: PrintJobs.state(.sending), limit: PrintJobs.maximumListed) {
            guard PrintJobs.isLeft(job) else { continue }
            if let ours = try await records.update(job.id, { PrintJobs.isLeft($0) }) { taken.append(ours) }
        }
        return taken
    }

    /// The process that was sending it has died.
    private static func isLeft(_ job: PrintJob) -> Bool {
        job.state == .sending && (job.holder == .deadProcess || job.holder == .nobody)
    }

    private static func state(_ state: PrintJob.State) -> RecordMatch { RecordMatch("state", state.rawValue) }
}
