public import TillCore

/// An error of an app's call to the counter.
public enum CounterCheckoutError: ExplainedError, Hashable {
    /// The part of an answer that is another payment's.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        case payment
        case amount
        case currency
    }

    /// The counter refused; its own words are kept.
    case refused(CounterProblem)
    /// Nothing of this request was sent. An earlier one may have been.
    case notSent(reason: String)
    /// The counter did not answer.
    case notAnswered(reason: String)
    /// The answer has another form than a counter's.
    case unreadable(reason: String)
    /// The answer is about another payment than the session's, so it does not count.
    case mismatch(Part, asked: String, answered: String)

    public var code: String {
        switch self {
        case .refused(let problem): problem.code.rawValue
        case .notSent: "counter_not_reached"
        case .notAnswered: "counter_not_answered"
        case .unreadable: "answer_unreadable"
        case .mismatch: "answer_mismatch"
        }
    }

    public var what: String {
        switch self {
        case .refused(let problem): problem.what
        case .notSent(let reason): "The counter could not be reached: \(reason)."
        case .notAnswered(let reason): "The counter did not answer: \(reason)."
        case .unreadable(let reason): "The counter's answer cannot be read: \(reason)."
        case .mismatch(let part, let asked, let answered):
            "The counter's answer has the \(part.rawValue) \(answered) instead of \(asked)."
        }
    }

    /// `unknown` for everything but the counter's own word: how the payment stands is not known here.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .refused(let problem): problem.moneyMoved
        case .notSent, .notAnswered, .unreadable, .mismatch: .unknown
        }
    }

    public var next: String {
        switch self {
        case .refused(let problem): problem.next
        case .notSent, .notAnswered: "Check the network and ask again with the same session."
        case .unreadable, .mismatch: "Check the address of the counter. Do not pay in another way before that."
        }
    }
}
