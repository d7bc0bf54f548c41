/// The status of an order in a shop; extensions add their own, which are kept as they are.
package enum ShopOrderStatus: Hashable, Sendable, CustomStringConvertible {
    case pending
    case onHold
    case processing
    case completed
    case cancelled
    case refunded
    case failed
    case trash
    case draft
    case checkoutDraft
    case other(String)

    private static let names: [(ShopOrderStatus, String)] = [
        (.pending, "pending"), (.onHold, "on-hold"), (.processing, "processing"), (.completed, "completed"),
        (.cancelled, "cancelled"), (.refunded, "refunded"), (.failed, "failed"), (.trash, "trash"), (.draft, "draft"),
        (.checkoutDraft, "checkout-draft"),
    ]

    package init(_ text: String) {
        self = ShopOrderStatus.names.first { $0.1 == text }?.0 ?? .other(text)
    }

    /// The shop's own word.
    package var text: String {
        if case .other(let text) = self { return text }
        return ShopOrderStatus.names.first { $0.0 == self }?.1 ?? ""
    }

    package var description: String { text }

    /// `true` for a status in which the shop waits for money or has given it up: an order that has it has no recorded
    /// payment, whatever its dates say.
    package var isWithoutPayment: Bool {
        switch self {
        case .pending, .onHold, .cancelled, .failed, .trash, .draft, .checkoutDraft: true
        case .processing, .completed, .refunded, .other: false
        }
    }
}
