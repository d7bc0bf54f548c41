public import TillCore
import TillJournal

/// How long sessions last.
public struct SessionLimits: Hashable, Sendable {
    /// How long one goes on without a request.
    public var idle = Span.hours(12)
    /// How long one goes on in all, however it is used.
    public var absolute = Span.days(7)
    /// How long whoever is signed in stays so without a request.
    public var lock = Span.minutes(5)

    public init() {}
}

/// A session of the counter's page. Of its token only a digest is kept.
struct PageSessionRecord: Hashable, Sendable {
    /// The SHA-256 of the token.
    var hash: [UInt8]
    var account: AccountID
    /// The SHA-256 of the key that it was begun with, and without which it ends; `nil`: with a start code.
    var key: [UInt8]?
    var began: MeasuredMoment
    /// When its last request came, up to a minute less.
    var seen: MeasuredMoment
    /// When it ends unless a request comes. Only for its removal: what ends it are the limits at that moment.
    var ends: Timestamp
    /// Who has entered a PIN at it; `nil`: nobody, or the device was locked.
    var person: SessionPerson?

    /// The device, as its wrong PINs are counted.
    var device: String { PageSessionRecord.device(hash) }

    static func device(_ hash: [UInt8]) -> String { Hex.lowercase(hash.prefix(16)) }

    /// Whether it has ended.
    func isOver(at now: MeasuredMoment, _ limits: SessionLimits) -> Bool {
        began.age(at: now) >= limits.absolute || seen.age(at: now) >= limits.idle
    }

    /// Notes a request, which puts the end off as far as the limits allow.
    mutating func see(_ now: MeasuredMoment, _ limits: SessionLimits) {
        // A time that went back does not make it older.
        seen = MeasuredMoment(at: max(seen.at, now.at), reading: now.reading)
        ends = min(seen.at.adding(limits.idle), began.at.adding(limits.absolute))
    }
}

extension PageSessionRecord: RecordDocument {
    static let collection: RecordCollection = "page_session"

    static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }
    static func begun(withKey hash: [UInt8]) -> RecordMatch { RecordMatch("key", Hex.lowercase(hash)) }

    var record: Record {
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
        writer.endObject()
        var fields = ["account": account.rawValue]
        if let key { fields["key"] = Hex.lowercase(key) }
        return Record(
            RecordID(PageSessionRecord.collection, Hex.lowercase(hash)), body: writer.bytes, fields: fields, due: ends)
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(
            hash: hash, account: AccountID(rawValue: try body.text("account")),
            key: body.optionalText("key") == nil ? nil : try body.bytes("key"), began: try .init(body, "began"),
            seen: try .init(body, "seen"), ends: Timestamp(milliseconds: try body.int("ends")))
        if let staff = body.optionalText("staff") {
            person = SessionPerson(
                id: StaffID(rawValue: staff), generation: Int(clamping: try body.int("staff_generation")))
        }
    }
}

extension AuditNote {
    /// What happened at the device of a session.
    init(_ action: AuditAction, at session: PageSessionRecord, by attribution: Attribution, reason: String? = nil) {
        self.init(
            action, by: attribution, account: session.account, subject: "device \(session.device)", reason: reason)
    }
}
