public import TillCore
import SwiftASN1
import X509

/// A website's TLS certificate, as far as Apple checks it: expiry and domain names. Apple stops trusting a domain when
/// this certificate expires, and checks again 30, 15 and 7 days before.
public struct SiteCertificate: Hashable, Sendable {
    /// Start of validity.
    public let validFrom: Timestamp
    /// End of validity.
    public let validUntil: Timestamp
    /// The domain names covered, in lowercase; a first label may be `*`.
    public let names: [String]

    /// Parses DER; `nil` if it is not a certificate.
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

    /// Returns `true` if it covers a domain (RFC 6125): the exact name, or a wildcard for its first label.
    public func covers(_ domain: WebDomain) -> Bool {
        let rest = domain.name.split(separator: ".").dropFirst().joined(separator: ".")
        return names.contains { $0 == domain.name || (!rest.isEmpty && $0 == "*." + rest) }
    }
}
