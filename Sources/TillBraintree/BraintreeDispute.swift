internal import TillCore

/// The parts of a dispute that are read. The initializer returns `nil` if the data is unreliable.
struct BraintreeDispute: Sendable {
    let dispute: ProviderSnapshot.Dispute

    init?(_ node: XMLNode) {
        guard let id = node.value("id"), let reference = ProviderReference(ifValid: id),
            let code = node.value("currency-iso-code"), let currency = Currency(ifValid: code),
            let text = node.value("amount-disputed") ?? node.value("amount"),
            let amount = Money(ifValid: text, currency: currency), !amount.isNegative,
            let status = BraintreeDispute.word(node, "status"), let kind = BraintreeDispute.word(node, "kind")
        else { return nil }
        let won = BraintreeDispute.won(node, of: amount)
        // A dispute won with nothing returned, and without any disbursement day, never moved money.
        let hasMoved = !won.isZero || BraintreeDispute.hasDisbursed(node)
        let facts = Dispute.Facts(
            reference: reference, reason: BraintreeDispute.word(node, "reason") ?? "unknown",
            stage: "\(kind) \(status)",
            amount: amount, respondBy: status == "open" ? BraintreeDispute.deadline(node) : nil)
        dispute = ProviderSnapshot.Dispute(
            facts: facts,
            withdrawn: Money(
                minorUnits: hasMoved || status != "won"
                    ? BraintreeDispute.withdrawn(kind, status, of: amount, won: won) : 0, currency: currency),
            outcome: BraintreeDispute.outcome(kind, status))
    }

    private static func word(_ node: XMLNode, _ name: String) -> String? {
        guard let text = node.value(name), text.utf8.count <= 64,
            text.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x5F })
        else { return nil }
        return text
    }

    /// Returns the amount returned for a won dispute; the full amount if Braintree does not report it.
    static func won(_ node: XMLNode, of amount: Money) -> Money {
        node.value("amount-won").flatMap { Money(ifValid: $0, currency: amount.currency) } ?? amount
    }

    /// Returns `true` if a step of the history has a disbursement day.
    private static func hasDisbursed(_ node: XMLNode) -> Bool {
        node["status-history"]?.children.contains { $0.value("disbursement-date") != nil } ?? false
    }

    /// Returns the response deadline, given as a day: the response is due before the day begins, in any time zone that
    /// is not far behind.
    private static func deadline(_ node: XMLNode) -> Timestamp? {
        node.value("reply-by-date").flatMap { Timestamp(internetTime: "\($0)T00:00:00Z") }
    }

    /// Returns the withdrawn amount. A chargeback's amount is withdrawn from its opening until it is won; that of a
    /// second one (`pre_arbitration`) once it is lost; a request for documents (`retrieval`) moves none.
    private static func withdrawn(_ kind: String, _ status: String, of amount: Money, won: Money) -> Int64 {
        switch (kind, status) {
        case ("retrieval", _): 0
        case (_, "won"): max(0, amount.minorUnits - max(0, won.minorUnits))
        case ("chargeback", _), (_, "lost"), (_, "accepted"), (_, "auto_accepted"), (_, "expired"): amount.minorUnits
        default: 0
        }
    }

    private static func outcome(_ kind: String, _ status: String) -> Dispute.Outcome? {
        switch status {
        case "won": .won
        case "lost", "accepted", "auto_accepted", "expired": kind == "retrieval" ? .closed : .lost
        default: nil
        }
    }
}
