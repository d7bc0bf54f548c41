import TillCore
import TillJournal

extension Payment {
    /// The columns of `till payments list`: identifier, time, tender, what was taken, status, order.
    var listed: [String] {
        let ordered = tip.flatMap { amount.adding(ifExact: $0) } ?? amount
        return [
            id.rawValue, PaymentColumns.time(createdAt), tender?.kind.rawValue ?? "-",
            PaymentColumns.taken(captured, of: ordered), standing, PaymentColumns.name(of: order.number),
        ]
    }

    /// The status; with what was given back if that is less than what was taken.
    private var standing: String {
        refunded.isPositive && refunded != captured
            ? "\(status.rawValue) \(refunded.decimalString)" : status.rawValue
    }
}

extension UnreadableRow {
    /// The columns of `till payments list`. What was taken is not known, nor by which tender.
    var listed: [String] {
        [
            id.rawValue, PaymentColumns.time(createdAt), "?", amount.map { "? of \($0)" } ?? "?", "unreadable",
            PaymentColumns.name(of: orderNumber),
        ]
    }
}

/// The texts of the columns of `till payments list`.
private enum PaymentColumns {
    /// The characters of a time up to its minute: `2026-11-21T09:30`.
    private static let minute = 16

    /// Returns a time in UTC, to the minute.
    static func time(_ moment: Timestamp) -> String { "\(moment.description.prefix(minute))Z" }

    /// Returns what was taken, beside what was ordered, tip included, where that differs.
    static func taken(_ captured: Money, of ordered: Money) -> String {
        captured == ordered ? captured.description : "\(captured.decimalString) of \(ordered)"
    }

    /// Returns the order's number; empty for a plain sale with a made-up name.
    static func name(of order: String) -> String { OrderID.isGenerated(order) ? "" : order }
}
