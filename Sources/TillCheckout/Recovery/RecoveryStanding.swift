public import TillCore

/// How recovery does, at one moment: what readiness, metrics and people are shown.
public struct RecoveryStanding: Hashable, Sendable {
    /// The loop that comes round for all lanes. A lane that waits for its provider does not hold it up.
    public enum Loop: Hashable, Sendable {
        /// This process does not run it.
        case notRunning
        /// It runs; `lastRound` is when it last got round, its start if it never has, and `reading` what the clock that
        /// is never set showed then.
        case running(lastRound: Timestamp, reading: Span)
    }

    /// What waits for one provider.
    public struct Lane: Hashable, Sendable {
        /// `nil`: payments of no provider.
        public var provider: ProviderName?
        public var breaker: CircuitBreaker.State
        /// Payments that wait for a worker.
        public var waiting: Int
        /// Payments that are worked on now.
        public var working: Int
        /// Payments that were worked on since the process began.
        public var handled: Int
    }

    public var loop: Loop
    /// In the order of the providers' names.
    public var lanes: [Lane]
    public var setAside: [SetAsidePayment]
    /// Rounds that got round since the process began.
    public var rounds: Int
    /// Rounds and payments that ended in an error since the process began.
    public var failures: Int

    /// Those that wait until a person has done something.
    public var quarantined: [SetAsidePayment] { setAside.filter { $0.reason.isQuarantine } }

    /// For how long the loop has not come round, if that is longer than ``Checkout/missedRounds`` intervals; `nil`: it
    /// has, or this process runs none.
    /// - Parameter reading: of `SystemClock.reading()`, by which it must be as late, so that a wall clock that is set
    ///   is no silence; `nil`: `now` decides alone.
    public func overdue(at now: Timestamp, reading: Span? = nil) -> Span? {
        guard case .running(let last, let before) = loop else { return nil }
        var silence = now.since(last)
        if let reading { silence = min(silence, .milliseconds(reading.milliseconds - before.milliseconds)) }
        let allowed = Checkout.recoveryInterval.milliseconds * Int64(Checkout.missedRounds)
        return silence.milliseconds > allowed ? silence : nil
    }
}

/// Something about recovery that belongs in the log.
public enum RecoveryNotice: Hashable, Sendable {
    /// A round could not be made. Said once until it changes.
    case roundFailed(String)
    /// Rounds are made again.
    case roundsGoOn
    /// Working on a payment failed.
    case paymentFailed(PaymentID, String)
    /// A payment is left alone for a while.
    case setAside(SetAsidePayment)
    /// A payment that was set aside is worked on again.
    case released(PaymentID)
    /// A provider does not answer: only probes go to it until it does.
    case providerSilent(ProviderName)
    /// A provider that was silent answers again.
    case providerAnswers(ProviderName)

    /// A person should check it.
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
