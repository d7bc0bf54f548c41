package import TillCore

/// The current permissions of a staff member, according to their role.
package struct StaffGrant: Hashable, Sendable {
    package let id: StaffID
    package let name: String
    package let role: StaffRole

    /// The route scopes that the role opens.
    package var scopes: Set<APIScope> { role.scopes }

    /// The actor for the audit log.
    package var actor: Actor { .staff(id, name: name) }

    /// Returns the maximum total refund of one payment; `nil` for no limit.
    package func refundLimit(in currency: Currency) -> Money? {
        guard !role.permissions.contains(.refundFreely) else { return nil }
        return Money(minorUnits: role.refundLimits[currency] ?? 0, currency: currency)
    }

    /// Returns `true` if the refund, together with earlier refunds of the payment, is within the limit. Cumulative, so
    /// that repeated refunds cannot exceed it.
    package func covers(refundOf amount: Money, of payment: Payment) -> Bool {
        guard role.permissions.contains(.refund) else { return false }
        return refundLimit(in: amount.currency).map { payment.isWithin($0, refunding: amount) } ?? true
    }

    /// Returns the maximum discount on one payment, zero without ``StaffPermission/discount``; `nil` for no limit.
    package func discountLimit(in currency: Currency) -> Money? {
        guard role.permissions.contains(.discount) else { return Money.zero(currency) }
        guard !role.permissions.contains(.discountFreely) else { return nil }
        return Money(minorUnits: role.discountLimits[currency] ?? 0, currency: currency)
    }

    /// Returns `true` if the discount is within the limit. A payment has one discount, given when it is created.
    package func covers(_ discount: Discount) -> Bool {
        guard let limit = discountLimit(in: discount.amount.currency) else { return true }
        return discount.amount.minorUnits <= limit.minorUnits
    }
}
