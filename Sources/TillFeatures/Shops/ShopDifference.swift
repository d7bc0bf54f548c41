import TillCore
import TillShop

/// A difference between a shop and the counter that only a person can settle.
enum ShopDifference: ExplainedError, Hashable {
    /// The identifier names another order on the counter.
    case orderTaken(OrderID)
    /// The order has another total or currency in the shop than its payments ask for.
    case changed(order: OrderID, shop: Money, here: Money)
    /// The order has money here, and needs none in the shop.
    case notWaiting(order: OrderID, ShopOrderStatus, here: Money)
    /// The order was deleted in the shop.
    case deleted(order: OrderID)
    /// A refund of the shop is larger than what is left here.
    case refundTooLarge(Int64, order: OrderID, shop: Money, left: Money)
    /// A refund of the shop concerns cash.
    case refundByHand(Int64, order: OrderID, Money)
    /// Money was taken here after the shop had recorded the order's payment, as for a part that was given back.
    case paidAgain(order: OrderID)

    var code: String {
        switch self {
        case .orderTaken: "shop_order_taken"
        case .changed: "shop_order_changed"
        case .notWaiting: "shop_order_not_waiting"
        case .deleted: "shop_order_deleted"
        case .refundTooLarge: "shop_refund_too_large"
        case .refundByHand: "shop_refund_by_hand"
        case .paidAgain: "shop_order_paid_again"
        }
    }

    var what: String {
        switch self {
        case .orderTaken(let order): "Another order is booked as \(order), so the shop's order is not on the counter."
        case .changed(let order, let shop, let here):
            "Order \(order) was changed in the shop to \(shop), and \(here) are paid or asked for here."
        case .notWaiting(let order, let status, let here):
            "Order \(order) is \(status) in the shop, and \(here) are paid or asked for here."
        case .deleted(let order): "Order \(order) was deleted in the shop, and has money here."
        case .refundTooLarge(let number, let order, let shop, let left):
            "The shop refunded \(shop) of order \(order) (its refund \(number)), of which \(left) can be given back "
                + "here. Nothing was."
        case .refundByHand(let number, let order, let amount):
            "The shop refunded \(amount) of order \(order) (its refund \(number)), which was paid in cash. "
                + "No money moved."
        case .paidAgain(let order):
            "This payment of order \(order) came after the shop had recorded the order as paid. The shop does not "
                + "count it."
        }
    }

    var moneyMoved: MoneyMoved {
        switch self {
        case .paidAgain: .yes
        case .orderTaken, .changed, .notWaiting, .deleted, .refundTooLarge, .refundByHand: .no
        }
    }

    var next: String {
        switch self {
        case .orderTaken: "Connect the shop with a scope of its own."
        case .changed: "Take or refund the difference, or change the order in the shop."
        case .notWaiting: "Refund the payment, or correct the order in the shop."
        case .deleted: "Refund the payment, or restore the order in the shop."
        case .refundTooLarge: "Check what the customer got, and refund the rest here."
        case .refundByHand: "Give the customer the cash and refund the payment here."
        case .paidAgain: "Write it down in the shop, or refund the payment here."
        }
    }
}
