public import TillCore
import TillJournal

// Engine behavior while the machine's clock is in doubt: nothing irreversible is done on the strength of the time
// alone. Explicit requests are carried out as always.

extension Checkout {
    /// The interval at which an apparently expired hold is queried while the clock is in doubt. The provider's answer
    /// carries the time, so the first one mostly ends the doubt; if not, the doubt may last until an operator sets the
    /// clock, and a shop may have a thousand holds.
    public static let doubtedHoldInterval: Span = .minutes(15)
    /// The number of newest payments searched for one of each provider, in order to query that provider for the time.
    static let askedPayments = 100
    /// The number of payments per page when far-off work is read.
    static let pullBackPage = 256

    /// Returns the due effects that may be performed now. While the clock is in doubt, it is unknown which keys a
    /// provider has forgotten, so an operation that may have been sent is queried before it is sent again.
    /// - Parameter undone: Operations that this drive itself has queried and found not done; they may be sent. A query
    ///   by another process is in the journal as well, but its age, and whether the operation was sent since, is not
    ///   known.
    func withoutResends(
        _ effects: [PaymentEffect], of payment: Payment, undone: Set<OperationID> = []
    ) -> [PaymentEffect] {
        guard !clock.standing.isTrusted else { return effects }
        var allowed: [PaymentEffect] = []
        for effect in effects {
            let isSafe = effect.sends.map(undone.contains) ?? true
            let next = isSafe ? effect : payment.attempt(of: effect).map { .query($0.id) }
            if let next, !allowed.contains(next) { allowed.append(next) }
        }
        return allowed
    }

    /// Queries an attempt instead of voiding its hold under a clock in doubt. `nil` if it was queried just now.
    func askTheTime(of id: AttemptID, _ payment: Payment) async -> PaymentAnswer? {
        guard atWork.mayQuery(payment.id, at: clock.now(), ifNotWithin: Checkout.doubtedHoldInterval) else {
            return nil
        }
        return await query(id, payment)
    }

    /// Sends every provider requests that change nothing: an identity request, and a query of the newest payment with a
    /// provider reference (a query without one may end before anything is sent, and then yields no time). The results
    /// do not matter; the answers carry the provider's time.
    public func askTheTime() async {
        for provider in providers.values { _ = await provider.identity() }
        guard !clock.standing.isTrusted else { return }
        var asked: Set<ProviderName> = []
        let rows: [PaymentRowReading]
        // An unreadable journal is retried in the next round; the clock stays in doubt until then.
        do throws(JournalError) {
            rows = try await journal.rowReadings(PaymentFilter(limit: Checkout.askedPayments))
        } catch { return }
        for row in rows {
            // An unreadable payment must not prevent queries of others.
            guard let name = row.provider, providers[name] != nil, !asked.contains(name),
                let payment = try? await stored(row.id), let attempt = payment.attempts.last, attempt.provider == name,
                attempt.reference != nil
            else { continue }
            asked.insert(name)
            _ = await query(attempt.id, payment)
        }
    }

    /// Reschedules work that a wrong clock planned too far ahead: payments with a next step further away than
    /// `CheckSchedule.furthestCheck`, unless that step is the end of a hold or of a stored tap. Meant for the start of
    /// a counter and for the end of a clock doubt; does nothing while there is one. Safe at any time, in any number of
    /// processes.
    /// - Returns: The number of payments rescheduled.
    @discardableResult
    public func pullBack() async throws(CheckoutError) -> Int {
        guard clock.standing.isTrusted else { return 0 }
        let now = clock.now()
        var place = OutboxPlace.later(than: now.adding(CheckSchedule.furthestCheck))
        var count = 0
        while !Task.isCancelled {
            let page: [OutboxPlace]
            do { page = try await journal.planned(after: place, limit: Checkout.pullBackPage) } catch {
                throw .journal(error)
            }
            for planned in page where try await isDueNow(planned.payment, at: now) {
                do { try await journal.write(JournalWrite(wake: (planned.payment, now))) } catch {
                    throw .journal(error)
                }
                count += 1
            }
            guard let last = page.last, page.count == Checkout.pullBackPage else { break }
            place = last
        }
        return count
    }

    private func isDueNow(_ id: PaymentID, at now: Timestamp) async throws(CheckoutError) -> Bool {
        let payment: Payment?
        // An unreadable payment must not block others; `till journal verify` reports it.
        do throws(CheckoutError) { payment = try await stored(id) } catch .journal(.corrupted) { return false }
        guard let payment else { return false }
        return payment.pendingEffects(capabilities: { providers[$0]?.capabilities }, at: now, isOrphan: true)
            .contains { $0.due <= now }
    }
}

extension PaymentEffect {
    /// The operation that the effect sends to the provider; `nil` if it neither moves nor releases money.
    var sends: OperationID? {
        switch self {
        case .query, .watchHold: nil
        case .continueAttempt(let id): .continuation(id)
        case .void(let id): .void(id)
        case .capture(let id): .capture(id)
        case .renew(let id): .renewal(id)
        case .refund(let id): .refund(id)
        }
    }
}
