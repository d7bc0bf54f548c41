package import TillCore

/// A table of a report: the money of one currency, divided by one thing. Its rows sum to the whole.
package enum DayTable: String, CaseIterable, Hashable, Sendable {
    /// By the network that carried a card.
    case network
    /// By what the money is: a tax of the order by its name, the price without tax, a tip.
    case tax
    /// The refunds, by their reasons.
    case refund
    /// By whoever made the payment, and for refunds by whoever made those.
    case staff
    /// By the scope of the orders of a shop.
    case shop
    /// By the hour of the shop's clock, `00` to `23`, at which the money moved.
    case hour

    /// Returns the part of sums that the table divides: the one for refunds has nothing else, and a capture or a
    /// discount has no number in each of its taxes.
    func whole(_ sums: DaySums) -> DaySums {
        switch self {
        case .refund: DaySums(refundCount: sums.refundCount, refunded: sums.refunded)
        case .tax:
            DaySums(
                captured: sums.captured, refunded: sums.refunded, tips: sums.tips, disputed: sums.disputed,
                discounts: sums.discounts)
        case .network, .staff, .shop, .hour: sums
        }
    }
}

/// The name of a row of a table.
package struct DayRow: Hashable, Sendable, Comparable {
    /// The kind of a row, in the order in which they stand in a table.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case named
        /// Money that no card network carried: cash, a wallet's own account, money that moved outside the provider.
        case noCard = "no_card"
        /// The price of an order without its taxes.
        case net
        case tips
        /// What has no row of its own, since the table is full.
        case other
        /// What the journal does not say.
        case notKnown = "not_known"
    }

    package var kind: Kind
    /// The name of a row of the kind ``Kind/named``, cut at ``DayLimits/maximumRowNameBytes``; empty for others.
    package var name = ""
    /// What distinguishes people of the same name; empty for whatever has a name only.
    package var id = ""

    static let noCard = DayRow(kind: .noCard)
    static let net = DayRow(kind: .net)
    static let tips = DayRow(kind: .tips)
    static let other = DayRow(kind: .other)
    static let notKnown = DayRow(kind: .notKnown)

    /// Returns the row of a name; an empty one is not known.
    static func named(_ name: String, id: String = "") -> DayRow {
        let name = cut(name)
        return name.isEmpty ? .notKnown : DayRow(kind: .named, name: name, id: cut(id))
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > DayLimits.maximumRowNameBytes else { return text }
        var (kept, bytes) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            bytes += String(scalar).utf8.count
            guard bytes <= DayLimits.maximumRowNameBytes else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    private var place: Int { Kind.allCases.firstIndex(of: kind) ?? 0 }

    package static func < (left: DayRow, right: DayRow) -> Bool {
        (left.place, left.name, left.id) < (right.place, right.name, right.id)
    }
}

/// The tables of a span of the journal, by currency.
///
/// The number of rows is limited, and with it the size of a record: beyond the limits money counts in the row
/// ``DayRow/Kind/other``, and a currency too many has no rows at all. ``rows(of:in:of:)`` completes a table with a row
/// for the rest, so that no part of the whole is ever missing.
package struct DayParts: Hashable, Sendable {
    /// A change of a row.
    struct Change {
        var currency: Currency
        var table: DayTable
        var row: DayRow
        var sums: DaySums
    }

    package private(set) var tables: [Currency: [DayTable: [DayRow: DaySums]]] = [:]
    /// The number of rows in all tables.
    private var count = 0

    init() {}

    /// Creates the tables of money of which only the lines are known.
    init(unknown lines: [DayFigures.Line: DaySums]) {
        for (line, sums) in lines {
            for table in DayTable.allCases { add(table.whole(sums), to: .notKnown, of: table, in: line.currency) }
        }
    }

    mutating func add(_ sums: DaySums, to row: DayRow, of table: DayTable, in currency: Currency) {
        guard !sums.isEmpty else { return }
        guard tables[currency] != nil || tables.count < DayLimits.maximumPartedCurrencies else { return }
        var row = row
        if row.kind == .named, tables[currency]?[table]?[row] == nil {
            let number = tables[currency]?[table]?.count ?? 0
            if number >= DayLimits.maximumRows || count >= DayLimits.maximumRowsInAll { row = .other }
        }
        let kept = tables[currency]?[table]?[row]
        if kept == nil { count += 1 }
        tables[currency, default: [:]][table, default: [:]][row] = (kept ?? DaySums()) + sums
    }

    mutating func add(_ change: Change) { add(change.sums, to: change.row, of: change.table, in: change.currency) }

    mutating func add(_ other: DayParts) {
        for change in other.changes(since: DayParts()) { add(change) }
    }

    /// Returns the rows in which these tables differ from those of before, each with the difference, in an order of
    /// their own.
    func changes(since before: DayParts) -> [Change] {
        var found: [Change] = []
        for currency in Set(tables.keys).union(before.tables.keys).sorted(by: { $0.code < $1.code }) {
            for table in DayTable.allCases {
                let (old, new) = (before.tables[currency]?[table] ?? [:], tables[currency]?[table] ?? [:])
                for row in Set(new.keys).union(old.keys).sorted() {
                    let sums = (new[row] ?? DaySums()) - (old[row] ?? DaySums())
                    guard !sums.isEmpty else { continue }
                    found.append(Change(currency: currency, table: table, row: row, sums: sums))
                }
            }
        }
        return found
    }

    /// Returns the rows of a table, without those in which nothing is left.
    /// - Parameter sums: the whole money of the currency; what is in no row is added as not known.
    package func rows(
        of table: DayTable, in currency: Currency, of sums: DaySums
    ) -> [(row: DayRow, sums: DaySums)] {
        var found = tables[currency]?[table] ?? [:]
        let rest = table.whole(sums) - found.values.reduce(DaySums()) { $0 + $1 }
        if !rest.isEmpty { found[.notKnown] = (found[.notKnown] ?? DaySums()) + rest }
        return found.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { (row: $0.key, sums: $0.value) }
    }
}

extension DayParts {
    /// Writes the tables as they are kept, in value position.
    func write(into writer: inout JSONWriter) {
        writer.beginArray()
        for (currency, tables) in tables.sorted(by: { $0.key.code < $1.key.code }) {
            for (table, rows) in tables.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                writer.beginObject()
                writer.field("currency", currency.code)
                writer.field("table", table.rawValue)
                writer.key("rows")
                writer.beginArray()
                for (row, sums) in rows.sorted(by: { $0.key < $1.key }) {
                    writer.beginArray()
                    for text in [row.kind.rawValue, row.name, row.id] { writer.string(text) }
                    for number in [
                        sums.count, sums.captured, sums.refundCount, sums.refunded, sums.tips, sums.disputed,
                    ] { writer.int(number) }
                    if sums.discountCount != 0 || sums.discounts != 0 {
                        for number in [sums.discountCount, sums.discounts] { writer.int(number) }
                    }
                    writer.endArray()
                }
                writer.endArray()
                writer.endObject()
            }
        }
        writer.endArray()
    }

    /// Reads the output of ``write(into:)``; `nil` for anything else.
    init?(json: JSONValue) {
        self.init()
        guard let list = json.arrayValue else { return nil }
        for entry in list {
            guard let currency = entry["currency"]?.stringValue.flatMap({ Currency(ifValid: $0) }),
                let table = entry["table"]?.stringValue.flatMap({ DayTable(rawValue: $0) }),
                let rows = entry["rows"]?.arrayValue
            else { return nil }
            for row in rows {
                guard let cells = row.arrayValue, cells.count == 9 || cells.count == 11,
                    let kind = cells[0].stringValue.flatMap({ DayRow.Kind(rawValue: $0) }),
                    let name = cells[1].stringValue, let id = cells[2].stringValue
                else { return nil }
                let numbers = cells[3...].compactMap(\.int64Value)
                guard numbers.count == cells.count - 3 else { return nil }
                // A row without discounts has no numbers for them.
                let hasDiscounts = numbers.count == 8
                tables[currency, default: [:]][table, default: [:]][DayRow(kind: kind, name: name, id: id)] = DaySums(
                    count: numbers[0], captured: numbers[1], refundCount: numbers[2], refunded: numbers[3],
                    tips: numbers[4], disputed: numbers[5], discountCount: hasDiscounts ? numbers[6] : 0,
                    discounts: hasDiscounts ? numbers[7] : 0)
                count += 1
            }
        }
    }
}
