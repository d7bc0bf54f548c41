import TillPayPalClient

/// When the customer's bank is asked to challenge a typed card, and which results are gone on with. The setting
/// `paypal.three_d_secure`.
///
/// After a challenge money is asked for only if PayPal says that the bank bears a loss (`POSSIBLE` or `YES`). A result
/// that is missing or `UNKNOWN` takes nothing, whatever the order's status is.
public enum ThreeDSecure: String, Hashable, Sendable, CaseIterable {
    /// PayPal asks for a challenge where the law demands one or its risk checks want it.
    case whenOffered = "when_offered"
    /// PayPal asks for a challenge with every typed card (`SCA_ALWAYS`). Needs an address for customers to come back
    /// to. A wallet's card was authenticated on the customer's device and is not challenged.
    case required

    /// What is sent to PayPal with the card; `nil`: nothing, which leaves PayPal's own default.
    var verification: CardVerification? {
        switch self {
        case .whenOffered: nil
        case .required: .always
        }
    }

    /// Which results of a challenge are gone on with.
    var liability: LiabilityPolicy { .standard }
}
