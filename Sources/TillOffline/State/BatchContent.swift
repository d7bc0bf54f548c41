import Crypto
public import TillCore

/// Which stored payments are in a batch, signed by the device. It never changes.
public struct BatchContent: Hashable, Sendable {
    /// The most payments of one batch.
    public static let mostMembers = 1_000

    /// What the batch is called: the log and its first entry, with a count of tries.
    public var id: String
    /// The entries of the payments, oldest first.
    public var members: [UInt64]
    /// SHA-256 over the batch's name and the hashes of its entries.
    public var root: [UInt8]
    public var at: Timestamp
    /// Ed25519 over all of it.
    public var signature: [UInt8]

    init(id: String, members: [UInt64], hashes: [[UInt8]], at: Timestamp, signedBy device: OfflineDevice) {
        self.id = id
        self.members = members
        root = BatchContent.root(id: id, hashes: hashes)
        self.at = at
        signature = []
        signature = device.sign(signed)
    }

    /// The batch's root from the hashes of its entries.
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

    /// Whether the device's key made it.
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
