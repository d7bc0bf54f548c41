import Synchronization
public import TillCore
public import TillJournal

/// Queries authorized and settled payments now and then, so that what happened to their money is found also where no
/// webhook came: a refund or a capture in the provider's dashboard, a refund that failed later, a dispute.
///
/// A payment is queried once at each of ``ages`` after the last movement of its money, as far as its provider can show
/// more (`ProviderCapabilities.showsAfterSale`). Nothing is kept for a payment: for each age there is one place in the
/// journal, up to which everything is old enough and was gone through, in the journal's own order. A place is written
/// after what it stands for was done, so a crash repeats queries and leaves none out. Any number of processes may run
/// it: one of them moves a place on, the others have queried without success.
public struct AfterSalePoll: Sendable {
    /// How long after the last movement of its money a payment is queried.
    public static let ages: [Span] = [1, 3, 7, 14, 30, 60, 90, 120].map { .days($0) }
    /// How much later than an age it is still made up for, after the last one. Before, the next age makes up for it.
    public static let lastWindow: Span = .days(30)
    /// How long it waits between two passes.
    public static let interval: Span = .seconds(10)
    /// Payments that one pass queries at most for each age.
    public static let batch = 16
    /// Events that one pass reads at most for each age.
    public static let eventsAtOnce = 500
    /// An event that is so far ahead of the clock was written by a wrong one, and holds nothing up.
    public static let farthestAhead: Span = .days(1)

    private let checkout: Checkout
    private let journal: any Journal & RecordStore
    private let clock: any TillClock
    private let counts = Counts()

    private final class Counts: Sendable {
        let results = Mutex<[Checkout.PollResult: Int]>([:])
        let failures = Mutex(0)
    }

    public init(_ checkout: Checkout, journal: any Journal & RecordStore, clock: any TillClock) {
        self.checkout = checkout
        self.journal = journal
        self.clock = clock
    }

    /// How often each result came since the process began.
    public var results: [Checkout.PollResult: Int] { counts.results.withLock { $0 } }
    /// Passes that ended with an error, such as a journal that cannot be read.
    public var failures: Int { counts.failures.withLock { $0 } }

    /// Makes passes until it is canceled.
    /// - Parameter report: hears why a pass ended early, once until one goes through.
    public func run(report: @Sendable (CheckoutError) -> Void) async {
        var isFailing = false
        while !Task.isCancelled {
            do throws(CheckoutError) {
                try await pass()
                isFailing = false
            } catch {
                counts.failures.withLock { $0 += 1 }
                if !isFailing { report(error) }
                isFailing = true
            }
            do { try await clock.sleep(for: AfterSalePoll.interval) } catch { return }
        }
    }

    /// Goes on from every place, as far as one pass goes. While the clock is in doubt it goes nowhere: by a clock that is
    /// ahead everything would be too old to be queried, and no place ever goes back.
    /// - Returns: how many payments were queried.
    @discardableResult
    public func pass() async throws(CheckoutError) -> Int {
        guard clock.standing.isTrusted else { return 0 }
        var queried = 0
        for index in AfterSalePoll.ages.indices where !Task.isCancelled { queried += try await pass(index) }
        return queried
    }

    private func pass(_ index: Int) async throws(CheckoutError) -> Int {
        let age = AfterSalePoll.ages[index]
        let oldest =
            index + 1 < AfterSalePoll.ages.count
            ? AfterSalePoll.ages[index + 1] : .milliseconds(age.milliseconds + AfterSalePoll.lastWindow.milliseconds)
        let now = clock.now()
        let id = RecordID(PollPlace.collection, PollPlace.key(age))
        let stored = try await read { () throws(JournalError) in try await journal.record(id) }
        var place = PollPlace(age: age, sequence: 0)
        if let stored { place = try await read { () throws(JournalError) in try PollPlace(stored) } }
        let start = place.sequence
        // Mostly the next event is too young, which needs no more than that one.
        guard let next = try await events(after: start, limit: 1).first, isReached(next, by: age, at: now) else {
            return 0
        }
        var queried = 0
        for reading in try await events(after: start, limit: AfterSalePoll.eventsAtOnce) {
            let passed = now.since(reading.at)
            guard isReached(reading, by: age, at: now), queried < AfterSalePoll.batch, !Task.isCancelled else { break }
            if passed < oldest, case .event(let event) = reading, event.record.event.movesMoney,
                try await isLastMovement(event)
            {
                let result = try await poll(event.payment)
                counts.results.withLock { $0[result, default: 0] += 1 }
                if result != .skipped { queried += 1 }
            }
            place.sequence = reading.sequence
        }
        if place.sequence > start { try await move(place, from: stored) }
        return queried
    }

    private func events(after place: Int64, limit: Int) async throws(CheckoutError) -> [EventReading] {
        try await read { () throws(JournalError) in
            try await journal.readings(after: place, account: nil, limit: limit)
        }
    }

    /// Whether a place may move past an event.
    private func isReached(_ event: EventReading, by age: Span, at now: Timestamp) -> Bool {
        let passed = now.since(event.at)
        return passed >= age || passed.milliseconds < -AfterSalePoll.farthestAhead.milliseconds
    }

    /// A payment that cannot be read holds up no other; `till journal verify` names it.
    private func poll(_ id: PaymentID) async throws(CheckoutError) -> Checkout.PollResult {
        do throws(CheckoutError) { return try await checkout.poll(id) } catch .journal(.corrupted) { return .skipped }
    }

    private func isLastMovement(_ event: StoredEvent) async throws(CheckoutError) -> Bool {
        let all: [StoredEvent]
        do throws(JournalError) { all = try await journal.events(of: event.payment) } catch .corrupted {
            return false
        } catch { throw .journal(error) }
        return all.last { $0.record.event.movesMoney }?.sequence == event.sequence
    }

    /// Another process that was faster has moved it on.
    private func move(_ place: PollPlace, from stored: KeptRecord?) async throws(CheckoutError) {
        do throws(JournalError) { try await journal.change([.put(place.record, over: stored)]) } catch {
            guard case .recordConflict = error else { throw .journal(error) }
        }
    }

    private func read<Value>(_ body: () async throws(JournalError) -> Value) async throws(CheckoutError) -> Value {
        do throws(JournalError) { return try await body() } catch { throw .journal(error) }
    }
}

/// Up to which event of the journal everything was gone through for one age.
private struct PollPlace: RecordDocument {
    static let collection: RecordCollection = "aftersale_polls"
    let age: Span
    var sequence: Int64

    init(age: Span, sequence: Int64) {
        self.age = age
        self.sequence = sequence
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        age = .milliseconds(try body.int("age"))
        sequence = try body.int("sequence")
    }

    static func key(_ age: Span) -> String { "\(age.milliseconds / 1000)s" }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("age", age.milliseconds)
        writer.field("sequence", sequence)
        writer.endObject()
        return Record(RecordID(PollPlace.collection, PollPlace.key(age)), body: writer.bytes)
    }
}

extension PaymentEvent {
    /// It has held, taken, returned or withheld a customer's money.
    fileprivate var movesMoney: Bool {
        switch self {
        case .captured, .captureReported, .captureReversed, .captureRestored, .refunded, .refundReported,
            .refundReversed, .disputeFundsWithdrawn, .disputeFundsReinstated:
            true
        // What is held can be captured or released in the provider's dashboard.
        case .authorized: true
        case .created, .attemptStarted, .attemptBound, .attemptPrepared, .actionRequired, .continuationStarted,
            .attemptStored, .attemptDeclined, .attemptNotSent, .attemptExpired, .voidStarted, .voided, .captureStarted,
            .renewalStarted, .renewed, .refundStarted, .refused, .deferred, .outcomeUnknown, .cancelRequested,
            .canceled, .attentionRequired, .disputeOpened, .disputeUpdated, .disputeClosed, .attentionClosed,
            .queryRequested, .queryAnswered:
            false
        }
    }
}
