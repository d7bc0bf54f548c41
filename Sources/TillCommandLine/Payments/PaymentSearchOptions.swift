import ArgumentParser
import TillCheckout
import TillCore

/// The conditions of `till payments list`: those of `GET /v1/payments`, by the same names.
struct PaymentSearchOptions: ParsableArguments {
    /// The tenders that payments are looked for by.
    private static let tenders: [TenderKind] = [.card, .reader, .wallet, .payPal, .cash]

    @Option(name: .long, help: "Only of this order, with the payments of its parts.") var order: String?
    @Option(name: .long, help: "Only in this status, or in one of several with commas between them.")
    var status: String?
    @Option(
        name: .long, help: "Only with this in the sale's name, this amount, or these last four digits of a card.")
    var search: String?
    @Option(
        name: .long,
        help: "Only by this tender: card, reader, wallet, paypal or cash, or several with commas between them.")
    var tender: String?
    @Option(name: .long, help: "Only from this time on, such as 2026-11-21T10:30:00Z.") var from: String?
    @Option(name: .long, help: "Only before this time.") var until: String?
    @Option(
        name: .customLong("amount-from"),
        help: ArgumentHelp("Only of at least this amount, such as 5.00, in --currency.", valueName: "amount"))
    var amountFrom: String?
    @Option(
        name: .customLong("amount-until"),
        help: ArgumentHelp("Only of at most this amount.", valueName: "amount"))
    var amountUntil: String?
    @Option(name: .long, help: "Only in this currency, such as EUR.") var currency: String?
    @Option(name: .long, help: "Only by a card with these last four digits.") var card: String?
    @Option(name: .long, help: "Only sold by this staff member, by the identifier of `till staff list`.")
    var staff: String?
    @Option(name: .long, help: "Only of orders of this connected shop, by the identifier of `till shop list`.")
    var shop: String?

    /// Returns the search of an account that the options ask for.
    /// - Throws: ``CommandError`` for a value that is none.
    func asked(of account: AccountID) throws -> PaymentSearch {
        var found = PaymentSearch(account: account)
        found.statuses = try statuses()
        found.text = try text()
        found.tenders = try kinds()
        found.from = try PaymentSearchOptions.time("--from", from)
        found.until = try PaymentSearchOptions.time("--until", until)
        found.currency = try known()
        found.least = try units("--amount-from", amountFrom, found.currency)
        found.greatest = try units("--amount-until", amountUntil, found.currency)
        found.card = try digits()
        found.seller = try PaymentSearchOptions.origin("--staff", staff).map { StaffID(rawValue: $0) }
        found.shop = try PaymentSearchOptions.origin("--shop", shop)
        return found
    }

    /// Returns the order whose payments are to be listed; `nil` for a search.
    /// - Throws: ``CommandError`` for an order together with other conditions.
    func onlyOrder() throws -> OrderID? {
        guard let order else { return nil }
        let others = [search, tender, from, until, amountFrom, amountUntil, currency, card, staff, shop]
        guard others.allSatisfy({ $0 == nil }), try statuses().count <= 1 else {
            throw CommandError(
                code: "choose_an_order_or_a_search", what: "--order goes with one --status and --limit only.",
                next: "Use --search with the order's name instead.")
        }
        return OrderID(rawValue: order)
    }

    private func statuses() throws -> Set<PaymentStatus> {
        var found: Set<PaymentStatus> = []
        for word in PaymentSearchOptions.words(status) {
            guard let known = PaymentStatus(rawValue: word) else {
                throw CommandError(
                    code: "unknown_status", what: "There is no status \(word).",
                    next: "Use one of \(PaymentStatus.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            found.insert(known)
        }
        return found
    }

    private func kinds() throws -> Set<TenderKind> {
        var found: Set<TenderKind> = []
        for word in PaymentSearchOptions.words(tender) {
            guard let known = PaymentSearchOptions.tenders.first(where: { $0.rawValue == word }) else {
                throw CommandError(
                    code: "unknown_tender", what: "There is no tender \(word).",
                    next: "Use one of \(PaymentSearchOptions.tenders.map(\.rawValue).joined(separator: ", ")).")
            }
            found.insert(known)
        }
        return found
    }

    private func text() throws -> String? {
        guard let search, search.utf8.count > PaymentSearchLimits.textBytes else { return search }
        throw CommandError(
            code: "invalid_search", what: "--search has \(search.utf8.count) bytes.",
            next: "It has at most \(PaymentSearchLimits.textBytes).")
    }

    private func known() throws -> Currency? {
        guard let currency else { return nil }
        guard let known = Currency(ifValid: currency) else {
            throw CommandError(
                code: "invalid_currency", what: "\(currency) is no currency of ISO 4217 that is known here.",
                next: "Write it as EUR.")
        }
        return known
    }

    private func units(_ option: String, _ text: String?, _ currency: Currency?) throws -> Int64? {
        guard let text else { return nil }
        guard let currency else {
            throw CommandError(
                code: "currency_missing", what: "\(option) is an amount of no currency.", next: "Add --currency.")
        }
        guard let amount = Money(ifValid: text, currency: currency), !amount.isNegative else {
            throw CommandError(
                code: "invalid_amount", what: "\(option) is “\(text)”, which is no amount in \(currency).",
                next: "Write it as 5.00, with the decimal places of its currency.")
        }
        return amount.minorUnits
    }

    private func digits() throws -> String? {
        guard let card else { return nil }
        guard card.utf8.count == 4, card.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CommandError(
                code: "invalid_card", what: "--card is not four digits.", next: "Give the last four digits only.")
        }
        return card
    }

    /// Returns the words between commas. An empty one is none that is known: a variable without a value lists not all.
    private static func words(_ text: String?) -> [String] {
        text?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } ?? []
    }

    private static func origin(_ option: String, _ text: String?) throws -> String? {
        guard let text else { return nil }
        guard PaymentSearchLimits.isOrigin(text) else {
            throw CommandError(
                code: "invalid_identifier", what: "\(option) is no identifier.",
                next: "One has 1 to \(PaymentSearchLimits.originBytes) printable ASCII characters without space.")
        }
        return text
    }

    private static func time(_ option: String, _ text: String?) throws -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(internetTime: text) else {
            throw CommandError(
                code: "invalid_time", what: "\(option) is “\(text)”.",
                next: "Write it as 2026-11-21T10:30:00Z, or with an offset such as +01:00.")
        }
        return time
    }
}
