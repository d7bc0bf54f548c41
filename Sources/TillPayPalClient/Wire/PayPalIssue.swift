public import TillCore

/// What exactly PayPal refuses. Open: an issue that is not in the catalog keeps its raw value.
public struct PayPalIssue: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As PayPal spells it, such as `CARD_EXPIRED`.
    public let rawValue: String
    /// Takes the word as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// What can be done about an issue.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The customer uses another card.
        case otherCard = "other_card"
        /// The customer corrects what was typed.
        case fixField = "fix_field"
        /// The customer must do something first.
        case payerAction = "payer_action"
        /// It was done before: read the resource, then take it as success.
        case alreadyDone = "already_done"
        /// Too late, too often or too much.
        case limit
        /// The shop's PayPal account is not set up for it.
        case account
        /// Send the same request with the same key again.
        case retrySameKey = "retry_same_key"
        /// Our request is wrong.
        case merchantFault = "merchant_fault"
        /// PayPal has added it since: nothing is known of it here.
        case unknown
    }

    /// What can be done about it.
    public var kind: Kind { PayPalIssue.catalog[rawValue] ?? .unknown }
    /// All issues that are known.
    public static var known: [PayPalIssue] { catalog.keys.sorted().map { PayPalIssue(rawValue: $0) } }

    /// The customer must do something first.
    public static let payerActionRequired = PayPalIssue(rawValue: "PAYER_ACTION_REQUIRED")
    /// The hold has ended.
    public static let authorizationExpired = PayPalIssue(rawValue: "AUTHORIZATION_EXPIRED")
    /// The hold was voided.
    public static let authorizationVoided = PayPalIssue(rawValue: "AUTHORIZATION_VOIDED")

    /// What it says about the money of the call that it answers; an issue that is not known does not tell.
    public var money: CodeMoney { row?.money ?? .notKnown }

    /// Our word for it, as a reason why a payment did not happen.
    public var declineReason: DeclineReason { row?.reason ?? .invalidRequest }

    private var row: ProviderCode? { PayPalIssue.codes[rawValue] }
}
