public import TillCore

/// The end of a call that pays.
public enum CounterCheckoutOutcome: Hashable, Sendable {
    /// The order is paid.
    case paid(CounterCheckoutPayment)
    /// Nothing was charged; the customer may try another card.
    case declined(CounterCheckoutPayment)
    /// The counter refused the request, and says that nothing was charged for it.
    case refused(CounterProblem)
    /// Nothing can pay the payment any more: it was canceled, has expired, or was refunded.
    case over(CounterCheckoutPayment)
    /// The customer left the bank's page, and the bank has not said how it ended. It may still be paid.
    case givenUp(CounterCheckoutPayment)
    /// Nobody knows yet whether it is paid.
    case unknown(CounterCheckoutUnknown)

    public var moneyMoved: MoneyMoved {
        switch self {
        case .paid: .yes
        case .declined: .no
        case .refused(let problem): problem.moneyMoved
        case .over(let payment): payment.moneyMoved
        case .givenUp, .unknown: .unknown
        }
    }

    /// The outcome as a sentence for the customer.
    public var sentence: String {
        switch self {
        case .paid: "Thank you. Your payment is confirmed."
        case .declined(let payment): payment.message ?? "The payment was not made. Nothing was charged."
        case .refused(let problem): problem.what
        case .over(let payment): payment.message ?? "This payment is over."
        case .givenUp: "Your bank has not confirmed the payment yet."
        case .unknown(let unknown):
            switch unknown.error {
            case .notSent: "The shop cannot be reached, so it is not known whether you have paid."
            case .refused, .notAnswered, .unreadable, .mismatch, nil: "It is not known yet whether you have paid."
            }
        }
    }

    /// The recommended next step of the app.
    public var next: String {
        switch self {
        case .paid: "Show the receipt."
        case .declined: "Let the customer choose another card, or try this one again with the next press number."
        case .refused(let problem): problem.next
        case .over: "Ask the shop's server. Pay nothing here."
        case .givenUp, .unknown:
            "Ask how the payment stands with the same session, or pay again with the same token and press number, "
                + "which charges nothing twice. Do not pay in another way."
        }
    }
}

/// A payment without a known outcome.
public struct CounterCheckoutUnknown: Hashable, Sendable {
    /// The last failed exchange, if one failed.
    public let error: CounterCheckoutError?
    /// The payment as it was seen last, if it was.
    public let payment: CounterCheckoutPayment?

    public init(error: CounterCheckoutError?, payment: CounterCheckoutPayment?) {
        self.error = error
        self.payment = payment
    }
}
