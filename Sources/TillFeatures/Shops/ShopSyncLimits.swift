package import TillCore

/// The limits of the work with connected shops.
package enum ShopSyncLimits {
    /// The maximum number of an account's shops.
    package static let shopsPerAccount = 8
    /// The time limit of all calls to a shop that is connected over HTTP, and the most of them at the same time.
    static let trial = Span.seconds(30)
    static let trialsAtOnce = 4
    /// The pace at which payments and due orders are looked for.
    package static let pace = Span.milliseconds(250)
    /// The pace at which another process looks whether this one still works.
    package static let standbyPace = Span.seconds(3)
    /// The pause between two questions for orders that have changed in a shop.
    package static let poll = Span.seconds(15)
    /// The pause after a shop did not answer.
    package static let pollAfterTrouble = Span.minutes(1)
    /// The longest rest of the work on a shop that fails as a whole.
    static let longestRest = Span.seconds(15)
    /// How far a question for changes goes back behind the last one: shops write times in whole seconds, and two
    /// servers of one shop differ.
    package static let overlap = Span.minutes(2)
    /// How far the clock of a shop may be ahead of the counter's; requests without TLS are refused beyond that, too.
    static let clockDifference = Span.minutes(15)
    /// The duration of a call after which it may go on in the shop although it was given up, and the pause before it is
    /// tried again.
    static let slowCall = Span.seconds(20)
    static let pauseAfterSlowCall = Span.minutes(2)
    /// The pause after a call whose answer was lost sooner, as at a proxy: the shop's own process may go on.
    static let pauseAfterLoss = Span.seconds(15)
    /// The events of payments that are read at a time.
    static let eventsPerPage = 200
    /// The events without a shop's order after which the place in the journal is written.
    static let eventsUntilWritten: Int64 = 5_000
    /// The pages of events that are read before it is another shop's turn.
    static let pagesPerTurn = 5
    /// The duration of a turn after which no further order is looked for, and the most orders that it works on.
    static let turn = Span.seconds(10)
    static let ordersPerTurn = 10_000
    /// The orders of one shop that are worked on at the same time: few at first, since shops have few processes, and
    /// more while the shop does not become slower by it.
    package static let ordersAtOnce = 8
    package static let mostOrdersAtOnce = 256
    /// The most orders of all shops together, each of which has at least ``fewestOrdersAtOnce``.
    static let ordersAtOnceInAll = 256
    static let fewestOrdersAtOnce = 4
    /// The number of failures in a row after which an order becomes a review item: about an hour.
    static let failuresUntilReview = 7
    /// The pauses after the first, second, … failure of an order; the last one repeats.
    static let pauses: [Span] = [
        .seconds(5), .seconds(15), .minutes(1), .minutes(5), .minutes(15), .minutes(30), .hours(1),
    ]
    /// The pause after a failure that only a person can end, or a change in the shop.
    static let pauseForReview = Span.hours(6)
    /// The maximum number of attempts at writing a record that others change meanwhile.
    static let maximumConflicts = 16
    /// The maximum size of a notification of a shop, in bytes: it is verified, and only the order's number is used.
    package static let notificationBytes = 1 << 20
    /// The most payments that one note names.
    static let paymentsPerNote = 10

    /// How soon after failures a change in the shop, or here, brings an order's next attempt.
    static func soonest(after failures: Int, at now: Timestamp) -> Timestamp {
        failures > 0 ? now.adding(pause(after: min(failures, mostFailuresBeforeChange))) : now
    }
    private static let mostFailuresBeforeChange = 4

    /// Returns the pause after a number of failures in a row.
    static func pause(after failures: Int) -> Span { pauses[min(max(failures, 1), pauses.count) - 1] }
}
