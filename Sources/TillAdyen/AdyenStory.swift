internal import TillCore

/// What Adyen has told about one attempt, put together.
struct AdyenStory {
    let context: AttemptContext
    let told: [AdyenNotice]

    init(_ context: AttemptContext, _ told: [AdyenNotice]) {
        self.context = context
        self.told = told
    }

    private func isThis(_ notice: AdyenNotice) -> Bool {
        notice.ours == context.attempt.rawValue || notice.ours == "\(context.attempt)-now"
    }

    private var authorizations: [AdyenNotice] { told.filter { $0.event == .authorisation && isThis($0) } }

    /// The yes, whatever else was told: money that is held must never be overlooked.
    var authorization: AdyenNotice? { authorizations.last { $0.succeeded } }

    /// The no, if there is no yes.
    var refusal: AdyenNotice? { authorization == nil ? authorizations.last { !$0.succeeded } : nil }

    /// Adyen's name of it.
    var reference: ProviderReference? { context.reference ?? authorization?.reference }

    /// It was let go.
    var isVoided: Bool {
        told.contains {
            $0.succeeded && ($0.event == .cancellation || $0.event == .technicalCancel)
                && ($0.ours == "\(context.attempt)-void" || $0.ours == "\(context.attempt)-now-void")
        }
    }

    private func isOfThisPayment(_ notice: AdyenNotice) -> Bool { reference != nil && notice.original == reference }

    /// Captures that stand.
    private var captures: [AdyenNotice] {
        let failed = Set(told.filter { $0.event == .captureFailed }.map(\.reference))
        return told.filter {
            $0.event == .capture && $0.succeeded && isOfThisPayment($0) && !failed.contains($0.reference)
        }
    }

    /// All amounts that the outcome is made from.
    var amounts: [Money] {
        (authorizations + told.filter(isOfThisPayment)).map(\.amount)
    }

    func snapshot(asked: Money) -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(asked.currency)
        if let refusal {
            let decline = AdyenRefusal.decline(code: nil, text: refusal.reason, reference: refusal.reference.rawValue)
            return .approved(
                ProviderSnapshot(reference: refusal.reference, standing: .declined(decline), captured: nothing))
        }
        if isVoided {
            return .approved(ProviderSnapshot(reference: reference, standing: .voided, captured: nothing))
        }
        guard let reference else { return .unknown(reason: "Adyen has told nothing yet") }
        if let said = authorization?.amount, said != asked { return .unknown(reason: "amount mismatch") }
        let isNow = authorization?.ours.hasSuffix("-now") ?? false
        var captured = isNow ? asked : nothing
        for capture in captures {
            guard let sum = try? captured.adding(capture.amount), sum.minorUnits <= asked.minorUnits else {
                return .unknown(reason: "amount mismatch")
            }
            captured = sum
        }
        return .approved(
            ProviderSnapshot(
                reference: reference,
                standing: .authorized(Authorization(reference: reference, amount: asked, isCaptured: isNow)),
                captured: captured, refunds: refunds()))
    }

    private func refunds() -> [ProviderSnapshot.Refund] {
        var order: [ProviderReference] = []
        var standing: [ProviderReference: ProviderSnapshot.Refund] = [:]
        let events: Set<AdyenNotice.Event> = [.refund, .refundFailed, .refundedReversed]
        for notice in told where events.contains(notice.event) && isOfThisPayment(notice) {
            let isDone = notice.event == .refund && notice.succeeded
            if standing[notice.reference] == nil { order.append(notice.reference) }
            // A failure that comes first stands: no later yes can be older than it.
            if case .failed = standing[notice.reference]?.status { continue }
            standing[notice.reference] = ProviderSnapshot.Refund(
                reference: notice.reference, refund: try? RefundID(validating: notice.ours), amount: notice.amount,
                status: isDone
                    ? .succeeded
                    : .failed(
                        AdyenRefusal.decline(code: nil, text: notice.reason, reference: notice.reference.rawValue)))
        }
        return order.compactMap { standing[$0] }
    }
}
