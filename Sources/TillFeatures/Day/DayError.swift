import HTTPTypes
package import TillCore
package import TillJournal
package import TillWeb

/// A refusal of the day. None of them moves money.
package enum DayError: ExplainedError, ProblemConvertible, Hashable {
    /// A session is not closed yet; when, by the shop's clock, and by whom it was opened.
    case dayOpen(since: String, by: String)
    /// No session is open.
    case dayNotOpen
    /// The drawer is being counted.
    case dayEnded
    /// The session was not ended.
    case dayNotEnded
    /// The session was not counted since it was last open.
    case notCounted
    /// The session, or the number of its counts, is not what was known of it.
    case drawerChanged
    /// More would be taken out than is in the drawer.
    case drawerHasLess
    /// The difference is beyond the limit.
    case needsReason
    /// The float differs beyond the limit from what should be in the drawer.
    case openingNeedsReason
    /// Payments of the day cannot be read.
    case unreadableNeedReason
    /// More would stay in the drawer than was counted.
    case leftExceedsCounted
    /// A drawer would be opened for the first time beyond the limit.
    case tooManyDrawers
    case tooManyMovements
    case tooManyCounts
    case tooManyEvents
    case tooManyUnreadable
    /// The key belongs to another movement.
    case otherMovement
    /// A refund is of no payment of the account in the drawer's currency.
    case unknownPayment
    case unknownReport
    case journal(JournalError)

    package var code: String {
        switch self {
        case .dayOpen: "day_open"
        case .dayNotOpen: "day_not_open"
        case .dayEnded: "day_ended"
        case .dayNotEnded: "day_not_ended"
        case .notCounted: "day_not_counted"
        case .drawerChanged: "drawer_changed"
        case .drawerHasLess: "drawer_has_less"
        case .needsReason: "difference_needs_reason"
        case .openingNeedsReason: "opening_needs_reason"
        case .unreadableNeedReason: "unreadable_need_reason"
        case .leftExceedsCounted: "left_exceeds_counted"
        case .tooManyDrawers: "too_many_drawers"
        case .tooManyMovements: "too_many_movements"
        case .tooManyCounts: "too_many_counts"
        case .tooManyEvents: "day_too_long"
        case .tooManyUnreadable: "journal_damaged"
        case .otherMovement: "idempotency_mismatch"
        case .unknownPayment: "refund_of_no_payment"
        case .unknownReport: "report_not_found"
        case .journal: "journal"
        }
    }

    package var what: String {
        switch self {
        case .dayOpen(let since, let by):
            "The drawer is open already, since \(since), opened by \(by). Nothing was changed."
        case .dayNotOpen: "The drawer is not open. Nothing was changed."
        case .dayEnded: "The drawer is being counted. Nothing was changed."
        case .dayNotEnded: "The drawer is open, and its day was not ended. Nothing was changed."
        case .notCounted: "The drawer was not counted. The day was not closed."
        case .drawerChanged: "Another day has since been opened, or the drawer was counted again. Nothing was changed."
        case .drawerHasLess: "There is not enough cash in the drawer. Nothing was changed."
        // None names an amount: who counts blind would learn it.
        case .needsReason: "The counted cash differs from what is expected. The day was not closed."
        case .openingNeedsReason: "The float differs from what should be in the drawer. The day was not opened."
        case .unreadableNeedReason:
            "Payments of the day cannot be read, and are not included in any total. The day was not closed."
        case .leftExceedsCounted: "You cannot leave more than was counted. The day was not closed."
        case .tooManyDrawers:
            "The account has the maximum of \(DayLimits.maximumDrawers) further drawers. Nothing was changed."
        case .tooManyMovements:
            "The session has the maximum of \(DayLimits.maximumMovements) cash entries. Nothing was changed."
        case .tooManyCounts:
            "The session was counted \(DayLimits.maximumCounts) times, the maximum. Nothing was changed."
        case .tooManyEvents: "The day has more than the maximum of \(DayLimits.maximumEvents) events."
        case .tooManyUnreadable:
            "More than \(DayLimits.maximumUnreadable) payments of the day cannot be read. Nothing was changed."
        case .otherMovement: "This Idempotency-Key belongs to another movement of cash. Nothing was changed."
        case .unknownPayment: "There is no such payment in the drawer's currency. Nothing was changed."
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
        case .drawerChanged: "Look at how it stands, and enter it again if it is still right."
        case .drawerHasLess: "Check the amount; cash that was put in is entered as paid in first."
        case .needsReason: "Count again, or close with a reason."
        case .openingNeedsReason: "Count again, or open with a reason."
        case .unreadableNeedReason: "See what till journal verify says, or close with a reason."
        case .leftExceedsCounted: "Enter what stays in the drawer, at most what was counted."
        case .tooManyDrawers: "Use one of those that it has."
        case .tooManyMovements: "Count the drawer and close the day, and open a new one."
        case .tooManyCounts: "Close the day with the last count."
        case .tooManyEvents: "Close the day more often. See till journal verify."
        case .tooManyUnreadable: "See what till journal verify says."
        case .otherMovement: "Send a new key for each movement."
        case .unknownPayment: "Give the identifier of the payment that is refunded."
        case .unknownReport: "See till day report."
        case .journal: "Look at the day before you try again: till day report."
        }
    }

    package var problem: Problem {
        switch self {
        case .dayOpen, .dayNotOpen, .dayEnded, .dayNotEnded, .notCounted, .drawerChanged, .drawerHasLess, .needsReason,
            .openingNeedsReason, .unreadableNeedReason, .tooManyDrawers, .tooManyMovements, .tooManyCounts,
            .tooManyEvents:
            problem(.conflict)
        case .leftExceedsCounted, .otherMovement, .unknownPayment: problem(.unprocessableContent)
        case .unknownReport: problem(.notFound)
        case .tooManyUnreadable: problem(.internalServerError)
        case .journal(let error): error.problem
        }
    }
}
