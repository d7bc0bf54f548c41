import Foundation
import NIOSSL
import TillApplePay
public import TillCore
public import TillCounter

/// A shop's Apple Pay settings, read from a JSON file. Paths in it are relative to the file.
///
/// ```json
/// { "environment": "production", "display_name": "Shop", "country": "GB", "currency": "GBP",
///   "domains": [{ "name": "shop.example", "merchant": "merchant.example.shop", "association": "association.txt",
///                 "identities": [{ "certificate": "identity.pem", "key": "identity.key" }] }],
///   "processing": [{ "certificate": "processing.pem", "key": "processing.key" }],
///   "delivery": { "country": "GB", "areas": ["EC4M"], "parts": { "EC1A": ["1"] } } }
/// ```
///
/// For a delivery by distance `delivery` has a `radius` (`latitude`, `longitude`, `meters`) in place of the areas, and
/// `places` at the top have the coordinates of postcodes.
public struct ApplePaySettings: Sendable {
    /// A certificate and its key, as files. A `pkcs12` bundle has both. The passphrase of a bundle or of an encrypted
    /// key comes from the environment.
    public struct Pair: Sendable {
        /// The certificate, PEM or DER; `nil` if its file cannot be read.
        public var certificate: [UInt8]?
        /// The key; `nil` if its file cannot be read.
        public var key: Secret<[UInt8]>?
        /// The name in the settings.
        public var name: String
    }

    /// A domain as configured, not validated.
    public struct Domain: Sendable {
        public var name: String
        public var merchant: String
        public var identities: [Pair]
        /// The association file; `nil` if there is none, it is empty, or it cannot be read.
        public var association: [UInt8]?
        /// Its name in the settings; `nil` if they name none.
        var associationFile: String?
        package var origins: Set<String>
        var isEnabled: Bool
        var percentage: Int
        var displayName: String?
        var country: String?
        var currency: String?
        var networks: [String]?
        var icons: [String: String]

        /// `true` for a domain without anything that pages need: apps pay at it.
        var isForAppsAlone: Bool { identities.isEmpty && associationFile == nil }
    }

    /// The maximum number of a domain's origins; the doctor asks the host of each.
    static let maximumOrigins = 99

    /// The maximum number of a domain's icons.
    static let maximumIcons = 16

    /// The maximum size of a certificate, key or association file, in bytes.
    static let maximumFileBytes = 1 << 20

    public var environment: String
    public var opening: TokenOpening
    /// The shop's name on the sheet.
    public var displayName: String
    public var country: String
    public var currency: String
    /// The card networks, by Apple's names.
    public var networks: [String]
    public var domains: [Domain]
    public var processing: [Pair]
    var delivery: DeliveryArea
    /// The delivery radius, which takes the place of the area.
    var radius: DeliveryRadius?
    /// The places of postcodes.
    var places: PostalPlaces
    var coupons: [String: (percent: Int64, until: Timestamp)]
    /// `true` if pages load Apple's own script.
    var loadsAppleScript: Bool

    /// Reads the settings and rejects invalid ones.
    /// - Parameters:
    ///   - folder: the base of relative paths.
    ///   - environment: the variables with passphrases; the process's own by default.
    /// - Throws: ``ApplePaySettingsError`` if the document does not have this form, or if other users may have written
    ///   one of its files. Unreadable certificates are no error here: the service starts without them and reports it.
    public init(
        _ document: JSONValue, folder: String, environment: [String: String]? = nil
    ) throws(ApplePaySettingsError) {
        let variables = environment ?? ProcessInfo.processInfo.environment
        func text(_ object: JSONValue, _ key: String) throws(ApplePaySettingsError) -> String {
            guard let text = object[key]?.stringValue, !text.isEmpty else { throw ApplePaySettingsError(field: key) }
            return text
        }
        func own(_ domain: JSONValue, _ key: String) throws(ApplePaySettingsError) -> String? {
            guard let value = domain[key] else { return nil }
            guard let text = value.stringValue, !text.isEmpty else {
                throw ApplePaySettingsError(field: "\(key) of a domain")
            }
            return text
        }
        func networkNames(_ object: JSONValue, _ field: String) throws(ApplePaySettingsError) -> [String]? {
            guard let value = object["networks"] else { return nil }
            let names = (value.arrayValue ?? []).compactMap(\.stringValue).filter { !$0.isEmpty }
            guard !names.isEmpty, names.count == value.arrayValue?.count else {
                throw ApplePaySettingsError(field: field)
            }
            return names
        }
        func origins(_ domain: JSONValue) throws(ApplePaySettingsError) -> Set<String> {
            let origins = Set((domain["origins"]?.arrayValue ?? []).compactMap(\.stringValue))
            guard origins.count <= ApplePaySettings.maximumOrigins else {
                throw ApplePaySettingsError(field: "origins of a domain (at most \(ApplePaySettings.maximumOrigins))")
            }
            return origins
        }
        func bytes(
            _ path: String?, _ content: TrustedFile.Content = .open
        ) throws(ApplePaySettingsError) -> [UInt8]? {
            guard let path else { return nil }
            let full = path.hasPrefix("/") ? path : folder + "/" + path
            do throws(UntrustedFile) {
                return try TrustedFile.read(
                    full, "Apple Pay file", limit: ApplePaySettings.maximumFileBytes, content: content)
            } catch {
                guard error.isDistrusted else { return nil }
                throw ApplePaySettingsError(untrusted: error)
            }
        }
        func pair(_ value: JSONValue, _ name: String) throws(ApplePaySettingsError) -> Pair {
            let passphrase = value["passphrase_env"]?.stringValue.flatMap { variables[$0] }
            if let path = value["pkcs12"]?.stringValue {
                let bundle = try bytes(path, .secret).flatMap { KeyBundle(pkcs12: $0, passphrase: passphrase) }
                return Pair(certificate: bundle?.certificate, key: bundle?.key, name: path)
            }
            let path = value["certificate"]?.stringValue
            let key = try bytes(value["key"]?.stringValue, .secret).map { file in
                passphrase.flatMap { KeyBundle.decrypted(key: file, passphrase: $0) } ?? Secret(file)
            }
            return Pair(certificate: try bytes(path), key: key, name: path ?? name)
        }
        func pairs(_ value: JSONValue?, _ name: String) throws(ApplePaySettingsError) -> [Pair] {
            var pairs: [Pair] = []
            for item in value?.arrayValue ?? [] { pairs.append(try pair(item, name)) }
            return pairs
        }
        self.environment = try text(document, "environment")
        guard let opening = TokenOpening(rawValue: document["tokens"]?.stringValue ?? "here") else {
            throw ApplePaySettingsError(field: "tokens")
        }
        self.opening = opening
        loadsAppleScript = document["apple_script"]?.boolValue ?? true
        displayName = try text(document, "display_name")
        country = try text(document, "country")
        currency = try text(document, "currency")
        networks = try networkNames(document, "networks") ?? ["visa", "masterCard", "amex"]
        var domains: [Domain] = []
        for value in document["domains"]?.arrayValue ?? [] {
            domains.append(
                Domain(
                    name: try text(value, "name"), merchant: try text(value, "merchant"),
                    identities: try pairs(value["identities"], "identity"),
                    association: try bytes(value["association"]?.stringValue).flatMap { $0.isEmpty ? nil : $0 },
                    associationFile: value["association"]?.stringValue,
                    origins: try origins(value),
                    isEnabled: value["enabled"]?.boolValue ?? true,
                    percentage: value["percentage"]?.int64Value.map { Int(clamping: $0) } ?? 100,
                    displayName: try own(value, "display_name"), country: try own(value, "country"),
                    currency: try own(value, "currency"), networks: try networkNames(value, "networks of a domain"),
                    icons: try ApplePaySettings.icons(value["icons"])))
        }
        self.domains = domains
        processing = try pairs(document["processing"], "processing")
        let delivery = document["delivery"]
        var parts: [String: [String]] = [:]
        for member in delivery?["parts"]?.objectValue ?? [] {
            parts[member.key] = member.value.arrayValue?.compactMap(\.stringValue)
        }
        self.delivery = DeliveryArea(
            country: delivery?["country"]?.stringValue ?? country,
            areas: Set(delivery?["areas"]?.arrayValue?.compactMap(\.stringValue) ?? []), parts: parts)
        do throws(DeliveryFault) {
            let limit = PostalPlaces.maximumCount
            places = PostalPlaces()
            if let value = document["places"] {
                places = try DeliveryDocument.places(value, at: "places", limit: limit)
            }
            if let value = delivery?["radius"] {
                radius = try DeliveryDocument.radius(value, at: "delivery/radius", limit: limit)
            }
        } catch { throw ApplePaySettingsError(field: error.field) }
        if let radius {
            // Beside areas it would not be plain which of the two decides; without places nothing is delivered.
            guard delivery?["areas"] == nil, delivery?["parts"] == nil else {
                throw ApplePaySettingsError(field: "delivery (it has a radius beside areas)")
            }
            guard !(radius.places ?? places).isEmpty else { throw ApplePaySettingsError(field: "places") }
        }
        coupons = [:]
        for member in document["coupons"]?.objectValue ?? [] {
            guard let percent = member.value["percent"]?.int64Value, (1...100).contains(percent) else {
                throw ApplePaySettingsError(field: "coupons")
            }
            let until = member.value["until"]?.stringValue.flatMap { Timestamp(iso8601: $0) }
            coupons[member.key.uppercased()] = (percent, until ?? Timestamp(milliseconds: .max))
        }
    }

    /// Checks a country as browsers do: with another, none opens a sheet.
    private static func check(country: String, _ field: String) throws(ApplePaySettingsError) {
        guard ISOCountry.isCode(country) else {
            throw ApplePaySettingsError(field: "\(field): \(country.prefix(32)) is no code of ISO 3166-1, such as GB")
        }
    }

    private func factory(
        _ name: String, _ country: String, _ networks: [String]
    ) -> ApplePayPaymentRequestFactory {
        ApplePayPaymentRequestFactory(
            displayName: name, countryCode: country, supportedNetworks: networks, supportsCouponCode: !coupons.isEmpty)
    }

    /// Returns the icons of a domain: addresses over TLS, or paths on the counter, by size.
    private static func icons(_ value: JSONValue?) throws(ApplePaySettingsError) -> [String: String] {
        var icons: [String: String] = [:]
        guard let value else { return icons }
        guard let members = value.objectValue else { throw ApplePaySettingsError(field: "icons of a domain") }
        for member in members {
            guard let address = member.value.stringValue, address.hasPrefix("https://") || address.hasPrefix("/"),
                member.key.wholeMatch(of: /[1-9][0-9]{0,3}x[1-9][0-9]{0,3}/) != nil, icons.count < maximumIcons
            else { throw ApplePaySettingsError(field: "icons") }
            icons[member.key] = address
        }
        return icons
    }

    /// Returns the options for the service. Unusable certificate pairs are left out; the domain's metadata then reports
    /// Apple Pay as off.
    public func options() throws(ApplePaySettingsError) -> ApplePayOptions {
        guard let environment = WalletEnvironment(rawValue: environment) else {
            throw ApplePaySettingsError(field: "environment")
        }
        guard let currency = Currency(ifValid: currency) else { throw ApplePaySettingsError(field: "currency") }
        try ApplePaySettings.check(country: country, "country")
        var ring = ProcessingKeyRing()
        for pair in processing {
            guard let certificate = pair.certificate, let key = pair.key,
                let usable = try? ProcessingKey(certificate: certificate, key: key.reveal())
            else { continue }
            ring.add(usable)
        }
        var checked: [ApplePayDomain] = []
        for domain in domains {
            guard let name = WebDomain(domain.name) else { throw ApplePaySettingsError(field: "name") }
            let identities = domain.identities.compactMap { pair -> ApplePayDomain.Identity? in
                guard let certificate = pair.certificate, let key = pair.key else { return nil }
                do {
                    let isPair = try MerchantCertificate(parsing: certificate).fits(key: key.reveal())
                    return isPair ? ApplePayDomain.Identity(certificate: certificate, key: key) : nil
                } catch { return nil }
            }
            var one = ApplePayDomain(
                domain: name, merchant: domain.merchant, identities: identities, association: domain.association,
                origins: domain.origins, isEnabled: domain.isEnabled, percentage: domain.percentage)
            one.associationFile = domain.associationFile
            one.icons = domain.icons
            if let country = domain.country {
                try ApplePaySettings.check(country: country, "country of \(domain.name)")
            }
            if let code = domain.currency {
                guard let own = Currency(ifValid: code) else {
                    throw ApplePaySettingsError(field: "currency of \(domain.name)")
                }
                one.currency = own
            }
            if domain.displayName != nil || domain.country != nil || domain.networks != nil {
                one.factory = factory(
                    domain.displayName ?? displayName, domain.country ?? country, domain.networks ?? networks)
            }
            checked.append(one)
        }
        var options = ApplePayOptions(
            environment: environment, factory: factory(displayName, country, networks),
            currency: currency, domains: checked, keys: ring, area: delivery, coupons: coupons)
        (options.radius, options.places) = (radius, places)
        options.opening = opening
        if !loadsAppleScript { options.script = nil }
        return options
    }
}

/// The reason that the settings were rejected.
public struct ApplePaySettingsError: ExplainedError, Hashable {
    /// The missing or invalid member; empty for an untrusted file.
    public let field: String
    /// The file that other users may have written, or a key file that they can read.
    public let untrusted: UntrustedFile?

    package init(field: String) {
        self.field = field
        untrusted = nil
    }

    package init(untrusted: UntrustedFile) {
        field = ""
        self.untrusted = untrusted
    }

    public var code: String { untrusted?.code ?? "applepay_settings" }
    public var what: String { untrusted?.what ?? "The Apple Pay settings have no usable \(field)." }
    /// Settings move no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The recommended action.
    public var next: String { untrusted?.next ?? "Correct the settings' file." }
}
