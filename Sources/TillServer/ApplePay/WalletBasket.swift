import TillCore
import TillJournal

/// A basket of a payment sheet as it is kept: what is bought, and what became of its payment. It is on the disk before
/// anything of it is reported or sent, so that a process that dies in the middle of a sheet loses nothing that matters.
struct WalletBasket: Hashable, Sendable {
    /// The one payment of a basket.
    struct Attempt: Hashable, Sendable {
        /// The wallet's identifier of the transaction.
        var transaction: String
        /// The payment in the journal, once there is one.
        var payment: PaymentID?
        /// Whose order it is, JSON.
        var contact: [UInt8]?
        /// What the sheet was answered, JSON; `nil` while it is worked on.
        var answer: [UInt8]?

        /// An attempt that was just begun.
        init(transaction: String) { self.transaction = transaction }
    }

    var id: String
    /// Whose sale it becomes; it is there for nobody else.
    var owner: AccountID
    /// The customer who was signed in when it was opened.
    var account: String?
    /// Grows by one with each change.
    var version: Int
    /// What is bought, JSON.
    var document: [UInt8]
    /// Bytes that nobody can guess, made with the basket.
    var nonce: [UInt8]
    /// When it was opened.
    var openedAt: Timestamp
    /// Its payment, once the customer has authorized one.
    var attempt: Attempt?
    /// Who works on its payment, when it was read.
    var holder = RecordHolder.nobody

    /// A basket that nobody has paid.
    init(
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
    static let collection: RecordCollection = "wallet_basket"
    /// The field of those that nobody pays.
    static let open = RecordMatch("open", "1")
    /// Baskets kept at most that nobody has paid; the oldest goes first.
    static let maximumOpen = 10_000
    /// How long such a basket is kept.
    static let lifetime = Span.hours(24)
    /// How long a basket with a payment is kept: beyond any refund, and the payment itself stays.
    static let paidLifetime = Span.days(180)

    /// One that is being paid belongs to the process that writes it, and is not forgotten.
    var record: Record {
        var writer = JSONWriter(reserving: document.count + 512)
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("account", account)
        writer.field("version", version)
        writer.field("nonce", Hex.lowercase(nonce))
        writer.field("opened_at", openedAt.milliseconds)
        writer.key("document")
        writer.raw(bytes: document)
        if let attempt {
            writer.field("transaction", attempt.transaction)
            writer.field("payment", attempt.payment?.rawValue)
            for (key, part) in [("contact", attempt.contact), ("answer", attempt.answer)] {
                guard let part else { continue }
                writer.key(key)
                writer.raw(bytes: part)
            }
        }
        writer.endObject()
        return Record(
            RecordID(WalletBasket.collection, id), body: writer.bytes,
            fields: attempt == nil ? [WalletBasket.open.field: WalletBasket.open.value] : [:], due: end,
            isHeld: attempt.map { $0.answer == nil } ?? false)
    }

    private var end: Timestamp? {
        guard let attempt else { return openedAt.adding(WalletBasket.lifetime) }
        return attempt.answer == nil ? nil : openedAt.adding(WalletBasket.paidLifetime)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let document = body.optionalDocument("document") else { throw body.damaged("document") }
        self.init(
            id: stored.id.key, owner: body.owner, account: body.optionalText("account"),
            version: Int(clamping: try body.int("version")), document: document, nonce: try body.bytes("nonce"),
            openedAt: Timestamp(milliseconds: try body.int("opened_at")))
        holder = stored.holder
        guard let transaction = body.optionalText("transaction") else { return }
        attempt = Attempt(transaction: transaction)
        attempt?.payment = body.optionalText("payment").map { PaymentID(rawValue: $0) }
        attempt?.contact = body.optionalDocument("contact")
        attempt?.answer = body.optionalDocument("answer")
    }
}

extension RecordBody {
    /// Whose record of Apple Pay it is. Those from before they named an account are the ordinary counter's.
    var owner: AccountID { optionalText("owner").map { AccountID(rawValue: $0) } ?? .main }
}
