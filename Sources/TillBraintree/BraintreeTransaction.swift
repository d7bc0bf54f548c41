internal import TillCore

/// A transaction as reported by the gateway.
struct BraintreeTransaction: Sendable {
    let id: String
    let status: String
    let type: String
    let amount: Money
    let orderID: String?
    /// The reason for the status: the processor's code, or the gateway's own rejection reason.
    let responseCode: String?
    let card: CardSummary?
    let refundIDs: [String]
    /// The sale of a refund.
    let refundedID: String?
    let expires: Timestamp?
    /// The time until which the hold is certain to last, if Braintree does not report its end.
    let honoredUntil: Timestamp?
    /// The shortest period for any card network on Braintree's page about authorizations.
    private static let shortestHold = Span.days(7)
    /// The status history, oldest first, as far as it is reported.
    let history: [String]
    /// All disputes of the transaction; `nil` for an unreadable one.
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
        responseCode = reason.map { CardNumberMask.maskedForPeople(ProviderText.cut($0, atMost: 32)) }
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

    /// The meaning of a status for the money.
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

    /// `true` if it was submitted for settlement and voided before: by a refund of ours, or in the control panel.
    var isTakenBack: Bool { meaning == .voided && history.contains { BraintreeTransaction.takenStatuses.contains($0) } }

    /// `true` if it was submitted for settlement and will not settle: voided, or declined later.
    var cameToNothing: Bool {
        (meaning == .voided || meaning == .declined)
            && history.contains { BraintreeTransaction.takenStatuses.contains($0) }
    }

    private static let takenStatuses: Set<String> = [
        "submitted_for_settlement", "settlement_pending", "settling", "settled", "settlement_confirmed",
    ]

    var isSettled: Bool { ["settled", "settling"].contains(status) }

    /// The row of the response code; `nil` for a code unknown to this version.
    private var row: ProviderCode? {
        responseCode.flatMap {
            status == "gateway_rejected" ? BraintreeCodes.gatewayRejections[$0] : BraintreeCodes.processor[$0]
        }
    }

    /// `true` if it was declined as a duplicate, perhaps of an earlier request of ours.
    var isDoneElsewhere: Bool { meaning == .declined && row?.money.needsQuery ?? false }

    /// The refusal as a decline by the issuer.
    var decline: Decline {
        Decline(
            reason: row?.reason ?? .generic, code: responseCode ?? status, message: "transaction \(id) is \(status)")
    }
}
