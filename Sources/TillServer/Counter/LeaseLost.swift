import ServiceLifecycle
public import TillCore
import TillJournal

/// Why a counter ended by itself: it was stalled, and another process continues with its payments.
public struct LeaseLost: ExplainedError {
    public var code: String { "lease_lost" }
    public var what: String {
        "The counter was stalled for longer than its lease, and another process has taken over its payments. It ended, "
            + "and wrote nothing after that."
    }
    /// Of what it had in hand only the one that has taken over knows.
    public var moneyMoved: MoneyMoved { .unknown }
    public var next: String { "Start it again. What it had in hand is finished by the process that took over." }
}

/// Ends the counter when its lease is lost, as ``LeaseLost``: what it would sell from then on could not be written.
struct LeaseService: Service {
    /// How often it checks: no I/O.
    static let pace = Span.seconds(1)

    let journal: any CounterStore
    let clock: any TillClock

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !journal.isLeaseLost {
                do { try await clock.sleep(for: LeaseService.pace) } catch { return }
            }
        }
        if journal.isLeaseLost { throw LeaseLost() }
    }
}
