import Synchronization
import TillCore

/// The lines that are being sent, and those that rest after an error of the journal, so that no message is sent again
/// and again while its outcome cannot be recorded.
final class WebhookPlaces: Sendable {
    private struct State {
        /// The lines that are being sent, with their accounts.
        var sending: [WebhookLine: AccountID] = [:]
        /// The lines that rest, with the end of the rest.
        var resting: [WebhookLine: Timestamp] = [:]
        /// The last error of each endpoint, so that each is reported once.
        var troubles: [String: String] = [:]
    }

    private let state = Mutex(State())

    /// Returns the number of an endpoint's lines that are not free: the most overdue ones may all be among them.
    func taken(by endpoint: WebhookEndpointID) -> Int {
        state.withLock { state in
            state.sending.keys.count { $0.endpoint == endpoint } + state.resting.keys.count { $0.endpoint == endpoint }
        }
    }

    /// Returns `false` for a line that is being sent or rests, and if there is no place.
    func enter(_ line: WebhookLine, of account: AccountID, at now: Timestamp) -> Bool {
        state.withLock { state in
            if let end = state.resting[line] {
                guard end <= now else { return false }
                state.resting[line] = nil
            }
            guard state.sending[line] == nil, state.sending.count < WebhookLimits.sendsInAll,
                state.sending.count(where: { $0.key.endpoint == line.endpoint }) < WebhookLimits.sendsPerEndpoint,
                state.sending.count(where: { $0.value == account }) < WebhookLimits.sendsPerAccount
            else { return false }
            state.sending[line] = account
            return true
        }
    }

    /// Frees a line's place.
    /// - Parameter end: the end of its rest; `nil` for one that may be sent at once.
    func leave(_ line: WebhookLine, restingUntil end: Timestamp? = nil) {
        state.withLock { state in
            state.sending[line] = nil
            guard let end, state.resting.count < WebhookLimits.restingLines else { return }
            state.resting[line] = end
        }
    }

    /// Notes an error; `nil` for its end.
    /// - Returns: `true` if it is news.
    func note(_ error: String?, of name: String) -> Bool {
        state.withLock { state in
            guard state.troubles[name] != error else { return false }
            guard error == nil || state.troubles.count < WebhookLimits.reportedTroubles else { return true }
            state.troubles[name] = error
            return error != nil
        }
    }
}
