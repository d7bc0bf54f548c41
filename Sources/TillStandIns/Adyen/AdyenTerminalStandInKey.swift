import Crypto
import CryptoExtras
import Foundation
public import TillCore

/// The key that the stand-in's terminal shares with a till, and what it does with it. Written from Adyen's
/// documentation of local communications, on purpose apart from the client's seal: a mistake in one of the two is
/// found by the other.
public struct AdyenTerminalStandInKey: Sendable {
    private let passphrase: Secret<String>
    private let identifier: String
    private let version: Int64

    /// A key by its passphrase, name and version.
    public init(passphrase: Secret<String>, identifier: String, version: Int64 = 1) {
        self.passphrase = passphrase
        self.identifier = identifier
        self.version = version
    }

    /// A key of the same name that opens nothing that was sealed with this one.
    var stranger: AdyenTerminalStandInKey {
        AdyenTerminalStandInKey(passphrase: Secret("another one"), identifier: identifier, version: version)
    }

    /// 32 bytes that sign, 32 that seal, 16 that the start value is made with.
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

    /// The message in a sealed request; `nil` if it is sealed with another key, or was changed.
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

    /// A response, sealed; `nil` if it cannot be.
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
