public import TillCore

/// A payment that recovery skips for a while, so that it does not block others.
public struct SetAsidePayment: Hashable, Sendable {
    /// The reason for which a payment is skipped.
    public enum Reason: Hashable, Sendable {
        /// The payment's events are unreadable or contradictory.
        case unreadable(String)
        /// No provider of that name is configured.
        case noProvider(ProviderName)
        /// The attempt belongs to another account of its provider; see ``OtherAccount``.
        case otherAccount
        /// Only the time makes it due, and the machine's clock is in doubt. Ends with the doubt.
        case clockInDoubt
        /// Processing failed for a reason specific to the payment, which may be temporary.
        case failed(String)

        /// The time before the payment is tried again.
        public var wait: Span {
            switch self {
            case .unreadable, .noProvider: .minutes(5)
            case .otherAccount: .minutes(1)
            case .clockInDoubt: Checkout.doubtedHoldInterval
            case .failed: .seconds(30)
            }
        }

        /// `true` if an operator must act: the payment is an incident and counts as quarantined.
        public var isQuarantine: Bool {
            switch self {
            case .unreadable, .noProvider: true
            case .otherAccount, .clockInDoubt, .failed: false
            }
        }
    }

    /// The most entries that are remembered; payments beyond that are tried in each round, which costs time but blocks
    /// no other payment.
    public static let maximum = 4_096

    public var payment: PaymentID
    /// The provider of the newest attempt.
    public var provider: ProviderName?
    public var reason: Reason
    /// The time since which it has been set aside for this reason.
    public var since: Timestamp
    /// The time of the next try.
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
