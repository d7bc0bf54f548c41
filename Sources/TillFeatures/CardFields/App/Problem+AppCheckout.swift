import HTTPTypes
import TillCore
import TillWeb

extension Problem {
    /// The problem of a wrong session, or of one that is forgotten: whether its payment was made is not known here.
    static let appSessionUnknown: Problem = {
        var problem = Problem(
            .notFound, "app_session_unknown", "There is no such session of an app.",
            next: "Ask the shop's server how the payment stands. It opens another session.")
        problem.moneyMoved = .unknown
        return problem
    }()

    /// The problem of a reference that the provider was not asked about.
    static let tokenNotSent = Problem(
        .serviceUnavailable, "token_not_sent", "The card could not be charged at the moment. Nothing was charged.",
        next: "Try again.")

    /// The problem of a counter whose provider takes neither references of its own card fields nor PayPal accounts.
    static func noTokens(_ provider: ProviderName) -> Problem {
        Problem(
            .conflict, "no_tokens",
            "The provider \(provider) of this counter takes no references of card fields, and no PayPal accounts.",
            next: "Offer another way to pay, or set a provider that takes them.")
    }

    /// The problem of a session whose time is over, for a payment as it stands.
    static func appSessionOver(_ payment: Payment, _ sentence: String) -> Problem {
        Problem(
            .gone, "app_session_over", "The time of this session is over. \(sentence)",
            next: "Ask the shop's server for another session."
        ).moved(CustomerPaymentState(payment).moneyMoved)
    }

    /// The problem of a session in which the most references were tried.
    static func appSessionUsedUp(_ state: CustomerPaymentState) -> Problem {
        Problem(
            .tooManyRequests, "app_session_used_up", "Too many cards were tried here. This one was not charged.",
            next: "Pay in another way."
        ).moved(state.moneyMoved)
    }

    /// The problem of a session for a payment that no card can pay any more.
    static func appTooLate(_ payment: Payment) -> Problem {
        Problem(
            .conflict, "payment_over", "Payment \(payment.id) is \(payment.status.rawValue): no card can pay it.",
            next: "Look at the payment. Create another one only if the customer is to pay again."
        ).moved(CustomerPaymentState(payment).moneyMoved)
    }

    /// The problem of a receipt of a payment that is not paid, or not known to be.
    static func noReceiptYet(_ state: CustomerPaymentState) -> Problem {
        Problem(
            .conflict, "receipt_not_ready", "There is no receipt: the payment is \(state.name).",
            next: "Ask how the payment stands, and for the receipt once it is paid."
        ).moved(state.moneyMoved)
    }

    /// The problem of a press while another one decides the payment.
    static let otherPress = Problem(
        .conflict, "request_in_progress", "Another request decides this payment at the moment.",
        next: "Send it again with the same key in a moment."
    ).moved(.unknown).retrying()

    /// Returns a copy that says whether money moved.
    func moved(_ moneyMoved: MoneyMoved) -> Problem {
        var problem = self
        problem.moneyMoved = moneyMoved
        return problem
    }
}
