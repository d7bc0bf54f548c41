import TillCore
import TillCounter
import TillJournal

/// A customer's permission to pay one payment, opened by the shop's server.
struct PaymentSession: Hashable, Sendable {
    /// The place where a session pays. A session of one place is none of the other.
    enum Place: Hashable, Sendable {
        /// Card fields on the pages of this origin.
        case page(origin: String)
        /// The shop's app.
        case app

        /// The beginning of its identifiers.
        var prefix: String {
            switch self {
            case .page: "cf-"
            case .app: "ap-"
            }
        }

        /// The origin of the shop's page.
        var origin: String? { if case .page(let origin) = self { origin } else { nil } }
    }

    /// The lifetime of a session.
    static let lifetime = Span.minutes(30)
    /// The retention of an ended session, for a page or an app that asks late how it went.
    static let retention = Span.days(1)
    /// The maximum number of cards or references that one session tries.
    static let maximumTries = 10
    /// The maximum number of cards or references that one payment tries, in all of its sessions.
    static let maximumAttempts = 20
    /// The maximum number of an account's sessions; the oldest are removed first.
    static let maximum = 10_000
    /// The maximum number of a payment's sessions, each of which a load of the shop's page, or a start of its app, may
    /// have opened.
    static let maximumOfPayment = 20

    static func match(account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }
    static func match(payment: PaymentID) -> RecordMatch { RecordMatch("payment", payment.rawValue) }

    /// The public part: letters that name the session in addresses.
    let id: String
    /// The hash of the secret part.
    let secret: [UInt8]
    let account: AccountID
    let payment: PaymentID
    let place: Place
    let expiresAt: Timestamp
    /// The cards or references that were tried.
    var tries = 0

    /// Returns `true` until the session's lifetime is over.
    func isOpen(at now: Timestamp) -> Bool { now < expiresAt }
}

extension PaymentSession: RecordDocument {
    static let collection: RecordCollection = "card_session"

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("secret", Hex.lowercase(secret))
        writer.field("account", account.rawValue)
        writer.field("payment", payment.rawValue)
        switch place {
        case .page(let origin): writer.field("origin", origin)
        case .app: writer.field("place", "app")
        }
        writer.field("expires_at", expiresAt.milliseconds)
        writer.field("tries", tries)
        writer.endObject()
        let matches = [PaymentSession.match(account: account), PaymentSession.match(payment: payment)]
        return Record(
            RecordID(PaymentSession.collection, id), body: writer.bytes,
            fields: Dictionary(uniqueKeysWithValues: matches.map { ($0.field, $0.value) }),
            due: expiresAt.adding(PaymentSession.retention))
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        let place: Place =
            body.optionalText("place") == "app" ? .app : .page(origin: try body.text("origin"))
        self.init(
            id: stored.id.key, secret: try body.bytes("secret"), account: AccountID(rawValue: try body.text("account")),
            payment: PaymentID(rawValue: try body.text("payment")), place: place,
            expiresAt: Timestamp(milliseconds: try body.int("expires_at")), tries: Int(clamping: try body.int("tries")))
    }
}
