import Crypto
import TillApplePay
import TillCore
import TillCounter
import TillJournal

/// The open baskets and their payments, in the journal's database. Each change is durable before it is reported, so a
/// crash during a sheet loses nothing, and any number of processes can serve one basket. Baskets of other accounts on
/// the same journal are invisible.
struct ApplePayBaskets: Sendable {
    /// A basket and the state of its payment.
    struct Entry: Sendable {
        var basket: SheetBasket
        /// The customer signed in when the basket was opened.
        var account: String?
        var nonce: [UInt8]
        /// The number of times that the shop has replaced the basket.
        var generation: Int
        var attempt: WalletBasket.Attempt?
        /// The terms set by the shop's server; `nil` for a basket opened in process.
        var terms: BasketTerms?
        var openedAt: Timestamp
        var expiresAt: Timestamp
        /// `true` once the shop has closed the unpaid basket.
        var isClosed: Bool
        /// The transactions of refused tokens.
        var refused: [String] = []
        /// The process that held the payment when the record was read.
        var holder = RecordHolder.nobody
        /// What the shop was asked about the price.
        var quotes = WalletBasket.Quotes()

        /// The answer sent to the sheet.
        var answer: JSONValue? { attempt?.answer.flatMap { JSONValue(ifValid: $0) } }

        /// The order that the basket pays. A basket opened in process has the order's identifier.
        var order: OrderID { terms?.order ?? OrderID(rawValue: basket.id) }

        /// Returns the deliverability of a postcode by the basket's own delivery rule, or by the shop's.
        func delivers(to postalCode: String, country: String, otherwise options: ApplePayOptions) -> Deliverability {
            (terms?.delivery ?? options.delivery)
                .delivers(to: postalCode, country: country, knowing: options.places)
        }

        /// `true` for a basket without a payment that is neither closed nor expired.
        func isOpen(at now: Timestamp) -> Bool { attempt == nil && !isClosed && now < expiresAt }
    }

    let journal: any Journal & RecordStore
    /// The account that owns the baskets.
    let owner: AccountID
    let clock: any TillClock
    /// The retention of a basket with a payment, from its opening.
    var paidFor = WalletBasket.paidLifetime
    private var baskets: Records<WalletBasket> { Records(journal) }

    /// Opens a basket; one with a payment is left unchanged. Expired unpaid baskets are removed.
    /// - Throws: `JournalError/recordConflict(_:current:)` if another account has a basket with that identifier.
    func open(_ basket: SheetBasket, account: String? = nil) async throws(JournalError) {
        let record = new(basket, account: account).record
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

    /// Returns a new basket with random bytes of its own.
    func new(_ basket: SheetBasket, account: String?) -> WalletBasket {
        WalletBasket(
            id: basket.id, owner: owner, account: account, version: basket.version, document: basket.json.bytes(),
            nonce: (0..<32).map { _ in UInt8.random(in: .min ... .max) }, openedAt: clock.now())
    }

    func entry(_ id: String) async throws(JournalError) -> Entry? {
        guard let kept = try await baskets.document(id), kept.owner == owner else { return nil }
        return Entry(kept)
    }

    /// Changes a basket, unless it belongs to another account or `body` returns `false`. The record of its order is
    /// kept as long as the basket, in the same commit.
    /// - Parameter notes: returns the audit log's entries for a change, from the basket before and after.
    @discardableResult
    func update(
        _ id: String,
        noting notes: (_ before: WalletBasket, _ after: WalletBasket) -> [AuditNote] = { _, _ in [] },
        _ body: (inout WalletBasket) -> Bool
    ) async throws(JournalError) -> WalletBasket? {
        var tries = 0
        while true {
            tries += 1
            guard let stored = try await journal.record(RecordID(WalletBasket.collection, id)) else { return nil }
            let before = try WalletBasket(stored)
            guard before.owner == owner else { return nil }
            var basket = before
            guard body(&basket) else { return nil }
            let beside = try await place(before, basket)
            do throws(JournalError) {
                try await journal.change(
                    [.update(basket.record, from: stored.version)] + beside, noting: notes(before, basket))
                return basket
            } catch {
                guard case .recordConflict = error, tries < Records<WalletBasket>.maximumConflicts else { throw error }
            }
        }
    }

    /// Returns the change to the record of a basket's order, whose retention is that of the basket; none if the order
    /// has a newer basket.
    private func place(
        _ before: WalletBasket, _ after: WalletBasket
    ) async throws(JournalError) -> [RecordChange] {
        guard let terms = after.terms else { return [] }
        let place = OrderBasket(of: after, on: terms)
        guard place != OrderBasket(of: before, on: terms) else { return [] }
        let known = try await journal.record(place.record.id)
        if let known, try OrderBasket(known).basket != after.id { return [] }
        return [.put(place.record, over: known)]
    }

    /// Changes an open basket; returns `nil` if there is none, or if it has a payment, is closed or has expired.
    /// - Parameter generation: the generation that the sheet was opened with; a basket replaced since is left
    ///   unchanged, and `nil` returned.
    func change(
        _ id: String, generation: Int? = nil, _ body: (inout SheetBasket) -> [SheetError]
    ) async throws(JournalError) -> (SheetBasket, [SheetError])? {
        var result: (SheetBasket, [SheetError])?
        var isChanged = false
        let written = try await update(id) { kept in
            result = nil
            guard kept.isOpen(at: clock.now()), generation ?? kept.generation == kept.generation,
                let entry = Entry(kept)
            else { return false }
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
        /// The basket has a payment, with this token or another.
        case taken(Entry)
        case changed
        /// This token was refused before, or the most tokens were: another one is needed, or another basket.
        case refused
        /// The shop has closed the basket, or it has expired.
        case closed
        case missing
    }

    /// Claims a basket for a payment; of any number of concurrent callers, exactly one begins.
    func begin(
        _ id: String, version: Int, transaction: WalletTransactionID
    ) async throws(JournalError) -> Admission {
        let begun = try await update(id) { basket in
            guard basket.isOpen(at: clock.now()), basket.version == version,
                !basket.refused.contains(transaction.description),
                basket.refused.count < WalletBasket.maximumRefused
            else { return false }
            basket.attempt = WalletBasket.Attempt(transaction: transaction.description)
            // The order of a basket opened in process is no shop's.
            basket.attempt?.awaitsBooking = basket.terms != nil
            return true
        }
        if let entry = begun.flatMap(Entry.init) { return .begin(entry) }
        guard let entry = try await entry(id) else { return .missing }
        guard entry.attempt == nil else { return .taken(entry) }
        guard !entry.refused.contains(transaction.description), entry.refused.count < WalletBasket.maximumRefused else {
            return .refused
        }
        return entry.isOpen(at: clock.now()) ? .changed : .closed
    }

    /// Records the payment and the contact of a basket before the authorization is requested.
    func note(
        _ payment: PaymentID, of id: String, transaction: String, contact: [UInt8]
    ) async throws(JournalError) {
        let written = try await update(id) { basket in
            guard basket.attempt?.transaction == transaction else { return false }
            basket.attempt?.payment = payment
            basket.attempt?.contact = contact
            return true
        }
        // Without the note nobody would find the payment that is about to be authorized.
        guard written != nil else { throw .recordConflict(RecordID(WalletBasket.collection, id), current: 0) }
    }

    /// Records the answer to the sheet.
    /// - Parameters:
    ///   - answer: the answer; `nil` releases the basket for another payment, because this one certainly moved no
    ///     money.
    ///   - refuses: `true` for a token that was refused: it cannot pay this basket any more, so that the refusal holds
    ///     also for copies of its request that are still on their way.
    func end(
        _ id: String, transaction: String, answer: [UInt8]?, refuses: Bool = false
    ) async throws(JournalError) {
        try await update(id) { basket in
            guard basket.attempt?.transaction == transaction else { return false }
            if answer == nil { basket.attempt = nil } else { basket.attempt?.answer = answer }
            basket.keptFor = paidFor
            if refuses { basket.refused.append(transaction) }
            return true
        }
    }

    /// Returns the bytes that bind a sheet to its basket: Apple signs their hash into the token.
    static func applicationData(_ entry: Entry) -> [UInt8] { applicationData(entry, entry.generation) }

    private static func applicationData(_ entry: Entry, _ generation: Int) -> [UInt8] {
        Array("\(entry.basket.id).\(code("data", entry, generation))".utf8)
    }

    /// Returns the proof that a page must present to change a basket. It is sent with the basket, to allowed origins
    /// only.
    static func proof(_ entry: Entry) -> String { code("proof", entry, entry.generation) }

    /// Returns `true` for the proof of the basket as it was before the shop replaced it.
    static func isEarlier(proof: String, of entry: Entry) -> Bool {
        let hash = digest(proof.utf8)
        return earlier(entry).contains { digest(code("proof", entry, $0).utf8) == hash }
    }

    /// Returns `true` for the hash in a token that pays the basket as it was before the shop replaced it.
    static func isEarlier(applicationDataHash hash: [UInt8]?, of entry: Entry) -> Bool {
        earlier(entry).contains { digest(applicationData(entry, $0)) == hash }
    }

    /// The maximum number of earlier generations that are told from a wrong proof.
    private static let maximumEarlier = 1_000

    private static func earlier(_ entry: Entry) -> Range<Int> {
        max(0, entry.generation - maximumEarlier)..<max(0, entry.generation)
    }

    private static func code(_ use: String, _ entry: Entry, _ generation: Int) -> String {
        let name = "\(use):\(entry.basket.id)" + (generation == 0 ? "" : ":\(generation)")
        let key = SymmetricKey(data: entry.nonce)
        return Hex.lowercase(HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: key))
    }
}

extension ApplePayBaskets.Entry {
    package init?(_ record: WalletBasket) {
        guard let document = JSONValue(ifValid: record.document), let basket = SheetBasket(json: document) else {
            return nil
        }
        self.init(
            basket: basket, account: record.account, nonce: record.nonce, generation: record.generation,
            attempt: record.attempt, terms: record.terms, openedAt: record.openedAt, expiresAt: record.expiresAt,
            isClosed: record.isClosed, refused: record.refused, holder: record.holder,
            quotes: record.quotes)
    }
}
