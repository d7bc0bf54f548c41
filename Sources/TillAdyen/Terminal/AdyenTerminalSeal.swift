internal import Crypto
internal import CryptoExtras
internal import Foundation
public import TillCore

/// Seals messages to a terminal on the local network, with the key that terminal and till share.
///
/// 80 bytes come from the passphrase (PBKDF2, SHA-1, 4000 rounds, salt `AdyenNexoV1Salt`): 32 for HMAC-SHA-256 over the
/// plain message, 32 for AES-256-CBC, 16 for the start value, which is combined with 16 random bytes that go along.
/// Source: Adyen's documentation of local communications and its public client libraries.
public struct AdyenTerminalSeal: Sendable {
    /// The only version there is.
    public static let version: Int64 = 1

    /// The name of the key at the terminal.
    public let keyIdentifier: String
    public let keyVersion: Int64
    private let keys: Secret<Keys>

    private struct Keys: Sendable {
        let signing: SymmetricKey
        let sealing: SymmetricKey
        let start: [UInt8]

        /// Where the cipher of one message starts.
        /// - Throws: what the library throws for a nonce that has not 16 bytes.
        func start(with nonce: some Sequence<UInt8>) throws -> AES._CBC.IV {
            try AES._CBC.IV(ivBytes: zip(start, nonce).map { $0 ^ $1 })
        }
    }

    /// Derives the keys; takes some milliseconds. Nil for an empty passphrase.
    public init?(passphrase: Secret<String>, keyIdentifier: String, keyVersion: Int64) {
        let text = passphrase.reveal()
        guard !text.isEmpty, text.utf8.count <= 1024,
            let derived = try? KDF.Insecure.PBKDF2.deriveKey(
                from: Array(text.utf8), salt: Array("AdyenNexoV1Salt".utf8), using: .insecureSHA1, outputByteCount: 80,
                unsafeUncheckedRounds: 4000)
        else { return nil }
        let bytes = derived.withUnsafeBytes { Array($0) }
        keys = Secret(
            Keys(
                signing: SymmetricKey(data: bytes[0..<32]), sealing: SymmetricKey(data: bytes[32..<64]),
                start: Array(bytes[64..<80])))
        self.keyIdentifier = keyIdentifier
        self.keyVersion = keyVersion
    }

    /// Seals a message: `{"SaleToPOIRequest":{"MessageHeader":…,…}}` becomes the same with everything but the
    /// header in a blob.
    /// - Parameter nonce: 16 random bytes; drawn from the system unless given.
    public func seal(_ message: JSONValue, nonce: [UInt8]? = nil) throws(AdyenTerminalError) -> JSONValue {
        guard case .object(let members) = message, let outer = members.first, members.count == 1,
            let header = outer.value["MessageHeader"]
        else { throw .malformed }
        let keys = keys.reveal()
        var generator = SystemRandomNumberGenerator()
        let nonce = nonce ?? (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let plain = message.bytes()
        let blob: Data
        do { blob = try AES._CBC.encrypt(plain, using: keys.sealing, iv: try keys.start(with: nonce)) } catch {
            throw .malformed
        }
        let code = HMAC<SHA256>.authenticationCode(for: plain, using: keys.signing)
        return .adyen([
            outer.key: .adyen([
                "MessageHeader": header, "NexoBlob": .string(blob.base64EncodedString()),
                "SecurityTrailer": .adyen([
                    "AdyenCryptoVersion": .number("\(AdyenTerminalSeal.version)"),
                    "KeyIdentifier": .string(keyIdentifier), "KeyVersion": .number("\(keyVersion)"),
                    "Nonce": .string(Data(nonce).base64EncodedString()),
                    "Hmac": .string(Data(code).base64EncodedString()),
                ]),
            ])
        ])
    }

    /// Opens a sealed message, checks its seal and that the header outside is the one inside.
    public func open(_ message: JSONValue) throws(AdyenTerminalError) -> JSONValue {
        guard case .object(let members) = message, let outer = members.first, members.count == 1,
            let blob = outer.value["NexoBlob"]?.stringValue.flatMap({ Data(base64Encoded: $0) }),
            let trailer = outer.value["SecurityTrailer"],
            let nonce = trailer["Nonce"]?.stringValue.flatMap({ Data(base64Encoded: $0) }), nonce.count == 16,
            let code = trailer["Hmac"]?.stringValue.flatMap({ Data(base64Encoded: $0) })
        else { throw .malformed }
        guard trailer["KeyIdentifier"]?.stringValue == keyIdentifier, trailer["KeyVersion"]?.int64Value == keyVersion,
            trailer["AdyenCryptoVersion"]?.int64Value == AdyenTerminalSeal.version
        else { throw .otherKey }
        let keys = keys.reveal()
        let plain: Data
        do { plain = try AES._CBC.decrypt(blob, using: keys.sealing, iv: try keys.start(with: nonce)) } catch {
            throw .brokenSeal
        }
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: plain, using: keys.signing) else {
            throw .brokenSeal
        }
        guard let inside = JSONValue(ifValid: Array(plain)), case .object(let sealed) = inside,
            sealed.first?.key == outer.key,
            sealed.first?.value["MessageHeader"] == outer.value["MessageHeader"]
        else { throw .brokenSeal }
        return inside
    }
}

/// Why a message of a terminal cannot be used.
public enum AdyenTerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not such a message.
    case malformed
    /// Sealed with another key.
    case otherKey
    /// Changed on the way.
    case brokenSeal
    /// Not the answer to what was asked.
    case otherMessage
    /// Not one byte left.
    case notSent(String)
    /// It may have arrived; the terminal must be asked.
    case unknown(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .malformed: "The terminal's message has another form."
        case .otherKey: "The terminal uses another key: set the same key at both."
        case .brokenSeal: "The seal of the terminal's message is broken."
        case .otherMessage: "The terminal answered something else."
        case .notSent(let reason): "The terminal cannot be reached: \(reason). Nothing was charged."
        case .unknown(let reason):
            "The terminal has not answered: \(reason). It is not known whether money moved; ask it for the status."
        }
    }
}
