import HTTPTypes
import TillApplePay
import TillCore

extension ApplePayDoctor {
    /// The time limit for an association file.
    private static let associationLimit = Span.seconds(10)

    /// Examines the association file that the domain serves, at either of its two paths.
    func association(of domain: ApplePaySettings.Domain) async -> [Finding] {
        guard WebDomain(domain.name) != nil else {
            return [
                fault(
                    "domain_name",
                    "\(domain.name) is not a domain as in the address bar: no scheme, port, path or wildcard.")
            ]
        }
        // Settings that name no file leave it to the domain's own server.
        guard domain.association != nil || domain.associationFile == nil else {
            return [
                fault("association_missing", "\(domain.name) has no association file. Load it from Apple's portal.")
            ]
        }
        let base = (probe ?? "https://\(domain.name)").split(separator: "/", omittingEmptySubsequences: true)
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
                finding = examine(reply.response.status.code, reply.body, at: path, of: domain)
            } catch {
                let reason =
                    switch error {
                    case .notSent(let reason), .unknown(let reason): reason
                    }
                return [fault("domain_unreachable", "\(domain.name) cannot be reached over TLS: \(reason).")]
            }
            if finding.verdict == .ok { served.append(finding) } else { faults.append(finding) }
        }
        guard served.isEmpty else { return served }
        // A path that serves something says more than one that has nothing.
        return Array((faults.filter { $0.code != "association_status" } + faults).prefix(1))
    }

    private func examine(
        _ status: Int, _ body: [UInt8], at path: String, of domain: ApplePaySettings.Domain
    ) -> Finding {
        if (300..<400).contains(status) {
            return fault(
                "association_redirect",
                "\(domain.name) redirects the association file, which Apple does not follow. Serve it as is.")
        }
        guard status == 200 else {
            return fault("association_status", "\(domain.name) answers \(status) for the association file \(path).")
        }
        guard let expected = domain.association else {
            guard !body.isEmpty else {
                return fault("association_empty", "\(domain.name) serves an empty association file at \(path).")
            }
            return ok(
                "association",
                "\(domain.name) serves an association file of its own server at \(path); the settings have none to "
                    + "compare it with.")
        }
        guard body == expected else {
            return fault(
                "association_bytes", "\(domain.name) serves another association file than the settings have.")
        }
        return ok("association", "\(domain.name) serves its association file at \(path).")
    }
}
