import HTTPTypes
package import TillCore
package import TillJournal
package import TillWeb

/// A refusal of the day. None of them moves money.
package enum DayError: ExplainedError, ProblemConvertible, Hashable {
    /// A session is not closed yet.
    case dayOpen
    /// No session is open.
    case dayNotOpen
    /// The drawer is being counted.
    case dayEnded
    /// The session was not ended.
    case dayNotEnded
    /// The session was not counted since it was last open.
    case notCounted
    /// More would be taken out than is in the drawer.
    case drawerHasLess
    /// The difference is beyond the limit.
    case needsReason
    /// More would stay in the drawer than was counted.
    case leftExceedsCounted
    case tooManyMovements
    case tooManyCounts
    case tooManyEvents
    case tooManyUnreadable
    /// The key belongs to another movement.
    case otherMovement
    case unknownReport
    case journal(JournalError)

    package var code: String {
        switch self {
        case .dayOpen: "day_open"
        case .dayNotOpen: "day_not_open"
        case .dayEnded: "day_ended"
        case .dayNotEnded: "day_not_ended"
        case .notCounted: "day_not_counted"
        case .drawerHasLess: "drawer_has_less"
        case .needsReason: "difference_needs_reason"
        case .leftExceedsCounted: "left_exceeds_counted"
        case .tooManyMovements: "too_many_movements"
        case .tooManyCounts: "too_many_counts"
        case .tooManyEvents: "day_too_long"
        case .tooManyUnreadable: "journal_damaged"
        case .otherMovement: "idempotency_mismatch"
        case .unknownReport: "report_not_found"
        case .journal: "journal"
        }
    }

    package var what: String {
        switch self {
        case .dayOpen: "The drawer is open already. Nothing was changed."
        case .dayNotOpen: "The drawer is not open. Nothing was changed."
        case .dayEnded: "The drawer is being counted. Nothing was changed."
        case .dayNotEnded: "The drawer is open, and its day was not ended. Nothing was changed."
        case .notCounted: "The drawer was not counted. The day was not closed."
        case .drawerHasLess: "There is less cash in the drawer. Nothing was changed."
        // Neither names an amount: who counts blind would learn it.
        case .needsReason: "The counted cash differs from what is expected. The day was not closed."
        case .leftExceedsCounted: "More is to stay in the drawer than was counted. The day was not closed."
        case .tooManyMovements:
            "The session has \(DayLimits.maximumMovements) movements of cash, which is the most. Nothing was changed."
        case .tooManyCounts:
            "The session was counted \(DayLimits.maximumCounts) times, which is the most. Nothing was changed."
        case .tooManyEvents: "The day has more than \(DayLimits.maximumEvents) events, which is the most."
        case .tooManyUnreadable:
            "More than \(DayLimits.maximumUnreadable) payments of the day cannot be read. Nothing was changed."
        case .otherMovement: "This Idempotency-Key belongs to another movement of cash. Nothing was changed."
        case .unknownReport: "There is no such report."
        case .journal(let error): "\(error)"
        }
    }

    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .dayOpen: "Count the drawer and close the day first: till day count, till day close."
        case .dayNotOpen: "Open it with the cash that is in it: till day open."
        case .dayEnded: "Close the day, or go on with it: till day close, till day resume."
        case .dayNotEnded: "Count the drawer to end the day: till day count."
        case .notCounted: "Count it: till day count."
        case .drawerHasLess: "Check the amount; cash that was put in is entered as paid in first."
        case .needsReason: "Count again, or close with a reason."
        case .leftExceedsCounted: "Enter what stays in the drawer, at most what was counted."
        case .tooManyMovements: "Count the drawer and close the day, and open a new one."
        case .tooManyCounts: "Close the day with the last count."
        case .tooManyEvents: "Close the day more often. See till journal verify."
        case .tooManyUnreadable: "See what till journal verify says."
        case .otherMovement: "Send a new key for each movement."
        case .unknownReport: "See till day report."
        case .journal: "Look at the day before you try again: till day report."
        }
    }

    package var problem: Problem {
        switch self {
        case .dayOpen, .dayNotOpen, .dayEnded, .dayNotEnded, .notCounted, .drawerHasLess, .needsReason,
            .tooManyMovements, .tooManyCounts, .tooManyEvents:
            problem(.conflict)
        case .leftExceedsCounted, .otherMovement: problem(.unprocessableContent)
        case .unknownReport: problem(.notFound)
        case .tooManyUnreadable: problem(.internalServerError)
        case .journal(let error): error.problem
        }
    }
}
