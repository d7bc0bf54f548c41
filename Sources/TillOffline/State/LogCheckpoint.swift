public import TillCore

/// The device's signature over the chain up to an entry. A copy kept elsewhere, for example at the provider, later
/// reveals truncation or rewriting of the log.
public struct LogCheckpoint: Hashable, Sendable {
    public var log: String
    /// The last entry covered.
    public var sequence: UInt64
    public var hash: [UInt8]
    public var at: Timestamp
    /// Ed25519 signature over all fields above.
    public var signature: [UInt8]

    init(log: String, sequence: UInt64, hash: [UInt8], at: Timestamp, signedBy device: OfflineDevice) {
        self.log = log
        self.sequence = sequence
        self.hash = hash
        self.at = at
        signature = []
        signature = device.sign(signed)
    }

    private var signed: [UInt8] {
        var writer = PackedWriter()
        writer.text("till checkpoint 1")
        writer.text(log)
        writer.long(sequence)
        writer.plain(hash)
        writer.signed(at.milliseconds)
        return writer.bytes
    }

    /// Returns `true` if the signature verifies with the device's public key.
    public func isSigned(by key: [UInt8]) -> Bool { OfflineDevice.isSigned(signed, signature, by: key) }

    func write(to writer: inout PackedWriter) {
        writer.text(log)
        writer.long(sequence)
        writer.plain(hash)
        writer.signed(at.milliseconds)
        writer.plain(signature)
    }

    init?(_ reader: inout PackedReader) {
        guard let log = reader.text(), let sequence = reader.long(), let hash = reader.plain(32),
            let at = reader.signed(), let signature = reader.plain(64)
        else { return nil }
        self.log = log
        self.sequence = sequence
        self.hash = Array(hash)
        self.at = Timestamp(milliseconds: at)
        self.signature = Array(signature)
    }
}
