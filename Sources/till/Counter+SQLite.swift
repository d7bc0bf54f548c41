import TillCore
import TillJournal
import TillServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Counter {
    /// Opens a counter on the file that its options name.
    /// - Parameters:
    ///   - onLease: called when this process takes over from another one, or is taken over.
    ///   - onCommit: called with the events of each commit, before its writes return.
    static func open(
        _ options: CounterOptions, clock machine: any TillClock = SystemClock(),
        onLease: (@Sendable (LeaseNotice) -> Void)? = nil, onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil
    ) async throws(CounterError) -> Counter {
        let clock = WitnessedClock(machine)
        let address: JournalAddress
        do throws(JournalAddressError) { address = try JournalAddress(options.journal) } catch {
            throw .journal(options.journal, .unavailable("it \(error)"))
        }
        guard case .file = address else {
            throw .journal(options.journal, .unavailable("this Till keeps no journal in PostgreSQL yet"))
        }
        let journal: SQLiteJournal
        do {
            journal = try SQLiteJournal.open(
                at: options.journal, clock: clock, description: "till, pid \(getpid())", onCommit: onCommit,
                lease: options.lease, onLease: onLease)
        } catch {
            throw .journal(options.journal, error)
        }
        return try await open(options, journal: journal, clock: clock)
    }
}
