public import TillCore
import TillJournal

// What the engine does differently while the machine's clock is in doubt: nothing that only the time asks for and that
// cannot be undone. What a person asks for is done as always.

extension Checkout {
    /// How often a hold that seems to have ended is asked about while the clock is in doubt. The provider's answer has
    /// the time in it, so the first one mostly ends the doubt; what it does not end may last until a person sets the
    /// clock, and a shop may have a thousand holds.
    public static let doubtedHoldInterval: Span = .minutes(15)
    /// Among how many of the newest payments one of each provider is sought, to ask that provider for the time.
    static let askedPayments = 100
    /// How many payments one read of far-off work returns.
    static let pullBackPage = 256

    /// Of effects that are due, those that may be performed now. While the clock is in doubt nobody knows which keys a
    /// provider has forgotten by now, so what may have been sent is asked about before it is sent again.
    /// - Parameter undone: what this drive itself has asked about and found to be not done, which may go. That somebody
    ///   else has found it, the journal says as well; but how long ago that was, and whether it was sent since, it does
    ///   not.
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

    /// Instead of voiding a hold by a clock that is in doubt: asks what became of it. `nil` if it was asked just now.
    func askTheTime(of id: AttemptID, _ payment: Payment) async -> PaymentAnswer? {
        guard atWork.mayQuery(payment.id, at: clock.now(), ifNotWithin: Checkout.doubtedHoldInterval) else {
            return nil
        }
        return await query(id, payment)
    }

    /// Asks every provider something that changes nothing: in whose account it works, and what became of the newest
    /// payment that it has an object for: a query of one without may end before anything is sent, and then brings no
    /// time. Nothing depends on the answers; they carry the provider's time.
    public func askTheTime() async {
        for provider in providers.values { _ = await provider.identity() }
        guard !clock.standing.isTrusted else { return }
        var asked: Set<ProviderName> = []
        let rows: [PaymentRowReading]
        // A journal that cannot be read now is read at the next turn; the clock stays in doubt until then.
        do throws(JournalError) {
            rows = try await journal.rowReadings(PaymentFilter(limit: Checkout.askedPayments))
        } catch { return }
        for row in rows {
            // A payment that cannot be read keeps no other one from bringing the time.
            guard let name = row.provider, providers[name] != nil, !asked.contains(name),
                let payment = try? await stored(row.id), let attempt = payment.attempts.last, attempt.provider == name,
                attempt.reference != nil
            else { continue }
            asked.insert(name)
            _ = await query(attempt.id, payment)
        }
    }

    /// Wakes what a wrong clock has planned far ahead: of all payments whose next step is further away than
    /// `CheckSchedule.furthestCheck`, those whose step is no end of a hold or of a stored tap. For the start of a
    /// counter and for the end of a doubt; does nothing while there is one. Safe at any time, in any number of
    /// processes.
    /// - Returns: how many payments were woken.
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
        // One that cannot be read keeps no other one waiting; `till journal verify` names it.
        do throws(CheckoutError) { payment = try await stored(id) } catch .journal(.corrupted) { return false }
        guard let payment else { return false }
        return payment.pendingEffects(capabilities: { providers[$0]?.capabilities }, at: now, isOrphan: true)
            .contains { $0.due <= now }
    }
}

extension PaymentEffect {
    /// What is sent to the provider with it; `nil`: nothing that moves or releases money.
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
