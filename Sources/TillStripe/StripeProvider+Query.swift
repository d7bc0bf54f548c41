public import TillCore
internal import TillProvider

extension StripeProvider {
    /// The maximum number of refund pages read, 100 refunds each. More is `unknown`, never a partial list.
    static let maximumRefundPages = 20

    /// Reads the payment intent and, once money was captured, its refunds.
    ///
    /// An attempt without a reference was never confirmed, because the reference is in the journal before the
    /// confirmation is sent: it is `notFound`, and nothing can have been charged.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(request.amount.currency)
        guard let reference = request.context.reference else {
            return .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: nothing))
        }
        let call = StripeRequest.get(StripePath.paymentIntent(reference), [("expand[0]", "latest_charge")])
        let intent: StripePaymentIntent
        switch await client.send(call, within: deadline) {
        case .answered(let json):
            guard let read = StripePaymentIntent(json), read.reference == reference else {
                return .unknown(reason: unreadable)
            }
            intent = read
        case .failed(let error) where error.status == 404:
            return .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: nothing))
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
        guard intent.base == request.amount else { return .unknown(reason: amountMismatch) }
        guard let standing = standing(of: intent) else {
            return .unknown(reason: "the payment intent is \(intent.status)")
        }
        guard intent.status == "succeeded" else {
            return .approved(ProviderSnapshot(reference: reference, standing: standing, captured: nothing))
        }
        switch await refunds(of: reference) {
        case .failure(let failure): return failure.answer()
        case .success(let all):
            guard let captured = captured(intent, all), all.allSatisfy({ $0.amount.currency == nothing.currency })
            else {
                return .unknown(reason: amountMismatch)
            }
            let ours = all.filter { $0.paymentIntent == reference.rawValue }.map {
                ProviderSnapshot.Refund(
                    reference: $0.reference, refund: $0.refund, amount: $0.amount, status: $0.status)
            }
            let snapshot = ProviderSnapshot(
                reference: reference, standing: standing, captured: captured, refunds: ours)
            guard intent.isDisputed else { return .approved(snapshot) }
            return await withDisputes(snapshot, of: reference)
        }
    }

    /// Reads the disputes; if the key lacks the permission, uses the data of signed webhooks.
    private func withDisputes(
        _ snapshot: ProviderSnapshot, of reference: ProviderReference
    ) async -> ProviderAnswer<ProviderSnapshot> {
        var snapshot = snapshot
        do throws(NotificationStoreError) {
            switch await readDisputes(of: reference) {
            case .success(let found):
                snapshot.disputes = found
                try await disputes.granted()
            case .failure(let failure) where failure.isForbidden:
                try await disputes.refused()
                snapshot.warning = StripeProvider.disputesWithheld
                for facts in try await disputes.newest(about: reference.rawValue) {
                    guard var told = StripeDispute(facts)?.dispute else { throw .unreadable }
                    told.isTold = true
                    snapshot.disputes.append(told)
                }
            case .failure(let failure): return failure.answer()
            }
        } catch { return .unknown(reason: "what webhooks told of disputes cannot be read or kept") }
        return .approved(snapshot)
    }

    /// The finding for a key without permission to read disputes.
    static let disputesWithheld =
        "Stripe's key may not read disputes, so they are known only as far as webhooks tell. Give the key the right to "
        + "read disputes in Stripe's dashboard."

    private func standing(of intent: StripePaymentIntent) -> ProviderSnapshot.Standing? {
        switch intent.status {
        case "requires_payment_method": intent.lastError.map { .declined($0) } ?? .unconfirmed
        case "requires_confirmation": .unconfirmed
        case "requires_action": .requiresAction(intent.action)
        case "processing": .processing
        case "canceled": .voided
        case "requires_capture", "succeeded":
            .authorized(
                Authorization(
                    reference: intent.reference, amount: intent.amount, isCaptured: intent.status == "succeeded",
                    captureBefore: intent.captureBefore, honoredUntil: intent.honoredUntil, card: intent.card,
                    tip: intent.tip))
        default: nil
        }
    }

    /// Returns the total captured amount. Without `amount_received`, the amount released by a partial capture is listed
    /// as a refund that names no payment intent; it is not a refund, since the money was never captured.
    private func captured(_ intent: StripePaymentIntent, _ refunds: [StripeRefund]) -> Money? {
        if let received = intent.received { return received }
        var captured = intent.amount
        for released in refunds where released.paymentIntent == nil {
            guard let less = captured.subtracting(ifExact: released.amount), !less.isNegative else { return nil }
            captured = less
        }
        return captured
    }

    struct ReadFailure: Error {
        let outcome: StripeOutcome
        let provider: StripeProvider

        /// `true` for a valid key that lacks the permission.
        var isForbidden: Bool {
            if case .failed(let error) = outcome { return error.status == 403 }
            return false
        }

        func answer<Success>() -> ProviderAnswer<Success> {
            switch outcome {
            case .failed(let error): provider.answer(to: error)
            case .notSent(let reason): .notSent(reason: reason)
            case .unknown(let reason): .unknown(reason: reason)
            case .answered: .unknown(reason: provider.unreadable)
            }
        }
    }

    /// Returns all refunds of a payment intent, oldest last.
    func refunds(of reference: ProviderReference) async -> Result<[StripeRefund], ReadFailure> {
        await all(StripePath.refunds, of: reference, "refunds", StripeRefund.init) { $0.reference }
    }

    private func readDisputes(
        of reference: ProviderReference
    ) async -> Result<[ProviderSnapshot.Dispute], ReadFailure> {
        await all(StripePath.disputes, of: reference, "disputes", StripeDispute.init) { $0.dispute.facts.reference }
            .map { found in found.filter { $0.paymentIntent == reference.rawValue }.map(\.dispute) }
    }

    /// Returns all entries of a list about one payment intent, or the failure.
    private func all<Item>(
        _ path: String, of reference: ProviderReference, _ what: String, _ read: (JSONValue) -> Item?,
        name: (Item) -> ProviderReference
    ) async -> Result<[Item], ReadFailure> {
        var all: [Item] = []
        var fields = [("payment_intent", reference.rawValue), ("limit", "100")]
        for _ in 0..<StripeProvider.maximumRefundPages {
            let outcome = await client.send(.get(path, fields), within: deadline)
            guard case .answered(let json) = outcome, let data = json["data"]?.arrayValue else {
                return .failure(ReadFailure(outcome: outcome, provider: self))
            }
            for item in data {
                guard let found = read(item) else {
                    return .failure(ReadFailure(outcome: .unknown(unreadable), provider: self))
                }
                all.append(found)
            }
            guard json["has_more"]?.boolValue == true, let last = all.last else { return .success(all) }
            fields = [
                ("payment_intent", reference.rawValue), ("limit", "100"), ("starting_after", name(last).rawValue),
            ]
        }
        return .failure(ReadFailure(outcome: .unknown("there are too many \(what) to read"), provider: self))
    }

    /// Returns the payment that owns a payment intent, from the metadata written at its creation. Refunds and disputes
    /// initiated elsewhere lack it.
    /// - Throws: ``WebhookOwnerUnknown`` if Stripe did not respond.
    func payment(of reference: ProviderReference) async throws(WebhookOwnerUnknown) -> PaymentID? {
        switch await client.send(.get(StripePath.paymentIntent(reference)), within: deadline) {
        case .answered(let json):
            return json["metadata"]?["till_payment"]?.stringValue.flatMap { PaymentID(ifValid: $0) }
        case .failed(let error) where error.status == 404: return nil
        case .failed, .notSent, .unknown: throw WebhookOwnerUnknown()
        }
    }
}

/// The owner of a webhook's payment could not be determined at this time.
struct WebhookOwnerUnknown: Error {}
