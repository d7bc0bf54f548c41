import Dispatch
import Foundation
import GRDB
import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Copies the journal to a new file while it is in use: a consistent snapshot, readable only by its owner. The copy
    /// is marked as one: it can be opened and read as a journal, and accepts no sales before `till restore`.
    /// - Returns: the heads of the copy's chains, with which `verify` later detects a change or truncation.
    /// - Throws: `JournalError.unavailable` if the file exists already or the copy fails; no partial file is
    ///   left.
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

    /// Copies a journal to a new file; leaves no file on failure.
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
