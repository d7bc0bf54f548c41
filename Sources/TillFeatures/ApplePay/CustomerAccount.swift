import TillCore
import TillJournal

/// A stored customer account. It holds hashes, so that neither the address nor the sign-in token is stored.
struct CustomerAccount: Hashable, Sendable {
    /// The maximum number of accounts.
    static let maximum = 1_000_000

    /// The account of the shop.
    var owner: AccountID
    /// The hash of the e-mail address and the owner.
    var name: [UInt8]
    /// The shop's identifier of the customer.
    var id: String
    /// The hash of the customer's sign-in token.
    var token: [UInt8]
    /// The time at which the token was made; `nil` for a record of an earlier version.
    var madeAt: Timestamp?
    /// The basket whose order made the account; `nil` for a record of an earlier version.
    var basket: String?

    /// The time within which the shop's server can redeem a token.
    static let redemption = Span.hours(1)

    /// Returns the match for an account by the hash of its token.
    static func match(token: [UInt8]) -> RecordMatch { RecordMatch("token", Hex.lowercase(token)) }
}

extension CustomerAccount: RecordDocument {
    package static let collection: RecordCollection = "wallet_account"

    package var record: Record {
        let match = CustomerAccount.match(token: token)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("id", id)
        writer.field("token", match.value)
        if let madeAt { writer.field("made_at", madeAt.milliseconds) }
        writer.field("basket", basket)
        writer.endObject()
        return Record(
            RecordID(CustomerAccount.collection, Hex.lowercase(name)), body: writer.bytes,
            fields: [match.field: match.value])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let name = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(owner: body.owner, name: name, id: try body.text("id"), token: try body.bytes("token"))
        madeAt = body.optionalInt("made_at").map { Timestamp(milliseconds: $0) }
        basket = body.optionalText("basket")
    }
}
