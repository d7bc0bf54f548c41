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

extension AdyenEventCode {
    /// How far a dispute is with this event: they come in any order, and all events of a dispute have its name. `nil`:
    /// it is about no dispute.
    var disputeStep: Int? {
        switch self {
        case .requestForInformation: 0
        case .notificationOfChargeback: 1
        case .chargeback: 2
        case .informationSupplied, .defensePeriodEnded: 3
        case .chargebackReversed: 4
        case .issuerResponseExpired: 5
        case .secondChargeback: 6
        case .preArbitrationWon, .preArbitrationLost: 7
        default: nil
        }
    }

    /// Money of the dispute is gone after it, or is not; `nil`: it moves none.
    fileprivate var takesMoney: Bool? {
        switch self {
        case .chargeback, .secondChargeback, .preArbitrationLost: true
        case .chargebackReversed, .preArbitrationWon: false
        default: nil
        }
    }
}

extension ProviderSnapshot.Dispute {
    /// The disputes that events of one payment tell of. The same whichever event came first, and however often.
    static func all(in events: [AdyenNotification]) -> [ProviderSnapshot.Dispute] {
        var names: [String] = []
        for event in events where event.eventCode.disputeStep != nil && !names.contains(event.pspReference) {
            names.append(event.pspReference)
        }
        return names.sorted().compactMap { name in dispute(events.filter { $0.pspReference == name }) }
    }

    private static func dispute(_ notifications: [AdyenNotification]) -> ProviderSnapshot.Dispute? {
        // By Adyen's clock where every event has a time, else as a dispute goes; of one moment as a dispute goes.
        let isTimed = notifications.allSatisfy { $0.at != nil }
        func place(_ event: AdyenNotification) -> (Int64, Int, String) {
            (isTimed ? event.at?.milliseconds ?? 0 : 0, event.eventCode.disputeStep ?? 0, event.name)
        }
        let events = notifications.filter { $0.eventCode.disputeStep != nil }.sorted { place($0) < place($1) }
        guard let last = events.last, let name = ProviderReference(ifValid: last.pspReference),
            let amount = events.lazy.compactMap(\.amount).first(where: \.isPositive)
        else { return nil }
        let moved = events.last { $0.eventCode.takesMoney != nil }
        let taken = moved?.eventCode.takesMoney == true ? moved?.amount ?? amount : .zero(amount.currency)
        let withdrawn = taken.currency == amount.currency && !taken.isNegative ? taken : amount
        let facts = TillCore.Dispute.Facts(
            reference: name, reason: events.lazy.compactMap(\.reason).last { !$0.isEmpty } ?? "unknown",
            stage: last.eventCode.rawValue, amount: amount, respondBy: events.lazy.compactMap(\.dispute?.respondBy).last
        )
        return ProviderSnapshot.Dispute(facts: facts, withdrawn: withdrawn, outcome: outcome(last))
    }

    /// A reversed chargeback is won unless Adyen says that it is open still; a second one and a lost arbitration end
    /// it.
    private static func outcome(_ last: AdyenNotification) -> TillCore.Dispute.Outcome? {
        switch (last.eventCode, last.dispute?.status) {
        case (.secondChargeback, _), (.preArbitrationLost, _): .lost
        case (.preArbitrationWon, _), (.issuerResponseExpired, _): .won
        case (_, "Won"): .won
        case (_, "Lost"), (_, "Accepted"): .lost
        case (.chargebackReversed, nil): .won
        case (.defensePeriodEnded, "Expired"), (.defensePeriodEnded, "Unresponded"): .lost
        default: nil
        }
    }
}
