public import TillCore

/// The reason why a sale cannot be paid in cash, decided before anything is recorded.
public enum CashRefusal: ExplainedError, Hashable {
    /// Cash is taken at once: it cannot be authorized and captured later.
    case heldForLater
    /// Less was handed over than is due, or another currency.
    case tenderedLess(Money, due: Money)

    public var code: String {
        switch self {
        case .heldForLater: "unsupported"
        case .tenderedLess: "invalid_amount"
        }
    }

    public var what: String {
        switch self {
        case .heldForLater: "Cash cannot be held for later."
        case .tenderedLess(let tendered, let due): "\(tendered) is less than the \(due) to pay."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .heldForLater: "Capture at once, or take a card."
        case .tenderedLess(_, let due): "Ask the customer for \(due) at least."
        }
    }
}

extension CashDrawer {
    /// Checks that a sale can be paid in cash.
    /// - Parameter tendered: The cash handed over; `nil` for the exact amount.
    public static func check(
        tendered: Money?, due: Money, captureMode: CaptureMode
    ) throws(CashRefusal) {
        guard captureMode == .automatic else { throw .heldForLater }
        guard let tendered else { return }
        guard tendered.currency == due.currency, tendered.minorUnits >= due.minorUnits else {
            throw .tenderedLess(tendered, due: due)
        }
    }
}
