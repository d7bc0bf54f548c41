internal import Crypto
internal import Foundation
public import TillCore

/// Sales at one of Adyen's terminals, over the local network: the customer presents a card there.
///
/// Which terminal is asked is in the journal before anything is sent, so that no other terminal's "I do not know it" is
/// ever taken for an answer. The name of each request follows from the attempt's; by it the terminal is asked what
/// became of a payment whose answer was lost, and is asked to cancel it. What a terminal has taken is refunded
/// through Adyen's checkout interface, if the counter has a key for it.
/// A value: any number of calls may run at once; the terminal itself does one at a time.
public struct AdyenTerminalProvider: PaymentServiceProvider {
    /// The name in settings, requests and the journal: `adyen_terminal`.
    public static let name = ProviderName(rawValue: "adyen_terminal")

    public let terminal: AdyenTerminal
    private let checkout: AdyenProvider?
    private let clock: any TillClock
    /// What this process asks of it right now.
    let activity = AdyenTerminalActivity()

    /// A provider over one terminal.
    /// - Parameter checkout: makes the refunds; nil refuses them with a sentence.
    public init(terminal: AdyenTerminal, checkout: AdyenProvider?, clock: any TillClock = SystemClock()) {
        (self.terminal, self.checkout, self.clock) = (terminal, checkout, clock)
    }

    public var name: ProviderName { AdyenTerminalProvider.name }

    /// The merchant account, in which a sale can be refunded whatever becomes of its terminal; which terminal was asked
    /// stands in the attempt's own reference. Without the checkout interface there is only the terminal.
    /// Nothing in a terminal's address says its mode: that of the checkout interface beside it counts, and without one
    /// only a terminal of this machine is for tests.
    public func identity() async -> ProviderIdentity {
        guard let checkout else { return ProviderIdentity(account: terminal.terminal, mode: mode) }
        var identity = await checkout.identity()
        identity.succeedsDevices = true
        return identity
    }

    /// Whether real money moves.
    public var mode: PaymentMode { checkout?.mode ?? (Loopback.isAuthority(terminal.authority) ? .test : .live) }

    /// Takes money at once; keeps no keys, and is asked by the request's name.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: .milliseconds(0), preparesFirst: true, partialCapture: false, separateCapture: false,
            takesCards: false, answerTime: AdyenTerminal.defaultPatience, showsAfterSale: false)
    }

    /// Amounts are written as decimals, in ISO 4217's own number of digits.
    public var amounts: AmountCodec {
        AmountCodec(provider: "Adyen's terminal", exceptions: [:])
    }

    /// The tender of a sale at this terminal.
    public var tender: Tender {
        .cardPresent(
            CardPresentPayload(reader: terminal.terminal, sealed: Secret(terminal.terminal), card: nil))
    }

    /// The name of a request, the same for the same attempt and purpose: ten characters, as the terminal wants.
    static func requestName(_ attempt: AttemptID, _ purpose: String) -> String {
        let digest = SHA256.hash(data: Array("\(purpose)/\(attempt.rawValue)".utf8))
        return Hex.text(Array(digest.prefix(AdyenTerminal.longestName / 2)))
    }

    /// Names the terminal that will be asked; asks for nothing.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = ProviderReference(ifValid: terminal.terminal) else {
            return .notSent(reason: "the terminal's name cannot be kept")
        }
        return .approved(Confirmation(reference: reference))
    }

    /// Asks the terminal for the money and waits for the customer.
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

    /// Never needed: the money is taken at once.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        .declined(Decline(reason: .invalidRequest, message: "the terminal took the money at once"))
    }

    /// Cancels a payment that was never answered. The terminal's own word decides whether it was in time.
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
            // Before its time is over the request may still be on its way.
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

    /// Asks the terminal to cancel an attempt. Its answer to the payment says whether that was in time.
    func abort(_ attempt: AttemptID) async throws(AdyenTerminalError) {
        try await terminal.abort(AdyenTerminalProvider.requestName(attempt, "pay"), as: fresh(attempt, "abort"))
    }

    /// Gives money back through Adyen's checkout interface: `unknown` until a webhook reports how it ended.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let checkout else {
            return .declined(
                Decline(
                    reason: .invalidRequest,
                    message: "refunds of a terminal's payments need Adyen's merchant account and API key"))
        }
        return await checkout.refund(request)
    }

    /// Asks the terminal what became of an attempt, and tells what webhooks have reported since. Once Adyen's name for
    /// the payment is known the terminal has nothing to add.
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

    /// What became of money that the terminal took: chargebacks, refunds in the Customer Area, what failed.
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

    /// Whether a reference is Adyen's name for a payment and the terminal's, and not a terminal that was asked.
    private static func isPayment(_ reference: ProviderReference) -> Bool {
        AdyenProvider.name(reference)?.isAtOnce ?? false
    }

    /// Why this terminal cannot tell: another one was asked.
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

    /// A name for a question: each has its own.
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
    /// What the terminal's words come to.
    enum Standing: Equatable {
        case taken(Authorization)
        case refused(Decline)
        case neverCame
        case open(String)
    }

    /// Words that say for certain that no money moved. Any other is left open. Source: Adyen's error conditions.
    private static let refusals: [String: DeclineReason] = [
        "Refusal": .generic, "Cancel": .canceledAtReader, "Aborted": .canceledAtReader, "Busy": .readerUnavailable,
        "DeviceOut": .readerUnavailable, "UnavailableDevice": .readerUnavailable, "LoggedOut": .readerUnavailable,
        "UnavailableService": .readerUnavailable, "InsertedCard": .readerUnavailable, "WrongPIN": .incorrectPIN,
        "InvalidCard": .cardNotSupported, "PaymentRestriction": .cardNotSupported, "MessageFormat": .invalidRequest,
        "NotAllowed": .invalidRequest,
    ]

    /// The refusal that has a reason of its own, as the bank's number and as the word that terminals give instead.
    private static let notEnoughBalance = (number: "210", word: "NOT_ENOUGH_BALANCE")

    /// - Parameter amount: what was asked for; nil when only the end of it matters.
    static func standing(_ outcome: AdyenTerminal.Outcome, _ amount: Money?) -> Standing {
        guard outcome.isApproved else {
            let word = outcome.errorCondition ?? ""
            if word == "NotFound" { return .neverCame }
            guard outcome.result == "Failure", let defaultValue = refusals[word] else {
                let said = word.isEmpty ? "nothing usable" : ProviderText.cut(word, atMost: 40)
                return .open("the terminal says \(said)")
            }
            let text = outcome.message ?? word
            // A refusal brings the bank's own number in front of its words.
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
