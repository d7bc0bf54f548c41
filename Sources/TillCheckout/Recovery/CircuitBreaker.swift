public import TillCore

/// Whether recovery asks a provider, by how its last calls ended. A value; whoever keeps it says the time.
///
/// Only calls that ended without any answer count against a provider: whatever it answers, also a refusal, shows that
/// it is there. A sale is never held back by it: a customer who waits is answered by the provider or by the deadline.
public struct CircuitBreaker: Hashable, Sendable {
    /// What it stands at.
    public enum State: Hashable, Sendable {
        /// Calls are made; this many in a row had no answer.
        case closed(unanswered: Int)
        /// No calls are made before this moment; then one is, as a probe.
        case open(nextProbe: Timestamp)
        /// A probe is under way, and nothing else is asked meanwhile.
        case halfOpen(since: Timestamp)
    }

    /// What may be done now.
    public enum Permit: Hashable, Sendable {
        case call
        /// One call, whose end decides.
        case probe
        case nothing
    }

    /// After this many calls in a row without an answer it opens: as many as one lane has workers.
    public static let unansweredToOpen = 8
    /// How long it stays open before the next probe.
    public static let probeInterval: Span = .seconds(30)
    /// After so long a probe of which nothing was heard is made again; longer than any call's deadline.
    public static let probeLifetime: Span = .minutes(2)

    public private(set) var state = State.closed(unanswered: 0)

    /// A breaker that lets every call through.
    public init() {}

    /// Every call is made.
    public var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Nothing may be asked now.
    public func isBlocking(at now: Timestamp) -> Bool {
        var copy = self
        return copy.permit(at: now) == .nothing
    }

    /// What may be done now; a probe that is permitted counts as under way.
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

    /// What was to be the probe may have asked the provider nothing: the next call is the probe then.
    public mutating func probeAskedNothing(at now: Timestamp) {
        if case .halfOpen = state { state = .open(nextProbe: now) }
    }

    /// The provider has answered something.
    public mutating func answered() { state = .closed(unanswered: 0) }

    /// A call has ended without an answer.
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
    /// Whether it shows that the provider is there; `nil` where it says nothing about that: nothing was sent.
    var isHeard: Bool? {
        switch self {
        case .approved, .declined, .requiresAction, .stored, .keyRejected: true
        case .unknown(.pending), .unknown(.keySpent), .unknown(.wrongAmount), .unknown(.wrongCurrency): true
        case .unknown(.unclear): false
        case .notSent: nil
        }
    }
}
