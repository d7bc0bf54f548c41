/// A store that can drop what its files still hold of earlier states of records.
///
/// A change replaces a record, but a database keeps the earlier bytes for a while: in its log, and in pages that are
/// free. After the erasure of personal data they must go, too.
package protocol TraceErasing: Sendable {
    /// Drops earlier states from the files of the store. Changes no record.
    /// - Returns: `false` if readers or writers needed them all the time that was waited; it is then tried again by a
    ///   later call.
    /// - Throws: ``JournalError/closed``.
    func eraseTraces() async throws(JournalError) -> Bool
}
