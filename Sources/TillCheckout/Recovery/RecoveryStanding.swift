public import TillCore

/// A snapshot of the state of recovery, for readiness checks, metrics and operators.
public struct RecoveryStanding: Hashable, Sendable {
    /// The state of the loop that serves all lanes. A lane that waits for its provider does not delay it.
    public enum Loop: Hashable, Sendable {
        /// The loop does not run in this process.
        case notRunning
        /// The loop runs. `lastRound` is the time of the last completed round, or of the start if there was none, and
        /// `reading` the monotonic clock's value at that time.
        case running(lastRound: Timestamp, reading: Span)
    }

    /// The work queued for one provider.
    public struct Lane: Hashable, Sendable {
        /// The provider; `nil` for payments without one.
        public var provider: ProviderName?
        public var breaker: CircuitBreaker.State
        /// The number of payments waiting for a worker.
        public var waiting: Int
        /// The number of payments being processed.
        public var working: Int
        /// The number of payments processed since the process started.
        public var handled: Int
    }

    public var loop: Loop
    /// The lanes, sorted by provider name.
    public var lanes: [Lane]
    public var setAside: [SetAsidePayment]
    /// The number of rounds completed since the process started.
    public var rounds: Int
    /// The number of rounds and payments that failed since the process started.
    public var failures: Int

    /// The payments that need an operator's action.
    public var quarantined: [SetAsidePayment] { setAside.filter { $0.reason.isQuarantine } }

    /// Returns the time since the last completed round if it exceeds ``Checkout/missedRounds`` intervals; `nil` if it
    /// does not, or if the loop does not run in this process.
    /// - Parameter reading: The value of `SystemClock.reading()`, which must show the same delay, so that setting the
    ///   wall clock is not reported as a stall; `nil` relies on `now` alone.
    public func overdue(at now: Timestamp, reading: Span? = nil) -> Span? {
        guard case .running(let last, let before) = loop else { return nil }
        var silence = now.since(last)
        if let reading { silence = min(silence, .milliseconds(reading.milliseconds - before.milliseconds)) }
        let allowed = Checkout.recoveryInterval.milliseconds * Int64(Checkout.missedRounds)
        return silence.milliseconds > allowed ? silence : nil
    }
}

/// A recovery event for the log.
public enum RecoveryNotice: Hashable, Sendable {
    /// A round failed. Reported once until the failure changes.
    case roundFailed(String)
    /// Rounds succeed again.
    case roundsGoOn
    /// Processing a payment failed.
    case paymentFailed(PaymentID, String)
    /// A payment is skipped for a while.
    case setAside(SetAsidePayment)
    /// A payment that was set aside is processed again.
    case released(PaymentID)
    /// A provider does not answer: it only gets probes until it does.
    case providerSilent(ProviderName)
    /// A silent provider answers again.
    case providerAnswers(ProviderName)

    /// `true` if an operator should investigate.
    public var isTrouble: Bool {
        switch self {
        case .roundFailed, .paymentFailed, .providerSilent: true
        case .setAside(let payment): payment.reason.isQuarantine
        case .roundsGoOn, .released, .providerAnswers: false
        }
    }
}

extension RecoveryNotice: CustomStringConvertible {
    public var description: String {
        switch self {
        case .roundFailed(let error): "Recovery could not be made: \(error)"
        case .roundsGoOn: "Recovery continues."
        case .paymentFailed(let payment, let error): "Recovery of payment \(payment) failed: \(error)"
        case .setAside(let aside):
            "Payment \(aside.payment) is set aside: \(aside.reason). It is tried again after \(aside.nextTry)."
        case .released(let payment): "Payment \(payment) is worked on again."
        case .providerSilent(let name): "The provider \(name) does not answer; recovery asks it once in a while only."
        case .providerAnswers(let name): "The provider \(name) answers again."
        }
    }
}
