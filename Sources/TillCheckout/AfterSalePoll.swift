import Synchronization
public import TillCore
public import TillJournal

/// Polls the provider for authorized and settled payments at fixed ages, so that changes are found even if no webhook
/// arrived: a refund or capture made in the provider's dashboard, a refund that failed later, a dispute.
///
/// A payment is queried once at each of ``ages`` after the last movement of its money, if its provider can report more
/// (`ProviderCapabilities.showsAfterSale`). There is no per-payment state: each age has one cursor into the journal, in
/// journal order, and every event before the cursor is old enough and has been processed. A cursor is written after the
/// work it covers, so a crash may repeat queries but never skips one. Any number of processes may run the poll: one of
/// them advances the cursor, and the others' queries are redundant.
public struct AfterSalePoll: Sendable {
    /// The times after the last movement of its money at which a payment is queried.
    public static let ages: [Span] = [1, 3, 7, 14, 30, 60, 90, 120].map { .days($0) }
    /// The time past the last age during which a missed query is still made up. For earlier ages, the next age makes up
    /// for it.
    public static let lastWindow: Span = .days(30)
    /// The pause between two passes.
    public static let interval: Span = .seconds(10)
    /// The most payments queried in one pass for each age.
    public static let batch = 16
    /// The most events read in one pass for each age.
    public static let eventsAtOnce = 500
    /// The furthest an event may lie ahead of the clock. An event further ahead was written under a wrong clock and
    /// does not block the cursor.
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

    /// The number of poll results since the process started, by result.
    public var results: [Checkout.PollResult: Int] { counts.results.withLock { $0 } }
    /// The number of passes that ended with an error, such as an unreadable journal.
    public var failures: Int { counts.failures.withLock { $0 } }

    /// Makes passes until the task is canceled.
    /// - Parameter report: Receives the error that ended a pass early, once until a pass succeeds.
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

    /// Makes one pass over all ages. Does nothing while the clock is in doubt: under a clock that runs ahead, every
    /// event would be too old to be queried, and a cursor never moves back.
    /// - Returns: The number of payments queried.
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
        // Usually the next event is too young, and reading just that one suffices.
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

    /// `true` if the cursor may move past an event.
    private func isReached(_ event: EventReading, by age: Span, at now: Timestamp) -> Bool {
        let passed = now.since(event.at)
        return passed >= age || passed.milliseconds < -AfterSalePoll.farthestAhead.milliseconds
    }

    /// Queries one payment. An unreadable payment is skipped so that it does not block the others; `till journal
    /// verify` reports it.
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

    /// Advances a cursor, unless another process has already advanced it.
    private func move(_ place: PollPlace, from stored: KeptRecord?) async throws(CheckoutError) {
        do throws(JournalError) { try await journal.change([.put(place.record, over: stored)]) } catch {
            guard case .recordConflict = error else { throw .journal(error) }
        }
    }

    private func read<Value>(_ body: () async throws(JournalError) -> Value) async throws(CheckoutError) -> Value {
        do throws(JournalError) { return try await body() } catch { throw .journal(error) }
    }
}

/// The cursor of one age: the last journal event processed for it.
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
    /// `true` if the event held, took, returned or withheld a customer's money.
    fileprivate var movesMoney: Bool {
        switch self {
        case .captured, .captureReported, .captureReversed, .captureRestored, .refunded, .refundReported,
            .refundReversed, .disputeFundsWithdrawn, .disputeFundsReinstated:
            true
        // A hold can be captured or released in the provider's dashboard.
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
