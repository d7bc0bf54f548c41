public import TillCore
public import TillJournal

/// An API key of a shop's programs. Only a digest of the key itself is stored.
public struct APIKeyRecord: Hashable, Sendable {
    /// The digest of the key.
    public var hash: [UInt8]
    /// The identifier in commands and lists.
    public var id: APIKeyID
    /// The account that owns the key.
    public var account: AccountID
    /// The display name.
    public var label: String
    /// The scopes granted by the key.
    public var scopes: Set<APIScope>
    /// The creation time.
    public var createdAt: Timestamp
    /// The creator as stated at creation; `nil` if not stated.
    public var createdBy: String?
    /// The expiry time; `nil` for a key that does not expire.
    public var expiresAt: Timestamp?
    /// `true` once the expiry was observed by a clock that was not in doubt; a clock set back later does not revive the
    /// key.
    public var hasExpired = false
    /// The revocation time.
    public var revokedAt: Timestamp?
    /// The actor that revoked the key; `nil` while it is in force, and for revocations made before this was recorded.
    public var revokedBy: String?
    /// The renewal of a device's session; `nil` for any other key.
    public var renewal: APIKeyRenewal?

    /// Creates a record that is not stored yet.
    /// - Parameter id: The identifier; `nil` derives it from the digest.
    public init(
        hash: [UInt8], id: APIKeyID? = nil, account: AccountID, label: String, scopes: Set<APIScope> = .all,
        createdAt: Timestamp, createdBy: String? = nil, expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil,
        renewal: APIKeyRenewal? = nil
    ) {
        self.hash = hash
        self.id = id ?? .derived(from: hash)
        self.account = account
        self.label = label
        self.scopes = scopes
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.renewal = renewal
    }

    /// The validity of a key.
    public enum Standing: Hashable, Sendable {
        case inForce
        case revoked(Timestamp)
        case expired(Timestamp)
    }

    /// Returns the key's validity at a moment.
    public func standing(at now: Timestamp) -> Standing {
        if let revokedAt { return .revoked(revokedAt) }
        if let expiresAt, hasExpired || now >= expiresAt { return .expired(expiresAt) }
        return .inForce
    }
}

/// The renewal of a key that is a device's session: the device extends the key before it expires.
public struct APIKeyRenewal: Hashable, Sendable {
    /// The lifetime after each renewal.
    public var life: Span
    /// The end of the session, however often it is renewed.
    public var until: Timestamp

    /// Returns the expiry time of a key that is created or renewed at a moment.
    func expiry(at now: Timestamp) -> Timestamp { min(now.adding(life), until) }
}

extension APIKeyRecord: RecordDocument {
    /// The collection of stored keys.
    public static let collection: RecordCollection = "api_key"
    /// Returns the index match for an ``id``.
    package static func match(_ id: APIKeyID) -> RecordMatch { RecordMatch("id", id.rawValue) }

    /// The stored form, due at the expiry time until the expiry was observed.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id.rawValue)
        writer.field("account", account.rawValue)
        writer.field("label", label)
        writer.key("scopes")
        writer.beginArray()
        for word in scopes.words { writer.string(word) }
        writer.endArray()
        if let createdBy { writer.field("created_by", createdBy) }
        if let expiresAt { writer.field("expires_at", expiresAt.milliseconds) }
        if hasExpired { writer.field("expired", true) }
        if let revokedAt { writer.field("revoked_at", revokedAt.milliseconds) }
        if let revokedBy { writer.field("revoked_by", revokedBy) }
        if let renewal {
            writer.field("renewal_life", renewal.life.milliseconds)
            writer.field("renewable_until", renewal.until.milliseconds)
        }
        writer.endObject()
        return Record(
            RecordID(APIKeyRecord.collection, Hex.lowercase(hash)), body: writer.bytes, fields: ["id": id.rawValue],
            due: hasExpired || revokedAt != nil ? nil : expiresAt)
    }

    /// Reads the stored form. A key stored before scopes existed has every scope of that time.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        var scopes = Set<APIScope>.ofBefore
        if let list = body.json["scopes"] {
            guard let words = list.arrayValue else { throw body.damaged("scopes") }
            // Ignore scopes of a later release; they grant nothing here.
            scopes = Set(words.compactMap { $0.stringValue.flatMap { APIScope(rawValue: $0) } })
        }
        self.init(
            hash: hash, id: body.optionalText("id").map { APIKeyID(rawValue: $0) },
            account: AccountID(rawValue: try body.text("account")), label: try body.text("label"),
            scopes: scopes, createdAt: stored.createdAt, createdBy: body.optionalText("created_by"),
            expiresAt: body.optionalInt("expires_at").map { Timestamp(milliseconds: $0) },
            revokedAt: body.optionalInt("revoked_at").map { Timestamp(milliseconds: $0) })
        hasExpired = body.json["expired"]?.boolValue ?? false
        revokedBy = body.optionalText("revoked_by")
        if let life = body.optionalInt("renewal_life"), let until = body.optionalInt("renewable_until") {
            renewal = APIKeyRenewal(life: Span(milliseconds: life), until: Timestamp(milliseconds: until))
        }
    }
}

extension APIKeyRecord {
    /// Writes the members of the key's JSON object. The key itself is not stored, so it is not among them.
    package func members(lastUsedAt: Timestamp?, into writer: inout JSONWriter) {
        writer.field("id", id.rawValue)
        writer.field("label", label)
        writer.key("scopes")
        writer.beginArray()
        for word in scopes.words { writer.string(word) }
        writer.endArray()
        writer.field("account", account.rawValue)
        writer.field("created_at", createdAt.description)
        writer.field("created_by", createdBy)
        writer.field("last_used_at", lastUsedAt?.description)
        writer.field("expires_at", expiresAt?.description)
        writer.field("renewable_until", renewal?.until.description)
        writer.field("revoked_at", revokedAt?.description)
        writer.field("revoked_by", revokedBy)
    }
}

/// The last use of a key, stored beside the key so that recording a use never conflicts with its revocation.
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
