public import Crypto
import Foundation
public import TillCore

/// An encrypted VAS message, as sent by a phone to the merchant's key. Source: public reverse engineering of the
/// protocol; the pass format's documentation for the message's length.
public struct VASCryptogram: Sendable {
    /// The key identifier: the first four bytes of SHA-256 over the recipient key's X coordinate.
    public let keyID: [UInt8]
    private let ephemeralX: [UInt8]
    private let sealed: [UInt8]
    /// The complete cryptogram, for replay detection.
    public let bytes: [UInt8]

    /// The longest VAS message, in bytes.
    public static let longestMessage = 64

    /// Returns `nil` if the length is out of range.
    public init?(_ bytes: [UInt8]) {
        guard (4 + 32 + 4 + 16...4 + 32 + 4 + VASCryptogram.longestMessage + 16).contains(bytes.count) else {
            return nil
        }
        self.bytes = bytes
        keyID = Array(bytes[0..<4])
        ephemeralX = Array(bytes[4..<36])
        sealed = Array(bytes[36...])
    }

    /// Returns the identifier of a key, as contained in cryptograms.
    public static func keyID(of key: P256.KeyAgreement.PublicKey) -> [UInt8] {
        Array(SHA256.hash(data: key.x963Representation.dropFirst().prefix(32)).prefix(4))
    }

    /// Decrypts the message, trying both variants that wallets use.
    /// - Throws: ``VASError`` if no key matches or authentication fails.
    public func open(
        keys: [P256.KeyAgreement.PrivateKey], passTypeIdentifier: String
    ) throws(VASError) -> VASMessage {
        guard let key = keys.first(where: { VASCryptogram.keyID(of: $0.publicKey) == keyID }) else {
            throw .unknownKey
        }
        // Either point with this X yields the same shared secret, so either sign works.
        let secret: SharedSecret
        do {
            secret = try key.sharedSecretFromKeyAgreement(
                with: try P256.KeyAgreement.PublicKey(compressedRepresentation: [0x02] + ephemeralX))
        } catch { throw .malformed }
        let hash = Array(SHA256.hash(data: Array(passTypeIdentifier.utf8)))
        let name = Array("ApplePay encrypted VAS data".utf8)
        let first = [0x0D] + Array("id-aes256-GCM".utf8) + name + hash
        for (info, additional) in [(first, [UInt8]()), (name, hash)] {
            let symmetric = secret.x963DerivedSymmetricKey(
                using: SHA256.self, sharedInfo: info, outputByteCount: 32)
            guard let plain = plain(with: symmetric, authenticating: additional), plain.count >= 4 else { continue }
            let seconds = plain.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            return VASMessage(
                time: Timestamp(milliseconds: (seconds + VASMessage.epoch) * 1000),
                message: Secret(Array(plain.dropFirst(4))))
        }
        throw .brokenSeal
    }

    /// Decrypts the payload; `nil` if authentication fails with this key.
    private func plain(with key: SymmetricKey, authenticating additional: [UInt8]) -> Data? {
        do {
            let box = try AES.GCM.SealedBox(
                nonce: try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)), ciphertext: sealed.dropLast(16),
                tag: sealed.suffix(16))
            return try AES.GCM.open(box, using: key, authenticating: additional)
        } catch { return nil }
    }
}

/// A decrypted VAS message.
public struct VASMessage: Sendable {
    /// Seconds from 1970 to 2001, the epoch of wallet timestamps.
    static let epoch: Int64 = 978_307_200
    /// Creation time, by the phone's clock.
    public let time: Timestamp
    /// The member number or other merchant data in the pass: it identifies a customer, so it is a `Secret`.
    public let message: Secret<[UInt8]>
}

/// The reason that a pass could not be read.
public enum VASError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Encrypted to an unknown key.
    case unknownKey
    /// The bytes are not a VAS cryptogram.
    case malformed
    /// Modified in transit, or for another pass.
    case brokenSeal
    /// Created too long ago or in the future: more than ``VASReplayWindow/widest`` away.
    case outsideWindow
    /// The same cryptogram was seen before.
    case replayed
    /// Not a wallet, or another protocol version.
    case notAWallet(StatusWord)
    /// Communication with the phone failed.
    case channel(CardChannelError)

    /// A sentence that contains no pass data.
    public var description: String {
        switch self {
        case .unknownKey: "The pass is sealed to a key that this shop does not hold."
        case .malformed: "The pass's data cannot be read."
        case .brokenSeal: "The pass's seal is broken."
        case .outsideWindow: "The pass was read too long ago, or the phone's clock is wrong."
        case .replayed: "This reading of the pass was used before."
        case .notAWallet(let status): "There is no wallet with passes here: \(status)."
        case .channel(let error): error.description
        }
    }
}

/// Rejects stale and repeated VAS messages: the protocol has no reader challenge.
public struct VASReplayWindow: Sendable {
    /// Tolerated deviation of a phone's clock.
    public static let widest: Span = .minutes(10)
    /// Maximum number of messages remembered; the oldest are dropped, which the window permits.
    public static let mostRemembered = 10_000

    private var seen: [[UInt8]: Timestamp] = [:]
    private var order: [[UInt8]] = []

    /// Creates an empty window.
    public init() {}

    /// Accepts a message once.
    public mutating func take(
        _ cryptogram: VASCryptogram, _ message: VASMessage, at now: Timestamp
    ) throws(VASError) {
        let distance = now.since(message.time).milliseconds.magnitude
        guard distance <= VASReplayWindow.widest.milliseconds.magnitude else { throw .outsideWindow }
        let name = Array(SHA256.hash(data: cryptogram.bytes))
        guard seen.updateValue(now, forKey: name) == nil else { throw .replayed }
        order.append(name)
        if order.count > VASReplayWindow.mostRemembered { seen[order.removeFirst()] = nil }
    }
}
