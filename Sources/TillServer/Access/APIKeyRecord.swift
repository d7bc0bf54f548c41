public import TillCore
public import TillJournal

/// A key by which a shop's programs are let in. Of the key itself only a digest is kept.
public struct APIKeyRecord: Hashable, Sendable {
    /// The digest of the key.
    public var hash: [UInt8]
    /// What commands and lists call it.
    public var id: APIKeyID
    /// Whose key it is.
    public var account: AccountID
    /// What people call it.
    public var label: String
    /// What it may do.
    public var permissions: Set<Permission>
    /// When it was made.
    public var createdAt: Timestamp
    /// Who made it; `nil`: nobody said.
    public var createdBy: String?
    /// From when on it lets nobody in; `nil`: never by itself.
    public var expiresAt: Timestamp?
    /// Its end was seen by a clock that was not in doubt, so that no clock which is set back lets it in again.
    public var hasExpired = false
    /// Since when it lets nobody in.
    public var revokedAt: Timestamp?
    /// Who revoked it; `nil` while it is in force, and for one of before this was recorded.
    public var revokedBy: String?

    /// One that nobody has written yet.
    /// - Parameter id: `nil`: the one that follows from the digest.
    public init(
        hash: [UInt8], id: APIKeyID? = nil, account: AccountID, label: String, permissions: Set<Permission> = .all,
        createdAt: Timestamp, createdBy: String? = nil, expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil
    ) {
        self.hash = hash
        self.id = id ?? .derived(from: hash)
        self.account = account
        self.label = label
        self.permissions = permissions
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    /// Whether a key lets anybody in.
    public enum Standing: Hashable, Sendable {
        case inForce
        case revoked(Timestamp)
        case expired(Timestamp)
    }

    /// Whether it lets anybody in at a moment.
    public func standing(at now: Timestamp) -> Standing {
        if let revokedAt { return .revoked(revokedAt) }
        if let expiresAt, hasExpired || now >= expiresAt { return .expired(expiresAt) }
        return .inForce
    }
}

extension APIKeyRecord: RecordDocument {
    /// Where they are kept.
    public static let collection: RecordCollection = "api_key"
    /// The field by which one is found under its ``id``.
    static func match(_ id: APIKeyID) -> RecordMatch { RecordMatch("id", id.rawValue) }

    /// As it is written. It is due when it expires, until that was seen.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id.rawValue)
        writer.field("account", account.rawValue)
        writer.field("label", label)
        writer.key("scopes")
        writer.beginArray()
        for word in permissions.words { writer.string(word) }
        writer.endArray()
        if let createdBy { writer.field("created_by", createdBy) }
        if let expiresAt { writer.field("expires_at", expiresAt.milliseconds) }
        if hasExpired { writer.field("expired", true) }
        if let revokedAt { writer.field("revoked_at", revokedAt.milliseconds) }
        if let revokedBy { writer.field("revoked_by", revokedBy) }
        writer.endObject()
        return Record(
            RecordID(APIKeyRecord.collection, Hex.lowercase(hash)), body: writer.bytes, fields: ["id": id.rawValue],
            due: hasExpired || revokedAt != nil ? nil : expiresAt)
    }

    /// As it was read. One of before keys had scopes may do everything, as it could then.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        var permissions = Set<Permission>.ofBefore
        if let scopes = body.json["scopes"] {
            guard let words = scopes.arrayValue else { throw body.damaged("scopes") }
            // A word of a later release grants nothing here.
            permissions = Set(words.compactMap { $0.stringValue.flatMap { Permission(rawValue: $0) } })
        }
        self.init(
            hash: hash, id: body.optionalText("id").map { APIKeyID(rawValue: $0) },
            account: AccountID(rawValue: try body.text("account")), label: try body.text("label"),
            permissions: permissions, createdAt: stored.createdAt, createdBy: body.optionalText("created_by"),
            expiresAt: body.optionalInt("expires_at").map { Timestamp(milliseconds: $0) },
            revokedAt: body.optionalInt("revoked_at").map { Timestamp(milliseconds: $0) })
        hasExpired = body.json["expired"]?.boolValue ?? false
        revokedBy = body.optionalText("revoked_by")
    }
}

/// When a key was used last. Kept beside the key, so that using it never gets in the way of revoking it.
struct APIKeyUse: RecordDocument, Hashable {
    static let collection: RecordCollection = "api_key_use"

    let hash: [UInt8]
    var at: Timestamp

    init(hash: [UInt8], at: Timestamp) {
        self.hash = hash
        self.at = at
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(hash: hash, at: Timestamp(milliseconds: try body.int("at")))
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("at", at.milliseconds)
        writer.endObject()
        return Record(RecordID(APIKeyUse.collection, Hex.lowercase(hash)), body: writer.bytes)
    }
}
