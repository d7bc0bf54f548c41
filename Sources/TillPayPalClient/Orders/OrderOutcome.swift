public import TillCore

/// The outcome of an order for the money, derived from its payments, never from the order's status or the HTTP status.
public enum OrderOutcome: Hashable, Sendable {
    /// A capture is completed: the money was captured.
    case paid(PaidOrder)
    /// Some purchase units were captured and others refused: the order is not paid.
    case partlyPaid(PaidOrder, refused: Decline)
    /// An authorization is open: the money is held and not captured.
    case held(OrderAuthorization)
    /// The card was declined; nothing was captured.
    case declined(Decline)
    /// PayPal has not decided yet.
    case pending(String)
    /// The customer must act first; nothing was captured. Without a URL it cannot continue.
    case payerAction(PayerAction?)
    /// The customer approved or the card was attached; no payment was requested.
    case approved
    /// No payment was requested.
    case open
    /// The hold was voided or has ended, or the order is closed.
    case voided
}

/// A capture that took money. It can be created only from a capture with a status that confirms it.
public struct CompletedCapture: Hashable, Sendable {
    /// The completed capture that proves the payment.
    public let capture: OrderCapture

    /// Creates the value; `nil` unless the capture is `COMPLETED`, or was so before a refund.
    public init?(_ capture: OrderCapture) {
        guard [.completed, .partiallyRefunded, .refunded].contains(capture.status), capture.amount.isPositive else {
            return nil
        }
        self.capture = capture
    }
}

/// An order with captured money. It can be created only from completed captures.
public struct PaidOrder: Hashable, Sendable {
    /// The paid order.
    public let orderID: PayPalOrderID
    /// The individual captures; never empty.
    public let captures: [CompletedCapture]
    /// The total captured amount.
    public let amount: Money

    /// Creates the value; `nil` if no capture of the order took money.
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
    /// The decline of a purchase unit that captured no money although payment was requested; after a retry of the card,
    /// the captures decide.
    private var refusedUnit: Decline? {
        purchaseUnits.lazy.compactMap { unit -> Decline? in
            guard !unit.captures.contains(where: { CompletedCapture($0) != nil }) else { return nil }
            return unit.captures.last(where: \.isRefused)?.decline(debugID: debugID)
        }.first
    }

    /// The outcome of the order for the money.
    public var outcome: OrderOutcome {
        if let pending = captures.first(where: { $0.status == .pending }) {
            return .pending("capture \(pending.id) is pending" + (pending.reason.map { ": \($0)" } ?? ""))
        }
        if let paid = PaidOrder(self) {
            guard let refused = refusedUnit else { return .paid(paid) }
            return .partlyPaid(paid, refused: refused)
        }
        // The newest hold counts: a reauthorization is listed beside the hold that it renews.
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
