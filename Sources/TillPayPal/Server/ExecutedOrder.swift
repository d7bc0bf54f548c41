public import TillPayPalClient
import TillCore

/// An order with captured or held money. A declined card never produces one.
public struct ExecutedOrder: Hashable, Sendable {
    /// The state of the money.
    public enum Money: Hashable, Sendable {
        case paid(PaidOrder)
        /// Held: capture it later by authorization id, without the card.
        case held(OrderAuthorization)
    }

    /// The state of the money.
    public let money: Money
    /// The complete response from PayPal.
    public let response: OrderResponse

    public var orderID: PayPalOrderID { response.orderID }
    /// The intent.
    public var intent: OrderIntent? { response.intent }
    public var purchaseUnits: [PurchaseUnitResponse] { response.purchaseUnits }
    /// The progress of the order. Proof of payment is ``money``, not this status.
    public var status: OrderStatus { response.status }

    /// Derives the outcome of an order.
    /// - Throws: ``CardClientError`` for every outcome except paid and held.
    init(_ response: OrderResponse) throws(CardClientError) {
        self.response = response
        let order = response.orderID
        switch response.outcome {
        case .paid(let paid): money = .paid(paid)
        case .partlyPaid(let paid, let refused):
            throw .unexpected(
                "only \(paid.amount) of the order was paid; a part was declined (\(refused.code ?? "")), debug id "
                    + (refused.requestID ?? "none"), moneyMoved: .yes)
        case .held(let hold): money = .held(hold)
        case .declined(let decline): throw .declined(decline, order)
        case .pending(let reason): throw .pending(reason, order)
        case .payerAction(let action):
            guard let action else { throw .payerActionWithoutAddress(order) }
            throw .payerActionRequired(order, action)
        case .approved, .open: throw .unexpected("nothing was asked for", moneyMoved: .no)
        case .voided: throw .unexpected("the order is over", moneyMoved: .no)
        }
    }
}
