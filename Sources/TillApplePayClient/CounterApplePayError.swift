public import TillApplePay
public import TillCore

/// The reason that a sheet cannot be shown, or that a change was not made.
public enum CounterApplePayError: ExplainedError, Hashable {
    /// The counter was not reached, or did not answer.
    case notAnswered(reason: String)
    /// The counter has no such basket.
    case notFound(String)
    /// The basket was closed by the shop, or has expired.
    case closed(String)
    /// The basket is paid.
    case paid(PlacedOrder)
    /// The basket's payment has no known outcome yet.
    case pending(String)
    /// The shop has changed the basket since it was loaded.
    case changed(String)
    /// The counter refused, with its code and words.
    case refused(code: String, what: String, moneyMoved: MoneyMoved, next: String)
    /// The answer has another form than a counter's.
    case unreadable

    public var code: String {
        switch self {
        case .notAnswered: "counter_not_answered"
        case .notFound: "basket_not_found"
        case .closed: "basket_closed"
        case .paid: "basket_paid"
        case .pending: "basket_in_payment"
        case .changed: "basket_changed"
        case .refused(let code, _, _, _): code
        case .unreadable: "answer_unreadable"
        }
    }

    public var what: String {
        switch self {
        case .notAnswered(let reason): "The counter did not answer: \(reason)."
        case .notFound(let id): "The counter has no basket \(id)."
        case .closed(let id): "The basket \(id) was closed, or has expired."
        case .paid(let order): "Order \(order.id) is paid: \(order.amount)."
        case .pending(let id): "The basket \(id) has a payment whose outcome is not known yet."
        case .changed(let id): "The basket \(id) was changed since it was loaded."
        case .refused(_, let what, _, _): what
        case .unreadable: "The counter's answer cannot be read."
        }
    }

    public var moneyMoved: MoneyMoved {
        switch self {
        case .closed, .changed: .no
        case .refused(_, _, let moved, _): moved
        case .paid: .yes
        // Nobody has said how an earlier payment of the basket stands.
        case .notAnswered, .notFound, .unreadable, .pending: .unknown
        }
    }

    public var next: String {
        switch self {
        case .notAnswered: "Check the network and try again with the same basket."
        case .notFound: "Have the shop look the order up, and check the address of the counter."
        case .closed: "Have the shop's server open a new basket."
        case .changed: "Load the basket again and show its new price."
        case .paid: "Show the order. Do not pay again."
        case .pending: "Query its outcome. Do not pay again."
        case .refused(_, _, _, let next): next
        case .unreadable: "Check the address of the counter."
        }
    }

    /// The sentence that a sheet shows.
    var sentenceForCustomers: String {
        switch self {
        case .notAnswered, .unreadable: "The shop cannot be reached. Please try again."
        case .closed: "This basket is closed. Nothing was charged."
        case .notFound: "The shop does not know this basket."
        case .paid: "This order is paid already."
        case .pending: "This order is being paid, or is paid."
        case .changed: "Your basket changed. Please check it and pay again."
        case .refused: "The shop cannot take this choice."
        }
    }
}
