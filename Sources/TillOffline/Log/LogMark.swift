public import TillCore

/// A known entry of the log, kept outside of it: the journal keeps one with every stored payment, the provider one with
/// every batch. It reveals truncation and rollback of the log.
public struct LogMark: Hashable, Sendable {
    public var log: String
    public var sequence: UInt64
    public var hash: [UInt8]

    public init(log: String, sequence: UInt64, hash: [UInt8]) {
        self.log = log
        self.sequence = sequence
        self.hash = hash
    }

    /// The form used as the reference of an attempt: `off.<log>.<entry>.<hash>`.
    public var reference: ProviderReference {
        ProviderReference(rawValue: "off.\(log).\(sequence).\(Hex.lowercase(hash))")
    }

    /// Parses such a reference; `nil` for any other.
    public init?(_ reference: ProviderReference) {
        let parts = reference.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "off", let sequence = UInt64(parts[2]), let hash = Hex.decode(parts[3]),
            hash.count == 32
        else { return nil }
        self.init(log: String(parts[1]), sequence: sequence, hash: hash)
    }
}
