import TillCheckout
import TillCore
import TillWeb

/// The search that the query of a request asks for.
enum PaymentSearchQuery {
    static let names: [String] = [
        "q", "status", "tender", "from", "until", "amount_from", "amount_until", "currency", "card", "staff", "shop",
        "before",
    ]
    /// The maximum number of statuses or tenders in one query.
    private static let maximumWords = 16
    private static let known: [TenderKind] = [.card, .reader, .wallet, .payPal, .cash]

    static func search(_ incoming: Incoming, limit: Int) throws -> PaymentSearch {
        var search = PaymentSearch(account: incoming.account, limit: limit)
        search.text = try text(incoming)
        for word in try words("status", incoming) {
            guard let status = PaymentStatus(rawValue: word) else {
                throw Problem.field("status", "There is no such status.")
            }
            search.statuses.insert(status)
        }
        for word in try words("tender", incoming) {
            guard let kind = known.first(where: { $0.rawValue == word }) else {
                throw Problem.field("tender", "It must be \(known.map(\.rawValue).joined(separator: ", ")).")
            }
            search.tenders.insert(kind)
        }
        search.from = try time("from", incoming)
        search.until = try time("until", incoming)
        search.least = try units("amount_from", incoming)
        search.greatest = try units("amount_until", incoming)
        if let code = try incoming.query("currency") {
            guard let currency = Currency(ifValid: code) else {
                throw Problem.field("currency", "It is no currency of ISO 4217 that is known here.")
            }
            search.currency = currency
        }
        if let card = try incoming.query("card") {
            guard card.utf8.count == 4, card.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw Problem.field("card", "It must be the last four digits.")
            }
            search.card = card
        }
        search.seller = try origin("staff", incoming).map { StaffID(rawValue: $0) }
        search.shop = try origin("shop", incoming)
        do { search.before = try incoming.query("before").map { try PaymentID(validating: $0) } } catch let error
            as IdentifierError
        { throw Problem.field("before", error.description) }
        return search
    }

    private static func text(_ incoming: Incoming) throws -> String? {
        guard let text = try incoming.query("q") else { return nil }
        guard text.utf8.count <= PaymentSearchLimits.textBytes else {
            throw Problem.field("q", "It has at most \(PaymentSearchLimits.textBytes) bytes.")
        }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? nil : words
    }

    private static func words(_ name: String, _ incoming: Incoming) throws -> [String] {
        let words = try (incoming.query(name) ?? "").split(separator: ",").map { String($0) }
        guard words.count <= maximumWords else { throw Problem.field(name, "It names at most \(maximumWords).") }
        return words
    }

    /// Returns the identifier of a staff member or a shop; it need not be known here any more.
    private static func origin(_ name: String, _ incoming: Incoming) throws -> String? {
        guard let text = try incoming.query(name) else { return nil }
        guard PaymentSearchLimits.isOrigin(text) else {
            throw Problem.field(
                name, "It must be 1 to \(PaymentSearchLimits.originBytes) printable ASCII characters without space.")
        }
        return text
    }

    private static func time(_ name: String, _ incoming: Incoming) throws -> Timestamp? {
        guard let text = try incoming.query(name) else { return nil }
        guard let time = Timestamp(internetTime: text) else {
            throw Problem.field(name, "It must be a time such as 2026-11-21T10:30:00Z.")
        }
        return time
    }

    private static func units(_ name: String, _ incoming: Incoming) throws -> Int64? {
        guard let text = try incoming.query(name) else { return nil }
        guard let units = Int64(text), units >= 0 else {
            throw Problem.field(name, "It must be an amount in minor units.")
        }
        return units
    }
}
