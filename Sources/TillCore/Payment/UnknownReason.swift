/// The reason for which the outcome of an operation is unknown. The engine decides by the case; the sentences are for
/// people.
public enum UnknownReason: Hashable, Sendable {
    /// The provider has accepted it and will report the outcome later: settled by queries, not by sending it again.
    case pending
    /// Nothing shows that the provider has it: a time-out, a broken connection, a 5xx, an unreadable answer. It is sent
    /// again with its key while the provider remembers the key.
    case unclear(String)
    /// The provider answered with a failure, and repeats it for this key for as long as it remembers the key: settled
    /// by queries. If a query shows it not to be done, it is sent again with a new key.
    case keySpent(String)
    /// The provider authorized an amount other than the one requested.
    case wrongAmount(authorized: Money, asked: Money)
    /// The provider authorized an amount in another currency. Canceling the payment voids it.
    case wrongCurrency(authorized: Money, asked: Money)

    /// `true` if sending it again with its key yields nothing new.
    var isSettledByAsking: Bool {
        switch self {
        case .pending, .keySpent: true
        case .unclear, .wrongAmount, .wrongCurrency: false
        }
    }

    /// `true` if an operator must decide about the authorized amount; canceling voids it.
    var isOtherMoney: Bool {
        switch self {
        case .wrongAmount, .wrongCurrency: true
        case .pending, .unclear, .keySpent: false
        }
    }

    /// A human-readable sentence.
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

/// The reason for which an operation is to be sent, or sent again.
public enum ResendReason: Hashable, Sendable {
    /// Not one byte of this try was sent; tried again, later each time.
    case notSent(String)
    /// A query showed it not to be done; sent again at once.
    case notDone(String)
    /// The provider rejected our own credentials and so did nothing; tried again, later each time.
    case keyRejected(String)

    /// A human-readable sentence.
    public var sentence: String {
        switch self {
        case .notSent(let sentence), .notDone(let sentence), .keyRejected(let sentence): sentence
        }
    }
}

/// The reason for voiding an attempt.
public enum VoidReason: Hashable, Sendable {
    /// The shop canceled the payment; its own reason, such as `requested_by_customer` or `duplicate`.
    case canceled(String)
    /// The customer did not finish it, or it is not known whether it was ever sent.
    case abandoned
    /// The issuer approved less than requested.
    case partialApproval
    /// The hold has expired.
    case holdEnded

    /// The reason code sent to the provider.
    public var word: String {
        switch self {
        case .canceled(let word): word
        case .abandoned: "abandoned"
        case .partialApproval: "partial_approval"
        case .holdEnded: "expired"
        }
    }
}
