public import TillCore
import TillJournal

extension Checkout {
    /// How long the engine sleeps between two queries for due work.
    public static let recoveryInterval: Span = .milliseconds(1000)
    /// How often the provider is asked about one payment because somebody waits for its outcome.
    public static let impatientInterval: Span = .seconds(2)

    /// Does once what is due: calls that a dead process left open, outcomes to query again, captures and refunds to
    /// send again. Safe to call at any time, in any number of processes.
    /// - Returns: how many payments it worked on.
    @discardableResult
    public func recover() async throws(CheckoutError) -> Int {
        let now = clock.now()
        let due: [PaymentID]
        do {
            due = try await journal.due(at: now, limit: Checkout.recoveryBatch)
        } catch {
            throw .journal(error)
        }
        var count = 0
        for id in due where !atWork.contains(id) {
            if Task.isCancelled { break }
            atWork.begin(id)
            defer { atWork.end(id) }
            // A payment that cannot be read keeps no other one waiting; `till journal verify` names it.
            do throws(CheckoutError) { try await settle(id) } catch .journal(.corrupted) { continue }
            count += 1
        }
        return count
    }

    /// Queries at once what is open in one payment, whatever its schedule says. For webhooks and for people.
    /// - Parameter interval: looks only if this process has not looked for so long. For those who ask again and again.
    public func query(_ id: PaymentID, ifNotWithin interval: Span? = nil) async throws(CheckoutError) {
        guard !atWork.contains(id) else { return }
        guard atWork.mayQuery(id, at: clock.now(), ifNotWithin: interval) else { return }
        atWork.begin(id)
        defer { atWork.end(id) }
        guard let payment = try await stored(id) else { return }
        guard let attempt = payment.currentAttempt ?? payment.attempts.last else { return }
        // Another process is asking for the money right now: what it prepared must not be taken for abandoned.
        let answerTime = providers[attempt.provider]?.capabilities.answerTime ?? Checkout.providerDeadline
        let lease = max(CheckSchedule.answerLease, .milliseconds(answerTime.milliseconds &+ 30_000))
        let askedAt = attempt.openContinuation?.startedAt ?? attempt.startedAt
        if case .inFlight = attempt.state, clock.now() < askedAt.adding(lease) { return }
        _ = try await drive(payment, effects: [.query(attempt.id)])
    }

    public func run() async {
        while !Task.isCancelled {
            _ = try? await recover()
            do { try await clock.sleep(for: Checkout.recoveryInterval) } catch { return }
        }
    }

    private func settle(_ id: PaymentID) async throws(CheckoutError) {
        guard let payment = try await stored(id) else { return }
        let now = clock.now()
        let due = payment.pendingEffects(
            capabilities: { providers[$0]?.capabilities }, at: now, isOrphan: true
        ).filter { $0.due <= now }.map { $0.effect }
        guard due.isEmpty else {
            let effects = await performable(due, of: payment)
            if !effects.isEmpty { _ = try await drive(payment, effects: effects) }
            return
        }
        // Woken by a webhook, or held by a dead process, and not due yet: looked at once, and released until it is due.
        var current = payment
        if payment.nextDue != nil, let attempt = payment.currentAttempt {
            current = try await drive(payment, effects: [.query(attempt.id)])
        }
        guard current.version == payment.version else { return }
        _ = try await append([], to: &current, at: now, holds: false)
    }
}
