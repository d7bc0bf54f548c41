import HTTPTypes
import Hummingbird
import Synchronization
import TillCore
import TillJournal

/// Says whose a request is: by its key, or by the session of a page.
final class RequestAuthenticator: Sendable {
    /// How long a key that was found is not looked up again, so also how long a revoked one still works.
    static let keyLifetime = Span.seconds(2)
    /// Sessions and keys held in memory at most.
    static let maximumEntries = 1_024
    static let cookie = "till_session"
    private static let pageHeader = Incoming.name("X-Till-Page")

    private struct State {
        var sessions: [[UInt8]: AccountID] = [:]
        var keys: [[UInt8]: (AccountID, Timestamp)] = [:]
        var port: Int?
    }

    private let state = Mutex(State())
    private let keys: APIKeys
    private let options: ServerOptions
    private let clock: any TillClock
    private let pageToken = RequestAuthenticator.token()

    init(keys: APIKeys, options: ServerOptions, clock: any TillClock) {
        self.keys = keys
        self.options = options
        self.clock = clock
    }

    /// The port that was taken.
    func listens(on port: Int) { state.withLock { $0.port = port } }

    /// The account of a request.
    func account(of request: Request) async throws -> AccountID {
        if let header = request.headers[.authorization] {
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer",
                let account = try await account(forKey: String(parts[1]))
            else { throw Problem.unauthorized }
            return account
        }
        guard let token = RequestAuthenticator.sessionToken(in: request), let account = account(ofSession: token) else {
            throw Problem.unauthorized
        }
        try checkPage(request)
        return account
    }

    /// Who asks, for the record: a key, by the first digits of its SHA-256, or the counter's page. Of a request
    /// whose account was found.
    func actor(of request: Request) -> String {
        guard let key = request.headers[.authorization]?.split(separator: " ", maxSplits: 1).last else {
            return "counter page"
        }
        return "key \(Hex.lowercase(digest(String(key).utf8).prefix(4)))"
    }

    /// The account of a key, by the hash of it.
    func account(forKey key: String) async throws -> AccountID? {
        guard (1...512).contains(key.utf8.count) else { return nil }
        let hash = digest(key.utf8)
        if let account = options.keys[Hex.lowercase(hash)] { return account }
        let now = clock.now()
        if let (account, until) = state.withLock({ $0.keys[hash] }), now < until { return account }
        guard let account = try await keys.account(ofHash: hash) else { return nil }
        state.withLock { state in
            if state.keys.count >= RequestAuthenticator.maximumEntries { state.keys = [:] }
            state.keys[hash] = (account, now.adding(RequestAuthenticator.keyLifetime))
        }
        return account
    }

    /// The cookie that lets the page of this machine in; `nil` for a page that came in another way.
    func cookieForPage(_ request: Request) -> String? {
        guard options.isLoopback, let port = state.withLock({ $0.port }), let host = request.head.authority else {
            return nil
        }
        guard ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host.lowercased()) else {
            return nil
        }
        return RequestAuthenticator.setCookie(pageToken, isSecure: false)
    }

    /// Begins a session for who has a key.
    func beginSession(for account: AccountID, _ request: Request) -> String {
        let token = RequestAuthenticator.token()
        state.withLock { state in
            if state.sessions.count >= RequestAuthenticator.maximumEntries { state.sessions = [:] }
            state.sessions[digest(token.utf8)] = account
        }
        return RequestAuthenticator.setCookie(
            token, isSecure: request.headers[Incoming.name("X-Forwarded-Proto")]?.lowercased() == "https")
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

    private func account(ofSession token: String) -> AccountID? {
        let hash = digest(token.utf8)
        if options.isLoopback, hash == digest(pageToken.utf8) { return .main }
        return state.withLock { $0.sessions[hash] }
    }

    private static func sessionToken(in request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == cookie { return String(parts[1]) }
            }
        }
        return nil
    }

    private static func setCookie(_ token: String, isSecure: Bool) -> String {
        "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    private static func token() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.lowercase((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
