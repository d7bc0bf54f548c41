public import TillCore
public import TillJournal

/// A key by which a shop's programs are let in. Of the key itself only a digest is kept.
public struct APIKeyRecord: Hashable, Sendable {
    /// The digest of the key.
    public var hash: [UInt8]
    /// Whose key it is.
    public var account: AccountID
    /// What people call it.
    public var label: String
    /// When it was made.
    public var createdAt: Timestamp
    /// Since when it lets nobody in.
    public var revokedAt: Timestamp?
}

extension APIKeyRecord: RecordDocument {
    /// Where they are kept.
    public static let collection: RecordCollection = "api_key"

    /// As it is written.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("label", label)
        if let revokedAt { writer.field("revoked_at", revokedAt.milliseconds) }
        writer.endObject()
        return Record(RecordID(APIKeyRecord.collection, Hex.lowercase(hash)), body: writer.bytes)
    }

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let hash = Hex.decode(stored.id.key) else { throw body.damaged("key") }
        self.init(
            hash: hash, account: AccountID(rawValue: try body.text("account")), label: try body.text("label"),
            createdAt: stored.createdAt, revokedAt: body.optionalInt("revoked_at").map { Timestamp(milliseconds: $0) })
    }
}

/// The keys of shops' programs, in a record store. Every change is durable when its method returns.
public struct APIKeys: Sendable {
    private let records: Records<APIKeyRecord>
    private let clock: any TillClock

    /// Those of a store.
    public init(_ store: any RecordStore, clock: any TillClock) {
        records = Records(store)
        self.clock = clock
    }

    /// Stores a new key, of which only a hash is kept.
    /// - Throws: `JournalError.recordConflict(_:current:)` if there is such a key already.
    public func add(hash: [UInt8], account: AccountID, label: String) async throws(JournalError) {
        try await records.insert(APIKeyRecord(hash: hash, account: account, label: label, createdAt: clock.now()))
    }

    /// Whose key it is; `nil` for one that is unknown or revoked.
    public func account(ofHash hash: [UInt8]) async throws(JournalError) -> AccountID? {
        guard let key = try await records.document(Hex.lowercase(hash)), key.revokedAt == nil else { return nil }
        return key.account
    }

    /// All keys, oldest first, revoked ones too.
    public func all() async throws(JournalError) -> [APIKeyRecord] { try await records.list() }

    /// Lets nobody in with this key any more.
    /// - Returns: false if there is no such key, or if it was revoked before.
    @discardableResult
    public func revoke(hash: [UInt8]) async throws(JournalError) -> Bool {
        let now = clock.now()
        let revoked = try await records.update(Hex.lowercase(hash)) { key in
            guard key.revokedAt == nil else { return false }
            key.revokedAt = now
            return true
        }
        return revoked != nil
    }
}
