import Foundation
import Synchronization
import TillCore

/// The keys of the shop, and the check of a request's authentication.
///
/// Until a key is registered, every pair `ck_…`/`cs_…` whose parts after the underscore are equal may read and write: a
/// signature can only be checked with a secret that is known.
final class ShopAuthenticator: Sendable {
    /// The maximum number of registered keys, and of keys whose nonces are remembered.
    static let maximumKeys = 1_000
    /// The distance of a timestamp from the present at which it is refused, and the time for which nonces are
    /// remembered.
    static let window: Int64 = 15 * 60
    /// The maximum number of nonces remembered of a key: one for each second of the window, in both directions.
    static let maximumNonces = Int(2 * window + 1)

    /// What authenticates a request.
    struct Credentials: Sendable {
        var method: String
        /// The path as it was received.
        var path: String
        var query: PHPParameters
        var authorization: String?
        var isSecure: Bool
        /// The shop's own address, without a slash at the end.
        var home: String
    }

    private struct Key {
        var secret: Secret<String>
        var permissions: ShopPermissions
    }

    private struct State {
        var keys: [String: Key] = [:]
        /// The last nonce of each second, by key.
        var nonces: [String: [Int64: String]] = [:]
        var allowsInsecureBasic = false
    }

    private let state = Mutex(State())
    private let clock: any TillClock

    init(clock: any TillClock) { self.clock = clock }

    /// Registers a key; from then on only registered keys are accepted. Returns `false` if there are too many.
    func register(_ key: String, secret: Secret<String>, permissions: ShopPermissions) -> Bool {
        state.withLock { state in
            guard state.keys[key] != nil || state.keys.count < ShopAuthenticator.maximumKeys else { return false }
            state.keys[key] = Key(secret: secret, permissions: permissions)
            return true
        }
    }

    /// Removes all registered keys.
    func forget() { state.withLock { $0.keys = [:] } }

    /// Accepts Basic without TLS, which a real shop does not.
    func allowInsecureBasic(_ isAllowed: Bool) { state.withLock { $0.allowsInsecureBasic = isAllowed } }

    /// Returns the answer to a request that may not go on; `nil` if it may.
    func refusal(of credentials: Credentials) -> ShopAnswer? {
        switch permissions(of: credentials) {
        case .failure(let refusal): return refusal.answer
        case .success(let permissions):
            guard let lacking = permissions.lacking(credentials.method) else { return nil }
            return .unauthorized("The API key provided does not have \(lacking) permissions.")
        }
    }

    private struct Refusal: Error {
        var answer: ShopAnswer
        init(_ answer: ShopAnswer) { self.answer = answer }
        init(_ text: String) { answer = .unauthorized(text) }
    }

    private func permissions(of credentials: Credentials) -> Result<ShopPermissions, Refusal> {
        let isBasicPossible = credentials.isSecure || state.withLock { $0.allowsInsecureBasic }
        if isBasicPossible, let pair = ShopAuthenticator.pair(credentials) { return plain(pair) }
        return signed(credentials)
    }

    /// Returns key and secret: of the query, which is read first, or of Basic.
    private static func pair(_ credentials: Credentials) -> (key: String, secret: String)? {
        if let key = credentials.query.text("consumer_key"), let secret = credentials.query.text("consumer_secret") {
            return (key, secret)
        }
        guard let field = credentials.authorization, field.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(field.dropFirst(6)))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty ? (String(parts[0]), String(parts[1])) : nil
    }

    private func plain(_ pair: (key: String, secret: String)) -> Result<ShopPermissions, Refusal> {
        guard let key = key(pair.key) else { return .failure(Refusal("Consumer key is invalid.")) }
        guard equalInConstantTime(key.secret.reveal().utf8, pair.secret.utf8) else {
            return .failure(Refusal("Consumer secret is invalid."))
        }
        return .success(key.permissions)
    }

    private func key(_ name: String) -> Key? {
        let (known, isOpen) = state.withLock { ($0.keys[name], $0.keys.isEmpty) }
        if let known { return known }
        guard isOpen, name.hasPrefix("ck_"), name.utf8.count > 3, name.utf8.count <= 128 else { return nil }
        return Key(secret: Secret("cs_" + name.dropFirst(3)), permissions: .readWrite)
    }

    private static let names = [
        "oauth_consumer_key", "oauth_timestamp", "oauth_nonce", "oauth_signature", "oauth_signature_method",
    ]

    private func signed(_ credentials: Credentials) -> Result<ShopPermissions, Refusal> {
        let parameters = credentials.query.merging(ShopAuthenticator.header(credentials.authorization))
        let missing = ShopAuthenticator.names.filter { parameters.text($0) == nil }
        if missing.count == ShopAuthenticator.names.count {
            return .failure(
                Refusal(.error(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.")))
        }
        if !missing.isEmpty {
            let text = "Missing OAuth parameter\(missing.count == 1 ? "" : "s") " + missing.joined(separator: ", ")
            return .failure(Refusal(.error(401, "woocommerce_rest_authentication_missing_parameter", text)))
        }
        let name = parameters.text("oauth_consumer_key") ?? ""
        guard let key = key(name) else { return .failure(Refusal("Consumer key is invalid.")) }
        guard let method = parameters.text("oauth_signature_method").flatMap({ OAuthSignature.Method(rawValue: $0) })
        else { return .failure(Refusal("Invalid signature - signature method is invalid.")) }
        let text = OAuthSignature.baseString(
            method: credentials.method, address: credentials.home + credentials.path,
            parameters: parameters.without("oauth_signature"))
        let wanted = OAuthSignature.signature(of: text, secret: key.secret.reveal(), method: method)
        // A plus sign of base64 that was not encoded has become a space.
        let given = PercentCoding.decode((parameters.text("oauth_signature") ?? "").replacing(" ", with: "+"))
        guard equalInConstantTime(wanted.utf8, given.utf8) else {
            return .failure(Refusal("Invalid signature - provided signature does not match."))
        }
        return isFresh(
            name, parameters.text("oauth_timestamp") ?? "", nonce: parameters.text("oauth_nonce") ?? ""
        ).map { key.permissions }
    }

    /// Checks and remembers a nonce. Nonces are kept by their second, as in the shop: of two calls in one second only
    /// the later nonce is known.
    private func isFresh(_ key: String, _ timestamp: String, nonce: String) -> Result<Void, Refusal> {
        let now = clock.now().milliseconds / 1000
        guard let time = Int64(timestamp),
            (now - ShopAuthenticator.window...now + ShopAuthenticator.window).contains(time)
        else { return .failure(Refusal("Invalid timestamp.")) }
        return state.withLock { state in
            guard state.nonces[key] != nil || state.nonces.count < ShopAuthenticator.maximumKeys else {
                return .failure(Refusal("The sandbox remembers the nonces of at most \(Self.maximumKeys) keys."))
            }
            var used = state.nonces[key, default: [:]]
            guard !used.values.contains(nonce) else {
                return .failure(Refusal("Invalid nonce - nonce has already been used."))
            }
            used[time] = nonce
            used = used.filter { $0.key >= now - ShopAuthenticator.window }
            state.nonces[key] = used
            return .success(())
        }
    }

    /// Returns the parameters of `Authorization: OAuth name="value", …`.
    private static func header(_ field: String?) -> [(name: String, value: String)] {
        guard let field, field.lowercased().hasPrefix("oauth ") else { return [] }
        return field.dropFirst(6).split(separator: ",").prefix(32).compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1)
            let name = pair.first?.trimmingCharacters(in: .whitespaces) ?? ""
            guard pair.count == 2, name.hasPrefix("oauth_") else { return nil }
            let value = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \""))
            return (name, PercentCoding.decode(value))
        }
    }
}
