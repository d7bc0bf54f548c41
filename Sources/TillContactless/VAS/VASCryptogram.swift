public import Crypto
import Foundation
public import TillCore

/// A pass's message as it comes from a phone: sealed to the shop's key. Source: public reverse engineering of the
/// protocol; the pass format's documentation for the message's length.
public struct VASCryptogram: Sendable {
    /// Which key it is sealed to: the first four bytes of SHA-256 over the key's X coordinate.
    public let keyID: [UInt8]
    private let ephemeralX: [UInt8]
    private let sealed: [UInt8]
    /// All of it, to know it again.
    public let bytes: [UInt8]

    /// The longest message of a pass, in bytes.
    public static let longestMessage = 64

    /// Nil for bytes that are too short or too long to be one.
    public init?(_ bytes: [UInt8]) {
        guard (4 + 32 + 4 + 16...4 + 32 + 4 + VASCryptogram.longestMessage + 16).contains(bytes.count) else {
            return nil
        }
        self.bytes = bytes
        keyID = Array(bytes[0..<4])
        ephemeralX = Array(bytes[4..<36])
        sealed = Array(bytes[36...])
    }

    /// The key's name as a cryptogram carries it.
    public static func keyID(of key: P256.KeyAgreement.PublicKey) -> [UInt8] {
        Array(SHA256.hash(data: key.x963Representation.dropFirst().prefix(32)).prefix(4))
    }

    /// Opens it, trying both ways that wallets seal.
    /// - Throws: ``VASError`` when no key fits or the seal is broken.
    public func open(
        keys: [P256.KeyAgreement.PrivateKey], passTypeIdentifier: String
    ) throws(VASError) -> VASMessage {
        guard let key = keys.first(where: { VASCryptogram.keyID(of: $0.publicKey) == keyID }) else {
            throw .unknownKey
        }
        // Either point with this X gives the same secret, so the sign is free to choose.
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

    /// What is sealed; `nil` if the seal is not of this key.
    private func plain(with key: SymmetricKey, authenticating additional: [UInt8]) -> Data? {
        do {
            let box = try AES.GCM.SealedBox(
                nonce: try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)), ciphertext: sealed.dropLast(16),
                tag: sealed.suffix(16))
            return try AES.GCM.open(box, using: key, authenticating: additional)
        } catch { return nil }
    }
}

/// What a pass says, once opened.
public struct VASMessage: Sendable {
    /// Seconds from 1970 to 2001, where a wallet's count begins.
    static let epoch: Int64 = 978_307_200
    /// When the phone made it, by the phone's clock.
    public let time: Timestamp
    /// The member's number or whatever the shop put into the pass: it names a customer, so it is sealed.
    public let message: Secret<[UInt8]>
}

/// Why a pass could not be read.
public enum VASError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sealed to a key that is not here.
    case unknownKey
    /// The bytes are no cryptogram of a pass.
    case malformed
    /// Changed on the way, or for another pass.
    case brokenSeal
    /// Made too long ago or in the future: more than ``VASReplayWindow/widest`` away.
    case outsideWindow
    /// The same cryptogram was seen before.
    case replayed
    /// The wallet is not one, or speaks another version.
    case notAWallet(StatusWord)
    /// The way to the phone failed.
    case channel(CardChannelError)

    /// One sentence, which holds nothing of the pass.
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

/// Refuses a pass's message that is old or comes twice: the protocol has no challenge of the reader's own.
public struct VASReplayWindow: Sendable {
    /// How far a phone's clock may be off.
    public static let widest: Span = .minutes(10)
    /// The most messages that are remembered; the oldest are dropped, which the window allows.
    public static let mostRemembered = 10_000

    private var seen: [[UInt8]: Timestamp] = [:]
    private var order: [[UInt8]] = []

    /// A memory of nonces that holds none yet.
    public init() {}

    /// Takes a message once.
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
