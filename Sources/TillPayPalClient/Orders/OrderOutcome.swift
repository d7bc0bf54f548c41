public import TillCore

/// What an order means for the money. Made from the payments in it, never from the order's status or from HTTP.
public enum OrderOutcome: Hashable, Sendable {
    /// A capture is complete: the money was taken.
    case paid(PaidOrder)
    /// Of several purchase units some were taken and some refused: the order is not paid.
    case partlyPaid(PaidOrder, refused: Decline)
    /// An authorization stands: the money is held and not taken.
    case held(OrderAuthorization)
    /// The card was declined; nothing was taken.
    case declined(Decline)
    /// PayPal has not decided yet.
    case pending(String)
    /// The customer must do something first; nothing was taken. Without an address it cannot continue.
    case payerAction(PayerAction?)
    /// The customer has agreed or the card was attached; nothing was asked for.
    case approved
    /// Nothing was asked for.
    case open
    /// The hold was voided or has ended, or the order is over.
    case voided
}

/// A capture that took money. It can be made only from a capture whose own status says so.
public struct CompletedCapture: Hashable, Sendable {
    /// The completed capture that proves the payment.
    public let capture: OrderCapture

    /// `nil` unless the capture is `COMPLETED`, or was so before a refund.
    public init?(_ capture: OrderCapture) {
        guard [.completed, .partiallyRefunded, .refunded].contains(capture.status), capture.amount.isPositive else {
            return nil
        }
        self.capture = capture
    }
}

/// An order of which money was taken. It can be made only from completed captures.
public struct PaidOrder: Hashable, Sendable {
    /// The order that was paid.
    public let orderID: PayPalOrderID
    /// What was taken, one by one; never empty.
    public let captures: [CompletedCapture]
    /// What was taken in all.
    public let amount: Money

    /// `nil` if no capture of the order has taken money.
    public init?(_ order: OrderResponse) {
        let captures = order.captures.compactMap { CompletedCapture($0) }
        guard let first = captures.first else { return nil }
        var sum = Money.zero(first.capture.amount.currency)
        for capture in captures {
            guard let added = sum.adding(ifExact: capture.capture.amount) else { return nil }
            sum = added
        }
        orderID = order.orderID
        self.captures = captures
        amount = sum
    }
}

extension OrderResponse {
    /// Why a purchase unit took no money although it was asked for; a unit whose card was tried again is judged
    /// by what it took.
    private var refusedUnit: Decline? {
        purchaseUnits.lazy.compactMap { unit -> Decline? in
            guard !unit.captures.contains(where: { CompletedCapture($0) != nil }) else { return nil }
            return unit.captures.last(where: \.isRefused)?.decline(debugID: debugID)
        }.first
    }

    /// What the order means for the money.
    public var outcome: OrderOutcome {
        if let pending = captures.first(where: { $0.status == .pending }) {
            return .pending("capture \(pending.id) is pending" + (pending.reason.map { ": \($0)" } ?? ""))
        }
        if let paid = PaidOrder(self) {
            guard let refused = refusedUnit else { return .paid(paid) }
            return .partlyPaid(paid, refused: refused)
        }
        // The newest hold counts: a reauthorization stands beside the hold that it renews.
        if let held = authorizations.last(where: { [.created, .partiallyCaptured].contains($0.status) }) {
            return .held(held)
        }
        if let pending = authorizations.first(where: { $0.status == .pending }) {
            return .pending("authorization \(pending.id) is pending")
        }
        if let refused = captures.last(where: \.isRefused) { return .declined(refused.decline(debugID: debugID)) }
        if let strange = captures.last { return .pending("capture \(strange.id) is \(strange.status.rawValue)") }
        if let denied = authorizations.last(where: { $0.status == .denied }) {
            let reason = denied.processor?.declineReason ?? .generic
            return .declined(
                Decline(
                    reason: reason, code: denied.processor?.responseCode ?? "DENIED",
                    message: "authorization \(denied.id) is DENIED", requestID: debugID))
        }
        if let last = authorizations.last {
            return last.status == .voided
                ? .voided : .pending("authorization \(last.id) is \(last.status.rawValue)")
        }
        switch status {
        case .payerActionRequired: return .payerAction(PayerAction(self))
        case .approved: return .approved
        case .created, .saved: return .open
        case .voided: return .voided
        case .completed: return .pending("the order is COMPLETED, but its payments are not reported")
        default: return .pending("the order is \(status.rawValue)")
        }
    }
}
