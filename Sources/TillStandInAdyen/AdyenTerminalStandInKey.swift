import Crypto
import CryptoExtras
import Foundation
public import TillCore

/// The key that the simulated terminal shares with a till, and its operations. Implemented from Adyen's documentation
/// of local communications, deliberately independent of the client's implementation, so that an error in either is
/// detected by the other.
public struct AdyenTerminalStandInKey: Sendable {
    private let passphrase: Secret<String>
    private let identifier: String
    private let version: Int64

    /// Creates a key from its passphrase, identifier and version.
    public init(passphrase: Secret<String>, identifier: String, version: Int64 = 1) {
        self.passphrase = passphrase
        self.identifier = identifier
        self.version = version
    }

    /// A key with the same identifier that decrypts nothing encrypted with this one.
    var stranger: AdyenTerminalStandInKey {
        AdyenTerminalStandInKey(passphrase: Secret("another one"), identifier: identifier, version: version)
    }

    /// Derives the HMAC key (32 bytes), the cipher key (32 bytes) and the IV seed (16 bytes).
    private func material() throws -> (sign: SymmetricKey, seal: SymmetricKey, start: [UInt8]) {
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(passphrase.reveal().utf8), salt: Array("AdyenNexoV1Salt".utf8), using: .insecureSHA1,
            outputByteCount: 80, unsafeUncheckedRounds: 4_000)
        let bytes = key.withUnsafeBytes { [UInt8]($0) }
        return (SymmetricKey(data: bytes.prefix(32)), SymmetricKey(data: bytes[32...63]), Array(bytes.suffix(16)))
    }

    private static func start(_ base: [UInt8], _ nonce: [UInt8]) throws -> AES._CBC.IV {
        try AES._CBC.IV(ivBytes: base.indices.map { base[$0] ^ nonce[$0] })
    }

    /// Decrypts a request; returns `nil` if it was encrypted with another key or modified.
    func opened(_ message: JSONValue) -> JSONValue? {
        guard let request = message["SaleToPOIRequest"], let trailer = request["SecurityTrailer"],
            trailer["KeyIdentifier"] == .string(identifier), trailer["KeyVersion"]?.int64Value == version,
            let nonce = AdyenTerminalStandInKey.bytes(trailer["Nonce"]), nonce.count == 16,
            let code = AdyenTerminalStandInKey.bytes(trailer["Hmac"]),
            let blob = AdyenTerminalStandInKey.bytes(request["NexoBlob"])
        else { return nil }
        do {
            let keys = try material()
            let plain = try AES._CBC.decrypt(
                blob, using: keys.seal, iv: try AdyenTerminalStandInKey.start(keys.start, nonce))
            guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: plain, using: keys.sign) else {
                return nil
            }
            return JSONValue(ifValid: Array(plain))
        } catch { return nil }
    }

    /// Encrypts a response; returns `nil` on failure.
    func sealed(_ message: JSONValue) -> JSONValue? {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let plain = message.bytes()
        let blob: Data
        let code: HMAC<SHA256>.MAC
        do {
            let keys = try material()
            blob = try AES._CBC.encrypt(
                plain, using: keys.seal, iv: try AdyenTerminalStandInKey.start(keys.start, nonce))
            code = HMAC<SHA256>.authenticationCode(for: plain, using: keys.sign)
        } catch { return nil }
        return .members([
            "SaleToPOIResponse": .members([
                "MessageHeader": message["SaleToPOIResponse"]?["MessageHeader"],
                "NexoBlob": .string(blob.base64EncodedString()),
                "SecurityTrailer": .members([
                    "AdyenCryptoVersion": .number("1"), "KeyIdentifier": .string(identifier),
                    "KeyVersion": .number("\(version)"), "Nonce": .string(Data(nonce).base64EncodedString()),
                    "Hmac": .string(Data(code).base64EncodedString()),
                ]),
            ])
        ])
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.stringValue.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
