import GRDB
import Synchronization
import TillCore

/// The one writer: takes all that is queued and commits it at once.
///
/// While one commit waits for the disk the next writes queue up, so that under load a sync of the disk is shared by
/// many and without load nobody waits for company.
final class GroupCommit: Sendable {
    typealias Outcome = Result<Void, JournalError>

    private struct Item: Sendable {
        var write: PreparedWrite
        var done: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var queue: [Item] = []
        var isScheduled = false
        var isClosed = false
        var statistics = JournalStatistics()
    }

    /// Touched on the writer's queue only.
    private final class Connection: @unchecked Sendable {
        var writer: SQLiteWriter?
    }

    private let pool: DatabasePool
    private let clock: any TillClock
    private let maximumQueuedWrites: Int
    private let owner: Int64
    private let owners: OwnerFile
    private let onCommit: (@Sendable ([StoredEvent]) -> Void)?
    private let connection = Connection()
    private let state = Mutex(State())

    init(
        pool: DatabasePool, clock: any TillClock, maximumQueuedWrites: Int, owner: Int64, owners: OwnerFile,
        onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) {
        self.pool = pool
        self.clock = clock
        self.maximumQueuedWrites = maximumQueuedWrites
        self.owner = owner
        self.owners = owners
        self.onCommit = onCommit
    }

    var isClosed: Bool { state.withLock(\.isClosed) }
    var statistics: JournalStatistics { state.withLock(\.statistics) }

    /// Queues a write and returns when it is on the disk, or refused.
    func write(_ write: PreparedWrite) async throws(JournalError) {
        let outcome: Outcome = await withCheckedContinuation { done in
            let (refusal, starts) = state.withLock { state -> (JournalError?, Bool) in
                guard !state.isClosed else { return (.closed, false) }
                guard state.queue.count < maximumQueuedWrites else {
                    return (.queueFull(limit: maximumQueuedWrites), false)
                }
                state.queue.append(Item(write: write, done: done))
                defer { state.isScheduled = true }
                return (nil, !state.isScheduled)
            }
            if let refusal { done.resume(returning: .failure(refusal)) }
            if starts { schedule() }
        }
        try outcome.get()
    }

    /// Refuses what comes from now on and commits what is queued. Runs on the writer's queue; call it once.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            pool.asyncWriteWithoutTransaction { [self] db in
                while commitBatch(db) {}
                connection.writer = nil
                done.resume()
            }
        }
    }

    private func schedule() {
        pool.asyncWriteWithoutTransaction { [self] db in
            if commitBatch(db) { schedule() }
        }
    }

    /// Commits up to one batch. False when there is nothing more to do; whoever queues next schedules.
    private func commitBatch(_ db: Database) -> Bool {
        let batch = state.withLock { state in
            let batch = Array(state.queue.prefix(JournalLimits.maximumBatch))
            state.queue.removeFirst(batch.count)
            if batch.isEmpty { state.isScheduled = false }
            return batch
        }
        guard !batch.isEmpty else { return false }
        commit(batch, db)
        return true
    }

    private func commit(_ batch: [Item], _ db: Database) {
        guard let writer = writer(db) else {
            for item in batch { item.done.resume(returning: .failure(.closed)) }
            return
        }
        do throws(SQLiteFailure) {
            try commitTogether(batch, writer)
        } catch {
            writer.rollBack()
            guard !error.isBusy, batch.count > 1 else {
                for item in batch { item.done.resume(returning: .failure(error.journalError)) }
                return
            }
            for item in batch { commitAlone(item, writer) }
        }
    }

    private func commitTogether(_ batch: [Item], _ writer: SQLiteWriter) throws(SQLiteFailure) {
        let now = clock.now()
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(batch.count)
        var committed: [StoredEvent] = []
        try writer.begin()
        try writer.purge(now: now)
        for item in batch {
            switch try writer.apply(item.write, now: now) {
            case .success(let events):
                outcomes.append(.success(()))
                if onCommit != nil { committed.append(contentsOf: events) }
            case .failure(let refusal): outcomes.append(.failure(refusal))
            }
        }
        try writer.commit()
        state.withLock { $0.statistics.count(batch: batch.count) }
        if let onCommit, !committed.isEmpty { onCommit(committed) }
        for (item, outcome) in zip(batch, outcomes) { item.done.resume(returning: outcome) }
    }

    /// After an error that nobody foresaw: only the write that causes it shall fail.
    private func commitAlone(_ item: Item, _ writer: SQLiteWriter) {
        do throws(SQLiteFailure) { try commitTogether([item], writer) } catch {
            writer.rollBack()
            item.done.resume(returning: .failure(error.journalError))
        }
    }

    private func writer(_ db: Database) -> SQLiteWriter? {
        if let writer = connection.writer { return writer }
        guard let handle = db.sqliteConnection else { return nil }
        let owners = owners
        let writer = SQLiteWriter(handle, owner: owner, isAlive: { owners.isAlive($0) })
        connection.writer = writer
        return writer
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

    mutating func count(batch: Int) {
        writes += batch
        commits += 1
        largestBatch = max(largestBatch, batch)
    }
}
