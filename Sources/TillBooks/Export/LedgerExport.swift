import TillCore
import TillJournal

/// An export of the ledger for bookkeeping, written entry by entry. Memory use is bounded by the balances and one page
/// of events, whatever the length of the journal.
///
/// ```swift
/// import TillJournal
///
/// let export = LedgerExport(.beancount, from: LedgerDay("2026-01-01"), to: LedgerDay("2026-03-31"))
/// let position = try await export.write(Ledger(journal, account: .main)) { text in
///     print(text, terminator: "")
/// }
/// for payment in position.unreadable { print("not exported: \(payment)") }
/// ```
///
/// Entries are dated by the UTC day on which they were booked, and dates never decrease: an entry with an earlier time,
/// from a clock that was set back, is dated on the day of the entry before it and carries its own time beside it. Each
/// day with entries ends with the balances of the accounts it touched, so that a reader of the file detects a changed
/// amount, a missing entry and an entry on another day. Accounts are declared before they are used.
public struct LedgerExport: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case beancount
        case hledger
        case csv
    }

    public let format: Format
    /// The first day of the export; earlier entries are summed in one opening entry. `nil`: from the beginning, without
    /// an opening entry.
    public let from: LedgerDay?
    /// The last day; `nil`: up to the newest entry.
    public let to: LedgerDay?

    public init(_ format: Format, from: LedgerDay? = nil, to: LedgerDay? = nil) {
        self.format = format
        self.from = from
        self.to = to
    }

    /// Writes the whole export.
    /// - Parameter sink: takes the text, a part at a time.
    /// - Throws: `JournalError` if the journal cannot be read, and any error of `sink`. The export is then incomplete.
    /// - Returns: the position up to which the ledger was read. Payments it names as unreadable are not in the export.
    @discardableResult
    public func write(_ ledger: Ledger, to sink: (String) throws -> Void) async throws -> Ledger.Position {
        var page = LedgerPage(self)
        try sink(page.begin())
        let (position, _) = try await ledger.read { entry in
            guard let text = page.add(entry) else { return false }
            if !text.isEmpty { try sink(text) }
            return true
        }
        try sink(page.end())
        return position
    }
}

/// The state of an export in progress that later entries depend on.
private struct LedgerPage {
    private let export: LedgerExport
    private let writer: any LedgerWriter
    private var balances = LedgerBalances()
    private var declared: Set<LedgerAccount> = []
    private var currencies: Set<Currency> = []
    private var touched: [LedgerAccount: Set<Currency>] = [:]
    private var day: LedgerDay?
    private var isOpened = false

    init(_ export: LedgerExport) {
        self.export = export
        writer =
            switch export.format {
            case .beancount: BeancountWriter()
            case .hledger: HledgerWriter()
            case .csv: CSVLedgerWriter()
            }
    }

    func begin() -> String { writer.head }

    /// Returns the entry's text, preceded by the assertions and declarations it requires; `nil` if it is after the last
    /// day.
    mutating func add(_ entry: LedgerEntry) -> String? {
        let booked = max(LedgerDay(of: entry.at), day ?? LedgerDay(of: entry.at))
        if let to = export.to, booked > to { return nil }
        defer { for posting in entry.postings { balances.add(posting) } }
        if let from = export.from, booked < from {
            day = booked
            return ""
        }
        var text = open()
        if let day, day < booked { text += assertions(on: day) }
        day = booked
        text += declare(entry.postings, on: booked)
        text += writer.entry(entry, on: booked)
        return text
    }

    mutating func end() -> String {
        let text = open()
        guard let day else { return text }
        return text + assertions(on: max(day, export.from ?? day))
    }

    /// Returns the opening entry, with the balances at the start of the first day.
    private mutating func open() -> String {
        defer { isOpened = true }
        guard !isOpened, let from = export.from else { return "" }
        day = from
        let open = balances.all.filter { $0.units != 0 }
        guard !open.isEmpty else { return "" }
        var text = ""
        for balance in open { text += declare(balance.account, balance.currency, on: from) }
        return text + writer.opening(open, on: from)
    }

    private mutating func declare(_ postings: [LedgerPosting], on day: LedgerDay) -> String {
        postings.map { declare($0.account, $0.amount.currency, on: day) }.joined()
    }

    private mutating func declare(_ account: LedgerAccount, _ currency: Currency, on day: LedgerDay) -> String {
        touched[account, default: []].insert(currency)
        let isNewCurrency = currencies.insert(currency).inserted
        let isNewAccount = declared.insert(account).inserted
        return (isNewCurrency ? writer.declaration(of: currency, on: day) : "")
            + (isNewAccount ? writer.declaration(of: account, on: day) : "")
    }

    /// Returns the balances at the end of a day of the accounts touched on it.
    private mutating func assertions(on day: LedgerDay) -> String {
        let ended = balances.all.filter { touched[$0.account]?.contains($0.currency) == true }
        touched = [:]
        return ended.isEmpty ? "" : writer.balances(ended, on: day)
    }
}

/// Writes the entries in one file format.
protocol LedgerWriter: Sendable {
    var head: String { get }
    func declaration(of currency: Currency, on day: LedgerDay) -> String
    func declaration(of account: LedgerAccount, on day: LedgerDay) -> String
    func entry(_ entry: LedgerEntry, on day: LedgerDay) -> String
    /// All balances in one entry; they sum to zero.
    func opening(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String
    /// Balance assertions for the end of a day.
    func balances(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String
}

extension LedgerEntry {
    /// `order 1001`, or `no payment`.
    var payee: String { orderNumber.map { "order \($0)" } ?? "no payment" }

    /// The entry's description, followed by the reason and actor of a manual decision.
    func narration(_ plain: (String, Int) -> String) -> String {
        guard let decision else { return plain(what, LedgerText.maximumCharacters) }
        let actor = decision.actor.map { " (\($0))" } ?? ""
        return plain("\(what): \(decision.words)\(actor)", LedgerText.maximumDecision)
    }

    /// The entry's origin in one word: `event-12`, `statement-stripe-txn_1`.
    var origin: String {
        switch source {
        case .event(let sequence): "event-\(sequence)"
        case .statement(_, let line): "statement-\(line)"
        }
    }
}

/// Account, two spaces and amount, the form of both beancount and hledger.
extension LedgerPosting {
    var line: String { "\(account.name)  \(amount)" }
}

extension LedgerBalances.Balance {
    var line: String { "\(account.name)  \(decimalString) \(currency)" }
}

/// Untrusted text in a line-based file: replaces characters that would end a line or a string.
enum LedgerText {
    /// The maximum number of characters of a text; the rest is cut.
    static let maximumCharacters = 120
    /// The maximum length of a text that includes a decision: the largest reason and actor that are accepted, in full.
    static let maximumDecision =
        IncidentResolution.maximumNoteBytes + IncidentResolution.maximumActorBytes + maximumCharacters

    static func line(
        _ text: String, without characters: Set<Unicode.Scalar>, atMost limit: Int = maximumCharacters
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in CardNumberMask.maskedForPeople(text).unicodeScalars.prefix(limit) {
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029
            result.append(isControl || characters.contains(scalar) ? " " : scalar)
        }
        return String(result)
    }
}
