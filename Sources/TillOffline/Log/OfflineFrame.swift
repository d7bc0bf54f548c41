import Crypto

/// One entry of the offline log as it lies in the file.
///
/// | at | bytes | what |
/// |---|---|---|
/// | 0 | 4 | `TLR1` |
/// | 4 | 4 | length of the payload that is there |
/// | 8 | 4 | 1: the payload was removed with the provider's word, 0: it is there |
/// | 12 | 4 | kind, three bytes zero |
/// | 16 | 8 | length of the payload when it was written |
/// | 24 | 8 | sequence, from 0 |
/// | 32 | 8 | the newest sequence that was durable when this was written |
/// | 40 | 32 | hash of the entry before |
/// | 72 | 32 | SHA-256 of the payload |
/// | 104 | n | payload |
/// | 104+n | 32 | SHA-256 of the bytes 12 to 103: this entry's hash |
///
/// All numbers little end first. The hash does not cover the payload itself but its hash, so that a payload may be
/// removed and the chain still be verified: what stays is the tombstone.
public struct OfflineFrame: Hashable, Sendable {
    /// What an entry is.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// The log's identity; always the first.
        case header = 1
        case payment
        /// A payment that is not wanted any more, or an attempt that must never be stored.
        case void
        /// Payments put together for the provider.
        case batch
        /// The batch is about to leave.
        case submitted
        /// The provider's decisions and its deletion token.
        case accepted
        /// The batch is done: its payloads may be removed.
        case resolved
        /// The batch is given up, not its payments.
        case reset
        /// A payment is put aside, with the reason.
        case quarantine
        /// A payment is taken back from being put aside.
        case release
        /// The device's signature under the chain so far.
        case checkpoint
        /// The provider was reached.
        case contact
    }

    static let magic: [UInt8] = [0x54, 0x4C, 0x52, 0x31]
    /// The bytes before the payload.
    static let headBytes = 104
    /// The bytes of a hash.
    static let hashBytes = 32
    public static let mostPayload = 4 << 20

    public var kind: Kind
    /// Its place in the log.
    public var sequence: UInt64
    /// The newest sequence that was durable when it was written.
    public var syncedSequence: UInt64
    /// The hash of the entry before.
    public var previous: [UInt8]
    /// What it says; empty if it was removed.
    public var payload: [UInt8]
    /// How long the payload was when it was written.
    public var originalLength: Int
    /// The hash of the payload.
    public var payloadDigest: [UInt8]
    /// The payload was removed.
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

    /// As it lies in the file.
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

    /// Its length in the file.
    var length: Int { OfflineFrame.headBytes + payload.count + OfflineFrame.hashBytes }

    /// The same entry without its payload.
    func removingPayload() -> OfflineFrame {
        var stub = self
        stub.payload = []
        stub.isRemoved = true
        return stub
    }
}
