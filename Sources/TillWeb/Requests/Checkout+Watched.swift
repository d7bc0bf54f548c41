import TillCheckout
package import TillCore

extension Checkout {
    /// Schedules a query for a payment being viewed. If it awaits customer action or its outcome is unknown, the
    /// provider is queried in the background once that is due; the next view shows the result.
    package func watched(_ payment: Payment) {
        guard [.requiresAction, .unknown].contains(payment.status) else { return }
        Task { await Attribution.of(.watch) { try? await queryWhileWatched(payment.id) } }
    }
}
