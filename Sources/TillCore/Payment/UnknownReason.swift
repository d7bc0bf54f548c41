/// Why nobody knows how an operation ended. The engine decides by the case; the sentences are for people.
public enum UnknownReason: Hashable, Sendable {
    /// The provider has taken it and will say later how it ended: settled by asking, not by sending it again.
    case pending
    /// Nothing says that the provider has it: a time-out, a broken connection, a 5xx, an answer that cannot be read. It
    /// is sent again with its key while the provider remembers the key.
    case unclear(String)
    /// The provider has answered with a failure, and answers this key with it for as long as it remembers the key:
    /// settled by asking. What a query shows to be not done is sent again with a new key.
    case keySpent(String)
    /// The provider says that it authorized another amount than was asked for.
    case wrongAmount(authorized: Money, asked: Money)
    /// The provider says that it authorized an amount in another currency. Canceling the payment voids it.
    case wrongCurrency(authorized: Money, asked: Money)

    /// Sending it again with its key says nothing new.
    var isSettledByAsking: Bool {
        switch self {
        case .pending, .keySpent: true
        case .unclear, .wrongAmount, .wrongCurrency: false
        }
    }

    /// A person decides about what the provider says that it has authorized; canceling voids it.
    var isOtherMoney: Bool {
        switch self {
        case .wrongAmount, .wrongCurrency: true
        case .pending, .unclear, .keySpent: false
        }
    }

    /// One sentence for people.
    public var sentence: String {
        switch self {
        case .pending: "pending"
        case .unclear(let sentence), .keySpent(let sentence): sentence
        case .wrongAmount(let authorized, let asked):
            "The provider authorized \(authorized); \(asked) was asked for."
        case .wrongCurrency(let authorized, let asked):
            "The provider authorized \(authorized), which is another currency than the \(asked) that was asked for. "
                + "Cancel the payment to void it."
        }
    }
}

/// Why an operation is to be sent, or sent again.
public enum ResendReason: Hashable, Sendable {
    /// Not one byte of this try left; tried again later each time.
    case notSent(String)
    /// A query has shown that it is not done; sent again at once.
    case notDone(String)
    /// The provider rejected our own credentials and so did nothing; tried again later each time.
    case keyRejected(String)

    /// One sentence for people.
    public var sentence: String {
        switch self {
        case .notSent(let sentence), .notDone(let sentence), .keyRejected(let sentence): sentence
        }
    }
}

/// Why an attempt is voided.
public enum VoidReason: Hashable, Sendable {
    /// The shop wants no money; its own word, such as `requested_by_customer` or `duplicate`.
    case canceled(String)
    /// The customer did not finish it, or nobody knows that it was ever asked for.
    case abandoned
    /// The issuer approved less than was asked for.
    case partialApproval
    /// The hold has expired.
    case holdEnded

    /// The word that the provider is given.
    public var word: String {
        switch self {
        case .canceled(let word): word
        case .abandoned: "abandoned"
        case .partialApproval: "partial_approval"
        case .holdEnded: "expired"
        }
    }
}
