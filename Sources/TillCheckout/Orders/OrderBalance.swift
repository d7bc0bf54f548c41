public import TillCore

/// The money of an order: the sums of the payments made for it.
public struct OrderBalance: Hashable, Sendable {
    /// The summary of an order's money.
    public enum Status: String, CaseIterable, Hashable, Sendable {
        /// Nothing was asked for.
        case unpaid
        /// A payment was begun, and nothing is captured yet.
        case pending
        /// A part was captured.
        case partlyPaid = "partly_paid"
        /// All was captured.
        case paid
        /// All that was captured was refunded.
        case refunded
    }

    /// The amount due for the whole order.
    public let total: Money
    /// The amount captured, tips excluded, by payments that were not refunded as a whole. Partial refunds do not reduce
    /// it: they make nothing due again.
    public let paid: Money
    /// The amount that unfinished payments ask for, have authorized, or may still take.
    public let reserved: Money
    /// The amount refunded, by all payments.
    public let refunded: Money
    /// The part of ``paid`` that was given back by partial refunds.
    public let returned: Money

    /// Adds up the payments of an order; those in another currency are left out.
    public init(total: Money, payments: some Sequence<Payment>) {
        let currency = total.currency
        var (paid, reserved, refunded, returned): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
        for payment in payments where payment.currency == currency {
            refunded &+= payment.refunded.minorUnits
            guard payment.isLive else { continue }
            let amount = payment.amount.minorUnits
            let captured = OrderBalance.capturedForGoods(payment)
            paid &+= captured
            returned &+= min(captured, payment.refunded.minorUnits)
            switch payment.status {
            case .refunded, .canceled, .expired: break
            // A further capture may follow, also after a refund of what was captured before.
            case .succeeded, .partiallyCaptured, .partiallyRefunded:
                let pending = payment.capturedOrPending.minorUnits - payment.captured.minorUnits
                reserved &+= min(max(payment.held.minorUnits, pending), max(0, amount - captured))
            case .requiresPaymentMethod, .declined, .requiresAction, .stored, .processing, .unknown, .requiresCapture,
                .captureFailed:
                reserved &+= max(0, amount - captured)
            }
        }
        self.total = total
        self.paid = Money(minorUnits: paid, currency: currency)
        self.reserved = Money(minorUnits: reserved, currency: currency)
        self.refunded = Money(minorUnits: refunded, currency: currency)
        self.returned = Money(minorUnits: returned, currency: currency)
    }

    /// Returns the captured amount without the tip, which is captured beyond the amount of the payment.
    private static func capturedForGoods(_ payment: Payment) -> Int64 {
        let (captured, amount) = (payment.captured.minorUnits, payment.amount.minorUnits)
        return captured <= amount ? captured : max(amount, captured - (payment.tip?.minorUnits ?? 0))
    }

    /// The amount that no payment asks for yet.
    public var open: Money { Money(minorUnits: max(0, difference), currency: total.currency) }
    /// The amount captured or asked for beyond the total, and not given back: a canceled payment that was captured
    /// after all, or a capture made elsewhere.
    public var excess: Money {
        Money(minorUnits: max(0, kept.minorUnits - total.minorUnits), currency: total.currency)
    }
    /// The amount that the payments have, or ask for, less what was given back: the least total of the order.
    public var kept: Money {
        Money(
            minorUnits: paid.minorUnits &+ reserved.minorUnits &- returned.minorUnits, currency: total.currency)
    }
    private var difference: Int64 { total.minorUnits - paid.minorUnits - reserved.minorUnits }

    /// The summary.
    public var status: Status {
        if paid.minorUnits >= total.minorUnits { return .paid }
        if paid.isPositive { return .partlyPaid }
        if reserved.isPositive { return .pending }
        return refunded.isPositive ? .refunded : .unpaid
    }
}
