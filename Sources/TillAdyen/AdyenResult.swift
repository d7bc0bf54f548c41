import TillCore

/// How a payment ended, in Adyen's words; any word is kept. Source: Adyen's result codes.
public struct AdyenResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The money is held or taken.
    public static let authorized = AdyenResultCode(rawValue: "Authorised")
    /// The bank said no.
    public static let refused = AdyenResultCode(rawValue: "Refused")
    /// The customer canceled it.
    public static let canceled = AdyenResultCode(rawValue: "Cancelled")
    /// Something went wrong on the way; a webhook reports how it ended.
    public static let error = AdyenResultCode(rawValue: "Error")
    /// The customer must go to the bank's page.
    public static let redirectShopper = AdyenResultCode(rawValue: "RedirectShopper")
    /// The bank wants to know the customer's device.
    public static let identifyShopper = AdyenResultCode(rawValue: "IdentifyShopper")
    /// The bank asks the customer.
    public static let challengeShopper = AdyenResultCode(rawValue: "ChallengeShopper")
}

/// What Adyen refuses, by the tables of its codes.
enum AdyenRefusal {
    /// A payment that the bank or Adyen refused; `nil`: its code does not say that.
    static func decline(_ document: JSONValue) -> Decline? {
        let code = document["refusalReasonCode"]?.stringValue.map { ProviderText.cut($0, atMost: 16) }
        let row = code.flatMap { AdyenCodes.refusals[$0] }
        guard row?.money.needsQuery != true else { return nil }
        let text = document["refusalReason"]?.stringValue ?? document["resultCode"]?.stringValue ?? ""
        return Decline(
            reason: row?.reason ?? .generic, code: code,
            message: CardScrubbing.withoutNumbers(ProviderText.cut(text, atMost: 300)),
            requestID: document["pspReference"]?.stringValue.map { ProviderText.cut($0, atMost: 64) })
    }

    /// A refusal of the request itself: Adyen's error object.
    static func decline(_ status: Int, _ document: JSONValue, requestID: String?) -> Decline {
        let code = document["errorCode"]?.stringValue.map { ProviderText.cut($0, atMost: 32) } ?? "\(status)"
        let text = document["message"]?.stringValue ?? "HTTP \(status)"
        return Decline(
            reason: AdyenCodes.errors[code]?.reason ?? .invalidRequest, code: code,
            message: CardScrubbing.withoutNumbers(ProviderText.cut(text, atMost: 300)), requestID: requestID)
    }

    /// A capture, a cancel or a refund that was not done, by its webhook's sentence.
    static func decline(modification reason: String) -> Decline {
        Decline(
            reason: AdyenCodes.modification(reason)?.reason ?? .invalidRequest,
            message: CardScrubbing.withoutNumbers(ProviderText.cut(reason, atMost: 300)))
    }
}
