import Crypto
public import TillCore

/// The stored payments of a batch, signed by the device. Immutable.
public struct BatchContent: Hashable, Sendable {
    /// The maximum number of payments in one batch.
    public static let mostMembers = 1_000

    /// The batch identifier: the first eight digits of the log's identifier and a running number.
    public var id: String
    /// Log sequences of the payments, oldest first.
    public var members: [UInt64]
    /// SHA-256 over the batch identifier and the hashes of its entries.
    public var root: [UInt8]
    public var at: Timestamp
    /// Ed25519 signature over all fields above.
    public var signature: [UInt8]

    init(id: String, members: [UInt64], hashes: [[UInt8]], at: Timestamp, signedBy device: OfflineDevice) {
        self.id = id
        self.members = members
        root = BatchContent.root(id: id, hashes: hashes)
        self.at = at
        signature = []
        signature = device.sign(signed)
    }

    /// Computes the batch root from the hashes of its entries.
    public static func root(id: String, hashes: [[UInt8]]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(data: Array(id.utf8) + [0])
        for hash in hashes { hasher.update(data: hash) }
        return Array(hasher.finalize())
    }

    private var signed: [UInt8] {
        var writer = PackedWriter()
        writer.text("till batch 1")
        writer.text(id)
        writer.word(UInt32(clamping: members.count))
        for member in members { writer.long(member) }
        writer.plain(root)
        writer.signed(at.milliseconds)
        return writer.bytes
    }

    /// Returns `true` if the signature verifies with the device's public key.
    public func isSigned(by key: [UInt8]) -> Bool { OfflineDevice.isSigned(signed, signature, by: key) }

    func write(to writer: inout PackedWriter) {
        writer.text(id)
        writer.word(UInt32(clamping: members.count))
        for member in members { writer.long(member) }
        writer.plain(root)
        writer.signed(at.milliseconds)
        writer.counted(signature)
    }

    init?(_ reader: inout PackedReader) {
        guard let id = reader.text(), let count = reader.word(), count <= BatchContent.mostMembers else { return nil }
        var members: [UInt64] = []
        for _ in 0..<count {
            guard let member = reader.long() else { return nil }
            members.append(member)
        }
        guard let root = reader.plain(32), let at = reader.signed(), let signature = reader.counted() else {
            return nil
        }
        self.id = id
        self.members = members
        self.root = Array(root)
        self.at = Timestamp(milliseconds: at)
        self.signature = Array(signature)
    }
}
