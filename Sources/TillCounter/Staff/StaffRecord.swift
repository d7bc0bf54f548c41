public import TillCore
public import TillJournal

/// The enrollment status of a staff member in the back office.
public enum OfficeStanding: String, Hashable, Sendable {
    /// An invitation link was issued; no credentials are chosen yet.
    case invited
    /// Credentials are chosen.
    case enrolled
}

/// A staff member.
public struct StaffRecord: Hashable, Sendable {
    public let id: StaffID
    public let account: AccountID
    /// The display name; unique within the account, ignoring case.
    public var name: String
    /// The name of the role.
    public var role: String
    /// The PIN; without one, sign-in at a device is impossible.
    public var pin: ScryptHash?
    /// The back-office enrollment; `nil` without an invitation.
    public var office: OfficeStanding?
    /// The time at which sign-in was disabled.
    public var disabledAt: Timestamp?
    /// A number that changes with each change that ends the person's sessions.
    public var generation: Int
    public var createdAt: Timestamp
    /// The person or key that added this one; `nil` for the command line.
    public var createdBy: String?

    /// The actor for the audit log.
    package var actor: Actor { .staff(id, name: name) }
}

extension StaffRecord: RecordDocument {
    public static let collection: RecordCollection = "staff"

    package static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    /// Returns the name as it is compared.
    package static func folded(_ name: String) -> String { name.lowercased() }

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

    /// Writes the members of the public JSON object; of the PIN, only its presence.
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
