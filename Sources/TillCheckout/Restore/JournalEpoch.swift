import Synchronization
import TillCore
import TillJournal

/// In which epoch the journal is, read once and again with each round of recovery: a restore is made while nobody works
/// with the journal, or makes it refuse sales until a sweep is done.
final class JournalEpoch: Sendable {
    private let known = Mutex<Int64?>(nil)

    /// 1 in a journal that was never restored, or that keeps no records.
    func number(in journal: any Journal) async throws(JournalError) -> Int64 {
        if let number = known.withLock({ $0 }) { return number }
        guard let store = journal as? any RecordStore else { return 1 }
        let number = try await Records<RestoreEpoch>(store).newest(1).first?.number ?? 1
        known.withLock { $0 = number }
        return number
    }

    /// It is read again when it is asked for next.
    func forget() { known.withLock { $0 = nil } }
}
