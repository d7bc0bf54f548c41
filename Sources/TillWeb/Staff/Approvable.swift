package import TillCore

/// What another staff member can approve on the spot.
package enum Approvable: Hashable, Sendable {
    case refund(ApprovableRefund)
    case discount(ApprovableDiscount)

    package func write(into writer: inout JSONWriter) {
        switch self {
        case .refund(let refund): refund.write(into: &writer)
        case .discount(let discount): discount.write(into: &writer)
        }
    }

    /// The noun for messages.
    var noun: String {
        switch self {
        case .refund: "refund"
        case .discount: "discount"
        }
    }

    /// The sentence that says that nothing was done.
    var nothingDone: String {
        switch self {
        case .refund: "Nothing was given back."
        case .discount: "Nothing was charged."
        }
    }

    /// The text for the log.
    var words: String {
        switch self {
        case .refund(let refund): "a refund of \(refund.payment)"
        case .discount(let discount): "a discount of \(discount.discount.amount)"
        }
    }
}
