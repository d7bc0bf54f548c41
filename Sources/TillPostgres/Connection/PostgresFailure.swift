import TillJournal

/// The reason that a command failed, or that its outcome is unknown.
struct PostgresFailure: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// libpq is not installed.
        case libraryMissing
        /// No server answered, or none accepted the session.
        case notConnected
        /// The server requires a password, and none was given.
        case passwordMissing
        /// The server reported an error: certainly nothing was done.
        case server(SQLState)
        /// The connection was lost during a command.
        case lost
        /// The deadline passed without an answer.
        case timedOut
        /// The command completed with a warning of this state. A canceled wait for a standby ends this way: the commit
        /// may be lost with the primary.
        case warned(SQLState)
        /// The schema belongs to another program, or to another version of Till.
        case otherProgram
        /// The answer is impossible.
        case unexpected
    }

    var kind: Kind
    /// A description for display, without a full stop.
    var text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// `true` if the command may have been carried out.
    var isUnknown: Bool {
        switch kind {
        case .lost, .timedOut, .warned, .unexpected: true
        // The server also ends sessions with these during a commit.
        case .server(let state): state.isShutdown
        case .libraryMissing, .notConnected, .passwordMissing, .otherProgram: false
        }
    }

    /// `true` if the connection can no longer be used.
    var endsConnection: Bool {
        switch kind {
        case .server(let state): state.isShutdown || state == .readOnly
        case .libraryMissing, .notConnected, .passwordMissing, .otherProgram, .lost, .timedOut, .warned, .unexpected:
            true
        }
    }

    /// The corresponding journal error.
    var journalError: JournalError {
        switch kind {
        case .server(.leaseLost): .leaseLost
        case .server(.damaged): .corrupted(text)
        case .server(let state) where state.isFull: .full("PostgreSQL says: \(text) (\(state))")
        case .server(let state) where state.isUnstorable:
            .corrupted("a text has a character that PostgreSQL cannot store: \(text) (\(state))")
        case .server(.missingRight):
            .unavailable("the database does not let Till's role do that: \(text); docs/CLUSTER.md says what it needs")
        case .server(let state): .unavailable("PostgreSQL says: \(text) (\(state))")
        case .libraryMissing:
            .unavailable(text + "; on Debian: apt-get install libpq5, on a Mac: brew install libpq")
        case .passwordMissing:
            .unavailable(text + "; put the password into ~/.pgpass or the file that PGPASSFILE names")
        case .otherProgram: .corrupted(text)
        case .notConnected, .lost, .timedOut, .warned, .unexpected: .unavailable(text)
        }
    }
}

/// An error code of PostgreSQL's appendix A, or one raised by Till's procedures.
struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    var rawValue: String

    /// Another counter has taken over this one's lease.
    static let leaseLost = SQLState(rawValue: "TL001")
    /// The end of the journal differs from the last write.
    static let damaged = SQLState(rawValue: "TL002")
    static let readOnly = SQLState(rawValue: "25006")
    static let lockNotAvailable = SQLState(rawValue: "55P03")
    static let deadlock = SQLState(rawValue: "40P01")
    static let serialization = SQLState(rawValue: "40001")
    static let missingRight = SQLState(rawValue: "42501")

    var isFull: Bool { rawValue == "53100" }
    /// `true` if the server or an administrator ends the session.
    var isShutdown: Bool { rawValue.hasPrefix("57P") || rawValue.hasPrefix("08") }
    /// `true` for text that PostgreSQL cannot store, such as one with U+0000.
    var isUnstorable: Bool { rawValue == "22P05" || rawValue == "22021" }
    /// `true` for an error that may disappear on retry.
    var isPassing: Bool { [.lockNotAvailable, .deadlock, .serialization].contains(self) || rawValue == "53300" }
    var description: String { rawValue }
}
