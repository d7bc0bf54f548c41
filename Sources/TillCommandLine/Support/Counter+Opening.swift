import Foundation
import TillCore
import TillCounter
import TillJournal
import TillJournalSQLite
import TillPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Counter {
    /// Opens a counter on the journal in its options: a file, or a PostgreSQL database.
    /// - Parameters:
    ///   - onLease: called when this process takes over from another one, or is taken over.
    ///   - onCommit: called with the events of each commit, before its writes return.
    ///   - onHint: called after commits of counters on other machines, with the accounts concerned.
    static func open(
        _ options: CounterOptions, clock machine: any TillClock = SystemClock(),
        onLease: (@Sendable (LeaseNotice) -> Void)? = nil, onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil,
        onHint: (@Sendable (Set<AccountID>?) -> Void)? = nil
    ) async throws(CounterError) -> Counter {
        let clock = WitnessedClock(machine)
        let journal: any CounterStore
        do {
            journal = try openJournal(
                at: options.journal, clock: clock, lease: options.lease, onLease: onLease, onCommit: onCommit,
                onHint: onHint)
        } catch {
            throw .journal(options.journal, error)
        }
        return try await open(options, journal: journal, clock: clock)
    }

    /// Opens the journal at a path or an address.
    static func openJournal(
        at place: String, clock: any TillClock = SystemClock(), lease: Span = JournalLimits.processLease,
        onLease: (@Sendable (LeaseNotice) -> Void)? = nil, onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil,
        onHint: (@Sendable (Set<AccountID>?) -> Void)? = nil
    ) throws(JournalError) -> any CounterStore {
        let address = try journalAddress(place)
        switch address {
        case .file(let path):
            return try SQLiteJournal.open(
                at: path, clock: clock, description: "till, pid \(getpid())", onCommit: onCommit, lease: lease,
                onLease: onLease)
        case .postgres(let text):
            let here = ProcessInfo.processInfo.hostName
            return try PostgresJournal.open(
                at: text, files: address.files, clock: clock,
                description: "till \(Till.version) at \(here), pid \(getpid())", onCommit: onCommit, onHint: onHint,
                lease: lease, onLease: onLease)
        }
    }

    /// Reads the level of the journal at a path or an address, without opening it.
    static func journalLevel(at place: String) throws(JournalError) -> JournalLevel {
        switch try journalAddress(place) {
        case .file(let path): try SQLiteJournal.level(at: path)
        case .postgres(let text): try PostgresJournal.level(at: text)
        }
    }

    /// Refuses a path or an address without a journal; changes nothing. A path with files of a journal beside it has
    /// one, which opening it examines: a restore may not be finished there.
    /// - Throws: ``CommandError``, or ``CounterError/journal(_:_:)`` for a database that does not answer.
    static func checkJournalExists(at place: String) throws {
        let isThere: Bool
        do throws(JournalError) {
            switch try journalAddress(place) {
            case .file(let path):
                isThere = ["", "-owners", "-head"].contains { FileManager.default.fileExists(atPath: path + $0) }
            case .postgres(let text): isThere = try PostgresJournal.level(at: text).found > 0
            }
        } catch { throw CounterError.journal(place, error) }
        guard !isThere else { return }
        throw CommandError(
            code: "journal_not_found", what: "There is no journal at \(place). Nothing was made there.",
            next: "Correct --journal or TILL_JOURNAL. The first sale makes a new journal, and so does till serve.")
    }

    private static func journalAddress(_ place: String) throws(JournalError) -> JournalAddress {
        do throws(JournalAddressError) { return try JournalAddress(place) } catch {
            throw .unavailable("its address \(error)")
        }
    }
}
