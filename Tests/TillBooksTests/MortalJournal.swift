import Synchronization
import TillCore
import TillJournal

@testable import TillBooks

/// A process that dies after so many writes: what it has written stays, and nothing is written any more.
final class MortalJournal: JournalInFront, RecordStore {
    /// What outlives it.
    let base = MemoryJournal()
    private let left: Mutex<Int?>
    private let count = Mutex(0)
    private let pages = Mutex(0)

    /// - Parameter writes: `nil`: it does not die.
    init(writes: Int?) { left = Mutex(writes) }

    /// Pages of lines that were read to be tried again.
    var unmatchedPages: Int { pages.withLock { $0 } }

    func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
        if query.collection == KeptLine.collection, query.limit > 1 { pages.withLock { $0 += 1 } }
        return try await base.records(query)
    }

    /// Writes that were made.
    var written: Int { count.withLock { $0 } }

    func write(_ write: JournalWrite) async throws(JournalError) {
        let isDead = left.withLock { left in
            guard let rest = left else { return false }
            left = max(0, rest - 1)
            return rest == 0
        }
        guard !isDead else { throw .unavailable("the process has died") }
        try await base.write(write)
        count.withLock { $0 += 1 }
    }
}
