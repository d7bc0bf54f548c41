internal import TillCore

/// What of a payment was captured and refunded, and what of that failed, by what webhooks reported in whatever
/// order and however often. Only what Adyen's signature covers decides: neither a time nor a remark.
struct AdyenSettled: Sendable {
    struct Failed: Hashable, Sendable {
        /// Our name for it; `nil`: it was taken at once, or by others.
        let capture: CaptureID?
        let decline: Decline
    }

    private(set) var captured: Money
    private(set) var failed: [Failed] = []
    private(set) var refunds: [ProviderSnapshot.Refund] = []
    /// Nothing is held any more.
    private(set) var isReleased = false

    /// - Parameter amount: what was taken at once; `nil`: captures took it.
    init(_ events: [AdyenNotification], atOnce amount: Money?, currency: Currency) {
        captured = .zero(currency)
        let captures = AdyenSettled.ordered(events.filter { $0.eventCode == .capture && $0.success })
        let failures = AdyenSettled.ordered(events.filter { $0.eventCode == .captureFailed })
        if let amount { settle(amount, captures, failures) } else { pair(captures, failures) }
        let reversals = AdyenSettled.ordered(events.filter { $0.eventCode.effect == .reversed && $0.success })
        let cancels = events.filter { $0.eventCode.effect == .released && $0.success } + reversals.filter(\.isOurCancel)
        // A cancel of what was taken at once gives it back.
        if !cancels.isEmpty, amount != nil { captured = .zero(currency) }
        isReleased =
            captured.isZero
            && (!cancels.isEmpty || !reversals.isEmpty
                || events.contains { $0.eventCode.effect == .expired && $0.success })
        readRefunds(events, reversals: captured.isZero ? [] : reversals.filter { !$0.isOurCancel })
    }

    private static func ordered(_ events: [AdyenNotification]) -> [AdyenNotification] {
        events.sorted { $0.pspReference < $1.pspReference }
    }

    private static func decline(_ failure: AdyenNotification) -> Decline {
        let row = AdyenCodes.failures[failure.eventCode.rawValue]
        return Decline(reason: row?.reason ?? .generic, code: failure.eventCode.rawValue, message: failure.reason)
    }

    /// What was taken at once, failed and was collected again within days is taken: a capture that is none of those
    /// that failed.
    private mutating func settle(
        _ amount: Money, _ captures: [AdyenNotification], _ failures: [AdyenNotification]
    ) {
        guard let failure = failures.last else { return captured = amount }
        let isCollected = captures.contains { again in
            !failures.contains { $0.pspReference == again.pspReference }
        }
        if isCollected { captured = amount } else { failed = [Failed(capture: nil, decline: Self.decline(failure))] }
    }

    /// Each failure ends the oldest capture that it may be about. One that was collected again has not failed.
    private mutating func pair(_ captures: [AdyenNotification], _ failures: [AdyenNotification]) {
        var left = captures
        var ended: [(AdyenNotification, AdyenNotification)] = []
        for failure in failures {
            let index =
                left.firstIndex { $0.pspReference == failure.pspReference }
                ?? left.firstIndex { $0.merchantReference == failure.merchantReference }
                ?? (left.count == 1 ? left.startIndex : nil)
            if let index { ended.append((left.remove(at: index), failure)) }
        }
        for capture in left {
            guard let amount = capture.amount, let sum = captured.adding(ifExact: amount) else { continue }
            captured = sum
        }
        failed = ended.filter { one in !left.contains { $0.merchantReference == one.0.merchantReference } }.map {
            Failed(
                capture: AdyenSettled.isStep($0.0.merchantReference, "-c")
                    ? CaptureID(ifValid: $0.0.merchantReference) : nil,
                decline: Self.decline($0.1))
        }
    }

    /// - Parameter reversals: what gave captured money back, whoever asked for it.
    private mutating func readRefunds(_ events: [AdyenNotification], reversals: [AdyenNotification]) {
        let all = events.filter { $0.eventCode.effect == .refunded } + reversals
        let failures = events.filter { $0.eventCode.effect == .refundFailed }
        refunds = all.compactMap { event in
            guard let amount = event.amount, let name = ProviderReference(ifValid: event.pspReference) else {
                return nil
            }
            let isOurs = AdyenSettled.isStep(event.merchantReference, "-r")
            // A refund in the Customer Area has the name of its payment, as others there may have.
            let failure = failures.first {
                $0.pspReference == event.pspReference
                    || ($0.merchantReference == event.merchantReference && (isOurs || all.count == 1))
            }
            let isDone = event.success && failure == nil
            return ProviderSnapshot.Refund(
                reference: name, refund: RefundID(ifValid: event.merchantReference), amount: amount,
                status: isDone
                    ? .succeeded
                    : .failed(Decline(reason: .generic, message: failure?.reason ?? event.reason ?? "refused")))
        }
    }

    /// Whether a name is one that we gave to a step of that kind.
    static func isStep(_ name: String, _ kind: String) -> Bool {
        guard PaymentID(ofStep: name) != nil, let end = name.lastIndex(of: "-") else { return false }
        return name[end...].hasPrefix(kind)
    }
}

extension AdyenNotification {
    /// It ends a void of ours, by our name for the void.
    var isOurCancel: Bool { merchantReference.hasPrefix("void-") }

    /// It may report money of a settled payment: a dispute, what failed later, or what somebody did in the
    /// Customer Area. What we have asked for is not: whoever asked for it hears the answer.
    var isAfterSale: Bool {
        switch eventCode.effect {
        case .captureFailed, .refundFailed: true
        case .captured: success && !AdyenSettled.isStep(merchantReference, "-c")
        case .refunded: success && !AdyenSettled.isStep(merchantReference, "-r")
        case .released, .reversed: success && !isOurCancel
        case .expired, .disputed: success
        case .authorized, .report, .kept: false
        }
    }
}
