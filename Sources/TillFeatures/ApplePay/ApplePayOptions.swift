public import TillApplePay
public import TillCore
public import TillProvider

/// A domain on which a page offers Apple Pay.
public struct ApplePayDomain: Sendable {
    /// A certificate and key that authenticate to Apple's gateway.
    public struct Identity: Sendable {
        public let certificate: [UInt8]
        public let key: Secret<[UInt8]>
        /// The validity of the certificate; `nil` if it cannot be read.
        let validity: (from: Timestamp, until: Timestamp)?

        public init(certificate: [UInt8], key: Secret<[UInt8]>) {
            self.certificate = certificate
            self.key = key
            validity = (try? MerchantCertificate(parsing: certificate)).map { ($0.validFrom, $0.validUntil) }
        }
    }

    /// Apple's limit on concurrently valid certificates.
    public static let maximumIdentities = 3

    /// The domain as shown in the address bar.
    public var domain: WebDomain
    /// The merchant identifier, such as `merchant.com.example`.
    public var merchant: String
    /// The certificates; the one with the longest validity is used.
    public var identities: [Identity]
    /// The file that proves ownership of the domain to Apple.
    public var association: [UInt8]?
    /// The association file's name in the settings; `nil` if they name none, as where the domain's own server serves
    /// it.
    public var associationFile: String?
    /// The time since which the counter cannot read the association file that the settings name; ``association`` is
    /// then what was read last, or `nil` if it was never read.
    var associationMissingSince: Timestamp?
    /// The exact origins of pages with access, in addition to `https://` and the domain.
    public var origins: Set<String>
    public var isEnabled: Bool
    /// The percentage of visitors with Apple Pay, 0 to 100.
    public var percentage: Int
    /// The content of this domain's sheets; the options' by default.
    public var factory: ApplePayPaymentRequestFactory?
    /// The currency of this domain's baskets; the options' by default.
    public var currency: Currency?
    /// The addresses of this domain's touch icons by size, such as `180x180`; the counter's icon by default.
    public var icons: [String: String] = [:]

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

    /// `true` if the settings name an association file that was never read, so that Apple cannot verify the domain.
    public var lacksAssociation: Bool { associationFile != nil && association == nil }
}

public enum TokenOpening: String, Hashable, Sendable {
    /// Till decrypts with the shop's own processing certificate; the provider gets the network token.
    case here
    /// The provider decrypts with its own processing certificate; Till checks signature, binding and replay, and
    /// forwards the token unchanged.
    case provider
}

/// The options of Apple Pay on the web.
public struct ApplePayOptions: Sendable {
    /// Apple's environment for the shop.
    public var environment: WalletEnvironment
    /// The content of the sheet and of Apple's session.
    public var factory: ApplePayPaymentRequestFactory
    /// The currency of the shop.
    public var currency: Currency
    public var domains: [ApplePayDomain]
    /// The processing keys: current ones, and earlier ones for tokens still in flight.
    public var keys: ProcessingKeyRing
    public var opening = TokenOpening.here
    /// The delivery area of the shop; it does not apply beside ``radius``.
    public var area: DeliveryArea
    /// The delivery radius of the shop; `nil` for its ``area``.
    public var radius: DeliveryRadius?
    /// The places of postcodes, for radii without their own.
    public var places = PostalPlaces()
    /// The coupons by upper-case code: percentage off the goods, and expiry.
    public var coupons: [String: (percent: Int64, until: Timestamp)]
    /// The URL of Apple's own script, which pages load if Apple Pay is on. It provides the button, and Apple Pay in
    /// browsers without Wallet. `nil` for pages without it.
    public var script: String? = ApplePayOptions.appleScript
    /// The URL from which Apple serves the script.
    public static let appleScript = "https://applepay.cdn-apple.com/jsapi/1.latest/apple-pay-sdk.js"
    /// The time after which a payment is reported to the sheet as pending. Apple closes a sheet after 30 s.
    public var paymentBudget: Span = .seconds(20)
    /// The time limit for a session request to Apple.
    public var sessionBudget: Span = .seconds(8)
    /// A fault in the settings, as a sentence; metadata then reports Apple Pay as off.
    public var fault: String?

    /// The delivery rule of baskets without their own.
    var delivery: DeliveryRule { radius.map { .radius($0) } ?? .area(area) }

    /// The currencies that baskets may have.
    var currencies: [Currency] {
        domains.compactMap(\.currency).reduce(into: [currency]) { all, currency in
            if !all.contains(currency) { all.append(currency) }
        }
    }

    /// Returns the currency of a domain's baskets.
    func currency(of domain: ApplePayDomain) -> Currency { domain.currency ?? currency }

    /// Returns the content of a domain's sheets.
    func factory(for domain: ApplePayDomain) -> ApplePayPaymentRequestFactory { domain.factory ?? factory }

    /// Returns the content of a domain's sheets for a basket on these terms, with a field for coupons if the shop
    /// prices its own.
    func factory(for domain: ApplePayDomain, on terms: BasketTerms?) -> ApplePayPaymentRequestFactory {
        var content = self.factory(for: domain)
        if terms?.quote?.takesCoupons ?? false { content.supportsCouponCode = true }
        return content
    }

    /// `true` if tokens can be decrypted, here or by the provider.
    package var canOpen: Bool { opening == .provider || !keys.all.isEmpty }

    /// The form in which the provider gets a token.
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
