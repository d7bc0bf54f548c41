public import TillPayPalClient
import TillCore

/// An order whose money was taken or is held. A declined card never makes one.
public struct ExecutedOrder: Hashable, Sendable {
    /// What became of the money.
    public enum Money: Hashable, Sendable {
        case paid(PaidOrder)
        /// Held: capture it later by the authorization's identifier, without the card.
        case held(OrderAuthorization)
    }

    /// What became of the money.
    public let money: Money
    /// All that PayPal reported.
    public let response: OrderResponse

    public var orderID: PayPalOrderID { response.orderID }
    /// What was to happen with the money.
    public var intent: OrderIntent? { response.intent }
    public var purchaseUnits: [PurchaseUnitResponse] { response.purchaseUnits }
    /// How far the order is. Whether it is paid says ``money``.
    public var status: OrderStatus { response.status }

    /// Reads an order's outcome.
    /// - Throws: ``CardClientError`` for every outcome but paid and held.
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
