import TillCore

/// Captured and refunded money of one currency, in minor units.
package struct InsightsSums: Hashable, Sendable {
    /// The captures that succeeded. One that fails later stays in the number and leaves the sum.
    package var captures: Int64 = 0
    package var captured: Int64 = 0
    /// The refunds that succeeded. One that fails later stays in the number and leaves the sum.
    package var refunds: Int64 = 0
    package var refunded: Int64 = 0

    package init() {}

    /// The captured money that was not refunded.
    package var net: Int64 { captured.clampedDifference(refunded) }

    mutating func add(_ other: InsightsSums) {
        captures = captures.clampedSum(other.captures)
        captured = captured.clampedSum(other.captured)
        refunds = refunds.clampedSum(other.refunds)
        refunded = refunded.clampedSum(other.refunded)
    }
}

/// The same sums of the range and of the one before it.
package struct InsightsPair: Hashable, Sendable {
    package var now = InsightsSums()
    package var before = InsightsSums()

    package init() {}

    mutating func add(_ sums: InsightsSums, _ side: InsightsSpan.Side) {
        switch side {
        case .now: now.add(sums)
        case .before: before.add(sums)
        }
    }
}

/// The money of one currency.
package struct CurrencyInsights: Hashable, Sendable {
    /// An hour of a weekday.
    package struct Hour: Hashable, Sendable, Comparable {
        /// 1 for Monday to 7 for Sunday.
        package var weekday: Int
        /// 0 to 23.
        package var hour: Int

        package static func < (left: Hour, right: Hour) -> Bool {
            (left.weekday, left.hour) < (right.weekday, right.hour)
        }
    }

    /// The name of what has no line of its own.
    package static let other = "other"
    /// The tender of money that an operator moved outside the provider.
    package static let elsewhere = "elsewhere"

    package private(set) var total = InsightsPair()
    /// The number of payments with a capture in the range, and in the one before.
    package private(set) var payments: Int64 = 0
    package private(set) var paymentsBefore: Int64 = 0
    package private(set) var days: [Int64: InsightsPair] = [:]
    package private(set) var tenders: [String: InsightsPair] = [:]
    package private(set) var hours: [Hour: InsightsSums] = [:]
    /// The refunds of the range by the reason that was given, empty for none.
    package private(set) var reasons: [String: InsightsSums] = [:]

    package init() {}

    /// Adds what a capture or a refund moved.
    mutating func add(_ sums: InsightsSums, of money: MovedMoney, at place: InsightsSpan.Place) {
        total.add(sums, place.side)
        days[place.day, default: InsightsPair()].add(sums, place.side)
        let tender =
            tenders[money.tender] == nil && tenders.count >= InsightsLimits.maximumTenders
            ? CurrencyInsights.other : money.tender
        tenders[tender, default: InsightsPair()].add(sums, place.side)
        guard place.side == .now else { return }
        hours[Hour(weekday: place.weekday, hour: place.hour), default: InsightsSums()].add(sums)
        guard money.kind == .refund else { return }
        let reason =
            reasons[money.reason] == nil && reasons.count >= InsightsLimits.maximumReasons
            ? CurrencyInsights.other : money.reason
        reasons[reason, default: InsightsSums()].add(sums)
    }

    /// Counts a payment that had a capture.
    mutating func count(_ side: InsightsSpan.Side) {
        switch side {
        case .now: payments += 1
        case .before: paymentsBefore += 1
        }
    }

    /// The sums of the range by week, named by its Monday.
    package var weeks: [(monday: Int64, sums: InsightsSums)] {
        var found: [Int64: InsightsSums] = [:]
        for (day, pair) in days { found[ShopCalendar.monday(of: day), default: InsightsSums()].add(pair.now) }
        return found.sorted { $0.key < $1.key }.map { (monday: $0.key, sums: $0.value) }
    }
}

/// The attempts to authorize that were started in a range, by what became of them. Cash has none.
package struct AttemptInsights: Hashable, Sendable {
    package var approved: Int64 = 0
    package var declined: Int64 = 0
    /// Without an outcome yet.
    package var open: Int64 = 0
    /// Never sent.
    package var notSent: Int64 = 0
    /// Voided or expired without an approval.
    package var canceled: Int64 = 0

    package init() {}

    /// The approved part of those that were approved or declined, in thousandths; `nil` without any.
    package var approvedPerMille: Int64? {
        let decided = approved.clampedSum(declined)
        return decided > 0 ? (approved * 1_000 + decided / 2) / decided : nil
    }

    mutating func add(_ outcome: Outcome) {
        switch outcome {
        case .approved: approved += 1
        case .declined: declined += 1
        case .open: open += 1
        case .notSent: notSent += 1
        case .canceled: canceled += 1
        }
    }

    /// What became of an attempt.
    enum Outcome: Hashable {
        case approved
        case declined(DeclineInsight)
        case open
        case notSent
        case canceled

        init(_ attempt: Attempt) {
            switch attempt.state {
            case .authorized: self = .approved
            case .declined(let decline): self = .declined(DeclineInsight(attempt.provider, decline))
            case .notSent: self = .notSent
            case .voided, .expired: self = attempt.heldSince == nil ? .canceled : .approved
            case .inFlight, .requiresAction, .stored, .unknown: self = .open
            }
        }
    }
}

/// A reason for which attempts were declined.
package struct DeclineInsight: Hashable, Sendable, Comparable {
    package var provider: String
    /// The reason as classified by Till.
    package var reason: String
    /// The provider's own code, unmodified; empty if it gave none.
    package var code: String

    init(_ provider: ProviderName, _ decline: Decline) {
        (self.provider, reason, code) = (provider.rawValue, decline.reason.rawValue, decline.code ?? "")
    }

    private init() { (provider, reason, code) = (CurrencyInsights.other, CurrencyInsights.other, "") }

    /// All reasons without a line of their own.
    static let other = DeclineInsight()

    package static func < (left: DeclineInsight, right: DeclineInsight) -> Bool {
        (left.reason, left.provider, left.code) < (right.reason, right.provider, right.code)
    }
}
