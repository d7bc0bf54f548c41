import TillContactless
public import TillCore
public import TillOffline

/// A provider that accepts stored payments: decrypts and decides each, and issues the deletion token. It charges in the
/// sandbox's own ledger under the attempt's key, so that a payment is charged once however often it is uploaded.
public struct SandboxForwarder: OfflineForwarder {
    public let keys = SandboxOfflineKeys.keys
    /// The record of batches and logs.
    public let offline: SandboxOfflineLedger
    /// The maximum number of payments accepted within ``window``; beyond it, uploads are throttled.
    public var mostInWindow = 1_000_000
    /// The window for ``mostInWindow``.
    public var window: Span = .seconds(1)
    /// The lifetime of a deletion token.
    public var tokenLifetime: Span = .hours(1)
    /// `true` if the provider is reachable.
    public var isReachable = true
    private let ledger: SandboxLedger
    private let clock: any TillClock
    private let latency: Span
    private let fault: @Sendable (BatchUpload) -> SandboxFault?

    /// Creates a forwarder over a provider's ledger.
    /// - Parameter fault: the fault of an upload.
    public init(
        ledger: SandboxLedger, offline: SandboxOfflineLedger, clock: any TillClock, latency: Span = .milliseconds(0),
        fault: @escaping @Sendable (BatchUpload) -> SandboxFault? = { _ in nil }
    ) {
        self.ledger = ledger
        self.offline = offline
        self.clock = clock
        self.latency = latency
        self.fault = fault
    }

    /// Records the device and the state of its log.
    public func contact(_ checkpoint: LogCheckpoint, from header: LogHeader) async -> ContactAnswer {
        guard isReachable else { return .notReached(reason: "connection refused") }
        do {
            if let reason = try offline.see(checkpoint, from: header) { return .refused(reason: reason) }
            return .reached
        } catch {
            return .notReached(reason: "the sandbox's ledger could not be read or written")
        }
    }

    /// Decides a batch, or repeats the earlier decisions.
    public func forward(_ upload: BatchUpload) async -> ForwardAnswer {
        let fault = fault(upload)
        do {
            switch fault {
            case .notSent: return .notSent(reason: "connection refused")
            case .timeoutBeforeCommit: return .unknown(reason: "timed out")
            case .conflict: return .unknown(reason: "409 the batch is being decided")
            case .outage: return .unknown(reason: "503")
            case .stickyServerError: return .unknown(reason: "500")
            case .slow(let span): try await clock.sleep(for: span)
            case .duplicateDelivery: _ = try await decide(upload)
            case .timeoutAfterCommit, .serverErrorAfterSuccess, nil: break
            }
            if latency.milliseconds > 0 { try await clock.sleep(for: latency) }
            let answer = try await decide(upload)
            switch fault {
            case .timeoutAfterCommit: return .unknown(reason: "timed out")
            case .serverErrorAfterSuccess: return .unknown(reason: "500")
            case .notSent, .timeoutBeforeCommit, .stickyServerError, .conflict, .outage, .slow, .duplicateDelivery,
                nil:
                return answer
            }
        } catch {
            return .unknown(reason: "the sandbox's ledger could not be read or written")
        }
    }

    private func decide(_ upload: BatchUpload) async throws -> ForwardAnswer {
        let log = upload.header.log
        guard upload.header.provider == keys else { return .refused(reason: "it is sealed for someone else") }
        guard upload.content.isSigned(by: upload.header.deviceKey) else {
            return .refused(reason: "the device's signature under the batch is not right")
        }
        let root = BatchContent.root(id: upload.content.id, hashes: upload.records.map(\.hash))
        guard root == upload.content.root, upload.records.map(\.sequence) == upload.content.members else {
            return .refused(reason: "the batch does not hold what it says")
        }
        if let seen = try offline.batch(upload.content.id, log: log) {
            guard seen.root == upload.content.root else {
                return .refused(reason: "another batch came under this name before")
            }
            if let receipt = OfflineReceiptText.read(seen.receipt) { return accepted(receipt, upload) }
        }
        if let reason = try offline.see(upload.checkpoint, from: upload.header) { return .refused(reason: reason) }
        let now = clock.now()
        if let wait = try offline.take(upload.records.count, atMost: mostInWindow, within: window, at: now) {
            return .busy(retryAfter: wait)
        }
        var decisions: [RecordDecision] = []
        for record in upload.records {
            decisions.append(RecordDecision(sequence: record.sequence, outcome: try await decide(record, log, now)))
        }
        try offline.keep(zip(upload.records, decisions).map { ($0, $1.outcome.word) }, log: log)
        try offline.keep(
            upload.content.id, log: log, root: upload.content.root, receipt: OfflineReceiptText.write(decisions))
        return accepted(decisions, upload)
    }

    /// Accepts a batch: issues a new deletion token for each upload; the decisions stay as first made.
    private func accepted(_ decisions: [RecordDecision], _ upload: BatchUpload) -> ForwardAnswer {
        let now = clock.now()
        let token = DeletionToken(
            log: upload.header.log, content: upload.content, decisions: decisions, issued: now,
            expires: now.adding(tokenLifetime))
        guard let text = token.text(signedWith: SandboxOfflineKeys.signing) else {
            return .unknown(reason: "the sandbox could not sign")
        }
        return .accepted(BatchReceipt(batch: upload.content.id, decisions: decisions, token: text))
    }

    private func decide(
        _ upload: BatchUpload.Record, _ log: String, _ now: Timestamp
    ) async throws -> RecordDecision.Outcome {
        let record = upload.record
        guard let opened = StoredCardSeal.open(record, log: log, with: SandboxOfflineKeys.sealing) else {
            return .poison(reason: "The card's data cannot be opened: they were changed or are for someone else.")
        }
        guard let card = card(opened, record) else {
            return .poison(reason: "What was sealed is no card for this payment.")
        }
        guard now <= record.expires else {
            return .declined(
                Decline(reason: .authorizationExpired, code: "offline_expired", message: "It came too late."))
        }
        let key = "\(record.attempt)-authorize"
        let draft = SandboxLedger.Draft(
            key: key, account: record.account.rawValue, order: record.order.rawValue,
            payment: record.payment.rawValue, attempt: record.attempt.rawValue, amount: record.amount.minorUnits,
            currency: record.amount.currency.code, text: "Order \(record.order), stored offline")
        let effect = try await ledger.authorize(
            draft, reference: nil, key: key, fingerprint: "\(record.amount) offline", card: card)
        switch effect.outcome {
        case .approved, .pending: break
        case .requiresAction:
            return .declined(Decline(sandboxCode: "authentication_required", message: "The customer is gone."))
        case .declined(let code, let message): return .declined(Decline(sandboxCode: code, message: message))
        }
        if effect.charge.captures.isEmpty {
            _ = try await ledger.capture(
                reference: effect.charge.reference, attempt: record.attempt.rawValue, amount: record.amount,
                isFinal: true, key: "\(record.attempt)-capture")
        }
        return .approved(
            reference: ProviderReference(rawValue: effect.charge.reference),
            card: CardSummary(brand: card.brand, lastFour: card.lastFour, entryMode: card.entryMode))
    }

    /// Returns the card that a reader sealed; it must be sealed for this payment, and have been fresh when it was
    /// stored.
    private func card(_ opened: Secret<String>, _ record: StoredRecord) -> SandboxCard? {
        guard CardEnvelope.isEnvelope(opened.reveal()) else { return SandboxCard(sealed: opened.reveal()) }
        return SandboxEnvelope.card(opened, for: record.amount, payment: record.payment, at: record.at)
    }
}

extension RecordDecision.Outcome {
    var word: String {
        switch self {
        case .approved: "approved"
        case .declined: "declined"
        case .poison: "poison"
        }
    }
}
