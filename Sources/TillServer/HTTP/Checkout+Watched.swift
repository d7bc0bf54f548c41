import TillCheckout
import TillCore

extension Checkout {
    /// Somebody sees this payment now. If its customer has something to do, or nobody knows how it ended, the provider
    /// is asked aside, when it is time for that; whoever sees the payment next sees what came of it.
    func watched(_ payment: Payment) {
        guard [.requiresAction, .unknown].contains(payment.status) else { return }
        Task { await Attribution.of(.watch) { try? await queryWhileWatched(payment.id) } }
    }
}
