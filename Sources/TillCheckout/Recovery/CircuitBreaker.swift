public import TillCore

/// A circuit breaker for recovery's calls to a provider, driven by the outcomes of its last calls. A value; its owner
/// supplies the time.
///
/// Only calls that ended without any answer count against a provider: any answer, even a decline, shows that it is up.
/// Sales are never blocked by it: a waiting customer gets the provider's answer or the deadline.
public struct CircuitBreaker: Hashable, Sendable {
    /// The state of the breaker.
    public enum State: Hashable, Sendable {
        /// Calls are made; this many consecutive calls had no answer.
        case closed(unanswered: Int)
        /// No calls are made before this time; then one is made as a probe.
        case open(nextProbe: Timestamp)
        /// A probe is under way, and no other calls are made meanwhile.
        case halfOpen(since: Timestamp)
    }

    /// The calls permitted now.
    public enum Permit: Hashable, Sendable {
        case call
        /// One call; its outcome decides.
        case probe
        case nothing
    }

    /// The number of consecutive unanswered calls that opens the breaker: as many as one lane has workers.
    public static let unansweredToOpen = 8
    /// The time for which the breaker stays open before the next probe.
    public static let probeInterval: Span = .seconds(30)
    /// The time after which an unanswered probe is repeated; longer than any call's deadline.
    public static let probeLifetime: Span = .minutes(2)

    public private(set) var state = State.closed(unanswered: 0)

    /// Creates a closed breaker.
    public init() {}

    /// `true` if every call is permitted.
    public var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Returns `true` if no call is permitted now.
    public func isBlocking(at now: Timestamp) -> Bool {
        var copy = self
        return copy.permit(at: now) == .nothing
    }

    /// Returns the calls permitted now; a permitted probe counts as under way.
    public mutating func permit(at now: Timestamp) -> Permit {
        switch state {
        case .closed: return .call
        case .open(let moment):
            // A clock that was set back must not keep it open for longer than its interval.
            guard now >= moment || moment.since(now) > CircuitBreaker.probeInterval else { return .nothing }
        case .halfOpen(let start):
            guard now < start || now.since(start) >= CircuitBreaker.probeLifetime else { return .nothing }
        }
        state = .halfOpen(since: now)
        return .probe
    }

    /// Makes the next call the probe, because the intended one may not have called the provider.
    public mutating func probeAskedNothing(at now: Timestamp) {
        if case .halfOpen = state { state = .open(nextProbe: now) }
    }

    /// Records that the provider answered.
    public mutating func answered() { state = .closed(unanswered: 0) }

    /// Records that a call ended without an answer.
    public mutating func unanswered(at now: Timestamp) {
        let probe = State.open(nextProbe: now.adding(CircuitBreaker.probeInterval))
        switch state {
        case .closed(let count):
            state = count + 1 >= CircuitBreaker.unansweredToOpen ? probe : .closed(unanswered: count + 1)
        case .halfOpen: state = probe
        case .open: break
        }
    }
}

extension ProviderAnswer {
    /// `true` if the answer shows that the provider is up; `nil` if it is no evidence, because nothing was sent.
    var isHeard: Bool? {
        switch self {
        case .approved, .declined, .requiresAction, .stored, .keyRejected: true
        case .unknown(.pending), .unknown(.keySpent), .unknown(.wrongAmount), .unknown(.wrongCurrency): true
        case .unknown(.unclear): false
        case .notSent: nil
        }
    }
}
