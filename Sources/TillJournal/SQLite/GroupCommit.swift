import Dispatch
import Foundation
import Synchronization
import TillCore

/// The one writer: takes all that is queued and commits it at once, on a thread and a connection of its own.
///
/// While one commit waits for the disk the next writes queue up, so that under load a sync of the disk is shared by
/// many and without load nobody waits for company.
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

    /// Queues a write and returns when it is on the disk, or refused.
    func write(_ write: PreparedWrite) async throws(JournalError) {
        let outcome: WriteQueue.Outcome = await withCheckedContinuation { queue.add(write, done: $0) }
        try outcome.get()
    }

    /// Refuses what comes from now on, commits what is queued, and returns when the connection is closed. Blocks; call
    /// it once, on a thread that may wait.
    func close() {
        queue.close()
        isEnded.wait()
    }
}

/// What the writer's thread does.
private final class WriterLoop: @unchecked Sendable {
    private let queue: WriteQueue
    /// Touched on the writer's thread only.
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

    /// Until the queue is closed and empty; then the connection is closed.
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
        // Whoever began without the space for the answer might not be able to write it.
        let mayBegin = ballast.isHeld || ballast.take()
        try writer.begin()
        // Within the transaction, so that nothing of this process comes behind the fence.
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

    /// Answers get the space that is kept for them; what would begin something is refused.
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

    /// After an error that nobody foresaw: only the write that causes it shall fail.
    private func commitAlone(_ item: WriteQueue.Item, _ writer: SQLiteWriter) {
        do throws(SQLiteFailure) { try commitTogether([item], writer) } catch {
            writer.rollBack()
            item.done.resume(returning: .failure(error.journalError))
        }
    }
}

/// How the journal's writer has done since it was opened.
public struct JournalStatistics: Hashable, Sendable {
    /// Writes taken, refused ones included.
    public var writes = 0
    /// Commits made: each is one sync of the disk.
    public var commits = 0
    /// The most writes that shared one commit.
    public var largestBatch = 0
    /// Writes that wait for the writer now.
    public var waiting = 0

    mutating func count(batch: Int) {
        writes += batch
        commits += 1
        largestBatch = max(largestBatch, batch)
    }
}
