package import TillCore
package import TillJournal

/// A passkey of a staff member: its public key and its last use.
package struct Passkey: Hashable, Sendable {
    /// The maximum number of passkeys of a person.
    package static let maximumPerPerson = 10

    /// The credential identifier assigned by the authenticator.
    package let credential: [UInt8]
    package let staff: StaffID
    package let account: AccountID
    /// The public key as COSE.
    package let key: [UInt8]
    /// The relying party's identifier at registration.
    let relyingParty: String
    /// The name chosen by its owner.
    package let name: String
    /// The signature counter at the last use.
    package var counter: UInt32
    package var usedAt: Timestamp?
    private(set) var createdAt: Timestamp

    package init(
        _ made: AuthenticatorData.Credential, counter: UInt32, of person: StaffRecord, at party: RelyingParty,
        name: String, now: Timestamp
    ) {
        (credential, key, self.counter) = (made.id, made.encodedKey, counter)
        (staff, account, relyingParty, self.name) = (person.id, person.account, party.id, name)
        createdAt = now
    }

    /// The identifier in lists; not secret.
    package var id: String { Passkey.key(credential) }

    package static func key(_ credential: [UInt8]) -> String { Hex.lowercase(digest(credential)) }

    /// Writes the passkey for its owner's list.
    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("name", name)
        writer.field("created_at", createdAt.description)
        writer.field("used_at", usedAt?.description)
        writer.endObject()
    }
}

extension Passkey: RecordDocument {
    package static let collection: RecordCollection = "passkey"
    package static func of(_ staff: StaffID) -> RecordMatch { RecordMatch("staff", staff.rawValue) }

    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("credential", Hex.lowercase(credential))
        writer.field("staff", staff.rawValue)
        writer.field("account", account.rawValue)
        writer.field("key", Hex.lowercase(key))
        writer.field("relying_party", relyingParty)
        writer.field("name", name)
        writer.field("counter", Int64(counter))
        if let usedAt { writer.field("used_at", usedAt.milliseconds) }
        writer.endObject()
        return Record(RecordID(Passkey.collection, id), body: writer.bytes, fields: ["staff": staff.rawValue])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        credential = try body.bytes("credential")
        staff = StaffID(rawValue: try body.text("staff"))
        account = AccountID(rawValue: try body.text("account"))
        key = try body.bytes("key")
        relyingParty = try body.text("relying_party")
        name = try body.text("name")
        guard let count = UInt32(exactly: try body.int("counter")) else { throw body.damaged("counter") }
        counter = count
        usedAt = body.optionalInt("used_at").map { Timestamp(milliseconds: $0) }
        createdAt = stored.createdAt
    }
}
