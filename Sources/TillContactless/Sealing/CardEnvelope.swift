public import Crypto
import Foundation
public import TillCore

/// Card data of a tap, sealed for the provider: no other party, including this host, can open it, and it is valid for
/// one payment only.
///
/// HPKE (RFC 9180) with P-256, HKDF-SHA256 and AES-256-GCM. The header names the key, the reader and the payment with
/// its amount, and is authenticated with the card data: an envelope cannot be moved to another payment. On iOS
/// envelopes are sealed and opened from 17 on, where the system has HPKE.
public struct CardEnvelope: Sendable {
    /// The time after a tap within which a provider accepts the envelope. Source: the same limit in Apple's reader.
    public static let validity: Span = .seconds(60)
    /// The longest envelope text accepted, in bytes.
    public static let mostBytes = 16_384

    private static let start = "till1"
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private static let suite = HPKE.Ciphersuite(
        kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
    private static let info = Data("till card envelope 1".utf8)

    /// The payment that an envelope is bound to.
    public struct Intent: Hashable, Sendable {
        /// The only payment that the envelope may pay.
        public let payment: String
        /// The exact amount that may be charged.
        public let amount: Money

        /// Creates an intent; opening the envelope for anything else fails.
        public init(payment: String, amount: Money) {
            self.payment = payment
            self.amount = amount
        }
    }

    /// The contents of an envelope, for the provider.
    public struct Content: Sendable {
        /// The card number, as read from the card.
        public let number: Secret<String>
        /// Data from card and terminal for the provider's chip data field.
        public let chipData: [DataObject]
        /// The payment it was sealed for.
        public let intent: Intent
        /// The reader that sealed it.
        public let reader: String
    }

    /// Encrypts a reading so that only the provider can open it.
    /// - Throws: ``CardEnvelopeError/nothingToSeal`` for a reading that may not proceed to a payment.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public static func seal(
        _ reading: CardReading, for intent: Intent, reader: String, to key: P256.KeyAgreement.PublicKey,
        at now: Timestamp
    ) throws(CardEnvelopeError) -> Secret<String> {
        guard reading.outcome == .onlineRequest || reading.outcome == .approved, let number = reading.number else {
            throw .nothingToSeal
        }
        var head = JSONWriter()
        head.beginObject()
        head.field("key", keyID(of: key))
        head.field("reader", reader)
        head.field("payment", intent.payment)
        head.field("amount", intent.amount.minorUnits)
        head.field("currency", intent.amount.currency.code)
        head.field("expires", now.adding(validity).milliseconds)
        head.endObject()
        let digits = number.reveal()
        let packed = Hex.bytes(ifValid: digits.count.isMultiple(of: 2) ? digits : digits + "F") ?? []
        let inside = [DataObject(0x5A, packed)] + reading.general
        let (encapsulated, sealed): (Data, Data)
        do {
            var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
            sealed = try sender.seal(Data(inside.flatMap(\.encoded)), authenticating: Data(head.bytes))
            encapsulated = sender.encapsulatedKey
        } catch { throw .brokenSeal }
        let parts = [Data(head.bytes), encapsulated, sealed].map { $0.base64EncodedString() }
        return Secret(([start] + parts).joined(separator: "."))
    }

    /// Opens an envelope, at the provider.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public static func open(
        _ text: Secret<String>, with key: P256.KeyAgreement.PrivateKey, at now: Timestamp
    ) throws(CardEnvelopeError) -> Content {
        let text = text.reveal()
        guard text.utf8.count <= mostBytes else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == start, let head = Data(base64Encoded: String(parts[1])),
            let encapsulated = Data(base64Encoded: String(parts[2])),
            let sealed = Data(base64Encoded: String(parts[3])),
            let fields = JSONValue(ifValid: Array(head)), case .string(let named)? = fields["key"],
            case .string(let payment)? = fields["payment"], case .string(let reader)? = fields["reader"],
            case .string(let code)? = fields["currency"], let currency = Currency(ifValid: code),
            case .number(let amount)? = fields["amount"], let minor = Int64(amount),
            case .number(let until)? = fields["expires"], let expires = Int64(until)
        else { throw .malformed }
        guard named == keyID(of: key.publicKey) else { throw .unknownKey }
        let opened: Data
        do {
            var recipient = try HPKE.Recipient(
                privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: encapsulated)
            opened = try recipient.open(sealed, authenticating: head)
        } catch { throw .brokenSeal }
        guard let objects = DataObject.parse(ifValid: Array(opened)), let packed = objects.first(0x5A)?.value else {
            throw .brokenSeal
        }
        guard now.milliseconds <= expires else { throw .expired }
        return Content(
            number: Secret(String(Hex.text(packed).prefix { $0 != "F" })),
            chipData: objects.filter { $0.tag != 0x5A },
            intent: Intent(payment: payment, amount: Money(minorUnits: minor, currency: currency)), reader: reader)
    }

    /// Returns `true` if the text is an envelope of this kind.
    public static func isEnvelope(_ text: String) -> Bool { text.hasPrefix(start + ".") }

    /// Returns a key's identifier: the first 16 hexadecimal digits of SHA-256 over it.
    public static func keyID(of key: P256.KeyAgreement.PublicKey) -> String {
        Hex.text(Array(SHA256.hash(data: key.x963Representation)).prefix(8))
    }
}

/// The reason that an envelope was not made or not opened. Contains no card data.
public enum CardEnvelopeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reading may not proceed to a payment.
    case nothingToSeal
    /// The bytes are not an envelope.
    case malformed
    /// Sealed to another key.
    case unknownKey
    /// It was sealed longer ago than ``CardEnvelope/validity``.
    case expired
    /// Modified in transit.
    case brokenSeal

    /// A sentence that contains no envelope data.
    public var description: String {
        switch self {
        case .nothingToSeal: "There is nothing to send: the card may not be charged."
        case .malformed: "The card's data are not an envelope."
        case .unknownKey: "The card's data are sealed for someone else."
        case .expired: "The card's data are too old: the card must be presented again."
        case .brokenSeal: "The seal of the card's data is broken."
        }
    }
}
