import Crypto

/// One entry of the offline log in its file format.
///
/// | at | bytes | what |
/// |---|---|---|
/// | 0 | 4 | `TLR1` |
/// | 4 | 4 | current length of the payload |
/// | 8 | 4 | 1: the payload was deleted with a deletion token, 0: it is present |
/// | 12 | 4 | kind, three bytes zero |
/// | 16 | 8 | length of the payload when written |
/// | 24 | 8 | sequence, from 0 |
/// | 32 | 8 | the newest sequence that was durable when this was written |
/// | 40 | 32 | hash of the previous entry |
/// | 72 | 32 | SHA-256 of the payload |
/// | 104 | n | payload |
/// | 104+n | 32 | SHA-256 of the bytes 12 to 103: this entry's hash |
///
/// All numbers are little-endian. The hash covers the payload's hash instead of the payload, so that a payload can be
/// deleted and the chain still verified: a tombstone remains.
public struct OfflineFrame: Hashable, Sendable {
    /// The kind of an entry.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// The log's identity; always the first entry.
        case header = 1
        case payment
        /// A withdrawn payment, or an attempt that must never be stored.
        case void
        /// A batch of payments for the provider.
        case batch
        /// The batch is about to be sent.
        case submitted
        /// The provider's decisions and its deletion token.
        case accepted
        /// The batch is resolved: its payloads may be deleted.
        case resolved
        /// The batch is abandoned; its payments remain.
        case reset
        /// A quarantined payment, with the reason.
        case quarantine
        /// A payment released from quarantine.
        case release
        /// The device's signature over the chain so far.
        case checkpoint
        /// The provider was reached.
        case contact
    }

    static let magic: [UInt8] = [0x54, 0x4C, 0x52, 0x31]
    /// Length of the frame before the payload.
    static let headBytes = 104
    /// Length of a hash.
    static let hashBytes = 32
    public static let mostPayload = 4 << 20

    public var kind: Kind
    /// The position in the log.
    public var sequence: UInt64
    /// The newest sequence that was durable when this entry was written.
    public var syncedSequence: UInt64
    /// The hash of the previous entry.
    public var previous: [UInt8]
    /// The content; empty if it was deleted.
    public var payload: [UInt8]
    /// The length of the payload when written.
    public var originalLength: Int
    /// The hash of the payload.
    public var payloadDigest: [UInt8]
    /// `true` if the payload was deleted.
    public var isRemoved: Bool
    public var hash: [UInt8]

    init(_ kind: Kind, sequence: UInt64, syncedSequence: UInt64, previous: [UInt8], payload: [UInt8]) {
        self.kind = kind
        self.sequence = sequence
        self.syncedSequence = syncedSequence
        self.previous = previous
        self.payload = payload
        originalLength = payload.count
        payloadDigest = Array(SHA256.hash(data: payload))
        isRemoved = false
        hash = []
        hash = Array(SHA256.hash(data: covered))
    }

    private var covered: [UInt8] {
        var writer = PackedWriter(reserving: OfflineFrame.headBytes)
        writer.byte(kind.rawValue)
        writer.plain([0, 0, 0])
        writer.long(UInt64(originalLength))
        writer.long(sequence)
        writer.long(syncedSequence)
        writer.plain(previous)
        writer.plain(payloadDigest)
        return writer.bytes
    }

    /// The bytes in the file.
    var encoded: [UInt8] {
        var writer = PackedWriter(reserving: OfflineFrame.headBytes + payload.count + OfflineFrame.hashBytes)
        writer.plain(OfflineFrame.magic)
        writer.word(UInt32(payload.count))
        writer.word(isRemoved ? 1 : 0)
        writer.plain(covered)
        writer.plain(payload)
        writer.plain(hash)
        return writer.bytes
    }

    /// The length in the file.
    var length: Int { OfflineFrame.headBytes + payload.count + OfflineFrame.hashBytes }

    /// Returns the same entry without its payload.
    func removingPayload() -> OfflineFrame {
        var stub = self
        stub.payload = []
        stub.isRemoved = true
        return stub
    }
}
