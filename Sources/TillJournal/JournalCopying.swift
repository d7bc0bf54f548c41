public import TillCore

/// A continuous copy of a journal in a folder, on another disk or machine, from which `till restore` restores.
public protocol JournalCopying: Sendable {
    /// The folder that holds the copy.
    var folder: String { get }
    /// The wait after the last copy.
    var pause: Span { get }
    /// The time by which the copy is behind the journal; zero if nothing was written since.
    func lag(at now: Timestamp) throws(JournalError) -> Span
    /// Copies the journal if it has changed since the last copy. The copy is durable on return.
    /// - Returns: `true` if a copy was made.
    /// - Throws: ``JournalError/unavailable(_:)`` if none can be made; the copy before is kept.
    @discardableResult
    func copy() async throws(JournalError) -> Bool
}
