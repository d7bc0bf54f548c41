internal import HTTPTypes
internal import TillBraintreeClient
public import TillCore
internal import TillPayPalClient
internal import TillProvider

/// Manually entered cards through Braintree: a card becomes a nonce, a nonce becomes a transaction.
///
/// ```swift
/// import TillHTTP
///
/// let config = try BraintreeConfig(
///     merchantID: "shop", publicKey: "shop_public", privateKey: privateKey, merchantAccounts: [.eur: "shop_eur"])
/// let braintree = BraintreeProvider(config: config, transport: HTTPClientTransport(), clock: SystemClock())
/// let identity = await braintree.identity()
/// print(identity.account ?? "unknown account", braintree.mode.rawValue)
/// ```
///
/// Braintree has no idempotency keys. Instead, the attempt's id is the transaction's order id, by which it is found
/// again, and a nonce is valid for one transaction only. A value: any number of calls may run concurrently.
public struct BraintreeProvider: PaymentServiceProvider {
    /// The time after which a transaction unknown to Braintree can no longer arrive. Each of our calls ends with its
    /// connection after ``deadline``; intermediaries drop a request after minutes. Braintree has no idempotency keys,
    /// so nothing that may have been sent is sent again before.
    public static let lateArrival: Span = .minutes(10)
    /// The maximum number of transactions that a search may find.
    static let maximumFound = 50
    /// The maximum number of errors read from one response.
    static let maximumErrors = 100

    /// The time limit of each operation.
    public let deadline: Span
    let gateway: BraintreeGateway
    /// The amount format for all currencies, including those no longer accepted, so that earlier captures can always be
    /// refunded.
    let wire = AmountCodec(provider: "Braintree", exceptions: [:])
    let clock: any TillClock
    /// What the bank must have said of a card of Braintree's fields.
    let verification: BraintreeVerification
    private let account: ProviderIdentity

    public init(
        config: BraintreeConfig, transport: any HTTPTransport, clock: any TillClock, deadline: Span = .seconds(25),
        verification: BraintreeVerification = .off
    ) {
        gateway = BraintreeGateway(config: config, transport: transport)
        account = ProviderIdentity(
            account: config.merchantID, mode: .at(config.gateway.authority, testWord: ".sandbox."),
            keyFingerprint: KeyFingerprint.of(config.privateKey, at: ProviderName(rawValue: "braintree")))
        self.clock = clock
        self.deadline = deadline
        self.verification = verification
    }

    /// The name in settings, requests and the journal: `braintree`.
    public var name: ProviderName { ProviderName(rawValue: "braintree") }

    /// No idempotency keys: every uncertainty is resolved by a query.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: .seconds(0), preparesFirst: false, partialCapture: true, multipleCapture: false,
            separateCapture: true, takesCards: true, takesTokens: true)
    }

    /// Decimal strings with the decimal places of ISO 4217, in the currencies that have a merchant account.
    public var amounts: AmountCodec {
        AmountCodec(
            provider: "Braintree", exceptions: [:], supported: Set(gateway.config.merchantAccounts.keys.map(\.code)),
            setting: Setting.braintreeMerchantAccounts.key)
    }

    /// The address's mode: the production environment moves real money.
    public var mode: PaymentMode { account.mode }

    /// The merchant's identity, which is independent of its keys.
    public func identity() async -> ProviderIdentity { account }

    /// Creates a nonce from the card, unless Braintree's own fields did, and a transaction from the nonce. Only the
    /// second step requests money, and a nonce pays once.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard let account = gateway.config.merchantAccounts[request.amount.currency],
            let amount = amounts.wireDecimalString(ifExact: request.amount)
        else {
            return .declined(Decline(reason: .invalidAmount, message: "Braintree cannot take this amount"))
        }
        let end = clock.now().adding(deadline)
        let nonce: Secret<String>
        switch tender {
        case .token(let token):
            if let refused = await refusal(ofNonce: token.value, until: end) { return refused }
            nonce = token.value
        case .card(let card):
            switch await gateway.tokenize(card, within: end.since(clock.now())) {
            case .success(let made): nonce = made.nonce
            case .failure(.refused(let decline)): return .declined(decline)
            case .failure(.keyRejected(let reason)): return .keyRejected(reason: reason)
            case .failure(.unavailable(let reason)): return .notSent(reason: reason)
            }
        case .cardPresent, .wallet, .payPal, .payPalCard, .adyenSession, .cash:
            return .declined(
                Decline(reason: .cardNotSupported, message: "Braintree takes typed cards and its fields' nonces only"))
        }
        let body = XMLNode(
            "transaction",
            of: [
                XMLNode("amount", amount), XMLNode("merchant_account_id", account),
                XMLNode("payment_method_nonce", nonce.reveal()),
                XMLNode("order_id", request.context.attempt.rawValue),
                XMLNode(
                    "options",
                    of: [
                        XMLNode(
                            "submit_for_settlement", request.captureMode == .automatic ? "true" : "false",
                            type: "boolean")
                    ]),
                XMLNode("type", "sale"),
            ])
        switch await gateway.send(.post, "/transactions", body, within: end.since(clock.now())) {
        case .answered(let node): return answer(BraintreeTransaction(node), asked: request.amount)
        case .refused(let node):
            // A declined card has a transaction in the response; an invalid request has none.
            if let transaction = BraintreeTransaction(node["transaction"]) {
                guard transaction.isDoneElsewhere else { return answer(transaction, asked: request.amount) }
                return await settled(transaction, request)
            }
            let (decline, needsQuery) = refusal(node)
            return needsQuery ? .unknown(reason: decline.message ?? notShownYet) : .declined(decline)
        case .failed(let status): return failed(status)
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// The response and the list contradict each other, so the state of the money is undetermined.
    var notShownYet: String { "the provider says that it is done already, and does not show it yet" }

    /// Resolves a transaction that was declined as a duplicate, which may be the retry of a successful one of ours.
    private func settled(
        _ duplicate: BraintreeTransaction, _ request: AuthorizationRequest
    ) async -> ProviderAnswer<Authorization> {
        switch await find(request.context.attempt, type: "sale") {
        case .success(let found?): return answer(found, asked: request.amount)
        case .success(nil): return answer(duplicate, asked: request.amount)
        case .failure: return .unknown(reason: "the transactions could not be searched after a refusal")
        }
    }

    private func answer(_ transaction: BraintreeTransaction?, asked: Money) -> ProviderAnswer<Authorization> {
        guard let transaction, let reference = ProviderReference(ifValid: transaction.id) else {
            return .unknown(reason: "the answer cannot be read")
        }
        switch transaction.meaning {
        case .held, .taken:
            // A response in another currency is passed on unchanged: the engine raises the alarm.
            guard transaction.amount == asked || transaction.amount.currency != asked.currency else {
                return .unknown(reason: "amount mismatch")
            }
            return .approved(
                Authorization(
                    reference: reference, amount: transaction.amount, isCaptured: transaction.meaning == .taken,
                    captureBefore: transaction.expires, honoredUntil: transaction.honoredUntil,
                    card: transaction.card))
        case .declined, .voided, .expired: return .declined(transaction.decline)
        case .undecided: return .unknown(reason: "the transaction is \(transaction.status)")
        }
    }

    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference, BraintreeTransaction.isUsable(reference.rawValue) else {
            return .notSent(reason: "there is no transaction")
        }
        guard let amount = wire.wireDecimalString(ifExact: request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "Braintree cannot take this amount"))
        }
        let body = XMLNode("transaction", of: [XMLNode("amount", amount)])
        switch await gateway.send(
            .put, "/transactions/\(reference)/submit_for_settlement", body, within: deadline)
        {
        case .answered(let node):
            guard let done = BraintreeTransaction(node) else { return .unknown(reason: "the answer cannot be read") }
            guard done.amount == request.amount else { return .unknown(reason: "amount mismatch") }
            return done.meaning == .taken
                ? .approved(Confirmation(reference: reference)) : .unknown(reason: "the transaction is \(done.status)")
        // It may be the retry of a successful request: the transaction decides.
        case .refused(let node):
            return await settled(reference, node, captured: request.amount) { $0.meaning == .taken }
        case .failed(let status): return failed(status)
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Voids a hold. An attempt without a transaction is searched for; one that has not arrived within ``lateArrival``
    /// cannot arrive any more.
    ///
    /// Braintree also voids a transaction submitted for settlement, which returns captured money. So a known hold is
    /// read first, and one submitted elsewhere meanwhile is left alone.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        var reference = request.context.reference
        if reference == nil {
            switch await find(request.context.attempt, type: "sale") {
            case .success(let found?):
                if found.meaning == .declined || found.meaning == .voided { return .approved(Confirmation()) }
                reference = ProviderReference(rawValue: found.id)
            case .success(nil):
                let isOver = clock.now().since(request.context.startedAt) > BraintreeProvider.lateArrival
                return isOver && clock.standing.isTrusted
                    ? .approved(Confirmation()) : .notSent(reason: "the transaction may still arrive")
            case .failure(let failure): return failure.notSent()
            }
        }
        guard let reference, BraintreeTransaction.isUsable(reference.rawValue) else {
            return .notSent(reason: "there is no transaction")
        }
        // An attempt with an unknown end may have been submitted by its own sale: that money is not wanted.
        guard request.context.reference != nil else { return await void(reference) }
        switch await transaction(reference.rawValue) {
        case .success(let current) where current.meaning == .taken:
            return .declined(.capturedElsewhere(current.amount))
        case .success: return await void(reference)
        case .failure(let failure): return failure.notSent()
        }
    }

    func void(_ reference: ProviderReference) async -> ProviderAnswer<Confirmation> {
        switch await gateway.send(.put, "/transactions/\(reference)/void", within: deadline) {
        case .answered(let node):
            return BraintreeTransaction(node)?.meaning == .voided
                ? .approved(Confirmation(reference: reference)) : .unknown(reason: "the answer cannot be read")
        case .refused(let node): return await settled(reference, node) { $0.meaning == .voided }
        case .failed(let status): return failed(status)
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Reads the transaction and its refunds.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(request.amount.currency)
        let sale: BraintreeTransaction
        if let reference = request.context.reference, BraintreeTransaction.isUsable(reference.rawValue) {
            switch await transaction(reference.rawValue) {
            case .success(let found): sale = found
            case .failure(let failure): return failure.unanswered()
            }
        } else {
            switch await find(request.context.attempt, type: "sale") {
            case .success(let found?): sale = found
            case .success(nil):
                return .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: nothing))
            case .failure(let failure): return failure.unanswered()
            }
        }
        let isOtherCurrency = sale.amount.currency != request.amount.currency
        guard isOtherCurrency || sale.amount.minorUnits <= request.amount.minorUnits else {
            return .unknown(reason: "amount mismatch")
        }
        let refunds: [BraintreeTransaction]
        switch await self.refunds(of: sale) {
        case .success(let read): refunds = read
        case .failure(let failure): return failure.unanswered()
        }
        let reference = ProviderReference(rawValue: sale.id)
        let standing: ProviderSnapshot.Standing =
            switch sale.meaning {
            case .held, .taken:
                .authorized(
                    Authorization(
                        reference: reference, amount: isOtherCurrency ? sale.amount : request.amount,
                        captureBefore: sale.expires, honoredUntil: sale.honoredUntil, card: sale.card))
            case .voided, .expired: .voided
            case .declined: .declined(sale.decline)
            case .undecided: .processing
            }
        guard !request.isAtRest || sale.disputes.allSatisfy({ $0 != nil }) else {
            return .unknown(reason: "a dispute cannot be read")
        }
        let isTaken = (sale.meaning == .taken || sale.isTakenBack) && !isOtherCurrency
        var snapshot = ProviderSnapshot(
            reference: reference, standing: standing, captured: isTaken ? sale.amount : nothing,
            refunds: refunds.filter { $0.amount.currency == request.amount.currency }.map(\.snapshot))
        if isTaken, sale.isTakenBack {
            snapshot.refunds.append(
                ProviderSnapshot.Refund(reference: reference, refund: nil, amount: sale.amount, status: .succeeded))
        }
        if sale.meaning == .declined {
            snapshot.failedCaptures = [ProviderSnapshot.FailedCapture(reference: reference, decline: sale.decline)]
        }
        snapshot.disputes = sale.disputes.compactMap { $0?.dispute }
        return .approved(snapshot)
    }
}

extension BraintreeTransaction {
    /// The transaction as a refund of a sale.
    fileprivate var snapshot: ProviderSnapshot.Refund {
        let status: ProviderSnapshot.Refund.Status =
            switch meaning {
            case .taken: .succeeded
            case .declined, .voided, .expired: .failed(decline)
            case .held, .undecided: .pending
            }
        return ProviderSnapshot.Refund(
            reference: ProviderReference(rawValue: id), refund: orderID.flatMap { RefundID(ifValid: $0) },
            amount: amount, status: status)
    }
}
