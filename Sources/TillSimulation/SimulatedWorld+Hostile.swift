import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

// Faults of real providers and their accounts that a friendly world does not have: each was found in one of them.

extension SimulatedWorld {
    /// Replaces the shop's credentials by those of another account and back, each time with a new process.
    func changeCredentials() async {
        guard accounts.count > 1 else { return }
        for _ in 0..<hostileNumber(1...4) {
            await rest(600_000...10_800_000)
            guard !isCalm else { return }
            count("credentials of another account")
            let running = state.withLock { state in
                state.configured = 1 - state.configured
                return state.processes.map(\.incarnation)
            }
            for incarnation in running { end(incarnation) }
            for _ in 0..<processes { boot() }
        }
    }

    /// Starts a process for each account once all faults are over, so that everything open can be settled.
    func configureAllAccounts() {
        guard accounts.count > 1 else { return }
        boot(account: 1 - state.withLock { $0.configured })
    }

    /// Pauses for a time drawn from the hostile world's random numbers.
    func rest(_ range: ClosedRange<Int64>) async {
        try? await clock.sleep(for: .milliseconds(hostileNumber(range)))
    }

    /// Returns the amount that the provider charges under a key: occasionally in another currency, always the same for
    /// one key, and only where no charge was prepared.
    func charged(_ amount: Money, under key: IdempotencyKey) -> Money {
        guard !accounts[0].capabilities.preparesFirst, amount.currency == .eur,
            StableHash.of(key.rawValue, seed: 0xC0) % 1000 < 6
        else { return amount }
        count("charged in another currency")
        return Money(minorUnits: amount.minorUnits, currency: .usd)
    }

    func isSpent(_ key: IdempotencyKey) -> Bool { state.withLock { $0.spent.contains(key) } }

    /// Makes the provider fail and store that failure under this key, unless the key already has a response.
    func spends(_ key: IdempotencyKey, at provider: SandboxProvider) async -> Bool {
        guard !isCalm, hostileChance(8) else { return false }
        let isAnswered = (try? await provider.ledger.isAnswered(key)) ?? true
        guard !isAnswered else { return false }
        count("5xx kept under its key")
        return state.withLock { $0.spent.insert(key).inserted }
    }

    /// Returns the reason the provider currently rejects the shop's credentials; `nil` if it accepts them.
    func rejection(of key: IdempotencyKey?) -> String? {
        guard !isCalm else { return nil }
        if hostileChance(1) {
            count("key rejected")
            let end = clock.now().adding(.milliseconds(hostileNumber(60_000...43_200_000)))
            state.withLock { $0.rejectedUntil = end }
        }
        return state.withLock { state in
            guard clock.now() < state.rejectedUntil else { return nil }
            if let key { state.rejected.insert(key) }
            return "401"
        }
    }

    /// `true` if a search by Till's own identifiers does not find a recent charge yet.
    func isNotFoundYet(_ request: QueryRequest, at provider: SandboxProvider) async -> Bool {
        guard let searchLag, request.context.reference == nil, !isCalm else { return false }
        let all = (try? await provider.ledger.charges()) ?? []
        let charge = all.last { $0.attempt == request.context.attempt.rawValue }
        guard let charge, clock.now().since(Timestamp(milliseconds: charge.createdAt)) < searchLag else { return false }
        count("search lags")
        return true
    }

    /// Returns the ledger of the account that has a charge.
    func ledger(of reference: ProviderReference) async -> SandboxLedger? {
        for account in accounts where (try? await account.ledger.charge(reference)) ?? nil != nil {
            return account.ledger
        }
        return nil
    }

    // MARK: After the sale

    /// Plays an event after the sale, without the shop: a dispute, a capture or refund that fails late, or an action in
    /// the provider's dashboard.
    func afterSale(_ id: PaymentID) async {
        guard hostileChance(200) else { return }
        await rest(600_000...86_400_000)
        let due = clock.now().adding(.days(2)).milliseconds
        switch hostileNumber(0...5) {
        case 0...1:
            let isInquiry = hostileChance(300)
            let amount = hostileChance(300) ? hostileNumber(1...50) : nil
            let dispute = SandboxAfterSale.dispute(
                amount, reason: "fraudulent", isInquiry: isInquiry, respondBy: Timestamp(milliseconds: due))
            guard await happens("dispute", dispute, to: id) else { return }
            if isInquiry, hostileChance(500) { await then("dispute takes the money", .withdrawFunds, to: id) }
            let isWon = hostileChance(500)
            await then(isWon ? "dispute won" : "dispute lost", .closeDispute(isWon: isWon), to: id)
            if isWon, hostileChance(200) { await then("dispute lost after all", .closeDispute(isWon: false), to: id) }
        case 2:
            await then("refund fails later", .failRefund(nil, isCanceled: hostileChance(300)), to: id)
        case 3:
            await then("refund in the dashboard", .refund(hostileChance(500) ? hostileNumber(1...40) : nil), to: id)
        default:
            guard await happens("capture fails later", .failCapture, to: id), hostileChance(500) else { return }
            await then("capture made good", .restoreCapture, to: id)
        }
    }

    /// Captures a hold in the provider's dashboard.
    func captureInDashboard(_ id: PaymentID) async {
        guard hostileChance(60) else { return }
        _ = await happens("capture in the dashboard", .capture(nil), to: id)
    }

    private func then(_ name: String, _ event: SandboxAfterSale, to id: PaymentID) async {
        await rest(600_000...43_200_000)
        _ = await happens(name, event, to: id)
    }

    /// Plays an event on a payment's charge and reports it. `false` if the event cannot happen to it.
    private func happens(_ name: String, _ event: SandboxAfterSale, to id: PaymentID) async -> Bool {
        guard !isCalm, let payment = try? await engine().payment(id, account: .main),
            let attempt = payment.settledAttempt, attempt.provider == .sandbox, let reference = attempt.reference,
            let ledger = await ledger(of: reference), (try? await ledger.play(event, on: reference)) ?? nil != nil
        else { return false }
        count(name)
        note("\(id) \(name)")
        sendWebhook(
            about: AttemptContext(
                account: .main, order: payment.order.id, payment: id, attempt: attempt.id,
                startedAt: attempt.startedAt, reference: reference),
            tries: 1_000)
        return true
    }
}

extension SandboxLedger {
    /// `true` if a response is stored under the key.
    fileprivate func isAnswered(_ key: IdempotencyKey) async throws -> Bool {
        try await store.transaction { try $0.charge(forKey: key.rawValue)?.replies[key.rawValue] != nil }
    }
}
