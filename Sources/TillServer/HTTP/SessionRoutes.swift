import HTTPTypes
import Hummingbird
import Logging
import TillCore

/// Signing in to the counter's page and out of it.
struct SessionRoutes: Sendable {
    /// The longest body, in bytes.
    static let maximumBodyBytes = 4_096
    /// The longest key or start code, in bytes.
    static let maximumSecretBytes = 512

    let authenticator: RequestAuthenticator
    let logger: Logger

    func register(on router: CounterRouter) {
        router.open([.post], "/session", for: .clerk) { request, _ in try await begin(request) }
        router.open([.delete], "/session", for: .clerk) { request, _ in try await end(request) }
    }

    private func begin(_ request: Request) async throws -> Response {
        try authenticator.checkPage(request)
        let incoming = Incoming(
            request: request, account: .main, maximumBodyBytes: SessionRoutes.maximumBodyBytes)
        let body = try await incoming.document()
        try body.allow(["key", "start_code"])
        let key = try body.text("key", atMost: SessionRoutes.maximumSecretBytes)
        let code = try body.text("start_code", atMost: SessionRoutes.maximumSecretBytes)
        guard (key == nil) != (code == nil) else {
            throw Problem.field("key", "Either key or start_code must be there, and not both.")
        }
        let address = RequestOrigin.current.bucket
        let wait = authenticator.throttle.wait(address)
        let token: String?
        if let code {
            // Looked at in any case, so that nobody's guesses keep the owner out.
            token = try await Attribution.$current.withValue(Attribution(ofRequestBy: .owner)) {
                try await authenticator.sessions.begin(code: code)
            }
        } else if let key, wait == nil, let holder = try await authenticator.principal(forKey: key),
            case .key(let hash) = holder.credential
        {
            token = try await Attribution.$current.withValue(Attribution(ofRequestBy: holder.actor)) {
                try await authenticator.sessions.begin(for: holder.account, key: hash)
            }
        } else {
            token = nil
        }
        if let token {
            let cookie = try await authenticator.sessions.cookie(for: request)
            return Response(status: .noContent, headers: [.setCookie: cookie.holding(token)])
        }
        authenticator.throttle.refuse(address, isCounted: wait == nil)
        if let wait { throw SessionRoutes.tooMany(wait) }
        logger.warning(
            "sign-in refused", metadata: ["from": "\(address)", "with": "\(code == nil ? "a key" : "a start code")"])
        throw code == nil ? Problem.unauthorized : SessionRoutes.spent
    }

    private func end(_ request: Request) async throws -> Response {
        try authenticator.checkPage(request)
        let cookie = try await authenticator.sessions.cookie(for: request)
        try await authenticator.sessions.end(of: request)
        return Response(status: .noContent, headers: [.setCookie: cookie.emptied])
    }

    private static let spent = Problem(
        .unauthorized, "start_code_spent",
        "This address was opened before, or it is older than ten minutes: nobody was signed in.",
        next: "Run `till sign-in` on the machine of the till, and open the address that it prints.")

    private static func tooMany(_ wait: Span) -> Problem {
        Problem(
            .tooManyRequests, "too_many_sign_ins",
            "Too many wrong keys or addresses came from there: this one was not taken.",
            next: "Wait a moment, or run `till sign-in` on the machine of the till: its address is always taken."
        ).retrying(after: Int(max(1, (wait.milliseconds + 999) / 1_000)))
    }
}
