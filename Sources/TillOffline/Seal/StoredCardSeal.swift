import Crypto
import Foundation
public import TillCore

/// Seals a card for the provider and binds it to its payment: HPKE (RFC 9180) with X25519, HKDF-SHA256 and
/// ChaCha20-Poly1305. The associated data are the log's identifier and the record's readable part: payment, attempt,
/// order, amount, currency, times, reader. No key on this host can open it. On iOS it works from 17 on, where the
/// system has HPKE.
public enum StoredCardSeal {
    /// The maximum card data that is sealed, in bytes.
    public static let mostBytes = 32_768
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let info = Data("till stored card 1".utf8)

    /// Seals a card into a record.
    /// - Throws: ``OfflineLogError/notSealed`` if the provider's key is invalid or the system has no HPKE,
    ///   ``OfflineLogError/tooLarge``.
    public static func seal(
        _ card: Secret<String>, into record: StoredRecord, log: String, for provider: OfflineProviderKeys
    ) throws(OfflineLogError) -> StoredRecord {
        let inside = Data(card.reveal().utf8)
        guard inside.count <= mostBytes else { throw .tooLarge }
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { throw .notSealed }
        var record = record
        do {
            let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: provider.sealing)
            var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
            let sealed = try sender.seal(inside, authenticating: Data(Array(log.utf8) + record.head))
            record.sealed = Array(sender.encapsulatedKey) + Array(sealed)
        } catch { throw .notSealed }
        return record
    }

    /// Opens a card, at the provider.
    /// - Parameter key: X25519, 32 bytes.
    /// - Returns: `nil` if it is sealed to another key, or if the record or the log's identifier was changed.
    public static func open(_ record: StoredRecord, log: String, with key: Secret<[UInt8]>) -> Secret<String>? {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *), record.sealed.count > 32 else { return nil }
        do {
            let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: key.reveal())
            var recipient = try HPKE.Recipient(
                privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: Data(record.sealed.prefix(32)))
            let opened = try recipient.open(
                Data(record.sealed.dropFirst(32)), authenticating: Data(Array(log.utf8) + record.head))
            return Secret(String(decoding: opened, as: UTF8.self))
        } catch { return nil }
    }

    /// Returns the public key for a provider's private key; `nil` if the key is invalid.
    public static func publicKey(of key: Secret<[UInt8]>) -> [UInt8]? {
        (try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: key.reveal())).map {
            Array($0.publicKey.rawRepresentation)
        }
    }
}
