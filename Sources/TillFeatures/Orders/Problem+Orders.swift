import HTTPTypes
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillWeb

extension Problem {
    static func orderExists(_ order: OrderID) -> Problem {
        Problem(
            .conflict, "order_exists", "Order \(order) is booked with other content. Nothing was changed.",
            next: "Replace it with PUT /v1/orders/\(order), or book it under another identifier.")
    }

    static func orderName(_ order: OrderID) -> Problem {
        .field("order_id", "An order named \(order) could not be read: its address has another meaning.")
    }

    static func orderSoldTooOften(_ order: OrderID) -> Problem {
        Problem(
            .conflict, "too_many_payments",
            "Order \(order) was sold before by more than \(OrderTab.maximumPayments) payments, the most that one order "
                + "takes, those that were canceled included. It was not booked.",
            next: "Book it under another identifier.")
    }

    static func orderOver(_ order: BookedOrder) -> Problem {
        Problem(
            .conflict, "order_over", "Order \(order.id) is \(order.state.rawValue). Nothing was changed.",
            next: "Open it again with POST /v1/orders/\(order.id)/reopen, or till orders reopen \(order.id).")
    }

    static func orderCurrency(_ order: BookedOrder) -> Problem {
        Problem(
            .conflict, "currency_mismatch",
            "Order \(order.id) has payments in \(order.content.order.currency.code). Nothing was changed.",
            next: "Cancel or refund them first.")
    }

    static func orderBelowPaid(_ order: BookedOrder, _ asked: Money, _ total: Money) -> Problem {
        Problem(
            .conflict, "order_below_paid",
            "The new total is \(total), and the payments of order \(order.id) have or ask for \(asked). Nothing was "
                + "changed.",
            next: "First cancel a payment, or refund what is too much; a part of a payment can be refunded, too.")
    }

    static func orderUnpaid(_ order: BookedOrder, _ balance: OrderBalance) -> Problem {
        Problem(
            .conflict, "order_unpaid",
            "\(balance.paid) of \(balance.total) are paid, so order \(order.id) was not marked as handed over.",
            next: "Take the rest, or hand it over unpaid with accept_unpaid, or --accept-unpaid.")
    }

    static func orderHasMoney(_ order: BookedOrder, _ live: Payment) -> Problem {
        var problem = Problem(
            .conflict, "order_has_a_payment",
            "Order \(order.id) was not canceled: payment \(live.id) is \(live.status.rawValue).",
            next: "Cancel or refund payment \(live.id) first.")
        problem.moneyMoved = live.moneyMoved
        return problem
    }

    static func orderUnreadable(_ entry: OrderBook.Entry) -> Problem {
        var name = ""
        if case .unreadable(let payment) = entry.money { name = " \(payment)" }
        var problem = Problem(
            .internalServerError, "payment_unreadable",
            "Payment\(name) of order \(entry.order.id) cannot be read. Nothing was changed.",
            next: "See what till journal verify says. Do not charge the order again before that.")
        problem.moneyMoved = .unknown
        return problem
    }
}
