import HTTPTypes
package import Hummingbird
package import Logging
import Synchronization
package import TillCore
package import TillCounter
package import TillJournal

/// Authenticates requests by API key or page session.
package final class RequestAuthenticator: Sendable {
    /// The cache lifetime of a key. ``KeyWatch`` invalidates it sooner when keys change.
    static let keyLifetime = Span.seconds(1)
    /// The maximum number of cached keys.
    package static let maximumKeys = 1_024
    static let pageHeader = HTTPField.Name.literal("X-Till-Page")

    private struct Known {
        let principal: Principal
        let expiresAt: Timestamp?
        let until: ContinuousClock.Instant
    }

    /// The SHA-256 of a key, hashed for a dictionary at once: an array would be hashed byte by byte.
    private struct KeyDigest: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    private struct State {
        var found: [KeyDigest: Known] = [:]
        /// The last uses of stored keys that are not recorded yet.
        var uses: [KeyDigest: Timestamp] = [:]
    }

    package let sessions: PageSessions
    /// The shop's staff.
    package let staff: StaffOnDuty
    /// Slows down the guessing of keys.
    package let guesses: GuessLimiter
    /// Slows down the guessing of receipt addresses.
    package let linkGuesses: GuessLimiter
    private let state = Mutex(State())
    /// Refuses sign-ins unchecked for a while after failures.
    package let throttle = SignInThrottle()
    private let keys: APIKeys
    /// The principals of the keys in the settings.
    private let ofSettings: [KeyDigest: Principal]
    private let clock: any TillClock
    /// The origin of the counter's public address: the page's origin behind a proxy.
    private let shopOrigin: String?

    package init(
        keys: APIKeys, sessions: PageSessions, staff: StaffOnDuty, options: ServerOptions, clock: any TillClock,
        logger: Logger = Logger(label: "till")
    ) {
        self.keys = keys
        ofSettings = RequestAuthenticator.principals(of: options.keys)
        self.clock = clock
        self.sessions = sessions
        self.staff = staff
        shopOrigin = options.receipts.url.flatMap(CounterAddress.origin)
        guesses = GuessLimiter(of: "key", longestDelay: options.longestGuessDelay, clock: clock, logger: logger)
        linkGuesses = GuessLimiter(
            of: "receipt link", longestDelay: options.longestGuessDelay, clock: clock, logger: logger)
    }

    /// Returns the principals of the keys in the settings, each under its digest.
    private static func principals(of keys: [String: AccountID]) -> [KeyDigest: Principal] {
        var found: [KeyDigest: Principal] = [:]
        for (text, account) in keys {
            // A key in upper case, or that is no digest, is nobody's.
            guard let hash = Hex.decode(text), Hex.lowercase(hash) == text else { continue }
            found[KeyDigest(bytes: hash)] = Principal(
                account: account, credential: .key(hash: hash), scopes: .all, actor: Actor(keyOf: hash))
        }
        return found
    }

    /// Authenticates a request and checks its scope.
    /// - Parameter scope: The required scope.
    /// - Throws: ``Problem/unauthorized``; 403 for a session request from another site's page, and for a missing
    ///   scope.
    package func principal(of request: Request, for scope: APIScope) async throws -> Principal {
        // Nearly every request comes with a key that is cached: no call that could wait, and no task switch for it.
        let principal: Principal
        if let known = cached(request) { principal = known } else { principal = try await self.principal(of: request) }
        try principal.require(scope)
        return principal
    }

    /// Returns the principal of a request with a key that is cached or in the settings; `nil` for any other request,
    /// whatever its answer is.
    private func cached(_ request: Request) -> Principal? {
        guard let key = request.headers.value(of: .authorization).flatMap({ RequestAuthenticator.key(in: $0) }),
            RequestAuthenticator.isOfPossibleLength(key)
        else { return nil }
        return cached(digest(key.utf8))
    }

    private func cached(_ hash: [UInt8]) -> Principal? {
        let hash = KeyDigest(bytes: hash)
        return ofSettings[hash] ?? remembered(hash)
    }

    /// Returns the key of an `Authorization` header; `nil` for another scheme, and without a key.
    static func key(in header: String) -> Substring? {
        // As nearly every client writes it: compared as bytes, not character by character.
        let usual = "Bearer ".utf8
        if header.utf8.starts(with: usual) {
            let key = header.utf8.dropFirst(usual.count)
            return key.isEmpty ? nil : Substring(key)
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    private static func isOfPossibleLength(_ key: some StringProtocol) -> Bool { (1...512).contains(key.utf8.count) }

    private func principal(of request: Request) async throws -> Principal {
        if let header = request.headers.value(of: .authorization) {
            guard let key = RequestAuthenticator.key(in: header) else { throw Problem.unauthorized }
            guard let principal = try await principal(forKey: String(key)) else {
                try await guesses.refuse(from: RequestOrigin.current.bucket)
                throw Problem.unauthorized
            }
            return principal
        }
        let (session, principal) = try await pageSession(of: request)
        guard let person = try await person(of: session, principal) else { throw Problem.personRequired }
        return person
    }

    /// Authenticates a request a second time.
    /// - Throws: what ``principal(of:for:)`` throws, except for a missing scope.
    package func authenticateAgain(_ request: Request) async throws { _ = try await principal(of: request) }

    /// Returns the session of a page's request and the session's own scopes, whichever staff member is signed in.
    package func pageSession(of request: Request) async throws -> (PageSessionRecord, Principal) {
        guard let session = try await sessions.session(of: request), let principal = try await principal(of: session)
        else { throw Problem.unauthorized }
        try checkPage(request)
        return (session, principal)
    }

    /// Returns the session's principal narrowed to the signed-in staff member; unchanged for an account without
    /// staff.
    /// - Returns: `nil` if no staff member is signed in, or if their access was withdrawn.
    package func person(of session: PageSessionRecord, _ principal: Principal) async throws(JournalError) -> Principal?
    {
        // A personal session never exceeds its owner's access, even when no staff is left.
        let isAsked = try await staff.isConfigured(session.account)
        guard isAsked || session.isPersonal else { return principal }
        guard let person = session.person, let grant = try await staff.grant(person, of: session.account) else {
            return nil
        }
        // A session started with a key never exceeds that key, whichever staff member uses it.
        return Principal(
            account: principal.account, credential: principal.credential,
            scopes: principal.scopes.intersection(grant.scopes),
            actor: grant.actor, person: grant, device: principal.device, drawer: principal.drawer,
            key: principal.key)
    }

    /// Returns a session's scopes: all if it was started with a start code, otherwise the current ones of its key.
    package func principal(of session: PageSessionRecord) async throws(JournalError) -> Principal? {
        let credential = Principal.Credential.session(hash: session.hash)
        if session.isPersonal {
            guard let person = session.person, try await staff.grant(person, of: session.account) != nil else {
                try await sessions.end(session.hash)
                return nil
            }
        }
        guard let key = session.key else {
            return Principal(
                account: session.account, credential: credential, scopes: .all, actor: .owner,
                device: session.deviceID, drawer: session.drawer)
        }
        guard case .holder(let holder) = try await found(key) else {
            try await sessions.end(session.hash)
            return nil
        }
        return Principal(
            account: holder.account, credential: credential, scopes: holder.scopes, actor: holder.actor,
            device: session.deviceID, drawer: session.drawer, key: key)
    }

    /// Returns the principal of a key; `nil` for an unknown key.
    /// - Throws: 401 with the reason for a revoked or expired key.
    package func principal(forKey key: String) async throws -> Principal? {
        guard RequestAuthenticator.isOfPossibleLength(key) else { return nil }
        switch try await found(digest(key.utf8)) {
        case .holder(let principal): return principal
        case .unknown: return nil
        case .revoked(let id, let then): throw Problem.keyRevoked(id, then)
        case .expired(let id, let then): throw Problem.keyExpired(id, then)
        }
    }

    /// The result of a key lookup.
    private enum Found {
        case holder(Principal)
        case unknown
        case revoked(APIKeyID, Timestamp)
        case expired(APIKeyID, Timestamp)
    }

    private func found(_ hash: [UInt8]) async throws(JournalError) -> Found {
        if let principal = cached(hash) { return .holder(principal) }
        let now = clock.now()
        guard let key = try await keys.key(ofHash: hash) else { return .unknown }
        switch key.standing(at: now) {
        case .inForce: break
        case .revoked(let then): return .revoked(key.id, then)
        case .expired(let then): return .expired(key.id, then)
        }
        let principal = Principal(
            account: key.account, credential: .key(hash: hash), scopes: key.scopes,
            actor: Actor(keyOf: hash, id: key.id, label: key.label))
        state.withLock { state in
            if state.found.count >= RequestAuthenticator.maximumKeys { state.found = [:] }
            state.found[KeyDigest(bytes: hash)] = Known(
                principal: principal, expiresAt: key.expiresAt, until: .now + RequestAuthenticator.keyLifetime.duration)
            RequestAuthenticator.noteUse(of: KeyDigest(bytes: hash), now, in: &state)
        }
        return .holder(principal)
    }

    private func remembered(_ hash: KeyDigest) -> Principal? {
        let now = clock.now()
        return state.withLock { state in
            guard let known = state.found[hash], ContinuousClock.now < known.until,
                known.expiresAt.map({ now < $0 }) ?? true
            else { return nil }
            RequestAuthenticator.noteUse(of: hash, now, in: &state)
            return known.principal
        }
    }

    /// Records a use; beyond the maximum number of keys in memory it is recorded at the key's next use.
    private static func noteUse(of hash: KeyDigest, _ now: Timestamp, in state: inout State) {
        guard state.uses.count < maximumKeys || state.uses[hash] != nil else { return }
        state.uses[hash] = now
    }

    /// Returns `true` if a credential is still valid by the journal's current state.
    package func isInForce(_ credential: Principal.Credential) async throws(JournalError) -> Bool {
        switch credential {
        case .key(let hash):
            guard ofSettings[KeyDigest(bytes: hash)] == nil else { return true }
            return try await keys.key(ofHash: hash)?.standing(at: clock.now()) == .inForce
        case .session(let hash):
            guard let session = try await sessions.open(hash), let principal = try await principal(of: session) else {
                return false
            }
            return try await person(of: session, principal) != nil
        }
    }

    /// Empties the key cache.
    func forgetKeys() { state.withLock { $0.found = [:] } }

    /// Takes the key uses recorded since the last call, for the journal.
    func takeUses() -> [[UInt8]: Timestamp] {
        state.withLock { state in
            defer { state.uses = [:] }
            return Dictionary(uniqueKeysWithValues: state.uses.map { ($0.key.bytes, $0.value) })
        }
    }

    /// Refuses cross-site requests: another site's form or script cannot send the page's header.
    package func checkPage(_ request: Request) throws {
        let host = request.head.authority?.lowercased()
        let origin = request.headers[.origin]?.lowercased()
        let isForeign = origin.map { origin in
            origin != shopOrigin && (host.map { origin != "http://\($0)" && origin != "https://\($0)" } ?? true)
        }
        let isMarked = request.headers[RequestAuthenticator.pageHeader] == "1"
        guard isForeign != true, request.method == .get || request.method == .head || isMarked else {
            throw Problem(
                .forbidden, "foreign_page", "The request does not come from the page of this till.",
                next: "Use the page of the till, or a key.")
        }
    }

    /// Returns the page's origin: that of the configured public address, else that of the request.
    package func pageOrigin(of request: Request) -> String {
        shopOrigin ?? "\(RequestOrigin.current.isSecure ? "https" : "http")://\(request.head.authority ?? "")"
    }
}

extension Problem {
    /// The problem for a revoked key.
    fileprivate static func keyRevoked(_ id: APIKeyID, _ then: Timestamp) -> Problem {
        var problem = unauthorized
        problem.code = "key_revoked"
        problem.detail = "The key \(id) was revoked at \(then). Nothing was done."
        problem.next = "Use another key; till keys create makes one."
        return problem
    }

    /// The problem for an expired key.
    fileprivate static func keyExpired(_ id: APIKeyID, _ then: Timestamp) -> Problem {
        var problem = unauthorized
        problem.code = "key_expired"
        problem.detail = "The key \(id) has expired at \(then). Nothing was done."
        problem.next = "Use another key; till keys create makes one, and till keys rotate one in time."
        return problem
    }
}

extension Actor {
    private static let digestBytes = 4

    /// Creates the actor of a key from the key's SHA-256. A key of the settings has neither identifier nor label.
    package init(keyOf hash: [UInt8], id: APIKeyID? = nil, label: String? = nil) {
        self = .key(id: id?.rawValue ?? Hex.lowercase(hash.prefix(Actor.digestBytes)), label: label)
    }
}
