public import TillCore
internal import TillProvider

/// Card payments through Stripe's payment intents.
///
/// ```swift
/// import TillHTTP
///
/// let transport = HTTPClientTransport()
/// let stripe = try StripeProvider(
///     secretKey: key, transport: transport, clock: SystemClock(), webhookSecrets: [webhookSecret])
/// let identity = await stripe.identity()
/// print(identity.account ?? "unknown account", stripe.mode.rawValue)
/// ```
///
/// Each payment intent is created with `capture_method=manual` and captured by a separate call, so that the journal
/// records each step. A value: any number of calls may run concurrently. It fulfills the guarantees of
/// `PaymentServiceProvider`; in addition, a refused call that may be the retry of a successful one is resolved by
/// reading the payment intent, never by guessing.
public struct StripeProvider: PaymentServiceProvider {
    /// The time limit of each call; ``authorize(_:with:)`` makes three calls within this limit in total.
    public let deadline: Span
    let client: StripeClient
    let clock: any TillClock
    let webhookSecrets: [Secret<String>]
    let sendsDescriptions: Bool
    let takesSimulatedCards: Bool
    /// The key's mode: live keys move real money.
    public let mode: PaymentMode
    /// The address to which a bank's page sends the customer of an attempt back; `nil` if there is none. A challenge
    /// can then be finished by Stripe's own script only.
    var returnURL: (@Sendable (AttemptID) -> String?)?
    /// Disputes reported by webhooks, for a key without permission to read them.
    var disputes = SignedDisputes(MemoryNotifications())
    private let account: StripeAccount
    private let keyFingerprint: String

    /// Creates a provider for one Stripe account.
    /// - Parameters:
    ///   - secretKey: `sk_test_…`, `sk_live_…` or a restricted `rk_…`.
    ///   - baseURL: the API's address; `http` is accepted for this machine only.
    ///   - transport: carries the calls.
    ///   - clock: the time, for deadlines and webhooks.
    ///   - webhookSecrets: `whsec_…`; two during a rotation.
    ///   - account: the key's account, `acct_…`; without it Stripe is queried once.
    ///   - deadline: the time limit of one operation.
    ///   - sendsDescriptions: also sends descriptions and reasons. Off by default: they serve users of Stripe's
    ///     dashboard only.
    /// - Throws: ``StripeConfigurationError``.
    public init(
        secretKey: Secret<String>, baseURL: String = "https://api.stripe.com", transport: any HTTPTransport,
        clock: any TillClock, webhookSecrets: [Secret<String>] = [], account: String? = nil,
        deadline: Span = .seconds(30),
        sendsDescriptions: Bool = false
    ) throws(StripeConfigurationError) {
        let key = secretKey.reveal()
        guard key.hasPrefix("sk_") || key.hasPrefix("rk_"), (6...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .unusableKey }
        guard account.map(StripeAccount.isUsable) ?? true else { throw .unusableAccount }
        let (scheme, authority) = try StripeProvider.address(baseURL)
        client = StripeClient(secretKey: secretKey, scheme: scheme, authority: authority, transport: transport)
        self.clock = clock
        self.webhookSecrets = webhookSecrets
        self.deadline = deadline
        self.sendsDescriptions = sendsDescriptions
        takesSimulatedCards = key.hasPrefix("sk_test_")
        // A key that states neither mode is treated as live.
        mode = key.dropFirst(2).hasPrefix("_test_") ? .test : .live
        self.account = StripeAccount(configured: account)
        keyFingerprint = KeyFingerprint.of(secretKey, at: StripeProvider.name)
    }

    private static let name = ProviderName(rawValue: "stripe")

    /// Returns the key's account: as configured, or as reported by Stripe.
    public func identity() async -> ProviderIdentity {
        ProviderIdentity(
            account: await account.name(client, at: clock.now()), mode: mode, keyFingerprint: keyFingerprint)
    }

    /// The name in settings, requests and the journal: `stripe`.
    public var name: ProviderName { StripeProvider.name }

    /// Stripe keeps idempotency keys for at least 24 hours.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: .hours(24), preparesFirst: true, partialCapture: true, multipleCapture: false,
            separateCapture: true, takesCards: true, takesTokens: true)
    }

    /// Amounts in the format of `AmountCodec.stripe`.
    public var amounts: AmountCodec { .stripe }

    /// Verifies a webhook with the configured secrets and clock.
    /// - Throws: ``StripeWebhookError``.
    public func event(payload: [UInt8], signatureHeader: String?) throws(StripeWebhookError) -> StripeEvent {
        try StripeWebhook.verify(
            payload: payload, signatureHeader: signatureHeader, secrets: webhookSecrets, now: clock.now())
    }

    private static func address(_ text: String) throws(StripeConfigurationError) -> (String, String) {
        guard let split = text.firstRange(of: "://") else { throw .unusableAddress }
        let scheme = text[..<split.lowerBound].lowercased()
        var authority = text[split.upperBound...].lowercased()
        if authority.hasSuffix("/") { authority.removeLast() }
        let allowed = authority.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2E, 0x2D, 0x3A, 0x5B, 0x5D].contains($0)
        }
        guard !authority.isEmpty, allowed else { throw .unusableAddress }
        switch scheme {
        case "https": return (scheme, authority)
        case "http":
            let isHere = ["localhost", "127.0.0.1", "[::1]"].contains { host in
                guard authority.hasPrefix(host) else { return false }
                let rest = authority.dropFirst(host.count)
                return rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()) != nil)
            }
            guard isHere else { throw .plainHTTP }
            return (scheme, authority)
        default: throw .unusableAddress
        }
    }
}

/// An invalid configuration of the Stripe provider. The descriptions never repeat the input.
public enum StripeConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a Stripe secret key.
    case unusableKey
    /// Not an account name.
    case unusableAccount
    /// Not a publishable key.
    case unusablePublishableKey
    /// A publishable key of the other mode than the secret key.
    case publishableKeyOfOtherMode(PaymentMode)
    /// Not the address of a host.
    case unusableAddress
    /// `http` to another machine would expose the key and card data on the network.
    case plainHTTP

    /// A one-sentence description for display.
    public var description: String {
        switch self {
        case .unusableKey: "The Stripe key must begin with sk_ or rk_ and be printable ASCII without space."
        case .unusableAccount: "The Stripe account must begin with acct_."
        case .unusablePublishableKey:
            "stripe.publishable_key must begin with pk_test_ or pk_live_, and have letters, digits and _ only."
        case .publishableKeyOfOtherMode(let mode):
            "stripe.publishable_key is of the other mode than stripe.key, which is a \(mode.rawValue) key."
        case .unusableAddress: "The Stripe address must be a scheme and a host, such as https://api.stripe.com."
        case .plainHTTP: "The Stripe address must be https; http is for localhost only."
        }
    }
}
