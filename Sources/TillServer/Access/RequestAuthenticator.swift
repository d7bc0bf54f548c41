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
    private let found = Mutex<[[UInt8]: (principal: Principal, until: Timestamp)]>([:])
    private let keys: APIKeys
    private let options: ServerOptions
    private let clock: any TillClock

    init(keys: APIKeys, options: ServerOptions, clock: any TillClock) {
        self.keys = keys
        self.options = options
        self.clock = clock
        sessions = PageSessions(options: options)
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
        guard let principal = sessions.principal(of: request) else { throw Problem.unauthorized }
        try checkPage(request)
        return principal
    }

    /// Who holds a key; `nil` for one that is unknown or revoked.
    func principal(forKey key: String) async throws -> Principal? {
        guard (1...512).contains(key.utf8.count) else { return nil }
        let hash = digest(key.utf8)
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
            host.map { origin != "http://\($0)" && origin != "https://\($0)" } ?? true
        }
        let isMarked = request.headers[RequestAuthenticator.pageHeader] == "1"
        guard isForeign != true, request.method == .get || request.method == .head || isMarked else {
            throw Problem(
                .forbidden, "foreign_page", "The request does not come from the page of this till.",
                next: "Use the page of the till, or a key.")
        }
    }

    private static func holder(of hash: [UInt8], _ account: AccountID) -> Principal {
        Principal(account: account, credential: .key(hash: hash), permissions: Set(Permission.allCases))
    }
}
