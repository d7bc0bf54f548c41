import TillPayPalClient

/// The policy for requesting 3-D Secure challenges of typed cards and accepting their results. The setting
/// `paypal.three_d_secure`.
///
/// After a challenge, payment is requested only if PayPal reports a liability shift to the issuer (`POSSIBLE` or
/// `YES`). With a missing or `UNKNOWN` result nothing is captured, whatever the order's status.
public enum ThreeDSecure: String, Hashable, Sendable, CaseIterable {
    /// PayPal requests a challenge where the law or its risk checks require one.
    case whenOffered = "when_offered"
    /// PayPal requests a challenge for every typed card (`SCA_ALWAYS`). Requires a return URL. A wallet's card was
    /// authenticated on the customer's device and is not challenged.
    case required

    /// The value sent to PayPal with the card; `nil` sends none, which leaves PayPal's own default.
    var verification: ChallengeCondition? {
        switch self {
        case .whenOffered: nil
        case .required: .always
        }
    }

    /// The accepted challenge results.
    var liability: LiabilityPolicy { .standard }
}
