import TillCore
import TillCounter
import TillJournal

/// A stored customer account. Its name is a keyed hash of the e-mail address, which nobody can try addresses against
/// without the counter's pepper, and it holds the hash of the sign-in token.
struct CustomerAccount: Hashable, Sendable {
    /// The maximum number of accounts.
    static let maximum = 1_000_000

    /// The account of the shop.
    var owner: AccountID
    /// The keyed hash of the owner and the e-mail address; of an account of an earlier version a hash without a key.
    var name: [UInt8]
    /// The shop's identifier of the customer.
    var id: String
    /// The hash of the customer's sign-in token.
    var token: [UInt8]
    /// The time at which the token was made; `nil` for a record of an earlier version.
    var madeAt: Timestamp?
    /// The basket whose order made the account; `nil` for a record of an earlier version.
    var basket: String?

    /// The time of the last paid order or sign-in, from which the retention counts; `nil` for a record of an earlier
    /// version.
    var seenAt: Timestamp?

    /// The shortest time after which a further order is recorded in ``seenAt``.
    static let seenInterval = Span.days(1)

    /// Returns the name under which an address is stored.
    /// - Throws: `JournalError.unavailable` if the counter's pepper cannot be read.
    static func name(
        of address: String, owner: AccountID, _ pepper: Pepper?
    ) throws(JournalError) -> [UInt8] {
        guard let pepper else { throw .unavailable("this counter has no place for the key of guests' names") }
        let text = "\(owner.rawValue)\u{0}\(address.lowercased())"
        do throws(StaffError) { return try pepper.code(of: text, for: .guests) } catch {
            throw .unavailable("the name of a guest cannot be made: \(error)")
        }
    }

    /// Returns the name under which an earlier version stored an address: a hash without a key, for `main` of the
    /// address alone. Such an account is found until its retention ends, and gets its present name with the next order.
    static func formerName(of address: String, owner: AccountID) -> [UInt8] {
        let address = address.lowercased()
        return digest((owner == .main ? address : "\(owner.rawValue)\u{0}\(address)").utf8)
    }

    /// Returns the match for an account by its customer identifier.
    static func match(id: String, _ owner: AccountID) -> RecordMatch {
        RecordMatch("guest", "\(owner.rawValue)\n\(id)")
    }

    /// The time within which the shop's server can redeem a token.
    static let redemption = Span.hours(1)

    /// Returns the match for an account by the hash of its token.
    static func match(token: [UInt8]) -> RecordMatch { RecordMatch("token", Hex.lowercase(token)) }
}

extension CustomerAccount: RecordDocument {
    package static let collection: RecordCollection = "wallet_account"

    package var record: Record {
        let match = CustomerAccount.match(token: token)
        let guest = CustomerAccount.match(id: id, owner)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("owner", owner.rawValue)
        writer.field("id", id)
        writer.field("token", match.value)
        if let madeAt { writer.field("made_at", madeAt.milliseconds) }
        writer.field("basket", basket)
        if let seenAt { writer.field("seen_at", seenAt.milliseconds) }
        writer.endObject()
        // Due is the beginning of the retention, so that a change of the setting holds for every account.
        return Record(
            RecordID(CustomerAccount.collection, Hex.lowercase(name)), body: writer.bytes,
            fields: [match.field: match.value, guest.field: guest.value], due: seenAt)
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let name = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(owner: body.owner, name: name, id: try body.text("id"), token: try body.bytes("token"))
        madeAt = body.optionalInt("made_at").map { Timestamp(milliseconds: $0) }
        basket = body.optionalText("basket")
        seenAt = body.optionalInt("seen_at").map { Timestamp(milliseconds: $0) }
    }
}
