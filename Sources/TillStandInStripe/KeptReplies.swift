import Synchronization
import TillCore

/// Responses stored under their idempotency keys, for objects that the ledger does not hold. In memory only; the oldest
/// is dropped first.
final class KeptReplies: Sendable {
    /// The maximum number of remembered responses.
    static let maximum = 100_000

    private struct Reply {
        var fingerprint: String
        var kept: String
        var at: Timestamp
    }

    private struct State {
        var replies: [String: Reply] = [:]
        var order: [String] = []
        var oldest = 0
    }

    private let state = Mutex(State())

    /// Returns the stored response of a request's key, or the refusal of a key that was used for another request.
    /// Returns `nil` for a request without a key, and for a key that is new or older than `window`.
    func answer(to request: SandboxStripe.Request, at now: Timestamp, window: Span) -> StripeAnswer? {
        guard let place = KeptReplies.place(of: request), let known = state.withLock({ $0.replies[place] }),
            now.since(known.at) < window
        else { return nil }
        guard known.fingerprint == KeptReplies.fingerprint(request), let answer = StripeAnswer(kept: known.kept) else {
            return .error(
                400, "idempotency_error",
                "Keys for idempotent requests can only be used with the same parameters they were first used with.")
        }
        return answer
    }

    /// Stores the response of a request that has a key.
    func keep(_ answer: StripeAnswer, to request: SandboxStripe.Request, at now: Timestamp) {
        guard let place = KeptReplies.place(of: request) else { return }
        let reply = Reply(fingerprint: KeptReplies.fingerprint(request), kept: answer.kept, at: now)
        state.withLock { state in
            guard state.replies.updateValue(reply, forKey: place) == nil else { return }
            if state.order.count < KeptReplies.maximum {
                state.order.append(place)
            } else {
                state.replies[state.order[state.oldest]] = nil
                state.order[state.oldest] = place
                state.oldest = (state.oldest + 1) % KeptReplies.maximum
            }
        }
    }

    /// An idempotency key is scoped to its account.
    private static func place(of request: SandboxStripe.Request) -> String? {
        guard request.method == "POST", let key = request.key else { return nil }
        return "\(SandboxTerminal.owner(request.authorization)) \(key)"
    }

    private static func fingerprint(_ request: SandboxStripe.Request) -> String {
        "/\(request.path.joined(separator: "/")) \(request.form.fingerprint)"
    }
}
