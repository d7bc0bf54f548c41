import TillCore

/// Where a journal is: a file of SQLite, or a database of PostgreSQL that many counters share.
public enum JournalAddress: Hashable, Sendable {
    /// The path of the database's file, absolute or from the working folder.
    case file(String)
    /// As libpq takes it, such as `postgresql://till@db1,db2/till`; without a password.
    case postgres(String)

    /// Reads what a person has given as the journal.
    /// - Throws: ``JournalAddressError`` for the address of something else, and for a password in it: an address stands
    ///   on the command line, in lists of processes and in messages.
    public init(_ text: String) throws(JournalAddressError) {
        guard let scheme = JournalAddress.scheme(of: text) else {
            self = .file(text)
            return
        }
        guard scheme == "postgres" || scheme == "postgresql" else { throw .unknownScheme(scheme) }
        guard !JournalAddress.hasPassword(text) else { throw .password }
        self = .postgres(text)
    }

    /// The path with which the names of the files begin that a counter keeps on its own machine.
    public var files: String {
        switch self {
        case .file(let path): return path
        case .postgres(let address):
            let place = address.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "?" }
            let host = place.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            let name = host.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }
            return ".till/postgresql-" + String(name.prefix(100))
        }
    }

    /// What stands before `://`, in small letters; `nil` for a path.
    private static func scheme(of text: String) -> String? {
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard scheme.first?.isLetter == true, text[scheme.endIndex...].hasPrefix("://") else { return nil }
        return scheme.lowercased()
    }

    private static func hasPassword(_ address: String) -> Bool {
        let rest = address.drop { $0 != ":" }.dropFirst(3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        if let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") { return true }
        let query = rest.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").contains { field in
            ["password=", "sslpassword="].contains { field.lowercased().hasPrefix($0) }
        }
    }
}

/// Why an address cannot be that of a journal.
public enum JournalAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing that Till keeps a journal in.
    case unknownScheme(String)
    /// It has a password.
    case password

    /// Continues a sentence that begins with what was given.
    public var description: String {
        switch self {
        case .unknownScheme(let scheme):
            "is an address of \(scheme), in which Till keeps no journal: give the path of a file, or postgresql://…"
        case .password:
            "has a password, which others can see: take it out, and put it into ~/.pgpass or the file that PGPASSFILE "
                + "names"
        }
    }
}
