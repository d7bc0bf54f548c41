public import TillCore

/// One stored card in the log: a readable part, and a sealed part that only the provider can open.
///
/// The readable part is bound to the sealed part: the provider rejects the card if any of it was changed.
public struct StoredRecord: Hashable, Sendable {
    public var payment: PaymentID
    /// The payment attempt; the idempotency key of an upload.
    public var attempt: AttemptID
    public var account: AccountID
    public var order: OrderID
    public var amount: Money
    /// Time at which the card was read.
    public var at: Timestamp
    /// Time until which the provider accepts it.
    public var expires: Timestamp
    public var reader: String
    /// Displayable card details.
    public var card: CardSummary?
    /// X25519 share and ciphertext; only the provider can open it.
    public var sealed: [UInt8]

    /// The bytes before the first text: version, currency, times, amount, tags.
    static let fixedBytes = 44
    private static let version: UInt8 = 1

    /// The readable part, authenticated by the seal.
    var head: [UInt8] {
        var writer = PackedWriter()
        writer.byte(StoredRecord.version)
        writer.plain(Array((amount.currency.code + "   ").utf8.prefix(3)))
        writer.signed(at.milliseconds)
        writer.signed(expires.milliseconds)
        writer.signed(amount.minorUnits)
        writer.long(RecordTag.of(attempt.rawValue))
        writer.long(RecordTag.of(card))
        writer.text(payment.rawValue)
        writer.text(attempt.rawValue)
        writer.text(account.rawValue)
        writer.text(order.rawValue)
        writer.text(reader)
        writer.text(optional: card?.brand)
        writer.text(optional: card?.lastFour)
        writer.text(optional: card?.entryMode)
        return writer.bytes
    }

    /// The readable part with its length, then the sealed part.
    var payload: [UInt8] {
        let head = head
        var writer = PackedWriter(reserving: head.count + sealed.count + 4)
        writer.counted(head)
        writer.plain(sealed)
        return writer.bytes
    }

    /// Parses a record; `nil` for anything else.
    init?(payload: [UInt8]) {
        var outer = PackedReader(payload)
        guard let head = outer.counted() else { return nil }
        self.init(head: head, sealed: Array(payload.dropFirst(outer.consumed)))
    }

    /// Parses the readable part.
    public init?(head: some Collection<UInt8>, sealed: [UInt8]) {
        var reader = PackedReader(Array(head))
        guard reader.byte() == StoredRecord.version, let code = reader.plain(3),
            let currency = Currency(ifValid: String(decoding: code, as: UTF8.self)),
            let at = reader.signed(), let expires = reader.signed(), let minor = reader.signed(),
            let attemptTag = reader.long(), let cardTag = reader.long(), let payment = reader.text(),
            let attempt = reader.text(), let account = reader.text(), let order = reader.text(),
            let label = reader.text(), let brand = reader.optionalText(), let lastFour = reader.optionalText(),
            let entryMode = reader.optionalText(), reader.isAtEnd
        else { return nil }
        self.payment = PaymentID(rawValue: payment)
        self.attempt = AttemptID(rawValue: attempt)
        self.account = AccountID(rawValue: account)
        self.order = OrderID(rawValue: order)
        amount = Money(minorUnits: minor, currency: currency)
        self.at = Timestamp(milliseconds: at)
        self.expires = Timestamp(milliseconds: expires)
        self.reader = label
        card = brand.map { CardSummary(brand: $0, lastFour: lastFour ?? "", entryMode: entryMode) }
        self.sealed = sealed
        guard attemptTag == RecordTag.of(attempt), cardTag == RecordTag.of(card) else { return nil }
    }

    /// Creates a record for a card that is not sealed yet.
    public init(
        payment: PaymentID, attempt: AttemptID, account: AccountID, order: OrderID, amount: Money, at: Timestamp,
        expires: Timestamp, reader: String, card: CardSummary?
    ) {
        self.payment = payment
        self.attempt = attempt
        self.account = account
        self.order = order
        self.amount = amount
        self.at = at
        self.expires = expires
        self.reader = reader
        self.card = card
        sealed = []
    }

    /// The readable part, for the provider.
    public var readable: [UInt8] { head }
}

/// Short tags for finding entries. They protect nothing; every match is compared in full.
enum RecordTag {
    /// Returns a checksum against accidental damage, not tampering: 64-bit FNV-1a.
    static func of(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// Tags brand and last four digits, which the record contains anyway; no card number can be derived from it. Two
    /// cards that share them count as one.
    static func of(_ card: CardSummary?) -> UInt64 {
        card.map { of("\($0.brand)/\($0.lastFour)") } ?? 0
    }
}
