import TillCore

/// How a payment ended, in Adyen's words; any word is kept. Source: Adyen's result codes.
public struct AdyenResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The money is held or taken.
    public static let authorised = AdyenResultCode(rawValue: "Authorised")
    /// The bank said no.
    public static let refused = AdyenResultCode(rawValue: "Refused")
    /// The customer called it off.
    public static let cancelled = AdyenResultCode(rawValue: "Cancelled")
    /// Something went wrong on the way; a webhook reports how it ended.
    public static let error = AdyenResultCode(rawValue: "Error")
    /// The customer must go to the bank's page.
    public static let redirectShopper = AdyenResultCode(rawValue: "RedirectShopper")
    /// The bank wants to know the customer's device.
    public static let identifyShopper = AdyenResultCode(rawValue: "IdentifyShopper")
    /// The bank asks the customer.
    public static let challengeShopper = AdyenResultCode(rawValue: "ChallengeShopper")
}

/// Why a payment was refused, by Adyen's code. Source: Adyen's refusal reasons.
enum AdyenRefusal {
    static func decline(_ document: JSONValue) -> Decline {
        let code = document["refusalReasonCode"]?.stringValue.map { String($0.prefix(16)) }
        let text = document["refusalReason"]?.stringValue ?? document["resultCode"]?.stringValue ?? ""
        return Decline(
            reason: reason(code ?? ""), code: code, message: CardScrubbing.withoutNumbers(String(text.prefix(300))),
            requestID: document["pspReference"]?.stringValue.map { String($0.prefix(64)) })
    }

    static func reason(_ code: String) -> DeclineReason {
        switch code {
        case "5", "10", "23", "25": .cardNotSupported
        case "6": .expiredCard
        case "7", "28": .invalidAmount
        case "8": .incorrectNumber
        case "12": .insufficientFunds
        case "14", "20", "22", "31": .fraud
        case "17": .incorrectPIN
        case "18": .tooManyPINTries
        case "24": .incorrectCVC
        case "15", "16": .canceledAtReader
        default: .generic
        }
    }

    /// A refusal of the request itself: Adyen's error object.
    static func decline(_ status: Int, _ document: JSONValue, requestID: String?) -> Decline {
        let code = document["errorCode"]?.stringValue.map { String($0.prefix(32)) } ?? "\(status)"
        let reason: DeclineReason =
            switch code {
            case "101", "140", "141": .incorrectNumber
            case "103", "152", "153": .incorrectCVC
            case "129", "130", "131", "132": .expiredCard
            case "137", "138", "100": .invalidAmount
            default: .invalidRequest
            }
        let text = document["message"]?.stringValue ?? "HTTP \(status)"
        return Decline(
            reason: reason, code: code, message: CardScrubbing.withoutNumbers(String(text.prefix(300))),
            requestID: requestID)
    }
}
