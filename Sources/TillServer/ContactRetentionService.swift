import Logging
import ServiceLifecycle
import TillCore
import TillCounter
import TillJournal

/// Erases customers' contacts at the end of their retention, while the counter is open.
struct ContactRetentionService: Service {
    /// The time after the start before the first turn, so that a start waits for nothing of it.
    static let firstPause = Span.minutes(1)
    /// The time between turns.
    static let interval = Span.hours(1)
    /// The maximum number of records that each keeper reads in one turn of many.
    static let page = 200
    /// The maximum number of pages in a turn; the next turn goes on.
    static let maximumPages = 500

    let keepers: [any ContactKeeper]
    let store: any RecordStore
    let retention: Span
    let clock: any TillClock
    let logger: Logger

    func run() async throws {
        await Attribution.of(.housekeeping) {
            await cancelWhenGracefulShutdown { await work() }
        }
    }

    private func work() async {
        var pause = ContactRetentionService.firstPause
        while await clock.pause(for: pause) {
            do throws(JournalError) { try await turn() } catch {
                logger.error("Contacts are kept beyond their retention: \(error)")
            }
            pause = ContactRetentionService.interval
        }
    }

    /// Erases what is kept for longer than the retention. Erases nothing by a clock that is not trusted: what is gone
    /// does not come back when the clock is set right.
    func turn() async throws(JournalError) {
        for keeper in keepers { try await keeper.renewRecords() }
        guard clock.standing.isTrusted else { return }
        let moment = clock.now().adding(Span(milliseconds: -retention.milliseconds))
        var erased = 0
        for keeper in keepers {
            for _ in 1...ContactRetentionService.maximumPages {
                let count = try await keeper.eraseContacts(
                    keptSince: moment, limit: ContactRetentionService.page)
                erased += count
                guard count > 0, !Task.isCancelled else { break }
            }
        }
        guard erased > 0 else { return }
        if let files = store as? any TraceErasing, try await !files.eraseTraces() {
            logger.info("Erased contacts are in the journal's log until it is next written anew.")
        }
    }
}
