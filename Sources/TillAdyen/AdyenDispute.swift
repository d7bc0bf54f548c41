public import TillCore

/// What an event says of its dispute.
public struct AdyenDisputeNote: Hashable, Sendable {
    /// Adyen's word: `Undefended`, `Pending`, `Won`, `Lost`, `Expired`, …
    public let status: String?
    /// Until when the shop may answer.
    public let respondBy: Timestamp?

    /// `nil`: it says neither.
    init?(status: String?, respondBy: Timestamp?) {
        guard status != nil || respondBy != nil else { return nil }
        self.status = status
        self.respondBy = respondBy
    }

    init?(_ data: JSONValue?) {
        let word = data?["disputeStatus"]?.stringValue.flatMap { text in
            (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil
        }
        self.init(
            status: word,
            respondBy: data?["defensePeriodEndsAt"]?.stringValue.flatMap { Timestamp(internetTime: $0) })
    }
}

extension ProviderSnapshot.Dispute {
    /// The disputes that events of one payment tell of. The same whichever event came first, and however often: what
    /// the signature leaves out, such as Adyen's clock and its word for where a dispute stands, decides nothing.
    static func all(in events: [AdyenNotification], of payment: String) -> [ProviderSnapshot.Dispute] {
        let told = events.filter { $0.success && $0.eventCode.disputed != nil }
        let names = Set(told.map(\.pspReference)).subtracting([payment]).sorted()
        // Where Adyen is not set up to name disputes, the payment's name stands there: that is its only dispute.
        let nameless = told.filter { $0.pspReference == payment }
        guard let first = names.first else { return dispute(nameless, named: payment).map { [$0] } ?? [] }
        let owner = names.count == 1 ? first : payment
        return (owner == payment && !nameless.isEmpty ? names + [payment] : names).compactMap { name in
            dispute(told.filter { $0.pspReference == name } + (name == owner ? nameless : []), named: name)
        }
    }

    private static func dispute(_ told: [AdyenNotification], named text: String) -> ProviderSnapshot.Dispute? {
        func place(_ event: AdyenNotification) -> (Int, String) { (event.eventCode.disputed?.step ?? 0, event.name) }
        let events = told.sorted { place($0) < place($1) }
        guard let last = events.last, let name = ProviderReference(ifValid: text),
            let amount = events.lazy.compactMap(\.amount).first(where: \.isPositive)
        else { return nil }
        let moved = events.last { $0.eventCode.disputed?.funds != nil }
        let taken = moved?.eventCode.disputed?.funds == .withdrawn ? moved?.amount ?? amount : .zero(amount.currency)
        let withdrawn = taken.currency == amount.currency && !taken.isNegative ? taken : amount
        let facts = TillCore.Dispute.Facts(
            reference: name, reason: events.lazy.compactMap(\.reason).last { !$0.isEmpty } ?? "unknown",
            stage: last.eventCode.rawValue, amount: amount, respondBy: events.lazy.compactMap(\.dispute?.respondBy).last
        )
        return ProviderSnapshot.Dispute(facts: facts, withdrawn: withdrawn, outcome: outcome(last, withdrawn))
    }

    private static func outcome(_ last: AdyenNotification, _ withdrawn: Money) -> TillCore.Dispute.Outcome? {
        switch last.eventCode.disputed?.end {
        case .won: .won
        case .lost: .lost
        case .lostUnanswered: withdrawn.isPositive ? .lost : nil
        case nil: nil
        }
    }
}
