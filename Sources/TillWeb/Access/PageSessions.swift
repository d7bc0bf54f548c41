import HTTPTypes
package import Hummingbird
import Synchronization
package import TillCore
package import TillCounter
package import TillJournal

/// The sessions of the counter's page: journal records, which survive the process, with a small cache so that not every
/// request reads one.
package final class PageSessions: Sendable {
    /// The maximum number of signed-in devices and staff members of an account; a further one ends the least recently
    /// used.
    package static let maximumPerAccount = 64
    /// The maximum number of sessions started by an account's keys. They displace only each other, never those of the
    /// page's own devices and staff.
    static let maximumOfKeys = 64
    /// The maximum number of sessions of one key, or of one staff member at the back office.
    static let maximumPerHolder = 16
    /// The maximum number of cached sessions. Others are read on demand.
    static let maximumCached = 1_024
    /// The maximum lag of a stored last request behind the actual one.
    static let seenInterval = Span.minutes(1)

    /// The maximum lag of a recorded use behind the actual one within the same process.
    private static let lateness = Span.seconds(5)

    private struct Cached {
        var session: PageSessionRecord
        var read: Span
        /// The last use, which is stored only once a minute.
        var used: Span
    }

    private let cache = Mutex<[[UInt8]: Cached]>([:])
    private let instance = Mutex<String?>(nil)
    private let store: any RecordStore
    private let sessions: Records<PageSessionRecord>
    private let limits: SessionLimits
    private let clock: MeasuringClock
    private let feed: EventFeed?

    /// The codes that start sessions.
    package let codes: StartCodes

    /// - Parameter feed: The event feed; a session's streams end with the session.
    package init(_ store: any RecordStore, limits: SessionLimits, clock: MeasuringClock, feed: EventFeed? = nil) {
        self.store = store
        self.limits = limits
        self.clock = clock
        self.feed = feed
        sessions = Records(store)
        codes = StartCodes(store, clock: clock)
    }

    /// The number of cached sessions.
    var cached: Int { cache.withLock { $0.count } }

    // MARK: Starting

    /// Starts a session with a start code, spending the code.
    /// - Returns: The session's token; `nil` if the code is unknown, spent or expired.
    package func begin(code: String) async throws(JournalError) -> String? {
        guard let found = try await codes.find(code) else { return nil }
        do throws(JournalError) {
            return try await begin(for: found.account, with: [found.spent])
        } catch {
            // Another request has spent it since it was read.
            if case .recordConflict(found.record.id, _) = error { return nil }
            throw error
        }
    }

    /// Starts a session with the permissions of a key, valid as long as that key.
    /// - Returns: The session's token.
    package func begin(for account: AccountID, key: [UInt8]) async throws(JournalError) -> String {
        try await begin(for: account, key: key, with: [])
    }

    /// Starts a session that belongs to one staff member.
    /// - Returns: The session's token.
    package func begin(for person: StaffRecord, by proof: OfficeProof) async throws(JournalError) -> String {
        let entered = SessionPerson(id: person.id, generation: person.generation)
        return try await begin(
            for: person.account, person: entered, proof: proof, by: Attribution(ofRequestBy: person.actor), with: [])
    }

    private func begin(
        for account: AccountID, key: [UInt8]? = nil, person: SessionPerson? = nil, proof: OfficeProof? = nil,
        by actor: Attribution? = nil, with more: [RecordChange]
    ) async throws(JournalError) -> String {
        let token = SecretToken.make(bytes: SecretToken.sessionBytes)
        let now = clock.now()
        var session = PageSessionRecord(
            hash: digest(token.utf8), account: account, key: key, began: now, seen: now, ends: now.at, person: person,
            proof: proof, address: RequestOrigin.current.client.description)
        session.see(now, limits)
        let ended = PageSessions.displaced(
            by: session, in: try await sessions.list(matching: PageSessionRecord.of(account)), at: now)
        var changes = more + [.insert(session.record)] + ended.map { .remove($0.record.id) }
        if !clock.isInDoubt { changes.append(.forget(PageSessionRecord.collection, dueBy: now.at)) }
        var by = actor ?? Attribution.current
        by?.device = session.deviceID
        let reason = proof?.rawValue ?? (key == nil ? "start code" : "key")
        try await store.change(changes, noting: [AuditNote(.signedIn, by: by, account: account, reason: reason)])
        for other in ended { drop(other.hash) }
        return token
    }

    /// Returns the sessions displaced by a new one: each key and each staff member has a share, and sessions of keys do
    /// not displace the page's own.
    static func displaced(
        by session: PageSessionRecord, in others: [PageSessionRecord], at now: MeasuredMoment
    ) -> [PageSessionRecord] {
        var sharing = others.filter { ($0.key == nil) == (session.key == nil) }
            .sorted { $0.seen.age(at: now) < $1.seen.age(at: now) }
        var ended: [PageSessionRecord] = []
        if let holder = session.holder {
            ended += sharing.filter { $0.holder == holder }.dropFirst(maximumPerHolder - 1)
            sharing.removeAll { ended.contains($0) }
        }
        let maximum = session.key == nil ? maximumPerAccount : maximumOfKeys
        return ended + sharing.dropFirst(maximum - 1)
    }

    // MARK: Using

    /// The header of requests that the page sends without user interaction.
    private static let aloneHeader = HTTPField.Name.literal("X-Till-Alone")

    /// Returns the open session of a request's cookie. The request counts as use only if the page sends it during user
    /// interaction: not its event stream, and nothing without the page's header. A request with two sessions ends both.
    package func session(of request: Request) async throws(JournalError) -> PageSessionRecord? {
        guard request.headers[.cookie] != nil else { return nil }
        var found: [PageSessionRecord] = []
        for token in try await cookie(for: request).tokens(in: request) {
            guard let session = try await open(digest(token.utf8)) else { continue }
            if !found.contains(where: { $0.hash == session.hash }) { found.append(session) }
        }
        guard let session = found.first else { return nil }
        // A browser keeps one. Another page on this host has added its own, and the clerk's cannot be determined.
        guard found.count == 1 else {
            for one in found { try await end(one.hash) }
            return nil
        }
        // Only requests of the page's own script can stem from user interaction.
        let isTouched =
            request.headers[RequestAuthenticator.pageHeader] == "1"
            && request.headers[PageSessions.aloneHeader] != "1" && request.headers[.accept] != "text/event-stream"
        guard isTouched else { return session }
        touch(session)
        return try await seen(session) ? session : nil
    }

    /// Returns a session if it is open.
    package func open(_ hash: [UInt8]) async throws(JournalError) -> PageSessionRecord? {
        let now = clock.now()
        let known = cache.withLock { $0[hash] }
        let session: PageSessionRecord
        if let known, now.reading.milliseconds - known.read.milliseconds < PageSessionRecord.cacheLifetime.milliseconds
        {
            session = known.session
        } else {
            guard let read = try await sessions.document(Hex.lowercase(hash)) else {
                drop(hash)
                return nil
            }
            session = read
            keep(read, at: now)
        }
        guard session.isOver(at: now, limits) else {
            // A device is locked; a session that belongs to a person ends, later.
            guard session.person != nil, !session.isPersonal, isIdle(session, at: now) else { return session }
            let note = AuditNote(
                .deviceLocked, at: session, by: Attribution(.till(.housekeeping)), reason: "idle")
            return try await lock(hash, noting: [note])
        }
        // With a time in doubt nothing is removed: the session may still be valid once the time is right.
        if clock.isInDoubt { drop(hash) } else { try await end(hash) }
        return nil
    }

    /// Records a session's use, in the journal at most once a minute.
    /// - Returns: `false` if the session was ended meanwhile.
    private func seen(_ session: PageSessionRecord) async throws(JournalError) -> Bool {
        let now = clock.now()
        guard session.seen.age(at: now) >= PageSessions.seenInterval else { return true }
        // Of concurrent requests only one writes.
        let isMine = cache.withLock { cache in
            guard let known = cache[session.hash], known.session.seen == session.seen else { return false }
            cache[session.hash]?.session.see(now, limits)
            return true
        }
        guard isMine else { return true }
        do throws(JournalError) {
            let limits = limits
            let written = try await sessions.update(Hex.lowercase(session.hash)) { kept in
                kept.see(now, limits)
                return true
            }
            if written == nil { drop(session.hash) }
            return written != nil
        } catch {
            // While the journal accepts no writes, the session continues as stored: reading is not a sale.
            return true
        }
    }

    // MARK: Staff sign-in

    /// Locks a session's device: signs its staff member out and ends the event streams. Durable when it returns.
    /// - Returns: The session after the change; `nil` if it has ended.
    @discardableResult
    package func lock(_ hash: [UInt8], noting notes: [AuditNote]) async throws(JournalError) -> PageSessionRecord? {
        let now = clock.now()
        var after: PageSessionRecord?
        try await sessions.update(Hex.lowercase(hash), noting: notes) { kept in
            after = kept
            guard kept.person != nil else { return false }
            kept.person = nil
            after = kept
            return true
        }
        drop(hash)
        guard let after else { return nil }
        keep(after, at: now)
        touch(after)
        return after
    }

    /// Assigns a session to a staff member under a new token, so that the previous token is worthless; its event
    /// streams end. Durable when it returns.
    /// - Returns: The session after the change and its token; `nil` if it has ended or another request has reassigned
    ///   it.
    package func hand(
        _ session: PageSessionRecord, to person: SessionPerson, noting notes: [AuditNote]
    ) async throws(JournalError) -> (session: PageSessionRecord, token: String)? {
        let token = SecretToken.make(bytes: SecretToken.sessionBytes)
        for _ in 0..<Records<PageSessionRecord>.maximumConflicts {
            guard let stored = try await store.record(session.record.id) else { return nil }
            var next = try PageSessionRecord(stored)
            next.hash = digest(token.utf8)
            next.person = person
            do throws(JournalError) {
                try await store.change(
                    [.delete(stored.id, from: stored.version), .insert(next.record)], noting: notes)
            } catch {
                guard case .recordConflict = error else { throw error }
                continue
            }
            drop(session.hash)
            keep(next, at: clock.now())
            touch(next)
            return (next, token)
        }
        return nil
    }

    /// Sets the cash drawer of a session's device: cash that names none is in it. Durable when it returns; other
    /// processes know it within a second.
    /// - Returns: `false` if the session has ended.
    package func choose(_ drawer: DrawerName, at hash: [UInt8]) async throws(JournalError) -> Bool {
        let now = clock.now()
        var after: PageSessionRecord?
        try await sessions.update(Hex.lowercase(hash)) { kept in
            after = kept
            guard kept.drawer != drawer else { return false }
            kept.drawer = drawer
            after = kept
            return true
        }
        guard let after else { return false }
        keep(after, at: now)
        return true
    }

    /// Returns `true` if a session has been unused for as long as its device stays unlocked.
    private func isIdle(_ session: PageSessionRecord, at now: MeasuredMoment) -> Bool {
        let used = cache.withLock { $0[session.hash]?.used } ?? session.seen.reading
        let idle = now.reading.milliseconds - used.milliseconds
        return idle >= limits.lock.milliseconds
    }

    private func touch(_ session: PageSessionRecord) {
        let now = clock.now().reading
        cache.withLock { $0[session.hash]?.used = now }
    }

    private func keep(_ session: PageSessionRecord, at now: MeasuredMoment) {
        let seen = now.reading.milliseconds - session.seen.age(at: now).milliseconds
        cache.withLock { cache in
            let own = cache[session.hash]?.used
            // If another process has seen it since, it may have been in use until the next write is due.
            let isKnownHere = own.map { $0.milliseconds + PageSessions.lateness.milliseconds >= seen } ?? false
            let used = isKnownHere ? own : nil
            if cache.count >= PageSessions.maximumCached, cache[session.hash] == nil {
                // Evict the earliest read; it is read again on demand.
                if let oldest = cache.min(by: { $0.value.read < $1.value.read })?.key { cache[oldest] = nil }
            }
            cache[session.hash] = Cached(
                session: session, read: now.reading,
                used: used ?? Span(milliseconds: seen + PageSessions.seenInterval.milliseconds))
        }
    }

    // MARK: Ending

    /// Ends the session of a request's cookie and its event streams.
    /// - Parameter actor: The staff member that signs out; `nil` if unknown.
    package func end(of request: Request, by actor: Actor? = nil) async throws(JournalError) {
        for token in try await cookie(for: request).tokens(in: request) {
            let hash = digest(token.utf8)
            guard let session = try await sessions.document(Hex.lowercase(hash)) else { continue }
            let by = Attribution(
                ofRequestBy: actor ?? session.key.map { Actor(keyOf: $0) } ?? .owner, at: session.deviceID)
            try await store.change(
                [.remove(session.record.id)], noting: [AuditNote(.signedOut, by: by, account: session.account)])
            drop(hash)
        }
    }

    /// Ends a session and its event streams. Durable when it returns.
    package func end(_ hash: [UInt8]) async throws(JournalError) {
        _ = try await sessions.delete(Hex.lowercase(hash))
        drop(hash)
    }

    /// Ends every session started with a key, and their event streams.
    package func end(whereKey hash: [UInt8]) async throws(JournalError) {
        while true {
            let found = try await sessions.list(
                matching: PageSessionRecord.begun(withKey: hash), limit: RecordLimits.maximumForgotten)
            guard !found.isEmpty else { return }
            for session in found { try await end(session.hash) }
        }
    }

    /// Evicts a session that was ended from the cache, and ends its event streams.
    package func drop(_ hash: [UInt8]) {
        cache.withLock { $0[hash] = nil }
        feed?.end(session: hash)
    }

    // MARK: Cookies

    /// Returns the session cookie for a request's connection.
    package func cookie(for request: Request) async throws(JournalError) -> SessionCookie {
        if SessionCookie.isSecure(request) { return .overTLS }
        if let known = instance.withLock({ $0 }) { return .plain(instance: known) }
        let found = try await CounterInstance.id(in: store)
        instance.withLock { $0 = found }
        return .plain(instance: found)
    }
}
