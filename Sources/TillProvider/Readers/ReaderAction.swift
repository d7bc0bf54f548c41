public import TillCore

/// What a reader does or did last. A hint only: the truth about money is the payment's.
public struct ReaderAction: Hashable, Sendable {
    public enum Purpose: Hashable, Sendable {
        case payment
        case refund
        /// An order on its screen, which the next command may replace.
        case display
        case questions
        case other
    }

    /// How far it is. Open: a word that is not known is neither success nor failure.
    public struct Status: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let inProgress = Status(rawValue: "in_progress")
        public static let succeeded = Status(rawValue: "succeeded")
        public static let failed = Status(rawValue: "failed")
    }

    public let purpose: Purpose
    /// The provider's word for it.
    public let kind: String
    public let status: Status
    /// Why it failed, in the provider's word.
    public let failureCode: String?
    /// The same as a sentence.
    public let failureMessage: String?
    /// What the provider calls the payment that it is about.
    public let payment: ProviderReference?
    /// What the customer entered or chose so far.
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
