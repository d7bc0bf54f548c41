public import TillCore

/// The reason that no merchant session was created. Nothing is ever charged without one.
public enum MerchantSessionError: ExplainedError, Hashable {
    /// The validation URL is not one of Apple's.
    case foreignAddress
    /// The validation URL belongs to the other environment.
    case otherEnvironment(WalletEnvironment)
    /// The page's domain is not registered here.
    case unknownDomain
    /// No usable identity certificate exists for the domain.
    case noIdentity
    /// Too many session requests.
    case tooMany
    /// Apple was not reached, or did not answer in time.
    case unreachable(String)
    /// Apple answered with an error.
    case refused(status: Int)
    /// Apple's response is not a session.
    case malformed

    /// A stable identifier for programs.
    public var code: String {
        switch self {
        case .foreignAddress: "validation_url_refused"
        case .otherEnvironment: "validation_environment"
        case .unknownDomain: "domain_not_registered"
        case .noIdentity: "no_merchant_identity"
        case .tooMany: "too_many_sessions"
        case .unreachable: "apple_unreachable"
        case .refused: "apple_refused"
        case .malformed: "apple_malformed"
        }
    }

    /// The error in one sentence.
    public var what: String {
        switch self {
        case .foreignAddress: "The validation URL is not one of Apple's addresses."
        case .otherEnvironment(let environment): "The validation URL belongs to Apple's \(environment.rawValue)."
        case .unknownDomain: "The page's domain is not registered for Apple Pay here."
        case .noIdentity: "There is no valid merchant identity certificate for the domain."
        case .tooMany: "Too many merchant sessions were asked for in a short time."
        case .unreachable(let reason): "Apple did not answer: \(reason)."
        case .refused(417):
            "Apple refused the merchant: the domain is not registered for it, the certificate is another merchant's, "
                + "or it has no processing certificate."
        case .refused(let status): "Apple refused the session with status \(status)."
        case .malformed: "Apple's answer is not a merchant session."
        }
    }

    /// Always `no`: a session moves no money.
    public var moneyMoved: MoneyMoved { .no }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .foreignAddress: "Pass on the validation URL exactly as the browser gave it."
        case .otherEnvironment: "Use a device and settings of one environment."
        case .unknownDomain: "Register the domain with Apple and add it to the settings."
        case .noIdentity, .refused: "Run till applepay doctor."
        case .tooMany: "Try again in a minute."
        case .unreachable, .malformed: "Try again, or pay another way."
        }
    }
}
