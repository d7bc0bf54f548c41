import TillApplePay
import TillCore

extension ApplePayDoctor {
    /// The time limit for one merchant session.
    static let sessionLimit = Span.seconds(8)
    /// The maximum number of hosts that a session is asked for; they are asked at the same time.
    static let maximumSessions = 32

    /// A session to ask for.
    private struct Question: Sendable {
        var host: String
        var merchant: String
        var request: MerchantSessionRequest
        var identity: ApplePayDomain.Identity
    }

    /// Asks for one merchant session for each host of each domain, with the identity that the counter would use. A
    /// session moves no money. A domain without a usable identity is left out: that is a fault of its own.
    func sessionFindings() async -> [Finding] {
        let standIn: MerchantSessions.StandIn?
        switch sessions {
        case .apple: standIn = nil
        case .standIn(let given): standIn = given.gateway
        case .omitted:
            return [ok("session_omitted", "No merchant session was asked for, so what Apple says is not known.")]
        }
        guard let environment = WalletEnvironment(rawValue: settings.environment) else { return [] }
        let gateway: MerchantGateway =
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            }
        let every = settings.domains.flatMap { questions(about: $0) }
        let asked = every.prefix(ApplePayDoctor.maximumSessions)
        let service = MerchantSessions(clock: SystemClock(), budget: sessionBudget, standIn: standIn)
        let answers = await withTaskGroup(of: (Int, Finding).self) { group in
            for (place, question) in asked.enumerated() {
                group.addTask { (place, await answer(to: question, of: gateway, service)) }
            }
            var answers: [(Int, Finding)] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        await service.shutdown()
        var findings = answers.sorted { $0.0 < $1.0 }.map { $0.1 }
        if every.count > asked.count {
            findings.append(
                warning(
                    "session_count",
                    "\(every.count - asked.count) hosts were not asked about: a session is asked for at most "
                        + "\(ApplePayDoctor.maximumSessions)."))
        }
        return findings
    }

    private func questions(about domain: ApplePaySettings.Domain) -> [Question] {
        guard let name = WebDomain(domain.name), let identity = identity(of: domain) else { return [] }
        return WebDomain.hosts(of: name, origins: domain.origins).map { host in
            Question(
                host: host.name, merchant: domain.merchant,
                request: MerchantSessionRequest(
                    merchantIdentifier: domain.merchant, displayName: domain.displayName ?? settings.displayName,
                    context: host.name), identity: identity)
        }
    }

    /// Returns the usable identity that is valid longest, which the counter would use.
    private func identity(of domain: ApplePaySettings.Domain) -> ApplePayDomain.Identity? {
        domain.identities.prefix(ApplePayDomain.maximumIdentities)
            .compactMap { pair -> (ApplePayDomain.Identity, Timestamp)? in
                guard let certificate = pair.certificate, let key = pair.key,
                    let parsed = try? MerchantCertificate(parsing: certificate),
                    (try? parsed.fits(key: key.reveal())) == true, parsed.validFrom <= now, now < parsed.validUntil
                else { return nil }
                return (ApplePayDomain.Identity(certificate: certificate, key: key), parsed.validUntil)
            }
            .max { $0.1 < $1.1 }?.0
    }

    private func answer(
        to question: Question, of gateway: MerchantGateway, _ service: MerchantSessions
    ) async -> Finding {
        do throws(MerchantSessionError) {
            let bytes = try await service.session(
                gateway, question.request, identity: question.identity, standIn: nil)
            let domain = JSONValue(ifValid: bytes)?["domainName"]?.stringValue
            guard domain == nil || domain == question.host else {
                return fault(
                    "session_domain",
                    "Apple's session for \(question.host) is for another host. Register \(question.host) at Apple.")
            }
            return ok("session", "Apple gives \(question.merchant) a session on \(question.host).")
        } catch {
            return finding(error, question, gateway)
        }
    }

    /// Returns the finding about a session that Apple did not give, with what to do.
    private func finding(
        _ error: MerchantSessionError, _ question: Question, _ gateway: MerchantGateway
    ) -> Finding {
        let lead = "No session for \(question.host)."
        switch error {
        case .refused(let status): return fault("session_refused", "\(lead) \(refusal(status, question))")
        case .unreachable(MerchantSessions.handshakeFailed):
            return fault(
                "session_handshake",
                "\(lead) TLS with Apple's gateway failed: the identity certificate is not Apple's or was revoked, or "
                    + "something between decrypts TLS. Issue a new one, and let \(gateway.rawValue) through as it is.")
        case .unreachable(let reason):
            return fault(
                "session_unreachable",
                "\(lead) \(gateway.rawValue) was not reached: \(reason). Let this machine reach its port 443, or leave "
                    + "this check out with --without-session.")
        case .malformed:
            return fault(
                "session_malformed",
                "\(lead) What answered is no merchant session; ask if a proxy stands between this machine and Apple.")
        case .noIdentity:
            return fault(
                "session_identity",
                "\(lead) TLS cannot use the identity certificate and its key. Give both as PEM or DER.")
        case .foreignAddress, .otherEnvironment, .unknownDomain, .tooMany:
            return fault("session_refused", "\(lead) \(error.what) \(error.next)")
        }
    }

    /// Returns the meaning of a status of Apple's, with what to do.
    private func refusal(_ status: Int, _ question: Question) -> String {
        switch status {
        case 417:
            "Apple answers 417: verify \(question.host) under \(question.merchant) at Apple's portal, and compare that "
                + "merchant's identity and processing certificates with those in the settings."
        case 401, 403:
            "Apple answers \(status): the identity certificate is not taken for \(question.merchant). Issue a new one."
        case 429: "Apple answers 429: too many sessions were asked for. Try again in a minute."
        case 500...: "Apple answers \(status): the fault is Apple's. Try again later."
        default:
            "Apple answers \(status): compare the merchant \(question.merchant), the sheet's name and the host with "
                + "Apple's portal."
        }
    }
}
