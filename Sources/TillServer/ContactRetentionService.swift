import Logging
import ServiceLifecycle
import TillCore
import TillCounter
import TillFeatureOrders
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

    /// A place with contacts, and how long it keeps them.
    private struct Place {
        let keeper: any ContactKeeper
        let retention: Span
    }

    private let places: [Place]
    private let store: any RecordStore
    private let clock: any TillClock
    private let logger: Logger

    /// - Parameters:
    ///   - book: the order book, which keeps contacts without end unless a retention is set; the notes that it has from
    ///     baskets end as theirs do.
    ///   - baskets: the baskets and guests of Apple Pay.
    ///   - retention: the shop's own; `nil` if it has set none.
    init(
        book: OrderBook, baskets: any ContactKeeper, retention: Span?, store: any RecordStore,
        clock: any TillClock, logger: Logger
    ) {
        let usual = retention ?? CounterOptions.usualContactRetention
        var places = [
            Place(keeper: baskets, retention: usual), Place(keeper: BasketNotes(book), retention: usual),
        ]
        if let retention { places.append(Place(keeper: book, retention: retention)) }
        self.places = places
        (self.store, self.clock, self.logger) = (store, clock, logger)
    }

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

    /// Erases what is kept for longer than its retention. Erases nothing by a clock that is not trusted: what is gone
    /// does not come back when the clock is set right.
    func turn() async throws(JournalError) {
        for place in places { try await place.keeper.renewRecords() }
        guard clock.standing.isTrusted else { return }
        let now = clock.now()
        var erased = 0
        for place in places {
            let moment = now.adding(Span(milliseconds: -place.retention.milliseconds))
            for _ in 1...ContactRetentionService.maximumPages {
                let count = try await place.keeper.eraseContacts(
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
