public import Crypto
import TillCore

/// A loyalty pass in a virtual wallet.
public struct VirtualPass: Sendable {
    /// The pass type identifier.
    public let passTypeIdentifier: String
    /// The message to the merchant, typically a member number.
    public let message: String
    /// The merchant's public key, in X9.63 form.
    public let merchantKey: [UInt8]
    /// `true` if the wallet uses the second encryption variant.
    public let usesSecondVariant: Bool

    /// Creates a pass as stored on a phone for one merchant.
    public init(
        passTypeIdentifier: String, message: String, merchantKey: [UInt8], usesSecondVariant: Bool = false
    ) {
        self.passTypeIdentifier = passTypeIdentifier
        self.message = message
        self.merchantKey = merchantKey
        self.usesSecondVariant = usesSecondVariant
    }

    /// The example merchant's test key: SHA-256 of the word merchant. It is public, so it protects nothing.
    public static var exampleKey: P256.KeyAgreement.PrivateKey? {
        try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(SHA256.hash(data: Array("merchant".utf8))))
    }

    /// The example merchant's pass.
    public static let example = VirtualPass(
        passTypeIdentifier: "pass.com.example.loyalty", message: "MEMBER-0001",
        merchantKey: exampleKey.map { Array($0.publicKey.x963Representation) } ?? [])

    /// Encrypts the message as a phone would at that time.
    func cryptogram(at time: Timestamp) -> [UInt8]? {
        do { return try sealed(at: time) } catch { return nil }
    }

    private func sealed(at time: Timestamp) throws -> [UInt8] {
        let merchant = try P256.KeyAgreement.PublicKey(x963Representation: merchantKey)
        let ephemeral = P256.KeyAgreement.PrivateKey()
        let secret = try ephemeral.sharedSecretFromKeyAgreement(with: merchant)
        let hash = Array(SHA256.hash(data: Array(passTypeIdentifier.utf8)))
        let name = Array("ApplePay encrypted VAS data".utf8)
        let info = usesSecondVariant ? name : [0x0D] + Array("id-aes256-GCM".utf8) + name + hash
        let key = secret.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: info, outputByteCount: 32)
        let seconds = UInt64(clamping: time.milliseconds / 1000 - VASMessage.epoch)
        let plain = TerminalData.bigEndian(seconds, 4) + Array(message.utf8.prefix(VASCryptogram.longestMessage))
        let box = try AES.GCM.seal(
            plain, using: key, nonce: try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)),
            authenticating: usesSecondVariant ? hash : [])
        return VASCryptogram.keyID(of: merchant) + ephemeral.publicKey.x963Representation.dropFirst().prefix(32)
            + box.ciphertext + box.tag
    }
}
