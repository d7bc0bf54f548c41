import HTTPTypes
import Hummingbird
package import Logging
package import TillCore
import TillCounter
package import TillWeb

/// Sign-in to the counter's page and sign-out.
package struct SessionRoutes: Sendable {
    /// The maximum body size in bytes.
    package static let maximumBodyBytes = 16_384
    /// The maximum length of a key or start code in bytes.
    package static let maximumSecretBytes = 512

    package let authenticator: RequestAuthenticator
    package let office: OfficeSignIn
    package let passkeys: Passkeys
    package let logger: Logger

    package init(authenticator: RequestAuthenticator, office: OfficeSignIn, passkeys: Passkeys, logger: Logger) {
        (self.authenticator, self.office, self.passkeys, self.logger) = (authenticator, office, passkeys, logger)
    }

    /// A sign-in credential.
    private enum Proof {
        case key(String)
        case startCode(String)
        case password(OfficeSignIn.Claim)
        case passkey(PasskeyAnswer.Assertion, RelyingParty)

        /// Its name in the log, without the secret.
        var words: String {
            switch self {
            case .key: "a key"
            case .startCode: "a start code"
            case .password: "a password"
            case .passkey: "a passkey"
            }
        }
    }

    package func register(on router: CounterRouter) {
        router.open([.post], "/session", for: .clerk) { request, _ in try await begin(request) }
        router.open([.delete], "/session", for: .clerk) { request, _ in try await end(request) }
    }

    private func begin(_ request: Request) async throws -> Response {
        try authenticator.checkPage(request)
        let incoming = Incoming(
            request: request, account: office.account, maximumBodyBytes: SessionRoutes.maximumBodyBytes)
        let body = try await incoming.document()
        let proof = try proof(in: body, of: request)
        let address = RequestOrigin.current.bucket
        let wait = authenticator.throttle.wait(address)
        if let token = try await token(for: proof, from: address, wait) {
            let cookie = try await authenticator.sessions.cookie(for: request)
            return Response(status: .noContent, headers: [.setCookie: cookie.holding(token)])
        }
        authenticator.throttle.refuse(address, isCounted: wait == nil)
        if let wait { throw SessionRoutes.tooMany(wait) }
        logger.warning("sign-in refused", metadata: ["from": "\(address)", "with": "\(proof.words)"])
        if case .startCode = proof { throw SessionRoutes.spent }
        throw Problem.unauthorized
    }

    private func proof(in body: JSONValue, of request: Request) throws -> Proof {
        if body["passkey"] != nil {
            try body.allow(["passkey"])
            let party = try PasskeyRoutes.party(request, authenticator)
            return .passkey(try PasskeyRoutes.assertion(in: body), party)
        }
        if body["password"] != nil {
            try body.allow(["name", "password", "code"])
            return .password(try OfficeRoutes.claim(in: body))
        }
        try body.allow(["key", "start_code"])
        let key = try body.text("key", atMost: SessionRoutes.maximumSecretBytes)
        let code = try body.text("start_code", atMost: SessionRoutes.maximumSecretBytes)
        switch (key, code) {
        case (let key?, nil): return .key(key)
        case (nil, let code?): return .startCode(code)
        default:
            throw Problem.field("key", "Either key, start_code, passkey, or name, password and code must be there.")
        }
    }

    /// Starts a session.
    /// - Parameter wait: The remaining wait of the address, if any.
    /// - Returns: The session's token; `nil` for an invalid credential.
    private func token(for proof: Proof, from address: String, _ wait: Span?) async throws -> String? {
        switch proof {
        case .startCode(let code):
            // Always checked, so that others' guesses cannot lock the owner out.
            return try await Attribution.ofRequest(by: .owner) {
                try await authenticator.sessions.begin(code: code)
            }
        case .key(let key):
            // Keys and passkeys are exempt too, since they cannot be guessed: a right one never waits because of
            // others' failures.
            guard let holder = try await authenticator.principal(forKey: key), case .key(let hash) = holder.credential
            else { return nil }
            return try await Attribution.ofRequest(by: holder.actor) {
                try await authenticator.sessions.begin(for: holder.account, key: hash)
            }
        case .password(let claim):
            guard wait == nil else { return nil }
            return try await counted(at: address) { try await office.begin(claim, from: address) }
        case .passkey(let assertion, let party):
            return try await counted(at: address) { try await passkeys.begin(assertion, at: party) }
        }
    }

    /// Counts a refusal that carries its own problem.
    private func counted(at address: String, _ work: () async throws -> String) async throws -> String {
        do { return try await work() } catch let problem as Problem {
            if problem.status == .unauthorized { authenticator.throttle.refuse(address, isCounted: true) }
            throw problem
        }
    }

    private func end(_ request: Request) async throws -> Response {
        try authenticator.checkPage(request)
        let cookie = try await authenticator.sessions.cookie(for: request)
        var actor: Actor?
        if let session = try await authenticator.sessions.session(of: request),
            let principal = try await authenticator.principal(of: session)
        {
            actor = try await authenticator.person(of: session, principal)?.actor
        }
        try await authenticator.sessions.end(of: request, by: actor)
        return Response(status: .noContent, headers: [.setCookie: cookie.emptied])
    }

    private static let spent = Problem(
        .unauthorized, "start_code_spent",
        "This address was opened before, or it is older than ten minutes: nobody was signed in.",
        next: "Run `till sign-in` on the machine of the till, and open the address that it prints.")

    package static func tooMany(_ wait: Span) -> Problem {
        Problem(
            .tooManyRequests, "too_many_sign_ins",
            "Too many wrong keys, passwords or addresses came from there: this one was not taken.",
            next: "Send a right key, which is always taken; or wait a moment, or run `till sign-in` on the machine of "
                + "the till."
        ).retrying(after: Int(max(1, (wait.milliseconds + 999) / 1_000)))
    }
}
