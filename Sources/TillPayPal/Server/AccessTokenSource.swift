internal import Foundation
internal import HTTPTypes
public import TillPayPalClient
public import TillCore

/// Fetches PayPal's access token once for any number of concurrent callers, and renews it before it expires.
public actor AccessTokenSource: PayPalAuthorizer {
    /// The lead time of a renewal before the token expires: five minutes, or a tenth of its lifetime if that is less.
    public static let margin: Span = .minutes(5)
    /// Timeout of a token request.
    public static let deadline: Span = .seconds(15)
    /// Maximum token lifetime accepted, in seconds.
    static let longestLife: Int64 = 30 * 86_400

    private struct Token {
        var field: Secret<String>
        var refreshAt: Timestamp
        var endsAt: Timestamp
    }

    private let clientID: String
    private let secret: Secret<String>
    private let environment: PayPalEnvironment
    private let transport: any HTTPTransport
    private let clock: any TillClock
    private var token: Token?
    private var fetch: Task<Result<Secret<String>, PayPalAuthorizationFailure>, Never>?

    init(
        clientID: String, secret: Secret<String>, environment: PayPalEnvironment, transport: any HTTPTransport,
        clock: any TillClock
    ) {
        self.clientID = clientID
        self.secret = secret
        self.environment = environment
        self.transport = transport
        self.clock = clock
    }

    /// Returns the token, fetched if necessary. Concurrent callers share one request.
    package func authorization(
        within span: Span
    ) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        if let token, clock.now() < token.refreshAt { return .success(token.field) }
        if let fetch { return await fetch.value }
        let task = Task { await self.fetchToken() }
        fetch = task
        return await task.value
    }

    /// Discards a token that PayPal has refused.
    package func wasRefused(_ field: Secret<String>) async -> Bool {
        if let token, token.field.reveal() == field.reveal() { self.token = nil }
        return true
    }

    private func fetchToken() async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        defer { fetch = nil }
        let basic = Data("\(clientID):\(secret.reveal())".utf8).base64EncodedString()
        let call = PayPalCall(
            .post, "/v1/oauth2/token", body: Array("grant_type=client_credentials".utf8),
            contentType: "application/x-www-form-urlencoded", secrets: [secret])
        let outcome = await PayPalConnection.exchange(
            call, environment: environment, transport: transport, authorization: Secret("Basic " + basic),
            within: AccessTokenSource.deadline)
        let now = clock.now()
        switch outcome {
        case .answered(_, let json, _):
            guard let text = json["access_token"]?.stringValue, (1...8192).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                let seconds = json["expires_in"]?.int64Value, seconds > 0
            else { return fallback(.unavailable("PayPal's answer holds no token"), now) }
            let life = Span.seconds(min(seconds, AccessTokenSource.longestLife))
            let margin = min(AccessTokenSource.margin, Span(milliseconds: life.milliseconds / 10))
            let fresh = Token(
                field: Secret("Bearer " + text),
                refreshAt: now.adding(Span(milliseconds: life.milliseconds - margin.milliseconds)),
                endsAt: now.adding(life))
            token = fresh
            return .success(fresh.field)
        case .failed(let error) where error.status == 400 || error.status == 401 || error.status == 403:
            return .failure(.refused(error))
        case .failed(let error): return fallback(.unavailable("no token: \(error)"), now)
        case .notSent(let reason), .unknown(let reason): return fallback(.unavailable("no token: \(reason)"), now)
        }
    }

    /// Returns the current token until it expires if no new one can be fetched.
    private func fallback(
        _ failure: PayPalAuthorizationFailure, _ now: Timestamp
    ) -> Result<Secret<String>, PayPalAuthorizationFailure> {
        if let token, now < token.endsAt { return .success(token.field) }
        return .failure(failure)
    }
}
