internal import TillPayPalClient
public import TillCore

extension PayPalProvider {
    /// The prefix that marks an order as never to be charged again; see ``void(_:)``.
    static let voidMark = "void-"

    /// Reads the order with all its payments, and changes nothing.
    ///
    /// After the customer has passed the challenge, the order is `APPROVED` and awaits the payment request: it is
    /// reported as continuable if the challenge result allows it; see ``continueAuthorization(_:)``. For an attempt
    /// without a reference no payment was ever requested, because the reference is in the journal before the card is
    /// sent.
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
        let moved = unrequestedMoney(in: order, request)
        if let moved, !moved.isOfAttempt {
            var foreign = ProviderSnapshot(
                reference: reference.providerReference, standing: .processing, captured: nothing)
            foreign.objection = moved.objection
            return .approved(foreign)
        }
        guard moved != nil || order.total == request.amount else { return .unknown(reason: amountMismatch) }
        let asked = moved?.amount ?? request.amount
        let isVoided = order.purchaseUnits.contains { $0.customID?.hasPrefix(PayPalProvider.voidMark) ?? false }
        if !isVoided, !request.isContinued, let answer = await attached(order, request, reference, until: end) {
            return answer
        }
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
        var answer = snapshot(of: order, reference: reference, asked: asked, isVoided: isVoided)
        let taken = order.captures.filter { !$0.isRefused }
        // The money of a reversed capture may be traceable only through a dispute.
        let isAsked = request.isAtRest || taken.contains { $0.status == .reversed }
        if isAsked, case .approved = answer, !taken.isEmpty {
            switch await disputes(of: taken.map(\.id), until: end) {
            case .success(let found):
                answer = snapshot(of: order, reference: reference, asked: asked, isVoided: isVoided, found)
            case .failure(let failure): return failure.answer()
            }
        }
        guard case .approved(var whole) = answer else { return answer }
        whole.objection = moved?.objection
        return .approved(whole)
    }

    /// Returns `true` if the customer has completed the challenge and payment can be requested. After a challenge
    /// PayPal's order may also stay `CREATED`; the challenge result then shows that one took place.
    private func isJudged(_ order: OrderResponse) -> Bool {
        switch order.outcome {
        case .approved: true
        case .open: order.card?.authentication != nil
        case .paid, .partlyPaid, .held, .declined, .pending, .payerAction, .voided: false
        }
    }

    /// Returns the decline if the challenge result does not allow the payment to continue. A missing result does not
    /// allow it either.
    private func refusal(after order: OrderResponse) -> Decline? {
        // The owner of a PayPal account signed in to approve: there is no bank's challenge to judge.
        if order.isOfAccount, order.card == nil { return nil }
        return liabilityRefusal(of: order)
    }

    /// Returns the decline of an order whose challenge result is missing, or leaves the loss with the shop.
    func liabilityRefusal(of order: OrderResponse) -> Decline? {
        guard threeDSecure.liability.verdict(afterChallenge: order.card?.authentication) != .proceed else { return nil }
        let shift = order.card?.authentication?.liabilityShift ?? "unreadable"
        return Decline(
            reason: .generic, code: "LIABILITY_SHIFT_\(shift)", message: "the bank's challenge did not succeed",
            requestID: order.debugID)
    }

    private func snapshot(
        of order: OrderResponse, reference: PayPalReference, asked: Money, isVoided: Bool,
        _ disputes: FoundDisputes = FoundDisputes()
    ) -> ProviderAnswer<ProviderSnapshot> {
        var captured = Money.zero(asked.currency)
        var failed: [ProviderSnapshot.FailedCapture] = []
        var isPending = false
        let paired = order.paired(disputes)
        var warnings = disputes.areTold && !paired.isEmpty ? [PayPalProvider.disputesWithheld] : []
        for capture in order.captures {
            let end = order.reversal(of: capture, paired)
            if end == .takenBack, warnings.last != PayPalProvider.takenBack {
                warnings.append(PayPalProvider.takenBack)
            }
            if CompletedCapture(capture) != nil || end == .disputed || end == .takenBack {
                guard let sum = captured.adding(ifExact: capture.amount) else {
                    return .unknown(reason: amountMismatch)
                }
                captured = sum
            } else if capture.isRefused || capture.status == .reversed {
                failed.append(
                    ProviderSnapshot.FailedCapture(
                        reference: reference.providerReference, capture: capture.step,
                        decline: capture.decline(debugID: order.debugID)))
            } else if capture.status == .pending {
                isPending = true
            } else {
                // The engine would resend a capture that it assumes not to be done.
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
        snapshot.hasPendingCapture = isPending
        snapshot.disputes = paired.map(\.dispute)
        snapshot.warning = warnings.isEmpty ? nil : warnings.joined(separator: " ")
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
        // Voided while approved, although an attached payment contradicts the mark: no payment was requested.
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

extension PayPalProvider {
    /// The warning for money withdrawn by PayPal without a refund by the shop.
    static let takenBack =
        "PayPal has taken a capture back by itself. Look at the transaction in PayPal's dashboard for the reason."
}

extension OrderResponse {
    fileprivate typealias PairedDispute = (capture: PayPalCaptureID, dispute: ProviderSnapshot.Dispute)

    /// The destination of the money of a capture reversed by PayPal.
    fileprivate enum Reversal {
        /// Withdrawn in a dispute: the capture counts, and the dispute contains the lost amount.
        case disputed
        /// The capture counts, and a refund by PayPal, or a dispute of a part, shows that the money was withdrawn.
        case takenBack
        /// Without explanation: the capture counts as never completed.
        case untold
    }

    /// Returns the destination of the money of a reversed capture.
    /// - Returns: `nil` for a capture that was not reversed.
    fileprivate func reversal(of capture: OrderCapture, _ disputes: [PairedDispute]) -> Reversal? {
        guard capture.status == .reversed, capture.amount.isPositive else { return nil }
        let own = disputes.filter { $0.capture == capture.id }.map(\.dispute)
        let ofDisputes = Set(own.flatMap(\.refunds))
        let back = refunds.filter { refund in
            isOf(refund, capture.id) && PayPalProvider.status(of: refund) == .succeeded
                && !ofDisputes.contains { $0.rawValue == refund.id.rawValue }
        }
        func sum(_ amounts: [Money]) -> Int64 {
            amounts.filter { $0.currency == capture.amount.currency }
                .reduce(0) { $0.addingReportingOverflow($1.minorUnits).partialValue }
        }
        let (disputed, refunded) = (sum(own.map(\.withdrawn)), sum(back.map(\.amount)))
        if disputed.addingReportingOverflow(refunded).partialValue >= capture.amount.minorUnits {
            return back.contains { !$0.isOurs } ? .takenBack : .disputed
        }
        return disputed > 0 ? .takenBack : .untold
    }

    private func isOf(_ refund: OrderRefund, _ capture: PayPalCaptureID) -> Bool {
        refund.capture == capture || captures.count == 1 && captures.first?.id == capture
    }

    /// Returns the disputes after matching them with the order's refunds. PayPal reports one movement in both, so each
    /// debit of a dispute is paired with at most one refund of the same capture and amount: a refund of other origin at
    /// that time counts as the dispute, and a refund by Till that ended the dispute stays a refund. An unpaired entry
    /// is a separate amount.
    fileprivate func paired(_ disputes: PayPalProvider.FoundDisputes) -> [PairedDispute] {
        var free = refunds.filter { PayPalProvider.status(of: $0) == .succeeded }
            .sorted { $0.id.rawValue < $1.id.rawValue }
        func name(_ found: PayPalDispute) -> String { found.dispute.facts.reference.rawValue }
        return disputes.all.sorted { name($0.dispute) < name($1.dispute) }.map { capture, found in
            var dispute = found.dispute
            let isReversed = captures.contains { $0.id == capture && $0.status == .reversed }
            for debit in found.debits {
                let partner = free.firstIndex { refund in
                    guard isOf(refund, capture), refund.amount == debit.amount else { return false }
                    return refund.isOurs
                        ? found.isEnded(by: refund.created, in: debit)
                        : found.isTold(by: refund.created, of: debit, isReversed: isReversed)
                }
                guard let refund = partner.map({ free.remove(at: $0) }) else { continue }
                if !refund.isOurs {
                    if let name = ProviderReference(ifValid: refund.id.rawValue) { dispute.refunds.append(name) }
                } else if dispute.withdrawn.currency == refund.amount.currency {
                    dispute.withdrawn = Money(
                        minorUnits: max(0, dispute.withdrawn.minorUnits - refund.amount.minorUnits),
                        currency: refund.amount.currency)
                }
            }
            return (capture, dispute)
        }
    }
}

extension OrderRefund {
    /// `true` if Till requested the refund, according to its custom id.
    fileprivate var isOurs: Bool {
        customID.flatMap { PaymentID(ofStep: $0[...]) } != nil && customID?.contains("-r") == true
    }
}

extension OrderCapture {
    /// The capture requested by Till, according to the invoice number that Till assigned. `nil` for a capture made
    /// together with its order, or of other origin.
    var step: CaptureID? {
        guard let text = invoiceID, PaymentID(ofStep: text) != nil, let end = text.lastIndex(of: "-"),
            text[end...].hasPrefix("-c")
        else { return nil }
        return CaptureID(ifValid: text)
    }
}
