import TillCore
import TillCounter
import TillJournal

/// A customer's permission to pay one payment with a typed card, on the pages of one origin.
struct CardSession: Hashable, Sendable {
    /// The lifetime of a session.
    static let lifetime = Span.minutes(30)
    /// The retention of an ended session, for a page that asks late how it went.
    static let retention = Span.days(1)
    /// The maximum number of cards that one session tries.
    static let maximumTries = 10
    /// The maximum number of cards that one payment tries, in all of its sessions.
    static let maximumAttempts = 20
    /// The maximum number of an account's sessions; the oldest are removed first.
    static let maximum = 10_000
    /// The maximum number of a payment's sessions, each of which a load of the shop's page may have opened.
    static let maximumOfPayment = 20

    static func match(account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }
    static func match(payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    /// The public part: letters that name the session in addresses.
    let id: String
    /// The hash of the secret part.
    let secret: [UInt8]
    let account: AccountID
    let payment: PaymentID
    /// The origin of the shop's page.
    let origin: String
    let expiresAt: Timestamp
    /// The cards that were tried.
    var tries = 0

    /// Returns `true` until the session's lifetime is over.
    func isOpen(at now: Timestamp) -> Bool { now < expiresAt }
}

extension CardSession: RecordDocument {
    static let collection: RecordCollection = "card_session"

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("secret", Hex.lowercase(secret))
        writer.field("account", account.rawValue)
        writer.field("payment", payment.rawValue)
        writer.field("origin", origin)
        writer.field("expires_at", expiresAt.milliseconds)
        writer.field("tries", tries)
        writer.endObject()
        let matches = [CardSession.match(account: account), CardSession.match(payment: payment)]
        return Record(
            RecordID(CardSession.collection, id), body: writer.bytes,
            fields: Dictionary(uniqueKeysWithValues: matches.map { ($0.field, $0.value) }),
            due: expiresAt.adding(CardSession.retention))
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        self.init(
            id: stored.id.key, secret: try body.bytes("secret"), account: AccountID(rawValue: try body.text("account")),
            payment: PaymentID(rawValue: try body.text("payment")), origin: try body.text("origin"),
            expiresAt: Timestamp(milliseconds: try body.int("expires_at")), tries: Int(clamping: try body.int("tries")))
    }
}
