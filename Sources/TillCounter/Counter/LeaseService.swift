import ServiceLifecycle
public import TillCore
package import TillJournal

/// The error with which a stalled counter ends because another process has taken over its payments.
public struct LeaseLost: ExplainedError {
    public var code: String { "lease_lost" }
    public var what: String {
        "The counter was stalled for longer than its lease, and another process has taken over its payments. It ended, "
            + "and wrote nothing after that."
    }
    /// Only the process that took over knows the outcome of payments in flight.
    public var moneyMoved: MoneyMoved { .unknown }
    public var next: String { "Start it again. What it had in hand is finished by the process that took over." }
}

/// Ends the counter with ``LeaseLost`` when its lease is lost: further sales could not be recorded.
package struct LeaseService: Service {
    /// The check interval. A check does no I/O.
    package static let pace = Span.seconds(1)

    package let journal: any CounterStore
    package let clock: any TillClock

    package init(journal: any CounterStore, clock: any TillClock) {
        self.journal = journal
        self.clock = clock
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !journal.isLeaseLost {
                do { try await clock.sleep(for: LeaseService.pace) } catch { return }
            }
        }
        if journal.isLeaseLost { throw LeaseLost() }
    }
}
