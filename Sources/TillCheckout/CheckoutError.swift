public import TillCore
public import TillJournal

/// An error of the checkout: the reason for which a request was not carried out.
public enum CheckoutError: ExplainedError {
    /// The payment's own rules refuse the command.
    case refused(PaymentRefusal)
    /// The payment does not exist or belongs to another account; the two are not distinguished.
    case unknownPayment(PaymentID)
    /// The payment's events are unreadable or contradictory: nothing is decided on them.
    case unreadablePayment(PaymentID, reason: String)
    /// Another payment occupies the order.
    case orderOccupied(OrderID, by: PaymentID, PaymentStatus)
    /// No order of that identifier has a tab.
    case unknownOrder(OrderID)
    /// The order was canceled: no payment is made for it.
    case orderCanceled(OrderID)
    /// The payment asks for more than is open, or for another amount than the order's.
    case orderAmount(OrderID, asked: Money, open: Money)
    /// The order has the most payments that are kept for one.
    case tooManyPayments(OrderID)
    /// The order or its payments changed at the same time.
    case orderChanged(OrderID)
    /// The shop reports the order of this number as settled, and no override was given.
    case settledInShop(order: String, OrderStanding)
    /// The payment's discount is refused.
    case discount(DiscountError)
    /// The journal was restored or set back, and sales since then are not yet known: no sales and no refunds are made.
    case restoring
    /// The order was paid, or may have been paid, by a charge that belongs to no payment in the journal.
    case orderHeld(OrderID)
    /// No provider of that name is configured.
    case unknownProvider(ProviderName, known: [ProviderName])
    /// The attempt was made in another account of its provider than the configured one.
    case otherAccount(OtherAccount)
    /// The provider's wire format cannot express the amount, or the provider does not support the currency.
    case amount(MoneyError)
    /// The journal did not accept the write.
    case journal(JournalError)
    /// The journal did not accept, or may not have accepted, the write that begins a sale, so no provider was called.
    case notBegun(JournalError)
    /// This process stalled for longer than its lease: another process has taken over the payment, or the journal
    /// cannot rule that out. The step was not sent to a provider.
    case takenOver(PaymentID)
    /// Concurrent writers changed the payment too often.
    case tooManyConflicts(PaymentID)
    /// A provider was called, and its answer could not be recorded: the step may have moved money. It is queried once
    /// the journal accepts writes again and the call's lease (`CheckSchedule.answerLease`) has ended.
    indirect case unwritten(PaymentID, because: CheckoutError)

    public var code: String {
        switch self {
        case .unwritten(_, let reason): reason.code
        case .refused(let refusal): refusal.code
        case .unknownPayment: "payment_not_found"
        case .unreadablePayment: "payment_unreadable"
        case .orderOccupied(_, _, let status):
            switch status {
            case .succeeded, .partiallyRefunded, .partiallyCaptured: "order_already_paid"
            default: "order_has_a_payment"
            }
        case .unknownOrder: "order_not_found"
        case .orderCanceled: "order_canceled"
        case .orderAmount: "order_amount_differs"
        case .tooManyPayments: "too_many_payments"
        case .settledInShop: "order_settled_in_shop"
        case .discount(let error): error.code
        case .restoring: "restoring"
        case .orderHeld: "order_held"
        case .unknownProvider: "unknown_provider"
        case .otherAccount: "other_provider_account"
        case .amount: "invalid_amount"
        case .journal(.queueFull): "queue_full"
        case .journal(.full): "disk_full"
        case .journal(.leaseLost), .notBegun(.leaseLost), .takenOver: "lease_lost"
        case .journal, .notBegun: "journal_unavailable"
        case .tooManyConflicts, .orderChanged: "conflict"
        }
    }

    public var what: String {
        switch self {
        case .refused(let refusal): refusal.what
        case .unknownPayment(let id): "There is no payment \(id)."
        case .unreadablePayment(let id, let reason):
            "Payment \(id) is there, and its events cannot be read (\(reason)). Nothing was done, and no provider was "
                + "asked."
        case .orderOccupied(let order, let payment, let status):
            switch status {
            case .succeeded, .partiallyRefunded, .partiallyCaptured:
                "Order \(order) is already paid by payment \(payment)."
            default: "Order \(order) already has payment \(payment) with the status \(status.rawValue)."
            }
        case .unknownOrder(let order): "There is no order \(order)."
        case .orderCanceled(let order): "Order \(order) was canceled, and nothing was charged."
        case .orderAmount(let order, let asked, let open):
            "\(asked) were asked for, and \(open) of order \(order) are open. Nothing was charged."
        case .tooManyPayments(let order):
            "Order \(order) has \(OrderTab.maximumPayments) payments, the most that one order takes. Nothing was "
                + "charged."
        case .orderChanged(let order): "Order \(order) was changed at the same time. Nothing was charged."
        case .settledInShop(let order, let standing):
            "Order \(order) was not charged: the shop says \(standing.clause)."
        case .discount(let error): error.what
        case .restoring:
            "Nothing was charged or refunded: the journal was restored from a backup or set back, and what was sold "
                + "since then is not known yet."
        case .orderHeld(let order):
            "Order \(order) was not charged: a provider has a charge for it that no payment of this journal accounts "
                + "for."
        case .unknownProvider(let name, let known):
            "There is no provider \(name) here; there are \(known.map(\.rawValue).sorted().joined(separator: ", "))."
        case .otherAccount(let other): other.sentence
        case .amount(let error): error.description
        // The journal may have been unavailable for a read, too.
        case .journal(.unavailable(let reason)): "\(JournalError.unavailable(reason))"
        case .journal(let error): "The journal did not accept the write: \(error)"
        case .notBegun(let error):
            "No provider was asked, and no money moved. The journal did not accept the write: \(error)"
        case .takenOver(let id):
            "This process was stalled, and another one may have taken over payment \(id). This one asked no provider."
        case .tooManyConflicts(let id): "Payment \(id) was changed by others too often at the same time."
        case .unwritten(let id, let reason):
            "The provider was asked for payment \(id), and the result is not recorded. \(reason.what)"
        }
    }

    /// Maps the journal's refusal of a sale condition; `nil` for any other error.
    init?(gate error: JournalError, order: OrderID) {
        guard case .recordConflict(let id, _) = error, let refusal = SaleGate.refusal(at: id) else { return nil }
        switch refusal {
        case .restoring: self = .restoring
        case .orderHeld: self = .orderHeld(order)
        }
    }

    /// Indicates whether the failed step moved money.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .refused(let refusal): refusal.moneyMoved
        case .journal(.unavailable), .unwritten, .takenOver: .unknown
        default: .no
        }
    }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .refused(let refusal): refusal.next
        case .unknownPayment: "Check the identifier."
        case .unreadablePayment:
            "Look it up at the provider, see what till journal verify says, and restore the journal from its copy or a "
                + "backup. Do not charge it again before that."
        case .orderOccupied(_, let payment, _): "Check payment \(payment) before you take another."
        case .unknownOrder: "Check the identifier."
        case .orderCanceled: "Open the order again before it is paid."
        case .orderAmount:
            "Take what is open, or a part of it, with the payments of the order; or change the order first."
        case .tooManyPayments: "Take the rest as another order."
        case .orderChanged: "Try again."
        case .settledInShop:
            "Check the order in the shop. To charge it anyway, use --even-if-paid, or accept_paid_order over HTTP."
        case .discount(let error): error.next
        case .restoring: "See till restore --sweep for its progress and for what a person has to do."
        case .orderHeld: "Look it up with till journal incidents, and resolve it there."
        case .unknownProvider: "Choose a configured provider."
        case .otherAccount(let other): other.next
        case .amount: "Correct the amount or choose another provider."
        case .journal(.full): "Make space on the journal's disk, then try again with the same key."
        case .takenOver(let id): "Check payment \(id) before you try again, and try with the same key."
        case .journal, .notBegun: "Try again with the same key; nothing is done twice."
        case .tooManyConflicts: "Try again."
        case .unwritten(let id, _): "Check payment \(id) before you try again, and try with the same key."
        }
    }
}
