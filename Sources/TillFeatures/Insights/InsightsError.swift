import HTTPTypes
package import TillCore
package import TillJournal
package import TillWeb

/// A refusal to answer a question about a span of days. None of them moves money.
package enum InsightsError: ExplainedError, ProblemConvertible, Hashable {
    /// As many questions as are allowed are being answered.
    case busy
    case journal(JournalError)

    package var code: String {
        switch self {
        case .busy: "insights_busy"
        case .journal: "journal"
        }
    }

    package var what: String {
        switch self {
        case .busy: "As many such questions are being answered as may be at the same time."
        case .journal(let error): "\(error)"
        }
    }

    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .busy: "Ask again in a few seconds."
        case .journal: "Ask again; see what till journal verify says."
        }
    }

    package var problem: Problem {
        switch self {
        case .busy: problem(.serviceUnavailable).retrying(after: 5)
        case .journal(let error): error.problem
        }
    }
}
