internal import Crypto
internal import Foundation
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

    /// Returns the request id, the same for the same attempt and purpose: ten characters, as the terminal requires.
    static func requestName(_ attempt: AttemptID, _ purpose: String) -> String {
        let digest = SHA256.hash(data: Array("\(purpose)/\(attempt.rawValue)".utf8))
        return Hex.text(Array(digest.prefix(AdyenTerminal.longestName / 2)))
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
        let attempt = request.context.attempt
        do throws(AdyenTerminalError) {
            let outcome = try await terminal.pay(
                request.amount, transaction: attempt.rawValue,
                name: AdyenTerminalProvider.requestName(attempt, "pay"))
            switch AdyenTerminalProvider.standing(outcome, request.amount) {
            case .taken(let authorization): return .approved(authorization)
            case .refused(let decline): return .declined(decline)
            case .open(let reason): return .unknown(reason: reason)
            case .neverCame: return .unknown(reason: "the terminal does not know the request")
            }
        } catch {
            if case .notSent(let reason) = error { return .notSent(reason: reason) }
            return .unknown(reason: AdyenTerminalProvider.reason(error))
        }
    }

    /// Never needed: the money is captured immediately.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        .declined(Decline(reason: .invalidRequest, message: "the terminal took the money at once"))
    }

    /// Cancels an unanswered payment. The terminal's answer decides whether the cancellation was in time.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        let attempt = request.context.attempt
        if let reason = elsewhere(request.context) { return .unknown(reason: reason) }
        do throws(AdyenTerminalError) {
            try await abort(attempt)
        } catch {
            if case .notSent(let reason) = error { return .notSent(reason: reason) }
            return .unknown(reason: AdyenTerminalProvider.reason(error))
        }
        switch await queryStanding(attempt, nil) {
        case .success(.refused): return .approved(Confirmation())
        case .success(.neverCame):
            // Before the timeout has passed the request may still be in transit.
            guard clock.standing.isTrusted,
                clock.now().since(request.context.startedAt) > AdyenTerminal.defaultPatience
            else {
                return .unknown(reason: "the terminal does not know the request yet")
            }
            return .approved(Confirmation())
        case .success(.taken):
            return .declined(Decline(reason: .invalidRequest, message: "the terminal has taken the money"))
        case .success(.open(let reason)): return .unknown(reason: reason)
        case .failure(let error): return .unknown(reason: AdyenTerminalProvider.reason(error))
        }
    }

    /// Requests cancellation of an attempt. The answer to the payment shows whether it was in time.
    func abort(_ attempt: AttemptID) async throws(AdyenTerminalError) {
        try await terminal.abort(AdyenTerminalProvider.requestName(attempt, "pay"), as: fresh(attempt, "abort"))
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
        switch await queryStanding(request.context.attempt, request.amount) {
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
        case .failure(let error): return .unknown(reason: AdyenTerminalProvider.reason(error))
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

    private func queryStanding(_ attempt: AttemptID, _ amount: Money?) async -> Result<Standing, AdyenTerminalError> {
        do throws(AdyenTerminalError) {
            let outcome = try await terminal.status(
                of: AdyenTerminalProvider.requestName(attempt, "pay"), as: fresh(attempt, "status"),
                currency: amount?.currency ?? .eur)
            return .success(AdyenTerminalProvider.standing(outcome, amount))
        } catch {
            return .failure(error)
        }
    }

    /// Returns a unique id for a request without a fixed one.
    private func fresh(_ attempt: AttemptID, _ purpose: String) -> String {
        AdyenTerminalProvider.requestName(attempt, "\(purpose)/\(clock.now().milliseconds)")
    }

    static func reason(_ error: AdyenTerminalError) -> String {
        switch error {
        case .notSent(let reason), .unknown(let reason): reason
        case .malformed: "the terminal's answer cannot be read"
        case .otherKey: "the terminal uses another key"
        case .brokenSeal: "the seal of the terminal's answer is broken"
        case .otherMessage: "the terminal answered something else"
        }
    }
}

extension AdyenTerminalProvider {
    /// The interpretation of a terminal's answer.
    enum Standing: Equatable {
        case taken(Authorization)
        case refused(Decline)
        case neverCame
        case open(String)
    }

    /// The error conditions that guarantee that no money moved. Any other leaves the result open. Source: Adyen's error
    /// conditions.
    private static let refusals: [String: DeclineReason] = [
        "Refusal": .generic, "Cancel": .canceledAtReader, "Aborted": .canceledAtReader, "Busy": .readerUnavailable,
        "DeviceOut": .readerUnavailable, "UnavailableDevice": .readerUnavailable, "LoggedOut": .readerUnavailable,
        "UnavailableService": .readerUnavailable, "InsertedCard": .readerUnavailable, "WrongPIN": .incorrectPIN,
        "InvalidCard": .cardNotSupported, "PaymentRestriction": .cardNotSupported, "MessageFormat": .invalidRequest,
        "NotAllowed": .invalidRequest,
    ]

    /// Insufficient balance, which has its own decline reason: the issuer's number, and the word that terminals send
    /// instead.
    private static let notEnoughBalance = (number: "210", word: "NOT_ENOUGH_BALANCE")

    /// Interprets an answer.
    /// - Parameter amount: the requested amount; `nil` if only the result matters.
    static func standing(_ outcome: AdyenTerminal.Outcome, _ amount: Money?) -> Standing {
        guard outcome.isApproved else {
            let word = outcome.errorCondition ?? ""
            if word == "NotFound" { return .neverCame }
            guard outcome.result == "Failure", let defaultValue = refusals[word] else {
                let said = word.isEmpty ? "nothing usable" : ProviderText.cut(word, atMost: 40)
                return .open("the terminal says \(said)")
            }
            let text = outcome.message ?? word
            // A refusal starts with the issuer's own number, followed by its text.
            let number = String(text.prefix { ("0"..."9").contains($0) })
            let isShort = word == "Refusal" && (number == notEnoughBalance.number || text == notEnoughBalance.word)
            let reason = isShort ? .insufficientFunds : defaultValue
            return .refused(
                Decline(reason: reason, code: number.isEmpty ? word : number, message: text, card: outcome.card))
        }
        let parts = (outcome.transaction ?? "").split(separator: ".", maxSplits: 1).map { String($0) }
        guard let last = parts.last, AdyenProvider.isUsable(last), let first = parts.first,
            AdyenProvider.isUsable(first), let reference = ProviderReference(ifValid: "\(last).\(first)")
        else { return .open("the terminal names no payment") }
        guard let paid = outcome.amount ?? (amount == nil ? Money.zero(.eur) : nil) else {
            return .open("the terminal names no amount")
        }
        if let amount, paid != amount { return .open("amount mismatch") }
        return .taken(Authorization(reference: reference, amount: paid, isCaptured: true, card: outcome.card))
    }
}
