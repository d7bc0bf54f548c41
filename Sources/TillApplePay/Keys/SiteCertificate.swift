public import TillCore
import SwiftASN1
import X509

/// The certificate with which a site answers over TLS, as far as Apple checks it: when it expires, and for whom it was
/// issued. Apple stops trusting a domain when this certificate expires, and checks again 30, 15 and 7 days before.
public struct SiteCertificate: Hashable, Sendable {
    /// From when it is valid.
    public let validFrom: Timestamp
    /// Until when it is valid.
    public let validUntil: Timestamp
    /// The domains that it names, in lower case; a first label may be `*`.
    public let names: [String]

    /// Reads one in DER; `nil` if it is not a certificate.
    public init?(der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        validFrom = Timestamp(certificate.notValidBefore)
        validUntil = Timestamp(certificate.notValidAfter)
        let alternative = try? certificate.extensions.subjectAlternativeNames
        names = (alternative.map(Array.init) ?? []).compactMap { name in
            if case .dnsName(let name) = name { return name.lowercased() }
            return nil
        }
    }

    /// Whether it is for a domain (RFC 6125): the name itself, or one star for its first label.
    public func covers(_ domain: WebDomain) -> Bool {
        let rest = domain.name.split(separator: ".").dropFirst().joined(separator: ".")
        return names.contains { $0 == domain.name || (!rest.isEmpty && $0 == "*." + rest) }
    }
}
