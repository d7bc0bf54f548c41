public import TillCore

/// The reason why a sale cannot be paid in cash, decided before anything is recorded.
public enum CashRefusal: ExplainedError, Hashable {
    /// Cash is taken at once: it cannot be authorized and captured later.
    case heldForLater
    /// Less was handed over than is due, or another currency.
    case tenderedLess(Money, due: Money)
    /// The tip is not above zero, in another currency, or makes more than ``CashDrawer/maximumTaken``.
    case tipNotTaken(Money, due: Money)

    public var code: String {
        switch self {
        case .heldForLater: "unsupported"
        case .tenderedLess, .tipNotTaken: "invalid_amount"
        }
    }

    public var what: String {
        switch self {
        case .heldForLater: "Cash cannot be held for later."
        case .tenderedLess(let tendered, let due): "\(tendered) is less than the \(due) to pay."
        case .tipNotTaken(let tip, let due): "A tip of \(tip) cannot be taken with \(due) in cash."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .heldForLater: "Capture at once, or take a card."
        case .tenderedLess(_, let due): "Ask the customer for \(due) at least."
        case .tipNotTaken: "Correct the tip, or take the amount without it."
        }
    }
}

extension CashDrawer {
    /// The most that is taken with a tip, in minor units: twelve digits, as of every amount in a request.
    public static let maximumTaken: Int64 = 999_999_999_999

    /// Checks that a sale can be paid in cash.
    /// - Parameters:
    ///   - tendered: The cash handed over; `nil` for the exact amount.
    ///   - tip: What the customer leaves beside the amount due; `nil` for none.
    public static func check(
        tendered: Money?, tip: Money? = nil, due: Money, captureMode: CaptureMode
    ) throws(CashRefusal) {
        guard captureMode == .automatic else { throw .heldForLater }
        let whole = try taken(for: due, with: tip)
        guard let tendered else { return }
        guard tendered.currency == whole.currency, tendered.minorUnits >= whole.minorUnits else {
            throw .tenderedLess(tendered, due: whole)
        }
    }

    /// Returns what is taken for an amount: with the tip, if there is one.
    static func taken(for due: Money, with tip: Money?) throws(CashRefusal) -> Money {
        guard let tip else { return due }
        guard tip.isPositive, let taken = due.adding(ifExact: tip), taken.minorUnits <= maximumTaken else {
            throw .tipNotTaken(tip, due: due)
        }
        return taken
    }
}
