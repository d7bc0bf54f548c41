import TillCore
import TillJournal

/// A customer's account as it is kept: under hashes, so that neither the address nor what signs in is stored.
struct CustomerAccount: Hashable, Sendable {
    /// Accounts kept at most.
    static let maximum = 1_000_000

    /// Whose customer it is.
    var owner: AccountID
    /// A hash of the e-mail address, and of the owner.
    var name: [UInt8]
    /// What the shop calls it.
    var id: String
    /// A hash of what the customer shows to be taken for the account.
    var token: [UInt8]

    /// Finds the account whose token has this hash.
    static func match(token: [UInt8]) -> RecordMatch { RecordMatch("token", Hex.lowercase(token)) }
}

extension CustomerAccount: RecordDocument {
    static let collection: RecordCollection = "wallet_account"

    var record: Record {
        let match = CustomerAccount.match(token: token)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("id", id)
        writer.field("token", match.value)
        writer.endObject()
        return Record(
            RecordID(CustomerAccount.collection, Hex.lowercase(name)), body: writer.bytes,
            fields: [match.field: match.value])
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let name = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(owner: body.owner, name: name, id: try body.text("id"), token: try body.bytes("token"))
    }
}
