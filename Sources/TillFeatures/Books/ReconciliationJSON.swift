public import TillBooks
public import TillCore

/// The JSON form of a statement's reconciliation.
public enum ReconciliationJSON {
    /// Writes the line counts as members of an open object.
    public static func members(of found: Reconciliation.Outcome, into writer: inout JSONWriter) {
        let counts: [(String, Int)] = [
            ("imported", found.imported), ("known", found.known), ("matched", found.matched),
            ("posted", found.posted), ("differs", found.differs), ("unknown", found.unknown),
            ("expected", found.expected), ("missing", found.missing), ("remainders", found.remainders),
        ]
        for (key, count) in counts { writer.field(key, count) }
    }
}
