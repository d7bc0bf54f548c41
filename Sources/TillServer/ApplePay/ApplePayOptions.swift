public import TillApplePay
public import TillCore
public import TillProvider

/// A page's domain that may take Apple Pay.
public struct ApplePayDomain: Sendable {
    /// One certificate and key with which Apple's gateway is called.
    public struct Identity: Sendable {
        public let certificate: [UInt8]
        public let key: Secret<[UInt8]>
        /// When the certificate begins and ends; `nil` if it cannot be read.
        let validity: (from: Timestamp, until: Timestamp)?

        public init(certificate: [UInt8], key: Secret<[UInt8]>) {
            self.certificate = certificate
            self.key = key
            validity = (try? MerchantCertificate(parsing: certificate)).map { ($0.validFrom, $0.validUntil) }
        }
    }

    /// Apple's limit of certificates that are valid at once.
    public static let maximumIdentities = 3

    /// The domain as in the address bar.
    public var domain: WebDomain
    /// The merchant, as `merchant.com.example`.
    public var merchant: String
    /// Certificates; the one that is valid longest is used.
    public var identities: [Identity]
    /// The file that proves the domain to Apple.
    public var association: [UInt8]?
    /// Exact origins of pages that may call, beside `https://` and the domain.
    public var origins: Set<String>
    public var isEnabled: Bool
    /// Of how many visitors in a hundred, 0 to 100.
    public var percentage: Int

    public init(
        domain: WebDomain, merchant: String, identities: [Identity] = [], association: [UInt8]? = nil,
        origins: Set<String> = [], isEnabled: Bool = true, percentage: Int = 100
    ) {
        self.domain = domain
        self.merchant = merchant
        self.identities = Array(identities.prefix(ApplePayDomain.maximumIdentities))
        self.association = association
        self.origins = origins.union(["https://\(domain.name)"])
        self.isEnabled = isEnabled
        self.percentage = min(max(percentage, 0), 100)
    }
}

public enum TokenOpening: String, Hashable, Sendable {
    /// Till, with the shop's own processing certificate; the provider gets the network token.
    case here
    /// The provider, whose processing certificate it is; Till checks signature, binding and repetition, and passes the
    /// token on as it came.
    case provider
}

/// How a shop takes Apple Pay on the web.
public struct ApplePayOptions: Sendable {
    /// Apple's world that the shop belongs to.
    public var environment: WalletEnvironment
    /// What the sheet and Apple's session show.
    public var factory: ApplePayPaymentRequestFactory
    /// The currency of the shop.
    public var currency: Currency
    public var domains: [ApplePayDomain]
    /// The processing keys: those in use, and those whose tokens may still come.
    public var keys: ProcessingKeyRing
    public var opening = TokenOpening.here
    /// Where the shop delivers.
    public var area: DeliveryArea
    /// Coupons by their code in capitals: hundredths of the goods, and when they end.
    public var coupons: [String: (percent: Int64, until: Timestamp)]
    /// Apple's own script, which pages load where Apple Pay is on: its button, and Apple Pay in browsers without
    /// Wallet. `nil`: pages do without.
    public var script: String? = ApplePayOptions.appleScript
    /// Where Apple serves the script.
    public static let appleScript = "https://applepay.cdn-apple.com/jsapi/1.latest/apple-pay-sdk.js"
    /// How long a payment may take before the sheet learns that it is pending. Apple closes a sheet after 30 s.
    public var paymentBudget: Span = .seconds(20)
    /// How long Apple may take for a session.
    public var sessionBudget: Span = .seconds(8)
    /// What may go wrong with the settings, as a sentence; metadata says "off" then.
    public var fault: String?

    /// There is who can open tokens.
    var canOpen: Bool { opening == .provider || !keys.all.isEmpty }

    /// How the provider is handed a token.
    public var handover: WalletHandover { opening == .provider ? .sealed : .opened }

    public init(
        environment: WalletEnvironment, factory: ApplePayPaymentRequestFactory, currency: Currency,
        domains: [ApplePayDomain], keys: ProcessingKeyRing, area: DeliveryArea,
        coupons: [String: (percent: Int64, until: Timestamp)] = [:]
    ) {
        self.environment = environment
        self.factory = factory
        self.currency = currency
        self.domains = domains
        self.keys = keys
        self.area = area
        self.coupons = coupons
    }
}
