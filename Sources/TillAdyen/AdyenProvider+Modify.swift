public import TillCore

extension AdyenProvider {
    /// Captures held money. Done once a webhook reports it; until then `unknown`, and a repeated request with the same
    /// key moves nothing.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        guard let (name, _) = AdyenProvider.name(request.context.reference) else {
            return .notSent(reason: "there is no payment")
        }
        return await modify(
            "/payments/\(name)/captures", request.amount, reference: request.capture.rawValue, key: request.key,
            since: request.startedAt
        ) { book throws(AdyenNotificationLogError) in
            try await book.outcome(of: request.capture.rawValue, among: [.capture], denying: [.captureFailed])
        }
    }

    /// Refunds captured money. Done once a webhook reports it; until then `unknown`.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let (name, _) = AdyenProvider.name(request.context.reference) else {
            return .notSent(reason: "there is no payment")
        }
        let answer = await modify(
            "/payments/\(name)/refunds", request.amount, reference: request.refund.rawValue, key: request.key,
            since: request.startedAt, isRepeated: request.mayHaveBeenSent
        ) { book throws(AdyenNotificationLogError) in
            try await book.outcome(
                of: request.refund.rawValue, among: [.refund], denying: [.refundFailed, .refundedReversed])
        }
        guard case .declined(let decline) = answer else { return answer }
        return await settled(decline, name, request)
    }

    /// Resolves a refused refund, which may concern money refunded elsewhere, such as in the Customer Area, by the
    /// payment's webhook events.
    private func settled(
        _ decline: Decline, _ name: String, _ request: RefundRequest
    ) async -> ProviderAnswer<Confirmation> {
        let later: [AdyenNotification]
        do throws(AdyenNotificationLogError) { later = try await book.modifications(of: name) } catch {
            return .unknown(reason: error.description)
        }
        let foreign = AdyenSettled(later, atOnce: nil, currency: request.amount.currency).refunds.filter { refund in
            if case .failed = refund.status { return false }
            return !(refund.refund.map { request.context.payment.isRefund($0.rawValue) } ?? false)
        }
        guard !foreign.isEmpty else { return .declined(decline) }
        var decline = decline
        decline.reason = .alreadyRefunded
        let names = foreign.prefix(3).map { "\($0.amount) as \($0.reference)" }.joined(separator: ", ")
        decline.message = "refunded elsewhere: \(names)"
        return .declined(decline)
    }

    /// Voids a hold by Adyen's reference, or without one by Till's own, which Adyen calls a technical cancel.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        let attempt = request.context.attempt
        // A webhook about one void is not the answer to the next.
        let mark = request.number == 1 ? "void-" : "void-\(request.number)-"
        if let (name, _) = AdyenProvider.name(request.context.reference) {
            return await modify(
                "/payments/\(name)/cancels", nil, reference: mark + attempt.rawValue, key: request.key
            ) { book throws(AdyenNotificationLogError) in
                try await book.outcome(of: mark + attempt.rawValue, among: [.cancellation], denying: [])
            }
        }
        // Unless a webhook has reported the payment, it is unknown which of the two references was sent: both are
        // released.
        let reported: AdyenNotification?
        do throws(AdyenNotificationLogError) { reported = try await book.payment(attempt) } catch {
            return .unknown(reason: error.description)
        }
        if let session = request.action?.session, reported?.success != true { return end(of: session) }
        // A card that was refused in a finished session is not the one that has paid.
        let isFinished = request.action?.isFinished ?? false
        if let reported, !reported.success, !isFinished { return .approved(Confirmation()) }
        let names =
            reported.map { [$0.merchantReference] }
            ?? [true, false].map { AdyenProvider.reference(attempt, isAtOnce: $0) }
        var answers: [ProviderAnswer<Confirmation>] = []
        for (index, original) in names.enumerated() {
            let reference = mark + original
            answers.append(
                await modify(
                    "/cancels", nil, original: original, reference: reference,
                    key: IdempotencyKey(rawValue: index == 0 ? request.key.rawValue : request.key.rawValue + "-other")
                ) { book throws(AdyenNotificationLogError) in
                    try await book.outcome(
                        of: reference, among: [.technicalCancel, .cancellation, .cancelOrRefund], denying: [])
                })
        }
        // One of the references had the payment: it is voided if either cancel succeeded, and open while either is
        // open.
        let done = answers.first { if case .approved = $0 { true } else { false } }
        let open = answers.first { if case .declined = $0 { false } else { true } }
        return done ?? open ?? answers.last ?? .notSent(reason: "there is no payment")
    }

    private func modify(
        _ path: String, _ amount: Money?, original: String? = nil, reference: String, key: IdempotencyKey,
        since: Timestamp? = nil, isRepeated: Bool = false,
        _ outcome: (AdyenNotificationLog) async throws(AdyenNotificationLogError) -> AdyenNotificationLog.Outcome?
    ) async -> ProviderAnswer<Confirmation> {
        do throws(AdyenNotificationLogError) {
            if let known = try await outcome(book) { return answer(known) }
        } catch {
            // It may have been sent before and succeeded.
            return .unknown(reason: error.description)
        }
        // A missing webhook does not prove that the operation was not executed, and Adyen may treat an old key as a new
        // request. With an untrusted clock, the age of a key sent before is unknown.
        let isOld = since.map { clock.now().adding(CheckSchedule.keyMargin).since($0) >= AdyenProvider.replayWindow }
        if isOld ?? false || (isRepeated && !clock.standing.isTrusted) {
            return .unknown(reason: "not sent again, since Adyen may have forgotten its key: check at Adyen")
        }
        var wire: JSONValue?
        if let amount {
            guard let json = AdyenAmount.json(amount) else {
                return .declined(Decline(reason: .invalidAmount, message: "Adyen cannot take this amount"))
            }
            wire = json
        }
        let body = JSONValue.adyen([
            "merchantAccount": .string(gateway.config.merchantAccount), "amount": wire,
            "paymentReference": original.map { .string($0) }, "reference": .string(reference),
        ])
        switch await gateway.post(path, body, key: key, within: deadline) {
        case .answered(let document):
            // The webhook may have arrived before the answer.
            do {
                if let known = try await outcome(book) { return answer(known) }
            } catch {
                // The journal is unreadable now; the next query reads the webhook, if it has arrived.
            }
            return document["status"]?.stringValue == "received"
                ? .unknown(.pending) : .unknown(reason: "the answer cannot be read")
        case .refused(let status, let document, let id):
            return .declined(AdyenRefusal.decline(status, document, requestID: id))
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    private func answer(_ outcome: AdyenNotificationLog.Outcome) -> ProviderAnswer<Confirmation> {
        switch outcome {
        case .done(let reference):
            return .approved(Confirmation(reference: ProviderReference(ifValid: reference)))
        case .failed(let reason): return .declined(AdyenRefusal.decline(modification: reason))
        }
    }
}
