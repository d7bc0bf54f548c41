public import TillCore

/// The dispute details of an event.
public struct AdyenDisputeNote: Hashable, Sendable {
    /// Adyen's dispute status: `Undefended`, `Pending`, `Won`, `Lost`, `Expired`, …
    public let status: String?
    /// The deadline for the shop's response.
    public let respondBy: Timestamp?

    /// Creates the details; `nil` if there are none.
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
    /// Returns the disputes reported by the events of one payment. The result does not depend on the order or
    /// repetition of events: values not covered by the signature, such as Adyen's timestamp and dispute status, decide
    /// nothing.
    static func all(in events: [AdyenNotification], of payment: String) -> [ProviderSnapshot.Dispute] {
        let told = events.filter { $0.success && $0.eventCode.disputed != nil }
        let names = Set(told.map(\.pspReference)).subtracting([payment]).sorted()
        // If Adyen is not set up to identify disputes, the event carries the payment's reference: its only dispute.
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
