import TillJournal

/// Why a command was not carried out, or why it is not known whether it was.
struct PostgresFailure: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// libpq is not there.
        case libraryMissing
        /// No server answered, or it let nobody in.
        case notConnected
        /// It wants a password, and none was given.
        case passwordMissing
        /// The server said so: certainly nothing was done.
        case server(SQLState)
        /// The connection ended while a command was under way.
        case lost
        /// No answer came in time.
        case timedOut
        /// It was said to be done, with a warning of this state. A wait for a standby that was canceled ends so: the
        /// commit may vanish with the primary.
        case warned(SQLState)
        /// What is there is not Till's, or not of this Till.
        case otherProgram
        /// It answered something that cannot be.
        case unexpected
    }

    var kind: Kind
    /// For people; no full stop.
    var text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// The command may have been carried out.
    var isUnknown: Bool {
        switch kind {
        case .lost, .timedOut, .warned, .unexpected: true
        // The server ends sessions with these also while a commit is under way.
        case .server(let state): state.isShutdown
        case .libraryMissing, .notConnected, .passwordMissing, .otherProgram: false
        }
    }

    /// The connection cannot be used any more.
    var endsConnection: Bool {
        switch kind {
        case .server(let state): state.isShutdown || state == .readOnly
        case .libraryMissing, .notConnected, .passwordMissing, .otherProgram, .lost, .timedOut, .warned, .unexpected:
            true
        }
    }

    /// In the journal's words.
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

/// A code of PostgreSQL's appendix A, or one that Till's procedures raise.
struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    var rawValue: String

    /// Another counter has taken over what this one held.
    static let leaseLost = SQLState(rawValue: "TL001")
    /// The journal's end is not what was written.
    static let damaged = SQLState(rawValue: "TL002")
    static let readOnly = SQLState(rawValue: "25006")
    static let lockNotAvailable = SQLState(rawValue: "55P03")
    static let deadlock = SQLState(rawValue: "40P01")
    static let serialization = SQLState(rawValue: "40001")
    static let missingRight = SQLState(rawValue: "42501")

    var isFull: Bool { rawValue == "53100" }
    /// The server or an administrator ends the session.
    var isShutdown: Bool { rawValue.hasPrefix("57P") || rawValue.hasPrefix("08") }
    /// A text that is no text there, such as one with U+0000.
    var isUnstorable: Bool { rawValue == "22P05" || rawValue == "22021" }
    /// The same may succeed a moment later.
    var isPassing: Bool { [.lockNotAvailable, .deadlock, .serialization].contains(self) || rawValue == "53300" }
    var description: String { rawValue }
}
