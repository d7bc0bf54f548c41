public import TillCore

/// Stored cards as a payment provider: authorizing stores the card, and queries report its state. Operations on
/// payments that the online provider has already taken pass through to it.
public struct OfflineProvider: PaymentServiceProvider {
    /// `offline`, as in `--provider offline`.
    public static let providerName = ProviderName(rawValue: "offline")
    public let name = OfflineProvider.providerName
    /// The online provider's capabilities, but with immediate capture and no preparation step.
    public let capabilities: ProviderCapabilities
    /// The online provider's amount codec.
    public var amounts: AmountCodec { online.amounts }
    /// The online provider's account, to which cards are forwarded.
    public func identity() async -> ProviderIdentity { await online.identity() }

    private let online: any PaymentServiceProvider
    private let policy: OfflinePolicy
    private let clock: any TillClock
    private let log: @Sendable () async throws(OfflineLogError) -> OfflineLog

    /// Wraps the online provider.
    /// - Parameters:
    ///   - online: the provider that decides forwarded payments.
    ///   - log: opens the log on first use.
    public init(
        online: any PaymentServiceProvider, policy: OfflinePolicy,
        clock: any TillClock, log: @escaping @Sendable () async throws(OfflineLogError) -> OfflineLog
    ) {
        self.online = online
        self.policy = policy
        self.clock = clock
        self.log = log
        capabilities = ProviderCapabilities(
            replayWindow: online.capabilities.replayWindow, preparesFirst: false,
            partialCapture: online.capabilities.partialCapture, separateCapture: false, takesCards: false,
            showsAfterSale: online.capabilities.showsAfterSale)
    }

    /// Stores the card. The answer is `stored`, never `approved`.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard case .cardPresent(let payload) = tender else {
            return .declined(
                Decline(reason: .cardNotSupported, code: "tender_not_supported", message: "Only taps are stored."))
        }
        guard request.captureMode == .automatic else {
            return .declined(
                Decline(reason: .invalidRequest, code: "offline_hold", message: "Nothing can be held offline."))
        }
        let now = clock.now()
        let record = StoredRecord(
            payment: request.context.payment, attempt: request.context.attempt, account: request.context.account,
            order: request.context.order, amount: request.amount, at: now, expires: now.adding(policy.itemAge),
            reader: payload.reader, card: payload.card)
        do throws(OfflineLogError) {
            let log = try await log()
            if let found = try log.find(request.context.attempt, near: request.context.reference) {
                return .stored(StoredTap(found))
            }
            let mark = try await log.store(payload.sealed, record, facts: payload.facts, policy: policy)
            return .stored(StoredTap(record: mark.reference, storedAt: now, expires: record.expires))
        } catch {
            if case .disk = error { return .unknown(reason: error.what) }
            return .declined(Decline(reason: .generic, code: error.code, message: error.what))
        }
    }

    /// Withdraws a stored card while that is possible; bars an attempt that was not stored from ever being stored.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        do throws(OfflineLogError) {
            let log = try await log()
            guard let found = try log.find(request.context.attempt, near: request.context.reference) else {
                if request.context.reference != nil { return await online.void(request) }
                return try await log.bar(request.context.attempt, reason: request.reason)
                    ? .approved(Confirmation()) : .unknown(reason: "it was stored meanwhile")
            }
            if found.entry.state == .voided { return .approved(Confirmation()) }
            try await log.decline(
                found.entry.sequence, reason: request.reason, window: policy.declineWindow)
            return .approved(Confirmation())
        } catch {
            if case .disk = error { return .unknown(reason: error.what) }
            return .declined(Decline(reason: .invalidRequest, code: error.code, message: error.what))
        }
    }

    /// Reports the state of a stored payment: stored, decided, or with the online provider.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(request.amount.currency)
        do throws(OfflineLogError) {
            let log = try await log()
            if let found = try log.find(request.context.attempt, near: request.context.reference),
                found.entry.state != .resolved
            {
                return .approved(try snapshot(found, log, request))
            }
            guard let reference = request.context.reference else {
                return .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: nothing))
            }
            return await askOnline(request, wasStored: LogMark(reference) != nil)
        } catch {
            return .unknown(reason: error.what)
        }
    }

    private func snapshot(
        _ found: (entry: StoredEntry, mark: LogMark), _ log: OfflineLog, _ request: QueryRequest
    ) throws(OfflineLogError) -> ProviderSnapshot {
        let nothing = Money.zero(request.amount.currency)
        func standing(_ standing: ProviderSnapshot.Standing, captured: Money? = nil) -> ProviderSnapshot {
            ProviderSnapshot(reference: found.mark.reference, standing: standing, captured: captured ?? nothing)
        }
        switch found.entry.state {
        case .voided: return standing(.voided)
        case .open, .quarantined: return standing(.stored(StoredTap(found)))
        case .batched, .resolved: break
        }
        switch try log.book().decision(found.entry.sequence)?.outcome {
        case .approved(let reference, let card):
            let authorization = Authorization(
                reference: reference, amount: request.amount, isCaptured: true, card: card)
            return standing(.authorized(authorization), captured: request.amount)
        case .declined(let decline): return standing(.declined(decline))
        case .poison, nil: return standing(.stored(StoredTap(found)))
        }
    }

    /// Asks the online provider about a payment that is no longer in the log. If it was stored once, only the online
    /// provider knows the outcome; its `notFound` proves nothing, because a copy of the card data may still exist
    /// elsewhere.
    private func askOnline(_ request: QueryRequest, wasStored: Bool) async -> ProviderAnswer<ProviderSnapshot> {
        var request = request
        if wasStored { request.context.reference = nil }
        let answer = await online.query(request)
        guard wasStored, case .approved(let snapshot) = answer, snapshot.standing == .notFound else { return answer }
        return .unknown(reason: "the stored card is not in the log any more, and the provider does not know it")
    }

    /// Passes through: offline payments are captured at once.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        await online.capture(request)
    }

    /// Refunds through the online provider only.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        await online.refund(request)
    }
}

extension StoredTap {
    package init(_ found: (entry: StoredEntry, mark: LogMark)) {
        self.init(record: found.mark.reference, storedAt: found.entry.storedAt, expires: found.entry.expires)
    }
}
