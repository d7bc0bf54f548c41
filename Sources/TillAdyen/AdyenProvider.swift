internal import TillCards
public import TillCore

/// Typed cards through Adyen's Checkout interface.
///
/// Adyen answers an authorization at once. A capture, a cancellation and a refund it only takes in, and tells by webhook
/// what came of them; it has nothing that could be asked. So what its webhooks have told, kept before they were answered,
/// is what a query reads, and until then an outcome is `unknown`.
///
/// `automatic` has Adyen take the money at once; `manual` holds it. A value: any number of calls may run at once.
public struct AdyenProvider: PaymentServiceProvider {
    /// All that Adyen has told about a payment, oldest first.
    /// - Throws: when it can not be read; then nothing is concluded from it.
    public typealias Notices = @Sendable (PaymentID) async throws -> [AdyenNotice]

    /// What each operation may take.
    public let deadline: Span
    let client: AdyenClient
    let notices: Notices

    /// Makes one.
    public init(
        config: AdyenConfig, transport: any HTTPTransport, deadline: Span = .seconds(25), notices: @escaping Notices
    ) {
        client = AdyenClient(config: config, transport: transport)
        self.deadline = deadline
        self.notices = notices
    }

    /// `adyen`.
    public var name: ProviderName { ProviderName(rawValue: "adyen") }

    /// Keys are kept for seven days at least. An attempt is canceled by our own name for it, whether it arrived or not.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: .days(7), preparesFirst: false, canQuery: true, voidsUnconfirmed: true, partialCapture: true,
            multipleCapture: false, separateCapture: true, takesCards: true)
    }

    /// Integers, with Adyen's own exponents.
    public var amounts: AmountCodec { .adyen }

    /// Our name for an attempt at Adyen. Whether the money is taken at once is a part of it, so that a webhook, whose
    /// signature covers it, tells that too.
    static func name(of attempt: AttemptID, _ mode: CaptureMode) -> String {
        mode == .automatic ? "\(attempt)-now" : attempt.rawValue
    }

    /// Asks for the money.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard case .card(let card) = tender else {
            return .declined(Decline(reason: .cardNotSupported, message: "Adyen takes typed cards only here"))
        }
        guard let amount = wire(request.amount) else { return .declined(AdyenProvider.unsendable) }
        let isNow = request.captureMode == .automatic
        let expiry = card.expiry.reveal()
        let body = JSONValue.members([
            "amount": amount,
            "merchantAccount": .string(client.config.merchantAccount),
            "reference": .string(AdyenProvider.name(of: request.context.attempt, request.captureMode)),
            "paymentMethod": .members([
                "type": .string("scheme"),
                "number": .string(card.number.reveal()),
                "expiryMonth": .string(expiry.month < 10 ? "0\(expiry.month)" : "\(expiry.month)"),
                "expiryYear": .string("\(expiry.year)"),
                "cvc": card.securityCode.map { .string($0.reveal()) },
                "holderName": card.holder.map { .string($0.reveal()) },
            ]),
            "shopperInteraction": .string("Moto"),
            "captureDelayHours": isNow ? .number("0") : nil,
            "additionalData": isNow ? nil : .members(["manualCapture": .string("true")]),
        ])
        switch await client.post("/payments", body, key: request.key, within: deadline) {
        case .answered(let json): return answer(json, request, card.summary)
        case .refused(let error): return .declined(error.decline)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    private func answer(
        _ json: JSONValue, _ request: AuthorizationRequest, _ card: CardSummary
    ) -> ProviderAnswer<Authorization> {
        guard let result = json["resultCode"]?.stringValue else { return .unknown(reason: "the answer can not be read") }
        let reference = AdyenReference.of(json)
        switch result {
        case "Authorised":
            guard let reference else { return .unknown(reason: "the answer names no payment") }
            if let said = json["amount"], money(said) != request.amount { return .unknown(reason: "amount mismatch") }
            var card = card
            if let code = json["additionalData"]?["authCode"]?.stringValue, code.utf8.count <= 16 {
                var emv = card.emv ?? EMVReceiptData()
                emv.authorizationCode = code
                card.emv = emv
            }
            return .approved(
                Authorization(
                    reference: reference, amount: request.amount, isCaptured: request.captureMode == .automatic,
                    card: card))
        case "Refused", "Cancelled":
            return .declined(AdyenRefusal.decline(json, reference: reference?.rawValue))
        case "RedirectShopper", "IdentifyShopper", "ChallengeShopper", "PresentToShopper":
            // Nothing is authorized until the step's result is sent to Adyen, and nobody will send it.
            return .declined(
                Decline(
                    reason: .cardNotSupported, code: result,
                    message: "the bank asks for a step by the customer, which a typed card by the clerk can not have",
                    requestID: reference?.rawValue))
        default: return .unknown(reason: "Adyen answered \(result.prefix(40))")
        }
    }

    /// Takes held money. Adyen tells by webhook whether it could.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference, AdyenReference.isUsable(reference.rawValue) else {
            return .notSent(reason: "there is no payment")
        }
        guard let amount = wire(request.amount) else { return .declined(AdyenProvider.unsendable) }
        return await change(
            "/payments/\(reference)/captures", request.capture.rawValue, request.context.payment,
            [.capture, .captureFailed], amount: amount, key: request.key)
    }

    /// Lets held money go; by our own name for the attempt where Adyen's is not known.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        let context = request.context
        let told: [AdyenNotice]
        do { told = try await notices(context.payment) } catch { return .notSent(reason: "Adyen's notices can not be read") }
        let story = AdyenStory(context, told)
        if story.isVoided || story.refusal != nil { return .approved(Confirmation()) }
        let reference = context.reference ?? story.authorization?.reference
        if let reference, AdyenReference.isUsable(reference.rawValue) {
            return await change(
                "/payments/\(reference)/cancels", "\(context.attempt)-void", context.payment, [.cancellation],
                key: request.key)
        }
        // Which of its two names it has at Adyen is not known here; the cancellation of the other fails there.
        var answers: [ProviderAnswer<Confirmation>] = []
        for mode in [CaptureMode.manual, .automatic] {
            let name = AdyenProvider.name(of: context.attempt, mode)
            answers.append(
                await change(
                    "/cancels", "\(name)-void", context.payment, [.technicalCancel],
                    also: [("paymentReference", .string(name))],
                    key: mode == .manual ? request.key : IdempotencyKey(rawValue: request.key.rawValue + "-now")))
        }
        func first(_ matches: (ProviderAnswer<Confirmation>) -> Bool) -> ProviderAnswer<Confirmation>? {
            answers.first(where: matches)
        }
        return first { if case .approved = $0 { true } else { false } }
            ?? first { if case .unknown = $0 { true } else { false } }
            ?? first { if case .notSent = $0 { true } else { false } }
            ?? answers.first ?? .notSent(reason: "nothing was asked for")
    }

    /// Gives money back. Adyen tells by webhook whether it could.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference, AdyenReference.isUsable(reference.rawValue) else {
            return .notSent(reason: "there is no payment")
        }
        guard let amount = wire(request.amount) else { return .declined(AdyenProvider.unsendable) }
        return await change(
            "/payments/\(reference)/refunds", request.refund.rawValue, request.context.payment,
            [.refund, .refundFailed, .refundedReversed], amount: amount, key: request.key)
    }

    /// Sends a change of a payment, unless Adyen has told already what came of it.
    private func change(
        _ path: String, _ name: String, _ payment: PaymentID, _ events: Set<AdyenNotice.Event>,
        amount: JSONValue? = nil, also: [(String, JSONValue)] = [], key: IdempotencyKey
    ) async -> ProviderAnswer<Confirmation> {
        let told: [AdyenNotice]
        do { told = try await notices(payment) } catch { return .notSent(reason: "Adyen's notices can not be read") }
        if let outcome = told.last(where: { $0.ours == name && events.contains($0.event) }) {
            let isDone = outcome.succeeded && outcome.event != .captureFailed && outcome.event != .refundFailed
                && outcome.event != .refundedReversed
            return isDone
                ? .approved(Confirmation(reference: outcome.reference))
                : .declined(
                    AdyenRefusal.decline(code: nil, text: outcome.reason, reference: outcome.reference.rawValue))
        }
        var members = [
            JSONMember(key: "merchantAccount", value: .string(client.config.merchantAccount)),
            JSONMember(key: "reference", value: .string(name)),
        ]
        if let amount { members.append(JSONMember(key: "amount", value: amount)) }
        members += also.map { JSONMember(key: $0.0, value: $0.1) }
        switch await client.post(path, .object(members), key: key, within: deadline) {
        case .answered(let json):
            let status = json["status"]?.stringValue ?? "nothing"
            return .unknown(reason: status == "received" ? "pending" : "Adyen answered \(status.prefix(40))")
        case .refused(let error): return .declined(error.decline)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// What Adyen's webhooks have told. Nothing is sent.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let told: [AdyenNotice]
        do {
            told = try await notices(request.context.payment)
        } catch {
            return .unknown(reason: "Adyen's notices can not be read")
        }
        let story = AdyenStory(request.context, told)
        guard story.amounts.allSatisfy({ $0.currency == request.amount.currency }) else {
            return .unknown(reason: "amount mismatch")
        }
        return story.snapshot(asked: request.amount)
    }

    // MARK: Amounts

    private static var unsendable: Decline {
        Decline(reason: .invalidAmount, message: "Adyen can not take this amount")
    }

    private func wire(_ money: Money) -> JSONValue? {
        guard let value = try? amounts.wireAmount(money), value > 0 else { return nil }
        return .members(["currency": .string(money.currency.code), "value": .number(String(value))])
    }

    private func money(_ json: JSONValue) -> Money? {
        guard let value = json["value"]?.int64Value,
            let currency = json["currency"]?.stringValue.flatMap({ try? Currency(code: $0) })
        else { return nil }
        return try? amounts.money(fromWire: value, currency: currency)
    }
}
