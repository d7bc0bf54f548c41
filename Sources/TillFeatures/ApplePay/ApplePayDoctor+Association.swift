import HTTPTypes
import TillApplePay
import TillCore
import TillWeb

extension ApplePayDoctor {
    /// The time limit for an association file.
    private static let associationLimit = Span.seconds(10)

    /// Examines each host whose pages offer Apple Pay: Apple verifies every one by itself.
    func pages(of domain: ApplePaySettings.Domain) async -> [Finding] {
        guard let name = WebDomain(domain.name) else {
            return [
                fault(
                    "domain_name",
                    "\(domain.name) is not a domain as in the address bar: no scheme, port, path or wildcard.")
            ]
        }
        var findings = domain.origins.filter { !WebOrigin.isOrigin($0) }.sorted().map { origin in
            warning(
                "origin",
                "\(origin.prefix(128)) is no page's origin, so that none of \(name) has it. Write it as browsers do: "
                    + "https://www.shop.example, without a path.")
        }
        if domain.isForAppsAlone { return findings + (await tls(of: name)) }
        // Settings that name no file leave it to the host's own server.
        let isGiven = domain.association != nil || domain.associationFile == nil
        if !isGiven {
            findings.append(
                fault("association_missing", "\(name) has no association file. Load it from Apple's portal."))
        }
        for host in WebDomain.hosts(of: name, origins: domain.origins) {
            if isGiven { findings += await association(on: host, domain.association) }
            findings += await tls(of: host)
        }
        return findings
    }

    /// Examines the association file that a host serves, at either of its two paths.
    /// - Parameter expected: the settings' file; `nil` where the host's own server has one.
    private func association(on host: WebDomain, _ expected: [UInt8]?) async -> [Finding] {
        let base = (probe ?? "https://\(host)").split(separator: "/", omittingEmptySubsequences: true)
        guard base.count == 2 else { return [fault("probe", "The probe's address is not scheme and authority.")] }
        // One path is enough for Apple.
        var served: [Finding] = []
        var faults: [Finding] = []
        for path in ApplePayRoutes.associations {
            let request = HTTPRequest(
                method: .get, scheme: String(base[0].dropLast()), authority: String(base[1]), path: path)
            let finding: Finding
            do throws(TransportFailure) {
                let reply = try await transport.send(
                    request, body: [], deadline: ApplePayDoctor.associationLimit)
                finding = examine(reply.response.status.code, reply.body, at: path, of: host, expected)
            } catch {
                let reason =
                    switch error {
                    case .notSent(let reason), .unknown(let reason): reason
                    }
                return [fault("domain_unreachable", "\(host) cannot be reached over TLS: \(reason).")]
            }
            if finding.verdict == .ok { served.append(finding) } else { faults.append(finding) }
        }
        guard served.isEmpty else { return served }
        // A path that serves something says more than one that has nothing.
        return Array((faults.filter { $0.code != "association_status" } + faults).prefix(1))
    }

    private func examine(
        _ status: Int, _ body: [UInt8], at path: String, of host: WebDomain, _ expected: [UInt8]?
    ) -> Finding {
        if (300..<400).contains(status) {
            return fault(
                "association_redirect",
                "\(host) redirects the association file, which Apple does not follow. Serve it as is.")
        }
        guard status == 200 else {
            return fault("association_status", "\(host) answers \(status) for the association file \(path).")
        }
        guard let expected else {
            guard !body.isEmpty else {
                return fault("association_empty", "\(host) serves an empty association file at \(path).")
            }
            return ok(
                "association",
                "\(host) serves an association file of its own server at \(path); the settings have none to "
                    + "compare it with.")
        }
        guard body == expected else {
            return fault("association_bytes", "\(host) serves another association file than the settings have.")
        }
        return ok("association", "\(host) serves its association file at \(path).")
    }
}
