import Synchronization
public import TillCore

/// An attempt that was made in another account of its provider than the configured one. It is left alone: the
/// configured account would answer "not found" for money that the other account took.
public struct OtherAccount: Hashable, Sendable {
    public let payment: PaymentID
    public let attempt: AttemptID
    public let provider: ProviderName
    /// The account recorded for the attempt.
    public let recorded: ProviderIdentity
    /// The configured account.
    public let configured: ProviderIdentity

    /// A human-readable description of the mismatch.
    public var sentence: String {
        let found =
            recorded.match(configured) == .unproved
            ? "and it cannot be proved that \(configured), which is configured here, is the same"
            : "and \(configured) is configured here"
        return "Payment \(payment) was started with \(provider) in \(recorded), \(found). It was left as it is."
    }

    /// The recommended next step, as a sentence.
    public var next: String {
        recorded.match(configured) == .unproved
            ? "Configure the account's own name or its earlier key, and try again."
            : "Configure \(provider)'s key of \(recorded), or work on it where that key is, and try again."
    }
}

/// The payments that recovery skipped because they belong to other accounts.
final class SkippedPayments: Sendable {
    /// The most payments that are remembered; it does not limit the payments that are skipped.
    static let maximum = 4096

    /// The time for which a skipped payment is remembered; recovery meets due payments again and again.
    static let memory = Span.minutes(5)

    private let known = Mutex<[PaymentID: (other: OtherAccount, at: Timestamp)]>([:])

    func all(at now: Timestamp) -> [OtherAccount] {
        known.withLock { known in
            known = known.filter { $0.value.at.adding(SkippedPayments.memory) >= now }
            return known.values.map(\.other)
        }
    }

    func note(_ other: OtherAccount, at now: Timestamp) {
        known.withLock { known in
            guard known.count < SkippedPayments.maximum || known[other.payment] != nil else { return }
            known[other.payment] = (other, now)
        }
    }

    func forget(_ id: PaymentID) { known.withLock { $0[id] = nil } }
}

extension Checkout {
    /// The payments of other accounts that this process has skipped within the last five minutes; at most 4096.
    /// Recovery meets each once a minute.
    public var skippedPayments: [OtherAccount] { left.all(at: clock.now()) }

    /// Returns the account mismatch that keeps this process from working on a payment's open attempt; `nil` if there is
    /// none, or nothing is open.
    public func otherAccount(of payment: Payment) async -> OtherAccount? {
        guard let attempt = payment.currentAttempt else { return nil }
        return await otherAccount(attempt, of: payment.id)
    }

    /// Returns the account mismatch of an attempt; `nil` also if the provider is not configured, which is reason enough
    /// to skip it.
    func otherAccount(_ attempt: Attempt, of payment: PaymentID) async -> OtherAccount? {
        guard let recorded = attempt.identity, let provider = providers[attempt.provider] else { return nil }
        let configured = await provider.identity()
        guard !attempt.belongs(to: configured) else { return nil }
        return OtherAccount(
            payment: payment, attempt: attempt.id, provider: attempt.provider, recorded: recorded,
            configured: configured)
    }

    /// Refuses a command on an attempt of another account before anything is written.
    func checkAccount(of command: PaymentCommand, to payment: Payment) async throws(CheckoutError) {
        let attempt: Attempt?
        switch command {
        case .attempt, .resolve: return
        case .capture, .cancel, .abandon, .renew: attempt = payment.currentAttempt
        case .refund:
            let capture = payment.captures.last { $0.state.isSucceeded }
            attempt = payment.attempts.first { $0.id == capture?.attempt }
        }
        if let attempt, let other = await otherAccount(attempt, of: payment.id) { throw .otherAccount(other) }
    }

    /// Returns the effects that this process may perform. Skipped ones are noted.
    func performable(_ effects: [PaymentEffect], of payment: Payment) async -> [PaymentEffect] {
        var performable: [PaymentEffect] = []
        var met: OtherAccount?
        for effect in effects {
            if let attempt = payment.attempt(of: effect), let other = await otherAccount(attempt, of: payment.id) {
                met = other
            } else {
                performable.append(effect)
            }
        }
        if let met { left.note(met, at: clock.now()) } else { left.forget(payment.id) }
        return performable
    }

    /// Returns the event that binds an attempt to the configured account, if an answer proves the binding and the
    /// journal does not have it yet: the account answered that it knows the attempt. "Not found" proves nothing.
    func binding(of answer: PaymentAnswer, in payment: Payment) async -> [PaymentEvent] {
        guard let id = payment.attemptFound(by: answer), let attempt = payment.attempts.first(where: { $0.id == id }),
            attempt.identity?.account == nil, let configured = await providers[attempt.provider]?.identity(),
            attempt.belongs(to: configured), attempt.identity != configured
        else { return [] }
        return [.attemptBound(id, configured)]
    }
}

extension Payment {
    /// Returns the attempt that an effect concerns.
    func attempt(of effect: PaymentEffect) -> Attempt? {
        let id: AttemptID? =
            switch effect {
            case .query(let id), .continueAttempt(let id), .void(let id), .watchHold(let id): id
            case .capture(let id): captures.first { $0.id == id }?.attempt
            case .renew(let id): renewals.first { $0.id == id }?.attempt
            case .refund(let id): refunds.first { $0.id == id }?.attempt
            }
        return attempts.first { $0.id == id }
    }

    /// Returns the attempt that an answer proves to be known to its provider account.
    fileprivate func attemptFound(by answer: PaymentAnswer) -> AttemptID? {
        switch answer {
        case .prepared(let id, .approved), .authorized(let id, .approved), .continued(let id, .approved): id
        case .snapshot(let id, .approved(let seen)): seen.standing == .notFound ? nil : id
        case .captured(let id, .approved): captures.first { $0.id == id }?.attempt
        case .renewed(let id, .approved): renewals.first { $0.id == id }?.attempt
        case .refunded(let id, .approved): refunds.first { $0.id == id }?.attempt
        case .prepared, .authorized, .continued, .captured, .voided, .renewed, .refunded, .snapshot, .holdEnds: nil
        }
    }
}
