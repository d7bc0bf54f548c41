public import TillCore
package import TillJournal

/// The lifetimes of sessions.
public struct SessionLimits: Hashable, Sendable {
    /// The idle timeout.
    public var idle = Span.hours(12)
    /// The maximum lifetime, however a session is used.
    public var absolute = Span.days(7)
    /// The idle time after which a device is locked.
    public var lock = Span.minutes(5)
    /// The idle timeout of a back office session: one hour by NIST SP 800-63B-4 (2.2.3).
    public var officeIdle = Span.hours(1)
    /// The maximum lifetime of a back office session: half of the day that the standard allows.
    public var officeAbsolute = Span.hours(12)

    public init() {}
}

/// The authenticator used to sign in to the back office.
package enum OfficeProof: String, Hashable, Sendable {
    /// A password with a one-time code.
    case password
    case passkey
    /// A method of a later release.
    case unrecognized
}

/// A session of the counter's page. Only a digest of its token is stored.
package struct PageSessionRecord: Hashable, Sendable {
    /// The cache lifetime of a session, and so the longest survival of a session ended by another process.
    package static let cacheLifetime = Span.seconds(1)

    /// The SHA-256 of the token.
    package var hash: [UInt8]
    package var account: AccountID
    /// The SHA-256 of the key that started the session; the session ends with that key. `nil`: a start code started it.
    package var key: [UInt8]?
    package var began: MeasuredMoment
    /// The time of the last request, up to a minute behind.
    package var seen: MeasuredMoment
    /// The expiry time unless a request arrives. Used only for removal: the limits in force decide the actual end.
    package var ends: Timestamp
    /// The signed-in staff member; `nil` if there is none or the device is locked.
    package var person: SessionPerson?
    /// The back office authenticator; `nil` for a device session, which is unlocked by PIN.
    package var proof: OfficeProof?
    /// The client address at the session's start.
    package var address: String?
    /// The stable, non-secret identifier across token changes, under which a device's wrong PINs are counted.
    package var device: String
    /// The cash drawer of the device; `nil` for one that has chosen none.
    package var drawer: DrawerName?

    package init(
        hash: [UInt8], account: AccountID, key: [UInt8]? = nil, began: MeasuredMoment, seen: MeasuredMoment,
        ends: Timestamp, person: SessionPerson? = nil, proof: OfficeProof? = nil, address: String? = nil,
        device: String? = nil
    ) {
        (self.hash, self.account, self.key, self.began, self.seen) = (hash, account, key, began, seen)
        (self.ends, self.person, self.proof, self.address) = (ends, person, proof, address)
        self.device = device ?? PageSessionRecord.device(hash)
    }

    /// The device to which actions are attributed.
    package var deviceID: DeviceID { DeviceID(rawValue: device) }

    package static func device(_ hash: [UInt8]) -> String { Hex.lowercase(hash.prefix(16)) }

    /// The holder charged for it in the account's session limits; `nil` for a device of the shop.
    package enum Holder: Hashable, Sendable {
        case key([UInt8])
        case person(StaffID)
    }

    package var holder: Holder? { key.map { .key($0) } ?? (isPersonal ? person.map { .person($0.id) } : nil) }

    /// A Boolean value that indicates whether the session belongs to one staff member and ends with their access.
    package var isPersonal: Bool { proof != nil }

    private func idle(_ limits: SessionLimits) -> Span { isPersonal ? limits.officeIdle : limits.idle }
    private func absolute(_ limits: SessionLimits) -> Span { isPersonal ? limits.officeAbsolute : limits.absolute }

    /// Returns `true` if the session has ended.
    package func isOver(at now: MeasuredMoment, _ limits: SessionLimits) -> Bool {
        began.age(at: now) >= absolute(limits) || seen.age(at: now) >= idle(limits)
    }

    /// Records a request, which extends the session within the limits.
    package mutating func see(_ now: MeasuredMoment, _ limits: SessionLimits) {
        // Setting the time back does not make it older.
        seen = MeasuredMoment(at: max(seen.at, now.at), reading: now.reading)
        ends = min(seen.at.adding(idle(limits)), began.at.adding(absolute(limits)))
    }
}

extension PageSessionRecord: RecordDocument {
    package static let collection: RecordCollection = "page_session"

    package static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }
    package static func begun(withKey hash: [UInt8]) -> RecordMatch { RecordMatch("key", Hex.lowercase(hash)) }

    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        if let key { writer.field("key", Hex.lowercase(key)) }
        writer.moment("began", began)
        writer.moment("seen", seen)
        writer.field("ends", ends.milliseconds)
        if let person {
            writer.field("staff", person.id.rawValue)
            writer.field("staff_generation", person.generation)
        }
        if let proof { writer.field("proof", proof.rawValue) }
        if let address { writer.field("address", address) }
        writer.field("device", device)
        if let drawer { writer.field("drawer", drawer.rawValue) }
        writer.endObject()
        var fields = ["account": account.rawValue]
        if let key { fields["key"] = Hex.lowercase(key) }
        return Record(
            RecordID(PageSessionRecord.collection, Hex.lowercase(hash)), body: writer.bytes, fields: fields, due: ends)
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(
            hash: hash, account: AccountID(rawValue: try body.text("account")),
            key: body.optionalText("key") == nil ? nil : try body.bytes("key"), began: try .init(body, "began"),
            seen: try .init(body, "seen"), ends: Timestamp(milliseconds: try body.int("ends")),
            proof: body.optionalText("proof").map { OfficeProof(rawValue: $0) ?? .unrecognized },
            address: body.optionalText("address"), device: body.optionalText("device"))
        drawer = body.optionalText("drawer").map { DrawerName(rawValue: $0) }
        if let staff = body.optionalText("staff") {
            person = SessionPerson(
                id: StaffID(rawValue: staff), generation: Int(clamping: try body.int("staff_generation")))
        }
    }
}

extension AuditNote {
    /// Creates a note of an event at a session's device.
    package init(
        _ action: AuditAction, at session: PageSessionRecord, by attribution: Attribution, reason: String? = nil
    ) {
        self.init(
            action, by: attribution, account: session.account, subject: "device \(session.device)", reason: reason)
    }
}
