public import Foundation
public import TillCore

/// Accepts tap payments: one reader, one provider, one charge at a time.
///
/// ```swift
/// import Foundation
///
/// let service = TapToPayService(psp: psp, reader: reader)
/// try await service.initialize()
/// let result = try await service.charge(amount: Decimal(1250) / 100, currency: "EUR")
/// ```
///
/// - A session serves any number of charges; it is not recreated after each.
/// - A payment is opened at the provider before its card is read, and closed if the card is not read.
/// - Once the provider was asked, the answer is a ``PaymentResult``: a failed call is ``PaymentResult/Status/unknown``,
///   never an error, and the caller's cancellation does not affect it.
/// - An expired token is renewed and the same read repeated, once.
public actor TapToPayService {
    nonisolated let reader: PaymentCardReader
    nonisolated let clock: any TillClock
    nonisolated let deadlines: TapToPayDeadlines
    nonisolated let tokens: ReaderTokenKeeper
    nonisolated let psp: any PaymentServiceProvider
    nonisolated let loyalty: (any LoyaltyProgram)?
    private let executor: PreferredExecutor
    private var session: PaymentCardReaderSession?
    private var isCharging = false
    private var renewal: Task<Void, Never>?

    /// Creates a service over a reader and its provider.
    /// - Parameter loyalty: the program that is notified of passes that were read.
    public init(psp: any PaymentServiceProvider, reader: PaymentCardReader, loyalty: (any LoyaltyProgram)? = nil) {
        self.init(psp: psp, reader: reader, loyalty: loyalty, preferring: PreferredExecutor())
    }

    /// Creates a service whose own tasks run on an executor; `nil` is the system's choice. For tests.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public init(
        psp: any PaymentServiceProvider, reader: PaymentCardReader, loyalty: (any LoyaltyProgram)? = nil,
        executor: (any TaskExecutor)?
    ) {
        self.init(psp: psp, reader: reader, loyalty: loyalty, preferring: PreferredExecutor(executor))
    }

    private init(
        psp: any PaymentServiceProvider, reader: PaymentCardReader, loyalty: (any LoyaltyProgram)?,
        preferring executor: PreferredExecutor
    ) {
        (self.psp, self.reader, self.loyalty, self.executor) = (psp, reader, loyalty, executor)
        (clock, deadlines) = (reader.engine.clock, reader.engine.deadlines)
        tokens = ReaderTokenKeeper(clock: clock, deadlines: deadlines, preferring: executor) {
            try await psp.fetchReaderToken()
        }
    }

    deinit { renewal?.cancel() }

    /// The reader's events; an independent stream for each use.
    public nonisolated var events: AsyncStream<PaymentCardReader.Event> { reader.events }
    /// The reader's status, and each change; an independent stream for each use.
    public nonisolated var statuses: AsyncStream<ReaderStatus> { reader.statuses }
    /// The reader's current status.
    public nonisolated var status: ReaderStatus { reader.status }

    /// Fetches a token, links the shop's account if necessary, and creates a session. Safe to call again at any time:
    /// existing ones are kept.
    public func initialize() async throws(TapToPayError) {
        guard reader.isSupported else { throw .reader(reader.engine.driver.unsupported ?? .unsupported) }
        let token = try await tokens.token()
        do throws(PaymentCardReaderError) {
            if session == nil, try await !reader.isAccountLinked(using: token) {
                try await reader.linkAccount(using: token)
            }
            session = try await prepared(token)
        } catch { throw .reader(error) }
        keepRenewing()
    }

    /// Reads a card for an amount in major units and charges it.
    /// - Throws: ``TapToPayError``; no money moved then, and nothing was charged.
    public func charge(amount: Decimal, currency: String) async throws(TapToPayError) -> PaymentResult {
        try await charge(money(amount, currency))
    }

    /// Reads a card for an amount and charges it.
    public func charge(_ amount: Money) async throws(TapToPayError) -> PaymentResult {
        try await alone { () async throws(TapToPayError) in
            let outcome = try await self.sell(amount, pass: nil)
            guard let payment = outcome.payment else { throw .noCardData }
            return payment
        }
    }

    /// Reads a card and a loyalty pass in one tap. A customer without the pass pays anyway; a pass without a card is a
    /// visit without a payment.
    public func chargeWithLoyalty(
        amount: Decimal, currency: String, loyaltyPassIdentifier: String
    ) async throws(TapToPayError) -> LoyaltyCharge {
        let amount = try money(amount, currency)
        let request = VASRequest(vasMerchants: [VASRequest.Merchant(id: loyaltyPassIdentifier)])
        return try await alone { () async throws(TapToPayError) in try await self.sell(amount, pass: request) }
    }

    /// Reads a card and passes in one tap.
    ///
    /// ```swift
    /// let passes = VASRequest(vasMerchants: [VASRequest.Merchant(id: "pass.com.example.loyalty")])
    /// let charge = try await service.charge(Money(minorUnits: 1250, currency: .eur), with: passes)
    /// for visit in charge.visits { print(visit.text) }
    /// print(charge.payment?.sentence ?? "A pass without a card: nothing was charged.")
    /// ```
    public func charge(_ amount: Money, with passes: VASRequest) async throws(TapToPayError) -> LoyaltyCharge {
        try await alone { () async throws(TapToPayError) in try await self.sell(amount, pass: passes) }
    }

    /// Reads a card and refunds to it. It is not a Tap to Pay payment, and must not be labeled so.
    /// - Parameter payment: the refunded payment, for providers that need it.
    public func refund(
        _ amount: Money, of payment: String? = nil
    ) async throws(TapToPayError) -> RefundResult {
        try await alone { () async throws(TapToPayError) in
            let request = PaymentCardTransactionRequest(amount, for: .refund, reference: payment)
            let card = try await self.card(payment: nil) { session throws(PaymentCardReaderSession.ReadError) in
                ReadOutput(payment: try await session.readPaymentCard(request))
            }.payment
            guard let card, card.paymentCardData != nil else { throw .noCardData }
            return await self.asked(card) { try await self.psp.processRefund(card, amount: amount, payment: payment) }
        }
    }

    /// Refunds to a card, in major units.
    public func refund(amount: Decimal, currency: String) async throws(TapToPayError) -> RefundResult {
        try await refund(money(amount, currency))
    }

    /// Reads a card without an amount: for a lookup, to store the card, to open a tab.
    public func verify(
        currency: String, for reason: PaymentCardVerificationRequest.Reason = .other
    ) async throws(TapToPayError) -> VerificationResult {
        try await alone { () async throws(TapToPayError) in
            let request = PaymentCardVerificationRequest(currencyCode: currency, for: reason)
            let card = try await self.card(payment: nil) { session throws(PaymentCardReaderSession.ReadError) in
                ReadOutput(payment: try await session.readPaymentCard(request))
            }.payment
            guard let card else { throw .noCardData }
            do { return try await self.psp.processVerification(card, reason: reason) } catch {
                throw .notVerified("\(type(of: error))")
            }
        }
    }

    /// Cancels the read and waits for its end. `true`: no card was read.
    public func cancel() async -> Bool {
        guard let session else { return false }
        return (try? await session.cancelRead()) ?? false
    }

    /// Switches the reader off. ``initialize()`` restores it.
    public func close() async {
        renewal?.cancel()
        (renewal, session) = (nil, nil)
        await reader.close()
    }

    // MARK: One sale

    private func sell(_ amount: Money, pass: VASRequest?) async throws(TapToPayError) -> LoyaltyCharge {
        guard amount.isPositive else { throw .read(.invalidAmount) }
        _ = try await readySession()
        let payment: String?
        do { payment = try await psp.openPayment(amount) } catch {
            throw .notOpened((error as? any ExplainedError)?.what ?? "\(type(of: error))")
        }
        let request = PaymentCardTransactionRequest(amount, reference: payment)
        let output = try await card(payment: payment) { session throws(PaymentCardReaderSession.ReadError) in
            guard let pass else { return ReadOutput(payment: try await session.readPaymentCard(request)) }
            let (card, passes) = try await session.readPaymentCard(
                request, vasRequest: pass, stopOnVASResult: false)
            return ReadOutput(payment: card, pass: passes)
        }
        guard let card = output.payment else {
            await close(payment, "no_payment_card")
            let visits = await visits(output.pass)
            return LoyaltyCharge(payment: nil, card: nil, passes: output.pass, visits: visits)
        }
        guard card.paymentCardData != nil else {
            await close(payment, "no_card_data")
            throw .noCardData
        }
        let result = await asked(card) { try await self.psp.processPayment(card, amount: amount, payment: payment) }
        // The visit is recorded after the charge, so that a slow program delays no payment.
        let visits = await visits(output.pass)
        return LoyaltyCharge(payment: result, card: card, passes: output.pass, visits: visits)
    }

    /// Returns a card that was read and may be sent; otherwise closes the payment and throws.
    private func card(
        payment: String?,
        _ read:
            @escaping @Sendable (PaymentCardReaderSession) async throws(PaymentCardReaderSession.ReadError) ->
            ReadOutput
    ) async throws(TapToPayError) -> ReadOutput {
        let output: ReadOutput
        do throws(TapToPayError) { output = try await readTwice(read) } catch {
            await close(payment, "card_not_read")
            throw error
        }
        guard let card = output.payment else { return output }
        if card.outcome == .failure || card.outcome == .cardDeclined {
            if card.paymentCardData != nil { await psp.forwardFailedRead(card, payment: payment) }
            await close(payment, "card_not_read")
            throw .read(card.outcome == .cardDeclined ? .paymentCardDeclined : .cardReadFailed)
        }
        guard card.isFresh(at: clock.now(), deadlines) else {
            await close(payment, "card_data_too_old")
            throw .cardDataTooOld
        }
        if Task.isCancelled {
            await close(payment, "cancelled")
            throw .canceled
        }
        return output
    }

    /// Reads; a second time if only the session or its token had failed.
    private func readTwice(
        _ read: @Sendable (PaymentCardReaderSession) async throws(PaymentCardReaderSession.ReadError) -> ReadOutput
    ) async throws(TapToPayError) -> ReadOutput {
        let session = try await readySession()
        do { return try await read(session) } catch {
            guard error.canBeAskedAgain, !Task.isCancelled else { throw .read(error) }
            if error.facts.recovery == .renewToken { _ = try await tokens.renewed() }
        }
        let again = try await readySession()
        do { return try await read(again) } catch { throw .read(error) }
    }

    /// Returns the existing session, or a new one. Throws before ``initialize()``.
    private func readySession() async throws(TapToPayError) -> PaymentCardReaderSession {
        guard session != nil else { throw .notInitialized }
        let token = try await tokens.token()
        do throws(PaymentCardReaderError) {
            let session = try await prepared(token)
            self.session = session
            return session
        } catch { throw .reader(error) }
    }

    /// Prepares; a token that the reader refuses is discarded, and a new one is tried, once.
    private func prepared(
        _ token: PaymentCardReader.Token
    ) async throws(PaymentCardReaderError) -> PaymentCardReaderSession {
        do { return try await reader.prepare(using: token) } catch {
            guard error.facts.recovery == .renewToken else { throw error }
            await tokens.refused(token)
            guard let next = try? await tokens.renewed(), next != token else { throw error }
            return try await reader.prepare(using: next)
        }
    }

    /// Asks the provider, shielded from the caller's cancellation. An error is an unknown outcome, unless it states
    /// that no money moved.
    private func asked(
        _ card: PaymentCardReadResult, _ ask: @escaping @Sendable () async throws -> PaymentResult
    ) async -> PaymentResult {
        await executor.task {
            do { return try await ask() } catch {
                let known = error as? any ExplainedError
                return PaymentResult(
                    status: known?.moneyMoved == .no ? .declined : .unknown,
                    message: known?.what ?? "\(type(of: error))", card: card.card)
            }
        }.value
    }

    private func visits(_ passes: VASReadResult?) async -> [LoyaltyVisit] {
        guard let loyalty, let passes else { return [] }
        var visits: [LoyaltyVisit] = []
        for entry in passes.entries where entry.status == .success {
            if let visit = try? await loyalty.recordVisit(entry) { visits.append(visit) }
        }
        return visits
    }

    private func close(_ payment: String?, _ reason: String) async {
        guard let payment else { return }
        await psp.closePayment(payment, reason: reason)
    }

    private func alone<Success: Sendable>(
        _ work: () async throws(TapToPayError) -> Success
    ) async throws(TapToPayError) -> Success {
        guard session != nil else { throw .notInitialized }
        guard !isCharging else { throw .busy }
        isCharging = true
        defer { isCharging = false }
        return try await work()
    }

    private nonisolated func money(_ amount: Decimal, _ currency: String) throws(TapToPayError) -> Money {
        do { return try Money(exactly: amount, currencyCode: currency) } catch { throw .read(error) }
    }

    // MARK: Tokens

    /// Renews the token before its expiry for as long as the service lives.
    private func keepRenewing() {
        guard renewal == nil else { return }
        let (clock, tokens, reader, pause) = (clock, tokens, reader, deadlines.longestBackOff)
        renewal = executor.task {
            while !Task.isCancelled {
                let wait = await tokens.untilRenewal ?? pause
                guard await clock.pause(for: max(wait, pause)) else { return }
                guard let remaining = await tokens.untilRenewal, remaining.milliseconds == 0 else { continue }
                do { try await reader.renew(try await tokens.renewed()) } catch {
                    // Retried after the pause. A token that expires before that is refused at the next sale, which
                    // reports it, and nothing is charged.
                }
            }
        }
    }
}

extension PaymentCardReaderSession.ReadError {
    /// `true` if nothing was read, and only a new session or token was missing.
    var canBeAskedAgain: Bool {
        switch self {
        case .noReaderSession, .readerSessionExpired, .readerTokenExpired: true
        default: false
        }
    }
}
