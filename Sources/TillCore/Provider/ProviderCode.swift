/// What a provider's code says about the money of the call that it answers.
public enum CodeMoney: String, Hashable, Sendable, CaseIterable {
    /// This call certainly moved nothing.
    case nothingMoved = "nothing_moved"
    /// What the call asked for, or a part of it, seems to be done already: by an earlier call of ours or by others.
    case movedAlready = "moved_already"
    /// The code alone does not say.
    case notKnown = "not_known"
    /// This call certainly moved nothing, and no customer can help it: our account, our key or our request is wrong.
    case ourSetup = "our_setup"

    /// Nothing may be said of the money before the provider was queried.
    public var needsQuery: Bool {
        switch self {
        case .movedAlready, .notKnown: true
        case .nothingMoved, .ourSetup: false
        }
    }
}

/// Whether the same call can succeed later.
public enum CodeRetry: String, Hashable, Sendable, CaseIterable {
    /// Trying again does not help.
    case no
    /// The same call, a while later.
    case later
    /// With another card, other input of the customer, or another amount.
    case changed
    /// Once the shop's account, key or settings are corrected.
    case afterSetup = "after_setup"
    /// If a query shows that it is not done.
    case afterQuery = "after_query"
}

/// One code of a provider: a row of a ``ProviderCodeTable``.
public struct ProviderCode: Hashable, Sendable {
    /// As the provider spells it.
    public let rawValue: String
    /// The provider's name for it, where the code itself is a number.
    public let name: String?
    /// What it says about the money.
    public let money: CodeMoney
    /// Whether trying again can help.
    public let retry: CodeRetry
    /// Our word for it.
    public let reason: DeclineReason
}

/// The codes that a provider documents for one kind of answer. What the provider's adapter decides by, and what
/// `docs/PROVIDER_CODES.md` is made from. A code that is in no table keeps its raw value.
public struct ProviderCodeTable: Sendable {
    /// Rows that mean the same.
    public struct Group: Sendable {
        let money: CodeMoney
        let retry: CodeRetry
        let reason: DeclineReason
        let words: String

        /// - Parameter words: codes with spaces between; `code=Name` where the provider has a name for the code.
        public init(_ money: CodeMoney, _ retry: CodeRetry, _ reason: DeclineReason, _ words: String) {
            self.money = money
            self.retry = retry
            self.reason = reason
            self.words = words
        }
    }

    /// Its stable name, such as `stripe.errors`.
    public let name: String
    /// Which answers it is about, for people.
    public let title: String
    /// Where the provider documents the codes.
    public let source: String
    /// In the order of their codes; each once.
    public let codes: [ProviderCode]
    private let byCode: [String: ProviderCode]

    /// Makes a table. The first row of a code counts.
    public init(_ name: String, title: String, source: String, _ groups: [Group]) {
        self.name = name
        self.title = title
        self.source = source
        var rows: [String: ProviderCode] = [:]
        for group in groups {
            for word in group.words.split(whereSeparator: \.isWhitespace) {
                let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
                guard rows[parts[0]] == nil else { continue }
                rows[parts[0]] = ProviderCode(
                    rawValue: parts[0], name: parts.count > 1 ? parts[1] : nil, money: group.money, retry: group.retry,
                    reason: group.reason)
            }
        }
        byCode = rows
        codes = rows.values.sorted { $0.rawValue < $1.rawValue }
    }

    /// The row of a code; `nil`: the provider has added it since, or it is a code of another kind of answer.
    public subscript(code: String) -> ProviderCode? { byCode[code] }
}
