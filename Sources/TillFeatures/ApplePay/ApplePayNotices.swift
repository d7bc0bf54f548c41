import TillApplePay
import TillCore
package import TillCounter

/// The reason that pages of a domain offer no Apple Pay, by its name in the metadata.
enum ApplePayObstacle: String {
    /// The settings switch the domain off.
    case switchedOff = "switched_off"
    /// The settings give Apple Pay to no visitor.
    case noVisitors = "no_visitors"
    /// The settings have a fault.
    case settings
    /// The provider does not take the tokens.
    case provider
    case processingMissing = "processing_missing"
    /// The last processing certificate has ended. Tokens that were made before are still opened.
    case processingEnded = "processing_ended"
    case identityMissing = "identity_missing"
    /// No merchant identity certificate is valid: the last one has ended, or the first one has not begun.
    case identityEnded = "identity_ended"
    /// The counter has never read the association file that the settings name.
    case associationMissing = "association_missing"

    /// `true` if apps cannot pay either. They need no association file and no merchant identity certificate: both are
    /// for pages, whose sheets begin with a merchant session.
    var stopsApps: Bool {
        switch self {
        case .identityMissing, .identityEnded, .associationMissing: false
        case .switchedOff, .noVisitors, .settings, .provider, .processingMissing, .processingEnded: true
        }
    }
}

extension ApplePayDomain {
    /// `true` if the settings offer Apple Pay to at least a part of the domain's visitors.
    var isWanted: Bool { isEnabled && percentage > 0 }

    /// The end of the certificate that is valid longest; `nil` without one that can be read.
    var identityEnd: Timestamp? { identities.compactMap(\.validity?.until).max() }

    /// The notice about an association file that cannot be read; `nil` if it can, or if the settings name none.
    var associationNotice: SetupNotice? {
        guard let file = associationFile, let since = associationMissingSince else { return nil }
        let reason =
            lacksAssociation
            ? "The association file \(file) of \(domain) is empty or cannot be read, so Apple cannot verify the domain "
                + "and its pages offer no Apple Pay."
            : "The association file \(file) of \(domain) is gone, empty or cannot be read. The copy that was read last "
                + "is served on until the counter stops; after that \(domain) offers no Apple Pay."
        return SetupNotice(
            lacksAssociation ? "association_missing" : "association_gone", of: domain.name, since: since, reason,
            next: "Put the file back, or load it again from Apple's portal. It is read within thirty seconds.")
    }
}

extension ApplePayRoutes {
    /// Returns the reason that pages of a domain offer no Apple Pay to anybody; `nil` if they offer it.
    func obstacle(on domain: ApplePayDomain) -> ApplePayObstacle? {
        let options = options
        let now = clock.now()
        guard domain.isEnabled else { return .switchedOff }
        guard domain.percentage > 0 else { return .noVisitors }
        guard options.fault == nil else { return .settings }
        guard providerTakesTokens else { return .provider }
        guard options.canOpen else { return .processingMissing }
        if let end = options.processingEnd, end <= now { return .processingEnded }
        guard identity(of: domain) != nil else {
            return domain.identityEnd == nil ? .identityMissing : .identityEnded
        }
        return domain.lacksAssociation ? .associationMissing : nil
    }

    /// Returns what staff must mend, most urgent first: what has stopped Apple Pay, then what is going to.
    package func notices() -> [SetupNotice] {
        let options = options
        let domains = options.domains.filter(\.isWanted)
        var notices: [SetupNotice] = []
        if let fault = options.fault {
            notices.append(
                SetupNotice(
                    "settings", of: "Apple Pay", "Apple Pay is off: \(fault)",
                    next: "`till applepay doctor` says what is wrong."))
        }
        if let since = live.failedSince {
            notices.append(
                SetupNotice(
                    "settings_rejected", of: "Apple Pay", since: since,
                    "Apple Pay's settings cannot be taken; those that were read last stay in use until the counter "
                        + "stops.", next: "The log says why, and `till applepay doctor` what is wrong."))
        }
        if !domains.isEmpty, !providerTakesTokens {
            notices.append(
                SetupNotice(
                    "provider", of: "Apple Pay",
                    "Pages offer no Apple Pay: the provider does not take its tokens.",
                    next: "Choose another provider, or another \"tokens\" in the settings."))
        }
        notices += [checkout.refusals.notice(of: checkout.provider)].compactMap(\.self)
        if !domains.isEmpty { notices += processingNotices(options) }
        for domain in domains { notices += identityNotices(domain) + [domain.associationNotice].compactMap(\.self) }
        let ending = notices.filter { $0.code.hasSuffix("_ending") }
        return Array((notices.filter { !$0.code.hasSuffix("_ending") } + ending).prefix(SetupNotice.maximumListed))
    }

    private func processingNotices(_ options: ApplePayOptions) -> [SetupNotice] {
        guard options.canOpen else {
            return [
                SetupNotice(
                    "processing_missing", of: "Apple Pay",
                    "There is no usable processing certificate, so no token can be opened and no page offers Apple "
                        + "Pay.", next: "`till applepay doctor` names the pairs that do not fit.")
            ]
        }
        guard let end = options.processingEnd else { return [] }
        let notice = ending(
            "processing", "The processing certificate", of: "Apple Pay", at: end,
            without: "neither pages nor apps offer Apple Pay")
        return [notice].compactMap(\.self)
    }

    private func identityNotices(_ domain: ApplePayDomain) -> [SetupNotice] {
        guard let end = domain.identityEnd else {
            return [
                SetupNotice(
                    "identity_missing", of: domain.domain.name,
                    "\(domain.domain) has no usable merchant identity certificate, so its pages offer no Apple Pay. "
                        + "Apps pay without it.",
                    next: "`till applepay doctor` names the pairs that do not fit.")
            ]
        }
        if end > clock.now(), identity(of: domain) == nil {
            return [
                SetupNotice(
                    "identity_not_yet_valid", of: domain.domain.name,
                    "The merchant identity certificate of \(domain.domain) is not valid yet, so its pages offer no "
                        + "Apple Pay. Apps pay without it.",
                    next: "Add the earlier one too, or compare the counter's clock.")
            ]
        }
        let certificate = "The merchant identity certificate of \(domain.domain)"
        let notice = ending(
            "identity", certificate, of: domain.domain.name, at: end, without: "its pages offer no Apple Pay; apps do")
        return [notice].compactMap(\.self)
    }

    /// Returns the notice about a certificate that has ended, or ends within ``ApplePayDoctor/warningDays``; `nil` for
    /// one that is valid longer.
    /// - Parameter loss: what holds without the certificate.
    private func ending(
        _ kind: String, _ name: String, of subject: String, at end: Timestamp, without loss: String
    ) -> SetupNotice? {
        let left = end.since(clock.now()).milliseconds
        let next =
            "Ask Apple for the next one: `till applepay request \(kind)`. A new pair is read within thirty seconds."
        if left <= 0 {
            return SetupNotice(
                "\(kind)_ended", of: subject, since: end, "\(name) has ended: \(loss).", next: next)
        }
        let warning = Span.days(ApplePayDoctor.warningDays)
        guard left <= warning.milliseconds else { return nil }
        let days = left / 86_400_000
        let time = days == 0 ? "in less than a day" : days == 1 ? "in 1 day" : "in \(days) days"
        return SetupNotice(
            "\(kind)_ending", of: subject, "\(name) ends \(time), on \(end); after that \(loss).", next: next)
    }

    /// Returns the standing of each domain that the settings offer Apple Pay on, for the metrics.
    func domainStandings() -> [ApplePayMetrics.DomainStanding] {
        let now = clock.now()
        return options.domains.filter(\.isWanted).map { domain in
            ApplePayMetrics.DomainStanding(
                isOffered: obstacle(on: domain) == nil,
                // A file that has just gone is not to be read as one that is there.
                secondsWithoutFile: domain.associationMissingSince.map { max(1, now.since($0).milliseconds / 1_000) }
                    ?? 0)
        }
    }
}

extension ApplePayOptions {
    /// The end of the processing certificate that is valid longest; `nil` if the provider opens the tokens or there is
    /// none.
    var processingEnd: Timestamp? { opening == .provider ? nil : keys.all.map(\.validUntil).max() }
}

extension ApplePayMount {
    /// Returns what staff must mend of Apple Pay. A demo shop that nobody has opened is not set up for it.
    package func notices() -> [SetupNotice] { opened?.routes.notices() ?? [] }
}
