public import TillCore

/// The rule for an order that another payment already occupies. A payment "of the same sale" has the same amount,
/// discount and capture mode.
public enum OccupiedOrderPolicy: Sendable, CaseIterable {
    /// At the command line: an unpaid payment of the same sale is continued, another unpaid one is canceled and
    /// replaced. Anything else is refused.
    case replaceUnpaid
    /// At a reader: a payment of the same sale is continued, paid or not, so that a repeated request finds it. Anything
    /// else is refused.
    case continueSameSale
    /// With a wallet: the occupying payment is returned, since its sheet must learn how it ended; only an unpaid one of
    /// another order content is canceled and replaced.
    case continueOrReplaceUnpaid
}

extension Checkout {
    /// Creates a payment for an order, or continues the payment that already occupies it.
    ///
    /// ```swift
    /// let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
    /// let payment = try await checkout.open(draft, whenOccupied: .replaceUnpaid)
    /// ```
    ///
    /// - Returns: The payment, and `true` if it was created by this call.
    /// - Throws: ``CheckoutError/orderOccupied(_:by:_:)`` if the policy refuses the occupying payment; no money moved.
    public func open(
        _ draft: PaymentDraft, whenOccupied policy: OccupiedOrderPolicy
    ) async throws(CheckoutError) -> (payment: Payment, isNew: Bool) {
        let refusal: CheckoutError
        do throws(CheckoutError) { return (try await create(draft), true) } catch { refusal = error }
        guard case .orderOccupied(_, let id, _) = refusal else { throw refusal }
        let wanted = draft.payment
        let occupant = try await payment(id, account: wanted.account)
        // A part of the order is another sale, whatever its amount.
        guard occupant.order.id == wanted.order.id, occupant.order.part == nil else { throw refusal }
        let isUnpaid = occupant.status == .requiresPaymentMethod || occupant.status == .declined
        let isSameSale =
            occupant.amount == wanted.amount && occupant.captureMode == wanted.captureMode
            && occupant.discount == wanted.discount
        switch policy {
        case .replaceUnpaid:
            guard isUnpaid else { throw refusal }
            if isSameSale { return (occupant, false) }
        case .continueSameSale:
            guard isSameSale else { throw refusal }
            return (occupant, false)
        case .continueOrReplaceUnpaid:
            guard isUnpaid, occupant.order != wanted.order else { return (occupant, false) }
        }
        _ = try await cancel(id, account: wanted.account, reason: "replaced")
        return (try await create(draft), true)
    }
}
