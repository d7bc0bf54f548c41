import HTTPTypes
import Synchronization
package import TillCheckout
package import TillCore
import TillCounter
package import TillJournal

/// The counter's readiness: recovery runs and the journal accepts writes, proved by a write. It also samples the
/// journal's metrics. Both are reachable by open probes, so each is refreshed at most once in ``lifetime`` however
/// often it is queried.
package final class Readiness: Sendable {
    /// The cache lifetime of a result.
    package static let lifetime = Span.seconds(1)
    /// The time after which an unfinished journal write makes the counter not ready.
    package static let patience = Span.seconds(2)

    private struct State {
        var problem: Problem?
        var checked: MeasuredMoment?
        var samples: (JournalMetrics, Waiting)?
        var counted: MeasuredMoment?
    }

    /// Items that wait for an operator.
    package struct Waiting: Sendable {
        /// The open incidents, and those about statements.
        package var incidents = 0
        package var statementIncidents = 0
        /// 1 while a restored journal is not swept.
        package var sweepsDue = 0
        package var ordersHeld = 0
        /// The payments to review.
        package var payments = 0
        /// The time of the oldest waiting item.
        package var oldest: Timestamp?
    }

    private let state = Mutex(State())
    private let journal: any CounterStore
    private let recovery: @Sendable () -> RecoveryStanding
    private let clock: any TillClock
    /// A result ages by both clocks, so that setting the time back does not prolong it.
    private let measuring: MeasuringClock

    /// - Parameter recovery: Returns the state of this process's recovery.
    package init(
        journal: any CounterStore, recovery: @escaping @Sendable () -> RecoveryStanding, clock: any TillClock,
        reading: @escaping @Sendable () -> Span = SystemClock.reading
    ) {
        self.journal = journal
        self.recovery = recovery
        self.clock = clock
        measuring = MeasuringClock(clock, reading: reading)
    }

    /// - Throws: ``Problem`` with 503 if another process has taken over, recovery has stopped, the journal accepts no
    ///   writes, or it was restored and not swept yet.
    package func check() async throws {
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

    /// Returns the result of the write or of the timeout, whichever comes first. A write that waits for the disk cannot
    /// be canceled and is abandoned here; the journal itself times out after some seconds.
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

    /// Returns the problem of a journal that accepts writes while sales are suspended.
    private static func restoring(_ sweep: RestoreSweep) -> Problem {
        Problem(.serviceUnavailable, "restoring", sweep.description, next: sweep.next).retrying(after: 5)
    }

    private static func notReady(_ detail: String) -> Problem {
        Problem(
            .serviceUnavailable, "not_ready", detail, next: "Check the disk and the rights on the journal's file."
        ).retrying(after: 5)
    }

    /// Returns the journal's metrics and waiting items, at most ``lifetime`` old.
    package func samples() async throws(JournalError) -> (JournalMetrics, Waiting) {
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
