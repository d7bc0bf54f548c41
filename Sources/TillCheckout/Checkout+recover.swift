public import TillCore
import TillJournal

/// Recovery: due work is found in the journal, queued in a lane for its provider and processed there.
///
/// A hanging provider blocks only its own lane. A payment that is unreadable, or without a configured provider, is set
/// aside so that it does not block others. Work beyond the lanes' capacity stays in the journal.
extension Checkout {
    /// The current state of this process's recovery.
    public var recovery: RecoveryStanding { board.standing }

    /// Makes one round of recovery: calls that a dead process left open, outcomes to query again, captures and refunds
    /// to send again. Providers are called concurrently. Safe to call at any time, in any number of processes.
    /// - Parameter report: Receives notices for the log.
    /// - Returns: The number of payments processed, once all work that the round started has ended.
    /// - Throws: The first error of the journal as a whole; payments that could be processed were processed
    ///   nevertheless.
    @discardableResult
    public func recover(
        report: @escaping @Sendable (RecoveryNotice) -> Void = { _ in }
    ) async throws(CheckoutError) -> Int {
        try await round()
        let done = await withTaskGroup(of: Worked.self) { group in
            while let hired = board.hire() { group.addTask { await work(as: hired, report) } }
            var done = Worked()
            for await part in group { done.add(part) }
            return done
        }
        try await reviewIncidents()
        if let failure = done.failure { throw failure }
        return done.count
    }

    /// Runs recovery until the task is canceled. Makes a round every ``recoveryInterval``, however long a lane waits
    /// for its provider; ``recovery`` reports the time of the last round.
    ///
    /// ```swift
    /// let recovery = Task {
    ///     await checkout.run { notice in print(notice) }
    /// }
    /// // At the end of the process:
    /// recovery.cancel()
    /// await recovery.value
    /// ```
    ///
    /// - Parameter report: Receives notices for the log.
    public func run(report: @escaping @Sendable (RecoveryNotice) -> Void = { _ in }) async {
        board.begin(at: clock.now())
        defer { board.end() }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do throws(CheckoutError) {
                    try await round()
                    try await reviewIncidents()
                    if board.cameRound(at: clock.now()) { report(.roundsGoOn) }
                } catch {
                    let text = "\(error.what)"
                    if board.roundFailed(text) { report(.roundFailed(text)) }
                }
                board.news().forEach(report)
                while let hired = board.hire() { group.addTask { _ = await work(as: hired, report) } }
                do { try await clock.sleep(for: Checkout.recoveryInterval) } catch { break }
            }
        }
    }

    /// Reads due payments and offers them to the lanes: the most overdue ones, and a stretch of the backlog behind
    /// them, so that unprocessable payments at the front hide nothing.
    private func round() async throws(CheckoutError) {
        epoch.forget()
        let now = clock.now()
        var place: OutboxPlace?
        for _ in 0..<Checkout.recoveryFrontBatches {
            guard let last = try await offer(after: place, at: now) else { return board.deep = nil }
            place = last
        }
        var deep = [place, board.deep].compactMap(\.self).max()
        for _ in 0..<Checkout.recoveryDeepBatches {
            deep = try await offer(after: deep, at: now)
            if deep == nil { break }
        }
        board.deep = deep
    }

    /// - Returns: The place of the last payment of a full batch; `nil` if no more are due.
    private func offer(
        after place: OutboxPlace?, at now: Timestamp
    ) async throws(CheckoutError) -> OutboxPlace? {
        let due: [DuePayment]
        do {
            due = try await journal.due(at: now, after: place, limit: Checkout.recoveryBatch)
        } catch { throw .journal(error) }
        board.offer(due.filter { !atWork.contains($0.payment) }, at: now, clock.standing)
        return due.count < Checkout.recoveryBatch ? nil : due.last?.place
    }

    /// The result of a worker.
    private struct Worked: Sendable {
        var count = 0
        var failure: CheckoutError?

        mutating func add(_ other: Worked) {
            count += other.count
            failure = failure ?? other.failure
        }
    }

    /// Processes the payments of a lane until it is empty.
    private func work(
        as hired: RecoveryBoard.Hired, _ report: @Sendable (RecoveryNotice) -> Void
    ) async -> Worked {
        var worked = Worked()
        while true {
            guard !Task.isCancelled else {
                board.leave(hired, at: clock.now())
                return worked
            }
            guard let id = board.next(of: hired, at: clock.now()) else { return worked }
            do throws(CheckoutError) {
                let isDone = try await attend(id, of: hired.provider, report)
                if isDone { worked.count += 1 }
                board.finished(id, by: hired, handled: isDone)
            } catch {
                board.finished(id, by: hired, handled: false)
                board.failed()
                worked.failure = worked.failure ?? error
                report(.paymentFailed(id, error.what))
            }
        }
    }

    /// - Returns: `false` if the payment was left alone.
    /// - Throws: An error that is not specific to the payment, such as a full disk.
    private func attend(
        _ id: PaymentID, of provider: ProviderName?, _ report: @Sendable (RecoveryNotice) -> Void
    ) async throws(CheckoutError) -> Bool {
        guard !atWork.contains(id) else { return false }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard try await claim(id) else { return false }
        let settled = await RecoveryWork.$isOn.withValue(true) { () async -> Result<Settled, CheckoutError> in
            do throws(CheckoutError) { return .success(try await settle(id)) } catch { return .failure(error) }
        }
        await release(id)
        switch settled {
        case .success(.worked):
            if let aside = board.release(id) {
                report(.released(id))
                try await endIncident(of: aside)
            }
            return true
        case .success(.setAside(let reason)): try await setAside(id, of: provider, reason, report)
        case .failure(let error):
            guard let reason = SetAsidePayment.Reason(error) else { throw error }
            try await setAside(id, of: provider, reason, report)
        }
        return false
    }

    /// Claims a payment before anything is read or sent, so that only one of several processes works on it.
    private func claim(_ id: PaymentID) async throws(CheckoutError) -> Bool {
        do throws(JournalError) { return try await journal.claim([id], at: clock.now()).contains(id) } catch {
            throw .journal(error)
        }
    }

    /// Releases a claim. If the release fails, the payment stays with this process, which finds it again when it is
    /// due, or becomes free when the lease ends.
    private func release(_ id: PaymentID) async {
        do throws(JournalError) { try await journal.release(id) } catch {}
    }

    private func setAside(
        _ id: PaymentID, of provider: ProviderName?, _ reason: SetAsidePayment.Reason,
        _ report: @Sendable (RecoveryNotice) -> Void
    ) async throws(CheckoutError) {
        let (payment, isNew) = board.setAside(id, of: provider, reason, at: clock.now())
        guard isNew else { return }
        report(.setAside(payment))
        try await raiseIncident(of: payment)
    }

    private enum Settled: Sendable {
        case worked
        case setAside(SetAsidePayment.Reason)
    }

    private func settle(_ id: PaymentID) async throws(CheckoutError) -> Settled {
        guard let payment = try await stored(id) else { return .setAside(.unreadable("it has no events")) }
        let now = clock.now()
        let due = payment.pendingEffects(
            capabilities: { providers[$0]?.capabilities }, at: now, isOrphan: true
        ).filter { $0.due <= now }.map { $0.effect }
        guard due.isEmpty else {
            if let absent = absentProvider(of: due, in: payment) { return .setAside(.noProvider(absent)) }
            let effects = await performable(due, of: payment)
            guard !effects.isEmpty else { return .setAside(.otherAccount) }
            let after = try await drive(payment, effects: effects)
            let isUnchanged = after.version == payment.version
            return isUnchanged && isOnlyForTheTime(effects) ? .setAside(.clockInDoubt) : .worked
        }
        // Woken by a webhook, or held by a dead process, and not due yet: queried at once, and released until it is
        // due.
        var current = payment
        if payment.nextDue != nil, let attempt = payment.currentAttempt {
            current = try await drive(payment, effects: [.query(attempt.id)])
        }
        guard current.version == payment.version else { return .worked }
        _ = try await append([], to: &current, at: now, holder: .nobody)
        return .worked
    }

    /// `true` if only the time makes these effects due while the clock is in doubt: the payment stays due until the
    /// doubt ends.
    private func isOnlyForTheTime(_ effects: [PaymentEffect]) -> Bool {
        !clock.standing.isTrusted && effects.allSatisfy { if case .watchHold = $0 { true } else { false } }
    }

    /// The unconfigured provider without which none of the effects can be performed; `nil` if one of them can.
    private func absentProvider(of effects: [PaymentEffect], in payment: Payment) -> ProviderName? {
        var absent: ProviderName?
        for effect in effects {
            if case .watchHold = effect { return nil }
            guard let name = payment.attempt(of: effect)?.provider, providers[name] == nil else { return nil }
            absent = name
        }
        return absent
    }

    /// Immediately queries the open operations of a payment, regardless of its schedule. For webhooks and on request.
    /// - Parameters:
    ///   - interval: Skips the query if this process made one within this time. For callers that ask repeatedly.
    ///   - seen: The payment as the caller has just read or written it. It is read anew if anything was written since.
    public func query(
        _ id: PaymentID, ifNotWithin interval: Span? = nil, seen: Payment? = nil
    ) async throws(CheckoutError) {
        guard !atWork.contains(id) else { return }
        guard atWork.mayQuery(id, at: clock.now(), ifNotWithin: interval) else { return }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard let payment = try await newest(id, seen: seen) else { return }
        guard let attempt = payment.currentAttempt ?? payment.attempts.last else { return }
        // Another process is authorizing right now: its prepared attempt must not be treated as abandoned.
        let answerTime = providers[attempt.provider]?.capabilities.answerTime ?? Checkout.providerDeadline
        let lease = max(CheckSchedule.answerLease, .milliseconds(answerTime.milliseconds &+ 30_000))
        let askedAt = attempt.openContinuation?.startedAt ?? attempt.startedAt
        if case .inFlight = attempt.state, clock.now() < askedAt.adding(lease) { return }
        _ = try await drive(payment, effects: [.query(attempt.id)])
    }

    /// Returns a payment in its current journal state: the one that was seen, if it still has the newest version. An
    /// operation that another process has begun meanwhile is thus in it.
    private func newest(_ id: PaymentID, seen: Payment?) async throws(CheckoutError) -> Payment? {
        guard var payment = seen, payment.id == id else { return try await stored(id) }
        do throws(JournalError) {
            if try await journal.version(of: id) == payment.version {
                payment.epoch = try await epoch.number(in: journal)
                return payment
            }
        } catch { throw .journal(error) }
        return try await stored(id)
    }
}

extension SetAsidePayment.Reason {
    /// Maps an error that is specific to the payment; `nil` for one of the journal or the machine, which the next round
    /// meets too.
    fileprivate init?(_ error: CheckoutError) {
        switch error {
        case .journal(.corrupted(let reason)), .unreadablePayment(_, let reason): self = .unreadable(reason)
        case .unwritten(_, let reason):
            guard let own = SetAsidePayment.Reason(reason) else { return nil }
            self = own
        case .journal, .notBegun, .takenOver: return nil
        default: self = .failed(error.what)
        }
    }
}
