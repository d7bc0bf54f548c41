import Crypto
import TillApplePay
import TillCore
import TillJournal

/// The baskets that are open, with what became of them, in the journal's database: each change is on the disk before
/// anything of it is reported, so that a counter that dies in the middle of a sheet loses nothing, and any number of
/// processes can answer for one basket. Those of other accounts on the same journal are not there.
struct ApplePayBaskets: Sendable {
    /// A basket with what became of it.
    struct Entry: Sendable {
        var basket: SheetBasket
        /// The customer who was signed in when it was opened.
        var account: String?
        var nonce: [UInt8]
        var attempt: WalletBasket.Attempt?
        /// Who works on the payment, when it was read.
        var holder = RecordHolder.nobody

        /// What the sheet was answered.
        var answer: JSONValue? { attempt?.answer.flatMap { JSONValue(ifValid: $0) } }
    }

    let journal: any Journal & RecordStore
    /// Whose baskets these are.
    let owner: AccountID
    let clock: any TillClock
    private var baskets: Records<WalletBasket> { Records(journal) }

    /// Opens a basket; one that is being paid, or was, stays as it is. Baskets that nobody paid in time are forgotten.
    /// - Throws: ``JournalError/recordConflict(_:current:)`` if another account has a basket of that name.
    func open(_ basket: SheetBasket, account: String? = nil) async throws(JournalError) {
        let nonce = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let record = WalletBasket(
            id: basket.id, owner: owner, account: account, version: basket.version, document: basket.json.bytes(),
            nonce: nonce, openedAt: clock.now()
        ).record
        for tries in 1... {
            let known = try await journal.record(record.id)
            if let known {
                let kept = try WalletBasket(known)
                guard kept.owner == owner else { throw .recordConflict(record.id, current: known.version) }
                guard kept.attempt == nil else { return }
            }
            do throws(JournalError) {
                return try await journal.change([
                    .put(record, over: known), .forget(WalletBasket.collection, dueBy: clock.now()),
                    .keepNewest(WalletBasket.maximumOpen, of: WalletBasket.collection, matching: WalletBasket.open),
                ])
            } catch {
                guard case .recordConflict = error, tries < Records<WalletBasket>.maximumConflicts else { throw error }
            }
        }
    }

    func entry(_ id: String) async throws(JournalError) -> Entry? {
        guard let kept = try await baskets.document(id), kept.owner == owner else { return nil }
        return Entry(kept)
    }

    /// Changes a basket, unless it is another account's or `body` leaves it.
    @discardableResult
    private func update(
        _ id: String, _ body: (inout WalletBasket) -> Bool
    ) async throws(JournalError) -> WalletBasket? {
        try await baskets.update(id) { basket in
            guard basket.owner == owner else { return false }
            return body(&basket)
        }
    }

    /// Changes a basket that nobody is paying; `nil` if there is none, or if it has a payment.
    func change(
        _ id: String, _ body: (inout SheetBasket) -> [SheetError]
    ) async throws(JournalError) -> (SheetBasket, [SheetError])? {
        var result: (SheetBasket, [SheetError])?
        var isChanged = false
        let written = try await update(id) { kept in
            result = nil
            guard kept.attempt == nil, let entry = Entry(kept) else { return false }
            var basket = entry.basket
            let errors = body(&basket)
            result = (basket, errors)
            kept.version = basket.version
            kept.document = basket.json.bytes()
            isChanged = basket != entry.basket
            return isChanged
        }
        return written == nil && isChanged ? nil : result
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
        let begun = try await update(id) { basket in
            guard basket.attempt == nil, basket.version == version else { return false }
            basket.attempt = WalletBasket.Attempt(transaction: transaction.description)
            return true
        }
        if let entry = begun.flatMap(Entry.init) { return .begin(entry) }
        guard let entry = try await entry(id) else { return .missing }
        return entry.attempt == nil ? .changed : .taken(entry)
    }

    /// Notes the payment and the customer of a basket, before money is asked for.
    func note(
        _ payment: PaymentID, of id: String, transaction: String, contact: [UInt8]
    ) async throws(JournalError) {
        try await update(id) { basket in
            guard basket.attempt?.transaction == transaction else { return false }
            basket.attempt?.payment = payment
            basket.attempt?.contact = contact
            return true
        }
    }

    /// Writes what the sheet is answered.
    /// - Parameter answer: `nil` frees the basket for another payment: this one certainly moved nothing.
    func end(_ id: String, transaction: String, answer: [UInt8]?) async throws(JournalError) {
        try await update(id) { basket in
            guard basket.attempt?.transaction == transaction else { return false }
            if answer == nil { basket.attempt = nil } else { basket.attempt?.answer = answer }
            return true
        }
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
    init?(_ record: WalletBasket) {
        guard let document = JSONValue(ifValid: record.document), let basket = SheetBasket(json: document) else {
            return nil
        }
        self.init(
            basket: basket, account: record.account, nonce: record.nonce, attempt: record.attempt, holder: record.holder
        )
    }
}
