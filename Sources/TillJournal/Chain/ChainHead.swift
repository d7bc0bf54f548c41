import TillCore

/// Where a journal's hash chain ends: it stands for every event up to its place, in their order. Whoever keeps it apart
/// from the journal (a backup's label, a printed report) finds out later that anything up to there was changed or cut
/// off, even by somebody who has computed the chain anew.
public struct ChainHead: Hashable, Sendable {
    /// The place of the last event; 0 in a journal without events.
    public var sequence: Int64
    /// 32 bytes: the link of that event, or the journal's own random start.
    public var hash: [UInt8]

    public init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }

    /// Reads what ``description`` writes; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence >= 0, let hash = Hex.decode(parts[1]),
            hash.count == EventLink.byteCount
        else { return nil }
        self.init(sequence: sequence, hash: hash)
    }
}

extension ChainHead: CustomStringConvertible {
    /// As `43:9f86d0…`: the place, and the hash in hexadecimal.
    public var description: String { "\(sequence):\(Hex.lowercase(hash))" }
}
