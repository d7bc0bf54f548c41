import HTTPTypes
import Hummingbird
import Synchronization
import TillCore
import TillJournal

/// Says whose a request is: by its key, or by the session of a page.
final class RequestAuthenticator: Sendable {
    /// How long a key that was found is not looked up again, so also how long a revoked one still works.
    static let keyLifetime = Span.seconds(2)
    /// Keys held in memory at most.
    static let maximumKeys = 1_024
    private static let pageHeader = Incoming.name("X-Till-Page")

    let sessions: PageSessions
    /// Those who sign in with what is wrong.
    let throttle = SignInThrottle()
    private let found = Mutex<[[UInt8]: (principal: Principal, until: Timestamp)]>([:])
    private let keys: APIKeys
    private let options: ServerOptions
    private let clock: any TillClock
    /// The origin of the address that customers know the counter by: what its page has behind a proxy.
    private let shopOrigin: String?

    init(keys: APIKeys, sessions: PageSessions, options: ServerOptions, clock: any TillClock) {
        self.keys = keys
        self.options = options
        self.clock = clock
        self.sessions = sessions
        shopOrigin = options.receipts.url.flatMap(RequestAuthenticator.origin)
    }

    /// Who asks.
    /// - Throws: ``Problem/unauthorized``; 403 for a session that another site's page would use.
    func principal(of request: Request) async throws -> Principal {
        if let header = request.headers[.authorization] {
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer",
                let principal = try await principal(forKey: String(parts[1]))
            else { throw Problem.unauthorized }
            return principal
        }
        guard let session = try await sessions.session(of: request), let principal = try await principal(of: session)
        else { throw Problem.unauthorized }
        try checkPage(request)
        return principal
    }

    /// What a session may do: with a start code everything; with a key what that key may do now.
    private func principal(of session: PageSessionRecord) async throws -> Principal? {
        let credential = Principal.Credential.session(hash: session.hash)
        guard let key = session.key else {
            return Principal(
                account: session.account, credential: credential, permissions: Set(Permission.allCases))
        }
        guard let holder = try await principal(ofHash: key) else {
            try await sessions.end(session.hash)
            return nil
        }
        return Principal(account: holder.account, credential: credential, permissions: holder.permissions)
    }

    /// Whether a key or a session that let somebody in does so still. What cannot be looked up at the moment does.
    func holds(_ credential: Principal.Credential) async -> Bool {
        do {
            switch credential {
            case .key(let hash): return try await principal(ofHash: hash) != nil
            case .session(let hash):
                guard let session = try await sessions.open(hash) else { return false }
                return try await principal(of: session) != nil
            }
        } catch { return true }
    }

    /// Who holds a key; `nil` for one that is unknown or revoked.
    func principal(forKey key: String) async throws -> Principal? {
        guard (1...512).contains(key.utf8.count) else { return nil }
        return try await principal(ofHash: digest(key.utf8))
    }

    private func principal(ofHash hash: [UInt8]) async throws -> Principal? {
        if let account = options.keys[Hex.lowercase(hash)] { return RequestAuthenticator.holder(of: hash, account) }
        let now = clock.now()
        if let (principal, until) = found.withLock({ $0[hash] }), now < until { return principal }
        guard let account = try await keys.account(ofHash: hash) else { return nil }
        let principal = RequestAuthenticator.holder(of: hash, account)
        found.withLock { found in
            if found.count >= RequestAuthenticator.maximumKeys { found = [:] }
            found[hash] = (principal, now.adding(RequestAuthenticator.keyLifetime))
        }
        return principal
    }

    /// A page acts only by its own script: another site's form or script cannot send the header.
    func checkPage(_ request: Request) throws {
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

    /// Scheme, host and port of an address, as browsers write them.
    static func origin(of url: String) -> String? {
        let url = url.lowercased()
        guard let scheme = ["https", "http"].first(where: { url.hasPrefix($0 + "://") }) else { return nil }
        let authority = url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let usual = scheme == "https" ? ":443" : ":80"
        return "\(scheme)://" + (authority.hasSuffix(usual) ? authority.dropLast(usual.count) : authority)
    }

    private static func holder(of hash: [UInt8], _ account: AccountID) -> Principal {
        Principal(account: account, credential: .key(hash: hash), permissions: Set(Permission.allCases))
    }
}
