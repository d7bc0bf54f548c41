internal import TillPayPalClient
internal import TillCore

/// Money on an order of PayPal's fields that the counter has never requested: the customer's side holds the order's
/// identifier, and a dashboard shows the order, so that either can have it captured or authorized without the judgment
/// that a query makes before the counter asks for the money.
struct UnrequestedMoney: Hashable, Sendable {
    /// The amount that has moved: all of an open hold, also if only a part of it is captured.
    let amount: Money
    /// `false` if the order does not name the attempt: its money is not booked.
    let isOfAttempt: Bool
    /// What does not fit, as a sentence for an operator; `nil` if everything fits.
    let objection: String?
}

extension PayPalProvider {
    /// Compares money that others have moved with what was asked for: order, invoice numbers, captures, amount,
    /// currency, payment source, and the bank's answer as for a card whose money is still to be requested. The account
    /// is that of the credentials with which the order was read, and the engine queries attempts of no other one.
    /// - Returns: `nil` if no such money has moved, or if the counter has requested it.
    func unrequestedMoney(in order: OrderResponse, _ request: QueryRequest) -> UnrequestedMoney? {
        guard !request.isContinued, let action = request.unjudged else { return nil }
        return money(in: order, movedAfter: action, request.context, asked: request.amount)
    }

    /// Compares the money of an order of the fields with what was asked for, whoever has moved it.
    /// - Parameter isUnderReviewToo: `true` to compare money, too, that PayPal still reviews and may move.
    /// - Returns: `nil` if no money has moved, or if the action is that of another order.
    func money(
        in order: OrderResponse, movedAfter action: CustomerAction, _ context: AttemptContext, asked: Money,
        isUnderReviewToo: Bool = false
    ) -> UnrequestedMoney? {
        guard action.order == order.orderID.rawValue else { return nil }
        let amount: Money
        switch order.outcome {
        case .paid(let paid), .partlyPaid(let paid, refused: _): amount = moved(paid, in: order)
        // A hold that is reported without an amount is one of the order's.
        case .held(let hold): amount = hold.amount ?? order.total ?? asked
        case .pending where isUnderReviewToo:
            guard let reviewed = underReview(in: order) else { return nil }
            amount = reviewed
        case .declined, .pending, .payerAction, .approved, .open, .voided: return nil
        }
        let attempt = context.attempt.rawValue
        let name = order.purchaseUnits.count == 1 ? order.purchaseUnits.first?.customID : nil
        let isEnded = name == PayPalProvider.voidMark + attempt
        let isOfAttempt = isEnded || name == attempt
        var faults: [String] = []
        if !isOfAttempt { faults.append("the order names another attempt") }
        if isEnded { faults.append("the counter had ended the order") }
        faults += strangers(in: order, context)
        if amount != asked || order.total != asked {
            faults.append("\(amount) has moved, and \(asked) was asked for")
        }
        if let decline = refusal(ofAttached: order, action) {
            faults.append("\(decline.message ?? "the card may not be charged") (\(decline.code ?? "no code"))")
        }
        let sentence =
            "Money has moved on PayPal's order \(order.orderID) without the counter: "
            + "\(faults.joined(separator: "; ")). Look at it in PayPal's dashboard, and refund it if it is not wanted."
        return UnrequestedMoney(
            amount: amount, isOfAttempt: isOfAttempt, objection: faults.isEmpty ? nil : sentence)
    }

    /// Returns what is named in the order and its captures and is not of this attempt. A name that PayPal does not
    /// report decides nothing.
    private func strangers(in order: OrderResponse, _ context: AttemptContext) -> [String] {
        let attempt = context.attempt.rawValue
        var faults: [String] = []
        for unit in order.purchaseUnits {
            guard let invoice = unit.invoiceID, invoice != attempt else { continue }
            faults.append("the order has the invoice number \(ProviderText.cut(invoice, atMost: 127))")
        }
        for capture in order.captures {
            if let name = capture.orderID, name != order.orderID {
                faults.append("capture \(capture.id) is of the order \(name)")
            }
            // The counter's own captures have a number of their own, which begins with the payment.
            guard let invoice = capture.invoiceID, invoice != attempt,
                capture.step == nil || PaymentID(ofStep: invoice) != context.payment
            else { continue }
            faults.append("capture \(capture.id) has the invoice number \(ProviderText.cut(invoice, atMost: 127))")
        }
        if let known = PayPalReference(context.reference)?.capture,
            !order.captures.contains(where: { $0.id == known })
        {
            faults.append("the order does not have the known capture \(known)")
        }
        return faults
    }

    /// Returns the amount of the capture or the hold that PayPal still reviews; `nil` if none is known.
    private func underReview(in order: OrderResponse) -> Money? {
        if let capture = order.captures.first(where: { $0.status == .pending }) { return capture.amount }
        return order.authorizations.first { $0.status == .pending }?.amount
    }

    /// Returns the amount of the hold of which a part is captured, as long as more may be: a capture of others that was
    /// the last one leaves nothing. A capture of the counter's shows that the hold is booked, and stays as it was.
    private func moved(_ paid: PaidOrder, in order: OrderResponse) -> Money {
        let standing = order.authorizations.last(where: {
            [.created, .partiallyCaptured, .captured].contains($0.status)
        })
        guard let hold = standing, let held = hold.amount, held.currency == paid.amount.currency,
            held.minorUnits > paid.amount.minorUnits
        else { return paid.amount }
        let isBooked = order.captures.contains { $0.step != nil }
        let isOver = hold.status == .captured || order.captures.contains { $0.isFinal == true }
        return isBooked || !isOver ? held : paid.amount
    }
}
