import Dispatch
import Foundation
import GRDB
import TillCore

extension SQLiteJournal {
    /// Copies the journal to a new file while it runs: a consistent state of one moment, readable by its owner only.
    /// The copy knows that it is one: whoever opens it as a journal can read it, and sells nothing before `till
    /// restore`.
    /// - Returns: the heads of the copy's chains: with them `verify` finds out later whether the copy was changed or
    ///   cut.
    /// - Throws: ``JournalError/unavailable(_:)`` if there is a file already or the copy fails; then none is left.
    public func copy(to path: String) async throws(JournalError) -> JournalHead {
        let (pool, now) = (pool, clock.now())
        let result: Result<JournalHead, JournalError> = await withCheckedContinuation { done in
            DispatchQueue.global().async {
                done.resume(
                    returning: Result { try SQLiteJournal.copy(pool, to: path, at: now) }.mapError {
                        JournalError(storage: $0)
                    })
            }
        }
        return try result.get()
    }

    /// Copies a journal to a new file; none is left if it fails.
    @discardableResult
    static func copy(_ pool: DatabasePool, to path: String, at now: Timestamp) throws -> JournalHead {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else {
            throw JournalError.unavailable("there is a file at \(path) already")
        }
        guard ClosedFile.make(path) else {
            throw JournalError.unavailable("\(path) cannot be made")
        }
        do {
            let target = try DatabaseQueue(path: path)
            try pool.backup(to: target)
            let head = try target.write { db in
                let head = try SQLiteJournal.statedHead(db)
                if let head { try SQLiteJournal.insert(RestoreSweep(.copiedBack(head.head)), into: db, at: now) }
                return head
            }
            try target.close()
            guard let head else { throw JournalError.corrupted("the copy does not say where its chain ends") }
            return head
        } catch {
            try? files.removeItem(atPath: path)
            throw error
        }
    }
}
