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
    /// How long a session of the back office goes on without a request: NIST SP 800-63B-4 (2.2.3) has an hour.
    public var officeIdle = Span.hours(1)
    /// How long one goes on in all: half of the day that it has.
    public var officeAbsolute = Span.hours(12)

    public init() {}
}

/// What somebody has shown to be let in to the back office.
enum OfficeProof: String, Hashable, Sendable {
    /// A password with a code that is used once.
    case password
    case passkey
    /// One of a later release.
    case unrecognized
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
    /// What the person signed in to the back office with; `nil`: it is a device's, and a PIN says who uses it.
    var proof: OfficeProof?
    /// Where it was begun from.
    var address: String?
    /// What it is called while its token changes, and how a device's wrong PINs are counted; no secret.
    var device: String

    init(
        hash: [UInt8], account: AccountID, key: [UInt8]? = nil, began: MeasuredMoment, seen: MeasuredMoment,
        ends: Timestamp, person: SessionPerson? = nil, proof: OfficeProof? = nil, address: String? = nil,
        device: String? = nil
    ) {
        (self.hash, self.account, self.key, self.began, self.seen) = (hash, account, key, began, seen)
        (self.ends, self.person, self.proof, self.address) = (ends, person, proof, address)
        self.device = device ?? PageSessionRecord.device(hash)
    }

    /// The device, as what is done at it is attributed.
    var deviceID: DeviceID { DeviceID(rawValue: device) }

    static func device(_ hash: [UInt8]) -> String { Hex.lowercase(hash.prefix(16)) }

    /// Whose share of an account's sessions it is in; `nil`: a device of the shop's own.
    enum Holder: Hashable, Sendable {
        case key([UInt8])
        case person(StaffID)
    }

    var holder: Holder? { key.map { .key($0) } ?? (isPersonal ? person.map { .person($0.id) } : nil) }

    /// Whether it belongs to one person, and ends with what they may do here.
    var isPersonal: Bool { proof != nil }

    private func idle(_ limits: SessionLimits) -> Span { isPersonal ? limits.officeIdle : limits.idle }
    private func absolute(_ limits: SessionLimits) -> Span { isPersonal ? limits.officeAbsolute : limits.absolute }

    /// Whether it has ended.
    func isOver(at now: MeasuredMoment, _ limits: SessionLimits) -> Bool {
        began.age(at: now) >= absolute(limits) || seen.age(at: now) >= idle(limits)
    }

    /// Notes a request, which puts the end off as far as the limits allow.
    mutating func see(_ now: MeasuredMoment, _ limits: SessionLimits) {
        // A time that went back does not make it older.
        seen = MeasuredMoment(at: max(seen.at, now.at), reading: now.reading)
        ends = min(seen.at.adding(idle(limits)), began.at.adding(absolute(limits)))
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
        if let proof { writer.field("proof", proof.rawValue) }
        if let address { writer.field("address", address) }
        writer.field("device", device)
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
            seen: try .init(body, "seen"), ends: Timestamp(milliseconds: try body.int("ends")),
            proof: body.optionalText("proof").map { OfficeProof(rawValue: $0) ?? .unrecognized },
            address: body.optionalText("address"), device: body.optionalText("device"))
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
