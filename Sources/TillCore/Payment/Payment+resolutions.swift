/// A resolution that a person may choose for an entry of the operators' queue as the payment stands.
public struct PossibleResolution: Hashable, Sendable {
    public let kind: AttentionResolution.Kind
    /// What is recorded as moved elsewhere where the person names no amount; `nil`: the resolution moves nothing.
    public let amount: Money?
    /// The largest amount that may be named; `nil`: the resolution takes none.
    public let maximum: Money?
}

extension Payment {
    /// What a person may say of an entry, decided by the same rules as the resolution itself. It holds until the
    /// payment changes. Empty for an entry that is closed or overtaken, and for one that there is not.
    public func possibleResolutions(of number: Int) -> [PossibleResolution] {
        AttentionResolution.Kind.allCases.compactMap { possible($0, of: number) }
    }

    private func possible(_ kind: AttentionResolution.Kind, of number: Int) -> PossibleResolution? {
        do throws(PaymentRefusal) {
            let amount = try recorded(kind, nil, of: number)
            return PossibleResolution(
                kind: kind, amount: amount, maximum: try amount == nil ? nil : largest(kind, of: number))
        } catch {
            // The whole operation cannot have been moved elsewhere, a part of it can.
            return error.left.map { PossibleResolution(kind: kind, amount: $0, maximum: $0) }
        }
    }

    /// The largest amount is found by asking for more than there can be.
    private func largest(
        _ kind: AttentionResolution.Kind, of number: Int
    ) throws(PaymentRefusal) -> Money? {
        let all = Money(minorUnits: .max, currency: currency)
        do throws(PaymentRefusal) { return try recorded(kind, all, of: number) } catch {
            guard let left = error.left else { throw error }
            return left
        }
    }

    /// The amount that a resolution would record.
    private func recorded(
        _ kind: AttentionResolution.Kind, _ amount: Money?, of number: Int
    ) throws(PaymentRefusal) -> Money? {
        // Stands for what the person has yet to say.
        let said = AttentionResolution(kind: kind, amount: amount, evidence: "?", actor: "?")
        for event in try decideResolution(number, said) {
            if case .attentionClosed(_, let closed) = event { return closed.amount }
        }
        return nil
    }

    /// The money that an entry of the queue is about: what it names itself, what its capture or refund moves, what is
    /// held for a hold that ends, and otherwise the payment's amount.
    public func stake(of item: AttentionItem) -> Money {
        switch item.attention {
        case .wrongAmount(let money, _), .wrongCurrency(let money, _), .refundedMoreThanOnce(_, let money),
            .partialApproval(let money), .refundReversed(let money), .captureReversed(let money),
            .disputeOpened(_, let money, _), .disputeLost(_, let money), .unwantedCapture(let money),
            .refundedTwice(let money):
            money
        case .holdEnds, .honorPeriodEnds: held.isPositive ? held : amount
        case .keyRejected, .voidedAfterCapture, .refused, .refundFailed, .stillUnknown, .tapOverdue, .orderPaidAgain,
            .note:
            amount(of: item) ?? amount
        }
    }
}

extension PaymentRefusal {
    /// What could have been named in place of an amount that is too large.
    fileprivate var left: Money? {
        if case .refundExceedsCaptured(_, let left) = self { return left }
        if case .captureExceedsAuthorization(_, let left) = self { return left }
        return nil
    }
}
