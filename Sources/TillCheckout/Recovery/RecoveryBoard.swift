import Synchronization
import TillCore
import TillJournal

/// The recovery state of one process: a lane for each provider, the payments set aside, and the time of the last round.
///
/// Within a process, a provider name stands for one account; payments of another account are set aside. All changes are
/// made under one lock and are quick; no lane waits for another.
final class RecoveryBoard: Sendable {
    fileprivate struct Lane {
        var queue: [PaymentID] = []
        var workers = 0
        var working = 0
        var handled = 0
        var breaker = CircuitBreaker()
        /// The worker that makes the probe while the breaker is half open. It moves from payment to payment until one
        /// of them has called the provider.
        var prober: Int?
        /// The breaker state last reported.
        var isSilent = false
    }

    private struct State {
        var lanes: [ProviderName?: Lane] = [:]
        /// The payments that are queued or being processed.
        var taken: Set<PaymentID> = []
        /// The number of workers hired so far, which is also the number of the newest.
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

    /// Records that the loop is running.
    func begin(at now: Timestamp) {
        state.withLock { $0.loop = .running(lastRound: now, reading: SystemClock.reading()) }
    }

    func end() { state.withLock { $0.loop = .notRunning } }

    /// Records a successful round.
    /// - Returns: `true` if the round before had failed.
    func cameRound(at now: Timestamp) -> Bool {
        state.withLock { state in
            state.rounds += 1
            if case .running = state.loop { state.loop = .running(lastRound: now, reading: SystemClock.reading()) }
            defer { state.roundFailure = nil }
            return state.roundFailure != nil
        }
    }

    /// Records a failed round.
    /// - Returns: `true` if the failure differs from that of the round before.
    func roundFailed(_ text: String) -> Bool {
        state.withLock { state in
            state.failures += 1
            defer { state.roundFailure = text }
            return state.roundFailure != text
        }
    }

    /// The place from which the next round reads behind the front; `nil` if the backlog was read to its end.
    var deep: OutboxPlace? {
        get { state.withLock { $0.deep } }
        set { state.withLock { $0.deep = newValue } }
    }

    /// Returns `true` if a review of incidents is due, and counts it as done.
    func takeReview(at now: Timestamp) -> Bool {
        state.withLock { state in
            if let next = state.nextReview, now < next, next.since(now) <= RecoveryBoard.reviewInterval { return false }
            state.nextReview = now.adding(RecoveryBoard.reviewInterval)
            return true
        }
    }

    /// The interval at which recovery incidents are checked for being over.
    static let reviewInterval: Span = .minutes(5)

    // MARK: Lanes

    /// Hands due payments to their lanes, except those that are taken or set aside, and those with a full lane or a
    /// silent provider. Skipped payments stay in the journal and are offered again.
    /// - Parameter clock: Once the clock is trusted, payments set aside because of clock doubt are released.
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

    /// Returns a lane that can use one more worker. The worker belongs to it until ``next(of:at:)`` returns `nil`.
    func hire() -> Hired? {
        state.withLock { state in
            // Sorted by name, so that a simulated run is deterministic.
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

    /// A worker of a lane.
    struct Hired: Sendable {
        let provider: ProviderName?
        fileprivate let number: Int
    }

    /// Returns the next payment for a worker; `nil` if there is none or the provider is silent, in which case the
    /// worker is dismissed.
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

    /// Records that a worker has finished a payment.
    func finished(_ id: PaymentID, by hired: Hired, handled: Bool) {
        state.withLock { state in
            state.taken.remove(id)
            state.lanes[hired.provider]?.working -= 1
            if handled { state.lanes[hired.provider]?.handled += 1 }
        }
    }

    /// Dismisses a worker before its lane is empty.
    func leave(_ hired: Hired, at now: Timestamp) {
        state.withLock { state in
            guard let left = state.lanes[hired.provider]?.dismiss(hired, at: now) else { return }
            state.taken.subtract(left)
        }
    }

    // MARK: Providers

    /// Records the end of a provider call: with an answer, without one, or without having been made (`nil`).
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

    /// Returns the changes in provider availability since the last call.
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

    /// Sets a payment aside for the time that the reason implies.
    /// - Returns: The set-aside payment, and `true` if it was not set aside for this reason before.
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

    /// Ends the set-aside of a payment.
    /// - Returns: The former entry; `nil` if it was not set aside.
    func release(_ id: PaymentID) -> SetAsidePayment? { state.withLock { $0.aside.removeValue(forKey: id) } }

    /// Counts a failure of processing a payment, or of related work.
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
    /// Returns `true` if a worker may process one more payment; as the probe, if the breaker is not closed.
    fileprivate mutating func mayAsk(_ hired: RecoveryBoard.Hired, at now: Timestamp) -> Bool {
        // The worker's last payment did not call the provider, so nothing is known yet. If that counted as the probe, a
        // payment that stays due and never calls the provider would block all those behind it.
        if prober == hired.number { breaker.probeAskedNothing(at: now) }
        switch breaker.permit(at: now) {
        case .call: return true
        case .probe:
            prober = hired.number
            return true
        case .nothing: return false
        }
    }

    /// Dismisses a worker.
    /// - Returns: The payments that are left without a worker; they are found again when they may be processed.
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
