package import TillCore

/// A table of a report as it is shown. Its rows sum to what it divides: the sales, refunds, disputes and tips of its
/// currency, or the refunds or tips alone.
package struct DayBreakdown: Sendable {
    /// What a table divides the money by, in the order in which the tables stand.
    package enum Kind: String, CaseIterable, Sendable {
        case network, tax, tip, refund, staff, shop, hour

        /// The words for it.
        package var words: String {
            switch self {
            case .network: "card network"
            case .tax: "tax"
            case .tip: "tender, tips"
            case .refund: "reason, refunds"
            case .staff: "staff"
            case .shop: "shop"
            case .hour: "hour"
            }
        }

        /// The table that is kept; `nil` for tips, which the lines have by tender.
        fileprivate var table: DayTable? {
            switch self {
            case .network: .network
            case .tax: .tax
            case .tip: nil
            case .refund: .refund
            case .staff: .staff
            case .shop: .shop
            case .hour: .hour
            }
        }
    }

    package var by: Kind
    package var currency: Currency
    package var rows: [(row: DayRow, sums: DaySums)]

    /// Returns a row's share of what the table divides: tips or refunds alone, or what is left of the captures.
    package func share(of sums: DaySums) -> Int64 {
        switch by {
        case .tip: sums.tips
        case .refund: sums.refunded
        case .network, .tax, .staff, .shop, .hour: sums.net
        }
    }
}

extension DayReport {
    /// The tables, those of the drawer's currency first; `nil` for a report of before tables were kept.
    package var breakdowns: [DayBreakdown]? {
        guard let parts = figures.parts else { return nil }
        let own = session.currency
        var found: [DayBreakdown] = []
        for currency in [own] + figures.currencies.filter({ $0 != own }) {
            let whole = figures.sum(of: currency)
            for kind in DayBreakdown.Kind.allCases {
                let rows = kind.table.map { parts.rows(of: $0, in: currency, of: whole) } ?? tips(in: currency)
                found.append(DayBreakdown(by: kind, currency: currency, rows: rows))
            }
        }
        return found
    }

    private func tips(in currency: Currency) -> [(row: DayRow, sums: DaySums)] {
        figures.sums(of: currency, by: { $0.tender }).filter { $0.sums.tips != 0 }
            .map { (row: DayRow.named($0.name), sums: DaySums(tips: $0.sums.tips)) }
    }
}

extension DayRow {
    /// The words for the row.
    package func words(of table: DayBreakdown.Kind) -> String {
        switch kind {
        case .named: table == .hour ? "\(name):00" : name
        case .noCard: "no card"
        case .net: "price without tax"
        case .tips: "tips"
        case .other: "other"
        case .notKnown: "not known"
        }
    }
}
