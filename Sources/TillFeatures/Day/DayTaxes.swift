import Foundation
import TillCore

/// The taxes of an order, by which the money of its payments is divided. Each part of the money has the same share of
/// each tax, rounded so that the parts sum to the money, and those of all captures to the taxes of the order.
struct DayTaxes {
    private let shares: [(row: DayRow, units: Int64)]
    /// The order's value, in minor units: what is charged, and what gift cards pay.
    private let value: Int64

    /// - Returns: `nil` for an order that names no taxes, or none that add up.
    init?(_ order: Order) {
        guard !order.taxes.isEmpty else { return nil }
        var (named, sum): ([String: Int64], Int64) = ([:], 0)
        for tax in order.taxes {
            let units = tax.total.minorUnits
            guard units >= 0 else { return nil }
            named[tax.label] = (named[tax.label] ?? 0).limitedSum(units)
            sum = sum.limitedSum(units)
        }
        let all = order.taxTotal.minorUnits
        value = order.total.minorUnits.limitedSum(order.giftCardTotal.minorUnits)
        guard value > 0, value <= DayLimits.maximumDividedValue, all >= sum, value >= all else { return nil }
        var shares: [(row: DayRow, units: Int64)] = []
        for (label, units) in named.sorted(by: { $0.key < $1.key }) { shares.append((DayRow.named(label), units)) }
        shares.append((DayRow.notKnown, all - sum))
        shares.append((DayRow.net, value - all))
        self.shares = shares
    }

    /// Divides money of the order. What is more than its value is no part of the order.
    func divided(_ units: Int64) -> [(DayRow, Int64)] {
        let ofOrder = min(max(0, units), value)
        var (found, share, reached): ([(DayRow, Int64)], Int128, Int64) = ([], 0, 0)
        for (row, units) in shares {
            share += Int128(units)
            // Half up, of the sum up to here: the last one is the whole.
            let end = Int64(clamping: (2 * Int128(ofOrder) * share + Int128(value)) / (2 * Int128(value)))
            found.append((row, end.limitedDifference(reached)))
            reached = end
        }
        found.append((.notKnown, units.limitedDifference(ofOrder)))
        return found
    }
}

extension DayRow {
    /// Returns the row of a card's network, as the provider spells it; that of its brand if no network is reported.
    static func network(of attempt: Attempt?, _ origin: OperationOrigin) -> DayRow {
        guard let attempt else { return .notKnown }
        guard origin != .elsewhere, attempt.tender.kind != .cash, attempt.tender.kind != .payPal else { return .noCard }
        guard let card = attempt.tender.card else { return .notKnown }
        let name = (card.network ?? card.brand).lowercased()
        return name == "unknown" ? .notKnown : .named(name)
    }

    /// Returns the row of whoever an event is attributed to.
    static func person(_ by: Attribution?) -> DayRow {
        guard let actor = by?.actor, actor != .unattributed else { return .notKnown }
        return .named(actor.description, id: actor.id ?? "")
    }

    /// Returns the row of the shop whose scope an order's identifier begins with.
    static func shop(_ order: OrderID) -> DayRow {
        guard let end = order.rawValue.firstIndex(of: "/"), let scope = OrderScope(String(order.rawValue[..<end]))
        else { return .notKnown }
        return .named(scope.rawValue)
    }

    /// Returns the row of the hour of a moment on the shop's clock.
    static func hour(of moment: Timestamp, in zone: TimeZone) -> DayRow {
        let hour = DayClock(zone).secondOfDay(moment) / 3_600
        return .named(hour < 10 ? "0\(hour)" : "\(hour)")
    }
}
