import HTTPTypes
import Synchronization
import TillCheckout
import TillCore
import TillJournal

/// Whether recovery comes round and the journal takes writes, proved by a write, and what stands in it. The latter two
/// are asked for by anybody, so each is checked at most once in ``lifetime`` however often it is asked for.
final class Readiness: Sendable {
    /// How long an answer is given again.
    static let lifetime = Span.seconds(1)
    /// How long the journal may take before the counter is not ready.
    static let patience = Span.seconds(2)

    private struct State {
        var problem: Problem?
        var checked: MeasuredMoment?
        var samples: (JournalMetrics, Waiting)?
        var counted: MeasuredMoment?
    }

    /// What waits for a person.
    struct Waiting: Sendable {
        /// Open incidents, and those of them that are about statements.
        var incidents = 0
        var statementIncidents = 0
        /// 1 while a restored journal is not swept.
        var sweepsDue = 0
        var ordersHeld = 0
        /// Payments with something to be reviewed.
        var payments = 0
        /// Since when the first of all that waits.
        var oldest: Timestamp?
    }

    private let state = Mutex(State())
    private let journal: any CounterStore
    private let recovery: @Sendable () -> RecoveryStanding
    private let clock: any TillClock
    /// An answer ages by both clocks, so that none is given again for as long as the time was set back.
    private let measuring: MeasuringClock

    /// - Parameter recovery: how recovery of this process does.
    init(
        journal: any CounterStore, recovery: @escaping @Sendable () -> RecoveryStanding, clock: any TillClock,
        reading: @escaping @Sendable () -> Span = SystemClock.reading
    ) {
        self.journal = journal
        self.recovery = recovery
        self.clock = clock
        measuring = MeasuringClock(clock, reading: reading)
    }

    /// - Throws: ``Problem`` with 503 if another process has taken over, recovery has stopped, the journal does not take
    ///   writes now, or it was restored and not swept yet.
    func check() async throws {
        let now = measuring.now()
        guard !journal.isLeaseLost else {
            throw Problem(
                .serviceUnavailable, "not_ready", "The lease is lost: \(JournalError.leaseLost)",
                next: "It ends by itself. Start it again.")
        }
        if let silence = recovery().overdue(at: now.at, reading: now.reading) {
            throw Problem(
                .serviceUnavailable, "not_ready",
                "Recovery has not run for \(silence.milliseconds / 1000) s: payments whose outcome is open stay "
                    + "open.", next: "See the log for what holds it up, and start the counter again."
            ).retrying(after: 5)
        }
        if let known = state.withLock({ state in
            state.checked.flatMap { $0.age(at: now) < Readiness.lifetime ? .some(state.problem) : nil }
        }) {
            if let known { throw known }
            return
        }
        let problem = await probe()
        state.withLock { state in
            state.problem = problem
            state.checked = now
        }
        if let problem { throw problem }
    }

    /// The first of two answers: that of the write, or that it takes too long. A write that waits for the disk cannot
    /// be canceled, so nobody waits for it here; the journal itself gives up after some seconds.
    private func probe() async -> Problem? {
        let (answers, answer) = AsyncStream.makeStream(of: Problem?.self)
        let (journal, clock) = (journal, clock)
        Task {
            do throws(JournalError) {
                try await journal.checkWriting()
                answer.yield(try await RestoreSweep.due(in: journal).map { Readiness.restoring($0) })
            } catch { answer.yield(Readiness.notReady("The journal takes no writes: \(error)")) }
        }
        let patience = Task {
            try await clock.sleep(for: Readiness.patience)
            answer.yield(
                Readiness.notReady(
                    "The journal did not take a write within \(Readiness.patience.milliseconds) ms."))
        }
        defer { patience.cancel() }
        for await first in answers { return first }
        return nil
    }

    /// It takes writes, and nothing may be sold.
    private static func restoring(_ sweep: RestoreSweep) -> Problem {
        Problem(.serviceUnavailable, "restoring", sweep.description, next: sweep.next).retrying(after: 5)
    }

    private static func notReady(_ detail: String) -> Problem {
        Problem(
            .serviceUnavailable, "not_ready", detail, next: "Check the disk and the rights on the journal's file."
        ).retrying(after: 5)
    }

    /// The journal's metrics and what waits, at most ``lifetime`` old.
    func samples() async throws(JournalError) -> (JournalMetrics, Waiting) {
        let now = measuring.now()
        if let known = state.withLock({ state in
            state.counted.flatMap { $0.age(at: now) < Readiness.lifetime ? state.samples : nil }
        }) {
            return known
        }
        let samples = (try await journal.metrics(at: now.at), try await waiting())
        state.withLock { state in
            state.samples = samples
            state.counted = now
        }
        return samples
    }

    private func waiting() async throws(JournalError) -> Waiting {
        let queue = try await AttentionQueue(journal).standing()
        let first = try await journal.records(
            RecordQuery(Incident.collection, matching: Incident.open, .oldestFirst(), limit: 1)
        ).first
        let since = try first.map { (kept) throws(JournalError) in try Incident(kept).at }
        return Waiting(
            incidents: try await journal.count(Incident.collection, matching: Incident.open),
            statementIncidents: try await journal.count(
                Incident.collection, matching: Incident.openOnes(of: .statement)),
            sweepsDue: try await journal.count(RestoreSweep.collection, matching: nil),
            ordersHeld: try await journal.count(OrderHold.collection, matching: nil), payments: queue.payments,
            oldest: [queue.oldest, since].compactMap { $0 }.min())
    }
}
