/// A resolution that an operator may choose for a queue entry in the payment's current state.
public struct PossibleResolution: Hashable, Sendable {
    public let kind: AttentionResolution.Kind
    /// The amount recorded as moved elsewhere if the operator gives none; `nil` if the resolution moves nothing.
    public let amount: Money?
    /// The largest amount that may be given; `nil` if the resolution takes none.
    public let maximum: Money?
}

extension Payment {
    /// Returns the resolutions available for an entry, decided by the same rules as the resolution itself. Valid until
    /// the payment changes. Empty for an entry that is closed, superseded or nonexistent.
    public func possibleResolutions(of number: Int) -> [PossibleResolution] {
        AttentionResolution.Kind.allCases.compactMap { possible($0, of: number) }
    }

    private func possible(_ kind: AttentionResolution.Kind, of number: Int) -> PossibleResolution? {
        do throws(PaymentRefusal) {
            let amount = try recorded(kind, nil, of: number)
            return PossibleResolution(
                kind: kind, amount: amount, maximum: try amount == nil ? nil : largest(kind, of: number))
        } catch {
            // The whole operation cannot have been moved elsewhere, but a part of it can.
            return error.left.map { PossibleResolution(kind: kind, amount: $0, maximum: $0) }
        }
    }

    /// Finds the largest amount by trying one that is too large.
    private func largest(
        _ kind: AttentionResolution.Kind, of number: Int
    ) throws(PaymentRefusal) -> Money? {
        let all = Money(minorUnits: .max, currency: currency)
        do throws(PaymentRefusal) { return try recorded(kind, all, of: number) } catch {
            guard let left = error.left else { throw error }
            return left
        }
    }

    /// Returns the amount that a resolution would record.
    private func recorded(
        _ kind: AttentionResolution.Kind, _ amount: Money?, of number: Int
    ) throws(PaymentRefusal) -> Money? {
        // A placeholder for the operator's statement.
        let said = AttentionResolution(kind: kind, amount: amount, evidence: "?", actor: "?")
        for event in try decideResolution(number, said) {
            if case .attentionClosed(_, let closed) = event { return closed.amount }
        }
        return nil
    }

    /// Returns the money at stake in a queue entry: the amount that it names itself, the amount of its capture or
    /// refund, the held amount for a hold that ends, and otherwise the payment's amount.
    public func stake(of item: AttentionItem) -> Money {
        switch item.attention {
        case .wrongAmount(let money, _), .wrongCurrency(let money, _), .refundedMoreThanOnce(_, let money),
            .partialApproval(let money), .refundReversed(let money), .captureReversed(let money),
            .disputeOpened(_, let money, _), .disputeLost(_, let money), .unwantedCapture(let money),
            .refundedTwice(let money), .approvedLate(let money, _):
            money
        case .holdEnds, .honorPeriodEnds: held.isPositive ? held : amount
        case .keyRejected, .voidedAfterCapture, .refused, .refundFailed, .stillUnknown, .tapOverdue, .orderPaidAgain,
            .shopDiffers, .note:
            amount(of: item) ?? amount
        }
    }
}

extension PaymentRefusal {
    /// The largest amount that would have been accepted in place of one that is too large.
    fileprivate var left: Money? {
        if case .refundExceedsCaptured(_, let left) = self { return left }
        if case .captureExceedsAuthorization(_, let left) = self { return left }
        return nil
    }
}
