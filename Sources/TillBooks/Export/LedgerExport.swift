import TillCore
import TillJournal

/// The ledger as a file for bookkeeping, written entry by entry: however long the journal is, what is in memory is the
/// balances and one page of events.
///
/// Entries are dated by the day of UTC on which they were booked, and that never goes back: what a clock that was set
/// back has dated earlier stands on the day of the entry before it, with its own moment beside it. Each day with
/// entries ends with the balances of what it touched, so that whoever reads the file finds a changed amount, a missing
/// entry and one on another day. Accounts are declared before they are used.
public struct LedgerExport: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case beancount
        case hledger
        case csv
    }

    public let format: Format
    /// What was booked before this day is in one opening entry; `nil`: there is none.
    public let from: LedgerDay?
    /// The last day; `nil`: all that there is.
    public let to: LedgerDay?

    public init(_ format: Format, from: LedgerDay? = nil, to: LedgerDay? = nil) {
        self.format = format
        self.from = from
        self.to = to
    }

    /// Writes the whole export.
    /// - Parameter sink: takes the text, a part at a time.
    /// - Throws: `JournalError` when the journal cannot be read, and what `sink` throws. Then the export is not whole.
    /// - Returns: up to where the ledger was read. If it names payments that cannot be read, they are not in the
    ///   export.
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

/// What has been written so far, as far as the rest depends on it.
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

    /// The entry's text, with what has to stand before it; `nil` if it is behind the last day.
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

    /// What stood in the accounts on the first day.
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

    /// The balances at the end of a day of what was touched on it.
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
    /// What must stand in accounts at the end of a day.
    func balances(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String
}

extension LedgerEntry {
    /// `order 1001`, or whose it is.
    var payee: String { orderNumber.map { "order \($0)" } ?? "no payment" }

    /// What it is, with the words of the person who has decided it.
    func narration(_ plain: (String, Int) -> String) -> String {
        guard let decision else { return plain(what, LedgerText.maximumCharacters) }
        let actor = decision.actor.map { " (\($0))" } ?? ""
        return plain("\(what): \(decision.words)\(actor)", LedgerText.maximumDecision)
    }

    /// Where it comes from, in one word: `event-12`, `statement-stripe-txn_1`.
    var origin: String {
        switch source {
        case .event(let sequence): "event-\(sequence)"
        case .statement(_, let line): "statement-\(line)"
        }
    }
}

/// Account, two spaces and amount, as beancount and hledger both write it.
extension LedgerPosting {
    var line: String { "\(account.name)  \(amount)" }
}

extension LedgerBalances.Balance {
    var line: String { "\(account.name)  \(decimalString) \(currency)" }
}

/// Text of others inside a file of lines: without what would end a line or a string.
enum LedgerText {
    /// The most characters of a text that are written.
    static let maximumCharacters = 120
    /// The most of a text with the words of the person who has decided it: all that is taken of them.
    static let maximumDecision =
        IncidentResolution.maximumNoteBytes + IncidentResolution.maximumActorBytes + maximumCharacters

    static func line(
        _ text: String, without characters: Set<Unicode.Scalar>, atMost limit: Int = maximumCharacters
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in CardScrubbing.withoutNumbers(text).unicodeScalars.prefix(limit) {
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029
            result.append(isControl || characters.contains(scalar) ? " " : scalar)
        }
        return String(result)
    }
}
