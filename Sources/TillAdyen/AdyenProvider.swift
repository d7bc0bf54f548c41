internal import HTTPTypes
public import TillCore
internal import TillProvider

/// Typed cards through Adyen's Checkout API.
///
/// ```swift
/// let config = try AdyenConfig(merchantAccount: "ShopECOM", apiKey: key, webhookKeys: [webhookKey])
/// let adyen = AdyenProvider(config: config, transport: transport, book: AdyenNotificationLog())
/// let identity = await adyen.identity()
/// print(identity.account ?? "unknown account", adyen.mode.rawValue)
/// ```
///
/// Adyen keeps idempotency keys for at least seven days, and returns the same answer for the same key. It has no API to
/// query a payment, and answers captures, cancels and refunds only with "received": their results arrive by webhook, so
/// events are stored (``AdyenNotificationLog``) and consulted instead. An operation not reported by a webhook is
/// `unknown`, and is not resent once Adyen may no longer remember its key: it must be reviewed manually. A value type:
/// any number of calls may run concurrently.
public struct AdyenProvider: PaymentServiceProvider {
    /// The minimum time for which Adyen keeps idempotency keys. Source: Adyen's documentation of idempotency.
    public static let replayWindow: Span = .days(7)
    /// The suffix in the reference of an immediately captured attempt, which preserves that fact without the request.
    static let takenAtOnce = ".now"

    /// Timeout of each call.
    public let deadline: Span
    public let book: AdyenNotificationLog
    let gateway: AdyenGateway
    let clock: any TillClock
    private let account: ProviderIdentity

    public init(
        config: AdyenConfig, transport: any HTTPTransport, book: AdyenNotificationLog,
        clock: any TillClock = SystemClock(), deadline: Span = .seconds(25)
    ) {
        self.clock = clock
        gateway = AdyenGateway(config: config, transport: transport)
        account = ProviderIdentity(
            account: config.merchantAccount, mode: .at(config.authority, testWord: "-test."),
            keyFingerprint: KeyFingerprint.of(config.apiKey, at: ProviderName(rawValue: "adyen")))
        self.book = book
        self.deadline = deadline
    }

    /// The name in settings, requests and the journal: `adyen`.
    public var name: ProviderName { ProviderName(rawValue: "adyen") }

    /// Keys are kept for a week; unknown results are resolved by webhook events. Sessions are opened in test mode only:
    /// how Adyen ends a session that nobody reports on is not verified against its own system.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: AdyenProvider.replayWindow, preparesFirst: false, partialCapture: true,
            multipleCapture: false, separateCapture: true, takesCards: true,
            takesAdyenSessions: !gateway.config.webhookKeys.isEmpty && mode == .test, showsAfterSale: false)
    }

    /// The amount format: integers with Adyen's own decimals, which differ from ISO 4217 for four currencies.
    public var amounts: AmountCodec { .adyen }

    /// The mode, according to the address.
    public var mode: PaymentMode { account.mode }

    /// Returns the merchant account; its key may be replaced.
    public func identity() async -> ProviderIdentity { account }

    /// Authorizes a typed card, or opens a session in which Adyen's components or SDK take one.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        if case .adyenSession = tender { return await open(request) }
        guard case .card(let card) = tender else {
            return .declined(Decline(reason: .cardNotSupported, message: "Adyen takes typed cards here"))
        }
        guard let amount = AdyenAmount.json(request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "Adyen cannot take this amount"))
        }
        let isAtOnce = request.captureMode == .automatic
        let expiry = card.expiry.reveal()
        let body = JSONValue.adyen([
            "amount": amount, "merchantAccount": .string(gateway.config.merchantAccount),
            "reference": .string(AdyenProvider.reference(request.context.attempt, isAtOnce: isAtOnce)),
            "paymentMethod": .adyen([
                "type": .string("scheme"), "number": .string(card.number.reveal()),
                "expiryMonth": .string(expiry.month < 10 ? "0\(expiry.month)" : "\(expiry.month)"),
                "expiryYear": .string("\(expiry.year)"),
                "cvc": card.securityCode.map { .string($0.reveal()) },
                "holderName": card.holder.map { .string($0.reveal()) },
            ]),
            "shopperInteraction": .string("Ecommerce"), "returnUrl": .string(gateway.config.returnURL),
            "captureDelayHours": isAtOnce ? .number("0") : nil,
            "additionalData": isAtOnce ? nil : .adyen(["manualCapture": .string("true")]),
        ])
        switch await gateway.post("/payments", body, key: request.key, within: deadline) {
        case .answered(let document): return answer(document, request, card.summary, isAtOnce)
        case .refused(let status, let document, let id):
            return .declined(AdyenRefusal.decline(status, document, requestID: id))
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Returns the attempt's reference at Adyen, which webhooks repeat.
    static func reference(_ attempt: AttemptID, isAtOnce: Bool) -> String {
        attempt.rawValue + (isAtOnce ? takenAtOnce : "")
    }

    private func answer(
        _ document: JSONValue, _ request: AuthorizationRequest, _ typed: CardSummary, _ isAtOnce: Bool
    ) -> ProviderAnswer<Authorization> {
        let code = AdyenResultCode(rawValue: document["resultCode"]?.stringValue ?? "")
        switch code {
        case .authorized:
            guard let name = document["pspReference"]?.stringValue, AdyenProvider.isUsable(name),
                let reference = ProviderReference(ifValid: name + (isAtOnce ? AdyenProvider.takenAtOnce : ""))
            else { return .unknown(reason: "the answer names no payment") }
            if let said = document["amount"], AdyenAmount.money(said) != request.amount {
                return .unknown(reason: "amount mismatch")
            }
            var card = typed
            if let brand = document["additionalData"]?["paymentMethod"]?.stringValue { card.brand = Self.brand(brand) }
            return .approved(
                Authorization(
                    reference: reference, amount: request.amount, isCaptured: isAtOnce,
                    honoredUntil: isAtOnce ? nil : clock.now().adding(AdyenProvider.shortestHold), card: card))
        case .refused, .canceled:
            return AdyenRefusal.decline(document).map { .declined($0) }
                ?? .unknown(reason: "the payment was refused with a code that is not one of a refusal")
        case .redirectShopper, .identifyShopper, .challengeShopper:
            return .requiresAction(
                CustomerAction(
                    kind: document["action"]?["type"]?.stringValue ?? code.rawValue,
                    url: document["action"]?["url"]?.stringValue))
        default:
            // Pending, Received, Error and unknown values: a webhook decides.
            let word = code.rawValue.isEmpty ? "missing" : ProviderText.cut(code.rawValue, atMost: 40)
            return .unknown(reason: "the result is \(word)")
        }
    }

    static func brand(_ word: String) -> String {
        switch word {
        case "mc": "mastercard"
        case "cup": "unionpay"
        default: ProviderText.cut(word.lowercased(), atMost: 32)
        }
    }

    /// Returns `true` if an identifier is safe in a path.
    static func isUsable(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
            }
    }

    /// Returns Adyen's own reference of a payment, without the suffix added by this client.
    static func name(_ reference: ProviderReference?) -> (name: String, isAtOnce: Bool)? {
        guard let reference else { return nil }
        let parts = reference.rawValue.split(separator: ".", maxSplits: 1)
        guard let first = parts.first.map({ String($0) }), isUsable(first) else { return nil }
        return (first, parts.count > 1)
    }
}

/// Adyen's amount format: a currency and an integer.
enum AdyenAmount {
    static func json(_ money: Money) -> JSONValue? {
        guard let wire = AmountCodec.adyen.wireAmount(ifExact: money) else { return nil }
        return .adyen(["currency": .string(money.currency.code), "value": .number("\(wire)")])
    }

    static func money(_ value: JSONValue?) -> Money? {
        guard let wire = value?["value"]?.int64Value, let code = value?["currency"]?.stringValue,
            let currency = Currency(ifValid: code)
        else { return nil }
        return AmountCodec.adyen.money(ifValid: wire, currency: currency)
    }
}
