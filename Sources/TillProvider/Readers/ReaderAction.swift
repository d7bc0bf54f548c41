public import TillCore

/// The current or last action of a reader. Informational only: the payment is authoritative for money.
public struct ReaderAction: Hashable, Sendable {
    public enum Purpose: Hashable, Sendable {
        case payment
        case refund
        /// An order on the screen, which the next command may replace.
        case display
        case questions
        case other
    }

    /// The status of an action. Open: an unknown value means neither success nor failure.
    public struct Status: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let inProgress = Status(rawValue: "in_progress")
        public static let succeeded = Status(rawValue: "succeeded")
        public static let failed = Status(rawValue: "failed")
    }

    public let purpose: Purpose
    /// The provider's name for the action.
    public let kind: String
    public let status: Status
    /// The failure code, in the provider's terms.
    public let failureCode: String?
    /// The failure as a sentence.
    public let failureMessage: String?
    /// The provider's reference of the payment concerned.
    public let payment: ProviderReference?
    /// The customer's answers so far.
    public let answers: [ReaderAnswers.Answer]

    public init(
        _ purpose: Purpose, kind: String, status: Status, failureCode: String? = nil, failureMessage: String? = nil,
        payment: ProviderReference? = nil, answers: [ReaderAnswers.Answer] = []
    ) {
        self.purpose = purpose
        self.kind = kind
        self.status = status
        self.failureCode = failureCode
        self.failureMessage = failureMessage
        self.payment = payment
        self.answers = answers
    }
}
