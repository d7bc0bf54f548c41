internal import Crypto
internal import Foundation
public import TillCore

/// What a webhook is about, in Adyen's word; any word is kept.
public struct AdyenEventCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let authorization = AdyenEventCode(rawValue: "AUTHORISATION")
    /// Held money was taken, or not.
    public static let capture = AdyenEventCode(rawValue: "CAPTURE")
    /// A capture that was taken failed after all.
    public static let captureFailed = AdyenEventCode(rawValue: "CAPTURE_FAILED")
    /// Held money was released.
    public static let cancellation = AdyenEventCode(rawValue: "CANCELLATION")
    /// The same, by the shop's own name.
    public static let technicalCancel = AdyenEventCode(rawValue: "TECHNICAL_CANCEL")
    /// Whichever of the two was right.
    public static let cancelOrRefund = AdyenEventCode(rawValue: "CANCEL_OR_REFUND")
    public static let refund = AdyenEventCode(rawValue: "REFUND")
    /// A refund that was taken failed after all.
    public static let refundFailed = AdyenEventCode(rawValue: "REFUND_FAILED")
    /// A refund came back.
    public static let refundedReversed = AdyenEventCode(rawValue: "REFUNDED_REVERSED")

    /// A report can be fetched; its name stands where others have Adyen's name for their step.
    public static let reportAvailable = AdyenEventCode(rawValue: "REPORT_AVAILABLE")

}

/// Something that Adyen says has happened. Nothing of a card is in it.
public struct AdyenNotification: Hashable, Sendable {
    public let eventCode: AdyenEventCode
    /// Adyen's name for this event's own step.
    public let pspReference: String
    /// Adyen's name for the payment that a later step is about.
    public let originalReference: String?
    /// Our name for the step.
    public let merchantReference: String
    public let merchantAccount: String
    /// The amount, where it can be read.
    public let amount: Money?
    public let success: Bool
    /// Why not, or a remark.
    public let reason: String?
    /// When it happened, by Adyen's clock.
    public let at: Timestamp?
    /// What Adyen says of a dispute, where the event is about one.
    public let dispute: AdyenDisputeNote?
    /// By this name an event is counted once: Adyen sends again until it is taken.
    public var name: String { "\(eventCode.rawValue)/\(pspReference)/\(success)" }
}

/// Reads Adyen's webhooks and checks each item's signature.
public struct AdyenWebhooks: Sendable {
    /// The longest body that is read, in bytes.
    public static let maximumBytes = 512 << 10
    /// The most items in one body.
    public static let mostItems = 100
    /// What Adyen wants to hear.
    public static let accepted = "[accepted]"

    private let keys: [Secret<[UInt8]>]

    /// Checks with the configuration's keys; nil when there are none.
    public init?(_ config: AdyenConfig) {
        guard !config.webhookKeys.isEmpty else { return nil }
        keys = config.webhookKeys
    }

    /// The items of a body, each checked; one that does not check refuses all.
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
        // The values are joined by colons: one that holds a colon could be read as two.
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

    /// What the signature covers: eight values in Adyen's order with colons between; what is missing is empty.
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
            reason: item["reason"]?.stringValue.map { CardScrubbing.withoutNumbers(ProviderText.cut($0, atMost: 200)) },
            at: item["eventDate"]?.stringValue.flatMap { Timestamp(internetTime: $0) },
            dispute: AdyenDisputeNote(item["additionalData"]))
    }

    /// Signs an item as Adyen does, in Base64.
    public static func signature(_ item: JSONValue, key: Secret<[UInt8]>) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed(item).utf8), using: SymmetricKey(data: key.reveal()))
        return Data(code).base64EncodedString()
    }
}

/// Why a webhook is not taken.
public enum AdyenWebhookError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    /// The body does not have the form of Adyen's webhooks.
    case malformed
    /// An item has no signature.
    case unsigned
    /// A signature does not fit.
    case wrongSignature

    /// One sentence for people.
    public var description: String {
        switch self {
        case .tooLong: "The webhook is too long."
        case .malformed: "The webhook has another form."
        case .unsigned: "The webhook is not signed: switch HMAC on for it at Adyen."
        case .wrongSignature: "The webhook's signature does not match."
        }
    }
}
