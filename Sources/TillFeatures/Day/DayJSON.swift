package import TillCore
import TillJournal

/// The JSON form of sessions and reports. Whoever may not see totals counts blind: what tells them how much should be
/// in the drawer is `null`.
package enum DayJSON {
    /// Writes the day: the session and the last report.
    /// - Parameter zone: the name of the shop's time zone, by whose clock a day is shown.
    package static func day(
        _ session: DayBook.Standing?, last: DayBook.Standing?, zone: String, seesTotals: Bool
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 2_048)
        writer.beginObject()
        writer.field("zone", zone)
        writer.key("session")
        if let session { self.session(session, seesTotals, into: &writer) } else { writer.null() }
        writer.key("last")
        if let last { report(last, seesTotals, isListed: true, into: &writer) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }

    /// Writes the drawers of an account, each with its last session: nothing that says what is in it.
    /// - Parameter device: The drawer that the device has chosen; `nil` for none.
    package static func drawers(_ sessions: [DrawerSession], device: DrawerName? = nil) -> [UInt8] {
        var writer = JSONWriter(reserving: 256 * (1 + sessions.count))
        writer.beginObject()
        writer.field("device", device?.rawValue)
        writer.key("drawers")
        writer.beginArray()
        for session in sessions {
            writer.beginObject()
            writer.field("drawer", session.drawer.rawValue)
            writer.field("session", session.id)
            writer.field("state", session.state.rawValue)
            writer.field("currency", session.currency.code)
            writer.field("opened_at", session.openedAt.description)
            writer.field("opened_by", session.openedBy)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Writes a session alone.
    package static func session(_ standing: DayBook.Standing, seesTotals: Bool) -> [UInt8] {
        var writer = JSONWriter(reserving: 1_024)
        session(standing, seesTotals, into: &writer)
        return writer.bytes
    }

    /// Writes a report alone.
    package static func report(_ standing: DayBook.Standing, seesTotals: Bool) -> [UInt8] {
        var writer = JSONWriter(reserving: 2_048)
        report(standing, seesTotals, isListed: false, into: &writer)
        return writer.bytes
    }

    /// Writes a page of reports, without their tables.
    package static func page(_ page: DayBook.Page) -> [UInt8] {
        var writer = JSONWriter(reserving: 2_048 * (1 + page.reports.count))
        writer.beginObject()
        writer.key("reports")
        writer.beginArray()
        for standing in page.reports { report(standing, true, isListed: true, into: &writer) }
        writer.endArray()
        writer.field("has_more", page.hasMore)
        writer.endObject()
        return writer.bytes
    }

    private static func session(
        _ standing: DayBook.Standing, _ seesTotals: Bool, into writer: inout JSONWriter
    ) {
        let (session, report) = (standing.session, standing.report)
        writer.beginObject()
        writer.field("id", session.id)
        if session.drawer != .main { writer.field("drawer", session.drawer.rawValue) }
        writer.field("state", session.state.rawValue)
        writer.field("currency", session.currency.code)
        writer.field("opened_at", session.openedAt.description)
        writer.field("opened_by", session.openedBy)
        writer.field("float", session.float.total)
        writer.field("opening_difference", seesTotals ? session.openingDifference : nil)
        writer.field("opening_reason", session.openingReason)
        writer.key("cash")
        writer.beginArray()
        for movement in standing.movements {
            writer.beginObject()
            writer.field("kind", movement.request.kind.rawValue)
            writer.field("amount", movement.request.amount)
            writer.field("reason", movement.request.reason)
            writer.field("payment", movement.request.payment?.rawValue)
            writer.field("at", movement.at.description)
            writer.field("by", movement.by)
            writer.endObject()
        }
        writer.endArray()
        writer.key("counts")
        writer.beginArray()
        for count in session.counts {
            writer.beginObject()
            writer.field("total", count.tally.total)
            writer.key("counts")
            count.tally.writePieces(into: &writer)
            writer.field("at", count.at.description)
            writer.field("by", count.by)
            writer.endObject()
        }
        writer.endArray()
        writer.field("cash_sales", seesTotals ? report.cash.captured : nil)
        writer.field("cash_refunds", seesTotals ? report.cash.refunded : nil)
        writer.field("paid_in", session.paidIn)
        writer.field("paid_out", session.paidOut)
        writer.field("bank_drops", session.bankDrops)
        writer.field("refunds_paid", session.refundsPaid)
        writer.field("expected", seesTotals ? report.expected : nil)
        writer.field("counted", report.counted)
        writer.field("difference", seesTotals ? report.difference : nil)
        writer.field("unreadable", report.figures.unreadable.count)
        writer.endObject()
    }

    private static func report(
        _ standing: DayBook.Standing, _ seesTotals: Bool, isListed: Bool, into writer: inout JSONWriter
    ) {
        let report = standing.report
        writer.beginObject()
        writer.field("number", report.number)
        if report.session.drawer != .main { writer.field("drawer", report.session.drawer.rawValue) }
        writer.field("epoch", report.epoch)
        writer.field("currency", report.session.currency.code)
        writer.field("from", report.session.openedAt.description)
        writer.field("until", report.until.description)
        writer.field("first_sequence", report.session.firstSequence)
        writer.field("last_sequence", report.lastSequence)
        writer.field("journal_head", report.head?.description)
        writer.field("zone", report.zone)
        writer.field("closed_at", report.closing?.at.description)
        writer.field("closed_by", report.closing?.by)
        writer.key("session")
        session(standing, seesTotals, into: &writer)
        writer.field("left", report.closing?.left)
        writer.field("reason", report.closing?.reason)
        if seesTotals {
            figures(of: report, into: &writer)
        } else {
            for name in ["sales", "tenders", "providers", "others", "unreadable", "totals", "all_totals"] {
                writer.key(name)
                writer.null()
            }
        }
        if !isListed {
            writer.key("breakdowns")
            if seesTotals { breakdowns(of: report, into: &writer) } else { writer.null() }
        }
        writer.field("previous", report.previous)
        writer.endObject()
    }

    /// Writes the tables of a report, or `null` for one of before they were kept and for another drawer's.
    private static func breakdowns(of report: DayReport, into writer: inout JSONWriter) {
        guard let breakdowns = report.breakdowns else { return writer.null() }
        writer.beginArray()
        for breakdown in breakdowns {
            writer.beginObject()
            writer.field("by", breakdown.by.rawValue)
            writer.field("currency", breakdown.currency.code)
            writer.key("rows")
            writer.beginArray()
            for (row, sums) in breakdown.rows {
                writer.beginObject()
                writer.field("kind", row.kind.rawValue)
                writer.field("name", row.kind == .named ? row.name : nil)
                writer.field("id", row.id.isEmpty ? nil : row.id)
                writer.field("count", sums.count)
                writer.field("captured", sums.captured)
                writer.field("refund_count", sums.refundCount)
                writer.field("refunded", sums.refunded)
                writer.field("disputed", sums.disputed)
                writer.field("tips", sums.tips)
                writer.field("discounts", sums.discounts)
                writer.field("discount_count", sums.discountCount)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
    }

    private static func figures(of report: DayReport, into writer: inout JSONWriter) {
        let (figures, currency) = (report.figures, report.session.currency)
        let sum = figures.sum(of: currency)
        writer.key("sales")
        writer.beginObject()
        writer.field("count", sum.count)
        writer.field("gross", sum.captured)
        writer.field("refunds", sum.refunded)
        writer.field("refund_count", sum.refundCount)
        writer.field("disputed", sum.disputed)
        writer.field("net", sum.net)
        writer.field("tips", sum.tips)
        writer.field("discounts", sum.discounts)
        writer.field("discount_count", sum.discountCount)
        writer.endObject()
        write(figures.sums(of: currency) { $0.tender }, "tenders", "tender", into: &writer)
        write(figures.sums(of: currency) { $0.provider }, "providers", "provider", into: &writer)
        let drawers = figures.drawers(in: currency).map { (name: $0.name.rawValue, sums: $0.sums) }
        if !drawers.isEmpty { write(drawers, "drawers", "drawer", into: &writer) }
        writer.key("others")
        writer.beginArray()
        for other in figures.currencies where other != currency {
            let sum = figures.sum(of: other)
            writer.beginObject()
            writer.field("currency", other.code)
            writer.field("gross", sum.captured)
            writer.field("refunds", sum.refunded)
            writer.field("disputed", sum.disputed)
            writer.endObject()
        }
        writer.endArray()
        writer.key("unreadable")
        writer.beginArray()
        for payment in figures.unreadable.map(\.rawValue).sorted() { writer.string(payment) }
        writer.endArray()
        writer.key("totals")
        write(report.total(in: currency), of: nil, into: &writer)
        writer.key("all_totals")
        writer.beginArray()
        for (currency, total) in report.totals.sorted(by: { $0.key.code < $1.key.code }) {
            write(total, of: currency, into: &writer)
        }
        writer.endArray()
    }

    private static func write(_ total: DayReport.Total, of currency: Currency?, into writer: inout JSONWriter) {
        writer.beginObject()
        if let currency { writer.field("currency", currency.code) }
        writer.field("gross", total.gross)
        writer.field("refunds", total.refunds)
        writer.field("disputed", total.disputed)
        writer.field("net", total.net)
        writer.endObject()
    }

    private static func write(
        _ sums: [(name: String, sums: DaySums)], _ list: String, _ name: String, into writer: inout JSONWriter
    ) {
        writer.key(list)
        writer.beginArray()
        for line in sums {
            writer.beginObject()
            writer.field(name, line.name)
            writer.field("count", line.sums.count)
            writer.field("captured", line.sums.captured)
            writer.field("refunded", line.sums.refunded)
            writer.field("disputed", line.sums.disputed)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension JSONWriter {
    /// Writes a member with an integer, or with `null`.
    fileprivate mutating func field(_ key: String, _ value: Int64?) {
        guard let value else {
            self.key(key)
            return null()
        }
        field(key, value)
    }
}
