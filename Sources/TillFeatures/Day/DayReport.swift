package import TillCore
import TillCounter
package import TillJournal

/// The report of a closed session (Z), or what it would be now (X). A closed one is written in the commit that closes
/// its session, under its number, and never changed.
///
/// The reports of ``DrawerName/main`` are the account's: they have all its money, also the cash of other drawers, and
/// ``DayFigures/drawers(in:)`` has it by drawer. Those of another drawer have its cash alone.
package struct DayReport: Hashable, Sendable {
    /// The closing of a session.
    package struct Closing: Hashable, Sendable {
        package var at: Timestamp
        package var by: String
        /// The cash that stays in the drawer, in minor units.
        package var left: Int64
        /// The reason for the difference, if one was given.
        package var reason: String?
        /// The journal's epoch. A report of the same number in an earlier epoch is another report.
        package var epoch: Int64
    }

    /// Money of one currency over all reports.
    package struct Total: Hashable, Sendable {
        package var gross: Int64 = 0
        package var refunds: Int64 = 0
        package var disputed: Int64 = 0
        package var net: Int64 { gross.limitedDifference(refunds).limitedDifference(disputed) }
    }

    package let session: DrawerSession
    /// `nil` for a session that is not closed.
    package let closing: Closing?
    /// The time up to which it counts.
    package let until: Timestamp
    /// The position of the last event that it counts.
    package let lastSequence: Int64
    /// The head of the journal's hash chain after that event: whoever has the report can tell whether the events up to
    /// there are still those that it was made of. `nil` for a session that is not closed, for a report of before heads
    /// were kept, and for a journal without a chain.
    package let head: ChainHead?
    /// The name of the time zone of its hours; `nil` for a report of before it was kept.
    package let zone: String?
    /// The money of all its events, in every currency.
    package let figures: DayFigures
    /// The cash of the session's own events: those after its opening.
    package let cash: DaySums
    /// The sums of this report and all before it, by currency.
    package let totals: [Currency: Total]

    /// The cash of each currency that should be in the drawer since a day in that currency was closed: what was
    /// left, and what sales and refunds in cash moved in days of another currency since; empty in a report that is
    /// not closed.
    package let kept: [Currency: Int64]

    /// Returns the sums of one currency over this report and all before it.
    package func total(in currency: Currency) -> Total { totals[currency] ?? Total() }

    /// The number; `nil` for a session that is not closed.
    package var number: Int64? { closing == nil ? nil : session.number }
    /// The journal's epoch in which it was made.
    package var epoch: Int64 { closing?.epoch ?? session.epoch }
    /// The number of the report before it; `nil` for the first.
    package var previous: Int64? { session.number > 1 ? session.number - 1 : nil }
    /// The cash that should be in the drawer, in minor units.
    package var expected: Int64 { session.expected(cash) }
    /// The counted cash; `nil` if the session was not counted.
    package var counted: Int64? { session.lastCount?.tally.total }
    /// The counted less the expected cash.
    package var difference: Int64? { counted.map { $0.limitedDifference(expected) } }

    /// Adds the session's money to the totals of the report before.
    init(
        _ session: DrawerSession, closing: Closing?, until: Timestamp, lastSequence: Int64, head: ChainHead? = nil,
        zone: String, during: DayFigures, after previous: DayReport?
    ) {
        (self.closing, self.until) = (closing, until)
        (self.lastSequence, self.head, self.zone) = (lastSequence, head, zone)
        cash = during.cash(in: session.currency)
        var figures = session.before
        figures.add(during)
        self.figures = figures
        var own = session
        // The tables of the whole have that money, and a record has room for them once.
        if closing != nil { own.before = own.before.withoutParts }
        self.session = own
        var totals = previous?.totals ?? [:]
        for currency in Set(figures.currencies + [session.currency]) {
            let sum = figures.sum(of: currency)
            var total = totals[currency] ?? Total()
            total.gross = total.gross.limitedSum(sum.captured)
            total.refunds = total.refunds.limitedSum(sum.refunded)
            total.disputed = total.disputed.limitedSum(sum.disputed)
            totals[currency] = total
        }
        self.totals = totals
        var kept: [Currency: Int64] = [:]
        if let closing {
            for (currency, units) in previous?.kept ?? [:] {
                kept[currency] = units.limitedSum(figures.cash(in: currency).net)
            }
            kept[session.currency] = closing.left
        }
        self.kept = kept
    }
}

extension DayReport: RecordDocument {
    package static let collection: RecordCollection = "day_report"

    static func id(_ account: AccountID, _ number: Int64, of drawer: DrawerName = .main) -> RecordID {
        RecordID(collection, "\(KnownDrawers.place(account, drawer))/\(number)")
    }

    static func match(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    package var record: Record {
        var writer = JSONWriter(reserving: 2_048)
        writer.beginObject()
        writer.key("session")
        session.write(into: &writer)
        if let closing {
            writer.field("closed_at", closing.at.milliseconds)
            writer.field("closed_by", closing.by)
            writer.field("left", closing.left)
            writer.field("reason", closing.reason)
            writer.field("epoch", closing.epoch)
        }
        writer.field("until", until.milliseconds)
        writer.field("last_sequence", lastSequence)
        if let head { writer.field("head", head.description) }
        if let zone { writer.field("zone", zone) }
        writer.key("figures")
        figures.write(into: &writer)
        writer.field("cash_count", cash.count)
        writer.field("cash_captured", cash.captured)
        writer.field("cash_refund_count", cash.refundCount)
        writer.field("cash_refunded", cash.refunded)
        writer.key("totals")
        writer.beginArray()
        for (currency, total) in totals.sorted(by: { $0.key.code < $1.key.code }) {
            writer.beginObject()
            writer.field("currency", currency.code)
            writer.field("gross", total.gross)
            writer.field("refunds", total.refunds)
            writer.field("disputed", total.disputed)
            writer.endObject()
        }
        writer.endArray()
        writer.key("kept")
        writer.beginArray()
        for (currency, units) in kept.sorted(by: { $0.key.code < $1.key.code }) {
            writer.beginObject()
            writer.field("currency", currency.code)
            writer.field("units", units)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let match = DayReport.match(session.account)
        return Record(
            DayReport.id(session.account, session.number, of: session.drawer), body: writer.bytes,
            fields: [match.field: match.value])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let session = DrawerSession(json: body.json["session"]) else { throw body.damaged("session") }
        guard let figures = DayFigures(json: body.json["figures"]) else { throw body.damaged("figures") }
        (self.session, self.figures) = (session, figures)
        closing = Closing(
            at: Timestamp(milliseconds: try body.int("closed_at")), by: try body.text("closed_by"),
            left: try body.int("left"), reason: body.optionalText("reason"),
            epoch: body.optionalInt("epoch") ?? session.epoch)
        until = Timestamp(milliseconds: try body.int("until"))
        let last = try body.int("last_sequence")
        // A report of before heads were kept has none.
        let stated = body.optionalText("head")
        let head = stated.flatMap { ChainHead($0) }
        guard stated == nil || head?.sequence == last else { throw body.damaged("head") }
        (lastSequence, self.head, zone) = (last, head, body.optionalText("zone"))
        cash = DaySums(
            count: try body.int("cash_count"), captured: try body.int("cash_captured"),
            refundCount: try body.int("cash_refund_count"), refunded: try body.int("cash_refunded"))
        var totals: [Currency: Total] = [:]
        guard let list = body.json["totals"]?.arrayValue else { throw body.damaged("totals") }
        for total in list {
            guard let currency = total["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
                let gross = total["gross"]?.int64Value, let refunds = total["refunds"]?.int64Value
            else { throw body.damaged("totals") }
            totals[currency] = Total(
                gross: gross, refunds: refunds, disputed: total["disputed"]?.int64Value ?? 0)
        }
        self.totals = totals
        // A report of before knows of its own currency only.
        var kept: [Currency: Int64] = [session.currency: try body.int("left")]
        for cash in body.json["kept"]?.arrayValue ?? [] {
            guard let currency = cash["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
                let units = cash["units"]?.int64Value
            else { throw body.damaged("kept") }
            kept[currency] = units
        }
        self.kept = kept
    }
}
