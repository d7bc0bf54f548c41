import Crypto
import TillApplePay
import TillCore
import TillJournal

/// The baskets that are open, with what became of them, in the journal's database: each change is on the disk before
/// anything of it is told, so that a counter that dies in the middle of a sheet loses nothing, and any number of
/// processes can answer for one basket.
struct ApplePayBaskets: Sendable {
    /// How often a change is decided again because another came first.
    static let maximumConflicts = 8

    /// A basket with what became of it.
    struct Entry: Sendable {
        var basket: SheetBasket
        /// The customer who was signed in when it was opened.
        var account: String?
        var nonce: [UInt8]
        var attempt: WalletBasketRecord.Attempt?

        /// What the sheet was told.
        var answer: JSONValue? { attempt?.answer.flatMap { try? JSONValue(parsing: $0) } }
    }

    let journal: SQLiteJournal
    let clock: any TillClock

    /// Opens a basket; one that is being paid, or was, stays as it is.
    func open(_ basket: SheetBasket, account: String? = nil) async throws(JournalError) {
        let nonce = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        _ = try await journal.keep(
            WalletBasketRecord(
                id: basket.id, account: account, version: basket.version, document: basket.json.bytes(), nonce: nonce,
                openedAt: clock.now()))
    }

    func entry(_ id: String) async throws(JournalError) -> Entry? {
        try await journal.walletBasket(id).flatMap(Entry.init)
    }

    /// Changes a basket that nobody is paying; `nil` if there is none, or if it has a payment.
    func change(
        _ id: String, _ body: (inout SheetBasket) -> [SheetError]
    ) async throws(JournalError) -> (SheetBasket, [SheetError])? {
        for _ in 0..<ApplePayBaskets.maximumConflicts {
            guard var record = try await journal.walletBasket(id), record.attempt == nil,
                let entry = Entry(record)
            else { return nil }
            var basket = entry.basket
            let errors = body(&basket)
            guard basket != entry.basket else { return (basket, errors) }
            let version = record.version
            record.version = basket.version
            record.document = basket.json.bytes()
            if try await journal.change(record, from: version) { return (basket, errors) }
        }
        return nil
    }

    enum Admission: Sendable {
        case begin(Entry)
        /// It has a payment: of this token or another.
        case taken(Entry)
        case changed
        case missing
    }

    /// Takes a basket for a payment; of any number of callers one begins.
    func begin(
        _ id: String, version: Int, transaction: WalletTransactionID
    ) async throws(JournalError) -> Admission {
        guard try await journal.walletBasket(id) != nil else { return .missing }
        let isOurs = try await journal.beginWalletPayment(
            of: id, version: version, transaction: transaction.description)
        guard let entry = try await entry(id) else { return .missing }
        if isOurs { return .begin(entry) }
        return entry.attempt == nil ? .changed : .taken(entry)
    }

    /// Bytes that bind a sheet to its basket: Apple signs their hash into the token.
    static func applicationData(_ entry: Entry) -> [UInt8] {
        Array("\(entry.basket.id).\(code("data", entry))".utf8)
    }

    /// What a page must show to change a basket: it was given with the basket, to allowed origins only.
    static func proof(_ entry: Entry) -> String { code("proof", entry) }

    private static func code(_ use: String, _ entry: Entry) -> String {
        let key = SymmetricKey(data: entry.nonce)
        return Hex.lowercase(
            HMAC<SHA256>.authenticationCode(for: Array("\(use):\(entry.basket.id)".utf8), using: key))
    }
}

extension ApplePayBaskets.Entry {
    init?(_ record: WalletBasketRecord) {
        guard let document = try? JSONValue(parsing: record.document), let basket = SheetBasket(json: document) else {
            return nil
        }
        self.init(basket: basket, account: record.account, nonce: record.nonce, attempt: record.attempt)
    }
}
