public import TillCore
public import TillJournal

/// How somebody stands with the back office.
public enum OfficeStanding: String, Hashable, Sendable {
    /// They were given a link, by which they choose what they sign in with.
    case invited
    /// They have chosen it.
    case enrolled
}

/// Somebody who works at the shop.
public struct StaffRecord: Hashable, Sendable {
    public let id: StaffID
    public let account: AccountID
    /// What people call them; unique among those of the account, whatever the case of its letters.
    public var name: String
    /// The name of their role.
    public var role: String
    /// Without one nobody signs in as them at a device.
    public var pin: ScryptHash?
    /// Whether they sign in to the back office; `nil`: they were never invited.
    public var office: OfficeStanding?
    /// Since when nobody signs in as them.
    public var disabledAt: Timestamp?
    /// Another number after each change that ends their sessions.
    public var generation: Int
    public var createdAt: Timestamp
    /// The person or key that added them; `nil`: the command line.
    public var createdBy: String?

    /// Who it is, for the records.
    var actor: Actor { .staff(id, name: name) }
}

extension StaffRecord: RecordDocument {
    public static let collection: RecordCollection = "staff"

    static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    /// The name as it is compared.
    static func folded(_ name: String) -> String { name.lowercased() }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("name", name)
        writer.field("role", role)
        if let pin {
            writer.key("pin")
            pin.write(into: &writer)
        }
        if let office { writer.field("office", office.rawValue) }
        if let disabledAt { writer.field("disabled_at", disabledAt.milliseconds) }
        writer.field("generation", generation)
        if let createdBy { writer.field("created_by", createdBy) }
        writer.endObject()
        return Record(
            RecordID(StaffRecord.collection, id.rawValue), body: writer.bytes, fields: ["account": account.rawValue])
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        id = StaffID(rawValue: stored.id.key)
        account = AccountID(rawValue: try body.text("account"))
        name = try body.text("name")
        role = try body.text("role")
        if let json = body.json["pin"] {
            guard let read = ScryptHash(json) else { throw body.damaged("pin") }
            pin = read
        } else {
            pin = nil
        }
        office = body.optionalText("office").flatMap(OfficeStanding.init)
        disabledAt = body.optionalInt("disabled_at").map { Timestamp(milliseconds: $0) }
        generation = Int(clamping: try body.int("generation"))
        createdAt = stored.createdAt
        createdBy = body.optionalText("created_by")
    }

    /// The members of its object, for programs: nothing of the PIN but whether there is one.
    public func members(into writer: inout JSONWriter) {
        writer.field("id", id.rawValue)
        writer.field("name", name)
        writer.field("role", role)
        writer.field("has_pin", pin != nil)
        writer.field("office", office?.rawValue)
        writer.field("created_at", createdAt.description)
        writer.field("created_by", createdBy)
        writer.field("disabled_at", disabledAt?.description)
    }
}
