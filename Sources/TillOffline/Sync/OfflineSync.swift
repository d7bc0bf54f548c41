public import TillCore

/// Forwards stored payments batch by batch. Each batch resumes where it stopped, and a failing one does not block
/// others.
///
/// ```swift
/// let sync = OfflineSync(log: log, forwarder: forwarder, clock: SystemClock()) { record, decision in
///     print("\(record.order): \(decision.outcome)")
///     return .settled
/// }
/// let report = try await sync.run()
/// print(report.approved, report.declined, report.problems)
/// ```
///
/// The order for each batch: assembled (durable) → about to be sent (durable) → sent → decided (durable) → each payment
/// settled in the journal → deletion token verified → resolved (durable). A process that dies at any point leaves a log
/// from which the next one resumes; the provider answers a batch, and each attempt in it, once.
public struct OfflineSync: Sendable {
    /// Writes a decision to the merchant's journal and reports whether it is recorded there.
    public typealias Settle = @Sendable (StoredRecord, RecordDecision) async -> SettleOutcome
    /// Returns `nil` if the journal still wants a payment forwarded, else the reason against it. Throws when the
    /// journal cannot be read: then nothing is quarantined or forwarded until a later run asks again.
    public typealias Check = @Sendable (StoredRecord) async throws -> String?

    /// The result of a settlement.
    public enum SettleOutcome: Hashable, Sendable {
        /// The journal has recorded the decision.
        case settled
        /// The journal could not record the decision; to be retried.
        case notYet(reason: String)
    }

    /// The result of one run.
    public struct Report: Hashable, Sendable {
        /// Payments approved, with the money taken.
        public var approved = 0
        /// Payments declined: their orders are unpaid.
        public var declined = 0
        /// Payments quarantined in this run, with reasons.
        public var quarantined: [UInt64: String] = [:]
        public var resolved = 0
        /// Number of times that a batch was sent.
        public var sent = 0
        /// Reasons that payments remain stored, newest last.
        public var problems: [String] = []
        /// The remaining exposure.
        public var left = OfflineExposure()
        /// The reachability of the provider and the journal, which decides whether the run can continue.
        enum Reach: Hashable, Sendable { case there, out, stuck }
        var reach = Reach.there

        public init() {}
    }

    /// Payments per batch.
    public var batchSize = 200
    /// Payments settled concurrently, so that they share the journal's commits.
    public var together = 64
    /// Sends per batch within one run, before the run moves on to the next.
    public var tries = 8
    /// The longest wait for a busy provider within one run.
    public var longestWait: Span = .minutes(5)
    /// The maximum number of batches per run.
    public static let mostBatches = 100_000

    private let log: OfflineLog
    private let forwarder: any OfflineForwarder
    private let clock: any TillClock
    private let check: Check
    private let settle: Settle
    private let failpoint: @Sendable (String) -> Void

    /// Creates a forwarder for one log.
    /// - Parameter failpoint: called with the name of each step, so that a test can end the process there.
    public init(
        log: OfflineLog, forwarder: any OfflineForwarder, clock: any TillClock,
        check: @escaping Check = { _ in nil }, failpoint: @escaping @Sendable (String) -> Void = { _ in },
        settle: @escaping Settle
    ) {
        self.log = log
        self.forwarder = forwarder
        self.clock = clock
        self.check = check
        self.settle = settle
        self.failpoint = failpoint
    }

    /// Forwards everything that can be forwarded now.
    public func run() async throws(OfflineLogError) -> Report {
        var report = Report()
        var failed: Set<String> = []
        for _ in 0..<OfflineSync.mostBatches {
            if Task.isCancelled { break }
            guard let batch = try await next(except: failed, &report) else { break }
            if try await !forward(batch, &report) { failed.insert(batch.content.id) }
            if report.reach != .there { break }
        }
        try log.compact()
        report.left = try log.book().exposure
        return report
    }

    /// Returns the oldest unresolved batch, else a new one.
    private func next(
        except failed: Set<String>, _ report: inout Report
    ) async throws(OfflineLogError) -> OfflineBatch? {
        let book = try log.book()
        if let open = book.batches.first(where: { !failed.contains($0.content.id) }) { return open }
        guard try await setAsideUnwanted(book, &report) else { return nil }
        do throws(OfflineLogError) {
            let batch = try await log.fetchBatch(size: batchSize)
            failpoint("batch fetched")
            return batch
        } catch .notFound {
            return nil
        } catch {
            throw error
        }
    }

    /// Quarantines payments that the journal does not know or no longer wants, before they could be charged.
    /// - Returns: `false` if the journal could not be read, which implies nothing about the payment.
    private func setAsideUnwanted(_ book: OfflineLedger, _ report: inout Report) async throws(OfflineLogError) -> Bool {
        for entry in book.open.prefix(batchSize) {
            let record = try log.record(entry.sequence).record
            let reason: String?
            do { reason = try await check(record) } catch {
                report.problems.append(
                    "Payment \(record.payment) stays stored: the journal could not be asked about it: \(error)")
                return false
            }
            guard let reason else { continue }
            try await log.setAside(entry.sequence, reason: reason)
            report.quarantined[entry.sequence] = reason
        }
        return true
    }

    /// Advances one batch as far as possible. Returns `false` if it is not resolved.
    private func forward(_ first: OfflineBatch, _ report: inout Report) async throws(OfflineLogError) -> Bool {
        var batch = first
        for attempt in 0..<tries {
            if let receipt = batch.receipt {
                if try await finish(receipt, batch, &report) { return true }
                // The token was invalid, or the journal did not record all decisions: ask the provider once more.
                guard attempt + 1 < tries, report.reach == .there else { return false }
            }
            guard let newer = try await send(batch, attempt, &report) else { return false }
            batch = newer
        }
        return false
    }

    private func send(
        _ batch: OfflineBatch, _ attempt: Int, _ report: inout Report
    ) async throws(OfflineLogError) -> OfflineBatch? {
        let id = batch.content.id
        if batch.receipt == nil { try await log.submit(id) }
        failpoint("batch submitted")
        let upload = try log.upload(batch)
        report.sent += 1
        let answer = await forwarder.forward(upload)
        failpoint("batch answered")
        switch answer {
        case .accepted(let receipt):
            do throws(OfflineLogError) {
                try await log.accept(receipt)
            } catch .wrongState(let why) {
                report.problems.append("Batch \(id): \(why)")
                return nil
            } catch {
                throw error
            }
            try await log.noteContact()
            failpoint("batch accepted")
            for decision in receipt.decisions {
                if case .poison(let reason) = decision.outcome { report.quarantined[decision.sequence] = reason }
            }
        case .refused(let reason):
            try await split(batch, reason, &report)
            return nil
        case .busy(let span):
            guard await wait(min(span, longestWait)) else { return nil }
        case .notSent(let reason):
            report.problems.append("Batch \(id) was not sent: \(reason).")
            report.reach = .out
            return nil
        case .unknown(let reason):
            report.problems.append("Batch \(id) was sent and not answered: \(reason).")
            guard await wait(OfflineSync.pause(after: attempt)) else { return nil }
        }
        return try log.book().batch(id)
    }

    /// Returns the backoff: half a second, doubling to half a minute.
    static func pause(after attempt: Int) -> Span { .milliseconds(min(30_000, 500 << Int64(min(attempt, 6)))) }

    private func wait(_ span: Span) async -> Bool {
        await clock.pause(for: span)
    }

    /// Halves a batch that the provider rejects until the offending payment is alone; that payment is quarantined, and
    /// the others continue.
    private func split(
        _ batch: OfflineBatch, _ reason: String, _ report: inout Report
    ) async throws(OfflineLogError) {
        let members = batch.content.members
        try await log.reset(batch.content.id, reason: reason)
        guard members.count > 1 else {
            guard let only = members.first else { return }
            try await log.setAside(only, reason: reason)
            report.quarantined[only] = reason
            return
        }
        let half = members.count / 2
        _ = try await log.fetchBatch(members: Array(members[..<half]))
        _ = try await log.fetchBatch(members: Array(members[half...]))
    }

    /// Settles every payment in the journal, then resolves the batch with the provider's deletion token.
    private func finish(
        _ receipt: BatchReceipt, _ batch: OfflineBatch, _ report: inout Report
    ) async throws(OfflineLogError) -> Bool {
        let wanted = receipt.decisions.filter { if case .poison = $0.outcome { false } else { true } }
        var place = 0
        while place < wanted.count {
            let group = wanted[place..<min(place + together, wanted.count)]
            var records: [(StoredRecord, RecordDecision)] = []
            for decision in group { records.append((try log.record(decision.sequence).record, decision)) }
            let settle = settle
            let outcomes = await withTaskGroup(of: SettleOutcome.self) { tasks in
                for (record, decision) in records { tasks.addTask { await settle(record, decision) } }
                var outcomes: [SettleOutcome] = []
                for await outcome in tasks { outcomes.append(outcome) }
                return outcomes
            }
            if case .notYet(let reason)? = outcomes.first(where: { $0 != .settled }) {
                report.problems.append("Batch \(batch.content.id) is decided, but the journal is behind: \(reason)")
                report.reach = .stuck
                return false
            }
            place += group.count
            failpoint("payments settled")
        }
        do throws(OfflineLogError) {
            try await log.resolve(receipt.token)
        } catch .token(let error) {
            report.problems.append("Batch \(batch.content.id) stays: \(error)")
            return false
        } catch {
            throw error
        }
        failpoint("batch resolved")
        report.resolved += 1
        for decision in wanted {
            if case .approved = decision.outcome { report.approved += 1 } else { report.declined += 1 }
        }
        return true
    }
}
