import Foundation
import TillBooks
import TillCore
import TillCounter

/// The JSON form of an answer about a span of days. Amounts are integers in minor units, and a figure has one currency.
enum InsightsJSON {
    static func write(_ insights: Insights) -> [UInt8] {
        var writer = JSONWriter(reserving: 16 << 10)
        let (span, reading) = (insights.span, insights.reading)
        writer.beginObject()
        writer.field("at", insights.at.description)
        writer.field("from", ShopCalendar.text(span.first))
        writer.field("until", ShopCalendar.text(span.last))
        writer.field("zone", span.calendar.zone.identifier)
        writer.key("before")
        writer.beginObject()
        writer.field("from", ShopCalendar.text(span.first - span.count))
        writer.field("until", ShopCalendar.text(span.first - 1))
        writer.endObject()
        days(span, into: &writer)
        self.reading(reading, into: &writer)
        list("currencies", reading.currencies.sorted { $0.key.code < $1.key.code }, into: &writer) { one, writer in
            members(of: one.value, in: one.key, into: &writer)
        }
        attempts(reading, into: &writer)
        list("disputes", insights.disputes, into: &writer, dispute)
        writer.field("further_disputes", insights.furtherDisputes)
        payouts(insights, into: &writer)
        offline(insights.offline, into: &writer)
        writer.key("attention")
        if let attention = insights.attention {
            writer.beginObject()
            writer.field("open", attention.open)
            writer.field("has_more", attention.hasMore)
            writer.field("incidents", attention.incidents)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
        return writer.bytes
    }

    private static func days(_ span: InsightsSpan, into writer: inout JSONWriter) {
        writer.key("days")
        writer.beginArray()
        var start = span.start
        for day in span.first...span.last {
            let next = span.calendar.start(of: day + 1)
            writer.beginObject()
            writer.field("date", ShopCalendar.text(day))
            writer.field("weekday", ShopCalendar.weekday(of: day))
            writer.field("minutes", next.since(start).milliseconds / 60_000)
            writer.endObject()
            start = next
        }
        writer.endArray()
    }

    private static func reading(_ reading: InsightsReading, into writer: inout JSONWriter) {
        writer.key("read")
        writer.beginObject()
        writer.field("complete", reading.stop == nil)
        writer.field("stopped_by", reading.stop?.rawValue)
        writer.field("back_to", reading.stop == nil ? nil : reading.backTo?.description)
        writer.field("omission", reading.omission)
        writer.field("rows", reading.rows)
        writer.field("payments", reading.payments)
        writer.field("events", reading.events)
        writer.endObject()
        writer.key("unreadable")
        writer.beginObject()
        writer.field("count", reading.unreadable)
        writer.key("payments")
        writer.beginArray()
        for payment in reading.unreadableNamed { writer.string(payment.rawValue) }
        writer.endArray()
        writer.endObject()
    }

    private static func members(
        of money: CurrencyInsights, in currency: Currency, into writer: inout JSONWriter
    ) {
        writer.field("currency", currency.code)
        writer.field("payments", money.payments)
        writer.field("payments_before", money.paymentsBefore)
        pair(money.total, into: &writer)
        list("days", money.days.sorted { $0.key < $1.key }, into: &writer) { day, writer in
            writer.field("date", ShopCalendar.text(day.key))
            pair(day.value, into: &writer)
        }
        list("weeks", money.weeks, into: &writer) { week, writer in
            writer.field("monday", ShopCalendar.text(week.monday))
            sums(week.sums, into: &writer)
        }
        list("tenders", money.tenders.sorted { $0.key < $1.key }, into: &writer) { tender, writer in
            writer.field("tender", tender.key)
            pair(tender.value, into: &writer)
        }
        list("hours", money.hours.sorted { $0.key < $1.key }, into: &writer) { hour, writer in
            writer.field("weekday", hour.key.weekday)
            writer.field("hour", hour.key.hour)
            sums(hour.value, into: &writer)
        }
        list("refund_reasons", money.reasons.sorted { $0.key < $1.key }, into: &writer) { reason, writer in
            writer.field("reason", reason.key)
            writer.field("refunds", reason.value.refunds)
            writer.field("refunded", reason.value.refunded)
        }
    }

    private static func attempts(_ reading: InsightsReading, into writer: inout JSONWriter) {
        writer.key("attempts")
        writer.beginObject()
        for (name, counts) in [("now", reading.attempts), ("before", reading.attemptsBefore)] {
            writer.key(name)
            writer.beginObject()
            writer.field("approved", counts.approved)
            writer.field("declined", counts.declined)
            writer.field("open", counts.open)
            writer.field("not_sent", counts.notSent)
            writer.field("canceled", counts.canceled)
            writer.key("approved_per_mille")
            if let rate = counts.approvedPerMille { writer.int(rate) } else { writer.null() }
            writer.endObject()
        }
        let declines = reading.declines.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        list("declines", declines, into: &writer) { decline, writer in
            writer.field("reason", decline.key.reason)
            writer.field("provider", decline.key.provider)
            writer.field("code", decline.key.code.isEmpty ? nil : decline.key.code)
            writer.field("count", decline.value)
        }
        writer.endObject()
    }

    private static func dispute(_ dispute: DisputeInsight, into writer: inout JSONWriter) {
        writer.field("payment_id", dispute.payment.rawValue)
        writer.field("order_number", dispute.orderNumber)
        writer.field("provider", dispute.provider)
        writer.field("reference", dispute.reference)
        writer.field("reason", dispute.reason)
        writer.field("stage", dispute.stage)
        writer.field("amount", dispute.amount.minorUnits)
        writer.field("currency", dispute.amount.currency.code)
        writer.field("opened_at", dispute.openedAt.description)
        writer.field("respond_by", dispute.respondBy?.description)
        writer.field("state", dispute.state)
    }

    private static func payouts(_ insights: Insights, into writer: inout JSONWriter) {
        writer.key("payouts")
        guard let standings = insights.payouts else { return writer.null() }
        writer.beginObject()
        writer.field("complete", standings.isComplete)
        writer.field("open_breaks", insights.openBreaks)
        list("payouts", standings.payouts, into: &writer) { payout, writer in
            writer.field("provider", payout.provider.rawValue)
            writer.field("id", payout.id)
            writer.field("at", payout.at.description)
            writer.field("amount", payout.amount.minorUnits)
            writer.field("currency", payout.amount.currency.code)
            writer.field("rows", payout.rows)
            writer.field("open_rows", payout.openRows)
            writer.field("fees", payout.fees)
            writer.field("remainder", payout.remainder)
            writer.field("state", payout.state.rawValue)
        }
        writer.endObject()
    }

    private static func offline(_ offline: Insights.Offline, into writer: inout JSONWriter) {
        writer.key("offline")
        switch offline {
        case .none: writer.null()
        case .unreadable(let reason):
            writer.beginObject()
            writer.field("fault", reason)
            writer.endObject()
        case .stored(let metrics):
            writer.beginObject()
            writer.field("count", metrics.count)
            list("sums", metrics.sums.sorted { $0.key < $1.key }, into: &writer) { sum, writer in
                writer.field("currency", sum.key)
                writer.field("amount", sum.value)
            }
            writer.field("oldest_at", metrics.oldestAt?.description)
            writer.field("expires_at", metrics.expiresAt?.description)
            writer.endObject()
        }
    }

    // MARK: Parts

    private static func pair(_ pair: InsightsPair, into writer: inout JSONWriter) {
        for (name, side) in [("now", pair.now), ("before", pair.before)] {
            writer.key(name)
            writer.beginObject()
            sums(side, into: &writer)
            writer.endObject()
        }
    }

    private static func sums(_ sums: InsightsSums, into writer: inout JSONWriter) {
        writer.field("captures", sums.captures)
        writer.field("captured", sums.captured)
        writer.field("refunds", sums.refunds)
        writer.field("refunded", sums.refunded)
        writer.field("net", sums.net)
    }

    /// Writes a member with one object for each element.
    private static func list<Element>(
        _ name: String, _ elements: [Element], into writer: inout JSONWriter,
        _ members: (Element, inout JSONWriter) -> Void
    ) {
        writer.key(name)
        writer.beginArray()
        for element in elements {
            writer.beginObject()
            members(element, &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}
