public import TillCore
public import TillJournal

/// Why the checkout did not do what it was asked.
public enum CheckoutError: ExplainedError {
    /// The payment's own rules refuse it.
    case refused(PaymentRefusal)
    /// There is no such payment, or it is another account's: the two are not distinguished.
    case unknownPayment(PaymentID)
    /// Its events cannot be read, or contradict each other: nothing is decided on them.
    case unreadablePayment(PaymentID, reason: String)
    /// Another payment has the order.
    case orderOccupied(OrderID, by: PaymentID, PaymentStatus)
    /// The shop says that the order, known by this number, was settled; nobody said that it is charged anyway.
    case settledInShop(order: String, OrderStanding)
    /// The journal was restored or set back, and what was sold since is not known yet: nothing is sold or given back.
    case restoring
    /// The order was paid, or may have been, by something that is in no payment of the journal.
    case orderHeld(OrderID)
    /// No provider of that name is configured.
    case unknownProvider(ProviderName, known: [ProviderName])
    /// The attempt is of another account of its provider than the one that is configured here.
    case otherAccount(OtherAccount)
    /// The provider's wire cannot express the amount, or does not take the currency.
    case amount(MoneyError)
    /// The journal did not accept the write.
    case journal(JournalError)
    /// The journal did not take, or may not have taken, the write with which a sale begins; so no provider was asked.
    case notBegun(JournalError)
    /// This process was stalled for longer than its lease: another one has taken over the payment, or the journal
    /// cannot say that none has. It asked no provider for the step.
    case takenOver(PaymentID)
    /// Others changed the payment too often at the same time.
    case tooManyConflicts(PaymentID)
    /// A provider was asked, and what it answered could not be recorded: the step may have moved money. It is
    /// looked up once the journal takes writes again and the call's lease (`CheckSchedule.answerLease`) is over.
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
        case .settledInShop: "order_settled_in_shop"
        case .restoring: "restoring"
        case .orderHeld: "order_held"
        case .unknownProvider: "unknown_provider"
        case .otherAccount: "other_provider_account"
        case .amount: "invalid_amount"
        case .journal(.queueFull): "queue_full"
        case .journal(.full): "disk_full"
        case .journal(.leaseLost), .notBegun(.leaseLost), .takenOver: "lease_lost"
        case .journal, .notBegun: "journal_unavailable"
        case .tooManyConflicts: "conflict"
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
        case .settledInShop(let order, let standing):
            "Order \(order) was not charged: the shop says \(standing.clause)."
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
        // It may have been asked for a read, too.
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

    /// What the journal refused, where one of the conditions of a sale was not met.
    init?(gate error: JournalError, order: OrderID) {
        guard case .recordConflict(let id, _) = error, let refusal = SaleGate.refusal(at: id) else { return nil }
        switch refusal {
        case .restoring: self = .restoring
        case .orderHeld: self = .orderHeld(order)
        }
    }

    /// Whether this step moved money.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .refused(let refusal): refusal.moneyMoved
        case .journal(.unavailable), .unwritten, .takenOver: .unknown
        default: .no
        }
    }

    /// What to do next.
    public var next: String {
        switch self {
        case .refused(let refusal): refusal.next
        case .unknownPayment: "Check the identifier."
        case .unreadablePayment:
            "Look it up at the provider, see what till journal verify says, and restore the journal from its copy or a "
                + "backup. Do not charge it again before that."
        case .orderOccupied(_, let payment, _): "Check payment \(payment) before you take another."
        case .settledInShop:
            "Check the order in the shop. To charge it anyway, use --even-if-paid, or accept_paid_order over HTTP."
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
