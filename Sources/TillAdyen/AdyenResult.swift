import TillCore

/// Adyen's result code of a payment. Open: any value is kept. Source: Adyen's result codes.
public struct AdyenResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The money is held or captured.
    public static let authorized = AdyenResultCode(rawValue: "Authorised")
    /// Declined by the issuer.
    public static let refused = AdyenResultCode(rawValue: "Refused")
    /// Canceled by the customer.
    public static let canceled = AdyenResultCode(rawValue: "Cancelled")
    /// A processing error; a webhook reports the result.
    public static let error = AdyenResultCode(rawValue: "Error")
    /// The customer must be redirected to the issuer's page.
    public static let redirectShopper = AdyenResultCode(rawValue: "RedirectShopper")
    /// The issuer requires the customer's device fingerprint.
    public static let identifyShopper = AdyenResultCode(rawValue: "IdentifyShopper")
    /// The issuer challenges the customer.
    public static let challengeShopper = AdyenResultCode(rawValue: "ChallengeShopper")
}

/// Adyen's refusals, according to the code tables.
enum AdyenRefusal {
    /// Returns the decline of a payment refused by the issuer or Adyen; `nil` if its code is not a refusal.
    static func decline(_ document: JSONValue) -> Decline? {
        let code = document["refusalReasonCode"]?.stringValue.map { ProviderText.cut($0, atMost: 16) }
        let row = code.flatMap { AdyenCodes.refusals[$0] }
        guard row?.money.needsQuery != true else { return nil }
        let text = document["refusalReason"]?.stringValue ?? document["resultCode"]?.stringValue ?? ""
        return Decline(
            reason: row?.reason ?? .generic, code: code,
            message: CardNumberMask.maskedForPeople(ProviderText.cut(text, atMost: 300)),
            requestID: document["pspReference"]?.stringValue.map { ProviderText.cut($0, atMost: 64) })
    }

    /// Returns the decline of a rejected request, from Adyen's error object.
    static func decline(_ status: Int, _ document: JSONValue, requestID: String?) -> Decline {
        let code = document["errorCode"]?.stringValue.map { ProviderText.cut($0, atMost: 32) } ?? "\(status)"
        let text = document["message"]?.stringValue ?? "HTTP \(status)"
        return Decline(
            reason: AdyenCodes.errors[code]?.reason ?? .invalidRequest, code: code,
            message: CardNumberMask.maskedForPeople(ProviderText.cut(text, atMost: 300)), requestID: requestID)
    }

    /// Returns the decline of a failed capture, cancel or refund, from its webhook's reason.
    static func decline(modification reason: String) -> Decline {
        Decline(
            reason: AdyenCodes.modification(reason)?.reason ?? .invalidRequest,
            message: CardNumberMask.maskedForPeople(ProviderText.cut(reason, atMost: 300)))
    }
}
