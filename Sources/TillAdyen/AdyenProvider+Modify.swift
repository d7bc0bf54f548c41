public import TillCore

extension AdyenProvider {
    /// Takes held money. Done when a webhook says so; until then `unknown`, and asking again with the key moves nothing.
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

    /// Gives money back. Done when a webhook says so; until then `unknown`.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let (name, _) = AdyenProvider.name(request.context.reference) else {
            return .notSent(reason: "there is no payment")
        }
        return await modify(
            "/payments/\(name)/refunds", request.amount, reference: request.refund.rawValue, key: request.key,
            since: request.startedAt
        ) { book throws(AdyenNotificationLogError) in
            try await book.outcome(
                of: request.refund.rawValue, among: [.refund], denying: [.refundFailed, .refundedReversed])
        }
    }

    /// Lets held money go; without Adyen's name for it, by our own, which Adyen calls a technical cancel.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        let attempt = request.context.attempt
        // What a webhook reported of one void is not the answer to the next.
        let mark = request.number == 1 ? "void-" : "void-\(request.number)-"
        if let (name, _) = AdyenProvider.name(request.context.reference) {
            return await modify(
                "/payments/\(name)/cancels", nil, reference: mark + attempt.rawValue, key: request.key
            ) { book throws(AdyenNotificationLogError) in
                try await book.outcome(of: mark + attempt.rawValue, among: [.cancellation], denying: [])
            }
        }
        // Which of the two names it was sent under is not known any more, unless a webhook reported it: both are released.
        let told: AdyenNotification?
        do throws(AdyenNotificationLogError) { told = try await book.payment(attempt) } catch {
            return .unknown(reason: error.description)
        }
        if let told, !told.success { return .approved(Confirmation()) }
        let names =
            told.map { [$0.merchantReference] } ?? [true, false].map { AdyenProvider.reference(attempt, isAtOnce: $0) }
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
        // One of the names had the payment: it is gone when either cancel worked, and open while either is open.
        let done = answers.first { if case .approved = $0 { true } else { false } }
        let open = answers.first { if case .declined = $0 { false } else { true } }
        return done ?? open ?? answers.last ?? .notSent(reason: "there is no payment")
    }

    private func modify(
        _ path: String, _ amount: Money?, original: String? = nil, reference: String, key: IdempotencyKey,
        since: Timestamp? = nil,
        _ told: (AdyenNotificationLog) async throws(AdyenNotificationLogError) -> AdyenNotificationLog.Outcome?
    ) async -> ProviderAnswer<Confirmation> {
        do throws(AdyenNotificationLogError) {
            if let outcome = try await told(book) { return answer(outcome) }
        } catch {
            // It may have been sent before and ended well.
            return .unknown(reason: error.description)
        }
        // That no webhook came does not mean that it was not done, and Adyen may take an old key for a new request.
        if let since, clock.now().adding(CheckSchedule.keyMargin).since(since) >= AdyenProvider.replayWindow {
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
            // The webhook may have been faster than the answer.
            if let outcome = (try? await told(book)) ?? nil { return answer(outcome) }
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
            return .approved(Confirmation(reference: try? ProviderReference(validating: reference)))
        case .failed(let reason):
            return .declined(
                Decline(reason: .invalidRequest, message: CardScrubbing.withoutNumbers(String(reason.prefix(300)))))
        }
    }

    /// What webhooks have reported of an attempt. What none has reported is `unknown`: Adyen cannot be asked.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        do throws(AdyenNotificationLogError) {
            guard let payment = try await book.payment(request.context.attempt) else {
                return .unknown(reason: "Adyen has not reported it yet")
            }
            return snapshot(of: payment, try await book.modifications(of: payment.pspReference), request)
        } catch {
            return .unknown(reason: error.description)
        }
    }

    private func snapshot(
        of payment: AdyenNotification, _ later: [AdyenNotification], _ request: QueryRequest
    ) -> ProviderAnswer<ProviderSnapshot> {
        let currency = request.amount.currency
        let nothing = Money.zero(currency)
        guard payment.success else {
            let decline = Decline(
                reason: .generic, message: CardScrubbing.withoutNumbers(payment.reason ?? "refused"),
                requestID: payment.pspReference)
            return .approved(ProviderSnapshot(reference: nil, standing: .declined(decline), captured: nothing))
        }
        let isAtOnce = payment.merchantReference.hasSuffix(AdyenProvider.takenAtOnce)
        guard payment.amount == request.amount, AdyenProvider.isUsable(payment.pspReference),
            let reference = try? ProviderReference(
                validating: payment.pspReference + (isAtOnce ? AdyenProvider.takenAtOnce : ""))
        else { return .unknown(reason: "amount mismatch") }
        if later.contains(where: { $0.success && $0.eventCode.isCancel }) {
            return .approved(ProviderSnapshot(reference: reference, standing: .voided, captured: nothing))
        }
        var captured = isAtOnce ? request.amount : nothing
        if !isAtOnce {
            for event in later where event.eventCode == .capture && event.success {
                let failed = later.contains {
                    $0.eventCode == .captureFailed && $0.merchantReference == event.merchantReference
                }
                guard !failed, let amount = event.amount, let sum = try? captured.adding(amount) else { continue }
                captured = sum
            }
        }
        let refunds = later.filter { $0.eventCode == .refund }.compactMap { event -> ProviderSnapshot.Refund? in
            guard let amount = event.amount, let name = try? ProviderReference(validating: event.pspReference) else {
                return nil
            }
            let failure = later.first {
                [.refundFailed, .refundedReversed].contains($0.eventCode)
                    && $0.merchantReference == event.merchantReference
            }
            let isDone = event.success && failure == nil
            return ProviderSnapshot.Refund(
                reference: name, refund: try? RefundID(validating: event.merchantReference), amount: amount,
                status: isDone
                    ? .succeeded
                    : .failed(Decline(reason: .generic, message: failure?.reason ?? event.reason ?? "refused")))
        }
        let authorization = Authorization(reference: reference, amount: request.amount, isCaptured: isAtOnce)
        return .approved(
            ProviderSnapshot(
                reference: reference, standing: .authorized(authorization), captured: captured, refunds: refunds))
    }
}
