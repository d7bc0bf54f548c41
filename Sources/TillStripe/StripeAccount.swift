internal import Synchronization
internal import TillCore

/// Whose account a key of Stripe's opens: what is configured, or what Stripe said when it was asked.
///
/// Safe to be asked at any time and at once: it keeps the first answer for good, since a key never opens another
/// account.
final class StripeAccount: Sendable {
    /// How long Stripe may take to say it.
    static let deadline = Span.seconds(10)
    /// How long it is not asked again after it did not say it; a restricted key may not read its account.
    static let retryInterval = Span.minutes(1)
    /// The longest name of an account that is kept.
    static let maximumBytes = 64

    private struct State {
        var account: String?
        var asksAgain: Timestamp?
    }

    private let state: Mutex<State>

    init(configured: String?) { state = Mutex(State(account: configured)) }

    /// The account's name; `nil` while it is not known.
    func name(_ client: StripeClient, at now: Timestamp) async -> String? {
        let (known, isToAsk) = state.withLock { state in
            // A moment further ahead than that was planned by a clock that was wrong.
            let furthest = now.adding(StripeAccount.retryInterval)
            let isToAsk = state.account == nil && state.asksAgain.map { $0 <= now || $0 > furthest } ?? true
            if isToAsk { state.asksAgain = furthest }
            return (state.account, isToAsk)
        }
        guard isToAsk else { return known }
        guard case .answered(let document) = await client.send(.get("/v1/account"), within: StripeAccount.deadline),
            let name = document["id"]?.stringValue, StripeAccount.isUsable(name)
        else { return nil }
        state.withLock { $0.account = name }
        return name
    }

    /// `acct_` and letters and digits.
    static func isUsable(_ name: String) -> Bool {
        name.hasPrefix("acct_") && name.utf8.count <= maximumBytes
            && name.utf8.dropFirst(5).allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
            }
    }
}
