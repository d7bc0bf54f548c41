import Dispatch
import Foundation
import TillCore
import TillJournal

/// The single writer of a counter: sends all queued writes as one command, on a thread and a session of its own.
///
/// A commit without an answer, or with a warning, has an unknown outcome. A new session then obtains its receipt: it
/// locks the counter's row, which waits for any remaining work of the old session and fences whatever arrives late, and
/// reads the last committed batch. The receipt is itself a commit, so its answer is equally durable.
final class PostgresWriter: Sendable {
    private let queue: WriteQueue
    private let isEnded = DispatchSemaphore(value: 0)

    init(
        address: String, lease: PostgresLease, clock: any TillClock, heads: HeadFile?, maximumQueuedWrites: Int,
        onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) {
        let queue = WriteQueue(limit: maximumQueuedWrites)
        self.queue = queue
        let thread = Thread { [isEnded] in
            var loop = WriterLoop(address: address, lease: lease, clock: clock, heads: heads, onCommit: onCommit)
            while let items = queue.next(limit: .max) {
                let choice = BatchChoice(items, limit: JournalLimits.maximumBatch, of: \.write)
                queue.putBack(choice.rest)
                loop.commit(choice.batch)
                queue.count(batch: choice.batch.count)
            }
            isEnded.signal()
        }
        thread.name = "till.journal"
        thread.start()
    }

    deinit { queue.close() }

    var isClosed: Bool { queue.isClosed }
    var statistics: JournalStatistics { queue.statistics }

    /// Queues a write and returns once it is committed or refused.
    func write(_ write: PreparedWrite) async throws(JournalError) {
        let outcome: WriteQueue.Outcome = await withCheckedContinuation { queue.add(write, done: $0) }
        try outcome.get()
    }

    /// Refuses further writes, and returns once the queued ones are sent. Blocks; call it once.
    func close() {
        queue.close()
        isEnded.wait()
    }
}

/// The state of the writer's thread, confined to it.
private struct WriterLoop {
    /// A session that has locked the counter's row: only its batches are accepted.
    struct Session {
        var connection: PostgresConnection
        var number: Int64
    }

    /// The outcome of a batch.
    enum Fate {
        case committed(BatchOutcome)
        /// Certainly nothing was written.
        case failed(PostgresFailure)
        /// The outcome is unknown, and no server could be queried.
        case unknown(PostgresFailure)
    }

    let address: String
    let lease: PostgresLease
    let clock: any TillClock
    let heads: HeadFile?
    let onCommit: (@Sendable ([StoredEvent]) -> Void)?
    private var session: Session?
    private var batch: Int64 = 0
    private var seen: ChainHead?

    init(
        address: String, lease: PostgresLease, clock: any TillClock, heads: HeadFile?,
        onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) {
        (self.address, self.lease, self.clock, self.heads, self.onCommit) = (address, lease, clock, heads, onCommit)
    }

    mutating func commit(_ items: [WriteQueue.Item]) {
        guard !lease.isLost else { return refuse(items, .leaseLost) }
        switch write(items.map(\.write)) {
        case .committed(let outcome): answer(items, outcome)
        case .unknown(let failure):
            lease.doubt()
            refuse(items, .unavailable(failure.text))
        case .failed(let failure):
            if case .leaseLost = failure.journalError {
                lease.lose()
                refuse(items, .leaseLost)
            } else if items.count > 1, !failure.endsConnection, !failure.isPassing {
                // An unforeseen error: only the write that causes it should fail.
                for item in items { commit([item]) }
            } else {
                refuse(items, failure.journalError)
            }
        }
    }

    private mutating func answer(_ items: [WriteQueue.Item], _ outcome: BatchOutcome) {
        seen = outcome.head
        heads?.note(outcome.head)
        let events = outcome.writes.flatMap { (try? $0.get()) ?? [] }
        if let onCommit, !events.isEmpty { onCommit(events) }
        for (item, result) in zip(items, outcome.writes) { item.done.resume(returning: result.map { _ in }) }
    }

    private func refuse(_ items: [WriteQueue.Item], _ error: JournalError) {
        for item in items { item.done.resume(returning: .failure(error)) }
    }

    /// Writes a batch; returns once its outcome is known, or no server can be queried.
    private mutating func write(_ writes: [PreparedWrite]) -> Fate {
        let now = clock.now()
        let encoding = BatchEncoding(writes, at: now)
        batch += 1
        var last = PostgresFailure(.lost, "the connection to the database ended")
        for _ in 0..<PostgresLimits.maximumTries {
            let began = lease.mark()
            do throws(PostgresFailure) {
                let session = try openSession()
                let text = try send(encoding, of: writes.count, at: now, on: session)
                lease.confirm(since: began)
                return .committed(try BatchOutcome(text, of: writes))
            } catch {
                last = error
                if error.endsConnection { session = nil }
                if error.isUnknown {
                    switch receipt(of: writes, error) {
                    case .some(let fate): return fate
                    // It was not written, and never will be.
                    case .none: continue
                    }
                }
                guard error.isPassing || error.kind == .server(.readOnly) else { return .failed(error) }
            }
        }
        return .failed(last)
    }

    private func send(
        _ encoding: BatchEncoding, of count: Int, at now: Timestamp, on session: Session
    ) throws(PostgresFailure) -> [UInt8] {
        let rows = try session.connection.query(
            BatchProcedure.call,
            [
                .int(lease.owner), .int(session.number), .int(batch), .int(lease.length.milliseconds),
                .int(now.milliseconds), .bool(clock.standing.isTrusted),
                .int(JournalLimits.idempotencyRetention.milliseconds), .bool(encoding.appends),
                .bool(encoding.notes),
                .int(seen?.sequence ?? -1), .bytes(seen?.hash ?? []), .int(Int64(count)), .json(encoding.json),
                .bytesArray(encoding.bytes),
            ])
        guard let text = rows.first?.optionalBytes(0) else {
            throw PostgresFailure(.unexpected, "the database did not say what became of a batch")
        }
        return text
    }

    // MARK: Sessions

    private mutating func openSession() throws(PostgresFailure) -> Session {
        if let session { return session }
        return try take().session
    }

    /// Locks the counter's row for a new session; all earlier sessions are fenced from then on.
    private mutating func take() throws(PostgresFailure) -> (session: Session, batch: Int64, outcome: [UInt8]?) {
        let connection = try PostgresConnection(address, .work)
        let rows = try connection.query(
            """
            UPDATE counter_live SET session = session + 1 WHERE owner = $1 RETURNING session, batch, outcome
            """, [.int(lease.owner)])
        guard let row = rows.first else {
            throw PostgresFailure(.server(.leaseLost), "another counter has taken over what this one held")
        }
        let session = Session(connection: connection, number: row.int(0))
        self.session = session
        return (session, row.int(1), row.optionalBytes(2))
    }

    /// Resolves a batch with an unknown outcome.
    /// - Returns: `nil` if it was not written, and never will be.
    private mutating func receipt(of writes: [PreparedWrite], _ cause: PostgresFailure) -> Fate? {
        session = nil
        let began = SystemClock.reading().milliseconds
        var pause: UInt32 = 20_000
        while true {
            do throws(PostgresFailure) {
                let (_, last, outcome) = try take()
                guard last == batch else { return nil }
                guard let outcome else { return .unknown(cause) }
                return .committed(try BatchOutcome(outcome, of: writes))
            } catch {
                session = nil
                if error.kind == .server(.leaseLost) {
                    lease.lose()
                    return .unknown(error)
                }
            }
            guard SystemClock.reading().milliseconds - began < PostgresLimits.receiptTime.milliseconds else {
                return .unknown(cause)
            }
            usleep(pause)
            pause = min(pause * 2, 500_000)
        }
    }
}

extension PostgresFailure {
    /// `true` for an error that may disappear on retry.
    fileprivate var isPassing: Bool { if case .server(let state) = kind { state.isPassing } else { false } }
}
