import TillCore

/// The head of a journal's hash chain: it commits to every event up to its position, in order. A copy kept apart from
/// the journal (a backup's label, a printed report) later reveals any change or truncation up to there, even if the
/// chain was recomputed.
///
/// ```swift
/// let head = try await journal.backup(to: "/mnt/backup/journal.sqlite")
/// let label = "\(head)"
/// // Later, with the label as it was printed:
/// let report = try await journal.verify(known: ChainHead(label))
/// for problem in report.problems { print(problem) }
/// ```
public struct ChainHead: Hashable, Sendable {
    /// The position of the last event; 0 in a journal without events.
    public var sequence: Int64
    /// 32 bytes: the link of that event, or the journal's own random start.
    public var hash: [UInt8]

    public init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }

    /// Parses the form that ``description`` writes; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence >= 0, let hash = Hex.decode(parts[1]),
            hash.count == EventLink.byteCount
        else { return nil }
        self.init(sequence: sequence, hash: hash)
    }
}

extension ChainHead: CustomStringConvertible {
    /// As `43:9f86d0…`: the position, and the hash in hexadecimal.
    public var description: String { "\(sequence):\(Hex.lowercase(hash))" }
}
