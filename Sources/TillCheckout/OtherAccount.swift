import Synchronization
public import TillCore

/// An attempt that was started in another account of its provider than the one that is configured here. It is left as
/// it is: this account would say "not found" of money that the other one took.
public struct OtherAccount: Hashable, Sendable {
    public let payment: PaymentID
    public let attempt: AttemptID
    public let provider: ProviderName
    /// The account of the attempt.
    public let recorded: ProviderIdentity
    /// The account that is configured here.
    public let configured: ProviderIdentity

    /// What happened, as a sentence for people.
    public var sentence: String {
        let found =
            recorded.match(configured) == .unproved
            ? "and it cannot be proved that \(configured), which is configured here, is the same"
            : "and \(configured) is configured here"
        return "Payment \(payment) was started with \(provider) in \(recorded), \(found). It was left as it is."
    }

    /// What a person does about it, as a sentence.
    public var next: String {
        recorded.match(configured) == .unproved
            ? "Configure the account's own name or its earlier key, and try again."
            : "Configure \(provider)'s key of \(recorded), or work on it where that key is, and try again."
    }
}

/// The payments that recovery left alone because they are of other accounts.
final class LeftAlone: Sendable {
    /// How many are remembered; whether one is left alone does not depend on it.
    static let maximum = 4096

    /// How long it counts that one was met; recovery meets what is due again and again.
    static let memory = Span.minutes(5)

    private let known = Mutex<[PaymentID: (other: OtherAccount, at: Timestamp)]>([:])

    func all(at now: Timestamp) -> [OtherAccount] {
        known.withLock { known in
            known = known.filter { $0.value.at.adding(LeftAlone.memory) >= now }
            return known.values.map(\.other)
        }
    }

    func note(_ other: OtherAccount, at now: Timestamp) {
        known.withLock { known in
            guard known.count < LeftAlone.maximum || known[other.payment] != nil else { return }
            known[other.payment] = (other, now)
        }
    }

    func forget(_ id: PaymentID) { known.withLock { $0[id] = nil } }
}

extension Checkout {
    /// The payments that this process has met within five minutes and left alone because they are of other accounts; at
    /// most 4096. Recovery meets each once a minute.
    public var leftAlone: [OtherAccount] { left.all(at: clock.now()) }

    /// Why a payment's open attempt is not touched by this process; `nil`: it may be, or nothing is open.
    public func otherAccount(of payment: Payment) async -> OtherAccount? {
        guard let attempt = payment.currentAttempt else { return nil }
        return await otherAccount(attempt, of: payment.id)
    }

    /// `nil` also where the provider is not configured: that is another reason not to touch it.
    func otherAccount(_ attempt: Attempt, of payment: PaymentID) async -> OtherAccount? {
        guard let recorded = attempt.identity, let provider = providers[attempt.provider] else { return nil }
        let configured = await provider.identity()
        guard !attempt.belongs(to: configured) else { return nil }
        return OtherAccount(
            payment: payment, attempt: attempt.id, provider: attempt.provider, recorded: recorded,
            configured: configured)
    }

    /// Refuses a command to an attempt of another account before anything is written.
    func checkAccount(of command: PaymentCommand, to payment: Payment) async throws(CheckoutError) {
        let attempt: Attempt?
        switch command {
        case .attempt, .resolve: return
        case .capture, .cancel, .renew: attempt = payment.currentAttempt
        case .refund:
            let capture = payment.captures.last { $0.state.isSucceeded }
            attempt = payment.attempts.first { $0.id == capture?.attempt }
        }
        if let attempt, let other = await otherAccount(attempt, of: payment.id) { throw .otherAccount(other) }
    }

    /// Of effects those that this process may perform. What it leaves alone is noted.
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

    /// That an attempt is of the configured account, where an answer proves it and the journal does not know it yet:
    /// the account has answered that it has the attempt. "Not found" proves nothing.
    func binding(of answer: PaymentAnswer, in payment: Payment) async -> [PaymentEvent] {
        guard let id = payment.attemptFound(by: answer), let attempt = payment.attempts.first(where: { $0.id == id }),
            attempt.identity?.account == nil, let configured = await providers[attempt.provider]?.identity(),
            attempt.belongs(to: configured), attempt.identity != configured
        else { return [] }
        return [.attemptBound(id, configured)]
    }
}

extension Payment {
    /// The attempt that an effect is about.
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

    /// The attempt that whoever answered so has.
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
