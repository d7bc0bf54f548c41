internal import TillCore

/// The captures, refunds and failures of a payment, computed from its webhook events independently of their order and
/// repetition. Only values covered by Adyen's signature decide: neither a timestamp nor a remark.
struct AdyenSettled: Sendable {
    struct Failed: Hashable, Sendable {
        /// Till's capture id; `nil` for a capture made at authorization, or of other origin.
        let capture: CaptureID?
        let decline: Decline
    }

    private(set) var captured: Money
    private(set) var failed: [Failed] = []
    private(set) var refunds: [ProviderSnapshot.Refund] = []
    /// `true` if no money is held any longer.
    private(set) var isReleased = false

    /// - Parameter amount: the amount captured at authorization; `nil` for separate captures.
    init(_ events: [AdyenNotification], atOnce amount: Money?, currency: Currency) {
        captured = .zero(currency)
        let captures = AdyenSettled.ordered(events.filter { $0.eventCode == .capture && $0.success })
        let failures = AdyenSettled.ordered(events.filter { $0.eventCode == .captureFailed })
        if let amount { settle(amount, captures, failures) } else { pair(captures, failures) }
        let reversals = AdyenSettled.ordered(events.filter { $0.eventCode.effect == .reversed && $0.success })
        let cancels = events.filter { $0.eventCode.effect == .released && $0.success } + reversals.filter(\.isOurCancel)
        // A cancel of an immediately captured payment returns the money.
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

    /// Settles an immediate capture. One that failed and was collected again within days counts as captured: there is a
    /// capture event that is not among the failures.
    private mutating func settle(
        _ amount: Money, _ captures: [AdyenNotification], _ failures: [AdyenNotification]
    ) {
        guard let failure = failures.last else { return captured = amount }
        let isCollected = captures.contains { again in
            !failures.contains { $0.pspReference == again.pspReference }
        }
        if isCollected { captured = amount } else { failed = [Failed(capture: nil, decline: Self.decline(failure))] }
    }

    /// Assigns each failure to the oldest capture that it may concern. A capture that was collected again has not
    /// failed.
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

    /// - Parameter reversals: the events that returned captured money, regardless of origin.
    private mutating func readRefunds(_ events: [AdyenNotification], reversals: [AdyenNotification]) {
        let all = events.filter { $0.eventCode.effect == .refunded } + reversals
        let failures = events.filter { $0.eventCode.effect == .refundFailed }
        refunds = all.compactMap { event in
            guard let amount = event.amount, let name = ProviderReference(ifValid: event.pspReference) else {
                return nil
            }
            let isOurs = AdyenSettled.isStep(event.merchantReference, "-r")
            // A refund in the Customer Area carries the reference of its payment, as may others made there.
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

    /// Returns `true` if a reference was assigned by Till to an operation of that kind.
    static func isStep(_ name: String, _ kind: String) -> Bool {
        guard PaymentID(ofStep: name) != nil, let end = name.lastIndex(of: "-") else { return false }
        return name[end...].hasPrefix(kind)
    }
}

extension AdyenNotification {
    /// `true` for the result of a void by Till, according to its reference.
    var isOurCancel: Bool { merchantReference.hasPrefix("void-") }

    /// `true` if the event may report money of a settled payment: a dispute, a later failure, or an operation in the
    /// Customer Area. Operations by Till are excluded: their caller receives the result.
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
