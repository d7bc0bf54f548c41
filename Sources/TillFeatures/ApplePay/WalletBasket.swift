package import TillCore
package import TillJournal

/// The stored basket of a payment sheet: its goods and the state of its payment. Each change is durable before it is
/// reported or sent, so a crash during a sheet loses nothing.
package struct WalletBasket: Hashable, Sendable {
    /// The one payment of a basket.
    package struct Attempt: Hashable, Sendable {
        /// The wallet's transaction identifier.
        var transaction: String
        /// The payment in the journal, once it exists.
        package var payment: PaymentID?
        /// The contact of the order, JSON.
        package var contact: [UInt8]?
        /// The answer to the sheet, JSON; `nil` while the payment is in progress.
        package var answer: [UInt8]?
        /// `true` from the beginning of the payment until the order is booked, or nothing of it is paid any more.
        /// `false` for payments of an earlier version, whose orders are not booked afterwards.
        var awaitsBooking = false

        /// Creates an attempt that has just begun.
        package init(transaction: String) { self.transaction = transaction }
    }

    /// What the shop was asked about the price.
    struct Quotes: Hashable, Sendable {
        /// The number of questions since the shop opened or replaced the basket.
        var count = 0
        /// The address that the sheet showed last. A quoted price of the basket is for this address.
        var address: QuoteAddress?
        /// The code that binds a told price to the basket, the address, the total and the currency; `nil` while none is
        /// told.
        var seal: String?
    }

    package var id: String
    /// The account of the sale; the basket is invisible to other accounts.
    package var owner: AccountID
    /// The customer signed in when the basket was opened.
    package var account: String?
    /// The version, incremented with each change.
    package var version: Int
    /// The goods, JSON.
    package var document: [UInt8]
    /// Random bytes, made with the basket. Its proof and application data are derived from them and the generation.
    var nonce: [UInt8]
    /// The number of times that the shop has replaced the basket. Each renews proof and application data, so that an
    /// open sheet neither shows nor pays the new goods.
    var generation = 0
    /// The time at which the basket was opened.
    package var openedAt: Timestamp
    /// The payment, once the customer has authorized one.
    package var attempt: Attempt?
    /// The transactions of the tokens that were refused, the newest last: a late copy of such a request pays nothing.
    var refused: [String] = []
    /// The maximum number of them; each took a customer's authorization.
    static let maximumRefused = 32
    /// The terms set by the shop's server; `nil` for a basket opened in process.
    var terms: BasketTerms?
    /// `true` once the shop has closed the unpaid basket.
    var isClosed = false
    /// What the shop was asked about the price; nothing for a basket with prices of its own.
    var quotes = Quotes()
    /// The retention of the basket once it has a payment with an answer, from its opening.
    var keptFor = WalletBasket.paidLifetime
    /// The process that held the payment when the record was read.
    package var holder = RecordHolder.nobody

    /// Creates an unpaid basket.
    package init(
        id: String, owner: AccountID, account: String?, version: Int, document: [UInt8], nonce: [UInt8],
        openedAt: Timestamp
    ) {
        self.id = id
        self.owner = owner
        self.account = account
        self.version = version
        self.document = document
        self.nonce = nonce
        self.openedAt = openedAt
    }
}

extension WalletBasket: RecordDocument {
    package static let collection: RecordCollection = "wallet_basket"
    /// The match for baskets without a payment, closed ones included.
    package static let open = RecordMatch("open", "1")
    /// The maximum number of unpaid baskets; the oldest are removed first.
    package static let maximumOpen = 10_000
    /// The retention of an unpaid basket.
    package static let lifetime = Span.hours(24)
    /// The least retention of a basket with a payment: beyond any refund; the payment itself stays. Contact and notes
    /// may go before.
    static let paidLifetime = Span.days(180)
    /// The match for baskets with a payment that still have something personal. Also before its answer, which a process
    /// that dies does not write.
    static let personal = RecordMatch("personal", "1")

    /// Returns the match for an account's baskets whose payment has begun and whose order is not booked.
    static func unbooked(of owner: AccountID) -> RecordMatch { RecordMatch("unbooked", owner.rawValue) }

    /// Returns the match for the baskets of an order.
    static func of(_ order: OrderID, _ owner: AccountID) -> RecordMatch {
        RecordMatch("order", OrderBasket.id(owner, order).key)
    }

    /// The order that the basket pays. A basket opened in process has the order's identifier.
    var order: OrderID { terms?.order ?? OrderID(rawValue: id) }

    /// `true` if the basket holds a contact, an address, or what somebody wrote about the customer.
    var isPersonal: Bool {
        attempt?.contact != nil || terms?.note != nil || terms?.customerNote != nil || quotes.address != nil
    }

    /// Erases contact, address and notes.
    /// - Returns: `false` if there were none.
    mutating func erasePersonalData() -> Bool {
        let before = self
        attempt?.contact = nil
        terms?.note = nil
        terms?.customerNote = nil
        // An open sheet still needs the address that its price was told for; the basket goes within a day.
        if attempt != nil || isClosed { quotes.address = nil }
        return self != before
    }

    /// The time from which an unpaid basket cannot be paid.
    var expiresAt: Timestamp { openedAt.adding(WalletBasket.lifetime) }

    /// `true` for a basket without a payment that is neither closed nor expired.
    func isOpen(at now: Timestamp) -> Bool { attempt == nil && !isClosed && now < expiresAt }

    /// A basket with a payment in progress is held by the process that writes it and does not expire.
    package var record: Record {
        var writer = JSONWriter(reserving: document.count + 512)
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("account", account)
        writer.field("version", version)
        writer.field("nonce", Hex.lowercase(nonce))
        if generation > 0 { writer.field("generation", generation) }
        writer.field("opened_at", openedAt.milliseconds)
        writer.key("document")
        writer.raw(bytes: document)
        if let terms { writer.field("terms", terms.json) }
        if isClosed { writer.field("closed", true) }
        if quotes != Quotes() {
            writer.field(
                "quotes",
                JSONValue.members([
                    "count": .number(String(quotes.count)), "address": quotes.address?.json,
                    "seal": quotes.seal.map { .string($0) },
                ]))
        }
        if !refused.isEmpty { writer.field("refused", JSONValue.array(refused.map { .string($0) })) }
        if let attempt {
            writer.field("transaction", attempt.transaction)
            writer.field("payment", attempt.payment?.rawValue)
            if attempt.awaitsBooking { writer.field("awaits_booking", true) }
            for (key, part) in [("contact", attempt.contact), ("answer", attempt.answer)] {
                guard let part else { continue }
                writer.key(key)
                writer.raw(bytes: part)
            }
        }
        writer.endObject()
        return Record(
            RecordID(WalletBasket.collection, id), body: writer.bytes,
            fields: fields, due: end,
            isHeld: attempt.map { $0.answer == nil } ?? false)
    }

    /// The index values.
    private var fields: [String: String] {
        let order = WalletBasket.of(order, owner)
        var fields = [order.field: order.value]
        if attempt == nil { fields[WalletBasket.open.field] = WalletBasket.open.value }
        if attempt?.awaitsBooking == true {
            let unbooked = WalletBasket.unbooked(of: owner)
            fields[unbooked.field] = unbooked.value
        }
        if attempt != nil, isPersonal { fields[WalletBasket.personal.field] = WalletBasket.personal.value }
        return fields
    }

    /// The end of retention; `nil` while a payment is in progress.
    var end: Timestamp? {
        guard let attempt else { return expiresAt }
        return attempt.answer == nil ? nil : openedAt.adding(keptFor)
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let document = body.optionalDocument("document") else { throw body.damaged("document") }
        self.init(
            id: stored.id.key, owner: body.owner, account: body.optionalText("account"),
            version: Int(clamping: try body.int("version")), document: document, nonce: try body.bytes("nonce"),
            openedAt: Timestamp(milliseconds: try body.int("opened_at")))
        holder = stored.holder
        generation = Int(clamping: body.optionalInt("generation") ?? 0)
        isClosed = body.json["closed"]?.boolValue ?? false
        refused = body.json["refused"]?.arrayValue?.compactMap(\.stringValue) ?? []
        if let kept = body.json["terms"] {
            guard let terms = BasketTerms(json: kept) else { throw body.damaged("terms") }
            self.terms = terms
        }
        if let kept = body.json["quotes"] {
            guard let count = kept["count"]?.int64Value else { throw body.damaged("quotes") }
            quotes.count = Int(clamping: count)
            quotes.seal = kept["seal"]?.stringValue
            if let address = kept["address"] {
                guard let read = QuoteAddress(json: address) else { throw body.damaged("quotes") }
                quotes.address = read
            }
        }
        guard let transaction = body.optionalText("transaction") else { return }
        attempt = Attempt(transaction: transaction)
        attempt?.payment = body.optionalText("payment").map { PaymentID(rawValue: $0) }
        attempt?.awaitsBooking = body.json["awaits_booking"]?.boolValue ?? false
        attempt?.contact = body.optionalDocument("contact")
        attempt?.answer = body.optionalDocument("answer")
        if attempt?.answer != nil, let due = stored.due { keptFor = due.since(openedAt) }
    }
}

extension RecordBody {
    /// The owner of an Apple Pay record. Records that predate the field belong to the main account.
    package var owner: AccountID { optionalText("owner").map { AccountID(rawValue: $0) } ?? .main }
}
