import TillCore
import TillJournal
import TillServer

extension Counter {
    /// Opens a counter on the file that its options name.
    /// - Parameter onCommit: called with the events of each commit, before its writes return.
    static func open(
        _ options: CounterOptions, clock: any TillClock = SystemClock(),
        onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil
    ) async throws(CounterError) -> Counter {
        let journal: SQLiteJournal
        do { journal = try SQLiteJournal.open(at: options.journal, clock: clock, onCommit: onCommit) } catch {
            throw .journal(options.journal, error)
        }
        return try await open(options, journal: journal, clock: clock)
    }
}
