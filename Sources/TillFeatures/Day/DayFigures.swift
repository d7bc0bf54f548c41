package import TillCore

/// Sums of one kind of money, in minor units, and the numbers of captures and refunds in them.
package struct DaySums: Hashable, Sendable {
    /// The captures that succeeded. One that fails later stays in the number and leaves the sum.
    package var count: Int64 = 0
    package var captured: Int64 = 0
    /// The refunds that succeeded. One that fails later stays in the number and leaves the sum.
    package var refundCount: Int64 = 0
    package var refunded: Int64 = 0
    /// The tips in ``captured`` that were not given back.
    package var tips: Int64 = 0
    /// What providers took back for disputes, less what they gave back. A refund that turns out to be a dispute's money
    /// moves from ``refunded`` to here.
    package var disputed: Int64 = 0
    /// The payments with a discount of which a capture succeeded. One that fails later stays in the number and leaves
    /// the sum.
    package var discountCount: Int64 = 0
    /// What the customers of those payments saved: no part of ``captured``.
    package var discounts: Int64 = 0

    /// The captured money that was neither refunded nor taken back.
    package var net: Int64 { captured.limitedDifference(refunded).limitedDifference(disputed) }

    static func + (left: DaySums, right: DaySums) -> DaySums {
        DaySums(
            count: left.count.limitedSum(right.count), captured: left.captured.limitedSum(right.captured),
            refundCount: left.refundCount.limitedSum(right.refundCount),
            refunded: left.refunded.limitedSum(right.refunded), tips: left.tips.limitedSum(right.tips),
            disputed: left.disputed.limitedSum(right.disputed),
            discountCount: left.discountCount.limitedSum(right.discountCount),
            discounts: left.discounts.limitedSum(right.discounts))
    }

    static func - (left: DaySums, right: DaySums) -> DaySums {
        DaySums(
            count: left.count.limitedDifference(right.count),
            captured: left.captured.limitedDifference(right.captured),
            refundCount: left.refundCount.limitedDifference(right.refundCount),
            refunded: left.refunded.limitedDifference(right.refunded), tips: left.tips.limitedDifference(right.tips),
            disputed: left.disputed.limitedDifference(right.disputed),
            discountCount: left.discountCount.limitedDifference(right.discountCount),
            discounts: left.discounts.limitedDifference(right.discounts))
    }

    var isEmpty: Bool { self == DaySums() }
}

/// The captured and refunded money of a span of the journal, by currency, tender and provider, and the same money in
/// tables.
package struct DayFigures: Hashable, Sendable {
    /// The kind of money that one sum is of.
    package struct Line: Hashable, Sendable, Comparable {
        package var currency: Currency
        /// The tender's kind: `cash`, `card`, …; `elsewhere` for money that moved outside the provider.
        package var tender: String
        package var provider: String
        /// The drawer of cash that is not in the report's own; `nil` for cash that is, and for any other money.
        package var drawer: DrawerName?

        package static func < (left: Line, right: Line) -> Bool {
            (left.currency.code, left.tender, left.provider, left.drawer?.rawValue ?? "")
                < (right.currency.code, right.tender, right.provider, right.drawer?.rawValue ?? "")
        }
    }

    /// The tender of money that an operator moved outside the provider.
    static let elsewhere = "elsewhere"
    /// The tender and the provider of what is in no line of its own.
    static let other = "other"

    package private(set) var lines: [Line: DaySums] = [:]
    /// Payments that cannot be read, wholly or from an event on: their further money is in no sum.
    package var unreadable: Set<PaymentID> = []
    /// The same money in tables; `nil` for figures of before tables were kept.
    package private(set) var parts: DayParts? = DayParts()

    package init() {}

    /// Creates the figures of a drawer's report before any money: ``DrawerName/main`` alone has tables.
    init(of drawer: DrawerName) { if drawer != .main { parts = nil } }

    mutating func add(_ sums: DaySums, to line: Line) {
        guard !sums.isEmpty else { return }
        var line = line
        // The drawer's own cash keeps its line, since what is expected in it follows from there.
        if lines[line] == nil, lines.count >= DayLimits.maximumLines, !line.isOwnCash {
            (line.tender, line.provider, line.drawer) = (DayFigures.other, DayFigures.other, nil)
        }
        lines[line] = (lines[line] ?? DaySums()) + sums
    }

    /// Adds a change to a row of a table.
    mutating func add(_ change: DayParts.Change) { parts?.add(change) }

    /// The figures without their tables.
    var withoutParts: DayFigures {
        var figures = self
        figures.parts = nil
        return figures
    }

    /// Adds figures. Those without tables count as not known in each, unless neither has any.
    mutating func add(_ other: DayFigures) {
        if parts != nil || other.parts != nil {
            var all = parts ?? DayParts(unknown: lines)
            all.add(other.parts ?? DayParts(unknown: other.lines))
            parts = all
        }
        for (line, sums) in other.lines { add(sums, to: line) }
        unreadable.formUnion(other.unreadable)
    }

    /// Returns the sum of the lines for which a condition holds.
    package func sum(where matches: (Line) -> Bool) -> DaySums {
        lines.reduce(DaySums()) { sum, line in matches(line.key) ? sum + line.value : sum }
    }

    /// Returns the money of one currency.
    package func sum(of currency: Currency) -> DaySums { sum { $0.currency == currency } }

    /// Returns the cash of one currency that sales and refunds moved in the report's own drawer.
    package func cash(in currency: Currency) -> DaySums { sum { $0.currency == currency && $0.isOwnCash } }

    /// Returns the cash of one currency by drawer, that of ``DrawerName/main`` first and the others by name; empty if
    /// none is in another drawer. Together it is the money of the tender `cash`.
    package func drawers(in currency: Currency) -> [(name: DrawerName, sums: DaySums)] {
        var found: [DrawerName: DaySums] = [:]
        for (line, sums) in lines where line.currency == currency {
            guard let drawer = line.drawer else { continue }
            found[drawer] = (found[drawer] ?? DaySums()) + sums
        }
        guard !found.isEmpty else { return [] }
        var all: [(name: DrawerName, sums: DaySums)] = [(name: .main, sums: cash(in: currency))]
        for (name, sums) in found.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            all.append((name: name, sums: sums))
        }
        return all
    }

    /// Returns the sums of one currency by a name of its lines, sorted by the name.
    package func sums(of currency: Currency, by name: (Line) -> String) -> [(name: String, sums: DaySums)] {
        var found: [String: DaySums] = [:]
        for (line, sums) in lines where line.currency == currency {
            let key = name(line)
            found[key] = (found[key] ?? DaySums()) + sums
        }
        return found.sorted { $0.key < $1.key }.map { (name: $0.key, sums: $0.value) }
    }

    /// The currencies, sorted by code.
    package var currencies: [Currency] { Set(lines.keys.map(\.currency)).sorted { $0.code < $1.code } }
}

extension DayFigures.Line {
    /// `true` for cash in the drawer that the report is of.
    var isOwnCash: Bool { tender == TenderKind.cash.rawValue && drawer == nil }

    /// Returns the line in the report of another drawer than ``DrawerName/main``; `nil` for money that is none of its
    /// cash.
    func own(in drawer: DrawerName) -> DayFigures.Line? {
        guard self.drawer == drawer else { return nil }
        var line = self
        line.drawer = nil
        return line
    }
}

extension DayFigures {
    /// Writes the figures as they are kept, in value position.
    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("lines")
        writer.beginArray()
        for (line, sums) in lines.sorted(by: { $0.key < $1.key }) {
            writer.beginObject()
            writer.field("currency", line.currency.code)
            writer.field("tender", line.tender)
            writer.field("provider", line.provider)
            if let drawer = line.drawer { writer.field("drawer", drawer.rawValue) }
            writer.field("count", sums.count)
            writer.field("captured", sums.captured)
            writer.field("refund_count", sums.refundCount)
            writer.field("refunded", sums.refunded)
            writer.field("tips", sums.tips)
            if sums.disputed != 0 { writer.field("disputed", sums.disputed) }
            if sums.discountCount != 0 { writer.field("discount_count", sums.discountCount) }
            if sums.discounts != 0 { writer.field("discounts", sums.discounts) }
            writer.endObject()
        }
        writer.endArray()
        writer.key("unreadable")
        writer.beginArray()
        for payment in unreadable.map(\.rawValue).sorted() { writer.string(payment) }
        writer.endArray()
        if let parts {
            writer.key("parts")
            parts.write(into: &writer)
        }
        writer.endObject()
    }

    /// Reads the output of ``write(into:)``; `nil` for anything else.
    init?(json: JSONValue?) {
        guard let lines = json?["lines"]?.arrayValue, let unreadable = json?["unreadable"]?.arrayValue else {
            return nil
        }
        for line in lines {
            guard let currency = line["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
                let tender = line["tender"]?.stringValue, let provider = line["provider"]?.stringValue,
                let count = line["count"]?.int64Value, let captured = line["captured"]?.int64Value,
                let refundCount = line["refund_count"]?.int64Value, let refunded = line["refunded"]?.int64Value,
                let tips = line["tips"]?.int64Value
            else { return nil }
            let drawer = line["drawer"]?.stringValue.map { DrawerName(rawValue: $0) }
            self.lines[Line(currency: currency, tender: tender, provider: provider, drawer: drawer)] = DaySums(
                count: count, captured: captured, refundCount: refundCount, refunded: refunded, tips: tips,
                disputed: line["disputed"]?.int64Value ?? 0,
                discountCount: line["discount_count"]?.int64Value ?? 0,
                discounts: line["discounts"]?.int64Value ?? 0)
        }
        for payment in unreadable {
            guard let id = payment.stringValue else { return nil }
            self.unreadable.insert(PaymentID(rawValue: id))
        }
        // Figures of before tables were kept have none.
        parts = nil
        guard let kept = json?["parts"] else { return }
        guard let parts = DayParts(json: kept) else { return nil }
        self.parts = parts
    }
}

extension Int64 {
    /// Returns the sum, or the nearest value that fits: a damaged journal must not end the process.
    func limitedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, or the nearest value that fits.
    func limitedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
