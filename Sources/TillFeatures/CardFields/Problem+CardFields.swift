import HTTPTypes
import TillCore
import TillWeb

extension Problem {
    /// The problem of a wrong session, or of one that is forgotten: whether its payment was made is not known here.
    static let cardSessionUnknown: Problem = {
        var problem = Problem(
            .notFound, "card_session_unknown", "There is no such session of card fields.",
            next: "Load the shop's page again.")
        problem.moneyMoved = .unknown
        return problem
    }()

    /// The problem of a card that the provider was not asked about.
    static let cardNotSent = Problem(
        .serviceUnavailable, "card_not_sent", "The card could not be charged at the moment. Nothing was charged.",
        next: "Try again.")

    /// The problem of a provider without card fields of its own.
    static func noCardFields(_ provider: ProviderName) -> Problem {
        Problem(
            .conflict, "no_card_fields", "The provider \(provider) of this counter has no card fields of its own here.",
            next: "Set what they need, such as Stripe's publishable key, or take the reference in another way.")
    }

    /// The problem of card fields for which the provider gives no key at the moment.
    static let cardFieldsUnavailable = Problem(
        .serviceUnavailable, "card_fields_unavailable",
        "The card fields cannot be shown at the moment. Nothing was charged.", next: "Try again."
    ).retrying()

    /// The problem of a counter whose provider takes no typed cards.
    static func noTypedCards(_ provider: ProviderName) -> Problem {
        Problem(
            .conflict, "no_typed_cards", "The provider \(provider) of this counter takes no typed cards.",
            next: "Offer another way to pay, or set a provider that takes card numbers.")
    }

    /// The problem of a session whose time is over.
    static let cardSessionOver = Problem(
        .gone, "card_session_over", "The time for typing the card is over. Nothing was charged for this card.",
        next: "Load the shop's page again.")

    /// The problem of a session in which the most cards were tried.
    static let cardSessionUsedUp = Problem(
        .tooManyRequests, "card_session_used_up", "Too many cards were tried here. Nothing was charged for this one.",
        next: "Pay in another way.")

    /// The problem of a session for a payment that no card can pay any more.
    static func cardFieldsTooLate(_ payment: Payment) -> Problem {
        var problem = Problem(
            .conflict, "payment_over", "Payment \(payment.id) is \(payment.status.rawValue): no card can pay it.",
            next: "Look at the payment. Create another one only if the customer is to pay again.")
        problem.moneyMoved = CustomerPaymentState(payment).moneyMoved
        return problem
    }
}
