import Synchronization
import TillCore
import TillCounter

/// The provider's refusals to take this shop's tokens, whatever the card.
///
/// Kept in memory until a sale: a counter that starts knows of none before the next.
final class HandoverRefusals: Sendable {
    private struct Standing {
        var since: Timestamp
        /// The provider's code, if it gave one.
        var code: String?
    }

    private let standing = Mutex<Standing?>(nil)

    /// Records a payment's end: a refusal stands until a later payment holds or has moved money.
    func ended(_ payment: Payment, isPaid: Bool, at now: Timestamp) {
        if let decline = HandoverRefusals.refusal(of: payment) {
            standing.withLock { $0 = $0 ?? Standing(since: now, code: decline.code) }
        } else if isPaid {
            standing.withLock { $0 = nil }
        }
    }

    /// Returns the decline of a payment whose provider did not take the token at all; `nil` for any other payment.
    static func refusal(of payment: Payment) -> Decline? {
        guard case .declined(let decline)? = payment.attempts.last?.state, decline.reason == .notEnabled else {
            return nil
        }
        return decline
    }

    /// The notice for staff; `nil` if no refusal stands.
    func notice(of provider: ProviderName) -> SetupNotice? {
        guard let current = standing.withLock({ $0 }) else { return nil }
        let code = current.code.map { " (\($0))" } ?? ""
        return SetupNotice(
            "provider_refuses", of: "Apple Pay", since: current.since,
            "\(provider) refused a token of Apple Pay, not the card: its account is not open for such tokens\(code). "
                + "Customers are told that this shop cannot take Apple Pay now, and nothing is charged.",
            next: "Ask the provider to open the account for them, or choose another \"tokens\" in the settings. The "
                + "next sale with Apple Pay ends this notice.")
    }
}
