public import TillCore

/// The specific reason for PayPal's refusal. Open: an issue missing from the catalog keeps its raw text.
public struct PayPalIssue: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The issue, in PayPal's spelling, such as `CARD_EXPIRED`.
    public let rawValue: String
    /// Wraps the text unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The remedy for an issue.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The customer uses another card.
        case otherCard = "other_card"
        /// The customer corrects the input.
        case fixField = "fix_field"
        /// The customer must act first.
        case payerAction = "payer_action"
        /// Already done: read the resource and treat it as success.
        case alreadyDone = "already_done"
        /// Too late, too often or too much.
        case limit
        /// The shop's PayPal account is not enabled for it.
        case account
        /// Resend the same request with the same key.
        case retrySameKey = "retry_same_key"
        /// The request from Till is wrong.
        case merchantFault = "merchant_fault"
        /// An issue unknown to the catalog.
        case unknown
    }

    /// The remedy for the issue.
    public var kind: Kind { PayPalIssue.catalog[rawValue] ?? .unknown }
    /// All known issues.
    public static var known: [PayPalIssue] { catalog.keys.sorted().map { PayPalIssue(rawValue: $0) } }

    /// The customer must act first.
    public static let payerActionRequired = PayPalIssue(rawValue: "PAYER_ACTION_REQUIRED")
    /// The hold has ended.
    public static let authorizationExpired = PayPalIssue(rawValue: "AUTHORIZATION_EXPIRED")
    /// The hold was voided.
    public static let authorizationVoided = PayPalIssue(rawValue: "AUTHORIZATION_VOIDED")

    /// The consequence for the money of the failed call; not known for an unknown issue.
    public var money: CodeMoney { row?.money ?? .notKnown }

    /// The corresponding decline reason.
    public var declineReason: DeclineReason { row?.reason ?? .invalidRequest }

    private var row: ProviderCode? { PayPalIssue.codes[rawValue] }
}
