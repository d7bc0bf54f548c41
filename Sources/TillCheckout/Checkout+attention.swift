package import TillCore
import TillJournal

extension Checkout {
    /// The most review items about differences from a shop that one payment has.
    package static let maximumShopItems = 20

    /// Raises a review item about a payment, unless the same was raised before, whether it is open or closed. Beyond
    /// ``maximumShopItems`` none is added: whoever reviews the payment sees the shop's newest state.
    package func raise(_ attention: Attention, about id: PaymentID, account: AccountID) async throws(CheckoutError) {
        for _ in 0..<Checkout.maximumConflicts {
            var payment = try await payment(id, account: account)
            let known = payment.attention.count { if case .shopDiffers = $0 { true } else { false } }
            guard !payment.attention.contains(attention), known < Checkout.maximumShopItems,
                let attempt = payment.attempts.last
            else { return }
            let isWritten = try await append(
                [.attentionRequired(.attempt(attempt.id), attention)], to: &payment, at: clock.now(),
                holder: payment.isInFlight ? .unchanged : .nobody)
            if isWritten { return }
        }
        throw .tooManyConflicts(id)
    }
}
