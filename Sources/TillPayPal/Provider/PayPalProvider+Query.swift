internal import TillPayPalClient
public import TillCore

extension PayPalProvider {
    /// What marks an order that must never be charged any more; see ``void(_:)``.
    static let voidMark = "void-"

    /// Reads the order with all that became of it, and nothing else.
    ///
    /// An order whose customer has passed the bank's challenge is `APPROVED` and waits for us: it is reported as
    /// continuable if the challenge's result allows it; see ``continueAuthorization(_:)``. An attempt without a
    /// reference was never asked for, because the reference is in the journal before the card leaves.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(request.amount.currency)
        let missing = ProviderSnapshot(reference: nil, standing: .notFound, captured: nothing)
        guard let reference = PayPalReference(request.context.reference) else { return .approved(missing) }
        let order: OrderResponse
        let end = clock.now().adding(deadline)
        switch await self.order(reference.order, until: end) {
        case .order(let read): order = read
        case .missing: return .approved(missing)
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
        guard order.total == request.amount else { return .unknown(reason: amountMismatch) }
        let isVoided = order.purchaseUnits.contains { $0.customID?.hasPrefix(PayPalProvider.voidMark) ?? false }
        if isJudged(order), !isVoided {
            let standing: ProviderSnapshot.Standing
            if !request.isContinued, let decline = refusal(after: order) {
                standing = .declined(decline)
            } else {
                standing = .continuable
            }
            return .approved(
                ProviderSnapshot(reference: reference.providerReference, standing: standing, captured: nothing))
        }
        let answer = snapshot(of: order, reference: reference, asked: request.amount, isVoided: isVoided)
        guard request.isAtRest, case .approved(var snapshot) = answer, snapshot.captured.isPositive else {
            return answer
        }
        switch await disputes(of: order.captures.compactMap { CompletedCapture($0) }, until: end) {
        case .success(let found): snapshot.disputes = found
        case .failure(let failure): return failure.answer()
        }
        return .approved(snapshot)
    }

    /// The customer's part is over and the money can be asked for. After a challenge PayPal's order may also stay
    /// `CREATED`; the challenge's result says then that there was one.
    private func isJudged(_ order: OrderResponse) -> Bool {
        switch order.outcome {
        case .approved: true
        case .open: order.card?.authentication != nil
        case .paid, .partlyPaid, .held, .declined, .pending, .payerAction, .voided: false
        }
    }

    /// Why the result of the bank's challenge does not allow to go on. A result that is missing does not either.
    private func refusal(after order: OrderResponse) -> Decline? {
        guard threeDSecure.liability.verdict(afterChallenge: order.card?.authentication) != .proceed else { return nil }
        let shift = order.card?.authentication?.liabilityShift ?? "unreadable"
        return Decline(
            reason: .generic, code: "LIABILITY_SHIFT_\(shift)", message: "the bank's challenge did not succeed",
            requestID: order.debugID)
    }

    private func snapshot(
        of order: OrderResponse, reference: PayPalReference, asked: Money, isVoided: Bool
    ) -> ProviderAnswer<ProviderSnapshot> {
        var captured = Money.zero(asked.currency)
        var failed: [ProviderSnapshot.FailedCapture] = []
        for capture in order.captures {
            if CompletedCapture(capture) != nil {
                guard let sum = captured.adding(ifExact: capture.amount) else {
                    return .unknown(reason: amountMismatch)
                }
                captured = sum
            } else if capture.isRefused || capture.status == .reversed {
                failed.append(
                    ProviderSnapshot.FailedCapture(
                        reference: reference.providerReference, capture: capture.step,
                        decline: capture.decline(debugID: order.debugID)))
            } else {
                // The engine would send again what it takes for not done.
                return .unknown(reason: "capture \(capture.id) is \(capture.status.rawValue)")
            }
        }
        guard let standing = standing(of: order, reference: reference, asked: asked, isVoided: isVoided) else {
            return .unknown(reason: "the order cannot be judged: \(order.status)")
        }
        var refunds: [ProviderSnapshot.Refund] = []
        for refund in order.refunds {
            guard refund.amount.currency == asked.currency,
                let name = ProviderReference(ifValid: refund.id.rawValue)
            else { return .unknown(reason: amountMismatch) }
            refunds.append(
                ProviderSnapshot.Refund(
                    reference: name, refund: refund.customID.flatMap { RefundID(ifValid: $0) },
                    amount: refund.amount, status: PayPalProvider.status(of: refund)))
        }
        var snapshot = ProviderSnapshot(
            reference: reference.providerReference, standing: standing, captured: captured, refunds: refunds)
        snapshot.failedCaptures = failed
        return .approved(snapshot)
    }

    private func standing(
        of order: OrderResponse, reference: PayPalReference, asked: Money, isVoided: Bool
    ) -> ProviderSnapshot.Standing? {
        let holds = order.authorizations
        if let hold = holds.last(where: { [.created, .partiallyCaptured, .captured].contains($0.status) }) {
            return .authorized(authorization(of: hold, in: reference, amount: asked, card: order.card?.summary))
        }
        if !holds.isEmpty, holds.allSatisfy({ $0.status == .voided }) { return .voided }
        if isVoided, order.captures.isEmpty, holds.isEmpty { return .voided }
        switch answer(order, asked: asked, card: nil) {
        case .approved(let authorization): return .authorized(authorization)
        case .declined(let decline): return .declined(decline)
        case .requiresAction(let action): return .requiresAction(action)
        case .stored, .notSent, .keyRejected, .unknown: break
        }
        switch order.outcome {
        case .pending: return .processing
        case .open: return .unconfirmed
        // Marked as void while it was approved, with a payment in it that says otherwise: nothing was asked for.
        case .approved: return .unconfirmed
        default: return nil
        }
    }

    static func status(of refund: OrderRefund) -> ProviderSnapshot.Refund.Status {
        switch refund.status {
        case "COMPLETED": .succeeded
        case "FAILED", "CANCELLED":
            .failed(Decline(reason: .generic, code: refund.status, message: "refund \(refund.id) is \(refund.status)"))
        default: .pending
        }
    }
}

extension OrderCapture {
    /// The capture that we have asked for, by the invoice number that we gave it. `nil`: one that came with its order,
    /// or one by others.
    var step: CaptureID? {
        guard let text = invoiceID, PaymentID(ofStep: text) != nil, let end = text.lastIndex(of: "-"),
            text[end...].hasPrefix("-c")
        else { return nil }
        return CaptureID(ifValid: text)
    }
}
