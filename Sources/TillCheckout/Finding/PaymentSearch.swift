public import TillCore
import TillJournal

/// What payments are looked for. Conditions that are not set let everything pass; those that are set must all hold.
public struct PaymentSearch: Hashable, Sendable {
    /// Only payments of this account.
    public var account: AccountID
    /// A text in the order's number or identifier, an amount such as `12.50`, the last four digits of a card, or a
    /// payment's identifier or its last five characters, by which a sale without a number is called: `0fgh1`, or
    /// `Sale 0fgh1`. Case does not matter.
    public var text: String?
    /// Only payments in one of these statuses; empty: in any.
    public var statuses: Set<PaymentStatus> = []
    /// Only payments whose last attempt had one of these tenders; empty: any.
    public var tenders: Set<TenderKind> = []
    /// Only payments created at or after this time.
    public var from: Timestamp?
    /// Only payments created before this time.
    public var until: Timestamp?
    /// The least and the greatest amount, in minor units: of what was captured, or asked for if nothing was.
    public var least: Int64?
    public var greatest: Int64?
    /// Only payments in this currency.
    public var currency: Currency?
    /// Only payments whose card has these last four digits.
    public var card: String?
    /// Only sales of this staff member.
    public var seller: StaffID?
    /// Only payments of orders of this connected shop, or of the shop that the order's metadata name as `shop`.
    public var shop: String?
    /// Only payments older than this one: where the previous page ended.
    public var before: PaymentID?
    /// The maximum number of payments, from 1 to `JournalLimits.maximumPage`; other values are clamped.
    public var limit: Int

    public init(account: AccountID, before: PaymentID? = nil, limit: Int = 50) {
        (self.account, self.before, self.limit) = (account, before, limit)
    }

    /// `true` if rows must be judged one by one; otherwise every row of the account is a result. The seller and the
    /// shop are judged by the journal, which has an index of them.
    var isNarrow: Bool {
        text != nil || !statuses.isEmpty || !tenders.isEmpty || from != nil || until != nil || least != nil
            || greatest != nil || currency != nil || card != nil
    }
}

/// What a search has found so far.
public struct PaymentFindings: Sendable {
    /// Payments whose identifier or order is the text itself, from any time; on the first page only. They may come
    /// again among ``payments``.
    public var exact: [ListedPayment] = []
    /// The payments found, newest first.
    public var payments: [ListedPayment] = []
    /// Where to go on; `nil` once everything was examined.
    public var next: PaymentID?
    /// The creation time back to which everything was examined; `nil` once everything was.
    public var examinedTo: Timestamp?

    public init() {}
}

/// The limits of one page of a search. What they leave unexamined the next page examines.
public enum PaymentSearchLimits {
    /// The maximum number of bytes of the text.
    public static let textBytes = 128
    /// The maximum number of rows that are examined.
    public static let rows = 20_000
    /// The maximum number of payments whose events are read to learn their card.
    public static let cards = 2_000
    /// The maximum number of bytes of the identifier of a staff member or a shop.
    public static let originBytes = SaleOrigin.maximumBytes

    /// `true` for what can be the identifier of a staff member or a shop: printable ASCII without spaces.
    public static func isOrigin(_ text: String) -> Bool {
        (1...originBytes).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// How far the time in a payment's identifier may be from its creation.
    static let slack = Span.minutes(1)
}

/// How rows and payments are judged.
struct PaymentSearchJudge {
    let search: PaymentSearch
    /// The text in lower case, and as a plain decimal number if it is one.
    private let text: String?
    private let amount: String?
    /// The four digits that a card must end with, by the text or by the condition.
    private let digits: String?
    /// The last five characters that a payment's identifier may have.
    private let ending: String?

    init(_ search: PaymentSearch) {
        self.search = search
        let text = search.text?.lowercased()
        self.text = text
        amount = text.flatMap(PaymentSearchJudge.decimal)
        digits = text.flatMap { $0.utf8.count == 4 && $0.utf8.allSatisfy(PaymentSearchJudge.isDigit) ? $0 : nil }
        ending = text.flatMap(PaymentSearchJudge.ending(of:))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns an amount with a full stop, as ``Money/decimalString`` writes it; `nil` for another text.
    private static func decimal(_ text: String) -> String? {
        let plain = text.replacing(",", with: ".")
        let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else { return nil }
        return plain
    }

    /// Returns the last five characters of what may be the made-up name of a sale: they have only a word in some
    /// language before them, which some write without a space.
    private static func ending(of text: String) -> String? {
        let end = text.utf8.suffix(5)
        guard end.count == 5, end.allSatisfy({ isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
        else { return nil }
        if let before = text.utf8.dropLast(5).last, before != UInt8(ascii: " "), before < 0x80 { return nil }
        return String(decoding: end, as: UTF8.self)
    }

    /// What a row says about its payment.
    enum Verdict {
        case yes, no
        /// The card decides, which the row does not have.
        case byCard
    }

    func judge(_ row: PaymentRow) -> Verdict {
        guard search.statuses.isEmpty || search.statuses.contains(row.status),
            search.tenders.isEmpty || row.tenderKind.map(search.tenders.contains) == true,
            search.currency == nil || search.currency == row.amount.currency, isInTime(row.createdAt)
        else { return .no }
        let units = row.captured.isPositive ? row.captured.minorUnits : row.amount.minorUnits
        guard search.least.map({ units >= $0 }) ?? true, search.greatest.map({ units <= $0 }) ?? true else {
            return .no
        }
        // An earlier attempt may have been by card: what was tried before is what customers come back with.
        let mayHaveCard = row.tenderKind != nil
        if search.card != nil, !mayHaveCard { return .no }
        if let text, !isNamed(text, row.order.rawValue, row.orderNumber, row.id), !isAmount(row) {
            return digits != nil && mayHaveCard ? .byCard : .no
        }
        return search.card == nil ? .yes : .byCard
    }

    /// `true` for a damaged row that cannot be ruled out: it is shown rather than hidden.
    func judge(_ row: UnreadableRow) -> Bool {
        guard isInTime(row.createdAt) else { return false }
        return text.map { isNamed($0, row.order.rawValue, row.orderNumber, row.id) } ?? true
    }

    /// Judges a payment that the text names: the time does not matter.
    func isExact(_ listed: ListedPayment) -> Bool {
        var search = search
        (search.text, search.from, search.until) = (nil, nil, nil)
        let judge = PaymentSearchJudge(search)
        switch listed {
        case .unreadable(let row): return judge.judge(row)
        case .payment(let payment):
            switch judge.judge(PaymentRow(payment)) {
            case .yes: return true
            case .no: return false
            case .byCard: return judge.judge(payment)
            }
        }
    }

    /// Judges a payment that the row left open.
    func judge(_ payment: Payment) -> Bool {
        let cards = payment.attempts.compactMap(\.tender.card?.lastFour)
        if let card = search.card, !cards.contains(card) { return false }
        guard let text, let digits else { return true }
        return cards.contains(digits) || isNamed(text, payment.order.id.rawValue, payment.order.number, payment.id)
            || isAmount(PaymentRow(payment))
    }

    private func isInTime(_ time: Timestamp) -> Bool {
        (search.from.map { time >= $0 } ?? true) && (search.until.map { time < $0 } ?? true)
    }

    private func isNamed(_ text: String, _ order: String, _ number: String, _ id: PaymentID) -> Bool {
        order.lowercased().contains(text) || number.lowercased().contains(text) || id.rawValue.lowercased() == text
            || ending.map { id.rawValue.hasSuffix($0) } ?? false
    }

    private func isAmount(_ row: PaymentRow) -> Bool {
        guard let amount else { return false }
        return [row.amount, row.captured, row.refunded].contains { money in
            let whole = money.decimalString
            guard whole != amount else { return true }
            // "12" means 12.00, too.
            guard whole.hasPrefix(amount + ".") else { return false }
            return whole.dropFirst(amount.count + 1).allSatisfy { $0 == "0" }
        }
    }
}
