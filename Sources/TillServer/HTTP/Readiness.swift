import HTTPTypes
import Synchronization
import TillCore
import TillJournal

/// Whether the journal takes writes, proved by a write, and what stands in it. Both are asked for by anybody, so each
/// is looked up at most once in ``lifetime`` however often it is asked for.
final class Readiness: Sendable {
    /// How long an answer is given again.
    static let lifetime = Span.seconds(1)
    /// How long the journal may take before the counter is not ready.
    static let patience = Span.seconds(2)

    private struct State {
        var problem: Problem?
        var checkedAt: Timestamp?
        var metrics: JournalMetrics?
        var countedAt: Timestamp?
    }

    private let state = Mutex(State())
    private let journal: any CounterStore
    private let clock: any TillClock

    init(journal: any CounterStore, clock: any TillClock) {
        self.journal = journal
        self.clock = clock
    }

    /// - Throws: ``Problem`` with 503 if the journal does not take writes now.
    func check() async throws {
        let now = clock.now()
        if let known = state.withLock({ state in
            state.checkedAt.flatMap { now.since($0) < Readiness.lifetime ? .some(state.problem) : nil }
        }) {
            if let known { throw known }
            return
        }
        let problem = await look()
        state.withLock { state in
            state.problem = problem
            state.checkedAt = now
        }
        if let problem { throw problem }
    }

    /// The first of two answers: that of the write, or that it takes too long. A write that waits for the disk cannot
    /// be canceled, so nobody waits for it here; the journal itself gives up after some seconds.
    private func look() async -> Problem? {
        let (answers, answer) = AsyncStream.makeStream(of: Problem?.self)
        let (journal, clock) = (journal, clock)
        Task {
            do throws(JournalError) {
                try await journal.checkWriting()
                answer.yield(nil)
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

    private static func notReady(_ detail: String) -> Problem {
        Problem(
            .serviceUnavailable, "not_ready", detail, next: "Check the disk and the rights on the journal's file."
        ).retrying(after: 5)
    }

    /// The journal's metrics, at most ``lifetime`` old.
    func metrics() async throws(JournalError) -> JournalMetrics {
        let now = clock.now()
        if let known = state.withLock({ state in
            state.countedAt.flatMap { now.since($0) < Readiness.lifetime ? state.metrics : nil }
        }) {
            return known
        }
        let metrics = try await journal.metrics(at: now)
        state.withLock { state in
            state.metrics = metrics
            state.countedAt = now
        }
        return metrics
    }
}
