/// One thing that a reader asks the customer.
public struct ReaderQuestion: Hashable, Sendable {
    /// The kinds of answers that readers collect.
    public enum Kind: String, CaseIterable, Sendable {
        case selection, text, numeric, email, phone, signature
    }

    /// How many questions are asked at once.
    public static let countOfQuestions = 1...5
    /// How many answers a selection offers.
    public static let countOfChoices = 1...20
    /// The longest question or answer to choose, in bytes; a reader's screen shows far less.
    public static let maximumBytes = 200

    public let kind: Kind
    public let title: String
    /// A line below it.
    public let details: String?
    /// The customer cannot skip it.
    public let isRequired: Bool
    /// What can be chosen, for a selection.
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

/// How far a customer is with questions. Answers may be personal data: they are passed on and kept nowhere.
public struct ReaderAnswers: Hashable, Sendable {
    public struct Answer: Hashable, Sendable {
        /// The kind of question that it answers, as the provider has it; mostly a ``ReaderQuestion/Kind``.
        public let kind: String
        public let title: String?
        /// The text entered, or the name of the choice or of the signature; `nil` while nobody answered.
        public let value: String?
        /// The words on the button that was chosen.
        public let text: String?
        /// The customer skipped it.
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
    /// `nil` where nothing was asked.
    public let status: ReaderAction.Status?
    /// Why it failed, in the provider's word.
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
    /// Puts questions on a reader that has nothing else to do.
    func ask(_ questions: [ReaderQuestion], at id: String) async throws(ReaderError) -> ReaderAnswers
    /// How far the customer is with them.
    func answers(at id: String) async throws(ReaderError) -> ReaderAnswers
    /// Takes the customer's part at a simulated reader.
    func pretend(_ customer: PretendedCustomer, at id: String) async throws(ReaderError) -> ReaderAnswers
}

/// What a customer at a simulated reader does with questions.
public enum PretendedCustomer: String, CaseIterable, Sendable {
    /// Answers all of them.
    case answers
    /// Skips those that may be skipped.
    case skips
    /// Does nothing until the reader gives up.
    case leaves
}
