internal import Crypto
internal import Foundation
public import TillCore

/// Verifies Braintree's webhooks: the signature over the payload as received, then its age.
///
/// ```swift
/// let event = try BraintreeWebhook.verify(
///     payload: payload, signature: signature, publicKey: config.publicKey, privateKey: config.privateKey,
///     now: SystemClock().now())
/// if let transaction = event.transaction { print("\(event.kind): \(transaction) is to be queried.") }
/// ```
public enum BraintreeWebhook {
    /// The maximum size of a payload, in bytes.
    public static let maximumBytes = 256 << 10
    /// The maximum age of a webhook. Braintree retries for a day.
    public static let oldest: Span = .days(2)

    /// An event reported by Braintree. A hint: its subject is read from Braintree.
    public struct Event: Hashable, Sendable {
        /// The signature, unique to each payload, so that a repeated webhook counts once.
        public let id: String
        /// The kind of the notification, as Braintree spells it: `transaction_settled`, `check`, ….
        public let kind: String
        public let at: Timestamp
        /// The transaction of the event, if it names one.
        public let transaction: String?

        /// `true` if the event may concern money of a settled payment: a dispute, a sale that failed to settle, a
        /// refund that failed.
        public var isAfterSale: Bool {
            kind.hasPrefix("dispute_") || ["transaction_settlement_declined", "refund_failed"].contains(kind)
        }
    }

    /// Verifies a webhook's signature and parses the event.
    /// - Parameters:
    ///   - payload: `bt_payload` as received: Base64 in lines.
    ///   - signature: `bt_signature`: pairs of public key and signature.
    /// - Throws: ``BraintreeWebhookError``.
    public static func verify(
        payload: String, signature: String, publicKey: String, privateKey: Secret<String>, now: Timestamp
    ) throws(BraintreeWebhookError) -> Event {
        guard payload.utf8.count <= maximumBytes, signature.utf8.count <= 4096 else { throw .tooLong }
        let isBase64 = payload.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
                || [0x2B, 0x2F, 0x3D, 0x0A].contains($0)
        }
        guard isBase64 else { throw .malformed }
        let pairs = signature.split(separator: "&").map {
            $0.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        }
        guard let pair = pairs.first(where: { $0.count == 2 && $0[0] == publicKey }) else { throw .otherKey }
        let key = SymmetricKey(data: Insecure.SHA1.hash(data: Array(privateKey.reveal().utf8)))
        // In lower case, as Braintree writes it: no other text is the same signature.
        let given = pair[1].utf8.count == 40 && pair[1] == pair[1].lowercased() ? Hex.decode(pair[1]) : nil
        let fits = [payload, payload + "\n"].contains { text in
            given.map {
                HMAC<Insecure.SHA1>.isValidAuthenticationCode($0, authenticating: Array(text.utf8), using: key)
            } ?? false
        }
        guard fits else { throw .wrongSignature }
        guard let data = Data(base64Encoded: payload.replacing("\n", with: "")),
            let node = XMLNode(parsing: Array(data)), node.name == "notification", let kind = node.value("kind"),
            let at = node.value("timestamp").flatMap({ Timestamp(internetTime: $0) })
        else { throw .unreadable }
        guard now.since(at) <= oldest, at.since(now) <= .minutes(5) else { throw .stale }
        let subject = node["subject"]
        let id = (subject?["transaction"] ?? subject?["dispute"]?["transaction"])?.value("id")
        return Event(
            id: "bt-\(pair[1])", kind: String(kind.prefix(100)), at: at,
            transaction: id.flatMap { BraintreeTransaction.isUsable($0) ? $0 : nil })
    }
}

/// A reason for the rejection of a webhook.
public enum BraintreeWebhookError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    /// Not Base64 in lines.
    case malformed
    /// Signed for another key.
    case otherKey
    /// The signature does not match.
    case wrongSignature
    /// Correctly signed, but too old or in the future.
    case stale
    /// Correctly signed, but no notification.
    case unreadable

    /// A one-sentence description for display.
    public var description: String {
        switch self {
        case .tooLong: "The webhook is too long."
        case .malformed: "The webhook's payload has another form."
        case .otherKey: "The webhook is signed for another key."
        case .wrongSignature: "The webhook's signature does not match."
        case .stale: "The webhook is too old or in the future."
        case .unreadable: "The webhook holds no notification that can be read."
        }
    }
}
