public import TillCore

/// Sales at an Adyen terminal on the local network, at which the customer presents a card.
///
/// The terminal's name is in the journal before anything is sent, so that "unknown transaction" from another terminal
/// is never accepted as an answer. Each request id is derived from the attempt's id; by it the terminal is queried for
/// a payment after a lost answer, and is requested to cancel it. Terminal payments are refunded through Adyen's
/// Checkout API, if the counter has a key for it. A value type: any number of calls may run concurrently; the terminal
/// itself processes one at a time.
public struct AdyenTerminalProvider: PaymentServiceProvider {
    /// The name in settings, requests and the journal: `adyen_terminal`.
    public static let name = ProviderName(rawValue: "adyen_terminal")

    public let terminal: AdyenTerminal
    private let checkout: AdyenProvider?
    private let clock: any TillClock
    /// The current activity of the terminal in this process.
    let activity = AdyenTerminalActivity()

    /// Creates a provider for one terminal.
    /// - Parameter checkout: the provider used for refunds; `nil` declines refunds with an explanation.
    public init(terminal: AdyenTerminal, checkout: AdyenProvider?, clock: any TillClock = SystemClock()) {
        (self.terminal, self.checkout, self.clock) = (terminal, checkout, clock)
    }

    public var name: ProviderName { AdyenTerminalProvider.name }

    /// Returns the merchant account, in which a sale can be refunded regardless of its terminal; the terminal is
    /// recorded in the attempt's own reference. Without the Checkout API the identity is the terminal. A terminal's
    /// address does not reveal its mode: that of the Checkout API applies, and without one only a terminal at a
    /// loopback address is for tests.
    public func identity() async -> ProviderIdentity {
        guard let checkout else { return ProviderIdentity(account: terminal.terminal, mode: mode) }
        var identity = await checkout.identity()
        identity.succeedsDevices = true
        return identity
    }

    /// The mode.
    public var mode: PaymentMode { checkout?.mode ?? (Loopback.isAuthority(terminal.authority) ? .test : .live) }

    /// Captures immediately; keeps no idempotency keys, and is queried by request id.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: .milliseconds(0), preparesFirst: true, partialCapture: false, separateCapture: false,
            takesCards: false, answerTime: AdyenTerminal.defaultPatience, showsAfterSale: false)
    }

    /// The amount format: decimals with the number of digits in ISO 4217.
    public var amounts: AmountCodec {
        AmountCodec(provider: "Adyen's terminal", exceptions: [:])
    }

    /// The tender of a sale at this terminal.
    public var tender: Tender {
        .cardPresent(
            CardPresentPayload(reader: terminal.terminal, sealed: Secret(terminal.terminal), card: nil))
    }

    private func conversation(_ attempt: AttemptID) -> AdyenTerminalConversation {
        AdyenTerminalConversation(
            terminal: terminal, clock: clock, name: AdyenTerminalConversation.requestName(attempt.rawValue, "pay"),
            attempt: attempt.rawValue)
    }

    /// Names the terminal to be used; sends nothing.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = ProviderReference(ifValid: terminal.terminal) else {
            return .notSent(reason: "the terminal's name cannot be kept")
        }
        return .approved(Confirmation(reference: reference))
    }

    /// Requests the payment at the terminal and waits for the customer.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard case .cardPresent(let payload) = tender, payload.sealed.reveal() == terminal.terminal else {
            return .declined(Decline(reason: .cardNotSupported, message: "the terminal takes cards that are there"))
        }
        guard request.captureMode == .automatic else {
            return .declined(Decline(reason: .invalidRequest, message: "the terminal takes money at once"))
        }
        return await activity.follow(request.context, at: terminal.terminal) { await pay(request) }
    }

    private func pay(_ request: AuthorizationRequest) async -> ProviderAnswer<Authorization> {
        switch await conversation(request.context.attempt).pay(request.amount) {
        case .success(.taken(let authorization)): .approved(authorization)
        case .success(.refused(let decline)): .declined(decline)
        case .success(.open(let reason)): .unknown(reason: reason)
        case .success(.neverCame): .unknown(reason: "the terminal does not know the request")
        case .failure(.notSent(let reason)): .notSent(reason: reason)
        case .failure(let error): .unknown(reason: error.reason)
        }
    }

    /// Never needed: the money is captured immediately.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        .declined(Decline(reason: .invalidRequest, message: "the terminal took the money at once"))
    }

    /// Cancels an unanswered payment. The terminal's answer decides whether the cancellation was in time.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        if let reason = elsewhere(request.context) { return .unknown(reason: reason) }
        switch await conversation(request.context.attempt).callOff(sentAt: request.context.startedAt) {
        case .canceled: return .approved(Confirmation())
        case .taken: return .declined(Decline(reason: .invalidRequest, message: "the terminal has taken the money"))
        case .notSent(let reason): return .notSent(reason: reason)
        case .open(let reason): return .unknown(reason: reason)
        }
    }

    /// Requests cancellation of an attempt. The answer to the payment shows whether it was in time.
    func abort(_ attempt: AttemptID) async throws(AdyenTerminalError) {
        try await conversation(attempt).abort()
    }

    /// Refunds through Adyen's Checkout API: `unknown` until a webhook reports the result.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let checkout else {
            return .declined(
                Decline(
                    reason: .invalidRequest,
                    message: "refunds of a terminal's payments need Adyen's merchant account and API key"))
        }
        return await checkout.refund(request)
    }

    /// Queries the terminal for an attempt and adds the later webhook reports. Once Adyen's reference of the payment is
    /// known, the terminal is not queried.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(request.amount.currency)
        func snapshot(_ standing: ProviderSnapshot.Standing) -> ProviderAnswer<ProviderSnapshot> {
            .approved(ProviderSnapshot(reference: nil, standing: standing, captured: nothing))
        }
        if let checkout, let reference = request.context.reference, Self.isPayment(reference) {
            let taken = Authorization(reference: reference, amount: request.amount, isCaptured: true)
            return await afterSale(taken, request.context.attempt, checkout)
        }
        if let reason = elsewhere(request.context) { return .unknown(reason: reason) }
        switch await conversation(request.context.attempt).standing(request.amount) {
        case .success(.taken(let authorization)):
            guard let checkout else {
                return .approved(
                    ProviderSnapshot(
                        reference: authorization.reference, standing: .authorized(authorization),
                        captured: authorization.amount))
            }
            return await afterSale(authorization, request.context.attempt, checkout)
        case .success(.refused(let decline)): return snapshot(.declined(decline))
        case .success(.neverCame): return snapshot(.notFound)
        case .success(.open): return snapshot(.processing)
        case .failure(.notSent(let reason)): return .notSent(reason: reason)
        case .failure(let error): return .unknown(reason: error.reason)
        }
    }

    /// Returns the state of a terminal payment after the sale: chargebacks, refunds in the Customer Area, failures.
    private func afterSale(
        _ taken: Authorization, _ attempt: AttemptID, _ checkout: AdyenProvider
    ) async -> ProviderAnswer<ProviderSnapshot> {
        guard let (payment, _) = AdyenProvider.name(taken.reference) else {
            return .unknown(reason: "the payment's name cannot be read")
        }
        do throws(AdyenNotificationLogError) {
            let later = try await checkout.book.modifications(of: payment, attempt: attempt)
            return .approved(.adyen(taken, payment, later, isAtOnce: true))
        } catch {
            return .unknown(reason: error.description)
        }
    }

    /// Returns `true` if a reference is Adyen's payment reference rather than the name of a terminal.
    private static func isPayment(_ reference: ProviderReference) -> Bool {
        AdyenProvider.name(reference)?.isAtOnce ?? false
    }

    /// Returns the reason for which this terminal cannot answer: the payment was requested at another one.
    private func elsewhere(_ context: AttemptContext) -> String? {
        guard let reference = context.reference, AdyenProvider.name(reference) == nil,
            reference.rawValue != terminal.terminal
        else { return nil }
        return "terminal \(reference) was asked, and terminal \(terminal.terminal) is set up: set up the other one"
    }
}
