import Foundation
import NIOSSL
import SwiftASN1
public import TillCore
import TillCounter
public import TillProvider
@_spi(FixedExpiryValidationTime) import X509

extension TLSIdentity {
    /// The time before expiry from which a certificate is reported.
    private static let notice = Span.days(14)

    /// Returns the findings of `till doctor` about the certificate: names, issuer, expiry.
    /// - Parameter hosts: The host names under which the counter is reached.
    public static func findings(_ files: TLSFiles, for hosts: [String], at now: Timestamp) async -> [ProviderFinding] {
        let chain: [Certificate]
        do {
            _ = try TLSIdentity(files, at: now)
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate).map {
                try Certificate(derEncoded: try $0.toDERBytes())
            }
        } catch let error as TLSFilesError {
            return [ProviderFinding("The certificate cannot be used. \(error.what) \(error.next)", isFine: false)]
        } catch {
            return [ProviderFinding("The certificate in \(files.certificate) cannot be read.", isFine: false)]
        }
        guard let own = chain.first else { return [] }
        let end = Timestamp(milliseconds: Int64(own.notValidAfter.timeIntervalSince1970) * 1000)
        let names = TLSIdentity.names(of: own)
        let listed = names.joined(separator: ", ")
        var findings: [ProviderFinding] = []
        if end <= now {
            findings.append(ProviderFinding("The certificate for \(listed) expired on \(end).", isFine: false))
        } else if end.since(now) < notice {
            findings.append(
                ProviderFinding("The certificate for \(listed) expires on \(end): renew it.", isFine: false))
        } else {
            findings.append(ProviderFinding("The certificate is for \(listed), until \(end)."))
        }
        for host in hosts where !covers(names, host) {
            findings.append(
                ProviderFinding("The certificate is not for \(host), where people reach this counter.", isFine: false))
        }
        var verifier = Verifier(rootCertificates: CertificateStore.systemTrustRoots) {
            RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: TimeInterval(now.milliseconds / 1000)))
        }
        switch await verifier.validate(leaf: own, intermediates: CertificateStore(chain.dropFirst())) {
        case .validCertificate:
            findings.append(ProviderFinding("The certificate was issued by an authority that this machine trusts."))
        case .couldNotValidate:
            findings.append(
                ProviderFinding(
                    "No authority that this machine trusts issued the certificate: customers' browsers refuse it, "
                        + "and so do programs unless they trust your own authority.", isFine: false))
        }
        return findings
    }

    private static func names(of certificate: Certificate) -> [String] {
        let alternative: SubjectAlternativeNames?
        do { alternative = try certificate.extensions.subjectAlternativeNames } catch { return [] }
        return (alternative.map(Array.init) ?? []).compactMap { name in
            switch name {
            case .dnsName(let name): name.lowercased()
            case .ipAddress(let bytes): ClientAddress(bytes: bytes.bytes)?.description
            default: nil
            }
        }
    }

    /// Returns `true` if a name covers the host: an exact match, or a wildcard for its first label.
    package static func covers(_ names: [String], _ host: String) -> Bool {
        let host = host.lowercased()
        if let address = ClientAddress(host) { return names.contains(address.description) }
        let rest = host.split(separator: ".").dropFirst().joined(separator: ".")
        return names.contains { $0 == host || (rest.contains(".") && $0 == "*." + rest) }
    }
}
