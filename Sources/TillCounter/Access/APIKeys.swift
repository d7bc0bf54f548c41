import Crypto
public import TillCore
public import TillJournal

/// The API keys of shops' programs in a record store. Every change is durable when its method returns, and every
/// process on the store can detect it (`changes()`).
///
/// ```swift
/// import TillJournal
///
/// let keys = APIKeys(journal, clock: SystemClock())
/// let made = try await keys.create(account: .main, label: "Web shop", scopes: [.read, .sell], life: .days(90))
/// print("\(made.record.id), shown only now: \(made.key.reveal())")
/// ```
public struct APIKeys: Sendable {
    /// The maximum number of stored keys, ended ones included. Beyond it new keys are refused until old ones are
    /// removed.
    public static let maximumKeys = 10_000
    /// The maximum length of a label or of a creator's name, in bytes.
    public static let maximumLabelBytes = 128
    /// The retention of an ended key in the list.
    public static let keptAfterEnd = Span.days(400)
    /// The maximum grace period of a replaced key.
    public static let maximumGrace = Span.days(30)
    /// The maximum lifetime of a key.
    public static let maximumLife = Span.days(3_650)
    /// The minimum lifetime of a device's session between two renewals.
    public static let minimumSessionLife = Span.minutes(15)
    /// The maximum lifetime of a device's session between two renewals. A device that is off for longer needs another
    /// session.
    public static let maximumSessionLife = Span.days(7)
    /// The maximum time for which a device renews its session.
    public static let maximumRenewal = Span.days(90)
    /// The retention of an ended device's session in the list: sessions are made more often than other keys.
    public static let sessionKeptAfterEnd = Span.days(30)
    /// The maximum number of ended keys removed when one is created: more than one, so that their number falls.
    private static let maximumForgotten = 2
    /// The minimum interval between two stored uses of a key.
    package static let useInterval = Span.minutes(1)
    /// The maximum number of last uses in one write.
    package static let maximumUses = 64

    private static let bytesOfKey = 32
    private static let stateID = RecordID("api_key_state", "changes")

    private let store: any RecordStore
    private let records: Records<APIKeyRecord>
    private let clock: any TillClock

    /// Creates the API keys of a record store.
    public init(_ store: any RecordStore, clock: any TillClock) {
        self.store = store
        records = Records(store)
        self.clock = clock
    }

    // MARK: Reading

    /// Returns the stored key, or `nil` if it is unknown. Check ``APIKeyRecord/standing(at:)`` for its validity.
    public func key(ofHash hash: [UInt8]) async throws(JournalError) -> APIKeyRecord? {
        try await records.document(Hex.lowercase(hash))
    }

    /// Returns the owning account; `nil` for a key that is unknown, revoked or expired.
    public func account(ofHash hash: [UInt8]) async throws(JournalError) -> AccountID? {
        guard let key = try await key(ofHash: hash), key.standing(at: clock.now()) == .inForce else { return nil }
        return key.account
    }

    /// Returns all keys, oldest first, including ended ones.
    public func all() async throws(JournalError) -> [APIKeyRecord] {
        var found: [APIKeyRecord] = []
        try await records.forEach(atMost: APIKeys.maximumKeys) { found.append($0) }
        return found
    }

    /// Returns the last use of each key, by digest.
    public func lastUses() async throws(JournalError) -> [[UInt8]: Timestamp] {
        var found: [[UInt8]: Timestamp] = [:]
        try await Records<APIKeyUse>(store).forEach(atMost: APIKeys.maximumKeys) { found[$0.hash] = $0.at }
        return found
    }

    /// Returns a counter that changes with each key created, renewed, revoked or rotated by any process. Cheap: reads
    /// one record by key.
    package func changes() async throws(JournalError) -> Int { try await store.record(APIKeys.stateID)?.version ?? 0 }

    // MARK: Changing

    /// A new key with its plain text, which is shown only once.
    public struct Made: Sendable {
        public let key: Secret<String>
        public let record: APIKeyRecord
    }

    /// Creates a key of 256 random bits. Only its digest is stored.
    /// - Parameters:
    ///   - life: The lifetime; `nil` for a key that is valid until revoked.
    ///   - renewable: The time for which a device may renew the key, each time by `life`; `nil` for a key that is no
    ///     device's session.
    public func create(
        account: AccountID, label: String, scopes: Set<APIScope>, life: Span? = nil, renewable: Span? = nil,
        by maker: String? = nil
    ) async throws(APIKeyError) -> Made {
        try await create(
            .random(), account: account, label: label, scopes: scopes, life: life, renewable: renewable, by: maker)
    }

    /// Creates a key with a given identifier, such as that of the request that makes it.
    /// - Throws: ``APIKeyError/madeBefore(_:)`` if there is a key with that identifier; nothing is changed then.
    package func create(
        _ id: APIKeyID, account: AccountID, label: String, scopes: Set<APIScope>, life: Span?, renewable: Span? = nil,
        by maker: String?
    ) async throws(APIKeyError) -> Made {
        let label = try APIKeys.line(label, of: .label)
        let maker = try maker.map { (name) throws(APIKeyError) in try APIKeys.line(name, of: .actor) }
        let now = clock.now()
        let key = APIKeys.random()
        let record = APIKeyRecord(
            hash: APIKeys.digest(of: key), id: id, account: account, label: label, scopes: scopes,
            createdAt: now, createdBy: maker,
            expiresAt: try life.map { (span) throws(APIKeyError) in
                now.adding(try APIKeys.checked(span, atMost: APIKeys.maximumLife))
            }, renewal: try APIKeys.renewal(renewable, life: life, scopes: scopes, at: now))
        try await commit { (_) throws(APIKeyError) in
            guard try await !self.isTaken(id) else { throw .madeBefore(id) }
            return (
                [.insert(record.record)] + (try await self.forgettable(at: now)),
                APIKeys.note(.keyCreated, record, said: maker)
            )
        }
        return Made(key: Secret(key), record: try await asKept(record))
    }

    /// Stores a key created elsewhere, of which only the hash is known.
    /// - Throws: `JournalError.recordConflict(_:current:)` if the key already exists.
    public func add(
        hash: [UInt8], account: AccountID, label: String, scopes: Set<APIScope> = .all
    ) async throws(JournalError) {
        try await records.insert(
            APIKeyRecord(
                hash: hash, account: account, label: label, scopes: scopes, createdAt: clock.now()))
    }

    /// Revokes a key, together with the sessions and streams that were started with it.
    /// - Returns: The key after the change.
    @discardableResult
    public func revoke(_ id: APIKeyID, by actor: String? = nil) async throws(APIKeyError) -> APIKeyRecord {
        let actor = try actor.map { (name) throws(APIKeyError) in try APIKeys.line(name, of: .actor) }
        return try await commit(changing: id) { (key, now) throws(APIKeyError) in
            if case .revoked(let then) = key.standing(at: now) { throw .revokedBefore(id, then) }
            key.revokedAt = now
            key.revokedBy = actor
            return ([], APIKeys.note(.keyRevoked, key, said: actor))
        }
    }

    /// Revokes a key.
    /// - Returns: `false` if there is no such key, or if it is already revoked.
    @discardableResult
    public func revoke(hash: [UInt8]) async throws(JournalError) -> Bool {
        guard let key = try await key(ofHash: hash) else { return false }
        do throws(APIKeyError) { try await revoke(key.id) } catch {
            switch error {
            case .journal(let error): throw error
            default: return false
            }
        }
        return true
    }

    /// Extends a device's session by its lifetime, at most to the end of its renewals. The key itself stays the same,
    /// so a lost answer costs the device nothing. Changes nothing while more than three quarters of the lifetime are
    /// left: no device can fill the audit log.
    /// - Returns: The key as it is then.
    /// - Throws: ``APIKeyError/notRenewable`` for a key that is no device's session.
    package func renew(hash: [UInt8]) async throws(APIKeyError) -> APIKeyRecord {
        let stored: APIKeyRecord?
        do throws(JournalError) { stored = try await key(ofHash: hash) } catch { throw .journal(error) }
        guard let known = stored, let renewal = known.renewal else { throw .notRenewable }
        let now = clock.now()
        if known.standing(at: now) == .inForce, let end = known.expiresAt,
            end >= renewal.until || end.since(now).milliseconds > renewal.life.milliseconds / 4 * 3
        {
            return known
        }
        return try await commit(changing: known.id) { (key, now) throws(APIKeyError) in
            switch key.standing(at: now) {
            case .inForce: break
            case .revoked(let then): throw .revokedBefore(key.id, then)
            case .expired(let then): throw .expired(key.id, then)
            }
            guard let renewal = key.renewal else { throw .notRenewable }
            key.expiresAt = max(key.expiresAt ?? now, renewal.expiry(at: now))
            return ([], APIKeys.note(.keyRenewed, key, said: nil))
        }
    }

    /// Creates a key with the same account and scopes as another, and ends the old one.
    /// - Parameter grace: The time for which the old key remains valid; `nil` revokes it immediately.
    public func rotate(
        _ id: APIKeyID, grace: Span? = nil, by actor: String? = nil
    ) async throws(APIKeyError) -> (made: Made, replaced: APIKeyRecord) {
        let grace = try grace.map { (span) throws(APIKeyError) in
            try APIKeys.checked(span, atMost: APIKeys.maximumGrace)
        }
        let actor = try actor.map { (name) throws(APIKeyError) in try APIKeys.line(name, of: .actor) }
        let (key, newID) = (APIKeys.random(), APIKeyID.random())
        var made: APIKeyRecord?
        let replaced = try await commit(changing: id) { (old, now) throws(APIKeyError) in
            switch old.standing(at: now) {
            case .inForce: break
            case .revoked(let then): throw .revokedBefore(id, then)
            case .expired(let then): throw .expired(id, then)
            }
            // The new key gets the old key's lifetime, counted from now.
            let life = old.expiresAt.map { $0.since(old.createdAt) }
            let new = APIKeyRecord(
                hash: APIKeys.digest(of: key), id: newID, account: old.account, label: old.label,
                scopes: old.scopes, createdAt: now, createdBy: actor,
                expiresAt: old.renewal?.expiry(at: now) ?? life.map { now.adding($0) }, renewal: old.renewal)
            if let grace {
                // A replaced session is renewed no more.
                old.renewal = nil
                old.expiresAt = min(old.expiresAt ?? now.adding(grace), now.adding(grace))
            } else {
                old.revokedAt = now
                old.revokedBy = actor
            }
            made = new
            var note = APIKeys.note(.keyRotated, new, said: actor)
            note.changes.insert(AuditChange("key", from: id.rawValue, to: newID.rawValue), at: 0)
            return ([.insert(new.record)], note)
        }
        guard let made else { throw .unknown(id) }
        return (Made(key: Secret(key), record: try await asKept(made)), replaced)
    }

    /// Returns a key as stored: the journal sets the creation time when it writes.
    private func asKept(_ made: APIKeyRecord) async throws(APIKeyError) -> APIKeyRecord {
        do throws(JournalError) { return try await key(ofHash: made.hash) ?? made } catch { throw .journal(error) }
    }

    /// Records the observed expiry of keys, so that they stay expired whatever the clock reads later, with an entry of
    /// the audit log for each.
    /// - Returns: The number of keys recorded.
    @discardableResult
    package func noteExpired(at now: Timestamp) async throws(JournalError) -> Int {
        // A clock that runs ahead must not expire a key for good.
        guard clock.standing.doubt == nil else { return 0 }
        var count = 0
        for key in try await records.list(.due(by: now), limit: APIKeys.maximumUses) {
            let note = AuditNote(
                .keyExpired, by: Attribution(.till(.housekeeping)), account: key.account, subject: key.id.rawValue,
                changes: [AuditChange("label", to: key.label)])
            let noted = try await records.update(Hex.lowercase(key.hash), noting: [note]) { key in
                guard case .expired = key.standing(at: now), !key.hasExpired else { return false }
                key.hasExpired = true
                return true
            }
            if noted != nil { count += 1 }
        }
        return count
    }

    /// Records the last use of keys not recorded within ``useInterval``. A use recorded by another process at the same
    /// time is not written twice.
    package func note(uses: [[UInt8]: Timestamp]) async throws(JournalError) {
        var changes: [RecordChange] = []
        for (hash, at) in uses.prefix(APIKeys.maximumUses) {
            let use = APIKeyUse(hash: hash, at: at)
            let known = try await store.record(use.record.id)
            if let known, at.since(known.updatedAt) < APIKeys.useInterval { continue }
            changes.append(.put(use.record, over: known))
        }
        guard !changes.isEmpty else { return }
        do throws(JournalError) { try await store.change(changes) } catch {
            guard case .recordConflict = error else { throw error }
        }
    }

    // MARK: Parts

    /// A user-supplied text that failed validation.
    public enum Word: String, Sendable { case label, actor }

    private static func line(_ text: String, of word: Word) throws(APIKeyError) -> String {
        guard (1...maximumLabelBytes).contains(text.utf8.count), text.contains(where: { !$0.isWhitespace }),
            text.isOneLine
        else { throw .invalidWord(word) }
        return CardNumberMask.masked(text)
    }

    private static func checked(_ span: Span, atMost most: Span) throws(APIKeyError) -> Span {
        guard span >= .seconds(1), span <= most else { throw .invalidSpan(most: most) }
        return span
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<bytesOfKey).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return "till_" + Hex.lowercase(bytes)
    }

    private static func digest(of key: String) -> [UInt8] { Array(SHA256.hash(data: Array(key.utf8))) }

    /// Returns the renewal of a device's session; `nil` for any other key.
    private static func renewal(
        _ renewable: Span?, life: Span?, scopes: Set<APIScope>, at now: Timestamp
    ) throws(APIKeyError) -> APIKeyRenewal? {
        guard let renewable else { return nil }
        guard let life, minimumSessionLife <= life, life <= maximumSessionLife, life <= renewable,
            renewable <= maximumRenewal, scopes.contains(.read)
        else { throw .invalidSession }
        return APIKeyRenewal(life: life, until: now.adding(renewable))
    }

    /// Returns `true` for a key that ended so long ago that its record may be removed.
    package static func mayForget(_ key: APIKeyRecord, at now: Timestamp) -> Bool {
        switch key.standing(at: now) {
        case .inForce: false
        case .revoked(let then), .expired(let then):
            now.since(then) > (key.renewal == nil ? keptAfterEnd : sessionKeptAfterEnd)
        }
    }

    /// Returns the removals of ended devices' sessions, and if the store is full of any keys that ended long ago.
    private func forgettable(at now: Timestamp) async throws(APIKeyError) -> [RecordChange] {
        let all: [APIKeyRecord]
        do throws(JournalError) { all = try await self.all() } catch { throw .journal(error) }
        let isFull = all.count >= APIKeys.maximumKeys
        // A clock that runs ahead must not remove a key too early.
        let isSure = clock.standing.doubt == nil
        let old = all.filter { isSure && (isFull || $0.renewal != nil) && APIKeys.mayForget($0, at: now) }
        guard !isFull || !old.isEmpty else { throw .tooMany }
        return old.prefix(APIKeys.maximumForgotten).flatMap { (key) -> [RecordChange] in
            [.remove(key.record.id), .remove(APIKeyUse(hash: key.hash, at: now).record.id)]
        }
    }

    /// Changes a key; retries with the current version if another writer committed first.
    /// - Parameter body: Changes the key and returns further record changes and the audit note.
    private func commit(
        changing id: APIKeyID,
        _ body: (inout APIKeyRecord, Timestamp) throws(APIKeyError) -> (beside: [RecordChange], note: AuditNote)
    ) async throws(APIKeyError) -> APIKeyRecord {
        var changed: APIKeyRecord?
        try await commit { (now) throws(APIKeyError) in
            guard let (stored, found) = try await self.find(id) else { throw .unknown(id) }
            var key = found
            let (beside, note) = try body(&key, now)
            changed = key
            return ([.update(key.record, from: stored.version)] + beside, note)
        }
        guard let changed else { throw .unknown(id) }
        return changed
    }

    /// Returns the audit note of a key change: its scopes, and nothing of the key itself.
    /// - Parameter name: The stated actor, if any.
    private static func note(_ action: AuditAction, _ key: APIKeyRecord, said name: String?) -> AuditNote {
        var changes = [
            AuditChange("label", to: key.label),
            AuditChange("scopes", to: key.scopes.words.joined(separator: ",")),
            AuditChange("expires_at", to: key.expiresAt?.description),
        ]
        if let renewal = key.renewal {
            changes.append(AuditChange("renewable_until", to: renewal.until.description))
        }
        if let name { changes.append(AuditChange("said_by", to: name)) }
        return AuditNote(action, account: key.account, subject: key.id.rawValue, changes: changes)
    }

    /// Decides changes with their audit note and writes both atomically; decides again if another writer committed
    /// first.
    private func commit(
        _ decide: (Timestamp) async throws(APIKeyError) -> (changes: [RecordChange], note: AuditNote)
    ) async throws(APIKeyError) {
        let now = clock.now()
        for tries in 1... {
            let mark = Record(APIKeys.stateID, body: Array("{}".utf8))
            let known: KeptRecord?
            do throws(JournalError) { known = try await store.record(mark.id) } catch { throw .journal(error) }
            let (wanted, note) = try await decide(now)
            do throws(JournalError) {
                return try await store.change(wanted + [.put(mark, over: known)], noting: [note])
            } catch {
                guard case .recordConflict = error, tries < Records<APIKeyRecord>.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }

    /// Returns `true` if a key has the identifier.
    private func isTaken(_ id: APIKeyID) async throws(APIKeyError) -> Bool {
        do throws(JournalError) {
            return try await !records.list(matching: APIKeyRecord.match(id), limit: 1).isEmpty
        } catch { throw .journal(error) }
    }

    /// Returns the key of an identifier with its stored version.
    private func find(_ id: APIKeyID) async throws(APIKeyError) -> (KeptRecord, APIKeyRecord)? {
        do throws(JournalError) {
            var hash = try await records.list(matching: APIKeyRecord.match(id), limit: 1).first?.hash
            if hash == nil {
                // A key stored before keys had identifiers: derived from its digest.
                try await records.forEach(atMost: APIKeys.maximumKeys) { if $0.id == id { hash = $0.hash } }
            }
            guard let hash,
                let stored = try await store.record(RecordID(APIKeyRecord.collection, Hex.lowercase(hash)))
            else { return nil }
            return (stored, try APIKeyRecord(stored))
        } catch { throw .journal(error) }
    }
}
