import TillCore

/// The intents and refunds of a simulated reader's provider. The same key has the same answer; identifiers are counted,
/// and unique among the books of one driver.
struct SimulatedReaderBooks {
    private struct Entry {
        var intent: PaymentIntent
        let captureMethod: PaymentIntentParameters.CaptureMethod
        var card: SimulatedCard?
        var answers: [IdempotencyKey: Result<PaymentIntent, CardReaderFailure>] = [:]
    }

    /// The maximum number of intents, and of refunds; more are refused.
    static let maximumEntries = 4096

    private var entries: [ProviderReference: Entry] = [:]
    private var byKey: [IdempotencyKey: ProviderReference] = [:]
    private var refunds: [IdempotencyKey: CardReaderRefund] = [:]

    /// Creates the intent of a key, or returns it.
    mutating func create(
        _ request: CardReaderIntentRequest, at now: Timestamp
    ) throws(CardReaderFailure) -> PaymentIntent {
        if let id = byKey[request.key], let entry = entries[id] { return entry.intent }
        try Self.checkRoom(entries.count)
        let intent = try PaymentIntent(
            id: ProviderReference(rawValue: "sim_pi_\(entries.count + 1)"), account: request.account,
            order: request.parameters.order, status: .requiresPaymentMethod, created: now,
            amount: request.parameters.amount, metadata: request.metadata)
        entries[intent.id] = Entry(intent: intent, captureMethod: request.parameters.captureMethod)
        byKey[request.key] = intent.id
        return intent
    }

    private static func checkRoom(_ count: Int) throws(CardReaderFailure) {
        guard count < maximumEntries else {
            throw CardReaderFailure(
                .internalServiceError, message: "A simulated reader keeps \(maximumEntries) payments and refunds.")
        }
    }

    func intent(_ id: ProviderReference, account: AccountID) throws(CardReaderFailure) -> PaymentIntent {
        try entry(id, account: account).intent
    }

    private func entry(_ id: ProviderReference, account: AccountID) throws(CardReaderFailure) -> Entry {
        guard let entry = entries[id] else { throw CardReaderFailure(.confirmInvalidPaymentIntent) }
        guard entry.intent.account == account else { throw CardReaderFailure(.accountMismatch) }
        return entry
    }

    /// Attaches a card to an unpaid intent.
    mutating func attach(
        _ card: SimulatedCard, to id: ProviderReference, account: AccountID
    ) throws(CardReaderFailure) -> PaymentIntent {
        var entry = try entry(id, account: account)
        guard entry.intent.status == .requiresPaymentMethod || entry.intent.status == .requiresConfirmation else {
            throw CardReaderFailure(.intentInvalidState, intent: entry.intent)
        }
        entry.card = card
        entry.intent.collected = card.paymentMethod
        entry.intent.status = .requiresConfirmation
        entries[id] = entry
        return entry.intent
    }

    /// Charges the attached card, once for a key.
    mutating func confirm(
        _ id: ProviderReference, account: AccountID, key: IdempotencyKey
    ) throws(CardReaderFailure) -> PaymentIntent {
        var entry = try entry(id, account: account)
        if let answer = entry.answers[key] { return try answer.get() }
        guard let card = entry.card, entry.intent.status == .requiresConfirmation else {
            throw CardReaderFailure(.confirmInvalidPaymentIntent, intent: entry.intent)
        }
        let answer = Self.charge(card, &entry)
        entry.answers[key] = answer
        entries[id] = entry
        return try answer.get()
    }

    private static func charge(
        _ card: SimulatedCard, _ entry: inout Entry
    ) -> Result<PaymentIntent, CardReaderFailure> {
        let charge = ProviderReference(
            rawValue: entry.intent.id.rawValue.replacing("sim_pi", with: "sim_ch")
                + "_\(entry.intent.charges.count + 1)")
        guard case .declined(let code) = card.behavior else {
            let isCaptured = entry.captureMethod == .automatic || card.paymentMethod.isSingleMessage
            entry.intent.status = isCaptured ? .succeeded : .requiresCapture
            entry.intent.charges.append(
                Charge(
                    id: charge, amount: entry.intent.amount, status: .succeeded, paymentMethod: card.paymentMethod,
                    isCaptured: isCaptured))
            return .success(entry.intent)
        }
        let decline = Decline(reason: DeclineReason(rawValue: code), code: code)
        entry.card = nil
        entry.intent.status = .requiresPaymentMethod
        entry.intent.lastDecline = decline
        entry.intent.charges.append(
            Charge(id: charge, amount: entry.intent.amount, status: .failed, paymentMethod: card.paymentMethod))
        var details = CardReaderErrorDetails()
        details.decline = decline
        return .failure(CardReaderFailure(.paymentDeclinedByPaymentProcessor, details: details, intent: entry.intent))
    }

    /// Cancels an unpaid intent; one that holds money is returned as it is.
    mutating func cancel(_ id: ProviderReference, account: AccountID) throws(CardReaderFailure) -> PaymentIntent {
        var entry = try entry(id, account: account)
        if entry.intent.status.moneyMoved != .yes { entry.intent.status = .canceled }
        entries[id] = entry
        return entry.intent
    }

    /// The refund of a key, if it was made.
    func refund(_ key: IdempotencyKey) -> CardReaderRefund? { refunds[key] }

    /// Refuses a refund of a charge that did not take the money, or of more than is left of it.
    func check(_ parameters: RefundParameters) throws(CardReaderFailure) {
        try Self.checkRoom(refunds.count)
        let charge = entries.values.lazy
            .filter { $0.intent.account == parameters.account }
            .compactMap { $0.intent.charges.first { $0.id == parameters.charge && $0.isCaptured } }.first
        guard let charge, charge.amount.currency == parameters.amount.currency else {
            throw CardReaderFailure(
                .invalidRefundParameters, message: "No captured charge \(parameters.charge) in that currency.")
        }
        let left = refunds.values.lazy
            .filter { $0.charge == parameters.charge && $0.status == .succeeded }
            .reduce(charge.amount.minorUnits) { $0 - $1.amount.minorUnits }
        guard parameters.amount.isPositive, parameters.amount.minorUnits <= left else {
            throw CardReaderFailure(.refundFailed, message: "That is more than is left of \(parameters.charge).")
        }
    }

    /// Refunds to a card, once for a key; a card that is declined refuses the money.
    mutating func refund(
        _ parameters: RefundParameters, to card: SimulatedCard
    ) throws(CardReaderFailure) -> CardReaderRefund {
        if let made = refunds[parameters.key] { return made }
        try check(parameters)
        var reason: String?
        if case .declined(let code) = card.behavior { reason = code }
        let refund = CardReaderRefund(
            id: ProviderReference(rawValue: "sim_re_\(refunds.count + 1)"), charge: parameters.charge,
            amount: parameters.amount, status: reason == nil ? .succeeded : .failed, failureReason: reason)
        refunds[parameters.key] = refund
        return refund
    }
}
