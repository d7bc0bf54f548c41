public import TillCore

/// The first entry of a log: its identity, device and provider, signed by the device.
public struct LogHeader: Hashable, Sendable {
    /// 16 random bytes, as 32 hexadecimal digits.
    public let log: String
    /// The device's display name.
    public let device: String
    /// The public key that verifies the device's signatures.
    public let deviceKey: [UInt8]
    public let provider: OfflineProviderKeys
    public let createdAt: Timestamp

    private static let version: UInt8 = 1

    init(log: String, device: OfflineDevice, provider: OfflineProviderKeys, createdAt: Timestamp) {
        self.log = log
        self.device = device.name
        deviceKey = device.publicKey
        self.provider = provider
        self.createdAt = createdAt
    }

    private var signed: [UInt8] {
        var writer = PackedWriter()
        writer.byte(LogHeader.version)
        writer.text(log)
        writer.text(device)
        writer.counted(deviceKey)
        writer.text(provider.issuer)
        writer.counted(provider.sealing)
        writer.counted(provider.signing)
        writer.signed(createdAt.milliseconds)
        return writer.bytes
    }

    func payload(signedBy device: OfflineDevice) -> [UInt8] {
        let bytes = signed
        return bytes + device.sign(bytes)
    }

    init(payload: [UInt8]) throws(LogDamage) {
        var reader = PackedReader(payload)
        guard reader.byte() == LogHeader.version, let log = reader.text(), let device = reader.text(),
            let key = reader.counted(), let issuer = reader.text(), let sealing = reader.counted(),
            let signing = reader.counted(), let at = reader.signed()
        else { throw .headerForged }
        let signedBytes = Array(payload.prefix(reader.consumed))
        self.log = log
        self.device = device
        deviceKey = Array(key)
        provider = OfflineProviderKeys(issuer: issuer, sealing: Array(sealing), signing: Array(signing))
        createdAt = Timestamp(milliseconds: at)
        guard let signature = reader.plain(64), reader.isAtEnd,
            OfflineDevice.isSigned(signedBytes, signature, by: deviceKey)
        else { throw .headerForged }
    }
}
