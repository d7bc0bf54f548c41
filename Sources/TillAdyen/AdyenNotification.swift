internal import Crypto
internal import Foundation
public import TillCore

/// Adyen's event code. Open: any value is kept.
public struct AdyenEventCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let authorization = AdyenEventCode(rawValue: "AUTHORISATION")
    /// The result of a capture, successful or not.
    public static let capture = AdyenEventCode(rawValue: "CAPTURE")
    /// An accepted capture that failed later.
    public static let captureFailed = AdyenEventCode(rawValue: "CAPTURE_FAILED")
    /// Held money was released.
    public static let cancellation = AdyenEventCode(rawValue: "CANCELLATION")
    /// A cancel by the shop's own reference.
    public static let technicalCancel = AdyenEventCode(rawValue: "TECHNICAL_CANCEL")
    /// A cancel or a refund, whichever applied.
    public static let cancelOrRefund = AdyenEventCode(rawValue: "CANCEL_OR_REFUND")
    public static let refund = AdyenEventCode(rawValue: "REFUND")
    /// An accepted refund that failed later.
    public static let refundFailed = AdyenEventCode(rawValue: "REFUND_FAILED")
    /// A refund that was returned.
    public static let refundedReversed = AdyenEventCode(rawValue: "REFUNDED_REVERSED")

    /// A report is available; its name takes the place of Adyen's reference.
    public static let reportAvailable = AdyenEventCode(rawValue: "REPORT_AVAILABLE")

}

/// An event reported by Adyen. Contains no card data.
public struct AdyenNotification: Hashable, Sendable {
    public let eventCode: AdyenEventCode
    /// Adyen's reference of this event's own operation.
    public let pspReference: String
    /// Adyen's reference of the payment that a later operation concerns.
    public let originalReference: String?
    /// Till's reference of the operation.
    public let merchantReference: String
    public let merchantAccount: String
    /// The amount, if readable.
    public let amount: Money?
    public let success: Bool
    /// The reason for a failure, or a remark.
    public let reason: String?
    /// The time of the event, by Adyen's clock.
    public let at: Timestamp?
    /// The dispute details, if the event concerns a dispute.
    public let dispute: AdyenDisputeNote?
    /// The name by which an event is deduplicated: Adyen resends it until it is acknowledged.
    public var name: String { "\(eventCode.rawValue)/\(pspReference)/\(success)" }
}

/// Parses Adyen's webhooks and verifies each item's signature.
///
/// ```swift
/// guard let webhooks = AdyenWebhooks(config) else { return }
/// let events = try webhooks.verify(body: body)
/// try await adyen.book.take(events)
/// print(AdyenWebhooks.accepted)
/// ```
public struct AdyenWebhooks: Sendable {
    /// Maximum body size, in bytes.
    public static let maximumBytes = 512 << 10
    /// Maximum number of items in one body.
    public static let mostItems = 100
    /// The acknowledgment that Adyen expects.
    public static let accepted = "[accepted]"

    private let keys: [Secret<[UInt8]>]

    /// Creates a verifier with the configured keys; `nil` without a key.
    public init?(_ config: AdyenConfig) {
        guard !config.webhookKeys.isEmpty else { return nil }
        keys = config.webhookKeys
    }

    /// Verifies and returns the items of a body; one invalid item rejects all.
    /// - Throws: ``AdyenWebhookError``.
    public func verify(body: [UInt8]) throws(AdyenWebhookError) -> [AdyenNotification] {
        guard body.count <= AdyenWebhooks.maximumBytes else { throw .tooLong }
        guard let document = JSONValue(ifValid: body), let items = document["notificationItems"]?.arrayValue,
            (1...AdyenWebhooks.mostItems).contains(items.count)
        else { throw .malformed }
        var read: [AdyenNotification] = []
        for item in items {
            guard let inside = item["NotificationRequestItem"] else { throw .malformed }
            try check(inside)
            read.append(try AdyenWebhooks.notification(inside))
        }
        return read
    }

    /// The names of the signed values, in Adyen's order.
    private static let signedNames = [
        "pspReference", "originalReference", "merchantAccountCode", "merchantReference", "eventCode", "success",
    ]

    private func check(_ item: JSONValue) throws(AdyenWebhookError) {
        // The values are joined by colons: one that contains a colon would be ambiguous.
        let values =
            AdyenWebhooks.signedNames.map { item[$0] } + [item["amount"]?["value"], item["amount"]?["currency"]]
        guard !values.contains(where: { AdyenWebhooks.plain($0).contains(":") }) else { throw .malformed }
        guard let given = item["additionalData"]?["hmacSignature"]?.stringValue, let bytes = Data(base64Encoded: given)
        else { throw .unsigned }
        let signed = Array(AdyenWebhooks.signed(item).utf8)
        let fits = keys.contains { key in
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes, authenticating: signed, using: SymmetricKey(data: key.reveal()))
        }
        guard fits else { throw .wrongSignature }
    }

    /// Returns the signed text: eight values in Adyen's order, separated by colons; a missing value is empty.
    static func signed(_ item: JSONValue) -> String {
        let amount = item["amount"]
        return [
            item["pspReference"], item["originalReference"], item["merchantAccountCode"], item["merchantReference"],
            amount?["value"], amount?["currency"], item["eventCode"], item["success"],
        ].map { plain($0) }.joined(separator: ":")
    }

    private static func plain(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .number(let digits)?: digits
        case .bool(let value)?: value ? "true" : "false"
        default: ""
        }
    }

    private static func notification(_ item: JSONValue) throws(AdyenWebhookError) -> AdyenNotification {
        guard let code = item["eventCode"]?.stringValue, let name = item["pspReference"]?.stringValue,
            (1...64).contains(code.utf8.count), (1...64).contains(name.utf8.count)
        else { throw .malformed }
        return AdyenNotification(
            eventCode: AdyenEventCode(rawValue: code), pspReference: name,
            originalReference: item["originalReference"]?.stringValue.flatMap {
                $0.isEmpty ? nil : ProviderText.cut($0, atMost: 64)
            },
            merchantReference: ProviderText.cut(item["merchantReference"]?.stringValue ?? "", atMost: 128),
            merchantAccount: ProviderText.cut(item["merchantAccountCode"]?.stringValue ?? "", atMost: 80),
            amount: AdyenAmount.money(item["amount"]), success: plain(item["success"]) == "true",
            reason: item["reason"]?.stringValue.map {
                CardNumberMask.maskedForPeople(ProviderText.cut($0, atMost: 200))
            },
            at: item["eventDate"]?.stringValue.flatMap { Timestamp(internetTime: $0) },
            dispute: AdyenDisputeNote(item["additionalData"]))
    }

    /// Returns Adyen's signature of an item, in Base64.
    public static func signature(_ item: JSONValue, key: Secret<[UInt8]>) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed(item).utf8), using: SymmetricKey(data: key.reveal()))
        return Data(code).base64EncodedString()
    }
}

/// An error for a webhook that is not accepted.
public enum AdyenWebhookError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    /// The body is not an Adyen webhook.
    case malformed
    /// An item has no signature.
    case unsigned
    /// A signature does not match.
    case wrongSignature

    /// One sentence for display.
    public var description: String {
        switch self {
        case .tooLong: "The webhook is too long."
        case .malformed: "The webhook has another form."
        case .unsigned: "The webhook is not signed: switch HMAC on for it at Adyen."
        case .wrongSignature: "The webhook's signature does not match."
        }
    }
}
