/// A question that a reader asks the customer.
public struct ReaderQuestion: Hashable, Sendable {
    /// The kinds of answers that readers collect.
    public enum Kind: String, CaseIterable, Sendable {
        case selection, text, numeric, email, phone, signature
    }

    /// The number of questions per prompt.
    public static let countOfQuestions = 1...5
    /// The number of choices in a selection.
    public static let countOfChoices = 1...20
    /// Maximum length of a question or choice, in bytes; a reader's screen shows far less.
    public static let maximumBytes = 200

    public let kind: Kind
    public let title: String
    /// A second line below the question.
    public let details: String?
    /// `true` if the customer cannot skip the question.
    public let isRequired: Bool
    /// The choices of a selection.
    public let choices: [String]

    public init(
        kind: Kind, title: String, details: String? = nil, isRequired: Bool = false, choices: [String] = []
    ) {
        self.kind = kind
        self.title = title
        self.details = details
        self.isRequired = isRequired
        self.choices = choices
    }
}

/// The customer's progress with the questions. Answers may be personal data: they are passed on and never stored.
public struct ReaderAnswers: Hashable, Sendable {
    public struct Answer: Hashable, Sendable {
        /// The kind of question answered, in the provider's terms; usually a ``ReaderQuestion/Kind``.
        public let kind: String
        public let title: String?
        /// The entered text, or the identifier of the choice or signature; `nil` until answered.
        public let value: String?
        /// The label of the chosen button.
        public let text: String?
        /// `true` if the customer skipped the question.
        public let isSkipped: Bool

        public init(kind: String, title: String?, value: String?, text: String?, isSkipped: Bool) {
            self.kind = kind
            self.title = title
            self.value = value
            self.text = text
            self.isSkipped = isSkipped
        }
    }

    public let reader: String
    public let label: String
    /// The status; `nil` if no question was asked.
    public let status: ReaderAction.Status?
    /// The failure code, in the provider's terms.
    public let failureCode: String?
    public let answers: [Answer]

    public init(
        reader: String, label: String, status: ReaderAction.Status?, failureCode: String?, answers: [Answer]
    ) {
        self.reader = reader
        self.label = label
        self.status = status
        self.failureCode = failureCode
        self.answers = answers
    }
}

/// Asks customers questions at readers.
public protocol ReaderQuestions: Sendable {
    /// Shows questions on an idle reader.
    func ask(_ questions: [ReaderQuestion], at id: String) async throws(ReaderError) -> ReaderAnswers
    /// Returns the customer's answers so far.
    func answers(at id: String) async throws(ReaderError) -> ReaderAnswers
    /// Simulates the customer at a simulated reader.
    func pretend(_ customer: PretendedCustomer, at id: String) async throws(ReaderError) -> ReaderAnswers
}

/// The behavior of a simulated customer.
public enum PretendedCustomer: String, CaseIterable, Sendable {
    /// Answers all questions.
    case answers
    /// Skips all optional questions.
    case skips
    /// Does nothing until the reader times out.
    case leaves
}
