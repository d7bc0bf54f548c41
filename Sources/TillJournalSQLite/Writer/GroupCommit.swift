import Dispatch
import Foundation
import Synchronization
import TillCore
import TillJournal

/// The single writer: commits all queued writes together, on its own thread and connection.
///
/// While a commit waits for the disk, further writes queue up: under load many writes share one sync, and without load
/// no write is delayed.
final class GroupCommit: Sendable {
    private let queue: WriteQueue
    private let loop: WriterLoop
    private let isEnded = DispatchSemaphore(value: 0)

    init(
        writer: SQLiteWriter, lease: Lease, checkpointer: LogCheckpointer, clock: any TillClock, ballast: Ballast,
        maximumQueuedWrites: Int, onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) {
        queue = WriteQueue(limit: maximumQueuedWrites)
        loop = WriterLoop(
            queue: queue, writer: writer, lease: lease, checkpointer: checkpointer, clock: clock, ballast: ballast,
            onCommit: onCommit)
        let thread = Thread { [loop, isEnded] in
            loop.run()
            isEnded.signal()
        }
        thread.name = "till.journal"
        thread.start()
    }

    deinit { queue.close() }

    var isClosed: Bool { queue.isClosed }
    var statistics: JournalStatistics { queue.statistics }

    /// Queues a write and returns once it is durable or refused.
    func write(_ write: PreparedWrite) async throws(JournalError) {
        let outcome: WriteQueue.Outcome = await withCheckedContinuation { queue.add(write, done: $0) }
        try outcome.get()
    }

    /// Refuses further writes, commits queued ones, and returns when the connection is closed. Blocking; call it once,
    /// on a thread that may wait.
    func close() {
        queue.close()
        isEnded.wait()
    }
}

/// The loop of the writer's thread.
private final class WriterLoop: @unchecked Sendable {
    private let queue: WriteQueue
    /// Accessed on the writer's thread only.
    private var writer: SQLiteWriter?
    private let lease: Lease
    private let checkpointer: LogCheckpointer
    private let clock: any TillClock
    private let ballast: Ballast
    private let onCommit: (@Sendable ([StoredEvent]) -> Void)?

    init(
        queue: WriteQueue, writer: SQLiteWriter, lease: Lease, checkpointer: LogCheckpointer, clock: any TillClock,
        ballast: Ballast, onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) {
        self.queue = queue
        self.writer = writer
        self.lease = lease
        self.checkpointer = checkpointer
        self.clock = clock
        self.ballast = ballast
        self.onCommit = onCommit
    }

    /// Runs until the queue is closed and empty, then closes the connection.
    func run() {
        while let writer, let batch = queue.next() { commit(batch, writer) }
        writer = nil
        checkpointer.settle()
    }

    private func commit(_ batch: [WriteQueue.Item], _ writer: SQLiteWriter) {
        do throws(SQLiteFailure) {
            try commitTogether(batch, writer)
        } catch {
            writer.rollBack()
            if error.isFull {
                commitOnFullDisk(batch, writer, error)
            } else if !error.isBusy, batch.count > 1 {
                for item in batch { commitAlone(item, writer) }
            } else {
                for item in batch { item.done.resume(returning: .failure(error.journalError)) }
            }
        }
        checkpointer.committed(on: writer.connection)
    }

    private func commitTogether(_ batch: [WriteQueue.Item], _ writer: SQLiteWriter) throws(SQLiteFailure) {
        var outcomes: [WriteQueue.Outcome] = []
        outcomes.reserveCapacity(batch.count)
        var committed: [StoredEvent] = []
        // Without reserved space, the response to an operation begun now might not be writable. Responses alone need
        // none, and take none from a disk that they still have to fit on.
        let mayBegin = batch.allSatisfy(\.write.isAnswer) || ballast.take()
        try writer.begin()
        // Within the transaction, so that no write of this process follows the fence.
        guard try !writer.isFenced() else {
            writer.rollBack()
            lease.lose()
            for item in batch { item.done.resume(returning: .failure(.leaseLost)) }
            return
        }
        try writer.purge(by: clock)
        for item in batch {
            guard mayBegin || item.write.isAnswer else {
                outcomes.append(.failure(.full(Ballast.shortage)))
                continue
            }
            switch try writer.apply(item.write, clock: clock) {
            case .success(let events):
                outcomes.append(.success(()))
                if onCommit != nil { committed.append(contentsOf: events) }
            case .failure(let refusal): outcomes.append(.failure(refusal))
            }
        }
        try writer.commit()
        queue.count(batch: batch.count)
        if let onCommit, !committed.isEmpty { onCommit(committed) }
        for (item, outcome) in zip(batch, outcomes) { item.done.resume(returning: outcome) }
    }

    /// Gives responses the reserved space; refuses writes that would begin an operation.
    private func commitOnFullDisk(_ batch: [WriteQueue.Item], _ writer: SQLiteWriter, _ failure: SQLiteFailure) {
        for item in batch {
            guard item.write.isAnswer else {
                item.done.resume(returning: .failure(failure.journalError))
                continue
            }
            ballast.release()
            commitAlone(item, writer)
        }
    }

    /// Retries a write alone after an unforeseen error, so that only the write that causes it fails.
    private func commitAlone(_ item: WriteQueue.Item, _ writer: SQLiteWriter) {
        do throws(SQLiteFailure) { try commitTogether([item], writer) } catch {
            writer.rollBack()
            item.done.resume(returning: .failure(error.journalError))
        }
    }
}
