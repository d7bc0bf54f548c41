import Synchronization
package import TillBooks
import TillCheckout
package import TillCore
package import TillCounter
package import TillJournal
import TillOffline

/// A dispute, as far as the journal knows it.
package struct DisputeInsight: Hashable, Sendable {
    package var payment: PaymentID
    package var orderNumber: String
    package var provider: String
    package var reference: String
    /// The reason and the stage, in the provider's words.
    package var reason: String
    package var stage: String
    package var amount: Money
    package var openedAt: Timestamp
    package var respondBy: Timestamp?
    /// `open`, or its outcome.
    package var state: String

    static func all(of payment: Payment) -> [DisputeInsight] {
        payment.disputes.map { dispute in
            DisputeInsight(
                payment: payment.id, orderNumber: payment.order.number,
                provider: payment.attempts.last { $0.id == dispute.attempt }?.provider.rawValue ?? "",
                reference: dispute.facts.reference.rawValue, reason: dispute.facts.reason, stage: dispute.facts.stage,
                amount: dispute.facts.amount, openedAt: dispute.openedAt, respondBy: dispute.facts.respondBy,
                state: dispute.outcome?.word ?? "open")
        }
    }

    /// `true` if it is to be listed before another: what is open by its deadline, then what is closed, newest first.
    static func comesFirst(_ left: DisputeInsight, _ right: DisputeInsight) -> Bool {
        let (mine, others) = (left.state == "open", right.state == "open")
        guard mine == others else { return mine }
        if mine {
            let never = Timestamp(milliseconds: .max)
            return (left.respondBy ?? never, left.reference) < (right.respondBy ?? never, right.reference)
        }
        return (right.openedAt, right.reference) < (left.openedAt, left.reference)
    }
}

/// What the journal, the statements and the log of stored cards say about a span of days.
package struct Insights: Sendable {
    /// The cards that are stored and not forwarded yet.
    package enum Offline: Sendable {
        /// No cards are stored here, or they are not this account's to see.
        case none
        case stored(OfflineMetrics)
        /// The log cannot be read; the reason.
        case unreadable(String)
    }

    /// What waits for a person.
    package struct Attention: Hashable, Sendable {
        /// The number of open entries of the attention queue; a minimum if ``hasMore``.
        package var open: Int
        package var hasMore: Bool
        package var incidents: Int
    }

    package var span: InsightsSpan
    package var reading: InsightsReading
    /// Open disputes by deadline, then closed ones; at most ``InsightsLimits/maximumDisputes``.
    package var disputes: [DisputeInsight] = []
    /// The number of disputes that are not in the list.
    package var furtherDisputes = 0
    /// `nil` for an account to which statements do not belong, and for whoever may not see them.
    package var payouts: PayoutStandings?
    /// The number of open differences between statements and the journal.
    package var openBreaks = 0
    package var offline = Offline.none
    /// `nil` for whoever may not see it.
    package var attention: Attention?
    package var at: Timestamp
}

/// What of an answer whoever asks may see, beside payments and their sums.
package struct InsightsSight: Hashable, Sendable {
    /// `true` with the attention queue and the payouts.
    package var review: Bool
    /// `true` with the stored cards.
    package var offline: Bool

    package init(review: Bool = true, offline: Bool = true) { (self.review, self.offline) = (review, offline) }
}

/// Answers questions about spans of days. It reads, and changes nothing but what the attention queue repairs itself.
package final class InsightsBook: Sendable {
    private let journal: any Journal & RecordStore
    private let clock: any TillClock
    /// The counter's own account, to which statements and stored cards belong.
    private let own: AccountID
    private let offline: OfflineService?
    private let limits: InsightsLimits.Reading
    /// The questions that are being answered.
    private let running = Mutex<[AccountID: Int]>([:])

    package init(
        _ journal: any Journal & RecordStore, clock: any TillClock, own: AccountID, offline: OfflineService? = nil,
        limits: InsightsLimits.Reading = .init()
    ) {
        (self.journal, self.clock, self.own, self.offline, self.limits) = (journal, clock, own, offline, limits)
    }

    /// The current time.
    package var now: Timestamp { clock.now() }

    /// Returns what is known of an account's days.
    /// - Throws: ``InsightsError/busy`` while as many questions are being answered as ``InsightsLimits/maximumAtOnce``,
    ///   or as many of the account as ``InsightsLimits/maximumOfAccount``; ``InsightsError/journal(_:)``.
    package func insights(
        of account: AccountID, in span: InsightsSpan, seeing sight: InsightsSight = .init()
    ) async throws(InsightsError) -> Insights {
        guard begin(account) else { throw .busy }
        defer { end(account) }
        do throws(JournalError) { return try await read(account, span, sight) } catch { throw .journal(error) }
    }

    /// Returns `false` if the question must wait.
    private func begin(_ account: AccountID) -> Bool {
        running.withLock { running in
            let mine = running[account] ?? 0
            guard mine < InsightsLimits.maximumOfAccount,
                running.values.reduce(0, +) < InsightsLimits.maximumAtOnce
            else { return false }
            running[account] = mine + 1
            return true
        }
    }

    private func end(_ account: AccountID) {
        running.withLock { running in
            let left = (running[account] ?? 0) - 1
            running[account] = left > 0 ? left : nil
        }
    }

    private func read(
        _ account: AccountID, _ span: InsightsSpan, _ sight: InsightsSight
    ) async throws(JournalError) -> Insights {
        let reading = try await InsightsReader(journal, limits: limits).read(account, in: span)
        var insights = Insights(span: span, reading: reading, at: clock.now())
        let found = try await AttentionQueue(journal, clock: clock)
            .open(account: account, limit: InsightsLimits.maximumAttention)
        if sight.review {
            insights.attention = Insights.Attention(
                open: found.count, hasMore: Set(found.map(\.payment.id)).count >= InsightsLimits.maximumAttention,
                incidents: try await IncidentLog(journal).open(account: account, limit: 1).count)
        }
        // Disputes of older payments stand in the queue until somebody has dealt with them.
        let disputes = found.reduce(into: reading.disputes) { $0.formUnion(DisputeInsight.all(of: $1.payment)) }
            .sorted(by: DisputeInsight.comesFirst)
        insights.disputes = Array(disputes.prefix(InsightsLimits.maximumDisputes))
        insights.furtherDisputes = disputes.count - insights.disputes.count
        guard account == own else { return insights }
        if sight.review {
            insights.payouts = try await Reconciliation.payouts(
                journal, from: span.start, until: span.end, atMost: InsightsLimits.maximumPayouts,
                lines: InsightsLimits.maximumLines)
            insights.openBreaks = try await Reconciliation.openCount(journal)
        }
        if sight.offline { insights.offline = await stored() }
        return insights
    }

    private func stored() async -> Insights.Offline {
        guard let offline else { return .none }
        do throws(OfflineLogError) { return .stored(try await offline.metrics()) } catch {
            return .unreadable(error.what)
        }
    }
}
