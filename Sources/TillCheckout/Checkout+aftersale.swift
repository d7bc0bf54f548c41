public import TillCore
public import TillJournal

extension Checkout {
    /// Queries a settled payment without a webhook: on an operator's request, or because of a statement's contents.
    public func requestQuery(_ id: PaymentID, account: AccountID) async throws(CheckoutError) -> Payment {
        for _ in 0..<Checkout.maximumConflicts {
            var payment = try await payment(id, account: account)
            let now = clock.now()
            let events = payment.requestQuery(at: now)
            if events.isEmpty { break }
            if try await append(events, to: &payment, at: now, holder: payment.isInFlight ? .unchanged : .nobody) {
                break
            }
        }
        try await query(id)
        return try await payment(id, account: account)
    }

    /// Closes an entry of the operators' queue with an operator's resolution.
    public func resolve(
        _ id: PaymentID, account: AccountID, attention number: Int, _ resolution: AttentionResolution,
        idempotency: IdempotencyRecord? = nil, keyedAnswer: KeyedAnswer? = nil
    ) async throws(CheckoutError) -> Payment {
        var resolution = resolution
        resolution.evidence = CardNumberMask.masked(resolution.evidence)
        resolution.actor = CardNumberMask.masked(resolution.actor)
        return try await run(
            .resolve(attention: number, resolution), on: id, account: account, idempotency: idempotency,
            keyedAnswer: keyedAnswer)
    }

    /// Returns the review item to raise when money returns to a payment after another payment has paid for the order.
    func soldAgain(_ payment: Payment, after events: [PaymentEvent]) async throws(CheckoutError) -> [PaymentEvent] {
        guard !payment.isLive else { return [] }
        let back = events.lazy.compactMap { event -> OperationID? in
            // A refund that was booked as a dispute returns no money.
            if case .refundReversed(let id, let decline) = event, decline != .countedAsDispute { return .refund(id) }
            if case .captureReported(let id, _, _, _) = event { return .capture(id) }
            if case .captureRestored(let id) = event { return .capture(id) }
            return nil
        }
        guard let operation = back.first else { return [] }
        do throws(JournalError) {
            let other = try await journal.livePayment(account: payment.account, order: payment.order.id)
            if let other, other.id != payment.id {
                return [.attentionRequired(operation, .orderPaidAgain(other.id))]
            }
        } catch { throw .journal(error) }
        // Parts of an order have identifiers of their own.
        guard let other = try await paidBeside(payment, after: events) else { return [] }
        return [.attentionRequired(operation, .orderPaidAgain(other))]
    }
}
