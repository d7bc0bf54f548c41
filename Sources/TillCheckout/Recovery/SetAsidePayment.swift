public import TillCore

/// A payment that recovery does not work on for a while, so that it takes nobody's place.
public struct SetAsidePayment: Hashable, Sendable {
    /// Why it is not worked on for now.
    public enum Reason: Hashable, Sendable {
        /// Its events cannot be read, or contradict each other.
        case unreadable(String)
        /// No provider of that name is configured here.
        case noProvider(ProviderName)
        /// Its attempt is of another account of its provider; see ``OtherAccount``.
        case otherAccount
        /// Only the time says that it is due, and the machine's clock is in doubt. It ends with the doubt.
        case clockInDoubt
        /// Working on it failed for a reason of its own, which may pass.
        case failed(String)

        /// How long it is left alone before it is tried again.
        public var wait: Span {
            switch self {
            case .unreadable, .noProvider: .minutes(5)
            case .otherAccount: .minutes(1)
            case .clockInDoubt: Checkout.doubtedHoldInterval
            case .failed: .seconds(30)
            }
        }

        /// A person must do something: it is an incident, and counts as quarantined.
        public var isQuarantine: Bool {
            switch self {
            case .unreadable, .noProvider: true
            case .otherAccount, .clockInDoubt, .failed: false
            }
        }
    }

    /// This many are remembered; what is beyond is tried at each round, which costs time and keeps nobody waiting.
    public static let maximum = 4_096

    public var payment: PaymentID
    /// The provider of its newest attempt.
    public var provider: ProviderName?
    public var reason: Reason
    /// Since when it is set aside for this reason.
    public var since: Timestamp
    /// When it is tried again.
    public var nextTry: Timestamp
}

extension SetAsidePayment.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let reason): "its events cannot be read: \(reason)"
        case .noProvider(let name): "its provider \(name) is not configured here"
        case .otherAccount: "it is of another account of its provider"
        case .clockInDoubt: "its hold seems to have ended, and the machine's clock is in doubt"
        case .failed(let reason): reason
        }
    }
}
