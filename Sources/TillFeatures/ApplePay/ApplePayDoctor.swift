import TillApplePay
public import TillCore

/// Diagnostics of a shop's Apple Pay setup.
public struct ApplePayDoctor: Sendable {
    public struct Finding: Hashable, Sendable {
        /// The severity of a finding.
        public enum Verdict: String, Hashable, Sendable {
            /// The check passed.
            case ok
            case warning
            case fault
        }

        public var verdict: Verdict
        public var code: String
        /// A sentence with the recommended action.
        public var text: String
    }

    /// The number of days before expiry at which a warning begins.
    public static let warningDays: Int64 = 30

    /// The gateway that is asked for merchant sessions.
    public enum SessionCheck: Sendable {
        /// Apple's gateway of the settings' environment.
        case apple
        /// A program on this machine in Apple's place.
        case standIn(AppleStandIn)
        /// None: no session is asked for, as without a network.
        case omitted
    }

    let settings: ApplePaySettings
    let transport: any HTTPTransport
    let probe: String?
    let sessions: SessionCheck
    let provider: ProviderStanding?
    var sessionBudget = ApplePayDoctor.sessionLimit
    package let now: Timestamp

    /// Creates diagnostics for one shop's settings; the checks run on request.
    /// - Parameters:
    ///   - probe: the scheme and authority from which association files are requested, instead of each domain itself.
    ///   - sessions: the gateway that is asked for one merchant session for each host.
    ///   - provider: the provider of the counter's payments; `nil` if it is not to be examined.
    public init(
        settings: ApplePaySettings, transport: any HTTPTransport, probe: String? = nil,
        sessions: SessionCheck = .apple, provider: ProviderStanding? = nil, now: Timestamp
    ) {
        self.settings = settings
        self.transport = transport
        self.probe = probe
        self.sessions = sessions
        self.provider = provider
        self.now = now
    }

    /// Runs all checks and returns every finding, in the order of the settings.
    public func examine() async -> [Finding] {
        var findings = general()
        for domain in settings.domains {
            findings += identities(of: domain)
            findings += await pages(of: domain)
        }
        if settings.opening == .provider {
            findings.append(ok("processing_elsewhere", "The provider opens the tokens with its own certificate."))
        } else if settings.processing.isEmpty {
            findings.append(
                fault("processing_missing", "There is no processing certificate, so no token can be opened. Add one."))
        }
        let merchants = Set(settings.domains.map { MerchantIDHash(of: $0.merchant) })
        for pair in settings.processing {
            findings += examine(pair, as: .processing, word: "processing", merchants: merchants)
        }
        return findings + handover() + (await sessionFindings())
    }

    private func general() -> [Finding] {
        var findings: [Finding] = []
        if let environment = WalletEnvironment(rawValue: settings.environment) {
            findings.append(ok("environment", "The shop works with Apple's \(environment.rawValue)."))
        } else {
            findings.append(
                fault("environment", "The environment \(settings.environment) is neither production nor sandbox."))
        }
        if Currency(ifValid: settings.currency) == nil {
            findings.append(fault("currency", "The currency \(settings.currency) is none of ISO 4217."))
        }
        findings += names(settings.country, settings.networks, of: "The shop")
        for domain in settings.domains { findings += names(domain.country, domain.networks ?? [], of: domain.name) }
        if settings.displayName.utf8.count > MerchantSessionRequest.maximumNameBytes {
            findings.append(
                warning("display_name", "The shop's name has more than 64 bytes; Apple is given its beginning."))
        }
        if settings.domains.isEmpty { findings.append(fault("domain_missing", "No domain is set up. Add one.")) }
        return findings
    }

    // MARK: Certificates

    private func identities(of domain: ApplePaySettings.Domain) -> [Finding] {
        if domain.identities.isEmpty {
            return domain.isForAppsAlone
                ? [
                    warning(
                        "identity_missing",
                        "\(domain.name) has no merchant identity certificate: its pages offer no Apple Pay, apps do.")
                ] : [fault("identity_missing", "\(domain.name) has no merchant identity certificate. Add one.")]
        }
        var findings: [Finding] = []
        if domain.identities.count > ApplePayDomain.maximumIdentities {
            findings.append(
                warning("identity_count", "\(domain.name) has more than three identities; Apple takes three at once."))
        }
        for pair in domain.identities {
            findings += examine(
                pair, as: .identity, word: "identity", merchants: [MerchantIDHash(of: domain.merchant)])
        }
        return findings
    }

    private func examine(
        _ pair: ApplePaySettings.Pair, as purpose: MerchantCertificate.Purpose, word: String,
        merchants: Set<MerchantIDHash>
    ) -> [Finding] {
        guard let file = pair.certificate, let certificate = try? MerchantCertificate(parsing: file) else {
            return [fault("\(word)_unreadable", "The certificate \(pair.name) cannot be read. Give PEM or DER.")]
        }
        var findings: [Finding] = []
        if certificate.purpose != purpose, certificate.purpose != .other {
            findings.append(
                fault(
                    "\(word)_purpose",
                    "\(pair.name) is the certificate for \(certificate.purpose.rawValue), not for \(word). Swap them."))
        }
        switch pair.key.map({ key in Result { try certificate.fits(key: key.reveal()) } }) {
        case nil: findings.append(fault("\(word)_key_unreadable", "The key of \(pair.name) cannot be read."))
        case .failure(let error)?: findings.append(fault("\(word)_key_unreadable", "The key of \(pair.name): \(error)"))
        case .success(false)?:
            findings.append(
                fault(
                    "\(word)_key",
                    "The key of \(pair.name) does not belong to it. Give the one that its request was made with."))
        case .success(true)?: break
        }
        if let merchant = certificate.merchant {
            if let name = certificate.merchantIdentifier, MerchantIDHash(of: name) != merchant {
                findings.append(
                    fault(
                        "\(word)_hash",
                        "\(pair.name) names the merchant \(name), but the hash in it is another's. Issue it anew."))
            } else if !merchants.contains(merchant) {
                findings.append(
                    fault("\(word)_merchant", "\(pair.name) belongs to another merchant than the settings name."))
            }
        } else {
            findings.append(fault("\(word)_extension", "\(pair.name) is no merchant's certificate of Apple's."))
        }
        return findings + [dates(certificate, pair.name, word)]
    }

    private func dates(_ certificate: MerchantCertificate, _ name: String, _ word: String) -> Finding {
        let days = certificate.validUntil.since(now).milliseconds / 86_400_000
        if now < certificate.validFrom {
            return fault("\(word)_not_yet_valid", "\(name) is valid from \(certificate.validFrom).")
        }
        if now >= certificate.validUntil {
            return fault(
                "\(word)_expired", "\(name) expired \(certificate.validUntil). Issue a new one at Apple's portal.")
        }
        if days <= ApplePayDoctor.warningDays {
            return warning(
                "\(word)_expiring", "\(name) ends in \(days) days. Ask for the next one now: till applepay request.")
        }
        return ok("\(word)_valid", "\(name) is valid for \(days) days.")
    }

    package func ok(_ code: String, _ text: String) -> Finding { Finding(verdict: .ok, code: code, text: text) }
    package func warning(_ code: String, _ text: String) -> Finding {
        Finding(verdict: .warning, code: code, text: text)
    }
    package func fault(_ code: String, _ text: String) -> Finding { Finding(verdict: .fault, code: code, text: text) }
}
