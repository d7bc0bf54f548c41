public import TillBooks
public import TillCore

/// What came of a statement as programs see it.
public enum ReconciliationJSON {
    /// Writes the numbers of lines as members of an object that was begun.
    public static func members(of found: Reconciliation.Outcome, into writer: inout JSONWriter) {
        let counts: [(String, Int)] = [
            ("imported", found.imported), ("known", found.known), ("matched", found.matched),
            ("posted", found.posted), ("differs", found.differs), ("unknown", found.unknown),
            ("expected", found.expected), ("missing", found.missing), ("remainders", found.remainders),
        ]
        for (key, count) in counts { writer.field(key, count) }
    }
}
