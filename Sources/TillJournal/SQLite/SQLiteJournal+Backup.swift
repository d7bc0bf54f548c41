import Dispatch
import Foundation
import GRDB

extension SQLiteJournal {
    /// Copies the journal to a new file while it runs: a consistent state of one moment, readable by its owner only.
    /// - Returns: the head of the copy's chain: with it `verify` finds out later whether the copy was changed or cut.
    /// - Throws: ``JournalError/unavailable(_:)`` if there is a file already or the copy fails; then none is left.
    @discardableResult
    public func backup(to path: String) async throws(JournalError) -> ChainHead {
        let pool = pool
        let result: Result<ChainHead, JournalError> = await withCheckedContinuation { done in
            DispatchQueue.global().async {
                done.resume(returning: Result { try copy(pool, to: path) }.mapError { JournalError(storage: $0) })
            }
        }
        return try result.get()
    }
}

private func copy(_ pool: DatabasePool, to path: String) throws -> ChainHead {
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else { throw JournalError.unavailable("there is a file at \(path) already") }
    guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw JournalError.unavailable("\(path) cannot be made")
    }
    do {
        let target = try DatabaseQueue(path: path)
        try pool.backup(to: target)
        let head = try target.read { try SQLiteSchema.head($0) }
        try target.close()
        guard let head else { throw JournalError.corrupted("the copy does not say where its chain ends") }
        return head
    } catch {
        try? files.removeItem(atPath: path)
        throw error
    }
}
