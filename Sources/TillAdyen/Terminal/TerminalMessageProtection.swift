internal import Crypto
@preconcurrency internal import CryptoExtras
internal import Foundation
internal import TillCards
public import TillCore

/// The key that a shop sets for its terminals in the customer area.
public struct TerminalKey: Sendable {
    /// Its name.
    public let identifier: String
    /// Its version; terminals hold several while one is being replaced.
    public let version: Int64
    /// What the keys are made of.
    public let passphrase: Secret<String>

    /// A key.
    public init(identifier: String, version: Int64, passphrase: Secret<String>) {
        self.identifier = identifier
        self.version = version
        self.passphrase = passphrase
    }
}

/// Seals messages between a till and a terminal on the local network ("Protect local communications" of Adyen's
/// documentation): AES-256-CBC under a fresh nonce, HMAC-SHA-256 over the plain message, both keys from the passphrase
/// by PBKDF2 with SHA-1, 4,000 rounds and Adyen's salt.
///
/// A value; any number of calls may run at once. Making one takes some milliseconds, so keep it.
public struct TerminalMessageProtection: Sendable {
    /// The largest sealed message, in bytes.
    public static let maximumBytes = 1 << 20
    static let rounds = 4000
    static let salt = "AdyenNexoV1Salt"

    private let key: TerminalKey
    private let authentication: SymmetricKey
    private let cipher: SymmetricKey
    private let vector: [UInt8]

    /// Makes the keys.
    /// - Throws: ``TerminalProtectionError/unusableKey`` for an empty passphrase.
    public init(key: TerminalKey) throws(TerminalProtectionError) {
        let passphrase = Array(key.passphrase.reveal().utf8)
        guard !passphrase.isEmpty, !key.identifier.isEmpty else { throw .unusableKey }
        let derived: SymmetricKey
        do {
            derived = try KDF.Insecure.PBKDF2.deriveKey(
                from: passphrase, salt: Array(TerminalMessageProtection.salt.utf8), using: .insecureSHA1,
                outputByteCount: 80, unsafeUncheckedRounds: TerminalMessageProtection.rounds)
        } catch {
            throw .unusableKey
        }
        let bytes = derived.withUnsafeBytes { Array($0) }
        guard bytes.count == 80 else { throw .unusableKey }
        self.key = key
        authentication = SymmetricKey(data: bytes[0..<32])
        cipher = SymmetricKey(data: bytes[32..<64])
        vector = Array(bytes[64..<80])
    }

    /// Seals a message. Its header stays readable beside it.
    /// - Parameters:
    ///   - message: `{"SaleToPOIRequest": {"MessageHeader": …, …}}` or the response.
    ///   - nonce: 16 bytes, never twice under one key; random if not given.
    /// - Throws: ``TerminalProtectionError``.
    public func seal(_ message: JSONValue, nonce: [UInt8]? = nil) throws(TerminalProtectionError) -> JSONValue {
        guard case .object(let members) = message, members.count == 1, let envelope = members.first,
            let header = envelope.value["MessageHeader"]
        else { throw .malformed }
        var random = SystemRandomNumberGenerator()
        let nonce = nonce ?? (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let plain = message.bytes()
        let sealed: Data
        do {
            sealed = try AES._CBC.encrypt(plain, using: cipher, iv: AES._CBC.IV(ivBytes: try mixed(nonce)))
        } catch {
            throw .malformed
        }
        let code = HMAC<SHA256>.authenticationCode(for: plain, using: authentication)
        return .object([
            JSONMember(
                key: envelope.key,
                value: .members([
                    "MessageHeader": header,
                    "NexoBlob": .string(sealed.base64EncodedString()),
                    "SecurityTrailer": .members([
                        "AdyenCryptoVersion": .number("1"),
                        "Hmac": .string(Data(code).base64EncodedString()),
                        "KeyIdentifier": .string(key.identifier),
                        "KeyVersion": .number(String(key.version)),
                        "Nonce": .string(Data(nonce).base64EncodedString()),
                    ]),
                ]))
        ])
    }

    /// Opens a sealed message. What lies readable beside it must be what is under the seal.
    /// - Throws: ``TerminalProtectionError``; the same for a wrong key, a changed byte and a broken padding.
    public func open(_ message: JSONValue) throws(TerminalProtectionError) -> JSONValue {
        guard case .object(let members) = message, members.count == 1, let envelope = members.first,
            let trailer = envelope.value["SecurityTrailer"], let blob = envelope.value["NexoBlob"]?.stringValue
        else { throw .notSealed }
        guard trailer["AdyenCryptoVersion"]?.int64Value == 1, trailer["KeyIdentifier"]?.stringValue == key.identifier,
            trailer["KeyVersion"]?.int64Value == key.version
        else { throw .otherKey }
        guard blob.utf8.count <= TerminalMessageProtection.maximumBytes, let sealed = Data(base64Encoded: blob),
            let nonce = trailer["Nonce"]?.stringValue.flatMap({ Data(base64Encoded: $0) }), nonce.count == 16,
            let code = trailer["Hmac"]?.stringValue.flatMap({ Data(base64Encoded: $0) }), code.count == 32
        else { throw .malformed }
        let plain: [UInt8]
        do {
            plain = Array(
                try AES._CBC.decrypt(Array(sealed), using: cipher, iv: AES._CBC.IV(ivBytes: try mixed(Array(nonce)))))
        } catch {
            throw .notGenuine
        }
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: plain, using: authentication) else {
            throw .notGenuine
        }
        guard let opened = try? JSONValue(parsing: plain), case .object(let inner) = opened,
            inner.count == 1, let content = inner.first, content.key == envelope.key,
            let header = content.value["MessageHeader"], header == envelope.value["MessageHeader"]
        else { throw .notGenuine }
        return opened
    }

    private func mixed(_ nonce: [UInt8]) throws(TerminalProtectionError) -> [UInt8] {
        guard nonce.count == vector.count else { throw .malformed }
        return zip(vector, nonce).map { $0 ^ $1 }
    }
}

/// Why a message can not be sealed or opened. The sentence repeats nothing of it.
public enum TerminalProtectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key is empty.
    case unusableKey
    /// Not a message of this kind.
    case malformed
    /// It came in the clear.
    case notSealed
    /// It is sealed with another key, or another version of it.
    case otherKey
    /// It was changed on its way, or sealed by somebody else.
    case notGenuine

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unusableKey: "The terminal's key can not be used."
        case .malformed: "The message can not be read."
        case .notSealed: "The terminal's message is not sealed. It is not believed."
        case .otherKey: "The terminal's message is sealed with another key. It is not believed."
        case .notGenuine: "The terminal's message was changed or comes from somebody else. It is not believed."
        }
    }
}
