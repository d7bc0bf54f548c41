import HTTPTypes
import TillCore
import TillWeb

extension Problem {
    /// The problem of a counter whose provider takes no Apple Pay tokens.
    static let applePayOff = Problem(
        .conflict, "applepay_off", "The provider of this counter cannot take Apple Pay. Nothing was charged.",
        next: "Pay in another way.")

    /// The problem of a counter where neither pages nor apps can offer Apple Pay: a basket could be opened, and not
    /// paid.
    static let applePayNotOffered = Problem(
        .conflict, "applepay_off",
        "No page and no app can offer Apple Pay: the settings have a fault or no valid processing certificate, no "
            + "domain is on, or the provider does not take it. Nothing was opened or charged.",
        next: "Check the settings with till applepay doctor, and pay in another way until then.")

    /// The problem of a basket that cannot be paid any more, because the shop has closed it or canceled its payment, or
    /// because it has expired.
    static let basketClosed = Problem(
        .conflict, "basket_closed",
        "The basket was closed by the shop, its payment was canceled, or it has expired. Nothing was charged.",
        next: "Open a new basket for the order.")

    /// The problem of a basket on a domain with another currency.
    static func basketCurrency(_ id: String, _ currency: Currency, of domain: String, _ only: Currency) -> Problem {
        Problem(
            .conflict, "currency_mismatch",
            "The basket \(id) is in \(currency.code), and \(domain) sells in \(only.code). Nothing was charged.",
            next: "Open the basket in \(only.code), or show it on another domain.")
    }

    /// The problem of a guest's token that is wrong, or older than its time.
    static let guestTokenUnknown = Problem(
        .notFound, "guest_token_unknown", "There is no guest with this token, or it is older than an hour.",
        next: "Sign the customer in another way. The order is paid and is not affected.")

    /// The problem of a guest's identifier that is longer than any is.
    static let guestTooLong = Problem(
        .notFound, "not_found", "No guest has so long an identifier. Nothing was erased.",
        next: "Give the customer that the guest's token was redeemed for.")

    /// The problem of a replacement of a basket that no request of the shop's server opened.
    static func basketWithoutOrder(_ id: String) -> Problem {
        Problem(
            .conflict, "basket_without_order",
            "The basket \(id) was opened by the counter's own program and not for an order of this address. It is "
                + "unchanged.",
            next: "Open a basket for the order with POST /v1/applepay/baskets.")
    }

    /// The problem of a change to a basket whose payment has no outcome yet.
    static func basketInPayment(_ id: String) -> Problem {
        var problem = Problem(
            .conflict, "basket_in_payment",
            "The basket \(id) has a payment in progress, so it was neither changed nor closed.",
            next: "Get the basket until its state is paid or open.")
        problem.moneyMoved = .unknown
        return problem.retrying(after: 2)
    }

    /// The problem of a change to a paid basket.
    static func basketPaid(_ id: String, by payment: PaymentID?) -> Problem {
        let name = payment.map { " by payment \($0)" } ?? ""
        var problem = Problem(
            .conflict, "basket_paid", "The basket \(id) is paid\(name), so it was neither changed nor closed.",
            next: "Refund the payment to give the money back; open a basket for a new order to take more.")
        problem.moneyMoved = .yes
        return problem
    }

    /// The problem of a change to a basket whose payment was given back in full.
    static func basketRefunded(_ id: String, by payment: PaymentID?) -> Problem {
        let name = payment.map { " by payment \($0)" } ?? ""
        var problem = Problem(
            .conflict, "basket_refunded",
            "The basket \(id) was paid\(name), and all of it was refunded. It was neither changed nor closed.",
            next: "Open a new basket for the order with POST /v1/applepay/baskets to sell it again.")
        problem.moneyMoved = .yes
        return problem
    }

    /// The problem of a change that another request came before, on a basket that is open again.
    static func basketContended(_ id: String) -> Problem {
        Problem(
            .conflict, "conflict",
            "The basket \(id) was changed by others at the same time. This request changed nothing.",
            next: "Try again."
        ).retrying()
    }

    /// The problem of an order that has an open basket with other goods or terms.
    static func basketExists(_ id: String, of order: OrderID) -> Problem {
        Problem(
            .conflict, "basket_exists",
            "Order \(order) has the open basket \(id) with other content. It is unchanged, and nothing was charged.",
            next: "Replace it with PUT /v1/applepay/baskets/\(id), or close it with DELETE first.")
    }
}
