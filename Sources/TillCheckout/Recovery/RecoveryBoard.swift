import Synchronization
import TillCore
import TillJournal

/// What recovery of one process knows: a lane for each provider, what is set aside, and when the loop last came round.
///
/// A provider's name stands for one account of it in a process; what is of another account is set aside. Every change
/// is made under one lock and takes no time; no lane waits for another.
final class RecoveryBoard: Sendable {
    fileprivate struct Lane {
        var queue: [PaymentID] = []
        var workers = 0
        var working = 0
        var handled = 0
        var breaker = CircuitBreaker()
        /// Who makes the probe while the breaker is half open, and continues from payment to payment until one of them
        /// has asked the provider something.
        var prober: Int?
        /// What was last reported of the breaker.
        var isSilent = false
    }

    private struct State {
        var lanes: [ProviderName?: Lane] = [:]
        /// What stands in a queue or is worked on, and its provider.
        var taken: Set<PaymentID> = []
        /// Workers that were ever hired, which is also the number of the last one.
        var hired = 0
        var aside: [PaymentID: SetAsidePayment] = [:]
        var deep: OutboxPlace?
        var loop = RecoveryStanding.Loop.notRunning
        var rounds = 0
        var failures = 0
        var roundFailure: String?
        var nextReview: Timestamp?
    }

    private let state = Mutex(State())

    // MARK: Rounds

    /// Says that the loop runs from now on.
    func begin(at now: Timestamp) {
        state.withLock { $0.loop = .running(lastRound: now, reading: SystemClock.reading()) }
    }

    func end() { state.withLock { $0.loop = .notRunning } }

    /// A round was made. - Returns: whether the one before had failed.
    func cameRound(at now: Timestamp) -> Bool {
        state.withLock { state in
            state.rounds += 1
            if case .running = state.loop { state.loop = .running(lastRound: now, reading: SystemClock.reading()) }
            defer { state.roundFailure = nil }
            return state.roundFailure != nil
        }
    }

    /// A round was not made. - Returns: whether it is another failure than that of the round before.
    func roundFailed(_ text: String) -> Bool {
        state.withLock { state in
            state.failures += 1
            defer { state.roundFailure = text }
            return state.roundFailure != text
        }
    }

    /// From where on the next round reads behind the front; `nil`: nothing was left.
    var deep: OutboxPlace? {
        get { state.withLock { $0.deep } }
        set { state.withLock { $0.deep = newValue } }
    }

    /// Whether incidents are to be reviewed now; counts as done.
    func takeReview(at now: Timestamp) -> Bool {
        state.withLock { state in
            if let next = state.nextReview, now < next, next.since(now) <= RecoveryBoard.reviewInterval { return false }
            state.nextReview = now.adding(RecoveryBoard.reviewInterval)
            return true
        }
    }

    /// How often incidents of recovery are checked for being over.
    static let reviewInterval: Span = .minutes(5)

    // MARK: Lanes

    /// Hands due payments to their lanes: not those that are taken or set aside, nor those of lanes that are full or
    /// whose provider is silent. They stay where they are, and are offered again.
    /// - Parameter clock: once it can be trusted, nothing is set aside any more because it could not.
    func offer(_ due: [DuePayment], at now: Timestamp, _ clock: ClockStanding) {
        state.withLock { state in
            for due in due where !state.taken.contains(due.payment) {
                if let aside = state.aside[due.payment], now < aside.nextTry,
                    aside.nextTry.since(now) <= aside.reason.wait,
                    aside.reason != .clockInDoubt || !clock.isTrusted
                {
                    continue
                }
                var lane = state.lanes[due.provider] ?? Lane()
                guard lane.queue.count < Checkout.recoveryQueue, !lane.breaker.isBlocking(at: now) else { continue }
                lane.queue.append(due.payment)
                state.lanes[due.provider] = lane
                state.taken.insert(due.payment)
            }
        }
    }

    /// A lane that has work for one more worker, who now belongs to it until ``next(of:at:)`` gives it nothing.
    func hire() -> Hired? {
        state.withLock { state in
            // In the order of their names, so that a simulated run is the same each time.
            for name in state.lanes.keys.sorted(by: { ($0?.rawValue ?? "") < ($1?.rawValue ?? "") }) {
                guard var lane = state.lanes[name],
                    lane.workers
                        < min(lane.breaker.isClosed ? Checkout.recoveryWorkers : 1, lane.working + lane.queue.count)
                else { continue }
                lane.workers += 1
                state.lanes[name] = lane
                state.hired += 1
                return Hired(provider: name, number: state.hired)
            }
            return nil
        }
    }

    /// One worker of a lane.
    struct Hired: Sendable {
        let provider: ProviderName?
        fileprivate let number: Int
    }

    /// The next payment for a worker; `nil`: there is none, or the provider is silent, and the worker is gone.
    func next(of hired: Hired, at now: Timestamp) -> PaymentID? {
        state.withLock { state in
            guard var lane = state.lanes[hired.provider] else { return nil }
            defer { state.lanes[hired.provider] = lane }
            guard !lane.queue.isEmpty, lane.mayAsk(hired, at: now) else {
                state.taken.subtract(lane.dismiss(hired, at: now))
                return nil
            }
            lane.working += 1
            return lane.queue.removeFirst()
        }
    }

    /// A worker is done with a payment.
    func finished(_ id: PaymentID, by hired: Hired, handled: Bool) {
        state.withLock { state in
            state.taken.remove(id)
            state.lanes[hired.provider]?.working -= 1
            if handled { state.lanes[hired.provider]?.handled += 1 }
        }
    }

    /// A worker ends before its lane is empty.
    func leave(_ hired: Hired, at now: Timestamp) {
        state.withLock { state in
            guard let left = state.lanes[hired.provider]?.dismiss(hired, at: now) else { return }
            state.taken.subtract(left)
        }
    }

    // MARK: Providers

    /// A call to a provider has ended: with an answer, without one, or without having been made (`nil`).
    func ended(_ provider: ProviderName, isHeard: Bool?, at now: Timestamp) {
        guard let isHeard else { return }
        state.withLock { state in
            if isHeard {
                state.lanes[provider]?.breaker.answered()
            } else {
                state.lanes[provider, default: Lane()].breaker.unanswered(at: now)
            }
        }
    }

    /// What is new about providers since this was last asked.
    func news() -> [RecoveryNotice] {
        state.withLock { state in
            var news: [RecoveryNotice] = []
            for case (let name?, var lane) in state.lanes {
                let isSilent = if case .closed = lane.breaker.state { false } else { true }
                guard isSilent != lane.isSilent else { continue }
                lane.isSilent = isSilent
                state.lanes[name] = lane
                news.append(isSilent ? .providerSilent(name) : .providerAnswers(name))
            }
            return news
        }
    }

    // MARK: Set aside

    /// Leaves a payment alone for the time that the reason says.
    /// - Returns: how it is set aside, and whether it was not before for that reason.
    func setAside(
        _ id: PaymentID, of provider: ProviderName?, _ reason: SetAsidePayment.Reason, at now: Timestamp
    ) -> (payment: SetAsidePayment, isNew: Bool) {
        state.withLock { state in
            let known = state.aside[id]
            let isNew = known?.reason != reason
            let payment = SetAsidePayment(
                payment: id, provider: provider, reason: reason, since: isNew ? now : known?.since ?? now,
                nextTry: now.adding(reason.wait))
            if known != nil || state.aside.count < SetAsidePayment.maximum { state.aside[id] = payment }
            return (payment, isNew)
        }
    }

    /// A payment is worked on again. - Returns: how it was set aside; `nil` if it was not.
    func release(_ id: PaymentID) -> SetAsidePayment? { state.withLock { $0.aside.removeValue(forKey: id) } }

    /// Working on a payment, or something beside it, failed.
    func failed() { state.withLock { $0.failures += 1 } }

    var standing: RecoveryStanding {
        state.withLock { state in
            let lanes = state.lanes.map { name, lane in
                RecoveryStanding.Lane(
                    provider: name, breaker: lane.breaker.state, waiting: lane.queue.count, working: lane.working,
                    handled: lane.handled)
            }
            let aside = state.aside.values
            return RecoveryStanding(
                loop: state.loop, lanes: lanes.sorted { ($0.provider?.rawValue ?? "") < ($1.provider?.rawValue ?? "") },
                setAside: aside.sorted { ($0.since, $0.payment.rawValue) < ($1.since, $1.payment.rawValue) },
                rounds: state.rounds, failures: state.failures)
        }
    }
}

extension RecoveryBoard.Lane {
    /// Whether a worker may work on one more payment; as the probe, if the breaker is not closed.
    fileprivate mutating func mayAsk(_ hired: RecoveryBoard.Hired, at now: Timestamp) -> Bool {
        // Its last payment asked the provider nothing, so nothing is known yet. Were the probe over with it, a payment
        // that stays due and never asks would keep all behind it from being asked about.
        if prober == hired.number { breaker.probeAskedNothing(at: now) }
        switch breaker.permit(at: now) {
        case .call: return true
        case .probe:
            prober = hired.number
            return true
        case .nothing: return false
        }
    }

    /// A worker goes. - Returns: what nobody works on any more; it is found again when it may be asked about.
    fileprivate mutating func dismiss(_ hired: RecoveryBoard.Hired, at now: Timestamp) -> [PaymentID] {
        workers -= 1
        if prober == hired.number {
            prober = nil
            breaker.probeAskedNothing(at: now)
        }
        guard workers == 0 else { return [] }
        defer { queue = [] }
        return queue
    }
}
