/// The status of an order, with those that an extension adds.
enum ShopOrderStatus: Hashable, Sendable {
    case pending
    case onHold
    case processing
    case completed
    case cancelled
    case refunded
    case failed
    case trash
    case draft
    case autoDraft
    case checkoutDraft
    case readyForPickup
    /// A status of an extension, as written.
    case other(String)

    private static let named: [(text: String, status: ShopOrderStatus)] = [
        ("pending", .pending), ("on-hold", .onHold), ("processing", .processing), ("completed", .completed),
        ("cancelled", .cancelled), ("refunded", .refunded), ("failed", .failed), ("trash", .trash), ("draft", .draft),
        ("auto-draft", .autoDraft), ("checkout-draft", .checkoutDraft), ("ready-for-pickup", .readyForPickup),
    ]

    init(_ text: String) {
        self = ShopOrderStatus.named.first { $0.text == text }?.status ?? .other(text)
    }

    var text: String {
        if case .other(let text) = self { return text }
        return ShopOrderStatus.named.first { $0.status == self }?.text ?? ""
    }

    /// `true` for a status that counts as paid, whoever has set it.
    var isPaid: Bool { self == .processing || self == .completed }

    /// `true` for a status in which an order above zero may be charged.
    var needsPayment: Bool { self == .pending || self == .failed }

    /// `true` for a status from which a payment completes the order.
    var takesPayment: Bool { self == .pending || self == .onHold || self == .failed || self == .cancelled }

    /// `true` for a status that a list without a filter leaves out.
    var isHidden: Bool { self == .trash || self == .autoDraft }

    /// `true` for a status that a request of the interface may set.
    var isSettable: Bool {
        switch self {
        case .trash, .draft, .other: false
        case .pending, .onHold, .processing, .completed, .cancelled, .refunded, .failed, .autoDraft, .checkoutDraft,
            .readyForPickup:
            true
        }
    }
}
