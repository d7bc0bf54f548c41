import TillCore

/// The state of a payment as the customer at the card fields, or in the shop's app, is told.
enum CustomerPaymentState: Hashable {
    /// No card was tried.
    case open
    /// The last card was declined; another one can be tried.
    case declined(DeclineReason)
    /// The bank asks the customer, at this address if it has one; or the provider's fields attach the card to this
    /// order, or take it in this session.
    case action(url: String?, order: String?, session: CustomerSession?)
    /// The outcome is not known yet.
    case pending
    case paid
    /// All of it was given back.
    case refunded
    /// The shop has canceled the payment, or it has expired.
    case closed

    init(_ payment: Payment) {
        // A hold that is being released is not paid, and not free either. What was captured stays so.
        let isBeingVoided = payment.cancelReason != nil || payment.currentAttempt?.void?.state.isOpen == true
        switch payment.status {
        case .requiresPaymentMethod: self = .open
        case .declined: self = CustomerPaymentState.declined(payment.attempts.last)
        case .requiresAction:
            // Nobody is sent to pay what is being canceled.
            if case .requiresAction(let action)? = payment.currentAttempt?.state, !action.isFinished, !isBeingVoided {
                self = .action(url: action.url, order: action.order, session: action.session)
            } else {
                self = .pending
            }
        case .processing, .unknown, .stored: self = .pending
        // A hold is what was asked for only if the shop captures by itself; otherwise its capture is still to come.
        case .requiresCapture: self = isBeingVoided || payment.captureMode == .automatic ? .pending : .paid
        case .succeeded, .partiallyCaptured, .partiallyRefunded: self = .paid
        case .refunded: self = .refunded
        case .canceled, .expired, .captureFailed: self = .closed
        }
    }

    private static func declined(_ attempt: Attempt?) -> CustomerPaymentState {
        if case .declined(let decline)? = attempt?.state { return .declined(decline.reason) }
        return .open
    }

    /// The name in the answer.
    var name: String {
        switch self {
        case .open: "open"
        case .declined: "declined"
        case .action: "action"
        case .pending: "pending"
        case .paid: "paid"
        case .refunded: "refunded"
        case .closed: "closed"
        }
    }

    var moneyMoved: MoneyMoved {
        switch self {
        case .open, .declined, .closed, .refunded: .no
        case .action, .pending: .unknown
        case .paid: .yes
        }
    }

    /// The sentence for the customer, if there is something to say.
    var sentence: String? {
        switch self {
        case .declined(let reason): reason.customerSentence
        case .closed: "This payment is closed. Nothing was charged."
        case .refunded: "This payment was given back in full."
        case .open, .action, .pending, .paid: nil
        }
    }

    /// The code of a decline, for whoever has words of its own for it. Reasons with the neutral sentence have one code,
    /// so that it says no more than ``sentence``.
    var declineReason: String? {
        guard case .declined(let reason) = self else { return nil }
        let neutral = DeclineReason.generic
        return reason.customerSentence == neutral.customerSentence ? neutral.rawValue : reason.rawValue
    }

    /// `true` if nothing can be paid any more.
    var isOver: Bool {
        switch self {
        case .open, .declined, .action, .pending: false
        case .paid, .refunded, .closed: true
        }
    }

    /// The answer about a payment in this state: nothing of it that a customer may not see.
    func members(of payment: Payment) -> [JSONMember] {
        let document = JSONValue.members([
            "status": .string(name), "money_moved": .string(moneyMoved.rawValue),
            "attempts": .number(String(payment.attempts.count)), "order_number": .string(payment.order.number),
            "amount": .number(String(payment.amount.minorUnits)), "currency": .string(payment.currency.code),
            "amount_text": .string("\(payment.amount)"), "message": sentence.map { .string($0) },
            "decline_reason": declineReason.map { .string($0) },
            "action_url": actionURL.map { .string($0) }, "order_id": orderID.map { .string($0) },
            "adyen_session": session.map { session in
                JSONValue.members([
                    "id": .string(session.id), "data": .string(session.data),
                    "ends_at": .string(session.endsAt.description),
                ])
            },
        ])
        return document.objectValue ?? []
    }

    /// The address of the bank's page.
    var actionURL: String? {
        if case .action(let url, _, _) = self { url } else { nil }
    }

    /// The prepared order to which the provider's fields attach the card.
    var orderID: String? {
        if case .action(_, let order, _) = self { order } else { nil }
    }

    /// The session in which the provider's components or SDK take the card.
    var session: CustomerSession? {
        if case .action(_, _, let session) = self { session } else { nil }
    }
}
