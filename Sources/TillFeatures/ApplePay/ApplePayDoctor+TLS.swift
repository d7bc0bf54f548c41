import NIOSSL
package import TillApplePay
import TillCore

extension ApplePayDoctor {
    /// Examines a host's TLS: version, certificate, name and days left. Apple's verification of a domain lasts only as
    /// long as its certificate.
    package func tls(of name: WebDomain) async -> [Finding] {
        guard let probe = tlsProbe(name) else { return [] }
        guard let sight = await probe.examine() else {
            return [
                fault("tls_unreachable", "\(name) speaks no TLS that can be understood. Apple needs TLS 1.2 or newer.")
            ]
        }
        var findings: [Finding] = []
        switch sight.version {
        case .tlsv12?, .tlsv13?:
            findings.append(ok("tls_version", "\(name) speaks TLS \(sight.version == .tlsv13 ? "1.3" : "1.2")."))
        default:
            findings.append(
                fault("tls_version", "\(name) speaks an old TLS only. Apple needs TLS 1.2 or newer: switch it on."))
        }
        if sight.speaksOldVersions {
            findings.append(
                warning("tls_old", "\(name) still speaks TLS 1.1 or older with who asks for it. Switch that off."))
        }
        guard let certificate = sight.certificate else {
            return findings + [fault("tls_certificate", "The certificate of \(name) cannot be read.")]
        }
        return findings + examine(certificate, name)
    }

    private func examine(_ certificate: SiteCertificate, _ name: WebDomain) -> [Finding] {
        var findings: [Finding] = []
        if !certificate.covers(name) {
            let names = certificate.names.prefix(3).joined(separator: ", ")
            let whom = names.isEmpty ? "no domain" : names
            findings.append(fault("tls_name", "The TLS certificate of \(name) is for \(whom). Change it."))
        }
        let days = certificate.validUntil.since(now).milliseconds / 86_400_000
        if now < certificate.validFrom {
            findings.append(
                fault("tls_not_yet_valid", "The TLS certificate of \(name) is valid from \(certificate.validFrom)."))
        } else if now >= certificate.validUntil {
            findings.append(
                fault(
                    "tls_expired",
                    "The TLS certificate of \(name) expired \(certificate.validUntil). Renew it, then verify the "
                        + "domain again at Apple's portal."))
        } else if days <= ApplePayDoctor.warningDays {
            findings.append(
                warning("tls_expiring", "The TLS certificate of \(name) ends in \(days) days. Renew it now."))
        } else {
            findings.append(ok("tls_valid", "The TLS certificate of \(name) is valid for \(days) days."))
        }
        return findings
    }

    /// Returns the probe for a domain: the domain itself, or the configured probe if that is `https`; `nil` for a probe
    /// without TLS.
    private func tlsProbe(_ name: WebDomain) -> TLSProbe? {
        guard let probe else { return TLSProbe(host: name.name, port: 443, name: name.name) }
        guard probe.hasPrefix("https://") else { return nil }
        let authority = probe.dropFirst("https://".count).prefix { $0 != "/" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2 else { return nil }
        return TLSProbe(host: String(host), port: parts.count == 2 ? Int(parts[1]) ?? 443 : 443, name: name.name)
    }
}
