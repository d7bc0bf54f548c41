import Crypto
public import TillCore
public import TillJournal

/// The staff of an account, in a record store. Each change is durable on return and visible to every process on the
/// store (`changes()`). Changes are serialized across processes, so names stay unique.
///
/// ```swift
/// import TillJournal
///
/// let staff = StaffDirectory(journal, account: .main, clock: SystemClock())
/// let ada = try await staff.add(name: "Ada", role: "cashier", pin: nil)
/// for person in try await staff.all() { print(person.name, person.role) }
/// ```
public struct StaffDirectory: Sendable {
    /// The maximum number of people of an account.
    public static let maximumStaff = 200
    /// The maximum length of a name, in bytes.
    public static let maximumNameBytes = 64

    /// The time after which no process uses an ended session.
    private static let sessionsGone = Span(milliseconds: 2 * PageSessionRecord.cacheLifetime.milliseconds)

    private static let idPrefix = "staff_"
    private static let bytesOfID = 6
    private static let stateID = RecordID("staff_state", "changes")

    package let store: any RecordStore
    package let clock: any TillClock
    package let account: AccountID

    /// The staff of an account.
    public init(_ store: any RecordStore, account: AccountID, clock: any TillClock) {
        self.store = store
        self.account = account
        self.clock = clock
    }

    // MARK: Reading

    /// Returns a number that differs after each change, by any process; 0 if the account never had staff. Cheap: reads
    /// one record by its name.
    package static func changes(in store: any RecordStore) async throws(JournalError) -> Int {
        try await store.record(stateID)?.version ?? 0
    }

    /// Returns all people, oldest first.
    public func all() async throws(StaffError) -> [StaffRecord] {
        do throws(JournalError) {
            return try await Records<StaffRecord>(store).list(
                matching: StaffRecord.of(account), limit: StaffDirectory.maximumStaff)
        } catch { throw .journal(error) }
    }

    /// Returns the available roles: the built-in ones, then the shop's own.
    public func roles() async throws(StaffError) -> [StaffRole] {
        do throws(JournalError) {
            return StaffRole.builtIn
                + (try await Records<StaffRoleRecord>(store).list(
                    matching: StaffRoleRecord.of(account), limit: StaffRole.maximumOwn)).map(\.role)
        } catch { throw .journal(error) }
    }

    /// Returns a person by identifier or name.
    public func person(_ word: String) async throws(StaffError) -> StaffRecord {
        guard let found = StaffDirectory.find(word, in: try await all()) else { throw .unknownPerson(word) }
        return found
    }

    package static func find(_ word: String, in all: [StaffRecord]) -> StaffRecord? {
        all.first { $0.id.rawValue == word } ?? all.first { StaffRecord.folded($0.name) == StaffRecord.folded(word) }
    }

    // MARK: People

    /// Adds a person.
    /// - Parameter id: the identifier, which makes a repeated request idempotent; `nil` for a new one.
    /// - Returns: the record; the existing one if the identifier is already in use with this name and role.
    @discardableResult
    public func add(
        name: String, role: String, pin: ScryptHash?, id: StaffID? = nil, by actor: String? = nil
    ) async throws(StaffError) -> StaffRecord {
        let name = try StaffDirectory.line(name)
        let id = id ?? StaffID(rawValue: StaffDirectory.idPrefix + SecretToken.make(bytes: StaffDirectory.bytesOfID))
        try await commit { (all, roles) throws(StaffError) in
            if let known = all.first(where: { $0.id == id }) {
                guard known.name == name, known.role == role else { throw .nameTaken(known.name) }
                return nil
            }
            guard StaffDirectory.find(name, in: all) == nil else { throw .nameTaken(name) }
            guard all.count < StaffDirectory.maximumStaff else { throw .tooMany }
            try StaffDirectory.check(role, in: roles)
            let person = StaffRecord(
                id: id, account: account, name: name, role: role, pin: pin, generation: try await firstGeneration(),
                createdAt: clock.now(), createdBy: actor)
            return ([.insert(person.record)], note(.personAdded, person, [AuditChange("role", to: role)]))
        }
        // Read back as every later read has it: the journal sets the date on writing.
        guard let added = try await all().first(where: { $0.id == id }) else { throw .unknownPerson(name) }
        return added
    }

    /// Derives a person's identifier from an idempotency key; the same request yields the same identifier.
    package static func id(for account: AccountID, key: String) -> StaffID {
        StaffID(rawValue: idPrefix + Hex.lowercase(digest("\(account)\u{0}\(key)".utf8).prefix(bytesOfID)))
    }

    /// The changes to a person; `nil` leaves a property unchanged.
    public struct Change: Sendable {
        public var role: String?
        public var pin: ScryptHash?
        public var isDisabled: Bool?

        public init(role: String? = nil, pin: ScryptHash? = nil, isDisabled: Bool? = nil) {
            self.role = role
            self.pin = pin
            self.isDisabled = isDisabled
        }
    }

    /// Changes a person; their sessions end within a second.
    /// - Returns: the changed record.
    @discardableResult
    public func change(_ word: String, _ change: Change) async throws(StaffError) -> StaffRecord {
        var changed: StaffRecord?
        try await commit { (all, roles) throws(StaffError) in
            guard let found = StaffDirectory.find(word, in: all) else { throw .unknownPerson(word) }
            var person = found
            if let role = change.role {
                try StaffDirectory.check(role, in: roles)
                person.role = role
                let others = all.filter { $0.id != found.id }
                try StaffDirectory.keep((all, roles), managedAfter: (others + [person], roles), for: found.name)
            }
            if let pin = change.pin { person.pin = pin }
            if let isDisabled = change.isDisabled {
                person.disabledAt = isDisabled ? person.disabledAt ?? clock.now() : nil
            }
            changed = person
            guard person != found else { return nil }
            person.generation += 1
            changed = person
            var changes: [AuditChange] = []
            if person.role != found.role { changes.append(AuditChange("role", from: found.role, to: person.role)) }
            if person.pin != found.pin { changes.append(AuditChange("pin", to: "another")) }
            if person.disabledAt != found.disabledAt {
                changes.append(AuditChange("disabled", to: person.disabledAt == nil ? "no" : "yes"))
            }
            return ([try await update(person)], note(.personChanged, person, changes))
        }
        guard let changed else { throw .unknownPerson(word) }
        return changed
    }

    /// Removes a person; their sessions end within a second. Refused for the last person, and for the last who can
    /// sign in and manage the staff.
    @discardableResult
    public func remove(_ word: String) async throws(StaffError) -> StaffRecord {
        var removed: StaffRecord?
        try await commit { (all, roles) throws(StaffError) in
            guard let found = StaffDirectory.find(word, in: all) else { throw .unknownPerson(word) }
            guard all.count > 1 else { throw .lastPerson(found.name) }
            let others = all.filter { $0.id != found.id }
            try StaffDirectory.keep((all, roles), managedAfter: (others, roles), for: found.name)
            removed = found
            return (
                [.remove(found.record.id)] + (try await withoutOffice(found)),
                note(.personRemoved, found, [AuditChange("role", from: found.role, to: nil)])
            )
        }
        guard let removed else { throw .unknownPerson(word) }
        return removed
    }

    /// Ends staff sign-in for the shop by removing the last person. First ends all sessions of the account, so that no
    /// device locked now becomes unrestricted. Takes two seconds.
    /// - Returns: the removed person.
    @discardableResult
    public func end() async throws(StaffError) -> StaffRecord {
        var ended: StaffRecord?
        try await commit { (all, _) throws(StaffError) in
            guard let last = all.first, all.count == 1 else {
                throw ended == nil ? .severalPeople(all.count) : .addedMeanwhile
            }
            if ended == nil { try await endSessions() }
            ended = last
            return (
                [.remove(last.record.id)] + (try await withoutOffice(last)),
                note(.personRemoved, last, [AuditChange("staff", to: "ended")])
            )
        }
        guard let ended else { throw .severalPeople(0) }
        return ended
    }

    /// Ends all sessions of the account, and waits until no counter caches one.
    private func endSessions() async throws(StaffError) {
        do throws(JournalError) {
            let sessions = try await Records<PageSessionRecord>(store).list(matching: PageSessionRecord.of(account))
            guard !sessions.isEmpty else { return }
            try await store.change(
                sessions.map { .remove($0.record.id) },
                noting: [
                    AuditNote(.signedOut, account: account, reason: "the end of staff", count: sessions.count)
                ])
        } catch { throw .journal(error) }
        do { try await clock.sleep(for: StaffDirectory.sessionsGone) } catch { throw .busy }
    }

    // MARK: Roles

    /// The roles over which ``put(_:over:)`` writes.
    public enum KnownRole: Hashable, Sendable {
        /// One of this name, or none.
        case any
        /// None of this name, or the same role.
        case none
        /// One of this name.
        case one
        /// One of this name whose content has this ``StaffRole/tag``, or the same role.
        case tagged(String)
    }

    /// Creates a role of the shop, or changes it for all its holders. Refused where it would take the management of the
    /// staff from the last who can sign in. The same role again changes nothing.
    public func put(_ role: StaffRole, over known: KnownRole = .any) async throws(StaffError) {
        guard !role.isBuiltIn else { throw .builtInRole(role.name) }
        guard !CardNumberMask.finds(in: role.name) else { throw .cardNumber }
        try await commit { (all, roles) throws(StaffError) in
            let before = roles.first { $0.name == role.name }
            guard before != role else { return nil }
            switch known {
            case .any: break
            case .none: guard before == nil else { throw .roleTaken(role.name) }
            case .one: guard before != nil else { throw .unknownRole(role.name) }
            case .tagged(let tag):
                guard let before else { throw .unknownRole(role.name) }
                guard before.tag == tag else { throw .roleChanged(role.name) }
            }
            guard before != nil || roles.count < StaffRole.builtIn.count + StaffRole.maximumOwn else {
                throw .tooManyRoles
            }
            let others = roles.filter { $0.name != role.name }
            try StaffDirectory.keep((all, roles), managedAfter: (all, others + [role]), for: role.name)
            let record = StaffRoleRecord(account: account, role: role).record
            return (
                [.put(record, over: try await kept(record.id))],
                note(.roleChanged, role.name, from: before, to: role)
            )
        }
    }

    /// Removes a role without holders.
    public func removeRole(_ name: String) async throws(StaffError) {
        try await commit { (all, roles) throws(StaffError) in
            guard let role = roles.first(where: { $0.name == name }) else { throw .unknownRole(name) }
            guard !role.isBuiltIn else { throw .builtInRole(name) }
            guard !all.contains(where: { $0.role == name }) else { throw .roleInUse(name) }
            return (
                [.remove(StaffRoleRecord(account: account, role: role).record.id)],
                note(.roleRemoved, name, from: role, to: nil)
            )
        }
    }

    // MARK: Parts

    private static func check(_ role: String, in roles: [StaffRole]) throws(StaffError) {
        guard roles.contains(where: { $0.name == role }) else { throw .unknownRole(role) }
    }

    /// The people of an account, and all roles.
    private typealias Standing = (people: [StaffRecord], roles: [StaffRole])

    /// Refuses a change after which nobody could sign in and manage the staff, if somebody could before. Disabling a
    /// person is never refused: it is what to do about a PIN in wrong hands, and `till staff enable` undoes it.
    private static func keep(
        _ before: Standing, managedAfter after: Standing, for name: String
    ) throws(StaffError) {
        guard isManaged(after) || !isManaged(before) else { throw .lastManager(name) }
    }

    /// Returns `true` if somebody can sign in and manage the staff.
    private static func isManaged(_ standing: Standing) -> Bool {
        let managing = Set(standing.roles.filter { $0.permissions.contains(.staff) }.map(\.name))
        return standing.people.contains { person in
            person.disabledAt == nil && (person.pin != nil || person.office == .enrolled)
                && managing.contains(person.role)
        }
    }

    private static func line(_ text: String) throws(StaffError) -> String {
        guard (1...maximumNameBytes).contains(text.utf8.count), text.first?.isWhitespace == false,
            text.last?.isWhitespace == false,
            text.isOneLine
        else { throw .invalidName }
        guard !CardNumberMask.finds(in: text) else { throw .cardNumber }
        return text
    }

    /// Returns the generation of a person who is added: greater than any before. The same request makes the same
    /// identifier again after a removal, and no session of then must be one of whoever is added now.
    private func firstGeneration() async throws(StaffError) -> Int {
        // Each change of a person counts one further, and so does this record.
        (try await kept(StaffDirectory.stateID)?.version ?? 0) + 1
    }

    package func kept(_ id: RecordID) async throws(StaffError) -> KeptRecord? {
        do throws(JournalError) { return try await store.record(id) } catch { throw .journal(error) }
    }

    package func update(_ person: StaffRecord) async throws(StaffError) -> RecordChange {
        guard let kept = try await kept(person.record.id) else { throw .unknownPerson(person.name) }
        return .update(person.record, from: kept.version)
    }

    /// Returns an audit note about a person: the current name, and nothing of the PIN itself.
    package func note(_ action: AuditAction, _ person: StaffRecord, _ changes: [AuditChange]) -> AuditNote {
        AuditNote(
            action, account: account, subject: person.id.rawValue,
            changes: [AuditChange("name", to: person.name)] + changes)
    }

    /// Returns an audit note about a role: what is different of its permissions and limits.
    private func note(
        _ action: AuditAction, _ name: String, from before: StaffRole?, to after: StaffRole?
    ) -> AuditNote {
        var changes: [AuditChange] = []
        if before?.permissions != after?.permissions {
            changes.append(
                AuditChange(
                    "permissions", from: before?.permissions.words.joined(separator: ","),
                    to: after?.permissions.words.joined(separator: ",")))
        }
        changes += StaffDirectory.changes("refund_limit", before?.refundLimits, after?.refundLimits)
        changes += StaffDirectory.changes("discount_limit", before?.discountLimits, after?.discountLimits)
        return AuditNote(action, account: account, subject: name, changes: changes)
    }

    /// Returns the differences of limits, by currency.
    private static func changes(
        _ name: String, _ before: [Currency: Int64]?, _ after: [Currency: Int64]?
    ) -> [AuditChange] {
        let (before, after) = (before ?? [:], after ?? [:])
        func shown(_ units: Int64?, _ currency: Currency) -> String? {
            units.map { "\(Money(minorUnits: $0, currency: currency))" }
        }
        return Set(before.keys).union(after.keys).sorted { $0.code < $1.code }
            .filter { before[$0] != after[$0] }
            .map { AuditChange(name, from: shown(before[$0], $0), to: shown(after[$0], $0)) }
    }

    /// Decides a change on the current state and commits it with its audit note and seals. Decides again after a
    /// conflict with another writer. A decision of `nil` changes nothing.
    package func commit(
        _ decide: ([StaffRecord], [StaffRole]) async throws(StaffError) -> (changes: [RecordChange], note: AuditNote)?
    ) async throws(StaffError) {
        let mark = Record(StaffDirectory.stateID, body: Array("{}".utf8))
        for tries in 1... {
            // Read first: any concurrent write after this makes the write below a conflict.
            let known = try await kept(mark.id)
            guard let (changes, note) = try await decide(try await all(), try await roles()) else { return }
            do throws(JournalError) {
                let sealed = try await StaffSeals(of: account, in: store).sealing(note, of: changes)
                return try await store.change(changes + [.put(mark, over: known)], noting: [sealed])
            } catch {
                guard case .recordConflict = error, tries < Records<StaffRecord>.maximumConflicts else {
                    throw .journal(error)
                }
            }
        }
    }
}
