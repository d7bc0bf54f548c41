import HTTPTypes
public import TillCore

/// The session of a device at a counter: a token that ends soon, and that the client renews.
///
/// ```swift
/// let session = CounterSession(token: Secret("example-key"))
/// let counter = try CounterClient(address: CounterAddress("https://counter.example.com"), session: session)
/// for order in try await counter.orders(in: .open).orders { print(order.number, order.amount) }
/// if case .notRenewed(let error) = await session.standing { print(error.what, error.next) }
/// ```
///
/// The token is the key of `POST /v1/keys` with `valid_minutes` and `renewable_days`. It stays the same, so an app
/// stores it once, and an app that ends while it renews has lost nothing. Before a call is sent, the client renews a
/// session of which half of the lifetime is over, once for all concurrent calls: the others do not wait for it. A
/// renewal without an answer keeps no call back: ``standing`` has its error, and the call is sent once, as it would
/// have been without the renewal.
public actor CounterSession: CustomReflectable {
    /// The state of a session.
    public enum Standing: Hashable, Sendable {
        /// Not renewed in this process yet.
        case unknown
        /// Renewed; valid until then, by the clock of this device.
        case valid(until: Timestamp)
        /// The last renewal failed. Calls are sent with the token all the same, and another renewal is tried after
        /// ``CounterClientLimits/renewalPause``.
        case notRenewed(CounterError)
        /// The counter accepts the token no more: the session was revoked or is over. Calls are not sent; each asks
        /// for a renewal again first.
        case refused(CounterProblem)
    }

    /// The seconds of a session that are believed.
    private static let plausibleSeconds: ClosedRange<Int64> = 0...31_536_000

    /// The outcome of the last renewal.
    public private(set) var standing = Standing.unknown
    /// The token, which is sent to the counter only.
    nonisolated let token: Secret<String>
    private var isRenewing = false
    /// The start of the last renewal, and the earliest start of the next one; `nil` if it is due at once.
    private var pause: (from: Timestamp, until: Timestamp)?

    /// Creates a session from its token. Nothing is sent.
    public init(token: Secret<String>) { self.token = token }

    /// A mirror without children, as of any secret.
    public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Returns `true` to the one caller that is to renew the session now, and then calls ``end(_:from:limits:)``.
    fileprivate func begin(at now: Timestamp) -> Bool {
        // A clock that was set back ends the pause.
        let isPausing = pause.map { $0.from <= now && now < $0.until } ?? false
        guard !isRenewing, !isPausing else { return false }
        isRenewing = true
        return true
    }

    /// Takes the outcome of a renewal.
    /// - Returns: The state after it.
    fileprivate func end(
        _ outcome: Result<CounterAnswer, CounterError>, from start: Timestamp, limits: CounterClientLimits
    ) -> Standing {
        isRenewing = false
        switch outcome {
        case .success(let answer):
            // By the counter's clock: that of the device may be wrong.
            guard let seconds = answer.json["expires_in"]?.int64Value,
                CounterSession.plausibleSeconds.contains(seconds)
            else {
                standing = .notRenewed(
                    .notAnswered(.renewSession, reason: "its answer has no remaining time that can be read"))
                pause = (start, start.adding(limits.renewalPause))
                return standing
            }
            let half = Span.milliseconds(seconds * 500)
            standing = .valid(until: start.adding(.seconds(seconds)))
            pause = (start, start.adding(max(half, limits.renewalPause)))
        case .failure(.refused(let problem)) where problem.status == 401:
            standing = .refused(problem)
            pause = nil
        case .failure(let error):
            standing = .notRenewed(error)
            pause = (start, start.adding(limits.renewalPause))
        }
        return standing
    }
}

extension CounterClient {
    /// Renews the device's session if it is due, before a call is sent.
    /// - Throws: ``CounterError/refused(_:)`` if the counter accepts the session no more: the call was not sent.
    func renewIfDue() async throws(CounterError) {
        let start = clock.now()
        guard let session, await session.begin(at: start) else { return }
        let call = CounterCall(
            operation: .renewSession, method: .post, path: "/v1/keys/renew", body: .object([]),
            deadline: limits.renewal, tries: 1)
        let outcome: Result<CounterAnswer, CounterError>
        do throws(CounterError) { outcome = .success(try await exchange(call)) } catch { outcome = .failure(error) }
        if case .refused(let problem) = await session.end(outcome, from: start, limits: limits) {
            throw .refused(problem)
        }
    }
}
