package import TillCore
import TillCounter
package import TillJournal

/// Cash that was put into the drawer or taken out beside sales. Written in the commit that adds it to its session, and
/// never changed.
package struct CashMovement: Hashable, Sendable {
    /// The kind, which decides the sign.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case paidIn = "paid_in"
        case paidOut = "paid_out"
        /// Taken out for the bank or the safe.
        case bankDrop = "bank_drop"
        /// Taken out for a customer whose refund could not be made by its provider.
        case refund
    }

    /// What is asked for.
    package struct Request: Hashable, Sendable {
        package var kind: Kind
        /// The amount, in minor units; above zero.
        package var amount: Int64
        package var reason: String
        /// The payment that is given back.
        package var payment: PaymentID?

        package init(_ kind: Kind, amount: Int64, reason: String, payment: PaymentID? = nil) {
            (self.kind, self.amount, self.reason, self.payment) = (kind, amount, reason, payment)
        }
    }

    let account: AccountID
    let drawer: DrawerName
    /// The number of its session.
    let session: Int64
    /// The digest of the key that it was asked for with.
    let key: String
    package let request: Request
    package let at: Timestamp
    package let by: String

    /// Finds the movements of a session.
    static func match(_ account: AccountID, _ drawer: DrawerName, session: Int64) -> RecordMatch {
        RecordMatch("session", "\(KnownDrawers.place(account, drawer))/\(session)")
    }

    /// Returns the identifier of the record of a key: the same key makes one movement in all sessions of an account,
    /// whatever the drawer.
    static func id(_ account: AccountID, _ key: String) -> RecordID {
        RecordID(collection, "\(account.rawValue)/\(key)")
    }

    /// Returns the kept form of a key: in letters, since some of its digits would read as a card number.
    static func kept(_ key: String) -> String {
        let letters = digest("till/day/\(key)".utf8).flatMap { [0x61 + ($0 >> 4), 0x61 + ($0 & 15)] }
        return String(decoding: letters, as: UTF8.self)
    }

    init(
        account: AccountID, drawer: DrawerName, session: Int64, key: String, request: Request, at: Timestamp, by: String
    ) {
        (self.account, self.drawer, self.session, self.key) = (account, drawer, session, key)
        (self.request, self.at, self.by) = (request, at, by)
    }
}

extension CashMovement: RecordDocument {
    package static let collection: RecordCollection = "drawer_movement"

    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        if drawer != .main { writer.field("drawer", drawer.rawValue) }
        writer.field("session", session)
        writer.field("key", key)
        writer.field("kind", request.kind.rawValue)
        writer.field("amount", request.amount)
        writer.field("reason", request.reason)
        writer.field("payment", request.payment?.rawValue)
        writer.field("at", at.milliseconds)
        writer.field("by", by)
        writer.endObject()
        let match = CashMovement.match(account, drawer, session: session)
        return Record(CashMovement.id(account, key), body: writer.bytes, fields: [match.field: match.value])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let kind = Kind(rawValue: try body.text("kind")) else { throw body.damaged("kind") }
        self.init(
            account: AccountID(rawValue: try body.text("account")),
            drawer: body.optionalText("drawer").map { DrawerName(rawValue: $0) } ?? .main,
            session: try body.int("session"), key: try body.text("key"),
            request: Request(
                kind, amount: try body.int("amount"), reason: try body.text("reason"),
                payment: body.optionalText("payment").map { PaymentID(rawValue: $0) }),
            at: Timestamp(milliseconds: try body.int("at")), by: try body.text("by"))
    }
}
