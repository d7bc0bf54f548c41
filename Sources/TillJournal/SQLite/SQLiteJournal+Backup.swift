import Dispatch
import Foundation
import GRDB

extension SQLiteJournal {
    /// Copies the journal to a new file while it runs: a consistent state of one moment, readable by its owner only.
    /// - Throws: ``JournalError/unavailable(_:)`` if there is a file already or the copy fails; then none is left.
    public func backup(to path: String) async throws(JournalError) {
        let pool = pool
        let result: Result<Void, JournalError> = await withCheckedContinuation { done in
            DispatchQueue.global().async {
                done.resume(returning: Result { try copy(pool, to: path) }.mapError { JournalError(storage: $0) })
            }
        }
        try result.get()
    }
}

private func copy(_ pool: DatabasePool, to path: String) throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else { throw JournalError.unavailable("there is a file at \(path) already") }
    guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw JournalError.unavailable("\(path) cannot be made")
    }
    do {
        let target = try DatabaseQueue(path: path)
        try pool.backup(to: target)
        try target.close()
    } catch {
        try? files.removeItem(atPath: path)
        throw error
    }
}
