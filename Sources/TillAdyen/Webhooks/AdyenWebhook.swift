internal import Crypto
internal import Foundation
public import TillCore

/// Reads and believes Adyen's webhooks ("Verify HMAC signatures" of its documentation).
///
/// A webhook has up to ``maximumItems`` notices, each signed on its own over eight of its fields with colons between.
/// A field with a colon in it could stand for two, so such a notice is not believed. All that is used of a notice is
/// under the signature, or decides nothing.
public enum AdyenWebhook {
    /// The largest body.
    public static let maximumBytes = 256 << 10
    /// The most notices of one body.
    public static let maximumItems = 100

    /// The believed notices, in their order. Notices of other merchant accounts are left out.
    /// - Throws: ``AdyenWebhookError``; then none of them may be acted on.
    public static func verify(body: [UInt8], config: AdyenConfig) throws(AdyenWebhookError) -> [AdyenNotice] {
        guard !config.webhookKeys.isEmpty else { throw .noKey }
        guard body.count <= maximumBytes else { throw .tooLong }
        guard let items = (try? JSONValue(parsing: body))?["notificationItems"]?.arrayValue, !items.isEmpty else {
            throw .malformed
        }
        guard items.count <= maximumItems else { throw .tooLong }
        var notices: [AdyenNotice] = []
        for item in items {
            guard let item = item["NotificationRequestItem"] else { throw .malformed }
            let signed = try signedText(item)
            guard let given = item["additionalData"]?["hmacSignature"]?.stringValue,
                let signature = Data(base64Encoded: given), signature.count == 32
            else { throw .notSigned }
            let isGenuine = config.webhookKeys.contains {
                HMAC<SHA256>.isValidAuthenticationCode(
                    signature, authenticating: Array(signed.utf8), using: SymmetricKey(data: $0.reveal()))
            }
            guard isGenuine else { throw .wrongSignature }
            guard item["merchantAccountCode"]?.stringValue == config.merchantAccount else { continue }
            if let notice = notice(item) { notices.append(notice) }
        }
        return notices
    }

    /// What is under the signature.
    /// - Throws: ``AdyenWebhookError/malformed``, also for a colon within a field.
    package static func signedText(_ item: JSONValue) throws(AdyenWebhookError) -> String {
        func text(_ value: JSONValue?) throws(AdyenWebhookError) -> String {
            switch value {
            case nil, .null: return ""
            case .string(let text):
                guard !text.contains(":") else { throw .malformed }
                return text
            case .number(let digits): return digits
            case .bool(let value): return value ? "true" : "false"
            default: throw .malformed
            }
        }
        return [
            try text(item["pspReference"]), try text(item["originalReference"]), try text(item["merchantAccountCode"]),
            try text(item["merchantReference"]), try text(item["amount"]?["value"]),
            try text(item["amount"]?["currency"]), try text(item["eventCode"]), try text(item["success"]),
        ].joined(separator: ":")
    }

    /// `nil` for what can be no notice about a payment: reports, and amounts that Adyen's own table does not know.
    private static func notice(_ item: JSONValue) -> AdyenNotice? {
        let succeeded: Bool
        switch item["success"] {
        case .string("true"), .bool(true): succeeded = true
        case .string("false"), .bool(false): succeeded = false
        default: return nil
        }
        guard let event = item["eventCode"]?.stringValue, event.utf8.count <= 64,
            let reference = AdyenReference.of(item), let wire = item["amount"]?["value"]?.int64Value,
            let currency = item["amount"]?["currency"]?.stringValue.flatMap({ try? Currency(code: $0) }),
            let amount = try? AmountCodec.adyen.money(fromWire: wire, currency: currency)
        else { return nil }
        let original = item["originalReference"]?.stringValue
        let reason = succeeded ? nil : item["reason"]?.stringValue
        return AdyenNotice(
            event: AdyenNotice.Event(rawValue: event), succeeded: succeeded, reference: reference,
            original: original.flatMap { AdyenReference.isUsable($0) ? ProviderReference(rawValue: $0) : nil },
            ours: String((item["merchantReference"]?.stringValue ?? "").prefix(80)), amount: amount,
            at: String((item["eventDate"]?.stringValue ?? "").prefix(40)),
            reason: reason.map { CardScrubbing.withoutNumbers(String($0.prefix(200))) })
    }

    /// Signs a notice as Adyen does; for stand-ins and tests.
    package static func signature(of item: JSONValue, key: [UInt8]) throws(AdyenWebhookError) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(try signedText(item).utf8), using: SymmetricKey(data: key))
        return Data(code).base64EncodedString()
    }
}

/// Why a webhook is not believed. Nothing was done.
public enum AdyenWebhookError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No key is configured.
    case noKey
    /// More than is read.
    case tooLong
    /// Not a webhook of Adyen's, or a field that could be read in two ways.
    case malformed
    /// A notice without a signature.
    case notSigned
    /// A signature that fits no key.
    case wrongSignature

    /// One sentence for people.
    public var description: String {
        switch self {
        case .noKey: "No key for Adyen's webhooks is set. Nothing was done."
        case .tooLong: "Adyen's webhook is too long. Nothing was done."
        case .malformed: "The webhook can not be read as Adyen's. Nothing was done."
        case .notSigned: "The webhook is not signed. Nothing was done."
        case .wrongSignature: "The webhook's signature is wrong. Nothing was done."
        }
    }
}
