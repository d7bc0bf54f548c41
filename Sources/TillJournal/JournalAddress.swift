import TillCore

/// The location of a journal: a SQLite file, or a PostgreSQL database shared by many counters.
public enum JournalAddress: Hashable, Sendable {
    /// The path of the database file, absolute or relative to the working folder.
    case file(String)
    /// A libpq connection string without a password, such as `postgresql://till@db1,db2/till`.
    case postgres(String)

    /// Parses a journal address.
    /// - Throws: ``JournalAddressError`` for an unsupported scheme, and for an address with a password: addresses
    ///   appear on the command line, in process lists and in messages.
    public init(_ text: String) throws(JournalAddressError) {
        guard let scheme = JournalAddress.scheme(of: text) else {
            self = .file(text)
            return
        }
        guard scheme == "postgres" || scheme == "postgresql" else { throw .unknownScheme(scheme) }
        guard !JournalAddress.hasPassword(text) else { throw .password }
        self = .postgres(text)
    }

    /// The path prefix of the files that a counter stores on its own machine.
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

    /// Returns the scheme before `://`, in lower case; `nil` for a path.
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

/// The reason an address is rejected.
public enum JournalAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scheme is not supported.
    case unknownScheme(String)
    /// The address contains a password.
    case password

    /// Continues a sentence that begins with the address.
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
