internal import TillCore

/// A transaction as the gateway reports it.
struct BraintreeTransaction: Sendable {
    let id: String
    let status: String
    let type: String
    let amount: Money
    let orderID: String?
    /// Why it is as it is: the processor's code, or the gateway's word for what the gateway itself rejected.
    let responseCode: String?
    let card: CardSummary?
    let refundIDs: [String]
    /// The sale that a refund is of.
    let refundedID: String?
    let expires: Timestamp?
    /// Until when the hold lasts at least, where Braintree does not say when it ends.
    let honoredUntil: Timestamp?
    /// The shortest that Braintree's page on authorizations names for a card's network.
    private static let shortestHold = Span.days(7)
    /// Every status that it had, oldest first, as far as it is reported.
    let history: [String]
    /// All disputes about it; `nil` for one that cannot be read.
    let disputes: [BraintreeDispute?]

    init?(_ node: XMLNode?) {
        guard let node, let id = node.value("id"), BraintreeTransaction.isUsable(id), let status = node.value("status"),
            let type = node.value("type"), let text = node.value("amount"),
            let code = node.value("currency-iso-code"), let currency = Currency(ifValid: code),
            let amount = Money(ifValid: text, currency: currency)
        else { return nil }
        self.id = id
        self.status = status
        self.type = type
        self.amount = amount
        orderID = node.value("order-id")
        let reason =
            switch status {
            case "gateway_rejected": node.value("gateway-rejection-reason")
            case "settlement_declined": node.value("processor-settlement-response-code")
            default: node.value("processor-response-code")
            }
        responseCode = reason.map { CardScrubbing.withoutNumbers(ProviderText.cut($0, atMost: 32)) }
        let last = node["credit-card"]?.value("last-4")
        let brand = node["credit-card"]?.value("card-type")?.lowercased().replacing(" ", with: "_")
        card = last.map { CardSummary(brand: brand ?? "unknown", lastFour: $0, entryMode: "keyed") }
        refundIDs = (node["refund-ids"]?.children ?? []).map(\.text).filter { BraintreeTransaction.isUsable($0) }
        refundedID = node.value("refunded-transaction-id").flatMap { BraintreeTransaction.isUsable($0) ? $0 : nil }
        history = (node["status-history"]?.children ?? []).compactMap { $0.value("status") }
        disputes = (node["disputes"]?.children ?? []).map { BraintreeDispute($0) }
        expires = node.value("authorization-expires-at").flatMap { Timestamp(internetTime: $0) }
        honoredUntil =
            expires == nil
            ? node.value("created-at").flatMap { Timestamp(internetTime: $0) }?
                .adding(BraintreeTransaction.shortestHold) : nil
    }

    static func isUsable(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
            }
    }

    /// What a status means for the money.
    enum Meaning {
        case held
        case taken
        case voided
        case expired
        case declined
        case undecided
    }

    var meaning: Meaning {
        switch status {
        case "authorized": .held
        case _ where BraintreeTransaction.takenStatuses.contains(status): .taken
        case "voided": .voided
        case "authorization_expired": .expired
        case "processor_declined", "gateway_rejected", "failed", "settlement_declined": .declined
        default: .undecided
        }
    }

    /// It was handed in to be settled and voided before it was: by a refund of ours, or in the control panel.
    var isTakenBack: Bool { meaning == .voided && history.contains { BraintreeTransaction.takenStatuses.contains($0) } }

    /// It was handed in to be settled and is not settled any more: voided, or declined later.
    var cameToNothing: Bool {
        (meaning == .voided || meaning == .declined)
            && history.contains { BraintreeTransaction.takenStatuses.contains($0) }
    }

    private static let takenStatuses: Set<String> = [
        "submitted_for_settlement", "settlement_pending", "settling", "settled", "settlement_confirmed",
    ]

    var isSettled: Bool { ["settled", "settling"].contains(status) }

    /// What its code says of the money; `nil` if Braintree has added the code since.
    private var row: ProviderCode? {
        responseCode.flatMap {
            status == "gateway_rejected" ? BraintreeCodes.gatewayRejections[$0] : BraintreeCodes.processor[$0]
        }
    }

    /// It was declined because the same was done before, perhaps by an earlier request of ours.
    var isDoneElsewhere: Bool { meaning == .declined && row?.money.needsQuery ?? false }

    /// As a no of the card's bank.
    var decline: Decline {
        Decline(
            reason: row?.reason ?? .generic, code: responseCode ?? status, message: "transaction \(id) is \(status)")
    }
}
