public import TillCore
public import TillCounter
public import TillJournal

/// An open page session, as listed.
public struct OpenSession: Hashable, Sendable {
    /// The session's identifier; not secret, and unchanged when its token changes.
    public let id: String
    /// `device`, or the back office sign-in method: `password`, `passkey`.
    public let kind: String
    /// The signed-in staff member; `nil` if the device is locked or there is no staff.
    public let staff: StaffID?
    public let name: String?
    /// The client address at the session's start.
    public let address: String?
    public let beganAt: Timestamp
    /// The time of the last request, up to a minute behind.
    public let seenAt: Timestamp
    /// The expiry time unless a request arrives.
    public let endsAt: Timestamp

    /// - Parameter current: `true` for the caller's own session; `nil` if the caller has none.
    private func write(into writer: inout JSONWriter, current: Bool?) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("kind", kind)
        writer.field("staff", staff?.rawValue)
        writer.field("name", name)
        writer.field("address", address)
        writer.field("began_at", beganAt.description)
        writer.field("seen_at", seenAt.description)
        writer.field("ends_at", endsAt.description)
        if let current { writer.field("current", current) }
        writer.endObject()
    }

    /// Encodes sessions as a JSON document.
    /// - Parameter isCurrent: Returns `true` for the caller's own session; `nil` if the caller has none.
    public static func document(_ sessions: [OpenSession], isCurrent: ((OpenSession) -> Bool)? = nil) -> JSONWriter {
        var writer = JSONWriter(reserving: 2_048)
        writer.beginObject()
        writer.key("sessions")
        writer.beginArray()
        for session in sessions { session.write(into: &writer, current: isCurrent?(session)) }
        writer.endArray()
        writer.endObject()
        return writer
    }
}

/// The open page sessions of an account: listed and ended. An end is durable when the method returns; a running counter
/// refuses an ended session within a second.
public struct OpenSessions: Sendable {
    private let store: any RecordStore
    private let clock: MeasuringClock
    private let limits: SessionLimits
    private let staff: StaffDirectory
    private let account: AccountID

    public init(
        _ store: any RecordStore, account: AccountID, limits: SessionLimits, clock: any TillClock
    ) {
        (self.store, self.account, self.limits) = (store, account, limits)
        self.clock = MeasuringClock(clock)
        staff = StaffDirectory(store, account: account, clock: clock)
    }

    /// Returns all open sessions, the most recently used first.
    /// - Parameter person: Restricts the list to the sessions at which this staff member is signed in.
    public func all(of person: StaffID? = nil) async throws -> [OpenSession] {
        try await open(of: person).map(\.shown)
    }

    /// Ends a session.
    /// - Parameter person: Restricts it to this staff member's sessions; a device is then locked and stays signed in.
    /// - Returns: The token hashes of ended sessions; empty if there is no such session.
    @discardableResult
    public func end(_ id: String, of person: StaffID? = nil) async throws -> [[UInt8]] {
        try await end(try await open(of: person).filter { $0.shown.id == id }, locksDevices: person != nil)
    }

    /// Ends all sessions, or all of one staff member.
    /// - Parameter kept: The session to keep.
    /// - Returns: The token hashes of ended sessions.
    @discardableResult
    public func endAll(of person: StaffID? = nil, but kept: String? = nil) async throws -> [[UInt8]] {
        try await end(try await open(of: person).filter { $0.shown.id != kept }, locksDevices: person != nil)
    }

    private typealias Found = (record: PageSessionRecord, shown: OpenSession)

    private func open(of person: StaffID?) async throws -> [Found] {
        let now = clock.now()
        let people = Dictionary(try await staff.all().map { ($0.id, $0) }) { $1 }
        let records = try await Records<PageSessionRecord>(store).list(matching: PageSessionRecord.of(account))
        return records.filter { !$0.isOver(at: now, limits) }
            .sorted { $0.seen.age(at: now) < $1.seen.age(at: now) }
            .compactMap { session in
                let known = session.person.flatMap { people[$0.id] }
                let isIn = known.map { $0.disabledAt == nil && $0.generation == session.person?.generation } ?? false
                guard isIn || !session.isPersonal, person == nil || (isIn && session.person?.id == person) else {
                    return nil
                }
                let shown = OpenSession(
                    id: session.device, kind: session.proof?.rawValue ?? "device", staff: isIn ? known?.id : nil,
                    name: isIn ? known?.name : nil, address: session.address, beganAt: session.began.at,
                    seenAt: session.seen.at, endsAt: session.ends)
                return (session, shown)
            }
    }

    private func end(_ found: [Found], locksDevices: Bool) async throws -> [[UInt8]] {
        var ended: [[UInt8]] = []
        for (record, shown) in found {
            let changes = [AuditChange("kind", to: shown.kind), AuditChange("name", to: shown.name)]
            let note = AuditNote(
                .sessionEnded, account: account, subject: "device \(record.device)", changes: changes)
            if locksDevices, !record.isPersonal {
                try await Records<PageSessionRecord>(store).update(record.record.id.key, noting: [note]) { kept in
                    kept.person = nil
                    return true
                }
            } else {
                try await store.change([.remove(record.record.id)], noting: [note])
            }
            ended.append(record.hash)
        }
        return ended
    }
}
