internal import Synchronization
internal import TillCore

/// The account of a Stripe key: as configured, or as returned by Stripe.
///
/// Safe for concurrent use. The first answer is kept permanently, since a key never changes its account.
final class StripeAccount: Sendable {
    /// The time limit for Stripe's response.
    static let deadline = Span.seconds(10)
    /// The interval between attempts after a failed one; a restricted key may not read its account.
    static let retryInterval = Span.minutes(1)
    /// The maximum length of an account name, in bytes.
    static let maximumBytes = 64

    private struct State {
        var account: String?
        var asksAgain: Timestamp?
    }

    private let state: Mutex<State>

    init(configured: String?) { state = Mutex(State(account: configured)) }

    /// Returns the account's name; `nil` while it is unknown.
    func name(_ client: StripeClient, at now: Timestamp) async -> String? {
        let (known, isToAsk) = state.withLock { state in
            // A later time was set while the clock was wrong.
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

    /// Returns `true` for `acct_` followed by letters, digits and underscores.
    static func isUsable(_ name: String) -> Bool {
        name.hasPrefix("acct_") && name.utf8.count <= maximumBytes
            && name.utf8.dropFirst(5).allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
            }
    }
}
