import Hummingbird
import Synchronization
import TillCore

/// The sessions of the counter's page, held in memory.
final class PageSessions: Sendable {
    /// Sessions held at most.
    static let maximumSessions = 1_024
    static let cookie = "till_session"

    private struct State {
        var sessions: [[UInt8]: AccountID] = [:]
        var port: Int?
    }

    private let state = Mutex(State())
    private let options: ServerOptions
    private let pageToken = PageSessions.token()

    init(options: ServerOptions) { self.options = options }

    /// The port that was taken.
    func listens(on port: Int) { state.withLock { $0.port = port } }

    /// The session that a request's cookie names; `nil` without one.
    func principal(of request: Request) -> Principal? {
        guard let token = PageSessions.token(in: request) else { return nil }
        let hash = digest(token.utf8)
        guard let account = account(ofSession: hash) else { return nil }
        return Principal(account: account, credential: .session(hash: hash), permissions: Set(Permission.allCases))
    }

    /// Begins a session.
    /// - Returns: the value of the `Set-Cookie` header.
    func begin(for account: AccountID, _ request: Request) -> String {
        let token = PageSessions.token()
        state.withLock { state in
            if state.sessions.count >= PageSessions.maximumSessions { state.sessions = [:] }
            state.sessions[digest(token.utf8)] = account
        }
        return PageSessions.setCookie(
            token, isSecure: RequestOrigin.current.isSecure)
    }

    /// The cookie that lets the page of this machine in; `nil` for a page that came in another way.
    func cookieForPage(_ request: Request) -> String? {
        // Behind a proxy anybody may be, whatever host it names.
        guard options.isLoopback, !RequestOrigin.current.isProxied, let port = state.withLock({ $0.port }),
            let host = request.head.authority
        else {
            return nil
        }
        guard ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host.lowercased()) else {
            return nil
        }
        return PageSessions.setCookie(pageToken, isSecure: false)
    }

    private func account(ofSession hash: [UInt8]) -> AccountID? {
        if options.isLoopback, hash == digest(pageToken.utf8) { return .main }
        return state.withLock { $0.sessions[hash] }
    }

    private static func token(in request: Request) -> String? {
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
