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
        if let (name, _) = AdyenProvider.name(request.context.reference) {
            let reference = AdyenProvider.mark(request) + attempt.rawValue
            return await modify(
                "/payments/\(name)/cancels", nil, reference: reference, key: request.key
            ) { book throws(AdyenNotificationLogError) in
                try await book.outcome(of: reference, among: [.cancellation], denying: [])
            }
        }
        // Unless a webhook has reported the payment, it is unknown which of the two references was sent: both are
        // released.
        let reported: AdyenNotification?
        do throws(AdyenNotificationLogError) { reported = try await book.payment(attempt) } catch {
            return .unknown(reason: error.description)
        }
        let (session, isFinished) = (request.action?.session, request.action?.isFinished ?? false)
        let isPaid = reported?.success == true
        // A session may be paid until its end, and a moment longer.
        let isOver = session.map { self.isOver($0) } ?? true
        if session != nil, !isPaid, !isFinished, !isOver { return .unknown(.pending) }
        // In a session, a card that was refused need not be the one that has paid.
        if let reported, !reported.success, !isFinished, session == nil { return .approved(Confirmation()) }
        if let reported, reported.success, session != nil || isFinished {
            // Those that may have been sent before are among them, so that one that has succeeded is awaited.
            var kinds: [Cancel] = [.paid]
            if session != nil, isOver { kinds.insert(.over, at: 0) }
            if isFinished { kinds.append(.named) }
            return await release(reported.merchantReference, by: kinds, request)
        }
        let names =
            reported.map { [$0.merchantReference] }
            ?? [true, false].map { AdyenProvider.reference(attempt, isAtOnce: $0) }
        if session != nil, isOver { return await close(names, request) }
        var answers: [ProviderAnswer<Confirmation>] = []
        for original in names { answers.append(await cancel(original, .named, request)) }
        // One of the references had the payment: it is voided if either cancel succeeded, and open while either is
        // open.
        let done = answers.first { if case .approved = $0 { true } else { false } }
        let open = answers.first { if case .declined = $0 { false } else { true } }
        // A payment that is on its way is not found yet: it is canceled once more at the session's end.
        if session != nil, done == nil { return open ?? .unknown(.pending) }
        return done ?? open ?? answers.last ?? .notSent(reason: "there is no payment")
    }

    /// Ends a session that is over and of which no payment is reported. That nothing is reported proves nothing by
    /// itself: the webhooks may not have reached the counter. A cancel by reference releases what was paid, and its own
    /// webhook, whatever it tells, shows that they come: only then the session counts as unpaid.
    private func close(_ names: [String], _ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        var open: ProviderAnswer<Confirmation>?
        var isHeard = true
        for original in names {
            let reference = AdyenProvider.reference(of: .over, original, request)
            let answer = await cancel(original, .over, request)
            if case .approved = answer { return answer }
            do throws(AdyenNotificationLogError) {
                if try await book.outcome(of: reference, among: AdyenProvider.cancels, denying: []) != nil { continue }
            } catch {
                return .unknown(reason: error.description)
            }
            isHeard = false
            open = open ?? answer
        }
        guard isHeard else { return open ?? .unknown(.pending) }
        do throws(AdyenNotificationLogError) {
            // It came meanwhile: the next void releases it.
            if try await book.payment(request.context.attempt)?.success == true { return .unknown(.pending) }
        } catch {
            return .unknown(reason: error.description)
        }
        // Of a session from before a restore the report may have come, and be lost: a person is told in time.
        return request.mayLackReports ? .unknown(.pending) : .approved(Confirmation())
    }

    /// Releases the reported payment of a session, by one cancel after another. A cancel that no webhook has told of
    /// may have succeeded, and then the next one is refused for no other reason: the void is refused only once each has
    /// failed.
    private func release(
        _ original: String, by kinds: [Cancel], _ request: VoidRequest
    ) async -> ProviderAnswer<Confirmation> {
        var last = ProviderAnswer<Confirmation>.unknown(.pending)
        for kind in kinds {
            last = await cancel(original, kind, request)
            guard case .declined = last else { return last }
        }
        return last
    }

    /// A cancel by Till's own reference of a payment. Each has a reference of its own, since what a webhook told of one
    /// says nothing about another.
    private enum Cancel: String {
        /// Of a payment that no webhook has reported.
        case named
        /// After a session's end: one from before says nothing about the time since.
        case over
        /// Of a session's reported payment: one from before may have failed only because the payment was not there yet.
        case paid
    }

    /// The events that tell how a cancel ended.
    private static let cancels: Set<AdyenEventCode> = [.technicalCancel, .cancellation, .cancelOrRefund]

    /// The start of a void's references: a webhook about one void is not the answer to the next.
    private static func mark(_ request: VoidRequest) -> String {
        request.number == 1 ? "void-" : "void-\(request.number)-"
    }

    private static func reference(of kind: Cancel, _ original: String, _ request: VoidRequest) -> String {
        switch kind {
        case .named: mark(request) + original
        case .over, .paid: "\(mark(request))\(kind.rawValue)-\(original)"
        }
    }

    /// Cancels a payment by Till's own reference.
    private func cancel(
        _ original: String, _ kind: Cancel, _ request: VoidRequest
    ) async -> ProviderAnswer<Confirmation> {
        let reference = AdyenProvider.reference(of: kind, original, request)
        // Adyen refuses a key that comes again with another body: each cancel has its own, and none that of a cancel by
        // Adyen's name.
        let other = original.hasSuffix(AdyenProvider.takenAtOnce) ? "" : "-other"
        let key = IdempotencyKey(rawValue: "\(request.key.rawValue)-\(kind.rawValue)\(other)")
        return await modify("/cancels", nil, original: original, reference: reference, key: key) {
            book throws(AdyenNotificationLogError) in
            try await book.outcome(of: reference, among: AdyenProvider.cancels, denying: [])
        }
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
