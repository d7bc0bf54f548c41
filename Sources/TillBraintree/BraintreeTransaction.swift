internal import TillCore

/// A transaction as the gateway reports it.
struct BraintreeTransaction: Sendable {
    let id: String
    let status: String
    let type: String
    let amount: Money
    let orderID: String?
    let responseCode: String?
    let card: CardSummary?
    let refundIDs: [String]
    let expires: Timestamp?

    init?(_ node: XMLNode?) {
        guard let node, let id = node.value("id"), BraintreeTransaction.isUsable(id), let status = node.value("status"),
            let type = node.value("type"), let text = node.value("amount"),
            let code = node.value("currency-iso-code"), let currency = try? Currency(code: code),
            let amount = try? Money(parsing: text, currency: currency)
        else { return nil }
        self.id = id
        self.status = status
        self.type = type
        self.amount = amount
        orderID = node.value("order-id")
        responseCode = node.value("processor-response-code").map { CardScrubbing.withoutNumbers(String($0.prefix(16))) }
        let last = node["credit-card"]?.value("last-4")
        let brand = node["credit-card"]?.value("card-type")?.lowercased().replacing(" ", with: "_")
        card = last.map { CardSummary(brand: brand ?? "unknown", lastFour: $0, entryMode: "keyed") }
        refundIDs = (node["refund-ids"]?.children ?? []).map(\.text).filter { BraintreeTransaction.isUsable($0) }
        expires = node.value("authorization-expires-at").flatMap { Timestamp(internetTime: $0) }
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
        case "submitted_for_settlement", "settlement_pending", "settling", "settled", "settlement_confirmed": .taken
        case "voided": .voided
        case "authorization_expired": .expired
        case "processor_declined", "gateway_rejected", "failed", "settlement_declined": .declined
        default: .undecided
        }
    }

    var isSettled: Bool { ["settled", "settling"].contains(status) }

    /// As a no of the card's bank.
    var decline: Decline {
        let reason: DeclineReason =
            switch responseCode ?? "" {
            case "2001": .insufficientFunds
            case "2004": .expiredCard
            case "2005", "2007", "2009": .incorrectNumber
            case "2010": .incorrectCVC
            case "2012", "2013", "2014", "2019", "2044": .fraud
            case "2015", "2016", "2024", "2057": .cardNotSupported
            default: .generic
            }
        return Decline(reason: reason, code: responseCode ?? status, message: "transaction \(id) is \(status)")
    }
}
