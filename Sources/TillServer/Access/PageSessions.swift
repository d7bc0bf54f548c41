import Hummingbird
import Synchronization
import TillCore
import TillJournal

/// The sessions of the counter's page: records of the journal, so that they outlive the process, and a few of them in
/// memory, so that not every request reads one.
final class PageSessions: Sendable {
    /// Devices and people of one account that are signed in at most; a further one ends the session that was used least
    /// lately.
    static let maximumPerAccount = 64
    /// Sessions that the keys of an account have begun at most. They end each other only, never those of the page's own
    /// devices and people.
    static let maximumOfKeys = 64
    /// Sessions of one key, or of one person at the back office, at most.
    static let maximumPerHolder = 16
    /// Sessions held in memory at most. The others are read when they are asked for.
    static let maximumCached = 1_024
    /// How long a session that was read is not read again, so also how long one goes on that another process ended.
    static let cacheLifetime = Span.seconds(1)
    /// How much later than the one that is written a session's last request may be.
    static let seenInterval = Span.minutes(1)

    /// How much later than its use a session may be noted as seen by the same process.
    private static let lateness = Span.seconds(5)

    private struct Cached {
        var session: PageSessionRecord
        var read: Span
        /// When somebody used it last, which is written only once a minute.
        var used: Span
    }

    private let cache = Mutex<[[UInt8]: Cached]>([:])
    private let instance = Mutex<String?>(nil)
    private let store: any RecordStore
    private let sessions: Records<PageSessionRecord>
    private let limits: SessionLimits
    private let clock: MeasuringClock
    private let feed: EventFeed?

    /// Codes with which sessions begin.
    let codes: StartCodes

    /// - Parameter feed: streams of a session end with it.
    init(_ store: any RecordStore, limits: SessionLimits, clock: MeasuringClock, feed: EventFeed? = nil) {
        self.store = store
        self.limits = limits
        self.clock = clock
        self.feed = feed
        sessions = Records(store)
        codes = StartCodes(store, clock: clock)
    }

    /// Sessions that are held in memory.
    var cached: Int { cache.withLock { $0.count } }

    // MARK: Beginning

    /// Begins a session with a start code, which is spent by it.
    /// - Returns: the session's token; `nil` if the code is unknown, spent or too old.
    func begin(code: String) async throws(JournalError) -> String? {
        guard let found = try await codes.find(code) else { return nil }
        do throws(JournalError) {
            return try await begin(for: found.account, with: [found.spent])
        } catch {
            // Somebody else has spent it since it was read.
            if case .recordConflict(found.record.id, _) = error { return nil }
            throw error
        }
    }

    /// Begins a session that is worth what a key is worth, as long as that key is.
    /// - Returns: the session's token.
    func begin(for account: AccountID, key: [UInt8]) async throws(JournalError) -> String {
        try await begin(for: account, key: key, with: [])
    }

    /// Begins a session that belongs to one person.
    /// - Returns: the session's token.
    func begin(for person: StaffRecord, by proof: OfficeProof) async throws(JournalError) -> String {
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

    /// Those that end for a new one: each key and each person has a share, and keys take no place of the page's.
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

    /// What the page asks with while nobody touches it.
    private static let aloneHeader = Incoming.name("X-Till-Alone")

    /// The session that a request's cookie names, if it goes on. The request counts as use of it if the page sends it and
    /// somebody touches the page: not its stream of events, and nothing that comes without the page's header. A request
    /// that names two ends both.
    func session(of request: Request) async throws(JournalError) -> PageSessionRecord? {
        guard request.headers[.cookie] != nil else { return nil }
        var found: [PageSessionRecord] = []
        for token in try await cookie(for: request).tokens(in: request) {
            guard let session = try await open(digest(token.utf8)) else { continue }
            if !found.contains(where: { $0.hash == session.hash }) { found.append(session) }
        }
        guard let session = found.first else { return nil }
        // A browser keeps one. Another page of this host has put its own beside it, and which is the clerk's nobody can say.
        guard found.count == 1 else {
            for one in found { try await end(one.hash) }
            return nil
        }
        // Only what the page's own script sends can be the doing of a person.
        let isTouched =
            request.headers[RequestAuthenticator.pageHeader] == "1"
            && request.headers[PageSessions.aloneHeader] != "1" && request.headers[.accept] != "text/event-stream"
        guard isTouched else { return session }
        touch(session)
        return try await seen(session) ? session : nil
    }

    /// A session, if it goes on.
    func open(_ hash: [UInt8]) async throws(JournalError) -> PageSessionRecord? {
        let now = clock.now()
        let known = cache.withLock { $0[hash] }
        let session: PageSessionRecord
        if let known, now.reading.milliseconds - known.read.milliseconds < PageSessions.cacheLifetime.milliseconds {
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
        // With a time in doubt nothing is removed: when it is right again the session may go on.
        if clock.isInDoubt { drop(hash) } else { try await end(hash) }
        return nil
    }

    /// Notes a session's use, in the journal at most once a minute.
    /// - Returns: false if it was ended meanwhile.
    private func seen(_ session: PageSessionRecord) async throws(JournalError) -> Bool {
        let now = clock.now()
        guard session.seen.age(at: now) >= PageSessions.seenInterval else { return true }
        // Of the requests that come at the same time one writes it.
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
            // While the journal takes no writes the session goes on as it is written: what a clerk reads is no sale.
            return true
        }
    }

    // MARK: Who is signed in

    /// Nobody is signed in at a session's device any more; its streams of events end with whoever was. Durable when it
    /// returns.
    /// - Returns: the session as it is then; `nil` if it has ended.
    @discardableResult
    func lock(_ hash: [UInt8], noting notes: [AuditNote]) async throws(JournalError) -> PageSessionRecord? {
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

    /// Gives a session to somebody with another token, so that whoever knew the one before has nothing; its streams of
    /// events end. Durable when it returns.
    /// - Returns: the session as it is then and its token; `nil` if it has ended, or was handed on by another request.
    func hand(
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

    /// Whether nobody has used a session for as long as its device stays unlocked.
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
            // Where another process has seen it since, it may have been used until the next time that is written.
            let isKnownHere = own.map { $0.milliseconds + PageSessions.lateness.milliseconds >= seen } ?? false
            let used = isKnownHere ? own : nil
            if cache.count >= PageSessions.maximumCached, cache[session.hash] == nil {
                // What was read first; it is read again when it is asked for.
                if let oldest = cache.min(by: { $0.value.read < $1.value.read })?.key { cache[oldest] = nil }
            }
            cache[session.hash] = Cached(
                session: session, read: now.reading,
                used: used ?? Span(milliseconds: seen + PageSessions.seenInterval.milliseconds))
        }
    }

    // MARK: Ending

    /// Ends the session that a request's cookie names, and its streams of events.
    /// - Parameter actor: who of the staff does it; `nil`: nobody has said.
    func end(of request: Request, by actor: Actor? = nil) async throws(JournalError) {
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

    /// Ends a session and its streams of events. Durable when it returns.
    func end(_ hash: [UInt8]) async throws(JournalError) {
        _ = try await sessions.delete(Hex.lowercase(hash))
        drop(hash)
    }

    /// Ends every session that was begun with a key, and their streams of events.
    func end(whereKey hash: [UInt8]) async throws(JournalError) {
        while true {
            let found = try await sessions.list(
                matching: PageSessionRecord.begun(withKey: hash), limit: RecordLimits.maximumForgotten)
            guard !found.isEmpty else { return }
            for session in found { try await end(session.hash) }
        }
    }

    /// Has a session read anew, and ends its streams of events: somebody has ended it.
    func drop(_ hash: [UInt8]) {
        cache.withLock { $0[hash] = nil }
        feed?.end(session: hash)
    }

    // MARK: Cookies

    /// The cookie of this counter's sessions, as a request's connection asks for it.
    func cookie(for request: Request) async throws(JournalError) -> SessionCookie {
        if SessionCookie.isSecure(request) { return .overTLS }
        if let known = instance.withLock({ $0 }) { return .plain(instance: known) }
        let found = try await CounterInstance.id(in: store)
        instance.withLock { $0 = found }
        return .plain(instance: found)
    }
}
