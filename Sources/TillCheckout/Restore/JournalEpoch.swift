import Synchronization
import TillCore
import TillJournal

/// The journal's epoch, cached and read again in each round of recovery: a restore happens while no process uses the
/// journal, or makes it refuse sales until a sweep is finished.
final class JournalEpoch: Sendable {
    private let known = Mutex<Int64?>(nil)

    /// Returns the epoch; 1 for a journal that was never restored or that keeps no records.
    func number(in journal: any Journal) async throws(JournalError) -> Int64 {
        if let number = known.withLock({ $0 }) { return number }
        guard let store = journal as? any RecordStore else { return 1 }
        let number = try await Records<RestoreEpoch>(store).newest(1).first?.number ?? 1
        known.withLock { $0 = number }
        return number
    }

    /// Clears the cache, so that the next call reads the epoch again.
    func forget() { known.withLock { $0 = nil } }
}
